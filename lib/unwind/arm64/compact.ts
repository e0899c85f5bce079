/** Compact unwind encodings of arm64. */

import type { RegisterRule, UnwindRow } from "../../dwarf/mod.ts";
import type { CompactContext, DwarfReference } from "../instruction_set.ts";

const MODE_MASK = 0x0f00_0000;
const MODE_FRAMELESS = 0x0200_0000;
const MODE_DWARF = 0x0300_0000;
const MODE_FRAME = 0x0400_0000;
/** Like `MODE_FRAME`, with a return address signed with the pc. Signatures are removed wherever
 * return addresses are read. */
const MODE_FRAME_PAUTH_LR = 0x0500_0000;
const DWARF_OFFSET_MASK = 0x00ff_ffff;

/** DWARF numbers, from the AArch64 DWARF supplement. */
const FP = 29;
const LR = 30;
const SP = 31;
const V0 = 64;

/** Each bit stands for a register and the next one. The pairs are saved in this order, downwards.
 */
const pairs: readonly (readonly [bit: number, first: number])[] = [
  [0x001, 19],
  [0x002, 21],
  [0x004, 23],
  [0x008, 25],
  [0x010, 27],
  [0x100, V0 + 8],
  [0x200, V0 + 10],
  [0x400, V0 + 12],
  [0x800, V0 + 14],
];

/** The row of an encoding. */
export function compactRow(
  encoding: number,
  context?: CompactContext,
): UnwindRow | DwarfReference | null {
  switch (encoding & MODE_MASK) {
    case MODE_FRAME:
    case MODE_FRAME_PAUTH_LR: {
      const above = context === undefined ? 0 : reservedAbove(context);
      const registers = new Map<number, RegisterRule>([
        [LR, { kind: "offset", offset: -8 - above }],
        [FP, { kind: "offset", offset: -16 - above }],
      ]);
      addPairs(registers, encoding, -24 - above);
      return row(FP, 16 + above, registers);
    }
    case MODE_FRAMELESS: {
      // The size is in units of 16 bytes and includes the saved registers. They are pushed first,
      // so the first is directly below the CFA, as clang's call-frame information says too.
      // (LLVM's libunwind reads it a word higher.)
      const size = ((encoding >>> 12) & 0xfff) * 16;
      const registers = new Map<number, RegisterRule>([[LR, { kind: "same" }]]);
      const end = addPairs(registers, encoding, -8);
      return size + end + 8 < 0 ? null : row(SP, size, registers);
    }
    case MODE_DWARF:
      return { dwarf: encoding & DWARF_OFFSET_MASK };
    default:
      return null;
  }
}

/** Bytes of a function's prologue that are looked at: as many instructions as set up a frame at most. */
const PROLOGUE = 48;

/** How many bytes a function with a frame has reserved between its frame record and its caller's stack
 * pointer: for the arguments of a function that it jumps to, and that takes more of them on the stack
 * (Swift's `swifttailcc`). The encoding has no place for it. */
function reservedAbove({ functionStart, readCode }: CompactContext): number {
  const code = readCode?.(functionStart, PROLOGUE);
  if (code === undefined || code === null) return 0;
  const view = new DataView(code.buffer, code.byteOffset, code.length);
  let size = 0;
  for (let at = 0; at + 4 <= code.length; at += 4) {
    const word = view.getUint32(at, true);
    // add x29, sp, #n; mov x29, sp
    if ((word & 0xffc003ff) >>> 0 === 0x910003fd) {
      const above = size - ((word >>> 10) & 0xfff) - 16;
      return above > 0 ? above : 0;
    }
    // sub sp, sp, #n
    if ((word & 0xffc003ff) >>> 0 === 0xd10003ff) size += (word >>> 10) & 0xfff;
    // stp x, y, [sp, #-n]!; stp dx, dy, [sp, #-n]!
    else if ([0xa9a003e0, 0x6da003e0].includes((word & 0xffe003e0) >>> 0)) {
      size += 8 * (128 - ((word >>> 15) & 0x7f));
    } // str x, [sp, #-n]!
    else if ((word & 0xfff00fe0) >>> 0 === 0xf8100fe0) size += 512 - ((word >>> 12) & 0x1ff);
    else if (isBranch(word) || (word & 0xff0003ff) >>> 0 === 0x910003ff) return 0;
  }
  return 0;
}

function isBranch(word: number): boolean {
  return (word & 0x7c000000) === 0x14000000 || (word & 0x7c000000) === 0x34000000 ||
    (word & 0xfc000000) >>> 0 === 0x54000000 || (word & 0xfc000000) >>> 0 === 0xd4000000;
}

/** Adds the saved pairs from `offset` downwards. Returns the offset after the last. */
function addPairs(
  registers: Map<number, RegisterRule>,
  encoding: number,
  offset: number,
): number {
  for (const [bit, first] of pairs) {
    if ((encoding & bit) === 0) continue;
    registers.set(first, { kind: "offset", offset });
    registers.set(first + 1, { kind: "offset", offset: offset - 8 });
    offset -= 16;
  }
  return offset;
}

function row(
  register: number,
  offset: number,
  registers: ReadonlyMap<number, RegisterRule>,
): UnwindRow {
  return {
    cfa: { kind: "register", register, offset },
    registers,
    returnAddress: LR,
    signalFrame: false,
  };
}
