/** Keys that are looked for anywhere in a text, which are too many to be looked for one by one. */

/** Characters by which a key is found. */
const LENGTH = 4;

/** Characters are mixed to a number of so many bits, and what no key has is passed over by it. */
const BITS = 15;

/** Keys, each by four characters of it that few others have. */
export class WordIndex {
  readonly #keys: readonly string[];
  /** Places of the keys in the list, by the characters that they are found by, and where those are in the key. */
  readonly #places = new Map<string, { place: number; offset: number }[]>();
  /** Places of keys that are shorter. */
  readonly #short: number[] = [];
  readonly #marks = new Uint8Array(1 << BITS);

  constructor(keys: readonly string[]) {
    this.#keys = keys;
    const counts = new Map<string, number>();
    for (const key of keys) {
      for (const part of partsOf(key)) counts.set(part, (counts.get(part) ?? 0) + 1);
    }
    for (const [place, key] of keys.entries()) {
      if (key.length < LENGTH) {
        this.#short.push(place);
        continue;
      }
      let rare = key.slice(0, LENGTH);
      for (const part of partsOf(key)) if (counts.get(part)! < counts.get(rare)!) rare = part;
      const found = { place, offset: key.indexOf(rare) };
      const places = this.#places.get(rare);
      if (places === undefined) this.#places.set(rare, [found]);
      else places.push(found);
      this.#marks[mixed(rare, 0)] = 1;
    }
  }

  /** Place of the first key that a text contains; -1 when it contains none. */
  find(text: string): number {
    let first = this.#short.find((place) => text.includes(this.#keys[place])) ?? this.#keys.length;
    for (let at = 0; at + LENGTH <= text.length; at++) {
      if (this.#marks[mixed(text, at)] === 0) continue;
      for (const { place, offset } of this.#places.get(text.slice(at, at + LENGTH)) ?? []) {
        if (place >= first) break;
        if (at >= offset && text.startsWith(this.#keys[place], at - offset)) first = place;
      }
    }
    return first === this.#keys.length ? -1 : first;
  }
}

function* partsOf(key: string): Generator<string> {
  for (let at = 0; at + LENGTH <= key.length; at++) yield key.slice(at, at + LENGTH);
}

function mixed(text: string, at: number): number {
  return (text.charCodeAt(at) * 31 ^ text.charCodeAt(at + 1) * 1023 ^
    text.charCodeAt(at + 2) * 8209 ^ text.charCodeAt(at + 3) * 463) & ((1 << BITS) - 1);
}
