/** What the instruction tells that the CPU stopped at: by which registers it uses memory, by what it divides, which pointer
 * it checks. Encodings: Arm Architecture Reference Manual, C4.1; Intel, Software Developer's Manual, volume 2. */

import { X86Decoder } from "../../unwind/x86/decode.ts";
import { programCounter, register } from "../fault.ts";
import { instructionBytes } from "../instruction_bytes.ts";
import { once } from "../remember.ts";
import type { CrashReport, ReportThread } from "../report.ts";
import { isNonCanonical } from "./region.ts";
import { interrupted } from "./stack.ts";

/** The bytes at the crashed thread's program counter; `null` where the report does not have them. Rosetta has the counter in
 * `tmp0` and the bytes there in `tmp1` and `tmp2`. */
export function bytesAtCounter(report: CrashReport): Uint8Array | null {
  const stream = instructionBytes(report);
  if (stream !== null) return stream.at;
  const thread = report.crashedThread;
  const counter = register(thread, "tmp0");
  if (counter === null || counter !== programCounter(thread)) return null;
  const words = [register(thread, "tmp1"), register(thread, "tmp2")].filter((word) =>
    word !== null
  );
  const bytes = new DataView(new ArrayBuffer(words.length * 8));
  for (const [at, word] of words.entries()) bytes.setBigUint64(at * 8, word, true);
  return words.length === 0 ? null : new Uint8Array(bytes.buffer);
}

/** How functions of the two kinds of CPUs begin and end, by their bytes: Intel's push the frame pointer, and make room on the
 * stack; ARM's are words of four bytes. */
const intelIdioms = /55 48 89 e5|f3 0f 1e fa|48 83 ec [0-7][08]|48 81 ec .. .. 0. 00/;
const armIdioms: readonly ((word: number) => boolean)[] = [
  // stp x29, x30, [sp, …]; sub sp, sp, …; pacibsp; bti; ret, retab
  (word) =>
    (word & 0xffc0_7fff) >>> 0 === 0xa980_7bfd || (word & 0xffc0_7fff) >>> 0 === 0xa900_7bfd,
  (word) => (word & 0xffc0_03ff) >>> 0 === 0xd100_03ff,
  (word) => word === 0xd503_237f || (word & 0xffff_ff3f) >>> 0 === 0xd503_241f,
  (word) => word === 0xd65f_03c0 || word === 0xd65f_0fff,
];

/** For which CPU the bytes at the program counter are code that is not for the process's own: `null` where they do not tell. */
export function foreignCode(report: CrashReport): "Intel's" | "ARM's" | null {
  const bytes = bytesAtCounter(report);
  if (bytes === null) return null;
  if (report.arch === "arm64") {
    return intelIdioms.test(
        Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" "),
      )
      ? "Intel's"
      : null;
  }
  if (report.arch !== "x86_64" || (programCounter(report.crashedThread) ?? 1n) % 4n !== 0n) {
    return null;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const word = view.getUint32(at, true);
    if (armIdioms.some((is) => is(word))) return "ARM's";
  }
  return null;
}

/** Whether code begins at the program counter of a stack that has nothing else: before it are zeros. */
export function isAtBeginning(report: CrashReport): boolean {
  const before = instructionBytes(report)?.before;
  return before !== undefined && before.length >= MIN_BEFORE &&
    before.every((byte) => byte === 0) && report.crashedThread?.frames.length === 1;
}

/** Bytes in front of code that are enough to tell that none is there. */
const MIN_BEFORE = 16;

/** A place in memory as an instruction has it: `base + displacement + index × scale`. */
interface Operand {
  readonly base: string;
  readonly displacement: bigint;
  readonly index: string | null;
  /** How the index is made wide. */
  readonly extend: "none" | "unsigned" | "signed";
  readonly scale: bigint;
}

/** By which registers an instruction got to an address. */
export interface Used {
  /** In words: `x8 + 16`. */
  readonly formula: string;
  /** The register that has the pointer. */
  readonly base: string;
  readonly value: bigint;
  /** The register of the index; `null` without one. */
  readonly index: string | null;
  /** The index's value, made as wide as an address. */
  readonly count: bigint;
  readonly offset: bigint;
  /** Whether it is a call or jump by an address that is read there. */
  readonly calls: boolean;
  readonly address: bigint;
}

const intelNames = [
  ...["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"],
  ...["r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"],
];

/** Opcodes that do nothing with the place that their operand names. */
const unused: readonly number[] = [0x8d, 0x0f1f, 0x0f0d, 0x0f18];

/** The instruction at the program counter of Intel's CPUs; `null` where it cannot be decoded. */
function intelInstruction(report: CrashReport): X86Decoder | null {
  const bytes = report.arch === "x86_64" || report.arch === "i386" ? bytesAtCounter(report) : null;
  const decoder = new X86Decoder(report.arch === "x86_64");
  return bytes !== null && decoder.decode(bytes, 0) ? decoder : null;
}

function intelName({ arch }: CrashReport, number: number): string {
  return number >= 8 ? intelNames[number] : `${arch === "x86_64" ? "r" : "e"}${intelNames[number]}`;
}

function intelOperands(report: CrashReport): Operand[] {
  const decoder = intelInstruction(report);
  if (decoder === null) return [];
  const plain = { displacement: 0n, index: null, extend: "none", scale: 1n } as const;
  const { opcode, base, displacement, hasIndex, index, scale } = decoder;
  // Instructions of strings have their registers in themselves.
  if (opcode >= 0xa4 && opcode <= 0xaf && opcode !== 0xa8 && opcode !== 0xa9) {
    return [6, 7].map((number) => ({ base: intelName(report, number), ...plain }));
  }
  if (base < 0 || decoder.mod === 3 || unused.includes(opcode)) return [];
  return [{
    ...plain,
    base: intelName(report, base),
    displacement: BigInt(displacement),
    index: hasIndex ? intelName(report, index) : null,
    scale: BigInt(scale),
  }];
}

function armName(number: number): string {
  return number === 31 ? "sp" : number === 30 ? "lr" : number === 29 ? "fp" : `x${number}`;
}

/** The operand of a load or store of 64-bit ARM; none for other instructions. */
function armOperands(word: number): Operand[] {
  const bits = (low: number, count: number): number => (word >>> low) & ((1 << count) - 1);
  const signed = (low: number, count: number): number =>
    bits(low, count) << (32 - count) >> (32 - count);
  const operand = (displacement: number): Operand[] => [{
    base: armName(bits(5, 5)),
    displacement: BigInt(displacement),
    index: null,
    extend: "none",
    scale: 1n,
  }];
  const isVector = bits(26, 1) === 1;
  // Exclusive, ordered, compare and swap; structures of vectors.
  if ((word & 0x3f00_0000) === 0x0800_0000) return operand(0);
  if ((word & 0xbe00_0000) >>> 0 === 0x0c00_0000) return operand(0);
  if ((word & 0x3a00_0000) === 0x2800_0000) {
    const size = isVector ? 4 << bits(30, 2) : bits(30, 2) === 2 ? 8 : 4;
    // One that changes the base after the access uses it as it is.
    return operand(bits(23, 2) === 1 ? 0 : signed(15, 7) * size);
  }
  const wide = isVector && bits(30, 2) === 0 && bits(23, 1) === 1;
  const shift = wide ? 4 : bits(30, 2);
  if ((word & 0x3b00_0000) === 0x3900_0000) return operand(bits(10, 12) << shift);
  if ((word & 0x3f20_0c00) === 0x1900_0000) return operand(signed(12, 9));
  if ((word & 0x3b00_0000) !== 0x3800_0000) return [];
  if (bits(21, 1) === 0) return operand(bits(10, 2) === 1 ? 0 : signed(12, 9));
  if (bits(10, 2) === 0) return operand(0);
  // Those that check a signature first do not use the register as it is.
  if (bits(10, 2) !== 2 || bits(16, 5) === 31) return [];
  const option = bits(13, 3);
  return [{
    base: armName(bits(5, 5)),
    displacement: 0n,
    index: armName(bits(16, 5)),
    extend: option === 2 ? "unsigned" : option === 6 ? "signed" : "none",
    scale: 1n << BigInt(bits(12, 1) === 1 ? shift : 0),
  }];
}

function operandsOf(report: CrashReport): Operand[] {
  if (report.arch !== "arm64") return intelOperands(report);
  const bytes = bytesAtCounter(report);
  if (bytes === null || bytes.length < 4) return [];
  return armOperands(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true));
}

/** What an operand's place is by the registers; `null` where one is not there. */
function used(report: CrashReport, operand: Operand): Used | null {
  const { crashedThread: thread, arch } = report;
  const { base, displacement, index, extend, scale } = operand;
  const value = register(thread, base, base === "fp" ? "x29" : base === "lr" ? "x30" : base);
  const whole = index === null ? 0n : register(thread, index);
  if (value === null || whole === null) return null;
  const part = extend === "none"
    ? whole
    : extend === "unsigned"
    ? BigInt.asUintN(32, whole)
    : BigInt.asIntN(32, whole);
  const width = arch === "i386" ? 32 : 64;
  const offset = BigInt.asIntN(width, displacement + part * scale);
  const formula = base +
    (index === null ? "" : ` + ${index}${scale === 1n ? "" : ` × ${scale}`}`) +
    (displacement === 0n ? "" : displacement < 0n ? ` - ${-displacement}` : ` + ${displacement}`);
  const decoder = arch === "arm64" ? null : intelInstruction(report);
  return {
    formula,
    base,
    value,
    index,
    count: part,
    offset,
    calls: decoder?.opcode === 0xff && (decoder.reg === 2 || decoder.reg === 4),
    address: BigInt.asUintN(width, value + offset),
  };
}

/** Whether the registers are those of the instruction that failed: after a signal's handler they are not. */
export function isAtInstruction({ crashedThread: thread, exception }: CrashReport): boolean {
  return thread !== null && interrupted(thread.frames) === 0 &&
    !/^SIGABRT\b/.test(exception?.signal ?? "");
}

/** The crashed thread, for its registers; `null` where they are not those of the fault. */
export function faultingThread(report: CrashReport): ReportThread | null {
  return isAtInstruction(report) ? report.crashedThread : null;
}

/** By which registers the instruction got to the address that it failed at; `null` where its bytes are not in the report,
 * or the registers do not come to that address. */
export function usedFor(report: CrashReport, address: bigint): Used | null {
  if (!isAtInstruction(report)) return null;
  for (const operand of operandsOf(report)) {
    const found = used(report, operand);
    if (found?.address === address) return found;
  }
  return null;
}

/** Opcodes of vector instructions whose place in memory must be aligned to 16 bytes. */
const aligned: readonly number[] = [0x0f28, 0x0f29, 0x0f2b, 0x0fe7];

/** The place in memory that an Intel CPU's instruction used which met a general protection fault; `null` where it is not
 * known. */
function protectedPlace(report: CrashReport): Used | null {
  if (report.arch === "arm64" || !isAtInstruction(report)) return null;
  const [operand, ...more] = operandsOf(report);
  return operand === undefined || more.length > 0 ? null : used(report, operand);
}

/** What such an instruction used, where that is not canonical; `null` for others.
 *
 * @param textOf the text that a register's bytes are, if they are any
 */
export function protectionWords(
  report: CrashReport,
  textOf: (value: bigint) => string | null,
): string | null {
  const found = protectedPlace(report);
  if (found === null || !isNonCanonical(report, found.address)) return null;
  const text = textOf(found.value);
  return `By its instruction the address was 0x${
    found.address.toString(16)
  } (${found.formula}), which is not canonical${
    text === null ? "" : `: ${found.base} holds the text "${text}"`
  }.`;
}

/** The same where what it used is not aligned as it must be. */
export function alignmentWords(report: CrashReport): string | null {
  const found = protectedPlace(report);
  if (found === null || isNonCanonical(report, found.address)) return null;
  const { opcode, narrow } = intelInstruction(report)!;
  // movdqa; without the prefix it is of another kind.
  const isAligned = aligned.includes(opcode) || narrow && (opcode === 0x0f6f || opcode === 0x0f7f);
  return isAligned && (found.address & 15n) !== 0n
    ? `Its instruction needs an address that is aligned to 16 bytes: ${found.formula} is 0x${
      found.address.toString(16)
    }.`
    : null;
}

/** What an instruction divides by that the CPU refused: `div rsi`; `null` where it is not known. */
export const divisorWords: (report: CrashReport) => string | null = once((report) => {
  // A calculation that the CPU refused.
  if (!/^(?:EXC_ARITHMETIC|SIGFPE)$/.test(report.exception?.type ?? "")) return null;
  const decoder = isAtInstruction(report) ? intelInstruction(report) : null;
  if (decoder === null || decoder.opcode !== 0xf7 || decoder.reg < 6 || decoder.reg > 7) {
    return null;
  }
  if (decoder.mod !== 3) return null;
  const name = intelName(report, decoder.rm);
  const value = register(report.crashedThread, name);
  if (value === null) return null;
  const divisor = BigInt.asUintN(decoder.isWide ? 64 : decoder.narrow ? 16 : 32, value);
  return divisor === 0n
    ? `The instruction divides by ${name}, which is 0.`
    : `The instruction divides by ${name}, which is 0x${
      divisor.toString(16)
    } and not 0: the quotient does not fit.`;
});

/** What the instruction checks whose pointer's authentication failed, in a sentence. */
export interface Authentication {
  readonly words: string;
  /** What the pointer is of: the keys IA and IB are those of code, DA and DB those of data; Clang, Pointer Authentication. */
  readonly of: "code" | "data" | "return";
}

/** What the instruction checks whose pointer's authentication failed: the second code is the instruction itself; XNU,
 * osfmk/arm64/sleh.c: handle_pac_fail. `null` for others. */
export function authenticationOf({ exception, crashedThread }: CrashReport): Authentication | null {
  const code = exception?.codes[1] ?? 0n;
  if (code <= 0n || code >> 32n !== 0n) return null;
  const word = Number(code);
  const pointer = (number: number): string => {
    const name = armName(number);
    const value = register(crashedThread, name);
    return value === null ? name : `${name} (0x${value.toString(16)})`;
  };
  const rn = (word >>> 5) & 31;
  const rd = word & 31;
  if ((word & 0xffff_d000) >>> 0 === 0xdac1_1000) {
    const key = ["IA", "IB", "DA", "DB"][(word >>> 10) & 3];
    const of = key.startsWith("D") ? "data" : rd === 30 ? "return" : "code";
    return { words: `The pointer was in ${pointer(rd)}, by key ${key}.`, of };
  }
  if ((word & 0xffff_fbff) >>> 0 === 0xd65f_0bff) {
    return {
      words:
        "It was a return: the return address on the stack was damaged, or its stack pointer is wrong.",
      of: "return",
    };
  }
  if ((word & 0xfeff_f800) >>> 0 === 0xd61f_0800 || (word & 0xfeff_f800) >>> 0 === 0xd63f_0800) {
    return { words: `It was a call or jump by ${pointer(rn)}.`, of: "code" };
  }
  if ((word & 0xff20_0400) >>> 0 === 0xf820_0400) {
    return { words: `It was a read by ${pointer(rn)}.`, of: "data" };
  }
  // autia1716, autib1716; autiaz, autiasp, autibz, autibsp.
  if (word === 0xd503_219f || word === 0xd503_21df) {
    return { words: `The pointer was in ${pointer(17)}.`, of: "code" };
  }
  if ((word & 0xffff_ff9f) >>> 0 === 0xd503_239f) {
    return { words: `It was a check of the return address in ${pointer(30)}.`, of: "return" };
  }
  return null;
}

/** What an Intel instruction is that the CPU refused. */
export type Refused = "trap" | "avx" | "bmi" | "sse" | "other";

/** What kind of instruction an Intel CPU refused; `null` where its bytes are not in the report. */
export function refusedKind(report: CrashReport): Refused | null {
  const bytes = bytesAtCounter(report);
  if (bytes === null || bytes.length === 0) return null;
  const at = bytes.findIndex((byte) =>
    byte !== 0x66 && byte !== 0x67 && byte !== 0xf2 && byte !== 0xf3
  );
  if (at < 0) return "other";
  const [first, second, third, fourth] = bytes.subarray(at);
  if (report.arch === "x86_64" && (first === 0xc4 || first === 0xc5 || first === 0x62)) {
    const map = first === 0xc4 ? second & 0x1f : 0;
    const isBits = (map === 2 && [0xf2, 0xf3, 0xf5, 0xf6, 0xf7].includes(fourth)) ||
      (map === 3 && fourth === 0xf0);
    return isBits ? "bmi" : "avx";
  }
  // A REX prefix stands before it.
  const isRex = report.arch === "x86_64" && (first & 0xf0) === 0x40;
  const [escape, opcode] = isRex ? [second, third] : [first, second];
  if (escape !== 0x0f) return "other";
  // A copy may have the first byte only.
  if (opcode === undefined || opcode === 0x0b || opcode === 0xb9 || opcode === 0xff) return "trap";
  return opcode === 0x38 || opcode === 0x3a || (opcode === 0xb8 && bytes[0] === 0xf3)
    ? "sse"
    : "other";
}

/** The number of a check of Clang's undefined-behavior sanitizer: `ud1 number(%eax), %eax`; LLVM, X86: the `ubsantrap`
 * intrinsic. `null` for other instructions. */
export function checkNumber(report: CrashReport): number | null {
  const bytes = report.arch === "x86_64" ? bytesAtCounter(report) : null;
  return bytes !== null && bytes.length >= 5 && bytes[0] === 0x67 && bytes[1] === 0x0f &&
      bytes[2] === 0xb9 && bytes[3] === 0x40
    ? bytes[4]
    : null;
}
