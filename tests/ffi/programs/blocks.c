/*
 * blocks.c: a program with an event loop whose main thread does not always come back to it.
 *
 * blocks known COUNT    blocks COUNT times and writes, after each, how, when (milliseconds since 1970) and
 *                       for how long; ends when its input does
 * blocks deadlock       two threads that wait for each other's mutex, one of them the main thread
 * blocks late           the same; the second thread sleeps for 400 ms before it waits
 * blocks itself         the main thread waits for a mutex that it holds
 * blocks idle           waits for its input to end
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_REALTIME, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static __attribute__((noinline)) int event_loop(int milliseconds)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	return poll(&input, 1, milliseconds);
}

static __attribute__((noinline)) void compute(int milliseconds)
{
	double end = now() + milliseconds;
	while (now() < end)
		;
}

static __attribute__((noinline)) void load(int milliseconds)
{
	struct timespec left = { milliseconds / 1000, milliseconds % 1000 * 1000000L };
	while (nanosleep(&left, &left))
		;
}

static pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t orders = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static int late;

static __attribute__((noinline)) void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_barrier_wait(&both);
	if (first == &orders)
		load(late);
	pthread_mutex_lock(second);
}

static void *worker(void *unused)
{
	pthread_setname_np(pthread_self(), "worker");
	take(&orders, &accounts);
	return unused;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "idle";
	pthread_t thread;

	puts("1");
	fflush(stdout);
	late = strcmp(mode, "late") == 0 ? 400 : 0;
	if (strcmp(mode, "deadlock") == 0 || late) {
		pthread_barrier_init(&both, NULL, 2);
		if (pthread_create(&thread, NULL, worker, NULL))
			return 1;
		event_loop(50);
		take(&accounts, &orders);
	}
	if (strcmp(mode, "itself") == 0) {
		pthread_mutex_lock(&orders);
		event_loop(50);
		pthread_mutex_lock(&orders);
	}
	int count = strcmp(mode, "known") == 0 && argc > 2 ? atoi(argv[2]) : 0;
	for (int i = 0; i < count; i++) {
		/* Two below the usual limit of 250 ms, two above. */
		static const int lengths[] = { 400, 100, 600, 130 };
		int milliseconds = lengths[i % 4];
		int busy = i / 2 % 2;
		event_loop(200);
		double begin = now();
		if (busy)
			compute(milliseconds);
		else
			load(milliseconds);
		printf("%s %.1f %.1f\n", busy ? "busy" : "blocked", begin, now() - begin);
		fflush(stdout);
	}
	while (event_loop(-1) == 0)
		;
	return 0;
}
