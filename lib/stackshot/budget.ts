/** Bounds on what reading a stackshot file may cost. */
import { FormatError } from "../errors.ts";

/** Bytes that decompression may make of each byte of the file, all streams together; and what it may make in
 * any case. Stackshots have 5 to 25. */
const RATIO = 64;
const SMALL = 1 << 20;
/** What decompression may make at all. */
const MOST = 1 << 29;
/** Items for each byte of the file, and in any case. Uncompressed items have at least 16 bytes. */
const ITEMS = 0.5;
const FEW_ITEMS = 1 << 16;

/** Counts what reading a file costs: a small file may hold streams that decompress to any amount, and any
 * number of deltas, each of which repeats what is before it. One budget serves a file. */
export class StackshotBudget {
  /** Bytes that decompression may still make. */
  #bytes: number;
  readonly #most: number;
  #items: number;

  /** @param size of the file, in bytes */
  constructor(size: number) {
    this.#most = Math.min(MOST, RATIO * size + SMALL);
    this.#bytes = this.#most;
    this.#items = ITEMS * size + FEW_ITEMS;
  }

  /** Counts decompressed bytes.
   *
   * @throws {FormatError} when they are too many for the file
   */
  inflate(bytes: number, name: string, offset: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) {
      throw new FormatError(name, offset, `at most ${this.#most} bytes when decompressed`);
    }
  }

  /** Counts items, or copies of them; returns whether there may be so many. */
  tryItems(count: number): boolean {
    this.#items -= count;
    return this.#items >= 0;
  }
}
