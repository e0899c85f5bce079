/** Searches for one name in the string tables of many images. */

import type { ImageSource } from "./source.ts";

/** A string table is read in pieces of this many bytes. */
const PIECE = 1 << 20;

/** The search for one name. Images of the dyld shared cache share a string table of a hundred
 * megabytes and more: it is searched once, and not kept. */
export class NameSearch {
  /** The name, with or without its leading underscore. */
  readonly name: string;
  /** Offsets of possible matches in a string table, by the address of the table. */
  readonly #found = new Map<bigint, ReadonlySet<number>>();

  constructor(name: string) {
    this.name = name;
  }

  /** Whether the name has the form of an Objective-C method's symbol. */
  get isObjcMethod(): boolean {
    return /^[-+]\[/.test(this.name);
  }

  /** The offsets in a string table where the name begins, with its leading underscore and without.
   *
   * @param address of the table
   * @param size of the table, in bytes
   * @param source of an image that has this table
   */
  offsets(address: bigint, size: number, source: ImageSource): ReadonlySet<number> {
    let found = this.#found.get(address);
    if (found === undefined) this.#found.set(address, found = this.#search(address, size, source));
    return found;
  }

  #search(address: bigint, size: number, source: ImageSource): ReadonlySet<number> {
    const found = new Set<number>();
    const name = new TextEncoder().encode(`${this.name}\0`);
    for (let start = 0; start < size; start += PIECE) {
      // Pieces overlap by the length of the name.
      const length = Math.min(PIECE + name.length, size - start);
      const bytes = source.read(address + BigInt(start), length);
      for (let at = bytes.indexOf(name[0]); at >= 0; at = bytes.indexOf(name[0], at + 1)) {
        let same = 1;
        while (same < name.length && bytes[at + same] === name[same]) same++;
        if (same < name.length) continue;
        found.add(start + at);
        if (start + at > 0) found.add(start + at - 1);
      }
    }
    return found;
  }
}
