/** x86, in 64 and in 32 bits. */

import { type Arch, i386 as arch32, x86_64 as arch64 } from "../../arch/mod.ts";
import type { InstructionSet } from "../instruction_set.ts";
import { DW_OP_deref, DW_OP_plus_uconst, MCONTEXT_POINTER, registerPlus, uleb } from "../signal.ts";
import { isAfterCall } from "./calls.ts";
import { compactRow } from "./compact.ts";
import { analyzer } from "./instructions.ts";
import { stubRow } from "./stubs.ts";

/** DWARF numbers of the registers that hold the `ucontext_t *`: the argument, and where `_sigtramp`
 * keeps it. */
const R8 = 8;
const RBX = 3;

/** `mov %r8, %rbx`, with which `_sigtramp` keeps its argument. */
const MOVE = [0x4c, 0x89, 0xc3];

function isMoved(executed: Uint8Array | null): boolean {
  return executed === null ||
    executed.some((_, at) => MOVE.every((byte, index) => executed[at + index] === byte));
}

function x86(
  arch: Arch,
): Pick<InstructionSet, "compactRow" | "analyze" | "stubRow" | "isAfterCall"> {
  return {
    compactRow: (encoding, context) => compactRow(arch, encoding, context),
    analyze: analyzer(arch),
    stubRow: (readCode, pc, isHelper) => stubRow(arch, readCode, pc, isHelper),
    isAfterCall: (readCode, returnAddress) => isAfterCall(arch, readCode, returnAddress),
  };
}

export const x86_64: InstructionSet = {
  ...x86(arch64),
  signalContext: (_cfa, executed) =>
    registerPlus(isMoved(executed) ? RBX : R8, MCONTEXT_POINTER[8]),
};

export const i386: InstructionSet = {
  ...x86(arch32),
  // The arguments on the stack are the handler, style, signal, siginfo and ucontext.
  signalContext: (cfa) =>
    cfa?.kind === "register"
      ? [
        ...registerPlus(cfa.register, cfa.offset + 16),
        DW_OP_deref,
        DW_OP_plus_uconst,
        ...uleb(MCONTEXT_POINTER[4]),
      ]
      : null,
  swapEspEbp: true,
};
