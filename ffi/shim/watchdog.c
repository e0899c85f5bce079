/*
 * The watchdog of machpause.h, in POSIX calls; the same file on both systems.
 *
 * A runtime such as Deno installs a handler for each signal that the program listens to, and passes the
 * signal to the event loop. If the event loop hangs, the signal neither ends the process nor reaches the
 * program, and the targets of the process stay suspended. So the watchdog installs a handler that runs
 * before such a handler, and a thread that ends the process if the signal is not answered.
 */
#define _GNU_SOURCE
#include "watchdog.h"

#include "darwin/posix.h"
#include "machpause.h"

/* Milliseconds from a signal to the end of the process. */
#define PATIENCE 500

/* Milliseconds that a signal's default action gets before SIGKILL. */
#define LAST_PATIENCE 100

/* Tasks and threads suspended at one time. */
#define MAX_HELD 8192

struct watch {
	const int signal;
	const uint32_t limit;     /* number of unanswered signals that ends the process */
	uint32_t pending;         /* unanswered */
	bool installed;
	struct sigaction before;  /* the handler that is called after ours */
	uint64_t deadline;        /* in mach_absolute_time(); 0: none. The watchdog's thread's own */
};

static struct watch watches[] = {
	{ .signal = SIGHUP, .limit = 1 },
	{ .signal = SIGTERM, .limit = 1 },
	/* The first Ctrl-C interrupts what runs. A second one means that this did not work. */
	{ .signal = SIGINT, .limit = 2 },
};

#define WATCHES (sizeof(watches) / sizeof(watches[0]))

static uint32_t lock;       /* guards what follows; the signal handler does not take it */
static uint32_t armed;      /* mp_watchdog_arm()s outstanding */
static uint32_t interrupts; /* SIGINTs since it was armed or answered */
static int wake[2] = { -1, -1 };
static int started_in;      /* the process that started the thread; a forked child has none */

/* The suspensions. */
static struct held {
	uint32_t port;
	uint32_t count;
	bool is_thread;
} held[MAX_HELD];
static uint32_t held_count;

static void acquire(void)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0)
		poll(NULL, 0, 1);
}

static void release(void)
{
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

static uint64_t milliseconds_from_now(uint64_t milliseconds)
{
	mach_timebase_info_data_t timebase;
	if (mach_timebase_info(&timebase) != KERN_SUCCESS || timebase.numer == 0)
		timebase.numer = timebase.denom = 1;
	return mach_absolute_time() + milliseconds * 1000000 * timebase.denom / timebase.numer;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	const struct watch *found = NULL;
	int error = errno;

	for (size_t i = 0; i < WATCHES; i++) {
		if (watches[i].signal != signal)
			continue;
		found = &watches[i];
		if (__atomic_load_n(&armed, __ATOMIC_ACQUIRE) == 0)
			break;
		if (signal == SIGINT)
			__atomic_add_fetch(&interrupts, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&watches[i].pending, 1, __ATOMIC_RELEASE);
		/* A full pipe wakes the thread as well. */
		if (write(wake[1], "", 1) < 0)
			break;
	}
	errno = error;
	if (found == NULL)
		return;
	if (found->before.sa_flags & SA_SIGINFO)
		found->before.sa_sigaction(signal, info, context);
	else if (found->before.sa_handler != SIG_DFL && found->before.sa_handler != SIG_IGN)
		found->before.sa_handler(signal);
}

/* Undoes raw mode, as Deno sets it (runtime/ops/tty.rs, op_set_raw()), and bracketed paste. Nothing here waits for the terminal. This thread blocks SIGTTOU, which would stop it. */
static void restore_terminal(void)
{
	static const char end_of_paste_marks[] = "\033[?2004l\r\n";
	struct termios modes;
	struct pollfd output = { .fd = 1, .events = POLLOUT };

	if (tcgetattr(0, &modes) != 0 || (modes.c_lflag & ICANON) != 0 || tcgetpgrp(0) != getpgrp())
		return;
	modes.c_iflag |= BRKINT | ICRNL | IXON;
	modes.c_lflag |= ECHO | ICANON | IEXTEN | ISIG;
	if (tcsetattr(0, TCSANOW, &modes) != 0 || tcgetattr(1, &modes) != 0)
		return;
	if (poll(&output, 1, 0) > 0
		&& write(1, end_of_paste_marks, sizeof(end_of_paste_marks) - 1) < 0)
		return;
}

/* Ends the process by the default action of the signal. The kernel then ends its suspensions, except those
 * by thread_suspend() on Darwin, which are ended here. */
static void end(int signal)
{
	struct sigaction action;
	sigset_t set;

#ifdef __APPLE__
	acquire();
	for (uint32_t i = 0; i < held_count; i++)
		for (uint32_t left = held[i].is_thread ? held[i].count : 0; left > 0; left--)
			thread_resume(held[i].port);
#endif
	restore_terminal();
	memset(&action, 0, sizeof(action));
	action.sa_handler = SIG_DFL;
	sigaction(signal, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, signal);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	kill(getpid(), signal);
	poll(NULL, 0, LAST_PATIENCE);
	kill(getpid(), SIGKILL);
}

static void *serve(void *context)
{
	char bytes[64];
	struct pollfd ready = { .fd = wake[0], .events = POLLIN };

	for (;;) {
		bool waiting = false;
		uint64_t now = mach_absolute_time();
		for (size_t i = 0; i < WATCHES; i++) {
			struct watch *watch = &watches[i];
			uint32_t pending = __atomic_load_n(&watch->pending, __ATOMIC_ACQUIRE);
			if (pending < watch->limit || __atomic_load_n(&armed, __ATOMIC_ACQUIRE) == 0)
				watch->deadline = 0;
			else if (watch->deadline == 0)
				watch->deadline = milliseconds_from_now(PATIENCE);
			else if (now >= watch->deadline)
				end(watch->signal);
			waiting |= watch->deadline != 0;
		}
		if (poll(&ready, 1, waiting ? PATIENCE / 10 : -1) > 0
			&& read(wake[0], bytes, sizeof(bytes)) < 0)
			poll(NULL, 0, PATIENCE / 10);
	}
	return context;
}

/* The thread, and the pipe that wakes it. */
static bool start(void)
{
	pthread_t thread;
	sigset_t all, before;

	if (started_in == getpid())
		return true;
	if (wake[0] >= 0) {
		/* The pipe of the parent process. */
		close(wake[0]);
		close(wake[1]);
		wake[0] = -1;
	}
	if (pipe(wake) != 0)
		return false;
	for (int i = 0; i < 2; i++) {
		fcntl(wake[i], F_SETFD, FD_CLOEXEC);
		/* Neither the handler nor the thread may block. */
		fcntl(wake[i], F_SETFL, O_NONBLOCK);
	}
	/* Signals of the process are left to its other threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int result = pthread_create(&thread, NULL, serve, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (result != 0) {
		close(wake[0]);
		close(wake[1]);
		wake[0] = -1;
		return false;
	}
	pthread_detach(thread);
	started_in = getpid();
	return true;
}

/* Installs our handler before an existing one. A signal without a handler needs no watchdog: it ends the
 * process, or is ignored on purpose. */
static kern_return_t install(struct watch *watch)
{
	struct sigaction action;

	if (watch->installed || sigaction(watch->signal, NULL, &watch->before) != 0)
		return KERN_SUCCESS;
	if (!(watch->before.sa_flags & SA_SIGINFO)
		&& (watch->before.sa_handler == SIG_DFL || watch->before.sa_handler == SIG_IGN))
		return KERN_SUCCESS;
	if (!start())
		return KERN_RESOURCE_SHORTAGE;
	action = watch->before;
	action.sa_sigaction = on_signal;
	action.sa_flags = (action.sa_flags & ~SA_RESETHAND) | SA_SIGINFO;
	/* It is never removed, because later handlers may have been chained to it. */
	watch->installed = sigaction(watch->signal, &action, NULL) == 0;
	return KERN_SUCCESS;
}

int32_t mp_watchdog_arm(void)
{
	kern_return_t result = KERN_SUCCESS;

	acquire();
	for (size_t i = 0; i < WATCHES && result == KERN_SUCCESS; i++)
		result = install(&watches[i]);
	if (result == KERN_SUCCESS)
		__atomic_add_fetch(&armed, 1, __ATOMIC_RELEASE);
	release();
	return result;
}

int32_t mp_watchdog_answer(void)
{
	for (size_t i = 0; i < WATCHES; i++)
		__atomic_store_n(&watches[i].pending, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&interrupts, 0, __ATOMIC_RELAXED);
	return KERN_SUCCESS;
}

int32_t mp_watchdog_disarm(void)
{
	acquire();
	kern_return_t result = armed == 0 ? KERN_INVALID_ARGUMENT : KERN_SUCCESS;
	if (armed > 0 && __atomic_sub_fetch(&armed, 1, __ATOMIC_RELEASE) == 0)
		mp_watchdog_answer();
	release();
	return result;
}

int32_t mp_watchdog_interrupts(uint64_t *address)
{
	*address = (uint64_t)(uintptr_t)&interrupts;
	return KERN_SUCCESS;
}

bool watchdog_add(uint32_t port, bool is_thread)
{
	uint32_t i = 0;

	acquire();
	while (i < held_count && held[i].port != port)
		i++;
	bool room = i < MAX_HELD;
	if (room && i == held_count)
		held[held_count++] = (struct held){ port, 0, is_thread };
	if (room)
		held[i].count++;
	release();
	return room;
}

bool watchdog_remove(uint32_t port)
{
	uint32_t i = 0;

	acquire();
	while (i < held_count && held[i].port != port)
		i++;
	bool found = i < held_count;
	if (found && --held[i].count == 0)
		held[i] = held[--held_count];
	release();
	return found;
}
