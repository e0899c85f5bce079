/** Universal ("fat") files: `<mach-o/fat.h>`. Their header is big-endian. */

import { FormatError } from "../errors.ts";
import type { ByteSource } from "./bytes.ts";
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

/** Java class files have the same magic number. Their version, 45 or more, is where the number of
 * slices would be; no universal file has nearly as many. */
const MAX_SLICES = 32;

/** Whether a file that begins with `bytes` has the magic number of universal files.
 *
 * @param bytes at least four
 */
export function isFat(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return false;
  const magic = toView(bytes).getUint32(0, false);
  return magic === MAGIC.FAT_MAGIC || magic === MAGIC.FAT_MAGIC_64;
}

/** The slices of a universal file; `null` when the file is not universal. Only its header is read.
 *
 * @throws {FormatError} when no slice is inside the file, or the count is not credible
 */
export function readFat(source: ByteSource): FatSlice[] | null {
  const file = source.name;
  const head = source.read(0, 8);
  if (head.length < 8 || !isFat(head)) return null;
  const start = toView(head);
  const is64 = start.getUint32(0, false) === MAGIC.FAT_MAGIC_64;
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
    // In a truncated file, a slice that begins inside it may still have a whole header.
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
