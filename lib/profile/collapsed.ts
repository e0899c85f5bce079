/** Collapsed stacks, as Brendan Gregg's FlameGraph reads them: a line is `main;work;burn 60`.
 *
 * Threads are the outermost frame, as async-profiler writes them: `[name tid=259]`, here with
 * `queue=LABEL` where there is one. Lines are `work (file.c:12)`, as py-spy writes them, and inlined
 * calls have the suffix `_[i]`, as in `stackcollapse-perf.pl --inline`. Times, states, addresses and
 * images are not in the format. Weights of time are nanoseconds, in whole numbers; counts are as they are, which
 * may be fractions: flamegraph.pl takes both. */

import { FormatError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { ProfileBuilder } from "./builder.ts";
import { lineOf } from "./json.ts";
import { functionName, type Profile, type ProfileThread } from "./model.ts";
import { checkExpanded, MAX_DEPTH, nanosecondsIn, processPrefix, wholeNumber } from "./titles.ts";

/** A name as a frame: without what ends one. */
function plain(text: RawText): RawText {
  return text.replaceAll(";", ":").replace(/[\r\n]+/g, " ");
}

/** The outermost frame of a thread's lines; `null` for a thread that has neither name nor identifier. */
function threadFrame({ name, id, queue, isMain }: ProfileThread): RawText | null {
  if (name === null && id === null && queue === null && !isMain) return null;
  const own = name ?? (isMain ? "main thread" : "thread");
  return plain(`[${own}${queue === null ? "" : ` queue=${queue}`} tid=${id ?? 0}]`);
}

/** Tells for a stack the first one with the same text: addresses are not in it.
 *
 * @param texts of the frames
 */
function firstAlike({ stacks }: Profile, texts: readonly RawText[]): (stack: number) => number {
  const ids = new Map<RawText, number>();
  const idOf = texts.map((text) => {
    const id = ids.get(text) ?? ids.size;
    ids.set(text, id);
    return id;
  });
  // No two stacks are made of the same frames; or there are more than a Map holds.
  if (ids.size === texts.length || stacks.length > 1 << 24) return (stack) => stack;
  const first = new Int32Array(stacks.length);
  const known = new Map<number, number>();
  for (let stack = 0; stack < stacks.length; stack++) {
    const prefix = stacks.prefix[stack];
    const outer = prefix < 0 ? 0 : first[prefix] + 1;
    const key = outer * ids.size + idOf[stacks.frame[stack]];
    first[stack] = known.get(key) ?? stack;
    if (first[stack] === stack) known.set(key, stack);
  }
  return (stack) => stack < 0 ? -1 : first[stack];
}

/** A count, with the digits that are read again. */
function countText(weight: number): string {
  return Number.isInteger(weight)
    ? `${wholeNumber(weight)}`
    : weight.toFixed(9).replace(/\.?0+$/, "").replace(/^-0$/, "0");
}

/** Writes a profile, line by line.
 *
 * @throws RangeError when it would be too large
 */
export function* writeCollapsed(profile: Profile): Generator<string> {
  checkExpanded(profile, "collapsed");
  const { functions, frames, stacks, strings } = profile;
  const textOf = (frame: number): RawText => {
    const of = frames.function[frame];
    const file = functions.file[of];
    const line = frames.line[frame];
    return plain(
      functionName(profile, of) + (file >= 0 && line > 0 ? ` (${strings[file]}:${line})` : "") +
        (frames.inlineDepth[frame] > 0 ? "_[i]" : ""),
    );
  };
  const texts = Array.from({ length: frames.length }, (_, frame) => textOf(frame));
  const alike = firstAlike(profile, texts);
  const scale = nanosecondsIn(profile.unit);
  for (const thread of profile.threads) {
    const process = processPrefix(profile, thread);
    const root = [process === null ? null : plain(process), threadFrame(thread)]
      .filter((text) => text !== null).map((text) => `${text};`).join("");
    const { samples } = thread;
    const weights = new Map<number, number>();
    for (let row = 0; row < samples.length; row++) {
      const stack = alike(samples.stack[row]);
      weights.set(stack, (weights.get(stack) ?? 0) + samples.weight[row]);
    }
    for (const [stack, weight] of weights) {
      const value = scale === null ? countText(weight) : `${wholeNumber(weight * scale)}`;
      if (value === "0") continue;
      const list: RawText[] = [];
      for (let at = stack; at >= 0; at = stacks.prefix[at]) {
        list.push(texts[stacks.frame[at]]);
      }
      // A stack may be empty, a line may not.
      if (list.length === 0) list.push("[unknown]");
      yield `${root}${list.reverse().join(";")} ${value}\n`;
    }
  }
}

const lineEnd = /\r?\n/;
const stackLine = /^(.*\S)[ \t]+(-?\d{1,19}(?:\.\d{1,9})?)$/;
const threadPattern = /^\[(.*?)(?: queue=(.*))? tid=(\d{1,20})\]$/;
const placePattern = /^(.*\S) \(([^()]+):(\d{1,9})\)$/;

/** Characters in which the format is recognized. */
const PROBED = 1 << 14;
/** Names of threads are shorter. */
const MAX_THREAD_NAME = 1024;

/** Whether a text looks like collapsed stacks: most of its first lines do, and one has a caller. */
export function isCollapsed(text: string): boolean {
  // Whole lines only: as many as fit in what is looked at, or the first.
  const cut = text.length <= PROBED ? -1 : text.lastIndexOf("\n", PROBED);
  const end = text.length <= PROBED || cut > 0 ? cut : text.indexOf("\n", PROBED);
  const lines = text.slice(0, end < 0 ? undefined : end).split(lineEnd)
    .filter((line) => line.trim() !== "");
  const fitting = lines.filter((line) => stackLine.test(line));
  return fitting.length > 0 && fitting.length * 2 > lines.length &&
    (fitting.some((line) => line.includes(";")) || fitting.length === lines.length);
}

/** Reads a text.
 *
 * @throws FormatError when no line of it is a stack
 */
export function readCollapsed(name: string, text: string): Profile {
  const builder = new ProfileBuilder({ aggregated: true });
  const process = builder.process();
  const frames = new Map<string, number>();
  const frameOf = (text: string): number => {
    let frame = frames.get(text);
    if (frame !== undefined) return frame;
    const isInlined = text.endsWith("_[i]");
    const own = isInlined ? text.slice(0, -4) : text;
    const place = placePattern.exec(own);
    frame = builder.frame(builder.function(place?.[1] ?? own, { file: place?.[2] }), {
      line: lineOf(place?.[3]),
      inlineDepth: isInlined ? 1 : 0,
    });
    frames.set(text, frame);
    return frame;
  };
  const threads = new Map<string, { readonly thread: number; time: number }>();
  const threadOf = (root: RegExpExecArray | null): { readonly thread: number; time: number } => {
    const key = root?.[0] ?? "";
    let known = threads.get(key);
    if (known === undefined) {
      const id = root === null ? 0n : BigInt.asUintN(64, BigInt(root[3]));
      const isMain = root === null || root[1] === "main thread";
      known = {
        time: 0,
        thread: builder.thread({
          process,
          id: id === 0n ? null : id,
          name: root === null || isMain || root[1] === "thread" ? null : root[1],
          queue: root?.[2] ?? null,
          isMain,
        }),
      };
      threads.set(key, known);
    }
    return known;
  };
  for (const line of text.split(lineEnd)) {
    const match = stackLine.exec(line);
    if (match === null) continue;
    const names = match[1].split(";");
    const root = names[0].length > MAX_THREAD_NAME ? null : threadPattern.exec(names[0]);
    if (root !== null) names.shift();
    const known = threadOf(root);
    let stack = -1;
    for (let at = 0; at < names.length && at < MAX_DEPTH; at++) {
      if (names[at] !== "") stack = builder.stack(stack, frameOf(names[at]));
    }
    const weight = Number(match[2]);
    builder.sample(known.thread, stack, known.time, { weight });
    known.time += weight;
  }
  if (builder.sampleCount === 0) {
    throw new FormatError(name, 0, "a collapsed stack, such as main;work 60");
  }
  return builder.finish();
}
