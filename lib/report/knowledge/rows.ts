/** The rows of one kind, and how they are looked up. */

import type { CpuFamily, KnowledgeRow } from "./row.ts";
import { WordIndex } from "./words.ts";

/** Rows by their places, and their keys, for which no row has to be made. */
export interface RowSource {
  /** See {@linkcode KnowledgeRow.key}. */
  readonly keys: readonly string[];
  /** The row with the key at a place. */
  row(place: number): KnowledgeRow;
}

/** To make an index of words takes as long as to look for all of them in so many texts: one report has fewer. */
const FEW = 256;

/** The rows of one kind: those with a whole key, and those with a prefix or words. */
export class Rows {
  readonly #keys: readonly string[];
  readonly #row: (place: number) => KnowledgeRow;
  /** Places of those with a whole key; made when one is asked for. */
  #exact: Map<string, number[]> | null = null;
  /** Places of those with a prefix, by its first two characters. */
  readonly #starts = new Map<string, number[]>();
  /** Prefixes by their first two characters, the longest first: few are ever asked for. */
  readonly #prefixes = new Map<string, { begin: string; place: number }[]>();
  /** The same by words of theirs; made where they are looked for in many texts. */
  #words: WordIndex | null = null;
  /** Texts in which they were looked for one by one. */
  #asked = 0;

  constructor({ keys, row }: RowSource) {
    this.#keys = keys;
    this.#row = row;
  }

  #byKey(): Map<string, number[]> {
    const exact = new Map<string, number[]>();
    for (let place = 0; place < this.#keys.length; place++) {
      const key = this.#keys[place];
      const isPrefix = key.endsWith("*");
      const places = isPrefix ? this.#starts : exact;
      const found = isPrefix ? key.slice(0, 2) : key;
      const list = places.get(found);
      if (list === undefined) places.set(found, [place]);
      else list.push(place);
    }
    return exact;
  }

  /** The row for a key; `null` when there is none. */
  find(key: string, cpu?: CpuFamily): KnowledgeRow | null {
    this.#exact ??= this.#byKey();
    const places = this.#exact.get(key);
    if (places === undefined) return this.#byPrefix(key);
    let found: KnowledgeRow | null = null;
    for (const place of places) {
      const row = this.#row(place);
      // A row for the CPU wins over one for all.
      if (row.cpu === undefined) found ??= row;
      else if (row.cpu === cpu) return row;
    }
    return found;
  }

  #byPrefix(key: string): KnowledgeRow | null {
    const start = key.slice(0, 2);
    const places = this.#starts.get(start);
    if (places === undefined) return null;
    let prefixes = this.#prefixes.get(start);
    if (prefixes === undefined) {
      prefixes = places.map((place) => ({ begin: this.#keys[place].slice(0, -1), place }));
      prefixes.sort((a, b) => b.begin.length - a.begin.length);
      this.#prefixes.set(start, prefixes);
    }
    const found = prefixes.find(({ begin }) => key.startsWith(begin));
    return found === undefined ? null : this.#row(found.place);
  }

  /** The first row whose key is in a text; `null` when there is none. */
  within(text: string): KnowledgeRow | null {
    const place = this.#placeIn(text);
    return place < 0 ? null : this.#row(place);
  }

  #placeIn(text: string): number {
    if (this.#asked < FEW) {
      this.#asked++;
      return this.#keys.findIndex((key) => text.includes(key));
    }
    this.#words ??= new WordIndex(this.#keys);
    return this.#words.find(text);
  }
}
