/*
 * Burns CPU time in three functions, 60, 30 and 10 parts of every 100, at known places, and says how much each
 * has had. With a number it starts as many threads more, which wait.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds of CPU time, and then sums that keep the loops. */
static volatile uint64_t spent[3], sums[3];

static uint64_t cpu_time(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#define BURNER(name, index) \
	static __attribute__((noinline)) void name(unsigned parts) \
	{ \
		for (unsigned i = 0; i < parts * 20000; i++) \
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
			spent[i] += cpu_time() - before;
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
	pthread_create(&thread, NULL, work, NULL);
	pthread_setname_np(thread, "burner");
	printf("%lx\n", (unsigned long)(uintptr_t)spent);
	fflush(stdout);
	idle(NULL);
}
