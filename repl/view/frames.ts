/** The frames that are shown of a thread. */
import type { Frame, StopReason, Thread } from "../../mod.ts";

/** The frames of a thread as they are shown, inlined calls among them. */
export interface ShownFrames {
  readonly frames: readonly Frame[];
  readonly stopped: StopReason;
}

/** Maximum number of frames of all threads together, where none was asked for: a core may have any number of
 * threads that share one deep stack. Stacks of 8 MiB have at most 524,288 frames. */
const MAX_FRAMES = 1 << 19;
/** Frames of each thread that are shown in any case. */
const FEW_FRAMES = 1000;

/** Maximum length of the names of all frames together, in characters. A small file may give one name of 60 KB
 * to any number of frames. */
const MAX_NAMES = 1 << 26;

/** How many frames may still be shown, and how much of names. */
export class FrameBudget {
  #left: number;
  #names = MAX_NAMES;

  /** @param most frames of all threads together */
  constructor(most: number = MAX_FRAMES) {
    this.#left = most;
  }

  /** Maximum number for the next thread. */
  get next(): number {
    return Math.max(FEW_FRAMES, this.#left);
  }

  /** Counts a thread's frames. */
  spend(frames: number): void {
    this.#left -= frames;
  }

  /** Counts the names of a thread's frames.
   *
   * @returns the number of frames that may be shown
   */
  spendNames(frames: readonly Frame[]): number {
    for (const [index, { symbol, function: name }] of frames.entries()) {
      this.#names -= (symbol?.name.length ?? 0) + (name?.length ?? 0);
      if (this.#names < 0) return index;
    }
    return frames.length;
  }
}

/** The frames of a thread.
 *
 * @param limit maximum number
 * @param scan whether the stack is scanned where nothing else finds a caller
 * @param budget of the threads that are shown together
 */
export function shownFrames(
  thread: Thread,
  limit?: number,
  scan = false,
  budget?: FrameBudget,
): ShownFrames {
  return walkFrames(thread, limit, scan, budget)();
}

/** The frames of several threads that are shown together. */
export function allShownFrames(threads: readonly Thread[], limit?: number): ShownFrames[] {
  const budget = new FrameBudget();
  return threads.map((thread) => shownFrames(thread, limit, false, budget));
}

/** Unwinds a thread's stack and reads its symbols. The function that it returns reads the debug
 * information; meanwhile the target may run. */
export function walkFrames(
  thread: Thread,
  limit?: number,
  scan = false,
  budget: FrameBudget = new FrameBudget(),
): () => ShownFrames {
  const walked = thread.backtrace({ limit: limit ?? budget.next, scan });
  budget.spend(walked.activations.length);
  for (const frame of walked.activations) void frame.symbol;
  return () => {
    const frames = limit === undefined ? [...walked] : walked.slice(0, limit);
    const shown = budget.spendNames(frames);
    return shown === walked.length
      ? { frames, stopped: walked.stopped }
      : { frames: frames.slice(0, shown), stopped: "limit" };
  };
}
