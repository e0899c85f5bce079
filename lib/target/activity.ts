/** What threads do over some time, from looks at their stacks: which are busy, which are stuck, what changed. */
import type { RawText } from "../escape.ts";
import type { Frame } from "./frame.ts";
import type { Thread } from "./thread.ts";

/** A thread at one moment. */
export interface ThreadLook {
  readonly id: bigint;
  /** `main`, its name, or `thread N`. */
  readonly name: RawText;
  readonly isMain: boolean;
  /** The program's own functions on its stack, innermost first, inlined calls included; the system's where
   * there are no others. */
  readonly functions: readonly RawText[];
  /** The callers' addresses: equal where the thread has not returned from its innermost function. */
  readonly callers: string;
  /** Processor time so far, in nanoseconds; where that is not told, how often it was found to have run. */
  readonly ran: bigint;
  readonly isRunning: boolean;
  /** Whether it alone is suspended. */
  readonly isSuspended?: boolean;
  /** Its registers, where nothing else tells that it ran. */
  readonly registers?: string;
}

/** All threads at one moment, by id. */
export type Look = ReadonlyMap<bigint, ThreadLook>;

/** What threads are called, by id: `main`, the thread's name, and its number where others have the same name, as
 * on Linux all threads have that were not named. */
export function threadNames(
  threads: readonly Pick<Thread, "id" | "index" | "name">[],
): ReadonlyMap<bigint, RawText> {
  const counts = new Map<string, number>();
  for (const { name, index } of threads) {
    if (index !== 0) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return new Map(threads.map(({ id, index, name }) => {
    if (index === 0) return [id, "main"];
    if (name === "") return [id, `thread ${index}`];
    return [id, counts.get(name) === 1 ? name : `${name} (thread ${index})`];
  }));
}

/** How it is told which threads run. */
export interface Running {
  /** Where the system tells neither times nor states, as over the wire: one may run whose registers are others than they
   * were in this look. */
  readonly before?: Look;
  /** Whether a thread is in a function that waits: then it runs no more, or not yet. On Linux the stop of a look wakes
   * it, and then it is found running for as long as it has no CPU. */
  waits(thread: Thread): boolean;
}

/** The program's own functions among some frames, inlined calls included; the system's where there are no others. */
export function ownFunctions(frames: readonly Frame[]): readonly RawText[] {
  const own = frames.flatMap((frame) => frame.isSystem ? [] : frame.function ?? []);
  return own.length > 0 ? own : frames.flatMap((frame) => frame.function ?? []);
}

/** Looks at threads. */
export function lookAt(threads: readonly Thread[], running?: Running): Look {
  const names = threadNames(threads);
  return new Map(threads.map((thread) => {
    const frames = [...thread.backtrace()];
    return [thread.id, {
      id: thread.id,
      name: names.get(thread.id)!,
      isMain: thread.index === 0,
      functions: ownFunctions(frames),
      callers: frames.slice(1).map(({ address }) => address).join(),
      ...thread.suspendCount > 0 ? { isSuspended: true } : {},
      ...running?.before === undefined
        ? {
          ran: thread.userTime + thread.systemTime,
          isRunning: thread.state === "running" && running?.waits(thread) !== true,
        }
        : motion(thread, running.before, running),
    }];
  }));
}

function motion(
  thread: Thread,
  before: Look,
  { waits }: Running,
): Pick<ThreadLook, "ran" | "isRunning" | "registers"> {
  const then = before.get(thread.id);
  const registers = `${thread.registers}`;
  const hasMoved = then !== undefined && then.registers !== registers;
  return {
    ran: (then?.ran ?? 0n) + (hasMoved ? 1n : 0n),
    isRunning: hasMoved && !waits(thread),
    registers,
  };
}

/** A thread that made no progress between two looks: it waits in one place, loops in one function, or is suspended
 * alone. */
export interface Stuck {
  readonly thread: ThreadLook;
  readonly how: "waits" | "loops" | "suspended";
}

/** Processor time that says nothing, in nanoseconds: a look stops a thread that waits and wakes it, and Linux counts in
 * ticks of a hundredth of a second. */
const leastWork = 20_000_000n;
/** The part of the time that a thread which waits may have used, for its timeouts. */
const idlePart = 50n;

/** Whether a thread did something between two looks that found it at one place. Registers do not tell it: they say that
 * it ran, and not how long.
 *
 * @param between nanoseconds from one to the other
 */
function hasWorked(then: ThreadLook, now: ThreadLook, between: bigint): boolean {
  const least = between / idlePart;
  return now.registers === undefined &&
    now.ran - then.ran > (least > leastWork ? least : leastWork);
}

/** Whether a thread that was found at one place by two looks runs all the time.
 *
 * A thread that waits may be found running: the stop of the look before has woken it. */
function isBusy(then: ThreadLook, now: ThreadLook, between: bigint): boolean {
  const used = now.ran - then.ran;
  if (used === 0n) return false;
  if (now.registers !== undefined) return now.isRunning || then.isRunning;
  return now.isRunning && then.isRunning || 2n * used > between;
}

/** The threads that made no progress. A main thread that waits is left out, as it does in its run loop; so is a thread
 * that comes back to where it waits after some work.
 *
 * @param waiting ids of threads that wait for another: the main thread is not left out then
 * @param milliseconds from one look to the other
 */
export function stuckThreads(
  before: Look,
  after: Look,
  waiting: ReadonlySet<bigint> = new Set(),
  milliseconds = 1000,
): Stuck[] {
  const between = BigInt(Math.round(milliseconds * 1e6));
  return [...after.values()].flatMap((thread): Stuck[] => {
    const then = before.get(thread.id);
    if (then === undefined || then.callers !== thread.callers) return [];
    if (thread.isSuspended) return [{ thread, how: "suspended" }];
    if (isBusy(then, thread, between)) return [{ thread, how: "loops" }];
    const isIdle = thread.isMain && !waiting.has(thread.id);
    return isIdle || hasWorked(then, thread, between) ? [] : [{ thread, how: "waits" }];
  });
}

/** What became of a thread between two looks. `moved`: other functions; `runs`: the same functions, but it
 * used processor time. */
export interface Change {
  readonly kind: "new" | "gone" | "moved" | "runs" | "same";
  readonly before: ThreadLook | undefined;
  readonly after: ThreadLook | undefined;
}

/** What became of each thread, by name.
 *
 * @param milliseconds from one look to the other
 */
export function compareLooks(before: Look, after: Look, milliseconds = 500): Change[] {
  const between = BigInt(Math.round(milliseconds * 1e6));
  const ids = new Set([...before.keys(), ...after.keys()]);
  const nameOf = ({ before, after }: Change) => (after ?? before)!.name;
  return [...ids].map((id): Change => {
    const both = { before: before.get(id), after: after.get(id) };
    const { before: then, after: now } = both;
    if (then === undefined) return { kind: "new", ...both };
    if (now === undefined) return { kind: "gone", ...both };
    if (then.functions.join("\n") !== now.functions.join("\n")) return { kind: "moved", ...both };
    const hasRun = now.isRunning && now.ran > then.ran || hasWorked(then, now, between);
    return { kind: hasRun ? "runs" : "same", ...both };
  }).sort((a, b) => nameOf(a) < nameOf(b) ? -1 : 1);
}

/** A stack that was on a CPU. */
export interface BusyStack {
  readonly name: RawText;
  readonly functions: readonly RawText[];
  /** Of all looks, from 0 to 1. */
  readonly share: number;
}

/** The stacks that were on a CPU in some looks, the busiest first. */
export function busyStacks(looks: readonly Look[]): BusyStack[] {
  const found = new Map<string, { thread: ThreadLook; count: number }>();
  for (const look of looks) {
    for (const thread of look.values()) {
      if (!thread.isRunning) continue;
      const key = `${thread.id}\n${thread.functions.join("\n")}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, { thread, count: 1 });
      else known.count++;
    }
  }
  return [...found.values()].map(({ thread: { name, functions }, count }) => ({
    name,
    functions,
    share: count / looks.length,
  })).sort(byShare);
}

/** Puts the busiest stack first. */
export function byShare(a: BusyStack, b: BusyStack): number {
  return b.share - a.share || (a.name < b.name ? -1 : 1);
}

/** Threads whose stacks have the same functions. */
export interface Crowd {
  readonly names: readonly RawText[];
  readonly functions: readonly RawText[];
}

/** Threads by the functions on their stacks, the largest group first. */
export function crowds(look: Look): Crowd[] {
  const found = new Map<string, { names: RawText[]; functions: readonly RawText[] }>();
  for (const { name, functions } of look.values()) {
    const key = functions.join("\n");
    const known = found.get(key);
    if (known === undefined) found.set(key, { names: [name], functions });
    else known.names.push(name);
  }
  return [...found.values()].sort((a, b) =>
    b.names.length - a.names.length || (a.names[0] < b.names[0] ? -1 : 1)
  );
}
