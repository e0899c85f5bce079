/** Memory as lines of text: as a hexdump, as typed values, or as instructions. */
import { MemoryReadError } from "../../lib/errors.ts";
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { hexBytes } from "../../lib/hex.ts";
import { maxWidth } from "../edit/width.ts";
import { UserError } from "../errors.ts";
import type { Layout, Layouts } from "./layout.ts";
import { hex, hexdump } from "./render.ts";
import type { Session } from "../prompt/session.ts";
import { indented, join } from "./text.ts";
import type { Radix, ValueContext } from "./values.ts";

/** Maximum number of bytes: bounds what is typed by mistake. */
export const maxBytes = 1 << 20;

/** How memory is shown. */
export interface Format {
  /** The name of a type; a hexdump without it. */
  readonly type?: string;
  readonly radix?: Radix;
  /** Instructions. */
  readonly code?: boolean;
}

/** gdb's and LLDB's letters for formats.
 *
 * @param size of one item in bytes; a default where the user gave none
 */
export function letterFormat(letter: string, size: number, session: Session): Format {
  const bits = 8 * size;
  switch (letter) {
    case "x":
      return { type: `u${bits}`, radix: "hex" };
    case "d":
      return { type: `i${bits}` };
    case "u":
      return { type: `u${bits}` };
    case "o":
      return { type: `u${bits}`, radix: "octal" };
    case "t":
    case "b":
      return { type: `u${bits}`, radix: "binary" };
    case "z":
      return { type: `u${bits}`, radix: "hex" };
    case "f":
      return { type: size === 4 ? "f32" : "f64" };
    case "a":
    case "A":
    case "p":
      return { type: "pointer" };
    case "c":
      return { type: "char" };
    case "s":
      return { type: "cstring" };
    case "i":
      return { code: true };
    case "y":
    case "Y":
      return {};
    default:
      throw new UserError(
        `there is no format ${letter} (${session.target.arch.name}): x d u o t f a c s i`,
      );
  }
}

/** LLDB's names for these letters. */
export const wordFormats: Readonly<Record<string, string>> = {
  "hex": "x",
  "decimal": "d",
  "unsigned": "u",
  "unsigned decimal": "u",
  "octal": "o",
  "binary": "t",
  "float": "f",
  "address": "a",
  "pointer": "a",
  "char": "c",
  "character": "c",
  "c-string": "s",
  "string": "s",
  "instruction": "i",
  "bytes": "y",
};

/** The types of a session's target. */
export async function layouts(session: Session): Promise<Layouts> {
  const { Layouts } = await import("./layout.ts");
  return new Layouts(session.target.arch, session.structs);
}

function valueContext(
  session: Session,
  radix: Radix | undefined,
  quoted: (bytes: Uint8Array) => SafeText,
): ValueContext {
  return {
    describe(address) {
      const place = session.describe(address);
      return place === undefined ? undefined : escape(place);
    },
    textAt(address) {
      const bytes = session.target.memory.readUpTo(address, 256);
      return bytes.length === 0 ? undefined : quoted(bytes);
    },
    pointerSize: session.target.arch.pointerSize,
    ...(radix === undefined ? {} : { radix }),
  };
}

/** Memory as values of a type. */
async function typedLines(
  session: Session,
  address: bigint,
  layout: Layout,
  count: number,
  radix: Radix | undefined,
): Promise<SafeText[]> {
  const { quoted, valueLines } = await import("./values.ts");
  const { memory } = session.target;
  const size = session.target.arch.pointerSize;
  const context = valueContext(session, radix, quoted);
  const at = (address: bigint) => session.style("address", hex(address, size));
  const lines: SafeText[] = [];
  if (layout.kind === "cstring") {
    let next = address;
    for (let index = 0; index < count; index++) {
      const bytes = memory.readUpTo(next, 4096);
      if (bytes.length === 0) throw new MemoryReadError(next, 1);
      const end = bytes.indexOf(0);
      lines.push(safe`${at(next)}  ${quoted(bytes)}${end < 0 ? safe`…` : safe``}`);
      next += BigInt((end < 0 ? bytes.length : end) + 1);
    }
    return lines;
  }
  if (layout.size * count > maxBytes) throw new UserError(`at most ${maxBytes} bytes at once`);
  const bytes = memory.readUpTo(address, layout.size * count);
  if (bytes.length < layout.size) throw new MemoryReadError(address, layout.size * count);
  const whole = Math.floor(bytes.length / layout.size);
  const simple = layout.kind !== "struct" && layout.kind !== "array";
  const values = Array.from({ length: whole }, (_, item) => {
    const start = item * layout.size;
    return valueLines(layout, bytes.subarray(start, start + layout.size), context);
  });
  let perLine = simple && layout.kind !== "pointer" ? Math.max(1, 16 / layout.size) : 1;
  if (simple) {
    const { columns } = session.ui.size();
    const room = columns - 2 * size - 4;
    const widest = maxWidth(values.map(([text]) => text)) + 2;
    while (perLine > 1 && perLine * widest > room) perLine /= 2;
  }
  for (let index = 0; index < whole; index += perLine) {
    const items = values.slice(index, index + perLine);
    const where = at(address + BigInt(index * layout.size));
    if (simple) lines.push(safe`${where}  ${join(items.flat(), "  ")}`);
    else {
      lines.push(safe`${where}  ${escape(layout.name)}`);
      for (const line of indented(items.flat())) lines.push(line);
    }
  }
  if (whole < count) {
    const end = hex(address + BigInt(bytes.length), size);
    lines.push(session.style("quiet", safe`(unreadable from ${end} on)`));
  }
  return lines;
}

function dumpLines(session: Session, address: bigint, length: number): SafeText[] {
  if (length > maxBytes) throw new UserError(`at most ${maxBytes} bytes at once`);
  const bytes = session.target.memory.readUpTo(address, length);
  if (bytes.length === 0 && length > 0) throw new MemoryReadError(address, length);
  const size = session.target.arch.pointerSize;
  const lines = hexdump(bytes, address, size, session.style, session.ui.size().columns);
  if (bytes.length < length) {
    const end = hex(address + BigInt(bytes.length), size);
    lines.push(session.style("quiet", safe`(unreadable from ${end} on)`));
  }
  return lines;
}

/** Memory in a format.
 *
 * @param count number of items; without it, 64 bytes of a hexdump or one item
 */
export async function formatted(
  session: Session,
  address: bigint,
  format: Format,
  count: number | undefined,
): Promise<SafeText[]> {
  if (format.code) {
    const { instructionLines } = await import("./disassemble.ts");
    return await instructionLines(session, { start: address, count: count ?? 1 });
  }
  if (format.type === undefined) return dumpLines(session, address, count ?? 64);
  const layout = (await layouts(session)).parse(format.type);
  return await typedLines(session, address, layout, count ?? 1, format.radix);
}

/** Memory in a format as one JSON object: the bytes of a dump in hexadecimal, else values as they are printed, those
 * of a struct by lines. What cannot be read is left out, and `isWhole` is false.
 *
 * @param count as {@linkcode formatted} takes it
 * @throws UserError for instructions
 */
export async function formattedJson(
  session: Session,
  address: bigint,
  format: Format,
  count: number | undefined,
): Promise<Record<string, unknown>> {
  if (format.code) throw new UserError("instructions are not printed as JSON");
  const { memory, arch } = session.target;
  const where = hex(address, arch.pointerSize);
  if (format.type === undefined) {
    const length = Math.min(count ?? 64, maxBytes);
    const bytes = memory.readUpTo(address, length);
    if (bytes.length === 0 && length > 0) throw new MemoryReadError(address, length);
    return { address: where, bytes: hexBytes(bytes), isWhole: bytes.length === length };
  }
  const layout = (await layouts(session)).parse(format.type);
  const { quoted, valueLines } = await import("./values.ts");
  if (layout.kind === "cstring") {
    return { address: where, type: "char *", value: memory.readCString(address), isWhole: true };
  }
  const length = Math.min(layout.size * (count ?? 1), maxBytes);
  const bytes = memory.readUpTo(address, length);
  if (bytes.length < layout.size) throw new MemoryReadError(address, length);
  const context = valueContext(session, format.radix, quoted);
  const values = Array.from({ length: Math.floor(bytes.length / layout.size) }, (_, index) => {
    const part = bytes.subarray(index * layout.size, (index + 1) * layout.size);
    const lines = valueLines(layout, part, context);
    return lines.length === 1 ? lines[0] : lines;
  });
  return { address: where, type: layout.name, values, isWhole: bytes.length === length };
}
