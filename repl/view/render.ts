/** Threads, frames, registers and memory as lines of text. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { hex as hexNumber, hexBytes } from "../../lib/hex.ts";
import type { CoreTarget, Frame, RegisterValue, StopReason, Thread } from "../../mod.ts";
import { textWidth } from "../edit/width.ts";
import { allShownFrames, type ShownFrames, shownFrames } from "./frames.ts";
import { elide, shortName } from "./short_name.ts";
import type { Style } from "./style.ts";
import { cut, indented, join, padEnd, padStart, spaces } from "./text.ts";

/** Why unwinding ended, where that is not the normal end. Whoever reads it need not know of frame records: where nothing
 * describes a function, the frame pointer was tried last. */
const endings: Readonly<Record<StopReason, SafeText | undefined>> = {
  "null-record": undefined,
  "outside-stack": safe`no caller is found: the frame pointer leads out of the stack`,
  "misaligned": safe`no caller is found: the frame pointer is misaligned`,
  "not-rising": safe`no caller is found: the frame pointer does not lead further up the stack`,
  "unreadable": safe`unreadable: the stack cannot be read further up`,
  "limit": safe`limit: more frames follow`,
  "no-state": safe`the registers could not be read`,
};

/** An address with all of its digits.
 *
 * @param pointerSize in bytes
 */
export function hex(address: bigint, pointerSize: number): SafeText {
  return hexNumber(address, pointerSize * 2);
}

/** A queue, as in `queue "com.example.work" (serial)`. */
export function queueText({ label, kind }: NonNullable<Thread["queue"]>): SafeText {
  return safe`queue "${escape(label)}"${kind === null ? safe`` : safe` (${escape(kind)})`}`;
}

/** A thread, as in `thread 3  "worker"  id 0x1a2b  waiting  cpu 0%`. */
export function threadHeader(thread: Thread, style: Style): SafeText {
  const state = escape(thread.state);
  const parts = [style("heading", safe`thread ${thread.index}`)];
  if (thread.name !== "") parts.push(style("name", safe`"${escape(thread.name)}"`));
  if (thread.queue !== null) parts.push(queueText(thread.queue));
  parts.push(safe`id ${hexNumber(thread.id)}`);
  parts.push(thread.state === "running" ? style("running", state) : state);
  // Over the wire, and in many cores, nobody says what a stopped thread has used.
  if (thread.state !== "stopped" || thread.cpuUsage > 0) {
    parts.push(safe`cpu ${Math.round(thread.cpuUsage * 100)}%`);
  }
  if (thread.suspendCount > 0) {
    parts.push(style("warning", safe`suspended ${thread.suspendCount}×`));
  }
  return join(parts, "  ");
}

/** The exception of a thread and its registers; nothing where there is no exception, or where the
 * thread is only in the kernel. */
export function exceptionLines(
  { exception }: Thread,
  style: Style,
): SafeText[] {
  if (exception === null || !exception.fault) return [];
  const what = style("warning", escape(`${exception}`));
  return [safe`${what}  ${style("quiet", safe`(${escape(`${exception.registers}`)})`)}`];
}

/** The notes of a core, one a line. */
export function noteLines(
  { notes, kernelVersion, mainBinary }: Pick<CoreTarget, "notes" | "kernelVersion" | "mainBinary">,
): SafeText[] {
  if (notes.length === 0) return [safe`no notes`];
  const lines = notes.map(({ owner, offset, size }) =>
    safe`${padEnd(escape(owner), 16)}  ${size} bytes at offset ${hexNumber(offset)}`
  );
  if (kernelVersion !== null) lines.push(safe`kernel: ${escape(kernelVersion)}`);
  if (mainBinary !== null) {
    const { address, uuid } = mainBinary;
    const where = address === null ? safe`` : safe` at ${hexNumber(address)}`;
    lines.push(safe`main binary: ${escape(uuid ?? "no UUID")}${where}`);
  }
  return lines;
}

function imageName(frame: Frame): SafeText {
  return frame.image === null ? safe`???` : escape(frame.image.name);
}

/** The widths of the index and the image columns of some frames. */
export interface FrameColumns {
  readonly index: number;
  readonly image: number;
}

/** The widths that fit all of `frames`; images get a fifth of a screen at most. */
export function frameColumns(frames: readonly Frame[], width = Infinity): FrameColumns {
  let image = 0;
  for (const frame of frames) image = Math.max(image, imageName(frame).length);
  image = Math.min(image, width < 60 ? 12 : Math.max(16, Math.floor(width / 5)));
  return { index: String(frames.at(-1)?.index ?? 0).length, image };
}

/** A frame, as in `0  libworkers.dylib  0x0000000104a3c1f0  take_lock + 28`. */
export function frameLine(
  frame: Frame,
  pointerSize: number,
  columns: FrameColumns,
  style: Style,
  name?: (mangled: string) => string,
  width = Infinity,
): SafeText {
  const what = frameWhat(frame, pointerSize, columns, style, name, width);
  return safe`${frameIndex(frame, columns, style)}  ${what}`;
}

function frameIndex(frame: Frame, columns: FrameColumns, style: Style): SafeText {
  return style("quiet", padStart(safe`${frame.index}`, columns.index));
}

/** The columns that a frame's function gets at least, where its address would leave less. */
const minPlace = 20;

/** A frame's line after its index. */
function frameWhat(
  frame: Frame,
  pointerSize: number,
  columns: FrameColumns,
  style: Style,
  name: ((mangled: string) => string) | undefined,
  width: number,
): SafeText {
  const image = style("image", padEnd(cut(imageName(frame), columns.image), columns.image));
  const address = style("address", hex(frame.address, pointerSize));
  const before = columns.index + columns.image + 2 * pointerSize + 8;
  if (width - before < minPlace) {
    // On a narrow screen the function says more than its address.
    const place = placeText(frame, width - before + 2 * pointerSize + 2, name);
    return place === "" ? safe`${image}  ${address}` : safe`${image}  ${place}`;
  }
  const place = placeText(frame, width - before, name);
  return place === "" ? safe`${image}  ${address}` : safe`${image}  ${address}  ${place}`;
}

/** The lines of activations after their indexes, by address: most threads of a program stand in the same
 * functions. */
type KnownLines = Map<bigint, { readonly imageColumns: number; readonly what: SafeText }>;

/** A frame's line, where all of it is shown. */
function wholeLine(
  frame: Frame,
  pointerSize: number,
  columns: FrameColumns,
  style: Style,
  name: ((mangled: string) => string) | undefined,
  known: KnownLines,
): SafeText {
  if (frame.inlined || frame.foundBy === "async") {
    return frameLine(frame, pointerSize, columns, style, name);
  }
  const { address, lookupAddress } = frame;
  // The address of an innermost frame may be a return address elsewhere, which means another call.
  const key = lookupAddress === address ? ~address : address;
  let line = known.get(key);
  if (line === undefined || line.imageColumns !== columns.image) {
    const what = frameWhat(frame, pointerSize, columns, style, name, Infinity);
    line = { imageColumns: columns.image, what };
    known.set(key, line);
  }
  return safe`${frameIndex(frame, columns, style)}  ${line.what}`;
}

/** What a frame is in, within a width: its function's name is shortened. */
export function placeText(
  frame: Frame,
  width: number,
  name?: (mangled: string) => string,
): SafeText {
  const whole = frame.describe(name, true);
  if (width === Infinity) return whole;
  const fits = (text: SafeText) => textWidth(text) <= width;
  // The column is given up first.
  const place = fits(whole) ? whole : withoutColumn(whole);
  if (fits(place)) return place;
  const after = afterName.exec(place)![0];
  const named = place.slice(0, place.length - after.length);
  const bare = elide(elide(named, "<"), "(");
  // Beside a line of the source, the offset says little.
  const tail = textWidth(bare + after) <= width ? after : after.replace(/^ \+ \d+(?= at )/, "");
  // Where there is little room, the name is whole rather than the place.
  const least = width < 30 ? width : 8;
  const short = shortName(named, Math.max(least, width - textWidth(tail)));
  return cut(escape(short + tail), Math.max(1, width));
}

/** What `Frame.describe` puts after the function's name. */
const afterName = /(?: \+ \d+)?(?: at \S.*?:\d+)?(?: \[inlined\])?(?: \[(?:async|signal)\])?$/;

/** `main + 4 at demo.c:12` for `main + 4 at demo.c:12:3`. */
function withoutColumn(place: SafeText): SafeText {
  return escape(place.replace(/( at .*:\d+):\d+(?= \[|$)/, "$1"));
}

/** The longest cycle of functions that is recognized as a recursion. */
const MAX_CYCLE = 4;
/** A recursion with fewer turns is shown whole. */
const MIN_TURNS = 4;

/** Frames that repeat others. */
interface Recursion {
  /** Index of the first repeated frame. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** The number of functions that call each other. */
  readonly cycle: number;
}

/** The recursions among some frames: the same functions, one after the other, several times. */
export function recursions(frames: readonly Frame[]): Recursion[] {
  const keys = frames.map((frame) =>
    `${frame.inlined ? "i" : ""}${frame.image?.path} ${frame.function ?? frame.address}`
  );
  const found: Recursion[] = [];
  for (let start = 0; start < keys.length;) {
    let best: Recursion | undefined;
    for (let cycle = 1; cycle <= MAX_CYCLE && best === undefined; cycle++) {
      let end = start + cycle;
      while (end < keys.length && keys[end] === keys[end - cycle]) end++;
      end -= (end - start) % cycle;
      if (end - start >= MIN_TURNS * cycle) best = { start, end, cycle };
    }
    if (best !== undefined) found.push(best);
    start = best?.end ?? start + 1;
  }
  return found;
}

/** What frames show of their variables. */
export interface FrameDetail {
  /** Makes a name readable, where the caller says no other way. */
  demangle(mangled: string): string;
  /** Follows the function's name. */
  readonly after?: (frame: Frame) => SafeText;
  /** A function's name without what {@linkcode after} stands for. */
  name(readable: string): string;
  /** Lines below the frame's. */
  readonly below?: (frame: Frame) => readonly SafeText[];
}

/** Frames as lines. On a screen each takes one line, and a recursion is shown once.
 *
 * @param width of the screen; all is shown where it is infinite
 */
function frameLines(
  frames: readonly Frame[],
  pointerSize: number,
  style: Style,
  name: ((mangled: string) => string) | undefined,
  width: number,
  detail?: FrameDetail,
  known: KnownLines = new Map(),
): SafeText[] {
  const columns = frameColumns(frames, width);
  const lineOf = (frame: Frame, room = width) =>
    frameLine(frame, pointerSize, columns, style, name, room);
  if (detail !== undefined) {
    return frames.flatMap((frame) => {
      const after = detail.after?.(frame);
      const named = after === undefined || after === ""
        ? name
        : (mangled: string) => detail.name((name ?? detail.demangle)(mangled)) + after;
      const line = frameLine(frame, pointerSize, columns, style, named, Infinity);
      return [line, ...indented(detail.below?.(frame) ?? [], columns.index + 4)];
    });
  }
  if (width === Infinity) {
    return frames.map((frame) => wholeLine(frame, pointerSize, columns, style, name, known));
  }
  const lines: SafeText[] = [];
  let at = 0;
  for (const { start, end, cycle } of recursions(frames)) {
    for (; at < start; at++) lines.push(lineOf(frames[at]));
    const turns = (end - start) / cycle;
    if (cycle === 1) {
      const times = safe`  ×${turns}`;
      lines.push(safe`${lineOf(frames[start], width - times.length)}${style("heading", times)}`);
    } else {
      for (let turn = 0; turn < cycle; turn++) lines.push(lineOf(frames[start + turn]));
      const times = safe`the same ${cycle} functions ×${turns}, up to frame ${end - 1}`;
      lines.push(safe`${spaces(columns.index)}  ${style("heading", times)}`);
    }
    at = end;
  }
  for (; at < frames.length; at++) lines.push(lineOf(frames[at]));
  return lines;
}

/** A thread's header, its frames, and why there are no more if that is not the normal end.
 *
 * @param shown the frames, where the thread has been unwound already
 * @param name makes a function's name readable. Default: demangles it
 * @param width of the screen, to which names are shortened and on which recursion is shown once
 */
export function backtraceLines(
  thread: Thread,
  pointerSize: number,
  style: Style,
  limit?: number,
  shown: ShownFrames = shownFrames(thread, limit),
  name?: (mangled: string) => string,
  width = Infinity,
  detail?: FrameDetail,
  known?: KnownLines,
): SafeText[] {
  const { frames, stopped } = shown;
  const lines = exceptionLines(thread, style);
  for (const line of frameLines(frames, pointerSize, style, name, width - 2, detail, known)) {
    lines.push(line);
  }
  const ending = endings[stopped];
  if (ending !== undefined) lines.push(style("quiet", safe`(${ending})`));
  return [threadHeader(thread, style), ...indented(lines)];
}

/** Every thread's backtrace, an empty line between two. */
export function backtracesLines(
  threads: readonly Thread[],
  pointerSize: number,
  style: Style,
  limit?: number,
  shown?: readonly ShownFrames[],
  name?: (mangled: string) => string,
  width = Infinity,
  detail?: FrameDetail,
): SafeText[] {
  shown ??= allShownFrames(threads, limit);
  const known: KnownLines = new Map();
  return threads.flatMap((thread, index) => {
    const frames = shown[index];
    const more = [width, detail, known] as const;
    const lines = backtraceLines(thread, pointerSize, style, limit, frames, name, ...more);
    return index === 0 ? lines : [safe``, ...lines];
  });
}

/** Registers, a few a line. */
export function registerLines(
  registers: Iterable<RegisterValue>,
  pointerSize: number,
  style: Style,
  width = 80,
): SafeText[] {
  const perLine = Math.max(1, Math.min(3, Math.floor((width + 2) / (2 * pointerSize + 11))));
  const cells = [...registers].map(({ name, value }) =>
    safe`${padStart(escape(name), 6)} ${style("address", hex(value, pointerSize))}`
  );
  const lines: SafeText[] = [];
  for (let at = 0; at < cells.length; at += perLine) {
    lines.push(join(cells.slice(at, at + perLine), "  "));
  }
  return lines;
}

/** Memory as a hexdump: sixteen bytes a line, eight where that does not fit, then those that are printable
 * ASCII. */
export function hexdump(
  bytes: Uint8Array,
  address: bigint,
  pointerSize: number,
  style: Style,
  width = Infinity,
): SafeText[] {
  const lines: SafeText[] = [];
  const perLine = 2 * pointerSize + 72 <= width ? 16 : 8;
  for (let at = 0; at < bytes.length; at += perLine) {
    const row = bytes.subarray(at, at + perLine);
    const halves = perLine === 8
      ? hexBytes(row, " ")
      : `${hexBytes(row.subarray(0, 8), " ")}  ${hexBytes(row.subarray(8), " ")}`;
    const text = Array.from(
      row,
      (byte) => byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".",
    );
    const where = style("address", hex(address + BigInt(at), pointerSize));
    lines.push(safe`${where}  ${padEnd(escape(halves), perLine * 3)}  |${escape(text.join(""))}|`);
  }
  return lines;
}
