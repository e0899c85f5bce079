import { MemoryReadError, TargetGoneError } from "../errors.ts";
import { escape, type RawText } from "../escape.ts";
import { ElfImage } from "../elf/mod.ts";
import type { OpenFile } from "../file_system.ts";
import {
  type AddressRange,
  type ByteSource,
  bytesSource,
  type LoadedImage,
  type MemoryReader,
} from "../macho/walking.ts";
import type { Region } from "./kernel.ts";

/** An image of which only the place is known: it has a name and offsets, but no symbols. */
export class PlacedImage implements LoadedImage {
  readonly path: RawText;
  readonly name: RawText;
  readonly uuid: string | null;
  readonly loadAddress: bigint;
  /** As if linked at 0. */
  readonly slide: bigint;
  readonly ranges: readonly AddressRange[];

  constructor(
    path: string,
    uuid: string | null,
    loadAddress: bigint,
    ranges: readonly AddressRange[],
  ) {
    this.path = path;
    this.name = path.slice(path.lastIndexOf("/") + 1);
    this.uuid = uuid;
    this.loadAddress = loadAddress;
    this.slide = loadAddress;
    this.ranges = ranges;
  }

  symbolAt(): null {
    return null;
  }

  findSymbols(): [] {
    return [];
  }

  toString(): string {
    return `0x${this.loadAddress.toString(16)} ${escape(this.path)}`;
  }

  /** The form of `bt --json`. */
  toJSON(): Record<string, unknown> {
    const hex = `0x${this.loadAddress.toString(16)}`;
    return { name: this.name, path: this.path, uuid: this.uuid, loadAddress: hex, slide: hex };
  }
}

/** The mapped files that hold code, in rising order.
 *
 * @param machO the Mach-O images, whose files are not to be listed again; by address, for the kernel names a
 *   file otherwise than dyld does once it is deleted or replaced
 * @param before the files found last time: one that is mapped as it was keeps its object
 * @param open a mapped file, given where it begins and its size; `null` when it cannot be read
 */
export function mappedFiles(
  regions: readonly Region[],
  machO: readonly LoadedImage[],
  before: readonly ElfImage[],
  open: (path: string, address: bigint, size: number) => ByteSource | null,
): ElfImage[] {
  const byPath = new Map<string, Region[]>();
  for (const region of regions) {
    if (region.path === "") continue;
    const group = byPath.get(region.path);
    if (group === undefined) byPath.set(region.path, [region]);
    else group.push(region);
  }
  const executable = 4;
  const headers = new Set(machO.map(({ loadAddress }) => loadAddress));
  return [...byPath]
    .filter(([, group]) =>
      group.some(({ protection }) => (protection & executable) !== 0) &&
      !group.some(({ address }) => headers.has(address))
    )
    .map(([path, all]) => {
      const group = asLoaded(all);
      const ranges = group.map(({ address, size }) => ({ start: address, end: address + size }));
      const { start } = ranges[0];
      const same = before.find((file) => file.path === path && isSame(file.ranges, ranges));
      if (same !== undefined) return same;
      return new ElfImage(
        path,
        ranges,
        () => open(path, start, Number(ranges.at(-1)!.end - start)),
      );
    });
}

/** The largest gap between two segments of a file that was loaded. */
const MAX_GAP = 1n << 30n;

/** The regions that a file was loaded into. A program may map a part of its file once more, far away: V8 does so
 * with its built-in functions, to have them near its own code. The file's addresses do not hold there. */
function asLoaded(regions: readonly Region[]): readonly Region[] {
  const first = regions.findIndex(({ address, size }, at) =>
    at + 1 < regions.length && regions[at + 1].address - address - size > MAX_GAP
  );
  return first < 0 ? regions : regions.slice(0, first + 1);
}

function isSame(a: readonly AddressRange[], b: readonly AddressRange[]): boolean {
  return a.length === b.length &&
    a.every(({ start, end }, index) => start === b[index].start && end === b[index].end);
}

/** Maximum size of the kernel's code in a target, the vdso. It has a few pages. */
const maxKernelCode = 1 << 20;

/** A mapped file, and how it is read. */
export interface MappedPlace {
  readonly path: string;
  readonly address: bigint;
  /** Bytes from the first mapping's start to the last one's end. */
  readonly size: number;
  readonly openFile: ((path: string) => OpenFile) | undefined;
  readonly memory: MemoryReader;
}

/** The contents of a mapped file, or of what the kernel maps and no file has; `null` when they cannot be
 * read. */
export function openMapped(place: MappedPlace): ByteSource | null {
  const { path, address, size, openFile, memory } = place;
  if (path.startsWith("[")) {
    try {
      return size > maxKernelCode ? null : bytesSource(memory.read(address, size), path);
    } catch (error) {
      if (error instanceof MemoryReadError || error instanceof TargetGoneError) return null;
      throw error;
    }
  }
  return openFile === undefined ? null : openInParts(path, openFile);
}

/** Bytes that a small read takes from the file: headers and names are next to each other. */
const windowSize = 16 << 10;

/** A file that is opened for each read, so that nobody has to close it. Reads are few and large; small ones
 * are answered from the part that was read last.
 *
 * @returns `null` when it cannot be opened
 */
export function openInParts(path: string, openFile: (path: string) => OpenFile): ByteSource | null {
  let size: number;
  let start = 0;
  let kept: Uint8Array;
  try {
    using file = openFile(path);
    size = file.size;
    kept = file.read(0, windowSize);
  } catch {
    return null; // it was deleted, or may not be read
  }
  return {
    name: path,
    size,
    read(offset, length, into) {
      const isSmall = length < windowSize;
      const isKept = offset >= start && offset + length <= start + kept.length;
      if (!isKept) {
        using file = openFile(path);
        if (!isSmall) return file.read(offset, length, into);
        start = offset;
        kept = file.read(offset, windowSize);
      }
      return kept.subarray(offset - start, offset - start + length);
    },
  };
}
