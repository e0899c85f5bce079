/*
 * What XNU has in bsd/sys/proc_info_private.h and the SDK leaves out.
 */
#ifndef MACHPAUSE_DARWIN_PRIVATE_H
#define MACHPAUSE_DARWIN_PRIVATE_H

/* The architecture a process runs, which for a translated process is not the machine's. */
#ifndef PROC_PIDARCHINFO
#define PROC_PIDARCHINFO 19

struct proc_archinfo {
	cpu_type_t p_cputype;
	cpu_subtype_t p_cpusubtype;
};
#endif

/* A struct proc_regionpath of the first region from the address on that a file is mapped in. */
#ifndef PROC_PIDREGIONPATH
#define PROC_PIDREGIONPATH 31
#endif

#endif
