/** speedscope's own format: `src/lib/file-format-spec.ts` of jlfwong/speedscope.
 *
 * Each thread is one `sampled` profile. A frame is a function and a line, as rbspy and py-spy write it. The
 * format has no addresses, no times of samples, no states and no inlined calls: those are frames as others.
 * Members called `machpause` and `image`, which speedscope ignores, have the thread and the image's name. */

import { ProfileBuilder } from "./builder.ts";
import { integerOf, isRecord, type JsonFile, jsonPieces, type JsonRecord } from "./json.ts";
import { lineOf, numberOf, textOf } from "./json.ts";
import { functionName, type Profile, type ProfileThread } from "./model.ts";
import {
  checkExpanded,
  MAX_DEPTH,
  nanosecondsIn,
  processPrefix,
  threadTitle,
  unitOf,
} from "./titles.ts";

const SCHEMA = "https://www.speedscope.app/file-format-schema.json";

/** A frame of the format. */
interface SpeedscopeFrame {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly col?: number;
  readonly image?: string;
}

/** Writes a profile as JSON, in pieces.
 *
 * @throws RangeError when it would be too large
 */
export function* writeSpeedscope(profile: Profile): Generator<string> {
  checkExpanded(profile, "speedscope");
  const { functions, frames, stacks, strings, images } = profile;
  const written: SpeedscopeFrame[] = [];
  const known = new Map<string, number>();
  const indexOf = Int32Array.from({ length: frames.length }, (_, frame) => {
    const of = frames.function[frame];
    const [line, column] = [frames.line[frame], frames.column[frame]];
    const key = `${of} ${line} ${column}`;
    let index = known.get(key);
    if (index === undefined) {
      const image = images[functions.image[of]]?.name;
      const file = functions.file[of] < 0 ? image : strings[functions.file[of]];
      index = written.push({
        name: functionName(profile, of),
        ...file === undefined ? {} : { file },
        ...line > 0 ? { line } : {},
        ...line > 0 && column > 0 ? { col: column } : {},
        ...image === undefined ? {} : { image },
      }) - 1;
      known.set(key, index);
    }
    return index;
  });
  yield `{"$schema":${JSON.stringify(SCHEMA)},"shared":{"frames":`;
  yield* jsonPieces(written);
  yield '},"profiles":[';
  for (const [index, thread] of profile.threads.entries()) {
    const { samples, id, name, queue, isMain } = thread;
    const prefix = processPrefix(profile, thread);
    const total = samples.weight.reduce((sum, weight) => sum + weight, 0);
    if (index > 0) yield ",";
    yield `{"type":"sampled","name":${
      JSON.stringify(`${prefix === null ? "" : `${prefix}: `}${threadTitle(thread)}`)
    },"unit":"${profile.unit === "samples" ? "none" : profile.unit}","startValue":0,`;
    yield `"endValue":${total},"samples":[`;
    for (let row = 0; row < samples.length; row++) {
      const list: number[] = [];
      for (let at = samples.stack[row]; at >= 0; at = stacks.prefix[at]) {
        list.push(indexOf[stacks.frame[at]]);
      }
      yield `${row > 0 ? "," : ""}[${list.reverse().join()}]`;
    }
    yield '],"weights":';
    yield* jsonPieces(samples.weight);
    const { name: process, pid } = profile.processes[thread.process];
    yield ',"machpause":';
    yield* jsonPieces({ name, id: id === null ? null : `${id}`, queue, isMain, process, pid });
    yield "}";
  }
  const title = profile.product ?? profile.processes[0].name;
  yield `],${title === null ? "" : `"name":${JSON.stringify(title)},`}"exporter":"machpause"}`;
}

/** Whether a document is one of speedscope. */
export function isSpeedscope(root: JsonRecord): boolean {
  return root.$schema === SCHEMA ||
    isRecord(root.shared) && Array.isArray(root.shared.frames) && Array.isArray(root.profiles);
}

/** Reads a document.
 *
 * @throws FormatError when it is damaged
 */
export function readSpeedscope(file: JsonFile): Profile {
  const { root } = file;
  const profiles = file.array(root.profiles, "profiles");
  const [first] = profiles;
  const { unit } = unitOf(String(isRecord(first) && first.unit || "none"));
  const builder = new ProfileBuilder({ product: textOf(root.name), unit, aggregated: true });
  const shared = file.record(root.shared, "shared");
  const frames = file.array(shared.frames, "shared.frames").map((value, index) => {
    const frame = file.record(value, `shared.frames[${index}]`);
    const image = textOf(frame.image);
    const source = textOf(frame.file);
    const of = builder.function(textOf(frame.name) ?? "(anonymous)", {
      image: image === null ? -1 : builder.image({ name: image }),
      file: source === image ? null : source,
    });
    return builder.frame(of, { line: lineOf(frame.line), column: lineOf(frame.col) });
  });
  const processes = new Map<string, number>();
  for (const [index, value] of profiles.entries()) {
    const what = `profiles[${index}]`;
    const profile = file.record(value, what);
    const factor = factorTo(unit, String(profile.unit ?? "none"));
    if (factor === null) continue;
    const thread = readThread(builder, profile, processes, profiles.length);
    const clock = { thread, time: 0, scale: factor, unit };
    if (profile.type === "evented") readEvents(file, builder, profile, what, frames, clock);
    else readSampled(file, builder, profile, what, frames, clock);
  }
  return builder.finish();
}

/** What values of a unit are multiplied by to be in another one; `null` where it is another kind of thing. */
function factorTo(unit: Profile["unit"], name: string): number | null {
  const own = unitOf(name);
  if (own.unit === unit) return own.scale;
  const [from, to] = [nanosecondsIn(own.unit), nanosecondsIn(unit)];
  return from === null || to === null ? null : own.scale * from / to;
}

/** The thread that samples are added to, and the time so far in milliseconds. */
interface Clock {
  readonly thread: number;
  readonly scale: number;
  readonly unit: Profile["unit"];
  time: number;
}

function readThread(
  builder: ProfileBuilder,
  profile: JsonRecord,
  processes: Map<string, number>,
  count: number,
): number {
  const extra = isRecord(profile.machpause) ? profile.machpause : null;
  const name = textOf(extra?.process);
  const pid = lineOf(extra?.pid);
  const key = `${pid}\0${name}`;
  let process = processes.get(key);
  if (process === undefined) {
    process = builder.process({ name, pid: pid > 0 ? pid : null });
    processes.set(key, process);
  }
  const thread: Omit<ProfileThread, "samples"> = {
    process,
    id: integerOf(extra?.id),
    name: textOf((extra ?? profile).name),
    queue: textOf(extra?.queue),
    isMain: extra === null ? count === 1 : extra.isMain === true,
  };
  return builder.thread(thread);
}

/** Adds a sample and moves the clock by its weight; a sample without a unit of time counts as a
 * millisecond. */
function add(builder: ProfileBuilder, clock: Clock, stack: number, value: number): void {
  const weight = value * clock.scale;
  builder.sample(clock.thread, stack, clock.time, { weight });
  clock.time += clock.unit === "nanoseconds"
    ? weight / 1e6
    : clock.unit === "microseconds"
    ? weight / 1e3
    : Math.abs(weight);
}

function readSampled(
  file: JsonFile,
  builder: ProfileBuilder,
  profile: JsonRecord,
  what: string,
  frames: readonly number[],
  clock: Clock,
): void {
  const samples = file.array(profile.samples, `${what}.samples`);
  const weights = file.array(profile.weights, `${what}.weights`);
  for (const [row, value] of samples.entries()) {
    let stack = -1;
    const list = file.array(value, `${what}.samples[${row}]`);
    for (let at = 0; at < list.length && at < MAX_DEPTH; at++) {
      stack = builder.stack(stack, frames[file.index(list[at], frames.length, "a frame")]);
    }
    add(builder, clock, stack, numberOf(weights[row], 0));
  }
}

/** Samples of what was open between the events. */
function readEvents(
  file: JsonFile,
  builder: ProfileBuilder,
  profile: JsonRecord,
  what: string,
  frames: readonly number[],
  clock: Clock,
): void {
  let at = numberOf(profile.startValue, 0);
  const open: { readonly frame: number; readonly stack: number }[] = [];
  const until = (next: number): void => {
    const stack = open[Math.min(open.length, MAX_DEPTH) - 1]?.stack ?? -1;
    if (next > at) add(builder, clock, stack, next - at);
    at = Math.max(at, next);
  };
  for (const [index, value] of file.array(profile.events, `${what}.events`).entries()) {
    const event = file.record(value, `${what}.events[${index}]`);
    const frame = file.index(event.frame, frames.length, `${what}.events[${index}].frame`);
    until(numberOf(event.at, at));
    if (event.type === "O") {
      const above = open.at(-1)?.stack ?? -1;
      const isKept = open.length < MAX_DEPTH;
      open.push({ frame, stack: isKept ? builder.stack(above, frames[frame]) : above });
    } else {
      // Events are nested; those that are not end what they name and what was called by it.
      const found = open.findLastIndex((entry) => entry.frame === frame);
      if (found >= 0) open.length = found;
    }
  }
  until(numberOf(profile.endValue, at));
}
