/* arch.h: what the loader must know of the processor. Each architecture has a folder. */
#ifndef LOADER_ARCH_H
#define LOADER_ARCH_H

#include <stdint.h>

#define SYS_INLINE static inline __attribute__((always_inline, unused))

#if defined(__x86_64__)
#include "x86_64/arch.h"
#elif defined(__i386__)
#include "i386/arch.h"
#elif defined(__aarch64__)
#include "arm64/arch.h"
#elif defined(__arm__)
#include "armv7/arch.h"
#endif

#endif
