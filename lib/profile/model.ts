/** A profile: stacks of threads over time, as columns of numbers. It is what is recorded, converted
 * and shown; it knows nothing of targets. */

import type { RawText } from "../escape.ts";
import { hex } from "../hex.ts";

/** What the weight of a sample counts. */
export type WeightUnit =
  | "samples"
  | "nanoseconds"
  | "microseconds"
  | "milliseconds"
  | "bytes";

/** Where a thread was when it was sampled; the values of {@linkcode SampleColumns.state}. */
export const SampleState = {
  /** Not said. */
  unknown: 0,
  /** It ran. */
  onCPU: 1,
  /** It waited. */
  offCPU: 2,
} as const;

/** One of the values of {@linkcode SampleState}. */
export type SampleState = typeof SampleState[keyof typeof SampleState];

/** A process of a profile. */
export interface ProfileProcess {
  /** `null` when not said. */
  readonly name: RawText | null;
  /** `null` when not said. */
  readonly pid: number | null;
}

/** A binary image of a profile. */
export interface ProfileImage {
  /** The file's name. */
  readonly name: RawText;
  /** `null` when not said. */
  readonly path: RawText | null;
  /** The Mach-O UUID, upper case with dashes, an ELF file's build ID in lower case, or what else the source wrote;
   * `null` when not said. */
  readonly uuid: string | null;
  /** Load address. 0 when not said; then the addresses of its frames are offsets in it. */
  readonly address: bigint;
  /** Bytes; 0 when not said. */
  readonly size: bigint;
  /** Such as `arm64e`; `null` when not said. */
  readonly arch: RawText | null;
}

/** Functions by index. */
export interface FunctionColumns {
  /** Number of functions. */
  readonly length: number;
  /** Index in {@linkcode Profile.strings}; -1 for a function without a name. */
  readonly name: Int32Array;
  /** Index in {@linkcode Profile.images}; -1 when it is in none. */
  readonly image: Int32Array;
  /** The source file, as an index in {@linkcode Profile.strings}; -1 when not known. */
  readonly file: Int32Array;
  /** The line where it begins, from 1; 0 when not known. */
  readonly line: Int32Array;
  /** Where its code starts; 0 when not known. Of a function without a name and a known start it is the
   * frame's address, so that such functions are different ones. */
  readonly address: BigUint64Array;
}

/** Frames by index: places in functions. */
export interface FrameColumns {
  /** Number of frames. */
  readonly length: number;
  /** The address that was looked up: the program counter of an innermost frame, one inside the call of
   * its callers. 0 when not known, as for a script's function. */
  readonly address: BigUint64Array;
  /** Index of the function. */
  readonly function: Int32Array;
  /** From 1; 0 when not known. */
  readonly line: Int32Array;
  /** From 1; 0 when not known. */
  readonly column: Int32Array;
  /** 0 for the function that has the activation, 1 for a call inlined into it, 2 for one inlined into that.
   * The frames of one activation have one address and follow each other in a stack. */
  readonly inlineDepth: Int32Array;
}

/** Stacks by index, as a tree. A prefix has a lower index than what it is the prefix of. */
export interface StackColumns {
  /** Number of stacks. */
  readonly length: number;
  /** The stack of the callers; -1 for an outermost frame. */
  readonly prefix: Int32Array;
  /** The innermost frame. */
  readonly frame: Int32Array;
}

/** The samples of a thread, ordered by time. */
export interface SampleColumns {
  /** Number of samples. */
  readonly length: number;
  /** Index of the stack; -1 for an empty one. */
  readonly stack: Int32Array;
  /** Milliseconds since {@linkcode Profile.startTime}. */
  readonly time: Float64Array;
  /** In {@linkcode Profile.unit}. */
  readonly weight: Float64Array;
  /** Microseconds of CPU time since the thread's sample before; NaN when not known. */
  readonly cpu: Float64Array;
  /** A {@linkcode SampleState}. */
  readonly state: Uint8Array;
}

/** A thread of a profile. A worker that served several queues has a row for each of them. */
export interface ProfileThread {
  /** Index in {@linkcode Profile.processes}. */
  readonly process: number;
  /** System-wide unique identifier; `null` when not said. */
  readonly id: bigint | null;
  /** `null` when it has none. */
  readonly name: RawText | null;
  /** Label of the dispatch queue it served; `null` when it served none or that is not known. */
  readonly queue: RawText | null;
  /** Whether it is the main thread of its process. */
  readonly isMain: boolean;
  /** Its samples. */
  readonly samples: SampleColumns;
}

/** A profile. */
export interface Profile {
  /** What was profiled, for titles; `null` when not said. */
  readonly product: RawText | null;
  /** Architecture of the code, such as `arm64`; `null` when not said. */
  readonly arch: RawText | null;
  /** The system, such as `macOS 14.5 (23F79)`; `null` when not said. */
  readonly os: RawText | null;
  /** When it began, in milliseconds since 1970-01-01 UTC; `null` when not said. */
  readonly startTime: number | null;
  /** Milliseconds between samples, as intended; 0 when not said. */
  readonly interval: number;
  /** What weights count. */
  readonly unit: WeightUnit;
  /** Whether samples of one stack were counted together. Then times are not known: samples follow each
   * other, each as long as its weight. */
  readonly aggregated: boolean;
  /** Samples that could not be taken. */
  readonly lost: number;
  /** Texts, by index. */
  readonly strings: readonly RawText[];
  /** Processes, by index; at least one. */
  readonly processes: readonly ProfileProcess[];
  /** Binary images, by index. */
  readonly images: readonly ProfileImage[];
  /** Functions. */
  readonly functions: FunctionColumns;
  /** Frames. */
  readonly frames: FrameColumns;
  /** Stacks. */
  readonly stacks: StackColumns;
  /** Threads. */
  readonly threads: readonly ProfileThread[];
}

/** The number of samples, of all threads.
 *
 * @example
 * ```ts
 * import { readProfile, sampleCount } from "@machpause/machpause/profile";
 *
 * const profile = await readProfile(await Deno.readFile("app.json.gz"));
 * console.log(sampleCount(profile), profile.lost);
 * ```
 */
export function sampleCount(profile: Profile): number {
  let count = 0;
  for (const { samples } of profile.threads) count += samples.length;
  return count;
}

/** The sum of all samples' weights, in {@linkcode Profile.unit}.
 *
 * @example
 * ```ts
 * import { readProfile, totalWeight } from "@machpause/machpause/profile";
 *
 * const profile = await readProfile(await Deno.readFile("app.json.gz"));
 * console.log(totalWeight(profile), profile.unit);
 * ```
 */
export function totalWeight(profile: Profile): number {
  let total = 0;
  for (const { samples } of profile.threads) {
    for (let index = 0; index < samples.length; index++) total += samples.weight[index];
  }
  return total;
}

/** What a function is called: its name, else `image + 0xoffset`, else its address.
 *
 * @example
 * ```ts
 * import { functionName, readProfile } from "@machpause/machpause/profile";
 *
 * const profile = await readProfile(await Deno.readFile("app.json.gz"));
 * console.log(functionName(profile, profile.frames.function[0]));
 * ```
 */
export function functionName(profile: Profile, index: number): RawText {
  const { functions, images, strings } = profile;
  const name = functions.name[index];
  if (name >= 0) return strings[name];
  const image = images[functions.image[index]];
  const address = functions.address[index];
  if (image === undefined) return hex(address);
  // Where the load address is not known, an address of the kernel is not an offset in its image.
  return image.address === 0n && address >> 63n === 1n
    ? `${image.name} ${hex(address)}`
    : `${image.name} + ${hex(BigInt.asUintN(64, address - image.address))}`;
}

/** The frames of a stack, innermost first.
 *
 * @example
 * ```ts
 * import { framesOf, functionName, readProfile } from "@machpause/machpause/profile";
 *
 * const profile = await readProfile(await Deno.readFile("app.json.gz"));
 * const stack = profile.threads[0].samples.stack[0];
 * for (const frame of framesOf(profile, stack)) {
 *   console.log(functionName(profile, profile.frames.function[frame]), profile.frames.line[frame]);
 * }
 * ```
 */
export function framesOf(profile: Profile, stack: number): number[] {
  const { prefix, frame } = profile.stacks;
  const frames: number[] = [];
  for (let at = stack; at >= 0; at = prefix[at]) frames.push(frame[at]);
  return frames;
}
