/*
 * The shim over a Mach of which any call can be made to fail. Prints nothing and returns 0 when,
 * whichever call failed and however, every port, array and suspension was given back, and when a
 * snapshot names the threads that it should.
 *
 * Built with the shim's own files alone: the Mach calls are the ones below.
 */
#include "machpause.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "darwin/mach.h"
#include "darwin/preload.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s: %s (call %d failing with %#x)\n", __FILE__, __LINE__, \
				scenario, #condition, fail_at, (unsigned)fail_with); \
			exit(1); \
		} \
	} while (0)

enum { SELF = 1, TARGET, TOKEN, BOOTSTRAP, RECEIVE, SEND, STRANGER, REPLY, FIRST_THREAD = 10, THREADS = 8, PORTS = 32 };
#define STACK_BASE UINT64_C(0x100000)
#define STACK_SIZE UINT64_C(0x4000)

static const char *scenario = "";
static int calls;      /* of those that may fail */
static int fail_at;    /* the one that does; 0: none */
static int fail_with;
static bool failed;

static int references[PORTS];
static int arrays;
static bool suspended;            /* the target */
static int suspends[PORTS];       /* threads */
static int listings;              /* task_threads() calls */
static int aborts;                /* calls of thread_get_state() that a signal will break off */
static bool asked_while_stopped;  /* something that could as well have been asked before */

mach_port_t mach_task_self_ = SELF;

static bool fails(void)
{
	if (++calls != fail_at)
		return false;
	failed = true;
	return true;
}

/* The first listing has threads 0 to 4; in later ones 1 has died and 5 and 6 were born. */
static bool is_alive(int thread)
{
	return listings <= 1 ? thread <= 4 : thread != 1 && thread <= 6;
}

kern_return_t task_threads(task_inspect_t task, thread_act_array_t *list, mach_msg_type_number_t *count)
{
	(void)task;
	if (fails())
		return fail_with;
	listings++;
	*list = malloc(THREADS * sizeof(**list));
	*count = 0;
	arrays++;
	/* Backwards from the second time on: no order is promised. */
	for (int i = 0; i < THREADS; i++) {
		int thread = listings == 1 ? i : THREADS - 1 - i;
		if (!is_alive(thread))
			continue;
		(*list)[(*count)++] = (thread_act_t)(FIRST_THREAD + thread);
		references[FIRST_THREAD + thread]++;
	}
	return KERN_SUCCESS;
}

kern_return_t mach_vm_deallocate(vm_map_t task, mach_vm_address_t address, mach_vm_size_t size)
{
	CHECK(task == SELF && address != 0 && size != 0);
	free((void *)(uintptr_t)address);
	arrays--;
	return KERN_SUCCESS;
}

kern_return_t mach_port_deallocate(ipc_space_t task, mach_port_name_t name)
{
	CHECK(task == SELF && name < PORTS && references[name] > 0);
	references[name]--;
	if (name == TOKEN)
		suspended = false;
	return KERN_SUCCESS;
}

kern_return_t task_suspend2(task_read_t task, task_suspension_token_t *token)
{
	CHECK(task == TARGET && !suspended);
	if (fails())
		return fail_with;
	suspended = true;
	references[TOKEN]++;
	*token = TOKEN;
	return KERN_SUCCESS;
}

kern_return_t task_resume2(task_suspension_token_t token)
{
	CHECK(token == TOKEN && suspended && references[TOKEN] == 1);
	bool fail = fails();
	/* A message that was not sent leaves the right to it with the sender. */
	if (fail && fail_with == MACH_SEND_INVALID_DEST)
		return fail_with;
	references[TOKEN]--;
	suspended = false;
	return fail ? fail_with : KERN_SUCCESS;
}

static bool any_suspended(void)
{
	for (int i = 0; i < PORTS; i++)
		if (suspends[i])
			return true;
	return suspended;
}

kern_return_t thread_suspend(thread_read_t thread)
{
	CHECK(references[thread] > 0);
	CHECK(thread != FIRST_THREAD); /* the caller's own */
	if (fails())
		return fail_with;
	suspends[thread]++;
	return KERN_SUCCESS;
}

kern_return_t thread_resume(thread_read_t thread)
{
	CHECK(suspends[thread] > 0);
	suspends[thread]--;
	return KERN_SUCCESS;
}

mach_port_t mach_thread_self(void)
{
	references[FIRST_THREAD]++;
	return FIRST_THREAD;
}

kern_return_t thread_info(thread_inspect_t thread, thread_flavor_t flavor, thread_info_t out, mach_msg_type_number_t *count)
{
	CHECK(references[thread] > 0);
	if (any_suspended())
		asked_while_stopped = true;
	if (fails())
		return fail_with;
	memset(out, 0, *count * sizeof(*out));
	if (flavor == THREAD_IDENTIFIER_INFO) {
		struct thread_identifier_info *identifier = (void *)out;
		identifier->thread_id = 100 + thread;
		/* Darwin knows it of a running thread too. */
		identifier->thread_handle = 0x1000 * thread;
	}
	return KERN_SUCCESS;
}

kern_return_t thread_get_state(thread_read_t thread, thread_state_flavor_t flavor, thread_state_t state, mach_msg_type_number_t *count)
{
	(void)flavor;
	CHECK(references[thread] > 0);
	if (aborts > 0) {
		aborts--;
		return KERN_ABORTED;
	}
	if (fails())
		return fail_with;
	memset(state, 0, *count * sizeof(*state));
	uint64_t sp = STACK_BASE + STACK_SIZE * thread + 0x3000;
#if defined(__x86_64__)
	((x86_thread_state64_t *)(void *)state)->__rsp = sp;
#else
	((arm_thread_state64_t *)(void *)state)->__sp = sp;
#endif
	return KERN_SUCCESS;
}

kern_return_t mach_vm_region_recurse(vm_map_read_t task, mach_vm_address_t *address, mach_vm_size_t *size, natural_t *depth, vm_region_recurse_info_t out, mach_msg_type_number_t *count)
{
	struct vm_region_submap_short_info_64 *info = (void *)out;
	(void)task;
	CHECK(*count == VM_REGION_SUBMAP_SHORT_INFO_COUNT_64);
	if (fails())
		return fail_with;
	memset(info, 0, sizeof(*info));
	*address &= ~(STACK_SIZE - 1);
	*size = STACK_SIZE;
	*depth = 0;
	info->protection = VM_PROT_READ;
	return KERN_SUCCESS;
}

/* The last page of a stack of an odd number cannot be read. */
kern_return_t mach_vm_read_overwrite(vm_map_read_t task, mach_vm_address_t address, mach_vm_size_t size, mach_vm_address_t data, mach_vm_size_t *done)
{
	(void)task;
	if (fails())
		return fail_with;
	/* The caller's own stack is a real one, wherever the system put it: all of it can be read. */
	bool made = address >= STACK_BASE && address < STACK_BASE + STACK_SIZE * PORTS;
	bool odd = made && (address - STACK_BASE) / STACK_SIZE % 2;
	if (odd && (address + size - 1) % STACK_SIZE >= 0x3800)
		return KERN_INVALID_ADDRESS;
	memset((void *)(uintptr_t)data, 0x5a, size);
	*done = size;
	return KERN_SUCCESS;
}

kern_return_t pid_for_task(mach_port_name_t task, int *pid)
{
	if (fails())
		return fail_with;
	*pid = (int)task;
	return KERN_SUCCESS;
}

uint64_t mach_absolute_time(void)
{
	static uint64_t now;
	return now += 24;
}

kern_return_t mach_wait_until(uint64_t deadline)
{
	CHECK(!any_suspended());
	while (mach_absolute_time() < deadline)
		;
	return KERN_SUCCESS;
}

kern_return_t mach_timebase_info(mach_timebase_info_t info)
{
	info->numer = 125;
	info->denom = 3;
	return KERN_SUCCESS;
}

kern_return_t mach_port_names(ipc_space_t task, mach_port_name_array_t *names, mach_msg_type_number_t *name_count, mach_port_type_array_t *types, mach_msg_type_number_t *type_count)
{
	(void)task;
	if (fails())
		return fail_with;
	*names = malloc(12);
	*types = malloc(12);
	arrays += 2;
	*name_count = *type_count = 3;
	return KERN_SUCCESS;
}

/* Messages: a program's introduction, after that of another and one that is none. */
static int received;
static bool registered;

kern_return_t task_get_special_port(task_inspect_t task, int which, mach_port_t *port)
{
	CHECK(task == SELF && which == TASK_BOOTSTRAP_PORT);
	if (fails())
		return fail_with;
	references[BOOTSTRAP]++;
	*port = BOOTSTRAP;
	return KERN_SUCCESS;
}

kern_return_t mach_port_allocate(ipc_space_t task, mach_port_right_t right, mach_port_name_t *name)
{
	CHECK(task == SELF && right == MACH_PORT_RIGHT_RECEIVE);
	if (fails())
		return fail_with;
	references[RECEIVE]++;
	*name = RECEIVE;
	return KERN_SUCCESS;
}

kern_return_t mach_port_insert_right(ipc_space_t task, mach_port_name_t name, mach_port_t right, mach_msg_type_name_t type)
{
	CHECK(task == SELF && name == RECEIVE && right == RECEIVE && type == MACH_MSG_TYPE_MAKE_SEND);
	if (fails())
		return fail_with;
	references[SEND]++;
	return KERN_SUCCESS;
}

kern_return_t mach_port_mod_refs(ipc_space_t task, mach_port_name_t name, mach_port_right_t right, mach_port_delta_t delta)
{
	int counted = name == RECEIVE && right == MACH_PORT_RIGHT_SEND ? SEND : (int)name;
	CHECK(task == SELF && references[counted] > 0);
	references[counted] += delta;
	return KERN_SUCCESS;
}

kern_return_t task_set_exception_ports(task_t task, exception_mask_t mask, mach_port_t port, exception_behavior_t behavior, thread_state_flavor_t flavor)
{
	/* XNU ends the callers that ask for ports, for some targets. */
	CHECK(behavior == (exception_behavior_t)(EXCEPTION_IDENTITY_PROTECTED | MACH_EXCEPTION_CODES));
	CHECK(task == TARGET && mask == EXC_MASK_CRASH && port == RECEIVE && references[SEND] > 0);
	CHECK(flavor == THREAD_STATE_NONE);
	return fails() ? fail_with : KERN_SUCCESS;
}

kern_return_t bootstrap_register2(mach_port_t bootstrap, char *name, mach_port_t port, uint64_t flags)
{
	CHECK(bootstrap == BOOTSTRAP && references[BOOTSTRAP] > 0 && references[SEND] > 0 && port == RECEIVE && flags == 0);
	CHECK(strlen(name) == 127 || strcmp(name, "name") == 0);
	if (fails())
		return fail_with;
	registered = true;
	return KERN_SUCCESS;
}

mach_msg_return_t mach_msg(mach_msg_header_t *message, mach_msg_option_t option, mach_msg_size_t send_size, mach_msg_size_t receive_size, mach_port_name_t receive_name, mach_msg_timeout_t timeout, mach_port_name_t notify)
{
	(void)notify;
	CHECK(timeout == 0);
	if (option & MACH_SEND_MSG) {
		CHECK(message->msgh_remote_port == REPLY && send_size == sizeof(*message));
		CHECK(references[REPLY] > 0);
		if (fails())
			return fail_with;
		references[REPLY]--;
		return MACH_MSG_SUCCESS;
	}
	struct mp_launch_message introduction = {
		.header = {
			.msgh_bits = MACH_MSGH_BITS_COMPLEX
				| MACH_MSGH_BITS(MACH_MSG_TYPE_MOVE_SEND_ONCE, MACH_MSG_TYPE_MOVE_SEND),
			.msgh_size = sizeof(introduction),
			.msgh_remote_port = REPLY,
			.msgh_local_port = RECEIVE,
			.msgh_id = MP_LAUNCH_ID,
		},
		.body = {.msgh_descriptor_count = 1},
		.task = {.name = TARGET, .disposition = MACH_MSG_TYPE_MOVE_SEND},
		.pid = TARGET,
	};
	CHECK(option == (MACH_RCV_MSG | MACH_RCV_TIMEOUT) && receive_name == RECEIVE && registered);
	CHECK(receive_size >= sizeof(introduction) + 8); /* and a trailer */
	if (fails())
		return fail_with;
	switch (received++) {
	case 0:
		/* What it says of itself is not believed. */
		introduction.task.name = STRANGER;
		break;
	case 1:
		introduction.header.msgh_id++;
		break;
	case 2:
		break;
	default:
		return MACH_RCV_TIMED_OUT;
	}
	references[REPLY]++;
	references[introduction.task.name]++;
	memcpy(message, &introduction, sizeof(introduction));
	return MACH_MSG_SUCCESS;
}

void mach_msg_destroy(mach_msg_header_t *message)
{
	struct mp_launch_message *introduction = (void *)message;
	mach_port_deallocate(SELF, message->msgh_remote_port);
	mach_port_deallocate(SELF, introduction->task.name);
}

/* Not called by what is tested here. */
kern_return_t task_for_pid(mach_port_name_t self, int pid, mach_port_name_t *task) { (void)self; (void)pid; (void)task; abort(); }
kern_return_t task_info(task_name_t task, task_flavor_t flavor, task_info_t out, mach_msg_type_number_t *count) { (void)task; (void)flavor; (void)out; (void)count; abort(); }
kern_return_t thread_set_state(thread_act_t thread, thread_state_flavor_t flavor, thread_state_t state, mach_msg_type_number_t count) { (void)thread; (void)flavor; (void)state; (void)count; abort(); }
kern_return_t mach_vm_write(vm_map_t task, mach_vm_address_t address, vm_offset_t data, mach_msg_type_number_t count) { (void)task; (void)address; (void)data; (void)count; abort(); }
kern_return_t mach_vm_page_range_query(vm_map_read_t task, mach_vm_offset_t address, mach_vm_size_t size, mach_vm_address_t pages, mach_vm_size_t *count) { (void)task; (void)address; (void)size; (void)pages; (void)count; abort(); }
uint32_t _dyld_image_count(void) { abort(); }
const struct mach_header *_dyld_get_image_header(uint32_t index) { (void)index; abort(); }
intptr_t _dyld_get_image_vmaddr_slide(uint32_t index) { (void)index; abort(); }
const char *_dyld_get_image_name(uint32_t index) { (void)index; abort(); }
int proc_listallpids(void *buffer, int size) { (void)buffer; (void)size; abort(); }
int proc_pidinfo(int pid, int flavor, uint64_t argument, void *buffer, int size) { (void)pid; (void)flavor; (void)argument; (void)buffer; (void)size; abort(); }
int proc_name(int pid, void *buffer, uint32_t size) { (void)pid; (void)buffer; (void)size; abort(); }
int proc_pidpath(int pid, void *buffer, uint32_t size) { (void)pid; (void)buffer; (void)size; abort(); }

#if defined(__x86_64__)
#define FLAVOR x86_THREAD_STATE64
#else
#define FLAVOR ARM_THREAD_STATE64
#endif

static _Alignas(16) uint8_t buffer[1 << 20];

static const mp_snapshot_header *header(void)
{
	return (const mp_snapshot_header *)(const void *)buffer;
}

static const mp_snapshot_thread *thread(uint32_t index)
{
	return (const mp_snapshot_thread *)(const void *)(buffer + sizeof(mp_snapshot_header)) + index;
}

static void reset(void)
{
	calls = listings = 0;
	failed = asked_while_stopped = false;
	memset(buffer, 0xee, sizeof(buffer));
}

static void check_nothing_held(void)
{
	for (int i = 0; i < PORTS; i++)
		CHECK(references[i] == 0);
	CHECK(arrays == 0);
	CHECK(!any_suspended());
}

/* What every snapshot promises, whatever happened to it. */
static void check_header(uint64_t capacity)
{
	const mp_snapshot_header *h = header();
	CHECK(h->used <= capacity && h->thread_size == sizeof(mp_snapshot_thread));
	for (uint32_t i = 0; i < h->thread_count; i++) {
		const mp_snapshot_thread *t = thread(i);
		CHECK(t->info_result == KERN_SUCCESS ? t->info.thread_id != 0 : t->info.thread_id == 0);
		if (t->stack_size) {
			CHECK(t->stack_result == KERN_SUCCESS && t->stack_offset % 16 == 0);
			CHECK(t->stack_offset + t->stack_size <= h->used);
			CHECK(buffer[t->stack_offset] == 0x5a);
			CHECK(buffer[t->stack_offset + t->stack_size - 1] == 0x5a);
			CHECK(t->stack_address + t->stack_size <= t->stack_end);
		}
	}
	CHECK(buffer[capacity] == 0xee);
}

/* Threads 0, 2, 3 and 4 that were known, in their order, then 5 and 6; each by its number. */
static void check_threads(void)
{
	static const uint64_t expected[] = {0, 2, 3, 4, 5, 6};
	CHECK(header()->thread_count == 6 && header()->threads_omitted == 0);
	CHECK(header()->needed == header()->used);
	uint64_t seen = 0;
	for (uint32_t i = 0; i < 6; i++) {
		const mp_snapshot_thread *t = thread(i);
		uint64_t number = t->info.thread_id - 100 - FIRST_THREAD;
		CHECK(i >= 4 || number == expected[i]);
		seen |= UINT64_C(1) << number;
		CHECK(t->info_result == 0 && t->state_result == 0 && t->stack_result == 0);
		uint64_t sp = STACK_BASE + STACK_SIZE * (FIRST_THREAD + number) + 0x3000;
		CHECK(number == 0 || t->stack_address == sp - 128);
		CHECK(number == 0 || t->stack_end == sp + 0x1000);
		/* Half a page of an odd stack's last cannot be had, so neither can the page. */
		CHECK(number == 0 || t->stack_size == (number % 2 ? 128u : 0x1080u));
	}
	CHECK(seen == 0x7d);
}

static int32_t take(bool keep, uint64_t capacity)
{
	uint32_t token = 77;
	int32_t result = mp_snapshot(TARGET, FLAVOR, 1 << 16, buffer, capacity, keep ? &token : NULL);
	if (keep && result == KERN_SUCCESS) {
		CHECK(token == TOKEN && suspended && header()->stopped_ns == 24 * 125 / 3);
		fail_at = 0;
		CHECK(mp_task_resume(token) == KERN_SUCCESS);
	} else if (keep) {
		CHECK(token == MACH_PORT_NULL);
	}
	if (result == KERN_SUCCESS)
		check_header(capacity);
	return result;
}

static int32_t snapshot_large(void)
{
	int32_t result = take(false, 1 << 19);
	if (result == KERN_SUCCESS)
		CHECK(header()->stopped_ns == 24 * 125 / 3);
	return result;
}

static int32_t snapshot_kept(void) { return take(true, 1 << 19); }

/* Room for two records and no stack. */
static int32_t snapshot_small(void)
{
	int32_t result = take(false, sizeof(mp_snapshot_header) + 2 * sizeof(mp_snapshot_thread) + 100);
	if (result == KERN_SUCCESS)
		CHECK(header()->thread_count == 2 && header()->threads_omitted >= 3 && header()->needed > header()->used);
	return result;
}

/* Room for all records and one stack. */
static int32_t snapshot_middling(void)
{
	int32_t result = take(false, 7 * sizeof(mp_snapshot_thread) + 0x1100);
	if (result == KERN_SUCCESS)
		CHECK(header()->threads_omitted == 0);
	return result;
}

static int32_t snapshot_self(void)
{
	int32_t result = mp_snapshot_self(1 << 16, buffer, 1 << 19);
	if (result == KERN_SUCCESS)
		check_header(1 << 19);
	return result;
}

static int32_t list_threads(void)
{
	uint32_t threads[THREADS];
	uint32_t count;
	int32_t result = mp_task_threads(TARGET, threads, 3, &count);
	if (result == KERN_NO_SPACE && !failed)
		CHECK(count == 5);
	check_nothing_held();
	result = mp_task_threads(TARGET, threads, THREADS, &count);
	for (uint32_t i = 0; result == KERN_SUCCESS && i < count; i++)
		mp_port_release(threads[i]);
	return result;
}

static int32_t count_ports(void)
{
	uint32_t count;
	int32_t result = mp_port_count(&count);
	CHECK(result != KERN_SUCCESS || count == 3);
	return result;
}

static int32_t suspend_and_resume(void)
{
	uint32_t token;
	int32_t result = mp_task_suspend(TARGET, &token);
	return result == KERN_SUCCESS ? mp_task_resume(token) : result;
}

static int32_t launch(void)
{
	uint32_t port = 77, task = 77, reply = 77;
	registered = false;
	received = 0;
	int32_t result = mp_launch_open("name", &port);
	if (result != KERN_SUCCESS) {
		CHECK(port == MACH_PORT_NULL);
		return result;
	}
	CHECK(references[RECEIVE] == 1 && references[SEND] == 0 && references[BOOTSTRAP] == 0);
	result = mp_launch_accept(port, TARGET, 0, &task, &reply);
	if (result == KERN_SUCCESS) {
		CHECK(task == TARGET && reply == REPLY);
		CHECK(references[STRANGER] == 0 && references[REPLY] == 1);
		mp_launch_continue(reply);
		CHECK(references[REPLY] == 0);
		mp_port_release(task);
	} else {
		CHECK(failed && task == MACH_PORT_NULL && reply == MACH_PORT_NULL);
	}
	CHECK(mp_launch_close(port) == KERN_SUCCESS);
	return result;
}

static int32_t wait_for_crash(void)
{
	uint32_t port = 77;
	int32_t result = mp_crash_open(TARGET, &port);
	if (result != KERN_SUCCESS) {
		CHECK(failed && port == MACH_PORT_NULL);
		return result;
	}
	CHECK(references[RECEIVE] == 1 && references[SEND] == 0);
	CHECK(mp_crash_close(port) == KERN_SUCCESS);
	return result;
}

/* A name longer than the bootstrap server's is cut, not written past. */
static int32_t launch_long_name(void)
{
	char name[300];
	uint32_t port;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	int32_t result = mp_launch_open(name, &port);
	return result == KERN_SUCCESS ? mp_launch_close(port) : result;
}

/* Every thread, as none has been looked at before. */
static int32_t sample(void)
{
	static _Alignas(16) uint8_t ring[1 << 18], arena[8 << 20];
	const mp_sample_options options = {
		.period_ns = 6000000, /* the threads are listed each time */
		.count = 4,
		.max_stack = 1 << 16,
		.flags = MP_SAMPLE_OFF_CPU,
	};
	const mp_sample_ring *header = (const mp_sample_ring *)ring;
	uint32_t stacks = 0;

	memset(ring, 0, sizeof(ring));
	int32_t result = mp_sample(
		TARGET, FLAVOR, &options, NULL, NULL, ring, sizeof(ring), arena, sizeof(arena));
	CHECK(header->running == 0 && header->dropped == 0);
	for (uint64_t at = 0; at < header->head;) {
		const mp_sample_record *record
			= (const mp_sample_record *)(ring + sizeof(*header) + at);
		CHECK(record->size >= sizeof(*record) && record->size % 8 == 0);
		stacks += record->kind == MP_RECORD_STACK;
		at += record->size;
	}
	/* Those that are there at the first listing, and the two that are born later. */
	CHECK(failed || (result == KERN_SUCCESS && stacks == 7 && header->samples == 4));
	return result;
}

int main(void)
{
	static const struct {
		const char *name;
		int32_t (*run)(void);
		bool whole; /* the snapshot has all threads when nothing fails */
	} scenarios[] = {
		{"snapshot", snapshot_large, true},
		{"snapshot that keeps the task suspended", snapshot_kept, true},
		{"snapshot into a small buffer", snapshot_small, false},
		{"snapshot into a middling buffer", snapshot_middling, false},
		{"snapshot of oneself", snapshot_self, true},
		{"samples", sample, false},
		{"threads", list_threads, false},
		{"port names", count_ports, false},
		{"suspension", suspend_and_resume, false},
		{"launch", launch, false},
		{"launch by a long name", launch_long_name, false},
		{"wait for a crash", wait_for_crash, false},
	};
	static const int errors[] = {
		KERN_INVALID_ARGUMENT, KERN_FAILURE, KERN_TERMINATED, MACH_SEND_INVALID_DEST,
	};

	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		scenario = scenarios[i].name;
		fail_at = 0;
		reset();
		CHECK(scenarios[i].run() == KERN_SUCCESS);
		check_nothing_held();
		if (scenarios[i].whole)
			check_threads();
		if (scenarios[i].run == snapshot_large || scenarios[i].run == sample)
			CHECK(!asked_while_stopped);
		int total = calls;
		CHECK(total > 0);
		for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++) {
			fail_with = errors[e];
			for (int call = 1; call <= total; call++) {
				fail_at = call;
				reset();
				scenarios[i].run();
				check_nothing_held();
			}
		}
	}

	scenario = "a needed capacity";
	fail_at = 0;
	reset();
	CHECK(take(false, 1000) == KERN_SUCCESS && header()->threads_omitted > 0);
	uint64_t needed = header()->needed;
	CHECK(needed < sizeof(buffer));
	reset();
	CHECK(take(false, needed) == KERN_SUCCESS);
	check_threads();

	scenario = "signals while registers are read";
	reset();
	aborts = 5;
	CHECK(snapshot_large() == KERN_SUCCESS && aborts == 0);
	check_threads();
	reset();
	aborts = 5;
	CHECK(sample() == KERN_SUCCESS && aborts == 0);

	scenario = "oneself";
	uint32_t token;
	reset();
	CHECK(mp_task_suspend(SELF, &token) == KERN_INVALID_ARGUMENT);
	CHECK(mp_thread_suspend(FIRST_THREAD) == KERN_INVALID_ARGUMENT);
	CHECK(mp_snapshot(SELF, FLAVOR, 4096, buffer, sizeof(buffer), NULL) == KERN_INVALID_ARGUMENT);
	CHECK(mp_snapshot(TARGET, 99, 4096, buffer, sizeof(buffer), NULL) == KERN_INVALID_ARGUMENT);
	CHECK(mp_snapshot(TARGET, FLAVOR, 4096, buffer, 39, NULL) == KERN_INVALID_ARGUMENT);
	CHECK(mp_snapshot(TARGET, FLAVOR, 4096, buffer + 4, 4096, NULL) == KERN_INVALID_ARGUMENT);
	check_nothing_held();
	return 0;
}
