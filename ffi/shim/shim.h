/*
 * What the files of the shim share.
 */
#ifndef MACHPAUSE_SHIM_H
#define MACHPAUSE_SHIM_H

#include <stdbool.h>

#include "darwin/mach.h"
#include "machpause.h"

/* The smallest page of any target: a read fails or succeeds by pages. */
#define PAGE 4096u

/* The parts of a thread state that are needed to copy a stack. */
struct flavor {
	thread_state_flavor_t number;
	mach_msg_type_number_t words;
	uint32_t sp_offset; /* bytes into the state */
	uint32_t sp_size;
	uint32_t red_zone;  /* bytes below sp that a leaf function may use */
};

const struct flavor *find_flavor(thread_state_flavor_t number);

bool is_self(task_t task);

/* Releases the array that task_threads() returned, and one reference to each port in it. MACH_PORT_NULL stands
 * for one that somebody else keeps. */
void release_threads(thread_act_array_t threads, mach_msg_type_number_t count);

/* task_resume2(). Consumes the token, also on failure. */
kern_return_t resume(task_suspension_token_t token);

kern_return_t read_thread_info(thread_act_t thread, mp_thread_info *info);

/* thread_get_state(). *words as there. */
kern_return_t read_thread_state(thread_act_t thread, thread_state_flavor_t flavor, thread_state_t state,
	mach_msg_type_number_t *words);

/* Reads up to the first unreadable page. */
kern_return_t read_memory(
	task_t task, uint64_t address, uint64_t size, void *data, uint64_t *done);

/* The region that contains sp, and the adjacent regions above it that belong to the same stack. */
kern_return_t find_stack(task_t task, uint64_t sp, uint64_t *start, uint64_t *end);

/* Of ticks of mach_absolute_time(). */
uint64_t nanoseconds(uint64_t ticks);

#endif
