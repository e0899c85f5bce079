/** Unwinding, with no process in it: from registers, a stack and images to frames.
 *
 * @module
 */
export {
  type CfaRule,
  type FoundBy,
  type RegisterRule,
  type StopReason,
  unwind,
  type UnwindImages,
  type UnwindInput,
  type UnwindOptions,
  type UnwindPlan,
  unwindPlan,
  type UnwindRow,
  type UnwoundFrame,
  type UnwoundStack,
} from "./mod.ts";
export {
  type Arch,
  type ArchName,
  archs,
  type Flavor,
  type Register,
  Registers,
  type RegisterValue,
} from "../arch/mod.ts";
