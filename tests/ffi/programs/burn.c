/*
 * Burns CPU time in three functions, 60, 30 and 10 parts of every 100, at known places, and counts how many
 * passes each has made, all of which take the same time, and the rounds. At every sixteenth round it counts
 * the CPU time of each as well: no more often, since Linux takes the CPU from a thread that has used up its
 * slice when it asks for its CPU time, which puts the ends of slices at the ends of parts. With a number it
 * starts as many threads more, which wait; a second one is how many threads burn.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Passes, the rounds, and nanoseconds of CPU time. */
static uint64_t counts[7];
static _Thread_local volatile uint64_t sums[3]; /* keep the loops */

static uint64_t cpu_time(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

enum { PASSES = 400000, MEASURED = 16 };

/* A part takes about half a millisecond: much longer than a debugger's interrupt is on its way. A pass waits for
 * the multiplication of the one before, which takes as long in each function: how fast a CPU forwards what it
 * stores differs from place to place. */
#define BURNER(name, index) \
	static __attribute__((noinline)) void name(unsigned parts) \
	{ \
		uint64_t value = sums[index]; \
		for (unsigned i = 0; i < parts * PASSES; i++) { \
			value = value * 6364136223846793005u + i; \
			__asm__ volatile("" : "+r"(value)); /* keep the loop as it is */ \
		} \
		sums[index] = value; \
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

	for (unsigned round = 1;; round++) {
		const int measured = round % MEASURED == 0;
		for (int i = 0; i < 3; i++) {
			const uint64_t before = measured ? cpu_time() : 0;
			deep(10 + (unsigned)i, burners[i], parts[i]);
			if (measured)
				__atomic_fetch_add(&counts[4 + i], cpu_time() - before, __ATOMIC_RELAXED);
			__atomic_fetch_add(&counts[i], parts[i] * PASSES, __ATOMIC_RELAXED);
		}
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
