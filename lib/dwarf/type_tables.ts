/** The tables of types' names that compilers and linkers write: `.debug_names` (DWARF 5, section 6.1.1), and
 * Apple's `__apple_types` and `__apple_objc` (LLVM `docs/SourceLevelDebugging.rst`, "Name Accelerator Tables").
 * A name is looked up by its hash: little of a table is read. */
import { FormatError } from "../errors.ts";
import { TAG } from "./constants.ts";
import { Cursor } from "./cursor.ts";
import type { DwarfSection, DwarfSections } from "./sections.ts";
import { u32At, u64At } from "./words.ts";

/** Maximum number of places of one name, of names with one hash, and of parts of a table. */
const MAX_PLACES = 1 << 12;
const MAX_COLLISIONS = 1 << 10;
const MAX_PARTS = 1 << 12;
/** Maximum size of a name's entries. */
const MAX_ENTRIES = 1 << 20;

/** The places of types by their unqualified names. */
export interface TypeTables {
  /** The places in `.debug_info` of the entries with a name. */
  places(name: string): number[];
  /** Whether it has all types of the unit at an offset. */
  covers(unit: number): boolean;
}

/** The tables of an image; `null` when it has none. A damaged one is left out. */
export function typeTables(sections: DwarfSections): TypeTables | null {
  const tables = [...namesTables(sections), ...appleTables(sections)];
  if (tables.length === 0) return null;
  return {
    covers: (unit) => tables.some((table) => table.covers(unit)),
    places(name) {
      const bytes = new TextEncoder().encode(name);
      const places = new Set<number>();
      for (const table of tables) {
        // Damage in a table costs what it would have found.
        const found = guarded(() => table.places(bytes), []);
        for (const place of found.slice(0, MAX_PLACES)) places.add(place);
      }
      return [...places];
    },
  };
}

interface Table {
  places(name: Uint8Array): number[];
  covers(unit: number): boolean;
}

function guarded<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return otherwise;
  }
}

/** Bernstein's hash. */
function hashOf(name: Uint8Array): number {
  let hash = 5381;
  for (const byte of name) hash = (Math.imul(hash, 33) + byte) >>> 0;
  return hash;
}

/** The hash of `.debug_names`: of the name in lower case. Case folding of other letters than ASCII's is that
 * of JavaScript, but for the two that the standard names. */
function foldedHash(name: Uint8Array): number {
  const text = new TextDecoder().decode(name).replace(/[\u0130\u0131]/g, "i").toLowerCase();
  return hashOf(new TextEncoder().encode(text));
}

/** Whether a section of strings has a name at an offset. */
function isNamed(strings: DwarfSection, offset: number, name: Uint8Array): boolean {
  const held = strings.read(offset, name.length + 1);
  return held.length === name.length + 1 && held[name.length] === 0 &&
    name.every((byte, index) => held[index] === byte);
}

/** The index of each hash that is equal to one, from a bucket's first on. */
function* equalHashes(
  section: DwarfSection,
  hashes: number,
  first: number,
  count: number,
  buckets: number,
  hash: number,
): Generator<number> {
  for (let at = first; at < Math.min(count, first + MAX_COLLISIONS); at++) {
    const held = u32At(section.take(hashes + 4 * at, 4), 0);
    if (held % buckets !== hash % buckets) return;
    if (held === hash) yield at;
  }
}

/** Apple's tables, which dsymutil writes for DWARF 2 to 4. */
function appleTables(sections: DwarfSections): Table[] {
  return ["__apple_types"].flatMap((name) => {
    const section = sections.get(name);
    return section.size === 0
      ? []
      : guarded(() => [new AppleTable(section, sections.get("str"))], []);
  });
}

/** `DW_ATOM_die_offset`. */
const ATOM_DIE_OFFSET = 1;
/** Sizes of the forms of atoms; the others are LEB128 numbers or nothing that is used. */
const atomSizes: ReadonlyMap<number, number> = new Map([
  ...[[0x0b, 1], [0x0c, 1], [0x11, 1], [0x05, 2], [0x12, 2]] as const,
  ...[[0x06, 4], [0x13, 4], [0x17, 4], [0x07, 8], [0x14, 8]] as const,
]);

class AppleTable implements Table {
  readonly #section: DwarfSection;
  readonly #strings: DwarfSection;
  readonly #base: number;
  /** Forms, and which of them is the place. */
  readonly #sizes: readonly number[];
  readonly #place: number;
  readonly #buckets: number;
  readonly #hashes: number;
  /** Offset of the buckets. */
  readonly #start: number;

  constructor(section: DwarfSection, strings: DwarfSection) {
    this.#section = section;
    this.#strings = strings;
    const head = section.take(0, 20);
    const magic = u32At(head, 0);
    const version = head[4] | head[5] << 8;
    const isBernstein = (head[6] | head[7] << 8) === 0;
    if (magic !== 0x48415348 || version !== 1 || !isBernstein) {
      throw new FormatError(section.name, 0, "a hash table of version 1");
    }
    this.#buckets = u32At(head, 8);
    this.#hashes = u32At(head, 12);
    const length = u32At(head, 16);
    const data = section.take(20, Math.min(length, 8 + 4 * MAX_PARTS));
    this.#base = u32At(data, 0);
    const count = Math.min(u32At(data, 4), MAX_PARTS, (data.length - 8) >> 2);
    const atoms = Array.from({ length: count }, (_, index) => {
      const at = 8 + 4 * index;
      return { kind: data[at] | data[at + 1] << 8, form: data[at + 2] | data[at + 3] << 8 };
    });
    this.#place = atoms.findIndex(({ kind }) => kind === ATOM_DIE_OFFSET);
    this.#sizes = atoms.map(({ form }) => atomSizes.get(form) ?? NaN);
    this.#start = 20 + length;
    const tables = this.#start + 4 * this.#buckets + 8 * this.#hashes;
    const isKnown = this.#place >= 0 && this.#sizes.every(Number.isInteger) && this.#buckets > 0;
    if (!isKnown || tables > section.size) {
      throw new FormatError(section.name, 20, "a hash table with places of entries");
    }
  }

  covers(): boolean {
    return true;
  }

  places(name: Uint8Array): number[] {
    const section = this.#section;
    const hash = hashOf(name);
    const first = u32At(section.take(this.#start + 4 * (hash % this.#buckets), 4), 0);
    const hashes = this.#start + 4 * this.#buckets;
    const places: number[] = [];
    for (
      const at of equalHashes(section, hashes, first, this.#hashes, this.#buckets, hash)
    ) {
      const offset = u32At(section.take(hashes + 4 * (this.#hashes + at), 4), 0);
      this.#collect(offset, name, places);
    }
    return places;
  }

  /** The names with one hash follow each other, up to an offset of zero. */
  #collect(offset: number, name: Uint8Array, into: number[]): void {
    const size = this.#sizes.reduce((sum, size) => sum + size, 0);
    for (let at = offset, names = 0; names < MAX_COLLISIONS; names++) {
      const head = this.#section.take(at, 4);
      const string = u32At(head, 0);
      if (string === 0) return;
      const count = u32At(this.#section.take(at + 4, 4), 0);
      if (count * size > MAX_ENTRIES) {
        throw new FormatError(this.#section.name, at, "fewer entries");
      }
      if (isNamed(this.#strings, string, name)) {
        const bytes = this.#section.take(at + 8, count * size);
        const skipped = this.#sizes.slice(0, this.#place).reduce((sum, size) => sum + size, 0);
        for (let entry = 0; entry < count && into.length < MAX_PLACES; entry++) {
          into.push(this.#base + numberAt(bytes, entry * size + skipped, this.#sizes[this.#place]));
        }
      }
      at += 8 + count * size;
    }
  }
}

function numberAt(bytes: Uint8Array, at: number, size: number): number {
  if (size === 8) return u64At(bytes, at);
  let value = 0;
  for (let index = size; index-- > 0;) value = value * 256 + bytes[at + index];
  return value;
}

/** The tables of `.debug_names`, one after another. */
function namesTables(sections: DwarfSections): Table[] {
  const section = sections.get("names");
  const tables: Table[] = [];
  guarded(() => {
    for (let at = 0; at < section.size && tables.length < MAX_PARTS;) {
      const table = new NamesTable(section, at, sections.get("str"));
      tables.push(table);
      at = table.end;
    }
  }, undefined);
  return tables;
}

/** `DW_IDX_*`. */
const IDX = { compile_unit: 1, type_unit: 2, die_offset: 3 } as const;
/** Tags of what is a type with a name. */
const types: ReadonlySet<number> = new Set([
  ...[TAG.base_type, TAG.typedef, TAG.structure_type, TAG.class_type, TAG.union_type],
  ...[TAG.enumeration_type, TAG.interface_type, TAG.unspecified_type, TAG.template_alias],
  TAG.pointer_type,
]);

class NamesTable implements Table {
  /** Offset of the next table. */
  readonly end: number;
  readonly #section: DwarfSection;
  readonly #strings: DwarfSection;
  readonly #wide: 4 | 8;
  readonly #units: readonly number[];
  readonly #typeUnits: readonly number[];
  readonly #bucketCount: number;
  readonly #nameCount: number;
  // Offsets of the parts.
  readonly #buckets: number;
  readonly #hashes: number;
  readonly #stringOffsets: number;
  readonly #entryOffsets: number;
  readonly #pool: number;
  readonly #abbreviations = new Map<
    number,
    { readonly tag: number; readonly attributes: readonly (readonly [number, number])[] }
  >();

  constructor(section: DwarfSection, offset: number, strings: DwarfSection) {
    this.#section = section;
    this.#strings = strings;
    const length = u32At(section.take(offset, 4), 0);
    const wide = this.#wide = length === 0xffff_ffff ? 8 : 4;
    const start = offset + (wide === 8 ? 12 : 4);
    this.end = start + (wide === 8 ? u64At(section.take(offset + 4, 8), 0) : length);
    const head = section.take(start, 32);
    if ((head[0] | head[1] << 8) !== 5 || this.end > section.size) {
      throw new FormatError(section.name, offset, "names of version 5");
    }
    const [units, local, foreign, buckets, names, abbreviations, text] = Array.from(
      { length: 7 },
      (_, index) => u32At(head, 4 + 4 * index),
    );
    this.#bucketCount = buckets;
    this.#nameCount = names;
    const list = start + 32 + text;
    this.#buckets = list + wide * (units + local) + 8 * foreign;
    this.#hashes = this.#buckets + 4 * buckets;
    this.#stringOffsets = this.#hashes + (buckets > 0 ? 4 * names : 0);
    this.#entryOffsets = this.#stringOffsets + wide * names;
    const table = this.#entryOffsets + wide * names;
    this.#pool = table + abbreviations;
    if (!(this.#pool <= this.end)) throw new FormatError(section.name, offset, "a whole table");
    const bytes = section.take(list, wide * (units + local));
    const offsets = Array.from(
      { length: units + local },
      (_, index) => numberAt(bytes, wide * index, wide),
    );
    this.#units = offsets.slice(0, units);
    this.#typeUnits = offsets.slice(units);
    this.#readAbbreviations(new Cursor(section.take(table, abbreviations), section.name));
  }

  #readAbbreviations(cursor: Cursor): void {
    while (cursor.position < cursor.end && this.#abbreviations.size < MAX_PARTS) {
      const code = cursor.uleb();
      if (code === 0) return;
      const tag = cursor.uleb();
      const attributes: (readonly [number, number])[] = [];
      for (;;) {
        const attribute = [cursor.uleb(), cursor.uleb()] as const;
        if (attribute[0] === 0 && attribute[1] === 0) break;
        attributes.push(attribute);
      }
      this.#abbreviations.set(code, { tag, attributes });
    }
  }

  covers(unit: number): boolean {
    return this.#bucketCount > 0 && (this.#units.includes(unit) || this.#typeUnits.includes(unit));
  }

  places(name: Uint8Array): number[] {
    const section = this.#section;
    if (this.#bucketCount === 0) return [];
    const hash = foldedHash(name);
    // Names are counted from 1.
    const first = u32At(section.take(this.#buckets + 4 * (hash % this.#bucketCount), 4), 0) - 1;
    if (first < 0) return [];
    const places: number[] = [];
    const wide = this.#wide;
    const equal = equalHashes(
      section,
      this.#hashes,
      first,
      this.#nameCount,
      this.#bucketCount,
      hash,
    );
    for (const at of equal) {
      const string = numberAt(section.take(this.#stringOffsets + wide * at, wide), 0, wide);
      if (!isNamed(this.#strings, string, name)) continue;
      const entries = numberAt(section.take(this.#entryOffsets + wide * at, wide), 0, wide);
      this.#collect(this.#pool + entries, places);
    }
    return places;
  }

  /** The entries of a name follow each other, up to an abbreviation of zero. */
  #collect(offset: number, into: number[]): void {
    const length = Math.min(this.end - offset, MAX_ENTRIES);
    const cursor = new Cursor(this.#section.take(offset, length), this.#section.name);
    while (into.length < MAX_PLACES) {
      const code = cursor.uleb();
      if (code === 0) return;
      const abbreviation = this.#abbreviations.get(code);
      if (abbreviation === undefined) {
        throw new FormatError(this.#section.name, offset, `no abbreviation ${code}`);
      }
      // Where there is one unit, entries do not say which.
      let unit = this.#units.length === 1 ? this.#units[0] : undefined;
      let place: number | undefined;
      for (const [attribute, form] of abbreviation.attributes) {
        const value = this.#value(cursor, form);
        if (attribute === IDX.compile_unit) unit = this.#units[value];
        else if (attribute === IDX.type_unit) unit = this.#typeUnits[value];
        else if (attribute === IDX.die_offset) place = value;
      }
      if (unit !== undefined && place !== undefined && types.has(abbreviation.tag)) {
        into.push(unit + place);
      }
    }
  }

  #value(cursor: Cursor, form: number): number {
    switch (form) {
      case 0x0b: // data1
      case 0x0c: // flag
      case 0x11: // ref1
        return cursor.u8();
      case 0x05: // data2
      case 0x12: // ref2
        return cursor.u16();
      case 0x06: // data4
      case 0x13: // ref4
        return cursor.u32();
      case 0x07: // data8
      case 0x14: // ref8
        return Number(cursor.u64());
      case 0x0f: // udata
      case 0x15: // ref_udata
        return cursor.uleb();
      case 0x19: // flag_present
        return 1;
    }
    throw new FormatError(this.#section.name, 0, `a known form, not 0x${form.toString(16)}`);
  }
}
