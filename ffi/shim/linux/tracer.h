/*
 * Who does the ptrace calls. The kernel ties a tracee to the very thread that attached to it, and
 * lets go of it when that thread ends; so one thread of this library's own, made at first use,
 * serves every other thread of the process. It never stays attached to what is to run.
 *
 * The calling process's own threads cannot be traced from within; theirs is a second tracer, which
 * is a process of its own that shares this one's memory and dies with it.
 *
 * The caller of each of these holds mp_lock(). Results are negative errnos.
 */
#ifndef MACHPAUSE_LINUX_TRACER_H
#define MACHPAUSE_LINUX_TRACER_H

#include <sys/types.h>

#include "table.h"

/* Starts the tracer that is a thread, so that the first stop does not take the time. */
long mp_tracer_start(void);
/* Stops every thread of the task, and reads their registers. One that does not stop within the
 * deadline, as in an uninterruptible wait, is left STOPPING. On failure nothing new is stopped. */
long mp_tracer_suspend_task(struct task *task);
/* The same for one thread; -ETIMEDOUT where it did not stop in time. */
long mp_tracer_suspend_thread(struct thread *thread);
/* Lets run whatever of the task no suspension holds any more. */
void mp_tracer_release(struct task *task);
void mp_tracer_release_thread(struct thread *thread);
/* Sets the registers of a stopped thread. */
long mp_tracer_set_registers(struct thread *thread, const union registers *registers);

/* Of the tracer that is a thread of this process, 0 before there is one: it is nobody's business,
 * and it cannot be suspended. */
pid_t mp_tracer_tid(void);
/* Whether that is the one or the other tracer. */
bool mp_tracer_is(pid_t tid);

#endif
