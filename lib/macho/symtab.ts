/** `LC_SYMTAB`: the array of `nlist` or `nlist_64` of `<mach-o/nlist.h>`. */

import { NLIST } from "./constants.ts";
import { RANK, type SymbolColumns } from "./symbol_table.ts";

/** Size of one entry, in bytes. */
export function nlistSize(pointerSize: 4 | 8): number {
  return pointerSize === 8 ? 16 : 12;
}

/** The entries of a symbol table. */
export class Nlists {
  readonly #words: Uint32Array;
  readonly #stride: 3 | 4;
  readonly #count: number;
  readonly #baseLow: number;
  readonly #baseHigh: number;
  readonly #stringsSize: number;

  /** Reads the entries that are complete in `bytes`.
   *
   * @param bytes of the table; kept
   * @param pointerSize 4 for `nlist`, 8 for `nlist_64`
   * @param base subtracted from each value, so that an offset into the image fits a `number`
   * @param stringsSize size of the string table
   */
  constructor(bytes: Uint8Array, pointerSize: 4 | 8, base: bigint, stringsSize: number) {
    const size = nlistSize(pointerSize);
    this.#count = Math.floor(bytes.length / size);
    this.#stride = pointerSize === 8 ? 4 : 3;
    // Both the file and every supported host are little-endian; only the alignment may differ.
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
    const words = this.#count * this.#stride;
    this.#words = new Uint32Array(aligned.buffer, aligned.byteOffset, words);
    this.#baseLow = Number(base & 0xffffffffn);
    this.#baseHigh = Number(base >> 32n);
    this.#stringsSize = stringsSize;
  }

  /** The symbols that are defined in a section, at offsets from `start` to `end` (exclusive), in
   * the file's order, without debugger's entries.
   *
   * @param isArm whether the lowest bit of an address marks Thumb code
   */
  between(start: number, end: number, isArm: boolean): Omit<SymbolColumns, "names"> {
    const words = this.#words;
    const stride = this.#stride;
    const baseLow = this.#baseLow;
    const baseHigh = this.#baseHigh;
    // Nearly all entries are outside of a short range. The lower word of the address decides that.
    const size = Math.min(end - start, 2 ** 32 - 1);
    const wanted = size < 2 ** 31 ? this.#rowsNear(start + baseLow, size) : null;
    const room = wanted?.length ?? this.#count;
    const offsets = new Float64Array(room);
    const nameOffsets = new Uint32Array(room);
    const ranks = new Uint8Array(room);
    const thumb = new Uint8Array(room);
    let count = 0;
    for (let at = 0; at < room; at++) {
      const word = stride * (wanted === null ? at : wanted[at]);
      const fields = words[word + 1];
      // Debugger's entries, undefined and absolute symbols are in no section.
      if (
        (fields & NLIST.N_STAB) !== 0 || (fields & NLIST.N_TYPE) !== NLIST.N_SECT ||
        (fields & 0xff00) === 0
      ) continue;
      const nameOffset = words[word];
      if (nameOffset >= this.#stringsSize) continue;
      const high = stride === 4 ? words[word + 3] : 0;
      let offset = (words[word + 2] - baseLow) + (high - baseHigh) * 2 ** 32;
      if (isArm) {
        // Some tools leave the Thumb bit in the address and do not set it in `n_desc`.
        const odd = Math.abs(offset % 2);
        thumb[count] = odd === 1 || (fields >>> 16 & NLIST.N_ARM_THUMB_DEF) !== 0 ? 1 : 0;
        offset -= odd;
      }
      if (!(offset >= start && offset < end)) continue;
      offsets[count] = offset;
      ranks[count] = (fields & NLIST.N_EXT) !== 0 ? RANK.EXTERNAL : RANK.LOCAL;
      nameOffsets[count++] = nameOffset;
    }
    return { count, offsets, ranks, thumb, nameOffsets };
  }

  /** Name offsets of the symbols that are defined in a section, without debugger's entries. */
  nameOffsets(): Uint32Array {
    const words = this.#words;
    const stride = this.#stride;
    const found = new Uint32Array(this.#count);
    let count = 0;
    for (let word = 0; word < words.length; word += stride) {
      const fields = words[word + 1];
      if (
        (fields & NLIST.N_STAB) === 0 && (fields & NLIST.N_TYPE) === NLIST.N_SECT &&
        (fields & 0xff00) !== 0 && words[word] < this.#stringsSize
      ) found[count++] = words[word];
    }
    return found.subarray(0, count);
  }

  /** The entries whose lower words are in a range. */
  #rowsNear(start: number, size: number): number[] {
    const stride = this.#stride;
    const rows: number[] = [];
    // In pieces: a function that is called often is compiled earlier than one that runs long.
    const piece = 1024 * stride;
    const end = this.#count * stride;
    for (let at = 0; at < end; at += piece) {
      collect(this.#words, at + 2, Math.min(at + piece, end), stride, start >>> 0, size, rows);
    }
    return rows;
  }
}

function collect(
  words: Uint32Array,
  from: number,
  to: number,
  stride: number,
  low: number,
  size: number,
  rows: number[],
): void {
  for (let word = from; word < to; word += stride) {
    if (((words[word] - low) >>> 0) <= size) rows.push((word - 2) / stride);
  }
}
