/** Profiles: what they hold, how they are built, and what they say in sum. Files are read and written by
 * `formats.ts`, which is loaded where that is done.
 *
 * @module
 */
export {
  type FrameParts,
  type FunctionParts,
  ProfileBuilder,
  type ProfileInfo,
  type SampleParts,
  type ThreadParts,
} from "./builder.ts";
export {
  type FrameColumns,
  framesOf,
  type FunctionColumns,
  functionName,
  type Profile,
  type ProfileImage,
  type ProfileProcess,
  type ProfileThread,
  type SampleColumns,
  sampleCount,
  SampleState,
  type StackColumns,
  totalWeight,
  type WeightUnit,
} from "./model.ts";
export { type PushFrame, rebuilt } from "./rebuild.ts";
export { MAX_DEPTH, threadTitle } from "./titles.ts";
export {
  type CallTree,
  callTree,
  type CallTreeOptions,
  type FunctionWeight,
  functionWeights,
  mergeThreads,
  type SampleSelection,
  selectSamples,
} from "./tree.ts";
