/*
 * The Darwin library as a Linux one: a shared object that, when it is loaded, maps libmachpause.dylib
 * into the process with the Mach-O loader, binds its Mach imports to the Mach calls that linux/
 * implements, and exports functions of the same names, which jump to the dylib's.
 *
 * Built from this file, linux/ and the loader without its main.c, with
 *   -DDYLIB="path of libmachpause.dylib"
 *   -include a file that defines FUNCTIONS(X) as X(name) for every function of machpause.h
 */
#define _GNU_SOURCE
#include "darwin/mach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#if defined(__x86_64__)
#include "embed_x86_64.h"
#else
#include "embed_aarch64.h"
#endif

/* Of loader.h, which cannot be included beside mach.h: both have the constants of <mach/machine.h>. */
struct image;
struct image *loader_open(const char *path, const void *(*resolve)(const char *name));
void *loader_symbol(struct image *image, const char *name);
const char *loader_error(void);

/* Signals, whose structures and numbers differ: of what watchdog.c uses. */

enum { DARWIN_SA_SIGINFO = 0x40, DARWIN_O_NONBLOCK = 4, DARWIN_SIG_UNBLOCK = 2 };

struct darwin_sigaction {
	void *handler;
	uint32_t mask;
	int flags;
};

static int darwin_sigaction(
	int signal, const struct darwin_sigaction *action, struct darwin_sigaction *before)
{
	struct sigaction new = {.sa_flags = SA_RESTART}, old;

	if (action != NULL) {
		new.sa_handler = (void (*)(int))(uintptr_t)action->handler;
		if (action->flags & DARWIN_SA_SIGINFO)
			new.sa_flags |= SA_SIGINFO;
	}
	int result = sigaction(signal, action != NULL ? &new : NULL, &old);
	if (result == 0 && before != NULL)
		*before = (struct darwin_sigaction){(void *)(uintptr_t)old.sa_handler, 0,
			old.sa_flags & SA_SIGINFO ? DARWIN_SA_SIGINFO : 0};
	return result;
}

static int darwin_sigemptyset(uint32_t *set)
{
	*set = 0;
	return 0;
}

static int darwin_sigfillset(uint32_t *set)
{
	*set = UINT32_MAX;
	return 0;
}

static int darwin_sigaddset(uint32_t *set, int signal)
{
	*set |= 1u << (signal - 1);
	return 0;
}

static int darwin_pthread_sigmask(int how, const uint32_t *set, uint32_t *before)
{
	sigset_t new, old;

	sigemptyset(&new);
	for (int signal = 1; set != NULL && signal < 32; signal++)
		if (*set >> (signal - 1) & 1)
			sigaddset(&new, signal);
	int result = pthread_sigmask(
		how == DARWIN_SIG_UNBLOCK ? SIG_UNBLOCK : SIG_SETMASK, set != NULL ? &new : NULL, &old);
	for (int signal = 1; before != NULL && signal < 32; signal++)
		*before = (signal > 1 ? *before : 0) |
			(uint32_t)sigismember(&old, signal) << (signal - 1);
	return result;
}

int darwin_fcntl(int descriptor, int command, long argument);
int darwin_fcntl(int descriptor, int command, long argument)
{
	return fcntl(descriptor, command,
		command == F_SETFL && argument == DARWIN_O_NONBLOCK ? O_NONBLOCK : argument);
}

/* The terminal's modes, of which watchdog.c uses these. */
struct darwin_termios {
	uint64_t flags[4];
	uint8_t characters[24];
	uint64_t speeds[2];
};

static const struct {
	uint64_t darwin;
	tcflag_t own;
} modes[4][4] = {
	{{0x2, BRKINT}, {0x100, ICRNL}, {0x200, IXON}},
	{{0, 0}},
	{{0, 0}},
	{{0x8, ECHO}, {0x80, ISIG}, {0x100, ICANON}, {0x400, IEXTEN}},
};

static tcflag_t *flags_of(struct termios *own, int word)
{
	return word == 0 ? &own->c_iflag : word == 1 ? &own->c_oflag : word == 2 ? &own->c_cflag
										 : &own->c_lflag;
}

static int darwin_tcgetattr(int descriptor, struct darwin_termios *out)
{
	struct termios own;

	if (tcgetattr(descriptor, &own) != 0)
		return -1;
	*out = (struct darwin_termios){0};
	for (int word = 0; word < 4; word++)
		for (int i = 0; i < 4; i++)
			if (*flags_of(&own, word) & modes[word][i].own)
				out->flags[word] |= modes[word][i].darwin;
	return 0;
}

static int darwin_tcsetattr(int descriptor, int when, const struct darwin_termios *in)
{
	struct termios own;

	if (when != 0 || tcgetattr(descriptor, &own) != 0)
		return -1;
	for (int word = 0; word < 4; word++)
		for (int i = 0; i < 4; i++)
			if (in->flags[word] & modes[word][i].darwin)
				*flags_of(&own, word) |= modes[word][i].own;
			else
				*flags_of(&own, word) &= ~modes[word][i].own;
	return tcsetattr(descriptor, TCSANOW, &own);
}

/* By the names in the dylib's symbol table, less the underscore in front. */
static const void *find_import(const char *name)
{
#define IMPORT(function) { #function, (const void *)(uintptr_t)&function }
	static const struct {
		const char *name;
		const void *address;
	} imports[] = {
		IMPORT(_dyld_get_image_header),
		IMPORT(_dyld_get_image_name),
		IMPORT(_dyld_get_image_vmaddr_slide),
		IMPORT(_dyld_image_count),
		IMPORT(bootstrap_register2),
		IMPORT(close),
		IMPORT(getpgrp),
		IMPORT(getpid),
		IMPORT(kill),
		IMPORT(mach_absolute_time),
		IMPORT(mach_msg),
		IMPORT(mach_msg_destroy),
		IMPORT(mach_port_allocate),
		IMPORT(mach_port_deallocate),
		IMPORT(mach_port_insert_right),
		IMPORT(mach_port_mod_refs),
		IMPORT(mach_port_names),
		IMPORT(mach_task_self_),
		IMPORT(mach_thread_self),
		IMPORT(mach_timebase_info),
		IMPORT(mach_vm_deallocate),
		IMPORT(mach_vm_page_range_query),
		IMPORT(mach_vm_read_overwrite),
		IMPORT(mach_vm_region_recurse),
		IMPORT(mach_vm_write),
		IMPORT(mach_wait_until),
		IMPORT(pid_for_task),
		IMPORT(pipe),
		IMPORT(poll),
		IMPORT(proc_listallpids),
		IMPORT(proc_name),
		IMPORT(proc_pidinfo),
		IMPORT(proc_pidpath),
		IMPORT(pthread_create),
		IMPORT(pthread_detach),
		IMPORT(read),
		IMPORT(task_for_pid),
		IMPORT(task_get_special_port),
		IMPORT(task_info),
		IMPORT(task_resume2),
		IMPORT(task_set_exception_ports),
		IMPORT(task_suspend2),
		IMPORT(task_threads),
		IMPORT(tcgetpgrp),
		IMPORT(thread_get_state),
		IMPORT(thread_info),
		IMPORT(thread_resume),
		IMPORT(thread_set_state),
		IMPORT(thread_suspend),
		IMPORT(write),
		{"__error", (const void *)(uintptr_t)&__errno_location},
		{"fcntl", (const void *)(uintptr_t)&DARWIN_FCNTL},
		{"pthread_sigmask", (const void *)(uintptr_t)&darwin_pthread_sigmask},
		{"sigaction", (const void *)(uintptr_t)&darwin_sigaction},
		{"sigaddset", (const void *)(uintptr_t)&darwin_sigaddset},
		{"sigemptyset", (const void *)(uintptr_t)&darwin_sigemptyset},
		{"sigfillset", (const void *)(uintptr_t)&darwin_sigfillset},
		{"tcgetattr", (const void *)(uintptr_t)&darwin_tcgetattr},
		{"tcsetattr", (const void *)(uintptr_t)&darwin_tcsetattr},
	};
	for (size_t i = 0; i < sizeof(imports) / sizeof(imports[0]); i++)
		if (strcmp(imports[i].name, name) == 0)
			return imports[i].address;
	return NULL;
}

/* A jump leaves arguments and stack as they are, so that the dylib's function sees its caller's. */
#define THUNK(name) \
	void *name##_in_dylib; \
	__asm__(".text\n" \
		".globl " #name "\n" \
		".type " #name ", @function\n" \
		#name ": " JUMP(#name "_in_dylib") "\n" \
		".size " #name ", . - " #name "\n");
FUNCTIONS(THUNK)

static void *find_function(struct image *image, const char *name)
{
	void *function = loader_symbol(image, name);
	if (function == NULL) {
		fprintf(stderr, "%s: no %s\n", DYLIB, name);
		abort();
	}
	return function;
}

__attribute__((constructor)) static void load(void)
{
	struct image *image = loader_open(DYLIB, find_import);
	if (image == NULL) {
		fprintf(stderr, "%s\n", loader_error());
		abort();
	}
#define BIND(name) name##_in_dylib = find_function(image, #name);
	FUNCTIONS(BIND)
}
