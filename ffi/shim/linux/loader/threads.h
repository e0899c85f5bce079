/* threads.h: threads as the Mach-O program sees them; its pthread_t is a pointer to one. */
#ifndef LOADER_THREADS_H
#define LOADER_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The end of Darwin's struct pthread_s (libpthread's src/types_internal.h), as it is on 64-bit systems. The
 * thread register points to the slots, the first of which points to the structure. */
struct thread_data {
	uintptr_t opaque[27];
	uint64_t thread_id;
	void *slots[128];
};

struct thread {
	struct thread *next;
	void *(*start)(void *);
	void *argument;
	void *result;
	size_t stack_wanted;
	void *stack;                /* if the loader allocates stacks: kept for the next thread */
	size_t stack_size;
	volatile uint32_t tid;      /* 0 until it runs */
	volatile uint32_t finished; /* a futex */
	bool detached;
	bool released;              /* joined, or detached and finished: can be reused */
	struct thread_data data;
};

/* Gives the calling thread its data, where the host leaves Darwin's thread register to the program. */
void loader_thread_data(struct thread *thread);

/* For the thread that the process began with. */
void loader_thread_main_data(void);

/* The outermost C frame of every thread. */
void *loader_thread_main(struct thread *thread);

#endif
