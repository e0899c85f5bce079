/** Strings of all sections, by where they are. */
import { STRING } from "./values.ts";
import type { DwarfSection, DwarfSections } from "./sections.ts";

const decoder = new TextDecoder();

/** Strings beyond this are cut: no compiler makes them, and damage must not cost memory. */
const MAX_STRING = 1 << 16;
const CHUNK = 1 << 15;
/** Chunks of one section, and strings, that are kept. */
const MAX_CHUNKS = 512;
const MAX_STRINGS = 1 << 18;

/** The strings of one section, by parts that are read once. */
class StringSection {
  readonly #section: DwarfSection;
  readonly #chunks = new Map<number, Uint8Array>();

  constructor(section: DwarfSection) {
    this.#section = section;
  }

  /** The string's bytes, which share the chunk's memory; `null` outside of the section. */
  at(offset: number): Uint8Array | null {
    if (!(offset >= 0 && offset < this.#section.size)) return null;
    const index = Math.floor(offset / CHUNK);
    const chunk = this.#chunk(index);
    const start = offset - index * CHUNK;
    const end = chunk.indexOf(0, start);
    if (end >= 0) return chunk.subarray(start, end);
    // It goes on in the next chunk.
    const bytes = this.#section.read(offset, MAX_STRING);
    const length = bytes.indexOf(0);
    return length < 0 ? bytes : bytes.subarray(0, length);
  }

  #chunk(index: number): Uint8Array {
    let chunk = this.#chunks.get(index);
    if (chunk === undefined) {
      if (this.#chunks.size >= MAX_CHUNKS) this.#chunks.clear();
      chunk = this.#section.read(index * CHUNK, CHUNK);
      this.#chunks.set(index, chunk);
    }
    return chunk;
  }
}

/** Reads strings; those asked for lately are kept. */
export class StringReader {
  readonly #sections: readonly StringSection[];
  readonly #known = new Map<number, string | null>();

  constructor(sections: DwarfSections) {
    const names = ["str", "line_str", "info"];
    this.#sections = names.map((name) => new StringSection(sections.get(name)));
  }

  /** The string that `packString` made a number for; `null` where there is none. */
  at(ref: number): string | null {
    if (ref === STRING.none) return null;
    const known = this.#known.get(ref);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_STRINGS) this.#known.clear();
    const bytes = this.bytesAt(ref);
    const text = bytes === null ? null : decoder.decode(bytes);
    this.#known.set(ref, text);
    return text;
  }

  /** The bytes of the string, to be copied at once: their memory is used again. */
  bytesAt(ref: number): Uint8Array | null {
    if (ref === STRING.none) return null;
    return this.#sections[ref % 8]?.at(Math.floor(ref / 8)) ?? null;
  }
}
