/* machine.h: arm64, and 32-bit ARM under the same kernel. */

enum {
	WORDS_64 = 34, /* struct user_pt_regs */
	WORDS_32 = 18, /* pt_regs of 32-bit ARM */
	FLAVOR_64 = ARM_THREAD_STATE64,
	FLAVOR_32 = ARM_THREAD_STATE,
	EXCEPTION_64 = ARM_EXCEPTION_STATE64,
	EXCEPTION_32 = ARM_EXCEPTION_STATE,
};

/* The index in ptrace's registers of each word of the Mach thread state. */
#define ORDER_64 { \
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, \
	25, 26, 27, 28, 29, 30, 31, 32, /* x0 to x28, fp, lr, sp, pc */ \
	33,                             /* cpsr, and its padding */ \
}
#define ORDER_32 { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 }

enum { CPSR_64 = 33, FP_32 = 7, SP_32 = 13, PC_32 = 15 };

/* What only x86 has. */
static inline bool machine_is_protection(int32_t signal, int32_t code)
{
	(void)signal;
	(void)code;
	return false;
}

/* The exception states of a fault. Linux does not report the syndrome. */
typedef arm_exception_state64_t machine_exception64;
typedef arm_exception_state_t machine_exception32;

static inline machine_exception64 machine_exception_64(int32_t signal, int32_t code, uint64_t address)
{
	(void)signal;
	(void)code;
	return (machine_exception64){address, 0, 0};
}

static inline machine_exception32 machine_exception_32(int32_t signal, int32_t code, uint64_t address)
{
	(void)signal;
	(void)code;
	return (machine_exception32){0, 0, (uint32_t)address};
}

/* Registers that are to be set in place of others. The kernel has made its arrangements to restart an
 * interrupted call before the thread stops, and drops them where the pc is changed
 * (arch/arm64/kernel/signal.c, do_signal()). */
static inline void machine_prepare_64(uint64_t *words, const uint64_t *before)
{
	(void)before;
	words[CPSR_64] &= 0xffffffff;
}

static inline void machine_prepare_32(uint32_t *words, const uint32_t *before)
{
	(void)words, (void)before;
}

/* The thread pointer; 0 if the registers do not contain it. */
static inline uint64_t machine_thread_pointer(const uint64_t *words)
{
	(void)words;
	return 0;
}

/* Where a thread of a Mach-O program has the pointer to its dispatch queue; 0 for other programs. The
 * register that leads there on Darwin, TPIDRRO, can be written by the kernel only. */
static inline uint64_t machine_dispatch_queue(const uint64_t *words)
{
	(void)words;
	return 0;
}

/*
 * A 32-bit thread passes the number of a system call in r7, which is Darwin's frame pointer. In the
 * Mach-O loader's calls the stack pointer points to a frame record meanwhile: see ../loader/armv7/entry.S.
 * A thread that was interrupted there is at the svc, which will be restarted, by restart_syscall or as it
 * is, or behind it.
 */
static inline uint32_t machine_call_site(const uint32_t *words)
{
	return words[PC_32] - 2;
}

/* The index of a register that does not have the frame pointer although the program's code has one; -1
 * for none. Sets *value to the frame pointer. */
static inline int machine_frame_pointer(const uint32_t *words, const uint8_t *site, uint32_t *value)
{
	/* svc #0x4d; pop.w {r7, lr} */
	static const uint8_t call[] = {0x4d, 0xdf, 0xbd, 0xe8, 0x80, 0x40};

	if (memcmp(site, call, sizeof call) != 0 && memcmp(site + 2, call, sizeof call) != 0)
		return -1;
	*value = words[SP_32];
	return FP_32;
}

/* Returns the kernel's result: a negative errno on failure. */
static inline long sys_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

/* The same for four arguments, with the labels mp_seize_call at the instruction and mp_seize_done after
 * it: see tracer.c. */
static inline __attribute__((always_inline)) long machine_labelled_call(
	long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	__asm__ volatile(".globl mp_seize_call, mp_seize_done\n"
			 ".hidden mp_seize_call, mp_seize_done\n"
			 "mp_seize_call:\n\t"
			 "svc 0\n"
			 "mp_seize_done:"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3)
			 : "memory");
	return x0;
}

/* In a signal's context: where it interrupted, and going on elsewhere with a result. */
static inline uintptr_t machine_interrupted_at(const mcontext_t *context)
{
	return (uintptr_t)context->pc;
}

static inline void machine_return(mcontext_t *context, uintptr_t address, long result)
{
	context->regs[0] = (unsigned long long)result;
	context->pc = address;
}
