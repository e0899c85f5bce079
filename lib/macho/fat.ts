/** Universal ("fat") files: `<mach-o/fat.h>`. Their header is big-endian. */

import { FormatError } from "../errors.ts";
import { type ByteSource, bytesSource } from "./bytes.ts";
import { MAGIC } from "./constants.ts";

/** One architecture's image inside a universal file. */
export interface FatSlice {
  /** `CPU_TYPE_*`. */
  readonly cpuType: number;
  /** `CPU_SUBTYPE_*`, with the capability bits. */
  readonly cpuSubtype: number;
  /** Bytes from the start of the file. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
}

/** Java class files have the same magic number, and their version where the count is: 45 or more.
 * No universal file has nearly as many slices. */
const MAX_SLICES = 32;

/** The slices of a universal file; one that covers all of `bytes` when the file is not universal,
 * with its CPU type left at 0.
 *
 * @param bytes of the file
 * @param file named in errors
 * @throws {FormatError} when the header names no slice that is inside the file
 *
 * @example
 * ```ts
 * import { readFatSlices } from "./fat.ts";
 *
 * const thin = new Uint8Array([0xcf, 0xfa, 0xed, 0xfe]);
 * console.log(readFatSlices(thin, "thin")); // one slice, at offset 0
 * ```
 */
export function readFatSlices(bytes: Uint8Array, file: string): FatSlice[] {
  return readFat(bytesSource(bytes, file)) ??
    [{ cpuType: 0, cpuSubtype: 0, offset: 0, size: bytes.length }];
}

/** The slices of a universal file; `null` when the file is none.
 *
 * @throws {FormatError} when the header names no slice that is inside the file
 */
export function readFat(source: ByteSource): FatSlice[] | null {
  const file = source.name;
  const start = toView(source.read(0, 8));
  const magic = start.byteLength < 8 ? 0 : start.getUint32(0, false);
  if (magic !== MAGIC.FAT_MAGIC && magic !== MAGIC.FAT_MAGIC_64) return null;
  const is64 = magic === MAGIC.FAT_MAGIC_64;
  const entrySize = is64 ? 32 : 20;
  const count = start.getUint32(4, false);
  if (count === 0 || count > MAX_SLICES) {
    throw new FormatError(file, 4, `1 to ${MAX_SLICES} architectures of a universal file`);
  }
  const view = toView(source.read(8, count * entrySize));
  const slices: FatSlice[] = [];
  for (let at = 0; at + entrySize <= view.byteLength; at += entrySize) {
    const offset = is64 ? Number(view.getBigUint64(at + 8, false)) : view.getUint32(at + 8, false);
    const size = is64 ? Number(view.getBigUint64(at + 16, false)) : view.getUint32(at + 12, false);
    // A truncated file keeps the slices that are whole enough to have a header.
    if (offset >= source.size) continue;
    slices.push({
      cpuType: view.getUint32(at, false),
      cpuSubtype: view.getUint32(at + 4, false),
      offset,
      size: Math.min(size, source.size - offset),
    });
  }
  if (slices.length === 0) throw new FormatError(file, 8, "an architecture inside the file");
  return slices;
}

function toView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
