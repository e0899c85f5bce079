/*
 * The general registers as ptrace has them, and their translation to and from Mach's thread states.
 */
#ifndef MACHPAUSE_LINUX_REGISTERS_H
#define MACHPAUSE_LINUX_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "../darwin/mach.h"

#if defined(__x86_64__)
#define WORDS_64 27 /* struct user_regs_struct */
#define WORDS_32 17 /* struct user_regs_struct32 */
#else
#define WORDS_64 34 /* struct user_pt_regs */
#define WORDS_32 18 /* pt_regs of 32-bit Arm */
#endif

/* NT_PRSTATUS; the size the kernel gives tells which. */
union registers {
	uint64_t words64[WORDS_64];
	uint32_t words32[WORDS_32];
};

struct thread;

/* thread_get_state() of a thread whose registers are in hand. */
kern_return_t mp_registers_to_state(const struct thread *thread, thread_state_flavor_t flavor,
	thread_state_t state, mach_msg_type_number_t *count);
/* Puts a thread state into registers, which hold the thread's present ones. */
kern_return_t mp_registers_from_state(const struct thread *thread, thread_state_flavor_t flavor,
	const natural_t *state, mach_msg_type_number_t count, union registers *registers);
/* Of a thread's pthread, 0 where the registers do not tell. */
uint64_t mp_registers_thread_pointer(const struct thread *thread);

#endif
