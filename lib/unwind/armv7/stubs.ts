/** Stubs and stub helpers. ld64 writes them (`src/ld/passes/stubs`), and no unwind information
 * describes them. */

import type { UnwindRow } from "../../dwarf/mod.ts";
import type { ReadCode } from "../instruction_set.ts";
import { SP } from "./registers.ts";

const LR = 14;

/** `str ip, [sp, #-4]!`, twice in the part that all entries of `__stub_helper` have in common. */
const PUSH = 0xe52dc004;
/** Maximum number of instructions from the first to the end of the common part. */
const MAX_AFTER_PUSH = 6;

/** The row of an instruction in `__stubs` or `__stub_helper`. */
export function stubRow(readCode: ReadCode, pc: bigint, isHelper: boolean): UnwindRow {
  let offset = 0;
  for (let back = 1; isHelper && back <= MAX_AFTER_PUSH; back++) {
    const code = readCode(pc - BigInt(4 * back), 4);
    if (code === null || code.length < 4) break;
    const word = new DataView(code.buffer, code.byteOffset, 4).getUint32(0, true);
    if (word === PUSH) offset += 4;
    // Before a jump is another entry: b, ldr pc.
    if (word >>> 24 === 0xea || (word & 0x0c50f000) === 0x0410f000) break;
  }
  return {
    cfa: { kind: "register", register: SP, offset },
    registers: new Map([[LR, { kind: "same" }]]),
    returnAddress: LR,
    signalFrame: false,
  };
}
