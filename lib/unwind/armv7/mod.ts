/** 32-bit ARM, in ARM and Thumb code. */

import { armv7 as arch, readRegister, register } from "../../arch/mod.ts";
import type { InstructionSet } from "../instruction_set.ts";
import { MCONTEXT_POINTER, registerPlus, SIGINFO } from "../signal.ts";
import { isAfterCall } from "./calls.ts";
import { isThumb, nextExecuted } from "./conditions.ts";
import { analyze } from "./instructions.ts";
import { stubRow } from "./stubs.ts";

const cpsr = register(arch.threadState, "cpsr");

export const armv7: InstructionSet = {
  // The linker makes no compact encodings for armv7.
  compactRow: () => null,
  analyze,
  stubRow,
  isAfterCall,
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
