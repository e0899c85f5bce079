/** The decoded content of a stackshot, the same for every input form. Plain data;
 * {@linkcode Stackshot} adds images, frames and symbols. */
import type { KcContainer, KcItem } from "./kcdata.ts";
import type { Struct } from "./layout.ts";

/** Where the data of a task or thread in a delta stackshot comes from: `new` and `changed` were
 * reported, `named` was only listed, `kept` is from the earlier stackshot. */
export type Change = "new" | "changed" | "named" | "kept";

/** An image as a stackshot records it: UUID and load address, no name and no size. */
export interface LoadInfo {
  /** Upper case, `8-4-4-4-12`. */
  readonly uuid: string;
  /** Load address. For the kernel, its extensions and a shared cache's layout it is the one before
   * the slide, as the kernel writes such addresses. */
  readonly address: bigint;
}

/** The dyld shared cache that a task uses. */
export interface SharedCacheInfo {
  /** Upper case, `8-4-4-4-12`. */
  readonly uuid: string;
  /** Slide. */
  readonly slide: bigint;
  /** Slid address of the first mapping; 0 when the kernel did not record it. */
  readonly base: bigint;
}

/** One frame, as it was captured. */
export interface RawFrame {
  /** Program counter or return address. */
  readonly address: bigint;
  /** The frame pointer; `null` when it was not captured. */
  readonly frame: bigint | null;
}

/** What a thread waits for. */
export interface WaitInfo {
  /** The waiting thread. */
  readonly waiter: bigint;
  /** Owner of what it waits for; the meaning depends on `type`. */
  readonly owner: bigint;
  /** The object waited on. */
  readonly context: bigint;
  /** `kThreadWait*` of `osfmk/kern/block_hint.h`. */
  readonly type: number;
  /** Flags as defined in the header. */
  readonly flags: number;
  /** Index into {@linkcode StackshotData.portLabels}; 0 for none, negative when it was omitted. */
  readonly portLabel: number;
}

/** The thread or work queue that a waiting thread lends its priority to. */
export interface TurnstileInfo {
  /** The waiting thread. */
  readonly waiter: bigint;
  /** A thread's identifier or a work queue's address, as `flags` says. */
  readonly context: bigint;
  /** Current value. */
  readonly priority: number;
  /** Number of threads between the two. */
  readonly hops: number;
  /** Flags as defined in the header. */
  readonly flags: bigint;
}

/** A thread. */
export interface ThreadData {
  /** System-wide unique. */
  readonly id: bigint;
  /** Not safe to print raw; empty when it has none. */
  readonly name: string;
  /** Label of its dispatch queue; empty when not known. Not safe to print raw. */
  readonly queueLabel: string;
  /** Serial number of that queue; 0 when there is none. */
  readonly queueSerial: bigint;
  /** `TH_*` bits. */
  readonly state: number;
  /** `thread_snapshot_flags` bits. */
  readonly flags: bigint;
  /** Address of the event it waits for; 0 for none. */
  readonly waitEvent: bigint;
  /** Kernel continuation; 0 when it has a kernel stack. */
  readonly continuation: bigint;
  /** Nanoseconds. */
  readonly userTime: bigint;
  /** Nanoseconds. */
  readonly systemTime: bigint;
  /** Assigned value. */
  readonly basePriority: number;
  /** Current value. */
  readonly priority: number;
  /** Effective quality of service, `THREAD_QOS_*`. */
  readonly qos: number;
  /** Innermost first. */
  readonly kernelFrames: readonly RawFrame[];
  /** Innermost first. */
  readonly userFrames: readonly RawFrame[];
  /** Whether kernel frames have 64-bit addresses. */
  readonly kernel64: boolean;
  /** Whether user frames have 64-bit addresses. */
  readonly user64: boolean;
  /** Swift async callers. */
  readonly asyncFrames: readonly RawFrame[];
  /** Index of the user frame that `asyncFrames` continue from; `null` without them. */
  readonly asyncStart: number | null;
  /** `null` when the stackshot is not a delta. */
  readonly change: Change | null;
  /** All structures that were present, by their names in the header. */
  readonly details: Readonly<Record<string, Struct>>;
  /** Items of unknown type. */
  readonly unknown: readonly KcItem[];
}

/** A task. */
export interface TaskData {
  /** -1 when not known. */
  readonly pid: number;
  /** Unique task identifier, never reused. */
  readonly uniqueId: bigint;
  /** Not safe to print raw. */
  readonly name: string;
  /** `task_snapshot_flags` bits. */
  readonly flags: bigint;
  /** Whether it is exiting. */
  readonly exiting: boolean;
  /** `CPU_TYPE_*`; `null` when not known. */
  readonly cpuType: number | null;
  /** Suspend count. */
  readonly suspendCount: number;
  /** Resident size in bytes; `null` when not known. */
  readonly size: bigint | null;
  /** Its images. */
  readonly loadInfos: readonly LoadInfo[];
  /** Kernel task only: the code segments of its images, where they are separate. */
  readonly textExec: readonly LoadInfo[];
  /** Kernel task only: the kernel collection. */
  readonly kernelCache: LoadInfo | null;
  /** Its shared cache, when that is not the system's. */
  readonly sharedCache: SharedCacheInfo | null;
  /** What its threads wait for. */
  readonly waits: readonly WaitInfo[];
  /** Targets of its threads' priority inheritance. */
  readonly turnstiles: readonly TurnstileInfo[];
  /** Processes that donate importance to it. */
  readonly donatingPids: readonly number[];
  /** Page table entries, when they were requested. */
  readonly pageTables: readonly bigint[];
  /** In the kernel's order. */
  readonly threads: readonly ThreadData[];
  /** Threads that a delta stackshot only lists as still alive. */
  readonly namedThreads: readonly bigint[];
  /** `null` when the stackshot is not a delta. */
  readonly change: Change | null;
  /** All structures that were present, by their names in the header. */
  readonly details: Readonly<Record<string, Struct>>;
  /** Items of unknown type. */
  readonly unknown: readonly KcItem[];
}

/** A stackshot. */
export interface StackshotData {
  /** `delta`: only what has changed since {@linkcode StackshotData.since}. `trace-buffer`: the form
   * before macOS 10.11. */
  readonly form: "kcdata" | "delta" | "trace-buffer";
  /** The file's name. Not safe to print raw. */
  readonly source: string;
  /** The system version that a trace buffer's structures match, such as `10.9`; `null` for kcdata. */
  readonly layout: string | null;
  /** `mach_absolute_time`; `null` when not known. */
  readonly absoluteTime: bigint | null;
  /** Microseconds since 1970; `null` when not known. */
  readonly time: bigint | null;
  /** Nanoseconds are absolute time × `numer` / `denom`. */
  readonly timebase: { readonly numer: number; readonly denom: number };
  /** Absolute time of the stackshot that a delta is based on. */
  readonly since: bigint | null;
  /** Not safe to print raw; `null` when not known. */
  readonly osVersion: string | null;
  /** Such as `20A123`; `null` when not known. Not safe to print raw. */
  readonly osBuild: string | null;
  /** Kernel boot arguments; `null` when not known. Not safe to print raw. */
  readonly bootArgs: string | null;
  /** Bytes. */
  readonly pageSize: number | null;
  /** Self-describing numbers, such as `stackshot_in_flags`. */
  readonly numbers: Readonly<Record<string, bigint>>;
  /** The system's shared cache; `null` when not known. */
  readonly sharedCache: SharedCacheInfo | null;
  /** The images in the system's shared cache, before its slide. */
  readonly sharedCacheLayout: readonly LoadInfo[];
  /** Names of service ports by number. Not safe to print raw. */
  readonly portLabels: ReadonlyMap<number, string>;
  /** `thread_group_snapshot`s. */
  readonly threadGroups: readonly Struct[];
  /** `jetsam_coalition_snapshot`s. */
  readonly coalitions: readonly Struct[];
  /** In the kernel's order. */
  readonly tasks: readonly TaskData[];
  /** Unique identifiers of tasks that a delta stackshot only lists as still alive. */
  readonly namedTasks: readonly bigint[];
  /** All structures that were present, by their names in the header. */
  readonly details: Readonly<Record<string, Struct>>;
  /** Items of unknown type. */
  readonly unknown: readonly KcItem[];
  /** Containers of unknown type, such as those of exclaves. */
  readonly unknownContainers: readonly KcContainer[];
  /** Damage that was found, in words. Not safe to print raw. */
  readonly warnings: readonly string[];
}
