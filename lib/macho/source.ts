/** The bytes of an image: in a file, or in memory, where dyld mapped it. */

import { MemoryReadError } from "../errors.ts";
import type { ByteSource } from "./bytes.ts";
import type { FileRange } from "./load_commands.ts";
import { PageCache } from "./page_cache.ts";
import type { MemoryReader, Segment } from "./types.ts";

/** An image's bytes, by file offset and by address. */
export interface ImageSource {
  /** Whether pointers in the image's data have the final values that dyld gives them. */
  readonly relocated: boolean;
  /** The bytes of `__LINKEDIT` at `range`; fewer where they end, `null` when there are none.
   *
   * @param into as large as the range at least: it may be filled and returned in part
   */
  readLinkedit(range: FileRange, into?: Uint8Array): Uint8Array | null;
  /** As {@linkcode readLinkedit}, by pages that are cached and shared with other images. */
  readShared(range: FileRange): Uint8Array | null;
  /** The address of a byte of `__LINKEDIT`, by its file offset; `null` for an image in a file. */
  addressOf(offset: number): bigint | null;
  /** The bytes at a slid address; throws `MemoryReadError` when some are missing. */
  read(address: bigint, length: number): Uint8Array;
}

/** The bytes of an image in a file.
 *
 * @param file from the Mach-O header on
 * @param segments map addresses to the file
 */
export function fileSource(file: ByteSource, segments: readonly Segment[]): ImageSource {
  const readRange = ({ offset, size }: FileRange, into?: Uint8Array): Uint8Array | null =>
    offset >= file.size || size === 0 ? null : file.read(offset, size, into);
  return {
    relocated: false,
    addressOf: () => null,
    readLinkedit: readRange,
    readShared: (range) => readRange(range),
    read(address, length) {
      for (const { address: start, fileOffset, fileSize } of segments) {
        if (address < start || address >= start + BigInt(fileSize)) continue;
        const inside = Number(address - start);
        const at = fileOffset + inside;
        if (length > fileSize - inside || at + length > file.size) break;
        const bytes = file.read(at, length);
        if (bytes.length === length) return bytes;
        break;
      }
      throw new MemoryReadError(address, length);
    },
  };
}

/** The last byte of a larger range is read first, so that a damaged length does not cost memory. */
const PROBED = 1 << 20;
/** Maximum size of a part of an image's `__LINKEDIT`. */
const MAX_RANGE = 1 << 28;
/** The smallest unit of memory protection. */
const PAGE = 0x1000;

/** Rejects addresses outside of the address space, which damage can lead to. */
export function boundedMemory(memory: MemoryReader): MemoryReader {
  return {
    read(address, length, into) {
      if (address < 0n || address + BigInt(length) > 1n << 64n) {
        throw new MemoryReadError(address, length);
      }
      return memory.read(address, length, into);
    },
  };
}

/** The bytes at `address` up to the first unreadable one; throws `MemoryReadError` when that is the
 * first of all. */
export function readAvailable(
  memory: MemoryReader,
  address: bigint,
  length: number,
): Uint8Array {
  try {
    return memory.read(address, length);
  } catch (error) {
    if (!(error instanceof MemoryReadError) || length === 0) throw error;
  }
  const parts: Uint8Array[] = [];
  let read = 0;
  while (read < length) {
    const at = address + BigInt(read);
    const size = Math.min(length - read, PAGE - Number(at & BigInt(PAGE - 1)));
    try {
      parts.push(memory.read(at, size));
    } catch (error) {
      if (!(error instanceof MemoryReadError) || read === 0) throw error;
      break;
    }
    read += size;
  }
  const bytes = new Uint8Array(read);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The bytes of an image in memory.
 *
 * File offsets are looked up in the segment `__LINKEDIT` only: in a split dyld shared cache they
 * are relative to each subcache, and those of other segments may be equal (dyld's
 * `NewSharedCacheBuilder.cpp`). Images of the cache share that segment, so that only single ranges
 * of it are read. */
export function memorySource(memory: MemoryReader, segments: readonly Segment[]): ImageSource {
  const bounded = boundedMemory(memory);
  const linkedit = segments.find(({ name }) => name === "__LINKEDIT");
  /** The address of a range, and its size up to the end of its segment. */
  const locate = ({ offset, size }: FileRange): { start: bigint; length: number } | null => {
    for (const { address, fileOffset, fileSize } of linkedit ? [linkedit] : segments) {
      if (offset < fileOffset || offset >= fileOffset + fileSize || size === 0) continue;
      const length = Math.min(size, fileOffset + fileSize - offset);
      return { start: address + BigInt(offset - fileOffset), length };
    }
    return null;
  };
  return {
    relocated: true,
    addressOf: (offset) => locate({ offset, size: 1 })?.start ?? null,
    readLinkedit(range, into) {
      const found = locate(range);
      if (found === null) return null;
      const { start, length } = found;
      if (length > MAX_RANGE) throw new MemoryReadError(start, length);
      if (length > PROBED) bounded.read(start + BigInt(length - 1), 1);
      return bounded.read(start, length, into);
    },
    readShared(range) {
      const found = locate(range);
      if (found === null) return null;
      try {
        return PageCache.of(memory).read(found.start, found.length);
      } catch (error) {
        if (!(error instanceof MemoryReadError)) throw error;
        // The rest of a page may be missing, in a core for example.
        return bounded.read(found.start, found.length);
      }
    },
    read: (address, length) => bounded.read(address, length),
  };
}
