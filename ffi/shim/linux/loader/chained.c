/* chained.c: chained fixups, as <mach-o/fixup-chains.h> lays them out. */
#include "loader.h"

#include <string.h>

struct chains {
	const struct image *image;
	const uint8_t *bytes; /* the load command's data */
	uint32_t offset;      /* of those bytes in the file */
	uint32_t size;
	uintptr_t *imports;
	uint32_t import_count;
};

static bool within(const struct chains *chains, uint64_t offset, uint64_t size)
{
	return offset <= chains->size && size <= chains->size - offset;
}

/* Ordinals are stored unsigned; the highest values mean the negative, special ordinals. */
static int ordinal_from(uint32_t stored, uint32_t limit)
{
	return stored > limit - 16 ? (int)stored - (int)limit : (int)stored;
}

static bool read_imports(struct chains *chains, const struct dyld_chained_fixups_header *header)
{
	static const uint8_t sizes[] = { 0, 4, 8, 16 };
	uint32_t format = header->imports_format;
	if (format < DYLD_CHAINED_IMPORT || format > DYLD_CHAINED_IMPORT_ADDEND64 || header->symbols_format)
		return fail(chains->image, chains->offset, "imports and symbols in a known format");
	if (!within(chains, header->imports_offset, (uint64_t)header->imports_count * sizes[format]) ||
		header->symbols_offset > chains->size)
		return fail(chains->image, chains->offset, "imports inside the chained fixups");
	chains->imports = arena_alloc(header->imports_count * sizeof *chains->imports);
	if (!chains->imports)
		return fail_path(chains->image->path, "out of memory");
	chains->import_count = header->imports_count;
	for (uint32_t i = 0; i < header->imports_count; i++) {
		uint32_t at = header->imports_offset + i * sizes[format], words[4] = { 0 };
		memcpy(words, chains->bytes + at, sizes[format]);
		uint64_t name = words[0] >> 9, addend = 0;
		int ordinal = ordinal_from(words[0] & 0xff, 0x100);
		bool weak = words[0] >> 8 & 1;
		if (format == DYLD_CHAINED_IMPORT_ADDEND)
			addend = (uint64_t)(int64_t)(int32_t)words[1];
		if (format == DYLD_CHAINED_IMPORT_ADDEND64) {
			name = words[1];
			ordinal = ordinal_from(words[0] & 0xffff, 0x10000);
			weak = words[0] >> 16 & 1;
			addend = words[2] | (uint64_t)words[3] << 32;
		}
		uint64_t string = header->symbols_offset + name;
		if (string >= chains->size || !memchr(chains->bytes + string, 0, chains->size - (size_t)string))
			return fail(chains->image, chains->offset + at, "a symbol name inside the chained fixups");
		if (!resolve_import(chains->image, ordinal, (const char *)chains->bytes + string, weak, &chains->imports[i]))
			return false;
		if (chains->imports[i])
			chains->imports[i] += (uintptr_t)addend;
	}
	return true;
}

/* Replaces the chain entry at `at` by its pointer; *next is set to the bytes to the next, or 0. */
static bool fix_pointer(const struct chains *chains, const struct dyld_chained_starts_in_segment *starts, char *at, uint32_t *next)
{
	const struct image *image = chains->image;
	if (starts->pointer_format == DYLD_CHAINED_PTR_32) {
		uint32_t raw, value;
		memcpy(&raw, at, sizeof raw);
		*next = (raw >> 26 & 0x1f) * 4;
		if (raw >> 31) {
			if ((raw & 0xfffff) >= chains->import_count)
				return false;
			value = (uint32_t)chains->imports[raw & 0xfffff] + (raw >> 20 & 0x3f);
		} else {
			/* Values above max_valid_pointer are not pointers: a bias was added to them. */
			value = raw & 0x3ffffff;
			if (value > starts->max_valid_pointer)
				value -= (0x4000000 + starts->max_valid_pointer) / 2;
			else
				value += (uint32_t)image->slide;
		}
		memcpy(at, &value, sizeof value);
		return true;
	}
	uint64_t raw, value;
	memcpy(&raw, at, sizeof raw);
	*next = (uint32_t)(raw >> 51 & 0xfff) * 4;
	if (raw >> 63) {
		uint32_t ordinal = raw & 0xffffff;
		if (ordinal >= chains->import_count)
			return false;
		value = chains->imports[ordinal] + (raw >> 24 & 0xff);
	} else {
		value = raw & 0xfffffffffull;
		value += starts->pointer_format == DYLD_CHAINED_PTR_64_OFFSET ? image->load_address : image->slide;
		value |= (raw >> 36 & 0xff) << 56;
	}
	memcpy(at, &value, sizeof value);
	return true;
}

static bool follow_chain(const struct chains *chains, const struct dyld_chained_starts_in_segment *starts, uintptr_t page, uint32_t start)
{
	uint32_t width = starts->pointer_format == DYLD_CHAINED_PTR_32 ? 4 : 8;
	for (uint32_t offset = start, next;; offset += next) {
		/* Only the first byte must be in the page: packed structures may put a pointer across two. */
		if (offset >= starts->page_size || !image_contains(chains->image, page + offset, width, VM_PROT_WRITE))
			return fail(chains->image, chains->offset, "a fixup chain that stays in its page of a writable segment");
		if (!fix_pointer(chains, starts, (char *)(page + offset), &next))
			return fail(chains->image, chains->offset, "an import ordinal that exists");
		if (!next)
			return true;
	}
}

static uint16_t read16(const uint8_t *at)
{
	uint16_t value;
	memcpy(&value, at, sizeof value);
	return value;
}

static bool fix_segment(const struct chains *chains, uint64_t offset)
{
	struct dyld_chained_starts_in_segment starts;
	if (!within(chains, offset, sizeof starts))
		return fail(chains->image, chains->offset, "segment starts inside the chained fixups");
	memcpy(&starts, chains->bytes + offset, sizeof starts);
	uint64_t list = offset + sizeof starts;
	uint32_t list_length = starts.size < sizeof starts ? 0 : (starts.size - (uint32_t)sizeof starts) / 2;
	if (!within(chains, offset, starts.size) || starts.page_count > list_length)
		return fail(chains->image, chains->offset + offset, "page starts inside the chained fixups");
	bool known = sizeof(uintptr_t) == 8 ? starts.pointer_format == DYLD_CHAINED_PTR_64 || starts.pointer_format == DYLD_CHAINED_PTR_64_OFFSET
					    : starts.pointer_format == DYLD_CHAINED_PTR_32;
	if (!known)
		return fail(chains->image, chains->offset + offset, "a known pointer format");
	for (uint32_t i = 0; i < starts.page_count; i++) {
		uintptr_t page = chains->image->load_address + (uintptr_t)starts.segment_offset + (uintptr_t)i * starts.page_size;
		uint16_t start = read16(chains->bytes + list + 2 * i);
		if (start == DYLD_CHAINED_PTR_START_NONE)
			continue;
		if (!(start & DYLD_CHAINED_PTR_START_MULTI)) {
			if (!follow_chain(chains, &starts, page, start))
				return false;
			continue;
		}
		for (uint32_t j = start & ~DYLD_CHAINED_PTR_START_MULTI;; j++) {
			if (j >= list_length)
				return fail(chains->image, chains->offset + offset, "chain starts inside their list");
			uint16_t one = read16(chains->bytes + list + 2 * j);
			if (!follow_chain(chains, &starts, page, one & ~DYLD_CHAINED_PTR_START_LAST))
				return false;
			if (one & DYLD_CHAINED_PTR_START_LAST)
				break;
		}
	}
	return true;
}

bool image_fix_up_chains(struct image *image, const struct linkedit_data_command *command)
{
	struct chains chains = { .image = image, .offset = command->dataoff, .size = command->datasize };
	struct dyld_chained_fixups_header header;
	uint32_t count;
	chains.bytes = image_file_bytes(image, chains.offset, chains.size);
	if (!chains.bytes || chains.size < sizeof header)
		return fail(image, image_command_offset(image, (const void *)command), "chained fixups inside a segment");
	memcpy(&header, chains.bytes, sizeof header);
	if (header.fixups_version)
		return fail(image, chains.offset, "chained fixups of version 0");
	if (!read_imports(&chains, &header))
		return false;
	if (!within(&chains, header.starts_offset, sizeof count))
		return fail(image, chains.offset, "chain starts inside the chained fixups");
	memcpy(&count, chains.bytes + header.starts_offset, sizeof count);
	if (!within(&chains, (uint64_t)header.starts_offset + 4, (uint64_t)count * 4))
		return fail(image, chains.offset + header.starts_offset, "segments inside the chained fixups");
	for (uint32_t i = 0; i < count; i++) {
		uint32_t offset;
		memcpy(&offset, chains.bytes + header.starts_offset + 4 + 4 * (uint64_t)i, sizeof offset);
		if (offset && !fix_segment(&chains, (uint64_t)header.starts_offset + offset))
			return false;
	}
	return true;
}
