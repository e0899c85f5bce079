/* threads.h: threads as the Mach-O program sees them; its pthread_t is a pointer to one. */
#ifndef LOADER_THREADS_H
#define LOADER_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
};

/* The outermost C frame of every thread. */
void *loader_thread_main(struct thread *thread);

#endif
