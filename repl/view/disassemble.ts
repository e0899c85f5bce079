/** Machine code as text, by Capstone, with what its addresses mean. */
import { MemoryReadError } from "../../lib/errors.ts";
import { escape } from "../../lib/escape.ts";
import type { ArchName, Image } from "../../mod.ts";
import { UserError } from "../errors.ts";
import { hex } from "./render.ts";
import type { Session } from "../prompt/session.ts";
import { stubTarget } from "./stubs.ts";
import { quoted } from "./values.ts";

/** What is to be disassembled. */
export interface CodeRange {
  readonly start: bigint;
  /** Exclusive. */
  readonly end?: bigint;
  /** Instead of an end. */
  readonly count?: number;
  /** With the instructions' bytes. */
  readonly bytes?: boolean;
}

/** One instruction. */
export interface Instruction {
  readonly address: bigint;
  readonly bytes: Uint8Array;
  readonly mnemonic: string;
  readonly operands: string;
}

/** The part of Capstone's JavaScript that is used. */
interface CapstoneModule {
  readonly Capstone: new (arch: number, mode: number) => {
    disasm(
      bytes: Uint8Array,
      address: bigint,
      count?: number,
    ): readonly {
      readonly address: bigint;
      readonly size: number;
      readonly mnemonic: string;
      readonly op_str: string;
    }[];
    close(): void;
  };
  readonly [constant: string]: unknown;
}

/** The longest instruction, and the unit that code which is none is shown in, in bytes. */
const shapes: Readonly<Record<ArchName, { readonly longest: number; readonly unit: number }>> = {
  armv7: { longest: 4, unit: 2 },
  arm64: { longest: 4, unit: 4 },
  i386: { longest: 15, unit: 1 },
  x86_64: { longest: 15, unit: 1 },
};

/** Capstone's names of ARM registers, as the thread state has them. */
const armNames: Readonly<Record<string, string>> = { sb: "r9", sl: "r10", fp: "r11", ip: "r12" };
const armName = (name: string): string => armNames[name];

/** More than a screenful by far; a range typed by mistake should not run on. */
const maxInstructions = 20_000;
const maxFunction = 1 << 20;

/** More of a text than a line has room for. */
const maxText = 60;

let loading: Promise<CapstoneModule> | undefined;

async function load(): Promise<CapstoneModule> {
  const { default: start } = await import("@alexaltea/capstone-js") as unknown as {
    default: () => Promise<CapstoneModule>;
  };
  return await start();
}

/** The instructions in some bytes. Where there is none, the bytes are shown as they are.
 *
 * @param address of the first byte
 * @param thumb whether ARM code is Thumb
 */
export async function disassemble(
  arch: ArchName,
  bytes: Uint8Array,
  address: bigint,
  { count = maxInstructions, thumb = false }: { count?: number; thumb?: boolean } = {},
): Promise<Instruction[]> {
  const capstone = await (loading ??= load());
  const constant = (name: string) => capstone[name] as number;
  const [family, mode] = ({
    armv7: ["ARCH_ARM", thumb ? "MODE_THUMB" : "MODE_ARM"],
    arm64: ["ARCH_ARM64", "MODE_ARM"],
    i386: ["ARCH_X86", "MODE_32"],
    x86_64: ["ARCH_X86", "MODE_64"],
  } as const)[arch];
  const unit = arch === "armv7" && !thumb ? 4 : shapes[arch].unit;
  const decoder = new capstone.Capstone(constant(family), constant(mode));
  const found: Instruction[] = [];
  try {
    for (let at = 0; at < bytes.length && found.length < count;) {
      let decoded: ReturnType<typeof decoder.disasm> = [];
      try {
        decoded = decoder.disasm(bytes.subarray(at), address + BigInt(at), count - found.length);
      } catch {
        // It throws where not even the first is an instruction.
      }
      for (const { address: where, size, mnemonic, op_str } of decoded) {
        found.push({
          address: where,
          bytes: bytes.slice(at, at + size),
          mnemonic,
          operands: arch === "armv7" ? op_str.replace(/\b(?:sb|sl|fp|ip)\b/g, armName) : op_str,
        });
        at += size;
      }
      if (at >= bytes.length || found.length >= count) break;
      const odd = bytes.slice(at, at + unit);
      const digits = [...odd].reverse().map((byte) => byte.toString(16).padStart(2, "0")).join("");
      found.push({
        address: address + BigInt(at),
        bytes: odd,
        mnemonic: "??",
        operands: `0x${digits}`,
      });
      at += unit;
    }
  } finally {
    decoder.close();
  }
  return found;
}

/** The function around an address: its symbol's range.
 *
 * @throws UserError where none is known
 */
export function functionAt(session: Session, address: bigint): { start: bigint; end: bigint } {
  const { image } = session.target.resolve(address);
  const match = image?.symbolAt(address) ?? null;
  if (image === null || match === null) {
    throw new UserError("no function is known there: `disassemble <address> --count 10`");
  }
  const start = address - BigInt(match.offset);
  const size = match.symbol?.size ?? 0;
  if (size > maxFunction) {
    throw new UserError(`that function has ${size} bytes: say where, with --count`);
  }
  // Of a function without a name only its beginning is known: up to where another one begins.
  let end = start + BigInt(size);
  if (size === 0) {
    const here = (at: bigint) => {
      const other = image.symbolAt(at);
      return other !== null && at - BigInt(other.offset) === start;
    };
    end = address;
    while (end - start < 4096n && here(end)) end++;
  }
  return { start, end };
}

/** Whether the code at an address is Thumb: its symbol says so, or the thread that is there.
 *
 * @param address of an instruction
 */
function isThumb(session: Session, address: bigint): boolean {
  const { arch } = session.target;
  if (arch.name !== "armv7") return false;
  const { symbol } = session.target.resolve(address);
  if (symbol !== null) return symbol.thumb;
  const cpsr = session.thread.registers.get("cpsr") ?? 0n;
  return (cpsr & 0x20n) !== 0n;
}

/** The addresses that an instruction names, as far as its text tells: branch targets, and memory
 * relative to the program counter. */
function namedAddresses(
  arch: ArchName,
  { address, bytes, mnemonic, operands }: Instruction,
  pages: Map<string, bigint>,
): bigint[] {
  const number = (text: string) => text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
  if (arch === "x86_64" || arch === "i386") {
    const relative = /\[rip ([-+]) (0x[\da-f]+|\d+)\]/.exec(operands);
    if (relative !== null) {
      const displacement = BigInt(relative[2]) * (relative[1] === "-" ? -1n : 1n);
      return [address + BigInt(bytes.length) + displacement];
    }
    const target = /^(0x[\da-f]+)$/.exec(operands);
    return target !== null && /^(?:call|j|loop)/.test(mnemonic) ? [BigInt(target[1])] : [];
  }
  const target = /#(0x[\da-f]+)$/.exec(operands)?.[1];
  if (arch === "armv7") {
    return target !== undefined && /^(?:b|cb)/.test(mnemonic) && !/^(?:bic|bf)/.test(mnemonic)
      ? [BigInt(target)]
      : [];
  }
  const [first] = operands.split(",");
  if (mnemonic === "adrp" && target !== undefined) {
    pages.set(first, BigInt(target));
    return [];
  }
  // What `adrp` began, `add` and loads end.
  const sum = /^(\w+), (?:\w+, )?\[?(\w+)(?:, #(0x[\da-f]+|\d+))?\]?!?$/.exec(operands);
  const page = sum === null || !/^(?:add|ldr|ldp|str)/.test(mnemonic)
    ? undefined
    : pages.get(sum[2]);
  if (page !== undefined) return [page + number(sum![3] ?? "0")];
  pages.delete(first);
  if (target !== undefined && /^(?:b|bl|b\.\w+|cbn?z|tbn?z|adr|ldr)$/.test(mnemonic)) {
    return [BigInt(target)];
  }
  return [];
}

/** What an address means: a stub is as good as what it jumps to, and text is itself. */
function meaning(session: Session, address: bigint): string | undefined {
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
  return session.describe(address);
}

/** Lines as in `->  0x… <+19>  jmp  0x1034bc690  ; spin_inner + 0`.
 *
 * @throws MemoryReadError when nothing there can be read
 */
export async function instructionLines(session: Session, range: CodeRange): Promise<string[]> {
  const { target, style } = session;
  const { arch } = target;
  const start = range.start & arch.addressMask;
  const { longest } = shapes[arch.name];
  const length = range.end !== undefined ? Number(range.end - start) : (range.count ?? 1) * longest;
  if (length <= 0) throw new UserError("the end comes before the start");
  if (length > maxFunction) throw new UserError(`at most ${maxFunction} bytes at once`);
  const bytes = target.memory.readUpTo(start, length);
  if (bytes.length === 0) throw new MemoryReadError(start, length);
  const thumb = isThumb(session, start);
  const instructions = await disassemble(arch.name, bytes, start, {
    thumb,
    ...(range.count === undefined ? {} : { count: range.count }),
  });
  let pc: bigint | undefined;
  try {
    pc = session.frame.address;
  } catch {
    // There may be no thread; code can be looked at all the same.
  }
  const pages = new Map<string, bigint>();
  const size = arch.pointerSize;
  const lines: string[] = [];
  let inside: string | undefined;
  const widest = Math.max(0, ...instructions.map(({ mnemonic }) => mnemonic.length));
  for (const instruction of instructions) {
    const { address, mnemonic, operands } = instruction;
    const { symbol, offset } = target.resolve(address);
    const name = symbol === null ? undefined : session.place(symbol, 0);
    if (name !== inside && name !== undefined) lines.push(style("heading", `${name}:`));
    inside = name;
    const meant = namedAddresses(arch.name, instruction, pages)
      .flatMap((address) => meaning(session, address) ?? []);
    const digits = [...instruction.bytes].map((byte) => byte.toString(16).padStart(2, "0"));
    const parts = [
      `${address === pc ? "->" : "  "} ${style("address", hex(address, size))}`,
      ...(symbol === null ? [] : [style("quiet", `<+${offset}>`.padEnd(7))]),
      ...(range.bytes ? [digits.join(" ").padEnd(longest === 4 ? 11 : 23)] : []),
      `${mnemonic.padEnd(Math.min(widest, 8))} ${operands}`.trimEnd(),
      ...(meant.length === 0 ? [] : [style("quiet", `; ${meant.join(", ")}`)]),
    ];
    const line = parts.join("  ");
    lines.push(line);
  }
  if (range.end !== undefined && bytes.length < length) {
    lines.push(style("quiet", `(unreadable from ${hex(start + BigInt(bytes.length), size)} on)`));
  }
  return lines;
}
