/** The numbers of a stackshot, in words. */
import { hex } from "../hex.ts";
import type { RunState } from "../target/mod.ts";
import type { StackshotData, TurnstileInfo, WaitInfo } from "./data.ts";

/** `kThreadWait*` of `osfmk/kern/block_hint.h`, by number. */
const waitTypes: readonly string[] = [
  "kThreadWaitNone",
  "kThreadWaitKernelMutex",
  "kThreadWaitPortReceive",
  "kThreadWaitPortSetReceive",
  "kThreadWaitPortSend",
  "kThreadWaitPortSendInTransit",
  "kThreadWaitSemaphore",
  "kThreadWaitKernelRWLockRead",
  "kThreadWaitKernelRWLockWrite",
  "kThreadWaitKernelRWLockUpgrade",
  "kThreadWaitUserLock",
  "kThreadWaitPThreadMutex",
  "kThreadWaitPThreadRWLockRead",
  "kThreadWaitPThreadRWLockWrite",
  "kThreadWaitPThreadCondVar",
  "kThreadWaitParkedWorkQueue",
  "kThreadWaitWorkloopSyncWait",
  "kThreadWaitOnProcess",
  "kThreadWaitSleepWithInheritor",
  "kThreadWaitEventlink",
  "kThreadWaitCompressor",
  "kThreadWaitParkedBoundWorkQueue",
  "kThreadWaitPageBusy",
  "kThreadWaitPagerInit",
  "kThreadWaitPagerReady",
  "kThreadWaitPagingActivity",
  "kThreadWaitMappingInProgress",
  "kThreadWaitMemoryBlocked",
  "kThreadWaitPagingInProgress",
  "kThreadWaitPageInThrottle",
  "kThreadWaitExclaveCore",
  "kThreadWaitExclaveKit",
];

/** The `kThreadWait*` name of a number; `null` when there is none. */
export function waitTypeName(type: number): string | null {
  return waitTypes[type] ?? null;
}

const allOnes = (1n << 64n) - 1n;

/** `STACKSHOT_WAITOWNER_*` of `osfmk/kern/kcdata.h`: special owner values. */
const owners = {
  kernel: allOnes - 1n,
  portLocked: allOnes - 2n,
  portSetLocked: allOnes - 3n,
  inTransit: allOnes - 4n,
  spinning: allOnes - 5n,
  threadRequested: allOnes - 6n,
  suspended: allOnes - 7n,
} as const;

/** `STACKSHOT_WAITINFO_FLAGS_SPECIALREPLY`. */
const specialReply = 1;

const byThread = (owner: bigint): string =>
  owner === 0n
    ? ", whose owner is not known"
    : owner === owners.spinning
    ? ", whose owner is just taking or leaving it"
    : ` owned by thread ${hex(owner)}`;

/** A port and its state. */
function port(context: bigint, owner: bigint): string {
  const locked = owner === owners.portLocked ? "locked " : "";
  const transit = owner === owners.inTransit ? " in transit" : "";
  return `${locked}port ${hex(context)}${transit}`;
}

/** A wait in words, as in `pthread mutex 0x7ff… owned by thread 0x37de`; `null` for none.
 *
 * @param portLabels names of service ports; like the result, not safe to print raw
 */
export function waitWords(wait: WaitInfo, portLabels: StackshotData["portLabels"]): string | null {
  const label = portLabels.get(wait.portLabel);
  const named = label === undefined || label === "" ? "" : ` (${label})`;
  const words = plainWords(wait);
  return words === null ? null : words + named;
}

function plainWords({ type, owner, context, flags }: WaitInfo): string | null {
  const at = hex(context);
  switch (waitTypes[type]) {
    case "kThreadWaitNone":
      return null;
    case "kThreadWaitKernelMutex":
      return `kernel mutex ${at}${byThread(owner)}`;
    case "kThreadWaitPortReceive": {
      const reply = (flags & specialReply) !== 0 ? "a reply on " : "";
      const name = owner > 0n && owner < owners.suspended ? ` named ${hex(owner)}` : "";
      return `a message: receives ${reply}${port(context, owner)}${name}`;
    }
    case "kThreadWaitPortSetReceive":
      return `a message: receives from the ${
        owner === owners.portSetLocked ? "locked " : ""
      }port set ${at}`;
    case "kThreadWaitPortSend": {
      const receiver = owner === owners.kernel
        ? ", which the kernel receives from"
        : owner === 0n || owner >= owners.suspended
        ? ""
        : `, which pid ${owner} receives from`;
      return `room for a message: sends to ${port(context, owner)}${receiver}`;
    }
    case "kThreadWaitPortSendInTransit":
      return `room for a message: sends to port ${at}, itself on its way to ${
        owner === 0n ? "an unknown port" : `port ${hex(owner)}`
      }`;
    case "kThreadWaitSemaphore":
      return `${context === 0n ? "a semaphore" : `semaphore ${at}`}${
        owner === 0n ? "" : ` owned by pid ${owner}`
      }`;
    case "kThreadWaitKernelRWLockRead":
      return `kernel read-write lock ${at}, to read${owned(owner)}`;
    case "kThreadWaitKernelRWLockWrite":
      return `kernel read-write lock ${at}, to write${owned(owner)}`;
    case "kThreadWaitKernelRWLockUpgrade":
      return `kernel read-write lock ${at}, to write after reading${owned(owner)}`;
    case "kThreadWaitUserLock":
      return owner === 0n
        ? `user-space lock ${at}`
        : `unfair lock ${at} owned by thread ${hex(owner)}`;
    case "kThreadWaitPThreadMutex":
      return `pthread mutex ${at}${byThread(owner)}`;
    case "kThreadWaitPThreadRWLockRead":
      return `pthread read-write lock ${at}, to read`;
    case "kThreadWaitPThreadRWLockWrite":
      return `pthread read-write lock ${at}, to write`;
    case "kThreadWaitPThreadCondVar":
      return `pthread condition ${at}`;
    case "kThreadWaitParkedWorkQueue":
      return "work: parked in the work queue";
    case "kThreadWaitParkedBoundWorkQueue":
      return "work: parked, bound to its work queue";
    case "kThreadWaitWorkloopSyncWait": {
      const who = owner === owners.suspended
        ? "which is suspended"
        : owner === owners.threadRequested
        ? "which a thread is requested for"
        : owner === 0n
        ? "whose owner is not known"
        : `owned by thread ${hex(owner)}`;
      return `its turn on work loop ${at}, ${who}`;
    }
    case "kThreadWaitOnProcess":
      return owner === allOnes
        ? "any child process"
        : owner >= 1n << 32n
        ? `a process of group ${(1n << 64n) - owner}`
        : `process ${owner}`;
    case "kThreadWaitSleepWithInheritor":
      return `a turnstile${owner === 0n ? "" : `, pushing thread ${hex(owner)}`}`;
    case "kThreadWaitEventlink":
      return `an event link${owner === 0n ? "" : `, which thread ${hex(owner)} signals`}`;
    case "kThreadWaitCompressor":
      return `compressor segment ${at}, busy for thread ${hex(owner)}`;
    case "kThreadWaitPageBusy":
      return `busy page ${at}`;
    case "kThreadWaitPagerInit":
      return `the pager of VM object ${at} to be made`;
    case "kThreadWaitPagerReady":
      return `the pager of VM object ${at} to be ready`;
    case "kThreadWaitPagingActivity":
    case "kThreadWaitPagingInProgress":
      return `paging of VM object ${at}`;
    case "kThreadWaitMappingInProgress":
      return `mapping of VM object ${at}`;
    case "kThreadWaitMemoryBlocked":
      return `blocked VM object ${at}`;
    case "kThreadWaitPageInThrottle":
      return `throttled VM object ${at}`;
    case "kThreadWaitExclaveCore":
      return `exclave core object ${at}${owned(owner)}`;
    case "kThreadWaitExclaveKit":
      return `exclave kit object ${at}${owned(owner)}`;
    default:
      return `something of type ${type}: ${at}, owner ${hex(owner)}`;
  }
}

function owned(owner: bigint): string {
  return owner === 0n ? "" : byThread(owner);
}

/** `STACKSHOT_TURNSTILE_STATUS_*`. */
const turnstile = {
  lockedWaitQueue: 0x2n,
  workQueue: 0x4n,
  thread: 0x8n,
  blockedOnTask: 0x10n,
} as const;

/** A turnstile in words; `null` when its target is unknown. */
export function turnstileWords({ context, hops, priority, flags }: TurnstileInfo): string | null {
  const after = hops > 1 ? ` after ${hops} hops` : "";
  if ((flags & turnstile.thread) !== 0n) {
    return `lends priority ${priority} to thread ${hex(context)}${after}`;
  }
  if ((flags & turnstile.workQueue) !== 0n) {
    return `lends priority ${priority} to work queue ${hex(context)}${after}`;
  }
  if ((flags & turnstile.blockedOnTask) !== 0n) return `blocked on a task${after}`;
  return (flags & turnstile.lockedWaitQueue) !== 0n ? "behind a locked wait queue" : null;
}

/** `SS_TH_*`. */
const threadState = {
  suspended: 2,
  run: 4,
  uninterruptible: 8,
  terminate: 0x10,
  idle: 0x80,
} as const;

/** The `TH_STATE_*` that `thread_info` derives from a thread's state bits. */
export function runState(state: number): RunState {
  if ((state & threadState.terminate) !== 0) return "halted";
  if ((state & threadState.run) !== 0) return "running";
  if ((state & threadState.uninterruptible) !== 0) return "uninterruptible";
  if ((state & threadState.suspended) !== 0) return "stopped";
  return "waiting";
}

/** `task_snapshot_flags` worth words, by bit. */
const taskFlags: readonly (readonly [bit: bigint, words: string])[] = [
  [0x4n, "near a resource limit"],
  [0x8n, "terminated"],
  [0x10n, "suspended"],
  [0x20n, "frozen"],
  [0x40n, "in the background"],
  [0x80n, "put in the background"],
  [0x400n, "in the foreground"],
  [0x800n, "boosted"],
  [0x1000n, "suppressed"],
  [0x20000n, "at the limit of constrained threads"],
  [0x40000n, "at the limit of all threads"],
  [0x200000n, "some images' UUIDs were paged out"],
  [0x10000000n, "translated"],
];

/** `thread_snapshot_flags` worth words, by bit. */
const threadFlags: readonly (readonly [bit: bigint, words: string])[] = [
  [0x10n, "in the background"],
  [0x40n, "suspended"],
  [0x100n, "forced idle"],
  [0x800n, "on a core"],
  [0x1000n, "an idle worker"],
  [0x2000n, "main"],
];

function words(flags: bigint, table: readonly (readonly [bigint, string])[]): string[] {
  return table.filter(([bit]) => (flags & bit) !== 0n).map(([, text]) => text);
}

/** A task's flags, in words. */
export function taskFlagWords(flags: bigint): string[] {
  return words(flags, taskFlags);
}

/** A thread's flags and its state bits other than {@linkcode runState}, in words. */
export function threadFlagWords(flags: bigint, state: number): string[] {
  const idle = (state & threadState.idle) !== 0 ? ["idle"] : [];
  return [...idle, ...words(flags, threadFlags)];
}

/** `kThreadTruncatedBT` and similar: which of a thread's stacks was truncated. */
export const truncated = { any: 0x80n, kernel: 0x4000n, user: 0x8000n } as const;
