/** The ways to step from a frame to its caller.
 *
 * @module
 */
export { describeRow } from "./describe.ts";
export { type UnwindPlan, unwindPlan } from "./unwind_plan.ts";
export { walk } from "./walk.ts";
