#define _GNU_SOURCE
/* Threads that wait below functions of this program; it writes a line when they do. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static volatile int sink;
/* Where each thread has its own variables; the main thread is the first. */
void *thread_pointers[3];
static sem_t ready;

__attribute__((noinline, noclone)) static void wait_here(void)
{
	sem_post(&ready);
	for (;;)
		pause();
}

__attribute__((noinline, noclone)) static void middle(int depth)
{
	if (depth > 0)
		middle(depth - 1);
	else
		wait_here();
	sink++;
}

static void *outer(void *argument)
{
	*(void **)argument = __builtin_thread_pointer();
	middle(3);
	sink++;
	return argument;
}

int main(void)
{
	thread_pointers[0] = __builtin_thread_pointer();
	sem_init(&ready, 0, 0);
	alarm(1200);
	for (int i = 0; i < 2; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, outer, &thread_pointers[i + 1]);
		pthread_setname_np(thread, i == 0 ? "first" : "second");
		sem_wait(&ready);
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
