#define _GNU_SOURCE
#include "registers.h"

#include <signal.h>

#include "table.h"

/* The index in ptrace's registers of each word of the Mach thread state. */
#if defined(__x86_64__)
#define FLAVOR_64 x86_THREAD_STATE64
#define FLAVOR_32 x86_THREAD_STATE32
#define EXCEPTION_64 x86_EXCEPTION_STATE64
#define EXCEPTION_32 x86_EXCEPTION_STATE32
static const uint8_t order64[] = {
	10, 5, 11, 12, 14, 13, 4, 19,  /* rax rbx rcx rdx rdi rsi rbp rsp */
	9, 8, 7, 6, 3, 2, 1, 0,        /* r8 to r15 */
	16, 18, 17, 25, 26,            /* rip rflags cs fs gs */
};
static const uint8_t order32[] = {
	6, 0, 1, 2, 4, 3, 5, 15,       /* eax ebx ecx edx edi esi ebp esp */
	16, 14, 12, 13, 7, 8, 9, 10,   /* ss eflags eip cs ds es fs gs */
};
enum { PC_64 = 16, PC_32 = 12, CALL_64 = 15, CALL_32 = 11, FS_BASE = 21, GS_BASE = 22 };
#else
#define FLAVOR_64 ARM_THREAD_STATE64
#define FLAVOR_32 ARM_THREAD_STATE
#define EXCEPTION_64 ARM_EXCEPTION_STATE64
#define EXCEPTION_32 ARM_EXCEPTION_STATE
static const uint8_t order64[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
	25, 26, 27, 28, 29, 30, 31, 32, /* x0 to x28, fp, lr, sp, pc */
	33,                             /* cpsr, and its padding */
};
static const uint8_t order32[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
#endif

enum { WORDS_OF_64 = sizeof order64, WORDS_OF_32 = sizeof order32 };

static bool is_64(const struct thread *thread)
{
	return thread->registers_size == sizeof thread->registers.words64;
}

static bool is_32(const struct thread *thread)
{
	return thread->registers_size == sizeof thread->registers.words32;
}

#if defined(__x86_64__)
/* The trap that Linux reports as a signal. Its error code is not available. */
static uint16_t trap_of(int32_t signal)
{
	switch (signal) {
	case SIGTRAP: return 3;  /* breakpoint */
	case SIGILL: return 6;   /* invalid opcode */
	case SIGFPE: return 16;  /* floating point */
	case SIGSEGV:
	case SIGBUS: return 14;  /* page fault */
	default: return 0;
	}
}
#endif

static kern_return_t exception_state(
	const struct thread *thread, bool wide, thread_state_t state, mach_msg_type_number_t *count)
{
#if defined(__x86_64__)
	x86_exception_state64_t state64 = {trap_of(thread->fault), 0, 0, thread->fault_address};
	x86_exception_state32_t state32 = {
		trap_of(thread->fault), 0, 0, (uint32_t)thread->fault_address};
#else
	arm_exception_state64_t state64 = {thread->fault_address, 0, 0};
	arm_exception_state_t state32 = {0, 0, (uint32_t)thread->fault_address};
#endif
	mach_msg_type_number_t words = (wide ? sizeof state64 : sizeof state32) / sizeof(natural_t);

	if (*count < words)
		return KERN_INVALID_ARGUMENT;
	memcpy(state, wide ? (void *)&state64 : (void *)&state32, words * sizeof(natural_t));
	*count = words;
	return KERN_SUCCESS;
}

kern_return_t mp_registers_to_state(const struct thread *thread, thread_state_flavor_t flavor,
	thread_state_t state, mach_msg_type_number_t *count)
{
	if ((flavor == EXCEPTION_64 && is_64(thread)) || (flavor == EXCEPTION_32 && is_32(thread)))
		return exception_state(thread, flavor == EXCEPTION_64, state, count);
	if (flavor == FLAVOR_64 && is_64(thread)) {
		if (*count < WORDS_OF_64 * 2)
			return KERN_INVALID_ARGUMENT;
		for (unsigned i = 0; i < WORDS_OF_64; i++)
			memcpy(state + i * 2, &thread->registers.words64[order64[i]], sizeof(uint64_t));
		*count = WORDS_OF_64 * 2;
		return KERN_SUCCESS;
	}
	if (flavor == FLAVOR_32 && is_32(thread)) {
		if (*count < WORDS_OF_32)
			return KERN_INVALID_ARGUMENT;
		for (unsigned i = 0; i < WORDS_OF_32; i++)
			state[i] = thread->registers.words32[order32[i]];
		*count = WORDS_OF_32;
		return KERN_SUCCESS;
	}
	return KERN_INVALID_ARGUMENT;
}

kern_return_t mp_registers_from_state(const struct thread *thread, thread_state_flavor_t flavor,
	const natural_t *state, mach_msg_type_number_t count, union registers *registers)
{
	*registers = thread->registers;
	if (flavor == FLAVOR_64 && is_64(thread) && count == WORDS_OF_64 * 2) {
		for (unsigned i = 0; i < WORDS_OF_64; i++)
			memcpy(&registers->words64[order64[i]], state + i * 2, sizeof(uint64_t));
#if defined(__x86_64__)
		/* With orig_rax set, the kernel would restart the interrupted system call at the new pc. */
		if (registers->words64[PC_64] != thread->registers.words64[PC_64])
			registers->words64[CALL_64] = ~(uint64_t)0;
#else
		registers->words64[WORDS_64 - 1] &= 0xffffffff;
#endif
		return KERN_SUCCESS;
	}
	if (flavor == FLAVOR_32 && is_32(thread) && count == WORDS_OF_32) {
		for (unsigned i = 0; i < WORDS_OF_32; i++)
			registers->words32[order32[i]] = state[i];
#if defined(__x86_64__)
		if (registers->words32[PC_32] != thread->registers.words32[PC_32])
			registers->words32[CALL_32] = ~(uint32_t)0;
#endif
		return KERN_SUCCESS;
	}
	return KERN_INVALID_ARGUMENT;
}

uint64_t mp_registers_thread_pointer(const struct thread *thread)
{
#if defined(__x86_64__)
	if (thread->attachment == STOPPED && is_64(thread)) {
		uint64_t gs_base = thread->registers.words64[GS_BASE];
		return gs_base ? gs_base : thread->registers.words64[FS_BASE];
	}
#else
	(void)thread;
#endif
	return 0;
}

uint64_t mp_registers_dispatch_queue(const struct thread *thread)
{
#if defined(__x86_64__)
	/* __PTK_LIBDISPATCH_KEY0 of libpthread's tsd_private.h: libpthread tells XNU its offset. */
	enum { LIBDISPATCH_KEY0 = 20 };
	if (thread->attachment == STOPPED && is_64(thread) && thread->registers.words64[GS_BASE])
		return thread->registers.words64[GS_BASE] + LIBDISPATCH_KEY0 * sizeof(uint64_t);
#else
	(void)thread;
#endif
	return 0;
}
