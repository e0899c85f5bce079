/** `LC_SYMTAB`: the array of `nlist` or `nlist_64` of `<mach-o/nlist.h>`, as columns. */

/** The entries of a symbol table, in the file's order. Entry `i` of each column is symbol `i`. */
export interface Nlists {
  readonly count: number;
  /** `n_strx`: into the string table. */
  readonly nameOffsets: Uint32Array;
  /** `n_type`. */
  readonly types: Uint8Array;
  /** `n_sect`: from 1; 0 for none. */
  readonly sections: Uint8Array;
  /** `n_desc`. */
  readonly descriptions: Uint16Array;
  /** `n_value` less the `base` given to {@linkcode parseNlists}: exact while it is within 2^53. */
  readonly values: Float64Array;
}

/** Bytes of one entry. */
export function nlistSize(pointerSize: 4 | 8): number {
  return pointerSize === 8 ? 16 : 12;
}

/** Reads the entries that `bytes` holds whole.
 *
 * @param bytes of the table
 * @param pointerSize 4 for `nlist`, 8 for `nlist_64`
 * @param base subtracted from each value, so that offsets into an image fit a `number`
 */
export function parseNlists(bytes: Uint8Array, pointerSize: 4 | 8, base: bigint): Nlists {
  const size = nlistSize(pointerSize);
  const count = Math.floor(bytes.length / size);
  // The table is little-endian, as every system that Deno runs on; only its alignment may be off.
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, (count * size) / 4);
  const nameOffsets = new Uint32Array(count);
  const types = new Uint8Array(count);
  const sections = new Uint8Array(count);
  const descriptions = new Uint16Array(count);
  const values = new Float64Array(count);
  const baseLow = Number(base & 0xffffffffn);
  const baseHigh = Number(base >> 32n);
  const is64 = pointerSize === 8;
  const stride = size / 4;
  for (let index = 0, word = 0; index < count; index++, word += stride) {
    nameOffsets[index] = words[word];
    const fields = words[word + 1];
    types[index] = fields;
    sections[index] = fields >>> 8;
    descriptions[index] = fields >>> 16;
    const high = is64 ? words[word + 3] : 0;
    values[index] = (words[word + 2] - baseLow) + (high - baseHigh) * 2 ** 32;
  }
  return { count, nameOffsets, types, sections, descriptions, values };
}
