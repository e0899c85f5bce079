/** 32-bit ARM, in ARM and Thumb code. */

import { armv7 as arch, readRegister, register } from "../../arch/mod.ts";
import type { UnwindRow } from "../../dwarf/mod.ts";
import type { InstructionSet, ReadCode } from "../instruction_set.ts";
import { MCONTEXT_POINTER, registerPlus, SIGINFO } from "../signal.ts";
import { isThumb, nextExecuted } from "./conditions.ts";
import { openExceptionIndex } from "./exception_index.ts";
import { analyze, beginsFunction, exits, overwritten } from "./instructions.ts";
import { LR, SP } from "./registers.ts";

const cpsr = register(arch.threadState, "cpsr");

export const armv7: InstructionSet = {
  // The linker makes no compact encodings for armv7.
  compactRow: () => null,
  analyze,
  overwritten,
  swiftRegisters: new Set([8, 10]),
  stubRow,
  exits,
  beginsFunction,
  isAfterCall,
  restoresLink,
  openExceptionIndex,
  // At _sigtramp's stack pointer are two arguments, then the siginfo_t, then the ucontext_t.
  signalContext: (cfa) =>
    cfa?.kind === "register"
      ? registerPlus(cfa.register, cfa.offset + 8 + SIGINFO[4] + MCONTEXT_POINTER[4])
      : null,
  nextExecuted(pc, state, thumb, readCode) {
    const flags = Number(readRegister(state, cpsr));
    // With flags that were not captured, Thumb code would be read as ARM code.
    return isThumb(flags) === thumb ? nextExecuted(pc, flags, readCode) : pc;
  },
};

/** Whether the instruction before `returnAddress` is BL or BLX, of ARM or Thumb code; `null` when
 * it cannot be read. */
export function isAfterCall(
  readCode: ReadCode,
  returnAddress: bigint,
  thumb: boolean,
): boolean | null {
  const code = readCode(returnAddress - 4n, 4);
  if (code === null || code.length < 4) return null;
  const view = new DataView(code.buffer, code.byteOffset, 4);
  if (thumb) {
    const first = view.getUint16(0, true);
    const second = view.getUint16(2, true);
    const bl = (first & 0xf800) === 0xf000 && (second & 0xc000) === 0xc000;
    return bl || (second & 0xff87) === 0x4780;
  }
  const word = view.getUint32(0, true);
  const bl = (word & 0x0f000000) === 0x0b000000;
  const blx = (word & 0x0ffffff0) === 0x012fff30;
  return bl || blx;
}

/** Whether the instruction at `returnAddress` is `mov lr, rN` or `ldr lr, [sp], #8`. */
function restoresLink(readCode: ReadCode, returnAddress: bigint, thumb: boolean): boolean {
  const code = readCode(returnAddress, 4);
  if (code === null || code.length < 4) return false;
  const view = new DataView(code.buffer, code.byteOffset, 4);
  const [first, second] = [view.getUint16(0, true), view.getUint16(2, true)];
  if (thumb) return (first & 0xff87) === 0x4686 || first === 0xf85d && second === 0xeb08;
  return second === 0xe1a0 && (first & 0xfff0) === 0xe000 || second === 0xe49d && first === 0xe008;
}

/** `str ip, [sp, #-4]!`, twice in the part that all entries of `__stub_helper` have in common. */
const PUSH = 0xe52dc004;
/** Maximum number of instructions from the first to the end of the common part. */
const MAX_AFTER_PUSH = 6;

/** The row of an instruction in `__stubs` or `__stub_helper`. ld64 writes them (`src/ld/passes/stubs`),
 * and no unwind information describes them. */
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
