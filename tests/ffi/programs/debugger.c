/*
 * Another debugger than the one under test.
 *   debugger attach LIBRARY PID    writes what mp_task_for_pid() returns
 *   debugger suspend LIBRARY PID   suspends the task, writes "held", and keeps it so
 *   debugger trace PID             attaches to the main thread, writes "held", and keeps it so
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

static void hold(void)
{
	puts("held");
	fflush(stdout);
	alarm(120);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "trace") == 0) {
		if (ptrace(PTRACE_SEIZE, atoi(argv[2]), 0, 0) != 0)
			return 1;
		hold();
	}
	if (argc != 4)
		return 2;
	void *library = dlopen(argv[2], RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	int32_t (*task_for_pid)(int32_t, uint32_t *);
	int32_t (*suspend)(uint32_t, uint32_t *);
	*(void **)&task_for_pid = dlsym(library, "mp_task_for_pid");
	*(void **)&suspend = dlsym(library, "mp_task_suspend");
	uint32_t task, token;
	int32_t result = task_for_pid(atoi(argv[3]), &task);
	if (strcmp(argv[1], "attach") == 0) {
		printf("%d\n", result);
		return 0;
	}
	if (result != 0 || suspend(task, &token) != 0)
		return 1;
	hold();
}
