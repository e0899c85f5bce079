/* trap.c: a missing import is bound to code that reports its name when it is called. */
#include "loader.h"
#include "sys.h"

#include <linux/mman.h>
#include <string.h>

struct missing {
	const char *name;
	const char *image;
};

static _Noreturn void report(const struct missing *missing)
{
	const char *const parts[] = { missing->name, " (called from ", missing->image, ")" };
	const char *line = "missing import ";
	for (size_t i = 0; line && i < sizeof parts / sizeof *parts; i++)
		line = arena_join(line, strlen(line), parts[i]);
	print_error(line ? line : "missing import");
	for (;;) {
		sys2(__NR_kill, sys1(__NR_getpid, 0), 6); /* SIGABRT */
		sys1(__NR_exit_group, 134);
	}
}

/* Code that calls report() with one address, and the offsets of the two addresses in it. */
#if defined(__x86_64__)
static const uint8_t code[] = { 0x48, 0xbf, 0, 0, 0, 0, 0, 0, 0, 0, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0x31, 0xed, 0xff, 0xe0 };
enum { ARGUMENT = 2, FUNCTION = 12 }; /* movabs rdi; movabs rax; xor ebp, ebp; jmp rax */
#elif defined(__i386__)
static const uint8_t code[] = { 0x68, 0, 0, 0, 0, 0x6a, 0, 0xb8, 0, 0, 0, 0, 0xff, 0xe0 };
enum { ARGUMENT = 1, FUNCTION = 8 }; /* push argument; push 0 for a return address; mov eax; jmp eax */
#elif defined(__aarch64__)
static const uint8_t code[] = { 0x80, 0, 0, 0x58, 0xb0, 0, 0, 0x58, 0, 2, 0x1f, 0xd6, 0x1f, 0x20, 3, 0xd5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
enum { ARGUMENT = 16, FUNCTION = 24 }; /* ldr x0, #16; ldr x16, #20; br x16; nop */
#elif defined(__arm__)
static const uint8_t code[] = { 0, 0, 0x9f, 0xe5, 0, 0xf0, 0x9f, 0xe5, 0, 0, 0, 0, 0, 0, 0, 0 };
enum { ARGUMENT = 8, FUNCTION = 12 }; /* ldr r0, [pc]; ldr pc, [pc] */
#endif

#define SLOT 32
#define SLOTS_SIZE 16384

uintptr_t missing_import(const struct image *image, const char *name)
{
	static char *slots;
	static size_t used = SLOTS_SIZE;
	struct missing *missing = arena_alloc(sizeof *missing);
	if (used + SLOT > SLOTS_SIZE) {
		long at = sys_mmap(0, SLOTS_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (sys_failed(at))
			return 0;
		slots = (char *)at;
		used = 0;
	}
	if (!missing)
		return 0;
	missing->name = name;
	missing->image = image->path;
	char *slot = slots + used;
	uintptr_t argument = (uintptr_t)missing, function = (uintptr_t)report;
	memcpy(slot, code, sizeof code);
	memcpy(slot + ARGUMENT, &argument, sizeof argument);
	memcpy(slot + FUNCTION, &function, sizeof function);
	__builtin___clear_cache(slot, slot + SLOT);
	used += SLOT;
	return (uintptr_t)slot;
}
