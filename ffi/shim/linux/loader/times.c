/* times.c: sleeping and clocks, with Darwin's constants. Keeps frame records, as threads.c does. */
#include "loader.h"
#include "sys.h"

#define BILLION 1000000000u

static int nanosleep_(const struct sys_timespec *request, struct sys_timespec *remain)
{
	long result = sys2(__NR_nanosleep, (long)request, (long)remain);
	if (!sys_failed(result))
		return 0;
	*host_errno() = (int)-result; /* EINTR, EINVAL and EFAULT are the same on both systems */
	return -1;
}

static int usleep_(uint32_t microseconds)
{
	struct sys_timespec request = { (long)(microseconds / 1000000), (long)(microseconds % 1000000 * 1000) };
	long result = sys2(__NR_nanosleep, (long)&request, 0);
	if (!sys_failed(result))
		return 0;
	*host_errno() = (int)-result;
	return -1;
}

static uint32_t sleep_(uint32_t seconds)
{
	struct sys_timespec request = { (long)seconds, 0 }, remain = { 0, 0 };
	sys2(__NR_nanosleep, (long)&request, (long)&remain);
	return (uint32_t)remain.tv_sec;
}

static int pause_(void)
{
	/* Nothing wakes this futex: only a signal ends the wait. */
	uint32_t word = 0;
	long result = sys_futex_wait(&word, 0, NULL);
	*host_errno() = (int)-result;
	return -1;
}

static uint64_t read_clock(int linux_clock)
{
	struct sys_timespec time = { 0, 0 };
	sys2(__NR_clock_gettime, linux_clock, (long)&time);
	return (uint64_t)time.tv_sec * BILLION + (uint64_t)time.tv_nsec;
}

/* Darwin's clockid_t values: 0 is the wall clock, the others are monotonic. */
static int linux_clock(int darwin)
{
	switch (darwin) {
	case 0: return 0;           /* CLOCK_REALTIME */
	case 12: return 2;          /* CLOCK_PROCESS_CPUTIME_ID */
	case 16: return 3;          /* CLOCK_THREAD_CPUTIME_ID */
	case 4: case 5: return 4;   /* CLOCK_MONOTONIC_RAW */
	default: return 1;          /* CLOCK_MONOTONIC, CLOCK_UPTIME_RAW */
	}
}

static int clock_gettime_(int clock, struct sys_timespec *time)
{
	sys2(__NR_clock_gettime, linux_clock(clock), (long)time);
	return 0;
}

static uint64_t clock_gettime_nsec(int clock) { return read_clock(linux_clock(clock)); }

static uint64_t absolute_time(void) { return read_clock(1); }

struct timebase {
	uint32_t numerator;
	uint32_t denominator;
};

static int timebase_info(struct timebase *timebase)
{
	*timebase = (struct timebase) { 1, 1 };
	return 0;
}

const struct libsystem_entry time_entries[] = {
	{ "clock_gettime", clock_gettime_ },
	{ "clock_gettime_nsec_np", clock_gettime_nsec },
	{ "mach_absolute_time", absolute_time },
	{ "mach_continuous_time", absolute_time },
	{ "mach_timebase_info", timebase_info },
	{ "nanosleep", nanosleep_ },
	{ "pause", pause_ },
	{ "sleep", sleep_ },
	{ "usleep", usleep_ },
	{ NULL, NULL },
};
