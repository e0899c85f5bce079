#define _GNU_SOURCE
#include "procfs.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "../darwin/mach.h"
#include "sys.h"

bool mp_proc_strict(void)
{
	const char *strict = getenv("MACHPAUSE_STRICT_TASK_FOR_PID");
	return strict && *strict == '1';
}

uint64_t mp_proc_number(const char *text)
{
	uint64_t number = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	return number;
}

void mp_proc_path(char *path, const char *prefix, pid_t number, const char *suffix)
{
	char digits[12];
	unsigned count = 0;

	while (*prefix)
		*path++ = *prefix++;
	do
		digits[count++] = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	while (count)
		*path++ = digits[--count];
	while ((*path++ = *suffix++))
		;
}

long mp_proc_read(int directory, const char *path, char *buffer, uint32_t size)
{
	int fd = sys_open_at(directory, path, O_RDONLY);
	long total = 0;

	if (fd < 0)
		return fd;
	while ((uint32_t)total < size - 1) {
		long done = SYS3(SYS_read, fd, buffer + total, size - 1 - (uint32_t)total);
		if (done < 0 && total == 0)
			total = done;
		if (done <= 0)
			break;
		total += done;
	}
	sys_close(fd);
	buffer[total < 0 ? 0 : total] = 0;
	return total;
}

/* Reads a file of /proc that fits in one read(). */
static long read_once(int directory, const char *path, char *buffer, uint32_t size)
{
	int fd = sys_open_at(directory, path, O_RDONLY);

	if (fd < 0)
		return fd;
	long done = SYS3(SYS_read, fd, buffer, size - 1);
	sys_close(fd);
	buffer[done < 0 ? 0 : done] = 0;
	return done;
}

bool mp_proc_stat(int directory, const char *path, struct proc_stat *stat)
{
	char text[512];
	enum { PARENT = 4, FLAGS = 9, USER = 14, SYSTEM, PRIORITY = 18, THREADS = 20, START = 22 };

	if (read_once(directory, path, text, sizeof text) <= 0)
		return false;
	/* The name can contain parentheses: it ends at the last one. */
	const char *name = strchr(text, '(');
	const char *end = strrchr(text, ')');
	if (!name || !end || end < name || end[1] != ' ')
		return false;
	size_t length = (size_t)(end - ++name);
	if (length > sizeof stat->name - 1)
		length = sizeof stat->name - 1;
	memset(stat, 0, sizeof *stat);
	memcpy(stat->name, name, length);
	stat->state = end[2];
	const char *at = end + 2;
	for (int field = 3; field < START; ) {
		while (*at && *at != ' ')
			at++;
		if (!*at)
			return false;
		at++;
		switch (++field) {
		case PARENT: stat->parent = (pid_t)mp_proc_number(at); break;
		case FLAGS: stat->flags = (uint32_t)mp_proc_number(at); break;
		case USER: stat->user_ticks = mp_proc_number(at); break;
		case SYSTEM: stat->system_ticks = mp_proc_number(at); break;
		case PRIORITY:
			stat->priority = (int32_t)(*at == '-' ? -(int64_t)mp_proc_number(at + 1)
							      : (int64_t)mp_proc_number(at));
			break;
		case THREADS: stat->thread_count = (uint32_t)mp_proc_number(at); break;
		case START: stat->start_ticks = mp_proc_number(at); break;
		}
	}
	return true;
}

char mp_proc_state(int fd)
{
	char text[128]; /* the state follows the name, which has 15 characters at most */

	long size = SYS4(SYS_pread64, fd, text, sizeof text - 1, 0);
	text[size < 0 ? 0 : size] = 0;
	const char *end = strrchr(text, ')');
	return end && end[1] == ' ' ? end[2] : 0;
}

pid_t mp_proc_tracer(int directory, const char *path)
{
	char status[4096];

	if (mp_proc_read(directory, path, status, sizeof status) <= 0)
		return 0;
	const char *line = strstr(status, "\nTracerPid:\t");
	return line ? (pid_t)mp_proc_number(line + 12) : 0;
}

bool mp_proc_thread_stat(int listing, pid_t tid, struct proc_stat *stat)
{
	char path[32];

	mp_proc_path(path, "", tid, "/stat");
	return mp_proc_stat(listing, path, stat);
}

int32_t mp_proc_cpu_type(int directory)
{
	Elf32_Ehdr header; /* the machine is at the same place in a 64-bit one */
	int fd = sys_open_at(directory, "exe", O_RDONLY);

	if (fd < 0)
		return 0;
	long done = SYS3(SYS_read, fd, &header, sizeof header);
	sys_close(fd);
	if (done != sizeof header || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return 0;
	switch (header.e_machine) {
	case EM_X86_64: return CPU_TYPE_X86_64;
	case EM_386: return CPU_TYPE_X86;
	case EM_AARCH64: return CPU_TYPE_ARM64;
	case EM_ARM: return CPU_TYPE_ARM;
	default: return 0;
	}
}
