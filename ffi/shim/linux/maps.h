/*
 * Regions of a task's address space, from /proc/PID/maps. Reading and parsing it takes longer than
 * answering a hundred questions from it, so a reading is kept for as long as it is true.
 */
#ifndef MACHPAUSE_LINUX_MAPS_H
#define MACHPAUSE_LINUX_MAPS_H

#include "table.h"

struct region {
	uint64_t start, end;
	uint64_t offset;
	uint32_t path;        /* where it starts in the reading's text */
	uint16_t path_length;
	uint8_t protection;   /* VM_PROT_* */
	bool shared;
};

/* The region that holds or follows address; KERN_INVALID_ADDRESS where there is none. */
kern_return_t mp_maps_find(struct task *task, uint64_t address, const struct region **region);
/* The same, for more about the region that was found last: by the same reading. */
kern_return_t mp_maps_find_again(
	struct task *task, uint64_t address, const struct region **region);
/* The region whose path is that. */
kern_return_t mp_maps_named(struct task *task, const char *path, const struct region **region);
/* The path of a region that was just found: not terminated. */
const char *mp_maps_path(const struct task *task, const struct region *region);
/* The task runs again: what was read says nothing any more. */
void mp_maps_forget(struct task *task);
void mp_maps_free(struct task *task);

#endif
