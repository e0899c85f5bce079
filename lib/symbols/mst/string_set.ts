/** Distinct strings, as UTF-8. */

import { ByteBuffer } from "./byte_buffer.ts";

/** Strings, numbered from 0 in the order in which they were added. They are compared as bytes: to decode the
 * names of a large image, and to encode them again, takes longer than to read its units. */
export class StringSet {
  count = 0;
  /** The strings one after another. */
  readonly #bytes = new ByteBuffer(1 << 16);
  /** Where each ends. */
  #ends = new Uint32Array(1 << 10);
  #hashes = new Int32Array(1 << 10);
  /** By hash, the number of a string, from 1; 0 for none. Twice as many as `#ends` has. */
  #slots = new Uint32Array(1 << 11);

  /** Adds a string, unless it is there.
   *
   * @param hash of {@linkcode hashOf}
   * @returns its number
   * @throws {RangeError} when the strings take more than 4 GiB
   */
  add(text: Uint8Array, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let held = this.#slots[slot]; held !== 0; held = this.#slots[slot]) {
      if (this.#hashes[held - 1] === hash && this.#equals(held - 1, text)) return held - 1;
      slot = (slot + 1) & mask;
    }
    const number = this.count++;
    this.#slots[slot] = this.count;
    this.#bytes.append(text);
    if (this.#bytes.length >= 2 ** 32) throw new RangeError("more than 4 GiB of names");
    this.#ends[number] = this.#bytes.length;
    this.#hashes[number] = hash;
    if (this.count === this.#ends.length) this.#grow();
    return number;
  }

  /** The bytes of strings from `first` up to, not including, `end`; they share this one's memory. */
  bytes(first: number, end: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.bytes.subarray(this.#start(first), this.#start(end));
  }

  /** The length of a string, in bytes. */
  size(number: number): number {
    return this.#ends[number] - this.#start(number);
  }

  hash(number: number): number {
    return this.#hashes[number];
  }

  #start(number: number): number {
    return number === 0 ? 0 : this.#ends[number - 1];
  }

  #equals(number: number, text: Uint8Array): boolean {
    const start = this.#start(number);
    if (this.#ends[number] - start !== text.length) return false;
    const { bytes } = this.#bytes;
    for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text[at]) return false;
    return true;
  }

  #grow(): void {
    const room = 2 * this.count;
    const ends = new Uint32Array(room);
    ends.set(this.#ends);
    this.#ends = ends;
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

/** A hash of some bytes: a signed integer of 32 bits. */
export function hashOf(bytes: Uint8Array): number {
  let hash = bytes.length;
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ bytes[at], 0x9e3779b1);
  // The lowest bits choose a slot, and a product's depend on few bits of what was multiplied.
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x85ebca77) ^ (hash >>> 13);
}

/** A hash of a group's names and paths. */
export function groupKey(names: Uint32Array, files: Uint32Array): number {
  let hash = names.length;
  for (const list of [names, files]) {
    for (let at = 0; at < list.length; at++) hash = Math.imul(hash ^ list[at], 0x9e3779b1) ^ at;
  }
  return hash;
}

/** Whether two columns hold the same numbers. */
export function isEqual(a: Uint32Array, b: Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
