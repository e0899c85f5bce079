/*
 * threads.c: pthreads in Darwin's opaque types. Blocking functions have a frame record and make inline
 * system calls, so that the program's frame records can be walked while it waits.
 */
#include "threads.h"
#include "loader.h"
#include "sys.h"

#include <string.h>

enum { DARWIN_EBUSY = 16, DARWIN_EAGAIN = 35, DARWIN_ETIMEDOUT = 60, DARWIN_EPERM = 1, DARWIN_ERANGE = 34 };

/* <sys/_pthread/_pthread_types.h>: a long signature, then opaque bytes. */
#define MUTEX_SIGNATURE 0x32AAABA7l
#define MUTEX_SIGNATURE_RECURSIVE 0x32AAABA2l
#define COND_SIGNATURE 0x3CB0B1BBl
#define RECURSIVE 2 /* PTHREAD_MUTEX_RECURSIVE */
#define DETACHED 2  /* PTHREAD_CREATE_DETACHED */

/* The owner is at the same offset as in Darwin's libpthread, for tools that read it. */
struct mutex {
	long signature;
	uint32_t state; /* 0 free, 1 held, 2 held and waited for */
	uint32_t depth;
	uint32_t unused[sizeof(long) / 4];
	uint64_t owner; /* thread id */
};

struct mutex_attributes {
	long signature;
	uint32_t type;
};

struct condition {
	long signature;
	uint32_t sequence;
};

struct once {
	long signature;
	uint32_t state; /* 0 not run, 1 running, 2 done */
};

struct thread_attributes {
	long signature;
	size_t stack_size;
	uint32_t state; /* PTHREAD_CREATE_* */
};

/* The smallest of Darwin's types on 32-bit systems. */
_Static_assert(sizeof(struct mutex) <= sizeof(long) + 40, "pthread_mutex_t");
_Static_assert(sizeof(struct mutex_attributes) <= sizeof(long) + 8, "pthread_mutexattr_t");
_Static_assert(sizeof(struct condition) <= sizeof(long) + 24, "pthread_cond_t");
_Static_assert(sizeof(struct once) <= sizeof(long) + (sizeof(long) == 8 ? 8 : 4), "pthread_once_t");
_Static_assert(sizeof(struct thread_attributes) <= sizeof(long) + 36, "pthread_attr_t");

static struct thread *threads;
static struct mutex threads_lock;

static uint32_t own_tid(void) { return (uint32_t)sys1(__NR_gettid, 0); }

static int mutex_lock(struct mutex *mutex)
{
	uint32_t state = 0;
	uint32_t self = own_tid();
	if (mutex->signature == MUTEX_SIGNATURE_RECURSIVE && mutex->owner == self) {
		mutex->depth++;
		return 0;
	}
	if (!__atomic_compare_exchange_n(&mutex->state, &state, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		while (__atomic_exchange_n(&mutex->state, 2, __ATOMIC_ACQUIRE))
			sys_futex_wait(&mutex->state, 2, NULL);
	mutex->owner = self;
	return 0;
}

static int mutex_trylock(struct mutex *mutex)
{
	uint32_t state = 0;
	uint32_t self = own_tid();
	if (mutex->signature == MUTEX_SIGNATURE_RECURSIVE && mutex->owner == self) {
		mutex->depth++;
		return 0;
	}
	if (!__atomic_compare_exchange_n(&mutex->state, &state, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return DARWIN_EBUSY;
	mutex->owner = self;
	return 0;
}

static int mutex_unlock(struct mutex *mutex)
{
	if (mutex->depth) {
		mutex->depth--;
		return 0;
	}
	mutex->owner = 0;
	if (__atomic_exchange_n(&mutex->state, 0, __ATOMIC_RELEASE) == 2)
		sys_futex_wake(&mutex->state, 1);
	return 0;
}

static int mutex_init(struct mutex *mutex, const struct mutex_attributes *attributes)
{
	bool recursive = attributes && attributes->type == RECURSIVE;
	*mutex = (struct mutex) { .signature = recursive ? MUTEX_SIGNATURE_RECURSIVE : MUTEX_SIGNATURE };
	return 0;
}

static int mutexattr_init(struct mutex_attributes *attributes)
{
	*attributes = (struct mutex_attributes) { 0 };
	return 0;
}

static int mutexattr_settype(struct mutex_attributes *attributes, int type)
{
	attributes->type = (uint32_t)type;
	return 0;
}

static int nothing_to_destroy(void *object)
{
	(void)object;
	return 0;
}

static int cond_init(struct condition *condition, const void *attributes)
{
	(void)attributes;
	*condition = (struct condition) { .signature = COND_SIGNATURE };
	return 0;
}

static int cond_wait(struct condition *condition, struct mutex *mutex)
{
	uint32_t sequence = __atomic_load_n(&condition->sequence, __ATOMIC_RELAXED);
	mutex_unlock(mutex);
	sys_futex_wait(&condition->sequence, sequence, NULL);
	mutex_lock(mutex);
	return 0;
}

static int cond_timedwait(struct condition *condition, struct mutex *mutex, const struct sys_timespec *until)
{
	struct sys_timespec now = { 0, 0 }, left;
	uint32_t sequence = __atomic_load_n(&condition->sequence, __ATOMIC_RELAXED);
	sys2(__NR_clock_gettime, 0, (long)&now); /* CLOCK_REALTIME */
	left.tv_sec = until->tv_sec - now.tv_sec;
	left.tv_nsec = until->tv_nsec - now.tv_nsec;
	if (left.tv_nsec < 0) {
		left.tv_sec--;
		left.tv_nsec += 1000000000;
	}
	if (left.tv_sec < 0)
		return DARWIN_ETIMEDOUT;
	mutex_unlock(mutex);
	long result = sys_futex_wait(&condition->sequence, sequence, &left);
	mutex_lock(mutex);
	return result == -110 ? DARWIN_ETIMEDOUT : 0; /* -ETIMEDOUT */
}

static int cond_signal(struct condition *condition)
{
	__atomic_add_fetch(&condition->sequence, 1, __ATOMIC_RELEASE);
	sys_futex_wake(&condition->sequence, 1);
	return 0;
}

static int cond_broadcast(struct condition *condition)
{
	__atomic_add_fetch(&condition->sequence, 1, __ATOMIC_RELEASE);
	sys_futex_wake(&condition->sequence, INT32_MAX);
	return 0;
}

static int once(struct once *once, void (*routine)(void))
{
	uint32_t state = 0;
	if (__atomic_compare_exchange_n(&once->state, &state, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		routine();
		__atomic_store_n(&once->state, 2, __ATOMIC_RELEASE);
		sys_futex_wake(&once->state, INT32_MAX);
		return 0;
	}
	while (__atomic_load_n(&once->state, __ATOMIC_ACQUIRE) != 2)
		sys_futex_wait(&once->state, 1, NULL);
	return 0;
}

/* Reuses a released record or allocates one; NULL if out of memory. The lock also guards the arena. */
static struct thread *new_thread(void)
{
	mutex_lock(&threads_lock);
	struct thread *thread = threads;
	while (thread && !(thread->released && host_thread_gone(thread)))
		thread = thread->next;
	if (thread) {
		thread->released = thread->detached = false;
		thread->tid = thread->finished = 0;
		thread->result = NULL;
	} else if ((thread = arena_alloc(sizeof *thread))) {
		thread->next = threads;
		__atomic_store_n(&threads, thread, __ATOMIC_RELEASE);
	}
	mutex_unlock(&threads_lock);
	return thread;
}

static struct thread *self(void)
{
	uint32_t tid = own_tid();
	for (struct thread *thread = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); thread; thread = thread->next)
		if (thread->tid == tid && !thread->finished)
			return thread;
	/* The main thread, or one that the host started. */
	struct thread *thread = new_thread();
	if (!thread)
		die("out of memory");
	thread->tid = tid;
	return thread;
}

static void finish(struct thread *thread, void *result)
{
	mutex_lock(&threads_lock);
	thread->result = result;
	__atomic_store_n(&thread->finished, 1, __ATOMIC_RELEASE);
	thread->released = thread->detached;
	mutex_unlock(&threads_lock);
	sys_futex_wake(&thread->finished, INT32_MAX);
}

void loader_thread_data(struct thread *thread)
{
	struct thread_data *data = &thread->data;
	*data = (struct thread_data) { .thread_id = own_tid(), .slots = { data } };
	arch_set_thread_data(data->slots);
}

void loader_thread_main_data(void)
{
	loader_thread_data(self());
}

void *loader_thread_main(struct thread *thread)
{
	thread->tid = own_tid();
	loader_thread_data(thread);
	finish(thread, thread->start(thread->argument));
	return NULL;
}

static int create(struct thread **created, const struct thread_attributes *attributes, void *(*start)(void *), void *argument)
{
	struct thread *thread = new_thread();
	if (!thread)
		return DARWIN_EAGAIN;
	thread->start = start;
	thread->argument = argument;
	thread->stack_wanted = attributes && attributes->stack_size ? attributes->stack_size : 512 * 1024;
	thread->detached = attributes && attributes->state == DETACHED;
	*created = thread;
	return host_thread_create(thread) ? DARWIN_EAGAIN : 0;
}

static int join(struct thread *thread, void **result)
{
	while (!__atomic_load_n(&thread->finished, __ATOMIC_ACQUIRE))
		sys_futex_wait(&thread->finished, 0, NULL);
	if (result)
		*result = thread->result;
	mutex_lock(&threads_lock);
	thread->released = true;
	mutex_unlock(&threads_lock);
	return 0;
}

static _Noreturn void exit_thread(void *result)
{
	finish(self(), result);
	host_thread_exit();
}

static int detach(struct thread *thread)
{
	mutex_lock(&threads_lock);
	thread->detached = true;
	thread->released = thread->finished;
	mutex_unlock(&threads_lock);
	return 0;
}

static int equal(struct thread *one, struct thread *other) { return one == other; }

static int attr_init(struct thread_attributes *attributes)
{
	*attributes = (struct thread_attributes) { 0 };
	return 0;
}

static int attr_setstacksize(struct thread_attributes *attributes, size_t size)
{
	attributes->stack_size = (size + 4095) & ~(size_t)4095;
	return 0;
}

static int attr_setdetachstate(struct thread_attributes *attributes, int state)
{
	attributes->state = (uint32_t)state;
	return 0;
}

/* On Darwin only the calling thread can be named. Linux keeps 15 bytes of a name. */
static int setname(const char *name)
{
	char cut[16] = { 0 };
	for (size_t i = 0; i < sizeof cut - 1 && name[i]; i++)
		cut[i] = name[i];
	return sys2(__NR_prctl, 15 /* PR_SET_NAME */, (long)cut) ? DARWIN_EPERM : 0;
}

static int getname(struct thread *thread, char *name, size_t size)
{
	char own[16] = { 0 };
	if (thread != self() || size < sizeof own)
		return DARWIN_ERANGE;
	sys2(__NR_prctl, 16 /* PR_GET_NAME */, (long)own);
	memcpy(name, own, sizeof own);
	return 0;
}

static int threadid(struct thread *thread, uint64_t *id)
{
	*id = thread ? thread->tid : own_tid();
	return 0;
}

const struct libsystem_entry thread_entries[] = {
	{ "pthread_attr_destroy", nothing_to_destroy },
	{ "pthread_attr_init", attr_init },
	{ "pthread_attr_setdetachstate", attr_setdetachstate },
	{ "pthread_attr_setstacksize", attr_setstacksize },
	{ "pthread_cond_broadcast", cond_broadcast },
	{ "pthread_cond_destroy", nothing_to_destroy },
	{ "pthread_cond_init", cond_init },
	{ "pthread_cond_signal", cond_signal },
	{ "pthread_cond_timedwait", cond_timedwait },
	{ "pthread_cond_wait", cond_wait },
	{ "pthread_create", create },
	{ "pthread_detach", detach },
	{ "pthread_equal", equal },
	{ "pthread_exit", exit_thread },
	{ "pthread_getname_np", getname },
	{ "pthread_join", join },
	{ "pthread_mutex_destroy", nothing_to_destroy },
	{ "pthread_mutex_init", mutex_init },
	{ "pthread_mutex_lock", mutex_lock },
	{ "pthread_mutex_trylock", mutex_trylock },
	{ "pthread_mutex_unlock", mutex_unlock },
	{ "pthread_mutexattr_destroy", nothing_to_destroy },
	{ "pthread_mutexattr_init", mutexattr_init },
	{ "pthread_mutexattr_settype", mutexattr_settype },
	{ "pthread_once", once },
	{ "pthread_self", self },
	{ "pthread_setname_np", setname },
	{ "pthread_threadid_np", threadid },
	{ NULL, NULL },
};
