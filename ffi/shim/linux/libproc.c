#define _GNU_SOURCE
/* <libproc.h>. The functions return a length, 0 on failure. */
#include <stdbool.h>

#include "lock.h"
#include "maps.h"
#include "procfs.h"
#include "sys.h"

int proc_listallpids(void *buffer, int size)
{
	struct entry {
		uint64_t inode;
		int64_t offset;
		uint16_t length;
		uint8_t type;
		char name[];
	};
	_Alignas(struct entry) char entries[8192];
	int capacity = buffer ? size / (int)sizeof(int) : 0;
	int count = 0;
	int fd = sys_open_at(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY);
	long length;

	if (fd < 0)
		return 0;
	while ((length = SYS3(SYS_getdents64, fd, entries, sizeof entries)) > 0) {
		for (long at = 0; at < length;) {
			const struct entry *entry = (const struct entry *)(entries + at);
			int pid = (int)mp_proc_number(entry->name);
			at += entry->length;
			if (pid == 0)
				continue;
			/* Without a buffer, the result is the number of processes. */
			if (count < capacity)
				((int *)buffer)[count] = pid;
			if (count < capacity || !buffer)
				count++;
		}
	}
	sys_close(fd);
	return count;
}

static int link_of(int pid, char *path, uint32_t size)
{
	char link[32];

	if (pid <= 0 || size == 0)
		return 0;
	mp_proc_path(link, "/proc/", pid, "/exe");
	long length = SYS4(SYS_readlinkat, AT_FDCWD, link, path, size - 1);
	if (length < 0)
		return 0;
	path[length] = 0;
	return (int)length;
}

int proc_pidpath(int pid, void *buffer, uint32_t size)
{
	return link_of(pid, buffer, size);
}

/* The first number after a line's start in /proc/PID/status, at most three of them. */
static bool status_numbers(const char *status, const char *line, uint32_t *numbers, int count)
{
	const char *at = strstr(status, line);

	if (!at)
		return false;
	at += strlen(line);
	for (int i = 0; i < count; i++) {
		while (*at == '\t' || *at == ' ')
			at++;
		numbers[i] = (uint32_t)mp_proc_number(at);
		while (*at >= '0' && *at <= '9')
			at++;
	}
	return true;
}

/* <linux/sched.h>: forked but not exec'd. exec clears it when the process has its new program, its old
 * threads are gone, and /proc shows the new one (fs/exec.c, begin_new_exec()). */
#define PF_FORKNOEXEC 0x40u

static int short_info(int pid, struct proc_bsdshortinfo *info)
{
	char path[32];
	char status[4096];
	uint32_t tracer = 0;
	uint32_t parent = 0;
	uint32_t uids[3]; /* real, effective, saved */
	struct proc_stat stat;

	mp_proc_path(path, "/proc/", pid, "/status");
	if (mp_proc_read(AT_FDCWD, path, status, sizeof status) <= 0 ||
		!status_numbers(status, "\nTracerPid:", &tracer, 1) ||
		!status_numbers(status, "\nPPid:", &parent, 1) ||
		!status_numbers(status, "\nUid:", uids, 3))
		return 0;
	mp_proc_path(path, "/proc/", pid, "/stat");
	if (!mp_proc_stat(AT_FDCWD, path, &stat) || stat.state == 'Z')
		return 0;
	memset(info, 0, sizeof *info);
	info->pbsi_pid = (uint32_t)pid;
	/* On Darwin the tracer becomes the parent. */
	info->pbsi_ppid = tracer ? tracer : parent;
	/* While it is traced, each suspension of ours is a stop. */
	info->pbsi_status = stat.state == 'T' ? SSTOP : SRUN;
	info->pbsi_flags = tracer ? PROC_FLAG_TRACED : 0;
	if (!(stat.flags & PF_FORKNOEXEC))
		info->pbsi_flags |= PROC_FLAG_EXEC;
	info->pbsi_ruid = uids[0];
	info->pbsi_uid = uids[1];
	info->pbsi_svuid = uids[2];
	memcpy(info->pbsi_comm, stat.name, sizeof info->pbsi_comm - 1);
	return sizeof *info;
}

/* What XNU answers: of the caller's own processes, and no more than pbi_name holds. */
static bool strict_name(int pid, uint32_t *size)
{
	enum { PBI_NAME = 32 };
	struct proc_bsdshortinfo info;

	if (*size > PBI_NAME)
		*size = PBI_NAME;
	return short_info(pid, &info) && info.pbsi_uid == (uint32_t)SYS1(SYS_geteuid, 0);
}

int proc_name(int pid, void *buffer, uint32_t size)
{
	enum { CUT = 15 }; /* TASK_COMM_LEN, less its end */
	char path[4096];
	struct proc_stat stat;

	if (pid <= 0 || size == 0 || (mp_proc_strict() && !strict_name(pid, &size)))
		return 0;
	mp_proc_path(path, "/proc/", pid, "/stat");
	if (!mp_proc_stat(AT_FDCWD, path, &stat))
		return 0;
	const char *name = stat.name;
	size_t length = strlen(name);
	/* The kernel keeps only the start of a long name. The program's file has the whole name. */
	if (length == CUT && link_of(pid, path, sizeof path)) {
		const char *file = strrchr(path, '/');
		if (file && strncmp(file + 1, name, CUT) == 0) {
			name = file + 1;
			length = strlen(name);
		}
	}
	if (length > size - 1)
		length = size - 1;
	memcpy(buffer, name, length);
	((char *)buffer)[length] = 0;
	return (int)length;
}

/* The path of the file mapped at address, if any. Darwin would go on to the next mapped file. */
static int region_path(int pid, uint64_t address, struct proc_regionpath *path)
{
	const struct region *region;
	bool found = false;

	memset(path, 0, sizeof *path);
	mp_lock();
	struct task *task = mp_task_find(pid);
	if (task && mp_maps_find_again(task, address, &region) == KERN_SUCCESS) {
		const char *name = mp_maps_path(task, region);
		path->prpo_addr = region->start;
		path->prpo_regionlength = region->end - region->start;
		/* A name in brackets, as [heap], is not a file. The vdso is one that the kernel has. */
		found = (region->path_length && *name == '/')
			|| (region->path_length == 6 && !memcmp(name, "[vdso]", 6));
		if (found)
			memcpy(path->prpo_path, name, region->path_length < sizeof path->prpo_path
				? region->path_length : sizeof path->prpo_path - 1);
	}
	mp_unlock();
	return found ? (int)sizeof *path : 0;
}

static int arch_info(int pid, struct proc_archinfo *info)
{
	enum { CPU_SUBTYPE_ARM64_ALL = 0, CPU_SUBTYPE_X86_ALL = 3, CPU_SUBTYPE_ARM_V7 = 9 };
	char path[32];

	mp_proc_path(path, "/proc/", pid, "");
	int directory = sys_open_at(AT_FDCWD, path, O_DIRECTORY | O_PATH);
	if (directory < 0)
		return 0;
	info->p_cputype = mp_proc_cpu_type(directory);
	sys_close(directory);
	switch (info->p_cputype) {
	case 0: return 0;
	case CPU_TYPE_ARM: info->p_cpusubtype = CPU_SUBTYPE_ARM_V7; break;
	case CPU_TYPE_ARM64: info->p_cpusubtype = CPU_SUBTYPE_ARM64_ALL; break;
	default: info->p_cpusubtype = CPU_SUBTYPE_X86_ALL;
	}
	return sizeof *info;
}

int proc_pidinfo(int pid, int flavor, uint64_t arg, void *buffer, int size)
{
	if (pid <= 0)
		return 0;
	if (flavor == PROC_PIDARCHINFO && size >= (int)sizeof(struct proc_archinfo))
		return arch_info(pid, buffer);
	if (flavor == PROC_PIDT_SHORTBSDINFO && size >= (int)sizeof(struct proc_bsdshortinfo))
		return short_info(pid, buffer);
	if (flavor == PROC_PIDREGIONPATH && size >= (int)sizeof(struct proc_regionpath))
		return region_path(pid, arg, buffer);
	return 0;
}
