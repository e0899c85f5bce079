/** The part of this folder's face that is about running processes and their stacks: what is loaded at
 * every start.
 *
 * @module
 */
export { type DispatchQueue, DispatchReader, type QosClass } from "./dispatch.ts";
export {
  type ImageInfosHead,
  imageListRanges,
  type ListedImage,
  readImageInfosHead,
  readImageList,
} from "./dyld.ts";
export type { CopiedMemory } from "./copied_memory.ts";
export {
  Backtrace,
  describeLocation,
  type FollowOptions,
  followTime,
  Frame,
  preparationTime,
  readerOfVariables,
} from "./frame.ts";
export { ImageList, type ImageSource } from "./images.ts";
export type {
  Capture,
  CapturedThread,
  CaptureOptions,
  DyldInfo,
  MachKernel,
  OwnImage,
  Region,
  SampleVisitor,
  Sampling,
  SamplingOptions,
  ThreadInfo,
} from "./kernel.ts";
export { type CrashSource, type LiveOptions, LiveTarget } from "./live.ts";
export { mappedFiles, openInParts, openMapped, PlacedImage } from "./mapped_file.ts";
export { Memory, type ReadInto } from "./memory.ts";
export { Pause } from "./pause.ts";
export { PerfMap } from "./perf_map.ts";
export type { CoreOrigin, SaveCoreOptions, SavedCore } from "./save_core.ts";
export type { CoreStyle } from "./save_core_plan.ts";
export type { RecordOptions, Sample, SampledThread, SampleOptions, StackNode } from "./sampling.ts";
export { SelfTarget } from "./self.ts";
export { type FollowedLocals, Snapshot, type SnapshotOptions, Target } from "./target.ts";
export {
  type CodeResolver,
  resolverOf,
  type RunState,
  Thread,
  type ThreadContext,
  type ThreadControl,
} from "./thread.ts";
