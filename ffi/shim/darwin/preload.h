/*
 * preload.h: what a launched program sends to who launched it: preload.c to shim.c.
 *
 * A request whose reply port gets an empty message once the program may begin. The kernel makes a
 * send-once right of the reply port, so that it answers in its place when the launcher dies.
 */
#ifndef MACHPAUSE_DARWIN_PRELOAD_H
#define MACHPAUSE_DARWIN_PRELOAD_H

#include "mach.h"

/* The bootstrap name to send to. */
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

/* How long a launched program waits for its launcher, milliseconds. */
#define MP_LAUNCH_WAIT 10000

#endif
