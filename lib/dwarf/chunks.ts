/** A section that is read here and there. */
import type { DwarfSection } from "./sections.ts";

/** Bytes of a chunk. */
const CHUNK = 1 << 15;
/** Bytes of memory that is taken at a time. */
const SLAB = 1 << 20;
/** Chunks of one section that are kept: 64 MiB. */
const MAX_CHUNKS = 1 << 11;

/** Parts of a section, each read once while it is kept. */
export class Chunks {
  readonly section: DwarfSection;
  /** By number; the oldest first. */
  readonly #chunks = new Map<number, Uint8Array>();
  /** Memory for the next chunks. */
  #free: Uint8Array = new Uint8Array();
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
      // Memory for many chunks at once is had sooner than that for single ones, which is zeroed first.
      if (this.#free.length < CHUNK) this.#free = new Uint8Array(Math.min(SLAB, this.#room()));
      const into = this.#free.subarray(0, CHUNK);
      this.#free = this.#free.subarray(CHUNK);
      chunk = this.section.read(number * CHUNK, into.length, into);
      if (this.#chunks.size >= MAX_CHUNKS) {
        const [oldest] = this.#chunks.keys();
        this.#chunks.delete(oldest);
      }
      this.#chunks.set(number, chunk);
    }
    return chunk;
  }

  /** Bytes that the section's chunks take. */
  #room(): number {
    return Math.ceil(this.section.size / CHUNK) * CHUNK;
  }
}
