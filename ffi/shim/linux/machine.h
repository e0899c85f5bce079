/*
 * machine.h: what the Linux implementation must know of the processor. The 64-bit and the 32-bit
 * architecture of a processor share a folder, since one kernel runs both.
 */
#ifndef MACHPAUSE_LINUX_MACHINE_H
#define MACHPAUSE_LINUX_MACHINE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "../darwin/mach.h"

#if defined(__x86_64__)
#include "x86/machine.h"
#elif defined(__aarch64__)
#include "arm/machine.h"
#else
#error "only x86_64 and aarch64 hosts are supported"
#endif

/* NT_PRSTATUS. The size that the kernel returns tells which one it is. */
union registers {
	uint64_t words64[WORDS_64];
	uint32_t words32[WORDS_32];
};

#endif
