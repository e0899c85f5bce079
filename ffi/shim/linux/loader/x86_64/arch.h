#define CPU_TYPE_NATIVE CPU_TYPE_X86_64

/* The thread state of an LC_UNIXTHREAD: its flavor, and where it has the program counter. */
enum { STATE_FLAVOR = 4, STATE_PC = 16 * 8 };

/* The bit that is set in the address of Thumb code. */
#define THUMB_BIT 0u

/* What libSystem's open is bound to. */
#define LIBSYSTEM_OPEN libsystem_open

/* Functions of the host's C library that the program must not call. */
#define HOST_FUNCTIONS_DIFFERING

/* Code that calls a function with one address, and where the two addresses are in it:
 * movabs rdi; movabs rax; xor ebp, ebp; jmp rax. */
#define TRAP_CODE { 0x48, 0xbf, 0, 0, 0, 0, 0, 0, 0, 0, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0x31, 0xed, 0xff, 0xe0 }
enum { TRAP_ARGUMENT = 2, TRAP_FUNCTION = 12 };

/* System calls. */

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

/* Sets the thread register, which Darwin's programs reach their thread's data by: %gs. */
SYS_INLINE int arch_set_thread_data(void *slots)
{
	return sys4(158 /* arch_prctl */, 0x1001 /* ARCH_SET_GS */, (long)slots, 0, 0) == 0;
}
