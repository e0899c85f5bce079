/** Profiles: stacks of threads over time. Built from samples, read and written in the formats of the
 * Firefox Profiler, speedscope, pprof, Chrome and FlameGraph, and summed.
 *
 * @example
 * ```ts
 * import { functionName, functionWeights, readProfile } from "@machpause/machpause/profile";
 *
 * const profile = await readProfile(await Deno.readFile("app.json.gz"), "app.json.gz");
 * for (const { function: index, self, total } of functionWeights(profile).slice(0, 10)) {
 *   console.log(self, total, functionName(profile, index));
 * }
 * ```
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
  formatOfName,
  type ProfileFormat,
  profileFormats,
  profileStream,
  readProfile,
  writeProfile,
  type WriteProfileOptions,
} from "./formats.ts";
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
