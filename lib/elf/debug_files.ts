/** Where the debug information of an ELF image is: in the file itself, or in one that its build ID or its
 * debug link names. The places are gdb's (its manual, "Debugging Information in Separate Files"). */

import type { ArchName } from "../arch/mod.ts";
import type { DwarfSectionPlace } from "../dwarf/mod.ts";
import { type ElfFile, SECTION, textAt } from "./elf_file.ts";
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

/** Whether a file has DWARF. */
export function hasDebugInfo({ sections }: ElfFile): boolean {
  return sections.some(({ name, type }) =>
    type !== SECTION.NOBITS && /^\.z?debug_info$/.test(name)
  );
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

/** The paths of files that may have an image's debug information, the best first; empty for an image
 * without a build ID, since nothing would tell whether a file belongs to it. */
export function debugPaths(image: ElfImage): string[] {
  const { elf, file, path } = image;
  if (elf === null || file === null || elf.buildId === null) return [];
  const paths = [`${GLOBAL}/.build-id/${elf.buildId.slice(0, 2)}/${elf.buildId.slice(2)}.debug`];
  const link = elf.sections.find(({ name }) => name === ".gnu_debuglink");
  // A name, then the checksum of the file, which the build ID makes superfluous.
  const name = link === undefined
    ? ""
    : textAt(file.read(link.fileOffset, Math.min(link.size, MAX_LINK)), 0);
  if (path.startsWith("/") && name !== "" && !name.includes("/")) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    for (const place of [folder, `${folder}/.debug`, `${GLOBAL}${folder}`]) {
      paths.push(`${place}/${name}`);
    }
  }
  return paths.filter((candidate) => candidate !== path);
}
