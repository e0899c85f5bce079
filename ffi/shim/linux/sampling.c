#define _GNU_SOURCE
/* ../sampling.h: each thread stops alone. */
#include "../sampling.h"

#include <sched.h>
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

/* The CPU time of a thread in nanoseconds, as it was when the thread last left a CPU or the timer last
 * interrupted it: the first number of schedstat (Linux's Documentation/scheduler/sched-stats.rst). */
static bool exact_time(const struct thread *thread, uint64_t *time)
{
	char path[32], text[64];

	mp_proc_path(path, "", thread->tid, "/schedstat");
	if (mp_proc_read(thread->task->listing, path, text, sizeof text) <= 0)
		return false;
	*time = mp_proc_number(text);
	return true;
}

kern_return_t read_run(thread_act_t name, uint64_t before, bool was_running, uint64_t *cpu_time,
	uint32_t *run_state)
{
	struct proc_stat stat;
	kern_return_t result = MACH_SEND_INVALID_DEST;

	mp_lock();
	const struct thread *thread = mp_port_thread(name);
	uint64_t time = 0;
	const bool exact = thread && exact_time(thread, &time);
	/* Kernels without CONFIG_SCHED_INFO have no schedstat. */
	if (exact && time == before && !was_running) {
		*run_state = TH_STATE_WAITING;
		result = KERN_SUCCESS;
	} else if (thread && mp_proc_thread_stat(thread->task->listing, thread->tid, &stat)) {
		if (!exact)
			time = (stat.user_ticks + stat.system_ticks) * NANOSECONDS_PER_TICK;
		*run_state = (uint32_t)mp_run_state(stat.state);
		result = KERN_SUCCESS;
	}
	if (result == KERN_SUCCESS)
		*cpu_time = time;
	mp_unlock();
	return result;
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
