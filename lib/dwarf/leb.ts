/** LEB128 numbers for the loops that read millions of them: no bounds are checked, a byte that is not
 * there ends a number. */

/** The unsigned number at `at`; not exact beyond 2^53. */
export function ulebAt(bytes: Uint8Array, at: number): number {
  let byte = bytes[at];
  let value = byte & 0x7f;
  for (let scale = 128; byte >= 0x80 && scale < 2 ** 70; scale *= 128) {
    byte = bytes[++at];
    value += (byte & 0x7f) * scale;
  }
  return value;
}

/** The signed number at `at`; not exact beyond 2^53. */
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

/** Where the number at `at` ends. */
export function lebEnd(bytes: Uint8Array, at: number): number {
  while (bytes[at++] >= 0x80);
  return at;
}

/** The four bytes at `at` as an unsigned number. */
export function u32At(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}

/** The eight bytes at `at`; not exact beyond 2^53. */
export function u64At(bytes: Uint8Array, at: number): number {
  return u32At(bytes, at + 4) * 2 ** 32 + u32At(bytes, at);
}
