/** SHA-256 at once, for code that cannot wait for WebCrypto: FIPS 180-4. A package with it would be loaded at
 * every start, which takes 3 ms. */

/** The hash of the empty message: section 5.3.3. */
// deno-fmt-ignore
const initial = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/** A constant a round: section 4.2.2. */
// deno-fmt-ignore
const constants = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);

/** Bytes of a block. */
const blockSize = 64;

/** The SHA-256 of some bytes, in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  const hash = Int32Array.from(initial);
  const words = new Int32Array(64);
  const whole = bytes.length - bytes.length % blockSize;
  addBlocks(hash, words, bytes.subarray(0, whole));
  // Padding, section 5.1.1: a one bit, zeros, the length in bits.
  const rest = bytes.subarray(whole);
  const last = new Uint8Array(rest.length + 9 <= blockSize ? blockSize : 2 * blockSize);
  last.set(rest);
  last[rest.length] = 0x80;
  new DataView(last.buffer).setBigUint64(last.length - 8, 8n * BigInt(bytes.length));
  addBlocks(hash, words, last);
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Adds whole blocks to a hash: section 6.2.2. The letters are those of the standard. */
function addBlocks(hash: Int32Array, words: Int32Array, bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += blockSize) {
    for (let t = 0; t < 16; t++) words[t] = view.getInt32(at + 4 * t);
    for (let t = 16; t < 64; t++) {
      const x = words[t - 15];
      const y = words[t - 2];
      words[t] = (rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)) + words[t - 7] +
        (rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)) + words[t - 16];
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let t = 0; t < 64; t++) {
      const t1 = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) +
        constants[t] + words[t]) | 0;
      const t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    hash[0] += a;
    hash[1] += b;
    hash[2] += c;
    hash[3] += d;
    hash[4] += e;
    hash[5] += f;
    hash[6] += g;
    hash[7] += h;
  }
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
