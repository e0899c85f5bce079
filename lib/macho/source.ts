/** Where an image's bytes come from: a file, or memory into which dyld mapped it. */

import { MemoryReadError } from "../errors.ts";
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
 * @param bytes from the Mach-O header on
 * @param segments that say which bytes belong at which address
 */
export function fileSource(bytes: Uint8Array, segments: readonly Segment[]): ImageSource {
  return {
    relocated: false,
    readLinkedit({ offset, size }) {
      return offset >= bytes.length || size === 0 ? null : bytes.subarray(offset, offset + size);
    },
    read(address, length) {
      for (const { address: start, fileOffset, fileSize } of segments) {
        if (address < start || address >= start + BigInt(fileSize)) continue;
        const inside = Number(address - start);
        const at = fileOffset + inside;
        if (length > fileSize - inside || at + length > bytes.length) break;
        return bytes.subarray(at, at + length);
      }
      throw new MemoryReadError(address, length);
    },
  };
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
        return memory.read(address + BigInt(offset - fileOffset), length);
      }
      return null;
    },
    read: (address, length) => memory.read(address, length),
  };
}
