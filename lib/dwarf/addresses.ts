/** Addresses of a unit as offsets from the image's base. */
import type { Widths } from "./abbreviations.ts";
import type { DwarfSections } from "./sections.ts";
import { Window } from "./sections.ts";
import { u32At } from "./words.ts";

const HIGH = 2 ** 32;
/** No image reaches so far from its base: such an address is what a linker leaves of removed code. 0 is
 * further from a kernel's, which is 2^64 less 2^39 or more. */
export const MAX_OFFSET = 2 ** 36;

/** Turns addresses, of which the upper and the lower 32 bits are given, into offsets. */
export class Addresses {
  readonly #baseLow: number;
  readonly #baseHigh: number;
  readonly #table: Window;

  /** @param base the address of offset 0 */
  constructor(sections: DwarfSections, base: bigint) {
    this.#baseLow = Number(base & 0xffffffffn);
    this.#baseHigh = Number(base >> 32n);
    this.#table = new Window(sections.get("addr"));
  }

  /** The offset of an address, exact where it is near the base; NaN for the two highest
   * addresses, which stand for code that was removed. */
  offset(low: number, high: number, size: 4 | 8): number {
    if (low >= 0xfffffffe && (size === 4 || high === 0xffffffff)) return NaN;
    return ((high - this.#baseHigh) | 0) * HIGH + (low - this.#baseLow);
  }

  /** The offset that the address at a place in memory has. */
  read(bytes: Uint8Array, at: number, size: 4 | 8): number {
    return this.offset(u32At(bytes, at), size === 8 ? u32At(bytes, at + 4) : 0, size);
  }

  /** The offset of the sum of an offset and a number of 64 or 32 bits, as addresses are summed. */
  add(offset: number, low: number, high: number): number {
    return offset + ((high | 0) * HIGH + low);
  }

  /** The offset that an entry of `.debug_addr` has; NaN where there is none.
   *
   * @param base of the unit's entries
   */
  indexed(index: number, base: number, { addressSize }: Widths): number {
    const at = this.#table.at(base + index * addressSize, addressSize);
    return at < 0 ? NaN : this.read(this.#table.bytes, at, addressSize);
  }
}
