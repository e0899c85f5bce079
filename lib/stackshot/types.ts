/** The types of kcdata items in a stackshot: XNU's `osfmk/kern/kcdata.h`. Each layout is the newest
 * version of its structure; an item's length says how many of its fields are present. */
import { type Layout, layout } from "./layout.ts";

/** The first word of a buffer. */
export const magics = {
  stackshot: 0x59a25807,
  delta: 0xde17a59a,
  compressed: 0x434f4d50,
} as const;

/** Item types defined by the format itself. */
export const kc = {
  stringDesc: 0x1,
  uint32Desc: 0x2,
  uint64Desc: 0x3,
  int32Desc: 0x4,
  int64Desc: 0x5,
  bindataDesc: 0x6,
  array: 0x11,
  typeDefinition: 0x12,
  containerBegin: 0x13,
  containerEnd: 0x14,
  arrayPad0: 0x20,
  end: 0xf19158ed,
} as const;

/** Container types. */
export const containers = {
  task: 0x903,
  thread: 0x904,
  transitioningTask: 0x931,
  portLabel: 0x934,
  sharedCache: 0x942,
} as const;

/** Item types that the decoder refers to by name. */
export const types = {
  loadInfo: 0x30,
  loadInfo64: 0x31,
  timebase: 0x32,
  machAbsoluteTime: 0x33,
  usecsSinceEpoch: 0x35,
  ioStats: 0x901,
  memoryStats: 0x902,
  taskSnapshot: 0x905,
  threadSnapshot: 0x906,
  donatingPids: 0x907,
  sharedCacheLoadInfo: 0x908,
  threadName: 0x909,
  kernelFrames32: 0x90a,
  kernelFrames64: 0x90b,
  userFrames32: 0x90c,
  userFrames64: 0x90d,
  bootArgs: 0x90e,
  osVersion: 0x90f,
  pageSize: 0x910,
  jetsamLevel: 0x911,
  deltaSince: 0x912,
  kernelLr32: 0x913,
  kernelLr64: 0x914,
  userLr32: 0x915,
  userLr64: 0x916,
  nonrunnableThreads: 0x917,
  nonrunnableTasks: 0x918,
  cpuTimes: 0x919,
  duration: 0x91a,
  faultStats: 0x91b,
  kernelCacheLoadInfo: 0x91c,
  waitInfo: 0x91d,
  threadGroups: 0x91e,
  threadGroup: 0x91f,
  coalitions: 0x920,
  coalition: 0x921,
  threadPolicyVersion: 0x922,
  instructionsCycles: 0x923,
  userStackTop: 0x924,
  asid: 0x925,
  pageTables: 0x926,
  sharedCacheLayout: 0x927,
  queueLabel: 0x928,
  turnstileInfo: 0x929,
  cpuArchitecture: 0x92a,
  textExecLoadInfo: 0x92e,
  aotCacheLoadInfo: 0x92f,
  transitioningTask: 0x930,
  asyncStart: 0x932,
  asyncLr64: 0x933,
  portLabel: 0x935,
  portLabelName: 0x936,
  suspensionInfo: 0x938,
  suspensionSource: 0x939,
  taskDelta: 0x940,
  threadDelta: 0x941,
  sharedCacheInfo: 0x943,
  sharedCacheId: 0x945,
  codeSigningInfo: 0x946,
  osBuildVersion: 0x947,
} as const;

const ioStats = "u64 ss_disk_reads_count; u64 ss_disk_reads_size; u64 ss_disk_writes_count; " +
  "u64 ss_disk_writes_size; u64[4] ss_io_priority_count; u64[4] ss_io_priority_size; " +
  "u64 ss_paging_count; u64 ss_paging_size; u64 ss_non_paging_count; u64 ss_non_paging_size; " +
  "u64 ss_data_count; u64 ss_data_size; u64 ss_metadata_count; u64 ss_metadata_size";

const loadInfo64 = "u64 imageLoadAddress; uuid imageUUID";

const sharedCache = "u64 sharedCacheSlide; uuid sharedCacheUUID; " +
  "u64 sharedCacheUnreliableSlidBaseAddress; u64 sharedCacheSlidFirstMapping; " +
  "u32 sharedCacheID; u32 sharedCacheFlags";

const aotCache = "u64 x86SlidBaseAddress; uuid x86UUID; u64 aotSlidBaseAddress; uuid aotUUID";

const rows: readonly (readonly [type: number, name: string, fields: string])[] = [
  [0x30, "dyld_uuid_info_32", "u32 imageLoadAddress; uuid imageUUID"],
  [0x31, "dyld_uuid_info_64", loadInfo64],
  [0x32, "mach_timebase_info", "u32 numer; u32 denom"],
  [0x33, "mach_absolute_time", "u64 mach_absolute_time"],
  [0x34, "timeval64", "i64 tv_sec; i64 tv_usec"],
  [0x35, "usecs_since_epoch", "u64 usecs_since_epoch"],
  [0x36, "pid", "i32 pid"],
  [
    0x39,
    "user64_dyld_aot_info",
    "u64 x86LoadAddress; u64 aotLoadAddress; u64 aotImageSize; u8[32] aotImageKey",
  ],
  [0x901, "io_stats_snapshot", ioStats],
  [
    0x902,
    "mem_and_io_snapshot",
    "u32 snapshot_magic; u32 free_pages; u32 active_pages; u32 inactive_pages; " +
    "u32 purgeable_pages; u32 wired_pages; u32 speculative_pages; u32 throttled_pages; " +
    "u32 filebacked_pages; u32 compressions; u32 decompressions; u32 compressor_size; " +
    "i32 busy_buffer_count; u32 pages_wanted; u32 pages_reclaimed; " +
    "u8 pages_wanted_reclaimed_valid",
  ],
  [
    0x905,
    "task_snapshot_v2",
    "u64 ts_unique_pid; u64 ts_ss_flags; u64 ts_user_time_in_terminated_threads; " +
    "u64 ts_system_time_in_terminated_threads; u64 ts_p_start_sec; u64 ts_task_size; " +
    "u64 ts_max_resident_size; u32 ts_suspend_count; u32 ts_faults; u32 ts_pageins; " +
    "u32 ts_cow_faults; u32 ts_was_throttled; u32 ts_did_throttle; u32 ts_latency_qos; " +
    "i32 ts_pid; char[32] ts_p_comm",
  ],
  [
    0x906,
    "thread_snapshot",
    "u64 ths_thread_id; u64 ths_wait_event; u64 ths_continuation; u64 ths_total_syscalls; " +
    "u64 ths_voucher_identifier; u64 ths_dqserialnum; u64 ths_user_time; u64 ths_sys_time; " +
    "u64 ths_ss_flags; u64 ths_last_run_time; u64 ths_last_made_runnable_time; u32 ths_state; " +
    "u32 ths_sched_flags; i16 ths_base_priority; i16 ths_sched_priority; u8 ths_eqos; " +
    "u8 ths_rqos; u8 ths_rqos_override; u8 ths_io_tier; u64 ths_thread_t; " +
    "u64 ths_requested_policy; u64 ths_effective_policy",
  ],
  [0x907, "donating_pids", "i32 donating_pid"],
  [0x908, "dyld_shared_cache_loadinfo", sharedCache],
  [0x90a, "stack_snapshot_frame32", "u32 lr; u32 sp"],
  [0x90b, "stack_snapshot_frame64", "u64 lr; u64 sp"],
  [0x90c, "stack_snapshot_frame32", "u32 lr; u32 sp"],
  [0x90d, "stack_snapshot_frame64", "u64 lr; u64 sp"],
  [0x910, "kernel_page_size", "u32 kernel_page_size"],
  [0x911, "jetsam_level", "u32 jetsam_level"],
  [0x912, "delta_since_timestamp", "u64 stackshot_delta_since_timestamp"],
  [0x913, "kernel_stack_lr", "u32 lr"],
  [0x914, "kernel_stack_lr64", "u64 lr"],
  [0x915, "user_stack_lr", "u32 lr"],
  [0x916, "user_stack_lr64", "u64 lr"],
  [0x917, "nonrunnable_threads", "u64 nonrunnable_thread"],
  [0x918, "nonrunnable_tasks", "u64 nonrunnable_task"],
  [0x919, "stackshot_cpu_times", "u64 user_usec; u64 system_usec; u64 runnable_usec"],
  [
    0x91a,
    "stackshot_duration",
    "u64 stackshot_duration; u64 stackshot_duration_outer; u64 stackshot_duration_prior",
  ],
  [
    0x91b,
    "stackshot_fault_stats",
    "u32 sfs_pages_faulted_in; u64 sfs_time_spent_faulting; u64 sfs_system_max_fault_time; " +
    "u8 sfs_stopped_faulting",
  ],
  [0x91c, "kernelcache_load_info", loadInfo64],
  [
    0x91d,
    "stackshot_thread_waitinfo",
    "u64 owner; u64 waiter; u64 context; u8 wait_type; i16 portlabel_id; u32 wait_flags",
  ],
  [
    0x91e,
    "thread_group_snapshot",
    "u64 tgs_id; char[16] tgs_name; u64 tgs_flags; char[16] tgs_name_cont",
  ],
  [0x91f, "thread_group", "u64 thread_group"],
  [
    0x920,
    "jetsam_coalition_snapshot",
    "u64 jcs_id; u64 jcs_flags; u64 jcs_thread_group; u64 jcs_leader_task_uniqueid",
  ],
  [0x921, "jetsam_coalition", "u64 jetsam_coalition"],
  [0x922, "thread_policy_version", "u32 thread_policy_version"],
  [
    0x923,
    "instrs_cycles_snapshot",
    "u64 ics_instructions; u64 ics_cycles; u64 ics_p_instructions; u64 ics_p_cycles",
  ],
  [0x924, "stack_snapshot_stacktop", "u64 sp; u8[8] stack_contents"],
  [0x925, "asid", "u32 ts_asid"],
  [0x926, "page_tables", "u64 ts_pagetable"],
  [0x927, "system_shared_cache_layout", loadInfo64],
  [
    0x929,
    "stackshot_thread_turnstileinfo",
    "u64 waiter; u64 turnstile_context; u8 turnstile_priority; u8 number_of_hops; " +
    "u64 turnstile_flags; i16 portlabel_id",
  ],
  [0x92a, "stackshot_cpu_architecture", "i32 cputype; i32 cpusubtype"],
  [
    0x92b,
    "stackshot_latency_collection",
    "u64 latency_version; u64 setup_latency; u64 total_task_iteration_latency; " +
    "u64 total_terminated_task_iteration_latency; u64 task_queue_building_latency; " +
    "u64 terminated_task_queue_building_latency; u64 cpu_wait_latency; i32 main_cpu_number; " +
    "i32 calling_cpu_number; u64 buffer_size; u64 buffer_used; u64 buffer_overhead; " +
    "u64 buffer_count",
  ],
  [
    0x92c,
    "stackshot_latency_task",
    "u64 task_uniqueid; u64 setup_latency; u64 task_thread_count_loop_latency; " +
    "u64 task_thread_data_loop_latency; u64 cur_tsnap_latency; u64 pmap_latency; " +
    "u64 bsd_proc_ids_latency; u64 misc_latency; u64 misc2_latency; u64 end_latency",
  ],
  [
    0x92d,
    "stackshot_latency_thread",
    "u64 thread_id; u64 cur_thsnap1_latency; u64 dispatch_serial_latency; " +
    "u64 dispatch_label_latency; u64 cur_thsnap2_latency; u64 thread_name_latency; " +
    "u64 sur_times_latency; u64 user_stack_latency; u64 kernel_stack_latency; u64 misc_latency",
  ],
  [0x92e, "text_exec_load_info", loadInfo64],
  [0x92f, "dyld_aot_cache_uuid_info", aotCache],
  [
    0x930,
    "transitioning_task_snapshot",
    "u64 tts_unique_pid; u64 tts_ss_flags; u64 tts_transition_type; i32 tts_pid; " +
    "char[32] tts_p_comm",
  ],
  [0x932, "user_async_start_index", "u32 user_async_start_index"],
  [0x933, "user_async_stack_lr64", "u64 lr"],
  [0x935, "portlabel_info", "i16 portlabel_id; u16 portlabel_flags; u8 portlabel_domain"],
  [
    0x938,
    "stackshot_suspension_info",
    "u64 tss_last_start; u64 tss_last_end; u64 tss_count; u64 tss_duration",
  ],
  [
    0x939,
    "stackshot_suspension_source",
    "u64 tss_time; u64 tss_tid; i32 tss_pid; char[65] tss_procname",
  ],
  [
    0x940,
    "task_delta_snapshot_v2",
    "u64 tds_unique_pid; u64 tds_ss_flags; u64 tds_user_time_in_terminated_threads; " +
    "u64 tds_system_time_in_terminated_threads; u64 tds_task_size; u64 tds_max_resident_size; " +
    "u32 tds_suspend_count; u32 tds_faults; u32 tds_pageins; u32 tds_cow_faults; " +
    "u32 tds_was_throttled; u32 tds_did_throttle; u32 tds_latency_qos",
  ],
  [
    0x941,
    "thread_delta_snapshot",
    "u64 tds_thread_id; u64 tds_voucher_identifier; u64 tds_ss_flags; " +
    "u64 tds_last_made_runnable_time; u32 tds_state; u32 tds_sched_flags; " +
    "i16 tds_base_priority; i16 tds_sched_priority; u8 tds_eqos; u8 tds_rqos; " +
    "u8 tds_rqos_override; u8 tds_io_tier; u64 tds_requested_policy; u64 tds_effective_policy",
  ],
  [0x943, "dyld_shared_cache_loadinfo_v2", sharedCache],
  [0x944, "dyld_aot_cache_uuid_info", aotCache],
  [0x945, "shared_cache_id", "u32 sharedCacheID"],
  [0x946, "stackshot_task_codesigning_info", "u64 csflags; u32 cs_trust_level"],
  [0x948, "thread_exclaves_info", "u64 tei_scid; u32 tei_thread_offset; u32 tei_flags"],
  [0x94b, "exclave_scresult_info", "u64 esc_id; u64 esc_flags"],
  [
    0x94d,
    "exclave_ipcstackentry_info",
    "u64 eise_asid; u64 eise_tnid; u64 eise_invocationid; u64 eise_flags",
  ],
  [0x94e, "exclave_ecstackentry_addr", "u64 lr"],
  [
    0x950,
    "exclave_addressspace_info",
    "u64 eas_id; u64 eas_flags; u64 eas_layoutid; u64 eas_slide; u64 eas_asroot",
  ],
  [
    0x953,
    "exclave_textlayout_info",
    "u64 layout_id; u64 etl_flags; u32 sharedcache_index",
  ],
  [
    0x954,
    "exclave_textlayout_segment",
    "uuid layoutSegment_uuid; u64 layoutSegment_loadAddress; u64 layoutSegment_rawLoadAddress",
  ],
  [
    0x956,
    "stackshot_latency_cpu",
    "i32 cpu_number; i32 cluster_type; u64 init_latency_mt; u64 workqueue_latency_mt; " +
    "u64 total_latency_mt; u64 total_cycles; u64 total_instrs; u64 tasks_processed; " +
    "u64 threads_processed; u64 faulting_time_mt; u64 total_buf; u64 intercluster_buf_used",
  ],
];

/** Layouts by item type. */
export const layouts: ReadonlyMap<number, Layout> = new Map(
  rows.map(([type, name, fields]) => [type, layout(name, fields)]),
);

/** Item types whose payload is text. */
export const texts: ReadonlyMap<number, string> = new Map([
  [0x37, "proc_name"],
  [0x909, "pth_name"],
  [0x90e, "boot_args"],
  [0x90f, "osversion"],
  [0x928, "dispatch_queue_label"],
  [0x936, "portlabel_name"],
  [0x947, "os_build_version"],
  [0x951, "exclave_addressspace_name"],
]);

/** Element sizes of arrays from kernels that did not record the padding. */
export const oldElementSizes: ReadonlyMap<number, number> = new Map([
  [0x30, 20],
  [0x31, 24],
  [0x81a, 8],
  [0x907, 4],
  [0x90a, 8],
  [0x90b, 16],
  [0x90c, 8],
  [0x90d, 16],
  [0x941, 48],
]);

/** Structures that have since grown into the padding that older kernels did not record: their old length
 * and their length with padding. */
export const oldSizes: ReadonlyMap<number, readonly [size: number, padded: number]> = new Map([
  [0x906, [0x68, 0x70]],
  [0x908, [0x18, 0x20]],
]);
