/* image.c: maps a Mach-O file at a random address. Every number in the file is checked. */
#include "loader.h"
#include "sys.h"

#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/stat.h>
#include <string.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define PAGE 4096u
#define SLIDE_STEP 16384u /* arm64's page; a multiple of everyone else's */
#define MAX_SPAN ((uint64_t)(__SIZEOF_POINTER__ == 8 ? 4096 : 512) << 20)
#define MAX_COMMANDS (1u << 20)

struct image *loader_images;

static uint32_t swap32(uint32_t value) { return __builtin_bswap32(value); }

/* Reads exactly size bytes. */
static bool read_at(int fd, void *into, uint64_t size, uint64_t offset)
{
	for (uint64_t done = 0; done < size;) {
#if __SIZEOF_POINTER__ == 8
		long count = sys4(__NR_pread64, fd, (long)((char *)into + done), (long)(size - done), (long)(offset + done));
#else
		/* 32-bit systems pass pread64's offset in different ways; lseek and read are the same on all. */
		if (offset + done > 0x7fffffff || sys_failed(sys3(__NR_lseek, fd, (long)(offset + done), 0)))
			return false;
		long count = sys3(__NR_read, fd, (long)((char *)into + done), (long)(size - done));
#endif
		if (count <= 0)
			return false;
		done += (uint64_t)count;
	}
	return true;
}

/* Finds the slice for this processor: sets slice and slice_size. */
static bool find_slice(struct image *image, int fd, uint64_t file_size)
{
	struct fat_header fat;
	image->slice_size = file_size;
	if (!read_at(fd, &fat, sizeof fat, 0))
		return fail(image, 0, "a Mach-O header");
	bool wide = swap32(fat.magic) == FAT_MAGIC_64;
	if (!wide && swap32(fat.magic) != FAT_MAGIC)
		return true;
	uint32_t count = swap32(fat.nfat_arch);
	uint64_t at = sizeof fat;
	for (uint32_t i = 0; i < count; i++) {
		struct fat_arch_64 arch = { 0 };
		struct fat_arch narrow;
		if (!read_at(fd, wide ? (void *)&arch : (void *)&narrow, wide ? sizeof arch : sizeof narrow, at))
			return fail(image, at, "another fat_arch");
		uint64_t offset = wide ? __builtin_bswap64(arch.offset) : swap32(narrow.offset);
		uint64_t size = wide ? __builtin_bswap64(arch.size) : swap32(narrow.size);
		uint32_t cputype = swap32((uint32_t)(wide ? arch.cputype : narrow.cputype));
		if (cputype == (uint32_t)CPU_TYPE_NATIVE) {
			if (offset > file_size || size > file_size - offset || offset % PAGE)
				return fail(image, at, "a slice inside the file, on a page boundary");
			image->slice = offset;
			image->slice_size = size;
			return true;
		}
		at += wide ? sizeof arch : sizeof narrow;
	}
	return fail(image, 0, "a slice for this processor");
}

static bool read_commands(struct image *image, int fd)
{
	struct mach_header_native *header = &image->header;
	if (image->slice_size < sizeof *header || !read_at(fd, header, sizeof *header, image->slice))
		return fail(image, 0, "a Mach-O header");
	if (header->magic != MH_MAGIC_NATIVE || header->cputype != CPU_TYPE_NATIVE)
		return fail(image, 0, "a Mach-O file for this processor");
	if (header->filetype != MH_EXECUTE && header->filetype != MH_DYLIB && header->filetype != MH_BUNDLE)
		return fail(image, offsetof(struct mach_header_native, filetype), "an executable, a dylib or a bundle");
	image->commands_offset = sizeof *header;
	if (header->sizeofcmds > MAX_COMMANDS || header->sizeofcmds > image->slice_size - sizeof *header)
		return fail(image, offsetof(struct mach_header_native, sizeofcmds), "load commands inside the file");
	uint8_t *commands = arena_alloc(header->sizeofcmds);
	if (!commands)
		return fail_path(image->path, "out of memory");
	if (!read_at(fd, commands, header->sizeofcmds, image->slice + sizeof *header))
		return fail(image, sizeof *header, "load commands inside the file");
	image->commands = commands;
	uint32_t at = 0;
	for (uint32_t i = 0; i < header->ncmds; i++) {
		struct load_command command;
		if (header->sizeofcmds - at < sizeof command)
			return fail(image, offsetof(struct mach_header_native, ncmds), "no more commands than sizeofcmds holds");
		memcpy(&command, commands + at, sizeof command);
		if (command.cmdsize < sizeof command || command.cmdsize % 4 || command.cmdsize > header->sizeofcmds - at)
			return fail(image, image->commands_offset + at, "a load command inside sizeofcmds");
		at += command.cmdsize;
	}
	header->sizeofcmds = at; /* ignores bytes after the last command */
	return true;
}

const struct load_command *image_command(const struct image *image, const struct load_command *previous)
{
	const uint8_t *next = previous ? (const uint8_t *)previous + previous->cmdsize : image->commands;
	return next < image->commands + image->header.sizeofcmds ? (const struct load_command *)next : NULL;
}

const struct load_command *image_find_command(const struct image *image, uint32_t cmd)
{
	const struct load_command *command = NULL;
	while ((command = image_command(image, command)) && command->cmd != cmd)
		;
	return command;
}

uint64_t image_command_offset(const struct image *image, const struct load_command *command)
{
	return image->commands_offset + (uint64_t)((const uint8_t *)command - image->commands);
}

/* The string of a dylib or rpath command, checked to end within it. */
static const char *command_string(const struct image *image, const struct load_command *command, uint32_t minimum)
{
	uint32_t offset;
	if (command->cmdsize >= minimum) {
		memcpy(&offset, command + 1, sizeof offset);
		if (offset >= minimum && offset < command->cmdsize &&
			memchr((const char *)command + offset, 0, command->cmdsize - offset))
			return (const char *)command + offset;
	}
	fail(image, image_command_offset(image, command), "a string inside its load command");
	return NULL;
}

static bool smaller_than_structure(const struct load_command *command)
{
	switch (command->cmd) {
	case LC_SEGMENT_NATIVE: return command->cmdsize < sizeof(struct segment_command_native);
	case LC_SYMTAB: return command->cmdsize < sizeof(struct symtab_command);
	case LC_UUID: return command->cmdsize < sizeof(struct uuid_command);
	case LC_DYLD_INFO:
	case LC_DYLD_INFO_ONLY: return command->cmdsize < sizeof(struct dyld_info_command);
	case LC_DYLD_EXPORTS_TRIE:
	case LC_DYLD_CHAINED_FIXUPS: return command->cmdsize < sizeof(struct linkedit_data_command);
	case LC_MAIN: return command->cmdsize < sizeof(struct entry_point_command);
	case LC_BUILD_VERSION: return command->cmdsize < sizeof(struct build_version_command);
	case LC_UNIXTHREAD: return command->cmdsize < 16;
	default: return false;
	}
}

static bool is_dylib_command(uint32_t cmd)
{
	return cmd == LC_LOAD_DYLIB || cmd == LC_LOAD_WEAK_DYLIB || cmd == LC_REEXPORT_DYLIB || cmd == LC_LOAD_UPWARD_DYLIB;
}

static bool sections_inside(const struct segment_command_native *segment)
{
	const uint8_t *at = (const uint8_t *)(segment + 1);
	for (uint32_t i = 0; i < segment->nsects; i++, at += sizeof(struct section_native)) {
		struct section_native section;
		memcpy(&section, at, sizeof section);
		if (section.addr < segment->vmaddr || section.addr - segment->vmaddr > segment->vmsize ||
			section.size > segment->vmsize - (section.addr - segment->vmaddr))
			return false;
	}
	return true;
}

/* Fills in segments and dependencies, and computes the address range to reserve. */
static bool read_layout(struct image *image)
{
	const struct load_command *command = NULL;
	while ((command = image_command(image, command))) {
		if (smaller_than_structure(command))
			return fail(image, image_command_offset(image, command), "a load command as large as its structure");
		image->segment_count += command->cmd == LC_SEGMENT_NATIVE;
		image->dependency_count += is_dylib_command(command->cmd);
	}
	image->segments = arena_alloc(image->segment_count * sizeof *image->segments);
	image->dependencies = arena_alloc(image->dependency_count * sizeof *image->dependencies);
	if (!image->segments || !image->dependencies)
		return fail_path(image->path, "out of memory");
	image->low = UINTPTR_MAX;
	struct segment *segment = image->segments;
	struct dependency *dependency = image->dependencies;
	bool header_mapped = false;
	while ((command = image_command(image, command))) {
		uint64_t offset = image_command_offset(image, command);
		if (is_dylib_command(command->cmd)) {
			dependency->name = command_string(image, command, sizeof(struct dylib_command));
			dependency->weak = command->cmd == LC_LOAD_WEAK_DYLIB;
			dependency->reexport = command->cmd == LC_REEXPORT_DYLIB;
			if (!dependency->name)
				return false;
			dependency++;
		}
		if (command->cmd == LC_RPATH && !command_string(image, command, sizeof(struct rpath_command)))
			return false;
		if (command->cmd != LC_SEGMENT_NATIVE)
			continue;
		const struct segment_command_native *from = (const void *)command;
		if (from->nsects > (command->cmdsize - sizeof *from) / sizeof(struct section_native))
			return fail(image, offset + offsetof(struct segment_command_native, nsects), "sections inside the load command");
		memcpy(segment->name, from->segname, sizeof from->segname);
		segment->vmaddr = from->vmaddr;
		segment->fileoff = from->fileoff;
		segment->filesize = from->filesize;
		segment->initprot = from->initprot;
		segment->flags = from->flags;
		if (from->vmsize > UINTPTR_MAX - from->vmaddr || from->vmsize > UINTPTR_MAX - PAGE)
			return fail(image, offset, "a segment inside the address space");
		if (!sections_inside(from))
			return fail(image, offset, "sections inside their segment");
		segment->vmsize = (from->vmsize + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
		/* A segment without access and without file contents only reserves addresses. */
		segment->mapped = segment->vmsize && (segment->initprot || segment->filesize);
		if (segment->mapped) {
			if (segment->fileoff > image->slice_size || segment->filesize > image->slice_size - segment->fileoff)
				return fail(image, offset, "a segment inside the file");
			if (segment->filesize > from->vmsize || segment->vmaddr % PAGE || segment->fileoff % PAGE)
				return fail(image, offset, "a segment no smaller than its part of the file, on a page boundary");
			if (segment->vmaddr < image->low)
				image->low = segment->vmaddr;
			if (segment->vmaddr + segment->vmsize > image->high)
				image->high = segment->vmaddr + segment->vmsize;
			if (segment->fileoff == 0 && segment->filesize >= sizeof image->header + image->header.sizeofcmds) {
				image->load_address = segment->vmaddr;
				header_mapped = true;
			}
		}
		segment++;
	}
	if (!header_mapped)
		return fail(image, image->commands_offset, "a segment that maps the header");
	if (image->high <= image->low || image->high - image->low > MAX_SPAN)
		return fail(image, image->commands_offset, "segments that lie together");
	return true;
}

static uint32_t random_number(void)
{
	uint32_t number = 0;
	sys3(__NR_getrandom, (long)&number, sizeof number, 0);
	return number;
}

/* Reserves one range for the whole image, so that nothing else is mapped between its segments. */
static bool reserve(struct image *image)
{
	uintptr_t size = image->high - image->low;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	if (image->header.filetype == MH_EXECUTE && !(image->header.flags & MH_PIE)) {
		long at = sys_mmap(image->low, size, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
		if (at != (long)image->low)
			return fail_path(image->path, "its fixed addresses are taken");
		return true;
	}
	/* As on Darwin: above 4 GB, or low in a 32-bit address space. */
	uintptr_t start = __SIZEOF_POINTER__ == 8 ? (uintptr_t)0x100000000ull : 0x10000000u;
	for (int tries = 0; tries < 64; tries++) {
		uintptr_t hint = start + (uintptr_t)(random_number() % 0x2000) * SLIDE_STEP;
		long at = sys_mmap(hint, size, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
		if (at == (long)hint) {
			image->slide = hint - image->low;
			return true;
		}
		if (!sys_failed(at))
			sys2(__NR_munmap, at, (long)size);
	}
	long at = sys_mmap(0, size + SLIDE_STEP, PROT_NONE, flags, -1, 0);
	if (sys_failed(at))
		return fail_path(image->path, "no room in the address space");
	image->slide = (((uintptr_t)at + SLIDE_STEP - 1) & ~(uintptr_t)(SLIDE_STEP - 1)) - image->low;
	return true;
}

/* Maps every segment writable for the fixups. image_protect() sets the final protections. */
static bool map_segments(struct image *image, int fd)
{
	for (uint32_t i = 0; i < image->segment_count; i++) {
		struct segment *segment = &image->segments[i];
		if (!segment->mapped)
			continue;
		uintptr_t address = segment->vmaddr + image->slide;
		uintptr_t file_pages = (uintptr_t)(segment->filesize + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
		int protection = PROT_READ | PROT_WRITE;
		long at = 0;
		if (file_pages)
			at = sys_mmap(address, file_pages, protection, MAP_PRIVATE | MAP_FIXED, fd, image->slice + segment->fileoff);
		if (!sys_failed(at) && segment->vmsize > file_pages)
			at = sys_mmap(address + file_pages, segment->vmsize - file_pages, protection,
				MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
		if (sys_failed(at))
			return fail_name(image->path, "cannot map segment", segment->name);
		/* The rest of the last page in the file belongs to another segment. */
		if (file_pages > segment->filesize)
			memset((char *)address + segment->filesize, 0, file_pages - segment->filesize);
	}
	return true;
}

bool image_protect(struct image *image)
{
	for (uint32_t i = 0; i < image->segment_count; i++) {
		const struct segment *segment = &image->segments[i];
		if (!segment->mapped)
			continue;
		int protection = segment->initprot & (VM_PROT_READ | VM_PROT_WRITE | VM_PROT_EXECUTE);
		if (segment->flags & SG_READ_ONLY)
			protection &= ~VM_PROT_WRITE;
		/* VM_PROT_* and PROT_* are the same bits. */
		if (sys_failed(sys3(__NR_mprotect, (long)(segment->vmaddr + image->slide), (long)segment->vmsize, protection)))
			return fail_name(image->path, "cannot protect segment", segment->name);
	}
	return true;
}

const uint8_t *image_file_bytes(const struct image *image, uint64_t offset, uint64_t size)
{
	for (uint32_t i = 0; i < image->segment_count; i++) {
		const struct segment *segment = &image->segments[i];
		if (segment->mapped && offset >= segment->fileoff && offset - segment->fileoff <= segment->filesize &&
			size <= segment->filesize - (offset - segment->fileoff))
			return (const uint8_t *)(segment->vmaddr + image->slide + (uintptr_t)(offset - segment->fileoff));
	}
	return NULL;
}

bool image_contains(const struct image *image, uintptr_t address, uintptr_t size, int protection)
{
	uintptr_t linked = address - image->slide;
	for (uint32_t i = 0; i < image->segment_count; i++) {
		const struct segment *segment = &image->segments[i];
		if (segment->mapped && linked >= segment->vmaddr && linked - segment->vmaddr <= segment->vmsize &&
			size <= segment->vmsize - (linked - segment->vmaddr) && (segment->initprot & protection) == protection)
			return true;
	}
	return false;
}

/* The absolute path, links resolved, of an open file. */
static const char *real_path(int fd, const char *otherwise)
{
	char link[32] = "/proc/self/fd/", path[4096];
	size_t length = strlen(link);
	char digits[12];
	int count = 0;
	for (int rest = fd; count == 0 || rest; rest /= 10)
		digits[count++] = (char)('0' + rest % 10);
	while (count)
		link[length++] = digits[--count];
	link[length] = 0;
	long got = sys4(__NR_readlinkat, AT_FDCWD, (long)link, (long)path, sizeof path - 1);
	if (got <= 0)
		return arena_join(otherwise, strlen(otherwise), "");
	path[got] = 0;
	return arena_join(path, (size_t)got, "");
}

static struct image *already_loaded(uint64_t device, uint64_t inode)
{
	for (struct image *image = loader_images; image; image = image->next)
		if (image->device == device && image->inode == inode)
			return image;
	return NULL;
}

static void append_image(struct image *image)
{
	struct image **last = &loader_images;
	while (*last)
		last = &(*last)->next;
	*last = image;
}

static struct image *load_file(int fd, const char *path, loader_resolve resolve)
{
	struct statx status;
	memset(&status, 0, sizeof status);
	/* struct statx has the same layout on all architectures, unlike struct stat. */
	if (sys_failed(sys6(__NR_statx, fd, (long)"", AT_EMPTY_PATH, STATX_BASIC_STATS, (long)&status, 0))) {
		fail_path(path, "cannot be read");
		return NULL;
	}
	uint64_t device = (uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor;
	struct image *image = already_loaded(device, status.stx_ino);
	if (image)
		return image;
	image = arena_alloc(sizeof *image);
	if (!image) {
		fail_path(path, "out of memory");
		return NULL;
	}
	image->path = real_path(fd, path);
	image->device = device;
	image->inode = status.stx_ino;
	image->modification_time = (uint64_t)status.stx_mtime.tv_sec;
	image->resolve = resolve;
	if (!image->path) {
		fail_path(path, "out of memory");
		return NULL;
	}
	if (!find_slice(image, fd, status.stx_size) || !read_commands(image, fd) || !read_layout(image) || !reserve(image))
		return NULL;
	image->load_address += image->slide;
	if (!map_segments(image, fd)) {
		sys2(__NR_munmap, (long)(image->low + image->slide), (long)(image->high - image->low));
		return NULL;
	}
	append_image(image);
	return image;
}

/* -1 when there is no such file. */
static int open_file(const char *path)
{
	long fd = sys4(__NR_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
	return sys_failed(fd) ? -1 : (int)fd;
}

static size_t directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Replaces a leading @executable_path or @loader_path; other paths stay as they are. */
static const char *expand(const char *path, const struct image *loading)
{
	static const char executable[] = "@executable_path", loader[] = "@loader_path";
	const struct image *relative = NULL;
	const char *rest = path;
	if (!strncmp(path, executable, sizeof executable - 1)) {
		relative = loader_images;
		rest = path + sizeof executable - 1;
	} else if (!strncmp(path, loader, sizeof loader - 1)) {
		relative = loading;
		rest = path + sizeof loader - 1;
	}
	if (!relative || (*rest && *rest != '/'))
		return path;
	return arena_join(relative->path, directory_length(relative->path), *rest ? rest + 1 : rest);
}

static int open_in_rpaths(const char *name, const struct image *image, const char **found)
{
	const struct load_command *command = NULL;
	while ((command = image_command(image, command))) {
		if (command->cmd != LC_RPATH)
			continue;
		const char *directory = expand((const char *)command + ((const struct rpath_command *)command)->path, image);
		if (!directory)
			continue;
		size_t length = strlen(directory);
		char *base = arena_join(directory, length, "/");
		char *path = base ? arena_join(base, length + 1, name) : NULL;
		int fd = path ? open_file(path) : -1;
		if (fd >= 0) {
			*found = path;
			return fd;
		}
	}
	return -1;
}

struct image *image_load(const char *path, const struct image *loading, loader_resolve resolve)
{
	const char *found = path;
	int fd = -1;
	if (loading && !strncmp(path, "@rpath/", 7)) {
		fd = open_in_rpaths(path + 7, loading, &found);
		if (fd < 0 && loading != loader_images)
			fd = open_in_rpaths(path + 7, loader_images, &found);
	} else {
		found = loading ? expand(path, loading) : path;
		if (found)
			fd = open_file(found);
	}
	if (fd < 0) {
		if (loading)
			fail_name(loading->path, "cannot find the dylib", path);
		else
			fail_path(path, "no such file, or it cannot be read");
		return NULL;
	}
	struct image *image = load_file(fd, found, resolve);
	sys1(__NR_close, fd);
	return image;
}
