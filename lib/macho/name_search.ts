/** A name that is looked for in the string tables of many images. */

import type { ImageSource } from "./source.ts";

/** Bytes of a string table that are read at a time. */
const PIECE = 1 << 20;

/** The search for one name. Images of the dyld shared cache have one string table in common, of a hundred
 * megabytes and more: it is searched once, and what is read of it is not kept. */
export class NameSearch {
  /** What is looked for, with or without its leading underscore. */
  readonly name: string;
  /** By the address of the string table: where in it symbols' names may be this one. */
  readonly #found = new Map<bigint, ReadonlySet<number>>();

  constructor(name: string) {
    this.name = name;
  }

  /** Whether the name is one that compilers give Objective-C methods. */
  get isObjcMethod(): boolean {
    return /^[-+]\[/.test(this.name);
  }

  /** The offsets in a string table at which the name begins, with its leading underscore and without.
   *
   * @param address of the table
   * @param size of the table in bytes
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
