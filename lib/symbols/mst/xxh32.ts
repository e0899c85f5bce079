/** XXH32, a fast checksum: https://github.com/Cyan4973/xxHash, `doc/xxhash_spec.md`. */

const PRIME1 = 0x9e3779b1 | 0;
const PRIME2 = 0x85ebca77 | 0;
const PRIME3 = 0xc2b2ae3d | 0;
const PRIME4 = 0x27d4eb2f | 0;
const PRIME5 = 0x165667b1 | 0;

/** The XXH32 of some bytes.
 *
 * @param seed a 32-bit number
 */
export function xxh32(bytes: Uint8Array, seed = 0): number {
  const { length } = bytes;
  const words = wordsOf(bytes);
  const count = words.length;
  let at = 0;
  let hash: number;
  if (count >= 4) {
    let a = (seed + PRIME1 + PRIME2) | 0;
    let b = (seed + PRIME2) | 0;
    let c = seed | 0;
    let d = (seed - PRIME1) | 0;
    for (; at + 4 <= count; at += 4) {
      a = Math.imul(rotate((a + Math.imul(words[at], PRIME2)) | 0, 13), PRIME1);
      b = Math.imul(rotate((b + Math.imul(words[at + 1], PRIME2)) | 0, 13), PRIME1);
      c = Math.imul(rotate((c + Math.imul(words[at + 2], PRIME2)) | 0, 13), PRIME1);
      d = Math.imul(rotate((d + Math.imul(words[at + 3], PRIME2)) | 0, 13), PRIME1);
    }
    hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
  } else {
    hash = seed + PRIME5;
  }
  hash = (hash + length) | 0;
  for (; at < count; at++) {
    const word = Math.imul(words[at], PRIME3);
    hash = Math.imul(rotate((hash + word) | 0, 17), PRIME4);
  }
  for (at *= 4; at < length; at++) {
    hash = Math.imul(rotate((hash + Math.imul(bytes[at], PRIME5)) | 0, 11), PRIME1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), PRIME2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The bytes as 32-bit words. XXH32 is little-endian, like all systems that JavaScript runs on. */
function wordsOf(bytes: Uint8Array): Int32Array {
  const count = bytes.length >>> 2;
  const isAligned = bytes.byteOffset % 4 === 0;
  const aligned = isAligned ? bytes : bytes.slice(0, 4 * count);
  return new Int32Array(aligned.buffer, aligned.byteOffset, count);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
