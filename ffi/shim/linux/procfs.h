/*
 * Reading /proc without the C library.
 */
#ifndef MACHPAUSE_LINUX_PROCFS_H
#define MACHPAUSE_LINUX_PROCFS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Fields of proc_pid_stat(5). */
struct proc_stat {
	char name[64];
	char state;
	pid_t parent;
	uint32_t flags;
	uint64_t user_ticks;
	uint64_t system_ticks;
	int32_t priority;
	uint32_t thread_count;
	uint64_t start_ticks; /* since boot */
};

/* USER_HZ, the unit of times in /proc, on every architecture supported here. */
#define TICKS_PER_SECOND 100u
#define NANOSECONDS_PER_TICK (1000000000u / TICKS_PER_SECOND)

/* The number at the start of text, or 0. */
uint64_t mp_proc_number(const char *text);
/* Writes prefix, number and suffix to path, a buffer of 32 bytes. */
void mp_proc_path(char *path, const char *prefix, pid_t number, const char *suffix);
/* Whether to refuse what XNU refuses a caller that is neither root nor a debugger: other tasks' ports,
 * and other users' names. For tests, which run as root. */
bool mp_proc_strict(void);

/* Reads as much of a file as fits, and terminates it. Returns the length or a negative errno. */
long mp_proc_read(int directory, const char *path, char *buffer, uint32_t size);
bool mp_proc_stat(int directory, const char *path, struct proc_stat *stat);
/* The CPU_TYPE_* of the process's program; 0 if unknown. directory is /proc/PID. */
int32_t mp_proc_cpu_type(int directory);
/* TracerPid of a status file: the thread that traces this one, 0 for none. */
pid_t mp_proc_tracer(int directory, const char *path);
/* The same for a thread. listing is /proc/PID/task. */
bool mp_proc_thread_stat(int listing, pid_t tid, struct proc_stat *stat);
/* The state alone, of an open file of that kind; 0 when the thread has ended. */
char mp_proc_state(int fd);

/* TH_STATE_* of a state in a stat file. In thread.c. */
int32_t mp_run_state(char state);

#endif
