/*
 * sys.h: raw Linux system calls. They are inline and do not use the C library, for two reasons: the
 * loader also runs without one, and while a thread blocks in the kernel its frame pointer must point
 * to a frame record, which C libraries do not guarantee.
 */
#ifndef LOADER_SYS_H
#define LOADER_SYS_H

#include <asm/unistd.h>
#include <stdint.h>

#define SYS_INLINE static inline __attribute__((always_inline, unused))

#if defined(__x86_64__)

SYS_INLINE long sys6(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return result;
}
SYS_INLINE long sys4(long n, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return result;
}

#elif defined(__i386__)

/* The sixth argument is passed in ebp, the frame pointer: only for calls that do not block. */
SYS_INLINE long sys6(long n, long a, long b, long c, long d, long e, long f)
{
	long arguments[2] = { a, f };
	long result;
	__asm__ volatile("push %%ebp\n\tpush %%ebx\n\tmov 4(%%ebx), %%ebp\n\tmov (%%ebx), %%ebx\n\tint $0x80\n\tpop %%ebx\n\tpop %%ebp"
		: "=a"(result) : "a"(n), "b"(arguments), "c"(b), "d"(c), "S"(d), "D"(e) : "memory");
	return result;
}
SYS_INLINE long sys4(long n, long a, long b, long c, long d)
{
	long result;
	__asm__ volatile("int $0x80" : "=a"(result) : "a"(n), "b"(a), "c"(b), "d"(c), "S"(d) : "memory");
	return result;
}

#elif defined(__aarch64__)

SYS_INLINE long sys6(long n, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}
SYS_INLINE long sys4(long n, long a, long b, long c, long d) { return sys6(n, a, b, c, d, 0, 0); }

#elif defined(__arm__)

/* In entry.S: the number goes in r7, which is the frame pointer of Thumb code. */
long loader_arm_call(long n, long a, long b, long c, long d, long e, long f);
/* In entry.S: futex and nanosleep by way of the old calling convention, which leaves r7 alone. */
long loader_arm_futex(long address, long operation, long value, long timeout);
long loader_arm_nanosleep(long request, long remain);

SYS_INLINE long sys6(long n, long a, long b, long c, long d, long e, long f)
{
	return loader_arm_call(n, a, b, c, d, e, f);
}
SYS_INLINE long sys4(long n, long a, long b, long c, long d)
{
	if (n == __NR_futex)
		return loader_arm_futex(a, b, c, d);
	if (n == __NR_nanosleep)
		return loader_arm_nanosleep(a, b);
	return loader_arm_call(n, a, b, c, d, 0, 0);
}

#endif

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
