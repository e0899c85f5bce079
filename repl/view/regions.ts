/** What the regions of an address space belong to. */
import { escape } from "../../lib/escape.ts";
import type { Region, Target, Thread } from "../../mod.ts";

/** `VM_MEMORY_*` of `<mach/vm_statistics.h>` that say what memory is for. */
const tags: Readonly<Record<number, string>> = {
  1: "malloc",
  2: "malloc small",
  3: "malloc large",
  4: "malloc huge",
  5: "sbrk",
  6: "malloc realloc",
  7: "malloc tiny",
  8: "malloc large reusable",
  9: "malloc large reused",
  11: "malloc nano",
  12: "malloc medium",
  20: "analysis tool",
  21: "Mach messages",
  30: "stack",
  31: "guard",
  32: "shared pmap",
  33: "dylib",
  34: "Objective-C dispatchers",
  35: "unshared pmap",
  41: "AppKit",
  42: "Foundation",
  43: "CoreGraphics",
  54: "CGImage",
  60: "dyld",
  61: "dyld malloc",
  62: "SQLite",
  63: "JavaScript core",
  64: "JavaScript JIT executables",
  65: "JavaScript JIT registers",
  70: "GLSL",
  71: "OpenCL",
  73: "libdispatch",
  79: "OS alloc once",
};

/** As in `rwx`. */
export function protectionText(protection: number): string {
  return `${protection & 1 ? "r" : "-"}${protection & 2 ? "w" : "-"}${protection & 4 ? "x" : "-"}`;
}

/** As in `16 KiB`. */
export function sizeText(bytes: bigint): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024n && value % 1024n === 0n || value >= 10240n) {
    if (unit === units.length - 1) break;
    value /= 1024n;
    unit++;
  }
  return `${value} ${units[unit]}`;
}

/** A stretch of memory and what is there. */
interface Owner {
  readonly start: bigint;
  readonly end: bigint;
  readonly what: string;
}

/** Tells what regions belong to.
 *
 * @param threads whose stacks are known by their stack pointers
 */
export function regionOwners(
  target: Pick<Target, "images" | "arch">,
  threads: readonly Thread[],
): (region: Region) => string {
  const owners: Owner[] = [];
  for (const image of target.images) {
    const { segments } = image as { segments?: readonly SegmentLike[] };
    const name = escape(image.name);
    for (const { name: segment, address, size } of segments ?? []) {
      // What only reserves addresses is no part of the file.
      if (segment === "__PAGEZERO" || size === 0) continue;
      owners.push({
        start: address,
        end: address + BigInt(size),
        what: `${name} ${escape(segment)}`,
      });
    }
    if (segments === undefined) {
      for (const { start, end } of image.ranges) owners.push({ start, end, what: name });
    }
  }
  const sps = threads.flatMap((thread) => {
    const sp = thread.registers.get(target.arch.sp.name);
    return sp === undefined ? [] : [{ sp, index: thread.index }];
  });
  return ({ address, size, path, userTag }) => {
    const end = address + size;
    const stacks = sps.filter(({ sp }) => sp >= address && sp < end).map(({ index }) => index);
    if (stacks.length > 0) {
      return `stack of thread${stacks.length > 1 ? "s" : ""} ${stacks.join(", ")}`;
    }
    const here = owners.filter((owner) => owner.start < end && owner.end > address)
      .map(({ what }) => what);
    if (here.length > 0) {
      const shown = [...new Set(here)];
      return shown.length > 3
        ? `${shown.slice(0, 3).join(", ")}, … (${shown.length})`
        : shown.join(", ");
    }
    if (path !== "") return path === "[heap]" ? "heap" : escape(path);
    return userTag === 0 ? "" : tags[userTag] ?? `tag ${userTag}`;
  };
}

/** The part of a segment that says where it is. */
interface SegmentLike {
  readonly name: string;
  readonly address: bigint;
  readonly size: number;
}
