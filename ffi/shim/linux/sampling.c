#define _GNU_SOURCE
/* ../sampling.h: each thread stops alone. */
#include "../sampling.h"

#include <linux/stat.h>
#include <sched.h>
#include <signal.h>
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

/* Whether this process is told of each stop of a thread by SIGCHLD, which wakes its main thread even where
 * the signal is ignored (Linux's do_notify_parent_cldstop()). Exits of its children are told always. */
static void tell_of_stops(bool told)
{
	static bool silenced;
	struct sigaction action;

	if (told && !silenced)
		return;
	silenced = false;
	if (sigaction(SIGCHLD, NULL, &action) != 0 || !(action.sa_flags & SA_NOCLDSTOP) == told)
		return;
	action.sa_flags ^= SA_NOCLDSTOP;
	silenced = sigaction(SIGCHLD, &action, NULL) == 0 && !told;
}

/* The lowest real-time priority. Threads that the thread starts do not inherit it. Without CAP_SYS_NICE it is
 * refused. */
static bool set_priority(pid_t tid, bool real_time)
{
	const struct sched_param parameter = {.sched_priority = real_time};
	const long policy = real_time ? SCHED_RR | SCHED_RESET_ON_FORK : SCHED_OTHER;

	return SYS3(SYS_sched_setscheduler, tid, policy, &parameter) == 0;
}

/* Keeps a thread on one CPU. *size is that of the set of those that it could run on before, or an error. */
static void place(pid_t tid, uint32_t cpu, uint64_t before[16], long *size)
{
	uint64_t cpus[16] = {0};

	*size = SYS3(SYS_sched_getaffinity, tid, sizeof cpus, before);
	if (*size <= 0 || cpu / 8 >= (uint32_t)*size)
		return;
	cpus[cpu / 64] = 1ull << cpu % 64;
	SYS3(SYS_sched_setaffinity, tid, *size, cpus);
}

static void unplace(pid_t tid, const uint64_t before[16], long size)
{
	if (size > 0)
		SYS3(SYS_sched_setaffinity, tid, size, before);
}

/* The CPU time of the calling thread and of the tracer. */
static uint64_t both_clocks(const struct hurry *hurry)
{
	return sys_now(CLOCK_THREAD_CPUTIME_ID) + (hurry->helper ? sys_now(hurry->helper_clock) : 0);
}

/*
 * The calling thread and the tracer take turns. Of two threads with a real-time priority, Linux wakes one on
 * another CPU than that of the thread that wakes it: the other CPU is interrupted, and loses what it was at.
 * In a virtual machine that takes 50 microseconds of each, on one CPU 3 of both. So both keep to one CPU,
 * where they go before all else.
 */
void begin_hurry(task_t name, struct hurry *hurry)
{
	const bool first = set_priority(0, true);
	unsigned cpu = 0;

	*hurry = (struct hurry){0};
	mp_lock();
	const struct task *task = mp_port_task(name);
	struct haste *tracer = task ? mp_tracer_haste(task) : NULL;
	if (tracer && tracer->tid) {
		const bool places = first && SYS2(SYS_getcpu, &cpu, 0) == 0;
		hurry->helper = tracer;
		/* The clock of another thread's CPU time: Linux's include/linux/posix-timers.h, CPUCLOCK_PERTHREAD
		 * and CPUCLOCK_SCHED. */
		hurry->helper_clock = (clockid_t)(~(uint32_t)tracer->tid << 3 | 6);
		if (tracer->users++ == 0) {
			set_priority(tracer->tid, true);
			tell_of_stops(false);
			tracer->cpu = cpu;
			tracer->cpus_size = 0;
			if (places)
				place(tracer->tid, cpu, tracer->cpus, &tracer->cpus_size);
		}
		if (places && tracer->cpus_size > 0)
			place(0, tracer->cpu, hurry->cpus, &hurry->cpus_size);
	}
	mp_unlock();
	hurry->worked = both_clocks(hurry);
}

void end_hurry(struct hurry *hurry)
{
	struct haste *tracer = hurry->helper;

	set_priority(0, false);
	unplace(0, hurry->cpus, hurry->cpus_size);
	mp_lock();
	if (tracer && --tracer->users == 0) {
		set_priority(tracer->tid, false);
		unplace(tracer->tid, tracer->cpus, tracer->cpus_size);
		tracer->cpus_size = 0;
		tell_of_stops(true);
	}
	mp_unlock();
}

uint64_t sample_work(struct hurry *hurry, uint64_t began)
{
	/* Between two samples no more is done than to go to sleep. */
	const uint64_t before = hurry->worked;

	(void)began;
	hurry->worked = both_clocks(hurry);
	return hurry->worked - before;
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

/* Opens a file of a thread's folder. A negative number where there is none. */
static int open_file(const struct thread *thread, const char *name)
{
	char path[32];

	mp_proc_path(path, "", thread->tid, name);
	return sys_open_at(thread->task->listing, path, O_RDONLY);
}

static void set_run(struct run *run, uint64_t time, uint64_t turns)
{
	/* It has had no CPU since, or not let go of the one that it had: it is in the same state. One that was
	 * woken since, and waits for a CPU, still counts as waiting for what woke it. */
	if (time == run->cpu_time && turns == run->turns)
		return;
	run->cpu_time = time;
	run->turns = turns;
	run->state = 0;
}

/* Opens a file of a thread, to be kept as long as samplings may. 0 where it cannot be, else the descriptor plus 1. */
static int32_t keep(int fd)
{
	if (fd < 0)
		return 0;
	if (descriptors == MOST_DESCRIPTORS) {
		sys_close(fd);
		return 0;
	}
	descriptors++;
	return fd + 1;
}

static void let_go(int32_t *kept)
{
	if (!*kept)
		return;
	mp_lock();
	descriptors--;
	mp_unlock();
	sys_close(*kept - 1);
	*kept = 0;
}

/* Reads the state of a thread and its CPU time, where there is no schedstat. */
static kern_return_t read_stat(const struct thread *thread, struct run *run)
{
	struct proc_stat stat;

	if (!thread || !mp_proc_thread_stat(thread->task->listing, thread->tid, &stat))
		return MACH_SEND_INVALID_DEST;
	set_run(run, (stat.user_ticks + stat.system_ticks) * NANOSECONDS_PER_TICK, 0);
	run->state = (uint32_t)mp_run_state(stat.state);
	return KERN_SUCCESS;
}

kern_return_t read_run(thread_act_t name, struct run *run)
{
	uint64_t time = 0, turns = 0;
	kern_return_t result = KERN_SUCCESS;

	if (run->descriptor && read_schedstat(run->descriptor - 1, &time, &turns)) {
		set_run(run, time, turns);
		return KERN_SUCCESS;
	}
	mp_lock();
	const struct thread *thread = mp_port_thread(name);
	const int fd = thread && !run->descriptor ? open_file(thread, "/schedstat") : -1;
	if (fd >= 0 && read_schedstat(fd, &time, &turns)) {
		run->descriptor = keep(fd);
		/* Without a descriptor read_turns() could not tell. */
		set_run(run, time, run->descriptor ? turns : 0);
		if (!run->descriptor)
			run->state = 0;
	} else {
		sys_close(fd);
		result = read_stat(thread, run);
	}
	mp_unlock();
	return result;
}

kern_return_t read_run_state(thread_act_t name, struct run *run)
{
	char state = 0;

	if (run->state)
		return KERN_SUCCESS;
	if (run->stat_descriptor) {
		state = mp_proc_state(run->stat_descriptor - 1);
	} else {
		mp_lock();
		const struct thread *thread = mp_port_thread(name);
		const int fd = thread ? open_file(thread, "/stat") : -1;
		if (fd >= 0)
			state = mp_proc_state(fd);
		run->stat_descriptor = keep(fd);
		mp_unlock();
	}
	if (state == 0)
		return MACH_SEND_INVALID_DEST;
	run->state = (uint32_t)mp_run_state(state);
	return KERN_SUCCESS;
}

void end_run(struct run *run)
{
	let_go(&run->descriptor);
	let_go(&run->stat_descriptor);
}

uint64_t read_turns(const struct run *run)
{
	uint64_t time, turns;

	return run->descriptor && read_schedstat(run->descriptor - 1, &time, &turns) ? turns : 0;
}

bool read_task_time(int pid, uint64_t *time)
{
	struct timespec clock;

	/* A process's clock, CPUCLOCK_SCHED, may be read of any process. It is the sum of what schedstat says. */
	if (SYS2(SYS_clock_gettime, (clockid_t)(~(uint32_t)pid << 3 | 2), &clock) < 0)
		return false;
	*time = (uint64_t)clock.tv_sec * 1000000000u + (uint64_t)clock.tv_nsec;
	return true;
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
