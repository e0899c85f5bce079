/*
 * From the errno of a system call to a kern_return_t.
 */
#ifndef MACHPAUSE_LINUX_RESULT_H
#define MACHPAUSE_LINUX_RESULT_H

#include <errno.h>

#include "../darwin/mach.h"

static inline kern_return_t mp_result_of(long result)
{
	if (result >= 0)
		return KERN_SUCCESS;
	switch (-result) {
	case ESRCH:
	case ENOENT: return MACH_SEND_INVALID_DEST;
	case ETIMEDOUT: return KERN_OPERATION_TIMED_OUT;
	case ENOMEM:
	case EAGAIN:
	case EMFILE:
	case ENFILE: return KERN_RESOURCE_SHORTAGE;
	default: return KERN_FAILURE;
	}
}

#endif
