/** Compact unwind encodings of arm64. */

import type { RegisterRule, UnwindRow } from "../../dwarf/mod.ts";
import type { DwarfReference } from "../instruction_set.ts";

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
export function compactRow(encoding: number): UnwindRow | DwarfReference | null {
  switch (encoding & MODE_MASK) {
    case MODE_FRAME:
    case MODE_FRAME_PAUTH_LR: {
      const registers = new Map<number, RegisterRule>([
        [LR, { kind: "offset", offset: -8 }],
        [FP, { kind: "offset", offset: -16 }],
      ]);
      addPairs(registers, encoding, -24);
      return row(FP, 16, registers);
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
