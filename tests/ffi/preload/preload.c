/*
 * The library for launched programs over a Mach of the test's own, and an environment of it. Prints
 * nothing and returns 0 when, whatever fails, the program's environment is what it would have been
 * without the library, and every port was given back.
 *
 * preload.c is included: its constructor is run again and again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define getpid own_getpid
#include "darwin/preload.c"
#undef getpid

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s (call %d fails)\n", __FILE__, __LINE__, #condition, fail_at); \
			exit(1); \
		} \
	} while (0)

enum { SELF = 1, BOOTSTRAP, LAUNCHER, REPLY, PORTS };

static int references[PORTS];
static int calls, fail_at;
static int sent;
/* The constructor runs by itself too, before main(). */
static char *nothing[] = {NULL};
static char **environment = nothing;

mach_port_t mach_task_self_ = SELF;

char ***_NSGetEnviron(void) { return &environment; }
int own_getpid(void) { return 4242; }

static bool fails(void) { return ++calls == fail_at; }

kern_return_t task_get_special_port(task_inspect_t task, int which, mach_port_t *port)
{
	CHECK(task == SELF && which == TASK_BOOTSTRAP_PORT);
	if (fails())
		return KERN_FAILURE;
	references[BOOTSTRAP]++;
	*port = BOOTSTRAP;
	return KERN_SUCCESS;
}

kern_return_t bootstrap_look_up(mach_port_t bootstrap, const char *name, mach_port_t *port)
{
	CHECK(bootstrap == BOOTSTRAP && references[BOOTSTRAP] == 1 && strcmp(name, "the.name") == 0);
	if (fails())
		return 1102; /* BOOTSTRAP_UNKNOWN_SERVICE */
	references[LAUNCHER]++;
	*port = LAUNCHER;
	return KERN_SUCCESS;
}

mach_port_name_t mach_reply_port(void)
{
	references[REPLY]++;
	return REPLY;
}

kern_return_t mach_port_deallocate(ipc_space_t task, mach_port_name_t name)
{
	CHECK(task == SELF && (name == BOOTSTRAP || name == LAUNCHER) && references[name] == 1);
	references[name]--;
	return KERN_SUCCESS;
}

kern_return_t mach_port_mod_refs(ipc_space_t task, mach_port_name_t name, mach_port_right_t right, mach_port_delta_t delta)
{
	CHECK(task == SELF && name == REPLY && right == MACH_PORT_RIGHT_RECEIVE && delta == -1);
	references[REPLY]--;
	return KERN_SUCCESS;
}

/* What is not bounded in time could hang every program that is launched. */
mach_msg_return_t mach_msg(mach_msg_header_t *header, mach_msg_option_t option, mach_msg_size_t send_size, mach_msg_size_t receive_size, mach_port_name_t receive_name, mach_msg_timeout_t timeout, mach_port_name_t notify)
{
	const struct mp_launch_message *message = (const void *)header;
	CHECK(option == (MACH_SEND_MSG | MACH_RCV_MSG | MACH_SEND_TIMEOUT | MACH_RCV_TIMEOUT));
	CHECK(timeout == 10000 && notify == MACH_PORT_NULL && receive_name == REPLY);
	CHECK(send_size == sizeof(*message) && receive_size >= sizeof(*message) + sizeof(mach_msg_trailer_t));
	CHECK(header->msgh_bits == (MACH_MSGH_BITS_COMPLEX
		| MACH_MSGH_BITS(MACH_MSG_TYPE_COPY_SEND, MACH_MSG_TYPE_MAKE_SEND_ONCE)));
	CHECK(header->msgh_size == sizeof(*message) && header->msgh_id == MP_LAUNCH_ID);
	CHECK(header->msgh_remote_port == LAUNCHER && header->msgh_local_port == REPLY);
	CHECK(message->body.msgh_descriptor_count == 1 && message->task.name == SELF);
	CHECK(message->task.type == MACH_MSG_PORT_DESCRIPTOR);
	CHECK(message->task.disposition == MACH_MSG_TYPE_COPY_SEND && message->pid == 4242);
	sent++;
	return fails() ? MACH_RCV_TIMED_OUT : MACH_MSG_SUCCESS;
}

#define LIBRARY "/somewhere/libmachpause_preload.dylib"

/* Each ends with its first NULL. */
static const struct {
	const char *before[8];
	const char *after[8];
	int sent;
} environments[] = {
	/* Not launched: nothing is done, and nothing changed. */
	{{"A=1", "DYLD_INSERT_LIBRARIES=" LIBRARY}, {"A=1", "DYLD_INSERT_LIBRARIES=" LIBRARY}, 0},
	{{NULL}, {NULL}, 0},
	{{"A=1", "MACHPAUSE_LAUNCH=the.name", "DYLD_INSERT_LIBRARIES=" LIBRARY, "B=2"}, {"A=1", "B=2"}, 1},
	/* By way of XPC's. */
	{{"DYLD_INSERT_LIBRARIES=" LIBRARY, "__XPC_DYLD_INSERT_LIBRARIES=" LIBRARY,
		"__XPC_MACHPAUSE_LAUNCH=the.name", "MACHPAUSE_LAUNCH=the.name"}, {NULL}, 1},
	/* The program's own libraries stay, in order; those that are not led by this one are not ours. */
	{{"MACHPAUSE_LAUNCH=the.name", "DYLD_INSERT_LIBRARIES=" LIBRARY ":/a.dylib:/b.dylib",
		"__XPC_DYLD_INSERT_LIBRARIES=/c.dylib:" LIBRARY},
		{"DYLD_INSERT_LIBRARIES=/a.dylib:/b.dylib", "__XPC_DYLD_INSERT_LIBRARIES=/c.dylib:" LIBRARY}, 1},
	{{"MACHPAUSE_LAUNCH=the.name", "DYLD_INSERT_LIBRARIES=x.dylib"}, {"DYLD_INSERT_LIBRARIES=x.dylib"}, 1},
	{{"MACHPAUSE_LAUNCH=the.name", "DYLD_INSERT_LIBRARIES="}, {"DYLD_INSERT_LIBRARIES="}, 1},
	/* Names that only begin alike. */
	{{"MACHPAUSE_LAUNCHER=1", "MACHPAUSE_LAUNCH=the.name", "DYLD_INSERT_LIBRARIES_TOO=" LIBRARY},
		{"MACHPAUSE_LAUNCHER=1", "DYLD_INSERT_LIBRARIES_TOO=" LIBRARY}, 1},
};

static void run(size_t which)
{
	char *entries[8] = {NULL};
	for (int i = 0; environments[which].before[i] != NULL; i++)
		entries[i] = strdup(environments[which].before[i]);
	environment = entries;
	calls = sent = 0;
	preload();
	int i = 0;
	for (; environments[which].after[i] != NULL; i++)
		CHECK(environment[i] != NULL && strcmp(environment[i], environments[which].after[i]) == 0);
	CHECK(environment[i] == NULL);
	for (int port = 0; port < PORTS; port++)
		CHECK(references[port] == 0);
}

int main(void)
{
	for (size_t which = 0; which < sizeof(environments) / sizeof(environments[0]); which++) {
		fail_at = 0;
		run(which);
		CHECK(sent == environments[which].sent);
		for (fail_at = 1; fail_at <= 3; fail_at++)
			run(which);
	}
	return 0;
}
