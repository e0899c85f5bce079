/** The layout of a symbol table file and its header. README.md in this folder specifies every byte. */

import type { RawText } from "../../escape.ts";
import { type Arch, archOfCpuType } from "../../arch/mod.ts";
import { FormatError } from "../../errors.ts";
import { formatUuid, uuidBytes } from "../../hex.ts";
import { xxh32 } from "./xxh32.ts";

/** `\x89MST\r\n\x1a\n`. A program that treats the file as text damages this detectably. */
export const MAGIC: readonly number[] = [0x89, 0x4d, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a];
/** The format version written, and the only one read. */
export const VERSION = 1;

/** The sections, in the header's order. */
export const SECTION = {
  PAGES: 0,
  PIECES: 1,
  SYMBOLS: 2,
  GROUPS: 3,
  REFS: 4,
  BODIES: 5,
  STRINGS: 6,
} as const;
const SECTION_COUNT = 7;

/** Size of a page in `PAGES`: base (u64), number of the first piece (u32), 0 (u32). */
export const PAGE_SIZE = 16;
/** Size of a piece in `PIECES`: start above its page's base, body (u32 each). */
export const PIECE_SIZE = 8;
/** Size of a symbol in `SYMBOLS`: start (u64), size, name (u32 each). */
export const SYMBOL_SIZE = 16;
/** Size of a group in `GROUPS`: first body, first name, first path (u32 each). */
export const GROUP_SIZE = 12;
/** Maximum number of pieces per page. */
export const PAGE_PIECES = 512;

/** The first number of a continuation, which refers to the body that continues here. */
export const CONTINUES = 3;

// Maximum sizes of a body and of a string, in bytes.
export const MAX_BODY = 1 << 20;
export const MAX_STRING = 1 << 16;
/** Maximum depth of inlined calls. */
export const MAX_DEPTH = 1000;

/** Size of the header before the checksums of checksums. */
const FIXED_SIZE = 88 + 16 * SECTION_COUNT;
/** Size of the first read: enough for all but the largest headers. */
export const HEADER_READ = 4096;
/** Maximum size of a header: that of a file of 2^50 bytes. */
const MAX_HEADER = 1 << 24;
/** Maximum size of an image's name, in bytes. */
const MAX_NAME = 1024;

/** The size of a checked block, as a power of two: 16 KiB. */
export const BLOCK_SHIFT = 14;

/** A stretch of the file. */
export interface Stretch {
  /** Offset in the file. */
  readonly offset: number;
  /** Size in bytes. */
  readonly size: number;
}

/** The contents of a header. */
export interface MstHeader {
  /** Upper case, `8-4-4-4-12`; `null` if the image had none. */
  readonly uuid: string | null;
  readonly arch: Arch;
  /** `CPU_SUBTYPE_*`. */
  readonly cpuSubtype: number;
  /** The linked address of `__TEXT`. */
  readonly imageBase: bigint;
  /** Size of `__TEXT` in bytes; 0 if unknown. */
  readonly textSize: number;
  /** The name of the file that this one was made from; empty if unknown. */
  readonly name: RawText;
  /** Number of functions with code of their own and of symbols. */
  readonly functionCount: number;
  readonly blockShift: number;
  /** The checksums of the blocks of data. */
  readonly sums: Stretch;
  /** The data, which they cover. */
  readonly data: Stretch;
  /** The checksums of the blocks of `sums`. */
  readonly roots: Uint32Array;
  /** By {@linkcode SECTION}, inside `data`. */
  readonly sections: readonly Stretch[];
}

/** The size of a file's header.
 *
 * @param roots number of checksums in it
 * @param name size of the image's name, in bytes
 */
export function headerSize(roots: number, name: number): number {
  return align(FIXED_SIZE + 4 * roots + name + 4);
}

/** An image's name as stored in the header. */
export function nameBytes(name: string): Uint8Array {
  return new TextEncoder().encode(name).subarray(0, MAX_NAME);
}

/** Rounds up to a multiple of eight. */
export function align(size: number): number {
  return Math.ceil(size / 8) * 8;
}

/** Whether bytes begin like a symbol table file of any version.
 *
 * @example
 * ```ts
 * import { isMst } from "@machpause/machpause/symbols";
 *
 * console.log(isMst(await Deno.readFile("MyApp.mst")));
 * ```
 */
export function isMst(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[index] === byte);
}

/** Writes a header. */
export function encodeHeader(header: MstHeader): Uint8Array {
  const { roots, sections } = header;
  const name = nameBytes(header.name);
  const bytes = new Uint8Array(headerSize(roots.length, name.length));
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint32(8, VERSION, true);
  view.setUint32(12, bytes.length, true);
  bytes.set(uuidBytes(header.uuid), 16);
  view.setInt32(32, header.arch.cpuType, true);
  view.setInt32(36, header.cpuSubtype, true);
  view.setBigUint64(40, header.imageBase, true);
  setU64(view, 48, header.textSize);
  view.setUint32(56, header.functionCount, true);
  view.setUint32(60, header.blockShift, true);
  view.setUint32(64, name.length, true);
  setU64(view, 72, header.data.offset);
  setU64(view, 80, header.data.size);
  sections.forEach(({ offset, size }, index) => {
    setU64(view, 88 + 16 * index, offset);
    setU64(view, 96 + 16 * index, size);
  });
  roots.forEach((root, index) => view.setUint32(FIXED_SIZE + 4 * index, root, true));
  bytes.set(name, FIXED_SIZE + 4 * roots.length);
  const end = bytes.length - 4;
  view.setUint32(end, xxh32(bytes.subarray(0, end)), true);
  return bytes;
}

/** The size of the header that begins with `bytes`.
 *
 * @param bytes the start of the file
 * @throws {FormatError} when it is not a symbol table file or has another version
 */
export function headerSizeIn(bytes: Uint8Array, file: string): number {
  if (!isMst(bytes)) throw new FormatError(file, 0, "a symbol table file's first bytes");
  if (bytes.length < FIXED_SIZE) throw new FormatError(file, bytes.length, "a header");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(8, true);
  if (version !== VERSION) {
    throw new FormatError(file, 8, `version ${VERSION}, and this is ${version}: index it again`);
  }
  const size = view.getUint32(12, true);
  if (size < headerSize(0, 0) || size > MAX_HEADER || size % 8 !== 0) {
    throw new FormatError(file, 12, "a header's size");
  }
  return size;
}

/** Reads a header.
 *
 * @param bytes the start of the file, of the size that {@linkcode headerSizeIn} returns
 * @param fileSize size of the file: everything must be inside
 * @throws {FormatError} when it is damaged or the file is truncated
 */
export function parseHeader(bytes: Uint8Array, file: string, fileSize: number): MstHeader {
  const size = headerSizeIn(bytes, file);
  if (bytes.length < size) throw new FormatError(file, bytes.length, `a header of ${size} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, size);
  if (view.getUint32(size - 4, true) !== xxh32(bytes.subarray(0, size - 4))) {
    throw new FormatError(file, size - 4, "the header's checksum");
  }
  const arch = archOfCpuType(view.getInt32(32, true));
  if (arch === undefined) throw new FormatError(file, 32, "a known CPU type");
  const blockShift = view.getUint32(60, true);
  if (blockShift < 12 || blockShift > 20) {
    throw new FormatError(file, 60, "a block's size, as a power of two from 12 to 20");
  }
  const data = { offset: getU64(view, 72), size: getU64(view, 80) };
  const sums = { offset: size, size: sumsSize(data.size, blockShift) };
  if (data.offset !== align(sums.offset + sums.size)) {
    throw new FormatError(file, 72, "data behind its checksums");
  }
  if (!(data.offset + data.size <= fileSize)) {
    throw new FormatError(
      file,
      fileSize,
      `${data.offset + data.size} bytes: the file is cut short`,
    );
  }
  const rootCount = Math.ceil(sums.size / 2 ** blockShift);
  const nameSize = view.getUint32(64, true);
  if (nameSize > MAX_NAME || headerSize(rootCount, nameSize) !== size) {
    throw new FormatError(file, 12, "a header's size");
  }
  const sections: Stretch[] = [];
  const unit = [PAGE_SIZE, PIECE_SIZE, SYMBOL_SIZE, GROUP_SIZE, 4, 1, 1];
  for (let index = 0; index < SECTION_COUNT; index++) {
    const at = 88 + 16 * index;
    const section = { offset: getU64(view, at), size: getU64(view, at + 8) };
    const inside = section.offset >= data.offset &&
      section.offset + section.size <= data.offset + data.size;
    if (!inside || section.offset % 8 !== 0 || section.size % unit[index] !== 0) {
      throw new FormatError(file, at, "a section inside the data");
    }
    sections.push(section);
  }
  const roots = new Uint32Array(rootCount);
  for (let at = 0; at < rootCount; at++) roots[at] = view.getUint32(FIXED_SIZE + 4 * at, true);
  const nameAt = FIXED_SIZE + 4 * rootCount;
  return {
    uuid: uuidText(bytes.subarray(16, 32)),
    arch,
    cpuSubtype: view.getInt32(36, true),
    imageBase: view.getBigUint64(40, true),
    textSize: getU64(view, 48),
    name: new TextDecoder().decode(bytes.subarray(nameAt, nameAt + nameSize)),
    functionCount: view.getUint32(56, true),
    blockShift,
    sums,
    data,
    roots,
    sections,
  };
}

/** The size of the checksums of some data, in bytes. */
export function sumsSize(dataSize: number, blockShift: number): number {
  return 4 * Math.ceil(dataSize / 2 ** blockShift);
}

function uuidText(bytes: Uint8Array): string | null {
  if (bytes.every((byte) => byte === 0)) return null;
  return formatUuid(bytes);
}

/** Writes a number below 2^53. */
export function setU64(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % 2 ** 32, true);
  view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
}

function getU64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}
