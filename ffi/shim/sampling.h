/*
 * What sampling asks of the system: darwin/sampling.c and linux/sampling.c.
 */
#ifndef MACHPAUSE_SAMPLING_H
#define MACHPAUSE_SAMPLING_H

#include <stdbool.h>

#include "darwin/mach.h"

/* A thread that stands still. */
struct stopped {
	kern_return_t result;     /* of stopping it and reading its state. Without success the rest is not set */
	const natural_t *state;
	uint64_t thread_handle;   /* 0 if unknown, and so the next */
	uint64_t dispatch_qaddr;
	uint64_t since;           /* mach_absolute_time() of the request to stop */
};

/* May only copy: other threads of the target may wait for the one that stands still. */
typedef void (*stopped_visitor)(void *context, uint32_t index, const struct stopped *stopped);

/* What was before begin_hurry(), for end_hurry(). Linux alone has something to keep. */
struct hurry {
	uint64_t cpus[16]; /* that the calling thread could run on, as a set */
	long cpus_size;    /* of the set, in bytes; not more than 0: unchanged */
	void *helper;      /* of the thread that serves the calling one; NULL: none */
	int32_t helper_clock;
	uint64_t worked;   /* CPU time of both at the end of the last sample, in nanoseconds */
};

/* Puts the calling thread, and what serves it, before others that want a CPU, where that is permitted:
 * threads of the target stand still until it has had its turn. */
void begin_hurry(task_t task, struct hurry *hurry);
void end_hurry(struct hurry *hurry);

/* For how long, in nanoseconds, the calling thread may have kept the target from running for a sample: one that
 * began at that time, in nanoseconds of mach_absolute_time(), and ends now. */
uint64_t sample_work(struct hurry *hurry, uint64_t began);

/* Stops the threads, calls visit() once for each that stopped or failed to, and lets them run. A thread
 * that has not stopped by the deadline, in ticks of mach_absolute_time(), gets
 * KERN_OPERATION_TIMED_OUT; the next call for it takes up the wait. Returns when the last one ran again, or a failure for
 * all of them, without a visit. */
kern_return_t visit_stopped(task_t task, const thread_act_t *threads, uint32_t count,
	thread_state_flavor_t flavor, mach_msg_type_number_t words, uint64_t deadline,
	stopped_visitor visit, void *context);

/* What a thread has had of the CPUs. All 0 at first, and kept from one read_run() to the next. */
struct run {
	uint64_t cpu_time;  /* in nanoseconds; of a thread on a CPU some milliseconds may be missing */
	uint64_t turns;     /* how often it got a CPU; 0 where the system does not tell */
	uint32_t state;     /* TH_STATE_*; 0: for read_run_state() to read */
	int32_t descriptor; /* of the file that tells, plus 1; 0: none. Linux alone has one, and the next */
	int32_t stat_descriptor; /* of the file that tells the state, from the first time that it was read on */
};

kern_return_t read_run(thread_act_t thread, struct run *run);
/* Reads the state if it is not known: that takes longer than all else. */
kern_return_t read_run_state(thread_act_t thread, struct run *run);
void end_run(struct run *run);

/* The turns of a thread that stands still, for visit(); 0 where the system does not tell. */
uint64_t read_turns(const struct run *run);

/* The CPU time of all threads of a task that there are and were, in nanoseconds, told as late as read_run()'s.
 * Where that cannot be asked for less than each thread's: false. */
bool read_task_time(int pid, uint64_t *time);

/* Whether the number of a task's threads is another than at the last call, which left it in *number. Where
 * that cannot be asked for less than a list: true. */
bool thread_count_changed(task_t task, uint64_t *number);

/* Reads memory while visit_stopped() visits. */
kern_return_t read_stopped(
	task_t task, int pid, uint64_t address, uint64_t size, void *data, uint64_t *done);

/* A thread that has used less CPU time than this, in nanoseconds, since it was sampled has not run. On Linux
 * a stop itself makes a waiting thread run for some microseconds. */
extern const uint64_t least_run;

#endif
