/** SHA-256 (FIPS 180-4). WebCrypto's would have to be waited for; `node:crypto`, or a package from npm,
 * takes longer to load than the native library takes to check. */

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2), and of
 * the square roots of the first eight (5.3.3). */
const constants = new Int32Array(64);
const initial = new Uint32Array(8);

for (let candidate = 2, count = 0; count < constants.length; candidate++) {
  let divisor = 2;
  while (divisor * divisor <= candidate && candidate % divisor !== 0) divisor++;
  if (divisor * divisor <= candidate) continue;
  if (count < initial.length) initial[count] = (Math.sqrt(candidate) % 1) * 2 ** 32;
  constants[count++] = (Math.cbrt(candidate) % 1) * 2 ** 32;
}

/** The digest of `bytes`, in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const state = initial.slice();
  const schedule = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) addBlock(state, schedule, view, at);
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** One block of 64 bytes (6.2.2). */
function addBlock(state: Uint32Array, schedule: Int32Array, view: DataView, at: number): void {
  for (let index = 0; index < 16; index++) schedule[index] = view.getInt32(at + 4 * index);
  for (let index = 16; index < 64; index++) {
    const early = schedule[index - 15], late = schedule[index - 2];
    const sigma0 = (early >>> 7 | early << 25) ^ (early >>> 18 | early << 14) ^ early >>> 3;
    const sigma1 = (late >>> 17 | late << 15) ^ (late >>> 19 | late << 13) ^ late >>> 10;
    schedule[index] = schedule[index - 16] + sigma0 + schedule[index - 7] + sigma1;
  }
  let a = state[0] | 0, b = state[1] | 0, c = state[2] | 0, d = state[3] | 0;
  let e = state[4] | 0, f = state[5] | 0, g = state[6] | 0, h = state[7] | 0;
  for (let index = 0; index < 64; index++) {
    const sum1 = (e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7);
    const first = h + sum1 + (e & f ^ ~e & g) + constants[index] + schedule[index] | 0;
    const sum0 = (a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10);
    const second = sum0 + (a & b ^ a & c ^ b & c) | 0;
    h = g;
    g = f;
    f = e;
    e = d + first | 0;
    d = c;
    c = b;
    b = a;
    a = first + second | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}
