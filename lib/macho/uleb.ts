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
    // Most are one byte.
    if (this.position < bytes.length && bytes[this.position] < 0x80) return bytes[this.position++];
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

  /** The next number, up to 64 bits of it; `undefined` when the bytes end inside it. */
  nextBig(): bigint | undefined {
    const start = this.position;
    const small = this.next();
    if (!Number.isNaN(small)) return BigInt(small);
    let value = 0n;
    for (let position = start, shift = 0n; position < this.#bytes.length; position++) {
      const byte = this.#bytes[position];
      if (shift < 64n) value |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
      if (byte < 0x80) {
        this.position = position + 1;
        return BigInt.asUintN(64, value);
      }
    }
    return undefined;
  }

  /** The next number of the signed kind, SLEB128, up to 64 bits of it; `undefined` when the bytes end
   * inside it. */
  nextSigned(): bigint | undefined {
    const start = this.position;
    const value = this.nextBig();
    if (value === undefined) return undefined;
    const bits = 7 * (this.position - start);
    return BigInt.asIntN(Math.min(bits, 64), value);
  }
}
