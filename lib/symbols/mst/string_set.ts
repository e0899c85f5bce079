/** A set of UTF-8 strings. */

import { lebEnd } from "../../leb128.ts";
import { ByteBuffer } from "./byte_buffer.ts";
import { MAX_STRING } from "./layout.ts";

/** Distinct strings, numbered from 0 in the order in which they are added. They stay bytes: decoding and
 * encoding the names of a large image takes longer than reading its units. */
export class StringSet {
  count = 0;
  /** The strings in the format of the file, each preceded by its length. */
  readonly #bytes = new ByteBuffer(1 << 16);
  /** Offset of each string. */
  #starts = new Uint32Array(1 << 10);
  #hashes = new Int32Array(1 << 10);
  /** By hash: the number of a string plus 1; 0 for none. Twice as long as `#starts`. */
  #slots = new Uint32Array(1 << 11);

  /** Adds a string if it is new; returns its number.
   *
   * @param text a string; it is cut at 64 KiB
   * @throws {RangeError} when the strings exceed 4 GiB
   */
  add(text: Uint8Array, start = 0, end: number = text.length): number {
    const cut = Math.min(end, start + MAX_STRING);
    return this.#add(text, start, cut, hashOf(text, start, cut));
  }

  /** Adds strings of another set; returns their numbers here.
   *
   * @param strings the result of {@linkcode since}
   */
  addAll({ bytes, starts, hashes }: Strings): Uint32Array {
    const numbers = new Uint32Array(starts.length);
    for (let index = 0; index < starts.length; index++) {
      const start = lebEnd(bytes, starts[index]);
      const end = index + 1 < starts.length ? starts[index + 1] : bytes.length;
      numbers[index] = this.#add(bytes, start, end, hashes[index]);
    }
    return numbers;
  }

  /** A copy of the strings from a number on. */
  since(number: number): Strings {
    const first = number < this.count ? this.#starts[number] : this.#bytes.length;
    return {
      bytes: this.#bytes.bytes.slice(first, this.#bytes.length),
      starts: this.#starts.slice(number, this.count).map((start) => start - first),
      hashes: this.#hashes.slice(number, this.count),
    };
  }

  /** The section of the file. */
  get bytes(): Uint8Array {
    return this.#bytes.written;
  }

  /** Offset of a string in the section. */
  start(number: number): number {
    return this.#starts[number];
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let held = this.#slots[slot]; held !== 0; held = this.#slots[slot]) {
      if (this.#hashes[held - 1] === hash && this.#equals(held - 1, bytes, start, end)) {
        return held - 1;
      }
      slot = (slot + 1) & mask;
    }
    const out = this.#bytes;
    const number = this.count++;
    this.#slots[slot] = this.count;
    this.#starts[number] = out.length;
    this.#hashes[number] = hash;
    out.reserve(end - start + MAX_LENGTH);
    out.uleb(end - start);
    // Short copies are faster without a call and a view.
    const target = out.bytes;
    let to = out.length;
    for (let at = start; at < end; at++) target[to++] = bytes[at];
    out.length = to;
    if (out.length >= 2 ** 32) throw new RangeError("more than 4 GiB of names");
    if (this.count === this.#starts.length) this.#grow();
    return number;
  }

  #equals(number: number, text: Uint8Array, start: number, end: number): boolean {
    const { bytes, length } = this.#bytes;
    const first = lebEnd(bytes, this.#starts[number]);
    const last = number + 1 < this.count ? this.#starts[number + 1] : length;
    if (last - first !== end - start) return false;
    const shift = first - start;
    for (let at = start; at < end; at++) if (bytes[shift + at] !== text[at]) return false;
    return true;
  }

  #grow(): void {
    const room = 2 * this.count;
    const starts = new Uint32Array(room);
    starts.set(this.#starts);
    this.#starts = starts;
    const hashes = new Int32Array(room);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    const slots = new Uint32Array(2 * room);
    const mask = slots.length - 1;
    for (let number = 0; number < this.count; number++) {
      let slot = hashes[number] & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

/** Strings of a set as plain data, which a worker can send. */
export interface Strings {
  /** The strings, each preceded by its length. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Offset of each string. */
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly hashes: Int32Array<ArrayBuffer>;
}

/** Maximum size of a string's length, in bytes. */
const MAX_LENGTH = 8;

/** A 32-bit hash of some bytes. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x9e3779b1);
  // The lowest bits select a slot. Those of a product depend on few bits of the factors.
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x85ebca77) ^ (hash >>> 13);
}

/** A hash of the names and paths of a group. */
export function groupKey(names: Uint32Array, files: Uint32Array): number {
  let hash = names.length;
  for (const list of [names, files]) {
    for (let at = 0; at < list.length; at++) hash = Math.imul(hash ^ list[at], 0x9e3779b1) ^ at;
  }
  return hash;
}

/** Whether two columns are equal. */
export function isEqual(a: Uint32Array, b: Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
