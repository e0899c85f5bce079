/** Where the debug information of an ELF image is: in the file itself, or in one that its build ID or its
 * debug link names. The places are gdb's (its manual, "Debugging Information in Separate Files"). */

import type { ArchName } from "../arch/mod.ts";
import type { DwarfSectionPlace } from "../dwarf/mod.ts";
import { type ElfFile, SECTION, textAt } from "./elf_file.ts";
import { debugIdOf, hexBytes, uuidBytes } from "../hex.ts";
import { type ByteSource, bytesSource } from "../macho/walking.ts";
import { decompressXz } from "./xz.ts";
import { type ElfImage, machOName } from "./elf_image.ts";

/** The folder that separate files are below. */
const GLOBAL = "/usr/lib/debug";
/** Maximum size of a debug link: a file's name and a checksum. */
const MAX_LINK = 4096;

/** `EM_*`. */
const architectures: ReadonlyMap<number, ArchName> = new Map([
  [3, "i386"],
  [40, "armv7"],
  [62, "x86_64"],
  [183, "arm64"],
]);

/** The architecture of a file; `undefined` for an unsupported one. */
export function archOfMachine({ machine }: ElfFile): ArchName | undefined {
  return architectures.get(machine);
}

/** Bytes of `.text` that identify a file without a build ID. */
const FIRST_PAGE = 4096;

/** The identifier that Breakpad's tools give a file, in the form of a UUID: of its build ID; without one, of an
 * exclusive-or over the first page of its code. `null` where there is neither. */
export function debugIdOfFile({ buildId, sections }: ElfFile, file: ByteSource): string | null {
  // Of a build ID that is longer, the first 16 bytes count.
  if (buildId !== null) return debugIdOf(uuidBytes(buildId));
  const text = sections.find(({ name, type }) => name === ".text" && type !== SECTION.NOBITS);
  if (text === undefined) return null;
  const page = file.read(text.fileOffset, Math.min(text.size, FIRST_PAGE));
  const id = new Uint8Array(16);
  for (const [index, byte] of page.entries()) id[index % id.length] ^= byte;
  return debugIdOf(id);
}

/** The same of an image; also `null` where its file cannot be read. */
export function debugIdOfImage({ elf, file }: ElfImage): string | null {
  return elf === null || file === null ? null : debugIdOfFile(elf, file);
}

/** Whether a file has code, and not only what a debugger wants of it. */
export function hasCode({ sections }: ElfFile): boolean {
  return sections.some(({ name, type }) => name === ".text" && type !== SECTION.NOBITS);
}

/** Whether a file has DWARF. */
export function hasDebugInfo({ sections }: ElfFile): boolean {
  return sections.some(({ name, type }) =>
    type !== SECTION.NOBITS && /^\.z?debug_info$/.test(name)
  );
}

/** Whether a file has more names than those for dynamic linking. */
export function hasNames(elf: ElfFile): boolean {
  return hasDebugInfo(elf) || elf.sections.some(({ type }) => type === SECTION.SYMTAB);
}

/** The sections of a file as the reader of DWARF takes them. */
export function dwarfPlaces({ sections, pointerSize }: ElfFile): DwarfSectionPlace[] {
  return sections.filter(({ type }) => type !== SECTION.NOBITS).map((section) => ({
    ...machOName(section),
    fileOffset: section.fileOffset,
    size: section.size,
    ...section.compressed ? { compressed: pointerSize } : {},
  }));
}

/** The sections of a file that `-gsplit-dwarf` left beside the linked one, as the reader of DWARF takes them. An
 * object file may have such sections beside its own. */
export function splitPlaces(elf: ElfFile): DwarfSectionPlace[] {
  const sections = elf.sections.flatMap((section) => {
    const { name } = section;
    if (isSplitSection(name)) return [{ ...section, name: name.slice(0, -SPLIT.length) }];
    return /^\.debug_[ct]u_index$/.test(name) ? [section] : [];
  });
  return dwarfPlaces({ ...elf, sections });
}

/** Whether a file has debug information that `-gsplit-dwarf` left out of the linked one. */
export function hasSplitInfo({ sections }: ElfFile): boolean {
  return sections.some(({ name }) => /^\.z?debug_info\.dwo$/.test(name));
}

const SPLIT = ".dwo";

function isSplitSection(name: string): boolean {
  return /^\.z?debug_/.test(name) && name.endsWith(SPLIT);
}

/** Maximum size of compressed symbols. */
const MAX_MINI = 1 << 26;

/** The symbols that a stripped file has beside its dynamic ones, as an ELF file: `.gnu_debugdata`, gdb's
 * "MiniDebugInfo". `undefined` when it has none.
 *
 * @throws {FormatError} when they are damaged
 */
export function miniDebugFile({ sections }: ElfFile, file: ByteSource): ByteSource | undefined {
  const section = sections.find(({ name }) => name === ".gnu_debugdata");
  if (section === undefined || section.size > MAX_MINI) return undefined;
  const name = `${file.name} (.gnu_debugdata)`;
  return bytesSource(decompressXz(file.read(section.fileOffset, section.size), name), name);
}

/** The supplementary file of a file with DWARF: what dwz made of entries and strings that several files have. */
export interface SupplementaryLink {
  /** Its build ID, or what DWARF 5 has instead. */
  readonly id: string;
  /** Where it may be, the best first. */
  readonly paths: readonly string[];
}

/** Whether a file is the supplementary one of that ID. */
export function isSupplementary(elf: ElfFile, file: ByteSource, id: string): boolean {
  const link = readLink(elf.sections, file);
  return elf.buildId === id || (link?.isSupplementary === true && link.id === id);
}

interface Link {
  readonly path: string;
  readonly id: string;
  /** Whether this is the supplementary file itself. */
  readonly isSupplementary: boolean;
}

function readLink(sections: ElfFile["sections"], file: ByteSource): Link | undefined {
  const section = sections.find(({ name, type }) =>
    type !== SECTION.NOBITS && (name === ".gnu_debugaltlink" || name === ".debug_sup")
  );
  if (section === undefined) return undefined;
  const bytes = file.read(section.fileOffset, Math.min(section.size, MAX_LINK));
  const isNew = section.name === ".debug_sup";
  const start = isNew ? 3 : 0;
  const end = bytes.indexOf(0, start);
  // An ID has fewer than 128 bytes, so that its length is one.
  const id = end < 0 ? "" : hexBytes(bytes.subarray(end + (isNew ? 2 : 1)));
  if (id === "") return undefined;
  return { path: textAt(bytes, start), id, isSupplementary: isNew && bytes[2] !== 0 };
}

/** Reads `.gnu_debugaltlink`: a path, a zero byte and a build ID; or DWARF 5's `.debug_sup` (section 7.3.6), with
 * a version, a flag, the path, and the length of the ID. `undefined` when there is neither. */
export function supplementaryLink(
  { sections }: ElfFile,
  file: ByteSource,
): SupplementaryLink | undefined {
  const link = readLink(sections, file);
  if (link === undefined || link.isSupplementary) return undefined;
  const { id, path } = link;
  const folder = file.name.slice(0, file.name.lastIndexOf("/"));
  return {
    id,
    paths: [
      path.startsWith("/") ? path : `${folder}/${path}`,
      `${GLOBAL}/.build-id/${id.slice(0, 2)}/${id.slice(2)}.debug`,
    ],
  };
}

/** Where an image's debug information may be. */
export interface DebugPaths {
  /** The best first. */
  readonly paths: readonly string[];
  /** What tells that a file belongs to an image without a build ID: the debug link's checksum. `null` for other
   * images, and where there is no link. */
  readonly checksum: number | null;
}

/** The paths of files that may have an image's debug information; none for an image with neither a build ID nor a
 * debug link, since nothing would tell whether a file belongs to it. */
export function debugPaths({ elf, file, path }: ElfImage): DebugPaths {
  if (elf === null || file === null) return { paths: [], checksum: null };
  const { buildId } = elf;
  const link = readDebugLink(elf, file);
  const paths = buildId === null
    ? []
    : [`${GLOBAL}/.build-id/${buildId.slice(0, 2)}/${buildId.slice(2)}.debug`];
  if (link !== undefined && path !== "") {
    const end = path.lastIndexOf("/");
    const folder = end < 0 ? "." : path.slice(0, end);
    const folders = [folder, `${folder}/.debug`];
    if (path.startsWith("/")) folders.push(`${GLOBAL}${folder}`);
    for (const place of folders) paths.push(`${place}/${link.name}`);
  }
  return {
    paths: paths.filter((candidate) => candidate !== path),
    checksum: buildId === null && link !== undefined ? link.checksum : null,
  };
}

/** The name in an image's debug link, for a search in folders; `undefined` where it has none. */
export function debugLinkName({ elf, file }: ElfImage): string | undefined {
  return elf === null || file === null ? undefined : readDebugLink(elf, file)?.name;
}

/** Reads `.gnu_debuglink`: a file's name, padded with zeros to four bytes, and its checksum. */
function readDebugLink(
  { sections }: ElfFile,
  file: ByteSource,
): { readonly name: string; readonly checksum: number } | undefined {
  const link = sections.find(({ name }) => name === ".gnu_debuglink");
  if (link === undefined) return undefined;
  const bytes = file.read(link.fileOffset, Math.min(link.size, MAX_LINK));
  const name = textAt(bytes, 0);
  const at = Math.ceil((bytes.indexOf(0) + 1) / 4) * 4;
  if (name === "" || name.includes("/") || at + 4 > bytes.length) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return { name, checksum: view.getUint32(at, true) };
}

/** The checksum of a whole file as a debug link has it: the CRC-32 of zlib. */
export function checksumOf(file: ByteSource): number {
  let sum = 0xffffffff;
  for (let at = 0; at < file.size;) {
    const bytes = file.read(at, Math.min(PIECE, file.size - at));
    if (bytes.length === 0) break; // it was cut short meanwhile
    for (const byte of bytes) sum = (sum >>> 8) ^ remainders[(sum ^ byte) & 0xff];
    at += bytes.length;
  }
  return ~sum >>> 0;
}

/** Size of one read of a checksum. */
const PIECE = 1 << 20;

/** By byte: its remainder. */
const remainders: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) {
    rest = (rest & 1) === 0 ? rest >>> 1 : (rest >>> 1) ^ 0xedb88320;
  }
  return rest;
});
