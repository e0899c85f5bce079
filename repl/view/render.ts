/** Threads, frames, registers and memory as lines of text. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { hex as hexNumber, hexBytes } from "../../lib/hex.ts";
import type { CoreTarget, Frame, RegisterValue, StopReason, Thread } from "../../mod.ts";
import { allShownFrames, type ShownFrames, shownFrames } from "./frames.ts";
import type { Style } from "./style.ts";
import { indented, join, padEnd, padStart } from "./text.ts";

/** Why unwinding ended, where that is not the normal end. */
const endings: Readonly<Record<StopReason, SafeText | undefined>> = {
  "null-record": undefined,
  "outside-stack": safe`the frame pointer leads out of the stack`,
  "misaligned": safe`the frame pointer is misaligned`,
  "not-rising": safe`the frame records loop, or are damaged`,
  "unreadable": safe`the stack is unreadable further up`,
  "limit": safe`more frames follow`,
  "no-state": safe`the registers could not be read`,
};

/** An address with all of its digits.
 *
 * @param pointerSize in bytes
 */
export function hex(address: bigint, pointerSize: number): SafeText {
  return hexNumber(address, pointerSize * 2);
}

/** A thread, as in `thread 3  "worker"  id 0x1a2b  waiting  cpu 0%`. */
export function threadHeader(thread: Thread, style: Style): SafeText {
  const state = escape(thread.state);
  const parts = [style("heading", safe`thread ${thread.index}`)];
  if (thread.name !== "") parts.push(style("name", safe`"${escape(thread.name)}"`));
  parts.push(safe`id ${hexNumber(thread.id)}`);
  parts.push(thread.state === "running" ? style("running", state) : state);
  parts.push(safe`cpu ${Math.round(thread.cpuUsage * 100)}%`);
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

/** The widths that fit all of `frames`. */
export function frameColumns(frames: readonly Frame[]): FrameColumns {
  let image = 0;
  for (const frame of frames) image = Math.max(image, imageName(frame).length);
  return { index: String(frames.at(-1)?.index ?? 0).length, image };
}

/** A frame, as in `0  libworkers.dylib  0x0000000104a3c1f0  take_lock + 28`. */
export function frameLine(
  frame: Frame,
  pointerSize: number,
  columns: FrameColumns,
  style: Style,
  name?: (mangled: string) => string,
): SafeText {
  const index = style("quiet", padStart(safe`${frame.index}`, columns.index));
  const image = style("image", padEnd(imageName(frame), columns.image));
  const address = style("address", hex(frame.address, pointerSize));
  const place = frame.describe(name, true);
  return place === ""
    ? safe`${index}  ${image}  ${address}`
    : safe`${index}  ${image}  ${address}  ${place}`;
}

/** A thread's header, its frames, and why there are no more if that is not the normal end.
 *
 * @param shown the frames, where the thread has been unwound already
 * @param name makes a function's name readable. Default: demangles it
 */
export function backtraceLines(
  thread: Thread,
  pointerSize: number,
  style: Style,
  limit?: number,
  shown: ShownFrames = shownFrames(thread, limit),
  name?: (mangled: string) => string,
): SafeText[] {
  const { frames, stopped } = shown;
  const columns = frameColumns(frames);
  const lines = exceptionLines(thread, style);
  for (const frame of frames) lines.push(frameLine(frame, pointerSize, columns, style, name));
  const ending = endings[stopped];
  if (ending !== undefined) lines.push(style("quiet", safe`(${escape(stopped)}: ${ending})`));
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
): SafeText[] {
  shown ??= allShownFrames(threads, limit);
  return threads.flatMap((thread, index) => {
    const lines = backtraceLines(thread, pointerSize, style, limit, shown[index], name);
    return index === 0 ? lines : [safe``, ...lines];
  });
}

/** Registers, a few a line. */
export function registerLines(
  registers: Iterable<RegisterValue>,
  pointerSize: number,
  style: Style,
): SafeText[] {
  const perLine = 3;
  const cells = [...registers].map(({ name, value }) =>
    safe`${padStart(escape(name), 6)} ${style("address", hex(value, pointerSize))}`
  );
  const lines: SafeText[] = [];
  for (let at = 0; at < cells.length; at += perLine) {
    lines.push(join(cells.slice(at, at + perLine), "  "));
  }
  return lines;
}

/** Memory as a hexdump: sixteen bytes a line, then those that are printable ASCII. */
export function hexdump(
  bytes: Uint8Array,
  address: bigint,
  pointerSize: number,
  style: Style,
): SafeText[] {
  const lines: SafeText[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.subarray(at, at + 16);
    const halves = `${hexBytes(row.subarray(0, 8), " ")}  ${hexBytes(row.subarray(8), " ")}`;
    const text = Array.from(
      row,
      (byte) => byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".",
    );
    const where = style("address", hex(address + BigInt(at), pointerSize));
    lines.push(safe`${where}  ${padEnd(escape(halves), 48)}  |${escape(text.join(""))}|`);
  }
  return lines;
}
