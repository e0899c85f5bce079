/*
 * queues.c: dispatch queues, as the demo needs them. Where there is no libdispatch, a thread's queue is
 * published as libdispatch 1542 does: in the thread's slot 20, with dispatch_queue_offsets of version 6.
 */
#include "workers.h"

#include <pthread.h>

/* The head of struct dispatch_queue_s: libdispatch's src/queue_internal.h and src/object_internal.h. */
struct queue {
	const void *isa;
	int references[2];
	struct queue *next;
	struct queue *target;
	void *context;
	void *finalizer;
	void *opaque;
	unsigned long long state;
	unsigned long serial_number;
	const char *label;
	unsigned short width; /* 1: serial */
	unsigned short opaque2;
	unsigned int priority;
};

/* private/introspection_private.h of libdispatch. */
EXPORT const struct {
	unsigned short version;
	unsigned short label, label_size, flags, flags_size, serial_number, serial_number_size;
	unsigned short width, width_size, running, running_size, suspend_count, suspend_count_size;
	unsigned short target_queue, target_queue_size, priority, priority_size;
} dispatch_queue_offsets = {
	.version = 6,
	.label = __builtin_offsetof(struct queue, label),
	.label_size = sizeof(const char *),
	.serial_number = __builtin_offsetof(struct queue, serial_number),
	.serial_number_size = sizeof(unsigned long),
	.width = __builtin_offsetof(struct queue, width),
	.width_size = sizeof(unsigned short),
	.target_queue = __builtin_offsetof(struct queue, target),
	.target_queue_size = sizeof(struct queue *),
};

/* Of libdispatch: DISPATCH_QUEUE_WIDTH_POOL. */
enum { POOL = 0xfff };

static struct queue root = { .label = "com.apple.root.default-qos", .width = POOL, .serial_number = 10 };
static struct queue overcommit = {
	.label = "com.apple.root.default-qos.overcommit", .width = POOL, .serial_number = 11,
};
static struct queue main_queue = {
	.label = "com.apple.main-thread", .width = 1, .serial_number = 1, .target = &overcommit,
};
static struct queue accounts = {
	.label = "com.example.accounts", .width = 1, .serial_number = 17, .target = &overcommit,
};
static struct queue orders = {
	.label = "com.example.orders", .width = 1, .serial_number = 18, .target = &overcommit,
};

#if defined(__LP64__)
/* <dispatch/queue.h>; null where there is no libdispatch. */
extern void *dispatch_queue_create(const char *label, void *attributes) __attribute__((weak_import));
extern void *dispatch_get_global_queue(long identifier, unsigned long flags) __attribute__((weak_import));
extern void dispatch_async_f(void *queue, void *context, void (*work)(void *)) __attribute__((weak_import));

static int has_libdispatch(void)
{
	return dispatch_queue_create && dispatch_get_global_queue && dispatch_async_f;
}

static void dispatch(int queue, void *(*work)(void *), void *argument)
{
	void *to;
	if (queue == QUEUE_GLOBAL)
		to = dispatch_get_global_queue(0, 0);
	else if (queue == QUEUE_ACCOUNTS)
		to = dispatch_queue_create(accounts.label, 0);
	else
		to = dispatch_queue_create(orders.label, 0);
	dispatch_async_f(to, argument, (void (*)(void *))(void *)work);
}
#else
static int has_libdispatch(void) { return 0; }
static void dispatch(int queue, void *(*work)(void *), void *argument)
{
	(void)queue;
	(void)work;
	(void)argument;
}
#endif

int queue_start(int queue, void *(*work)(void *), void *argument)
{
	pthread_t thread;
	if (queue == NO_QUEUE || !has_libdispatch())
		return pthread_create(&thread, 0, work, argument);
	dispatch(queue, work, argument);
	return 0;
}

void queue_enter(int queue)
{
#if defined(__x86_64__)
	static struct queue *const queues[] = {
		[QUEUE_MAIN] = &main_queue, [QUEUE_ACCOUNTS] = &accounts, [QUEUE_ORDERS] = &orders,
		[QUEUE_GLOBAL] = &root,
	};
	/* libpthread's slot for libdispatch. Its own libdispatch fills it in. */
	if (!has_libdispatch())
		__asm__ volatile("movq %0, %%gs:160" : : "r"(queues[queue]) : "memory");
#else
	(void)queue;
	(void)root;
	(void)main_queue;
	(void)orders;
	(void)accounts;
#endif
}
