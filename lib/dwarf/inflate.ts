/** Decompression of zlib data (RFC 1950, RFC 1951), at once and into a buffer of known length. */
import { FormatError } from "../errors.ts";

const LENGTH_BASE = [
  ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115],
  ...[131, 163, 195, 227, 258],
];
const LENGTH_BITS = [
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0],
];
const DISTANCE_BASE = [
  ...[1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537],
  ...[2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577],
];
const DISTANCE_BITS = [
  ...[0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13],
  13,
];
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const MAX_BITS = 15;

/** A Huffman code: by the next `bits` bits, the lowest first, `symbol << 4 | length`; 0 for none. */
interface Code {
  readonly table: Uint16Array;
  readonly bits: number;
}

/** The code whose symbols have those lengths; `null` where more symbols are given than fit. */
function makeCode(lengths: Uint8Array): Code | null {
  const counts = new Uint16Array(MAX_BITS + 1);
  for (const length of lengths) counts[length]++;
  counts[0] = 0;
  let bits = MAX_BITS;
  while (bits > 1 && counts[bits] === 0) bits--;
  const next = new Uint32Array(MAX_BITS + 2);
  for (let length = 1; length <= MAX_BITS; length++) {
    next[length + 1] = (next[length] + counts[length]) << 1;
    if (next[length] + counts[length] > 1 << length) return null;
  }
  const table = new Uint16Array(1 << bits);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol];
    if (length === 0) continue;
    let code = next[length]++;
    let reversed = 0;
    for (let bit = 0; bit < length; bit++, code >>>= 1) reversed = (reversed << 1) | (code & 1);
    for (let at = reversed; at < table.length; at += 1 << length) {
      table[at] = (symbol << 4) | length;
    }
  }
  return { table, bits };
}

function fixedLengths(): Uint8Array {
  return new Uint8Array(288).fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280);
}

class Inflater {
  readonly #input: Uint8Array;
  readonly #output: Uint8Array;
  readonly #name: string;
  #at: number;
  #bits = 0;
  #bitCount = 0;
  #length = 0;

  constructor(input: Uint8Array, at: number, output: Uint8Array, name: string) {
    this.#input = input;
    this.#output = output;
    this.#name = name;
    this.#at = at;
  }

  run(): number {
    for (let last = 0; last === 0;) {
      last = this.#take(1);
      const kind = this.#take(2);
      if (kind === 0) this.#stored();
      else if (kind === 1) {
        this.#compressed(makeCode(fixedLengths())!, makeCode(new Uint8Array(30).fill(5))!);
      } else if (kind === 2) this.#dynamic();
      else throw this.#damage("a block of a known kind");
    }
    return this.#length;
  }

  #damage(expected: string): FormatError {
    return new FormatError(this.#name, this.#at, expected);
  }

  /** Makes at least `count` bits ready; past the input's end they are 0, for a while. */
  #need(count: number): void {
    while (this.#bitCount < count) {
      if (this.#at > this.#input.length + 8) throw this.#damage("more compressed data");
      this.#bits |= (this.#input[this.#at++] ?? 0) << this.#bitCount;
      this.#bitCount += 8;
    }
  }

  #take(count: number): number {
    this.#need(count);
    const value = this.#bits & ((1 << count) - 1);
    this.#bits >>>= count;
    this.#bitCount -= count;
    return value;
  }

  #symbol({ table, bits }: Code): number {
    this.#need(bits);
    const entry = table[this.#bits & (table.length - 1)];
    if (entry === 0) throw this.#damage("a code that stands for something");
    this.#bits >>>= entry & 15;
    this.#bitCount -= entry & 15;
    return entry >>> 4;
  }

  #stored(): void {
    this.#bits >>>= this.#bitCount & 7;
    this.#bitCount -= this.#bitCount & 7;
    const length = this.#take(16);
    if (this.#take(16) !== (~length & 0xffff)) throw this.#damage("a stored block's length");
    // What is left in the bits was read ahead.
    this.#at -= this.#bitCount >>> 3;
    this.#bits = this.#bitCount = 0;
    if (this.#at + length > this.#input.length) throw this.#damage(`${length} stored bytes`);
    if (this.#length + length > this.#output.length) throw this.#damage("no more data");
    this.#output.set(this.#input.subarray(this.#at, this.#at + length), this.#length);
    this.#at += length;
    this.#length += length;
  }

  #dynamic(): void {
    const literals = this.#take(5) + 257;
    const distances = this.#take(5) + 1;
    const count = this.#take(4) + 4;
    const codeLengths = new Uint8Array(19);
    for (let index = 0; index < count; index++) {
      codeLengths[CODE_LENGTH_ORDER[index]] = this.#take(3);
    }
    const code = makeCode(codeLengths);
    if (code === null) throw this.#damage("a Huffman code");
    const lengths = new Uint8Array(literals + distances);
    for (let index = 0; index < lengths.length;) {
      const symbol = this.#symbol(code);
      if (symbol < 16) {
        lengths[index++] = symbol;
        continue;
      }
      if (symbol === 16 && index === 0) throw this.#damage("a length to repeat");
      const value = symbol === 16 ? lengths[index - 1] : 0;
      const repeat = symbol === 16
        ? 3 + this.#take(2)
        : symbol === 17
        ? 3 + this.#take(3)
        : 11 + this.#take(7);
      if (index + repeat > lengths.length) throw this.#damage("no more code lengths");
      lengths.fill(value, index, index += repeat);
    }
    const literal = makeCode(lengths.subarray(0, literals));
    const distance = makeCode(lengths.subarray(literals));
    if (literal === null || distance === null) throw this.#damage("a Huffman code");
    this.#compressed(literal, distance);
  }

  #compressed(literals: Code, distances: Code): void {
    const output = this.#output;
    let at = this.#length;
    for (;;) {
      const symbol = this.#symbol(literals);
      if (symbol < 256) {
        if (at === output.length) throw this.#damage("no more data");
        output[at++] = symbol;
        continue;
      }
      if (symbol === 256) break;
      if (symbol > 285) throw this.#damage("a length code");
      const length = LENGTH_BASE[symbol - 257] + this.#take(LENGTH_BITS[symbol - 257]);
      const code = this.#symbol(distances);
      if (code > 29) throw this.#damage("a distance code");
      const distance = DISTANCE_BASE[code] + this.#take(DISTANCE_BITS[code]);
      if (distance > at) throw this.#damage("a distance within what there is");
      if (at + length > output.length) throw this.#damage("no more data");
      if (distance >= length) {
        output.copyWithin(at, at - distance, at - distance + length);
        at += length;
      } else {
        for (const end = at + length; at < end; at++) output[at] = output[at - distance];
      }
    }
    this.#length = at;
  }
}

/** Decompresses zlib data whose length is known. Its checksum is not looked at.
 *
 * @param input from the zlib header on
 * @param length of the result, in bytes
 * @param name for errors
 * @throws {FormatError} when it is no such data, or of another length
 */
export function inflate(input: Uint8Array, length: number, name: string): Uint8Array {
  const [method, flags] = input;
  if ((method & 15) !== 8 || (flags & 0x20) !== 0 || ((method << 8) | flags) % 31 !== 0) {
    throw new FormatError(name, 0, "a zlib header");
  }
  // Deflate makes at most 1032 bytes of one: no other length is worth memory.
  if (!(length <= input.length * 1032)) {
    throw new FormatError(name, 0, `data of ${length} bytes when decompressed`);
  }
  const output = new Uint8Array(length);
  const got = new Inflater(input, 2, output, name).run();
  if (got !== length) throw new FormatError(name, 0, `${length} decompressed bytes, not ${got}`);
  return output;
}
