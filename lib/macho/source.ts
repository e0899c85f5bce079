/** Where an image's bytes come from: a file, or memory into which dyld mapped it. */

import { MemoryReadError } from "../errors.ts";
import type { ByteSource } from "./bytes.ts";
import type { FileRange } from "./load_commands.ts";
import type { MemoryReader, Segment } from "./types.ts";

/** An image's bytes, by place in the file and by address. */
export interface ImageSource {
  /** Whether pointers in the image's data have their final values, as dyld leaves them. */
  readonly relocated: boolean;
  /** The bytes of `__LINKEDIT` at `range`, fewer when not all are there. `null` when none are. */
  readLinkedit(range: FileRange): Uint8Array | null;
  /** The bytes at a slid address; throws `MemoryReadError` when any is not there. */
  read(address: bigint, length: number): Uint8Array;
}

/** The bytes of an image in a file.
 *
 * @param file from the Mach-O header on
 * @param segments that say which bytes belong at which address
 */
export function fileSource(file: ByteSource, segments: readonly Segment[]): ImageSource {
  return {
    relocated: false,
    readLinkedit({ offset, size }) {
      return offset >= file.size || size === 0 ? null : file.read(offset, size);
    },
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

/** Ranges beyond this are probed at their end before they are read, so that a damaged length costs no
 * memory. */
const PROBED = 1 << 20;
/** What no part of an image's `__LINKEDIT` exceeds. */
const MAX_RANGE = 1 << 28;
/** Memory is readable or not in units no smaller than this. */
const PAGE = 0x1000;

/** `memory`, asked only for addresses that exist: damage can lead to any number. */
export function boundedMemory(memory: MemoryReader): MemoryReader {
  return {
    read(address, length) {
      if (address < 0n || address + BigInt(length) > 1n << 64n) {
        throw new MemoryReadError(address, length);
      }
      return memory.read(address, length);
    },
  };
}

/** The bytes at `address` up to the first that cannot be read; throws `MemoryReadError` when that is
 * the very first. */
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

/** The bytes of an image in memory. Its `__LINKEDIT` is found through the segment that the range's
 * place in the file falls into; in the dyld shared cache that segment is shared by all images, so
 * only the ranges asked for are read. */
export function memorySource(memory: MemoryReader, segments: readonly Segment[]): ImageSource {
  return {
    relocated: true,
    readLinkedit({ offset, size }) {
      for (const { address, fileOffset, fileSize } of segments) {
        if (offset < fileOffset || offset >= fileOffset + fileSize || size === 0) continue;
        const length = Math.min(size, fileOffset + fileSize - offset);
        const start = address + BigInt(offset - fileOffset);
        if (length > MAX_RANGE) throw new MemoryReadError(start, length);
        if (length > PROBED) memory.read(start + BigInt(length - 1), 1);
        return memory.read(start, length);
      }
      return null;
    },
    read: (address, length) => memory.read(address, length),
  };
}
