/** Range lists: of `.debug_ranges` (DWARF 4, section 2.17.3) and `.debug_rnglists` (DWARF 5, section
 * 2.17.3). */
import { FormatError } from "../errors.ts";
import { lebEnd, ulebAt } from "../leb128.ts";
import type { Widths } from "./abbreviations.ts";
import { type Addresses, MAX_OFFSET } from "./addresses.ts";
import type { Budget } from "./budget.ts";
import { RLE } from "./constants.ts";
import { type DwarfSections, Window } from "./sections.ts";
import { u32At, u64At } from "./words.ts";

/** Cost of an entry in the budget: the size of a range in memory. */
const ENTRY = 16;
/** Maximum size of an entry: three LEB128 numbers at most. */
const MAX_ENTRY = 32;

/** A growing list of ranges, as offsets. */
export class Ranges {
  low: Float64Array;
  high: Float64Array;
  count = 0;

  constructor(room = 1024) {
    this.low = new Float64Array(room);
    this.high = new Float64Array(room);
  }

  /** Adds a range, unless it is empty or in no image. */
  add(low: number, high: number): void {
    // False for NaN too.
    if (!(low >= 0 && high > low && high < MAX_OFFSET)) return;
    if (this.count === this.low.length) {
      this.low = grown(this.low);
      this.high = grown(this.high);
    }
    this.low[this.count] = low;
    this.high[this.count++] = high;
  }
}

function grown(column: Float64Array): Float64Array {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}

/** The numbers of a unit that its range lists depend on. */
export interface RangeBases extends Widths {
  /** The base of range lists, as an offset. */
  readonly base: number;
  readonly addrBase: number;
  readonly rnglistsBase: number;
  /** Added to offsets in `.debug_ranges` and `.debug_rnglists`. */
  readonly rangesBase: number;
}

/** Reads range lists. */
export class RangeLists {
  readonly #addresses: Addresses;
  readonly #ranges: Window;
  readonly #rnglists: Window;
  readonly #budget: Budget;

  constructor(sections: DwarfSections, addresses: Addresses) {
    this.#addresses = addresses;
    this.#ranges = new Window(sections.get("ranges"));
    this.#rnglists = new Window(sections.get("rnglists"));
    this.#budget = sections.budget;
  }

  /** Adds the ranges of a list.
   *
   * @param place offset of the list in its section
   * @throws {FormatError} when the list is damaged
   */
  read(unit: RangeBases, place: number, into: Ranges): void {
    if (unit.version >= 5) this.#readLists(unit, unit.rangesBase + place, into);
    else this.#readRanges(unit, unit.rangesBase + place, into);
  }

  /** Adds the ranges of the list with an index. */
  readIndexed(unit: RangeBases, index: number, into: Ranges): void {
    const { offsetSize, rnglistsBase } = unit;
    const window = this.#rnglists;
    const at = window.at(rnglistsBase + index * offsetSize, offsetSize);
    if (at < 0) throw this.#damage(window, rnglistsBase, `list number ${index}`);
    const place = offsetSize === 8 ? u64At(window.bytes, at) : u32At(window.bytes, at);
    this.#readLists(unit, rnglistsBase + place, into);
  }

  #damage(window: Window, place: number, expected: string): FormatError {
    return new FormatError(window.section.name, place, expected);
  }

  #readRanges(unit: RangeBases, start: number, into: Ranges): void {
    const window = this.#ranges;
    const addresses = this.#addresses;
    const { addressSize } = unit;
    const wide = addressSize === 8;
    let base = unit.base;
    for (let place = start;; place += 2 * addressSize) {
      const at = window.at(place, 2 * addressSize);
      if (at < 0) throw this.#damage(window, place, "a range list that ends");
      this.#budget.spend(ENTRY, window.section.name, start);
      const bytes = window.bytes;
      const low = u32At(bytes, at);
      const lowHigh = wide ? u32At(bytes, at + 4) : 0;
      const high = u32At(bytes, at + addressSize);
      const highHigh = wide ? u32At(bytes, at + addressSize + 4) : 0;
      if (low === 0 && lowHigh === 0 && high === 0 && highHigh === 0) return;
      if (low === 0xffffffff && (!wide || lowHigh === 0xffffffff)) {
        base = addresses.offset(high, highHigh, addressSize);
      } else if (!(low === 0xfffffffe && (!wide || lowHigh === 0xffffffff))) {
        into.add(addresses.add(base, low, lowHigh), addresses.add(base, high, highHigh));
      }
    }
  }

  #readLists(unit: RangeBases, start: number, into: Ranges): void {
    const window = this.#rnglists;
    const addresses = this.#addresses;
    const { addressSize } = unit;
    let base = unit.base;
    for (let place = start;;) {
      const length = Math.min(MAX_ENTRY, window.section.size - place);
      const first = length > 0 ? window.at(place, length) : -1;
      if (first < 0) throw this.#damage(window, place, "a range list that ends");
      this.#budget.spend(ENTRY, window.section.name, start);
      const bytes = window.bytes;
      let at = first;
      const uleb = (): number => {
        const value = ulebAt(bytes, at);
        at = lebEnd(bytes, at);
        return value;
      };
      const address = (): number => {
        const offset = addresses.read(bytes, at, addressSize);
        at += addressSize;
        return offset;
      };
      const indexed = (): number => addresses.indexed(uleb(), unit.addrBase, unit);
      const kind = bytes[at++];
      switch (kind) {
        case RLE.end_of_list:
          return;
        case RLE.base_addressx:
          base = indexed();
          break;
        case RLE.startx_endx: {
          const low = indexed();
          into.add(low, indexed());
          break;
        }
        case RLE.startx_length: {
          const low = indexed();
          into.add(low, low + uleb());
          break;
        }
        case RLE.offset_pair: {
          const low = base + uleb();
          into.add(low, base + uleb());
          break;
        }
        case RLE.base_address:
          base = address();
          break;
        case RLE.start_end: {
          const low = address();
          into.add(low, address());
          break;
        }
        case RLE.start_length: {
          const low = address();
          into.add(low, low + uleb());
          break;
        }
        default:
          throw this.#damage(window, place, `a known kind of range, not ${kind}`);
      }
      if (at - first > length) throw this.#damage(window, place, "a whole range");
      place += at - first;
    }
  }
}
