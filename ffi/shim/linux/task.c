#define _GNU_SOURCE
/* <mach/task.h>, and task_for_pid() and pid_for_task(). */
#include "lock.h"
#include "maps.h"
#include "procfs.h"
#include "result.h"
#include "sys.h"
#include "tracer.h"

/* Whether this process may attach to another. Opening its memory takes the same permission. */
static kern_return_t may_attach(const struct task *task)
{
	char byte;
	int memory = sys_open_at(task->directory, "mem", O_RDONLY);

	/* Linux 6.1 opens this of a process without memory too, as an empty file (fs/proc/base.c,
	 * mem_rw()). Where there is memory, address 0 is not part of it: an error. */
	if (memory >= 0 && SYS4(SYS_pread64, memory, &byte, 1, 0) == 0) {
		sys_close(memory);
		return KERN_FAILURE;
	}
	sys_close(memory);
	if (memory < 0)
		return mp_result_of(memory) == KERN_RESOURCE_SHORTAGE ? KERN_RESOURCE_SHORTAGE
								      : KERN_FAILURE;
	pid_t tracer = mp_proc_tracer(task->directory, "status");
	return tracer == 0 || mp_tracer_is(tracer) ? KERN_SUCCESS : KERN_FAILURE;
}

/* Whether the main thread has ended and others have not: for good, or until the exec of one of them is
 * done. */
static bool may_be_in_exec(pid_t pid)
{
	char path[32];
	struct proc_stat stat;

	mp_proc_path(path, "/proc/", pid, "/stat");
	return mp_proc_stat(AT_FDCWD, path, &stat) && stat.state == 'Z' && stat.thread_count > 1;
}

static kern_return_t try_task_for_pid(int pid, mach_port_name_t *name)
{
	kern_return_t result;

	mp_lock();
	struct task *task = mp_task_open(pid, &result);
	if (task && !task->own)
		result = may_attach(task);
	if (result == KERN_SUCCESS)
		result = mp_task_name(task, name);
	if (task)
		mp_task_unuse(task);
	mp_unlock();
	return result;
}

kern_return_t task_for_pid(mach_port_name_t target, int pid, mach_port_name_t *name)
{
	enum { EXEC_TIME = 200000000, EXEC_INTERVAL = 1000000 };

	if (target != mach_task_self_ || !name)
		return KERN_INVALID_ARGUMENT;
	*name = MACH_PORT_NULL;
	if (pid <= 0 || (pid != sys_getpid() && mp_proc_strict()))
		return KERN_FAILURE;
	for (uint64_t start = sys_now(CLOCK_MONOTONIC);;) {
		kern_return_t result = try_task_for_pid(pid, name);
		if (result != KERN_FAILURE || !may_be_in_exec(pid) ||
			sys_now(CLOCK_MONOTONIC) - start > EXEC_TIME)
			return result;
		sys_sleep(EXEC_INTERVAL);
	}
}

kern_return_t mp_task_name(struct task *task, mach_port_name_t *name)
{
	kern_return_t result = task->own ? KERN_SUCCESS : mp_result_of(mp_tracer_start());

	if (result == KERN_SUCCESS && !(*name = mp_port_for_task(task)))
		result = KERN_RESOURCE_SHORTAGE;
	return result;
}

kern_return_t pid_for_task(mach_port_name_t name, int *pid)
{
	mp_lock();
	const struct task *task = mp_port_task(name);
	kern_return_t result = !task ? KERN_INVALID_ARGUMENT
		: mp_task_alive(task) ? KERN_SUCCESS : MACH_SEND_INVALID_DEST;
	*pid = result == KERN_SUCCESS ? task->pid : -1;
	mp_unlock();
	return result;
}

struct threads {
	mach_port_t *names;
	uint32_t count;
	bool full;
};

static void name_listed(struct thread *thread, void *context)
{
	struct threads *threads = context;
	mach_port_t name = mp_port_for_thread(thread);

	if (name)
		threads->names[threads->count++] = name;
	else
		threads->full = true;
}

kern_return_t task_threads(
	task_inspect_t name, thread_act_array_t *list, mach_msg_type_number_t *count)
{
	struct threads threads = {0};
	kern_return_t result;

	*list = NULL;
	*count = 0;
	mp_lock();
	struct task *task = mp_port_task(name);
	if (!task) {
		result = KERN_INVALID_ARGUMENT;
	} else if (!mp_task_alive(task)) {
		result = MACH_SEND_INVALID_DEST;
	} else if (!(threads.names = sys_reserve(MAX_THREADS * sizeof *threads.names))) {
		result = KERN_RESOURCE_SHORTAGE;
	} else {
		result = mp_result_of(mp_task_list(task, name_listed, &threads));
		if (threads.full)
			result = KERN_RESOURCE_SHORTAGE;
		uint64_t used = result == KERN_SUCCESS ? threads.count * sizeof *threads.names : 0;
		if (result != KERN_SUCCESS)
			while (threads.count)
				mp_port_drop(threads.names[--threads.count]);
		/* mach_vm_deallocate() rounds in the same way. */
		used = sys_round_page(used);
		SYS2(SYS_munmap, (char *)threads.names + used,
			MAX_THREADS * sizeof *threads.names - used);
		if (used) {
			*list = threads.names;
			*count = threads.count;
		}
	}
	mp_unlock();
	return result;
}

kern_return_t task_suspend2(task_read_t name, task_suspension_token_t *token)
{
	kern_return_t result = KERN_SUCCESS;

	*token = MACH_PORT_NULL;
	mp_lock();
	struct task *task = mp_port_task(name);
	if (!task || task->own)
		result = KERN_INVALID_ARGUMENT;
	else if (!mp_task_alive(task))
		result = MACH_SEND_INVALID_DEST;
	else if (!(*token = mp_port_new_token(task)))
		result = KERN_RESOURCE_SHORTAGE;
	else if (task->tokens++ == 0) {
		/* Counted before the stop, so that a thread that stops late is not released. */
		result = mp_result_of(mp_tracer_suspend_task(task));
		if (result != KERN_SUCCESS) {
			task->tokens--;
			mp_tracer_release(task);
			mp_port_drop(*token);
			*token = MACH_PORT_NULL;
		}
	}
	mp_unlock();
	return result;
}

kern_return_t task_resume2(task_suspension_token_t token)
{
	kern_return_t result = KERN_SUCCESS;

	mp_lock();
	struct task *task = mp_port_token(token);
	if (!task) {
		result = KERN_INVALID_ARGUMENT;
	} else {
		mp_port_drop(token);
		if (--task->tokens == 0) {
			mp_maps_forget(task);
			mp_tracer_release(task);
		}
		if (!mp_task_alive(task))
			result = MACH_SEND_INVALID_DEST;
		mp_task_unuse(task);
	}
	mp_unlock();
	return result;
}

/* The name in /proc/PID/maps of the memory in which the Mach-O loader publishes what dyld does. */
#define ALL_IMAGE_INFOS "/memfd:dyld_all_image_infos (deleted)"

kern_return_t task_info(
	task_name_t name, task_flavor_t flavor, task_info_t out, mach_msg_type_number_t *count)
{
	kern_return_t result;

	if (flavor != TASK_DYLD_INFO || *count < TASK_DYLD_INFO_COUNT)
		return KERN_INVALID_ARGUMENT;
	mp_lock();
	struct task *task = mp_port_task(name);
	if (!task) {
		result = KERN_INVALID_ARGUMENT;
	} else {
		task_dyld_info_data_t info = {0, 0, TASK_DYLD_ALL_IMAGE_INFO_64};
		const struct region *region;
		result = mp_maps_named(task, ALL_IMAGE_INFOS, &region);
		if (result == KERN_SUCCESS) {
			info.all_image_info_addr = region->start;
			info.all_image_info_size = region->end - region->start;
		} else if (result == KERN_INVALID_ADDRESS) {
			result = KERN_SUCCESS;
		}
		if (!(mp_proc_cpu_type(task->directory) & CPU_ARCH_ABI64))
			info.all_image_info_format = TASK_DYLD_ALL_IMAGE_INFO_32;
		memcpy(out, &info, sizeof info);
		*count = TASK_DYLD_INFO_COUNT;
	}
	mp_unlock();
	return result;
}
