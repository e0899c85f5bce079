/*
 * The Mach, dyld and libproc declarations that the shim uses.
 *
 * With Apple's SDK they are Apple's. Without it, in the Darwin cross build and the Linux build, they
 * are the project's own, with the same fields and values. layout.h checks both;
 * tests/oracle/darwin_headers_test.ts compares them with the headers that Apple publishes. On Linux
 * linux/ implements the functions.
 */
#ifndef MACHPAUSE_DARWIN_MACH_H
#define MACHPAUSE_DARWIN_MACH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__APPLE__) && defined(__has_include)
#if __has_include(<mach/mach.h>)
#define MP_APPLE_SDK 1
#endif
#endif

#ifdef MP_APPLE_SDK
#include <libproc.h>
#include <mach-o/dyld.h>
#include <mach/mach.h>
#include <mach/mach_time.h>
#include <mach/mach_vm.h>
#include <servers/bootstrap.h>
#include <string.h>
#include <sys/proc.h>
#include <sys/proc_info.h>
#else
#ifdef __APPLE__
/* From <string.h>, which the cross build does not have. */
void *memcpy(void *restrict destination, const void *restrict source, size_t size);
void *memmove(void *destination, const void *source, size_t size);
void *memset(void *destination, int byte, size_t size);
#else
#include <string.h>
#endif
#include "types.h"
#include "thread_state.h"
#include "calls.h"
#endif

#include "private.h"
#include "layout.h"

#endif
