#define _GNU_SOURCE
/* <mach-o/dyld.h>: the images that the dynamic linker has loaded into the calling process. */
#include <link.h>
#include <stdbool.h>

#include "../darwin/mach.h"
#include "sys.h"

struct search {
	uint32_t index; /* counts down to the image that is wanted */
	uint32_t count;
	intptr_t header;
	intptr_t slide;
	const char *name;
};

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;

	(void)size;
	search->count++;
	if (search->index--)
		return 0;
	search->slide = (intptr_t)info->dlpi_addr;
	search->name = info->dlpi_name;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		/* The segment at file offset 0 begins with the header. */
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_offset == 0) {
			search->header = (intptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
			break;
		}
	}
	return 1;
}

static bool find(uint32_t index, struct search *search)
{
	*search = (struct search){.index = index};
	return dl_iterate_phdr(visit, search) == 1;
}

uint32_t _dyld_image_count(void)
{
	struct search search;

	find(UINT32_MAX, &search);
	return search.count;
}

const struct mach_header *_dyld_get_image_header(uint32_t index)
{
	struct search search;

	return find(index, &search) ? (const struct mach_header *)search.header : NULL;
}

intptr_t _dyld_get_image_vmaddr_slide(uint32_t index)
{
	struct search search;

	return find(index, &search) ? search.slide : 0;
}

const char *_dyld_get_image_name(uint32_t index)
{
	static char program[4096];
	struct search search;

	if (!find(index, &search))
		return NULL;
	if (*search.name)
		return search.name;
	/* dl_iterate_phdr() gives the program itself no name. */
	if (!*program)
		SYS4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program, sizeof program - 1);
	return program;
}
