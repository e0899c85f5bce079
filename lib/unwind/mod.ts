/** Unwinds stacks: from registers, a stack and images to frames. It knows no process; `lib/target`
 * makes its frames of these.
 *
 * @module
 */
export type {
  FoundBy,
  StopReason,
  UnwindImages,
  UnwindInput,
  UnwindOptions,
  UnwoundFrame,
  UnwoundStack,
} from "./frame.ts";
export type { CfaRule, RegisterRule, UnwindRow } from "../dwarf/mod.ts";
export { type AsyncContexts, contextReader, readContexts } from "./async.ts";
export { describeRow } from "./describe.ts";
export { unwind } from "./unwind.ts";
export { type UnwindPlan, unwindPlan } from "./unwind_plan.ts";
