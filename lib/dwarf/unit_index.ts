/** The units of an image, and lookup of units by offset. */
import { FormatError } from "../errors.ts";
import { PackageIndex } from "./package_index.ts";
import { Ranges } from "./range_lists.ts";
import type { DwarfSections } from "./sections.ts";
import { sweepRanges } from "./sweep.ts";
import { type DwarfUnit, readUnitHeader, UnitError } from "./unit_header.ts";
import type { UnitReader } from "./unit_reader.ts";
import { u32At, u64At } from "./words.ts";

/** Maximum number of units. */
const MAX_UNITS = 1 << 20;
/** Maximum number of ranges in `.debug_aranges`. */
const MAX_RANGES = 1 << 23;

/** Disjoint stretches of code and the units that they belong to. */
class UnitRanges {
  /** Starts of the stretches, ascending. A stretch ends where the next one begins. */
  readonly #starts: number[] = [];
  /** Offset of each stretch's unit; -1 for none. */
  readonly #units: number[] = [];

  /** Cuts ranges into stretches. Where ranges overlap, the first unit in the section wins. */
  constructor({ count, low, high }: Ranges, units: readonly number[]) {
    const order = Uint32Array.from({ length: count }, (_, index) => index)
      .sort((a, b) => low[a] - low[b]);
    let reach = -Infinity;
    const isDisjoint = order.every((index) => {
      if (low[index] < reach) return false;
      reach = high[index];
      return true;
    });
    if (isDisjoint) {
      for (let at = 0; at < count; at++) {
        this.#add(low[order[at]], units[order[at]]);
        const end = high[order[at]];
        if (at + 1 === count || low[order[at + 1]] > end) this.#add(end, -1);
      }
      return;
    }
    // The sweep prefers the last range.
    order.sort((a, b) => units[b] - units[a]);
    const lows = Float64Array.from(order, (index) => low[index]);
    const highs = Float64Array.from(order, (index) => high[index]);
    sweepRanges(lows, highs, (at, index) => this.#add(at, index < 0 ? -1 : units[order[index]]));
  }

  #add(start: number, unit: number): void {
    if (this.#units.at(-1) === unit) return;
    this.#starts.push(start);
    this.#units.push(unit);
  }

  /** The unit with the code at an offset; -1 for none. */
  find(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle] <= offset) low = middle + 1;
      else high = middle;
    }
    return this.#units[low - 1] ?? -1;
  }
}

/** All units and their code ranges. */
export class UnitIndex {
  readonly #sections: DwarfSections;
  readonly #reader: UnitReader;
  readonly #warn: (text: string) => void;
  #units: readonly DwarfUnit[] | undefined;
  /** Units that were read by themselves, by offset. */
  readonly #known = new Map<number, DwarfUnit | null>();
  // From `.debug_aranges`, and from the first entries of units that it does not list.
  /** Of a package of split units. */
  readonly package: PackageIndex | null;
  #listed: { readonly ranges: UnitRanges; readonly units: ReadonlySet<number> } | undefined;
  #others: UnitRanges | undefined;

  constructor(sections: DwarfSections, reader: UnitReader, warn: (text: string) => void) {
    this.#sections = sections;
    this.#reader = reader;
    this.#warn = warn;
    this.package = PackageIndex.read(sections);
  }

  /** All units, in the order of the section. */
  get units(): readonly DwarfUnit[] {
    return this.#units ??= this.#readUnits();
  }

  /** The unit that contains an offset of `.debug_info`; `null` if none does. */
  holding(place: number): DwarfUnit | null {
    const { units } = this;
    let low = 0;
    let high = units.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (units[middle].offset <= place) low = middle + 1;
      else high = middle;
    }
    const unit = units[low - 1];
    return unit !== undefined && place < unit.offset + unit.size ? unit : null;
  }

  /** The unit that has the code at an offset from the image's base; `null` if there is none. */
  at(offset: number): DwarfUnit | null {
    const listed = this.#listed ??= this.#readListed();
    const unit = this.#unit(listed.ranges.find(offset));
    if (unit !== null) return unit;
    return this.#unit((this.#others ??= this.#readOthers(listed.units)).find(offset));
  }

  /** The unit that begins at an offset; `null` if it cannot be read. */
  startingAt(place: number): DwarfUnit | null {
    return this.#unit(place);
  }

  #header(place: number): DwarfUnit {
    const unit = readUnitHeader(this.#sections.get("info"), place);
    const part = this.package?.part(place);
    return part === undefined
      ? unit
      : { ...unit, part, abbreviations: unit.abbreviations + part.abbreviations };
  }

  #unit(place: number): DwarfUnit | null {
    if (place < 0) return null;
    let unit = this.#known.get(place);
    if (unit === undefined) {
      try {
        unit = this.#header(place);
      } catch (error) {
        this.#report(`unit at 0x${place.toString(16)} left out`, error);
        unit = null;
      }
      this.#known.set(place, unit);
    }
    return unit;
  }

  #report(what: string, error: unknown): void {
    if (!(error instanceof FormatError)) throw error;
    this.#warn(`${what}: ${error.message}`);
  }

  #readUnits(): DwarfUnit[] {
    const section = this.#sections.get("info");
    const units: DwarfUnit[] = [];
    let offset = 0;
    while (offset < section.size && units.length < MAX_UNITS) {
      try {
        const unit = this.#header(offset);
        units.push(unit);
        offset += unit.size;
      } catch (error) {
        if (error instanceof UnitError) {
          this.#report(`unit at 0x${offset.toString(16)} left out`, error);
          offset = error.next;
        } else {
          this.#report(`all units from 0x${offset.toString(16)} on left out`, error);
          break;
        }
      }
    }
    return units;
  }

  /** Reads `.debug_aranges`, up to the first damage. DWARF 5, section 6.1.2. */
  #readListed(): { readonly ranges: UnitRanges; readonly units: ReadonlySet<number> } {
    const section = this.#sections.get("aranges");
    const ranges = new Ranges();
    const owners: number[] = [];
    const units = new Set<number>();
    for (let place = 0; place + 12 <= section.size;) {
      const head = section.read(place, 32);
      const wide = u32At(head, 0) === 0xffffffff;
      const start = wide ? 12 : 4;
      const length = start + (wide ? u64At(head, 4) : u32At(head, 0));
      const version = head[start] | (head[start + 1] << 8);
      const unit = wide ? u64At(head, start + 2) : u32At(head, start + 2);
      const sizes = start + 2 + (wide ? 8 : 4);
      const addressSize = head[sizes];
      if (!(length <= section.size - place)) break;
      if (version === 2 && (addressSize === 4 || addressSize === 8) && head[sizes + 1] === 0) {
        const bytes = section.read(place, length);
        const step = 2 * addressSize;
        // The first tuple is aligned to the size of a tuple.
        for (let at = Math.ceil((sizes + 2) / step) * step; at + step <= length; at += step) {
          const low = this.#reader.addresses.read(bytes, at, addressSize);
          const size = addressSize === 8 ? u64At(bytes, at + 8) : u32At(bytes, at + 4);
          ranges.add(low, low + size);
          while (owners.length < ranges.count) owners.push(unit);
        }
        units.add(unit);
      }
      if (ranges.count > MAX_RANGES) break;
      place += length;
    }
    return { ranges: new UnitRanges(ranges, owners), units };
  }

  #readOthers(listed: ReadonlySet<number>): UnitRanges {
    const ranges = new Ranges();
    const owners: number[] = [];
    for (const unit of this.units) {
      if (listed.has(unit.offset)) continue;
      try {
        this.#reader.ranges(unit, ranges);
      } catch (error) {
        this.#report(`ranges of the unit at 0x${unit.offset.toString(16)} cut short`, error);
      }
      while (owners.length < ranges.count) owners.push(unit.offset);
    }
    return new UnitRanges(ranges, owners);
  }
}
