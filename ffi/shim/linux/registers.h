/*
 * General registers in ptrace's layout, and their conversion from and to Mach thread states.
 */
#ifndef MACHPAUSE_LINUX_REGISTERS_H
#define MACHPAUSE_LINUX_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"

struct thread;

/* thread_get_state() of a thread whose registers have been read. */
kern_return_t mp_registers_to_state(const struct thread *thread, thread_state_flavor_t flavor,
	thread_state_t state, mach_msg_type_number_t *count);
/* Sets *registers to those of the thread, changed to the thread state. */
kern_return_t mp_registers_from_state(const struct thread *thread, thread_state_flavor_t flavor,
	const natural_t *state, mach_msg_type_number_t count, union registers *registers);
/* The thread pointer; 0 if the registers do not contain it. */
uint64_t mp_registers_thread_pointer(const struct thread *thread);
/* Where a thread of a Mach-O program has the pointer to its dispatch queue; 0 for other programs. */
uint64_t mp_registers_dispatch_queue(const struct thread *thread);

#endif
