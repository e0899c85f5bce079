/** The images of a stackshot: it has their UUIDs and where they are loaded, and no more. */
import { type ArchName, archs } from "../arch/mod.ts";
import type { LoadedImage } from "../macho/mod.ts";
import { PlacedImage } from "../target/mod.ts";
import type { LoadInfo, StackshotData, TaskData } from "./data.ts";

/** Finds an image's file by its UUID.
 *
 * @example
 * ```ts
 * import { type FindImage, Image } from "@machpause/machpause";
 *
 * const image = Image.fromFile(await Deno.readFile("demo"), "demo");
 * const find: FindImage = (uuid) => uuid === image.uuid ? image : null;
 * ```
 * @param loadAddress where its header is to be
 * @returns `null` when it is not found
 */
export type FindImage = (uuid: string, loadAddress: bigint) => LoadedImage | null;

/** How far an image is taken to reach when nothing follows it: no code is larger, and addresses that
 * are in no image, such as those of generated code, should not seem to be. */
const MOST = 1n << 28n;
/** The same for a shared cache, whose images are not told apart. */
const MOST_CACHE = 1n << 32n;

interface Place {
  readonly name: string;
  readonly uuid: string;
  /** Of its header. */
  readonly address: bigint;
  /** Where its parts begin. */
  readonly starts: readonly bigint[];
  readonly most: bigint;
}

function placed(
  places: readonly Place[],
  find: FindImage | undefined,
): LoadedImage[] {
  const starts = [...new Set(places.flatMap(({ starts }) => starts))]
    .sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
  const ends = new Map(starts.map((start, index) => [start, starts[index + 1]]));
  // An image's end is a guess: where the next one begins.
  return places.map(({ name, uuid, address, starts, most }) => {
    const found = find?.(uuid, address) ?? null;
    if (found !== null) return found;
    const ranges = starts.map((start) => {
      const next = ends.get(start);
      const limit = start + most;
      return { start, end: next === undefined || next > limit ? limit : next };
    });
    ranges.sort((a, b) => a.start < b.start ? -1 : 1);
    return new PlacedImage(name, uuid, address, ranges);
  });
}

function place({ uuid, address }: LoadInfo, name = uuid): Place {
  return { name, uuid, address, starts: [address], most: MOST };
}

/** The architecture that the kernel says it is built for, which is not that of every task; `null`
 * when it does not say. */
export function kernelArch({ osVersion }: StackshotData): ArchName | null {
  const name = /_(ARM64|ARM|X86_64|I386)(?:_[A-Z0-9]+)?\s*$/.exec(osVersion ?? "")?.[1];
  switch (name) {
    case "ARM64":
      return "arm64";
    case "ARM":
      return "armv7";
    case "X86_64":
      return "x86_64";
    case "I386":
      return "i386";
    default:
      return null;
  }
}

/** The architecture of a task's code; `null` when neither it nor the kernel says. */
export function taskArch(data: StackshotData, task: TaskData): ArchName | null {
  const { cpuType } = task;
  if (cpuType !== null) {
    return Object.values(archs).find((arch) => arch.cpuType === cpuType)?.name ?? null;
  }
  const kernel = kernelArch(data);
  if (kernel === null) return null;
  const is64 = (task.flags & 1n) !== 0n;
  const isArm = kernel === "arm64" || kernel === "armv7";
  return isArm ? (is64 ? "arm64" : "armv7") : is64 ? "x86_64" : "i386";
}

/** The images that a task has for itself, and its shared cache when that is not laid out. */
export function userImages(
  data: StackshotData,
  task: TaskData,
  find: FindImage | undefined,
): LoadedImage[] {
  if (task.pid === 0) return [];
  const places = task.loadInfos.map((info) => place(info));
  const cache = task.sharedCache ?? data.sharedCache;
  // A slide and no address is what a trace buffer has of the shared cache.
  if (cache !== null && cache.base !== 0n && !usesLayout(data, task)) {
    const { uuid, base } = cache;
    places.push({
      name: "dyld_shared_cache",
      uuid,
      address: base,
      starts: [base],
      most: MOST_CACHE,
    });
  }
  return placed(places, find);
}

/** Whether a task uses the shared cache whose images the stackshot lists. */
export function usesLayout(data: StackshotData, task: TaskData): boolean {
  const { sharedCache, sharedCacheLayout } = data;
  return sharedCacheLayout.length > 0 && task.pid !== 0 &&
    (task.sharedCache === null || task.sharedCache.uuid === sharedCache?.uuid);
}

/** The images in the system's shared cache. */
export function sharedCacheImages(
  { sharedCache, sharedCacheLayout }: StackshotData,
  find: FindImage | undefined,
): LoadedImage[] {
  const slide = sharedCache?.slide ?? 0n;
  return placed(
    sharedCacheLayout.map(({ uuid, address }) => place({ uuid, address: address + slide })),
    find,
  );
}

/** The kernel and its extensions, where they were before the kernel's slide, as its frames are; none
 * when the kernel's task is not in the stackshot. */
export function kernelImages(data: StackshotData, find: FindImage | undefined): LoadedImage[] {
  const task = data.tasks.find(({ pid }) => pid === 0);
  if (task === undefined) return [];
  const code = new Map(task.textExec.map(({ uuid, address }) => [uuid, address]));
  const places = task.loadInfos.map((info, index) => {
    const exec = code.get(info.uuid);
    const made = place(info, index === 0 ? "kernel" : info.uuid);
    return exec === undefined || exec === info.address
      ? made
      : { ...made, starts: [info.address, exec] };
  });
  if (places.length === 0 && task.kernelCache !== null) {
    places.push(place(task.kernelCache, "kernelcache"));
  }
  return placed(places, find);
}
