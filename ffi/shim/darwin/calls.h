/*
 * The calls. Most have no header in XNU's sources: MIG generates it from a .defs file. The prototypes
 * here follow the routines there, with MIG's types for the caller: an array is a pointer and a count;
 * the caller deallocates an out array.
 */
#ifndef MACHPAUSE_DARWIN_CALLS_H
#define MACHPAUSE_DARWIN_CALLS_H

/* <mach/mach_init.h>; mach_task_self() is a macro there too */
extern mach_port_t mach_task_self_;
#ifndef mach_task_self
#define mach_task_self() mach_task_self_
#endif
extern mach_port_t mach_thread_self(void);

/* <mach/mach_traps.h> */
extern kern_return_t task_for_pid(mach_port_name_t target_tport, int pid, mach_port_name_t *t);
extern kern_return_t pid_for_task(mach_port_name_t t, int *x);
extern mach_port_name_t mach_reply_port(void);

/* osfmk/mach/task.defs → <mach/task.h> */
extern kern_return_t task_threads(
	task_inspect_t target_task, thread_act_array_t *act_list, mach_msg_type_number_t *act_listCnt);
extern kern_return_t task_info(task_name_t target_task, task_flavor_t flavor,
	task_info_t task_info_out, mach_msg_type_number_t *task_info_outCnt);
extern kern_return_t task_suspend2(
	task_read_t target_task, task_suspension_token_t *suspend_token);
extern kern_return_t task_resume2(task_suspension_token_t suspend_token);
extern kern_return_t task_get_special_port(
	task_inspect_t task, int which_port, mach_port_t *special_port);
extern kern_return_t task_set_exception_ports(task_t task, exception_mask_t exception_mask,
	mach_port_t new_port, exception_behavior_t behavior, thread_state_flavor_t new_flavor);

/* osfmk/mach/thread_act.defs → <mach/thread_act.h> */
extern kern_return_t thread_suspend(thread_read_t target_act);
extern kern_return_t thread_resume(thread_read_t target_act);
extern kern_return_t thread_get_state(thread_read_t target_act, thread_state_flavor_t flavor,
	thread_state_t old_state, mach_msg_type_number_t *old_stateCnt);
extern kern_return_t thread_set_state(thread_act_t target_act, thread_state_flavor_t flavor,
	thread_state_t new_state, mach_msg_type_number_t new_stateCnt);
extern kern_return_t thread_info(thread_inspect_t target_act, thread_flavor_t flavor,
	thread_info_t thread_info_out, mach_msg_type_number_t *thread_info_outCnt);

/* osfmk/mach/mach_vm.defs → <mach/mach_vm.h> */
extern kern_return_t mach_vm_deallocate(
	vm_map_t target, mach_vm_address_t address, mach_vm_size_t size);
extern kern_return_t mach_vm_read_overwrite(vm_map_read_t target_task, mach_vm_address_t address,
	mach_vm_size_t size, mach_vm_address_t data, mach_vm_size_t *outsize);
extern kern_return_t mach_vm_write(vm_map_t target_task, mach_vm_address_t address,
	vm_offset_t data, mach_msg_type_number_t dataCnt);
extern kern_return_t mach_vm_region_recurse(vm_map_read_t target_task, mach_vm_address_t *address,
	mach_vm_size_t *size, natural_t *nesting_depth, vm_region_recurse_info_t info,
	mach_msg_type_number_t *infoCnt);
/* One int a page goes to dispositions, in the caller's memory (osfmk/vm/vm_user.c). */
extern kern_return_t mach_vm_page_range_query(vm_map_read_t target_map, mach_vm_offset_t address,
	mach_vm_size_t size, mach_vm_address_t dispositions, mach_vm_size_t *dispositions_count);

/* osfmk/mach/mach_port.defs → <mach/mach_port.h> */
extern kern_return_t mach_port_names(ipc_space_t task, mach_port_name_array_t *names,
	mach_msg_type_number_t *namesCnt, mach_port_type_array_t *types,
	mach_msg_type_number_t *typesCnt);
extern kern_return_t mach_port_deallocate(ipc_space_t task, mach_port_name_t name);
extern kern_return_t mach_port_allocate(
	ipc_space_t task, mach_port_right_t right, mach_port_name_t *name);
extern kern_return_t mach_port_insert_right(ipc_space_t task, mach_port_name_t name,
	mach_port_t poly, mach_msg_type_name_t polyPoly);
extern kern_return_t mach_port_mod_refs(
	ipc_space_t task, mach_port_name_t name, mach_port_right_t right, mach_port_delta_t delta);

/* <mach/message.h> */
extern mach_msg_return_t mach_msg(mach_msg_header_t *msg, mach_msg_option_t option,
	mach_msg_size_t send_size, mach_msg_size_t rcv_size, mach_port_name_t rcv_name,
	mach_msg_timeout_t timeout, mach_port_name_t notify);
extern void mach_msg_destroy(mach_msg_header_t *msg);

/* launchd's liblaunch/bootstrap.h → <servers/bootstrap.h> */
extern kern_return_t bootstrap_look_up(
	mach_port_t bp, const char *service_name, mach_port_t *sp);

/* <mach/mach_time.h> */
extern kern_return_t mach_timebase_info(mach_timebase_info_t info);
extern uint64_t mach_absolute_time(void);
extern kern_return_t mach_wait_until(uint64_t deadline);

/* dyld's <mach-o/dyld.h> */
struct mach_header;
extern uint32_t _dyld_image_count(void);
extern const struct mach_header *_dyld_get_image_header(uint32_t image_index);
extern intptr_t _dyld_get_image_vmaddr_slide(uint32_t image_index);
extern const char *_dyld_get_image_name(uint32_t image_index);

/* libsyscall/wrappers/libproc/libproc.h. proc_pidinfo() is used for PROC_PIDARCHINFO,
 * PROC_PIDT_SHORTBSDINFO and PROC_PIDREGIONPATH. proc_regionfilename() is not used: if no file is
 * mapped, it returns the path of a later region without saying so. */
extern int proc_listallpids(void *buffer, int buffersize);
extern int proc_pidinfo(int pid, int flavor, uint64_t arg, void *buffer, int buffersize);
extern int proc_name(int pid, void *buffer, uint32_t buffersize);
extern int proc_pidpath(int pid, void *buffer, uint32_t buffersize);

#endif
