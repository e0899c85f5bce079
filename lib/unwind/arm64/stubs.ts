/** Stubs and stub helpers. ld64 writes them (`src/ld/passes/stubs`), and no unwind information
 * describes them. */

import type { UnwindRow } from "../../dwarf/mod.ts";
import type { ReadCode } from "../instruction_set.ts";

const LR = 30;
const SP = 31;

/** `stp x16, x17, [sp, #-16]!`, in the part that all entries of `__stub_helper` have in common. */
const PUSH = 0xa9bf47f0;
/** Maximum number of instructions from there to the end of the common part. */
const MAX_AFTER_PUSH = 4;

/** The row of an instruction in `__stubs` or `__stub_helper`. */
export function stubRow(readCode: ReadCode, pc: bigint, isHelper: boolean): UnwindRow {
  let offset = 0;
  for (let back = 1; isHelper && back <= MAX_AFTER_PUSH; back++) {
    const code = readCode(pc - BigInt(4 * back), 4);
    if (code === null || code.length < 4) break;
    const word = new DataView(code.buffer, code.byteOffset, 4).getUint32(0, true);
    if (word === PUSH) offset = 16;
    // Before a jump is another entry.
    if (word === PUSH || isJump(word)) break;
  }
  return {
    cfa: { kind: "register", register: SP, offset },
    registers: new Map([[LR, { kind: "same" }]]),
    returnAddress: LR,
    signalFrame: false,
  };
}

/** `b`, `br` and the authenticated forms of `br`. */
function isJump(word: number): boolean {
  return word >>> 26 === 5 || (word & 0xfe000000) >>> 0 === 0xd6000000;
}
