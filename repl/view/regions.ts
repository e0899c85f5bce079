/** What the regions of an address space belong to. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import type { Region, Target, Thread } from "../../mod.ts";
import { join } from "./text.ts";

/** What memory is for: the `VM_MEMORY_*` of `<mach/vm_statistics.h>`. */
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

/** A protection as in `rwx`. */
export function protectionText(protection: number): SafeText {
  return escape([..."rwx"].map((letter, bit) => protection & (1 << bit) ? letter : "-").join(""));
}

/** A size as in `16 KiB`. */
export function sizeText(bytes: bigint): SafeText {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024n && value % 1024n === 0n || value >= 10240n) {
    if (unit === units.length - 1) break;
    value /= 1024n;
    unit++;
  }
  return safe`${value} ${escape(units[unit])}`;
}

/** A range of memory and what is there. */
interface Owner {
  readonly start: bigint;
  readonly end: bigint;
  readonly what: SafeText;
}

/** Tells what regions belong to.
 *
 * @param threads a region with the stack pointer of one is its stack
 */
export function regionOwners(
  target: Pick<Target, "images" | "arch">,
  threads: readonly Thread[],
): (region: Region) => SafeText {
  const owners: Owner[] = [];
  for (const image of target.images) {
    const { segments } = image as { segments?: readonly SegmentLike[] };
    const name = escape(image.name);
    for (const { name: segment, address, size } of segments ?? []) {
      // It only reserves addresses.
      if (segment === "__PAGEZERO" || size === 0) continue;
      owners.push({
        start: address,
        end: address + BigInt(size),
        what: safe`${name} ${escape(segment)}`,
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
    const stacks = sps.filter(({ sp }) => sp >= address && sp < end)
      .map(({ index }) => safe`${index}`);
    if (stacks.length > 0) {
      const noun = stacks.length > 1 ? safe`threads` : safe`thread`;
      return safe`stack of ${noun} ${join(stacks, ", ")}`;
    }
    const here = owners.filter((owner) => owner.start < end && owner.end > address)
      .map(({ what }) => what);
    if (here.length > 0) {
      const shown = [...new Set(here)];
      return shown.length > 3
        ? safe`${join(shown.slice(0, 3), ", ")}, … (${shown.length})`
        : join(shown, ", ");
    }
    if (path !== "") return path === "[heap]" ? safe`heap` : escape(path);
    if (userTag === 0) return safe``;
    return userTag in tags ? escape(tags[userTag]) : safe`tag ${userTag}`;
  };
}

/** Where a segment is. */
interface SegmentLike {
  readonly name: string;
  readonly address: bigint;
  readonly size: number;
}
