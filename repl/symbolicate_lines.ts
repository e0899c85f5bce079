/** Many lines that come in any order, as bytes: strings that wait would fill the heap. */

const encoder = new TextEncoder();
/** A UTF-16 unit is at most so many bytes. */
const WIDEST = 3;
/** Most lines are no longer. */
const USUAL = 64;
/** Bytes that are handed out at a time. */
const PIECE = 1 << 16;

/** Lines by their numbers. */
export class Lines {
  readonly #starts: Float64Array;
  readonly #lengths: Uint32Array;
  #bytes: Uint8Array;
  #used = 0;

  /** @param count of lines */
  constructor(count: number) {
    this.#starts = new Float64Array(count);
    this.#lengths = new Uint32Array(count);
    this.#bytes = new Uint8Array(count * USUAL);
  }

  /** Takes a line. */
  set(index: number, line: string): void {
    const room = line.length * WIDEST + 1;
    if (this.#used + room > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#bytes.length * 1.5, this.#used + room));
      grown.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = grown;
    }
    const { written } = encoder.encodeInto(line, this.#bytes.subarray(this.#used));
    this.#bytes[this.#used + written] = 0x0a;
    this.#starts[index] = this.#used;
    this.#lengths[index] = written + 1;
    this.#used += written + 1;
  }

  /** All lines, in the order of their numbers, in pieces that are used again for the next. */
  *pieces(): IterableIterator<Uint8Array> {
    const piece = new Uint8Array(PIECE);
    let used = 0;
    for (let index = 0; index < this.#starts.length; index++) {
      const start = this.#starts[index];
      const end = start + this.#lengths[index];
      if (used > 0 && used + end - start > PIECE) {
        yield piece.subarray(0, used);
        used = 0;
      }
      if (end - start > PIECE) yield this.#bytes.subarray(start, end);
      else for (let at = start; at < end; at++) piece[used++] = this.#bytes[at];
    }
    if (used > 0) yield piece.subarray(0, used);
  }
}
