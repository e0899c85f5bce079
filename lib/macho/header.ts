/** The Mach-O header: `struct mach_header` and `mach_header_64` of `<mach-o/loader.h>`. */

import { FormatError } from "../errors.ts";
import { MAGIC } from "./constants.ts";

/** The fields of `mach_header`. */
export interface MachHeader {
  /** `MH_MAGIC` or `MH_MAGIC_64`. */
  readonly magic: number;
  /** `CPU_TYPE_*`. */
  readonly cpuType: number;
  /** `CPU_SUBTYPE_*`, with the capability bits. */
  readonly cpuSubtype: number;
  /** `MH_EXECUTE` and so on. */
  readonly fileType: number;
  /** Number of load commands. */
  readonly commandCount: number;
  /** Size of all load commands, in bytes. */
  readonly commandsSize: number;
  /** `MH_*` flags. */
  readonly flags: number;
  /** Bytes: 4 or 8. */
  readonly pointerSize: 4 | 8;
  /** Bytes: 28 or 32. */
  readonly size: number;
}

/** Number of bytes that {@linkcode parseHeader} needs at most. */
export const MAX_HEADER_SIZE = 32;

/** `\x7fELF`. */
const ELF_MAGIC = 0x464c457f;

/** Whether `bytes` begin with the magic number of a little-endian Mach-O image. */
export function isMachO(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return false;
  const magic = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  return magic === MAGIC.MH_MAGIC || magic === MAGIC.MH_MAGIC_64;
}

/** Reads a header.
 *
 * @param bytes that begin with the header
 * @param file named in errors
 * @throws {FormatError} when `bytes` do not begin with the header of a little-endian Mach-O image
 */
export function parseHeader(bytes: Uint8Array, file: string): MachHeader {
  if (bytes.length < 28) throw new FormatError(file, 0, "a Mach-O header");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = view.getUint32(0, true);
  if (magic === MAGIC.MH_CIGAM || magic === MAGIC.MH_CIGAM_64) {
    throw new FormatError(file, 0, "a little-endian Mach-O image, not a big-endian one (PowerPC?)");
  }
  if (magic === ELF_MAGIC) throw new FormatError(file, 0, "a Mach-O image, not an ELF file");
  if (magic !== MAGIC.MH_MAGIC && magic !== MAGIC.MH_MAGIC_64) {
    throw new FormatError(file, 0, "a Mach-O magic number (0xfeedface or 0xfeedfacf)");
  }
  const is64 = magic === MAGIC.MH_MAGIC_64;
  const size = is64 ? 32 : 28;
  if (bytes.length < size) throw new FormatError(file, 0, "a 64-bit Mach-O header of 32 bytes");
  return {
    magic,
    cpuType: view.getUint32(4, true),
    cpuSubtype: view.getUint32(8, true),
    fileType: view.getUint32(12, true),
    commandCount: view.getUint32(16, true),
    commandsSize: view.getUint32(20, true),
    flags: view.getUint32(24, true),
    pointerSize: is64 ? 8 : 4,
    size,
  };
}
