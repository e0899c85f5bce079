/** Limits the work and memory that the debug information of one image may cost. */
import { FormatError } from "../errors.ts";

/** Cost that every unit may have, as a multiple of its size. Units of C, C++, Rust and Go, with their lines,
 * ranges and names, cost 1 to 4 times their size. */
const OWN = 16;
/** Further cost that all units share, as a multiple of the size of all debug sections. */
const SHARED = 8;
/** Maximum compression ratio of one section, and of all sections together. Real sections have 2 to 10. */
const RATIO = 64;
const TOTAL_RATIO = 32;
/** Size that a decompressed section may always have, in bytes. */
const SMALL = 1 << 16;

/** Counts the cost of reading an image's debug information, in bytes read and bytes produced. Any number of
 * units may refer to the same list, line table or name, so a small file can demand any amount of work. One
 * budget serves the whole image.
 *
 * Reading a unit again first returns its earlier cost, so lookups can continue for as long as a session. */
export class Budget {
  #shared: number;
  #inflated: number;
  /** What each unit took out of `#shared`. */
  readonly #taken = new Map<number, number>();
  #unit = -1;
  #own = 0;

  /** @param size total size of the debug sections in the file, in bytes */
  constructor(size: number) {
    this.#shared = SHARED * size;
    this.#inflated = TOTAL_RATIO * size + SMALL;
  }

  /** Starts counting for a unit.
   *
   * @param unit a number for the unit and the purpose of reading it
   * @param size size of the unit, in bytes
   */
  begin(unit: number, size: number): void {
    this.#shared += this.#taken.get(unit) ?? 0;
    this.#taken.delete(unit);
    this.#unit = unit;
    this.#own = OWN * size;
  }

  /** Counts bytes; returns false when they exceed the budget. */
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
   * @param place offset in the section, for the error
   * @throws {FormatError} when they exceed the budget
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
   * @throws {FormatError} when the section, or all sections together, would be too large
   */
  inflate(bytes: number, compressed: number, section: string): void {
    const most = Math.min(RATIO * compressed + SMALL, this.#inflated);
    if (!(bytes <= most)) {
      throw new FormatError(section, 4, `at most ${most} bytes when decompressed, not ${bytes}`);
    }
    this.#inflated -= bytes;
    // Decompressed bytes count as bytes of the file.
    this.#shared += SHARED * bytes;
  }
}
