/** Groups threads by their stacks, and finds the frame that says what a thread is doing. */
import type { RawText } from "../escape.ts";
import type { Frame } from "./frame.ts";
import type { Thread } from "./thread.ts";

/** From this share of a CPU on, a running thread spins: others may want the CPU too. */
const SPINNING = 0.25;

/** The share of a CPU that a thread uses, from 0 to 1. */
export type Usage = (thread: Thread) => number;

/** Threads whose stacks are equal, frame by frame. */
export interface StackGroup {
  /** By index. */
  readonly threads: readonly Thread[];
  /** Innermost first, inlined calls included. */
  readonly frames: readonly Frame[];
}

/** How {@linkcode groupStacks} looks at threads. */
export interface GroupOptions {
  /** The frames of a thread. Default: its backtrace. */
  readonly frames?: (thread: Thread) => readonly Frame[];
  /** Default: `thread.cpuUsage`. */
  readonly usage?: Usage;
}

/** Groups threads by their stacks. The group of the main thread comes first, then the busiest, then the
 * largest.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 * import { groupStacks } from "./stacks.ts";
 *
 * using target = attach(123);
 * using pause = target.pause();
 * for (const { threads, frames } of groupStacks(target.threads)) {
 *   console.log(`${threads.length}×`, `${frames[0]}`);
 * }
 * ```
 */
export function groupStacks(
  threads: readonly Thread[],
  { frames: framesOf = (thread) => [...thread.backtrace()], usage = cpuUsage }: GroupOptions = {},
): StackGroup[] {
  const groups = new Map<string, { threads: Thread[]; frames: readonly Frame[] }>();
  for (const thread of threads) {
    const frames = framesOf(thread);
    const key = frames.map(({ address, inlined }) => `${address.toString(16)}${inlined ? "i" : ""}`)
      .join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { threads: [thread], frames });
    else group.threads.push(thread);
  }
  const [main] = threads;
  const busiest = ({ threads }: StackGroup) =>
    threads.reduce((most, thread) => {
      return Math.max(most, isSpinning(thread, usage) ? usage(thread) : 0);
    }, 0);
  return [...groups.values()].sort((a, b) =>
    Number(b.threads.includes(main)) - Number(a.threads.includes(main)) ||
    busiest(b) - busiest(a) || b.threads.length - a.threads.length ||
    a.threads[0].index - b.threads[0].index
  );
}

function cpuUsage(thread: Thread): number {
  return thread.cpuUsage;
}

/** Whether a thread is on a CPU and uses much of it. */
export function isSpinning(thread: Thread, usage: Usage = cpuUsage): boolean {
  return thread.state === "running" && usage(thread) >= SPINNING;
}

/** Names of functions that languages' libraries compile into the program: of C++ and its threads (libc++'s,
 * libstdc++'s, GCC's gthr-posix.h), Rust's crates, Go's runtime. */
const library = new RegExp(
  [
    "^_ZN?K?St",
    "^_ZNK?9__gnu_cxx",
    "^(?:_ZL?\\d+)?__gthread_",
    "^std::",
    "^__gnu_cxx::",
    "^_ZN(?:3std|4core|5alloc)\\d",
    "^_R[A-Za-z]*?Cs\\w*?_(?:3std|4core|5alloc)\\d",
    "^(?:runtime|sync)\\.",
  ].join("|"),
);

/** Whether a function is one of a language's library that was compiled into the program.
 *
 * @param name as in the symbol table
 */
export function isOfLibrary(name: RawText): boolean {
  return library.test(name);
}

/** The innermost frame of the program's own code, which may be an inlined call: a waiting thread is in the system's code, and what it
 * waits for is further out. Without one, the innermost frame with a symbol. */
export function interestingFrame(frames: readonly Frame[]): Frame | undefined {
  // An inlined call has a function and no symbol.
  const own = frames.filter((frame) =>
    frame.image !== null && frame.function !== null && !frame.isSystem
  );
  return own.find((frame) => !isOfLibrary(frame.function!)) ?? own[0] ??
    frames.find(({ symbol }) => symbol !== null) ?? frames[0];
}
