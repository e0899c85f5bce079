/* sampling.h in Mach calls. */
#include "../sampling.h"

#include "../shim.h"

const uint64_t least_run = 1;

void begin_hurry(task_t task, struct hurry *hurry)
{
	/* The kernel does the work of the calls in the calling thread, and wakes it when its time has come. */
	(void)task;
	(void)hurry;
}

void end_hurry(struct hurry *hurry)
{
	(void)hurry;
}

uint64_t sample_work(struct hurry *hurry, uint64_t began)
{
	(void)hurry;
	/* Nearly all of a sample is the suspension of the whole task. */
	return nanoseconds(mach_absolute_time()) - began;
}

kern_return_t visit_stopped(task_t task, const thread_act_t *threads, uint32_t count,
	thread_state_flavor_t flavor, mach_msg_type_number_t words, uint64_t deadline,
	stopped_visitor visit, void *context)
{
	natural_t state[MP_STATE_WORDS];
	task_suspension_token_t token = MACH_PORT_NULL;
	struct stopped stopped = {.state = state, .since = mach_absolute_time()};

	(void)deadline;
	/* The kernel drops the token when this process dies. thread_suspend() would outlive it. */
	kern_return_t result = task_suspend2(task, &token);
	if (result != KERN_SUCCESS)
		return result;
	for (uint32_t i = 0; i < count; i++) {
		mach_msg_type_number_t filled = words;
		stopped.result = read_thread_state(threads[i], flavor, state, &filled);
		visit(context, i, &stopped);
	}
	resume(token);
	return KERN_SUCCESS;
}

kern_return_t read_run(thread_act_t thread, struct run *run)
{
	struct thread_extended_info info;
	mach_msg_type_number_t count = THREAD_EXTENDED_INFO_COUNT;

	kern_return_t result = thread_info(thread, THREAD_EXTENDED_INFO, (thread_info_t)&info, &count);
	if (result != KERN_SUCCESS)
		return result;
	run->cpu_time = info.pth_user_time + info.pth_system_time;
	run->state = (uint32_t)info.pth_run_state;
	return KERN_SUCCESS;
}

kern_return_t read_run_state(thread_act_t thread, struct run *run)
{
	(void)thread;
	(void)run;
	return KERN_SUCCESS;
}

void end_run(struct run *run)
{
	(void)run;
}

uint64_t read_turns(const struct run *run)
{
	(void)run;
	return 0;
}

bool read_task_time(int pid, uint64_t *time)
{
	(void)pid;
	(void)time;
	return false;
}

bool thread_count_changed(task_t task, uint64_t *number)
{
	(void)task;
	(void)number;
	return true;
}

kern_return_t read_stopped(
	task_t task, int pid, uint64_t address, uint64_t size, void *data, uint64_t *done)
{
	(void)pid;
	return read_memory(task, address, size, data, done);
}
