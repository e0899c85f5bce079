#define CPU_TYPE_NATIVE CPU_TYPE_I386

/* The thread state of an LC_UNIXTHREAD: its flavor, and where it has the program counter. */
enum { STATE_FLAVOR = 1, STATE_PC = 10 * 4 };

/* The bit that is set in the address of Thumb code. */
#define THUMB_BIT 0u

/* What libSystem's open is bound to. */
#define LIBSYSTEM_OPEN libsystem_open

/* Functions of the host's C library that the program must not call. */
#define HOST_FUNCTIONS_DIFFERING

/* Code that calls a function with one address, and where the two addresses are in it:
 * push argument; push 0 for a return address; mov eax; jmp eax. */
#define TRAP_CODE { 0x68, 0, 0, 0, 0, 0x6a, 0, 0xb8, 0, 0, 0, 0, 0xff, 0xe0 }
enum { TRAP_ARGUMENT = 1, TRAP_FUNCTION = 8 };

/* System calls. */

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

/* Sets the thread register, which Darwin's programs reach their thread's data by. It would need a segment of its own. */
SYS_INLINE int arch_set_thread_data(void *slots)
{
	(void)slots;
	return 0;
}
