/** Compact unwind encodings of x86_64 and i386. The bits are the same; words have 8 and 4 bytes,
 * and the registers differ. */

import { type Arch, type ArchName, i386, register, x86_64 } from "../../arch/mod.ts";
import type { RegisterRule, UnwindRow } from "../../dwarf/mod.ts";
import type { CompactContext, DwarfReference } from "../instruction_set.ts";

const MODE_MASK = 0x0f00_0000;
const MODE_FRAME = 0x0100_0000;
const MODE_STACK_IMMEDIATE = 0x0200_0000;
const MODE_STACK_INDIRECT = 0x0300_0000;
const MODE_DWARF = 0x0400_0000;
const DWARF_OFFSET_MASK = 0x00ff_ffff;

/** Number of registers that encodings can name, from 1; 0 stands for none. */
const SAVED_REGISTERS = 6;
const FRAME_SLOTS = 5;

/** DWARF register numbers by the numbers used in encodings. */
function savedRegisters(arch: Arch, names: readonly string[]): readonly number[] {
  return [-1, ...names.map((name) => register(arch.threadState, name).dwarf!)];
}

const saved: Readonly<Partial<Record<ArchName, readonly number[]>>> = {
  x86_64: savedRegisters(x86_64, ["rbx", "r12", "r13", "r14", "r15", "rbp"]),
  i386: savedRegisters(i386, ["ebx", "ecx", "edx", "edi", "esi", "ebp"]),
};

/** The row of an encoding.
 *
 * @param arch x86_64 or i386
 */
export function compactRow(
  arch: Arch,
  encoding: number,
  context: CompactContext,
): UnwindRow | DwarfReference | null {
  switch (encoding & MODE_MASK) {
    case MODE_FRAME:
      return frameRow(arch, encoding);
    case MODE_STACK_IMMEDIATE:
      return framelessRow(arch, encoding, ((encoding >>> 16) & 0xff) * arch.pointerSize);
    case MODE_STACK_INDIRECT: {
      const size = readStackSize(arch, encoding, context);
      return size === undefined ? null : framelessRow(arch, encoding, size);
    }
    case MODE_DWARF:
      return { dwarf: encoding & DWARF_OFFSET_MASK };
    default:
      return null;
  }
}

/** The frame pointer is pushed first. Up to five registers are saved together somewhere below it.
 */
function frameRow(arch: Arch, encoding: number): UnwindRow | null {
  const word = arch.pointerSize;
  const registers = new Map<number, RegisterRule>([
    [arch.pc.dwarf!, { kind: "offset", offset: -word }],
    [arch.fp.dwarf!, { kind: "offset", offset: -2 * word }],
  ]);
  const lowest = -2 * word - ((encoding >>> 16) & 0xff) * word;
  for (let slot = 0; slot < FRAME_SLOTS; slot++) {
    const number = (encoding >>> (slot * 3)) & 7;
    if (number === 0) continue;
    const offset = lowest + slot * word;
    // The sixth is the frame pointer, which is saved elsewhere. A slot at or above its place is
    // damage.
    if (number >= SAVED_REGISTERS || offset >= -2 * word) return null;
    registers.set(saved[arch.name]![number], { kind: "offset", offset });
  }
  return row(arch, arch.fp.dwarf!, 2 * word, registers);
}

/** The registers are pushed directly below the return address, then the stack pointer is lowered.
 *
 * @param size from the stack pointer to the CFA, in bytes
 */
function framelessRow(arch: Arch, encoding: number, size: number): UnwindRow | null {
  const word = arch.pointerSize;
  const numbers = unrankPermutation((encoding >>> 10) & 7, encoding & 0x3ff);
  if (numbers === null || size < word * (numbers.length + 1)) return null;
  const registers = new Map<number, RegisterRule>([
    [arch.pc.dwarf!, { kind: "offset", offset: -word }],
  ]);
  numbers.forEach((number, index) => {
    const offset = -word * (1 + numbers.length - index);
    registers.set(saved[arch.name]![number], { kind: "offset", offset });
  });
  return row(arch, arch.sp.dwarf!, size, registers);
}

/** The saved registers, lowest address first, from the rank of their permutation: a Lehmer code, in
 * which each digit counts the unused registers before the one meant.
 *
 * @returns `null` when the count or the rank is too large
 */
function unrankPermutation(count: number, rank: number): number[] | null {
  if (count > SAVED_REGISTERS) return null;
  const digits: number[] = [];
  for (let index = count - 1; index >= 0; index--) {
    const choices = SAVED_REGISTERS - index;
    digits[index] = rank % choices;
    rank = Math.floor(rank / choices);
  }
  if (rank !== 0) return null;
  const left = Array.from({ length: SAVED_REGISTERS }, (_, index) => index + 1);
  return digits.map((digit) => left.splice(digit, 1)[0]);
}

/** The size of a stack that is too large for the encoding. The encoding says where in the function
 * the operand of `sub $size, %rsp` is, and how many words were pushed before it. */
function readStackSize(
  arch: Arch,
  encoding: number,
  { functionStart, readCode }: CompactContext,
): number | undefined {
  const operand = (encoding >>> 16) & 0xff;
  const pushed = ((encoding >>> 13) & 7) * arch.pointerSize;
  // Opcode 81 /5 on the stack pointer, with a REX prefix in 64 bits. With anything else before it,
  // the word is not that operand.
  const opcode = arch.pointerSize === 8 ? [0x48, 0x81, 0xec] : [0x81, 0xec];
  if (readCode === undefined || operand < opcode.length) return undefined;
  const length = opcode.length + 4;
  const code = readCode(functionStart + operand - opcode.length, length);
  if (code === null || code.length < length) return undefined;
  if (opcode.some((byte, index) => code[index] !== byte)) return undefined;
  const size = new DataView(code.buffer, code.byteOffset).getUint32(opcode.length, true);
  return size + pushed;
}

function row(
  arch: Arch,
  register: number,
  offset: number,
  registers: ReadonlyMap<number, RegisterRule>,
): UnwindRow {
  return {
    cfa: { kind: "register", register, offset },
    registers,
    returnAddress: arch.pc.dwarf!,
    signalFrame: false,
  };
}
