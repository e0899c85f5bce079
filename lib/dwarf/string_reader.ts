/** Reads the strings of DWARF sections. */
import { STRING } from "./values.ts";
import { Chunks } from "./chunks.ts";
import type { DwarfSections } from "./sections.ts";

const decoder = new TextDecoder();

/** Maximum length of a string, in bytes. Longer ones, which only damage has, are cut. */
const MAX_STRING = 1 << 16; // 2^10 times a power of 8
// Maximum number of strings kept, and their total length.
const MAX_STRINGS = 1 << 18;
const MAX_KEPT = 32 << 20;

/** Reads strings and keeps them. */
export class StringReader {
  readonly #sections: readonly Chunks[];
  readonly #known = new Map<number, string | null>();
  /** Total length of the strings in `#known`. */
  #size = 0;

  constructor(sections: DwarfSections) {
    const names = ["str", "line_str", "info"];
    this.#sections = names.map((name) => new Chunks(sections.get(name)));
  }

  /** The string of a number of `packString`; `null` if there is none. */
  at(ref: number): string | null {
    if (ref === STRING.none) return null;
    const known = this.#known.get(ref);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_STRINGS || this.#size >= MAX_KEPT) {
      this.#known.clear();
      this.#size = 0;
    }
    const bytes = this.bytesAt(ref);
    const text = bytes === null ? null : decoder.decode(bytes);
    this.#size += text?.length ?? 0;
    this.#known.set(ref, text);
    return text;
  }

  /** The bytes of the string. Copy them at once: their memory is reused. */
  bytesAt(ref: number): Uint8Array | null {
    if (ref === STRING.none) return null;
    const chunks = this.#sections[ref % 8];
    const offset = Math.floor(ref / 8);
    if (chunks === undefined || !(offset < chunks.section.size)) return null;
    let bytes = chunks.from(offset);
    let length = bytes.indexOf(0);
    if (length < 0) {
      // The string continues in the next chunk.
      for (let room = 1 << 10; length < 0 && room <= MAX_STRING; room *= 8) {
        bytes = chunks.section.read(offset, room);
        length = bytes.indexOf(0);
      }
    }
    return length < 0 ? bytes : bytes.subarray(0, length);
  }
}
