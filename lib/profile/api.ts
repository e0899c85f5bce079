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
export * from "./builder.ts";
export {
  formatOfName,
  type ProfileFormat,
  profileFormats,
  profileStream,
  readProfile,
  writeProfile,
  type WriteProfileOptions,
} from "./formats.ts";
export * from "./model.ts";
export * from "./tree.ts";
