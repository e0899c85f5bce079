/*
 * Another debugger than the one under test.
 *   debugger attach LIBRARY PID    writes what mp_task_for_pid() returns
 *   debugger crowded LIBRARY PID   the same, with no file descriptor left
 *   debugger suspend LIBRARY PID   suspends the task, writes "held", and keeps it so
 *   debugger snapshots LIBRARY PID COUNT
 *                                  takes snapshots, writes how many succeeded, failed as the target
 *                                  was gone, timed out and failed otherwise, and what the slowest
 *                                  took in microseconds, in hexadecimal; the first that times out
 *                                  is told of on stderr
 *   debugger pauses LIBRARY PID    suspends and resumes the task again and again, having written "held"
 *   debugger samples LIBRARY PID   samples the task a thousand times a second, having written "held"
 *   debugger threads LIBRARY PID   the same with single threads, one to all of them at a time
 *   debugger trace PID             attaches to the main thread, writes "held", and keeps it so
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <time.h>
#include <unistd.h>

static void hold(void)
{
	puts("held");
	fflush(stdout);
	alarm(1200);
	for (;;)
		pause();
}

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static int take_snapshots(void *library, uint32_t task, unsigned count)
{
	enum { NATIVE = sizeof(void *) == 8 ? 4 : 1, CAPACITY = 4 << 20 };
	unsigned ok = 0, gone = 0, late = 0, other = 0;
	uint64_t slowest = 0;
	void *buffer = malloc(CAPACITY);
	int32_t (*snapshot)(uint32_t, int32_t, uint64_t, void *, uint64_t, uint32_t *);
	*(void **)&snapshot = dlsym(library, "mp_snapshot");
#if defined(__aarch64__)
	int flavor = 6;
#else
	int flavor = NATIVE;
#endif
	for (unsigned i = 0; i < count; i++) {
		uint64_t start = now();
		int32_t result = snapshot(task, flavor, 1024, buffer, CAPACITY, NULL);
		uint64_t took = now() - start;
		if (took > slowest)
			slowest = took;
		if (result == 0)
			ok++;
		else if (result == 0x10000003)
			gone++;
		else if (result == 49 && late++ == 0)
			fprintf(stderr, "timed out\n");
		else if (result == 49)
			;
		else {
			fprintf(stderr, "result %d\n", result);
			other++;
		}
	}
	printf("%x %x %x %x %llx\n", ok, gone, late, other, (unsigned long long)slowest);
	return 0;
}

/* Nobody reads the ring: that is full soon, which does not change what is stopped. */
static int sample(void *library, uint32_t task)
{
	enum { RING = 1 << 20, ARENA = 16 << 20, OFF_CPU = 1 };
#if defined(__aarch64__)
	const int flavor = 6;
#else
	const int flavor = 4;
#endif
	/* mp_sample_options */
	const struct {
		uint64_t period_ns, count, max_stack;
		uint32_t flags, id_count, names_size, reserved;
	} options = {1000000, 0, 1 << 16, OFF_CPU, 0, 0, 0};
	int32_t (*run)(uint32_t, int32_t, const void *, const uint64_t *, const char *, void *, uint64_t,
		void *, uint64_t);
	*(void **)&run = dlsym(library, "mp_sample");
	puts("held");
	fflush(stdout);
	int32_t result
		= run(task, flavor, &options, NULL, NULL, calloc(1, RING), RING, calloc(1, ARENA), ARENA);
	return result != 0;
}

/* A debugger that is killed here leaves some threads suspended and others not. */
static int suspend_threads(void *library, uint32_t task)
{
	enum { CAPACITY = 1024 };
	static uint32_t threads[CAPACITY];
	uint32_t count;
	int32_t (*task_threads)(uint32_t, uint32_t *, uint32_t, uint32_t *);
	int32_t (*suspend)(uint32_t), (*resume)(uint32_t), (*release)(uint32_t);
	*(void **)&task_threads = dlsym(library, "mp_task_threads");
	*(void **)&suspend = dlsym(library, "mp_thread_suspend");
	*(void **)&resume = dlsym(library, "mp_thread_resume");
	*(void **)&release = dlsym(library, "mp_port_release");
	puts("held");
	fflush(stdout);
	for (unsigned round = 1;; round++) {
		int32_t result = task_threads(task, threads, CAPACITY, &count);
		if (result == 3)
			continue;
		if (result != 0)
			return 1;
		for (uint32_t i = 0; i < count; i++)
			if (i % round % 3 != 1 && suspend(threads[i]) != 0)
				threads[i] |= 0x80000000;
		for (uint32_t i = 0; i < count; i++) {
			uint32_t thread = threads[i] & 0x7fffffff;
			if (i % round % 3 != 1 && thread == threads[i])
				resume(thread);
			release(thread);
		}
	}
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "trace") == 0) {
		if (ptrace(PTRACE_SEIZE, atoi(argv[2]), 0, 0) != 0)
			return 1;
		hold();
	}
	if (argc < 4)
		return 2;
	void *library = dlopen(argv[2], RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	int32_t (*task_for_pid)(int32_t, uint32_t *);
	int32_t (*suspend)(uint32_t, uint32_t *);
	*(void **)&task_for_pid = dlsym(library, "mp_task_for_pid");
	*(void **)&suspend = dlsym(library, "mp_task_suspend");
	uint32_t task, token;
	if (strcmp(argv[1], "crowded") == 0)
		while (dup(0) >= 0)
			;
	int32_t result = task_for_pid(atoi(argv[3]), &task);
	if (strcmp(argv[1], "attach") == 0 || strcmp(argv[1], "crowded") == 0) {
		printf("%d\n", result);
		return 0;
	}
	if (result != 0)
		return 1;
	if (strcmp(argv[1], "snapshots") == 0)
		return take_snapshots(library, task, (unsigned)atoi(argc > 4 ? argv[4] : "1"));
	if (strcmp(argv[1], "samples") == 0)
		return sample(library, task);
	if (strcmp(argv[1], "threads") == 0)
		return suspend_threads(library, task);
	if (suspend(task, &token) != 0)
		return 1;
	if (strcmp(argv[1], "pauses") == 0) {
		int32_t (*resume)(uint32_t);
		*(void **)&resume = dlsym(library, "mp_task_resume");
		puts("held");
		fflush(stdout);
		for (;;)
			if (resume(token) != 0 || suspend(task, &token) != 0)
				return 1;
	}
	hold();
}
