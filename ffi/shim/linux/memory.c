#define _GNU_SOURCE
/* <mach/mach_vm.h> */
#include <sys/uio.h>
#include <unistd.h>

#include "lock.h"
#include "maps.h"
#include "result.h"
#include "sys.h"

kern_return_t mach_vm_deallocate(vm_map_t name, mach_vm_address_t address, mach_vm_size_t size)
{
	if (name != mach_task_self_)
		return KERN_INVALID_ARGUMENT;
	if (size == 0)
		return KERN_SUCCESS;
	return SYS2(SYS_munmap, address, sys_round_page(size)) < 0 ? KERN_INVALID_ADDRESS : KERN_SUCCESS;
}

/* Repeats process_vm_readv() or process_vm_writev() until one fails. Returns the bytes transferred, or
 * the negative errno of the first call. Both calls respect page protection. */
static long transfer(long call, const struct task *task, uint64_t address, void *data, uint64_t size)
{
	uint64_t total = 0;

	while (total < size) {
		struct iovec local = {(char *)data + total, size - total};
		struct iovec remote = {(void *)(uintptr_t)(address + total), size - total};
		long done = SYS6(call, task->pid, &local, 1, &remote, 1, 0);
		if (done <= 0)
			return total ? (long)total : done;
		total += (uint64_t)done;
	}
	return (long)total;
}

/* The calls take a pid. If the process still exists after a call, the pid was its own. */
static bool same_process(const struct task *task)
{
	return SYS4(SYS_pidfd_send_signal, task->pidfd, 0, 0, 0) != -ESRCH;
}

kern_return_t mach_vm_read_overwrite(vm_map_read_t name, mach_vm_address_t address,
	mach_vm_size_t size, mach_vm_address_t data, mach_vm_size_t *outsize)
{
	kern_return_t result = KERN_SUCCESS;

	*outsize = 0;
	mp_lock();
	const struct task *task = mp_port_task(name);
	if (!task) {
		result = KERN_INVALID_ARGUMENT;
	} else if (size && address + size - 1 < address) {
		result = KERN_INVALID_ADDRESS;
	} else {
		long done = transfer(SYS_process_vm_readv, task, address, (void *)(uintptr_t)data, size);
		if (done == -ESRCH || !same_process(task)) {
			result = MACH_SEND_INVALID_DEST;
		} else {
			*outsize = done > 0 ? (uint64_t)done : 0;
			if (*outsize < size)
				result = done == -EPERM ? KERN_FAILURE : KERN_INVALID_ADDRESS;
		}
	}
	mp_unlock();
	return result;
}

kern_return_t mach_vm_write(
	vm_map_t name, mach_vm_address_t address, vm_offset_t data, mach_msg_type_number_t size)
{
	kern_return_t result = KERN_SUCCESS;

	mp_lock();
	struct task *task = mp_port_task(name);
	if (!task) {
		result = KERN_INVALID_ARGUMENT;
	} else if (!same_process(task)) {
		result = MACH_SEND_INVALID_DEST;
	} else {
		long done = transfer(SYS_process_vm_writev, task, address, (void *)data, size);
		uint64_t end = address + (done > 0 ? (uint64_t)done : 0);
		const struct region *region;
		if (done == -ESRCH)
			result = MACH_SEND_INVALID_DEST;
		else if (done == -EPERM)
			result = KERN_FAILURE;
		else if (end < address + size)
			result = mp_maps_find(task, end, &region) == KERN_SUCCESS && region->start <= end
				? KERN_PROTECTION_FAILURE
				: KERN_INVALID_ADDRESS;
	}
	mp_unlock();
	return result;
}

/* What /proc/PID/pagemap says of each page, 64 bits of it (Linux's
 * Documentation/admin-guide/mm/pagemap.rst). */
#define PAGEMAP_SWAPPED (1ull << 62)
#define PAGEMAP_PRESENT (1ull << 63)

kern_return_t mach_vm_page_range_query(vm_map_read_t name, mach_vm_offset_t address,
	mach_vm_size_t size, mach_vm_address_t dispositions, mach_vm_size_t *count)
{
	enum { ENTRIES = 512 };
	uint64_t entries[ENTRIES];
	int *pages = (int *)(uintptr_t)dispositions;
	const uint64_t page = (uint64_t)getpagesize();
	const uint64_t first = address / page;
	kern_return_t result = KERN_SUCCESS;
	uint64_t wanted, done = 0;

	if (address + size < address)
		return KERN_INVALID_ARGUMENT;
	wanted = (address + size + page - 1) / page - first;
	if (wanted > *count)
		wanted = *count;
	*count = 0;
	mp_lock();
	const struct task *task = mp_port_task(name);
	int fd = task ? sys_open_at(task->directory, "pagemap", O_RDONLY) : -EINVAL;
	while (fd >= 0 && done < wanted) {
		uint64_t part = wanted - done < ENTRIES ? wanted - done : ENTRIES;
		long got = SYS4(SYS_pread64, fd, entries, part * 8, (first + done) * 8);
		/* It ends with the address space, where nothing is. */
		if (got < 8)
			break;
		for (long at = 0; at < got / 8; at++)
			pages[done++] = entries[at] & PAGEMAP_PRESENT ? VM_PAGE_QUERY_PAGE_PRESENT
				: entries[at] & PAGEMAP_SWAPPED       ? VM_PAGE_QUERY_PAGE_PAGED_OUT
								      : 0;
	}
	while (fd >= 0 && done < wanted)
		pages[done++] = 0;
	if (!task)
		result = KERN_INVALID_ARGUMENT;
	else if (fd == -ESRCH || !same_process(task))
		result = MACH_SEND_INVALID_DEST;
	else if (fd < 0)
		result = KERN_FAILURE;
	mp_unlock();
	sys_close(fd);
	*count = done;
	return result;
}

static bool path_is(const struct task *task, const struct region *region, const char *path)
{
	return region->path_length == strlen(path) &&
		memcmp(mp_maps_path(task, region), path, region->path_length) == 0;
}

kern_return_t mach_vm_region_recurse(vm_map_read_t name, mach_vm_address_t *address,
	mach_vm_size_t *size, natural_t *depth, vm_region_recurse_info_t out,
	mach_msg_type_number_t *count)
{
	const struct region *region;
	kern_return_t result;

	/* XNU also has a long form, for which it looks up every page. Nobody here is to ask for that. */
	if (*count != VM_REGION_SUBMAP_SHORT_INFO_COUNT_64)
		return KERN_INVALID_ARGUMENT;
	mp_lock();
	struct task *task = mp_port_task(name);
	result = task ? mp_maps_find(task, *address, &region) : KERN_INVALID_ARGUMENT;
	if (result == KERN_SUCCESS) {
		bool file = region->path_length && *mp_maps_path(task, region) == '/';
		vm_region_submap_short_info_data_64_t info = {
			.protection = region->protection,
			/* Of a private mapping. That of a shared one depends on how the file was opened. */
			.max_protection = VM_PROT_READ | VM_PROT_WRITE | VM_PROT_EXECUTE,
			.offset = file ? region->offset : 0,
			.user_tag = path_is(task, region, "[stack]") ? VM_MEMORY_STACK
				: path_is(task, region, "[heap]")    ? VM_MEMORY_MALLOC
								     : 0,
			.external_pager = file,
			.share_mode = region->shared ? SM_SHARED
				: file               ? SM_COW
				: region->protection ? SM_PRIVATE
						     : SM_EMPTY,
		};
		*address = region->start;
		*size = region->end - region->start;
		*depth = 0;
		memcpy(out, &info, sizeof info);
		*count = VM_REGION_SUBMAP_SHORT_INFO_COUNT_64;
	}
	mp_unlock();
	return result;
}
