#define _GNU_SOURCE
/* <mach/mach_time.h>. A tick is a nanosecond. */
#include "../darwin/mach.h"
#include "sys.h"

uint64_t mach_absolute_time(void)
{
	return sys_now(CLOCK_MONOTONIC);
}

kern_return_t mach_timebase_info(mach_timebase_info_t info)
{
	info->numer = info->denom = 1;
	return KERN_SUCCESS;
}

kern_return_t mach_wait_until(uint64_t deadline)
{
	struct timespec time = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
	long result = SYS4(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &time, 0);
	return result == 0 ? KERN_SUCCESS : KERN_ABORTED;
}
