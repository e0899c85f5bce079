/* host_glibc.c: runs on the host's C library, which the program shares. */
#define _GNU_SOURCE
#include "loader.h"
#include "threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const void *host_symbol(const char *name)
{
	static const char *const renamed[][2] = {
		{ "__stdinp", "stdin" },
		{ "__stdoutp", "stdout" },
		{ "__stderrp", "stderr" },
	};
	for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
		if (!strcmp(name, renamed[i][0]))
			name = renamed[i][1];
	return dlsym(RTLD_DEFAULT, name);
}

/* The C library creates the thread, so that its thread-local data works there. */
int host_thread_create(struct thread *thread)
{
	pthread_attr_t attributes;
	pthread_t created;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, thread->stack_wanted < 65536 ? 65536 : thread->stack_wanted);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	int result = pthread_create(&created, &attributes, loader_thread_start, thread);
	pthread_attr_destroy(&attributes);
	return result;
}

/* The C library manages the stack. */
bool host_thread_gone(const struct thread *thread)
{
	(void)thread;
	return true;
}

void host_thread_exit(void) { pthread_exit(NULL); }
void host_exit(int status) { exit(status); }
int *host_errno(void) { return &errno; }
