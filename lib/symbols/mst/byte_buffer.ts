/** Bytes from which a copy is worth a call and a view. */
const COPIED_BY_CALL = 256;

/** A growing byte buffer. */
export class ByteBuffer {
  /** The memory, used up to `length`. */
  bytes: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
  }

  /** The bytes written so far; they share the buffer's memory. */
  get written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length);
  }

  /** Makes room for `more` bytes, which can then be written without checks. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
    grown.set(this.written);
    this.bytes = grown;
  }

  /** Appends bytes. */
  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Appends what another buffer holds. The room must be reserved. */
  copy({ bytes, length }: ByteBuffer): void {
    if (length > COPIED_BY_CALL) {
      this.bytes.set(bytes.subarray(0, length), this.length);
      this.length += length;
      return;
    }
    const target = this.bytes;
    let to = this.length;
    for (let at = 0; at < length; at++) target[to++] = bytes[at];
    this.length = to;
  }

  /** Appends a number as ULEB128, up to eight bytes. The room must be reserved.
   *
   * @param value a safe integer, not negative
   */
  uleb(value: number): void {
    this.length = putUleb(this.bytes, this.length, value);
  }
}

/** Writes a number as ULEB128; returns its end.
 *
 * @param value a safe integer, not negative
 */
export function putUleb(bytes: Uint8Array, at: number, value: number): number {
  // Most numbers take one byte.
  if (value < 0x80) {
    bytes[at] = value;
    return at + 1;
  }
  // Shift operators cannot handle more than 31 bits.
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

/** Number of bytes that {@linkcode putUleb} writes. */
export function ulebSize(value: number): number {
  let size = 1;
  while (value > 0x7f) {
    value = Math.floor(value / 128);
    size++;
  }
  return size;
}

/** Moves a number's sign to its lowest bit, so that small negative numbers are short as ULEB128 too. */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** The inverse of {@linkcode zigzag}. */
export function unzigzag(value: number): number {
  if (value <= 0x7fffffff) return (value >>> 1) ^ -(value & 1);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
