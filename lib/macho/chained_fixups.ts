/** Chained fixups (`LC_DYLD_CHAINED_FIXUPS`): `dyld_chained_fixups_header` and the structures below
 * it in `<mach-o/fixup-chains.h>`. Each pointer in a chain holds its own fixup and the distance to
 * the next pointer. */

import type { RawText } from "../escape.ts";
import type { FixupImage } from "./dyld_info.ts";
import { type Fixup, placeOf, type PointerAuth } from "./fixups.ts";
import { rawText } from "./strings.ts";
import type { Segment } from "./types.ts";

/** A symbol that chained binds refer to. */
export interface ChainedImport {
  /** As {@linkcode Fixup.ordinal}. */
  readonly ordinal: number;
  /** As the dylib exports it. */
  readonly name: RawText;
  /** Whether the symbol may be missing. */
  readonly weakImport: boolean;
  /** Added to the symbol's address, besides the addend of the pointer itself. */
  readonly addend: bigint;
}

/** Where the chains of a segment begin. */
export interface ChainedStarts {
  /** The segment's index. */
  readonly segment: number;
  /** `DYLD_CHAINED_PTR_*`. */
  readonly pointerFormat: number;
  /** Such as `arm64e-userland`; the number for an unknown format. */
  readonly pointerFormatName: string;
  /** Bytes. */
  readonly pageSize: number;
  /** Bytes from the Mach-O header in memory. */
  readonly segmentOffset: bigint;
  /** `max_valid_pointer`: larger values in 32-bit chains are numbers, not pointers. */
  readonly maxValidPointer: number;
  /** For each page, the offsets of the chains that begin in it. */
  readonly pages: readonly (readonly number[])[];
}

/** The payload of `LC_DYLD_CHAINED_FIXUPS`. The chains themselves are in the segments. */
export interface ChainedFixups {
  /** `fixups_version`: 0. */
  readonly version: number;
  /** `DYLD_CHAINED_IMPORT*`: 1, 2 with addends, 3 with 64-bit addends. */
  readonly importsFormat: number;
  /** In the order of their ordinals in the pointers, from 0. */
  readonly imports: readonly ChainedImport[];
  /** One for each segment that has chains. */
  readonly starts: readonly ChainedStarts[];
}

/** The contents of one stored pointer. */
interface Link {
  /** Distance to the next pointer, in strides; 0 at the end of the chain. */
  readonly next: number;
  readonly bind: boolean;
  /** The target of a rebase. */
  readonly target: bigint;
  /** Whether `target` is relative to the Mach-O header. */
  readonly relative: boolean;
  /** The import of a bind. */
  readonly ordinal: number;
  readonly addend: bigint;
  readonly auth: PointerAuth | null;
}

/** An encoding of pointers. */
interface PointerFormat {
  readonly name: string;
  /** Bytes. */
  readonly size: 4 | 8;
  /** Unit of `next`, in bytes. */
  readonly stride: number;
  decode(raw: bigint, maxValidPointer: number): Link;
}

/** `count` bits of `raw` from `low` on. */
function bits(raw: bigint, low: bigint, count: bigint): number {
  return Number((raw >> low) & ((1n << count) - 1n));
}

const link: Link = {
  next: 0,
  bind: false,
  target: 0n,
  relative: false,
  ordinal: 0,
  addend: 0n,
  auth: null,
};

const keys = ["IA", "IB", "DA", "DB"] as const;

/** diversity:16 addrDiv:1 key:2, from bit 32 on. */
function authOf(raw: bigint): PointerAuth {
  return {
    diversity: bits(raw, 32n, 16n),
    addressDiversity: bits(raw, 48n, 1n) === 1,
    key: keys[bits(raw, 49n, 2n)],
  };
}

/** The arm64e formats. The two highest bits are bind and auth.
 *
 * @param ordinalBits width of a bind's ordinal
 */
function arm64e(name: string, stride: number, relative: boolean, ordinalBits: bigint) {
  return {
    name,
    size: 8,
    stride,
    decode(raw: bigint): Link {
      const auth = raw >> 63n === 1n ? authOf(raw) : null;
      const next = bits(raw, 51n, 11n);
      if (bits(raw, 62n, 1n) === 1) {
        const addend = auth === null ? BigInt.asIntN(19, raw >> 32n) : 0n;
        return { ...link, next, bind: true, ordinal: bits(raw, 0n, ordinalBits), addend, auth };
      }
      if (auth !== null) return { ...link, next, target: raw & 0xffffffffn, relative: true, auth };
      const high8 = BigInt(bits(raw, 43n, 8n)) << 56n;
      return { ...link, next, target: (raw & 0x7ffffffffffn) | high8, relative };
    },
  } as const;
}

/** target:36 high8:8 reserved:7 next:12 bind:1, or ordinal:24 addend:8 reserved:19 next:12 bind:1
 */
function pointer64(name: string, relative: boolean): PointerFormat {
  return {
    name,
    size: 8,
    stride: 4,
    decode(raw) {
      const next = bits(raw, 51n, 12n);
      if (raw >> 63n === 1n) {
        const addend = BigInt(bits(raw, 24n, 8n));
        return { ...link, next, bind: true, ordinal: bits(raw, 0n, 24n), addend };
      }
      const high8 = BigInt(bits(raw, 36n, 8n)) << 56n;
      return { ...link, next, target: (raw & 0xfffffffffn) | high8, relative };
    },
  };
}

/** target:30 cacheLevel:2 diversity:16 addrDiv:1 key:2 next:12 isAuth:1 */
function kernelCache(name: string, stride: number): PointerFormat {
  return {
    name,
    size: 8,
    stride,
    decode: (raw) => ({
      ...link,
      next: bits(raw, 51n, 12n),
      target: raw & 0x3fffffffn,
      relative: true,
      auth: raw >> 63n === 1n ? authOf(raw) : null,
    }),
  };
}

/** By `DYLD_CHAINED_PTR_*`. */
const formats: Readonly<Record<number, PointerFormat>> = {
  1: arm64e("arm64e", 8, false, 16n),
  2: pointer64("ptr64", false),
  3: {
    name: "ptr32",
    size: 4,
    stride: 4,
    // target:26 next:5 bind:1, or ordinal:20 addend:6 next:5 bind:1
    decode(raw, maxValidPointer) {
      const next = bits(raw, 26n, 5n);
      if (raw >> 31n === 1n) {
        const addend = BigInt(bits(raw, 20n, 6n));
        return { ...link, next, bind: true, ordinal: bits(raw, 0n, 20n), addend };
      }
      const target = raw & 0x3ffffffn;
      // Numbers in a chain are stored with a bias, which moves them out of the pointers' range.
      const bias = BigInt(Math.floor((0x04000000 + maxValidPointer) / 2));
      return target > BigInt(maxValidPointer) && maxValidPointer !== 0
        ? { ...link, next, target: BigInt.asUintN(32, target - bias) }
        : { ...link, next, target };
    },
  },
  4: {
    name: "ptr32-cache",
    size: 4,
    stride: 4,
    decode: (raw) => ({ ...link, next: bits(raw, 30n, 2n), target: raw & 0x3fffffffn }),
  },
  5: {
    name: "ptr32-firmware",
    size: 4,
    stride: 4,
    decode: (raw) => ({ ...link, next: bits(raw, 26n, 6n), target: raw & 0x3ffffffn }),
  },
  6: pointer64("ptr64-offset", true),
  7: arm64e("arm64e-kernel", 4, true, 16n),
  8: kernelCache("ptr64-kernel-cache", 4),
  9: arm64e("arm64e-userland", 8, true, 16n),
  10: arm64e("arm64e-firmware", 4, false, 16n),
  11: kernelCache("x86_64-kernel-cache", 1),
  12: arm64e("arm64e-userland24", 8, true, 24n),
  13: {
    name: "arm64e-shared-cache",
    size: 8,
    stride: 8,
    // runtimeOffset:34 high8:8 unused:10 next:11 auth:1, or runtimeOffset:34 diversity:16 addrDiv:1
    // keyIsData:1 next:11 auth:1
    decode(raw) {
      const next = bits(raw, 52n, 11n);
      const target = raw & 0x3ffffffffn;
      if (raw >> 63n === 0n) {
        const high8 = BigInt(bits(raw, 34n, 8n)) << 56n;
        return { ...link, next, target: target | high8, relative: true };
      }
      const auth: PointerAuth = {
        diversity: bits(raw, 34n, 16n),
        addressDiversity: bits(raw, 50n, 1n) === 1,
        key: bits(raw, 51n, 1n) === 1 ? "DA" : "IA",
      };
      return { ...link, next, target, relative: true, auth };
    },
  },
};

const START_NONE = 0xffff;
const START_MULTI = 0x8000;
const START_LAST = 0x8000;
/** Maximum page size. A larger one is damage. */
const MAX_PAGE = 1 << 16;

/** Reads the payload: imports, and where chains begin.
 *
 * @param bytes of the payload
 * @param warn reports damage, one line each; damaged parts are left out
 */
export function readChainedFixups(
  bytes: Uint8Array,
  warn: (message: string) => void,
): ChainedFixups | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 28) {
    warn(`the chained fixups: ${bytes.length} bytes are too few`);
    return null;
  }
  const u32 = (at: number): number => view.getUint32(at, true);
  return {
    version: u32(0),
    importsFormat: u32(20),
    imports: readImports(bytes, view, warn),
    starts: readStarts(bytes, view, u32(4), warn),
  };
}

function readImports(
  bytes: Uint8Array,
  view: DataView,
  warn: (message: string) => void,
): ChainedImport[] {
  const offset = view.getUint32(8, true);
  const symbols = view.getUint32(12, true);
  let count = view.getUint32(16, true);
  const format = view.getUint32(20, true);
  if (count === 0) return [];
  const size = [0, 4, 8, 16][format];
  if (!size || view.getUint32(24, true) !== 0) {
    warn("the chained fixups' imports have a format that is not known here");
    return [];
  }
  const room = Math.max(0, Math.floor((bytes.length - offset) / size));
  if (count > room) {
    warn(`the chained fixups claim ${count} imports and have room for ${room}`);
    count = room;
  }
  const imports: ChainedImport[] = [];
  // Imports may share the bytes of their names. This limits the total length.
  let text = bytes.length * 4 + 4096;
  for (let index = 0; index < count; index++) {
    const at = offset + index * size;
    const first = view.getUint32(at, true);
    // lib_ordinal:8 weak_import:1 name_offset:23; wide: 16, 1, 15 reserved, 32
    const wide = format === 3;
    const ordinal = wide ? view.getInt16(at, true) : view.getInt8(at);
    // Only the highest values are negative. The ranges are -15 to 240, or -15 to 65520.
    const unsigned = wide ? first & 0xffff : first & 0xff;
    const start = symbols + (wide ? view.getUint32(at + 4, true) : first >>> 9);
    const end = start < bytes.length ? bytes.indexOf(0, start) : -1;
    if (end < 0 || (text -= end - start) < 0) {
      warn(`the chained fixups' import ${index} has no name`);
    }
    imports.push({
      ordinal: ordinal < -15 ? unsigned : ordinal < 0 ? ordinal : unsigned,
      weakImport: ((first >>> (wide ? 16 : 8)) & 1) === 1,
      name: end < 0 || text < 0 ? "" : rawText(bytes.subarray(start, end)),
      addend: format === 2
        ? BigInt(view.getInt32(at + 4, true))
        : wide
        ? view.getBigInt64(at + 8, true)
        : 0n,
    });
    if (text < 0) break;
  }
  return imports;
}

function readStarts(
  bytes: Uint8Array,
  view: DataView,
  image: number,
  warn: (message: string) => void,
): ChainedStarts[] {
  const starts: ChainedStarts[] = [];
  if (image + 4 > bytes.length) {
    warn("the chained fixups' starts are not there");
    return starts;
  }
  const claimed = view.getUint32(image, true);
  const segments = Math.min(claimed, Math.floor((bytes.length - image - 4) / 4));
  if (segments < claimed) warn(`the chained fixups claim ${claimed} segments`);
  // Segments may share their bytes. This limits the total number of starts.
  let budget = bytes.length;
  for (let segment = 0; segment < segments; segment++) {
    const offset = view.getUint32(image + 4 + 4 * segment, true);
    if (offset === 0) continue;
    const at = image + offset;
    if (at + 22 > bytes.length) {
      warn(`the chained fixups of segment ${segment} are not there`);
      continue;
    }
    const pageCount = view.getUint16(at + 20, true);
    const pages: number[][] = [];
    const first = at + 22;
    for (let page = 0; page < pageCount; page++) {
      const place = first + 2 * page;
      if (place + 2 > bytes.length || --budget < 0) {
        warn(`the chained fixups of segment ${segment} break off at page ${page}`);
        break;
      }
      const start = view.getUint16(place, true);
      if (start === START_NONE) pages.push([]);
      else if ((start & START_MULTI) === 0) pages.push([start]);
      else {
        const several: number[] = [];
        let index = start & ~START_MULTI;
        for (;; index++) {
          const more = first + 2 * index;
          if (more + 2 > bytes.length || --budget < 0) {
            warn(`the chained fixups of segment ${segment}, page ${page}, break off`);
            break;
          }
          const value = view.getUint16(more, true);
          several.push(value & ~START_LAST);
          if ((value & START_LAST) !== 0) break;
        }
        pages.push(several);
      }
    }
    const pointerFormat = view.getUint16(at + 6, true);
    starts.push({
      segment,
      pageSize: view.getUint16(at + 4, true),
      pointerFormat,
      pointerFormatName: formats[pointerFormat]?.name ?? `${pointerFormat}`,
      segmentOffset: view.getBigUint64(at + 8, true),
      maxValidPointer: view.getUint32(at + 16, true),
      pages,
    });
  }
  return starts;
}

/** What chains need of the image. */
export interface ChainedImage extends FixupImage {
  /** The address that the Mach-O header was linked for. */
  readonly linkedAddress: bigint;
  /** The bytes of a segment in the file; fewer where the file ends. */
  readSegment(segment: Segment, offset: number, length: number): Uint8Array;
}

/** Follows all chains. They terminate, because a chain only ascends within its page. */
export function* chainedFixups(fixups: ChainedFixups, image: ChainedImage): Generator<Fixup> {
  let count = 0;
  for (const starts of fixups.starts) {
    const format = formats[starts.pointerFormat];
    const segment = image.segments[starts.segment];
    const name = `the chained fixups of segment ${starts.segment}`;
    if (format === undefined || segment === undefined || starts.pageSize > MAX_PAGE) {
      image.warn(
        segment === undefined
          ? `${name}: there is no such segment`
          : `${name}: pointer format ${starts.pointerFormat} is not known here`,
      );
      continue;
    }
    for (const [page, chains] of starts.pages.entries()) {
      if (chains.length === 0) continue;
      const pageOffset = page * starts.pageSize;
      // A pointer may extend beyond the page's end by less than its size.
      const bytes = image.readSegment(segment, pageOffset, starts.pageSize + format.size - 1);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (const start of chains) {
        for (let at = start;;) {
          if (at >= starts.pageSize || at + format.size > bytes.length) {
            image.warn(`${name}: a chain leaves page ${page}`);
            break;
          }
          if (++count > image.maxFixups) {
            image.warn(`${name}: there are more than the file has room for`);
            return;
          }
          const raw = format.size === 8
            ? view.getBigUint64(at, true)
            : BigInt(view.getUint32(at, true));
          const decoded = format.decode(raw, starts.maxValidPointer);
          const address = segment.vmAddress + BigInt(pageOffset + at);
          const common = {
            ...placeOf(image.segments, segment, address),
            address,
            type: format.name,
            auth: decoded.auth,
          };
          if (decoded.bind) {
            const imported = fixups.imports[decoded.ordinal];
            if (imported === undefined) {
              image.warn(`${name}: there is no import ${decoded.ordinal}`);
            }
            yield {
              ...common,
              kind: "bind",
              target: null,
              addend: decoded.addend + (imported?.addend ?? 0n),
              ordinal: imported?.ordinal ?? null,
              symbol: imported?.name ?? null,
              weakImport: imported?.weakImport ?? false,
            };
          } else {
            yield {
              ...common,
              kind: "rebase",
              target: decoded.relative
                ? BigInt.asUintN(64, image.linkedAddress + decoded.target)
                : decoded.target,
              addend: null,
              ordinal: null,
              symbol: null,
              weakImport: false,
            };
          }
          if (decoded.next === 0) break;
          at += decoded.next * format.stride;
        }
      }
    }
  }
}
