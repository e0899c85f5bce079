/* leb128.c: reading bytes, LEB128 numbers and strings, never past the end. */
#include "loader.h"

#include <string.h>

uint8_t cursor_byte(struct cursor *cursor)
{
	if (cursor->at >= cursor->end) {
		cursor->bad = true;
		return 0;
	}
	return *cursor->at++;
}

uint64_t cursor_uleb(struct cursor *cursor)
{
	uint64_t value = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = cursor_byte(cursor);
		if (cursor->bad || shift > 63 || (shift == 63 && byte > 1)) {
			cursor->bad = true;
			return 0;
		}
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

int64_t cursor_sleb(struct cursor *cursor)
{
	uint64_t value = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = cursor_byte(cursor);
		if (cursor->bad || shift > 63) {
			cursor->bad = true;
			return 0;
		}
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			if (byte & 0x40 && shift + 7 < 64)
				value |= ~(uint64_t)0 << (shift + 7);
			return (int64_t)value;
		}
	}
}

const char *cursor_string(struct cursor *cursor)
{
	const char *text = (const char *)cursor->at;
	const uint8_t *end = cursor->at < cursor->end ? memchr(cursor->at, 0, (size_t)(cursor->end - cursor->at)) : NULL;
	if (!end) {
		cursor->bad = true;
		return "";
	}
	cursor->at = end + 1;
	return text;
}
