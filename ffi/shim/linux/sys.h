/*
 * System calls without the C library. The tracer of the calling process's own threads shares this
 * address space but is not a thread of the process: it must not write errno, which is in thread-local
 * storage. And nothing here may use malloc(), whose lock a stopped thread of this process may hold.
 */
#ifndef MACHPAUSE_LINUX_SYS_H
#define MACHPAUSE_LINUX_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "machine.h" /* sys_call() */

#define SYS1(n, a) sys_call((n), (long)(a), 0, 0, 0, 0, 0)
#define SYS2(n, a, b) sys_call((n), (long)(a), (long)(b), 0, 0, 0, 0)
#define SYS3(n, a, b, c) sys_call((n), (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS4(n, a, b, c, d) sys_call((n), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SYS5(n, a, b, c, d, e) \
	sys_call((n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define SYS6(n, a, b, c, d, e, f) \
	sys_call((n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline int sys_open_at(int directory, const char *path, int flags)
{
	return (int)SYS4(SYS_openat, directory, path, flags | O_CLOEXEC, 0);
}

static inline void sys_close(int fd)
{
	if (fd >= 0)
		SYS1(SYS_close, fd);
}

static inline int sys_getpid(void)
{
	return (int)SYS1(SYS_getpid, 0);
}

static inline int sys_gettid(void)
{
	return (int)SYS1(SYS_gettid, 0);
}

/* Rounds up to 64 KiB, the largest page size of these architectures. */
static inline uint64_t sys_round_page(uint64_t size)
{
	return (size + 0xffff) & ~(uint64_t)0xffff;
}

/* Reserves memory. Pages are allocated when they are first touched. */
static inline void *sys_reserve(uint64_t size)
{
	long address = SYS6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return address < 0 && address > -4096 ? 0 : (void *)address;
}

static inline uint64_t sys_now(clockid_t clock)
{
	struct timespec now;
	/* The vDSO's function writes errno only on failure. */
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void sys_sleep(uint64_t nanoseconds)
{
	struct timespec time = {(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
	SYS2(SYS_nanosleep, &time, 0);
}

/* Returns at once if *word is not expected. A timeout of 0 means none. */
static inline void sys_futex_wait(uint32_t *word, uint32_t expected, uint64_t timeout)
{
	struct timespec time = {(time_t)(timeout / 1000000000u), (long)(timeout % 1000000000u)};
	SYS4(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeout ? &time : 0);
}

static inline void sys_futex_wake(uint32_t *word)
{
	SYS3(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

#endif
