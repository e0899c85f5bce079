/** The images of a stackshot, which records only UUIDs and load addresses. */
import { type ArchName, archs } from "../arch/mod.ts";
import type { LoadedImage } from "../macho/mod.ts";
import { PlacedImage } from "../target/mod.ts";
import type { LoadInfo, StackshotData, TaskData } from "./data.ts";

/** Finds an image's file by its UUID.
 * @param loadAddress the address of its header in the result
 * @returns `null` when it is not found
 */
export type FindImage = (uuid: string, loadAddress: bigint) => LoadedImage | null;

/** Assumed size of an image that nothing follows. No code is larger, and addresses outside every image,
 * such as those of JIT code, must not be attributed to it. */
const MOST = 1n << 28n;
/** The same for a shared cache whose images are not listed. */
const MOST_CACHE = 1n << 32n;

interface Place {
  readonly name: string;
  readonly uuid: string;
  /** Address of its header. */
  readonly address: bigint;
  /** Start addresses of its segments. */
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
  // The end of an image is estimated as the start of the next one.
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

/** The kernel's architecture, which tasks need not share; `null` when it is not recorded. */
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

/** The architecture of a task's code; `null` when neither the task nor the kernel records one. */
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

/** The task's own images, and its shared cache as one image when the layout is not listed. */
export function userImages(
  data: StackshotData,
  task: TaskData,
  find: FindImage | undefined,
): LoadedImage[] {
  if (task.pid === 0) return [];
  const places = task.loadInfos.map((info) => place(info));
  const cache = task.sharedCache ?? data.sharedCache;
  // A trace buffer records the shared cache's slide, but not its address.
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

/** The kernel and its extensions at their unslid addresses, which kernel frames use too; none when the
 * stackshot does not have the kernel task. */
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
