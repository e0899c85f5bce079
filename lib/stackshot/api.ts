/** Stackshots: what every thread of a task or of the whole system was doing, in user space and in the
 * kernel. `openStackshot` and `takeStackshot` of the main module make them.
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
export type { KcContainer, KcItem } from "./kcdata.ts";
export type { Struct, Value } from "./layout.ts";
export { profileOfStackshots, type StackshotProfileOptions } from "./profile.ts";
export { Stackshot, StackshotTask } from "./stackshot.ts";
export { StackshotThread } from "./thread.ts";
