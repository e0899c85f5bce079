/** What threads do over some time, from looks at their stacks: which are busy, which are stuck, what changed. */
import type { RawText } from "../escape.ts";
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

/** How it is told which threads run where the system tells neither their times nor their states, as over the wire. */
export interface Untimed {
  /** One may run whose registers are others than they were in this look. */
  readonly before: Look;
  /** Whether a thread is in a function that waits: then it has run in between, and runs no more. */
  waits(thread: Thread): boolean;
}

/** Looks at threads. */
export function lookAt(threads: readonly Thread[], untimed?: Untimed): Look {
  const names = threadNames(threads);
  return new Map(threads.map((thread) => {
    const frames = [...thread.backtrace()];
    const own = frames.filter(({ isSystem }) => !isSystem);
    const named = own.flatMap((frame) => frame.function ?? []);
    return [thread.id, {
      id: thread.id,
      name: names.get(thread.id)!,
      isMain: thread.index === 0,
      functions: named.length > 0 ? named : frames.flatMap((frame) => frame.function ?? []),
      callers: frames.slice(1).map(({ address }) => address).join(),
      ...untimed === undefined
        ? { ran: thread.userTime + thread.systemTime, isRunning: thread.state === "running" }
        : motion(thread, untimed),
    }];
  }));
}

function motion(
  thread: Thread,
  { before, waits }: Untimed,
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

/** A thread that made no progress between two looks: it waits in one place, or loops in one function. */
export interface Stuck {
  readonly thread: ThreadLook;
  readonly how: "waits" | "loops";
}

/** The threads that made no progress. A main thread that waits is left out, as it does in its run loop.
 *
 * @param waiting ids of threads that wait for another: the main thread is not left out then
 */
export function stuckThreads(
  before: Look,
  after: Look,
  waiting: ReadonlySet<bigint> = new Set(),
): Stuck[] {
  return [...after.values()].flatMap((thread): Stuck[] => {
    const then = before.get(thread.id);
    if (then === undefined || then.callers !== thread.callers) return [];
    // A thread that waits at both looks may be charged a tick for the moment in which it was interrupted.
    const isBusy = thread.ran > then.ran && (thread.isRunning || then.isRunning);
    const how = isBusy ? "loops" : "waits";
    const isIdle = thread.isMain && how === "waits" && !waiting.has(thread.id);
    return isIdle ? [] : [{ thread, how }];
  });
}

/** What became of a thread between two looks. `moved`: other functions; `runs`: the same functions, but it
 * used processor time. */
export interface Change {
  readonly kind: "new" | "gone" | "moved" | "runs" | "same";
  readonly before: ThreadLook | undefined;
  readonly after: ThreadLook | undefined;
}

/** What became of each thread, by name. */
export function compareLooks(before: Look, after: Look): Change[] {
  const ids = new Set([...before.keys(), ...after.keys()]);
  const nameOf = ({ before, after }: Change) => (after ?? before)!.name;
  return [...ids].map((id): Change => {
    const both = { before: before.get(id), after: after.get(id) };
    const { before: then, after: now } = both;
    if (then === undefined) return { kind: "new", ...both };
    if (now === undefined) return { kind: "gone", ...both };
    if (then.functions.join("\n") !== now.functions.join("\n")) return { kind: "moved", ...both };
    return { kind: now.isRunning && now.ran > then.ran ? "runs" : "same", ...both };
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
  })).sort((a, b) => b.share - a.share || (a.name < b.name ? -1 : 1));
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
