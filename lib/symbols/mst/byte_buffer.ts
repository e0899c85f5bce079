/** Bytes written one after another, into memory that grows. */
export class ByteBuffer {
  /** Room for what is written; used up to `length`. */
  bytes: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
  }

  /** What has been written, sharing this one's memory. */
  get written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length);
  }

  /** Makes room for `more` bytes, which may then be written without a check. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
    grown.set(this.written);
    this.bytes = grown;
  }

  /** Adds bytes. */
  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Adds a number as ULEB128, up to eight bytes, for which there is room.
   *
   * @param value a safe integer, not negative
   */
  uleb(value: number): void {
    this.length = putUleb(this.bytes, this.length, value);
  }
}

/** Writes a number as ULEB128; returns where it ends.
 *
 * @param value a safe integer, not negative
 */
export function putUleb(bytes: Uint8Array, at: number, value: number): number {
  // Most are one byte.
  if (value < 0x80) {
    bytes[at] = value;
    return at + 1;
  }
  // Numbers of more than 31 bits are beyond the shift operators.
  while (value > 0x7fffffff) {
    bytes[at++] = (value % 128) | 0x80;
    value = Math.floor(value / 128);
  }
  while (value > 0x7f) {
    bytes[at++] = (value & 0x7f) | 0x80;
    value >>>= 7;
  }
  bytes[at++] = value;
  return at;
}

/** Puts a number's sign into its lowest bit, so that small ones of either sign are short as ULEB128. */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** What {@linkcode zigzag} was given. */
export function unzigzag(value: number): number {
  if (value <= 0x7fffffff) return (value >>> 1) ^ -(value & 1);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
