/** A section that is read here and there. */
import type { DwarfSection } from "./sections.ts";

/** Bytes of a chunk. */
const CHUNK = 1 << 15;
/** Chunks of one section that are kept: 64 MiB. */
const MAX_CHUNKS = 1 << 11;

/** Parts of a section, each read once while it is kept. */
export class Chunks {
  readonly section: DwarfSection;
  /** By number; the oldest first. */
  readonly #chunks = new Map<number, Uint8Array>();
  #number = -1;
  /** The chunk asked for last. */
  #chunk: Uint8Array = new Uint8Array();

  constructor(section: DwarfSection) {
    this.section = section;
  }

  /** The bytes from `offset` to the end of its chunk: at least one, inside of the section. They are not to be
   * changed. */
  from(offset: number): Uint8Array {
    const number = Math.floor(offset / CHUNK);
    if (number !== this.#number) {
      this.#chunk = this.#read(number);
      this.#number = number;
    }
    return this.#chunk.subarray(offset - number * CHUNK);
  }

  /** Bytes at an offset: at least `length`, or all up to the section's end. */
  at(offset: number, length: number): Uint8Array {
    const bytes = this.from(offset);
    if (bytes.length >= length || offset + bytes.length >= this.section.size) return bytes;
    return this.section.read(offset, length);
  }

  #read(number: number): Uint8Array {
    let chunk = this.#chunks.get(number);
    if (chunk === undefined) {
      chunk = this.section.read(number * CHUNK, CHUNK);
      if (this.#chunks.size >= MAX_CHUNKS) {
        const [oldest] = this.#chunks.keys();
        this.#chunks.delete(oldest);
      }
      this.#chunks.set(number, chunk);
    }
    return chunk;
  }
}
