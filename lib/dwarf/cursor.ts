import { FormatError } from "../errors.ts";
import { lebEndWithin, slebBig, ulebBig } from "../leb128.ts";

/** Reads little-endian numbers from the bytes of a section, from front to back. Every read is checked
 * against the end of what is being read and throws {@linkcode FormatError} there. */
export class Cursor {
  /** Where the next byte is read, in bytes from the section's start. */
  position: number;
  /** Where what is being read ends. Never beyond the bytes. */
  end: number;
  /** The whole section. */
  readonly bytes: Uint8Array;
  /** For errors: the section's name. */
  readonly name: string;
  readonly #view: DataView;

  constructor(bytes: Uint8Array, name: string, position = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.name = name;
    this.position = position;
    this.end = Math.min(end, bytes.length);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Another reader of the same section. */
  at(position: number, end: number): Cursor {
    return new Cursor(this.bytes, this.name, position, end);
  }

  /** The error for something unexpected.
   *
   * @param expected with an article
   * @param offset where it should have been
   */
  damage(expected: string, offset: number = this.position): FormatError {
    return new FormatError(this.name, offset, expected);
  }

  /** Takes `length` bytes, and returns where they begin. */
  skip(length: number): number {
    const start = this.position;
    // Also false for NaN.
    if (!(length >= 0 && length <= this.end - start)) {
      throw this.damage(`${length} bytes, and here are ${Math.max(0, this.end - start)}`);
    }
    this.position = start + length;
    return start;
  }

  /** Takes `length` bytes. They share the section's memory. */
  take(length: number): Uint8Array {
    const start = this.skip(length);
    return this.bytes.subarray(start, start + length);
  }

  u8(): number {
    return this.bytes[this.skip(1)];
  }

  i8(): number {
    return this.#view.getInt8(this.skip(1));
  }

  u16(): number {
    return this.#view.getUint16(this.skip(2), true);
  }

  i16(): number {
    return this.#view.getInt16(this.skip(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.skip(4), true);
  }

  i32(): number {
    return this.#view.getInt32(this.skip(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.skip(8), true);
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.skip(8), true);
  }

  /** An unsigned LEB128 number.
   *
   * @throws {FormatError} also when it does not fit 2^53
   */
  uleb(): number {
    const start = this.position;
    if (start < this.end && this.bytes[start] < 0x80) return this.bytes[this.position++];
    const value = Number(this.ulebBig());
    if (!Number.isSafeInteger(value)) throw this.damage("a number below 2^53", start);
    return value;
  }

  /** A signed LEB128 number.
   *
   * @throws {FormatError} also when it does not fit 2^53
   */
  sleb(): number {
    const start = this.position;
    if (start < this.end && this.bytes[start] < 0x80) {
      return (this.bytes[this.position++] << 25) >> 25;
    }
    const value = Number(this.slebBig());
    if (!Number.isSafeInteger(value)) throw this.damage("a number within 2^53", start);
    return value;
  }

  /** An unsigned LEB128 number; bits beyond 64 are dropped. */
  ulebBig(): bigint {
    return ulebBig(this.bytes, ...this.#leb());
  }

  /** A signed LEB128 number; bits beyond 64 are dropped. */
  slebBig(): bigint {
    return slebBig(this.bytes, ...this.#leb());
  }

  /** Takes a LEB128 number, and returns where it begins and ends. */
  #leb(): [start: number, end: number] {
    const start = this.position;
    const end = lebEndWithin(this.bytes, start, this.end);
    if (end < 0) throw this.damage("a whole LEB128 number");
    this.position = end;
    return [start, end];
  }

  /** A string that ends with a zero byte, of which every byte is a character. */
  string(): string {
    const start = this.position;
    const end = this.bytes.indexOf(0, start);
    if (end < 0 || end >= this.end) throw this.damage("a string that ends");
    // Augmentations have a handful of letters: more is damage, and would cost memory to say.
    if (end - start > 64) throw this.damage("a string of at most 64 bytes");
    this.position = end + 1;
    return String.fromCharCode(...this.bytes.subarray(start, end));
  }
}
