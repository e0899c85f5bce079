/*
 * sys.h: raw Linux system calls. They are inline and do not use the C library, for two reasons: the
 * loader also runs without one, and while a thread blocks in the kernel its frame pointer must point
 * to a frame record, which C libraries do not guarantee.
 */
#ifndef LOADER_SYS_H
#define LOADER_SYS_H

#include "arch.h" /* sys6() and sys4() */

#include <asm/unistd.h>
#include <stdint.h>

SYS_INLINE long sys3(long n, long a, long b, long c) { return sys4(n, a, b, c, 0); }
SYS_INLINE long sys2(long n, long a, long b) { return sys4(n, a, b, 0, 0); }
SYS_INLINE long sys1(long n, long a) { return sys4(n, a, 0, 0, 0); }

/* Results from -4095 to -1 are negated errno values. */
SYS_INLINE int sys_failed(long result) { return (unsigned long)result >= (unsigned long)-4095; }

/* offset must be a multiple of 4096: 32-bit systems take it in these units. */
SYS_INLINE long sys_mmap(uintptr_t address, uintptr_t size, int protection, int flags, int fd, uint64_t offset)
{
#ifdef __NR_mmap2
	return sys6(__NR_mmap2, (long)address, (long)size, protection, flags, fd, (long)(offset / 4096));
#else
	return sys6(__NR_mmap, (long)address, (long)size, protection, flags, fd, (long)offset);
#endif
}

struct sys_timespec {
	long tv_sec;
	long tv_nsec;
};

#define FUTEX_WAIT_PRIVATE 128
#define FUTEX_WAKE_PRIVATE 129

SYS_INLINE long sys_futex_wait(const volatile uint32_t *word, uint32_t expected, const struct sys_timespec *timeout)
{
	return sys4(__NR_futex, (long)word, FUTEX_WAIT_PRIVATE, (long)expected, (long)timeout);
}
SYS_INLINE long sys_futex_wake(const volatile uint32_t *word, int count)
{
	return sys4(__NR_futex, (long)word, FUTEX_WAKE_PRIVATE, count, 0);
}

#endif
