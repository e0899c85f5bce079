/*
 * The tables: ports by name, and the tasks and threads that they name. Everything lives in memory
 * reserved from the kernel once, never in malloc()'s, and is reused through free lists. All of it
 * is guarded by mp_lock().
 */
#ifndef MACHPAUSE_LINUX_TABLE_H
#define MACHPAUSE_LINUX_TABLE_H

#include <stdbool.h>
#include <sys/types.h>

#include "../darwin/mach.h"
#include "registers.h"

/* What the tracer has to do with a thread. */
enum attachment {
	DETACHED, /* it runs, or sleeps, on its own */
	STOPPING, /* told to stop, not seen stopped yet */
	STOPPED,  /* in a ptrace stop, its registers in hand */
	DYING,    /* has ended, or is being killed, and nobody has collected that yet */
	GONE,     /* it has exited */
};

struct thread {
	struct task *task;
	struct thread *next_in_task, *previous_in_task;
	struct thread *next_in_bucket;
	uint64_t start_time; /* in clock ticks since boot, 0 until /proc was read; tells a reused tid */
	mach_port_t port;    /* 0: nobody holds one */
	pid_t tid;
	uint32_t seen;       /* the listing of the task's threads it was last in */
	int32_t suspends;    /* thread_suspend()s outstanding */
	enum attachment attachment;
	bool lingers;        /* STOPPING past the deadline: polled until it stops, or exits */
	int32_t signal;      /* that the stop came with, to be delivered on detaching */
	int32_t fault;       /* the signal of the fault it stopped at, or 0 */
	uint64_t fault_address;
	uint32_t registers_size;
	union registers registers;
};

struct task {
	struct thread *threads;
	mach_port_t port;   /* 0: nobody holds one */
	pid_t pid;          /* 0: this record is free */
	int pidfd;
	int directory;      /* /proc/PID */
	int listing;        /* /proc/PID/task */
	bool own;           /* the calling process */
	bool our_child;     /* whose exit this process's own wait calls collect */
	uint32_t tokens;    /* task_suspend2()s outstanding */
	uint32_t own_suspensions; /* suspended threads, where own */
	uint32_t generation;      /* of the last listing of threads */
	struct maps *maps;
};

enum port_kind { PORT_FREE, PORT_TASK, PORT_THREAD, PORT_TOKEN, PORT_RECEIVE, PORT_SEND_ONCE };

struct port {
	union {
		struct task *task; /* of PORT_TASK and PORT_TOKEN */
		struct thread *thread;
		uint32_t next_free;
		int socket; /* of PORT_RECEIVE and PORT_SEND_ONCE: see message.c */
	};
	uint32_t references;
	uint8_t kind;
	uint8_t generation;
};

#define MAX_TASKS 1024
#define MAX_THREADS (1 << 16)

struct task *mp_task_at(uint32_t index); /* for going through them all; see pid */

/* The record of a name, or NULL where it names nothing of that kind. */
struct task *mp_port_task(mach_port_t name);
struct thread *mp_port_thread(mach_port_t name);
struct task *mp_port_token(mach_port_t name);

/* Each adds a reference; MACH_PORT_NULL where the table is full. */
mach_port_t mp_port_for_task(struct task *task);
mach_port_t mp_port_for_thread(struct thread *thread);
mach_port_t mp_port_new_token(struct task *task);
/* A new port for messages, over a socket that it closes when it goes; -1 for none. */
mach_port_t mp_port_new_message_port(enum port_kind kind, int socket);
/* Its socket, to read or, of a PORT_RECEIVE without one, to set; NULL where it is not of the kind. */
int *mp_port_socket(mach_port_t name, enum port_kind kind);
/* Adds a reference; false where there is no such name. */
bool mp_port_add(mach_port_t name);
/* Drops a reference, and with the last one the name; false where there is no such name. */
bool mp_port_drop(mach_port_t name);
/* The names in use, up to capacity of them; returns how many there are. */
uint32_t mp_port_list(mach_port_t *names, mach_port_type_t *types, uint32_t capacity);

/* The process's record, made where there is none; NULL with *result set where that cannot be. */
struct task *mp_task_open(pid_t pid, kern_return_t *result);
struct task *mp_task_own(void);
bool mp_task_alive(const struct task *task);
/* The record for a process that has one, or NULL. */
struct task *mp_task_find(pid_t pid);
/* Frees the record where nothing needs it any more. */
void mp_task_unuse(struct task *task);

/* A port for the task, with what serves its calls running; adds a reference. In task.c. */
kern_return_t mp_task_name(struct task *task, mach_port_name_t *name);

/* The thread's record, made where there is none; NULL where there is no room. */
struct thread *mp_thread_open(struct task *task, pid_t tid);
void mp_thread_unuse(struct thread *thread);

/* Calls back for each thread that /proc lists, and marks it seen in a new generation; the threads
 * that serve this library are left out. A negative errno where the task is gone, -ENOMEM where
 * there is no room. */
int mp_task_list(struct task *task, void (*each)(struct thread *thread, void *context), void *context);

#endif
