/** The headers of an ELF file: segments, sections, symbols' places and what names its debug information.
 *
 * Formats: the System V ABI, chapters 4 and 5 (`Elf32_Ehdr` and so on), and `<elf.h>`. */

import { FormatError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { hexBytes } from "../hex.ts";
import type { ByteSource } from "../macho/walking.ts";

const MAGIC = 0x7f454c46;
/** Maximum number of program headers and of section headers. A larger number is damage. */
const MAX_HEADERS = 1 << 16;
/** Maximum size of the section with the sections' names, and of a note. */
const MAX_SMALL = 1 << 20;

const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_NOTE = 4;
const PT_TLS = 7;
const ET_EXEC = 2;
const DT_FLAGS_1 = 0x6ffffffb;
const DF_1_PIE = 0x08000000;
const SHT_NOTE = 7;
const NT_GNU_BUILD_ID = 3;
const SHF_COMPRESSED = 0x800;

/** `sh_type`. */
export const SECTION = { SYMTAB: 2, NOBITS: 8, DYNSYM: 11 } as const;

/** Part of the file that is mapped into memory. */
export interface ElfSegment {
  /** As linked. */
  readonly vmAddress: bigint;
  /** Bytes in memory. */
  readonly size: number;
  /** Bytes from the start of the file. */
  readonly fileOffset: number;
  /** Bytes in the file. */
  readonly fileSize: number;
  /** `PF_*`: 4 read, 2 write, 1 execute. */
  readonly flags: number;
}

/** A section of the file. */
export interface ElfSection {
  /** Such as `.text`. */
  readonly name: RawText;
  /** `sh_type`. */
  readonly type: number;
  /** As linked; 0 for sections that are not in memory. */
  readonly vmAddress: bigint;
  /** Bytes from the start of the file. */
  readonly fileOffset: number;
  /** Bytes. */
  readonly size: number;
  /** Index of another section, such as the string table of a symbol table. */
  readonly link: number;
  /** Whether its contents are an `Elf32_Chdr` or `Elf64_Chdr` and compressed data. */
  readonly compressed: boolean;
}

/** `PT_TLS`: what each thread has its own copy of. */
export interface ThreadTemplate {
  /** As linked. */
  readonly vmAddress: bigint;
  /** Bytes. */
  readonly size: number;
  /** A power of two; 0 and 1 mean none. */
  readonly alignment: number;
}

/** The headers of one file, little endian. */
export interface ElfFile {
  /** `ET_*`. */
  readonly type: number;
  /** The variables of each thread; `null` when there are none. */
  readonly threadTemplate: ThreadTemplate | null;
  /** `PT_DYNAMIC`; `null` in a static file. */
  readonly dynamic: { readonly fileOffset: number; readonly fileSize: number } | null;
  /** Bytes of a pointer. */
  readonly pointerSize: 4 | 8;
  /** `EM_*`. */
  readonly machine: number;
  /** The `PT_LOAD` segments, in the file's order. */
  readonly segments: readonly ElfSegment[];
  /** In the file's order; empty when the file has no section headers. */
  readonly sections: readonly ElfSection[];
  /** `NT_GNU_BUILD_ID`, in hexadecimal; `null` when there is none. */
  readonly buildId: string | null;
}

/** Whether a file begins as ELF does. */
export function isElf(bytes: Uint8Array): boolean {
  return bytes.length >= 4 &&
    new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0) === MAGIC;
}

/** Reads the headers of a file, and the notes that lead to its build ID.
 *
 * @throws {FormatError} when it is no ELF file of a little-endian machine
 */
export function readElf(file: ByteSource): ElfFile {
  const head = file.read(0, 64);
  if (!isElf(head) || head.length < 52) throw new FormatError(file.name, 0, "an ELF header");
  const is64 = head[4] === 2;
  if (!is64 && head[4] !== 1) throw new FormatError(file.name, 4, "a 32-bit or 64-bit ELF file");
  if (head[5] !== 1) throw new FormatError(file.name, 5, "a little-endian ELF file");
  if (is64 && head.length < 64) throw new FormatError(file.name, 0, "an ELF header");
  const fields = new Fields(head, is64);
  const programs = readTable(file, is64, {
    offset: fields.word(28, 32),
    size: fields.short(42, 54),
    count: fields.short(44, 56),
    least: is64 ? 56 : 32,
  });
  const segments = programs.map((at): ElfSegment & { type: number } => ({
    type: at.int(0, 0),
    flags: at.int(24, 4),
    fileOffset: at.word(4, 8),
    vmAddress: at.address(8, 16),
    fileSize: at.word(16, 32),
    size: at.word(20, 40),
  }));
  const sections = readSections(file, fields, is64);
  const threads = programs.find((at) => at.int(0, 0) === PT_TLS);
  return {
    type: fields.short(16, 16),
    threadTemplate: threads === undefined ? null : {
      vmAddress: threads.address(8, 16),
      size: threads.word(20, 40),
      alignment: threads.word(28, 48),
    },
    dynamic: segments.find(({ type }) => type === PT_DYNAMIC) ?? null,
    pointerSize: is64 ? 8 : 4,
    machine: fields.short(18, 18),
    segments: segments.filter(({ type }) => type === PT_LOAD),
    sections,
    buildId: readBuildId(file, [
      ...sections.filter(({ type }) => type === SHT_NOTE),
      ...segments.filter(({ type }) => type === PT_NOTE).map(({ fileOffset, fileSize }) => ({
        fileOffset,
        size: fileSize,
      })),
    ]),
  };
}

/** Whether a file is a program, not a library: `ET_EXEC`, or marked as a position-independent one. */
export function isProgram({ type, dynamic, pointerSize }: ElfFile, file: ByteSource): boolean {
  if (type === ET_EXEC) return true;
  if (dynamic === null || dynamic.fileSize > MAX_SMALL) return false;
  const bytes = file.read(dynamic.fileOffset, dynamic.fileSize);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at + 2 * pointerSize <= bytes.length; at += 2 * pointerSize) {
    const tag = view.getUint32(at, true);
    if (tag === 0) break;
    if (tag === DT_FLAGS_1) return (view.getUint32(at + pointerSize, true) & DF_1_PIE) !== 0;
  }
  return false;
}

/** The fields of a header, each with its offset in 32-bit and in 64-bit files. */
class Fields {
  readonly #view: DataView;
  constructor(bytes: Uint8Array, readonly is64: boolean) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }
  short(at32: number, at64: number): number {
    return this.#view.getUint16(this.is64 ? at64 : at32, true);
  }
  int(at32: number, at64: number): number {
    return this.#view.getUint32(this.is64 ? at64 : at32, true);
  }
  address(at32: number, at64: number): bigint {
    return this.is64
      ? this.#view.getBigUint64(at64, true)
      : BigInt(this.#view.getUint32(at32, true));
  }
  /** An offset or a size. One above 2^53 is damage, and beyond the end of any file either way. */
  word(at32: number, at64: number): number {
    const value = this.is64
      ? this.#view.getUint32(at64, true) + this.#view.getUint32(at64 + 4, true) * 2 ** 32
      : this.#view.getUint32(at32, true);
    return Math.min(value, Number.MAX_SAFE_INTEGER);
  }
}

interface TablePlace {
  readonly offset: number;
  /** Bytes from entry to entry. */
  readonly size: number;
  readonly count: number;
  /** Bytes that an entry has at least. */
  readonly least: number;
}

/** The entries of a table that the file has completely. */
function readTable(file: ByteSource, is64: boolean, place: TablePlace): Fields[] {
  const { offset, size, least } = place;
  if (size < least || place.count > MAX_HEADERS) return [];
  const bytes = file.read(offset, size * place.count);
  const entries: Fields[] = [];
  for (let at = 0; at + size <= bytes.length; at += size) {
    entries.push(new Fields(bytes.subarray(at, at + size), is64));
  }
  return entries;
}

function readSections(file: ByteSource, header: Fields, is64: boolean): ElfSection[] {
  const place = {
    offset: header.word(32, 40),
    size: header.short(46, 58),
    count: header.short(48, 60),
    least: is64 ? 64 : 40,
  };
  if (place.offset === 0) return [];
  // The first section header has the number of sections and the index of the names where the header's
  // fields are too small for them.
  const first = readTable(file, is64, { ...place, count: 1 })[0];
  if (first === undefined) return [];
  if (place.count === 0) place.count = first.word(20, 32);
  const headers = readTable(file, is64, place);
  const namesIndex = header.short(50, 62) === 0xffff ? first.int(24, 40) : header.short(50, 62);
  const namesAt = headers[namesIndex];
  const names = namesAt === undefined
    ? new Uint8Array()
    : file.read(namesAt.word(16, 24), Math.min(namesAt.word(20, 32), MAX_SMALL));
  return headers.map((at) => ({
    name: textAt(names, at.int(0, 0)),
    type: at.int(4, 4),
    vmAddress: at.address(12, 16),
    fileOffset: at.word(16, 24),
    size: at.word(20, 32),
    link: at.int(24, 40),
    compressed: (at.int(8, 8) & SHF_COMPRESSED) !== 0,
  }));
}

/** The build ID in one of some notes: name size, contents' size, type, each padded to four bytes. */
function readBuildId(
  file: ByteSource,
  notes: readonly { readonly fileOffset: number; readonly size: number }[],
): string | null {
  for (const { fileOffset, size } of notes) {
    const bytes = file.read(fileOffset, Math.min(size, MAX_SMALL));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + 12 <= bytes.length;) {
      const nameSize = view.getUint32(at, true);
      const length = view.getUint32(at + 4, true);
      const contents = at + 12 + padded(nameSize);
      const isBuildId = view.getUint32(at + 8, true) === NT_GNU_BUILD_ID && nameSize === 4 &&
        textAt(bytes, at + 12) === "GNU";
      if (isBuildId && contents + length <= bytes.length) {
        return hexBytes(bytes.subarray(contents, contents + length));
      }
      at = contents + padded(length);
    }
  }
  return null;
}

function padded(size: number): number {
  return Math.ceil(size / 4) * 4;
}

const decoder = new TextDecoder();

/** The text at an offset, up to a zero byte; empty beyond the end. */
export function textAt(bytes: Uint8Array, offset: number): RawText {
  if (offset >= bytes.length) return "";
  const end = bytes.indexOf(0, offset);
  return decoder.decode(bytes.subarray(offset, end < 0 ? undefined : end));
}
