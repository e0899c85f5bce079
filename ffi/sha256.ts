/** SHA-256, as FIPS 180-4 has it. WebCrypto's has to be waited for, and `node:crypto` takes longer to
 * load than all of machpause; for a file of some ten thousand bytes this takes a millisecond. */

/** The first 32 bits of the fractional parts of the `root`-th roots of the first primes. */
function fractions(count: number, root: number): Int32Array {
  const words = new Int32Array(count);
  for (let prime = 2, found = 0; found < count; prime++) {
    let divisor = 2;
    while (divisor * divisor <= prime && prime % divisor !== 0) divisor++;
    if (divisor * divisor <= prime) continue;
    words[found++] = (prime ** (1 / root) % 1) * 2 ** 32;
  }
  return words;
}

const initial = fractions(8, 2);
const constants = fractions(64, 3);

/** The hash in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  // The message, a one bit, zeroes, and the length in bits: whole blocks of 64 bytes.
  const padded = new Uint8Array(((bytes.length + 8 >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);

  const hash = initial.slice();
  const w = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let t = 0; t < 16; t++) w[t] = view.getInt32(block + t * 4);
    for (let t = 16; t < 64; t++) {
      const x = w[t - 15];
      const y = w[t - 2];
      const s0 = (x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ (x >>> 3);
      const s1 = (y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ (y >>> 10);
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let t = 0; t < 64; t++) {
      const s1 = (e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7);
      const t1 = h + s1 + (e & f ^ ~e & g) + constants[t] + w[t] | 0;
      const s0 = (a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10);
      const t2 = s0 + (a & b ^ a & c ^ b & c) | 0;
      h = g;
      g = f;
      f = e;
      e = d + t1 | 0;
      d = c;
      c = b;
      b = a;
      a = t1 + t2 | 0;
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
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
