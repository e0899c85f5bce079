import type { ArchName } from "../arch/mod.ts";
import { arm64 } from "./arm64/mod.ts";
import { armv7 } from "./armv7/mod.ts";
import type { InstructionSet } from "./instruction_set.ts";
import { i386, x86_64 } from "./x86/mod.ts";

/** The instruction set of each architecture. */
export const instructionSets: Readonly<Record<ArchName, InstructionSet>> = {
  armv7,
  arm64,
  i386,
  x86_64,
};
