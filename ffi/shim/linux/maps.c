#define _GNU_SOURCE
#include "maps.h"

#include "procfs.h"
#include "sys.h"

struct maps {
	char *text;
	struct region *regions;
	uint64_t text_capacity, regions_capacity; /* bytes */
	uint32_t count;
	bool valid;         /* the task has not run since */
	uint64_t found;     /* the start of the region that was found last */
	uint64_t next;      /* its end */
	uint64_t read_at;   /* nanoseconds */
};

/*
 * A reading is used again:
 * - until the task is resumed, if the task was suspended when the maps were read;
 * - if the caller asks for the region after the last one it was given. It is iterating over all
 *   regions, and of a running task no way of doing that is exact;
 * - for OWN_TIME while threads of the calling process are suspended: the stack of a suspended thread
 *   cannot be unmapped.
 */
enum { ITERATION_TIME = 100000000, OWN_TIME = 20000000 };

static bool still_true(const struct task *task, uint64_t address)
{
	const struct maps *maps = task->maps;

	if (!maps || !maps->count)
		return false;
	if (maps->valid)
		return true;
	uint64_t age = sys_now(CLOCK_MONOTONIC) - maps->read_at;
	return (address && address == maps->next && age < ITERATION_TIME) ||
		(task->own_suspensions && age < OWN_TIME);
}

/* Grows a block from sys_reserve() to at least size bytes. */
static bool grow(void *memory, uint64_t *capacity, uint64_t size)
{
	void **address = memory;
	uint64_t larger = *capacity ? *capacity : 1 << 16;

	if (size <= *capacity)
		return true;
	while (larger < size)
		larger *= 2;
	void *moved;
	if (*capacity) {
		long result = SYS4(SYS_mremap, *address, *capacity, larger, MREMAP_MAYMOVE);
		moved = result < 0 && result > -4096 ? NULL : (void *)result;
	} else {
		moved = sys_reserve(larger);
	}
	if (!moved)
		return false;
	*address = moved;
	*capacity = larger;
	return true;
}

static const char *hexadecimal(const char *at, uint64_t *number)
{
	for (*number = 0;; at++) {
		unsigned digit = (unsigned char)*at;
		if (digit - '0' < 10)
			digit -= '0';
		else if (digit - 'a' < 6)
			digit -= 'a' - 10;
		else
			return at;
		*number = *number << 4 | digit;
	}
}

/* A line is "start-end rwxp offset device inode     path". */
static void parse(struct maps *maps, const char *at, const char *end)
{
	struct region region = {0};

	at = hexadecimal(at, &region.start);
	at = hexadecimal(at + 1, &region.end);
	if (end - at < 6 || region.start >= region.end || (int64_t)region.start < 0)
		return; /* the kernel's own half holds [vsyscall] */
	region.protection = (uint8_t)((at[1] == 'r' ? VM_PROT_READ : 0) |
		(at[2] == 'w' ? VM_PROT_WRITE : 0) | (at[3] == 'x' ? VM_PROT_EXECUTE : 0));
	region.shared = at[4] == 's';
	at = hexadecimal(at + 6, &region.offset);
	for (int fields = 0; fields < 2; fields++) {
		for (at++; at < end && *at != ' '; at++)
			;
	}
	while (at < end && *at == ' ')
		at++;
	region.path = (uint32_t)((uint64_t)(at - maps->text));
	region.path_length = (uint16_t)(end - at > 0xffff ? 0xffff : end - at);
	maps->regions[maps->count++] = region;
}

static kern_return_t read_maps(struct task *task)
{
	uint64_t size = 0, lines = 0;
	long done = -ENOMEM;

	if (!task->maps)
		task->maps = sys_reserve(sizeof *task->maps);
	struct maps *maps = task->maps;
	if (!maps)
		return KERN_RESOURCE_SHORTAGE;
	maps->count = 0;
	maps->read_at = sys_now(CLOCK_MONOTONIC);
	maps->valid = task->tokens > 0;
	int fd = sys_open_at(task->directory, "maps", O_RDONLY);
	if (fd < 0)
		return fd == -ENOENT || fd == -ESRCH ? MACH_SEND_INVALID_DEST : KERN_FAILURE;
	while (grow(&maps->text, &maps->text_capacity, size + 8192)) {
		done = SYS3(SYS_read, fd, maps->text + size, maps->text_capacity - size);
		if (done <= 0)
			break;
		size += (uint64_t)done;
	}
	sys_close(fd);
	if (done < 0)
		return done == -ESRCH ? MACH_SEND_INVALID_DEST : KERN_RESOURCE_SHORTAGE;
	for (uint64_t i = 0; i < size; i++)
		lines += maps->text[i] == '\n';
	if (!grow(&maps->regions, &maps->regions_capacity, lines * sizeof *maps->regions))
		return KERN_RESOURCE_SHORTAGE;
	for (const char *at = maps->text, *last = maps->text + size; at < last;) {
		const char *end = memchr(at, '\n', (size_t)(last - at));
		if (!end)
			break;
		parse(maps, at, end);
		at = end + 1;
	}
	/* The maps file of a zombie is empty. */
	return maps->count ? KERN_SUCCESS : MACH_SEND_INVALID_DEST;
}

static kern_return_t find(struct maps *maps, uint64_t address, const struct region **region)
{
	uint32_t low = 0, high = maps->count;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (maps->regions[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	if (low == maps->count)
		return KERN_INVALID_ADDRESS;
	*region = &maps->regions[low];
	maps->found = maps->regions[low].start;
	maps->next = maps->regions[low].end;
	return KERN_SUCCESS;
}

kern_return_t mp_maps_find(struct task *task, uint64_t address, const struct region **region)
{
	if (!still_true(task, address)) {
		kern_return_t result = read_maps(task);
		if (result != KERN_SUCCESS)
			return result;
	}
	return find(task->maps, address, region);
}

kern_return_t mp_maps_find_again(
	struct task *task, uint64_t address, const struct region **region)
{
	const struct maps *maps = task->maps;

	if (maps && maps->count && address >= maps->found && address < maps->next &&
		sys_now(CLOCK_MONOTONIC) - maps->read_at < ITERATION_TIME)
		return find(task->maps, address, region);
	return mp_maps_find(task, address, region);
}

kern_return_t mp_maps_named(struct task *task, const char *path, const struct region **region)
{
	size_t length = strlen(path);

	if (!still_true(task, 0)) {
		kern_return_t result = read_maps(task);
		if (result != KERN_SUCCESS)
			return result;
	}
	const struct maps *maps = task->maps;
	for (uint32_t i = 0; i < maps->count; i++) {
		if (maps->regions[i].path_length == length &&
			memcmp(maps->text + maps->regions[i].path, path, length) == 0) {
			*region = &maps->regions[i];
			return KERN_SUCCESS;
		}
	}
	return KERN_INVALID_ADDRESS;
}

const char *mp_maps_path(const struct task *task, const struct region *region)
{
	return task->maps->text + region->path;
}

void mp_maps_forget(struct task *task)
{
	if (task->maps) {
		task->maps->valid = false;
		task->maps->found = task->maps->next = 0;
	}
}

void mp_maps_free(struct task *task)
{
	struct maps *maps = task->maps;

	if (!maps)
		return;
	if (maps->text_capacity)
		SYS2(SYS_munmap, maps->text, maps->text_capacity);
	if (maps->regions_capacity)
		SYS2(SYS_munmap, maps->regions, maps->regions_capacity);
	SYS2(SYS_munmap, maps, sizeof *maps);
	task->maps = NULL;
}
