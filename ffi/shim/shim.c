/*
 * machpause.h in Mach calls. The same file on both systems: on Darwin the kernel answers the calls,
 * on Linux the files in linux/ do.
 */
#include "machpause.h"

#include <stdbool.h>

#include "darwin/mach.h"
#include "shim.h"
#include "watchdog.h"
#include "darwin/preload.h"

_Static_assert(sizeof(mp_thread_info) == 128, "mp_thread_info");
_Static_assert(sizeof(mp_vm_region_info) == 48 + MP_PATH_SIZE, "mp_vm_region_info");
_Static_assert(sizeof(mp_dyld_info) == 32, "mp_dyld_info");
_Static_assert(sizeof(mp_snapshot_thread) == 176 + MP_STATE_WORDS * 4, "mp_snapshot_thread");
_Static_assert(sizeof(mp_snapshot_header) == 40, "mp_snapshot_header");
_Static_assert(sizeof(mp_proc_info) == 40, "mp_proc_info");
_Static_assert(sizeof(mp_crash) == 40, "mp_crash");
_Static_assert(sizeof(((mp_thread_info *)0)->name) == MAXTHREADNAMESIZE, "mp_thread_info.name");

/* Deep enough for mach_vm_region_recurse() to descend into every submap. */
#define ALL_SUBMAPS 1024u

/* Maximum number of adjacent regions that are taken for one stack. */
#define MAX_STACK_PARTS 8

/* Maximum number of rounds of suspending the process's other threads. Each round catches the threads
 * that were started during the one before. */
#define MAX_SUSPEND_ROUNDS 16

#if defined(__x86_64__)
#define NATIVE_FLAVOR x86_THREAD_STATE64
typedef x86_thread_state64_t native_state;
static const struct flavor flavors[] = {
	{ x86_THREAD_STATE64, x86_THREAD_STATE64_COUNT, offsetof(x86_thread_state64_t, __rsp), 8, 128 },
	{ x86_THREAD_STATE32, x86_THREAD_STATE32_COUNT, offsetof(x86_thread_state32_t, __esp), 4, 0 },
};
#elif defined(__aarch64__)
#define NATIVE_FLAVOR ARM_THREAD_STATE64
typedef arm_thread_state64_t native_state;
static const struct flavor flavors[] = {
	{ ARM_THREAD_STATE64, ARM_THREAD_STATE64_COUNT, offsetof(arm_thread_state64_t, __sp), 8, 128 },
	{ ARM_THREAD_STATE, ARM_THREAD_STATE_COUNT, offsetof(arm_thread_state_t, __sp), 4, 0 },
};
#else
#error "machpause runs on x86_64 and arm64; 32-bit targets are looked at from there"
#endif

_Static_assert(sizeof(native_state) <= MP_STATE_WORDS * 4, "MP_STATE_WORDS");

const struct flavor *find_flavor(thread_state_flavor_t number)
{
	for (size_t i = 0; i < sizeof(flavors) / sizeof(flavors[0]); i++)
		if (flavors[i].number == number)
			return &flavors[i];
	return NULL;
}

/* Copies a C string, truncated to the buffer. Returns the copied length. */
static uint32_t copy_string(char *to, uint32_t size, const char *from)
{
	uint32_t length = 0;
	while (length + 1 < size && from[length] != '\0') {
		to[length] = from[length];
		length++;
	}
	to[length] = '\0';
	return length;
}

bool is_self(task_t task)
{
	int pid, own;
	return task == mach_task_self()
		|| (pid_for_task(task, &pid) == KERN_SUCCESS
			&& pid_for_task(mach_task_self(), &own) == KERN_SUCCESS && pid == own);
}

void release_threads(thread_act_array_t threads, mach_msg_type_number_t count)
{
	if (threads == NULL)
		return;
	for (mach_msg_type_number_t i = 0; i < count; i++)
		if (threads[i] != MACH_PORT_NULL)
			mach_port_deallocate(mach_task_self(), threads[i]);
	mach_vm_deallocate(
		mach_task_self(), (mach_vm_address_t)(uintptr_t)threads, count * sizeof(threads[0]));
}

kern_return_t resume(task_suspension_token_t token)
{
	kern_return_t result = task_resume2(token);
	/* After any MACH_SEND_ error the message was not sent, and this process still has the right. */
	if ((result & ~0xfff) == (MACH_SEND_INVALID_DEST & ~0xfff))
		mach_port_deallocate(mach_task_self(), token);
	return result;
}

/* A suspension that is returned to the caller is registered with the watchdog. */
static kern_return_t suspend(task_t task, task_suspension_token_t *token)
{
	kern_return_t result = mp_watchdog_arm();
	if (result != KERN_SUCCESS)
		return result;
	result = task_suspend2(task, token);
	if (result == KERN_SUCCESS && !watchdog_add(*token, false)) {
		resume(*token);
		result = KERN_RESOURCE_SHORTAGE;
	}
	if (result != KERN_SUCCESS)
		mp_watchdog_disarm();
	return result;
}

static kern_return_t resume_watched(task_suspension_token_t token)
{
	bool held = watchdog_remove(token);
	kern_return_t result = resume(token);
	if (held)
		mp_watchdog_disarm();
	return result;
}

static kern_return_t read_thread_id(thread_act_t thread, struct thread_identifier_info *info)
{
	mach_msg_type_number_t count = THREAD_IDENTIFIER_INFO_COUNT;
	return thread_info(thread, THREAD_IDENTIFIER_INFO, (thread_info_t)info, &count);
}

kern_return_t read_thread_info(thread_act_t thread, mp_thread_info *info)
{
	struct thread_basic_info basic;
	struct thread_identifier_info identifier;
	struct thread_extended_info extended;
	mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;

	memset(info, 0, sizeof(*info));
	kern_return_t result = thread_info(thread, THREAD_BASIC_INFO, (thread_info_t)&basic, &count);
	if (result != KERN_SUCCESS)
		return result;
	result = read_thread_id(thread, &identifier);
	if (result != KERN_SUCCESS)
		return result;
	count = THREAD_EXTENDED_INFO_COUNT;
	result = thread_info(thread, THREAD_EXTENDED_INFO, (thread_info_t)&extended, &count);
	if (result != KERN_SUCCESS)
		return result;

	info->thread_id = identifier.thread_id;
	info->thread_handle = identifier.thread_handle;
	info->dispatch_qaddr = identifier.dispatch_qaddr;
	info->user_time = extended.pth_user_time;
	info->system_time = extended.pth_system_time;
	info->cpu_usage = (uint32_t)basic.cpu_usage;
	info->run_state = (uint32_t)basic.run_state;
	info->flags = (uint32_t)basic.flags;
	info->suspend_count = basic.suspend_count;
	info->priority = extended.pth_curpri;
	extended.pth_name[sizeof(extended.pth_name) - 1] = '\0';
	copy_string(info->name, sizeof(info->name), extended.pth_name);
	return KERN_SUCCESS;
}

/* A signal for the calling thread ends its wait for the other one to leave its CPU, also where that one's task is
 * suspended, while it works in the kernel (osfmk/kern/thread_act.c, thread_get_state_internal()). The signal
 * has been handled when the call has returned. */
kern_return_t read_thread_state(thread_act_t thread, thread_state_flavor_t flavor, thread_state_t state,
	mach_msg_type_number_t *words)
{
	enum { MAX_TRIES = 8 };
	const mach_msg_type_number_t room = *words;
	kern_return_t result = KERN_ABORTED;

	for (int tries = 0; tries < MAX_TRIES && result == KERN_ABORTED; tries++) {
		*words = room;
		result = thread_get_state(thread, flavor, state, words);
	}
	return result;
}

static kern_return_t read_exactly(task_t task, uint64_t address, uint64_t size, void *data)
{
	mach_vm_size_t copied = 0;
	kern_return_t result = mach_vm_read_overwrite(
		task, address, size, (mach_vm_address_t)(uintptr_t)data, &copied);
	return result == KERN_SUCCESS && copied != size ? KERN_INVALID_ADDRESS : result;
}

/* mach_vm_read_overwrite() reads all or nothing, so after a failure a binary search finds the end of the
 * readable part. */
kern_return_t read_memory(
	task_t task, uint64_t address, uint64_t size, void *data, uint64_t *done)
{
	*done = 0;
	if (size == 0)
		return KERN_SUCCESS;
	if (size > UINT64_MAX - address)
		return KERN_INVALID_ADDRESS;
	kern_return_t result = read_exactly(task, address, size, data);
	if (result == KERN_SUCCESS) {
		*done = size;
		return result;
	}
	/* Invariant: [at, bad) is not readable as a whole. */
	uint64_t at = address;
	uint64_t bad = address + size;
	for (;;) {
		uint64_t middle = (at + (bad - at) / 2) & ~(uint64_t)(PAGE - 1);
		if (middle <= at)
			middle = (at | (PAGE - 1)) + 1;
		if (middle >= bad || middle <= at)
			return result;
		if (read_exactly(task, at, middle - at, (uint8_t *)data + (at - address)) == KERN_SUCCESS) {
			at = middle;
			*done = at - address;
		} else {
			bad = middle;
		}
	}
}

/* The region that contains *address, or the next one. The short form is asked for, as debugserver does: for
 * the long one XNU looks up every page of the region (vm_map.c, vm_map_region_walk()), and it is asked while
 * the task is stopped. */
static kern_return_t find_region(task_t task, uint64_t *address, uint64_t *size, uint32_t *depth,
	struct vm_region_submap_short_info_64 *info)
{
	mach_vm_address_t start = *address;
	mach_vm_size_t length = 0;
	natural_t nesting = ALL_SUBMAPS;
	mach_msg_type_number_t count = VM_REGION_SUBMAP_SHORT_INFO_COUNT_64;
	kern_return_t result = mach_vm_region_recurse(
		task, &start, &length, &nesting, (vm_region_recurse_info_t)info, &count);
	*address = start;
	*size = length;
	*depth = nesting;
	return result;
}

kern_return_t find_stack(task_t task, uint64_t sp, uint64_t *start, uint64_t *end)
{
	struct vm_region_submap_short_info_64 info;
	uint64_t address = sp;
	uint64_t size;
	uint32_t depth;

	kern_return_t result = find_region(task, &address, &size, &depth, &info);
	if (result != KERN_SUCCESS)
		return result;
	if (address > sp)
		return KERN_INVALID_ADDRESS;
	if (!(info.protection & VM_PROT_READ))
		return KERN_PROTECTION_FAILURE;
	*start = address;
	*end = address + size;
	for (int part = 1; part < MAX_STACK_PARTS && info.user_tag == VM_MEMORY_STACK; part++) {
		address = *end;
		if (find_region(task, &address, &size, &depth, &info) != KERN_SUCCESS)
			break;
		/* The guard pages of the next thread are also tagged as a stack, but are not readable. */
		if (address != *end || info.user_tag != VM_MEMORY_STACK
			|| !(info.protection & VM_PROT_READ))
			break;
		*end = address + size;
	}
	return KERN_SUCCESS;
}

uint32_t mp_abi_version(void)
{
	return MP_ABI_VERSION;
}

int32_t mp_task_self(uint32_t *task)
{
	*task = mach_task_self();
	return KERN_SUCCESS;
}

int32_t mp_task_for_pid(int32_t pid, uint32_t *task)
{
	mach_port_name_t port = MACH_PORT_NULL;
	kern_return_t result = task_for_pid(mach_task_self(), pid, &port);
	*task = port;
	return result;
}

int32_t mp_task_threads(uint32_t task, uint32_t *threads, uint32_t capacity, uint32_t *count)
{
	thread_act_array_t ports = NULL;
	mach_msg_type_number_t port_count = 0;

	*count = 0;
	kern_return_t result = task_threads(task, &ports, &port_count);
	if (result != KERN_SUCCESS)
		return result;
	*count = port_count;
	if (port_count > capacity) {
		release_threads(ports, port_count);
		return KERN_NO_SPACE;
	}
	for (mach_msg_type_number_t i = 0; i < port_count; i++)
		threads[i] = ports[i];
	/* The caller gets the references; only the array is freed. */
	mach_vm_deallocate(
		mach_task_self(), (mach_vm_address_t)(uintptr_t)ports, port_count * sizeof(ports[0]));
	return KERN_SUCCESS;
}

int32_t mp_task_suspend(uint32_t task, uint32_t *token)
{
	task_suspension_token_t suspension = MACH_PORT_NULL;

	*token = MACH_PORT_NULL;
	if (is_self(task))
		return KERN_INVALID_ARGUMENT;
	kern_return_t result = suspend(task, &suspension);
	if (result == KERN_SUCCESS)
		*token = suspension;
	return result;
}

int32_t mp_task_resume(uint32_t token)
{
	return resume_watched(token);
}

int32_t mp_thread_suspend(uint32_t thread)
{
	mach_port_t own = mach_thread_self();
	mach_port_deallocate(mach_task_self(), own);
	if (thread == own)
		return KERN_INVALID_ARGUMENT;
	kern_return_t result = mp_watchdog_arm();
	if (result != KERN_SUCCESS)
		return result;
	/* Registered before the call, so that the thread cannot be left suspended in between. */
	result = watchdog_add(thread, true) ? KERN_SUCCESS : KERN_RESOURCE_SHORTAGE;
	if (result == KERN_SUCCESS) {
		result = thread_suspend(thread);
		if (result == KERN_SUCCESS)
			return result;
		watchdog_remove(thread);
	}
	mp_watchdog_disarm();
	return result;
}

int32_t mp_thread_resume(uint32_t thread)
{
	kern_return_t result = thread_resume(thread);
	if (watchdog_remove(thread))
		mp_watchdog_disarm();
	return result;
}

int32_t mp_thread_get_state(uint32_t thread, int32_t flavor, uint32_t *state, uint32_t *count)
{
	mach_msg_type_number_t words = *count;
	kern_return_t result = read_thread_state(thread, flavor, state, &words);
	*count = result == KERN_SUCCESS ? words : 0;
	return result;
}

int32_t mp_thread_set_state(uint32_t thread, int32_t flavor, const uint32_t *state, uint32_t count)
{
	/* thread_set_state() does not write to the state, although its prototype has no const. */
	return thread_set_state(thread, flavor, (thread_state_t)(uintptr_t)state, count);
}

int32_t mp_thread_info_get(uint32_t thread, mp_thread_info *info)
{
	return read_thread_info(thread, info);
}

int32_t mp_vm_read_overwrite(
	uint32_t task, uint64_t address, uint64_t size, void *data, uint64_t *done)
{
	return read_memory(task, address, size, data, done);
}

int32_t mp_vm_write(uint32_t task, uint64_t address, const void *data, uint64_t size)
{
	/* mach_vm_write() takes a 32-bit count. */
	const uint64_t most = 1u << 30;
	for (uint64_t done = 0; done < size;) {
		uint64_t part = size - done < most ? size - done : most;
		kern_return_t result = mach_vm_write(task, address + done,
			(vm_offset_t)((const uint8_t *)data + done), (mach_msg_type_number_t)part);
		if (result != KERN_SUCCESS)
			return result;
		done += part;
	}
	return KERN_SUCCESS;
}

static void read_region_path(int pid, mp_vm_region_info *region)
{
	struct proc_regionpath path;
	if (proc_pidinfo(pid, PROC_PIDREGIONPATH, region->address, &path, sizeof(path))
		!= (int)sizeof(path))
		return;
	/* If no file is mapped here, the answer describes a later region. */
	if (region->address < path.prpo_addr
		|| region->address - path.prpo_addr >= path.prpo_regionlength)
		return;
	path.prpo_path[sizeof(path.prpo_path) - 1] = '\0';
	region->path_length = copy_string(region->path, sizeof(region->path), path.prpo_path);
}

int32_t mp_vm_region(uint32_t task, uint64_t address, uint32_t flags, mp_vm_region_info *regions,
	uint32_t capacity, uint32_t *count)
{
	int pid = 0;

	*count = 0;
	if (flags & MP_REGION_PATHS) {
		kern_return_t result = pid_for_task(task, &pid);
		if (result != KERN_SUCCESS)
			return result;
	}
	while (*count < capacity) {
		struct vm_region_submap_short_info_64 info;
		uint64_t size;
		uint32_t depth;
		kern_return_t result = find_region(task, &address, &size, &depth, &info);
		if (result == KERN_INVALID_ADDRESS)
			break;
		if (result != KERN_SUCCESS)
			return result;

		mp_vm_region_info *region = &regions[(*count)++];
		region->address = address;
		region->size = size;
		region->offset = info.offset;
		region->protection = (uint32_t)info.protection;
		region->max_protection = (uint32_t)info.max_protection;
		region->user_tag = info.user_tag;
		region->share_mode = info.share_mode;
		region->depth = depth;
		region->path_length = 0;
		region->path[0] = '\0';
		if (flags & MP_REGION_PATHS)
			read_region_path(pid, region);
		if (size == 0 || size > UINT64_MAX - address)
			break;
		address += size;
	}
	return KERN_SUCCESS;
}

int32_t mp_vm_present(uint32_t task, uint64_t address, uint64_t size, mp_range *ranges,
	uint32_t capacity, uint32_t *count, uint64_t *next)
{
	/* Pages of the smallest size: where they are larger there are fewer in as many bytes. */
	enum { PAGES = 1024, SMALLEST = 4096 };
	int pages[PAGES];
	const uint64_t end = address + size;

	*count = 0;
	*next = address;
	if (end < address)
		return KERN_INVALID_ARGUMENT;
	while (*next < end) {
		const uint64_t left = end - *next;
		const uint64_t part = left < PAGES * SMALLEST ? left : PAGES * SMALLEST;
		mach_vm_size_t found = PAGES;
		kern_return_t result = mach_vm_page_range_query(
			task, *next, part, (mach_vm_address_t)(uintptr_t)pages, &found);
		if (result != KERN_SUCCESS)
			return result;
		if (found == 0 || found > PAGES)
			return KERN_FAILURE;
		const uint64_t page = (part + found - 1) / found;
		for (uint64_t at = 0; at < found; at++) {
			if (!(pages[at] & (VM_PAGE_QUERY_PAGE_PRESENT | VM_PAGE_QUERY_PAGE_PAGED_OUT)))
				continue;
			const uint64_t start = *next + at * page;
			mp_range *last = *count ? &ranges[*count - 1] : NULL;
			if (last && last->address + last->size == start) {
				last->size += page;
			} else if (*count < capacity) {
				ranges[(*count)++] = (mp_range){start, page};
			} else {
				*next = start;
				return KERN_SUCCESS;
			}
		}
		*next += part;
	}
	return KERN_SUCCESS;
}

int32_t mp_task_dyld_info(uint32_t task, mp_dyld_info *info)
{
	struct task_dyld_info dyld;
	struct proc_archinfo arch;
	mach_msg_type_number_t count = TASK_DYLD_INFO_COUNT;
	int pid = 0;

	memset(info, 0, sizeof(*info));
	kern_return_t result = task_info(task, TASK_DYLD_INFO, (task_info_t)&dyld, &count);
	if (result != KERN_SUCCESS)
		return result;
	result = pid_for_task(task, &pid);
	if (result != KERN_SUCCESS)
		return result;
	info->all_image_info_addr = dyld.all_image_info_addr;
	info->all_image_info_size = dyld.all_image_info_size;
	info->all_image_info_format = dyld.all_image_info_format;
	info->pid = pid;
	if (proc_pidinfo(pid, PROC_PIDARCHINFO, 0, &arch, sizeof(arch)) == (int)sizeof(arch))
		info->cputype = arch.p_cputype;
	return KERN_SUCCESS;
}

int32_t mp_dyld_image_count(uint32_t *count)
{
	*count = _dyld_image_count();
	return KERN_SUCCESS;
}

int32_t mp_dyld_get_image_header(uint32_t index, uint64_t *address)
{
	const struct mach_header *header = _dyld_get_image_header(index);
	*address = (uint64_t)(uintptr_t)header;
	return header == NULL ? KERN_INVALID_ARGUMENT : KERN_SUCCESS;
}

int32_t mp_dyld_get_image_name(uint32_t index, char *name, uint32_t size)
{
	const char *path = _dyld_get_image_name(index);
	if (path == NULL || size == 0)
		return KERN_INVALID_ARGUMENT;
	copy_string(name, size, path);
	return KERN_SUCCESS;
}

int32_t mp_dyld_get_image_vmaddr_slide(uint32_t index, int64_t *slide)
{
	*slide = _dyld_get_image_vmaddr_slide(index);
	/* _dyld_get_image_vmaddr_slide() returns 0 also for an index out of range. */
	return _dyld_get_image_header(index) == NULL ? KERN_INVALID_ARGUMENT : KERN_SUCCESS;
}

int32_t mp_port_release(uint32_t port)
{
	return mach_port_deallocate(mach_task_self(), port);
}

int32_t mp_port_retain(uint32_t port)
{
	return mach_port_mod_refs(mach_task_self(), port, MACH_PORT_RIGHT_SEND, 1);
}

int32_t mp_port_count(uint32_t *count)
{
	mach_port_name_array_t names = NULL;
	mach_port_type_array_t types = NULL;
	mach_msg_type_number_t name_count = 0;
	mach_msg_type_number_t type_count = 0;

	*count = 0;
	kern_return_t result
		= mach_port_names(mach_task_self(), &names, &name_count, &types, &type_count);
	if (result != KERN_SUCCESS)
		return result;
	*count = name_count;
	mach_vm_deallocate(
		mach_task_self(), (mach_vm_address_t)(uintptr_t)names, name_count * sizeof(names[0]));
	mach_vm_deallocate(
		mach_task_self(), (mach_vm_address_t)(uintptr_t)types, type_count * sizeof(types[0]));
	return KERN_SUCCESS;
}

int32_t mp_proc_listpids(int32_t *pids, uint32_t capacity, uint32_t *count)
{
	const uint32_t most = INT32_MAX / (uint32_t)sizeof(pids[0]);
	if (capacity > most)
		capacity = most;
	*count = 0;
	/* Without a buffer proc_listallpids() returns the current count plus some spare room. */
	int expected = proc_listallpids(NULL, 0);
	if (expected < 0)
		return KERN_FAILURE;
	int filled = capacity == 0
		? 0 : proc_listallpids(pids, (int)(capacity * (uint32_t)sizeof(pids[0])));
	if (filled < 0)
		return KERN_FAILURE;
	/* If the buffer is full, there may be more. */
	if ((uint32_t)filled >= capacity) {
		*count = (uint32_t)(expected > filled ? expected : filled) + 1;
		return KERN_NO_SPACE;
	}
	*count = (uint32_t)filled;
	return KERN_SUCCESS;
}

/* Returns the part of a path after the last slash. */
static const char *last_part(const char *path)
{
	const char *part = path;
	for (; *path != '\0'; path++)
		if (*path == '/')
			part = path + 1;
	return part;
}

static bool starts_with(const char *text, const char *start)
{
	while (*start != '\0')
		if (*text++ != *start++)
			return false;
	return true;
}

int32_t mp_proc_name(int32_t pid, char *name, uint32_t size)
{
	/* XNU answers proc_name() only for processes of the same user, and truncates the name to this
	 * length (bsd/kern/proc_info.c; pbi_name has 2 * MAXCOMLEN bytes). It answers proc_pidpath() for
	 * every process, with the whole path. */
	enum { CUT = 31 };
	/* proc_name() fails for buffers smaller than pbi_name. */
	char full[256];
	char path[PROC_PIDPATHINFO_MAXSIZE];
	if (size == 0)
		return KERN_INVALID_ARGUMENT;
	name[0] = '\0';
	full[0] = '\0';
	int length = proc_name(pid, full, sizeof(full));
	full[sizeof(full) - 1] = '\0';
	if (length <= 0 || length >= CUT) {
		if (length <= 0)
			full[0] = '\0';
		if (mp_proc_pidpath(pid, path, sizeof(path)) == KERN_SUCCESS) {
			const char *file = last_part(path);
			/* The name may differ from the file's: a script's, or one that the program has set. */
			if (starts_with(file, full)) {
				copy_string(name, size, file);
				return KERN_SUCCESS;
			}
		}
	}
	if (full[0] == '\0') {
		/* The kernel has no file; the file of a program may have been deleted. */
		struct proc_bsdshortinfo info;
		if (proc_pidinfo(pid, PROC_PIDT_SHORTBSDINFO, 0, &info, sizeof(info)) != (int)sizeof(info))
			return KERN_FAILURE;
		info.pbsi_comm[sizeof(info.pbsi_comm) - 1] = '\0';
		copy_string(full, sizeof(full), info.pbsi_comm);
	}
	copy_string(name, size, full);
	return KERN_SUCCESS;
}

int32_t mp_proc_pidpath(int32_t pid, char *path, uint32_t size)
{
	/* proc_pidpath() also fails for small buffers. */
	char full[PROC_PIDPATHINFO_MAXSIZE];
	if (size == 0)
		return KERN_INVALID_ARGUMENT;
	path[0] = '\0';
	if (proc_pidpath(pid, full, sizeof(full)) <= 0)
		return KERN_FAILURE;
	full[sizeof(full) - 1] = '\0';
	copy_string(path, size, full);
	return KERN_SUCCESS;
}

/* Whether this process runs under Rosetta. Works on kernels without PROC_FLAG_ROSETTA too. */
static bool is_self_translated(void)
{
	int translated = 0;
	size_t size = sizeof(translated);
	return sysctlbyname != NULL
		&& sysctlbyname("sysctl.proc_translated", &translated, &size, NULL, 0) == 0
		&& translated == 1;
}

int32_t mp_proc_info_get(int32_t pid, mp_proc_info *info)
{
	struct proc_bsdshortinfo process;
	struct proc_archinfo arch;
	uint32_t cs_flags = 0;
	int own = 0;

	memset(info, 0, sizeof(*info));
	if (proc_pidinfo(pid, PROC_PIDT_SHORTBSDINFO, 0, &process, sizeof(process))
		!= (int)sizeof(process))
		return KERN_INVALID_VALUE;
	info->pid = pid;
	info->parent = (int32_t)process.pbsi_ppid;
	info->uid = process.pbsi_uid;
	info->ruid = process.pbsi_ruid;
	info->svuid = process.pbsi_svuid;
	if (process.pbsi_flags & PROC_FLAG_TRACED)
		info->flags |= MP_PROC_TRACED;
	if (process.pbsi_flags & PROC_FLAG_PSUGID)
		info->flags |= MP_PROC_SUGID;
	if (process.pbsi_flags & PROC_FLAG_ROSETTA)
		info->flags |= MP_PROC_TRANSLATED;
	if (process.pbsi_flags & PROC_FLAG_EXEC)
		info->flags |= MP_PROC_EXEC;
	/* A suspension of its task does not count. */
	if (process.pbsi_status == SSTOP)
		info->flags |= MP_PROC_STOPPED;
	if (process.pbsi_flags & PROC_FLAG_INEXIT)
		info->flags |= MP_PROC_EXITING;
	if (pid_for_task(mach_task_self(), &own) == KERN_SUCCESS && own == pid && is_self_translated())
		info->flags |= MP_PROC_TRANSLATED;
	if (proc_pidinfo(pid, PROC_PIDARCHINFO, 0, &arch, sizeof(arch)) == (int)sizeof(arch)) {
		info->cputype = arch.p_cputype;
		info->cpusubtype = arch.p_cpusubtype;
	}
	if (csops != NULL && csops(pid, CS_OPS_STATUS, &cs_flags, sizeof(cs_flags)) == 0) {
		info->flags |= MP_PROC_SIGNATURE;
		info->cs_flags = cs_flags;
	}
	return KERN_SUCCESS;
}

int32_t mp_proc_entitlements(int32_t pid, char *text, uint32_t capacity, uint32_t *size)
{
	/* csops() returns a blob: magic and length, both big-endian, then the text. The length includes
	 * these 8 bytes. If the buffer is too small, csops() writes only the header and fails with ERANGE
	 * (kern_proc.c, csops_copy_token()). */
	uint8_t header[8] = {0};

	*size = 0;
	if (csops == NULL)
		return KERN_NOT_SUPPORTED;
	(void)csops(pid, CS_OPS_ENTITLEMENTS_BLOB, header, sizeof(header));
	uint32_t length = (uint32_t)header[4] << 24 | (uint32_t)header[5] << 16
		| (uint32_t)header[6] << 8 | header[7];
	if (length <= sizeof(header))
		return KERN_SUCCESS;
	*size = length - (uint32_t)sizeof(header);
	if (length > capacity)
		return KERN_NO_SPACE;
	if (csops(pid, CS_OPS_ENTITLEMENTS_BLOB, text, capacity) != 0) {
		*size = 0;
		return KERN_FAILURE;
	}
	memmove(text, text + sizeof(header), *size);
	return KERN_SUCCESS;
}

int32_t mp_session_flags(uint32_t *flags)
{
	struct mp_auditinfo_addr info;

	*flags = 0;
	memset(&info, 0, sizeof(info));
	if (getaudit_addr == NULL || getaudit_addr((struct auditinfo_addr *)&info, sizeof(info)) != 0)
		return KERN_NOT_SUPPORTED;
	if (info.ai_flags & MP_AU_SESSION_FLAG_HAS_GRAPHIC_ACCESS)
		*flags |= MP_SESSION_GRAPHIC;
	return KERN_SUCCESS;
}

int32_t mp_launch_open(const char *name, uint32_t *port)
{
	char service[128]; /* name_t of <servers/bootstrap.h> */
	mach_port_t bootstrap = MACH_PORT_NULL;
	mach_port_t receive = MACH_PORT_NULL;

	*port = MACH_PORT_NULL;
	copy_string(service, sizeof(service), name);
	kern_return_t result
		= task_get_special_port(mach_task_self(), TASK_BOOTSTRAP_PORT, &bootstrap);
	if (result != KERN_SUCCESS)
		return result;
	result = mach_port_allocate(mach_task_self(), MACH_PORT_RIGHT_RECEIVE, &receive);
	if (result == KERN_SUCCESS) {
		result = mach_port_insert_right(
			mach_task_self(), receive, receive, MACH_MSG_TYPE_MAKE_SEND);
		if (result == KERN_SUCCESS) {
			result = bootstrap_register2(bootstrap, service, receive, 0);
			mach_port_mod_refs(mach_task_self(), receive, MACH_PORT_RIGHT_SEND, -1);
		}
		if (result == KERN_SUCCESS)
			*port = receive;
		else
			mp_launch_close(receive);
	}
	mach_port_deallocate(mach_task_self(), bootstrap);
	return result;
}

/* Whether the message holds a task port and a reply port. */
static bool is_introduction(const struct mp_launch_message *message)
{
	return message->header.msgh_id == MP_LAUNCH_ID
		&& message->header.msgh_size == sizeof(*message)
		&& (message->header.msgh_bits & MACH_MSGH_BITS_COMPLEX)
		&& message->header.msgh_remote_port != MACH_PORT_NULL
		&& message->body.msgh_descriptor_count == 1
		&& message->task.type == MACH_MSG_PORT_DESCRIPTOR
		&& message->task.disposition == MACH_MSG_TYPE_MOVE_SEND;
}

int32_t mp_launch_accept(
	uint32_t port, int32_t pid, uint32_t milliseconds, uint32_t *task, uint32_t *reply)
{
	/* Bounds the loop. The name is random, so more messages from other processes are not expected. */
	enum { MAX_OTHERS = 64 };
	struct {
		struct mp_launch_message message;
		char trailer[64];
	} buffer;
	struct mp_launch_message *message = &buffer.message;

	*task = MACH_PORT_NULL;
	*reply = MACH_PORT_NULL;
	for (int others = 0; others < MAX_OTHERS; others++) {
		memset(&buffer, 0, sizeof(buffer));
		mach_msg_return_t result = mach_msg(&message->header, MACH_RCV_MSG | MACH_RCV_TIMEOUT, 0,
			sizeof(buffer), port, milliseconds, MACH_PORT_NULL);
		if (result == MACH_RCV_TIMED_OUT)
			return KERN_OPERATION_TIMED_OUT;
		if (result != MACH_MSG_SUCCESS)
			return result;
		if (!is_introduction(message)) {
			mach_msg_destroy(&message->header);
			continue;
		}
		/* The pid in the message is not trusted: the kernel knows whose task port it is. */
		int owner = 0;
		if (pid_for_task(message->task.name, &owner) == KERN_SUCCESS && owner == pid) {
			*task = message->task.name;
			*reply = message->header.msgh_remote_port;
			return KERN_SUCCESS;
		}
		mach_port_deallocate(mach_task_self(), message->task.name);
		mp_launch_continue(message->header.msgh_remote_port);
	}
	return KERN_OPERATION_TIMED_OUT;
}

int32_t mp_launch_continue(uint32_t reply)
{
	mach_msg_header_t message = {
		.msgh_bits = MACH_MSGH_BITS(MACH_MSG_TYPE_MOVE_SEND_ONCE, 0),
		.msgh_size = sizeof(message),
		.msgh_remote_port = reply,
		.msgh_id = MP_LAUNCH_ID + 100, /* as MIG numbers replies */
	};
	mach_msg_return_t result = mach_msg(&message, MACH_SEND_MSG | MACH_SEND_TIMEOUT,
		sizeof(message), 0, MACH_PORT_NULL, 0, MACH_PORT_NULL);
	if (result != MACH_MSG_SUCCESS)
		mach_port_deallocate(mach_task_self(), reply);
	return result;
}

int32_t mp_launch_close(uint32_t port)
{
	return mach_port_mod_refs(mach_task_self(), port, MACH_PORT_RIGHT_RECEIVE, -1);
}

/* mach_exception_raise_identity_protected() of osfmk/mach/mach_exc.defs, as MIG lays it out. */
#pragma pack(push, 4)
struct exception_message {
	mach_msg_header_t header;
	mach_msg_body_t body;
	mach_msg_port_descriptor_t task_id_token;
	uint8_t ndr[8];
	uint64_t thread_id;
	exception_type_t exception;
	mach_msg_type_number_t code_count;
	int64_t code[2];
};

struct exception_reply {
	mach_msg_header_t header;
	uint8_t ndr[8];
	kern_return_t result;
};
#pragma pack(pop)

/* The fourth routine of subsystem 2405. MIG numbers its reply 100 higher. */
#define EXCEPTION_RAISE_ID 2408
#define EXCEPTION_REPLY_ID 2508

_Static_assert(offsetof(struct exception_message, thread_id) == 48, "exception_message");
_Static_assert(offsetof(struct exception_message, code) == 64, "exception_message");
_Static_assert(sizeof(struct exception_message) == 80, "exception_message");
_Static_assert(sizeof(struct exception_reply) == 36, "exception_reply");

int32_t mp_crash_open(uint32_t task, uint32_t *port)
{
	mach_port_t receive = MACH_PORT_NULL;

	*port = MACH_PORT_NULL;
	kern_return_t result
		= mach_port_allocate(mach_task_self(), MACH_PORT_RIGHT_RECEIVE, &receive);
	if (result != KERN_SUCCESS)
		return result;
	result = mach_port_insert_right(
		mach_task_self(), receive, receive, MACH_MSG_TYPE_MAKE_SEND);
	if (result == KERN_SUCCESS) {
		/* A message with an id and no ports. XNU ends whoever asks for the ports of a platform binary or, from
		 * macOS 26 on, of a program with platform restrictions (osfmk/kern/ipc_tt.c,
		 * exception_is_identity_protected()). */
		result = task_set_exception_ports(task, EXC_MASK_CRASH, receive,
			(exception_behavior_t)(EXCEPTION_IDENTITY_PROTECTED | MACH_EXCEPTION_CODES),
			THREAD_STATE_NONE);
		mach_port_mod_refs(mach_task_self(), receive, MACH_PORT_RIGHT_SEND, -1);
	}
	if (result == KERN_SUCCESS)
		*port = receive;
	else
		mp_crash_close(receive);
	return result;
}

static bool is_exception(const struct exception_message *message)
{
	return message->header.msgh_id == EXCEPTION_RAISE_ID
		&& message->header.msgh_size == sizeof(*message)
		&& (message->header.msgh_bits & MACH_MSGH_BITS_COMPLEX)
		&& message->header.msgh_remote_port != MACH_PORT_NULL
		&& message->body.msgh_descriptor_count == 1
		&& message->task_id_token.type == MACH_MSG_PORT_DESCRIPTOR
		&& message->exception == EXC_CRASH && message->code_count == 2;
}

int32_t mp_crash_poll(uint32_t port, mp_crash *crash)
{
	struct {
		struct exception_message message;
		char trailer[64];
	} buffer;
	struct exception_message *message = &buffer.message;

	memset(crash, 0, sizeof(*crash));
	memset(&buffer, 0, sizeof(buffer));
	mach_msg_return_t result = mach_msg(&message->header, MACH_RCV_MSG | MACH_RCV_TIMEOUT, 0,
		sizeof(buffer), port, 0, MACH_PORT_NULL);
	if (result == MACH_RCV_TIMED_OUT)
		return KERN_OPERATION_TIMED_OUT;
	if (result != MACH_MSG_SUCCESS)
		return result;
	if (!is_exception(message)) {
		mach_msg_destroy(&message->header);
		return KERN_OPERATION_TIMED_OUT;
	}
	mach_port_deallocate(mach_task_self(), message->task_id_token.name);
	crash->thread_id = message->thread_id;
	/* bsd/kern/kern_exit.c, proc_prepareexit(): signal, exception and code share code[0]. */
	crash->signal = (int32_t)(message->code[0] >> 24 & 0xff);
	crash->exception = (int32_t)(message->code[0] >> 20 & 0xf);
	crash->code = message->code[0] & 0xfffff;
	crash->subcode = (uint64_t)message->code[1];
	crash->reply = message->header.msgh_remote_port;
	return KERN_SUCCESS;
}

int32_t mp_crash_pass(uint32_t reply)
{
	/* Not handled: the kernel goes on as without this port, to the crash reporter. */
	struct exception_reply message = {
		.header = {
			.msgh_bits = MACH_MSGH_BITS(MACH_MSG_TYPE_MOVE_SEND_ONCE, 0),
			.msgh_size = sizeof(message),
			.msgh_remote_port = reply,
			.msgh_id = EXCEPTION_REPLY_ID,
		},
		/* NDR_record of the little-endian architectures. */
		.ndr = {0, 0, 0, 0, 1, 0, 0, 0},
		.result = KERN_FAILURE,
	};
	mach_msg_return_t result = mach_msg(&message.header, MACH_SEND_MSG | MACH_SEND_TIMEOUT,
		sizeof(message), 0, MACH_PORT_NULL, 0, MACH_PORT_NULL);
	if (result != MACH_MSG_SUCCESS)
		mach_port_deallocate(mach_task_self(), reply);
	return result;
}

int32_t mp_crash_close(uint32_t port)
{
	return mach_port_mod_refs(mach_task_self(), port, MACH_PORT_RIGHT_RECEIVE, -1);
}

/* A snapshot being taken. */
struct snapshot {
	task_t task;
	const struct flavor *flavor;
	uint64_t max_stack;
	uint8_t *buffer;
	uint64_t capacity;
	mp_snapshot_thread *records;
	uint32_t slots;       /* records there is room for */
	thread_act_array_t before; /* threads listed before the stop; records[i].info belongs to before[i] */
	mach_msg_type_number_t before_count;
	thread_act_array_t during; /* threads found while stopped */
	mach_msg_type_number_t during_count;
	uint32_t live;        /* number of threads at the start of during that the snapshot is of */
	uint32_t known;       /* after matching: number of threads at the start of before that still exist */
	uint32_t born;        /* after matching: number of threads at the start of during that are not in before */
	uint64_t used;        /* bytes of the buffer */
	uint64_t needed;      /* bytes that a complete snapshot needs */
	bool complete;        /* nothing was left out */
};

static uint64_t round_up(uint64_t value)
{
	return (value + 15) & ~(uint64_t)15;
}

static void swap(thread_act_t *a, thread_act_t *b)
{
	thread_act_t other = *a;
	*a = *b;
	*b = other;
}

/* Whether ports contains port. The search starts at *hint: two lists of the same task's threads are in
 * nearly the same order. */
static bool find_port(const thread_act_t *ports, uint32_t count, thread_act_t port, uint32_t *hint)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = (*hint + i) % count;
		if (ports[at] == port) {
			*hint = at + 1;
			return true;
		}
	}
	return false;
}

static uint64_t records_size(uint32_t count)
{
	return round_up(sizeof(mp_snapshot_header) + (uint64_t)count * sizeof(mp_snapshot_thread));
}

static kern_return_t begin(struct snapshot *s, task_t task, thread_state_flavor_t flavor,
	uint64_t max_stack, void *buffer, uint64_t capacity)
{
	memset(s, 0, sizeof(*s));
	s->flavor = find_flavor(flavor);
	if (s->flavor == NULL || capacity < sizeof(mp_snapshot_header) || (uintptr_t)buffer % 8 != 0)
		return KERN_INVALID_ARGUMENT;
	s->task = task;
	s->max_stack = max_stack;
	s->buffer = buffer;
	s->capacity = capacity;
	s->records = (mp_snapshot_thread *)(s->buffer + sizeof(mp_snapshot_header));
	uint64_t slots = (capacity - sizeof(mp_snapshot_header)) / sizeof(mp_snapshot_thread);
	s->slots = slots < UINT32_MAX ? (uint32_t)slots : UINT32_MAX;
	memset(buffer, 0, sizeof(mp_snapshot_header));

	kern_return_t result = task_threads(task, &s->before, &s->before_count);
	if (result != KERN_SUCCESS)
		return result;
	for (uint32_t i = 0; i < s->before_count && i < s->slots; i++) {
		mp_snapshot_thread *record = &s->records[i];
		memset(record, 0, sizeof(*record));
		record->info_result = read_thread_info(s->before[i], &record->info);
	}
	return KERN_SUCCESS;
}

/* Matches before and during. Threads that have exited are moved to the end of before and lose their
 * records. New threads are moved to the start of during. */
static void match(struct snapshot *s)
{
	uint32_t hint = 0;
	for (uint32_t i = 0; i < s->before_count; i++) {
		if (!find_port(s->during, s->live, s->before[i], &hint))
			continue;
		if (s->known != i) {
			swap(&s->before[s->known], &s->before[i]);
			if (i < s->slots)
				s->records[s->known] = s->records[i];
			else if (s->known < s->slots)
				memset(&s->records[s->known], 0, sizeof(s->records[0]));
		}
		s->known++;
	}
	hint = 0;
	for (uint32_t i = 0; i < s->live; i++)
		if (!find_port(s->before, s->known, s->during[i], &hint))
			swap(&s->during[s->born++], &s->during[i]);

	uint32_t total = s->known + s->born;
	for (uint32_t i = s->known; i < total && i < s->slots; i++)
		memset(&s->records[i], 0, sizeof(s->records[i]));
	s->complete = total <= s->slots;
	/* The buffer may end before the next alignment boundary; no stack fits there anyway. */
	s->used = records_size(s->complete ? total : s->slots);
	if (s->used > s->capacity)
		s->used = s->capacity;
	s->needed = records_size(total);
}

static thread_act_t matched_port(const struct snapshot *s, uint32_t index)
{
	return index < s->known ? s->before[index] : s->during[index - s->known];
}

static void capture_stack(struct snapshot *s, mp_snapshot_thread *record, bool keep)
{
	uint64_t sp = 0;
	uint64_t start;
	uint64_t end;

	memcpy(&sp, (const uint8_t *)record->state + s->flavor->sp_offset, s->flavor->sp_size);
	record->stack_result = find_stack(s->task, sp, &start, &end);
	if (record->stack_result != KERN_SUCCESS)
		return;
	record->stack_end = end;
	uint64_t from = sp - start < s->flavor->red_zone ? start : sp - s->flavor->red_zone;
	uint64_t size = end - from < s->max_stack ? end - from : s->max_stack;
	s->needed += round_up(size);
	if (!keep || size > s->capacity - s->used) {
		s->complete = false;
		record->stack_result = KERN_NO_SPACE;
		return;
	}
	uint64_t done;
	kern_return_t result = read_memory(s->task, from, size, s->buffer + s->used, &done);
	if (done == 0 && result != KERN_SUCCESS) {
		record->stack_result = result;
		return;
	}
	record->stack_address = from;
	record->stack_size = done;
	record->stack_offset = s->used;
	s->used = round_up(s->used + done);
	if (s->used > s->capacity)
		s->used = s->capacity;
}

/* Captures all matched threads. own is the calling thread, which keeps running; its state is own_state. */
static void capture(struct snapshot *s, thread_act_t own, const native_state *own_state)
{
	uint32_t total = s->known + s->born;
	for (uint32_t i = 0; i < total; i++) {
		/* A thread without a record only contributes the size of its stack to needed. */
		mp_snapshot_thread scratch;
		bool keep = i < s->slots;
		mp_snapshot_thread *record = keep ? &s->records[i] : &scratch;
		thread_act_t port = matched_port(s, i);
		if (own_state != NULL && port == own) {
			memcpy(record->state, own_state, sizeof(*own_state));
		} else {
			mach_msg_type_number_t words = s->flavor->words;
			record->state_result
				= read_thread_state(port, s->flavor->number, record->state, &words);
			if (record->state_result != KERN_SUCCESS) {
				memset(record->state, 0, sizeof(record->state));
				record->stack_result = record->state_result;
				continue;
			}
		}
		/* Linux knows them of a stopped thread only. The info of a thread that is new is read after the
		 * stop. */
		struct thread_identifier_info identifier;
		if (keep && i < s->known && record->info.thread_handle == 0
			&& read_thread_id(port, &identifier) == KERN_SUCCESS) {
			record->info.thread_handle = identifier.thread_handle;
			record->info.dispatch_qaddr = identifier.dispatch_qaddr;
		}
		capture_stack(s, record, keep);
	}
}

/* Runs after the threads were resumed: writes the header, and reads the info of threads that were not
 * known before the stop. */
static kern_return_t finish(struct snapshot *s, uint64_t stopped_ns)
{
	uint32_t total = s->known + s->born;
	uint32_t count = total < s->slots ? total : s->slots;
	uint32_t captured = 0;
	kern_return_t result = KERN_SUCCESS;

	for (uint32_t i = 0; i < count; i++) {
		mp_snapshot_thread *record = &s->records[i];
		if (i >= s->known || record->info.thread_id == 0)
			record->info_result = read_thread_info(matched_port(s, i), &record->info);
		if (record->state_result == KERN_SUCCESS)
			captured++;
		else
			result = record->state_result;
	}
	/* If no state could be read, the task is exiting, or the flavor is wrong for it. */
	if (count > 0 && captured == 0)
		return result;

	/* Adds room for stacks and threads that grow before the next attempt. */
	if (!s->complete)
		s->needed += s->needed / 8 + 16 * PAGE;
	mp_snapshot_header header = {
		.stopped_ns = stopped_ns,
		.used = s->used,
		.needed = s->complete ? s->used : s->needed,
		.thread_count = count,
		.threads_omitted = total - count,
		.thread_size = sizeof(mp_snapshot_thread),
	};
	memcpy(s->buffer, &header, sizeof(header));
	return KERN_SUCCESS;
}

static void release(struct snapshot *s)
{
	release_threads(s->before, s->before_count);
	release_threads(s->during, s->during_count);
}

uint64_t nanoseconds(uint64_t ticks)
{
	mach_timebase_info_data_t timebase;
	if (mach_timebase_info(&timebase) != KERN_SUCCESS || timebase.denom == 0)
		return 0;
	return ticks * timebase.numer / timebase.denom;
}

int32_t mp_snapshot(uint32_t task, int32_t flavor, uint64_t max_stack, void *buffer,
	uint64_t capacity, uint32_t *token)
{
	struct snapshot s;
	task_suspension_token_t suspension = MACH_PORT_NULL;
	uint64_t stopped = 0;

	if (token != NULL)
		*token = MACH_PORT_NULL;
	if (is_self(task))
		return KERN_INVALID_ARGUMENT;
	kern_return_t result = begin(&s, task, flavor, max_stack, buffer, capacity);
	if (result != KERN_SUCCESS)
		return result;

	uint64_t start = mach_absolute_time();
	result = token == NULL ? task_suspend2(task, &suspension) : suspend(task, &suspension);
	if (result != KERN_SUCCESS) {
		release(&s);
		return result;
	}
	result = task_threads(task, &s.during, &s.during_count);
	if (result == KERN_SUCCESS) {
		s.live = s.during_count;
		match(&s);
		capture(&s, MACH_PORT_NULL, NULL);
	}
	if (token == NULL) {
		resume(suspension);
		stopped = mach_absolute_time() - start;
	}
	if (result == KERN_SUCCESS)
		result = finish(&s, nanoseconds(stopped));
	if (token != NULL) {
		if (result == KERN_SUCCESS) {
			((mp_snapshot_header *)buffer)->stopped_ns
				= nanoseconds(mach_absolute_time() - start);
			*token = suspension;
		} else {
			resume_watched(suspension);
		}
	}
	release(&s);
	return result;
}

/* The port under which task_threads() lists the calling thread. Threads are compared by their ids:
 * mach_thread_self() is not guaranteed to return the same port name, and a mistake would suspend the
 * caller. */
static thread_act_t find_own_thread(const struct snapshot *s)
{
	struct thread_identifier_info own;
	struct thread_identifier_info other;
	mach_port_t thread = mach_thread_self();
	kern_return_t result = read_thread_id(thread, &own);
	mach_port_deallocate(mach_task_self(), thread);
	if (result != KERN_SUCCESS)
		return MACH_PORT_NULL;
	for (uint32_t i = 0; i < s->before_count; i++)
		if (read_thread_id(s->before[i], &other) == KERN_SUCCESS
			&& other.thread_id == own.thread_id)
			return s->before[i];
	return MACH_PORT_NULL;
}

/* Suspends all threads except own, and threads that are started meanwhile. On return, also on failure,
 * the first `live` entries of during are the suspended threads. */
static kern_return_t suspend_others(struct snapshot *s, thread_act_t own)
{
	for (int round = 0; round < MAX_SUSPEND_ROUNDS; round++) {
		thread_act_array_t threads = NULL;
		mach_msg_type_number_t count = 0;
		kern_return_t result = task_threads(s->task, &threads, &count);
		if (result != KERN_SUCCESS)
			return result;

		uint32_t still = 0;
		uint32_t hint = 0;
		for (uint32_t i = 0; i < count; i++)
			if (find_port(s->during, s->live, threads[i], &hint))
				swap(&threads[still++], &threads[i]);
		uint32_t fresh = 0;
		for (uint32_t i = still; i < count; i++)
			if (threads[i] != own && thread_suspend(threads[i]) == KERN_SUCCESS)
				swap(&threads[still + fresh++], &threads[i]);

		release_threads(s->during, s->during_count);
		s->during = threads;
		s->during_count = count;
		s->live = still + fresh;
		if (fresh == 0)
			break;
	}
	return KERN_SUCCESS;
}

static kern_return_t snapshot_self(const native_state *own_state, uint64_t max_stack, void *buffer,
	uint64_t capacity)
{
	struct snapshot s;

	kern_return_t result
		= begin(&s, mach_task_self(), NATIVE_FLAVOR, max_stack, buffer, capacity);
	if (result != KERN_SUCCESS)
		return result;
	thread_act_t own = find_own_thread(&s);
	if (own == MACH_PORT_NULL) {
		release(&s);
		return KERN_FAILURE;
	}

	/* Until the other threads run again, only kernel calls are allowed: any lock, the allocator's
	 * included, may be held by a suspended thread. */
	uint64_t start = mach_absolute_time();
	result = suspend_others(&s, own);
	if (result == KERN_SUCCESS) {
		for (uint32_t i = s.live; i < s.during_count; i++)
			if (s.during[i] == own) {
				swap(&s.during[s.live++], &s.during[i]);
				break;
			}
		match(&s);
		capture(&s, own, own_state);
	}
	for (uint32_t i = 0; i < s.live; i++)
		if (s.during[i] != own)
			thread_resume(s.during[i]);
	uint64_t stopped = mach_absolute_time() - start;
	if (result == KERN_SUCCESS)
		result = finish(&s, nanoseconds(stopped));
	release(&s);
	return result;
}

#if defined(__x86_64__)
/* Stores the registers that unwinding needs: pc, sp, fp and the callee-saved registers. */
#define READ_OWN_STATE(state) \
	__asm__ volatile("movq %%rbx, %c[rbx](%[to])\n\t" \
		"movq %%rbp, %c[rbp](%[to])\n\t" \
		"movq %%rsp, %c[rsp](%[to])\n\t" \
		"movq %%r12, %c[r12](%[to])\n\t" \
		"movq %%r13, %c[r13](%[to])\n\t" \
		"movq %%r14, %c[r14](%[to])\n\t" \
		"movq %%r15, %c[r15](%[to])\n\t" \
		"leaq 0(%%rip), %%rax\n\t" \
		"movq %%rax, %c[rip](%[to])" \
		: \
		: [to] "D"(state), [rbx] "i"(offsetof(x86_thread_state64_t, __rbx)), \
		[rbp] "i"(offsetof(x86_thread_state64_t, __rbp)), \
		[rsp] "i"(offsetof(x86_thread_state64_t, __rsp)), \
		[r12] "i"(offsetof(x86_thread_state64_t, __r12)), \
		[r13] "i"(offsetof(x86_thread_state64_t, __r13)), \
		[r14] "i"(offsetof(x86_thread_state64_t, __r14)), \
		[r15] "i"(offsetof(x86_thread_state64_t, __r15)), \
		[rip] "i"(offsetof(x86_thread_state64_t, __rip)) \
		: "rax", "memory")
#else
/* The same. The return address comes from the frame record: x30 may have been reused. */
#define READ_OWN_STATE(state) \
	__asm__ volatile("stp x19, x20, [%[to], #152]\n\t" \
		"stp x21, x22, [%[to], #168]\n\t" \
		"stp x23, x24, [%[to], #184]\n\t" \
		"stp x25, x26, [%[to], #200]\n\t" \
		"stp x27, x28, [%[to], #216]\n\t" \
		"ldr x9, [x29, #8]\n\t" \
		"stp x29, x9, [%[to], #232]\n\t" \
		"mov x9, sp\n\t" \
		"adr x10, .\n\t" \
		"stp x9, x10, [%[to], #248]" \
		: \
		: [to] "r"(state) \
		: "x9", "x10", "memory")
#endif

int32_t mp_snapshot_self(uint64_t max_stack, void *buffer, uint64_t capacity)
{
	/* A local variable, so that this frame exists while the stack is copied. */
	native_state state;
	memset(&state, 0, sizeof(state));
	READ_OWN_STATE(&state);
	return snapshot_self(&state, max_stack, buffer, capacity);
}

static kern_return_t stackshot_result(int error)
{
	switch (error) {
	case 0: return KERN_SUCCESS;
	case DARWIN_EPERM: return KERN_NO_ACCESS;
	case DARWIN_ENOENT:
	case DARWIN_ESRCH: return KERN_INVALID_VALUE;
	case DARWIN_EINTR: return KERN_ABORTED;
	case DARWIN_ENOMEM:
	case DARWIN_ENOSPC: return KERN_RESOURCE_SHORTAGE;
	case DARWIN_EFAULT: return KERN_INVALID_ADDRESS;
	case DARWIN_EINVAL: return KERN_INVALID_ARGUMENT;
	case DARWIN_ENOTSUP:
	case DARWIN_ENOSYS: return KERN_NOT_SUPPORTED;
	case DARWIN_ETIMEDOUT: return KERN_OPERATION_TIMED_OUT;
	default: return KERN_FAILURE;
	}
}

/* For kernels without stackshot_config. */
static kern_return_t old_stackshot(
	int pid, uint64_t flags, void *buffer, uint64_t capacity, uint64_t *size)
{
	const uint32_t known = STACKSHOT_SAVE_LOADINFO | STACKSHOT_GET_GLOBAL_MEM_STATS
		| STACKSHOT_SAVE_KEXT_LOADINFO;
	uint32_t room = capacity > INT32_MAX ? INT32_MAX : (uint32_t)capacity;
	int error = 0;
#ifndef __APPLE__
	if (stack_snapshot == NULL)
		return KERN_NOT_SUPPORTED;
#endif
	int written = stack_snapshot(pid, buffer, room, (uint32_t)flags & known, 0, &error);
	if (written >= 0) {
		*size = (uint64_t)written;
		return KERN_SUCCESS;
	}
	if (error != DARWIN_ENOSPC)
		return stackshot_result(error);
	/* The call does not return the needed size. */
	*size = (uint64_t)room * 2;
	return KERN_NO_SPACE;
}

int32_t mp_stackshot(int32_t pid, uint64_t flags, uint64_t since, void *buffer, uint64_t capacity,
	uint64_t *size, uint32_t *form)
{
	*size = 0;
	if (stackshot_config_create == NULL || stackshot_capture_with_config == NULL) {
		*form = MP_STACKSHOT_TRACE_BUFFER;
		return since != 0 ? KERN_NOT_SUPPORTED
			: old_stackshot(pid, flags, buffer, capacity, size);
	}
	*form = MP_STACKSHOT_KCDATA;
	stackshot_config_t *config = stackshot_config_create();
	if (config == NULL)
		return KERN_RESOURCE_SHORTAGE;
	kern_return_t result = KERN_SUCCESS;
	int error = stackshot_config_set_pid(config, pid);
	if (error == 0)
		error = stackshot_config_set_flags(config, flags);
	if (error == 0 && since != 0) {
		/* This function was added later than the others. It returns -1 on failure. */
		if (stackshot_config_set_delta_timestamp == NULL)
			error = DARWIN_ENOTSUP;
		else if (stackshot_config_set_delta_timestamp(config, since) != 0)
			error = DARWIN_EINVAL;
	}
	if (error == 0)
		error = stackshot_capture_with_config(config);
	if (error == 0) {
		const void *taken = stackshot_config_get_stackshot_buffer(config);
		/* The size is -1 if there is no buffer. */
		*size = taken == NULL ? 0 : stackshot_config_get_stackshot_size(config);
		if (taken == NULL)
			result = KERN_FAILURE;
		else if (*size > capacity)
			result = KERN_NO_SPACE;
		else
			memcpy(buffer, taken, *size);
	}
	stackshot_config_dealloc(config);
	return error == 0 ? result : stackshot_result(error);
}
