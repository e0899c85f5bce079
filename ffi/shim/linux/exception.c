#define _GNU_SOURCE
#include "exception.h"

#include <signal.h>

#include "lock.h"
#include "procfs.h"
#include "result.h"
#include "sys.h"
#include "table.h"
#include "tracer.h"

/* The mask in a line of /proc/PID/status, such as SigCgt. */
static uint64_t mask_of(const char *status, const char *name)
{
	const char *line = strstr(status, name);
	uint64_t mask = 0;

	if (!line)
		return 0;
	for (line += strlen(name); *line == ':' || *line == '\t';)
		line++;
	for (;; line++) {
		if (*line >= '0' && *line <= '9')
			mask = mask << 4 | (uint64_t)(*line - '0');
		else if (*line >= 'a' && *line <= 'f')
			mask = mask << 4 | (uint64_t)(*line - 'a' + 10);
		else
			return mask;
	}
}

bool mp_exception_is_fatal(int listing, pid_t tid, int signal)
{
	char path[32];
	char status[4096];

	if (signal != SIGSEGV && signal != SIGBUS && signal != SIGILL && signal != SIGFPE &&
		signal != SIGTRAP && signal != SIGABRT && signal != SIGSYS)
		return false;
	mp_proc_path(path, "", tid, "/status");
	if (mp_proc_read(listing, path, status, sizeof status) <= 0)
		return false;
	/* For a fault that cannot be handled now, the kernel has reset both (kernel/signal.c,
	 * force_sig_info_to_task()). */
	uint64_t bit = (uint64_t)1 << (signal - 1);
	return !((mask_of(status, "SigIgn") | mask_of(status, "SigCgt")) & bit);
}

kern_return_t task_set_exception_ports(task_t name, exception_mask_t mask, mach_port_t port,
	exception_behavior_t behavior, thread_state_flavor_t flavor)
{
	/* XNU ends the callers that ask for another one, for some targets. */
	const exception_behavior_t safe
		= (exception_behavior_t)(EXCEPTION_IDENTITY_PROTECTED | MACH_EXCEPTION_CODES);
	kern_return_t result = KERN_INVALID_ARGUMENT;

	mp_lock();
	struct task *task = mp_port_task(name);
	const int *socket = mp_port_socket(port, PORT_RECEIVE);
	if (task && !task->own && !task->watcher && socket && *socket < 0 && mask == EXC_MASK_CRASH &&
		behavior == safe && flavor == THREAD_STATE_NONE)
		result = mp_result_of(mp_tracer_watch(task, port));
	mp_unlock();
	return result;
}

struct translation {
	int32_t here, darwin;
	exception_type_t exception;
};

/* bsd/uxkern/ux_exception.c, and Darwin's <sys/signal.h>. */
static struct translation translate(int32_t signal)
{
	static const struct translation all[] = {
		{SIGSEGV, 11, EXC_BAD_ACCESS}, {SIGBUS, 10, EXC_BAD_ACCESS}, {SIGILL, 4, EXC_BAD_INSTRUCTION},
		{SIGFPE, 8, EXC_ARITHMETIC}, {SIGTRAP, 5, EXC_BREAKPOINT}, {SIGSYS, 12, 0},
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].here == signal)
			return all[i];
	return (struct translation){signal, signal, 0};
}

/* code[0] of an exception that the kernel found. */
static int64_t code_of(const struct crash *crash)
{
	if (machine_is_protection(crash->signal, crash->code))
		return 13; /* EXC_I386_GPFLT: user_trap() of osfmk/i386/trap.c */
	if (crash->signal == SIGSEGV)
		return crash->code == SEGV_ACCERR ? KERN_PROTECTION_FAILURE : KERN_INVALID_ADDRESS;
	return 1; /* EXC_I386_DIV, EXC_I386_INVOP, EXC_I386_BPT, and of SIGBUS KERN_INVALID_ADDRESS */
}

bool mp_exception_receive(mach_msg_header_t *message, mach_msg_size_t size, mach_port_name_t port)
{
	struct crash crash;
	struct task *task;
#pragma pack(push, 4)
	struct {
		mach_msg_header_t header;
		mach_msg_body_t body;
		mach_msg_port_descriptor_t task_id_token;
		uint8_t ndr[8];
		uint64_t thread_id;
		exception_type_t exception;
		mach_msg_type_number_t code_count;
		int64_t code[2];
	} raised = {.body = {1}, .exception = EXC_CRASH, .code_count = 2};
#pragma pack(pop)

	if (size < sizeof raised)
		return false;
	mp_lock();
	bool crashed = mp_tracer_crashed(port, &task, &crash);
	mach_port_t reply = crashed ? mp_port_new_message_port(PORT_SEND_ONCE, -1) : MACH_PORT_NULL;
	/* For a token of the task's identity any name of it will do: nothing but a release is done with it. */
	mach_port_t token = reply ? mp_port_for_task(task) : MACH_PORT_NULL;
	if (token)
		mp_tracer_told(task, reply);
	else if (reply)
		mp_port_drop(reply);
	mp_unlock();
	if (!token)
		return false;
	raised.task_id_token = (mach_msg_port_descriptor_t){.name = token,
		.disposition = MACH_MSG_TYPE_MOVE_SEND, .type = MACH_MSG_PORT_DESCRIPTOR};
	raised.thread_id = (uint64_t)crash.tid;
	struct translation as = translate(crash.signal);
	bool fault = crash.code > 0 && as.exception;
	raised.code[0] = (int64_t)as.darwin << 24;
	if (fault)
		raised.code[0] |= (int64_t)as.exception << 20 | code_of(&crash);
	if (fault)
		raised.code[1] = (int64_t)crash.address;
	raised.header = (mach_msg_header_t){
		.msgh_bits = MACH_MSGH_BITS_COMPLEX |
			MACH_MSGH_BITS(MACH_MSG_TYPE_MOVE_SEND_ONCE, MACH_MSG_TYPE_MOVE_SEND),
		.msgh_size = sizeof raised,
		.msgh_remote_port = reply,
		.msgh_local_port = port,
		.msgh_id = 2408,
	};
	memcpy(message, &raised, sizeof raised);
	return true;
}
