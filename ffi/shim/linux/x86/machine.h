/* machine.h: x86_64 and i386. */

enum {
	WORDS_64 = 27, /* struct user_regs_struct */
	WORDS_32 = 17, /* struct user_regs_struct32 */
	FLAVOR_64 = x86_THREAD_STATE64,
	FLAVOR_32 = x86_THREAD_STATE32,
	EXCEPTION_64 = x86_EXCEPTION_STATE64,
	EXCEPTION_32 = x86_EXCEPTION_STATE32,
};

/* The index in ptrace's registers of each word of the Mach thread state. */
#define ORDER_64 { \
	10, 5, 11, 12, 14, 13, 4, 19, /* rax rbx rcx rdx rdi rsi rbp rsp */ \
	9, 8, 7, 6, 3, 2, 1, 0,       /* r8 to r15 */ \
	16, 18, 17, 25, 26,           /* rip rflags cs fs gs */ \
}
#define ORDER_32 { \
	6, 0, 1, 2, 4, 3, 5, 15,      /* eax ebx ecx edx edi esi ebp esp */ \
	16, 14, 12, 13, 7, 8, 9, 10,  /* ss eflags eip cs ds es fs gs */ \
}

enum { PC_64 = 16, PC_32 = 12, CALL_64 = 15, CALL_32 = 11, FS_BASE = 21, GS_BASE = 22 };

/* Whether a fault is a general protection fault, as by an address that is not canonical: the CPU does not
 * say which (arch/x86/kernel/traps.c, exc_general_protection()). */
static inline bool machine_is_protection(int32_t signal, int32_t code)
{
	return signal == SIGSEGV && code == SI_KERNEL;
}

/* The trap that Linux reports as a signal. Its error code is not available. */
static inline uint16_t machine_trap(int32_t signal, int32_t code)
{
	if (machine_is_protection(signal, code))
		return 13;
	switch (signal) {
	case SIGTRAP: return 3; /* breakpoint */
	case SIGILL: return 6;  /* invalid opcode */
	case SIGFPE: return 16; /* floating point */
	case SIGSEGV:
	case SIGBUS: return 14; /* page fault */
	default: return 0;
	}
}

/* The exception states of a fault. */
typedef x86_exception_state64_t machine_exception64;
typedef x86_exception_state32_t machine_exception32;

static inline machine_exception64 machine_exception_64(int32_t signal, int32_t code, uint64_t address)
{
	return (machine_exception64){machine_trap(signal, code), 0, 0, address};
}

static inline machine_exception32 machine_exception_32(int32_t signal, int32_t code, uint64_t address)
{
	return (machine_exception32){machine_trap(signal, code), 0, 0, (uint32_t)address};
}

/* Registers that are to be set in place of others. With orig_rax set, the kernel would restart the
 * interrupted system call at a new pc. */
static inline void machine_prepare_64(uint64_t *words, const uint64_t *before)
{
	if (words[PC_64] != before[PC_64])
		words[CALL_64] = ~(uint64_t)0;
}

static inline void machine_prepare_32(uint32_t *words, const uint32_t *before)
{
	if (words[PC_32] != before[PC_32])
		words[CALL_32] = ~(uint32_t)0;
}

/* The thread pointer; 0 if the registers do not contain it. */
static inline uint64_t machine_thread_pointer(const uint64_t *words)
{
	return words[GS_BASE] ? words[GS_BASE] : words[FS_BASE];
}

/* Where a thread of a Mach-O program has the pointer to its dispatch queue; 0 for other programs. */
static inline uint64_t machine_dispatch_queue(const uint64_t *words)
{
	/* __PTK_LIBDISPATCH_KEY0 of libpthread's tsd_private.h: libpthread tells XNU its offset. */
	enum { LIBDISPATCH_KEY0 = 20 };

	return words[GS_BASE] ? words[GS_BASE] + LIBDISPATCH_KEY0 * sizeof(uint64_t) : 0;
}

/* Where the bytes that machine_frame_pointer() wants begin; 0: it wants none. */
static inline uint32_t machine_call_site(const uint32_t *words)
{
	(void)words;
	return 0;
}

/* The index of a register that does not have the frame pointer although the program's code has one; -1
 * for none. Sets *value to the frame pointer. */
static inline int machine_frame_pointer(const uint32_t *words, const uint8_t *site, uint32_t *value)
{
	(void)words, (void)site, (void)value;
	return -1;
}

/* Returns the kernel's result: a negative errno on failure. */
static inline long sys_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* The same for four arguments, with the labels mp_seize_call at the instruction and mp_seize_done after
 * it: see tracer.c. */
static inline __attribute__((always_inline)) long machine_labelled_call(
	long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;
	__asm__ volatile(".globl mp_seize_call, mp_seize_done\n"
			 ".hidden mp_seize_call, mp_seize_done\n"
			 "mp_seize_call:\n\t"
			 "syscall\n"
			 "mp_seize_done:"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

/* In a signal's context: where it interrupted, and going on elsewhere with a result. */
static inline uintptr_t machine_interrupted_at(const mcontext_t *context)
{
	return (uintptr_t)context->gregs[REG_RIP];
}

static inline void machine_return(mcontext_t *context, uintptr_t address, long result)
{
	context->gregs[REG_RAX] = result;
	context->gregs[REG_RIP] = (greg_t)address;
}
