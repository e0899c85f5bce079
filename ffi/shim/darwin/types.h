/*
 * Types, constants and structures, grouped by Apple's headers. Only what the shim and linux/ use.
 */
#ifndef MACHPAUSE_DARWIN_TYPES_H
#define MACHPAUSE_DARWIN_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* <mach/boolean.h>, <mach/machine/boolean.h> */
#ifdef __x86_64__
typedef unsigned int boolean_t;
#else
typedef int boolean_t;
#endif
#define TRUE 1
#define FALSE 0

/* <mach/machine/vm_types.h>, <mach/vm_types.h> */
typedef unsigned int natural_t;
typedef int integer_t;
typedef uintptr_t vm_offset_t;
typedef uintptr_t vm_size_t;
typedef vm_offset_t vm_address_t;
typedef uint64_t mach_vm_address_t;
typedef uint64_t mach_vm_offset_t;
typedef uint64_t mach_vm_size_t;

/* <mach/kern_return.h>, <mach/machine/kern_return.h> */
typedef int kern_return_t;
#define KERN_SUCCESS 0
#define KERN_INVALID_ADDRESS 1
#define KERN_PROTECTION_FAILURE 2
#define KERN_NO_SPACE 3
#define KERN_INVALID_ARGUMENT 4
#define KERN_FAILURE 5
#define KERN_RESOURCE_SHORTAGE 6
#define KERN_NO_ACCESS 8
#define KERN_MEMORY_ERROR 10
#define KERN_ABORTED 14
#define KERN_INVALID_NAME 15
#define KERN_INVALID_TASK 16
#define KERN_INVALID_RIGHT 17
#define KERN_INVALID_VALUE 18
#define KERN_INVALID_CAPABILITY 20
#define KERN_TERMINATED 37
#define KERN_NOT_SUPPORTED 46
#define KERN_OPERATION_TIMED_OUT 49

/* <mach/message.h>; mach_port_t is in <mach/port.h>, below */
typedef natural_t mach_msg_type_number_t;
typedef kern_return_t mach_msg_return_t;
typedef natural_t mach_msg_timeout_t;
typedef natural_t mach_msg_size_t;
typedef integer_t mach_msg_option_t;
typedef integer_t mach_msg_id_t;
typedef unsigned int mach_msg_bits_t;
typedef unsigned int mach_msg_type_name_t;
typedef unsigned int mach_msg_descriptor_type_t;
#define MACH_MSG_SUCCESS 0
#define MACH_SEND_INVALID_DEST 0x10000003
#define MACH_RCV_TIMED_OUT 0x10004003
#define MACH_SEND_MSG 0x1
#define MACH_RCV_MSG 0x2
#define MACH_SEND_TIMEOUT 0x10
#define MACH_RCV_TIMEOUT 0x100
#define MACH_MSG_TYPE_MOVE_SEND 17
#define MACH_MSG_TYPE_MOVE_SEND_ONCE 18
#define MACH_MSG_TYPE_COPY_SEND 19
#define MACH_MSG_TYPE_MAKE_SEND 20
#define MACH_MSG_TYPE_MAKE_SEND_ONCE 21
#define MACH_MSGH_BITS_COMPLEX 0x80000000U
#define MACH_MSGH_BITS(remote, local) ((remote) | ((local) << 8))
#define MACH_MSGH_BITS_REMOTE(bits) ((bits) & 0x1f)
#define MACH_MSG_PORT_DESCRIPTOR 0

/* <mach/port.h> */
typedef natural_t mach_port_name_t;
typedef mach_port_name_t *mach_port_name_array_t;
typedef mach_port_name_t mach_port_t;
typedef natural_t mach_port_type_t;
typedef mach_port_type_t *mach_port_type_array_t;
typedef natural_t mach_port_right_t;
typedef int mach_port_delta_t;
#define MACH_PORT_NULL 0
#define MACH_PORT_RIGHT_SEND ((mach_port_right_t)0)
#define MACH_PORT_RIGHT_RECEIVE ((mach_port_right_t)1)

/* <mach/message.h>, where all structures are packed to 4 bytes */
#pragma pack(push, 4)
typedef struct {
	mach_msg_bits_t msgh_bits;
	mach_msg_size_t msgh_size;
	mach_port_t msgh_remote_port;
	mach_port_t msgh_local_port;
	mach_port_name_t msgh_voucher_port;
	mach_msg_id_t msgh_id;
} mach_msg_header_t;

typedef struct {
	mach_msg_size_t msgh_descriptor_count;
} mach_msg_body_t;

typedef struct {
	mach_port_t name;
	mach_msg_size_t pad1;
	unsigned int pad2 : 16;
	mach_msg_type_name_t disposition : 8;
	mach_msg_descriptor_type_t type : 8;
} mach_msg_port_descriptor_t;
#pragma pack(pop)

/* The smallest trailer of a received message. */
typedef struct {
	unsigned int msgh_trailer_type;
	unsigned int msgh_trailer_size;
} mach_msg_trailer_t;

/* <mach/exception_types.h>, <mach/i386/exception.h> */
typedef int exception_type_t;
typedef int exception_behavior_t;
typedef unsigned int exception_mask_t;
#define EXC_BAD_ACCESS 1
#define EXC_BAD_INSTRUCTION 2
#define EXC_ARITHMETIC 3
#define EXC_BREAKPOINT 6
#define EXC_CRASH 10
#define EXC_MASK_CRASH (1 << EXC_CRASH)
#define EXCEPTION_IDENTITY_PROTECTED 4
#define MACH_EXCEPTION_CODES 0x80000000

/* <mach/machine/thread_status.h> */
#if defined(__x86_64__) || defined(__i386__)
#define THREAD_STATE_NONE 13
#else
#define THREAD_STATE_NONE 5
#endif

/* <mach/task_special_ports.h> */
#define TASK_BOOTSTRAP_PORT 4

/* <mach/mach_types.h> */
typedef mach_port_t task_t;
typedef mach_port_t task_name_t;
typedef mach_port_t task_inspect_t;
typedef mach_port_t task_read_t;
typedef mach_port_t task_suspension_token_t;
typedef mach_port_t thread_act_t;
typedef mach_port_t thread_inspect_t;
typedef mach_port_t thread_read_t;
typedef mach_port_t ipc_space_t;
typedef mach_port_t vm_map_t;
typedef mach_port_t vm_map_read_t;
typedef thread_act_t *thread_act_array_t;

/* <mach/machine.h> */
typedef integer_t cpu_type_t;
typedef integer_t cpu_subtype_t;
#define CPU_ARCH_ABI64 0x01000000
#define CPU_TYPE_X86 ((cpu_type_t)7)
#define CPU_TYPE_I386 CPU_TYPE_X86
#define CPU_TYPE_X86_64 (CPU_TYPE_X86 | CPU_ARCH_ABI64)
#define CPU_TYPE_ARM ((cpu_type_t)12)
#define CPU_TYPE_ARM64 (CPU_TYPE_ARM | CPU_ARCH_ABI64)

/* <mach/time_value.h> */
typedef struct time_value {
	integer_t seconds;
	integer_t microseconds;
} time_value_t;

/* <mach/policy.h> */
typedef int policy_t;

/* <mach/thread_info.h> */
typedef natural_t thread_flavor_t;
typedef integer_t *thread_info_t;

#define THREAD_BASIC_INFO 3
typedef struct thread_basic_info {
	time_value_t user_time;
	time_value_t system_time;
	integer_t cpu_usage;
	policy_t policy;
	integer_t run_state;
	integer_t flags;
	integer_t suspend_count;
	integer_t sleep_time;
} thread_basic_info_data_t;
#define THREAD_BASIC_INFO_COUNT \
	((mach_msg_type_number_t)(sizeof(thread_basic_info_data_t) / sizeof(natural_t)))

#define THREAD_IDENTIFIER_INFO 4
typedef struct thread_identifier_info {
	uint64_t thread_id;
	uint64_t thread_handle;
	uint64_t dispatch_qaddr;
} thread_identifier_info_data_t;
#define THREAD_IDENTIFIER_INFO_COUNT \
	((mach_msg_type_number_t)(sizeof(thread_identifier_info_data_t) / sizeof(natural_t)))

#define THREAD_EXTENDED_INFO 5
#define MAXTHREADNAMESIZE 64
typedef struct thread_extended_info {
	uint64_t pth_user_time;   /* nanoseconds */
	uint64_t pth_system_time; /* nanoseconds */
	int32_t pth_cpu_usage;
	int32_t pth_policy;
	int32_t pth_run_state;
	int32_t pth_flags;
	int32_t pth_sleep_time;
	int32_t pth_curpri;
	int32_t pth_priority;
	int32_t pth_maxpriority;
	char pth_name[MAXTHREADNAMESIZE];
} thread_extended_info_data_t;
#define THREAD_EXTENDED_INFO_COUNT \
	((mach_msg_type_number_t)(sizeof(thread_extended_info_data_t) / sizeof(natural_t)))

#define TH_USAGE_SCALE 1000
#define TH_STATE_RUNNING 1
#define TH_STATE_STOPPED 2
#define TH_STATE_WAITING 3
#define TH_STATE_UNINTERRUPTIBLE 4
#define TH_STATE_HALTED 5
#define TH_FLAGS_SWAPPED 0x1
#define TH_FLAGS_IDLE 0x2

/* <mach/task_info.h>, where all structures are packed to 4 bytes */
typedef natural_t task_flavor_t;
typedef integer_t *task_info_t;

#define TASK_DYLD_INFO 17
#pragma pack(push, 4)
typedef struct task_dyld_info {
	mach_vm_address_t all_image_info_addr;
	mach_vm_size_t all_image_info_size;
	integer_t all_image_info_format;
} task_dyld_info_data_t;
#pragma pack(pop)
#define TASK_DYLD_INFO_COUNT (sizeof(task_dyld_info_data_t) / sizeof(natural_t))
#define TASK_DYLD_ALL_IMAGE_INFO_32 0
#define TASK_DYLD_ALL_IMAGE_INFO_64 1

/* <mach/vm_prot.h>, <mach/vm_inherit.h>, <mach/vm_behavior.h>, <mach/memory_object_types.h> */
typedef int vm_prot_t;
#define VM_PROT_READ ((vm_prot_t)0x01)
#define VM_PROT_WRITE ((vm_prot_t)0x02)
#define VM_PROT_EXECUTE ((vm_prot_t)0x04)
typedef unsigned int vm_inherit_t;
typedef int vm_behavior_t;
typedef unsigned long long memory_object_offset_t;
typedef unsigned long long vm_object_id_t;

/* <mach/vm_statistics.h> */
#define VM_MEMORY_MALLOC 1
#define VM_MEMORY_STACK 30
#define VM_PAGE_QUERY_PAGE_PRESENT 0x1
#define VM_PAGE_QUERY_PAGE_PAGED_OUT 0x10

/* <mach/vm_region.h>, where all structures are packed to 4 bytes */
typedef int *vm_region_recurse_info_t;
typedef uint32_t vm32_object_id_t;
#define SM_COW 1
#define SM_PRIVATE 2
#define SM_EMPTY 3
#define SM_SHARED 4
#define SM_TRUESHARED 5
#define SM_PRIVATE_ALIASED 6
#define SM_SHARED_ALIASED 7
#define SM_LARGE_PAGE 8

#pragma pack(push, 4)
typedef struct vm_region_submap_short_info_64 {
	vm_prot_t protection;
	vm_prot_t max_protection;
	vm_inherit_t inheritance;
	memory_object_offset_t offset;
	unsigned int user_tag;
	unsigned int ref_count;
	unsigned short shadow_depth;
	unsigned char external_pager;
	unsigned char share_mode;
	boolean_t is_submap;
	vm_behavior_t behavior;
	vm32_object_id_t object_id;
	unsigned short user_wired_count;
} vm_region_submap_short_info_data_64_t;
#pragma pack(pop)
#define VM_REGION_SUBMAP_SHORT_INFO_COUNT_64 \
	((mach_msg_type_number_t)(sizeof(vm_region_submap_short_info_data_64_t) / sizeof(natural_t)))

/* <mach/mach_time.h> */
typedef struct mach_timebase_info {
	uint32_t numer;
	uint32_t denom;
} mach_timebase_info_data_t;
typedef struct mach_timebase_info *mach_timebase_info_t;

/* <sys/proc_info.h>, where MAXPATHLEN is 1024 */
#define PROC_PIDPATHINFO_MAXSIZE (4 * 1024)

/* Answered for processes of all users, unlike PROC_PIDTBSDINFO (proc_info.c, proc_pidinfo()). */
#define PROC_PIDT_SHORTBSDINFO 13
/* pbsi_status: <sys/proc.h> */
#define SRUN 2
#define SSTOP 4
#define PROC_FLAG_TRACED 2
#define PROC_FLAG_INEXIT 4
#define PROC_FLAG_PSUGID 0x2000
#define PROC_FLAG_EXEC 0x4000

struct proc_bsdshortinfo {
	uint32_t pbsi_pid;
	uint32_t pbsi_ppid;
	uint32_t pbsi_pgid;
	uint32_t pbsi_status;
	char pbsi_comm[16];
	uint32_t pbsi_flags;
	uint32_t pbsi_uid;
	uint32_t pbsi_gid;
	uint32_t pbsi_ruid;
	uint32_t pbsi_rgid;
	uint32_t pbsi_svuid;
	uint32_t pbsi_svgid;
	uint32_t pbsi_rfu;
};

struct proc_regionpath {
	uint64_t prpo_addr;
	uint64_t prpo_regionlength;
	char prpo_path[1024];
};

#endif
