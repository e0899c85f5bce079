#define _GNU_SOURCE
#include "tracer.h"

#include <dlfcn.h>
#include <elf.h>
#include <linux/ptrace.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "lock.h"
#include "procfs.h"
#include "sys.h"

enum {
	/* Nanoseconds. A thread that sleeps in the kernel takes microseconds to stop. */
	STOP_DEADLINE = 1000000000,
	ZOMBIE_CHECK = 5000000,      /* how long until a thread is suspected to have ended */
	LINGER_INTERVAL = 10000000,  /* how often one that would not stop is looked at */
	DEATH_INTERVAL = 100000000,  /* how often stopped ones are: the dead are to be let go */
	REPLY_INTERVAL = 500000000,  /* how often a caller looks whether its tracer still lives */
	STACK_SIZE = 128 << 10,
};

enum operation { SUSPEND_TASK, SUSPEND_THREAD, RELEASE, RELEASE_THREAD, SET_REGISTERS, START_OWN };

struct tracer {
	uint32_t busy; /* a futex: 1 from the posting of a request to its reply */
	pid_t tid;     /* 0: not started */
	bool own;      /* serves the calling process's own task */
	enum operation operation;
	struct task *task;
	struct thread *thread;
	const union registers *registers;
	long result;
};

static struct tracer thread_tracer;
static struct tracer own_tracer = {.own = true};

pid_t mp_tracer_tid(void)
{
	return thread_tracer.tid;
}

bool mp_tracer_is(pid_t tid)
{
	return tid == thread_tracer.tid || tid == own_tracer.tid;
}

/* On the tracer's side */

static long trace(long request, pid_t tid, long address, const void *data)
{
	return SYS4(SYS_ptrace, request, tid, address, data);
}

/* waitid() for one thread; the pid it tells of is 0 where there is nothing to tell. */
static long wait_for(pid_t tid, int options, siginfo_t *info)
{
	info->si_pid = 0;
	return SYS5(SYS_waitid, P_PID, tid, info, options | WNOHANG | __WALL, 0);
}

static bool is_fault(int32_t signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
		signal == SIGTRAP;
}

static void note_stop(struct thread *thread, int status)
{
	int event = status >> 8;
	struct iovec registers = {&thread->registers, sizeof thread->registers};

	thread->signal = 0;
	thread->fault = 0;
	thread->fault_address = 0;
	if (event == 0) {
		/* On its way to a handler, or to its end: the signal goes on when the thread does. */
		siginfo_t info;
		thread->signal = status & 0x7f;
		if (is_fault(thread->signal) && trace(PTRACE_GETSIGINFO, thread->tid, 0, &info) == 0 &&
			info.si_code > 0) {
			thread->fault = thread->signal;
			thread->fault_address = (uint64_t)(uintptr_t)info.si_addr;
		}
	}
	if (trace(PTRACE_GETREGSET, thread->tid, NT_PRSTATUS, &registers) < 0)
		return; /* killed just now: its exit is next */
	thread->registers_size = (uint32_t)registers.iov_len;
	thread->attachment = STOPPED;
	thread->lingers = false;
}

/* Looks whether a thread has stopped and, where asked, whether it has ended. */
static void poll_thread(struct thread *thread, bool exits)
{
	siginfo_t info;
	long result;

	if (thread->attachment == GONE)
		return;
	if (thread->attachment != STOPPED) {
		/* Exits are not asked for together with stops: that would collect them, and the exit of
		 * a child of this process belongs to whoever started it. */
		result = wait_for(thread->tid, WSTOPPED, &info);
		if (result == 0 && info.si_pid == thread->tid) {
			note_stop(thread, info.si_status);
			return;
		}
		/* One that has ended has no stop to tell of: there is none at all. */
		exits |= result == -ECHILD;
	}
	if (!exits)
		return;
	result = wait_for(thread->tid, WEXITED | WNOWAIT, &info);
	/* A ptrace stop is told of whatever is asked for: it is for the next look. */
	if (result == 0 && (info.si_pid != thread->tid || info.si_code == CLD_TRAPPED))
		return;
	/* A parent elsewhere hears of the exit only once its tracer has. */
	if (!(thread->task->our_child && thread->tid == thread->task->pid))
		wait_for(thread->tid, WEXITED, &info);
	thread->attachment = GONE;
}

static bool ended(const struct thread *thread)
{
	struct proc_stat stat;

	return !mp_proc_thread_stat(thread->task->listing, thread->tid, &stat) ||
		stat.state == 'Z' || stat.state == 'X';
}

/* Sends a thread on the way to its stop. -ESRCH where it has ended. */
static long stop(struct thread *thread)
{
	long result = trace(PTRACE_SEIZE, thread->tid, 0, 0);

	if (result == -EPERM && ended(thread))
		result = -ESRCH;
	if (result < 0)
		return result;
	/* Fails only for a thread that has exited since: which polling finds out. */
	trace(PTRACE_INTERRUPT, thread->tid, 0, 0);
	thread->attachment = STOPPING;
	thread->lingers = false;
	return 0;
}

static bool awaited(const struct thread *thread)
{
	return thread->attachment == STOPPING && !thread->lingers;
}

/* Waits until one thread, or every one of the task, has stopped, or until the deadline. */
static void await(struct task *task, struct thread *only)
{
	uint64_t start = sys_now(CLOCK_MONOTONIC);
	uint64_t pause = 0;

	for (uint32_t round = 0;; round++) {
		bool waiting = false;
		uint64_t elapsed = round ? sys_now(CLOCK_MONOTONIC) - start : 0;
		for (struct thread *thread = only ? only : task->threads; thread;
			thread = only ? NULL : thread->next_in_task) {
			if (!awaited(thread))
				continue;
			poll_thread(thread, round > 0);
			if (!awaited(thread))
				continue;
			/* A main thread that ended before the others tells nothing until they do. */
			if (elapsed > ZOMBIE_CHECK && ended(thread))
				thread->attachment = DYING;
			else if (elapsed > STOP_DEADLINE)
				thread->lingers = true;
			else
				waiting = true;
		}
		if (!waiting)
			return;
		if (elapsed < 200000) {
			SYS1(SYS_sched_yield, 0);
		} else {
			pause = pause ? pause + pause / 2 : 20000;
			sys_sleep(pause < 2000000 ? pause : 2000000);
		}
	}
}

struct listing {
	uint32_t found;
	long error;
};

static void stop_listed(struct thread *thread, void *context)
{
	struct listing *listing = context;

	if (thread->attachment != DETACHED || listing->error)
		return;
	long result = stop(thread);
	if (result == 0)
		listing->found++;
	else if (result != -ESRCH)
		listing->error = result;
	if (result < 0)
		mp_thread_unuse(thread);
}

static void release_thread(struct thread *thread)
{
	if (thread->attachment == STOPPED && thread->task->tokens == 0 && thread->suspends == 0) {
		if (trace(PTRACE_DETACH, thread->tid, 0, (void *)(intptr_t)thread->signal) == 0) {
			thread->attachment = DETACHED;
		} else {
			thread->attachment = DYING;
			poll_thread(thread, true);
		}
	}
	mp_thread_unuse(thread);
}

static void release(struct task *task)
{
	struct thread *next;

	for (struct thread *thread = task->threads; thread; thread = next) {
		next = thread->next_in_task;
		release_thread(thread);
	}
}

static long suspend_task(struct task *task)
{
	struct listing listing;

	/* A thread that runs may have started another: until a listing shows none that is new. */
	do {
		listing = (struct listing){0, 0};
		long result = mp_task_list(task, stop_listed, &listing);
		if (result < 0)
			listing.error = result;
		await(task, NULL);
	} while (listing.found && !listing.error);
	if (listing.error) {
		release(task);
		return listing.error;
	}
	for (struct thread *thread = task->threads; thread; thread = thread->next_in_task)
		if (thread->attachment == STOPPED || thread->attachment == STOPPING)
			return 0;
	return -ESRCH;
}

/* Whether the number still is that thread's. */
static bool still_there(const struct thread *thread)
{
	char path[32];
	struct proc_stat stat;

	if (thread->start_time)
		return mp_proc_thread_stat(thread->task->listing, thread->tid, &stat) &&
			stat.start_ticks == thread->start_time;
	mp_proc_path(path, "", thread->tid, "");
	return SYS3(SYS_faccessat, thread->task->listing, path, 0) == 0;
}

static long suspend_thread(struct thread *thread)
{
	if (thread->attachment == DETACHED) {
		if (!still_there(thread)) {
			thread->attachment = GONE;
			return -ESRCH;
		}
		long result = stop(thread);
		if (result == -ESRCH)
			thread->attachment = GONE;
		if (result < 0)
			return result;
	}
	await(thread->task, thread);
	if (thread->lingers)
		poll_thread(thread, true);
	return thread->attachment == STOPPED ? 0 : thread->attachment == STOPPING ? -ETIMEDOUT : -ESRCH;
}

static long set_registers(struct thread *thread, const union registers *registers)
{
	struct iovec data = {(void *)registers, thread->registers_size};
	long result = trace(PTRACE_SETREGSET, thread->tid, NT_PRSTATUS, &data);

	if (result < 0)
		return result;
	/* As the kernel took them: it keeps some bits to itself. */
	data = (struct iovec){&thread->registers, sizeof thread->registers};
	return trace(PTRACE_GETREGSET, thread->tid, NT_PRSTATUS, &data);
}

/* What goes on without being asked for: lets go of threads that stopped too late, and of the dead.
 * Returns how long until it is to be done again, 0 for not at all. */
static uint64_t tend(const struct tracer *tracer)
{
	bool attached = false, lingering = false;

	if (!mp_try_lock())
		return LINGER_INTERVAL;
	for (uint32_t i = 0; i < MAX_TASKS; i++) {
		struct task *task = mp_task_at(i);
		if (task->pid == 0 || task->own != tracer->own)
			continue;
		bool late = false;
		for (struct thread *thread = task->threads; thread; thread = thread->next_in_task) {
			if (thread->attachment == DETACHED)
				continue;
			poll_thread(thread, true);
			late |= thread->attachment == STOPPED || thread->attachment == GONE;
			lingering |= thread->attachment == STOPPING || thread->attachment == DYING;
			attached |= thread->attachment == STOPPED;
		}
		if (late)
			release(task);
	}
	mp_unlock();
	return lingering ? LINGER_INTERVAL : attached ? DEATH_INTERVAL : 0;
}

static long start_own_tracer(void);

static long perform(const struct tracer *tracer)
{
	switch (tracer->operation) {
	case SUSPEND_TASK: return suspend_task(tracer->task);
	case SUSPEND_THREAD: return suspend_thread(tracer->thread);
	case RELEASE: release(tracer->task); return 0;
	case RELEASE_THREAD: release_thread(tracer->thread); return 0;
	case SET_REGISTERS: return set_registers(tracer->thread, tracer->registers);
	case START_OWN: return start_own_tracer();
	}
	return -EINVAL;
}

static void serve(struct tracer *tracer)
{
	uint64_t interval = 0;

	for (;;) {
		if (__atomic_load_n(&tracer->busy, __ATOMIC_ACQUIRE)) {
			tracer->result = perform(tracer);
			interval = LINGER_INTERVAL;
			__atomic_store_n(&tracer->busy, 0, __ATOMIC_RELEASE);
			sys_futex_wake(&tracer->busy);
		}
		uint64_t until = sys_now(CLOCK_MONOTONIC) + interval;
		sys_futex_wait(&tracer->busy, 0, interval);
		if (interval && !__atomic_load_n(&tracer->busy, __ATOMIC_ACQUIRE) &&
			sys_now(CLOCK_MONOTONIC) >= until)
			interval = tend(tracer);
	}
}

static void *serve_as_thread(void *context)
{
	struct tracer *tracer = context;

	SYS5(SYS_prctl, PR_SET_NAME, "machpause", 0, 0, 0);
	__atomic_store_n(&tracer->tid, sys_gettid(), __ATOMIC_RELEASE);
	sys_futex_wake((uint32_t *)&tracer->tid);
	serve(tracer);
	return NULL;
}

/* A process of its own: everything it calls must leave thread-local storage alone, which is that
 * of the thread it was cloned from. */
static int serve_as_process(void *context)
{
	/* When the parent thread ends, so does this process, and the kernel lets go of its tracees. */
	SYS5(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (SYS1(SYS_getppid, 0) == 1)
		return 0;
	SYS5(SYS_prctl, PR_SET_NAME, "machpause", 0, 0, 0);
	serve(context);
	return 0;
}

/* Runs on the tracer that is a thread, which lives as long as the process does. */
static long start_own_tracer(void)
{
	static char *stack;

	if (!stack)
		stack = sys_reserve(STACK_SIZE);
	if (!stack)
		return -ENOMEM;
	own_tracer.busy = 0;
	pid_t pid = clone(serve_as_process, stack + STACK_SIZE,
		CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED, &own_tracer);
	if (pid < 0)
		return -EAGAIN;
	/* Where Yama restricts ptrace to one's descendants; an error elsewhere. */
	SYS5(SYS_prctl, PR_SET_PTRACER, pid, 0, 0, 0);
	own_tracer.tid = pid;
	return 0;
}

/* On the callers' side */

/* A forked child has its parent's tables, but none of its threads. */
static pid_t started_in;

/* The tracer's code must stay where it is, even when a Deno worker that loaded it is closed. */
static void stay_loaded(void)
{
	Dl_info self;

	if (dladdr((const void *)&started_in, &self))
		dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

long mp_tracer_start(void)
{
	if (started_in == sys_getpid())
		return 0;
	stay_loaded();
	thread_tracer.tid = own_tracer.tid = 0;
	thread_tracer.busy = 0;
	sigset_t all, before;
	pthread_attr_t attributes;
	pthread_t thread;
	sigfillset(&all);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	/* The process's signals are for its other threads. */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int result = pthread_create(&thread, &attributes, serve_as_thread, &thread_tracer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (result != 0)
		return -result;
	while (__atomic_load_n(&thread_tracer.tid, __ATOMIC_ACQUIRE) == 0)
		sys_futex_wait((uint32_t *)&thread_tracer.tid, 0, LINGER_INTERVAL);
	started_in = sys_getpid();
	return 0;
}

static bool has_died(struct tracer *tracer)
{
	siginfo_t info;

	if (!tracer->own)
		return false;
	long result = wait_for(tracer->tid, WEXITED, &info);
	return result == -ECHILD || (result == 0 && info.si_pid == tracer->tid);
}

static long ask(struct tracer *tracer, enum operation operation)
{
	tracer->operation = operation;
	__atomic_store_n(&tracer->busy, 1, __ATOMIC_RELEASE);
	sys_futex_wake(&tracer->busy);
	uint64_t asked = sys_now(CLOCK_MONOTONIC);
	while (__atomic_load_n(&tracer->busy, __ATOMIC_ACQUIRE)) {
		sys_futex_wait(&tracer->busy, 1, REPLY_INTERVAL);
		if (sys_now(CLOCK_MONOTONIC) - asked > REPLY_INTERVAL && has_died(tracer)) {
			/* Somebody killed it, and so the kernel let go of all that it had stopped. */
			for (struct thread *thread = mp_task_own()->threads; thread;
				thread = thread->next_in_task)
				if (thread->attachment != GONE)
					thread->attachment = DETACHED;
			tracer->tid = 0;
			return -ESRCH;
		}
	}
	return tracer->result;
}

/* The tracer for a task, started where need be. */
static long tracer_of(const struct task *task, struct tracer **tracer)
{
	long result = mp_tracer_start();

	*tracer = task->own ? &own_tracer : &thread_tracer;
	if (result == 0 && (*tracer)->tid == 0)
		result = ask(&thread_tracer, START_OWN);
	return result;
}

long mp_tracer_suspend_task(struct task *task)
{
	struct tracer *tracer;
	long result = tracer_of(task, &tracer);

	tracer->task = task;
	return result < 0 ? result : ask(tracer, SUSPEND_TASK);
}

long mp_tracer_suspend_thread(struct thread *thread)
{
	struct tracer *tracer;
	long result = tracer_of(thread->task, &tracer);

	tracer->thread = thread;
	return result < 0 ? result : ask(tracer, SUSPEND_THREAD);
}

void mp_tracer_release(struct task *task)
{
	struct tracer *tracer;

	if (tracer_of(task, &tracer) < 0)
		return;
	tracer->task = task;
	ask(tracer, RELEASE);
}

void mp_tracer_release_thread(struct thread *thread)
{
	struct tracer *tracer;

	if (tracer_of(thread->task, &tracer) < 0)
		return;
	tracer->thread = thread;
	ask(tracer, RELEASE_THREAD);
}

long mp_tracer_set_registers(struct thread *thread, const union registers *registers)
{
	struct tracer *tracer;
	long result = tracer_of(thread->task, &tracer);

	tracer->thread = thread;
	tracer->registers = registers;
	return result < 0 ? result : ask(tracer, SET_REGISTERS);
}
