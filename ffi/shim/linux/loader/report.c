/* report.c: errors, one line each, built without stdio. */
#include "loader.h"
#include "sys.h"

#include <string.h>

static char message[1024];

static size_t append(size_t length, const char *text)
{
	while (*text && length < sizeof message - 1)
		message[length++] = *text++;
	message[length] = 0;
	return length;
}

static size_t append_hex(size_t length, uint64_t value)
{
	char digits[19] = "0x";
	int shift = 60;
	size_t count = 2;
	while (shift > 0 && !(value >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		digits[count++] = "0123456789abcdef"[value >> shift & 15];
	digits[count] = 0;
	return append(length, digits);
}

bool fail(const struct image *image, uint64_t offset, const char *expected)
{
	size_t length = append(append(0, image->path), ": at offset ");
	length = append(append_hex(length, image->slice + offset), ": expected ");
	append(length, expected);
	return false;
}

bool fail_path(const char *path, const char *reason)
{
	append(append(append(0, path), ": "), reason);
	return false;
}

bool fail_name(const char *path, const char *reason, const char *name)
{
	append(append(append(append(append(0, path), ": "), reason), " "), name);
	return false;
}

const char *loader_error(void) { return message; }

/* What is not printable ASCII may be part of a name, which the program's file chose: a terminal would act on
 * it. */
static void write_escaped(const char *text)
{
	while (*text) {
		char out[256];
		size_t length = 0;
		for (; *text && length <= sizeof out - 4; text++) {
			unsigned char byte = (unsigned char)*text;
			if (byte >= 0x20 && byte < 0x7f) {
				out[length++] = *text;
				continue;
			}
			out[length++] = '\\';
			out[length++] = 'x';
			out[length++] = "0123456789abcdef"[byte >> 4];
			out[length++] = "0123456789abcdef"[byte & 15];
		}
		sys3(__NR_write, 2, (long)out, (long)length);
	}
}

void print_error(const char *text)
{
	const char *prefix = "macho-loader: ";
	sys3(__NR_write, 2, (long)prefix, (long)strlen(prefix));
	write_escaped(text);
	sys3(__NR_write, 2, (long)"\n", 1);
}

void die(const char *text)
{
	print_error(text);
	for (;;)
		sys1(__NR_exit_group, 1);
}
