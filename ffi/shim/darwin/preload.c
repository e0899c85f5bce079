/*
 * preload.c: the library that is inserted into launched programs with DYLD_INSERT_LIBRARIES. It sends
 * the program's task port to the launcher, which then does not need task_for_pid(): XNU allows that
 * only to root and to debuggers, not to a parent for its child (bsd/kern/kern_proc.c,
 * task_for_pid_posix_check() and mac_proc_check_get_task()). samply launches programs in the same way
 * (samply-mac-preload/src/lib.rs, samply/src/mac/process_launcher.rs).
 *
 * A program may send its own task port unless it is one of the system's, whose ports are immovable
 * (osfmk/ipc/ipc_init.c, IPC_CONTROL_PORT_OPTIONS_DEFAULT); dyld inserts nothing into those. From macOS 26
 * on the ports of programs with platform restrictions are immovable too (osfmk/kern/task.c,
 * task_set_ctrl_port_default()), and to send one ends the program: ffi/insertion.ts tells them by their
 * entitlements.
 *
 * The library runs in programs of all kinds, so it uses only libSystem, allocates nothing, and ignores
 * failures: the program then runs as if it were not there.
 */
#include "preload.h"

#include <stdbool.h>

/* <crt_externs.h> */
extern char ***_NSGetEnviron(void);
/* <unistd.h> */
extern int getpid(void);

/* The end of the path under which the launcher names this library. */
static const char library_name[] = "/libmachpause_preload.dylib";

static const char *after(const char *text, const char *prefix)
{
	while (*prefix != '\0')
		if (*text++ != *prefix++)
			return NULL;
	return text;
}

/* The value if the entry sets NAME or __XPC_NAME, else NULL. XPC removes the prefix and passes the
 * variable to the services that it starts. */
static const char *value_of(const char *entry, const char *name)
{
	const char *plain = after(entry, "__XPC_");
	const char *value = after(plain != NULL ? plain : entry, name);
	return value != NULL && *value == '=' ? value + 1 : NULL;
}

/* The list after this library, or NULL if this library is not the first in it. */
static char *rest_of(char *libraries)
{
	char *end = libraries;
	while (*end != '\0' && *end != ':')
		end++;
	size_t length = sizeof(library_name) - 1;
	if ((size_t)(end - libraries) < length || after(end - length, library_name) != end)
		return NULL;
	return *end == ':' ? end + 1 : end;
}

/* Removes this library and the bootstrap name from the environment, in place, so that the program and
 * its children see the environment that they would have had. */
static void restore_environment(char **environment)
{
	char **to = environment;
	for (char **from = environment; *from != NULL; from++) {
		if (value_of(*from, MP_LAUNCH_VARIABLE) != NULL)
			continue;
		char *libraries = (char *)(uintptr_t)value_of(*from, "DYLD_INSERT_LIBRARIES");
		char *rest = libraries != NULL ? rest_of(libraries) : NULL;
		if (rest != NULL) {
			if (*rest == '\0')
				continue;
			while ((*libraries++ = *rest++) != '\0')
				;
		}
		*to++ = *from;
	}
	*to = NULL;
}

static void introduce(const char *name)
{
	mach_port_t bootstrap = MACH_PORT_NULL;
	mach_port_t launcher = MACH_PORT_NULL;
	if (task_get_special_port(mach_task_self(), TASK_BOOTSTRAP_PORT, &bootstrap) != KERN_SUCCESS)
		return;
	kern_return_t result = bootstrap_look_up(bootstrap, name, &launcher);
	mach_port_deallocate(mach_task_self(), bootstrap);
	if (result != KERN_SUCCESS)
		return;

	/* The received message is followed by a trailer. */
	struct {
		struct mp_launch_message message;
		char trailer[64];
	} buffer;
	/* Newer kernels expect reply ports to be made by this call (osfmk/ipc/ipc_port.c). */
	mach_port_t reply = mach_reply_port();
	struct mp_launch_message *message = &buffer.message;
	*message = (struct mp_launch_message){
		.header = {
			.msgh_bits = MACH_MSGH_BITS(MACH_MSG_TYPE_COPY_SEND, MACH_MSG_TYPE_MAKE_SEND_ONCE)
				| MACH_MSGH_BITS_COMPLEX,
			.msgh_size = sizeof(*message),
			.msgh_remote_port = launcher,
			.msgh_local_port = reply,
			.msgh_id = MP_LAUNCH_ID,
		},
		.body = { .msgh_descriptor_count = 1 },
		.task = {
			.name = mach_task_self(),
			.disposition = MACH_MSG_TYPE_COPY_SEND,
			.type = MACH_MSG_PORT_DESCRIPTOR,
		},
		.pid = getpid(),
	};
	/* The content of the answer is ignored: it may also be the kernel's notification. */
	mach_msg(&message->header, MACH_SEND_MSG | MACH_RCV_MSG | MACH_SEND_TIMEOUT | MACH_RCV_TIMEOUT,
		sizeof(*message), sizeof(buffer), reply, MP_LAUNCH_WAIT, MACH_PORT_NULL);
	mach_port_deallocate(mach_task_self(), launcher);
	mach_port_mod_refs(mach_task_self(), reply, MACH_PORT_RIGHT_RECEIVE, -1);
}

/* dyld runs the initialisers of inserted libraries after libSystem's and before the program's own
 * (dyld4::APIs::runAllInitializersForMain()). */
__attribute__((constructor)) static void preload(void)
{
	char **environment = *_NSGetEnviron();
	/* Points into an entry's text, which is not moved when entries are removed. */
	const char *name = NULL;
	for (char **entry = environment; *entry != NULL; entry++) {
		const char *value = after(*entry, MP_LAUNCH_VARIABLE "=");
		if (value != NULL)
			name = value;
	}
	if (name == NULL)
		return;
	restore_environment(environment);
	introduce(name);
}
