/* memory.c: an arena. Memory is allocated in blocks and never freed. */
#include "loader.h"
#include "sys.h"

#include <linux/mman.h>
#include <string.h>

#define BLOCK ((size_t)64 * 1024)

static char *block;
static size_t block_left;

void *arena_alloc(size_t size)
{
	if (size > (size_t)1 << 30)
		return NULL;
	size = (size + 15) & ~(size_t)15;
	if (size > block_left) {
		size_t wanted = size > BLOCK ? (size + 4095) & ~(size_t)4095 : BLOCK;
		long at = sys_mmap(0, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (sys_failed(at))
			return NULL;
		if (size > BLOCK)
			return (void *)at;
		block = (char *)at;
		block_left = wanted;
	}
	void *result = block;
	block += size;
	block_left -= size;
	return result;
}

char *arena_join(const char *first, size_t first_length, const char *second)
{
	size_t second_length = strlen(second);
	char *text = arena_alloc(first_length + second_length + 1);
	if (text) {
		memcpy(text, first, first_length);
		memcpy(text + first_length, second, second_length + 1);
	}
	return text;
}
