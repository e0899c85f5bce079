/*
 * The regions of a task's address space, from /proc/PID/maps. Reading and parsing the file takes as
 * long as a hundred lookups, so a reading is kept while it is valid.
 */
#ifndef MACHPAUSE_LINUX_MAPS_H
#define MACHPAUSE_LINUX_MAPS_H

#include "table.h"

struct region {
	uint64_t start, end;
	uint64_t offset;
	uint32_t path;        /* offset in the text of the reading */
	uint16_t path_length;
	uint8_t protection;   /* VM_PROT_* */
	bool shared;
};

/* Finds the region that holds or follows address. KERN_INVALID_ADDRESS if there is none. */
kern_return_t mp_maps_find(struct task *task, uint64_t address, const struct region **region);
/* The same by the last reading, for more about the region that was found last. */
kern_return_t mp_maps_find_again(
	struct task *task, uint64_t address, const struct region **region);
/* Finds a region by its path. */
kern_return_t mp_maps_named(struct task *task, const char *path, const struct region **region);
/* The path of the region that was found last. It is not terminated. */
const char *mp_maps_path(const struct task *task, const struct region *region);
/* Discards the reading, because the task is resumed. */
void mp_maps_forget(struct task *task);
void mp_maps_free(struct task *task);

#endif
