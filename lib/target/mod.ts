/** What is being looked at, its threads and its memory.
 *
 * @module
 */
export { CoreTarget } from "./core.ts";
export { type Crash, ThreadException } from "./core_exception.ts";
export { coreStyles } from "./save_core_plan.ts";
export * from "./walking.ts";
