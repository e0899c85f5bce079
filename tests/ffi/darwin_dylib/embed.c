/*
 * The Darwin library as a Linux one: a shared object that, when it is loaded, maps libmachpause.dylib
 * into the process with the Mach-O loader, binds its Mach imports to the Mach calls that linux/
 * implements, and exports functions of the same names, which jump to the dylib's.
 *
 * Built from this file, linux/ and the loader without its main.c, with
 *   -DDYLIB="path of libmachpause.dylib"
 *   -include a file that defines FUNCTIONS(X) as X(name) for every function of machpause.h
 */
#include "darwin/mach.h"

#include <stdio.h>
#include <stdlib.h>

/* Of loader.h, which cannot be included beside mach.h: both have the constants of <mach/machine.h>. */
struct image;
struct image *loader_open(const char *path, const void *(*resolve)(const char *name));
void *loader_symbol(struct image *image, const char *name);
const char *loader_error(void);

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
		IMPORT(mach_vm_read_overwrite),
		IMPORT(mach_vm_region_recurse),
		IMPORT(mach_vm_write),
		IMPORT(pid_for_task),
		IMPORT(proc_listallpids),
		IMPORT(proc_name),
		IMPORT(proc_pidinfo),
		IMPORT(proc_pidpath),
		IMPORT(task_for_pid),
		IMPORT(task_get_special_port),
		IMPORT(task_info),
		IMPORT(task_resume2),
		IMPORT(task_suspend2),
		IMPORT(task_threads),
		IMPORT(thread_get_state),
		IMPORT(thread_info),
		IMPORT(thread_resume),
		IMPORT(thread_set_state),
		IMPORT(thread_suspend),
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
		#name ": jmp *" #name "_in_dylib(%rip)\n" \
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
