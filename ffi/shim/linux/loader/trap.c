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

static const uint8_t code[] = TRAP_CODE;

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
	memcpy(slot + TRAP_ARGUMENT, &argument, sizeof argument);
	memcpy(slot + TRAP_FUNCTION, &function, sizeof function);
	__builtin___clear_cache(slot, slot + SLOT);
	used += SLOT;
	return (uintptr_t)slot;
}
