/** 64-bit ARM. */

import type { InstructionSet } from "../instruction_set.ts";
import { MCONTEXT_POINTER, registerPlus, SIGINFO } from "../signal.ts";
import { isAfterCall } from "./calls.ts";
import { compactRow } from "./compact.ts";
import { analyze } from "./instructions.ts";
import { stubRow } from "./stubs.ts";

export const arm64: InstructionSet = {
  compactRow,
  analyze,
  stubRow,
  isAfterCall,
  // The kernel puts the siginfo_t at _sigtramp's stack pointer, and the ucontext_t above it.
  signalContext: (cfa) =>
    cfa?.kind === "register"
      ? registerPlus(cfa.register, cfa.offset + SIGINFO[8] + MCONTEXT_POINTER[8])
      : null,
};
