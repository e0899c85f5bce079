/** Single debugging information entries, by their place. DWARF 5, sections 2 and 7.5. */
import { FormatError } from "../errors.ts";
import { lebEnd, lebEndWithin, slebBig, ulebAt, ulebBig } from "../leb128.ts";
import type { RawText } from "../escape.ts";
import type { Abbreviation } from "./abbreviations.ts";
import { Chunks } from "./chunks.ts";
import { Containers } from "./containers.ts";
import { AT, FORM, UT } from "./constants.ts";
import type { DwarfInfo } from "./info.ts";
import { Ranges } from "./range_lists.ts";
import type { DwarfSection } from "./sections.ts";
import { addRanges, addressOf, type UnitContext } from "./unit_context.ts";
import { makeValues, readValue, referenceTarget, stringRef, SUPPLEMENTARY } from "./values.ts";
import { u32At, u64At } from "./words.ts";

/** Maximum size of an entry, in bytes. */
const MAX_ENTRY = 1 << 20;
/** Maximum number of units whose first entries are kept. */
const MAX_UNITS = 1 << 12;
/** Maximum number of units whose containers are kept. */
const MAX_CONTAINERS = 1 << 6;
/** Maximum nesting of entries in one walk. */
const MAX_DEPTH = 256;

const scratch = makeValues(1);
const slots = makeValues(3);

/** An entry. Its values are decoded when they are asked for. */
export class Entry {
  readonly unit: UnitContext;
  /** Offset in `.debug_info`; at `SUPPLEMENTARY` or above in the supplementary file. */
  readonly place: number;
  /** `DW_TAG_*`. */
  readonly tag: number;
  readonly hasChildren: boolean;
  /** The place after its attributes. */
  readonly end: number;
  readonly #reader: EntryReader;
  readonly #bytes: Uint8Array;
  /** Offset in `.debug_info` of the first of the bytes. */
  readonly #base: number;
  readonly #abbreviation: Abbreviation;
  /** Start of each value in the bytes. */
  readonly #starts: readonly number[];

  constructor(
    reader: EntryReader,
    unit: UnitContext,
    place: number,
    abbreviation: Abbreviation,
    bytes: Uint8Array,
    base: number,
    starts: readonly number[],
    end: number,
  ) {
    this.#reader = reader;
    this.unit = unit;
    this.place = place;
    this.tag = abbreviation.tag;
    this.hasChildren = abbreviation.hasChildren;
    this.#abbreviation = abbreviation;
    this.#bytes = bytes;
    this.#base = base;
    this.#starts = starts;
    this.end = end;
  }

  /** Reads an attribute into a slot; returns its form, 0 if the entry does not have it. */
  #read(attribute: number, values = scratch, slot = 0): number {
    const { attributes } = this.#abbreviation;
    values.forms[slot] = 0;
    for (let index = 0; index < attributes.length; index++) {
      const { attribute: held, form, constant } = attributes[index];
      if (held !== attribute) continue;
      readValue(this.#bytes, this.#starts[index], form, constant, this.unit, values, slot);
      return values.forms[slot];
    }
    return 0;
  }

  /** The form of an attribute and where its bytes start. */
  #find(
    attribute: number,
  ): { readonly form: number; readonly at: number; readonly constant: number } | null {
    const { attributes } = this.#abbreviation;
    for (let index = 0; index < attributes.length; index++) {
      if (attributes[index].attribute !== attribute) continue;
      let { form } = attributes[index];
      let at = this.#starts[index];
      if (form === FORM.indirect) {
        form = ulebAt(this.#bytes, at);
        at = lebEnd(this.#bytes, at);
      }
      return { form, at, constant: attributes[index].constant };
    }
    return null;
  }

  /** Whether it has an attribute. */
  has(attribute: number): boolean {
    return this.#abbreviation.attributes.some((spec) => spec.attribute === attribute);
  }

  /** Whether a flag is set. */
  flag(attribute: number): boolean {
    return this.#read(attribute) !== 0 && scratch.low[0] !== 0;
  }

  /** A constant, not exact beyond 2^53; `undefined` if it has none. */
  number(attribute: number): number | undefined {
    const value = this.integer(attribute);
    return value === undefined ? undefined : Number(value);
  }

  /** A constant; `undefined` if it has none. Those of fixed size are unsigned. */
  integer(attribute: number): bigint | undefined {
    const found = this.#find(attribute);
    if (found === null) return undefined;
    const { form, at, constant } = found;
    const bytes = this.#bytes;
    switch (form) {
      case FORM.flag_present:
        return 1n;
      case FORM.implicit_const:
        return BigInt(constant);
      case FORM.sdata:
        return slebBig(bytes, at, lebEndWithin(bytes, at, bytes.length));
      case FORM.udata:
        return ulebBig(bytes, at, lebEndWithin(bytes, at, bytes.length));
      case FORM.data8:
        return (BigInt(u32At(bytes, at + 4)) << 32n) | BigInt(u32At(bytes, at));
      case FORM.data1:
      case FORM.data2:
      case FORM.data4:
      case FORM.flag:
      case FORM.sec_offset:
        readValue(bytes, at, form, 0, this.unit, scratch, 0);
        return BigInt(scratch.low[0]);
      default:
        return undefined;
    }
  }

  /** Whether a constant has a sign of its own: its form is signed. */
  isSigned(attribute: number): boolean {
    const form = this.#find(attribute)?.form;
    return form === FORM.sdata || form === FORM.implicit_const;
  }

  /** The bytes of a block or an expression, or of 16-byte data; `undefined` if it has none. */
  block(attribute: number): Uint8Array | undefined {
    const found = this.#find(attribute);
    if (found === null) return undefined;
    const { form, at } = found;
    const bytes = this.#bytes;
    let start = at;
    let length: number;
    switch (form) {
      case FORM.block1:
        length = bytes[at];
        start = at + 1;
        break;
      case FORM.block2:
        length = bytes[at] | (bytes[at + 1] << 8);
        start = at + 2;
        break;
      case FORM.block4:
        length = u32At(bytes, at);
        start = at + 4;
        break;
      case FORM.block:
      case FORM.exprloc:
        length = ulebAt(bytes, at);
        start = lebEnd(bytes, at);
        break;
      case FORM.data16:
        length = 16;
        break;
      default:
        return undefined;
    }
    return bytes.subarray(start, start + length);
  }

  /** A string; `null` if it has none. */
  string(attribute: number): RawText | null {
    const form = this.#read(attribute);
    return form === 0
      ? null
      : this.#reader.info.reader.text(stringRef(form, scratch.low[0], this.#base), this.unit);
  }

  /** Its name; `null` if it has none. */
  get name(): RawText | null {
    return this.string(AT.name);
  }

  /** The place of the entry that an attribute refers to; -1 if there is none, or its file is not there. */
  reference(attribute: number): number {
    const found = this.#find(attribute);
    if (found === null) return -1;
    if (found.form === FORM.ref_sig8) {
      const low = u32At(this.#bytes, found.at);
      return this.#reader.typeUnit((BigInt(u32At(this.#bytes, found.at + 4)) << 32n) | BigInt(low));
    }
    readValue(this.#bytes, found.at, found.form, 0, this.unit, scratch, 0);
    return this.#reader.placed(referenceTarget(found.form, scratch.low[0], this.unit.offset));
  }

  /** The path of a file that it names by number; `null` if there is none. */
  file(number: number): RawText | null {
    return this.#reader.info.file(this.unit, number);
  }

  /** The place where its unit ends. */
  get limit(): number {
    return this.#reader.placed(this.unit.offset + this.unit.size);
  }

  /** The entry that an attribute refers to; `null` if there is none. */
  referenced(attribute: number): Entry | null {
    const place = this.reference(attribute);
    return place < 0 ? null : this.#reader.at(place);
  }

  /** The offset in the image of an address; `undefined` if it has none. */
  address(attribute: number): number | undefined {
    if (this.#read(attribute) === 0) return undefined;
    const offset = addressOf(scratch, 0, this.unit, this.#reader.info.reader.addresses);
    return Number.isNaN(offset) ? undefined : offset;
  }

  /** The place of a location list: its offset, or its index; `null` if the attribute is none. */
  list(attribute: number): { readonly value: number; readonly isIndex: boolean } | null {
    const form = this.#read(attribute);
    switch (form) {
      case FORM.loclistx:
        return { value: scratch.low[0], isIndex: true };
      case FORM.sec_offset:
      case FORM.data4:
      case FORM.data8:
        return { value: scratch.low[0], isIndex: false };
      default:
        return null;
    }
  }

  /** Its code, as offsets in the image; `null` if it says nothing of code. */
  get ranges(): Ranges | null {
    this.#read(AT.low_pc, slots, 0);
    this.#read(AT.high_pc, slots, 1);
    this.#read(AT.ranges, slots, 2);
    const { addresses, lists } = this.#reader.info.reader;
    const ranges = new Ranges(2);
    return addRanges(slots, 0, 1, 2, this.unit, addresses, lists, ranges) ? ranges : null;
  }
}

/** Reads the entries of one image, and those of its supplementary file: their places have `SUPPLEMENTARY` added. */
export class EntryReader {
  readonly info: DwarfInfo;
  /** Added to the places of this file. */
  readonly #shift: number;
  readonly #supplement: EntryReader | null;
  readonly #section: DwarfSection;
  readonly #chunks: Chunks;
  readonly #contexts = new Map<number, UnitContext>();
  readonly #containers = new Map<number, Containers>();
  #signatures: ReadonlyMap<bigint, number> | undefined;
  /** The unit of the last entry. */
  #last: UnitContext | null = null;

  constructor(info: DwarfInfo, shift = 0) {
    this.info = info;
    this.#shift = shift;
    const { supplementary } = info;
    // A supplementary file has none of its own.
    this.#supplement = supplementary === null || shift > 0
      ? null
      : new EntryReader(supplementary, SUPPLEMENTARY);
    this.#section = info.reader.sections.get("info");
    this.#chunks = new Chunks(this.#section);
  }

  /** The reader of the file that a place is in; `null` when that file is not there. */
  #readerOf(place: number): EntryReader | null {
    return place < SUPPLEMENTARY || this.#shift > 0 ? this : this.#supplement;
  }

  /** A target of this file's references as a place; -1 when there is none. */
  placed(target: number): number {
    if (target < 0) return -1;
    if (target < SUPPLEMENTARY) return target + this.#shift;
    return this.#supplement === null ? -1 : target;
  }

  /** The unit that contains an offset; `null` if none does.
   *
   * @throws {FormatError} when its first entry is damaged
   */
  #unitAt(place: number): UnitContext | null {
    const last = this.#last;
    if (last !== null && place >= last.offset && place < last.offset + last.size) return last;
    const unit = this.info.unitHolding(place);
    if (unit === null) return null;
    let context = this.#contexts.get(unit.offset);
    if (context === undefined) {
      context = this.info.reader.context(unit);
      if (this.#contexts.size >= MAX_UNITS) this.#contexts.clear();
      this.#contexts.set(unit.offset, context);
    }
    return this.#last = context;
  }

  /** The entry at a place; `null` if there is none: the end of a list, or outside of all units.
   *
   * @throws {FormatError} when it is damaged
   */
  at(place: number): Entry | null {
    const reader = this.#readerOf(place);
    return reader === null ? null : reader.#at(place);
  }

  #at(shifted: number): Entry | null {
    const place = shifted - this.#shift;
    const unit = this.#unitAt(place);
    if (unit === null || place < unit.offset + unit.entries) return null;
    const chunk = this.#chunks.chunk(place);
    const found = this.#decode(unit, place, chunk, this.#chunks.position(place));
    if (found !== undefined) return found;
    // It continues in the next chunk.
    const rest = unit.offset + unit.size - place;
    for (let length = 1 << 12;; length *= 16) {
      const bytes = this.#section.read(place, Math.min(length, rest, MAX_ENTRY));
      const entry = this.#decode(unit, place, bytes, 0);
      if (entry !== undefined) return entry;
      if (bytes.length < length) {
        throw new FormatError("__debug_info", place, `an entry within its unit`);
      }
    }
  }

  /** The entry in the bytes; `null` for the end of a list, `undefined` if the bytes end before it does. */
  #decode(
    unit: UnitContext,
    place: number,
    bytes: Uint8Array,
    start: number,
  ): Entry | null | undefined {
    let at = start;
    const code = ulebAt(bytes, at);
    at = lebEnd(bytes, at);
    if (!(at <= bytes.length)) return undefined;
    if (code === 0) return null;
    const abbreviation = unit.table.get(code);
    if (abbreviation === undefined) {
      throw new FormatError("__debug_info", place, `an entry with an abbreviation, not ${code}`);
    }
    const { attributes } = abbreviation;
    const starts: number[] = new Array(attributes.length);
    for (let index = 0; index < attributes.length; index++) {
      starts[index] = at;
      at = readValue(bytes, at, attributes[index].form, 0, unit, scratch, 0);
    }
    if (!(at <= bytes.length)) return undefined;
    const end = place + at - start;
    if (end > unit.offset + unit.size) {
      throw new FormatError("__debug_info", place, "an entry within its unit");
    }
    const shift = this.#shift;
    return new Entry(
      this,
      unit,
      place + shift,
      abbreviation,
      bytes,
      place - start,
      starts,
      end + shift,
    );
  }

  /** The entries below one, outer ones before those in them, with their nesting: 1 for its children. Those
   * below an entry for which `enter` is false are passed over.
   *
   * @throws {FormatError} when one is damaged
   */
  *walk(
    entry: Entry,
    enter: (entry: Entry, depth: number) => boolean = () => true,
  ): Generator<readonly [entry: Entry, depth: number]> {
    if (!entry.hasChildren) return;
    const { limit } = entry;
    let depth = 1;
    /** Depth below which entries are passed over. */
    let passing = Infinity;
    for (let place = entry.end; place < limit;) {
      const next = this.at(place);
      if (next === null) {
        if (--depth === 0) return;
        if (depth <= passing) passing = Infinity;
        place++;
        continue;
      }
      place = next.end;
      if (depth <= passing) {
        yield [next, depth];
        if (next.hasChildren && !enter(next, depth)) {
          const sibling = next.reference(AT.sibling);
          if (sibling > next.end && sibling < limit) {
            place = sibling;
            continue;
          }
          passing = depth;
        }
      }
      if (next.hasChildren && ++depth > MAX_DEPTH) {
        throw new FormatError("__debug_info", next.place, "entries less deep in each other");
      }
    }
  }

  /** The children of an entry.
   *
   * @throws {FormatError} when one is damaged
   */
  *children(entry: Entry): Generator<Entry> {
    for (const [child] of this.walk(entry, () => false)) yield child;
  }

  /** The entries that contain the one at a place, innermost first, without the unit.
   *
   * @throws {FormatError} when the unit is damaged
   */
  containers(place: number): readonly { readonly place: number; readonly tag: number }[] {
    const reader = this.#readerOf(place);
    if (reader === null) return [];
    const shift = reader.#shift;
    const found = reader.#containersOf(place - shift);
    return shift === 0 ? found : found.map(({ place, tag }) => ({ place: place + shift, tag }));
  }

  #containersOf(place: number): readonly { readonly place: number; readonly tag: number }[] {
    const unit = this.#unitAt(place);
    if (unit === null) return [];
    let containers = this.#containers.get(unit.offset);
    if (containers === undefined) {
      const bytes = this.#section.take(unit.offset, unit.size);
      containers = new Containers(bytes, unit);
      if (this.#containers.size >= MAX_CONTAINERS) this.#containers.clear();
      this.#containers.set(unit.offset, containers);
    }
    return containers.of(place);
  }

  /** The first entry of this file's unit that has an offset. */
  root(place: number): Entry | null {
    const unit = this.#unitAt(place);
    return unit === null ? null : this.at(unit.offset + unit.entries + this.#shift);
  }

  /** The place of the type that a type unit with a signature defines; -1 if there is none. DWARF 5, section
   * 7.5.1.3. */
  typeUnit(signature: bigint): number {
    this.#signatures ??= this.#readSignatures();
    return this.placed(this.#signatures.get(signature) ?? -1);
  }

  #readSignatures(): Map<bigint, number> {
    const signatures = new Map<bigint, number>();
    for (const unit of this.info.units) {
      if (unit.type !== UT.type && unit.type !== UT.split_type) continue;
      // The type's offset ends the header.
      const { offset, entries, offsetSize, id } = unit;
      const bytes = this.#section.take(offset + entries - offsetSize, offsetSize);
      if (id !== null) {
        signatures.set(id, offset + (offsetSize === 8 ? u64At(bytes, 0) : u32At(bytes, 0)));
      }
    }
    return signatures;
  }
}
