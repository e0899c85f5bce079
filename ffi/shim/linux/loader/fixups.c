/* fixups.c: classic dyld info: the rebase and bind opcodes of <mach-o/loader.h>. */
#include "loader.h"

#include <string.h>

struct place {
	const struct segment *segment;
	uint64_t offset; /* into the segment; additions wrap around, as in dyld */
};

static bool set_place(const struct image *image, struct place *place, unsigned segment, uint64_t offset)
{
	if (segment >= image->segment_count || !image->segments[segment].mapped)
		return false;
	place->segment = &image->segments[segment];
	place->offset = offset;
	return true;
}

static char *place_address(const struct image *image, const struct place *place, size_t size)
{
	if (!place->segment || place->offset > place->segment->vmsize || size > place->segment->vmsize - place->offset)
		return NULL;
	return (char *)(place->segment->vmaddr + image->slide + (uintptr_t)place->offset);
}

/* Code is only modified for the 32-bit text relocation types. */
static bool may_fix_up(const struct place *place, int type)
{
	if (type == REBASE_TYPE_POINTER)
		return place->segment && place->segment->initprot & VM_PROT_WRITE;
	return sizeof(uintptr_t) == 4 && (type == REBASE_TYPE_TEXT_ABSOLUTE32 || type == REBASE_TYPE_TEXT_PCREL32);
}

static bool rebase_one(const struct image *image, const struct place *place, int type)
{
	char *at = place_address(image, place, sizeof(uintptr_t));
	uintptr_t value;
	if (!at || type == REBASE_TYPE_TEXT_PCREL32 || !may_fix_up(place, type))
		return false;
	memcpy(&value, at, sizeof value);
	value += image->slide;
	memcpy(at, &value, sizeof value);
	return true;
}

static bool rebase(const struct image *image, uint32_t offset, uint32_t size)
{
	const uint8_t *bytes = image_file_bytes(image, offset, size);
	if (!bytes)
		return fail(image, offset, "rebase opcodes inside a segment");
	struct cursor cursor = { .at = bytes, .end = bytes + size };
	struct place place = { 0 };
	int type = REBASE_TYPE_POINTER;
	/* A valid list has at most one entry per byte. This bounds the work for damaged files. */
	uint64_t budget = image->high - image->low;
	while (cursor.at < cursor.end) {
		uint64_t at = offset + (uint64_t)(cursor.at - bytes);
		uint8_t byte = cursor_byte(&cursor);
		unsigned immediate = byte & IMMEDIATE_MASK;
		uint64_t count = 0, skip = 0;
		switch (byte & OPCODE_MASK) {
		case REBASE_OPCODE_DONE:
			return true;
		case REBASE_OPCODE_SET_TYPE_IMM:
			type = (int)immediate;
			break;
		case REBASE_OPCODE_SET_SEGMENT_AND_OFFSET_ULEB:
			if (!set_place(image, &place, immediate, cursor_uleb(&cursor)))
				return fail(image, at, "a segment to rebase");
			break;
		case REBASE_OPCODE_ADD_ADDR_ULEB:
			place.offset += cursor_uleb(&cursor);
			break;
		case REBASE_OPCODE_ADD_ADDR_IMM_SCALED:
			place.offset += immediate * sizeof(uintptr_t);
			break;
		case REBASE_OPCODE_DO_REBASE_IMM_TIMES:
			count = immediate;
			break;
		case REBASE_OPCODE_DO_REBASE_ULEB_TIMES:
			count = cursor_uleb(&cursor);
			break;
		case REBASE_OPCODE_DO_REBASE_ADD_ADDR_ULEB:
			count = 1;
			skip = cursor_uleb(&cursor);
			break;
		case REBASE_OPCODE_DO_REBASE_ULEB_TIMES_SKIPPING_ULEB:
			count = cursor_uleb(&cursor);
			skip = cursor_uleb(&cursor);
			break;
		default:
			return fail(image, at, "a rebase opcode");
		}
		if (cursor.bad || count > budget)
			return fail(image, at, "a number inside the rebase opcodes");
		budget -= count;
		for (; count; count--) {
			if (!rebase_one(image, &place, type))
				return fail(image, at, "a pointer to rebase inside a writable segment");
			place.offset += sizeof(uintptr_t) + skip;
		}
	}
	return true;
}

enum kind { BIND, BIND_LAZY, BIND_WEAK };

struct binding {
	const char *symbol;
	int ordinal;
	int type;
	int flags;
	int64_t addend;
	bool resolved; /* address answers for this symbol and ordinal */
	bool skip;     /* a weak definition that nobody overrides stays as it is */
	uintptr_t address;
};

static bool find_symbol(const struct image *image, struct binding *binding, enum kind kind)
{
	if (binding->resolved)
		return true;
	binding->resolved = true;
	binding->skip = false;
	if (kind != BIND_WEAK)
		return resolve_import(image, binding->ordinal, binding->symbol, binding->flags & BIND_SYMBOL_FLAGS_WEAK_IMPORT, &binding->address);
	binding->skip = true;
	for (const struct image *other = loader_images; other && binding->skip; other = other->next)
		binding->skip = !image_export(other, binding->symbol, 0, &binding->address);
	return true;
}

static bool bind_one(const struct image *image, const struct place *place, struct binding *binding, enum kind kind, uint64_t offset)
{
	char *at = place_address(image, place, sizeof(uintptr_t));
	if (!at || !may_fix_up(place, binding->type))
		return fail(image, offset, "a pointer to bind inside a writable segment");
	if (!binding->symbol)
		return fail(image, offset, "a symbol to bind to");
	if (!find_symbol(image, binding, kind))
		return false;
	if (binding->skip)
		return true;
	uintptr_t value = binding->address + (uintptr_t)binding->addend;
	if (binding->type == REBASE_TYPE_TEXT_PCREL32)
		value -= (uintptr_t)at + 4;
	memcpy(at, &value, sizeof value);
	return true;
}

static bool bind(const struct image *image, uint32_t offset, uint32_t size, enum kind kind)
{
	const uint8_t *bytes = image_file_bytes(image, offset, size);
	if (!bytes)
		return fail(image, offset, "bind opcodes inside a segment");
	struct cursor cursor = { .at = bytes, .end = bytes + size };
	struct place place = { 0 };
	struct binding binding = { .type = REBASE_TYPE_POINTER };
	uint64_t budget = image->high - image->low;
	while (cursor.at < cursor.end) {
		uint64_t at = offset + (uint64_t)(cursor.at - bytes);
		uint8_t byte = cursor_byte(&cursor);
		unsigned immediate = byte & IMMEDIATE_MASK;
		uint64_t count = 0, skip = 0;
		switch (byte & OPCODE_MASK) {
		case BIND_OPCODE_DONE:
			/* In lazy binding info this ends one pointer's opcodes, not the list. */
			if (kind != BIND_LAZY)
				return true;
			binding = (struct binding) { .type = REBASE_TYPE_POINTER };
			break;
		case BIND_OPCODE_SET_DYLIB_ORDINAL_IMM:
			binding.ordinal = (int)immediate;
			binding.resolved = false;
			break;
		case BIND_OPCODE_SET_DYLIB_ORDINAL_ULEB: {
			uint64_t ordinal = cursor_uleb(&cursor);
			binding.ordinal = ordinal > INT32_MAX ? INT32_MAX : (int)ordinal;
			binding.resolved = false;
			break;
		}
		case BIND_OPCODE_SET_DYLIB_SPECIAL_IMM:
			binding.ordinal = immediate ? (int)immediate - 16 : 0;
			binding.resolved = false;
			break;
		case BIND_OPCODE_SET_SYMBOL_TRAILING_FLAGS_IMM:
			binding.symbol = cursor_string(&cursor);
			binding.flags = (int)immediate;
			binding.resolved = false;
			break;
		case BIND_OPCODE_SET_TYPE_IMM:
			binding.type = (int)immediate;
			break;
		case BIND_OPCODE_SET_ADDEND_SLEB:
			binding.addend = cursor_sleb(&cursor);
			break;
		case BIND_OPCODE_SET_SEGMENT_AND_OFFSET_ULEB:
			if (!set_place(image, &place, immediate, cursor_uleb(&cursor)))
				return fail(image, at, "a segment to bind in");
			break;
		case BIND_OPCODE_ADD_ADDR_ULEB:
			place.offset += cursor_uleb(&cursor);
			break;
		case BIND_OPCODE_DO_BIND:
			count = 1;
			break;
		case BIND_OPCODE_DO_BIND_ADD_ADDR_ULEB:
			count = 1;
			skip = cursor_uleb(&cursor);
			break;
		case BIND_OPCODE_DO_BIND_ADD_ADDR_IMM_SCALED:
			count = 1;
			skip = immediate * sizeof(uintptr_t);
			break;
		case BIND_OPCODE_DO_BIND_ULEB_TIMES_SKIPPING_ULEB:
			count = cursor_uleb(&cursor);
			skip = cursor_uleb(&cursor);
			break;
		default:
			return fail(image, at, "a bind opcode");
		}
		if (cursor.bad || count > budget)
			return fail(image, at, "a number or a string inside the bind opcodes");
		budget -= count;
		for (; count; count--) {
			if (!bind_one(image, &place, &binding, kind, at))
				return false;
			place.offset += sizeof(uintptr_t) + skip;
		}
	}
	return true;
}

bool image_fix_up(struct image *image)
{
	const struct load_command *chains = image_find_command(image, LC_DYLD_CHAINED_FIXUPS);
	if (chains)
		return image_fix_up_chains(image, (const void *)chains);
	const struct dyld_info_command *info = (const void *)image_find_command(image, LC_DYLD_INFO_ONLY);
	if (!info)
		info = (const void *)image_find_command(image, LC_DYLD_INFO);
	if (!info)
		return true;
	return (!info->rebase_size || !image->slide || rebase(image, info->rebase_off, info->rebase_size)) &&
		(!info->bind_size || bind(image, info->bind_off, info->bind_size, BIND)) &&
		(!info->lazy_bind_size || bind(image, info->lazy_bind_off, info->lazy_bind_size, BIND_LAZY)) &&
		(!info->weak_bind_size || bind(image, info->weak_bind_off, info->weak_bind_size, BIND_WEAK));
}
