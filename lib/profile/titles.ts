/** What threads are called in formats that have one text for them, and what else they have in common. */

import type { RawText } from "../escape.ts";
import type { Profile, ProfileThread, WeightUnit } from "./model.ts";

/** A deeper stack loses its innermost frames: recursion that has run away says no more with them. */
export const MAX_DEPTH = 4096;

/** More frames are not written in formats that repeat each sample's stack. */
const MAX_EXPANDED = 1 << 26;

/** A thread's name and queue, such as `main thread (com.apple.main-thread)`. */
export function threadTitle(
  { name, id, queue, isMain }: Pick<ProfileThread, "name" | "id" | "queue" | "isMain">,
): RawText {
  const own = name ?? (isMain ? "main thread" : id === null ? "thread" : `thread ${id}`);
  return queue === null ? own : `${own} (${queue})`;
}

/** A process's name; `null` when there is one process only, and its name would say nothing. */
export function processPrefix(profile: Profile, { process }: ProfileThread): RawText | null {
  if (profile.processes.length < 2) return null;
  const { name, pid } = profile.processes[process];
  return name === null ? `process ${pid ?? "?"}` : pid === null ? name : `${name} [${pid}]`;
}

/** The number of frames in the stacks of all samples, added up. */
export function expandedFrames(profile: Profile): number {
  const depth = stackDepths(profile);
  let frames = 0;
  for (const { samples } of profile.threads) {
    for (let row = 0; row < samples.length; row++) {
      if (samples.stack[row] >= 0) frames += depth[samples.stack[row]];
    }
  }
  return frames;
}

/** Refuses a profile that would be too large in a format that repeats each sample's stack.
 *
 * @throws RangeError when it is
 */
export function checkExpanded(profile: Profile, format: string): void {
  const frames = expandedFrames(profile);
  if (frames > MAX_EXPANDED) {
    throw new RangeError(
      `${format} repeats the stack of every sample, here ${frames} frames; ` +
        "the firefox format has each stack once",
    );
  }
}

/** The number of frames in each stack. */
export function stackDepths({ stacks }: Profile): Int32Array {
  const depth = new Int32Array(stacks.length);
  for (let stack = 0; stack < stacks.length; stack++) {
    depth[stack] = stacks.prefix[stack] < 0 ? 1 : depth[stacks.prefix[stack]] + 1;
  }
  return depth;
}

/** Nanoseconds in a unit of time; `null` for what is not time. */
export function nanosecondsIn(unit: WeightUnit): number | null {
  return unit === "nanoseconds"
    ? 1
    : unit === "microseconds"
    ? 1e3
    : unit === "milliseconds"
    ? 1e6
    : null;
}

/** A unit by its name in other formats, and what values are multiplied by for it. Counts of anything are
 * samples. */
export function unitOf(name: string): { readonly unit: WeightUnit; readonly scale: number } {
  switch (name) {
    case "nanoseconds":
    case "microseconds":
    case "milliseconds":
    case "bytes":
      return { unit: name, scale: 1 };
    case "seconds":
      return { unit: "milliseconds", scale: 1000 };
    default:
      return { unit: "samples", scale: 1 };
  }
}

/** Whether a name only says an address, as where symbols are missing. */
export function isAddress(name: string): boolean {
  return /^0x[0-9a-fA-F]{1,16}$/.test(name);
}

/** The nearest whole number that 64 bits hold. */
export function wholeNumber(value: number): bigint {
  const whole = Math.round(value);
  if (Math.abs(whole) < 2 ** 63) return BigInt(whole);
  return whole > 0 ? (1n << 63n) - 1n : -(1n << 63n);
}
