/** Text in Mach-O files, which is UTF-8: the string table of a symbol table, whose names are
 * decoded when they are needed, and single strings. */

import type { RawText } from "../escape.ts";

const decoder = new TextDecoder();

/** All of `bytes` as text. */
export function rawText(bytes: Uint8Array): RawText {
  return decoder.decode(bytes) as RawText;
}

/** The text before the first NUL in `bytes`, or all of it where there is none. */
export function cString(bytes: Uint8Array): RawText {
  const end = bytes.indexOf(0);
  return rawText(end < 0 ? bytes : bytes.subarray(0, end));
}

/** Maximum length of a name, in bytes. Longer names are truncated: no compiler makes them, and
 * damage must not cost memory. */
const MAX_NAME = 1 << 16;
/** Maximum size of a table that is read at once. Larger ones, such as the dyld shared cache's, are
 * read in parts. */
const WHOLE = 32 << 20;
const CHUNK = 1 << 18;
/** Maximum number of chunks per table: 16 MiB. */
const KEPT = 64;

/** Options of a {@linkcode StringTable}. */
export interface StringTableOptions {
  /** Maximum size, in bytes, of a table that is read at once. Larger ones are read by chunks. */
  readonly atOnce?: number;
  /** Size of a chunk, in bytes. */
  readonly chunk?: number;
  /** Maximum number of chunks in memory. */
  readonly keep?: number;
}

/** NUL-terminated names. */
export class StringTable {
  readonly #base: number;
  readonly #end: number;
  readonly #read: (offset: number, size: number) => Uint8Array | null;
  /** The whole range, if it is small enough. */
  readonly #whole: Uint8Array | null;
  readonly #chunk: number;
  readonly #keep: number;
  /** By number, in order of use; the most recently used is last. */
  readonly #chunks = new Map<number, Uint8Array>();

  /** @param base the first offset in use
   * @param end exclusive end of the table
   * @param read returns the bytes at an offset; fewer at the end
   */
  constructor(
    base: number,
    end: number,
    read: (offset: number, size: number) => Uint8Array | null,
    { atOnce = WHOLE, chunk = CHUNK, keep = KEPT }: StringTableOptions = {},
  ) {
    this.#chunk = chunk;
    this.#keep = keep;
    this.#base = base;
    this.#end = Math.max(base, end);
    this.#read = read;
    this.#whole = end - base <= atOnce ? read(base, end - base) ?? new Uint8Array() : null;
  }

  /** Whether all of it was read at once. */
  get isWhole(): boolean {
    return this.#whole !== null;
  }

  /** The bytes of the name at `offset`, without the NUL; empty when there is none. */
  bytesAt(offset: number): Uint8Array {
    const at = offset - this.#base;
    if (at < 0) return new Uint8Array();
    const whole = this.#whole;
    if (whole === null) return this.#gather(offset);
    const end = whole.indexOf(0, at);
    return whole.subarray(at, Math.min(end < 0 ? whole.length : end, at + MAX_NAME));
  }

  /** Up to three bytes of the name at `offset` as one number, the first byte lowest: recognizes a
   * kind of name without an allocation. */
  prefixAt(offset: number): number {
    const whole = this.#whole;
    const at = offset - this.#base;
    if (whole !== null && at >= 0) {
      return whole[at] | (whole[at + 1] << 8) | (whole[at + 2] << 16);
    }
    const bytes = this.bytesAt(offset);
    return bytes[0] | (bytes[1] << 8) | (bytes[2] << 16);
  }

  /** Whether the name at `offset` is `name`. */
  equals(offset: number, name: Uint8Array): boolean {
    const whole = this.#whole;
    const at = offset - this.#base;
    if (whole === null || at < 0) return compareBytes(this.bytesAt(offset), name) === 0;
    // The last name of a table may lack its NUL.
    if ((whole[at + name.length] ?? 0) !== 0) return false;
    for (let index = 0; index < name.length; index++) {
      if (whole[at + index] !== name[index]) return false;
    }
    return true;
  }

  /** Whether the name at `offset` begins with `prefix`: 0 for no, 1 for yes, 2 for yes after an
   * underscore.
   *
   * @param prefix without a NUL
   */
  startsWith(offset: number, prefix: Uint8Array): 0 | 1 | 2 {
    const whole = this.#whole;
    let at = offset - this.#base;
    let bytes = whole;
    if (bytes === null || at < 0) {
      bytes = this.bytesAt(offset);
      at = 0;
    }
    const length = prefix.length;
    if (bytes[at] === 0x5f) {
      let same = 0;
      while (same < length && bytes[at + 1 + same] === prefix[same]) same++;
      if (same === length) return 2;
      if (prefix[0] !== 0x5f) return 0;
    }
    let same = 0;
    while (same < length && bytes[at + same] === prefix[same]) same++;
    return same === length ? 1 : 0;
  }

  /** The name at `offset`. */
  at(offset: number): RawText {
    return rawText(this.bytesAt(offset));
  }

  /** The bytes of a name in a table that is read in parts. */
  #gather(offset: number): Uint8Array {
    const parts: Uint8Array[] = [];
    let length = 0;
    while (offset < this.#end && length < MAX_NAME) {
      const size = this.#chunk;
      const index = Math.floor((offset - this.#base) / size);
      const start = this.#base + index * size;
      let chunk = this.#chunks.get(index);
      if (chunk === undefined) {
        chunk = this.#read(start, Math.min(size, this.#end - start)) ?? new Uint8Array();
        const [oldest] = this.#chunks.keys();
        if (this.#chunks.size >= this.#keep) this.#chunks.delete(oldest);
        this.#chunks.set(index, chunk);
      }
      const rest = chunk.subarray(offset - start);
      const nul = rest.indexOf(0);
      if (nul >= 0 && parts.length === 0) return rest.subarray(0, nul);
      parts.push(nul < 0 ? rest : rest.subarray(0, nul));
      length += parts.at(-1)!.length;
      if (nul >= 0 || chunk.length < size) break;
      offset = start + size;
    }
    const joined = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }
}

/** Orders two names by their bytes. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    if (a[index] !== b[index]) return a[index] - b[index];
  }
  return a.length - b.length;
}

/** A string table that grows. Names are found by the offset that {@linkcode StringPool.add}
 * returns. */
export class StringPool {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** Bytes used. */
  get length(): number {
    return this.#length;
  }

  /** Appends a name and returns its offset.
   *
   * @param length of the name in `name`
   */
  add(name: Uint8Array, length: number = name.length): number {
    const offset = this.#length;
    const end = offset + length + 1;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    const bytes = this.#bytes;
    // Names are short: a call to copy one costs more than the copying.
    for (let index = 0; index < length; index++) bytes[offset + index] = name[index];
    bytes[end - 1] = 0;
    this.#length = end;
    return offset;
  }

  /** The names added so far. */
  table(): StringTable {
    const bytes = this.#bytes.subarray(0, this.#length);
    return new StringTable(
      0,
      bytes.length,
      (offset, size) => bytes.subarray(offset, offset + size),
    );
  }
}
