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
