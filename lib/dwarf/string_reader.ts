/** Reads the strings of DWARF sections. */
import { STRING, SUPPLEMENTARY } from "./values.ts";
import { Chunks } from "./chunks.ts";
import type { DwarfSections } from "./sections.ts";

const decoder = new TextDecoder();

/** Maximum length of a string, in bytes. Longer ones, which only damage has, are cut. */
const MAX_STRING = 1 << 16; // 2^10 times a power of 8
// Maximum number of strings kept, and their total length.
const MAX_STRINGS = 1 << 18;
const MAX_KEPT = 32 << 20;

/** A string in UTF-8: the bytes from `start` up to `end`. */
export interface TextBytes {
  bytes: Uint8Array;
  start: number;
  end: number;
}

/** Reads strings and keeps them. */
export class StringReader {
  readonly #sections: readonly Chunks[];
  readonly #supplementary: StringReader | undefined;
  readonly #known = new Map<number, string | null>();
  readonly #text: TextBytes = { bytes: new Uint8Array(), start: 0, end: 0 };
  /** Total length of the strings in `#known`. */
  #size = 0;

  /** @param supplementary the strings of the supplementary file */
  constructor(sections: DwarfSections, supplementary?: StringReader) {
    this.#supplementary = supplementary;
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
    const text = bytes === null
      ? null
      : decoder.decode(bytes.bytes.subarray(bytes.start, bytes.end));
    this.#size += text?.length ?? 0;
    this.#known.set(ref, text);
    return text;
  }

  /** The bytes of the string; `null` if there is none. Copy them at once: the object and its memory are
   * reused. */
  bytesAt(ref: number): TextBytes | null {
    if (ref === STRING.none) return null;
    const chunks = this.#sections[ref % 8];
    const offset = Math.floor(ref / 8);
    if (offset >= SUPPLEMENTARY) {
      return this.#supplementary?.bytesAt(ref - SUPPLEMENTARY * 8) ?? null;
    }
    if (chunks === undefined || !(offset < chunks.section.size)) return null;
    let bytes = chunks.chunk(offset);
    let start = chunks.position(offset);
    let end = bytes.indexOf(0, start);
    if (end < 0) {
      // The string continues in the next chunk.
      start = 0;
      for (let room = 1 << 10; end < 0 && room <= MAX_STRING; room *= 8) {
        bytes = chunks.section.read(offset, room);
        end = bytes.indexOf(0);
      }
    }
    const text = this.#text;
    text.bytes = bytes;
    text.start = start;
    text.end = end < 0 ? bytes.length : end;
    return text;
  }
}
