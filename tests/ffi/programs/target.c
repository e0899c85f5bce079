/*
 * A process to be looked at. Its first argument says what it does; when it is doing it, it writes a
 * line of addresses and numbers, in hexadecimal, to its standard output.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t counters[1024];

/* Microseconds between two counts: many threads are not to keep the machine busy. */
static unsigned interval = 500;

static void start(void *(*function)(void *), void *argument)
{
	pthread_attr_t attributes;
	pthread_t thread;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &attributes, function, argument) != 0)
		abort();
}

static void say(const uint64_t *numbers, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		printf("%s%llx", i ? " " : "", (unsigned long long)numbers[i]);
	printf("\n");
	fflush(stdout);
}

static void name_worker(uintptr_t index)
{
	char name[16];
	snprintf(name, sizeof name, "worker %u", (unsigned)index);
	pthread_setname_np(pthread_self(), name);
}

static void *count(void *argument)
{
	uintptr_t index = (uintptr_t)argument;
	name_worker(index);
	for (;;) {
		counters[index]++;
		usleep(interval);
	}
	return NULL;
}

/* threads N: N workers, each counting at its own place. */
static void run_threads(unsigned workers)
{
	interval += workers * 100;
	name_worker(0);
	for (uintptr_t i = 1; i <= workers; i++)
		start(count, (void *)i);
	for (unsigned i = 1; i <= workers; i++)
		while (counters[i] < 2)
			usleep(100);
	say((uint64_t[]){(uintptr_t)counters}, 1);
	count(0);
}

static void *wait_for_good(void *argument)
{
	for (;;)
		pause();
	return argument;
}

/* idle N: N workers that do nothing. */
static void run_idle(unsigned workers)
{
	for (unsigned i = 0; i < workers; i++)
		start(wait_for_good, NULL);
	say((uint64_t[]){(uintptr_t)counters}, 1);
	wait_for_good(NULL);
}

static void *nothing(void *argument)
{
	counters[1]++;
	return argument;
}

/* churn: threads begin and end as fast as they can. */
static void run_churn(void)
{
	say((uint64_t[]){(uintptr_t)counters}, 1);
	for (;;) {
		pthread_t threads[8];
		for (int i = 0; i < 8; i++)
			if (pthread_create(&threads[i], NULL, nothing, NULL) != 0)
				abort();
		for (int i = 0; i < 8; i++)
			pthread_join(threads[i], NULL);
		counters[0]++;
	}
}

static void note(int slot, long result)
{
	if (result < 0 && errno == EINTR)
		counters[slot + 100]++;
	counters[slot]++;
}

static void *sleep_often(void *argument)
{
	(void)argument;
	for (;;) {
		struct timespec time = {0, 20000000};
		note(1, nanosleep(&time, NULL));
	}
	return NULL;
}

static int pipe_ends[2];

static void *read_forever(void *argument)
{
	char byte;
	(void)argument;
	for (;;)
		note(2, read(pipe_ends[0], &byte, 1));
	return NULL;
}

static uint32_t futex_word;

static void *wait_on_futex(void *argument)
{
	(void)argument;
	for (;;)
		note(3, syscall(SYS_futex, &futex_word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0));
	return NULL;
}

static void on_signal(int signal)
{
	(void)signal;
	counters[10]++;
}

/* calls: threads in system calls that must not notice a pause, and a count of SIGUSR1. */
static void run_calls(void)
{
	sigset_t usr1;
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	signal(SIGUSR1, on_signal);
	if (pipe(pipe_ends) != 0)
		abort();
	/* The threads in system calls are not to be interrupted by the signal. */
	pthread_sigmask(SIG_BLOCK, &usr1, NULL);
	start(sleep_often, NULL);
	start(read_forever, NULL);
	start(wait_on_futex, NULL);
	pthread_sigmask(SIG_UNBLOCK, &usr1, NULL);
	usleep(50000);
	say((uint64_t[]){(uintptr_t)counters}, 1);
	for (;;) {
		counters[0]++;
		usleep(500);
	}
}

/* memory FILE: pages of each kind. */
static void run_memory(const char *path)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *pages = mmap(NULL, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < 8 * page; i++)
		pages[i] = (uint8_t)(i * 7);
	mprotect(pages + 4 * page, page, PROT_NONE);
	mprotect(pages + 6 * page, page, PROT_READ);
	int fd = open(path, O_RDONLY);
	uint8_t *file = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, (off_t)page);
	/* 16 GiB, of which three pages are used. */
	size_t reserved = (size_t)16 << 30;
	uint8_t *large = mmap(NULL, reserved, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	madvise(large, reserved, MADV_NOHUGEPAGE);
	large[0] = large[page] = large[reserved - page] = 1;
	say((uint64_t[]){(uintptr_t)pages, page, (uintptr_t)file, (uintptr_t)large}, 4);
	for (;;)
		pause();
}

/* In the processor's own file: a value in every register, then a loop at known_pc. escape stores one
 * register, which the debugger has set, again and again. */
void known_registers(void);
void known_pc(void);
void escape(void);
volatile uint64_t known_sp, known_ready, known_value;
#if defined(__x86_64__)
#include "known_x86_64.h"
#else
#include "known_aarch64.h"
#endif

static void *know(void *argument)
{
	pthread_setname_np(pthread_self(), "known");
	known_registers();
	return argument;
}

static volatile int paused_ready;

/* A thread that sits in a system call, and is sent elsewhere from there. */
static void *be_paused(void *argument)
{
	pthread_setname_np(pthread_self(), "paused");
	paused_ready = 1;
	pause();
	return argument;
}

/* registers: a thread with a known value in every register. */
static void run_registers(void)
{
	start(know, NULL);
	start(be_paused, NULL);
	while (!known_ready || !paused_ready)
		usleep(1000);
	say((uint64_t[]){(uintptr_t)known_pc, known_sp, (uintptr_t)escape, (uintptr_t)&known_value}, 4);
	for (;;)
		pause();
}

/* A stop finds a fault if the thread faults between being seized and being interrupted. With one processor
 * that takes a thread that wakes up just then: one that only runs is not run meanwhile. */
static void on_fault(int signal)
{
	struct timespec time = {0, 20000};
	(void)signal;
	counters[1]++;
	nanosleep(&time, NULL);
}

static void *fault(void *argument)
{
	pthread_setname_np(pthread_self(), "faulting");
	prctl(PR_SET_TIMERSLACK, 1);
	*(volatile int *)(uintptr_t)0x1230 = 1;
	return argument;
}

/* fault: a thread that faults at the same place over and over, as its handler mends nothing. */
static void run_fault(void)
{
	signal(SIGSEGV, on_fault);
	start(fault, NULL);
	while (counters[1] == 0)
		usleep(1000);
	say((uint64_t[]){(uintptr_t)counters}, 1);
	for (;;)
		pause();
}

/* vfork: a thread that nothing can stop until a child lets it go. */
static void *wait_for_child(void *argument)
{
	pthread_setname_np(pthread_self(), "vfork");
	for (;;) {
		if (vfork() == 0) {
			struct timespec time = {3, 0};
			syscall(SYS_nanosleep, &time, NULL);
			_exit(0);
		}
		counters[1]++;
		while (wait(NULL) > 0)
			;
	}
	return argument;
}

/* The longest time between two counts, in microseconds, at counters[2]. */
static void run_vfork(void)
{
	struct timespec last, now;
	start(wait_for_child, NULL);
	usleep(100000);
	say((uint64_t[]){(uintptr_t)counters}, 1);
	clock_gettime(CLOCK_MONOTONIC, &last);
	for (;;) {
		counters[0]++;
		usleep(500);
		clock_gettime(CLOCK_MONOTONIC, &now);
		uint64_t gap = (uint64_t)((now.tv_sec - last.tv_sec) * 1000000 +
			(now.tv_nsec - last.tv_nsec) / 1000);
		if (gap > counters[2])
			counters[2] = gap;
		last = now;
	}
}

static char *const *arguments;

/* The file of run_exec: how many execs there were, whether the next one is to wait, whether it does. */
enum { EXECS, HOLD, WAITS };

static void *exec_soon(void *argument)
{
	volatile uint64_t *shared = argument;
	usleep(20000);
	for (; shared[HOLD]; shared[WAITS] = 1)
		usleep(1000);
	shared[WAITS] = 0;
	execv("/proc/self/exe", arguments);
	perror("exec");
	abort();
	return argument;
}

static void *wait_for_end(void *argument)
{
	for (;;)
		pause();
	return argument;
}

/* exec N FILE: N threads, one of which runs the same program anew every 20 ms. How often is counted in
 * the file, which can also hold the next exec up. */
static void run_exec(unsigned workers, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, 4096) != 0)
		abort();
	volatile uint64_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	for (unsigned i = 1; i < workers; i++)
		start(wait_for_end, NULL);
	/* Said by the first before its exec, which could otherwise come between the count and the line. */
	if (shared[EXECS]++ == 0)
		say((uint64_t[]){workers}, 1);
	/* The one that calls exec comes last: no thread can be started during an exec. */
	start(exec_soon, (void *)shared);
	for (;;)
		pause();
}

static _Thread_local volatile uint64_t handled;

static void count_raised(int signal)
{
	(void)signal;
	handled++;
}

/* Every signal that a thread sends to itself is handled before raise() returns. */
static void *raise_often(void *argument)
{
	uintptr_t index = (uintptr_t)argument;
	for (;;) {
		uint64_t before = handled;
		raise(SIGUSR1);
		if (handled != before + 1)
			counters[0]++;
		counters[index]++;
	}
	return NULL;
}

/* raise N: N threads that send signals to themselves, and count those that did not arrive. */
static void run_raise(unsigned workers)
{
	signal(SIGUSR1, count_raised);
	for (uintptr_t i = 1; i <= workers; i++)
		start(raise_often, (void *)i);
	for (unsigned i = 1; i <= workers; i++)
		while (counters[i] < 2)
			usleep(100);
	say((uint64_t[]){(uintptr_t)counters}, 1);
	for (;;)
		pause();
}

/* forks: children are forked and waited for, by two threads. */
static void *fork_often(void *argument)
{
	for (;;) {
		pid_t child = fork();
		if (child == 0)
			_exit(0);
		if (child > 0)
			waitpid(child, NULL, 0);
		counters[0]++;
	}
	return argument;
}

static void run_forks(void)
{
	start(fork_often, NULL);
	say((uint64_t[]){(uintptr_t)counters}, 1);
	fork_often(NULL);
}

/* leader: the main thread ends, another one stays. */
static void *outlive(void *argument)
{
	usleep(50000);
	say((uint64_t[]){1}, 1);
	return wait_for_end(argument);
}

static void run_leader(void)
{
	start(outlive, NULL);
	pthread_exit(NULL);
}

/* zombie: a child that has ended and is not waited for; its pid. */
static void run_zombie(void)
{
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	usleep(50000);
	say((uint64_t[]){(uint64_t)child}, 1);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	arguments = argv;
	const char *what = argc > 1 ? argv[1] : "";
	const char *argument = argc > 2 ? argv[2] : "";

	/* Never outlives a test that forgot it. */
	const char *seconds = getenv("TARGET_SECONDS");
	alarm(seconds ? (unsigned)atoi(seconds) : 1200);
	if (strcmp(what, "threads") == 0)
		run_threads((unsigned)atoi(argument));
	else if (strcmp(what, "idle") == 0)
		run_idle((unsigned)atoi(argument));
	else if (strcmp(what, "exec") == 0)
		run_exec((unsigned)atoi(argument), argc > 3 ? argv[3] : "");
	else if (strcmp(what, "raise") == 0)
		run_raise((unsigned)atoi(argument));
	else if (strcmp(what, "churn") == 0)
		run_churn();
	else if (strcmp(what, "calls") == 0)
		run_calls();
	else if (strcmp(what, "forks") == 0)
		run_forks();
	else if (strcmp(what, "leader") == 0)
		run_leader();
	else if (strcmp(what, "zombie") == 0)
		run_zombie();
	else if (strcmp(what, "memory") == 0)
		run_memory(argument);
	else if (strcmp(what, "vfork") == 0)
		run_vfork();
	else if (strcmp(what, "registers") == 0)
		run_registers();
	else if (strcmp(what, "fault") == 0)
		run_fault();
	return 2;
}
