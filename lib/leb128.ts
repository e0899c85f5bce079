/** LEB128, the variable-length numbers of `__LINKEDIT` and of DWARF: seven bits a byte, lowest
 * first, the top bit set on all bytes but the last. The signed kind is a two's complement whose
 * sign is bit 6 of the last byte. */

/** The unsigned number at `at`, for loops that read millions: nothing is checked, and a byte that
 * is not there ends the number. Not exact beyond 2^53. */
export function ulebAt(bytes: Uint8Array, at: number): number {
  let byte = bytes[at];
  let value = byte & 0x7f;
  for (let scale = 128; byte >= 0x80 && scale < 2 ** 70; scale *= 128) {
    byte = bytes[++at];
    value += (byte & 0x7f) * scale;
  }
  return value;
}

/** The signed number at `at`, unchecked like {@linkcode ulebAt}. Not exact beyond 2^53. */
export function slebAt(bytes: Uint8Array, at: number): number {
  let value = 0;
  let scale = 1;
  for (;;) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte >= 0x80 && scale < 2 ** 70) continue;
    return (byte & 0x40) !== 0 ? value - scale : value;
  }
}

/** Where the number at `at` ends, unchecked. */
export function lebEnd(bytes: Uint8Array, at: number): number {
  while (bytes[at++] >= 0x80);
  return at;
}

/** Where the number at `at` ends; -1 when it does not end before `limit`.
 *
 * @param limit not beyond the bytes
 */
export function lebEndWithin(bytes: Uint8Array, at: number, limit: number): number {
  while (at < limit) if (bytes[at++] < 0x80) return at;
  return -1;
}

/** The unsigned number in `bytes` from `start` to `end`; bits beyond 64 are dropped. */
export function ulebBig(bytes: Uint8Array, start: number, end: number): bigint {
  let value = 0n;
  // Ten bytes hold 64 bits; padding may follow.
  for (let at = Math.min(end, start + 10); at-- > start;) {
    value = (value << 7n) | BigInt(bytes[at] & 0x7f);
  }
  return BigInt.asUintN(64, value);
}

/** The signed number in `bytes` from `start` to `end`; bits beyond 64 are dropped. */
export function slebBig(bytes: Uint8Array, start: number, end: number): bigint {
  return BigInt.asIntN(Math.min(7 * (end - start), 64), ulebBig(bytes, start, end));
}

/** Reads unsigned numbers from bytes, from front to back. */
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
    const start = this.position;
    // Most are one byte.
    if (start < bytes.length && bytes[start] < 0x80) return bytes[this.position++];
    let value = 0;
    let scale = 1;
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at];
      const bits = byte & 0x7f;
      // Padding may go on for ever, and `scale` to infinity with it.
      if (bits !== 0) value += bits * scale;
      if (value > Number.MAX_SAFE_INTEGER) return NaN;
      if (byte < 0x80) {
        this.position = at + 1;
        return value;
      }
      scale *= 128;
    }
    return NaN;
  }

  /** The next number, up to 64 bits of it; `undefined` when the bytes end inside it. */
  nextBig(): bigint | undefined {
    return this.#nextBig(ulebBig);
  }

  /** The next number of the signed kind, up to 64 bits of it; `undefined` when the bytes end inside
   * it. */
  nextSigned(): bigint | undefined {
    return this.#nextBig(slebBig);
  }

  #nextBig(read: typeof ulebBig): bigint | undefined {
    const start = this.position;
    const end = lebEndWithin(this.#bytes, start, this.#bytes.length);
    if (end < 0) return undefined;
    this.position = end;
    return read(this.#bytes, start, end);
  }
}
