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

#include "../machpause.h"
#include "lock.h"
#include "procfs.h"
#include "sys.h"

/* Nanoseconds. */
enum {
	/* Since another thread stopped. A thread that sleeps in the kernel takes microseconds. One that runs needs a
	 * CPU first, and hundreds wait for it in turn. */
	STOP_DEADLINE = 1000000000,
	ATTACH_DEADLINE = 1000000000, /* for one PTRACE_SEIZE */
	EXEC_CHECK = 1000000,         /* after which a thread that does not stop may be in exec: collect_all() */
	ZOMBIE_CHECK = 5000000,       /* after which a thread that does not stop may have ended */
	HELP_INTERVAL = 1000000,      /* after which a caller checks whether the tracer needs help */
	MOST_HELP_INTERVAL = 8000000, /* and after which again, at most: to check takes a CPU from the target */
	LINGER_INTERVAL = 10000000,   /* how often a thread that did not stop in time is polled */
	DEATH_INTERVAL = 100000000,   /* how often stopped threads are polled for their death */
	SWEEP_INTERVAL = 5000000,     /* how often running threads are polled beside stopped ones: serve_watch() */
	REPLY_DEADLINE = 500000000,   /* after which a caller checks that the tracer is alive */
};

/* For all threads of a task, after the first listing: they can start others while they are listed, and an
 * exec makes the listing start again. */
static const uint64_t SUSPEND_DEADLINE = 3000000000;

enum { STACK_SIZE = 128 << 10 };

enum operation {
	SUSPEND_TASK,
	SUSPEND_THREAD,
	VISIT,
	RELEASE,
	RELEASE_THREAD,
	SET_REGISTERS,
	START_OWN,
	WATCH,
	UNWATCH,
	PASS,
};

/* Which side may use the records of the tracer's task during a request. */
enum access {
	TRACER_ONLY,
	ATTACHING, /* none does: the tracer is in PTRACE_SEIZE */
	CALLER_ONLY,
};

struct tracer {
	uint32_t busy; /* a futex: 1 from a request until its reply */
	pid_t tid;     /* 0: not started */
	bool own;      /* serves the calling process's own task */
	enum operation operation;
	struct task *task;
	struct thread *thread;
	const union registers *registers;
	const struct visits *visits;
	long result;
	uint32_t access;    /* enum access */
	uint64_t attaching; /* when PTRACE_SEIZE was called, by CLOCK_MONOTONIC */
	struct haste haste;

	/* Of a tracer that watches a task. */
	struct task *watched; /* NULL: none now */
	mach_port_t port;     /* the watch's name */
	mach_port_t reply;    /* the crash's name, once it was told */
	uint32_t taken;       /* set when a request has been seen */
	struct crash crash;   /* the thread stays in the stop of its signal until passed */
	bool told, passed;
	bool leaving;         /* threads are detached from when they are let go */
	bool over;            /* the task has ended, and its exit is for the code that started it */
	bool held;            /* some threads are in stops that last */
};

static struct tracer thread_tracer;
static struct tracer own_tracer = {.own = true};
static struct tracer watchers[8];

enum { WATCHERS = sizeof watchers / sizeof *watchers };

/* The only signals that tracers do not block; 0: none was free. One cancels a PTRACE_SEIZE: its handler is
 * installed when it is first needed. The other ends a waitid(). */
static int cancel_signal;
static int poke_signal;

static bool is_watcher(const struct tracer *tracer)
{
	return tracer >= watchers && tracer < watchers + WATCHERS;
}

bool mp_tracer_is(pid_t tid)
{
	bool found = tid == thread_tracer.tid || tid == own_tracer.tid;

	for (int i = 0; i < WATCHERS; i++)
		found |= tid && watchers[i].tid == tid;
	return found;
}

/* Run by the tracer */

static long trace(long request, pid_t tid, long address, const void *data)
{
	return SYS4(SYS_ptrace, request, tid, address, data);
}

/* waitid() for one thread, without waiting. si_pid is 0 if there is nothing to report. */
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

/* Reads the registers of a stopped thread, and the frame pointer where a system call took its register. */
static long read_registers(struct thread *thread)
{
	struct iovec registers = {&thread->registers, sizeof thread->registers};
	uint8_t site[sizeof(long)];
	uint32_t address = 0;

	long result = trace(PTRACE_GETREGSET, thread->tid, NT_PRSTATUS, &registers);
	if (result < 0)
		return result;
	thread->registers_size = (uint32_t)registers.iov_len;
	thread->fp_index = -1;
	if (thread->registers_size == sizeof thread->registers.words32)
		address = machine_call_site(thread->registers.words32);
	if (address && trace(PTRACE_PEEKDATA, thread->tid, address, site) == 0)
		thread->fp_index = machine_frame_pointer(thread->registers.words32, site, &thread->fp);
	return 0;
}

static void note_stop(struct thread *thread, int status)
{
	int event = status >> 8;

	thread->signal = 0;
	thread->fault = 0;
	thread->fault_code = 0;
	thread->fault_address = 0;
	thread->group_stop = event == PTRACE_EVENT_STOP && (status & 0xff) != SIGTRAP;
	if (event == 0) {
		/* A signal-delivery stop. The signal is delivered on detaching. */
		siginfo_t info = {0};
		thread->signal = status & 0x7f;
		if (is_fault(thread->signal) && trace(PTRACE_GETSIGINFO, thread->tid, 0, &info) == 0 &&
			info.si_code > 0) {
			thread->fault = thread->signal;
			thread->fault_code = info.si_code;
			thread->fault_address = (uint64_t)(uintptr_t)info.si_addr;
		}
	}
	if (read_registers(thread) < 0)
		return; /* it was killed: its exit follows */
	thread->attachment = STOPPED;
	thread->lingers = false;
}

/* Collects a thread that has ended. Any thread of the tracer's process may do this. */
static void collect(struct thread *thread)
{
	siginfo_t info;
	long result = wait_for(thread->tid, WEXITED | WNOWAIT, &info);

	/* waitid() reports a ptrace stop even where only exits are asked for: that is for poll_thread(). */
	if (result == 0 && (info.si_pid != thread->tid || info.si_code == CLD_TRAPPED))
		return;
	/* The exit of a child of this process belongs to the code that started it. A parent elsewhere
	 * is told of the exit only after the tracer was. */
	if (!(thread->task->our_child && thread->tid == thread->task->pid))
		wait_for(thread->tid, WEXITED, &info);
	thread->attachment = GONE;
}

/* Collects the threads of a task that have ended. A thread that calls exec waits until all other threads
 * are gone, and a traced thread is not gone before its tracer has collected it (fs/exec.c,
 * de_thread()). */
static void collect_all(struct task *task)
{
	for (struct thread *thread = task->threads; thread; thread = thread->next_in_task)
		if (thread->attachment != DETACHED && thread->attachment != GONE)
			collect(thread);
}

/* Checks whether a thread has stopped and, with exits, whether it has ended. */
static void poll_thread(struct thread *thread, bool exits)
{
	siginfo_t info;

	if (thread->attachment == GONE)
		return;
	if (thread->attachment != STOPPED) {
		/* WNOWAIT leaves the signal of the stop in the thread's exit_code. The kernel delivers that
		 * signal when the tracer dies; after a wait without WNOWAIT it would deliver none
		 * (kernel/exit.c, wait_task_stopped(); kernel/signal.c, ptrace_signal()). */
		long result = wait_for(thread->tid, WSTOPPED | WNOWAIT, &info);
		if (result == 0 && info.si_pid == thread->tid) {
			note_stop(thread, info.si_status);
			return;
		}
		/* A thread that has ended can no longer be waited for a stop. */
		exits |= result == -ECHILD;
	}
	if (exits)
		collect(thread);
}

static bool ended(const struct thread *thread)
{
	struct proc_stat stat;

	if (mp_proc_thread_stat(thread->task->listing, thread->tid, &stat))
		return stat.state == 'Z' || stat.state == 'X';
	/* This process may be out of descriptors. */
	return SYS3(SYS_tgkill, thread->task->pid, thread->tid, 0) == -ESRCH;
}

/* One PTRACE_SEIZE system call, between two labels that on_cancel() knows. */
extern const char mp_seize_call[] __attribute__((visibility("hidden")));
extern const char mp_seize_done[] __attribute__((visibility("hidden")));

static __attribute__((noinline, noclone)) long seize(pid_t tid)
{
	return machine_labelled_call(SYS_ptrace, PTRACE_SEIZE, tid, 0, 0);
}

/* Makes the PTRACE_SEIZE that this signal interrupts return -EINTR. Without this the kernel would restart
 * it, by setting the pc back to its instruction (-ERESTARTNOINTR). */
static void on_cancel(int signal, siginfo_t *info, void *context)
{
	mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;

	(void)signal;
	(void)info;
	if (machine_interrupted_at(machine) == (uintptr_t)mp_seize_call)
		machine_return(machine, (uintptr_t)mp_seize_done, -EINTR);
}

static struct tracer *tracer_for(const struct task *task)
{
	return task->own ? &own_tracer : task->watcher ? task->watcher : &thread_tracer;
}

struct haste *mp_tracer_haste(const struct task *task)
{
	struct tracer *tracer = tracer_for(task);

	tracer->haste.tid = tracer->tid;
	return &tracer->haste;
}

/*
 * Attaches to a thread. -ETIMEDOUT if cancel() has given it up.
 *
 * PTRACE_SEIZE takes the process's cred_guard_mutex (kernel/ptrace.c, ptrace_attach()). A thread that
 * calls exec holds it until all other threads are gone: see collect_all(). While the tracer waits for
 * the mutex, the caller, which waits for the tracer, collects them: see help().
 */
static long attach(const struct thread *thread)
{
	struct tracer *tracer = tracer_for(thread->task);
	uint32_t expected = ATTACHING;

	tracer->attaching = sys_now(CLOCK_MONOTONIC);
	__atomic_store_n(&tracer->access, ATTACHING, __ATOMIC_RELEASE);
	long result = seize(thread->tid);
	while (!__atomic_compare_exchange_n(&tracer->access, &expected, TRACER_ONLY, false,
		__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		expected = ATTACHING;
		sys_futex_wait(&tracer->access, CALLER_ONLY, LINGER_INTERVAL);
	}
	return result == -EINTR ? -ETIMEDOUT : result;
}

static bool is_ours(const struct thread *thread)
{
	char path[32];

	mp_proc_path(path, "", thread->tid, "/status");
	return mp_tracer_is(mp_proc_tracer(thread->task->listing, path));
}

/* Attaches to a thread and interrupts it. -ESRCH if it has ended. */
static long stop(struct thread *thread)
{
	/* Of a watched task all threads are attached. */
	bool attached = thread->task->watcher && trace(PTRACE_INTERRUPT, thread->tid, 0, 0) == 0;
	long result = attached ? 0 : attach(thread);

	if (result == -EPERM && ended(thread))
		result = -ESRCH;
	/* Attached already: a traced thread called exec and took over the main thread's tid. */
	if (result == -EPERM && is_ours(thread))
		result = 0;
	if (result < 0)
		return result;
	/* This fails only if the thread has exited, or an exec has changed its tid. poll_thread() and
	 * recheck_main() detect both. */
	trace(PTRACE_INTERRUPT, thread->tid, 0, 0);
	thread->attachment = STOPPING;
	thread->lingers = false;
	return 0;
}

static bool awaited(const struct thread *thread)
{
	return thread->attachment == STOPPING && !thread->lingers;
}

/* Waits until one thread, or every thread of the task, has stopped, or until the deadline. */
static void await(struct task *task, struct thread *only)
{
	uint64_t start = sys_now(CLOCK_MONOTONIC);
	uint64_t progress = 0; /* when the last one stopped */
	uint64_t pause = 0;

	for (uint32_t round = 0;; round++) {
		bool waiting = false;
		uint64_t elapsed = round ? sys_now(CLOCK_MONOTONIC) - start : 0;
		for (struct thread *thread = only ? only : task->threads; thread;
			thread = only ? NULL : thread->next_in_task) {
			if (!awaited(thread))
				continue;
			poll_thread(thread, round > 0);
			if (!awaited(thread)) {
				progress = elapsed;
				continue;
			}
			/* The exit of a main thread is not reported before the other threads have ended. */
			if (elapsed > ZOMBIE_CHECK && ended(thread))
				thread->attachment = DYING;
			else if (elapsed - progress > STOP_DEADLINE)
				thread->lingers = true;
			else
				waiting = true;
		}
		if (!waiting)
			return;
		if (elapsed > EXEC_CHECK)
			collect_all(task);
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

/* Whether a watched thread stays in the stop of this signal, since its process would die of it. */
static bool stays(struct tracer *tracer, pid_t tid, int signal)
{
	siginfo_t info;

	if (tracer->leaving || tracer->passed ||
		!mp_exception_is_fatal(tracer->watched->listing, tid, signal))
		return false;
	if (tracer->crash.tid == 0) {
		tracer->crash = (struct crash){.signal = signal};
		if (trace(PTRACE_GETSIGINFO, tid, 0, &info) == 0 && info.si_code > 0) {
			tracer->crash.code = info.si_code;
			tracer->crash.address = (uint64_t)(uintptr_t)info.si_addr;
		}
		__atomic_store_n(&tracer->crash.tid, tid, __ATOMIC_RELEASE);
	}
	tracer->held = true;
	return true;
}

static long go_on(pid_t tid, int signal, bool group_stop)
{
	return trace(group_stop ? PTRACE_LISTEN : PTRACE_CONT, tid, 0, (void *)(intptr_t)signal);
}

/* Lets a stopped thread run, attached only if its task is watched. */
static long let_run(const struct thread *thread)
{
	struct tracer *watcher = thread->task->watcher;

	if (!watcher || watcher->leaving)
		return trace(PTRACE_DETACH, thread->tid, 0, (void *)(intptr_t)thread->signal);
	if (thread->signal && stays(watcher, thread->tid, thread->signal))
		return 0;
	return go_on(thread->tid, thread->signal, thread->group_stop);
}

static void release_thread(struct thread *thread)
{
	if (thread->attachment == STOPPED && thread->task->tokens == 0 && thread->suspends == 0) {
		if (let_run(thread) == 0) {
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

/* An exec ends all threads but the one that calls it, and gives that one the main thread's tid, traced or
 * not. If the main thread's record may describe a thread that ended so, this resets the record and
 * returns true: the thread has to be stopped again. */
static bool recheck_main(struct task *task)
{
	struct thread *main = task->threads;
	unsigned long message;

	while (main && (main->tid != task->pid || main->attachment == GONE))
		main = main->next_in_task;
	if (!main)
		return false;
	/* This request succeeds only for a thread that is in a ptrace stop of this tracer. */
	if (main->attachment == STOPPED && trace(PTRACE_GETEVENTMSG, main->tid, 0, &message) == 0)
		return false;
	if (main->attachment != STOPPED && main->attachment != DYING)
		return false;
	if (ended(main)) {
		main->attachment = DYING;
		return false;
	}
	main->attachment = DETACHED;
	return true;
}

/* If an exec has given the main thread's tid to a thread that is traced under its old tid, interrupts it:
 * tend() detaches from it when it stops. */
static void reclaim_main(struct task *task)
{
	struct thread *main = mp_thread_open(task, task->pid);

	if (!main)
		return;
	if (main->attachment == DETACHED && is_ours(main) &&
		trace(PTRACE_INTERRUPT, main->tid, 0, 0) == 0)
		main->attachment = STOPPING;
	mp_thread_unuse(main);
}

static bool holds_any(const struct task *task)
{
	for (const struct thread *thread = task->threads; thread; thread = thread->next_in_task)
		if (thread->attachment == STOPPED || thread->attachment == STOPPING)
			return true;
	return false;
}

static long suspend_task(struct task *task)
{
	uint64_t start = 0;
	struct listing listing;
	bool again;

	/* A running thread can start another one. Repeat until a listing has no new thread. */
	do {
		listing = (struct listing){0, 0};
		long result = mp_task_list(task, stop_listed, &listing);
		if (result < 0)
			listing.error = result;
		await(task, NULL);
		uint64_t now = sys_now(CLOCK_MONOTONIC);
		start = start ? start : now;
		again = recheck_main(task) || listing.found;
		if (!listing.error && !holds_any(task)) {
			/* All listed threads have ended. If the process lives, one of them called exec. If it does
			 * not, its main thread is listed until somebody waits for it. */
			if (!again)
				collect_all(task);
			if (!mp_task_alive(task)) {
				listing.error = -ESRCH;
			} else if (!again) {
				again = true;
				sys_sleep(EXEC_CHECK);
			}
		}
		if (again && !listing.error && now - start > SUSPEND_DEADLINE)
			listing.error = -ETIMEDOUT;
	} while (again && !listing.error);
	if (listing.error) {
		reclaim_main(task);
		release(task);
	}
	return listing.error;
}

/* Whether the tid was not reused. */
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
	if (thread->attachment == GONE)
		reclaim_main(thread->task);
	return thread->attachment == STOPPED ? 0 : thread->attachment == STOPPING ? -ETIMEDOUT : -ESRCH;
}

/* Whether there is nothing left to do for a thread of a visit. */
static bool is_visited(const struct visits *visits, uint32_t index)
{
	struct thread *thread = visits->threads[index];

	if (thread->attachment == STOPPING)
		return false;
	long error = thread->attachment == STOPPED ? 0 : -ESRCH;
	visits->visit(visits->context, index, thread, error);
	if (error == 0)
		release_thread(thread);
	return true;
}

static void on_event(struct tracer *tracer, const siginfo_t *event);

static uint64_t visited[MP_SAMPLE_THREADS / 64]; /* a bit for each thread of the visit; one at a time */

static bool was_visited(uint32_t index)
{
	return visited[index / 64] & 1ull << index % 64;
}

static void set_visited(uint32_t index)
{
	visited[index / 64] |= 1ull << index % 64;
}

static bool is_attached(const struct task *task, pid_t tid)
{
	for (const struct thread *thread = task->threads; thread; thread = thread->next_in_task)
		if (thread->tid == tid && thread->attachment != DETACHED)
			return true;
	return false;
}

enum found {
	FOUND_ONE,
	FOUND_NONE,
	FOUND_OTHER, /* for which waitid() would return at once and again */
};

/* Sleeps until a thread of the visit stops or ends, or a signal says that it is late, and visits that thread. With
 * WNOHANG in the options it does not sleep. */
static enum found await_one(
	struct task *task, const struct visits *visits, uint32_t *left, int options)
{
	siginfo_t info;
	uint32_t index = 0;

	info.si_pid = 0;
	long result = SYS5(SYS_waitid, P_ALL, 0, &info,
		options | WSTOPPED | WEXITED | WNOWAIT | __WALL | __WNOTHREAD, 0);
	if (result == -EINTR || (result == 0 && info.si_pid == 0))
		return FOUND_NONE;
	if (result < 0)
		return FOUND_OTHER;
	while (index < visits->count && (was_visited(index) || visits->threads[index]->tid != info.si_pid))
		index++;
	if (index == visits->count) {
		struct tracer *watcher = task->watcher;
		if (!watcher || is_attached(task, info.si_pid))
			return FOUND_OTHER;
		on_event(watcher, &info);
		return watcher->held || watcher->over ? FOUND_OTHER : FOUND_ONE;
	}
	struct thread *thread = visits->threads[index];
	if (info.si_code == CLD_TRAPPED)
		note_stop(thread, info.si_status);
	else
		collect(thread);
	if (!is_visited(visits, index))
		return FOUND_OTHER;
	set_visited(index);
	--*left;
	return FOUND_ONE;
}

/*
 * A thread that waits for a CPU stops when it gets one, without running on before: so what it shows is
 * where it was when it was interrupted, however late that is. Since all are interrupted at once, those that
 * wait for the same CPU follow one another.
 */
static long visit(struct task *task, const struct visits *visits)
{
	enum { SOON = 500000 };
	uint64_t start = sys_now(CLOCK_MONOTONIC);
	uint64_t pause = 0;
	uint32_t left = visits->count;
	/* Each look costs the target a switch of threads. */
	bool polls = task->own || !poke_signal;
	bool first = true;

	for (uint32_t i = 0; i < visits->count; i++) {
		struct thread *thread = visits->threads[i];
		long result = thread == NULL ? -ESRCH : 0;
		if (result == 0 && thread->attachment == DETACHED)
			result = stop(thread);
		visited[i / 64] &= ~(1ull << i % 64);
		if (result < 0) {
			visits->visit(visits->context, i, thread, result);
			set_visited(i);
			left--;
		}
	}
	while (left > 0) {
		uint64_t now = sys_now(CLOCK_MONOTONIC);
		bool late = !first && now > visits->deadline;
		if (!polls && !first) {
			enum found found = await_one(task, visits, &left, late ? WNOHANG : 0);
			polls = found == FOUND_OTHER;
			if (found != FOUND_NONE || !late)
				continue;
		}
		first = false;
		for (uint32_t i = 0; i < visits->count; i++) {
			struct thread *thread = visits->threads[i];
			if (was_visited(i))
				continue;
			if (polls && thread->attachment == STOPPING)
				poll_thread(thread, now - start > EXEC_CHECK);
			/* waitid() for any thread tells of each end but a main thread's before the others': await() */
			if (thread->attachment == STOPPING && late
				&& (polls || thread->tid == task->pid) && ended(thread))
				thread->attachment = DYING;
			bool over = is_visited(visits, i);
			if (!over && late)
				visits->visit(visits->context, i, thread, -ETIMEDOUT);
			if (over || late) {
				set_visited(i);
				left--;
			}
		}
		if (left == 0)
			break;
		if (!polls)
			continue;
		if (now - start > EXEC_CHECK)
			collect_all(task);
		/* Yielding would put the tracer behind the target's threads. Waking takes the CPU from one of them, so
		 * that it is rare once they wait for a CPU and not just for a signal. */
		const uint64_t most = now - start < SOON ? 100000 : 1000000;
		pause = pause ? pause + pause / 2 : 10000;
		sys_sleep(pause < most ? pause : most);
	}
	for (uint32_t i = 0; i < visits->count; i++)
		if (visits->threads[i] && visits->threads[i]->attachment == GONE) {
			reclaim_main(task);
			break;
		}
	return 0;
}

static long set_registers(struct thread *thread, const union registers *registers)
{
	struct iovec data = {(void *)registers, thread->registers_size};
	long result = trace(PTRACE_SETREGSET, thread->tid, NT_PRSTATUS, &data);

	if (result < 0)
		return result;
	/* The kernel does not change some bits. */
	return read_registers(thread);
}

/* Detaches from threads that stopped too late, and collects those that ended. Returns nanoseconds until it
 * should run again; 0: only after the next request. mp_lock() is held. */
static uint64_t tend(const struct tracer *tracer)
{
	bool attached = false, lingering = false;

	for (uint32_t i = 0; i < MAX_TASKS; i++) {
		struct task *task = mp_task_at(i);
		if (task->pid == 0 || tracer_for(task) != tracer)
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
	return lingering ? LINGER_INTERVAL : attached ? DEATH_INTERVAL : 0;
}

static long start_own_tracer(void);

/* Watching */

static void watch_listed(struct thread *thread, void *context)
{
	struct listing *listing = context;

	char path[32];

	mp_proc_path(path, "", thread->tid, "/status");
	if (!listing->error && mp_proc_tracer(thread->task->listing, path) == 0) {
		long result = trace(PTRACE_SEIZE, thread->tid, 0, (void *)PTRACE_O_TRACECLONE);
		if (result == 0)
			listing->found++;
		else if (!ended(thread))
			listing->error = result;
	}
	mp_thread_unuse(thread);
}

/* Ends the watch when no thread is attached any more. mp_lock() is held. */
static void finish_watch(struct tracer *tracer)
{
	struct task *task = tracer->watched;

	if (!task || !tracer->leaving || (!tracer->over && (task->tokens || holds_any(task))))
		return;
	task->watcher = NULL;
	tracer->watched = NULL;
	mp_task_unuse(task);
}

static long unwatch(struct tracer *tracer)
{
	struct task *task = tracer->watched;

	tracer->leaving = true;
	if (task->tokens == 0 && !tracer->over) {
		suspend_task(task);
		release(task);
	}
	return 0;
}

static long watch(struct tracer *tracer)
{
	struct listing listing;

	tracer->watched = tracer->task;
	tracer->watched->watcher = tracer;
	/* A thread that is not attached yet can start another one. */
	do {
		listing = (struct listing){0, 0};
		long result = mp_task_list(tracer->watched, watch_listed, &listing);
		if (result < 0)
			listing.error = result;
	} while (listing.found && !listing.error);
	if (listing.error)
		unwatch(tracer);
	return listing.error;
}

static long pass(struct tracer *tracer)
{
	tracer->passed = true;
	if (tracer->watched && tracer->watched->tokens == 0)
		go_on(tracer->crash.tid, tracer->crash.signal, false);
	return 0;
}

/* A stop or an exit of a watched thread that nobody asked for. */
static void on_event(struct tracer *tracer, const siginfo_t *event)
{
	siginfo_t info;
	pid_t tid = event->si_pid;
	int status = event->si_status;

	if (event->si_code != CLD_TRAPPED) {
		/* The exit of a child of this process belongs to the code that started it. */
		if (tid == tracer->watched->pid)
			tracer->over = true;
		else
			wait_for(tid, WEXITED, &info);
	} else if (status >> 8 == 0) {
		if (!stays(tracer, tid, status & 0x7f))
			go_on(tid, status & 0x7f, false);
	} else {
		go_on(tid, 0, status >> 8 == PTRACE_EVENT_STOP && (status & 0xff) != SIGTRAP);
	}
}

static void sweep_listed(struct thread *thread, void *context)
{
	struct tracer *tracer = context;
	siginfo_t info;

	if (thread->attachment == DETACHED &&
		wait_for(thread->tid, WSTOPPED | WEXITED | WNOWAIT, &info) == 0 &&
		info.si_pid == thread->tid)
		on_event(tracer, &info);
	mp_thread_unuse(thread);
}

static bool any_attached(const struct task *task)
{
	for (const struct thread *thread = task->threads; thread; thread = thread->next_in_task)
		if (thread->attachment != DETACHED && thread->attachment != GONE)
			return true;
	return false;
}

/* While some threads are in stops that last, waitid() for any thread would return for these. mp_lock() is
 * held. */
static void sweep(struct tracer *tracer)
{
	struct task *task = tracer->watched;

	if (task->tokens == 0)
		mp_task_list(task, sweep_listed, tracer);
	tend(tracer);
	tracer->held = any_attached(task) || (tracer->crash.tid && !tracer->passed);
	finish_watch(tracer);
}

static long perform(struct tracer *tracer)
{
	switch (tracer->operation) {
	case SUSPEND_TASK: return suspend_task(tracer->task);
	case SUSPEND_THREAD: return suspend_thread(tracer->thread);
	case VISIT: return visit(tracer->task, tracer->visits);
	case RELEASE: release(tracer->task); return 0;
	case RELEASE_THREAD: release_thread(tracer->thread); return 0;
	case SET_REGISTERS: return set_registers(tracer->thread, tracer->registers);
	case START_OWN: return start_own_tracer();
	case WATCH: return watch(tracer);
	case UNWATCH: return unwatch(tracer);
	case PASS: return pass(tracer);
	}
	return -EINVAL;
}

static void serve(struct tracer *tracer)
{
	uint64_t due = 0; /* when to tend; 0: not at all */
	uint64_t tended = 0;

	for (;;) {
		uint64_t now = sys_now(CLOCK_MONOTONIC);
		uint64_t interval = 0;
		if (__atomic_load_n(&tracer->busy, __ATOMIC_ACQUIRE)) {
			/* Requests can follow one another for any time. The caller of this one has the lock. Only
			 * SET_REGISTERS needs a thread that an earlier request stopped. A visit takes up the threads that
			 * were late for the one before. */
			const uint64_t least = tracer->operation == VISIT ? DEATH_INTERVAL : 0;
			if (due && now >= due && now - tended >= least && tracer->operation != SET_REGISTERS) {
				tend(tracer);
				tended = now;
			}
			tracer->result = perform(tracer);
			__atomic_store_n(&tracer->busy, 0, __ATOMIC_RELEASE);
			sys_futex_wake(&tracer->busy);
			interval = LINGER_INTERVAL;
			if (!due || now >= due || due > now + interval)
				due = now + interval;
		} else if (due && now >= due) {
			interval = LINGER_INTERVAL;
			if (mp_try_lock()) {
				interval = tend(tracer);
				tended = now;
				mp_unlock();
			}
			due = interval ? now + interval : 0;
		}
		now = sys_now(CLOCK_MONOTONIC);
		if (!due || due > now)
			sys_futex_wait(&tracer->busy, 0, due ? due - now : 0);
	}
}

/* Serves a task that stays attached: waits for stops of any of its threads, and for requests, which end the
 * wait by a signal. */
static void serve_watch(struct tracer *tracer)
{
	siginfo_t info;

	for (;;) {
		if (__atomic_load_n(&tracer->busy, __ATOMIC_ACQUIRE)) {
			__atomic_store_n(&tracer->taken, 1, __ATOMIC_RELEASE);
			tracer->result = perform(tracer);
			if (tracer->watched) {
				tracer->held = any_attached(tracer->watched) ||
					(tracer->crash.tid && !tracer->passed);
				finish_watch(tracer);
			}
			__atomic_store_n(&tracer->busy, 0, __ATOMIC_RELEASE);
			sys_futex_wake(&tracer->busy);
		} else if (!tracer->watched || tracer->over) {
			sys_futex_wait(&tracer->busy, 0, 0);
		} else if (tracer->held) {
			bool stopped = tracer->watched->tokens;
			sys_futex_wait(&tracer->busy, 0, stopped ? DEATH_INTERVAL : SWEEP_INTERVAL);
			if (!__atomic_load_n(&tracer->busy, __ATOMIC_ACQUIRE) && mp_try_lock()) {
				if (tracer->watched)
					sweep(tracer);
				mp_unlock();
			}
		} else {
			info.si_pid = 0;
			long result = SYS5(SYS_waitid, P_ALL, 0, &info,
				WSTOPPED | WEXITED | WNOWAIT | __WALL | __WNOTHREAD, 0);
			if (result == -ECHILD)
				tracer->over = true;
			else if (result == 0 && info.si_pid)
				on_event(tracer, &info);
		}
	}
}

static void *serve_as_thread(void *context)
{
	struct tracer *tracer = context;

	SYS5(SYS_prctl, PR_SET_NAME, "machpause", 0, 0, 0);
	__atomic_store_n(&tracer->tid, sys_gettid(), __ATOMIC_RELEASE);
	sys_futex_wake((uint32_t *)&tracer->tid);
	if (is_watcher(tracer))
		serve_watch(tracer);
	else
		serve(tracer);
	return NULL;
}

/* Runs in a process of its own. What it calls must not use thread-local storage, which is that of the
 * thread that cloned it. */
static int serve_as_process(void *context)
{
	/* This process ends with the thread that cloned it, and the kernel releases its tracees. */
	SYS5(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (SYS1(SYS_getppid, 0) == 1)
		return 0;
	SYS5(SYS_prctl, PR_SET_NAME, "machpause", 0, 0, 0);
	serve(context);
	return 0;
}

/* Run by the tracer thread, which lives as long as the process. */
static long start_own_tracer(void)
{
	static char *stack;

	if (!stack)
		stack = sys_reserve(STACK_SIZE);
	if (!stack)
		return -ENOMEM;
	own_tracer.busy = 0;
	own_tracer.access = TRACER_ONLY;
	pid_t pid = clone(serve_as_process, stack + STACK_SIZE,
		CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED, &own_tracer);
	if (pid < 0)
		return -EAGAIN;
	/* It inherits the CPU that a sampling keeps the thread to. */
	if (thread_tracer.haste.cpus_size > 0)
		SYS3(SYS_sched_setaffinity, pid, thread_tracer.haste.cpus_size, thread_tracer.haste.cpus);
	/* For Yama, which restricts ptrace to descendants. Fails without Yama. */
	SYS5(SYS_prctl, PR_SET_PTRACER, pid, 0, 0, 0);
	own_tracer.tid = pid;
	return 0;
}

/* Run by callers */

/* The process that started the tracer. A forked child has the tables of its parent but no tracer. */
static pid_t started_in;


static int unused_signal(void)
{
	for (int signal = SIGRTMAX; signal >= SIGRTMIN; signal--) {
		struct sigaction action;
		if (signal != cancel_signal && signal != poke_signal && sigaction(signal, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) &&
			action.sa_handler == SIG_DFL)
			return signal;
	}
	return 0;
}

/* Makes the PTRACE_SEIZE that the tracer thread waits in return -EINTR. */
static void cancel(const struct tracer *tracer)
{
	struct sigaction action = {.sa_sigaction = on_cancel, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigfillset(&action.sa_mask);
	/* The handler stays installed, because the signal may arrive after the call has returned. */
	if (cancel_signal && sigaction(cancel_signal, &action, NULL) == 0)
		SYS3(SYS_tgkill, sys_getpid(), tracer->tid, cancel_signal);
}

/* Keeps the tracer's code mapped when the Deno worker that loaded the library closes it. */
static void stay_loaded(void)
{
	Dl_info self;

	if (dladdr((const void *)&started_in, &self))
		dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static void on_poke(int signal)
{
	(void)signal;
}

/* Ends the waitid() that the tracer is in. One that it is about to call goes on. */
static void poke(const struct tracer *tracer)
{
	if (poke_signal)
		SYS3(SYS_tgkill, sys_getpid(), tracer->tid, poke_signal);
}

static long start_thread(struct tracer *tracer)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	pthread_t thread;

	tracer->tid = 0;
	tracer->busy = 0;
	tracer->access = TRACER_ONLY;
	sigfillset(&all);
	if (cancel_signal)
		sigdelset(&all, cancel_signal);
	if (poke_signal)
		sigdelset(&all, poke_signal);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	/* Signals of the process are left to its other threads. */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int result = pthread_create(&thread, &attributes, serve_as_thread, tracer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (result != 0)
		return -result;
	while (__atomic_load_n(&tracer->tid, __ATOMIC_ACQUIRE) == 0)
		sys_futex_wait((uint32_t *)&tracer->tid, 0, LINGER_INTERVAL);
	return 0;
}

long mp_tracer_start(void)
{
	if (started_in == sys_getpid())
		return 0;
	stay_loaded();
	own_tracer.tid = 0;
	for (int i = 0; i < WATCHERS; i++)
		watchers[i] = (struct tracer){0};
	cancel_signal = unused_signal();
	poke_signal = unused_signal();
	struct sigaction action = {.sa_handler = on_poke};
	sigfillset(&action.sa_mask);
	if (poke_signal && sigaction(poke_signal, &action, NULL) != 0)
		poke_signal = 0;
	long result = start_thread(&thread_tracer);
	if (result == 0)
		started_in = sys_getpid();
	return result;
}

static bool has_died(struct tracer *tracer)
{
	siginfo_t info;

	if (!tracer->own)
		return false;
	long result = wait_for(tracer->tid, WEXITED, &info);
	return result == -ECHILD || (result == 0 && info.si_pid == tracer->tid);
}

/* If the tracer waits in PTRACE_SEIZE, collects ended threads, or cancels the call after its deadline. */
static void help(struct tracer *tracer)
{
	uint32_t expected = ATTACHING;

	if (!__atomic_compare_exchange_n(&tracer->access, &expected, CALLER_ONLY, false,
		__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	bool late = sys_now(CLOCK_MONOTONIC) - tracer->attaching > ATTACH_DEADLINE;
	/* An exec of this very process ends the own tracer, so it need not be helped. */
	if (!tracer->own)
		collect_all(tracer->task);
	__atomic_store_n(&tracer->access, ATTACHING, __ATOMIC_RELEASE);
	sys_futex_wake(&tracer->access);
	if (late && tracer->own)
		SYS2(SYS_kill, tracer->tid, SIGKILL);
	else if (late)
		cancel(tracer);
}

static long ask(struct tracer *tracer, enum operation operation)
{
	tracer->operation = operation;
	__atomic_store_n(&tracer->taken, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&tracer->busy, 1, __ATOMIC_RELEASE);
	sys_futex_wake(&tracer->busy);
	uint64_t asked = sys_now(CLOCK_MONOTONIC);
	uint64_t interval = HELP_INTERVAL;
	uint64_t now = asked;
	/* A visit sleeps until its threads have stopped: this caller says when it is too late for that. */
	const uint64_t late = operation == VISIT && !tracer->own ? tracer->visits->deadline : UINT64_MAX;
	if (late > now && late != UINT64_MAX)
		interval = late - now < 2 * MOST_HELP_INTERVAL ? late - now : MOST_HELP_INTERVAL;
	while (__atomic_load_n(&tracer->busy, __ATOMIC_ACQUIRE)) {
		/* Again until it is seen: a signal that comes just before waitid() ends nothing. */
		if (now >= late || (is_watcher(tracer) && !__atomic_load_n(&tracer->taken, __ATOMIC_ACQUIRE)))
			poke(tracer);
		sys_futex_wait(&tracer->busy, 1, interval);
		if (late != UINT64_MAX)
			interval = HELP_INTERVAL;
		else if (interval < MOST_HELP_INTERVAL && !is_watcher(tracer))
			interval *= 2;
		help(tracer);
		now = sys_now(CLOCK_MONOTONIC);
		if (now - asked > REPLY_DEADLINE && has_died(tracer)) {
			/* The tracer was killed, so the kernel has released its tracees. */
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

/* Finds the tracer for a task, and starts it if needed. */
static long tracer_of(const struct task *task, struct tracer **tracer)
{
	long result = mp_tracer_start();

	*tracer = tracer_for(task);
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

	tracer->task = thread->task;
	tracer->thread = thread;
	return result < 0 ? result : ask(tracer, SUSPEND_THREAD);
}

long mp_tracer_visit(struct task *task, const struct visits *visits)
{
	struct tracer *tracer;
	long result = tracer_of(task, &tracer);

	tracer->task = task;
	tracer->visits = visits;
	return result < 0 ? result : ask(tracer, VISIT);
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

	tracer->task = thread->task;
	tracer->thread = thread;
	tracer->registers = registers;
	return result < 0 ? result : ask(tracer, SET_REGISTERS);
}

long mp_tracer_watch(struct task *task, mach_port_t port)
{
	struct tracer *tracer = NULL;
	long result = mp_tracer_start();

	if (result < 0)
		return result;
	for (int i = 0; i < WATCHERS && !tracer; i++)
		if (!watchers[i].watched)
			tracer = &watchers[i];
	/* Threads that are stopped already belong to another tracer. */
	if (!tracer || !poke_signal || task->tokens || holds_any(task))
		return -EAGAIN;
	if (!tracer->tid && (result = start_thread(tracer)) < 0)
		return result;
	tracer->crash = (struct crash){0};
	tracer->told = tracer->passed = tracer->leaving = tracer->over = tracer->held = false;
	tracer->port = port;
	tracer->reply = MACH_PORT_NULL;
	tracer->task = task;
	return ask(tracer, WATCH);
}

static struct tracer *watcher_of(mach_port_t port)
{
	for (int i = 0; i < WATCHERS; i++)
		if (watchers[i].watched && !watchers[i].leaving && watchers[i].port == port)
			return &watchers[i];
	return NULL;
}

void mp_tracer_unwatch(mach_port_t port)
{
	struct tracer *tracer = watcher_of(port);

	if (!tracer)
		return;
	tracer->task = tracer->watched;
	ask(tracer, UNWATCH);
}

bool mp_tracer_crashed(mach_port_t port, struct task **task, struct crash *crash)
{
	struct tracer *tracer = watcher_of(port);

	if (!tracer || tracer->told || !__atomic_load_n(&tracer->crash.tid, __ATOMIC_ACQUIRE))
		return false;
	*task = tracer->watched;
	*crash = tracer->crash;
	return true;
}

void mp_tracer_told(struct task *task, mach_port_t reply)
{
	task->watcher->told = true;
	task->watcher->reply = reply;
}

void mp_tracer_pass(mach_port_t reply)
{
	for (int i = 0; i < WATCHERS; i++) {
		struct tracer *tracer = &watchers[i];
		if (!tracer->watched || tracer->leaving || tracer->passed || tracer->reply != reply)
			continue;
		tracer->task = tracer->watched;
		ask(tracer, PASS);
	}
}
