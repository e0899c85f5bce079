#define _GNU_SOURCE
/* ../sampling.h: each thread stops alone. */
#include "../sampling.h"

#include <linux/stat.h>
#include <sched.h>
#include <string.h>
#include <sys/uio.h>

#include "../machpause.h"
#include "lock.h"
#include "procfs.h"
#include "result.h"
#include "sys.h"
#include "tracer.h"

/* Waking, returning from the stop and going to sleep again take some microseconds. */
const uint64_t least_run = 50000;

void hurry(bool on)
{
	static uint32_t users;
	/* The lowest real-time priority. Threads that this one starts do not inherit it. Without CAP_SYS_NICE it
	 * is refused. */
	const struct sched_param parameter = {.sched_priority = on ? 1 : 0};
	const long policy = on ? SCHED_RR | SCHED_RESET_ON_FORK : SCHED_OTHER;

	SYS3(SYS_sched_setscheduler, 0, policy, &parameter);
	mp_lock();
	if ((on ? users++ : --users) == 0)
		SYS3(SYS_sched_setscheduler, mp_tracer_tid(), policy, &parameter);
	mp_unlock();
}

uint64_t work_clock(void)
{
	/* The clock of another thread's CPU time: Linux's include/linux/posix-timers.h, CPUCLOCK_PERTHREAD and
	 * CPUCLOCK_SCHED. */
	const clockid_t tracer = (clockid_t)(~(uint32_t)mp_tracer_tid() << 3 | 6);

	return sys_now(CLOCK_THREAD_CPUTIME_ID) + sys_now(tracer);
}

struct visit {
	stopped_visitor visit;
	void *context;
	thread_state_flavor_t flavor;
	mach_msg_type_number_t words;
	uint64_t since;
};

/* Run by the tracer. */
static void visit_thread(void *context, uint32_t index, struct thread *thread, long error)
{
	const struct visit *visit = context;
	natural_t state[MP_STATE_WORDS];
	mach_msg_type_number_t words = visit->words;
	struct stopped stopped = {.result = mp_result_of(error), .state = state, .since = visit->since};

	if (stopped.result == KERN_SUCCESS) {
		stopped.result = mp_registers_to_state(thread, visit->flavor, state, &words);
		stopped.thread_handle = mp_registers_thread_pointer(thread);
		stopped.dispatch_qaddr = mp_registers_dispatch_queue(thread);
	}
	visit->visit(visit->context, index, &stopped);
}

kern_return_t visit_stopped(task_t name, const thread_act_t *ports, uint32_t count,
	thread_state_flavor_t flavor, mach_msg_type_number_t words, uint64_t deadline,
	stopped_visitor visit, void *context)
{
	static struct thread *threads[MP_SAMPLE_THREADS]; /* mp_lock() guards it */
	struct visit visited = {visit, context, flavor, words, sys_now(CLOCK_MONOTONIC)};
	kern_return_t result = KERN_SUCCESS;

	if (count > MP_SAMPLE_THREADS)
		return KERN_INVALID_ARGUMENT;
	mp_lock();
	struct task *task = mp_port_task(name);
	if (!task || task->own) {
		result = KERN_INVALID_ARGUMENT;
	} else if (!mp_task_alive(task)) {
		result = MACH_SEND_INVALID_DEST;
	} else {
		for (uint32_t i = 0; i < count; i++)
			threads[i] = mp_port_thread(ports[i]);
		const struct visits visits = {threads, count, deadline, visit_thread, &visited};
		result = mp_result_of(mp_tracer_visit(task, &visits));
	}
	mp_unlock();
	return result;
}

/* Descriptors of this process that samplings may use. Threads beyond are opened at each look. */
enum { MOST_DESCRIPTORS = 256 };

/* Reads schedstat (Linux's Documentation/scheduler/sched-stats.rst): a thread's CPU time in nanoseconds, as it
 * was when the thread last left a CPU or the timer last interrupted it, how long it waited for one, and how
 * often it got one. The file of a thread that has ended stays its own, and fails. */
static bool read_schedstat(int fd, uint64_t *time, uint64_t *turns)
{
	char text[80];

	long size = SYS4(SYS_pread64, fd, text, sizeof text - 1, 0);
	if (size <= 0)
		return false;
	text[size] = 0;
	*time = mp_proc_number(text);
	const char *last = strrchr(text, ' ');
	*turns = last ? mp_proc_number(last + 1) : 0;
	/* A kernel that does not count them, for want of CONFIG_SCHEDSTATS, says 0 for all three. */
	return *turns > 0;
}

static uint32_t descriptors; /* mp_lock() guards it */

/* Opens a thread's schedstat. A negative number where there is none. */
static int open_schedstat(const struct thread *thread)
{
	char path[32];

	mp_proc_path(path, "", thread->tid, "/schedstat");
	return sys_open_at(thread->task->listing, path, O_RDONLY);
}

kern_return_t read_run(thread_act_t name, struct run *run)
{
	struct proc_stat stat;
	uint64_t time = 0, turns = 0;
	kern_return_t result = MACH_SEND_INVALID_DEST;
	bool exact = run->descriptor && read_schedstat(run->descriptor - 1, &time, &turns);

	/* It has had no CPU since, or not let go of the one that it had: it is in the same state. One that was
	 * woken since, and waits for a CPU, still counts as waiting for what woke it. */
	if (exact && run->state && time == run->cpu_time && turns == run->turns)
		return KERN_SUCCESS;
	mp_lock();
	const struct thread *thread = mp_port_thread(name);
	if (thread && !run->descriptor) {
		const int fd = open_schedstat(thread);
		exact = fd >= 0 && read_schedstat(fd, &time, &turns);
		if (exact && descriptors < MOST_DESCRIPTORS) {
			descriptors++;
			run->descriptor = fd + 1;
		} else {
			sys_close(fd);
			turns = 0; /* read_turns() could not tell */
		}
	}
	if (thread && mp_proc_thread_stat(thread->task->listing, thread->tid, &stat)) {
		run->cpu_time = exact ? time
				      : (stat.user_ticks + stat.system_ticks) * NANOSECONDS_PER_TICK;
		run->turns = turns;
		run->state = (uint32_t)mp_run_state(stat.state);
		result = KERN_SUCCESS;
	}
	mp_unlock();
	return result;
}

void end_run(struct run *run)
{
	if (!run->descriptor)
		return;
	mp_lock();
	descriptors--;
	mp_unlock();
	sys_close(run->descriptor - 1);
	run->descriptor = 0;
}

uint64_t read_turns(const struct run *run)
{
	uint64_t time, turns;

	return run->descriptor && read_schedstat(run->descriptor - 1, &time, &turns) ? turns : 0;
}

bool thread_count_changed(task_t name, uint64_t *number)
{
	struct statx status;
	long result = -ESRCH;

	mp_lock();
	const struct task *task = mp_port_task(name);
	if (task)
		result = SYS5(SYS_statx, task->listing, "", AT_EMPTY_PATH, STATX_NLINK, &status);
	mp_unlock();
	/* A link for each thread: Linux's proc_task_getattr(). */
	const uint64_t before = *number;
	*number = result == 0 ? status.stx_nlink : 0;
	return *number == 0 || *number != before;
}

kern_return_t read_stopped(
	task_t task, int pid, uint64_t address, uint64_t size, void *data, uint64_t *done)
{
	struct iovec local = {data, size};
	struct iovec remote = {(void *)(uintptr_t)address, size};

	(void)task;
	/* It ends at the first page that cannot be read. */
	long got = size ? SYS6(SYS_process_vm_readv, pid, &local, 1, &remote, 1, 0) : 0;
	*done = got > 0 ? (uint64_t)got : 0;
	return *done == size ? KERN_SUCCESS : KERN_INVALID_ADDRESS;
}
