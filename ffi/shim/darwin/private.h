/*
 * What XNU has in bsd/sys/proc_info_private.h and the SDK leaves out: the architecture that a
 * process runs, which for a translated process is not the machine's.
 */
#ifndef MACHPAUSE_DARWIN_PRIVATE_H
#define MACHPAUSE_DARWIN_PRIVATE_H

#ifndef PROC_PIDARCHINFO
#define PROC_PIDARCHINFO 19

struct proc_archinfo {
	cpu_type_t p_cputype;
	cpu_subtype_t p_cpusubtype;
};
#endif

#endif
