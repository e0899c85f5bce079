/** What a stackshot holds, whichever form it came in. Plain data; {@linkcode Stackshot} makes images,
 * frames and symbols of it. */
import type { KcContainer, KcItem } from "./kcdata.ts";
import type { Struct } from "./layout.ts";

/** How a task or thread of a delta stackshot came to be what it is: reported anew, changed, only
 * named, or taken over from the stackshot before.
 *
 * @example
 * ```ts
 * import { type Change, openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("delta.kcdata", { base: "first.kcdata" });
 * const shown: Change[] = ["new", "changed"];
 * for (const { data, name } of stackshot.tasks) {
 *   if (data.change !== null && shown.includes(data.change)) console.log(name, data.change);
 * }
 * ```
 */
export type Change = "new" | "changed" | "named" | "kept";

/** An image's place, without a name or an end: a stackshot knows no more of it.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("hang.kcdata");
 * for (const { uuid, address } of stackshot.tasks[0].data.loadInfos) {
 *   console.log(uuid, address.toString(16));
 * }
 * ```
 */
export interface LoadInfo {
  /** Upper case, `8-4-4-4-12`. */
  readonly uuid: string;
  /** Where it is loaded. Of the kernel and its extensions, and in a shared cache's layout: before
   * the slide, as the kernel writes such addresses. */
  readonly address: bigint;
}

/** The dyld shared cache that a task uses.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("hang.kcdata");
 * const { sharedCache } = stackshot.data;
 * console.log(sharedCache?.uuid, sharedCache?.slide.toString(16));
 * ```
 */
export interface SharedCacheInfo {
  /** Upper case, `8-4-4-4-12`. */
  readonly uuid: string;
  /** Added to each of its addresses. */
  readonly slide: bigint;
  /** The slid address of its first mapping; 0 when the kernel did not tell. */
  readonly base: bigint;
}

/** One frame, as it was captured.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("hang.kcdata");
 * const { userFrames } = stackshot.tasks[0].threads[0].data;
 * console.log(userFrames.map(({ address }) => address.toString(16)));
 * ```
 */
export interface RawFrame {
  /** Where execution goes on. */
  readonly address: bigint;
  /** The frame pointer; `null` when it was not captured. */
  readonly frame: bigint | null;
}

/** What a thread waits for.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("hang.kcdata");
 * for (const { waiter, owner, type } of stackshot.tasks[0].data.waits) {
 *   console.log(`thread ${waiter} waits for ${owner}, kind ${type}`);
 * }
 * ```
 */
export interface WaitInfo {
  /** The thread that waits. */
  readonly waiter: bigint;
  /** Whom it waits for: what this is depends on `type`. */
  readonly owner: bigint;
  /** The object it waits on. */
  readonly context: bigint;
  /** `kThreadWait*` of `osfmk/kern/block_hint.h`. */
  readonly type: number;
  /** As the header has them. */
  readonly flags: number;
  /** Of {@linkcode StackshotData.portLabels}; 0 for none, negative when it was left out. */
  readonly portLabel: number;
}

/** Whom a waiting thread lends its priority.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("hang.kcdata");
 * for (const { waiter, context, hops } of stackshot.tasks[0].data.turnstiles) {
 *   console.log(`thread ${waiter} pushes ${context}, ${hops} threads between`);
 * }
 * ```
 */
export interface TurnstileInfo {
  /** The thread that waits. */
  readonly waiter: bigint;
  /** A thread's identifier or a work queue's address, as `flags` says. */
  readonly context: bigint;
  /** The one that it has now. */
  readonly priority: number;
  /** Threads between the two. */
  readonly hops: number;
  /** As the header has them. */
  readonly flags: bigint;
}

/** A thread.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("hang.kcdata");
 * for (const { id, queueLabel, userTime } of stackshot.data.tasks[0].threads) {
 *   console.log(id, queueLabel, userTime);
 * }
 * ```
 */
export interface ThreadData {
  /** System-wide unique. */
  readonly id: bigint;
  /** Not safe to print raw; empty when it has none. */
  readonly name: string;
  /** Of the dispatch queue it works on. Not safe to print raw; empty when not known. */
  readonly queueLabel: string;
  /** Of that queue; 0 when there is none. */
  readonly queueSerial: bigint;
  /** `TH_*` bits. */
  readonly state: number;
  /** `thread_snapshot_flags` bits. */
  readonly flags: bigint;
  /** The address that it waits for to be signalled; 0 for none. */
  readonly waitEvent: bigint;
  /** Where the kernel lets it go on; 0 when it has a kernel stack. */
  readonly continuation: bigint;
  /** Nanoseconds. */
  readonly userTime: bigint;
  /** Nanoseconds. */
  readonly systemTime: bigint;
  /** The one that it was given. */
  readonly basePriority: number;
  /** The one that it has now. */
  readonly priority: number;
  /** Effective quality of service, `THREAD_QOS_*`. */
  readonly qos: number;
  /** Innermost first. */
  readonly kernelFrames: readonly RawFrame[];
  /** Innermost first. */
  readonly userFrames: readonly RawFrame[];
  /** Whether a kernel frame's addresses were 64-bit. */
  readonly kernel64: boolean;
  /** Whether a user frame's were. */
  readonly user64: boolean;
  /** Swift's asynchronous callers. */
  readonly asyncFrames: readonly RawFrame[];
  /** Which user frame `asyncFrames` go on from; `null` without them. */
  readonly asyncStart: number | null;
  /** `null` where the stackshot is no delta. */
  readonly change: Change | null;
  /** Every structure that was there, by its name in the header. */
  readonly details: Readonly<Record<string, Struct>>;
  /** Items that no one here knows. */
  readonly unknown: readonly KcItem[];
}

/** A task.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("hang.kcdata");
 * for (const { pid, name, size } of stackshot.data.tasks) console.log(pid, name, size);
 * ```
 */
export interface TaskData {
  /** -1 when not known. */
  readonly pid: number;
  /** The task's own, which no other ever has. */
  readonly uniqueId: bigint;
  /** Not safe to print raw. */
  readonly name: string;
  /** `task_snapshot_flags` bits. */
  readonly flags: bigint;
  /** Whether it is on its way out. */
  readonly exiting: boolean;
  /** `CPU_TYPE_*`; `null` when not known. */
  readonly cpuType: number | null;
  /** How often it is suspended. */
  readonly suspendCount: number;
  /** Bytes that are resident; `null` when not known. */
  readonly size: bigint | null;
  /** Where its images are. */
  readonly loadInfos: readonly LoadInfo[];
  /** Of the kernel's task: where each of its images has its code, when that is apart. */
  readonly textExec: readonly LoadInfo[];
  /** Of the kernel's task: the file that the kernel and its extensions come from. */
  readonly kernelCache: LoadInfo | null;
  /** Its own, when it is not the system's. */
  readonly sharedCache: SharedCacheInfo | null;
  /** What its threads wait for. */
  readonly waits: readonly WaitInfo[];
  /** Whom its waiting threads lend their priority. */
  readonly turnstiles: readonly TurnstileInfo[];
  /** The processes that lend it importance. */
  readonly donatingPids: readonly number[];
  /** Page table entries, where they were asked for. */
  readonly pageTables: readonly bigint[];
  /** In the kernel's order. */
  readonly threads: readonly ThreadData[];
  /** Threads of which a delta stackshot says only that they are still there. */
  readonly namedThreads: readonly bigint[];
  /** `null` where the stackshot is no delta. */
  readonly change: Change | null;
  /** Every structure that was there, by its name in the header. */
  readonly details: Readonly<Record<string, Struct>>;
  /** Items that no one here knows. */
  readonly unknown: readonly KcItem[];
}

/** A stackshot.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("hang.kcdata");
 * const { form, osVersion, tasks, warnings } = stackshot.data;
 * console.log(form, osVersion, tasks.length, warnings);
 * ```
 */
export interface StackshotData {
  /** `delta`: only what has changed since {@linkcode StackshotData.since}. `trace-buffer`: the form
   * before macOS 10.11. */
  readonly form: "kcdata" | "delta" | "trace-buffer";
  /** The file's name. Not safe to print raw. */
  readonly source: string;
  /** The system whose structures a trace buffer has, as in `10.9`; `null` in the other forms. */
  readonly layout: string | null;
  /** `mach_absolute_time`; `null` when not known. */
  readonly absoluteTime: bigint | null;
  /** Microseconds since 1970; `null` when not known. */
  readonly time: bigint | null;
  /** Nanoseconds are absolute time times `numer` by `denom`. */
  readonly timebase: { readonly numer: number; readonly denom: number };
  /** What a delta is against: an absolute time. */
  readonly since: bigint | null;
  /** Not safe to print raw; `null` when not known. */
  readonly osVersion: string | null;
  /** Such as `20A123`; `null` when not known. Not safe to print raw. */
  readonly osBuild: string | null;
  /** The kernel's; `null` when not known. Not safe to print raw. */
  readonly bootArgs: string | null;
  /** Bytes. */
  readonly pageSize: number | null;
  /** Numbers that name themselves, such as `stackshot_in_flags`. */
  readonly numbers: Readonly<Record<string, bigint>>;
  /** The system's; `null` when not known. */
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
  /** Tasks of which a delta stackshot says only that they are still there, by unique identifier. */
  readonly namedTasks: readonly bigint[];
  /** Every structure that was there, by its name in the header. */
  readonly details: Readonly<Record<string, Struct>>;
  /** Items that no one here knows. */
  readonly unknown: readonly KcItem[];
  /** Containers that no one here knows, such as those of exclaves. */
  readonly unknownContainers: readonly KcContainer[];
  /** What was found damaged, in words. Not safe to print raw. */
  readonly warnings: readonly string[];
}
