/** Converts a unit's addresses to offsets from the image's base. */
import type { Widths } from "./abbreviations.ts";
import type { DwarfSections } from "./sections.ts";
import { Window } from "./sections.ts";
import { u32At } from "./words.ts";

const HIGH = 2 ** 32;
/** No image is this large: a larger offset is the mark that a linker leaves for removed code. Address 0 is
 * one for a kernel too, whose base is near 2^64 - 2^39. */
export const MAX_OFFSET = 2 ** 36;

/** Converts addresses, given as two 32-bit halves, to offsets. */
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

  /** The offset of an address. It is exact near the base, and NaN for the two highest addresses, which
   * linkers use for removed code. */
  offset(low: number, high: number, size: 4 | 8): number {
    if (low >= 0xfffffffe && (size === 4 || high === 0xffffffff)) return NaN;
    return ((high - this.#baseHigh) | 0) * HIGH + (low - this.#baseLow);
  }

  /** The address of an offset. */
  linked(offset: number): bigint {
    return (BigInt(this.#baseHigh) << 32n) + BigInt(this.#baseLow) + BigInt(offset);
  }

  /** The offset of the address stored at `at`. */
  read(bytes: Uint8Array, at: number, size: 4 | 8): number {
    return this.offset(u32At(bytes, at), size === 8 ? u32At(bytes, at + 4) : 0, size);
  }

  /** Adds a signed 64-bit number, given as two halves, to an offset. */
  add(offset: number, low: number, high: number): number {
    return offset + ((high | 0) * HIGH + low);
  }

  /** The offset of an entry of `.debug_addr`; NaN if there is no such entry.
   *
   * @param base start of the unit's entries
   */
  indexed(index: number, base: number, { addressSize }: Widths): number {
    const at = this.#table.at(base + index * addressSize, addressSize);
    return at < 0 ? NaN : this.read(this.#table.bytes, at, addressSize);
  }
}
