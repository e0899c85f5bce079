/** Threads, frames, registers and memory as lines of text. Everything a target can have a say in is
 * escaped here. */
import { escape } from "../../lib/escape.ts";
import type { CoreTarget, Frame, RegisterValue, StopReason, Thread } from "../../mod.ts";
import { type ShownFrames, shownFrames } from "./frames.ts";
import type { Style } from "./style.ts";

/** Why a walk ended, where it did not end as it should. */
const endings: Readonly<Record<StopReason, string | undefined>> = {
  "null-record": undefined,
  "outside-stack": "the frame pointer leads out of the stack",
  "misaligned": "the frame pointer is misaligned",
  "not-rising": "the frame records loop, or are damaged",
  "unreadable": "the stack is unreadable further up",
  "limit": "more frames follow",
  "no-state": "the registers could not be read",
};

/** An address, all of its digits.
 *
 * @param pointerSize in bytes
 */
export function hex(address: bigint, pointerSize: number): string {
  return `0x${address.toString(16).padStart(pointerSize * 2, "0")}`;
}

/** As in `thread 3  "worker"  id 0x1a2b  waiting  cpu 0%`. */
export function threadHeader(thread: Thread, style: Style): string {
  const parts = [style("heading", `thread ${thread.index}`)];
  if (thread.name !== "") parts.push(style("name", `"${escape(thread.name)}"`));
  parts.push(`id 0x${thread.id.toString(16)}`);
  parts.push(thread.state === "running" ? style("running", thread.state) : thread.state);
  parts.push(`cpu ${Math.round(thread.cpuUsage * 100)}%`);
  if (thread.suspendCount > 0) {
    parts.push(style("warning", `suspended ${thread.suspendCount}×`));
  }
  return parts.join("  ");
}

/** The exception of a thread and its registers; nothing where there is none, or the thread is just in
 * the kernel. */
export function exceptionLines(
  { exception }: Thread,
  style: Style,
): string[] {
  if (exception === null || !exception.fault) return [];
  return [`${style("warning", `${exception}`)}  ${style("quiet", `(${exception.registers})`)}`];
}

/** The notes of a core, one a line. */
export function noteLines(
  { notes, kernelVersion, mainBinary }: Pick<CoreTarget, "notes" | "kernelVersion" | "mainBinary">,
): string[] {
  if (notes.length === 0) return ["no notes"];
  const lines = notes.map(({ owner, offset, size }) =>
    `${escape(owner).padEnd(16)}  ${size} bytes at offset 0x${offset.toString(16)}`
  );
  if (kernelVersion !== null) lines.push(`kernel: ${escape(kernelVersion)}`);
  if (mainBinary !== null) {
    const { address, uuid } = mainBinary;
    const where = address === null ? "" : ` at 0x${address.toString(16)}`;
    lines.push(`main binary: ${uuid ?? "no UUID"}${where}`);
  }
  return lines;
}

function imageName(frame: Frame): string {
  return frame.image === null ? "???" : escape(frame.image.name);
}

/** How wide the index and the image columns of some frames are. */
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

/** As in `0  libworkers.dylib  0x0000000104a3c1f0  take_lock + 28`. */
export function frameLine(
  frame: Frame,
  pointerSize: number,
  columns: FrameColumns,
  style: Style,
  name?: (mangled: string) => string,
): string {
  return [
    style("quiet", String(frame.index).padStart(columns.index)),
    style("image", imageName(frame).padEnd(columns.image)),
    style("address", hex(frame.address, pointerSize)),
    frame.describe(name, true),
  ].join("  ").trimEnd();
}

/** A thread's header, its frames, and why there are no more if that is not the normal end.
 *
 * @param shown of the thread, where it has been walked
 * @param name how functions' names are shown; demangled, when left out
 */
export function backtraceLines(
  thread: Thread,
  pointerSize: number,
  style: Style,
  limit?: number,
  shown: ShownFrames = shownFrames(thread, limit),
  name?: (mangled: string) => string,
): string[] {
  const { frames, stopped } = shown;
  const columns = frameColumns(frames);
  const lines = [threadHeader(thread, style)];
  for (const line of exceptionLines(thread, style)) lines.push("  " + line);
  for (const frame of frames) {
    lines.push("  " + frameLine(frame, pointerSize, columns, style, name));
  }
  const ending = endings[stopped];
  if (ending !== undefined) lines.push("  " + style("quiet", `(${stopped}: ${ending})`));
  return lines;
}

/** Every thread's backtrace, an empty line between two. */
export function backtracesLines(
  threads: readonly Thread[],
  pointerSize: number,
  style: Style,
  limit?: number,
  shown?: readonly ShownFrames[],
  name?: (mangled: string) => string,
): string[] {
  return threads.flatMap((thread, index) => {
    const lines = backtraceLines(thread, pointerSize, style, limit, shown?.[index], name);
    return index === 0 ? lines : ["", ...lines];
  });
}

/** Registers, a few a line. */
export function registerLines(
  registers: Iterable<RegisterValue>,
  pointerSize: number,
  style: Style,
): string[] {
  const perLine = 3;
  const cells = [...registers].map(({ name, value }) =>
    `${name.padStart(6)} ${style("address", hex(value, pointerSize))}`
  );
  const lines: string[] = [];
  for (let at = 0; at < cells.length; at += perLine) {
    lines.push(cells.slice(at, at + perLine).join("  "));
  }
  return lines;
}

/** Memory as a hexdump: sixteen bytes a line, with what of them is printable ASCII. */
export function hexdump(
  bytes: Uint8Array,
  address: bigint,
  pointerSize: number,
  style: Style,
): string[] {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const digits = row.map((byte) => byte.toString(16).padStart(2, "0"));
    const halves = `${digits.slice(0, 8).join(" ")}  ${digits.slice(8).join(" ")}`;
    const text = row.map((byte) => byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".");
    lines.push(
      `${style("address", hex(address + BigInt(at), pointerSize))}  ${halves.padEnd(48)}  ` +
        `|${text.join("")}|`,
    );
  }
  return lines;
}
