#define _GNU_SOURCE
#include "registers.h"

#include "table.h"

/* The index in ptrace's registers of each word of the Mach thread state. */
static const uint8_t order64[] = ORDER_64;
static const uint8_t order32[] = ORDER_32;

enum { WORDS_OF_64 = sizeof order64, WORDS_OF_32 = sizeof order32 };

static bool is_64(const struct thread *thread)
{
	return thread->registers_size == sizeof thread->registers.words64;
}

static bool is_32(const struct thread *thread)
{
	return thread->registers_size == sizeof thread->registers.words32;
}

static kern_return_t exception_state(
	const struct thread *thread, bool wide, thread_state_t state, mach_msg_type_number_t *count)
{
	machine_exception64 state64 =
		machine_exception_64(thread->fault, thread->fault_code, thread->fault_address);
	machine_exception32 state32 =
		machine_exception_32(thread->fault, thread->fault_code, thread->fault_address);
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
			state[i] = order32[i] == thread->fp_index
				? thread->fp : thread->registers.words32[order32[i]];
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
		machine_prepare_64(registers->words64, thread->registers.words64);
		return KERN_SUCCESS;
	}
	if (flavor == FLAVOR_32 && is_32(thread) && count == WORDS_OF_32) {
		for (unsigned i = 0; i < WORDS_OF_32; i++)
			registers->words32[order32[i]] = state[i];
		/* The system call goes on, unless the thread is to go on elsewhere: it needs the register. */
		if (thread->fp_index >= 0 && registers->words32[PC_32] == thread->registers.words32[PC_32])
			registers->words32[thread->fp_index] = thread->registers.words32[thread->fp_index];
		machine_prepare_32(registers->words32, thread->registers.words32);
		return KERN_SUCCESS;
	}
	return KERN_INVALID_ARGUMENT;
}

uint64_t mp_registers_thread_pointer(const struct thread *thread)
{
	return thread->attachment == STOPPED && is_64(thread)
		? machine_thread_pointer(thread->registers.words64) : 0;
}

uint64_t mp_registers_dispatch_queue(const struct thread *thread)
{
	return thread->attachment == STOPPED && is_64(thread)
		? machine_dispatch_queue(thread->registers.words64) : 0;
}
