/*
 * host_bare.c: runs on the kernel alone, without a C library. For 32-bit programs, since 64-bit hosts
 * rarely have a 32-bit C library; and for arm64, where the C library's functions of variable arguments
 * could not be called anyway.
 */
#include "loader.h"
#include "sys.h"
#include "threads.h"

#include <linux/mman.h>
#include <string.h>

#define GUARD 4096

/* bare.S: 0 or a negated errno value; the new thread calls loader_thread_main(thread). */
long loader_clone(long flags, void *stack, struct thread *thread, volatile uint32_t *tid);

/* CLONE_VM, _FS, _FILES, _SIGHAND, _THREAD, _SYSVSEM, _CHILD_CLEARTID */
#define THREAD_FLAGS (0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000 | 0x200000)

int main(int argc, char **argv, char **envp);

/* The stack as the kernel left it: argc, argv, a null, envp, a null. */
_Noreturn void loader_bare_start(long *stack)
{
	int argc = (int)stack[0];
	char **argv = (char **)(stack + 1);
	host_exit(main(argc, argv, argv + argc + 1));
}

static long make_stack(struct thread *thread)
{
	uintptr_t size = thread->stack_wanted + GUARD;
	if (thread->stack && thread->stack_size == size)
		return 0;
	if (thread->stack)
		sys2(__NR_munmap, (long)thread->stack, (long)thread->stack_size);
	thread->stack = NULL;
	long at = sys_mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (sys_failed(at))
		return at;
	/* The guard page also separates the mappings of adjacent stacks. */
	sys3(__NR_mprotect, at, GUARD, PROT_NONE);
	thread->stack = (void *)at;
	thread->stack_size = size;
	return 0;
}

int host_thread_create(struct thread *thread)
{
	long result = make_stack(thread);
	if (!sys_failed(result))
		result = loader_clone(THREAD_FLAGS, (char *)thread->stack + thread->stack_size, thread, &thread->tid);
	return sys_failed(result) ? (int)-result : 0;
}

/* The kernel clears the word when the thread no longer needs its stack. */
bool host_thread_gone(const struct thread *thread) { return thread->tid == 0; }

void host_thread_exit(void)
{
	for (;;)
		sys1(__NR_exit, 0);
}

void host_exit(int status)
{
	for (;;)
		sys1(__NR_exit_group, status);
}

int *host_errno(void)
{
	static int only;
	return &only;
}

/* Compilers generate calls to these. The loops must not be compiled into such calls themselves. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#if !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

void *memcpy(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	if ((uintptr_t)to <= (uintptr_t)from)
		return memcpy(to, from, size);
	while (size--)
		((volatile char *)to)[size] = ((const char *)from)[size];
	return to;
}

void *memset(void *to, int value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = (char)value;
	return to;
}

int memcmp(const void *one, const void *other, size_t size)
{
	const unsigned char *a = one, *b = other;
	for (; size; a++, b++, size--)
		if (*a != *b)
			return *a - *b;
	return 0;
}

void *memchr(const void *at, int value, size_t size)
{
	for (const unsigned char *byte = at; size; byte++, size--)
		if (*byte == (unsigned char)value)
			return (void *)(uintptr_t)byte;
	return NULL;
}

size_t strnlen(const char *text, size_t limit)
{
	size_t length = 0;
	while (length < limit && text[length])
		length++;
	return length;
}

size_t strlen(const char *text) { return strnlen(text, SIZE_MAX); }

int strncmp(const char *one, const char *other, size_t size)
{
	for (; size; one++, other++, size--)
		if (*one != *other || !*one)
			return (unsigned char)*one - (unsigned char)*other;
	return 0;
}

int strcmp(const char *one, const char *other) { return strncmp(one, other, SIZE_MAX); }

char *strchr(const char *text, int wanted)
{
	for (;; text++) {
		if (*text == (char)wanted)
			return (char *)(uintptr_t)text;
		if (!*text)
			return NULL;
	}
}

char *strrchr(const char *text, int wanted)
{
	char *last = NULL;
	for (; (text = strchr(text, wanted)); text++)
		last = (char *)(uintptr_t)text;
	return last;
}

static long read_(int fd, void *into, size_t size) { return sys3(__NR_read, fd, (long)into, (long)size); }
static long write_(int fd, const void *from, size_t size) { return sys3(__NR_write, fd, (long)from, (long)size); }
static int close_(int fd) { return (int)sys1(__NR_close, fd); }
static int getpid_(void) { return (int)sys1(__NR_getpid, 0); }
static _Noreturn void abort_(void) { die("abort"); }

const void *host_symbol(const char *name)
{
	static const struct libsystem_entry entries[] = {
		{ "abort", abort_ }, { "close", close_ }, { "getpid", getpid_ }, { "memchr", memchr }, { "memcmp", memcmp },
		{ "memcpy", memcpy }, { "memmove", memmove }, { "memset", memset }, { "read", read_ }, { "strchr", strchr },
		{ "strcmp", strcmp }, { "strlen", strlen }, { "strncmp", strncmp }, { "strnlen", strnlen },
		{ "strrchr", strrchr }, { "write", write_ },
	};
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		if (!strcmp(entries[i].name, name))
			return entries[i].address;
	return NULL;
}
