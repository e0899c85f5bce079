#define CPU_TYPE_NATIVE CPU_TYPE_ARM64

/* The thread state of an LC_UNIXTHREAD: its flavor, and where it has the program counter. */
enum { STATE_FLAVOR = 6, STATE_PC = 32 * 8 };

/* The bit that is set in the address of Thumb code. */
#define THUMB_BIT 0u

/* Darwin passes what a declaration has as `...` on the stack, and a va_list is another type there. */
#define LIBSYSTEM_OPEN libsystem_variadic_open
#define HOST_FUNCTIONS_DIFFERING "*printf", "*scanf", "execl*", "*syslog", "err*", "warn*", "verr*", "vwarn*",

/* Code that calls a function with one address, and where the two addresses are in it:
 * ldr x0, #16; ldr x16, #20; br x16; nop. */
#define TRAP_CODE { 0x80, 0, 0, 0x58, 0xb0, 0, 0, 0x58, 0, 2, 0x1f, 0xd6, 0x1f, 0x20, 3, 0xd5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
enum { TRAP_ARGUMENT = 16, TRAP_FUNCTION = 24 };

/* System calls. */

SYS_INLINE long sys6(long n, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}
SYS_INLINE long sys4(long n, long a, long b, long c, long d) { return sys6(n, a, b, c, d, 0, 0); }

/* Sets the thread register, which Darwin's programs reach their thread's data by. TPIDRRO can be written by the kernel only. */
SYS_INLINE int arch_set_thread_data(void *slots)
{
	(void)slots;
	return 0;
}
