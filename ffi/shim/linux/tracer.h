/*
 * The ptrace calls. A tracee belongs to the thread that attached to it, and is released when that
 * thread ends. So one thread of this library, started at first use, makes the calls for all threads of
 * the process. Nothing stays attached while it runs, but a task that was launched and is watched for a crash:
 * it has a tracer thread of its own, which waits for its stops and lets it go on at once.
 *
 * A process cannot trace its own threads. A second tracer does that: a process that shares this one's
 * memory, and ends with it.
 *
 * Callers hold mp_lock(). Failures are negative errnos.
 */
#ifndef MACHPAUSE_LINUX_TRACER_H
#define MACHPAUSE_LINUX_TRACER_H

#include <sys/types.h>

#include "exception.h"
#include "table.h"

/* Starts the tracer thread, so that the first stop does not have to. */
long mp_tracer_start(void);
/* Stops all threads of the task and reads their registers. A thread that does not stop within the
 * deadline, as in an uninterruptible wait, stays STOPPING. -ETIMEDOUT if the kernel does not let the
 * task be attached to in time. On failure no thread stays stopped. */
long mp_tracer_suspend_task(struct task *task);
/* The same for one thread; -ETIMEDOUT if it does not stop in time. */
long mp_tracer_suspend_thread(struct thread *thread);
/* Detaches from the threads that no suspension holds any more. */
void mp_tracer_release(struct task *task);
void mp_tracer_release_thread(struct thread *thread);
/* Sets the registers of a stopped thread. */
long mp_tracer_set_registers(struct thread *thread, const union registers *registers);

/* Threads to stop, each for as long as visit() takes. An entry may be NULL. */
struct visits {
	struct thread *const *threads;
	uint32_t count;
	uint64_t deadline; /* by CLOCK_MONOTONIC */
	/* Called once for each, by the tracer: without error while the thread is stopped. -ETIMEDOUT: it has not
	 * stopped in time, and stays STOPPING until a later visit, or until it stops and is released. */
	void (*visit)(void *context, uint32_t index, struct thread *thread, long error);
	void *context;
};

/* All are interrupted at once, and each runs on as soon as it was visited. */
long mp_tracer_visit(struct task *task, const struct visits *visits);

/* Keeps the task attached, so that its crash is seen. port is a name for the watch. */
long mp_tracer_watch(struct task *task, mach_port_t port);
/* Ends the watch of that name, if there is one. A task that has crashed then dies of it. */
void mp_tracer_unwatch(mach_port_t port);
/* The crash of the watch of that name that was not told yet; false if there is none. */
bool mp_tracer_crashed(mach_port_t port, struct task **task, struct crash *crash);
/* Marks it as told. reply is a name for mp_tracer_pass(). */
void mp_tracer_told(struct task *task, mach_port_t reply);
/* Lets the task die of its crash: at once, or when it is resumed. */
void mp_tracer_pass(mach_port_t reply);

/* What samplings make of a tracer while they use it: sampling.c. */
struct haste {
	pid_t tid;         /* of the tracer; 0 before it was started */
	uint32_t users;    /* number of these samplings */
	uint32_t cpu;      /* that they share */
	uint64_t cpus[16]; /* that the tracer could run on before, as a set */
	long cpus_size;    /* of the set, in bytes; not more than 0: unchanged */
};

/* Of the tracer that stops the task's threads. */
struct haste *mp_tracer_haste(const struct task *task);
/* Whether tid is a tracer: it is not listed and cannot be suspended. */
bool mp_tracer_is(pid_t tid);

#endif
