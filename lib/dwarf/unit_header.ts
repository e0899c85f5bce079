/** Unit headers. DWARF 5, section 7.5.1. */
import { FormatError } from "../errors.ts";
import type { Widths } from "./abbreviations.ts";
import { UT } from "./constants.ts";
import type { DwarfSection } from "./sections.ts";
import { u32At, u64At, unsignedOf } from "./words.ts";

/** A unit header. */
export interface DwarfUnit extends Widths {
  /** Offset of the header in `.debug_info`. */
  readonly offset: number;
  /** Size including the header, in bytes. */
  readonly size: number;
  /** Offset of the first entry in the unit. */
  readonly entries: number;
  /** Offset of the abbreviations in `.debug_abbrev`. */
  readonly abbreviations: number;
  /** `DW_UT_*`; `DW_UT_compile` before DWARF 5. */
  readonly type: number;
  /** The signature of a type unit; in DWARF 5 also what a skeleton unit and its split unit have in common. */
  readonly id: bigint | null;
  /** Where its parts of the other sections begin, in a package of split units. */
  readonly part?: UnitPart;
}

/** The starts of what belongs to one unit of a package. */
export interface UnitPart {
  readonly abbreviations: number;
  readonly lines: number;
  readonly stringOffsets: number;
  readonly locationLists: number;
  readonly rangeLists: number;
}

/** Maximum size of a header. */
const HEADER = 64;
/** Maximum size of a unit. */
const MAX_SIZE = 1 << 30;

/** Reads the unit header at an offset.
 *
 * @throws {UnitError} when the unit cannot be read but its end is known
 * @throws {FormatError} when there is no unit
 */
export function readUnitHeader(section: DwarfSection, offset: number): DwarfUnit {
  const bytes = section.read(offset, HEADER);
  const offsetSize = u32At(bytes, 0) === 0xffffffff ? 8 : 4;
  const start = offsetSize === 8 ? 12 : 4;
  const length = offsetSize === 8 ? u64At(bytes, 4) : u32At(bytes, 0);
  // 0xfffffff0 to 0xfffffffe are reserved.
  if (bytes.length < start + 7 || (offsetSize === 4 && length >= 0xfffffff0)) {
    throw new FormatError(section.name, offset, "a unit's header");
  }
  const size = start + length;
  if (length < 7 || size > section.size - offset) {
    throw new FormatError(
      section.name,
      offset,
      `a unit's length up to ${section.size - offset - start}`,
    );
  }
  const damage = (expected: string) => new UnitError(section.name, offset, expected, offset + size);
  const version = bytes[start] | (bytes[start + 1] << 8);
  if (version < 2 || version > 5) throw damage(`a unit of DWARF 2 to 5, not ${version}`);
  const offsetAt = offsetSize === 8 ? u64At : u32At;
  let at = start + 2;
  let type: number = UT.compile;
  let addressSize: number;
  let abbreviations: number;
  let id: bigint | null = null;
  if (version >= 5) {
    type = bytes[at];
    addressSize = bytes[at + 1];
    abbreviations = offsetAt(bytes, at + 2);
    at += 2 + offsetSize;
    if (type === UT.skeleton || type === UT.split_compile) {
      id = unsignedOf(bytes.subarray(at, at + 8));
      at += 8;
    } else if (type === UT.type || type === UT.split_type) {
      id = unsignedOf(bytes.subarray(at, at + 8));
      at += 8 + offsetSize;
    }
  } else {
    abbreviations = offsetAt(bytes, at);
    addressSize = bytes[at + offsetSize];
    at += offsetSize + 1;
    if (offset >= section.types) {
      type = UT.type;
      id = unsignedOf(bytes.subarray(at, at + 8));
      at += 8 + offsetSize;
    }
  }
  if (addressSize !== 4 && addressSize !== 8) {
    throw damage(`addresses of 4 or 8 bytes, not ${addressSize}`);
  }
  if (at > size) throw damage("a whole header");
  if (size > MAX_SIZE) throw damage(`a unit of at most ${MAX_SIZE} bytes`);
  return { offset, size, version, addressSize, offsetSize, abbreviations, type, id, entries: at };
}

/** A unit cannot be read, but its end is known. */
export class UnitError extends FormatError {
  /** Offset of the next unit. */
  readonly next: number;

  constructor(file: string, offset: number, expected: string, next: number) {
    super(file, offset, expected);
    this.next = next;
  }
}
