#define _GNU_SOURCE
#include "table.h"

#include <poll.h>
#include <stddef.h>
#include <unistd.h>

#include "maps.h"
#include "procfs.h"
#include "result.h"
#include "sys.h"
#include "tracer.h"

enum {
	MAX_PORTS = 1 << 17,
	BUCKETS = 4096,
	OWN_TASK_PORT = 1, /* the index of the calling process's task port, which is always there */
};

/* A name has the index and a generation, so that a released name is not reused soon. The two lowest bits
 * are set, as in XNU's names. */
static mach_port_t name_of(uint32_t index, uint8_t generation)
{
	return index << 8 | (mach_port_t)(uint8_t)(generation << 2) | 3;
}

mach_port_t mach_task_self_ = OWN_TASK_PORT << 8 | 3;

static struct port *ports;
static uint32_t ports_used = OWN_TASK_PORT + 1;
static uint32_t free_port;

static struct thread *threads;
static uint32_t threads_used;
static struct thread *free_threads;
static struct thread *buckets[BUCKETS];

static struct task tasks[MAX_TASKS] = {{.pid = 0}};

/* Reserves the tables' memory at first use, so that loading the library costs nothing. */
static bool reserve(void)
{
	if (!ports)
		ports = sys_reserve(MAX_PORTS * sizeof *ports);
	if (!threads)
		threads = sys_reserve(MAX_THREADS * sizeof *threads);
	return ports && threads;
}

/* Ports */

static struct port *port_at(mach_port_t name, enum port_kind kind)
{
	uint32_t index = name >> 8;

	if (!ports || index == 0 || index >= ports_used)
		return NULL;
	struct port *port = &ports[index];
	return port->kind == kind && name_of(index, port->generation) == name ? port : NULL;
}

static mach_port_t new_port(enum port_kind kind)
{
	uint32_t index = free_port;

	if (!reserve())
		return MACH_PORT_NULL;
	if (index)
		free_port = ports[index].next_free;
	else if (ports_used < MAX_PORTS)
		index = ports_used++;
	else
		return MACH_PORT_NULL;
	ports[index].kind = (uint8_t)kind;
	ports[index].references = 1;
	return name_of(index, ports[index].generation);
}

struct task *mp_port_task(mach_port_t name)
{
	if (name == mach_task_self_)
		return mp_task_own();
	struct port *port = port_at(name, PORT_TASK);
	return port ? port->task : NULL;
}

struct thread *mp_port_thread(mach_port_t name)
{
	struct port *port = port_at(name, PORT_THREAD);
	return port ? port->thread : NULL;
}

struct task *mp_port_token(mach_port_t name)
{
	struct port *port = port_at(name, PORT_TOKEN);
	return port ? port->task : NULL;
}

mach_port_t mp_port_for_task(struct task *task)
{
	if (task->own)
		return mach_task_self_;
	if (task->port) {
		ports[task->port >> 8].references++;
		return task->port;
	}
	task->port = new_port(PORT_TASK);
	if (task->port)
		ports[task->port >> 8].task = task;
	return task->port;
}

mach_port_t mp_port_for_thread(struct thread *thread)
{
	if (thread->port) {
		ports[thread->port >> 8].references++;
		return thread->port;
	}
	thread->port = new_port(PORT_THREAD);
	if (thread->port)
		ports[thread->port >> 8].thread = thread;
	return thread->port;
}

mach_port_t mp_port_new_token(struct task *task)
{
	mach_port_t name = new_port(PORT_TOKEN);
	if (name)
		ports[name >> 8].task = task;
	return name;
}

mach_port_t mp_port_new_message_port(enum port_kind kind, int socket)
{
	mach_port_t name = new_port(kind);
	if (name)
		ports[name >> 8].socket = socket;
	return name;
}

int *mp_port_socket(mach_port_t name, enum port_kind kind)
{
	struct port *port = port_at(name, kind);
	return port ? &port->socket : NULL;
}

/* The port with a name, of any kind; NULL if there is none. */
static struct port *any_port(mach_port_t name)
{
	uint32_t index = name >> 8;

	if (!ports || index == 0 || index >= ports_used)
		return NULL;
	struct port *port = &ports[index];
	return port->kind == PORT_FREE || name_of(index, port->generation) != name ? NULL : port;
}

bool mp_port_add(mach_port_t name)
{
	struct port *port = name == mach_task_self_ ? NULL : any_port(name);

	if (port)
		port->references++;
	return port || name == mach_task_self_;
}

bool mp_port_drop(mach_port_t name)
{
	uint32_t index = name >> 8;

	if (name == mach_task_self_)
		return true;
	struct port *port = any_port(name);
	if (!port)
		return false;
	if (--port->references)
		return true;
	struct port last = *port;
	port->kind = PORT_FREE;
	port->generation++;
	port->next_free = free_port;
	free_port = index;
	if (last.kind == PORT_THREAD) {
		last.thread->port = 0;
		mp_thread_unuse(last.thread);
	} else if (last.kind == PORT_TASK) {
		last.task->port = 0;
		mp_task_unuse(last.task);
	} else if (last.kind == PORT_RECEIVE || last.kind == PORT_SEND_ONCE) {
		sys_close(last.socket);
	}
	return true;
}

uint32_t mp_port_list(mach_port_t *names, mach_port_type_t *types, uint32_t capacity)
{
	enum { SEND_RIGHT = 1 << 16, DEAD_NAME = 1 << 20 };
	uint32_t count = 0;

	for (uint32_t index = OWN_TASK_PORT; index < ports_used; index++) {
		bool own = index == OWN_TASK_PORT;
		if (!own && (!ports || ports[index].kind == PORT_FREE))
			continue;
		if (count < capacity) {
			bool dead = !own && ports[index].kind == PORT_THREAD &&
				ports[index].thread->attachment >= DYING;
			names[count] = own ? mach_task_self_ : name_of(index, ports[index].generation);
			types[count] = dead ? DEAD_NAME : SEND_RIGHT;
		}
		count++;
	}
	return count;
}

/* Tasks */

struct task *mp_task_at(uint32_t index)
{
	return &tasks[index];
}

bool mp_task_alive(const struct task *task)
{
	/* A pidfd becomes readable when the last thread exits, waited for or not. A signal for this process makes
	 * the call fail with EINTR, which says nothing of the task. */
	struct pollfd pidfd = {.fd = task->pidfd, .events = POLLIN};
	struct timespec now = {0, 0};

	if (task->own)
		return true;
	long found;
	do {
		found = SYS5(SYS_ppoll, &pidfd, 1, &now, 0, 0);
	} while (found == -EINTR);
	return found != 1;
}

struct task *mp_task_find(pid_t pid)
{
	for (unsigned i = 0; i < MAX_TASKS; i++)
		if (tasks[i].pid == pid)
			return &tasks[i];
	return NULL;
}

struct task *mp_task_open(pid_t pid, kern_return_t *result)
{
	struct task *task = NULL;

	*result = KERN_FAILURE;
	for (unsigned i = 0; i < MAX_TASKS; i++) {
		/* A record of an ended process does not match a new process with its pid. */
		if (tasks[i].pid == pid && mp_task_alive(&tasks[i])) {
			*result = KERN_SUCCESS;
			return &tasks[i];
		}
		if (tasks[i].pid == 0 && !task)
			task = &tasks[i];
	}
	if (!task || !reserve()) {
		*result = KERN_RESOURCE_SHORTAGE;
		return NULL;
	}
	char path[32];
	struct proc_stat stat;
	*task = (struct task){.own = pid == sys_getpid(), .listing = -1, .directory = -1};
	task->pidfd = (int)SYS2(SYS_pidfd_open, pid, 0);
	if (task->pidfd >= 0) {
		mp_proc_path(path, "/proc/", pid, "");
		task->directory = sys_open_at(AT_FDCWD, path, O_DIRECTORY | O_PATH);
		if (task->directory >= 0)
			task->listing = sys_open_at(task->directory, "task", O_DIRECTORY | O_RDONLY);
		/* If the process still lives, the pid was not reused between these calls. */
		if (task->listing >= 0 && mp_proc_stat(task->directory, "stat", &stat) &&
			mp_task_alive(task)) {
			task->our_child = stat.parent == sys_getpid();
			task->pid = pid;
			*result = KERN_SUCCESS;
			return task;
		}
	}
	/* Opens that were not tried have -1, which is -EPERM. */
	int probe = sys_open_at(AT_FDCWD, "/proc", O_DIRECTORY | O_PATH);
	sys_close(probe);
	if (mp_result_of(task->pidfd) == KERN_RESOURCE_SHORTAGE ||
		mp_result_of(probe) == KERN_RESOURCE_SHORTAGE)
		*result = KERN_RESOURCE_SHORTAGE;
	sys_close(task->pidfd);
	sys_close(task->directory);
	sys_close(task->listing);
	return NULL;
}

struct task *mp_task_own(void)
{
	kern_return_t result;
	pid_t pid = sys_getpid();
	struct task *task = mp_task_find(pid);

	/* After a fork() the record may be that of the parent. */
	return task && task->own ? task : mp_task_open(pid, &result);
}

void mp_task_unuse(struct task *task)
{
	if (task->own || task->port || task->tokens || task->threads || task->watcher)
		return;
	mp_maps_free(task);
	sys_close(task->pidfd);
	sys_close(task->directory);
	sys_close(task->listing);
	task->pid = 0;
}

/* Threads */

static struct thread **bucket_of(pid_t tid)
{
	return &buckets[(uint32_t)tid % BUCKETS];
}

struct thread *mp_thread_open(struct task *task, pid_t tid)
{
	struct thread **bucket = bucket_of(tid);
	struct thread *thread;

	for (thread = *bucket; thread; thread = thread->next_in_bucket)
		if (thread->tid == tid && thread->task == task && thread->attachment != GONE)
			return thread;
	if (free_threads) {
		thread = free_threads;
		free_threads = thread->next_in_bucket;
	} else if (threads_used < MAX_THREADS) {
		thread = &threads[threads_used++];
	} else {
		return NULL;
	}
	*thread = (struct thread){.task = task, .tid = tid, .attachment = DETACHED};
	thread->next_in_bucket = *bucket;
	*bucket = thread;
	thread->next_in_task = task->threads;
	if (task->threads)
		task->threads->previous_in_task = thread;
	task->threads = thread;
	return thread;
}

void mp_thread_unuse(struct thread *thread)
{
	struct task *task = thread->task;
	struct thread **link = bucket_of(thread->tid);

	if (thread->port || (thread->attachment != DETACHED && thread->attachment != GONE))
		return;
	if (thread->suspends && thread->attachment != GONE)
		return;
	if (thread->suspends && task->own)
		task->own_suspensions--;
	while (*link != thread)
		link = &(*link)->next_in_bucket;
	*link = thread->next_in_bucket;
	if (thread->next_in_task)
		thread->next_in_task->previous_in_task = thread->previous_in_task;
	if (thread->previous_in_task)
		thread->previous_in_task->next_in_task = thread->next_in_task;
	else
		task->threads = thread->next_in_task;
	thread->next_in_bucket = free_threads;
	free_threads = thread;
	mp_task_unuse(task);
}

int mp_task_list(struct task *task, void (*each)(struct thread *thread, void *context), void *context)
{
	/* struct linux_dirent64 of the kernel */
	struct entry {
		uint64_t inode;
		int64_t offset;
		uint16_t length;
		uint8_t type;
		char name[];
	};
	_Alignas(struct entry) char buffer[8192];
	long size = SYS3(SYS_lseek, task->listing, 0, SEEK_SET);
	uint32_t generation = ++task->generation;

	while (size >= 0) {
		size = SYS3(SYS_getdents64, task->listing, buffer, sizeof buffer);
		if (size == 0)
			return 0;
		for (long at = 0; at < size;) {
			const struct entry *entry = (const struct entry *)(buffer + at);
			pid_t tid = (pid_t)mp_proc_number(entry->name);
			at += entry->length;
			if (tid == 0 || (task->own && mp_tracer_is(tid)))
				continue;
			struct thread *thread = mp_thread_open(task, tid);
			if (!thread)
				return -ENOMEM;
			thread->seen = generation;
			each(thread, context);
		}
	}
	return size == -ENOENT ? -ESRCH : (int)size;
}
