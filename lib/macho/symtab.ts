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
    this.#words = wordsOf(bytes, size);
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
    return rowsNear(this.#words, this.#stride, 2, start, size);
  }
}

/** Bytes of a table that are read at once. */
const CHUNK = 1 << 18;
/** Number of entries per call. V8 compiles a function that is called often once. */
const STRETCH = 1 << 10;

/** A large symbol table, for lookups of a few short ranges. Of its entries only the lower words of their
 * addresses are kept, a quarter of the table; the entries that are found are read then. */
export class NlistAddresses {
  readonly #read: ReadNlists;
  readonly #count: number;
  readonly #pointerSize: 4 | 8;
  readonly #base: bigint;
  readonly #stringsSize: number;
  #low: Uint32Array | undefined;

  /** Reads nothing yet.
   *
   * @param count number of entries
   * @param base subtracted from each value
   * @param stringsSize size of the string table
   */
  constructor(
    read: ReadNlists,
    count: number,
    pointerSize: 4 | 8,
    base: bigint,
    stringsSize: number,
  ) {
    this.#read = read;
    this.#count = count;
    this.#pointerSize = pointerSize;
    this.#base = base;
    this.#stringsSize = stringsSize;
  }

  /** See {@linkcode Nlists.between}; `null` where too many entries are in the range. */
  between(start: number, end: number, isArm: boolean): Omit<SymbolColumns, "names"> | null {
    const first = start + Number(this.#base & 0xffffffffn);
    const length = Math.min(end - start, 2 ** 31);
    const rows = this.#low === undefined
      ? this.#readAll(first, length)
      : rowsNear(this.#low, 1, 0, first, length);
    if (rows.length > MAX_SINGLE) return null;
    const size = nlistSize(this.#pointerSize);
    const entries = new Uint8Array(rows.length * size);
    rows.forEach((row, at) => {
      const place = entries.subarray(at * size, (at + 1) * size);
      const bytes = this.#read(row, 1, place);
      if (bytes.buffer !== entries.buffer) place.set(bytes);
    });
    return new Nlists(entries, this.#pointerSize, this.#base, this.#stringsSize)
      .between(start, end, isArm);
  }

  /** Reads the table; returns the rows whose lower words are in a range, as {@linkcode rowsNear} does. */
  #readAll(start: number, length: number): number[] {
    const count = this.#count;
    const size = nlistSize(this.#pointerSize);
    const most = Math.floor(CHUNK / size);
    const low = new Uint32Array(count);
    const found: number[] = [];
    // One buffer for all chunks: fresh memory costs more than reading into it.
    const buffer = new Uint8Array(Math.min(most, count) * size);
    let done = 0;
    while (done < count) {
      const wanted = Math.min(most, count - done);
      const words = wordsOf(this.#read(done, wanted, buffer), size);
      const got = words.length / (size / 4);
      for (let row = 0; row < got; row += STRETCH) {
        const to = Math.min(got, row + STRETCH);
        keepLow(words, size / 4, row, to, low, done, start >>> 0, length, found);
      }
      done += got;
      if (got < wanted) break;
    }
    this.#low = low.subarray(0, done);
    return found;
  }
}

/** Maximum number of entries that are read one by one. */
const MAX_SINGLE = 64;

/** Reads entries of a symbol table.
 *
 * @param into large enough: it may be filled and returned in part
 */
export type ReadNlists = (row: number, count: number, into: Uint8Array) => Uint8Array;

/** The words of the entries that are complete. */
function wordsOf(bytes: Uint8Array, size: number): Uint32Array {
  // Both the file and every supported host are little-endian; only the alignment may differ.
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const count = Math.floor(bytes.length / size);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, count * (size / 4));
}

/** Keeps the lower words of rows, and finds those in a range. */
function keepLow(
  words: Uint32Array,
  stride: number,
  from: number,
  to: number,
  kept: Uint32Array,
  first: number,
  low: number,
  size: number,
  rows: number[],
): void {
  for (let row = from; row < to; row++) {
    const word = words[row * stride + 2];
    kept[first + row] = word;
    if (((word - low) >>> 0) <= size) rows.push(first + row);
  }
}

/** The rows whose word `column` is in a range of addresses.
 *
 * @param stride words of a row
 */
function rowsNear(
  words: Uint32Array,
  stride: number,
  column: number,
  start: number,
  size: number,
): number[] {
  const rows: number[] = [];
  const piece = STRETCH * stride;
  for (let at = 0; at < words.length; at += piece) {
    const to = Math.min(at + piece, words.length);
    collect(words, at + column, to, stride, column, start >>> 0, size, rows);
  }
  return rows;
}

function collect(
  words: Uint32Array,
  from: number,
  to: number,
  stride: number,
  column: number,
  low: number,
  size: number,
  rows: number[],
): void {
  for (let word = from; word < to; word += stride) {
    if (((words[word] - low) >>> 0) <= size) rows.push((word - column) / stride);
  }
}
