/** A symbol table as `nm` shows it: every entry with its letter. */

import type { RawText } from "../escape.ts";
import { hex } from "../hex.ts";
import { NLIST } from "./constants.ts";
import { STAB_NAMES } from "./names.ts";
import { sortByWord } from "./radix.ts";
import { compareBytes, rawText } from "./strings.ts";
import { nlistSize } from "./symtab.ts";

/** One `nlist`. */
export interface SymbolEntry {
  /** As in the table, with the leading underscore. */
  readonly name: RawText;
  /** As `nm` prints it: `U` undefined, `A` absolute, `T`, `D`, `B` in `__text`, `__data` and
   * `__bss`, `C` common, `S` in another section, `I` indirect; lower case for a local symbol; `-`
   * for a debugger's entry. */
  readonly letter: string;
  /** `n_value`: an address, or the size of a common symbol. */
  readonly value: bigint;
  /** `n_type`. */
  readonly type: number;
  /** `n_sect`: from 1; 0 for none. */
  readonly section: number;
  /** `n_desc`. */
  readonly description: number;
  /** The kind of a debugger's entry, such as `OSO`; otherwise `null`. */
  readonly stab: string | null;
  /** The other name of an indirect symbol; otherwise `null`. */
  readonly indirect: RawText | null;
}

/** The names of a section, which decide its letter. */
export interface SectionName {
  /** Such as `__text`. */
  readonly name: string;
  /** Such as `__TEXT`. */
  readonly segmentName: string;
}

/** The letters as bytes, so that lines are built without strings. */
const letters = {
  undefined: 0x55,
  absolute: 0x61,
  text: 0x74,
  data: 0x64,
  bss: 0x62,
  common: 0x43,
  section: 0x73,
  indirect: 0x69,
  prebound: 0x75,
  stab: 0x2d,
  unknown: 0x3f,
};
const UPPER = 0x20;

const encoder = new TextEncoder();
const empty = new Uint8Array();

/** The entries of a symbol table, in the file's order, on the table's own bytes.
 *
 * @example
 * ```ts
 * import { openImage } from "@machpause/machpause";
 *
 * using file = openImage("MyApp");
 * const list = file.images[0].symbols();
 * for (const index of list?.byAddress(false) ?? []) console.log(list?.at(index).name); // as `nm -n`
 * ```
 */
export class SymbolList {
  /** Number of entries. */
  readonly count: number;
  readonly #pointerSize: 4 | 8;
  /** The table's 32-bit words. */
  readonly #words: Uint32Array;
  readonly #stride: number;
  readonly #strings: Uint8Array;
  readonly #letters: Uint8Array;

  /** Finds the letter of each entry.
   *
   * @param bytes of the table
   * @param strings the string table
   * @param sections in the file's order
   * @ignore
   */
  constructor(
    bytes: Uint8Array,
    strings: Uint8Array,
    pointerSize: 4 | 8,
    sections: readonly SectionName[],
  ) {
    const size = nlistSize(pointerSize);
    this.count = Math.floor(bytes.length / size);
    this.#pointerSize = pointerSize;
    // Both the file and every supported host are little-endian; only the alignment may differ.
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
    this.#words = new Uint32Array(aligned.buffer, aligned.byteOffset, this.count * size / 4);
    this.#stride = size / 4;
    this.#strings = strings;
    this.#letters = this.#findLetters(sections);
  }

  /** Entry `index`. */
  at(index: number): SymbolEntry {
    const fields = this.#words[index * this.#stride + 1];
    const type = fields & 0xff;
    const isStab = (type & NLIST.N_STAB) !== 0;
    const value = this.#valueAt(index);
    return {
      name: rawText(this.nameBytes(index)),
      letter: String.fromCharCode(this.#letters[index]),
      value,
      type,
      section: (fields >>> 8) & 0xff,
      description: fields >>> 16,
      stab: isStab ? STAB_NAMES[type] ?? hex(type) : null,
      indirect: !isStab && (type & NLIST.N_TYPE) === NLIST.N_INDR
        ? rawText(this.#stringAt(Number(value)))
        : null,
    };
  }

  /** The bytes of an entry's name. */
  nameBytes(index: number): Uint8Array {
    return this.#stringAt(this.#words[index * this.#stride]);
  }

  /** All entries, in the file's order. */
  *[Symbol.iterator](): IterableIterator<SymbolEntry> {
    for (let index = 0; index < this.count; index++) yield this.at(index);
  }

  /** Indices of the entries in the order of `nm -n`: undefined ones first, then by value, then by
   * name.
   *
   * @param stabs whether debugger's entries are included
   */
  byAddress(stabs = false): Uint32Array {
    const chosen = new Uint32Array(this.count);
    let count = 0;
    const isUndefined = (index: number): boolean => this.#letters[index] === letters.undefined;
    for (let index = 0; index < this.count; index++) {
      if (isUndefined(index)) chosen[count++] = index;
    }
    const firstDefined = count;
    for (let index = 0; index < this.count; index++) {
      if (!isUndefined(index) && (stabs || this.#letters[index] !== letters.stab)) {
        chosen[count++] = index;
      }
    }
    const order = chosen.subarray(0, count);
    const defined = order.subarray(firstDefined);
    sortByWord(defined, this.#words, this.#stride, 2);
    if (this.#stride === 4) sortByWord(defined, this.#words, this.#stride, 3);
    this.#sortByName(order, 0, firstDefined);
    for (let start = firstDefined; start < count;) {
      let end = start + 1;
      while (end < count && this.#sameValue(order[start], order[end])) end++;
      if (end - start > 1) this.#sortByName(order, start, end);
      start = end;
    }
    return order;
  }

  /** The lines that `nm` prints, in pieces of about a megabyte: `000000000000abcd T _name`.
   *
   * @param order indices of entries
   * @param escape makes a name safe to print; called only for names that are not plain ASCII
   */
  *lines(order: Uint32Array, escape: (name: string) => string): IterableIterator<Uint8Array> {
    const digits = this.#pointerSize * 2;
    const words = this.#words;
    const strings = this.#strings;
    let out = new Uint8Array(CHUNK + CHUNK / 4);
    let at = 0;
    for (const index of order) {
      if (at > CHUNK) {
        yield out.subarray(0, at);
        out = new Uint8Array(CHUNK + CHUNK / 4);
        at = 0;
      }
      const entry = index * this.#stride;
      const letter = this.#letters[index];
      if (letter === letters.undefined) {
        out.fill(0x20, at, at + digits);
      } else {
        let low = words[entry + 2];
        for (let digit = at + digits - 1; digit >= at + digits - 8; digit--) {
          out[digit] = HEX[low & 15];
          low >>>= 4;
        }
        if (digits === 16) {
          let high = words[entry + 3];
          for (let digit = at + 7; digit >= at; digit--) {
            out[digit] = HEX[high & 15];
            high >>>= 4;
          }
        }
      }
      at += digits;
      out[at++] = 0x20;
      out[at++] = letter;
      out[at++] = 0x20;
      const lineStart = at;
      // The common case: a plain name, copied byte by byte.
      let from = words[entry];
      let plain = letter !== letters.stab && (letter | UPPER) !== letters.indirect;
      if (plain) {
        // Offset 0 means no name.
        const end = from === 0 ? 0 : Math.min(strings.length, from + MAX_PLAIN);
        for (; from < end; from++) {
          const byte = strings[from];
          if (byte === 0) break;
          if (byte < 0x20 || byte > 0x7e) {
            plain = false;
            break;
          }
          out[at++] = byte;
        }
        if (from === end && end > 0 && end < strings.length) plain = false;
      }
      if (!plain) {
        at = lineStart;
        const bytes = encoder.encode(this.#tail(index, escape));
        if (at + bytes.length + 1 > out.length) {
          yield out.subarray(0, at);
          yield bytes;
          out = new Uint8Array(CHUNK + CHUNK / 4);
          at = 0;
        } else {
          out.set(bytes, at);
          at += bytes.length;
        }
      }
      out[at++] = 0x0a;
    }
    yield out.subarray(0, at);
  }

  /** The rest of a line that has more than a letter and a plain name. */
  #tail(index: number, escape: (name: string) => string): string {
    const { name, stab, section, description, indirect } = this.at(index);
    if (stab !== null) {
      const digits = (value: number, size: number): string =>
        value.toString(16).padStart(size, "0");
      return `${digits(section, 2)} ${digits(description, 4)} ${stab.padStart(5)} ${escape(name)}`;
    }
    return indirect === null ? escape(name) : `${escape(name)} (indirect for ${escape(indirect)})`;
  }

  #valueAt(index: number): bigint {
    const entry = index * this.#stride;
    const low = BigInt(this.#words[entry + 2]);
    return this.#pointerSize === 4 ? low : low | (BigInt(this.#words[entry + 3]) << 32n);
  }

  #sameValue(a: number, b: number): boolean {
    const words = this.#words;
    const stride = this.#stride;
    return words[a * stride + 2] === words[b * stride + 2] &&
      (stride === 3 || words[a * stride + 3] === words[b * stride + 3]);
  }

  #stringAt(offset: number): Uint8Array {
    // Offset 0 means no name.
    if (offset >= this.#strings.length || offset === 0) return empty;
    const end = this.#strings.indexOf(0, offset);
    const stop = end < 0 ? this.#strings.length : end;
    return this.#strings.subarray(offset, Math.min(stop, offset + MAX_NAME));
  }

  #sortByName(order: Uint32Array, start: number, end: number): void {
    if (end - start < 2) return;
    const named = Array.from(
      order.subarray(start, end),
      (index) => ({ index, name: this.nameBytes(index).subarray(0, MAX_COMPARED) }),
    );
    named.sort((a, b) => compareBytes(a.name, b.name) || a.index - b.index);
    named.forEach(({ index }, place) => order[start + place] = index);
  }

  #findLetters(sections: readonly SectionName[]): Uint8Array {
    const ofSections = sections.map(({ name, segmentName }) =>
      bySection.get(`${segmentName},${name}`) ?? letters.section
    );
    const found = new Uint8Array(this.count);
    for (let index = 0; index < this.count; index++) {
      const entry = index * this.#stride;
      const fields = this.#words[entry + 1];
      if ((fields & NLIST.N_STAB) !== 0) {
        found[index] = letters.stab;
        continue;
      }
      const external = (fields & NLIST.N_EXT) !== 0;
      let letter: number;
      switch (fields & NLIST.N_TYPE) {
        case NLIST.N_UNDF: {
          const hasValue = this.#words[entry + 2] !== 0 ||
            (this.#stride === 4 && this.#words[entry + 3] !== 0);
          found[index] = !external
            ? letters.unknown
            : hasValue
            ? letters.common
            : letters.undefined;
          continue;
        }
        case NLIST.N_ABS:
          letter = letters.absolute;
          break;
        case NLIST.N_INDR:
          letter = letters.indirect;
          break;
        case NLIST.N_PBUD:
          letter = letters.prebound;
          break;
        case NLIST.N_SECT:
          letter = ofSections[((fields >>> 8) & 0xff) - 1] ?? letters.section;
          break;
        default:
          letter = letters.unknown;
      }
      found[index] = external && letter !== letters.unknown ? letter & ~UPPER : letter;
    }
    return found;
  }
}

/** Size of the pieces of output, in bytes. */
const CHUNK = 1 << 20;
/** Maximum length of a name, in bytes. Longer names are truncated: no compiler makes them, and
 * damage must not cost memory. */
const MAX_NAME = 1 << 16;
/** Bytes of a name that its order depends on. Any number of symbols may share a long name. */
const MAX_COMPARED = 4096;
/** Maximum length of a name that is copied without checking the room left again. */
const MAX_PLAIN = 1 << 16;
const HEX = encoder.encode("0123456789abcdef");

/** The sections that have a letter of their own. */
const bySection: ReadonlyMap<string, number> = new Map([
  ["__TEXT,__text", letters.text],
  ["__TEXT_EXEC,__text", letters.text],
  ["__DATA,__data", letters.data],
  ["__DATA,__bss", letters.bss],
]);
