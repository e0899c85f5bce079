/*
 * The exceptions of other tasks: as much of <mach/exception.h> as EXC_CRASH takes. Callers hold mp_lock() only
 * where it is said.
 */
#ifndef MACHPAUSE_LINUX_EXCEPTION_H
#define MACHPAUSE_LINUX_EXCEPTION_H

#include <stdbool.h>
#include <sys/types.h>

#include "../darwin/mach.h"

/* A crash of a watched task: the signal, and the siginfo that came with it. */
struct crash {
	pid_t tid; /* 0: none */
	int32_t signal;
	int32_t code; /* si_code; above 0 when the kernel found the fault */
	uint64_t address;
};

/* Whether a thread will end its process when this signal is delivered to it, as a crash. listing is
 * /proc/PID/task. */
bool mp_exception_is_fatal(int listing, pid_t tid, int signal);
/* Writes the message about a crash of the task whose exception port this is. false if there is none. */
bool mp_exception_receive(mach_msg_header_t *message, mach_msg_size_t size, mach_port_name_t port);

#endif
