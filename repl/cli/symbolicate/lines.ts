/** Lines that come in any order, kept as bytes: as strings, they would fill the heap. */

const encoder = new TextEncoder();
/** Maximum number of UTF-8 bytes per UTF-16 unit. */
const WIDEST = 3;
/** Size of a piece of memory, and of output, in bytes. */
const PIECE = 1 << 16;

/** Lines by number. */
export class Lines {
  /** The offset of each line, counted over whole pieces. */
  readonly #starts: Float64Array;
  readonly #lengths: Uint32Array;
  /** A line lies in one piece; a line longer than a piece has its own. */
  readonly #pieces: Uint8Array[] = [];
  #used = PIECE;

  /** @param count of lines */
  constructor(count: number) {
    this.#starts = new Float64Array(count);
    this.#lengths = new Uint32Array(count);
  }

  /** Sets a line. */
  set(index: number, line: string): void {
    const room = line.length * WIDEST + 1;
    if (this.#used + room > PIECE) {
      this.#pieces.push(new Uint8Array(Math.max(PIECE, room)));
      this.#used = 0;
    }
    const piece = this.#pieces.at(-1)!;
    const { written } = encoder.encodeInto(line, piece.subarray(this.#used));
    piece[this.#used + written] = 0x0a;
    this.#starts[index] = (this.#pieces.length - 1) * PIECE + this.#used;
    this.#lengths[index] = written + 1;
    this.#used += room > PIECE ? PIECE : written + 1;
  }

  /** All lines in order. The piece that is yielded is reused for the next one. */
  *pieces(): IterableIterator<Uint8Array> {
    const piece = new Uint8Array(PIECE);
    let used = 0;
    for (let index = 0; index < this.#starts.length; index++) {
      const length = this.#lengths[index];
      if (length === 0) continue;
      const from = this.#pieces[Math.floor(this.#starts[index] / PIECE)];
      const start = this.#starts[index] % PIECE;
      if (used > 0 && used + length > PIECE) {
        yield piece.subarray(0, used);
        used = 0;
      }
      if (length > PIECE) yield from.subarray(start, start + length);
      else for (let at = start; at < start + length; at++) piece[used++] = from[at];
    }
    if (used > 0) yield piece.subarray(0, used);
  }
}
