/** Location lists: of `.debug_loc` (DWARF 4, section 2.6.2) and `.debug_loclists` (DWARF 5, section 2.6.2). */
import { FormatError } from "../errors.ts";
import { lebEnd, ulebAt } from "../leb128.ts";
import { LLE, LLE_GNU } from "./constants.ts";
import type { Entry, EntryReader } from "./entries.ts";
import { type DwarfSection, Window } from "./sections.ts";
import type { UnitContext } from "./unit_context.ts";
import { u32At, u64At } from "./words.ts";

/** Maximum number of entries of a list. More is damage. */
const MAX_ENTRIES = 1 << 16;
/** Maximum size of an entry without its expression. */
const MAX_ENTRY = 32;

/** Reads the location lists of one image. */
export class LocationLists {
  readonly #reader: EntryReader;
  readonly #loc: Window;
  readonly #loclists: Window;

  constructor(reader: EntryReader) {
    const { sections } = reader.info.reader;
    this.#reader = reader;
    this.#loc = new Window(sections.get("loc"));
    this.#loclists = new Window(sections.get("loclists"));
  }

  /** The location description of an attribute at an offset in the image: the attribute's own or that of its
   * list. `undefined` when the list has none there, `null` when there is no such attribute.
   *
   * @throws {FormatError} when the list is damaged
   */
  at(entry: Entry, attribute: number, offset: number): Uint8Array | undefined | null {
    const block = entry.block(attribute);
    if (block !== undefined) return block;
    const list = entry.list(attribute);
    if (list === null) return null;
    const { unit } = entry;
    const { value, isIndex } = list;
    const place = isIndex ? this.#indexed(unit, value) : unit.locationsBase + value;
    if (unit.version >= 5) return this.#loc5(unit, place, offset);
    return unit.isSplit ? this.#split4(unit, place, offset) : this.#loc4(unit, place, offset);
  }

  #damage(section: DwarfSection, place: number, expected: string): FormatError {
    return new FormatError(section.name, place, expected);
  }

  /** The place of the list with an index. */
  #indexed(unit: UnitContext, index: number): number {
    const { offsetSize, loclistsBase: base } = unit;
    const window = this.#loclists;
    const at = window.at(base + index * offsetSize, offsetSize);
    if (at < 0) throw this.#damage(window.section, base, `list number ${index}`);
    return base + (offsetSize === 8 ? u64At(window.bytes, at) : u32At(window.bytes, at));
  }

  #loc4(unit: UnitContext, start: number, offset: number): Uint8Array | undefined {
    const window = this.#loc;
    const { addresses } = this.#reader.info.reader;
    const { addressSize } = unit;
    const wide = addressSize === 8;
    let { base } = unit;
    for (let place = start, count = 0;; count++) {
      const at = window.at(place, 2 * addressSize);
      if (at < 0 || count === MAX_ENTRIES) {
        throw this.#damage(window.section, place, "a location list that ends");
      }
      const { bytes } = window;
      const low = u32At(bytes, at);
      const lowHigh = wide ? u32At(bytes, at + 4) : 0;
      const high = u32At(bytes, at + addressSize);
      const highHigh = wide ? u32At(bytes, at + addressSize + 4) : 0;
      place += 2 * addressSize;
      if (low === 0 && lowHigh === 0 && high === 0 && highHigh === 0) return undefined;
      if (low === 0xffffffff && (!wide || lowHigh === 0xffffffff)) {
        base = addresses.offset(high, highHigh, addressSize);
        continue;
      }
      const head = window.at(place, 2);
      if (head < 0) throw this.#damage(window.section, place, "an expression");
      const length = window.bytes[head] | (window.bytes[head + 1] << 8);
      place += 2;
      const from = addresses.add(base, low, lowHigh);
      if (from <= offset && offset < addresses.add(base, high, highHigh)) {
        return window.section.take(place, length);
      }
      place += length;
    }
  }

  /** A list of a split unit of DWARF 4: GNU's `DW_LLE_GNU_*`. */
  #split4(unit: UnitContext, start: number, offset: number): Uint8Array | undefined {
    const { section } = this.#loc;
    const { addresses } = this.#reader.info.reader;
    let { base } = unit;
    for (let place = start, count = 0; count < MAX_ENTRIES; count++) {
      const bytes = section.read(place, MAX_ENTRY);
      let at = 1;
      const indexed = (): number => {
        const index = ulebAt(bytes, at);
        at = lebEnd(bytes, at);
        return addresses.indexed(index, unit.addrBase, unit);
      };
      const word = (): number => {
        at += 4;
        return u32At(bytes, at - 4);
      };
      const kind = bytes[0];
      let low = NaN;
      let high = NaN;
      if (kind === LLE_GNU.end_of_list) return undefined;
      if (kind === LLE_GNU.base_address_selection) {
        base = indexed();
        place += at;
        continue;
      }
      if (kind === LLE_GNU.start_end) {
        low = indexed();
        high = indexed();
      } else if (kind === LLE_GNU.start_length) {
        low = indexed();
        high = low + word();
      } else if (kind === LLE_GNU.offset_pair) {
        low = base + word();
        high = base + word();
      } else throw this.#damage(section, place, `a known kind of location, not ${kind ?? "none"}`);
      if (at + 2 > bytes.length) throw this.#damage(section, place, "a whole location");
      const length = bytes[at] | (bytes[at + 1] << 8);
      place += at + 2;
      if (low <= offset && offset < high) return section.take(place, length);
      place += length;
    }
    throw this.#damage(section, start, "a location list that ends");
  }

  #loc5(unit: UnitContext, start: number, offset: number): Uint8Array | undefined {
    const window = this.#loclists;
    const { section } = window;
    const { addresses } = this.#reader.info.reader;
    const { addressSize, addrBase } = unit;
    let { base } = unit;
    let fallback: Uint8Array | undefined;
    for (let place = start, count = 0; count < MAX_ENTRIES; count++) {
      const room = Math.min(MAX_ENTRY, section.size - place);
      const first = room > 0 ? window.at(place, room) : -1;
      if (first < 0) throw this.#damage(section, place, "a location list that ends");
      const { bytes } = window;
      let at = first;
      const uleb = (): number => {
        const value = ulebAt(bytes, at);
        at = lebEnd(bytes, at);
        return value;
      };
      const address = (): number => {
        const value = addresses.read(bytes, at, addressSize);
        at += addressSize;
        return value;
      };
      const indexed = (): number => addresses.indexed(uleb(), addrBase, unit);
      const kind = bytes[at++];
      let low = NaN;
      let high = NaN;
      switch (kind) {
        case LLE.end_of_list:
          return fallback;
        case LLE.base_addressx:
          base = indexed();
          place += at - first;
          continue;
        case LLE.base_address:
          base = address();
          place += at - first;
          continue;
        case LLE.startx_endx:
          low = indexed();
          high = indexed();
          break;
        case LLE.startx_length:
          low = indexed();
          high = low + uleb();
          break;
        case LLE.offset_pair:
          low = base + uleb();
          high = base + uleb();
          break;
        case LLE.start_end:
          low = address();
          high = address();
          break;
        case LLE.start_length:
          low = address();
          high = low + uleb();
          break;
        case LLE.default_location:
          break;
        default:
          throw this.#damage(section, place, `a known kind of location, not ${kind}`);
      }
      const length = uleb();
      if (at - first > room) throw this.#damage(section, place, "a whole location");
      place += at - first;
      if (kind === LLE.default_location) fallback = section.take(place, length);
      else if (low <= offset && offset < high) return section.take(place, length);
      place += length;
    }
    throw this.#damage(section, start, "a location list that ends");
  }
}
