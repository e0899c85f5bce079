/*
 * main.c: macho-loader PROGRAM [arguments…]: runs a Mach-O program on Linux.
 *
 * Built from every C file here except one of the host_*.c, and entry.S. The flags for frame pointers
 * are required: see threads.c.
 *
 * x86_64, over the host's C library:
 *   cc -std=gnu11 -O2 -Wall -Wextra -Werror -fvisibility=hidden -fno-omit-frame-pointer
 *      -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -fPIE -pie -pthread -s
 *      -o macho-loader {main,image,program,exports,fixups,chained,trap,leb128,memory,report,
 *      dyld_infos,messages,threads,times,libsystem,host_glibc}.c entry.S -ldl
 * The others, over the kernel alone:
 *   i686-linux-gnu-gcc (the same, with -Os -fno-pie -no-pie -ffreestanding -fno-stack-protector
 *      -nostdlib -static -ffunction-sections -Wl,--gc-sections, host_bare.c and bare.S) -lgcc
 *   armv7 as Thumb, whose frame pointer is r7 like Darwin's, and with -ffixed-r9: r9 is the program's
 * A library that embeds the loader takes the first list without main.c, with -fPIC -shared.
 */
#include "loader.h"
#include "sys.h"
#include "threads.h"

#include <string.h>

static bool find_entry(const struct image *image, uintptr_t *entry, bool *unixthread)
{
	const struct entry_point_command *command = (const void *)image_find_command(image, LC_MAIN);
	*unixthread = !command;
	uint64_t offset;
	if (command) {
		offset = image_command_offset(image, (const void *)command);
		*entry = (uintptr_t)command->entryoff + image->load_address;
	} else {
		const struct load_command *thread = image_find_command(image, LC_UNIXTHREAD);
		uint32_t flavor;
		if (!thread)
			return fail(image, image->commands_offset, "LC_MAIN or LC_UNIXTHREAD");
		offset = image_command_offset(image, thread);
		memcpy(&flavor, thread + 1, sizeof flavor);
		if (flavor != STATE_FLAVOR || thread->cmdsize < 16 + STATE_PC + sizeof *entry)
			return fail(image, offset, "this processor's thread state");
		memcpy(entry, (const char *)thread + 16 + STATE_PC, sizeof *entry);
		*entry += image->slide;
	}
	if (!image_contains(image, *entry, 1, VM_PROT_EXECUTE))
		return fail(image, offset, "an entry point in executable code");
	/* LC_MAIN holds a file offset, without the bit that tells Thumb from ARM code. */
	if (!*unixthread)
		*entry |= THUMB_BIT;
	return true;
}

/* Puts argc, argv, envp and apple on the stack, as crt1's start expects them. */
static _Noreturn void start_unixthread(uintptr_t entry, int argc, char **argv, char **envp, char **apple)
{
	size_t count = (size_t)argc + 2, words = count;
	while (envp[words - count])
		words++;
	words += 1;
	size_t apple_at = words;
	words += 2;
	uintptr_t *block = arena_alloc(words * sizeof *block), stack[words + 2];
	if (!block)
		die("out of memory");
	block[0] = (uintptr_t)argc;
	memcpy(block + 1, argv, (size_t)argc * sizeof *argv);
	memcpy(block + count, envp, (apple_at - count) * sizeof *envp);
	block[apple_at] = (uintptr_t)apple[0];
	uintptr_t *aligned = (uintptr_t *)(((uintptr_t)stack + 15) & ~(uintptr_t)15);
	memcpy(aligned, block, words * sizeof *block);
	loader_start_unixthread(entry, (uintptr_t)aligned);
}

/* Gives the process the name of its program, as on Darwin. */
static void name_process(const char *path)
{
	const char *slash = strrchr(path, '/');
	sys2(__NR_prctl, 15 /* PR_SET_NAME */, (long)(slash ? slash + 1 : path));
}

/* With MACHPAUSE_PARENT=pid, kills the program when its parent process ends, for any reason. Removes the
 * variable from the environment. */
static void end_with_parent(char **envp)
{
	static const char name[] = "MACHPAUSE_PARENT=";
	long parent = 0;

	while (*envp && strncmp(*envp, name, sizeof name - 1) != 0)
		envp++;
	if (!*envp)
		return;
	for (const char *digit = *envp + sizeof name - 1; *digit >= '0' && *digit <= '9'; digit++)
		parent = parent * 10 + (*digit - '0');
	do
		envp[0] = envp[1];
	while (*envp++);
	sys2(__NR_prctl, 1 /* PR_SET_PDEATHSIG */, 9 /* SIGKILL */);
	/* The parent may have ended before this call. */
	if (sys1(__NR_getppid, 0) != parent)
		host_exit(1);
}

static const char *loader_path(void)
{
	char path[4096];
	long length = sys4(__NR_readlinkat, -100 /* AT_FDCWD */, (long)"/proc/self/exe", (long)path, sizeof path);
	return length > 0 ? arena_join(path, (size_t)length, "") : "";
}

int main(int argc, char **argv, char **envp)
{
	uintptr_t entry = 0;
	bool unixthread = false;
	char *apple[2] = { NULL, NULL };
	if (argc < 2) {
		print_error("usage: macho-loader PROGRAM [arguments…]");
		return 2;
	}
	end_with_parent(envp);
	struct image *program = image_load(argv[1], NULL, NULL);
	if (!program)
		die(loader_error());
	if (program->header.filetype != MH_EXECUTE)
		fail(program, offsetof(struct mach_header_native, filetype), "an executable");
	if (program->header.filetype != MH_EXECUTE || !images_insert(envp) || !image_prepare(program) || !find_entry(program, &entry, &unixthread))
		die(loader_error());
	name_process(program->path);
	apple[0] = arena_join("executable_path=", 16, program->path);
	argc--;
	argv++;
	libsystem_set_program(program, argc, argv, envp);
	loader_thread_main_data();
	if (!dyld_infos_publish(loader_path()) || !images_initialise_inserted(argc, argv, envp, apple) ||
		!image_initialise(program, argc, argv, envp, apple))
		die(loader_error());
	dyld_infos_program_starts();
	if (unixthread)
		start_unixthread(entry, argc, argv, envp, apple);
	loader_start_main(entry, argc, argv, envp, apple);
}
