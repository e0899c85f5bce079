/** What the looks at one thread found, in bounded memory. */
import type { Frame, Thread } from "../target/mod.ts";
import type { HangFrame, HangLook } from "./hang.ts";

/** Maximum number of entries. When it is reached, each two neighbours become one. */
const MAX_ENTRIES = 512;
/** Maximum number of different stacks that are kept. */
const MAX_STACKS = 64;
/** Maximum number of looks that are kept as they were read, before it is known whether they matter. */
const MAX_RAW = 32;

/** One look. */
export interface RawLook {
  /** Milliseconds, by the clock of the watch. */
  readonly at: number;
  readonly running: boolean;
  /** Processor time so far, in nanoseconds. */
  readonly ran: number;
  /** The thread with its stack; `null` when it has not moved since the look before. */
  readonly thread: Thread | null;
}

interface Entry {
  at: number;
  until: number;
  looks: number;
  running: boolean;
  ran: number;
  stack: number | null;
}

/** The looks from a hang's beginning on. Stacks are unwound when it is known that they matter. */
export class Timeline {
  readonly #raw: RawLook[] = [];
  readonly #entries: Entry[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #stacks: (readonly Frame[])[] = [];
  readonly #first: RawLook;

  constructor(first: RawLook) {
    this.#first = first;
    this.add(first);
  }

  add(look: RawLook): void {
    this.#raw.push(look);
    if (this.#raw.length > MAX_RAW) this.#flatten();
  }

  #flatten(): void {
    for (const { at, running, ran, thread } of this.#raw.splice(0)) {
      const last = this.#entries.at(-1);
      const stack = thread === null ? last?.stack ?? null : this.#number(thread);
      if (last !== undefined && last.stack === stack && last.running === running) {
        last.until = at;
        last.looks++;
        last.ran = ran;
      } else this.#entries.push({ at, until: at, looks: 1, running, ran, stack });
    }
    if (this.#entries.length > MAX_ENTRIES) this.#thin();
  }

  #number(thread: Thread): number | null {
    const frames = thread.backtrace();
    const key = frames.activations.map(({ address }) => address).join();
    let number = this.#numbers.get(key);
    if (number === undefined) {
      if (this.#stacks.length >= MAX_STACKS) return null;
      number = this.#stacks.length;
      this.#stacks.push([...frames]);
      this.#numbers.set(key, number);
    }
    return number;
  }

  /** Of each two neighbours, the one that more looks found stands for both. */
  #thin(): void {
    const kept: Entry[] = [];
    for (let at = 0; at < this.#entries.length; at += 2) {
      const a = this.#entries[at];
      const b = this.#entries[at + 1];
      if (b === undefined) {
        kept.push(a);
        continue;
      }
      const { running, stack } = a.looks >= b.looks ? a : b;
      const looks = a.looks + b.looks;
      kept.push({ at: a.at, until: b.until, looks, running, ran: b.ran, stack });
    }
    this.#entries.splice(0, Infinity, ...kept);
  }

  /** As it is written.
   *
   * @param frame makes a frame plain
   */
  plain(
    frame: (frame: Frame) => HangFrame,
  ): { readonly looks: readonly HangLook[]; readonly stacks: readonly (readonly HangFrame[])[] } {
    this.#flatten();
    return {
      looks: this.#entries.map(({ at, looks, running, ran, stack }) => ({
        at: Math.round(at - this.#first.at),
        looks,
        running,
        cpu: Math.round((ran - this.#first.ran) / 1e6),
        stack,
      })),
      stacks: this.#stacks.map((frames) => frames.map(frame)),
    };
  }
}

/** The share of the looks that have a frame in common. With a half, what a loop calls in turn would decide. */
const COMMON_SHARE = 2 / 3;

/** The frames that most looks have in common, innermost first: from the outermost frame inwards as long as two thirds
 * of the looks agree. A busy thread is elsewhere at each look; what it is busy with is further out. */
export function commonStack(
  looks: readonly HangLook[],
  stacks: readonly (readonly HangFrame[])[],
): readonly HangFrame[] {
  const weights = stacks.map((_, index) =>
    looks.reduce((sum, { stack, looks }) => stack === index ? sum + looks : sum, 0)
  );
  let left = stacks.map((_, index) => index);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let common: readonly HangFrame[] = [];
  for (let depth = 1; left.length > 0; depth++) {
    const groups = new Map<string, number[]>();
    for (const index of left) {
      const frame = stacks[index].at(-depth);
      if (frame === undefined) continue;
      // Within a function looks find different lines.
      const key = frame.symbol === null ? frame.address : `${frame.image} ${frame.symbol}`;
      groups.set(key, [...groups.get(key) ?? [], index]);
    }
    const weigh = (group: readonly number[]) =>
      group.reduce((sum, index) => sum + weights[index], 0);
    const [best] = [...groups.values()].sort((a, b) => weigh(b) - weigh(a));
    if (best === undefined || weigh(best) < COMMON_SHARE * total) break;
    left = best;
    common = stacks[best[0]].slice(-depth);
  }
  return common;
}
