/** Instructions as lines of text, with what the addresses in them mean. */
import {
  disassemble,
  functionRange,
  longestInstruction,
  ReferenceFinder,
} from "../../lib/disassemble.ts";
import { MemoryReadError } from "../../lib/errors.ts";
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { hexBytes } from "../../lib/hex.ts";
import type { Image } from "../../lib/macho/mod.ts";
import { textWidth } from "../edit/width.ts";
import { UserError } from "../errors.ts";
import type { Session } from "../prompt/session.ts";
import { hex } from "./render.ts";
import { stubTarget } from "./stubs.ts";
import { elide, shortName } from "./short_name.ts";
import { cut, join, padEnd, spaces, trimEnd, withoutColours } from "./text.ts";
import { quoted } from "./values.ts";

/** What to disassemble. */
export interface CodeRange {
  readonly start: bigint;
  /** Exclusive. */
  readonly end?: bigint;
  /** Number of instructions, instead of an end. */
  readonly count?: number;
  /** Whether to show the instructions' bytes. */
  readonly bytes?: boolean;
  /** Whether to show the lines of the source that instructions come from. */
  readonly mixed?: boolean;
}

/** The largest range, in bytes. */
const maxRange = 1 << 20;

/** Columns before a comment that is below its instruction. */
const indent = 8;

/** The longest part of a string constant that is shown. */
const maxText = 60;

/** The function around an address.
 *
 * @throws UserError where no function is known, or it is too large
 */
export function functionAt(session: Session, address: bigint): { start: bigint; end: bigint } {
  const range = functionRange(session.target, address);
  if (range === null) {
    throw new UserError("no function is known there: `disassemble <address> --count 10`");
  }
  const size = range.end - range.start;
  if (size > maxRange) {
    throw new UserError(`that function has ${size} bytes: choose a part of it with --count`);
  }
  return range;
}

/** Whether the code at an address is Thumb, by its symbol, or by the state of the selected thread. */
function isThumb(session: Session, address: bigint): boolean {
  if (session.target.arch.name !== "armv7") return false;
  const { symbol } = session.target.resolve(address);
  if (symbol !== null) return symbol.thumb;
  const cpsr = session.thread.registers.get("cpsr") ?? 0n;
  return (cpsr & 0x20n) !== 0n;
}

/** What is at an address: for a stub, the function that it jumps to; for a string constant, its text. */
function meaning(session: Session, address: bigint): SafeText | undefined {
  const { image, symbol } = session.target.resolve(address);
  if (image === null) return undefined;
  if (symbol === null || symbol.address !== address) {
    const stub = stubTarget(image, address);
    if (stub !== undefined) return escape(session.demangle(stub));
    const { sectionAt } = image as Partial<Image>;
    if (sectionAt?.call(image, address)?.name === "__cstring") {
      return quoted(session.target.memory.readUpTo(address, maxText));
    }
  }
  const place = session.describe(address);
  return place === undefined ? undefined : escape(place);
}

/** Lines as in `->  0x… <+19>  jmp  0x1034bc690  ; spin_inner + 0`.
 *
 * @throws MemoryReadError when nothing there can be read
 */
export async function instructionLines(session: Session, range: CodeRange): Promise<SafeText[]> {
  const { target, style } = session;
  const { arch } = target;
  const start = range.start & arch.addressMask;
  const longest = longestInstruction(arch.name);
  const length = range.end !== undefined ? Number(range.end - start) : (range.count ?? 1) * longest;
  if (length <= 0) throw new UserError("the end comes before the start");
  if (length > maxRange) throw new UserError(`at most ${maxRange} bytes at once`);
  // The last instruction may end after the range.
  const bytes = target.memory.readUpTo(start, length + (range.end === undefined ? 0 : longest - 1));
  if (bytes.length === 0) throw new MemoryReadError(start, length);
  const read = await disassemble(arch.name, bytes, start, {
    thumb: isThumb(session, start),
    ...(range.count === undefined ? {} : { count: range.count }),
  });
  const { end } = range;
  const instructions = end === undefined ? read : read.filter(({ address }) => address < end);
  let pc: bigint | undefined;
  try {
    pc = session.frame.address;
  } catch {
    // Without a thread, code can still be shown.
  }
  const { columns } = session.ui.size();
  const references = new ReferenceFinder(arch.name);
  const size = arch.pointerSize;
  const lines: SafeText[] = [];
  let inside: string | undefined;
  let from: string | undefined;
  const sourceLine = range.mixed ? (await import("./source.ts")).sourceLine : undefined;
  const widest = instructions.reduce((most, { mnemonic }) => Math.max(most, mnemonic.length), 0);
  for (const instruction of instructions) {
    const { address, mnemonic, operands } = instruction;
    const { symbol, offset } = target.resolve(address);
    const name = symbol === null ? undefined : escape(session.place(symbol, 0));
    if (name !== inside && name !== undefined) {
      const heading = safe`${escape(shortName(name, columns - 1))}:`;
      lines.push(style("heading", heading));
    }
    inside = name;
    const { source } = range.mixed ? target.resolve(address) : { source: null };
    if (source !== null && `${source.file}:${source.line}` !== from) {
      from = `${source.file}:${source.line}`;
      for (const line of sourceLine?.(session, source) ?? []) lines.push(style("quiet", line));
    }
    const meant = references.addressesOf(instruction)
      .flatMap((address) => meaning(session, address) ?? []);
    const bytes = range.bytes ? hexBytes(instruction.bytes, " ") : null;
    const parts = [
      safe`${address === pc ? safe`->` : safe`  `} ${style("address", hex(address, size))}`,
      ...(symbol === null ? [] : [style("quiet", padEnd(safe`<+${offset}>`, 7))]),
      ...(bytes === null ? [] : [padEnd(bytes, longest === 4 ? 11 : 23)]),
      trimEnd(safe`${padEnd(escape(mnemonic), Math.min(widest, 8))} ${escape(operands)}`),
    ];
    const line = join(parts, "  ");
    if (meant.length === 0) {
      lines.push(line);
      continue;
    }
    const used = textWidth(withoutColours(line)) + 4;
    // What does not fit beside the instruction goes below it.
    const fits = meant.every((text) => textWidth(elide(elide(text, "<"), "(")) <= columns - used);
    const room = Math.max(12, fits ? columns - used : columns - indent - 2);
    const what = meant.map((text) => escape(shortName(text, room)));
    const comment = style("quiet", safe`; ${cut(join(what, ", "), room)}`);
    if (fits) lines.push(safe`${line}  ${comment}`);
    else lines.push(line, safe`${spaces(indent)}${comment}`);
  }
  if (range.end !== undefined && bytes.length < length) {
    const from = hex(start + BigInt(bytes.length), size);
    lines.push(style("quiet", safe`(unreadable from ${from} on)`));
  }
  return lines;
}
