/* exports.c: names to addresses: an image's exports trie or symbol table, and the namespaces. */
#include "loader.h"

#include <string.h>

/* Maximum depth of re-exports: dylibs may re-export each other in a circle. */
#define MAX_DEPTH 16

static bool trie_bytes(const struct image *image, struct cursor *trie)
{
	const struct linkedit_data_command *own = (const void *)image_find_command(image, LC_DYLD_EXPORTS_TRIE);
	const struct dyld_info_command *info = (const void *)image_find_command(image, LC_DYLD_INFO_ONLY);
	if (!info)
		info = (const void *)image_find_command(image, LC_DYLD_INFO);
	uint32_t offset = own ? own->dataoff : info ? info->export_off : 0;
	uint32_t size = own ? own->datasize : info ? info->export_size : 0;
	trie->at = size ? image_file_bytes(image, offset, size) : NULL;
	trie->end = trie->at ? trie->at + size : NULL;
	trie->bad = false;
	return trie->at != NULL;
}

/* Finds the payload of name's node. Every step consumes part of name, so the loop terminates. */
static bool trie_find(struct cursor trie, const char *name, struct cursor *payload)
{
	const uint8_t *start = trie.at;
	for (;;) {
		uint64_t size = cursor_uleb(&trie);
		if (trie.bad || size > (uint64_t)(trie.end - trie.at))
			return false;
		if (!*name) {
			*payload = (struct cursor) { .at = trie.at, .end = trie.at + size };
			return size > 0;
		}
		trie.at += size;
		uint8_t children = cursor_byte(&trie);
		const char *rest = NULL;
		while (children-- && !rest) {
			const char *edge = cursor_string(&trie);
			uint64_t node = cursor_uleb(&trie);
			if (trie.bad)
				return false;
			size_t length = strlen(edge);
			if (!length || strncmp(name, edge, length))
				continue;
			if (node >= (uint64_t)(trie.end - start))
				return false;
			rest = name + length;
			trie.at = start + node;
		}
		if (!rest)
			return false;
		name = rest;
	}
}

static bool symtab_find(const struct image *image, const char *name, uintptr_t *address)
{
	const struct symtab_command *symtab = (const void *)image_find_command(image, LC_SYMTAB);
	if (!symtab)
		return false;
	const uint8_t *symbols = image_file_bytes(image, symtab->symoff, (uint64_t)symtab->nsyms * sizeof(struct nlist_native));
	const char *strings = (const char *)image_file_bytes(image, symtab->stroff, symtab->strsize);
	size_t length = strlen(name) + 1;
	if (!symbols || !strings)
		return false;
	for (uint32_t i = 0; i < symtab->nsyms; i++) {
		struct nlist_native symbol;
		memcpy(&symbol, symbols + i * sizeof symbol, sizeof symbol);
		int type = symbol.n_type & N_TYPE;
		if (symbol.n_type & N_STAB || !(symbol.n_type & N_EXT) || (type != N_SECT && type != N_ABS))
			continue;
		if (symbol.n_strx > symtab->strsize || length > symtab->strsize - symbol.n_strx || memcmp(strings + symbol.n_strx, name, length))
			continue;
		*address = symbol.n_value + (type == N_SECT ? image->slide : 0);
		if (symbol.n_desc & N_ARM_THUMB_DEF)
			*address |= THUMB_BIT;
		return true;
	}
	return false;
}

bool image_export(const struct image *image, const char *name, int depth, uintptr_t *address)
{
	struct cursor trie, payload;
	if (depth > MAX_DEPTH)
		return false;
	if (!trie_bytes(image, &trie)) {
		if (symtab_find(image, name, address))
			return true;
	} else if (trie_find(trie, name, &payload)) {
		uint64_t flags = cursor_uleb(&payload);
		if (flags & EXPORT_SYMBOL_FLAGS_REEXPORT) {
			uint64_t ordinal = cursor_uleb(&payload);
			const char *original = cursor_string(&payload);
			if (payload.bad || !ordinal || ordinal > image->dependency_count)
				return false;
			const struct image *from = image->dependencies[ordinal - 1].image;
			return from && image_export(from, *original ? original : name, depth + 1, address);
		}
		uint64_t value = cursor_uleb(&payload);
		if (payload.bad)
			return false;
		bool absolute = (flags & EXPORT_SYMBOL_FLAGS_KIND_MASK) == EXPORT_SYMBOL_FLAGS_KIND_ABSOLUTE;
		*address = (uintptr_t)value + (absolute ? 0 : image->load_address);
		return true;
	}
	for (uint32_t i = 0; i < image->dependency_count; i++) {
		const struct dependency *dependency = &image->dependencies[i];
		if (dependency->reexport && dependency->image && image_export(dependency->image, name, depth + 1, address))
			return true;
	}
	return false;
}

static bool flat_lookup(const char *name, uintptr_t *address)
{
	for (const struct image *image = loader_images; image; image = image->next)
		if (image_export(image, name, 0, address))
			return true;
	return false;
}

static bool host_lookup(const struct image *image, const char *name, uintptr_t *address)
{
	const char *c_name = *name == '_' ? name + 1 : name;
	const void *found = image->resolve ? image->resolve(c_name) : NULL;
	if (!found)
		found = loader_libsystem(c_name);
	*address = (uintptr_t)found;
	return found != NULL;
}

bool resolve_import(const struct image *image, int ordinal, const char *name, bool weak, uintptr_t *address)
{
	bool found = false;
	if (ordinal == BIND_SPECIAL_DYLIB_SELF) {
		found = image_export(image, name, 0, address) || symtab_find(image, name, address);
	} else if (ordinal == BIND_SPECIAL_DYLIB_MAIN_EXECUTABLE) {
		found = image_export(loader_images, name, 0, address);
	} else if (ordinal == BIND_SPECIAL_DYLIB_FLAT_LOOKUP || ordinal == BIND_SPECIAL_DYLIB_WEAK_LOOKUP) {
		found = flat_lookup(name, address) || host_lookup(image, name, address);
	} else if (ordinal > 0 && (uint32_t)ordinal <= image->dependency_count) {
		const struct dependency *dependency = &image->dependencies[ordinal - 1];
		if (dependency->image)
			found = image_export(dependency->image, name, 0, address);
		else if (!dependency->absent)
			found = host_lookup(image, name, address);
	} else {
		return fail_name(image->path, "no such dylib ordinal for", name);
	}
	if (found)
		return true;
	*address = weak ? 0 : missing_import(image, name);
	return weak || *address || fail_path(image->path, "out of memory");
}

void *loader_symbol(struct image *image, const char *name)
{
	char *decorated = arena_join("_", 1, name);
	uintptr_t address = 0;
	if (!decorated || (!image_export(image, decorated, 0, &address) && !symtab_find(image, decorated, &address)))
		return NULL;
	return (void *)address;
}
