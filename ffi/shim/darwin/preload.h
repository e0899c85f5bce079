/*
 * preload.h: the message that a launched program (preload.c) sends to its launcher (shim.c).
 *
 * A request. The launcher answers with an empty message once the program may start. The reply port is a
 * send-once right: if the launcher dies, the kernel sends a notification to it instead.
 */
#ifndef MACHPAUSE_DARWIN_PRELOAD_H
#define MACHPAUSE_DARWIN_PRELOAD_H

#include "mach.h"

/* The environment variable that holds the launcher's bootstrap name. */
#define MP_LAUNCH_VARIABLE "MACHPAUSE_LAUNCH"

/* msgh_id of the request: "mp01". */
#define MP_LAUNCH_ID 0x6d703031

struct mp_launch_message {
	mach_msg_header_t header;
	mach_msg_body_t body;
	mach_msg_port_descriptor_t task;
	int32_t pid;
	uint32_t reserved;
};

_Static_assert(sizeof(struct mp_launch_message) == 48, "the same in every slice");

/* Maximum time that a launched program waits for its launcher, in milliseconds. */
#define MP_LAUNCH_WAIT 10000

#endif
