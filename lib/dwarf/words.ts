/** Little-endian numbers, unchecked: those of a fixed width are for loops that read millions. */

/** The four bytes at `at` as an unsigned number. */
export function u32At(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}

/** The eight bytes at `at`; not exact beyond 2^53. */
export function u64At(bytes: Uint8Array, at: number): number {
  return u32At(bytes, at + 4) * 2 ** 32 + u32At(bytes, at);
}

/** The unsigned number in all of some bytes. */
export function unsignedOf(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let at = bytes.length; at-- > 0;) value = (value << 8n) | BigInt(bytes[at]);
  return value;
}
