import { FormatError } from "../errors.ts";
import { lebEndWithin, slebBig, ulebBig } from "../leb128.ts";

/** Reads little-endian numbers from a section, front to back. Every read past the end throws
 * {@linkcode FormatError}. */
export class Cursor {
  /** Offset of the next byte in the section. */
  position: number;
  /** Offset at which reading ends, within the bytes. */
  end: number;
  /** The whole section. */
  readonly bytes: Uint8Array;
  /** The section's name, for errors. */
  readonly name: string;
  readonly #view: DataView;

  constructor(bytes: Uint8Array, name: string, position = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.name = name;
    this.position = position;
    this.end = Math.min(end, bytes.length);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Another cursor over the same section. */
  at(position: number, end: number): Cursor {
    return new Cursor(this.bytes, this.name, position, end);
  }

  /** Makes the error for unexpected data.
   *
   * @param expected what was expected, with an article
   * @param offset offset of the data
   */
  damage(expected: string, offset: number = this.position): FormatError {
    return new FormatError(this.name, offset, expected);
  }

  /** Skips `length` bytes; returns their offset. */
  skip(length: number): number {
    const start = this.position;
    // False for NaN too.
    if (!(length >= 0 && length <= this.end - start)) {
      throw this.damage(`${length} bytes, and here are ${Math.max(0, this.end - start)}`);
    }
    this.position = start + length;
    return start;
  }

  /** Reads `length` bytes, which share the section's memory. */
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
   * @throws {FormatError} also when it is 2^53 or more
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
   * @throws {FormatError} also when its magnitude is 2^53 or more
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

  /** Skips a LEB128 number; returns its start and end. */
  #leb(): [start: number, end: number] {
    const start = this.position;
    const end = lebEndWithin(this.bytes, start, this.end);
    if (end < 0) throw this.damage("a whole LEB128 number");
    this.position = end;
    return [start, end];
  }

  /** A zero-terminated string with one character per byte. */
  string(): string {
    const start = this.position;
    const end = this.bytes.indexOf(0, start);
    if (end < 0 || end >= this.end) throw this.damage("a string that ends");
    // Augmentations have a handful of letters. A longer one is damage, and would make the error long.
    if (end - start > 64) throw this.damage("a string of at most 64 bytes");
    this.position = end + 1;
    return String.fromCharCode(...this.bytes.subarray(start, end));
  }
}
