/*
 * libsystem.c: the imports from libSystem. Functions that are the same in the host's C library are
 * passed on. Functions that differ are implemented here, or missing.
 */
#include "loader.h"
#include "sys.h"

#include <linux/fcntl.h>
#include <linux/mman.h>
#include <string.h>

static const struct image *program;
static int program_argc;
static char **program_argv;
static char **program_environ;

void libsystem_set_program(const struct image *image, int argc, char **argv, char **envp)
{
	program = image;
	program_argc = argc;
	program_argv = argv;
	program_environ = envp;
}

static const struct image *image_at(uint32_t index)
{
	const struct image *image = loader_images;
	while (image && index--)
		image = image->next;
	return image;
}

static uint32_t image_count(void)
{
	uint32_t count = 0;
	for (const struct image *image = loader_images; image; image = image->next)
		count++;
	return count;
}

static const void *image_header(uint32_t index)
{
	const struct image *image = image_at(index);
	return image ? (const void *)image->load_address : NULL;
}

static const char *image_name(uint32_t index)
{
	const struct image *image = image_at(index);
	return image ? image->path : NULL;
}

static intptr_t image_slide(uint32_t index)
{
	const struct image *image = image_at(index);
	return image ? (intptr_t)image->slide : 0;
}

static int executable_path(char *buffer, uint32_t *size)
{
	size_t needed = program ? strlen(program->path) + 1 : 0;
	if (!program || *size < needed) {
		*size = (uint32_t)needed;
		return -1;
	}
	memcpy(buffer, program->path, needed);
	return 0;
}

static int *get_argc(void) { return &program_argc; }
static char ***get_argv(void) { return &program_argv; }
static char ***get_environ(void) { return &program_environ; }

static _Noreturn void stack_chk_fail(void) { die("stack smashed"); }
static _Noreturn void stub_binder(void) { die("dyld_stub_binder: every import was bound at load"); }

static uintptr_t stack_chk_guard = (uintptr_t)0xa5005a17c3000a0dull;

static int result_or_errno(long result)
{
	if (!sys_failed(result))
		return (int)result;
	*host_errno() = (int)-result;
	return -1;
}

/* <sys/fcntl.h>: the bits that differ; Darwin's, then Linux's. */
static int open_flags(int darwin)
{
	static const int bits[][2] = {
		{ 0x4, O_NONBLOCK }, { 0x8, O_APPEND }, { 0x200, O_CREAT }, { 0x400, O_TRUNC }, { 0x800, O_EXCL },
		{ 0x100, O_NOFOLLOW }, { 0x100000, O_DIRECTORY }, { 0x1000000, O_CLOEXEC },
	};
	int flags = darwin & O_ACCMODE;
	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
		if (darwin & bits[i][0])
			flags |= bits[i][1];
	return flags;
}

int libsystem_open(const char *path, int flags, int mode)
{
	return result_or_errno(sys4(__NR_openat, AT_FDCWD, (long)path, open_flags(flags), mode));
}

/* Darwin's off_t. ARMv7 and i386 align it to four bytes among arguments too. */
struct darwin_off {
	uint32_t low;
	uint32_t high;
};

static void *mmap_(void *address, size_t size, int protection, int flags, int fd, struct darwin_off offset)
{
	int host = flags & (MAP_SHARED | MAP_PRIVATE | MAP_FIXED);
	if (flags & 0x1000) { /* MAP_ANON */
		host |= MAP_ANONYMOUS;
		fd = -1; /* where Darwin takes a VM_MEMORY_* tag */
	}
	long result = sys_mmap((uintptr_t)address, size, protection, host, fd, (uint64_t)offset.high << 32 | offset.low);
	if (!sys_failed(result))
		return (void *)result;
	*host_errno() = (int)-result;
	return (void *)-1;
}

static long sysconf_(int name)
{
	switch (name) {
	case 29: return 4096;                      /* _SC_PAGESIZE */
	case 57: case 58: {                        /* _SC_NPROCESSORS_CONF, _SC_NPROCESSORS_ONLN */
		unsigned long mask[32] = { 0 };
		long bytes = sys3(__NR_sched_getaffinity, 0, sizeof mask, (long)mask), count = 0;
		for (size_t i = 0; bytes > 0 && i < sizeof mask / sizeof *mask; i++)
			for (unsigned long word = mask[i]; word; word &= word - 1)
				count++;
		return count ? count : 1;
	}
	default: return -1;
	}
}

static size_t strlcpy_(char *to, const char *from, size_t size)
{
	size_t length = strlen(from);
	if (size) {
		size_t kept = length < size ? length : size - 1;
		memcpy(to, from, kept);
		to[kept] = 0;
	}
	return length;
}

static size_t strlcat_(char *to, const char *from, size_t size)
{
	size_t length = strnlen(to, size);
	return length == size ? size + strlen(from) : length + strlcpy_(to + length, from, size - length);
}

static void bzero_(void *at, size_t size) { memset(at, 0, size); }

static void memset_pattern(char *to, const char *pattern, size_t size, size_t width)
{
	for (size_t i = 0; i < size; i++)
		to[i] = pattern[i % width];
}

static void memset_pattern4(char *to, const char *pattern, size_t size) { memset_pattern(to, pattern, size, 4); }
static void memset_pattern8(char *to, const char *pattern, size_t size) { memset_pattern(to, pattern, size, 8); }
static void memset_pattern16(char *to, const char *pattern, size_t size) { memset_pattern(to, pattern, size, 16); }

static const struct libsystem_entry entries[] = {
	{ "_NSGetArgc", get_argc },
	{ "_NSGetArgv", get_argv },
	{ "_NSGetEnviron", get_environ },
	{ "_NSGetExecutablePath", executable_path },
	{ "__bzero", bzero_ },
	{ "__error", host_errno },
	{ "__stack_chk_fail", stack_chk_fail },
	{ "__stack_chk_guard", &stack_chk_guard },
	{ "_dyld_get_image_header", image_header },
	{ "_dyld_get_image_name", image_name },
	{ "_dyld_get_image_vmaddr_slide", image_slide },
	{ "_dyld_image_count", image_count },
	{ "bzero", bzero_ },
	{ "dyld_stub_binder", stub_binder },
	{ "exit", host_exit },
	{ "memset_pattern16", memset_pattern16 },
	{ "memset_pattern4", memset_pattern4 },
	{ "memset_pattern8", memset_pattern8 },
	{ "mmap", mmap_ },
	{ "open", LIBSYSTEM_OPEN },
	{ "strlcat", strlcat_ },
	{ "strlcpy", strlcpy_ },
	{ "sysconf", sysconf_ },
	{ NULL, NULL },
};

/* Functions whose structures or constants differ: passing them on could corrupt memory. */
static const char *const differing[] = {
	"pthread_attr_*", "pthread_cond*", "pthread_mutex*", "pthread_rwlock*", "pthread_kill", "pthread_sigmask",
	"sem_*", "sig*", "stat", "fstat", "lstat", "fstatat", "statfs", "fstatfs", "statvfs", "fstatvfs", "opendir",
	"readdir*", "fcntl", "ioctl", "openat", "socket", "bind", "connect", "accept", "getaddrinfo", "setsockopt",
	"getsockopt", "*jmp", "uname", "tcgetattr", "tcsetattr", "glob", "fts_*", "pathconf", "madvise", "msync", "localeconv", "syscall",
	HOST_FUNCTIONS_DIFFERING NULL,
};

static bool matches(const char *pattern, const char *name)
{
	size_t length = strlen(pattern), name_length = strlen(name);
	if (pattern[length - 1] == '*')
		return !strncmp(pattern, name, length - 1);
	if (*pattern == '*')
		return name_length >= length - 1 && !strcmp(name + name_length - (length - 1), pattern + 1);
	return !strcmp(pattern, name);
}

static const void *find(const struct libsystem_entry *table, const char *name)
{
	for (; table->name; table++)
		if (!strcmp(table->name, name))
			return table->address;
	return NULL;
}

const void *loader_libsystem(const char *name)
{
	char plain[128];
	/* Variants such as "usleep$UNIX2003" are treated as the plain function. */
	const char *dollar = strchr(name, '$');
	if (dollar && (size_t)(dollar - name) < sizeof plain) {
		memcpy(plain, name, (size_t)(dollar - name));
		plain[dollar - name] = 0;
		name = plain;
	}
	const void *found = find(entries, name);
	if (!found)
		found = find(message_entries, name);
	if (!found)
		found = find(thread_entries, name);
	if (!found)
		found = find(time_entries, name);
	if (found)
		return found;
	for (const char *const *pattern = differing; *pattern; pattern++)
		if (matches(*pattern, name))
			return NULL;
	return host_symbol(name);
}
