#define CPU_TYPE_NATIVE CPU_TYPE_ARM

/* The thread state of an LC_UNIXTHREAD: its flavor, and where it has the program counter. */
enum { STATE_FLAVOR = 1, STATE_PC = 15 * 4 };

/* The bit that is set in the address of Thumb code. */
#define THUMB_BIT 1u

/* What libSystem's open is bound to. */
#define LIBSYSTEM_OPEN libsystem_open

/* Functions of the host's C library that the program must not call. */
#define HOST_FUNCTIONS_DIFFERING

/* Code that calls a function with one address, and where the two addresses are in it:
 * ldr r0, [pc]; ldr pc, [pc]. */
#define TRAP_CODE { 0, 0, 0x9f, 0xe5, 0, 0xf0, 0x9f, 0xe5, 0, 0, 0, 0, 0, 0, 0, 0 }
enum { TRAP_ARGUMENT = 8, TRAP_FUNCTION = 12 };

/* System calls. */

/* In entry.S. */
long loader_system_call(long n, long a, long b, long c, long d, long e, long f);

SYS_INLINE long sys6(long n, long a, long b, long c, long d, long e, long f)
{
	return loader_system_call(n, a, b, c, d, e, f);
}
SYS_INLINE long sys4(long n, long a, long b, long c, long d) { return sys6(n, a, b, c, d, 0, 0); }

/* Sets the thread register, which Darwin's programs reach their thread's data by. TPIDRRO can be written by the kernel only. */
SYS_INLINE int arch_set_thread_data(void *slots)
{
	(void)slots;
	return 0;
}
