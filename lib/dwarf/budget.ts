/** Bounds on what the debug information of one image may cost. */
import { FormatError } from "../errors.ts";

/** Bytes that a unit may always cost, for each of its own. Whole units of C, C++, Rust and Go, with their lines,
 * ranges and names, cost 1 to 4. */
const OWN = 16;
/** Bytes that all units together may cost beyond that, for each byte of debug information. */
const SHARED = 8;
/** Bytes that a compressed section may have for each compressed one, and all together for each byte of debug
 * information. Compilers' sections have 2 to 10. */
const RATIO = 64;
const TOTAL_RATIO = 32;
/** What a compressed section may have in any case. */
const SMALL = 1 << 16;

/** Counts what reading an image's debug information costs: bytes read and bytes made of them. Debug information
 * may refer to one list, line table or name from any number of places, so that a small file can ask for any
 * amount of work. One budget serves all of an image: what one unit takes too much is not there for the next.
 *
 * A unit that is read again gets back what it cost before: lookups may go on for ever. */
export class Budget {
  #shared: number;
  #inflated: number;
  /** What each unit took out of `#shared`, by what it was read for and its place. */
  readonly #taken = new Map<number, number>();
  #unit = -1;
  #own = 0;

  /** @param size of all sections as the file has them, in bytes */
  constructor(size: number) {
    this.#shared = SHARED * size;
    this.#inflated = TOTAL_RATIO * size + SMALL;
  }

  /** Begins to count for a unit.
   *
   * @param unit a number that stands for it and for what it is read for
   * @param size of the unit, in bytes
   */
  begin(unit: number, size: number): void {
    this.#shared += this.#taken.get(unit) ?? 0;
    this.#taken.delete(unit);
    this.#unit = unit;
    this.#own = OWN * size;
  }

  /** Counts bytes; returns whether the unit may have them. */
  try(bytes: number): boolean {
    if (bytes <= this.#own) {
      this.#own -= bytes;
      return true;
    }
    const more = bytes - this.#own;
    if (!(more <= this.#shared)) return false;
    this.#own = 0;
    this.#shared -= more;
    this.#taken.set(this.#unit, (this.#taken.get(this.#unit) ?? 0) + more);
    return true;
  }

  /** Counts bytes.
   *
   * @param place in the section that they are read from, for the error
   * @throws {FormatError} when the unit may not have them
   */
  spend(bytes: number, section: string, place: number): void {
    if (!this.try(bytes)) {
      throw new FormatError(
        section,
        place,
        "less: the units refer to many times what the file holds",
      );
    }
  }

  /** Counts the bytes of a decompressed section.
   *
   * @throws {FormatError} when they are too many for the compressed ones, or for the file
   */
  inflate(bytes: number, compressed: number, section: string): void {
    const most = Math.min(RATIO * compressed + SMALL, this.#inflated);
    if (!(bytes <= most)) {
      throw new FormatError(section, 4, `at most ${most} bytes when decompressed, not ${bytes}`);
    }
    this.#inflated -= bytes;
    // What is in memory now counts as the file's own.
    this.#shared += SHARED * bytes;
  }
}
