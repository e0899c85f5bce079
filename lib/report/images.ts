/** Questions about a report's images: which one holds an address, which are the system's. */

import type { ArchName } from "../arch/mod.ts";
import { isSystemPath } from "../symbols/system_image.ts";
import { systemNames, systemPrograms } from "./system_names.ts";
import type { CrashReport, ReportFrame, ReportImage } from "./report.ts";

/** The architecture for a code type such as `ARM-64 (Native)`, `X86-64` or `arm64e`; `null` when it is not
 * supported. */
export function archOfCodeType(codeType: string | null): ArchName | null {
  const text = (codeType ?? "").toLowerCase().replaceAll("_", "-");
  if (text.startsWith("arm-64") || text.startsWith("arm64")) return "arm64";
  if (text.startsWith("arm")) return "armv7";
  if (text.startsWith("x86-64")) return "x86_64";
  if (text.startsWith("x86") || text.startsWith("i386")) return "i386";
  return null;
}

/** From this size on an entry is the shared cache, which contains other images. */
const WIDE = 1n << 29n;

/** Finds the image that contains an address; where several do, the one with the highest base. */
export function imageFinder<Found extends Pick<ReportImage, "base" | "size">>(
  images: readonly Found[],
): (address: bigint) => Found | null {
  const sorted = images.filter(({ size }) => size > 0n)
    .sort((a, b) => a.base < b.base ? -1 : a.base > b.base ? 1 : 0);
  const wide = sorted.filter(({ size }) => size >= WIDE);
  let last: Found | null = null;
  return (address) => {
    if (last !== null && holds(last, address)) return last;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle].base <= address) low = middle + 1;
      else high = middle;
    }
    const found = sorted[low - 1];
    if (found === undefined) return null;
    if (!holds(found, address)) return wide.findLast((image) => holds(image, address)) ?? null;
    // The shared cache is not remembered: the next address may be in an image inside it.
    if (found.size < WIDE) last = found;
    return found;
  };
}

/** The image that contains an address, as {@linkcode imageFinder} finds it: to ask once takes no sorting. */
export function imageAt(images: readonly ReportImage[], address: bigint): ReportImage | null {
  let nearest: ReportImage | null = null;
  let wide: ReportImage | null = null;
  for (const image of images) {
    const { base, size } = image;
    if (size <= 0n || base > address) continue;
    if (nearest === null || base >= nearest.base) nearest = image;
    if (size < WIDE || !holds(image, address)) continue;
    if (wide === null || base >= wide.base) wide = image;
  }
  return nearest !== null && holds(nearest, address) ? nearest : wide;
}

function holds({ base, size }: Pick<ReportImage, "base" | "size">, address: bigint): boolean {
  return address >= base && address < base + size;
}

/** A UUID as it is given. */
const dashed = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
const undashed = /^[0-9A-F]{32}$/;
/** It stands where there is none. */
const zeroes = "00000000-0000-0000-0000-000000000000";

/** Normalizes a UUID to upper case with dashes; `null` when the text is not a UUID or is all zero. */
export function normalUuid(text: string): string | null {
  const given = text.toUpperCase();
  // A list of images has hundreds.
  if (given.length === 36 && dashed.test(given)) return given === zeroes ? null : given;
  const digits = given.length === 32 ? given : given.replaceAll("-", "");
  if (digits.length !== 32 || !undashed.test(digits)) return null;
  const uuid = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${
    digits.slice(16, 20)
  }-${digits.slice(20)}`;
  return uuid === zeroes ? null : uuid;
}

/** `com.apple.myCocoaApplication` and its like are what Xcode's templates named programs by default. */
const systemName =
  /^(?:com\.apple\.(?!my[A-Z]|carbonbundletemplate)|libsystem_|libSystem\.|libobjc\.|libdispatch\.|libswift|libc\+\+|dyld$|dyld_sim$|AGX(?:GL|Metal)|ATIRadeon|AMDRadeon|AMDMTL|AppleIntel\w+(?:GL|MTL|GraphicsMTL)|AppleParavirtGPU|AppleMetalGL|GeForce(?:GL|MTL|VA|X)|GLEngine$|GLRenderer|libGPUSupport|lib(?:RIP|PDFRIP|CSync|CGX\w+|CGATS|CGInterfaces|ColorSync)\.A\.dylib$)/;

/** Whether an image comes with the system, by its path, or by its name where the report has no path. */
export function isSystemImage({ path, name }: Pick<ReportImage, "path" | "name">): boolean {
  const key = path ?? name;
  const places = path === null ? rememberedNames : rememberedPaths;
  let isSystem = places.get(key);
  if (isSystem === undefined) {
    // Jailbreaks put the system's own loader elsewhere.
    isSystem = isSystemPath(key) || key.endsWith("/dyld") ||
      path !== null && isHiddenSimulator(path, name) ||
      path === null && (systemNames.has(name) || systemPrograms.has(name) ||
          systemName.test(name) || isOverlay(name));
    if (places.size >= MAX_REMEMBERED) places.clear();
    places.set(key, isSystem);
  }
  return isSystem;
}

/** Whether a name is that of the library that Swift imports for two frameworks together: `_AVKit_SwiftUI`. */
function isOverlay(name: string): boolean {
  const match = /^_([A-Z]\w{1,60}?)_([A-Z]\w{1,60})$/.exec(name);
  return match !== null && systemNames.has(match[1]) && systemNames.has(match[2]);
}

/** Whether a path without its middle is that of a simulator's framework: reports hide where a volume is mounted. */
function isHiddenSimulator(path: string, name: string): boolean {
  // Markdown takes the asterisk for a mark.
  if (!/^\/Volumes\/VOLUME\/[*_]\//.test(path)) return false;
  const base = baseName(path);
  return name.startsWith("com.apple.") || systemNames.has(base) || systemName.test(base);
}

/** The same few images are in all frames of many reports. */
const rememberedPaths = new Map<string, boolean>();
const rememberedNames = new Map<string, boolean>();
const MAX_REMEMBERED = 1 << 12;

/** The image of a frame, or the name of one that the report does not list; `null` when it has neither. */
export function imageOf(frame: ReportFrame): Pick<ReportImage, "path" | "name"> | null {
  const { image, imageName } = frame;
  if (image !== null) {
    return (image.path === null && isNoImage(image.name)) || isUnlisted(image) ? null : image;
  }
  return imageName === null || isNoImage(imageName) ? null : { path: null, name: imageName };
}

/** Whether an entry of the list of images is one of which nothing was found: `0x0 - 0xffffffffffffffff ??? unknown-arch
 * <0000…> ???`. */
function isUnlisted({ path, name }: Pick<ReportImage, "path" | "name">): boolean {
  return (path === null || path === "???") && /^\?\?\?(?: unknown-arch)?$/.test(name);
}

/** Whether an image has no name of its own: it is listed by its UUID alone. */
export function isUnnamedImage(image: Pick<ReportImage, "path" | "name">): boolean {
  return /^(?:<[\da-f-]{32,36}>$|\?\?\?)/i.test(imageTitle(image));
}

/** Whether an entry without a path stands for code outside of all images: `???`, or what an engine compiled. */
export function isNoImage(name: string): boolean {
  // A log may have a function of C++ where others have the image.
  return name === "???" || name === compiled || name.includes("::");
}

/** How iOS 26 lists the memory for what JavaScriptCore compiles, from `jitStartAddress` on. */
const compiled = "JIT";

/** Whether a frame is in what an engine compiled while the process ran, by the list of images. */
export function isCompiled(frame: ReportFrame): boolean {
  return (frame.image?.path ?? null) === null &&
    (frame.image?.name ?? frame.imageName) === compiled;
}

/** Whether a frame's code comes with the system; false where its image is not known. */
export function isSystemFrame(frame: ReportFrame): boolean {
  const image = imageOf(frame);
  return image !== null && (frame.cached === true || isSystemImage(image));
}

/** Whether a frame's code is the kernel's or an extension's: their addresses are in the upper half. */
export function isKernelFrame({ address, image, imageName }: ReportFrame): boolean {
  return address >= 0xffff_0000_0000_0000n || (image?.name ?? imageName) === "kernel";
}

/** Where XNU reserves room for the shared cache, in which only the system's images are: osfmk/mach/shared_region.h,
 * SHARED_REGION_BASE_ARM64, SHARED_REGION_BASE_X86_64, that since macOS 11, and SHARED_REGION_BASE_ARM, as it was
 * first. */
const caches = {
  armv7: { begin: 0x3000_0000n, end: 0x4000_0000n },
  arm64: { begin: 0x1_8000_0000n, end: 0x2_8000_0000n },
  x86_64: { begin: 0x7ff8_0000_0000n, end: 0x7fff_0000_0000n },
} as const;

/** Whether a frame's address is in the shared cache. */
export function isInCache({ arch }: CrashReport, { address }: ReportFrame): boolean {
  if (arch !== "arm64" && arch !== "x86_64" && arch !== "armv7") return false;
  const { begin, end } = caches[arch];
  return address >= begin && address < end;
}

/** Marks the frames of a report without a list of images whose addresses are in the shared cache: their images are the
 * system's, whatever their names. Names of the program are not: people change addresses in what they show. */
export function markCached({ arch, images, process, stacks, threads }: CrashReport): void {
  if (images.length > 0) {
    // Of some only the identifier is known.
    const { begin, end } = caches.arm64;
    for (const image of arch === "arm64" ? images : []) {
      if (image.path === null && image.name === "???" && image.base >= begin && image.base < end) {
        (image as { name: string }).name = "shared cache";
      }
    }
    return;
  }
  const kind = arch === "x86_64" || arch === "arm64" || arch === "armv7"
    ? arch
    // A piece without a header.
    : arch === null && process.name === null
    ? cacheOf(stacks)
    : null;
  if (kind === null) return;
  const { begin, end } = caches[kind];
  const mark = (frame: ReportFrame): void => {
    const { address, imageName, image } = frame;
    if (
      address >= begin && address < end && image === null && imageName !== null &&
      imageName !== process.name && imageName !== process.identifier
    ) {
      (frame as { cached?: true }).cached = true;
    }
  };
  for (const stack of stacks) for (const frame of stack) mark(frame);
  // The nodes of call trees have frames of their own.
  const nodes = threads.flatMap(({ tree }) => tree);
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    mark(node.frame);
    for (const child of node.children) nodes.push(child);
  }
}

/** Index of the innermost frame of a stack without images whose address is not in the shared cache, where others that are
 * in it called or were called: it is the program's, or of a library that came with it. -1 when there is none. */
export function outsideOfCache({ arch }: CrashReport, stack: readonly ReportFrame[]): number {
  if (arch !== "arm64") return -1;
  const { begin, end } = caches.arm64;
  const isInside = ({ address }: ReportFrame): boolean => address >= begin && address < end;
  const at = stack.findIndex((frame) => !isInside(frame));
  // Programs are below it.
  return at > 0 && stack[at].address >= PROGRAMS && stack[at].address < begin &&
      stack.some(isInside)
    ? at
    : -1;
}

/** Where Mac OS X 10.0 to 10.4 have the system's libraries, and dyld: osfmk/mach/shared_memory_server.h,
 * GLOBAL_SHARED_TEXT_SEGMENT; dyld's own base. */
const oldLibraries = { begin: 0x9000_0000n, end: 0xa000_0000n } as const;
const oldDyld = { begin: 0x8fe0_0000n, end: 0x8ff0_0000n } as const;

/** What the addresses of a stack without images are in, where all are in the system's code; `null` for others. */
export function systemByAddresses(
  { arch, text }: CrashReport,
  stack: readonly ReportFrame[],
): "libraries" | "dyld" | null {
  if (stack.length === 0) return null;
  const isWithin = ({ begin, end }: { begin: bigint; end: bigint }): boolean =>
    stack.every(({ address }) => address >= begin && address < end);
  if (arch === "arm64") return isWithin(caches.arm64) ? "libraries" : null;
  // Their reports have the number of an exception after its name.
  if (!/\bEXC_[A-Z_]{3,30} \(0x000\d\)/.test(text.slice(0, 1 << 16))) return null;
  return isWithin(oldLibraries) ? "libraries" : isWithin(oldDyld) ? "dyld" : null;
}

/** Where a 64-bit program's `__PAGEZERO` ends. */
const PROGRAMS = 0x1_0000_0000n;

/** Which shared cache the system's functions of stacks are in; `null` when they are in none. */
function cacheOf(stacks: CrashReport["stacks"]): keyof typeof caches | null {
  for (const stack of stacks) {
    for (const { address, imageName } of stack) {
      if (imageName === null || !surelyCached.test(imageName)) continue;
      for (const kind of ["arm64", "x86_64"] as const) {
        if (address >= caches[kind].begin && address < caches[kind].end) return kind;
      }
      return null;
    }
  }
  return null;
}

const surelyCached =
  /^(?:libsystem_(?:kernel|c|malloc|pthread|platform)\.dylib|libobjc\.A\.dylib|libdispatch\.dylib|(?:com\.apple\.)?CoreFoundation)$/;

/** The program's main image: the one at the process's path, or with its name, else the first that is not
 * the system's. */
export function programImage(report: CrashReport): ReportImage | null {
  const { path, name } = report.process;
  return report.images.find((image) => path !== null && image.path === path) ??
    report.images.find((image) => image.name === name || image.path?.endsWith(`/${name}`)) ??
    report.images.find((image) => !isSystemImage(image)) ?? null;
}

/** The last component of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Libraries whose functions are on all stacks, and which others call for what they do themselves. */
const base =
  /^(?:lib(?:system|System|dispatch|objc|c\+\+|stdc\+\+|dyld|swift)|dyld|(?:com\.apple\.)?(?:Core)?Foundation$)/;

/** Whether an image, by its title, is one of the libraries that all others are built on: those of C, C++, Objective-C and
 * Swift, libdispatch, dyld and Foundation. */
export function isBaseLibrary(title: string): boolean {
  return base.test(title);
}

/** The file name of a frame's image; empty where it is not known. */
export function titleOf(frame: ReportFrame): string {
  const image = imageOf(frame);
  return image === null ? "" : imageTitle(image);
}

/** An image's file name; its name in the report, possibly a bundle identifier, when it has no path. */
export function imageTitle(image: Pick<ReportImage, "path" | "name">): string {
  return image.path === null ? image.name : baseName(image.path);
}
