/*
 * The tables of ports, tasks and threads. Their memory is reserved once with mmap(), never with
 * malloc(), and records are reused through free lists. mp_lock() guards all of it.
 */
#ifndef MACHPAUSE_LINUX_TABLE_H
#define MACHPAUSE_LINUX_TABLE_H

#include <stdbool.h>
#include <sys/types.h>

#include "../darwin/mach.h"
#include "registers.h"

/* The relation of a thread to its tracer. */
enum attachment {
	DETACHED, /* not traced */
	STOPPING, /* attached and interrupted, not seen to stop yet */
	STOPPED,  /* in a ptrace stop, and its registers were read */
	DYING,    /* has ended, or is being killed, and was not collected by wait() yet */
	GONE,     /* has exited */
};

struct thread {
	struct task *task;
	struct thread *next_in_task, *previous_in_task;
	struct thread *next_in_bucket;
	uint64_t start_time; /* in clock ticks since boot; 0: not read yet. Detects a reused tid */
	mach_port_t port;    /* 0: none */
	pid_t tid;
	uint32_t seen;       /* the generation of the last listing that had this thread */
	int32_t suspends;    /* thread_suspend()s outstanding */
	enum attachment attachment;
	bool lingers;        /* STOPPING past the deadline: polled until it stops or exits */
	int32_t signal;      /* of the stop, delivered on detaching; 0: none */
	bool group_stop;     /* it is stopped by job control, and stays so when it is let go */
	int32_t fault;       /* the signal of the fault at which it stopped; 0: none */
	int32_t fault_code;  /* its si_code */
	uint64_t fault_address;
	uint32_t registers_size;
	int32_t fp_index; /* of the register in whose place is fp, -1: none. See machine.h. */
	uint32_t fp;
	union registers registers;
};

struct tracer;

struct task {
	struct thread *threads;
	mach_port_t port;   /* 0: none */
	pid_t pid;          /* 0: the record is free */
	int pidfd;
	int directory;      /* /proc/PID */
	int listing;        /* /proc/PID/task */
	bool own;           /* the calling process */
	bool our_child;     /* a child of this process, which itself collects its exit */
	uint32_t tokens;    /* task_suspend2()s outstanding */
	uint32_t own_suspensions; /* number of suspended threads, if own */
	uint32_t generation;      /* of the last listing of threads */
	struct maps *maps;
	struct tracer *watcher; /* its threads stay attached to this tracer; NULL: they do not */
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

struct task *mp_task_at(uint32_t index); /* for iterating; free records have pid 0 */

/* The record of a port name; NULL if it is not a port of that kind. */
struct task *mp_port_task(mach_port_t name);
struct thread *mp_port_thread(mach_port_t name);
struct task *mp_port_token(mach_port_t name);

/* Each adds a reference. MACH_PORT_NULL if the table is full. */
mach_port_t mp_port_for_task(struct task *task);
mach_port_t mp_port_for_thread(struct thread *thread);
mach_port_t mp_port_new_token(struct task *task);
/* A new port for messages, over a socket that it closes when it goes; -1 for none. */
mach_port_t mp_port_new_message_port(enum port_kind kind, int socket);
/* Its socket, to read or, of a PORT_RECEIVE without one, to set; NULL where it is not of the kind. */
int *mp_port_socket(mach_port_t name, enum port_kind kind);
/* Adds a reference; false where there is no such name. */
bool mp_port_add(mach_port_t name);
/* Drops a reference; the last one frees the name. false if there is no such name. */
bool mp_port_drop(mach_port_t name);
/* Lists at most capacity of the names in use, and returns how many there are. */
uint32_t mp_port_list(mach_port_t *names, mach_port_type_t *types, uint32_t capacity);

/* Finds or makes a process's record. NULL, and *result, if that fails. */
struct task *mp_task_open(pid_t pid, kern_return_t *result);
struct task *mp_task_own(void);
bool mp_task_alive(const struct task *task);
/* Finds a process's record; NULL if it has none. */
struct task *mp_task_find(pid_t pid);
/* Frees the record if nothing refers to it. */
void mp_task_unuse(struct task *task);

/* A port for the task, with what serves its calls running; adds a reference. In task.c. */
kern_return_t mp_task_name(struct task *task, mach_port_name_t *name);

/* Finds or makes a thread's record; NULL if the table is full. */
struct thread *mp_thread_open(struct task *task, pid_t tid);
void mp_thread_unuse(struct thread *thread);

/* Calls each() for every thread in /proc/PID/task but this library's own, and marks it as seen in a new
 * generation. Returns -ESRCH if the task is gone, -ENOMEM if the table is full. */
int mp_task_list(struct task *task, void (*each)(struct thread *thread, void *context), void *context);

#endif
