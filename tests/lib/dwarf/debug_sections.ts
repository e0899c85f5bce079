/** Sections of debugging information, made by hand for tests. */
import { DwarfInfo, DwarfSections } from "../../../lib/dwarf/mod.ts";
import { number, sleb, text, uleb } from "./section.ts";

/** Sections by what follows `__debug_` in their names, in full. */
export type Parts = Readonly<Record<string, readonly number[]>>;

/** The sections, one after another in a file. */
export function makeSections(parts: Parts): DwarfSections {
  const bytes: number[] = [];
  const places = Object.entries(parts).map(([name, content]) => {
    const fileOffset = bytes.length;
    for (const byte of content) bytes.push(byte);
    const prefix = name.startsWith("__") ? "" : "__debug_";
    return {
      name: `${prefix}${name}`.slice(0, 16),
      segmentName: "__DWARF",
      fileOffset,
      size: content.length,
    };
  });
  const file = Uint8Array.from(bytes);
  const source = {
    name: "made",
    size: file.length,
    read: (offset: number, length: number) => file.subarray(offset, offset + length),
  };
  const sections = DwarfSections.find(source, places);
  if (sections === null) throw new Error("there is no info section");
  return sections;
}

/** Opens the sections; offsets count from `base`. */
export function open(parts: Parts, base = 0n, warn?: (text: string) => void): DwarfInfo {
  return DwarfInfo.open(makeSections(parts), { base, warn });
}

/** An abbreviation: its code, tag, whether it has children, and attributes with their forms (and the
 * constant of an implicit one). */
export function abbreviation(
  code: number,
  tag: number,
  children: boolean,
  attributes: readonly (readonly number[])[],
): number[] {
  return [
    ...[...uleb(code), ...uleb(tag), children ? 1 : 0],
    ...attributes.flatMap(([attribute, form, constant]) => [
      ...[...uleb(attribute), ...uleb(form)],
      ...constant === undefined ? [] : sleb(constant),
    ]),
    ...[0, 0],
  ];
}

/** How a unit is written. */
export interface UnitFormat {
  readonly version: number;
  readonly addressSize?: 4 | 8;
  /** 8 for 64-bit DWARF. */
  readonly offsetSize?: 4 | 8;
  readonly abbreviations?: number;
}

/** A length, and what is so long. */
function sized(content: readonly number[], offsetSize: 4 | 8): number[] {
  return offsetSize === 8
    ? [...number(0xffffffff, 4), ...number(content.length, 8), ...content]
    : [...number(content.length, 4), ...content];
}

/** A unit of `.debug_info`. */
export function unit(format: UnitFormat, entries: readonly number[]): number[] {
  const { version, addressSize = 8, offsetSize = 4, abbreviations = 0 } = format;
  const header = version >= 5
    ? [...number(version, 2), 1, addressSize, ...number(abbreviations, offsetSize)]
    : [...number(version, 2), ...number(abbreviations, offsetSize), addressSize];
  return sized([...header, ...entries], offsetSize);
}

/** How lines are written. */
export interface LineFormat extends UnitFormat {
  readonly minimumLength?: number;
  readonly maximumOperations?: number;
  /** Directories and files; by default one file, `a.c`. */
  readonly tables?: readonly number[];
  readonly opcodeBase?: number;
}

/** What standard opcodes take, from the first. */
const operands = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];

/** Lines of `.debug_line`: line base -5, line range 14. */
export function lines(format: LineFormat, program: readonly number[]): number[] {
  const { version, addressSize = 8, offsetSize = 4, minimumLength = 1 } = format;
  const { maximumOperations = 1, opcodeBase = 13 } = format;
  const tables = format.tables ??
    (version >= 5
      ? [1, 1, 0x08, 1, ...text("/src"), 2, 1, 0x08, 2, 0x0b, 1, ...text("a.c"), 0]
      : [0, ...text("a.c"), 0, 0, 0, 0]);
  const rest = [
    minimumLength,
    ...version >= 4 ? [maximumOperations] : [],
    ...[1, -5 & 0xff, 14, opcodeBase],
    ...Array.from({ length: opcodeBase - 1 }, (_, index) => operands[index] ?? 2),
    ...tables,
  ];
  return sized([
    ...number(version, 2),
    ...version >= 5 ? [addressSize, 0] : [],
    ...number(rest.length, offsetSize),
    ...rest,
    ...program,
  ], offsetSize);
}

/** `DW_LNE_set_address`. */
export function setAddress(address: number | bigint, size: 4 | 8 = 8): number[] {
  return [0, 1 + size, 2, ...number(address, size)];
}

/** `DW_LNE_end_sequence`. */
export const END_SEQUENCE: readonly number[] = [0, 1, 1];
