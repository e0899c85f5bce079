/** Stackshots: the stacks of all threads of a task or of the whole system, captured by the kernel.
 *
 * @module
 */
export type {
  Change,
  LoadInfo,
  RawFrame,
  SharedCacheInfo,
  StackshotData,
  TaskData,
  ThreadData,
  TurnstileInfo,
  WaitInfo,
} from "./data.ts";
export { imageFinder } from "./find.ts";
export type { FindImage } from "./images.ts";
export type { KcContainer, KcItem } from "./kcdata.ts";
export type { Struct, Value } from "./layout.ts";
export { readStackshot } from "./read.ts";
export { Stackshot, type StackshotServices, StackshotTask } from "./stackshot.ts";
export { StackshotThread } from "./thread.ts";
