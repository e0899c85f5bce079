/*
 * machpause.h: the whole contract between the library and the native side.
 *
 * Every function returns a kern_return_t value (0 is KERN_SUCCESS). Only fixed-width integers
 * cross this edge; every buffer belongs to the caller; no Mach type appears. Names follow the
 * Mach or libproc call that does the work. Ports ("task", "thread", "token") are Mach port
 * names; on Linux the shim hands out names of its own that behave the same.
 */
#ifndef MACHPAUSE_H
#define MACHPAUSE_H

#include <stdint.h>

#define MP_EXPORT __attribute__((visibility("default")))

/* Incremented whenever a function or a structure here changes. */
#define MP_ABI_VERSION 7u

/* thread_info(): THREAD_BASIC_INFO, THREAD_IDENTIFIER_INFO and THREAD_EXTENDED_INFO in one. */
typedef struct mp_thread_info {
	uint64_t thread_id;      /* system-wide unique */
	uint64_t thread_handle;  /* the address of its pthread's thread-specific data */
	uint64_t dispatch_qaddr; /* the address of a pointer to its dispatch queue */
	uint64_t user_time;      /* nanoseconds */
	uint64_t system_time;    /* nanoseconds */
	uint32_t cpu_usage;      /* of TH_USAGE_SCALE, 1000 */
	uint32_t run_state;      /* TH_STATE_*: 1 running 2 stopped 3 waiting 4 uninterruptible 5 halted */
	uint32_t flags;          /* TH_FLAGS_*: 1 swapped, 2 idle */
	int32_t suspend_count;   /* outstanding thread_suspend() calls, without suspensions of the task */
	int32_t priority;        /* current */
	uint32_t reserved;
	char name[64];           /* MAXTHREADNAMESIZE, always terminated */
} mp_thread_info;

#define MP_PATH_SIZE 1024

/* mach_vm_region_recurse() in its short form, and proc_regionfilename(). */
typedef struct mp_vm_region_info {
	uint64_t address;
	uint64_t size;           /* bytes */
	uint64_t offset;         /* into the mapped object */
	uint32_t protection;     /* VM_PROT_*: 1 read 2 write 4 execute */
	uint32_t max_protection;
	uint32_t user_tag;       /* VM_MEMORY_*: 30 is a stack */
	uint32_t share_mode;     /* SM_*: 1 cow 2 private 3 empty 4 shared ... */
	uint32_t depth;          /* of the submap it was found in */
	uint32_t path_length;    /* bytes of path, 0 where no file is mapped or paths were not asked for */
	char path[MP_PATH_SIZE]; /* terminated; truncated if longer */
} mp_vm_region_info;

/* A part of an address space. */
typedef struct mp_range {
	uint64_t address;
	uint64_t size;           /* bytes */
} mp_range;

/* mp_vm_region() flags */
#define MP_REGION_PATHS 1u   /* fill in path: one more call a region on Darwin */

/* task_info(TASK_DYLD_INFO), and the CPU type the task runs. */
typedef struct mp_dyld_info {
	uint64_t all_image_info_addr; /* 0: no dyld has published images here */
	uint64_t all_image_info_size;
	int32_t all_image_info_format; /* 0: 32-bit structures, 1: 64-bit */
	int32_t cputype;               /* CPU_TYPE_*, 0 when not known */
	int32_t pid;
	uint32_t reserved;
} mp_dyld_info;

#define MP_STATE_WORDS 68    /* ARM_THREAD_STATE64_COUNT, the largest of the four */

/* One thread of a snapshot. */
typedef struct mp_snapshot_thread {
	mp_thread_info info;    /* read just before the stop: run_state shows what the thread was doing */
	uint64_t stack_address; /* of the first copied byte: sp minus the red zone */
	uint64_t stack_size;    /* bytes copied */
	uint64_t stack_end;     /* the end of the stack's region; 0 if unknown */
	uint64_t stack_offset;  /* offset of the copied bytes in the buffer, a multiple of 16 */
	int32_t info_result;    /* kern_return_t of each part; a part that failed is zeroed */
	int32_t state_result;
	int32_t stack_result;
	uint32_t reserved;
	uint32_t state[MP_STATE_WORDS]; /* the thread state in the requested flavor */
} mp_snapshot_thread;

/* At the start of a snapshot's buffer; thread_count records follow it at once. */
typedef struct mp_snapshot_header {
	uint64_t stopped_ns;     /* from before the first thread was asked to stop until the last one ran
	                          * again; if the task stays suspended, until this call returned */
	uint64_t used;           /* bytes of the buffer that are in use */
	uint64_t needed;         /* the capacity that a complete snapshot would have needed */
	uint32_t thread_count;
	uint32_t threads_omitted; /* threads whose records did not fit */
	uint32_t thread_size;    /* sizeof(mp_snapshot_thread) */
	uint32_t reserved;
} mp_snapshot_header;

MP_EXPORT uint32_t mp_abi_version(void);

/* The calling process's task. The port does not have to be released. */
MP_EXPORT int32_t mp_task_self(uint32_t *task);
MP_EXPORT int32_t mp_task_for_pid(int32_t pid, uint32_t *task);
/* Ports of all threads; the caller releases each. *count is set to the number of threads. If it exceeds
 * capacity, KERN_NO_SPACE (3) is returned and no port. */
MP_EXPORT int32_t mp_task_threads(uint32_t task, uint32_t *threads, uint32_t capacity, uint32_t *count);
/* task_suspend2(): the token goes to mp_task_resume(), which consumes it. Suspensions nest. The
 * kernel drops the token, and the task runs again, when the owner of the token dies. */
MP_EXPORT int32_t mp_task_suspend(uint32_t task, uint32_t *token);
MP_EXPORT int32_t mp_task_resume(uint32_t token);
MP_EXPORT int32_t mp_thread_suspend(uint32_t thread);
MP_EXPORT int32_t mp_thread_resume(uint32_t thread);
/* *count is in 32-bit words: capacity on entry, words filled on return. The thread, or its task,
 * should be suspended. */
MP_EXPORT int32_t mp_thread_get_state(uint32_t thread, int32_t flavor, uint32_t *state, uint32_t *count);
MP_EXPORT int32_t mp_thread_set_state(uint32_t thread, int32_t flavor, const uint32_t *state, uint32_t count);
MP_EXPORT int32_t mp_thread_info_get(uint32_t thread, mp_thread_info *info);
/* Reads size bytes. On an error, *done is the number of bytes that were read. */
MP_EXPORT int32_t mp_vm_read_overwrite(uint32_t task, uint64_t address, uint64_t size, void *data, uint64_t *done);
MP_EXPORT int32_t mp_vm_write(uint32_t task, uint64_t address, const void *data, uint64_t size);
/* The regions from the one that contains or follows address, up to capacity. *count is set to the number
 * of regions returned; 0 with KERN_SUCCESS means that there are no more. */
MP_EXPORT int32_t mp_vm_region(uint32_t task, uint64_t address, uint32_t flags, mp_vm_region_info *regions, uint32_t capacity, uint32_t *count);
/* The parts of a range that have contents: pages in memory or swapped out. The others read as zeros or as
 * the file that is mapped there. Up to capacity parts are returned; *next is where the answer ends, which is
 * the end of the range when it is complete. */
MP_EXPORT int32_t mp_vm_present(uint32_t task, uint64_t address, uint64_t size, mp_range *ranges, uint32_t capacity, uint32_t *count, uint64_t *next);
MP_EXPORT int32_t mp_task_dyld_info(uint32_t task, mp_dyld_info *info);

/* The calling process's own images. Index out of range: KERN_INVALID_ARGUMENT (4). */
MP_EXPORT int32_t mp_dyld_image_count(uint32_t *count);
MP_EXPORT int32_t mp_dyld_get_image_header(uint32_t index, uint64_t *address);
MP_EXPORT int32_t mp_dyld_get_image_name(uint32_t index, char *name, uint32_t size);
MP_EXPORT int32_t mp_dyld_get_image_vmaddr_slide(uint32_t index, int64_t *slide);

/* Drops one reference to a port. */
MP_EXPORT int32_t mp_port_release(uint32_t port);
/* Number of port names in this process (mach_port_names), to find leaks. */
MP_EXPORT int32_t mp_port_count(uint32_t *count);

/* libproc: all process identifiers (*count as in mp_task_threads()), and the name of a process: the file
 * name of its program if the kernel's copy is truncated or not told. */
MP_EXPORT int32_t mp_proc_listpids(int32_t *pids, uint32_t capacity, uint32_t *count);
MP_EXPORT int32_t mp_proc_name(int32_t pid, char *name, uint32_t size);
MP_EXPORT int32_t mp_proc_pidpath(int32_t pid, char *path, uint32_t size);

/* mp_proc_info flags */
#define MP_PROC_TRACED 1u     /* a debugger has attached with ptrace() */
#define MP_PROC_SUGID 2u      /* it has changed its user or group since it was started */
#define MP_PROC_TRANSLATED 4u /* it runs under Rosetta */
#define MP_PROC_SIGNATURE 8u  /* cs_flags is known */
#define MP_PROC_EXEC 16u      /* it has called exec since it was forked, and that is done */
#define MP_PROC_STOPPED 32u   /* a signal has stopped it, or a debugger by ptrace() */
#define MP_PROC_EXITING 64u   /* it is ending; only Darwin tells */

/* What the system tells every caller about every process: proc_pidinfo(PROC_PIDT_SHORTBSDINFO) and
 * csops(CS_OPS_STATUS). */
typedef struct mp_proc_info {
	int32_t pid;
	int32_t parent;
	uint32_t flags;     /* MP_PROC_* */
	uint32_t uid;       /* effective */
	uint32_t ruid;      /* real */
	uint32_t svuid;     /* saved */
	int32_t cputype;    /* CPU_TYPE_*; 0 if it is not told (processes of other users) */
	int32_t cpusubtype;
	uint32_t cs_flags;  /* CS_* of osfmk/kern/cs_blobs.h */
	uint32_t reserved;
} mp_proc_info;

/* KERN_INVALID_VALUE (18): there is no such process. */
MP_EXPORT int32_t mp_proc_info_get(int32_t pid, mp_proc_info *info);
/* csops(CS_OPS_ENTITLEMENTS_BLOB): the XML property list of a process's entitlements, *size bytes. A
 * process without entitlements gives KERN_SUCCESS and 0. capacity must be at least *size + 8, or
 * KERN_NO_SPACE (3) is returned. */
MP_EXPORT int32_t mp_proc_entitlements(int32_t pid, char *text, uint32_t capacity, uint32_t *size);

/* mp_session_flags() */
#define MP_SESSION_GRAPHIC 1u /* the system can show the user a password dialog */

/* getaudit_addr(): the login session that the caller belongs to. */
MP_EXPORT int32_t mp_session_flags(uint32_t *flags);

/*
 * Launching without task_for_pid(). The caller starts the program with the library of
 * darwin/preload.c in DYLD_INSERT_LIBRARIES, and the name in MACHPAUSE_LAUNCH. Before the program's
 * own code runs, the library sends the task port to that name and waits for mp_launch_continue().
 *
 * Registers name with the bootstrap server. The name has at most 127 bytes and should be random.
 * *port is the receive right; mp_launch_close() releases it.
 */
MP_EXPORT int32_t mp_launch_open(const char *name, uint32_t *port);
/* Waits for the task port of the process, at most the given time; 0 polls. Other processes that send
 * theirs are answered at once. The caller releases *task, and passes *reply to mp_launch_continue().
 * KERN_OPERATION_TIMED_OUT (49): the process has not sent it yet. */
MP_EXPORT int32_t mp_launch_accept(uint32_t port, int32_t pid, uint32_t milliseconds, uint32_t *task, uint32_t *reply);
/* Lets the program start. reply is consumed, also on failure. */
MP_EXPORT int32_t mp_launch_continue(uint32_t reply);
/* Releases the name. Processes that wait for an answer continue. */
MP_EXPORT int32_t mp_launch_close(uint32_t port);
/* Adds one reference to a port. */
MP_EXPORT int32_t mp_port_retain(uint32_t port);

/* How a process crashes: an exception or a signal that it does not handle. */
typedef struct mp_crash {
	uint64_t thread_id;
	int64_t code;        /* the low 20 bits of the exception's code[0] */
	uint64_t subcode;    /* its code[1]: of EXC_BAD_ACCESS the address */
	int32_t exception;   /* EXC_*; 0 for a signal that was sent, as by abort() */
	int32_t signal;      /* Darwin's number */
	uint32_t reply;      /* for mp_crash_pass() */
	uint32_t reserved;
} mp_crash;

/*
 * The crash of a process, before it dies of it: EXC_CRASH, which the kernel raises when the process has not
 * handled the exception or signal, at its end. Until mp_crash_pass() the process has all its threads,
 * registers and memory. If the caller dies first, the process dies as if nobody had waited.
 *
 * *port is a receive right; mp_crash_close() releases it.
 */
MP_EXPORT int32_t mp_crash_open(uint32_t task, uint32_t *port);
/* KERN_OPERATION_TIMED_OUT (49): it has not crashed. */
MP_EXPORT int32_t mp_crash_poll(uint32_t port, mp_crash *crash);
/* Lets the process die of its crash. reply is consumed, also on failure. */
MP_EXPORT int32_t mp_crash_pass(uint32_t reply);
MP_EXPORT int32_t mp_crash_close(uint32_t port);

/*
 * Suspends the task, copies every thread's state and stack into buffer, and resumes the task. If token
 * is not NULL, the task stays suspended and *token is set. A record's stack holds at most
 * max_stack bytes, from sp (less the red zone) upward. flavor is
 * x86_THREAD_STATE32 (1), x86_THREAD_STATE64 (4), ARM_THREAD_STATE (1) or ARM_THREAD_STATE64 (6).
 * Nothing is allocated in the calling process while the task is suspended. If the buffer is too small,
 * stacks and then threads are omitted, and needed says which capacity would do. On an error nothing
 * stays suspended.
 */
MP_EXPORT int32_t mp_snapshot(uint32_t task, int32_t flavor, uint64_t max_stack, void *buffer, uint64_t capacity, uint32_t *token);
/* The same for the calling process, in its native flavor. The calling thread is not suspended; its
 * record shows it in this call. */
MP_EXPORT int32_t mp_snapshot_self(uint64_t max_stack, void *buffer, uint64_t capacity);

/* mp_sample() flags */
#define MP_SAMPLE_OFF_CPU 1u /* also threads that wait: once, and again when they have run since */

/* What mp_sample() is to do. */
typedef struct mp_sample_options {
	uint64_t period_ns;  /* from one sample to the next */
	uint64_t count;      /* samples; 0: until it is stopped */
	uint64_t max_stack;  /* bytes of a stack, from sp (less the red zone) upward */
	uint32_t flags;      /* MP_SAMPLE_* */
	uint32_t id_count;   /* threads to sample, by their ids: 8 bytes each */
	uint32_t names_size; /* and by their names: bytes, each name terminated. With neither: all threads */
	uint32_t reserved;
} mp_sample_options;

/* At the start of the ring; records follow it. Their positions count bytes since the call began: record
 * n is at (position % (ring_size - sizeof(mp_sample_ring))). A reader loads head with acquire semantics,
 * reads up to it, and stores tail with release semantics. */
typedef struct mp_sample_ring {
	uint64_t head;       /* written by mp_sample(): the end of the last complete record */
	uint64_t tail;       /* written by the reader: the end of what it has read */
	uint32_t stop;       /* written by the caller: not 0 ends the call within 50 ms */
	uint32_t running;    /* 1 from when the schedule begins until the call returns */
	uint64_t start;      /* mach_absolute_time() of the first sample, in nanoseconds */
	uint64_t samples;    /* taken */
	uint64_t missed;     /* that were due while an earlier one was taken, or in the rest after it */
	uint64_t dropped;    /* records for which the ring had no room */
	uint64_t omitted;    /* threads beyond MP_SAMPLE_THREADS, of the last listing */
	uint64_t reserved[8];
} mp_sample_ring;

#define MP_SAMPLE_THREADS 4096

/* mp_sample_record kinds */
#define MP_RECORD_SKIP 0u   /* up to the end of the ring */
#define MP_RECORD_TICK 1u   /* mp_sample_tick: a sample is complete */
#define MP_RECORD_THREAD 2u /* mp_thread_info: a thread was found, or its name has changed */
#define MP_RECORD_EXIT 3u   /* uint64_t: the id of a thread that has ended */
#define MP_RECORD_STACK 4u  /* mp_sample_stack: where a thread is */
#define MP_RECORD_QUEUED 5u /* uint64_t: the id of a thread that waits for a CPU, to stop. Its next stack is that of now */

typedef struct mp_sample_record {
	uint32_t size;          /* with this header, a multiple of 8 */
	uint32_t kind;
} mp_sample_record;

/* Threads without a record of a stack since the last tick were not on a CPU: what was said of them is true
 * still. Without MP_SAMPLE_OFF_CPU it may also be that their samples stand for all of their CPU time. */
typedef struct mp_sample_tick {
	mp_sample_record record;
	uint64_t time;          /* nanoseconds since the start */
	uint64_t late;          /* nanoseconds after it was due */
	uint64_t stopped_ns;    /* the longest that a thread stood still: from the request until it ran */
	uint32_t threads;       /* listed */
	uint32_t stacks;        /* records of stacks since the last tick */
} mp_sample_tick;

/* A thread's registers, and of its stack what has changed since its last record: ranges, each of two
 * uint32_t, the offset from stack_address and the length in bytes, then the bytes, padded to 8. What is
 * outside of the last record's part of the stack is in a range always. */
typedef struct mp_sample_stack {
	mp_sample_record record;
	uint64_t thread_id;
	uint64_t cpu_time;       /* nanoseconds, user and system */
	uint64_t thread_handle;  /* as in mp_thread_info */
	uint64_t dispatch_qaddr;
	uint64_t stack_address;  /* of the first byte: sp minus the red zone */
	uint64_t stack_size;     /* bytes; 0 if none could be read */
	uint64_t stack_end;      /* the end of the stack's region; 0 if unknown */
	uint32_t run_state;      /* just before the stop: TH_STATE_* */
	uint32_t range_count;
	uint32_t ticks;          /* that it stands for. More than 1, with MP_SAMPLE_OFF_CPU only: it waited for a CPU, unchanged, until it stopped */
	uint32_t reserved;
	uint32_t state[MP_STATE_WORDS];
} mp_sample_stack;

/*
 * Samples a task until count samples are taken, ring->stop is set, or the task ends
 * (MACH_SEND_INVALID_DEST, KERN_TERMINATED or KERN_INVALID_ARGUMENT, as the system says it). It is meant
 * to be called on a thread of its own; the caller reads the ring meanwhile.
 *
 * Only threads that could run are stopped, each no more often than the CPU time that it has had is worth
 * periods: where they wait for a CPU, their samples are as many as if they had not waited. With
 * MP_SAMPLE_OFF_CPU every thread that could run is, and those that have run since they were last sampled. On Linux each stops alone, for as long as its own copy takes. On
 * Darwin the whole task is suspended while they are copied, since the kernel ends a suspension of a task with the process
 * that asked for it, but not one of a thread. After a sample the call rests for at least as long as that took.
 *
 * arena is memory for the call's own use, 8 bytes aligned: 8 MiB at least, and twice the stacks' size is
 * enough. Nothing is allocated.
 */
MP_EXPORT int32_t mp_sample(uint32_t task, int32_t flavor, const mp_sample_options *options, const uint64_t *ids, const char *names, void *ring, uint64_t ring_size, void *arena, uint64_t arena_size);

/*
 * The watchdog. While it is armed, SIGHUP, SIGTERM or a second SIGINT ends the process if the process has
 * a handler for the signal but does not answer it within 500 ms, by mp_watchdog_answer() or by disarming.
 * So a program whose event loop hangs can be ended, which ends its suspensions too. Signals without a
 * handler keep their effect.
 *
 * Every suspension that is handed out arms the watchdog until it is resumed. Arms nest. The kernel ends
 * the suspensions of a process that ends, except those by thread_suspend() on Darwin: the watchdog
 * resumes these threads.
 */
MP_EXPORT int32_t mp_watchdog_arm(void);
MP_EXPORT int32_t mp_watchdog_disarm(void);
/* Marks the signals received so far as answered. */
MP_EXPORT int32_t mp_watchdog_answer(void);
/* Sets *address to the address of a uint32_t: the number of SIGINTs since the watchdog was armed or
 * answered. Code that loops can poll it without a call. */
MP_EXPORT int32_t mp_watchdog_interrupts(uint64_t *address);

/* mp_stackshot() forms */
#define MP_STACKSHOT_KCDATA 1u       /* osfmk/kern/kcdata.h */
#define MP_STACKSHOT_TRACE_BUFFER 2u /* osfmk/kern/debug.h, of kernels before OS X 10.11 */

/*
 * stackshot_capture_with_config(), or the system call of older kernels: every thread of a process, or
 * of all processes with pid -1, as the kernel sees it. flags are STACKSHOT_*; the older call ignores
 * those it does not know. since is a mach_absolute_time(): only what has changed from then on; 0 for
 * all. *size is set to the size in bytes. If it exceeds capacity, KERN_NO_SPACE (3) is returned, and
 * the next call takes a new stackshot. With the older call, *size is then an estimate.
 * KERN_NO_ACCESS (8): the caller is not root, or lacks an entitlement. KERN_NOT_SUPPORTED (46): this
 * kernel has none. KERN_INVALID_VALUE (18): there is no such process.
 */
MP_EXPORT int32_t mp_stackshot(int32_t pid, uint64_t flags, uint64_t since, void *buffer, uint64_t capacity, uint64_t *size, uint32_t *form);

#endif
