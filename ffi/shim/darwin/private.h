/*
 * Declarations that the SDK leaves out, each with its header in XNU or launchd.
 */
#ifndef MACHPAUSE_DARWIN_PRIVATE_H
#define MACHPAUSE_DARWIN_PRIVATE_H

/* The architecture of a process; for a translated process, not the machine's. */
#ifndef PROC_PIDARCHINFO
#define PROC_PIDARCHINFO 19

struct proc_archinfo {
	cpu_type_t p_cputype;
	cpu_subtype_t p_cpusubtype;
};
#endif

/* A struct proc_regionpath for the first region at or after the address that maps a file. */
#ifndef PROC_PIDREGIONPATH
#define PROC_PIDREGIONPATH 31
#endif

/* For functions that older systems do not have. */
#ifdef __APPLE__
#define MP_WEAK_IMPORT __attribute__((weak_import))
#else
#define MP_WEAK_IMPORT __attribute__((weak))
#endif

/* bsd/sys/proc_info_private.h */
#ifndef PROC_FLAG_ROSETTA
#define PROC_FLAG_ROSETTA 0x2000000
#endif

/* launchd's liblaunch/bootstrap_priv.h. bootstrap_register() is deprecated; bootstrap_check_in() only
 * accepts names from a job's property list. */
extern kern_return_t bootstrap_register2(
	mach_port_t bp, char *service_name, mach_port_t sp, uint64_t flags);

/* bsd/sys/codesign.h. These operations work on every process, for every caller (kern_proc.c,
 * csops_internal()). */
#ifndef CS_OPS_STATUS
#define CS_OPS_STATUS 0
#define CS_OPS_ENTITLEMENTS_BLOB 7
#endif
extern int csops(int pid, unsigned int ops, void *useraddr, size_t usersize) MP_WEAK_IMPORT;

/* <sys/sysctl.h> */
extern int sysctlbyname(
	const char *name, void *old, size_t *old_size, void *new, size_t new_size) MP_WEAK_IMPORT;

/* <bsm/audit.h> and <bsm/audit_session.h> of the SDK; both are bsd/bsm/audit.h in XNU. */
struct mp_auditinfo_addr {
	uint32_t ai_auid;
	uint32_t ai_mask[2];
	uint32_t ai_termid[6];
	int32_t ai_asid;
	_Alignas(8) uint64_t ai_flags;
};
#define MP_AU_SESSION_FLAG_HAS_GRAPHIC_ACCESS 0x10
struct auditinfo_addr;
extern int getaudit_addr(struct auditinfo_addr *info, int size) MP_WEAK_IMPORT;

/* bsd/sys/stackshot.h. libsystem_kernel has these from OS X 10.11 on; Linux has none. They return an
 * errno value. */
typedef struct stackshot_config stackshot_config_t;
extern stackshot_config_t *stackshot_config_create(void) MP_WEAK_IMPORT;
extern int stackshot_config_set_pid(stackshot_config_t *stackshot_config, int pid) MP_WEAK_IMPORT;
extern int stackshot_config_set_flags(stackshot_config_t *stackshot_config, uint64_t flags) MP_WEAK_IMPORT;
extern int stackshot_config_set_delta_timestamp(
	stackshot_config_t *stackshot_config, uint64_t delta_timestamp) MP_WEAK_IMPORT;
extern int stackshot_capture_with_config(stackshot_config_t *stackshot_config) MP_WEAK_IMPORT;
extern void *stackshot_config_get_stackshot_buffer(stackshot_config_t *stackshot_config) MP_WEAK_IMPORT;
extern uint32_t stackshot_config_get_stackshot_size(stackshot_config_t *stackshot_config) MP_WEAK_IMPORT;
extern int stackshot_config_dealloc(stackshot_config_t *stackshot_config) MP_WEAK_IMPORT;

/* osfmk/kern/debug.h: the flags that stack_snapshot() accepts. */
#define STACKSHOT_SAVE_LOADINFO 0x02
#define STACKSHOT_GET_GLOBAL_MEM_STATS 0x04
#define STACKSHOT_SAVE_KEXT_LOADINFO 0x08

/* Darwin's <sys/errno.h>, with names that do not clash with the host's. */
enum {
	DARWIN_EPERM = 1,
	DARWIN_ENOENT = 2,
	DARWIN_ESRCH = 3,
	DARWIN_EINTR = 4,
	DARWIN_ENOMEM = 12,
	DARWIN_EFAULT = 14,
	DARWIN_EBUSY = 16,
	DARWIN_EINVAL = 22,
	DARWIN_ENOSPC = 28,
	DARWIN_ENOTSUP = 45,
	DARWIN_ETIMEDOUT = 60,
	DARWIN_ENOSYS = 78,
};

/* System call 365 of bsd/kern/syscalls.master up to XNU 3248, which has no stub. Returns how many
 * bytes it wrote, or -1 and sets *error. */
#ifdef __APPLE__
extern int syscall(int, ...) MP_WEAK_IMPORT;
extern int *__error(void);

static inline int stack_snapshot(int pid, void *tracebuf, uint32_t tracebuf_size, uint32_t flags,
	uint32_t dispatch_offset, int *error)
{
	if (syscall == NULL) {
		*error = DARWIN_ENOSYS;
		return -1;
	}
	int written = syscall(365, pid, tracebuf, tracebuf_size, flags, dispatch_offset);
	*error = written < 0 ? *__error() : 0;
	return written;
}
#else
extern int stack_snapshot(int pid, void *tracebuf, uint32_t tracebuf_size, uint32_t flags,
	uint32_t dispatch_offset, int *error) MP_WEAK_IMPORT;
#endif

#endif
