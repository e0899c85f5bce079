#define _GNU_SOURCE
/* <mach/mach_port.h> */
#include "lock.h"
#include "sys.h"
#include "table.h"

kern_return_t mach_port_deallocate(ipc_space_t space, mach_port_name_t name)
{
	if (space != mach_task_self_)
		return KERN_INVALID_ARGUMENT;
	mp_lock();
	/* Only task_resume2() releases a token: without one, the task could not be resumed. */
	bool dropped = !mp_port_token(name) && mp_port_drop(name);
	mp_unlock();
	return dropped ? KERN_SUCCESS : KERN_INVALID_NAME;
}

kern_return_t mach_port_names(ipc_space_t space, mach_port_name_array_t *names,
	mach_msg_type_number_t *names_count, mach_port_type_array_t *types,
	mach_msg_type_number_t *types_count)
{
	kern_return_t result = KERN_SUCCESS;

	if (space != mach_task_self_)
		return KERN_INVALID_ARGUMENT;
	mp_lock();
	uint32_t count = mp_port_list(NULL, NULL, 0);
	uint64_t size = sys_round_page(count * sizeof **names);
	*names = sys_reserve(size);
	*types = sys_reserve(size);
	if (*names && *types) {
		*names_count = *types_count = mp_port_list(*names, *types, count);
	} else {
		result = KERN_RESOURCE_SHORTAGE;
		SYS2(SYS_munmap, *names, size);
		SYS2(SYS_munmap, *types, size);
	}
	mp_unlock();
	return result;
}
