/** Many lines that come in any order, as bytes: strings that wait would fill the heap. */

const encoder = new TextEncoder();
/** A UTF-16 unit is at most so many bytes. */
const WIDEST = 3;

/** Lines by their numbers. */
export class Lines {
  readonly #starts: Float64Array;
  readonly #lengths: Uint32Array;
  #bytes = new Uint8Array(1 << 16);
  #used = 0;

  /** @param count of lines */
  constructor(count: number) {
    this.#starts = new Float64Array(count);
    this.#lengths = new Uint32Array(count);
  }

  /** Takes a line. */
  set(index: number, line: string): void {
    const room = line.length * WIDEST + 1;
    if (this.#used + room > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#used + room));
      grown.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = grown;
    }
    const { written } = encoder.encodeInto(line, this.#bytes.subarray(this.#used));
    this.#bytes[this.#used + written] = 0x0a;
    this.#starts[index] = this.#used;
    this.#lengths[index] = written + 1;
    this.#used += written + 1;
  }

  /** All lines, in the order of their numbers. */
  joined(): Uint8Array {
    const joined = new Uint8Array(this.#used);
    let at = 0;
    for (let index = 0; index < this.#starts.length; index++) {
      const start = this.#starts[index];
      const end = start + this.#lengths[index];
      joined.set(this.#bytes.subarray(start, end), at);
      at += end - start;
    }
    return joined;
  }
}
