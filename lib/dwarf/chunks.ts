/** Random access to a section. */
import type { DwarfSection } from "./sections.ts";

/** Size of a chunk, in bytes. */
const CHUNK = 1 << 15;
/** Size of a memory allocation, in bytes: many chunks share one. */
const SLAB = 1 << 20;
/** Maximum number of chunks kept per section: 64 MiB. */
const MAX_CHUNKS = 1 << 11;

/** Reads a section in chunks and keeps them. */
export class Chunks {
  readonly section: DwarfSection;
  /** Chunks by number, oldest first. */
  readonly #chunks = new Map<number, Uint8Array>();
  /** Memory for the next chunks. */
  #free: Uint8Array = new Uint8Array();
  #number = -1;
  /** The chunk of the last request. */
  #chunk: Uint8Array = new Uint8Array();

  constructor(section: DwarfSection) {
    this.section = section;
  }

  /** The chunk that contains an offset of the section. Do not change it. */
  chunk(offset: number): Uint8Array {
    const number = Math.floor(offset / CHUNK);
    if (number !== this.#number) {
      this.#chunk = this.#read(number);
      this.#number = number;
    }
    return this.#chunk;
  }

  /** The position of an offset in its chunk. */
  position(offset: number): number {
    return offset % CHUNK;
  }

  /** At least `length` bytes from `offset`, or all up to the section's end. */
  at(offset: number, length: number): Uint8Array {
    const bytes = this.chunk(offset).subarray(this.position(offset));
    if (bytes.length >= length || offset + bytes.length >= this.section.size) return bytes;
    return this.section.read(offset, length);
  }

  #read(number: number): Uint8Array {
    let chunk = this.#chunks.get(number);
    if (chunk === undefined) {
      // One large allocation is cheaper than many small ones: the system zeroes its pages at first use.
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

  /** Size of all chunks of the section. */
  #room(): number {
    return Math.ceil(this.section.size / CHUNK) * CHUNK;
  }
}
