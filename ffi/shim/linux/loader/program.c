/* program.c: an image with all it needs: loaded, fixed up, initialised, in that order. */
#include "loader.h"

#include <string.h>

typedef void (*initialiser)(int argc, char **argv, char **envp, char **apple);

static bool provided_by_host(const char *name)
{
	return !strncmp(name, "/usr/lib/", 9) || !strncmp(name, "/System/", 8);
}

static bool load_dependencies(struct image *image)
{
	for (uint32_t i = 0; i < image->dependency_count; i++) {
		struct dependency *dependency = &image->dependencies[i];
		if (provided_by_host(dependency->name))
			continue;
		dependency->image = image_load(dependency->name, image, image->resolve);
		if (dependency->image)
			continue;
		if (!dependency->weak)
			return false;
		dependency->absent = true;
	}
	return true;
}

bool image_prepare(struct image *image)
{
	/* Loading appends to this list, so the loop also visits the new images. */
	for (struct image *each = image; each; each = each->next)
		if (!load_dependencies(each))
			return false;
	for (struct image *each = image; each; each = each->next) {
		if (each->fixed_up)
			continue;
		if (!image_fix_up(each) || !image_protect(each))
			return false;
		each->fixed_up = true;
	}
	dyld_infos_update();
	return true;
}

static bool run_section(struct image *image, const struct section_native *section, int argc, char **argv, char **envp, char **apple)
{
	uint32_t type = section->flags & SECTION_TYPE;
	size_t width = type == S_INIT_FUNC_OFFSETS ? 4 : sizeof(uintptr_t);
	if (type != S_INIT_FUNC_OFFSETS && type != S_MOD_INIT_FUNC_POINTERS)
		return true;
	uintptr_t start = section->addr + image->slide;
	if (!image_contains(image, start, section->size, VM_PROT_READ))
		return fail(image, section->offset, "initialisers inside a segment");
	for (uintptr_t at = start; at + width <= start + section->size; at += width) {
		uintptr_t function = 0;
		memcpy(&function, (const void *)at, width);
		if (width == 4 && type == S_INIT_FUNC_OFFSETS)
			function += image->load_address;
		if (!image_contains(image, function, 1, VM_PROT_EXECUTE))
			return fail(image, section->offset, "the address of an initialiser");
		((initialiser)function)(argc, argv, envp, apple);
	}
	return true;
}

bool image_initialise(struct image *image, int argc, char **argv, char **envp, char **apple)
{
	if (image->initialised)
		return true;
	image->initialised = true; /* set before the dylibs are initialised: dependencies may be circular */
	for (uint32_t i = 0; i < image->dependency_count; i++) {
		struct image *needed = image->dependencies[i].image;
		if (needed && !image_initialise(needed, argc, argv, envp, apple))
			return false;
	}
	const struct load_command *command = NULL;
	while ((command = image_command(image, command))) {
		if (command->cmd != LC_SEGMENT_NATIVE)
			continue;
		const struct segment_command_native *segment = (const void *)command;
		const struct section_native *sections = (const void *)(segment + 1);
		for (uint32_t i = 0; i < segment->nsects; i++) {
			struct section_native section;
			memcpy(&section, &sections[i], sizeof section);
			if (!run_section(image, &section, argc, argv, envp, apple))
				return false;
		}
	}
	return true;
}

/* dyld reads the variable at the start, takes each path literally, and terminates the program if a
 * library cannot be loaded (dyld/DyldProcessConfig.cpp, dyld/DyldRuntimeState.cpp). */
bool images_insert(char **envp)
{
	static const char name[] = "DYLD_INSERT_LIBRARIES=";
	const char *path = NULL;
	for (char **entry = envp; *entry; entry++)
		if (!strncmp(*entry, name, sizeof name - 1))
			path = *entry + sizeof name - 1;
	while (path && *path) {
		const char *colon = strchr(path, ':');
		size_t length = colon ? (size_t)(colon - path) : strlen(path);
		char *one = arena_join(path, length, "");
		if (!one)
			return fail_path(path, "out of memory");
		struct image *image = length ? image_load(one, NULL, NULL) : NULL;
		if (length && !image)
			return false;
		if (image)
			image->inserted = true;
		path += length + (colon != NULL);
	}
	return true;
}

bool images_initialise_inserted(int argc, char **argv, char **envp, char **apple)
{
	for (struct image *image = loader_images; image; image = image->next)
		if (image->inserted && !image_initialise(image, argc, argv, envp, apple))
			return false;
	return true;
}

struct image *loader_open(const char *path, loader_resolve resolve)
{
	static char *nothing[] = { NULL };
	struct image *image = image_load(path, NULL, resolve);
	if (!image || !image_prepare(image) || !image_initialise(image, 0, nothing, nothing, nothing))
		return NULL;
	return image;
}
