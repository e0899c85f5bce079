/** The system calls that a live target needs, in Mach's terms. `ffi/` implements them over the C shim;
 * tests bring their own. Every method throws {@linkcode MachError} when its call does not succeed, and
 * {@linkcode TargetGoneError} when the task or thread has died. */

import type { RawText } from "../escape.ts";
import type { AddressRange } from "../macho/walking.ts";

/** `thread_info`: basic, identifier and extended in one. */
export interface ThreadInfo {
  /** Its identifier, unique in the system. */
  readonly id: bigint;
  /** The address of the pthread's thread-specific data; 0 when not known. */
  readonly handle: bigint;
  /** The address of a pointer to the dispatch queue; 0 when there is none. */
  readonly dispatchQueueAddress: bigint;
  /** Time in user space, in nanoseconds. */
  readonly userTime: bigint;
  /** Time in the kernel, in nanoseconds. */
  readonly systemTime: bigint;
  /** Share of a CPU, in thousandths (`TH_USAGE_SCALE`). */
  readonly cpuUsage: number;
  /** `TH_STATE_*`. */
  readonly runState: number;
  /** `TH_FLAGS_*`. */
  readonly flags: number;
  /** How often it alone is suspended. */
  readonly suspendCount: number;
  /** Its current scheduling priority. */
  readonly priority: number;
  /** The name that the target gave it. */
  readonly name: RawText;
}

/** One region of a task's address space, from `mach_vm_region_recurse`. */
export interface Region {
  /** Address of the first byte. */
  readonly address: bigint;
  /** Size in bytes. */
  readonly size: bigint;
  /** Offset in the mapped object, in bytes. */
  readonly offset: bigint;
  /** `VM_PROT_*`: 1 read, 2 write, 4 execute. */
  readonly protection: number;
  /** The maximum protection. */
  readonly maxProtection: number;
  /** `VM_MEMORY_*`: 30 is a stack. */
  readonly userTag: number;
  /** `SM_*`. */
  readonly shareMode: number;
  /** Depth of the submap that it was found in. */
  readonly depth: number;
  /** The mapped file; empty when there is none or it was not requested. */
  readonly path: RawText;
}

/** `TASK_DYLD_INFO`, with the CPU the task runs on. */
export interface DyldInfo {
  /** Address of `dyld_all_image_infos`; 0 when no dyld has published it. */
  readonly address: bigint;
  /** Size in bytes. */
  readonly size: bigint;
  /** Whether the structures there are 64-bit. */
  readonly is64: boolean;
  /** `CPU_TYPE_*`; 0 when not known. */
  readonly cpuType: number;
  /** Process identifier of the task. */
  readonly pid: number;
}

/** One image of this process, from the `_dyld_*` calls. */
export interface OwnImage {
  /** The address of its Mach-O header. */
  readonly header: bigint;
  /** Its path. */
  readonly name: RawText;
  /** The load address minus the address it was linked for. */
  readonly slide: bigint;
}

/** One thread as `mp_snapshot` captured it. */
export interface CapturedThread {
  /** Its state just before the stop. */
  readonly info: ThreadInfo;
  /** The thread state in the requested flavor; empty when it could not be read. */
  readonly state: Uint8Array;
  /** `kern_return_t` of reading the state, where that took a call. */
  readonly stateResult?: number;
  /** Address of the first byte of `stack`. */
  readonly stackAddress: bigint;
  /** The captured part of the stack, from a little below the stack pointer upwards. */
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
  /** The suspension, when it was to be kept; for {@linkcode MachKernel.taskResume}. */
  readonly token: number | undefined;
}

/** How to take a {@linkcode Capture}. */
export interface CaptureOptions {
  /** The thread state flavor. */
  readonly flavor: number;
  /** Size of one thread state in that flavor, in bytes. */
  readonly stateSize: number;
  /** Maximum number of bytes captured of each stack. */
  readonly maxStack: number;
  /** Leaves the task suspended. */
  readonly keepSuspended: boolean;
}

/** How to sample a task. */
export interface SamplingOptions {
  /** The thread state flavor. */
  readonly flavor: number;
  /** Size of one thread state in that flavor, in bytes. */
  readonly stateSize: number;
  /** From one sample to the next. */
  readonly periodNanoseconds: number;
  /** How many samples to take; 0 for as many as there is time for. */
  readonly count: number;
  /** Maximum number of bytes copied of each stack. */
  readonly maxStack: number;
  /** Whether threads that wait are sampled too: once, and again when they have run since. */
  readonly offCpu: boolean;
  /** The threads to sample, by identifier. */
  readonly ids: readonly bigint[];
  /** And by name. With neither, all. */
  readonly names: readonly string[];
}

/** A moment at which the threads were sampled. */
export interface SampleTick {
  /** Nanoseconds since the first one. */
  readonly time: number;
  /** Nanoseconds after it was due. */
  readonly late: number;
  /** The longest that a thread stood still for it, in nanoseconds. */
  readonly stopped: number;
  /** Number of threads that there were. */
  readonly threads: number;
  /** Number of them whose stacks were copied. */
  readonly stacks: number;
}

/** A thread that was stopped for a sample. The arrays are valid during the visit only. */
export interface StackRecord {
  /** Its identifier. */
  readonly threadId: bigint;
  /** User and system time, in nanoseconds. */
  readonly cpuTime: number;
  /** As in {@linkcode ThreadInfo}. */
  readonly handle: bigint;
  /** As in {@linkcode ThreadInfo}. */
  readonly dispatchQueueAddress: bigint;
  /** Address of the first byte of its stack. */
  readonly stackAddress: bigint;
  /** Number of bytes of its stack; 0 when it could not be read. */
  readonly stackSize: number;
  /** The upper bound of the stack; 0 when not known. */
  readonly stackEnd: bigint;
  /** `TH_STATE_*`, just before the stop. */
  readonly runState: number;
  /** How many ticks it stands for. More than 1, with `offCpu` alone, when the thread waited for a CPU before it
   * stopped: it did not run in between. */
  readonly ticks: number;
  /** The thread state. */
  readonly state: Uint8Array;
  /** What of the stack is not as in the thread's last record, by rising offset from `stackAddress`. */
  readonly ranges: readonly { readonly offset: number; readonly bytes: Uint8Array }[];
}

/** Gets what was sampled, in order. The threads without a stack since the tick before were not on a CPU, or for
 * less time than a sample stands for. */
export interface SampleVisitor {
  /** A thread was found, or has another name. */
  thread(info: ThreadInfo): void;
  /** A thread has ended. */
  exit(id: bigint): void;
  /** A thread waits for a CPU, to stop. Its next stack is that of now. */
  queued(id: bigint): void;
  /** Where a thread is. */
  stack(record: StackRecord): void;
  /** The records since the tick before are of this one. */
  tick(tick: SampleTick): void;
}

/** What was counted so far. */
export interface SamplingCounts {
  /** Samples taken. */
  readonly samples: number;
  /** Samples that were due while an earlier one was taken, or in the rest after it. */
  readonly missed: number;
  /** Records that were lost since they were not read in time. */
  readonly dropped: number;
  /** Threads beyond the number that can be sampled. */
  readonly omitted: number;
}

/** A task being sampled. */
export interface Sampling {
  /** Settled when no more is sampled: with why, if it was not asked for. */
  readonly ended: Promise<Error | null>;
  /** What was counted. */
  readonly counts: SamplingCounts;
  /** Visits what was sampled up to the next tick; false when no whole sample is there yet. */
  read(visitor: SampleVisitor): boolean;
  /** Ends it soon. */
  stop(): void;
}

/** The system calls. Ports are the numbers by which Mach names them. */
export interface MachKernel {
  /** `darwin` or `linux`. */
  readonly system: "darwin" | "linux";
  /** The task of this process, which needs no release. */
  taskSelf(): number;
  /** `task_for_pid`. The caller releases the port. */
  taskForPid(pid: number): number;
  /** Drops one reference to a port. */
  portRelease(port: number): void;
  /** Number of port names that this process holds. */
  portCount(): number;
  /** `task_threads`. The caller releases each port. */
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
  /** Fills `into` from `address`, and returns how many bytes could be read, which may be none. Throws
   * only when the task is gone. */
  vmRead(task: number, address: bigint, into: Uint8Array): number;
  /** `mach_vm_write`: all of `bytes`. */
  vmWrite(task: number, address: bigint, bytes: Uint8Array): void;
  /** Regions from the one that holds or follows `address`, at most `limit`; empty at the end. */
  vmRegions(task: number, address: bigint, limit: number, paths: boolean): Region[];
  /** The parts of a range that have contents, in rising order: pages in memory or swapped out. The
   * others read as zeros, or as the file that is mapped there. */
  vmPresent(task: number, address: bigint, size: bigint): AddressRange[];
  /** `task_info` with `TASK_DYLD_INFO`. */
  taskDyldInfo(task: number): DyldInfo;
  /** This process's images, from the `_dyld_*` calls. */
  ownImages(): OwnImage[];
  /** All processes. */
  processes(): { readonly pid: number; readonly name: RawText }[];
  /** The path of a process's program. */
  processPath(pid: number): string;
  /** Every thread's state and stack, in one stop. */
  snapshot(task: number, options: CaptureOptions): Capture;
  /** Samples a task in a thread of its own, at a fixed rate, until it is stopped. */
  sample(task: number, options: SamplingOptions): Sampling;
  /** A snapshot of this process, in its native flavor. */
  snapshotSelf(options: Pick<CaptureOptions, "stateSize" | "maxStack">): Capture;
}
