/** DWARF in a file as the debug information of its image. */

import { type ArchName, archOfCpuType } from "../arch/mod.ts";
import {
  DwarfInfo,
  DwarfSections,
  type SourceFrame,
  type SplitUnit,
  type UnitTable,
} from "../dwarf/mod.ts";
import { FormatError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { archOfMachine, dwarfPlaces, type ElfFile, linkedAddress, readElf } from "../elf/mod.ts";
import type { ByteSource } from "../macho/mod.ts";
import { imageOf } from "./binaries.ts";
import type { DebugInfo, DwarfPlace } from "./debug_info.ts";

const same = (offset: number): number => offset;

/** Open DWARF. */
export class OpenedDwarf implements DebugInfo {
  /** The file's path. */
  readonly path: RawText;
  /** The image's UUID; `null` if it has none. */
  readonly uuid: string | null;
  /** The image's architecture. */
  readonly arch: ArchName;
  /** The units. */
  readonly info: DwarfInfo;
  readonly #split: SplitFinder | undefined;

  constructor(
    path: RawText,
    uuid: string | null,
    arch: ArchName,
    info: DwarfInfo,
    split?: SplitFinder,
  ) {
    this.#split = split;
    this.path = path;
    this.uuid = uuid;
    this.arch = arch;
    this.info = info;
  }

  get warnings(): readonly string[] {
    return [...this.info.warnings, ...this.#split?.warnings ?? []];
  }

  framesAt(offset: number): readonly SourceFrame[] {
    return this.info.framesAt(offset);
  }

  /** See {@linkcode DebugInfo.inlineCountAt}. */
  inlineCountAt(offset: number): number {
    return this.info.inlineCountAt(offset);
  }

  /** See {@linkcode DebugInfo.dwarfAt}. */
  dwarfAt(offset: number): DwarfPlace {
    return { info: this.info.fileAt(offset), offset, imageOffset: same };
  }

  /** See {@linkcode DebugInfo.dwarf}. */
  *dwarf(): Generator<DwarfPlace> {
    for (const info of this.info.files()) yield { info, offset: 0, imageOffset: same };
  }

  /** The functions at each of many offsets, in their order. Each unit is read once. */
  framesOf(offsets: ArrayLike<number>): readonly (readonly SourceFrame[])[] {
    return this.info.framesOf(offsets);
  }

  /** All units. The columns of one are reused for the next. */
  *units(): IterableIterator<UnitTable> {
    for (const unit of this.info.units) yield this.info.table(unit);
  }

  /** Does nothing: the file belongs to its opener. */
  [Symbol.dispose](): void {}
}

/** Opens the DWARF of an image. Units are read at the first lookup in them.
 *
 * @param bytes from the Mach-O header on; the image may be a dSYM, an object file, or any other
 * @throws FormatError when it is no image of a known CPU, or has no DWARF
 */
export function openDwarf(bytes: ByteSource): OpenedDwarf {
  const image = imageOf(bytes, 0n, bytes.name);
  const arch = archOfCpuType(image.cpuType);
  if (arch === undefined) {
    throw new FormatError(bytes.name, 4, "the CPU type of armv7, arm64, i386 or x86_64");
  }
  const sections = DwarfSections.find(bytes, image.segments.flatMap(({ sections }) => sections));
  if (sections === null) throw new FormatError(bytes.name, 0, "debug information (DWARF)");
  // The image is placed at 0, so its slide is minus the address it was linked for.
  const info = DwarfInfo.open(sections, { base: -image.slide });
  return new OpenedDwarf(bytes.name, image.uuid, arch.name, info);
}

/** Finds the files that units were split into. */
export interface SplitFinder {
  readonly warnings: readonly string[];
  find(unit: SplitUnit, linked: DwarfInfo): DwarfInfo | null;
}

/** Opens the files that an ELF file with DWARF needs. */
export interface OtherFiles {
  /** The one that it shares entries and strings with. */
  supplementary(elf: ElfFile): DwarfInfo | undefined;
  /** Those that its units were split into.
   *
   * @param base the address of offset 0 */
  split(base: bigint): SplitFinder;
}

/** Opens the DWARF of an ELF file, as {@linkcode openDwarf} does. */
export function openElfDwarf(file: ByteSource, others?: OtherFiles): OpenedDwarf {
  const elf = readElf(file);
  const arch = archOfMachine(elf);
  if (arch === undefined) {
    throw new FormatError(file.name, 18, "the machine of armv7, arm64, i386 or x86_64");
  }
  const sections = DwarfSections.find(file, dwarfPlaces(elf));
  if (sections === null) throw new FormatError(file.name, 0, "debug information (DWARF)");
  const shared = others?.supplementary(elf);
  const base = linkedAddress(elf.segments);
  const split = others?.split(base);
  const info = DwarfInfo.open(sections, {
    base,
    ...shared === undefined ? {} : { supplementary: shared },
    ...split === undefined
      ? {}
      : { split: (unit: SplitUnit, linked: DwarfInfo) => split.find(unit, linked) },
  });
  return new OpenedDwarf(file.name, null, arch, info, split);
}

/** Opens a supplementary file: it has entries and strings, and no code.
 *
 * @throws FormatError when it has no DWARF
 */
export function openSupplementary(file: ByteSource, elf: ElfFile): DwarfInfo {
  const sections = DwarfSections.find(file, dwarfPlaces(elf));
  if (sections === null) throw new FormatError(file.name, 0, "debug information (DWARF)");
  return DwarfInfo.open(sections, { base: 0n });
}
