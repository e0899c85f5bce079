/** What Linux's `perf script` prints (perf-script(1)): for each sample a line with its thread, time and event, the
 * stack below it, innermost function first, and an empty line.
 *
 * ```
 * burn 30473/30474 [001] 84076.661725:   10101010 cpu-clock:pppH:
 *              115a hot+0x11 (/tmp/burn)
 *              1164 main+0x1b (/tmp/burn)
 * ```
 *
 * As in FlameGraph's `stackcollapse-perf.pl`, those of the first event count alone; each counts once. */

import { FormatError } from "../errors.ts";
import { ProfileBuilder } from "./builder.ts";
import { lineOf } from "./json.ts";
import { type Profile, SampleState } from "./model.ts";
import { MAX_DEPTH } from "./titles.ts";

/** `comm [pid/]tid [cpu] [time:] [period] event:`, and what a sample without a stack has behind it. Names of threads
 * end in numbers too, as `worker 3` and `done 70/100`: what looks like a time is no event, so the identifiers are those
 * before it. */
const samplePattern =
  /^(\S.{0,63}?)\s+(?:(\d{1,10})\/)?(\d{1,10})\s+(?:\[\d{1,5}\]\s+)?(?:(\d{1,12}\.\d{1,9}):\s+)?(?:\d{1,20}\s+)?(?!\d{1,12}\.\d{1,9}:)(\S{1,256}?):(?:\s(.*))?$/;
/** `address function+0xoffset (image)`. */
const framePattern = /^\s*([\da-f]{1,16}) (.+) \((.*)\)$/;
/** The parts of a frame's line. Without its last character, looking for all others would take the square of its length. */
const frameIn = (line: string): RegExpExecArray | null =>
  line.endsWith(")") ? framePattern.exec(line) : null;
/** `file:line`, below its frame with `-F +srcline`. */
const placePattern = /^\s+(\S.*):(\d{1,9})$/;
/** Events that come while a thread runs. */
const running = /^(?:cpu[-_]clock|task-clock|(?:cpu\w*\/)?(?:cpu-)?cycles|instructions)\b/;

const lineEnd = /\r?\n/;
/** Longer lines are none of these. */
const MAX_LINE = 1 << 16;
/** Lines in which the format is recognized, after the comments. */
const PROBED = 200;

/** Whether a text looks like it: a sample, with a frame behind it or below. */
export function isPerfScript(text: string): boolean {
  const lines = text.slice(0, 1 << 16).split(lineEnd, 2 * PROBED)
    .filter((line) => line !== "" && !line.startsWith("#")).slice(0, PROBED);
  return lines.some((line, at) => {
    const sample = samplePattern.exec(line);
    return sample !== null &&
      (frameIn(sample[6] ?? "") !== null || frameIn(lines[at + 1] ?? "") !== null);
  });
}

interface PlacedFrame {
  readonly address: bigint;
  readonly name: string | null;
  readonly path: string;
  file?: string;
  line?: number;
}

interface PerfSample {
  readonly comm: string;
  readonly pid: number | null;
  readonly tid: number;
  /** Milliseconds; `null` where the fields that were chosen have no time. */
  readonly time: number | null;
  /** Innermost first. */
  readonly frames: PlacedFrame[];
}

/** Reads a text.
 *
 * @throws FormatError when it has no sample with a stack
 */
export function readPerfScript(name: string, text: string): Profile {
  const { event, samples } = samplesIn(text);
  if (samples.length === 0) {
    throw new FormatError(name, 0, "a sample with a stack, as perf script prints it");
  }
  const [{ time: first }] = samples;
  const builder = new ProfileBuilder({
    ...{ interval: intervalOf(samples), os: "Linux", aggregated: first === null },
  });
  const state = running.test(event) ? SampleState.onCPU : SampleState.unknown;
  const frames = new Map<string, number>();
  const threads = new Map<number, number>();
  const processes = new Map<string | number, number>();
  // A process is called as its first thread, where that has samples. Without `-F +pid` all that are called the same
  // are one.
  const names = new Map<number, string>();
  for (const { comm, pid, tid } of samples) {
    if (pid !== null && (pid === tid || !names.has(pid))) names.set(pid, comm);
  }
  for (const [index, { comm, pid, tid, time, frames: list }] of samples.entries()) {
    let thread = threads.get(tid);
    if (thread === undefined) {
      let process = processes.get(pid ?? comm);
      if (process === undefined) {
        process = builder.process({ name: names.get(pid ?? -1) ?? comm, pid });
        processes.set(pid ?? comm, process);
      }
      thread = builder.thread({
        process,
        id: BigInt(tid),
        name: comm,
        queue: null,
        isMain: pid === tid,
      });
      threads.set(tid, thread);
    }
    builder.sample(thread, stackOf(builder, frames, list), (time ?? index) - (first ?? 0), {
      state,
    });
  }
  return builder.finish();
}

/** The samples of the first event, in the order of their times. */
function samplesIn(text: string): { readonly event: string; readonly samples: PerfSample[] } {
  const samples: PerfSample[] = [];
  let event: string | undefined;
  let list: PlacedFrame[] | undefined;
  const add = (found: RegExpExecArray | null): boolean => {
    if (found === null || list === undefined) return false;
    if (list.length < MAX_DEPTH) list.push(frameOf(found));
    return true;
  };
  for (const line of text.split(lineEnd)) {
    if (line === "" || line.length > MAX_LINE || line.startsWith("#")) continue;
    const sample = /^\s/.test(line) ? null : samplePattern.exec(line);
    if (sample !== null) {
      const [, comm, pid, tid, seconds, what, rest] = sample;
      event ??= what;
      list = what === event ? [] : undefined;
      if (list === undefined) continue;
      const time = seconds === undefined ? null : Number(seconds) * 1000;
      samples.push({
        ...{ comm, tid: Number(tid), time, frames: list },
        pid: pid === undefined ? null : Number(pid),
      });
      add(frameIn(rest ?? ""));
    } else if (!add(frameIn(line))) {
      const [, file, number] = placePattern.exec(line) ?? [];
      const last = list?.at(-1);
      if (file !== undefined && last !== undefined) {
        last.file = file;
        last.line = lineOf(number);
      }
    }
  }
  const known = samples.filter(({ frames }) => frames.length > 0);
  return { event: event ?? "", samples: known.sort((a, b) => (a.time ?? 0) - (b.time ?? 0)) };
}

function frameOf([, address, symbol, path]: RegExpExecArray): PlacedFrame {
  const name = symbol.replace(/\+0x[\da-f]+$/, "");
  return { address: BigInt(`0x${address}`), name: name === "[unknown]" ? null : name, path };
}

/** The index of a stack. An inlined call stands before the function that has its code, whose image it is in. */
function stackOf(
  builder: ProfileBuilder,
  known: Map<string, number>,
  list: readonly PlacedFrame[],
): number {
  let [stack, depth, path] = [-1, 0, ""];
  for (let at = list.length - 1; at >= 0; at--) {
    const { address, name, file, line, ...own } = list[at];
    if (own.path === "inlined") depth++;
    else [depth, path] = [0, own.path];
    const key = `${address} ${depth} ${line} ${file}\0${name}\0${path}`;
    let frame = known.get(key);
    if (frame === undefined) {
      const image = path === "" || path === "[unknown]"
        ? {}
        : { image: builder.image({ name: path.slice(path.lastIndexOf("/") + 1), path }) };
      const of = builder.function(name, { ...image, file, ...name === null ? { address } : {} });
      frame = builder.frame(of, { address, line, inlineDepth: depth });
      known.set(key, frame);
    }
    stack = builder.stack(stack, frame);
  }
  return stack;
}

/** Milliseconds that are most often between two samples of a thread: its median. */
function intervalOf(samples: readonly PerfSample[]): number {
  const last = new Map<number, number>();
  const steps: number[] = [];
  for (const { tid, time } of samples) {
    if (time === null) continue;
    const before = last.get(tid);
    if (before !== undefined && time > before) steps.push(time - before);
    last.set(tid, time);
  }
  const median = steps.sort((a, b) => a - b)[steps.length >> 1] ?? 0;
  return Math.round(median * 1000) / 1000;
}
