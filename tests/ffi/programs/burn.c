/*
 * Burns CPU time in three functions, 60, 30 and 10 parts of every 100, at known places, and counts how much each
 * has had, and the rounds. With a number it starts as many threads more, which wait; a second one is how many
 * threads burn.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds of CPU time, and then the rounds. */
static uint64_t counts[4];
static _Thread_local volatile uint64_t sums[3]; /* keep the loops */

static uint64_t cpu_time(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* A part takes about half a millisecond: much longer than a debugger's interrupt is on its way. One that is
 * on its way when a burner ends finds the thread between burners, in the call for the time. */
#define BURNER(name, index) \
	static __attribute__((noinline)) void name(unsigned parts) \
	{ \
		for (unsigned i = 0; i < parts * 250000; i++) \
			sums[index] += i; \
	}

BURNER(burn_most, 0)
BURNER(burn_some, 1)
BURNER(burn_little, 2)

static __attribute__((noinline)) void deep(unsigned depth, void (*burn)(unsigned), unsigned parts)
{
	if (depth > 0)
		deep(depth - 1, burn, parts);
	else
		burn(parts);
	sums[0]++; /* no tail call */
}

static void *work(void *unused)
{
	static void (*const burners[])(unsigned) = {burn_most, burn_some, burn_little};
	static const unsigned parts[] = {6, 3, 1};

	for (;;)
		for (int i = 0; i < 3; i++) {
			uint64_t before = cpu_time();
			deep(10 + (unsigned)i, burners[i], parts[i]);
			__atomic_fetch_add(&counts[i], cpu_time() - before, __ATOMIC_RELAXED);
			if (i == 2)
				__atomic_fetch_add(&counts[3], 1, __ATOMIC_RELAXED);
		}
	return unused;
}

static void *idle(void *unused)
{
	for (;;)
		pause();
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t thread;

	for (int i = count > 1 ? atoi(arguments[1]) : 0; i > 0; i--)
		pthread_create(&thread, NULL, idle, NULL);
	for (int i = count > 2 ? atoi(arguments[2]) : 1; i > 0; i--) {
		pthread_create(&thread, NULL, work, NULL);
		pthread_setname_np(thread, "burner");
	}
	printf("%lx\n", (unsigned long)(uintptr_t)counts);
	fflush(stdout);
	idle(NULL);
}
