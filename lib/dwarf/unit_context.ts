/** A unit's first entry, with the bases that its other entries refer to. DWARF 5, section 3.1.1. */
import { FormatError } from "../errors.ts";
import { lebEnd, ulebAt } from "../leb128.ts";
import type { AbbreviationTable } from "./abbreviations.ts";
import type { Addresses } from "./addresses.ts";
import { AT, FORM, TAG } from "./constants.ts";
import type { RangeBases, RangeLists, Ranges } from "./range_lists.ts";
import type { Window } from "./sections.ts";
import type { DwarfUnit, UnitPart } from "./unit_header.ts";
import {
  isAddress,
  isAddressIndex,
  makeValues,
  packString,
  readValue,
  STRING,
  stringRef,
  type Values,
} from "./values.ts";
import { u32At, u64At, unsignedOf } from "./words.ts";

/** The attributes of the first entry to read. */
const WANTED: readonly number[] = [
  ...[AT.name, AT.stmt_list, AT.low_pc, AT.high_pc, AT.language, AT.comp_dir, AT.ranges],
  ...[AT.str_offsets_base, AT.addr_base, AT.rnglists_base, AT.GNU_ranges_base, AT.GNU_addr_base],
  ...[AT.loclists_base, AT.dwo_name, AT.GNU_dwo_name],
];
const slotOf: ReadonlyMap<number, number> = new Map(WANTED.map((name, slot) => [name, slot]));
const slot = (attribute: number): number => slotOf.get(attribute)!;

/** A unit and the attributes of its first entry. */
export interface UnitContext extends DwarfUnit, RangeBases {
  /** `DW_TAG_*`. */
  readonly tag: number;
  readonly table: AbbreviationTable;
  // Packed by `packString`.
  readonly name: number;
  readonly directory: number;
  /** `DW_AT_language`; 0 if there is none. */
  readonly language: number;
  /** Offset of its lines in `.debug_line`; -1 if it has none. */
  readonly lines: number;
  readonly strOffsetsBase: number;
  /** Start of its location lists' offsets in `.debug_loclists`. */
  readonly loclistsBase: number;
  /** Added to offsets in `.debug_loclists` and `.debug_loc`. */
  readonly locationsBase: number;
  /** Name of the file with its entries; packed. */
  readonly splitName: number;
  /** Of a split unit: what the linked file says of it. `null` where it is not known, too. */
  readonly skeleton: UnitContext | null;
  /** Whether its entries are in a file that was not linked. */
  readonly isSplit: boolean;
  /** `DW_AT_GNU_ranges_base`: of a split unit's ranges, not of its own. */
  readonly splitRangesBase: number;
  /** The values of the first entry. */
  readonly values: Values;
}

/** The parts of a file that is no package. */
const wholeFile: UnitPart = {
  ...{ abbreviations: 0, lines: 0, stringOffsets: 0, locationLists: 0, rangeLists: 0 },
};

/** Reads a unit's first entry.
 *
 * @param bytes the unit, or enough of its start
 * @param skeleton of a split file: what the linked one says of the unit with an ID
 * @throws {FormatError} when it is damaged
 */
export function readUnitContext(
  bytes: Uint8Array,
  unit: DwarfUnit,
  table: AbbreviationTable,
  addresses: Addresses,
  skeleton?: (id: bigint) => UnitContext | null,
): UnitContext {
  const damage = (expected: string) =>
    new FormatError("__debug_info", unit.offset + unit.entries, expected);
  let at = unit.entries;
  const abbreviation = table.get(ulebAt(bytes, at));
  at = lebEnd(bytes, at);
  if (abbreviation === undefined) throw damage("an entry with an abbreviation");
  const values = makeValues(WANTED.length + 1);
  let { id } = unit;
  for (const { attribute, form, constant } of abbreviation.attributes) {
    if (attribute === AT.GNU_dwo_id && form === FORM.data8) {
      id = unsignedOf(bytes.subarray(at, at + 8));
    }
    const to = slotOf.get(attribute) ?? WANTED.length;
    at = readValue(bytes, at, form, constant, unit, values, to);
  }
  if (!(at <= bytes.length)) throw damage("a whole entry");
  const number = (attribute: number): number | undefined =>
    values.forms[slot(attribute)] === 0 ? undefined : values.low[slot(attribute)];
  const text = (attribute: number): number =>
    stringRef(values.forms[slot(attribute)], values.low[slot(attribute)], unit.offset);
  // Default: the section's first entries, after the header that DWARF 5 has.
  const header = unit.version < 5 ? 0 : unit.offsetSize === 8 ? 16 : 8;
  const listHeader = unit.version < 5 ? 0 : unit.offsetSize === 8 ? 20 : 12;
  const isSplit = skeleton !== undefined;
  const { tag } = abbreviation;
  // A type unit has no addresses, and lines of its own.
  const linked = isSplit && tag !== TAG.type_unit && id !== null ? skeleton(id) : null;
  const part = unit.part ?? wholeFile;
  const lines = number(AT.stmt_list);
  const context = {
    ...unit,
    id,
    tag,
    table,
    name: text(AT.name),
    directory: text(AT.comp_dir),
    language: number(AT.language) ?? 0,
    lines: lines === undefined ? -1 : lines + part.lines,
    base: 0,
    addrBase: isSplit
      ? linked?.addrBase ?? NaN
      : number(AT.addr_base) ?? number(AT.GNU_addr_base) ?? header,
    strOffsetsBase: part.stringOffsets + (number(AT.str_offsets_base) ?? header),
    rnglistsBase: part.rangeLists + (number(AT.rnglists_base) ?? listHeader),
    rangesBase: unit.version < 5 ? linked?.splitRangesBase ?? 0 : part.rangeLists,
    loclistsBase: part.locationLists + (number(AT.loclists_base) ?? listHeader),
    locationsBase: part.locationLists,
    splitName: text(values.forms[slot(AT.dwo_name)] === 0 ? AT.GNU_dwo_name : AT.dwo_name),
    splitRangesBase: number(AT.GNU_ranges_base) ?? 0,
    skeleton: linked,
    isSplit,
    values,
  };
  const low = slot(AT.low_pc);
  context.base = values.forms[low] === 0
    ? linked?.base ?? addresses.offset(0, 0, unit.addressSize)
    : addressOf(values, low, context, addresses);
  return context;
}

/** Whether a unit of this kind has code. */
export function hasCode({ tag }: UnitContext): boolean {
  return tag === TAG.compile_unit || tag === TAG.partial_unit || tag === TAG.skeleton_unit;
}

/** The offset of the address in a slot; NaN if there is none. */
export function addressOf(
  values: Values,
  slot: number,
  unit: UnitContext,
  addresses: Addresses,
): number {
  const form = values.forms[slot];
  if (form === FORM.addr) {
    return addresses.offset(values.low[slot], values.high[slot], unit.addressSize);
  }
  return isAddressIndex(form) ? addresses.indexed(values.low[slot], unit.addrBase, unit) : NaN;
}

/** Adds the ranges of an entry, from the slots of its attributes.
 *
 * @returns whether the entry has such attributes
 * @throws {FormatError} when its range list is damaged
 */
export function addRanges(
  values: Values,
  low: number,
  high: number,
  ranges: number,
  unit: UnitContext,
  addresses: Addresses,
  lists: RangeLists,
  into: Ranges,
): boolean {
  const { forms } = values;
  if (forms[low] !== 0 && forms[high] !== 0) {
    const start = addressOf(values, low, unit, addresses);
    into.add(
      start,
      isAddress(forms[high]) ? addressOf(values, high, unit, addresses) : start + values.low[high],
    );
    return true;
  }
  if (forms[ranges] === 0) return false;
  if (forms[ranges] === FORM.rnglistx) lists.readIndexed(unit, values.low[ranges], into);
  else lists.read(unit, values.low[ranges], into);
  return true;
}

/** Adds the ranges of a unit's first entry. */
export function addUnitRanges(
  unit: UnitContext,
  addresses: Addresses,
  lists: RangeLists,
  into: Ranges,
): boolean {
  return addRanges(
    unit.values,
    ...[slot(AT.low_pc), slot(AT.high_pc), slot(AT.ranges)] as const,
    unit,
    addresses,
    lists,
    into,
  );
}

/** Resolves a packed string index to a packed place. */
export function directString(ref: number, unit: UnitContext, offsets: Window): number {
  const kind = ref < 0 ? ref : ref % 8;
  if (kind !== STRING.index && kind !== STRING.gnu_index) return ref;
  const { offsetSize } = unit;
  const at = offsets.at(unit.strOffsetsBase + Math.floor(ref / 8) * offsetSize, offsetSize);
  if (at < 0) return STRING.none;
  const { bytes } = offsets;
  return packString(STRING.str, offsetSize === 8 ? u64At(bytes, at) : u32At(bytes, at));
}
