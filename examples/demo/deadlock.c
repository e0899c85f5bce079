/*
 * deadlock.c: a process whose main thread and worker wait for each other's mutex, for ever.
 *
 * Linux: cc -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o deadlock deadlock.c
 *           -pthread
 */
#include "name.h"
#include "workers.h"

#include <pthread.h>
#include <unistd.h>

/* 1 once each has its first mutex. */
EXPORT volatile unsigned int deadlock_ready;

static pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t orders = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned int worker_has_orders;

static CHAIN int take_orders(void)
{
	return pthread_mutex_lock(&orders) + 1;
}

static CHAIN int take_accounts(void)
{
	return pthread_mutex_lock(&accounts) + 1;
}

static CHAIN void *ship(void *unused)
{
	name_thread("deadlock.ship");
	take_orders();
	worker_has_orders = 1;
	while (!deadlock_ready)
		usleep(1000);
	take_accounts();
	return unused;
}

static CHAIN int bill(void)
{
	while (!worker_has_orders)
		usleep(1000);
	deadlock_ready = 1;
	return take_orders() + 1;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argc;
	take_accounts();
	if (pthread_create(&thread, 0, ship, argv))
		return 1;
	return bill();
}
