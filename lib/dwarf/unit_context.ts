/** A unit's first entry, and what it says of how the others are read. DWARF 5, section 3.1.1. */
import { FormatError } from "../errors.ts";
import { lebEnd, ulebAt } from "../leb128.ts";
import type { AbbreviationTable } from "./abbreviations.ts";
import type { Addresses } from "./addresses.ts";
import { AT, FORM, TAG } from "./constants.ts";
import type { RangeBases, RangeLists, Ranges } from "./range_lists.ts";
import type { Window } from "./sections.ts";
import type { DwarfUnit } from "./unit_header.ts";
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
import { u32At, u64At } from "./words.ts";

/** The attributes of an entry that are not looked for by name. */
const WANTED: readonly number[] = [
  ...[AT.name, AT.stmt_list, AT.low_pc, AT.high_pc, AT.language, AT.comp_dir, AT.ranges],
  ...[AT.str_offsets_base, AT.addr_base, AT.rnglists_base, AT.GNU_ranges_base, AT.GNU_addr_base],
];
const slotOf: ReadonlyMap<number, number> = new Map(WANTED.map((name, slot) => [name, slot]));
const slot = (attribute: number): number => slotOf.get(attribute)!;

/** What is known of a unit when its first entry has been read. */
export interface UnitContext extends DwarfUnit, RangeBases {
  /** `DW_TAG_*`. */
  readonly tag: number;
  readonly table: AbbreviationTable;
  /** As `packString` has them. */
  readonly name: number;
  readonly directory: number;
  /** `DW_AT_language`; 0 when there is none. */
  readonly language: number;
  /** Where its lines are in `.debug_line`; -1 when it has none. */
  readonly lines: number;
  readonly strOffsetsBase: number;
  /** Of the first entry. */
  readonly values: Values;
}

/** Reads a unit's first entry.
 *
 * @param bytes of the unit, or enough of its beginning
 * @throws {FormatError} when it is damaged
 */
export function readUnitContext(
  bytes: Uint8Array,
  unit: DwarfUnit,
  table: AbbreviationTable,
  addresses: Addresses,
): UnitContext {
  const damage = (expected: string) =>
    new FormatError("__debug_info", unit.offset + unit.entries, expected);
  let at = unit.entries;
  const abbreviation = table.get(ulebAt(bytes, at));
  at = lebEnd(bytes, at);
  if (abbreviation === undefined) throw damage("an entry with an abbreviation");
  const values = makeValues(WANTED.length + 1);
  for (const { attribute, form, constant } of abbreviation.attributes) {
    const to = slotOf.get(attribute) ?? WANTED.length;
    at = readValue(bytes, at, form, constant, unit, values, to);
  }
  if (!(at <= bytes.length)) throw damage("a whole entry");
  const number = (attribute: number): number | undefined =>
    values.forms[slot(attribute)] === 0 ? undefined : values.low[slot(attribute)];
  const text = (attribute: number): number =>
    stringRef(values.forms[slot(attribute)], values.low[slot(attribute)], unit.offset);
  // Where a unit does not say, its entries are the first: after a header, which DWARF 5 has.
  const header = unit.version < 5 ? 0 : unit.offsetSize === 8 ? 16 : 8;
  const context = {
    ...unit,
    tag: abbreviation.tag,
    table,
    name: text(AT.name),
    directory: text(AT.comp_dir),
    language: number(AT.language) ?? 0,
    lines: number(AT.stmt_list) ?? -1,
    base: 0,
    addrBase: number(AT.addr_base) ?? number(AT.GNU_addr_base) ?? header,
    strOffsetsBase: number(AT.str_offsets_base) ?? header,
    rnglistsBase: number(AT.rnglists_base) ??
      (unit.version < 5 ? 0 : unit.offsetSize === 8 ? 20 : 12),
    rangesBase: number(AT.GNU_ranges_base) ?? 0,
    values,
  };
  const low = slot(AT.low_pc);
  context.base = values.forms[low] === 0
    ? addresses.offset(0, 0, unit.addressSize)
    : addressOf(values, low, context, addresses);
  return context;
}

/** Whether units of that kind have code of their own. */
export function hasCode({ tag }: UnitContext): boolean {
  return tag === TAG.compile_unit || tag === TAG.partial_unit || tag === TAG.skeleton_unit;
}

/** The offset of the address in a slot; NaN for none. */
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

/** Adds the ranges that an entry's attributes give, from the slots that they are in.
 *
 * @returns whether the entry has such attributes at all
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

/** Adds the ranges that the unit as a whole has. */
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

/** A string that the unit knows by an index, by its place. */
export function directString(ref: number, unit: UnitContext, offsets: Window): number {
  const kind = ref < 0 ? ref : ref % 8;
  if (kind !== STRING.index && kind !== STRING.gnu_index) return ref;
  const { offsetSize } = unit;
  const base = kind === STRING.index ? unit.strOffsetsBase : 0;
  const at = offsets.at(base + Math.floor(ref / 8) * offsetSize, offsetSize);
  if (at < 0) return STRING.none;
  const { bytes } = offsets;
  return packString(STRING.str, offsetSize === 8 ? u64At(bytes, at) : u32At(bytes, at));
}
