/** What a live target needs of the system beneath it, in Mach's terms. `ffi/` provides it over the
 * C shim; tests provide others. Every method throws {@linkcode MachError} when the call beneath it
 * does not succeed, and {@linkcode TargetGoneError} when the task or thread has died. */

/** `thread_info`: basic, identifier and extended in one. */
export interface ThreadInfo {
  /** System-wide unique identifier. */
  readonly id: bigint;
  /** The address of the pthread's thread-specific data; 0 when not known. */
  readonly handle: bigint;
  /** The address of a pointer to the dispatch queue; 0 when there is none. */
  readonly dispatchQueueAddress: bigint;
  /** Nanoseconds. */
  readonly userTime: bigint;
  /** Nanoseconds. */
  readonly systemTime: bigint;
  /** Of 1000 (`TH_USAGE_SCALE`). */
  readonly cpuUsage: number;
  /** `TH_STATE_*`. */
  readonly runState: number;
  /** `TH_FLAGS_*`. */
  readonly flags: number;
  /** How often it is suspended by itself. */
  readonly suspendCount: number;
  /** Its current one. */
  readonly priority: number;
  /** As the target set it; not safe to print raw. */
  readonly name: string;
}

/** One region of a task's address space, from `mach_vm_region_recurse`. */
export interface Region {
  /** Of its first byte. */
  readonly address: bigint;
  /** Bytes. */
  readonly size: bigint;
  /** Into the mapped object, bytes. */
  readonly offset: bigint;
  /** `VM_PROT_*`: 1 read, 2 write, 4 execute. */
  readonly protection: number;
  /** The most that `protection` may become. */
  readonly maxProtection: number;
  /** `VM_MEMORY_*`: 30 is a stack. */
  readonly userTag: number;
  /** `SM_*`. */
  readonly shareMode: number;
  /** Of the submap that it was found in. */
  readonly depth: number;
  /** The mapped file; empty when there is none or it was not asked for. */
  readonly path: string;
}

/** `TASK_DYLD_INFO`, with the CPU the task runs on. */
export interface DyldInfo {
  /** Where `dyld_all_image_infos` is; 0 when no dyld has published it. */
  readonly address: bigint;
  /** Bytes. */
  readonly size: bigint;
  /** Whether the structures there are 64-bit. */
  readonly is64: boolean;
  /** `CPU_TYPE_*`; 0 when not known. */
  readonly cpuType: number;
  /** Of the task's process. */
  readonly pid: number;
}

/** One image of this very process, from the `_dyld_*` calls. */
export interface OwnImage {
  /** The address of its Mach-O header. */
  readonly header: bigint;
  /** Its path. */
  readonly name: string;
  /** Its load address less the one it was linked for. */
  readonly slide: bigint;
}

/** One thread as `mp_snapshot` captured it. */
export interface CapturedThread {
  /** As it was just before the stop. */
  readonly info: ThreadInfo;
  /** The thread state in the flavor that was asked for; empty when it could not be had. */
  readonly state: Uint8Array;
  /** `kern_return_t` of reading the state, where that was a call. */
  readonly stateResult?: number;
  /** The address of the first of `stack`'s bytes. */
  readonly stackAddress: bigint;
  /** From a little below the stack pointer upwards. */
  readonly stack: Uint8Array;
  /** The upper bound of the stack; 0 when not known. */
  readonly stackEnd: bigint;
}

/** What `mp_snapshot` captured. */
export interface Capture {
  /** From before the first thread was asked to stop until the last one ran again, or, of a task that
   * is left suspended, until the call returned. */
  readonly stoppedNanoseconds: number;
  /** When the first thread was asked to stop, by `performance.now()`. */
  readonly stoppedSince: number;
  /** As `task_threads` lists them. */
  readonly threads: readonly CapturedThread[];
  /** The suspension, when it was asked to be kept; goes to {@linkcode MachKernel.taskResume}. */
  readonly token: number | undefined;
}

/** How to take a {@linkcode Capture}. */
export interface CaptureOptions {
  /** The thread state flavor. */
  readonly flavor: number;
  /** The bytes of one thread state in that flavor. */
  readonly stateSize: number;
  /** At most so many bytes of each stack. */
  readonly maxStack: number;
  /** Leave the task suspended. */
  readonly keepSuspended: boolean;
}

/** The calls. Ports are numbers, as Mach names them. */
export interface MachKernel {
  /** `darwin` or `linux`. */
  readonly system: "darwin" | "linux";
  /** This process's own task, which need not be released. */
  taskSelf(): number;
  /** `task_for_pid`; to be released. */
  taskForPid(pid: number): number;
  /** Drops one reference to a port. */
  portRelease(port: number): void;
  /** How many port names this process holds. */
  portCount(): number;
  /** `task_threads`. Each port is to be released. */
  taskThreads(task: number): Uint32Array;
  /** `task_suspend2`; returns the token that {@linkcode MachKernel.taskResume} takes. */
  taskSuspend(task: number): number;
  /** `task_resume2`; the token is used up. */
  taskResume(token: number): void;
  /** `thread_suspend`. */
  threadSuspend(thread: number): void;
  /** `thread_resume`. */
  threadResume(thread: number): void;
  /** `thread_get_state`.
   *
   * @param size of the state in bytes */
  threadGetState(thread: number, flavor: number, size: number): Uint8Array;
  /** `thread_set_state`. */
  threadSetState(thread: number, flavor: number, state: Uint8Array): void;
  /** `thread_info`. */
  threadInfo(thread: number): ThreadInfo;
  /** Fills `into` from `address`; returns how many bytes could be read, which may be none. Throws
   * only when the task is gone. */
  vmRead(task: number, address: bigint, into: Uint8Array): number;
  /** `mach_vm_write`: all of `bytes`. */
  vmWrite(task: number, address: bigint, bytes: Uint8Array): void;
  /** Regions from the one that holds or follows `address`, at most `limit`; empty at the end. */
  vmRegions(task: number, address: bigint, limit: number, paths: boolean): Region[];
  /** `task_info` with `TASK_DYLD_INFO`. */
  taskDyldInfo(task: number): DyldInfo;
  /** This process's images, from the `_dyld_*` calls. */
  ownImages(): OwnImage[];
  /** All processes. Names are not safe to print raw. */
  processes(): { readonly pid: number; readonly name: string }[];
  /** The path of a process's program. */
  processPath(pid: number): string;
  /** Every thread's state and stack, in one stop. */
  snapshot(task: number, options: CaptureOptions): Capture;
  /** Of this process, in its native flavor. */
  snapshotSelf(options: Pick<CaptureOptions, "stateSize" | "maxStack">): Capture;
}
