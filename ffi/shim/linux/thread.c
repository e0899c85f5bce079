#define _GNU_SOURCE
/* <mach/thread_act.h> */
#include "lock.h"
#include "maps.h"
#include "procfs.h"
#include "result.h"
#include "sys.h"
#include "tracer.h"

mach_port_t mach_thread_self(void)
{
	mach_port_t name = MACH_PORT_NULL;

	mp_lock();
	struct task *task = mp_task_own();
	struct thread *thread = task ? mp_thread_open(task, sys_gettid()) : NULL;
	if (thread) {
		name = mp_port_for_thread(thread);
		mp_thread_unuse(thread);
	}
	mp_unlock();
	return name;
}

/* The calling thread and the tracers cannot be suspended. */
static bool may_stop(const struct thread *thread)
{
	return !thread->task->own || (thread->tid != sys_gettid() && !mp_tracer_is(thread->tid));
}

/* Finds a thread by name. mp_lock() is held. */
static kern_return_t find(mach_port_t name, struct thread **thread)
{
	*thread = mp_port_thread(name);
	if (!*thread)
		return KERN_INVALID_ARGUMENT;
	return (*thread)->attachment >= DYING ? MACH_SEND_INVALID_DEST : KERN_SUCCESS;
}

kern_return_t thread_suspend(thread_read_t name)
{
	struct thread *thread;

	mp_lock();
	kern_return_t result = find(name, &thread);
	if (result == KERN_SUCCESS && !may_stop(thread))
		result = KERN_INVALID_ARGUMENT;
	if (result == KERN_SUCCESS && thread->attachment != STOPPED)
		result = mp_result_of(mp_tracer_suspend_thread(thread));
	if (result == KERN_SUCCESS && thread->suspends++ == 0 && thread->task->own)
		thread->task->own_suspensions++;
	mp_unlock();
	return result;
}

kern_return_t thread_resume(thread_read_t name)
{
	struct thread *thread;

	mp_lock();
	kern_return_t result = find(name, &thread);
	if (thread && thread->suspends) {
		struct task *task = thread->task;
		if (--thread->suspends == 0) {
			if (task->own)
				task->own_suspensions--;
			mp_tracer_release_thread(thread);
		}
	} else if (result == KERN_SUCCESS) {
		result = KERN_FAILURE;
	}
	mp_unlock();
	return result;
}

/* Stops the thread, if it is not stopped, so that its registers can be used. */
static kern_return_t hold(mach_port_t name, struct thread **thread)
{
	kern_return_t result = find(name, thread);

	if (result != KERN_SUCCESS)
		return result;
	if (!may_stop(*thread))
		return KERN_INVALID_ARGUMENT;
	if ((*thread)->attachment == STOPPED)
		return KERN_SUCCESS;
	/* It has missed its deadline, and the rest of the task is stopped meanwhile. */
	if ((*thread)->lingers)
		return KERN_OPERATION_TIMED_OUT;
	return mp_result_of(mp_tracer_suspend_thread(*thread));
}

static void let_go(struct thread *thread)
{
	if (thread->attachment == STOPPED && !thread->suspends && !thread->task->tokens)
		mp_tracer_release_thread(thread);
}

kern_return_t thread_get_state(thread_read_t name, thread_state_flavor_t flavor,
	thread_state_t state, mach_msg_type_number_t *count)
{
	struct thread *thread;

	mp_lock();
	kern_return_t result = hold(name, &thread);
	if (result == KERN_SUCCESS) {
		result = mp_registers_to_state(thread, flavor, state, count);
		let_go(thread);
	}
	mp_unlock();
	return result;
}

kern_return_t thread_set_state(thread_act_t name, thread_state_flavor_t flavor,
	thread_state_t state, mach_msg_type_number_t count)
{
	struct thread *thread;
	union registers registers;

	mp_lock();
	kern_return_t result = hold(name, &thread);
	if (result == KERN_SUCCESS) {
		result = mp_registers_from_state(thread, flavor, state, count, &registers);
		if (result == KERN_SUCCESS) {
			long error = mp_tracer_set_registers(thread, &registers);
			/* The kernel refuses some values, such as a segment that does not exist. */
			result = error == -EIO || error == -EINVAL ? KERN_INVALID_ARGUMENT
								   : mp_result_of(error);
		}
		let_go(thread);
	}
	mp_unlock();
	return result;
}

/* The thread's /proc stat. Callers ask for several flavors of thread_info() in a row, so one reading,
 * the expensive part, serves them all. */
static const struct proc_stat *read_stat(struct thread *thread)
{
	enum { SAME_QUESTION = 100000 };
	static struct proc_stat stat;
	static const struct thread *stat_thread;
	static pid_t stat_tid;
	static uint64_t stat_time;
	uint64_t now = sys_now(CLOCK_MONOTONIC);

	if (stat_thread == thread && stat_tid == thread->tid && now - stat_time < SAME_QUESTION)
		return &stat;
	stat_thread = NULL;
	if (!mp_proc_thread_stat(thread->task->listing, thread->tid, &stat) ||
		(thread->start_time && thread->start_time != stat.start_ticks)) {
		if (thread->attachment == DETACHED)
			thread->attachment = GONE;
		/* Whoever started it may have waited for it before the tracer looked again. */
		else if (SYS3(SYS_tgkill, thread->task->pid, thread->tid, 0) == -ESRCH)
			thread->attachment = DYING;
		return NULL;
	}
	thread->start_time = stat.start_ticks;
	stat_thread = thread;
	stat_tid = thread->tid;
	stat_time = now;
	return &stat;
}

integer_t mp_run_state(char state)
{
	switch (state) {
	case 'R': return TH_STATE_RUNNING;
	case 'T':
	case 't': return TH_STATE_STOPPED;
	case 'D': return TH_STATE_UNINTERRUPTIBLE;
	case 'Z':
	case 'X': return TH_STATE_HALTED;
	default: return TH_STATE_WAITING;
	}
}

/* CPU usage over the thread's life, of TH_USAGE_SCALE. Linux has no decaying average. */
static integer_t cpu_usage(const struct proc_stat *stat)
{
	uint64_t now = sys_now(CLOCK_BOOTTIME) / NANOSECONDS_PER_TICK;
	uint64_t life = now > stat->start_ticks ? now - stat->start_ticks : 1;
	uint64_t usage = (stat->user_ticks + stat->system_ticks) * TH_USAGE_SCALE / life;

	return usage > TH_USAGE_SCALE ? TH_USAGE_SCALE : (integer_t)usage;
}

static time_value_t time_value(uint64_t ticks)
{
	return (time_value_t){(integer_t)(ticks / TICKS_PER_SECOND),
		(integer_t)(ticks % TICKS_PER_SECOND * (1000000 / TICKS_PER_SECOND))};
}

static kern_return_t basic_info(struct thread *thread, thread_basic_info_data_t *info)
{
	const struct proc_stat *stat = read_stat(thread);

	if (!stat)
		return MACH_SEND_INVALID_DEST;
	*info = (thread_basic_info_data_t){
		.user_time = time_value(stat->user_ticks),
		.system_time = time_value(stat->system_ticks),
		.cpu_usage = cpu_usage(stat),
		.run_state = mp_run_state(stat->state),
		.suspend_count = thread->suspends,
	};
	return KERN_SUCCESS;
}

static kern_return_t identifier_info(struct thread *thread, thread_identifier_info_data_t *info)
{
	*info = (thread_identifier_info_data_t){
		.thread_id = (uint64_t)thread->tid,
		.thread_handle = mp_registers_thread_pointer(thread),
		.dispatch_qaddr = mp_registers_dispatch_queue(thread),
	};
	return KERN_SUCCESS;
}

static kern_return_t extended_info(struct thread *thread, thread_extended_info_data_t *info)
{
	const struct proc_stat *stat = read_stat(thread);

	if (!stat)
		return MACH_SEND_INVALID_DEST;
	*info = (thread_extended_info_data_t){
		.pth_user_time = stat->user_ticks * NANOSECONDS_PER_TICK,
		.pth_system_time = stat->system_ticks * NANOSECONDS_PER_TICK,
		.pth_cpu_usage = cpu_usage(stat),
		.pth_run_state = mp_run_state(stat->state),
		.pth_curpri = stat->priority,
		.pth_priority = stat->priority,
	};
	_Static_assert(sizeof info->pth_name == sizeof stat->name, "both are terminated");
	memcpy(info->pth_name, stat->name, sizeof info->pth_name);
	return KERN_SUCCESS;
}

kern_return_t thread_info(thread_inspect_t name, thread_flavor_t flavor, thread_info_t out,
	mach_msg_type_number_t *count)
{
	union {
		thread_basic_info_data_t basic;
		thread_identifier_info_data_t identifier;
		thread_extended_info_data_t extended;
	} info;
	struct thread *thread;
	mach_msg_type_number_t words = 0;

	mp_lock();
	kern_return_t result = find(name, &thread);
	if (result == KERN_SUCCESS) {
		switch (flavor) {
		case THREAD_BASIC_INFO:
			result = basic_info(thread, &info.basic);
			words = THREAD_BASIC_INFO_COUNT;
			break;
		case THREAD_IDENTIFIER_INFO:
			result = identifier_info(thread, &info.identifier);
			words = THREAD_IDENTIFIER_INFO_COUNT;
			break;
		case THREAD_EXTENDED_INFO:
			result = extended_info(thread, &info.extended);
			words = THREAD_EXTENDED_INFO_COUNT;
			break;
		default: result = KERN_INVALID_ARGUMENT;
		}
	}
	mp_unlock();
	if (result == KERN_SUCCESS && *count < words)
		return KERN_INVALID_ARGUMENT;
	if (result == KERN_SUCCESS) {
		memcpy(out, &info, words * sizeof(natural_t));
		*count = words;
	}
	return result;
}
