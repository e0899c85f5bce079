/** 64-bit ARM. */

import type { UnwindRow } from "../../dwarf/mod.ts";
import type { InstructionSet, ReadCode } from "../instruction_set.ts";
import { MCONTEXT_POINTER, registerPlus, SIGINFO } from "../signal.ts";
import { compactRow } from "./compact.ts";
import { haskell } from "./haskell.ts";
import { analyze, exits, overwritten } from "./instructions.ts";

export const arm64: InstructionSet = {
  compactRow,
  analyze,
  overwritten,
  swiftRegisters: new Set([20, 21, 22]),
  stubRow,
  exits,
  isAfterCall,
  restoresLink,
  haskell,
  // The kernel puts the siginfo_t at _sigtramp's stack pointer, and the ucontext_t above it.
  signalContext: (cfa) =>
    cfa?.kind === "register"
      ? registerPlus(cfa.register, cfa.offset + SIGINFO[8] + MCONTEXT_POINTER[8])
      : null,
};

/** Whether the instruction before `returnAddress` is BL, BLR or an authenticating form of BLR;
 * `null` when it cannot be read. */
export function isAfterCall(readCode: ReadCode, returnAddress: bigint): boolean | null {
  const code = readCode(returnAddress - 4n, 4);
  if (code === null || code.length < 4) return null;
  const word = new DataView(code.buffer, code.byteOffset, 4).getUint32(0, true);
  const bl = (word & 0xfc000000) >>> 0 === 0x94000000;
  const blr = (word & 0xfefff000) >>> 0 === 0xd63f0000;
  return bl || blr;
}

/** Whether the instruction at `returnAddress` is `mov x30, xN` or `ldr x30, [sp], #16`. */
function restoresLink(readCode: ReadCode, returnAddress: bigint): boolean {
  const code = readCode(returnAddress, 4);
  if (code === null || code.length < 4) return false;
  const word = new DataView(code.buffer, code.byteOffset, 4).getUint32(0, true);
  return (word & 0xffe0ffff) >>> 0 === 0xaa0003fe || word === 0xf84107fe;
}

const LR = 30;
const SP = 31;

/** `stp x16, x17, [sp, #-16]!`, in the part that all entries of `__stub_helper` have in common. */
const PUSH = 0xa9bf47f0;
/** Maximum number of instructions from there to the end of the common part. */
const MAX_AFTER_PUSH = 4;

/** The row of an instruction in `__stubs` or `__stub_helper`. ld64 writes them (`src/ld/passes/stubs`),
 * and no unwind information describes them. */
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
