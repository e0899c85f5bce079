/*
 * Sizes, offsets and values that the shim relies on. Included after the declarations, the project's or
 * Apple's, so that both are checked.
 */
#ifndef MACHPAUSE_DARWIN_LAYOUT_H
#define MACHPAUSE_DARWIN_LAYOUT_H

#define MP_SIZE(type, size) _Static_assert(sizeof(type) == (size), #type)
#define MP_FIELD(type, field, offset) \
	_Static_assert(offsetof(type, field) == (offset), #type "." #field)
#define MP_VALUE(name, value) _Static_assert((name) == (value), #name)

MP_SIZE(boolean_t, 4);
MP_SIZE(natural_t, 4);
MP_SIZE(integer_t, 4);
MP_SIZE(vm_offset_t, sizeof(void *));
MP_SIZE(mach_vm_address_t, 8);
MP_SIZE(mach_vm_size_t, 8);
MP_SIZE(kern_return_t, 4);
MP_SIZE(mach_port_t, 4);
MP_SIZE(mach_port_name_t, 4);
MP_SIZE(thread_act_t, 4);
MP_SIZE(cpu_type_t, 4);
MP_SIZE(mach_msg_type_number_t, 4);

MP_VALUE(KERN_SUCCESS, 0);
MP_VALUE(KERN_INVALID_ADDRESS, 1);
MP_VALUE(KERN_PROTECTION_FAILURE, 2);
MP_VALUE(KERN_NO_SPACE, 3);
MP_VALUE(KERN_INVALID_ARGUMENT, 4);
MP_VALUE(KERN_FAILURE, 5);
MP_VALUE(KERN_RESOURCE_SHORTAGE, 6);
MP_VALUE(KERN_NO_ACCESS, 8);
MP_VALUE(KERN_MEMORY_ERROR, 10);
MP_VALUE(KERN_ABORTED, 14);
MP_VALUE(KERN_INVALID_NAME, 15);
MP_VALUE(KERN_INVALID_TASK, 16);
MP_VALUE(KERN_INVALID_RIGHT, 17);
MP_VALUE(KERN_INVALID_VALUE, 18);
MP_VALUE(KERN_INVALID_CAPABILITY, 20);
MP_VALUE(KERN_TERMINATED, 37);
MP_VALUE(KERN_NOT_SUPPORTED, 46);
MP_VALUE(KERN_OPERATION_TIMED_OUT, 49);
MP_VALUE(MACH_SEND_INVALID_DEST, 0x10000003);
MP_VALUE(MACH_RCV_TIMED_OUT, 0x10004003);
MP_VALUE(MACH_SEND_MSG, 1);
MP_VALUE(MACH_RCV_MSG, 2);
MP_VALUE(MACH_SEND_TIMEOUT, 0x10);
MP_VALUE(MACH_RCV_TIMEOUT, 0x100);
MP_VALUE(MACH_MSG_TYPE_MOVE_SEND, 17);
MP_VALUE(MACH_MSG_TYPE_MOVE_SEND_ONCE, 18);
MP_VALUE(MACH_MSG_TYPE_COPY_SEND, 19);
MP_VALUE(MACH_MSG_TYPE_MAKE_SEND, 20);
MP_VALUE(MACH_MSG_TYPE_MAKE_SEND_ONCE, 21);
MP_VALUE(MACH_MSGH_BITS_COMPLEX, 0x80000000U);
MP_VALUE(MACH_MSGH_BITS(19, 21), 0x1513);
MP_VALUE(MACH_MSGH_BITS_REMOTE(0x1513), 19);
MP_VALUE(MACH_MSG_PORT_DESCRIPTOR, 0);
MP_VALUE(EXC_BAD_ACCESS, 1);
MP_VALUE(EXC_BAD_INSTRUCTION, 2);
MP_VALUE(EXC_ARITHMETIC, 3);
MP_VALUE(EXC_BREAKPOINT, 6);
MP_VALUE(EXC_CRASH, 10);
MP_VALUE(EXC_MASK_CRASH, 0x400);
MP_VALUE(EXCEPTION_IDENTITY_PROTECTED, 4);
MP_VALUE(MACH_EXCEPTION_CODES, 0x80000000);
#if defined(__x86_64__)
MP_VALUE(THREAD_STATE_NONE, 13);
#else
MP_VALUE(THREAD_STATE_NONE, 5);
#endif
MP_VALUE(MACH_PORT_NULL, 0);
MP_VALUE(MACH_PORT_RIGHT_SEND, 0);
MP_VALUE(MACH_PORT_RIGHT_RECEIVE, 1);
MP_VALUE(TASK_BOOTSTRAP_PORT, 4);
MP_VALUE(CPU_TYPE_X86, 7);
MP_VALUE(CPU_TYPE_I386, 7);
MP_VALUE(CPU_TYPE_X86_64, 0x01000007);
MP_VALUE(CPU_TYPE_ARM, 12);
MP_VALUE(CPU_TYPE_ARM64, 0x0100000c);
MP_VALUE(THREAD_BASIC_INFO, 3);
MP_VALUE(THREAD_BASIC_INFO_COUNT, 10);
MP_VALUE(THREAD_IDENTIFIER_INFO, 4);
MP_VALUE(THREAD_IDENTIFIER_INFO_COUNT, 6);
MP_VALUE(THREAD_EXTENDED_INFO, 5);
MP_VALUE(THREAD_EXTENDED_INFO_COUNT, 28);
MP_VALUE(MAXTHREADNAMESIZE, 64);
MP_VALUE(TH_USAGE_SCALE, 1000);
MP_VALUE(TH_STATE_RUNNING, 1);
MP_VALUE(TH_STATE_STOPPED, 2);
MP_VALUE(TH_STATE_WAITING, 3);
MP_VALUE(TH_STATE_UNINTERRUPTIBLE, 4);
MP_VALUE(TH_STATE_HALTED, 5);
MP_VALUE(TH_FLAGS_SWAPPED, 1);
MP_VALUE(TH_FLAGS_IDLE, 2);
MP_VALUE(TASK_DYLD_INFO, 17);
MP_VALUE(TASK_DYLD_INFO_COUNT, 5);
MP_VALUE(TASK_DYLD_ALL_IMAGE_INFO_32, 0);
MP_VALUE(TASK_DYLD_ALL_IMAGE_INFO_64, 1);
MP_VALUE(VM_PROT_READ, 1);
MP_VALUE(VM_PROT_WRITE, 2);
MP_VALUE(VM_PROT_EXECUTE, 4);
MP_VALUE(VM_MEMORY_MALLOC, 1);
MP_VALUE(VM_MEMORY_STACK, 30);
MP_VALUE(SM_COW, 1);
MP_VALUE(SM_PRIVATE, 2);
MP_VALUE(SM_EMPTY, 3);
MP_VALUE(SM_SHARED, 4);
MP_VALUE(SM_TRUESHARED, 5);
MP_VALUE(SM_PRIVATE_ALIASED, 6);
MP_VALUE(SM_SHARED_ALIASED, 7);
MP_VALUE(SM_LARGE_PAGE, 8);
MP_VALUE(VM_REGION_SUBMAP_SHORT_INFO_COUNT_64, 12);
MP_VALUE(PROC_PIDPATHINFO_MAXSIZE, 4096);
MP_VALUE(PROC_PIDARCHINFO, 19);
MP_VALUE(PROC_PIDREGIONPATH, 31);
MP_VALUE(PROC_PIDT_SHORTBSDINFO, 13);
MP_VALUE(SRUN, 2);
MP_VALUE(SSTOP, 4);
MP_VALUE(PROC_FLAG_TRACED, 2);
MP_VALUE(PROC_FLAG_INEXIT, 4);
MP_VALUE(PROC_FLAG_PSUGID, 0x2000);
MP_VALUE(PROC_FLAG_EXEC, 0x4000);
MP_VALUE(PROC_FLAG_ROSETTA, 0x2000000);
MP_VALUE(CS_OPS_STATUS, 0);
MP_VALUE(CS_OPS_ENTITLEMENTS_BLOB, 7);

MP_FIELD(mach_msg_header_t, msgh_bits, 0);
MP_FIELD(mach_msg_header_t, msgh_size, 4);
MP_FIELD(mach_msg_header_t, msgh_remote_port, 8);
MP_FIELD(mach_msg_header_t, msgh_local_port, 12);
MP_FIELD(mach_msg_header_t, msgh_voucher_port, 16);
MP_FIELD(mach_msg_header_t, msgh_id, 20);
MP_SIZE(mach_msg_header_t, 24);
MP_SIZE(mach_msg_body_t, 4);
MP_FIELD(mach_msg_port_descriptor_t, name, 0);
MP_SIZE(mach_msg_port_descriptor_t, 12);
MP_SIZE(mach_msg_trailer_t, 8);

MP_FIELD(struct time_value, seconds, 0);
MP_FIELD(struct time_value, microseconds, 4);
MP_SIZE(struct time_value, 8);

MP_FIELD(struct thread_basic_info, user_time, 0);
MP_FIELD(struct thread_basic_info, system_time, 8);
MP_FIELD(struct thread_basic_info, cpu_usage, 16);
MP_FIELD(struct thread_basic_info, policy, 20);
MP_FIELD(struct thread_basic_info, run_state, 24);
MP_FIELD(struct thread_basic_info, flags, 28);
MP_FIELD(struct thread_basic_info, suspend_count, 32);
MP_FIELD(struct thread_basic_info, sleep_time, 36);
MP_SIZE(struct thread_basic_info, 40);

MP_FIELD(struct thread_identifier_info, thread_id, 0);
MP_FIELD(struct thread_identifier_info, thread_handle, 8);
MP_FIELD(struct thread_identifier_info, dispatch_qaddr, 16);
MP_SIZE(struct thread_identifier_info, 24);

MP_FIELD(struct thread_extended_info, pth_user_time, 0);
MP_FIELD(struct thread_extended_info, pth_system_time, 8);
MP_FIELD(struct thread_extended_info, pth_cpu_usage, 16);
MP_FIELD(struct thread_extended_info, pth_policy, 20);
MP_FIELD(struct thread_extended_info, pth_run_state, 24);
MP_FIELD(struct thread_extended_info, pth_flags, 28);
MP_FIELD(struct thread_extended_info, pth_sleep_time, 32);
MP_FIELD(struct thread_extended_info, pth_curpri, 36);
MP_FIELD(struct thread_extended_info, pth_priority, 40);
MP_FIELD(struct thread_extended_info, pth_maxpriority, 44);
MP_FIELD(struct thread_extended_info, pth_name, 48);
MP_SIZE(struct thread_extended_info, 112);

MP_FIELD(struct task_dyld_info, all_image_info_addr, 0);
MP_FIELD(struct task_dyld_info, all_image_info_size, 8);
MP_FIELD(struct task_dyld_info, all_image_info_format, 16);
MP_SIZE(struct task_dyld_info, 20);

MP_FIELD(struct vm_region_submap_short_info_64, protection, 0);
MP_FIELD(struct vm_region_submap_short_info_64, max_protection, 4);
MP_FIELD(struct vm_region_submap_short_info_64, inheritance, 8);
MP_FIELD(struct vm_region_submap_short_info_64, offset, 12);
MP_FIELD(struct vm_region_submap_short_info_64, user_tag, 20);
MP_FIELD(struct vm_region_submap_short_info_64, ref_count, 24);
MP_FIELD(struct vm_region_submap_short_info_64, shadow_depth, 28);
MP_FIELD(struct vm_region_submap_short_info_64, external_pager, 30);
MP_FIELD(struct vm_region_submap_short_info_64, share_mode, 31);
MP_FIELD(struct vm_region_submap_short_info_64, is_submap, 32);
MP_FIELD(struct vm_region_submap_short_info_64, behavior, 36);
MP_FIELD(struct vm_region_submap_short_info_64, object_id, 40);
MP_FIELD(struct vm_region_submap_short_info_64, user_wired_count, 44);
MP_SIZE(struct vm_region_submap_short_info_64, 48);

MP_FIELD(struct mach_timebase_info, numer, 0);
MP_FIELD(struct mach_timebase_info, denom, 4);
MP_SIZE(struct mach_timebase_info, 8);

MP_FIELD(struct proc_bsdshortinfo, pbsi_pid, 0);
MP_FIELD(struct proc_bsdshortinfo, pbsi_ppid, 4);
MP_FIELD(struct proc_bsdshortinfo, pbsi_status, 12);
MP_FIELD(struct proc_bsdshortinfo, pbsi_comm, 16);
MP_FIELD(struct proc_bsdshortinfo, pbsi_flags, 32);
MP_FIELD(struct proc_bsdshortinfo, pbsi_uid, 36);
MP_FIELD(struct proc_bsdshortinfo, pbsi_ruid, 44);
MP_FIELD(struct proc_bsdshortinfo, pbsi_svuid, 52);
MP_SIZE(struct proc_bsdshortinfo, 64);

MP_FIELD(struct mp_auditinfo_addr, ai_flags, 40);
MP_SIZE(struct mp_auditinfo_addr, 48);

MP_FIELD(struct proc_regionpath, prpo_addr, 0);
MP_FIELD(struct proc_regionpath, prpo_regionlength, 8);
MP_FIELD(struct proc_regionpath, prpo_path, 16);
MP_SIZE(struct proc_regionpath, 1040);

MP_FIELD(struct proc_archinfo, p_cputype, 0);
MP_FIELD(struct proc_archinfo, p_cpusubtype, 4);
MP_SIZE(struct proc_archinfo, 8);

/* Apple's headers only have the thread states of the architecture being built. */
#if !defined(MP_APPLE_SDK) || defined(__x86_64__)
MP_VALUE(x86_THREAD_STATE32, 1);
MP_VALUE(x86_EXCEPTION_STATE32, 3);
MP_VALUE(x86_THREAD_STATE64, 4);
MP_VALUE(x86_EXCEPTION_STATE64, 6);
MP_VALUE(x86_THREAD_STATE32_COUNT, 16);
MP_VALUE(x86_THREAD_STATE64_COUNT, 42);
MP_VALUE(x86_EXCEPTION_STATE32_COUNT, 3);
MP_VALUE(x86_EXCEPTION_STATE64_COUNT, 4);

MP_FIELD(x86_thread_state32_t, __eax, 0);
MP_FIELD(x86_thread_state32_t, __ebx, 4);
MP_FIELD(x86_thread_state32_t, __ecx, 8);
MP_FIELD(x86_thread_state32_t, __edx, 12);
MP_FIELD(x86_thread_state32_t, __edi, 16);
MP_FIELD(x86_thread_state32_t, __esi, 20);
MP_FIELD(x86_thread_state32_t, __ebp, 24);
MP_FIELD(x86_thread_state32_t, __esp, 28);
MP_FIELD(x86_thread_state32_t, __ss, 32);
MP_FIELD(x86_thread_state32_t, __eflags, 36);
MP_FIELD(x86_thread_state32_t, __eip, 40);
MP_FIELD(x86_thread_state32_t, __cs, 44);
MP_FIELD(x86_thread_state32_t, __ds, 48);
MP_FIELD(x86_thread_state32_t, __es, 52);
MP_FIELD(x86_thread_state32_t, __fs, 56);
MP_FIELD(x86_thread_state32_t, __gs, 60);
MP_SIZE(x86_thread_state32_t, 64);

MP_FIELD(x86_thread_state64_t, __rax, 0);
MP_FIELD(x86_thread_state64_t, __rbx, 8);
MP_FIELD(x86_thread_state64_t, __rcx, 16);
MP_FIELD(x86_thread_state64_t, __rdx, 24);
MP_FIELD(x86_thread_state64_t, __rdi, 32);
MP_FIELD(x86_thread_state64_t, __rsi, 40);
MP_FIELD(x86_thread_state64_t, __rbp, 48);
MP_FIELD(x86_thread_state64_t, __rsp, 56);
MP_FIELD(x86_thread_state64_t, __r8, 64);
MP_FIELD(x86_thread_state64_t, __r9, 72);
MP_FIELD(x86_thread_state64_t, __r10, 80);
MP_FIELD(x86_thread_state64_t, __r11, 88);
MP_FIELD(x86_thread_state64_t, __r12, 96);
MP_FIELD(x86_thread_state64_t, __r13, 104);
MP_FIELD(x86_thread_state64_t, __r14, 112);
MP_FIELD(x86_thread_state64_t, __r15, 120);
MP_FIELD(x86_thread_state64_t, __rip, 128);
MP_FIELD(x86_thread_state64_t, __rflags, 136);
MP_FIELD(x86_thread_state64_t, __cs, 144);
MP_FIELD(x86_thread_state64_t, __fs, 152);
MP_FIELD(x86_thread_state64_t, __gs, 160);
MP_SIZE(x86_thread_state64_t, 168);

MP_FIELD(x86_exception_state32_t, __trapno, 0);
MP_FIELD(x86_exception_state32_t, __cpu, 2);
MP_FIELD(x86_exception_state32_t, __err, 4);
MP_FIELD(x86_exception_state32_t, __faultvaddr, 8);
MP_SIZE(x86_exception_state32_t, 12);

MP_FIELD(x86_exception_state64_t, __trapno, 0);
MP_FIELD(x86_exception_state64_t, __cpu, 2);
MP_FIELD(x86_exception_state64_t, __err, 4);
MP_FIELD(x86_exception_state64_t, __faultvaddr, 8);
MP_SIZE(x86_exception_state64_t, 16);
#endif

#if !defined(MP_APPLE_SDK) || defined(__aarch64__)
MP_VALUE(ARM_THREAD_STATE, 1);
MP_VALUE(ARM_EXCEPTION_STATE, 3);
MP_VALUE(ARM_THREAD_STATE64, 6);
MP_VALUE(ARM_EXCEPTION_STATE64, 7);
MP_VALUE(ARM_THREAD_STATE32, 9);
MP_VALUE(ARM_THREAD_STATE_COUNT, 17);
MP_VALUE(ARM_THREAD_STATE64_COUNT, 68);
MP_VALUE(ARM_EXCEPTION_STATE_COUNT, 3);
MP_VALUE(ARM_EXCEPTION_STATE64_COUNT, 4);

MP_FIELD(arm_thread_state_t, __r, 0);
MP_FIELD(arm_thread_state_t, __sp, 52);
MP_FIELD(arm_thread_state_t, __lr, 56);
MP_FIELD(arm_thread_state_t, __pc, 60);
MP_FIELD(arm_thread_state_t, __cpsr, 64);
MP_SIZE(arm_thread_state_t, 68);

MP_FIELD(arm_thread_state64_t, __x, 0);
MP_FIELD(arm_thread_state64_t, __fp, 232);
MP_FIELD(arm_thread_state64_t, __lr, 240);
MP_FIELD(arm_thread_state64_t, __sp, 248);
MP_FIELD(arm_thread_state64_t, __pc, 256);
MP_FIELD(arm_thread_state64_t, __cpsr, 264);
MP_FIELD(arm_thread_state64_t, __pad, 268);
MP_SIZE(arm_thread_state64_t, 272);

MP_FIELD(arm_exception_state_t, __exception, 0);
MP_FIELD(arm_exception_state_t, __fsr, 4);
MP_FIELD(arm_exception_state_t, __far, 8);
MP_SIZE(arm_exception_state_t, 12);

MP_FIELD(arm_exception_state64_t, __far, 0);
MP_FIELD(arm_exception_state64_t, __esr, 8);
MP_FIELD(arm_exception_state64_t, __exception, 12);
MP_SIZE(arm_exception_state64_t, 16);
#endif

#undef MP_SIZE
#undef MP_FIELD
#undef MP_VALUE

#endif
