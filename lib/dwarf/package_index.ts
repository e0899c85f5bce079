/** The indexes of a package of split units: which parts of its sections belong to which unit. DWARF 5, section
 * 7.3.5, and its predecessor, GNU's "DWARF Extension for Separate Debug Information Files". */
import type { DwarfSections } from "./sections.ts";
import type { UnitPart } from "./unit_header.ts";
import { u32At, unsignedOf } from "./words.ts";

/** Maximum number of units. */
const MAX_UNITS = 1 << 20;

/** What the columns are of, by version: `DW_SECT_*`. */
const columns: ReadonlyMap<number, Readonly<Record<keyof UnitPart | "info" | "types", number>>> =
  new Map([
    [2, {
      ...{ info: 1, types: 2, abbreviations: 3, lines: 4, locationLists: 5, stringOffsets: 6 },
      rangeLists: -1,
    }],
    [5, {
      ...{ info: 1, types: -1, abbreviations: 3, lines: 4, locationLists: 5, stringOffsets: 6 },
      rangeLists: 8,
    }],
  ]);

/** The indexes of one package. */
export class PackageIndex {
  /** Offsets in `.debug_info` of units by their IDs. */
  readonly #units: ReadonlyMap<bigint, number>;
  /** By the unit's offset. */
  readonly #parts: ReadonlyMap<number, UnitPart>;

  private constructor(units: ReadonlyMap<bigint, number>, parts: ReadonlyMap<number, UnitPart>) {
    this.#units = units;
    this.#parts = parts;
  }

  /** The indexes of a file; `null` if it is no package. */
  static read(sections: DwarfSections): PackageIndex | null {
    const units = new Map<bigint, number>();
    const parts = new Map<number, UnitPart>();
    for (const name of ["cu_index", "tu_index"]) readIndex(sections, name, units, parts);
    return parts.size === 0 ? null : new PackageIndex(units, parts);
  }

  /** The offset of the unit with an ID; -1 if there is none. */
  unit(id: bigint): number {
    return this.#units.get(id) ?? -1;
  }

  /** The parts of the unit at an offset. */
  part(unit: number): UnitPart | undefined {
    return this.#parts.get(unit);
  }
}

function readIndex(
  sections: DwarfSections,
  name: string,
  ids: Map<bigint, number>,
  parts: Map<number, UnitPart>,
): void {
  const section = sections.get(name);
  const head = section.read(0, 16);
  if (head.length < 16) return;
  // The version has two bytes and two of padding, or four.
  const held = columns.get(u32At(head, 0) & 0xffff);
  const width = u32At(head, 4);
  const count = u32At(head, 8);
  const slots = u32At(head, 12);
  if (held === undefined || count > MAX_UNITS || width > 16) return;
  const table = 16 + slots * 12;
  if (!(table + (1 + count) * width * 4 <= section.size)) return;
  const hashes = section.read(16, slots * 12);
  const rows = section.read(table, (1 + count) * width * 4);
  const kinds = Array.from({ length: width }, (_, column) => u32At(rows, column * 4));
  /** The offset that a row has for a kind of section. */
  const at = (row: number, kind: number): number | undefined => {
    const column = kinds.indexOf(kind);
    return column < 0 ? undefined : u32At(rows, (row * width + column) * 4);
  };
  for (let slot = 0; slot < slots; slot++) {
    const row = u32At(hashes, slots * 8 + slot * 4);
    if (row === 0 || row > count) continue;
    const types = at(row, held.types);
    const unit = types === undefined ? at(row, held.info) : types + sections.get("info").types;
    if (unit === undefined) continue;
    ids.set(unsignedOf(hashes.subarray(slot * 8, slot * 8 + 8)), unit);
    parts.set(unit, {
      abbreviations: at(row, held.abbreviations) ?? 0,
      lines: at(row, held.lines) ?? 0,
      stringOffsets: at(row, held.stringOffsets) ?? 0,
      locationLists: at(row, held.locationLists) ?? 0,
      rangeLists: at(row, held.rangeLists) ?? 0,
    });
  }
}
