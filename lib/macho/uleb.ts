/** ULEB128, the variable-length numbers of `__LINKEDIT`: seven bits a byte, lowest first, the top bit
 * set on all but the last. */

/** Reads ULEB128 numbers from bytes, from front to back. */
export class UlebReader {
  /** Where the next byte is read. */
  position: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, position = 0) {
    this.#bytes = bytes;
    this.position = position;
  }

  /** The next number; `NaN` when the bytes end inside it, or it does not fit 2^53. */
  next(): number {
    const bytes = this.#bytes;
    let value = 0;
    let scale = 1;
    for (let position = this.position; position < bytes.length; position++) {
      const byte = bytes[position];
      const bits = byte & 0x7f;
      if (bits !== 0) value += bits * scale;
      if (value > Number.MAX_SAFE_INTEGER) return NaN;
      if (byte < 0x80) {
        this.position = position + 1;
        return value;
      }
      scale *= 128;
    }
    return NaN;
  }
}
