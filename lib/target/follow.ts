/** What variables lead to: a walk over the variables of all frames by their types and formatters. */
import { canonical, isPointer, isRecord, type Value } from "../values/reading.ts";
import type { FollowOptions, Frame, Walkable } from "./frame.ts";

/** Maximum number of values that are looked at. */
const MAX_VALUES = 1 << 18;
/** Elements of an array or container that are looked at. */
const MAX_ELEMENTS = 256;
/** Nesting of members. */
const MAX_NESTING = 16;
/** Values that are looked at before the clock is read again. */
const CLOCK_STEP = 64;

/** Goes through the variables of all frames and what they lead to, the innermost frames first.
 *
 * @param isFull asked at each value whether there is no more room
 * @returns whether all was looked at: no limit ended it
 * @throws RangeError when the levels are no number of them
 */
export function walkLocals(
  threads: readonly Walkable[],
  { levels, milliseconds = Infinity }: FollowOptions,
  isFull: () => boolean,
): boolean {
  if (!(levels >= 0)) throw new RangeError(`${levels} levels of pointers: at least 0`);
  const deadline = performance.now() + milliseconds;
  const seen = new Set<string>();
  let values = 0;
  let isEnded = false;
  const ended = (): boolean => {
    isEnded ||= values > MAX_VALUES || isFull() ||
      values % CLOCK_STEP === 0 && performance.now() > deadline;
    return isEnded;
  };
  const visit = (value: Value, level: number, nesting: number): void => {
    values++;
    if (nesting > MAX_NESTING || ended()) return;
    const { address } = value;
    const type = canonical(value.type);
    if (address !== null && isRecord(type)) {
      // Lists lead back to where they began.
      const key = `${address} ${type.name} ${level}`;
      if (seen.has(key)) return;
      seen.add(key);
    }
    if (value.unavailable !== null) return;
    void value.bytes();
    void value.summary;
    if (isPointer(type)) {
      if (level <= 0) return;
      const target = (value.dynamic ?? value).deref();
      if (target !== null) visit(target, level - 1, 0);
      return;
    }
    for (const shown of new Set([value, value.raw])) {
      for (const child of shown.children(0, MAX_ELEMENTS)) visit(child, level, nesting + 1);
    }
  };
  const stacks: (readonly Frame[])[] = [];
  for (const thread of threads) {
    if (performance.now() > deadline) {
      isEnded = true;
      break;
    }
    stacks.push([...thread.backtrace({ limit: 1000 })]);
  }
  const deepest = stacks.reduce((most, { length }) => Math.max(most, length), 0);
  for (let index = 0; index < deepest && !isEnded; index++) {
    for (const frames of stacks) {
      for (const variable of frames[index]?.variables ?? []) visit(variable, levels, 0);
      if (isEnded) break;
    }
  }
  return !isEnded;
}
