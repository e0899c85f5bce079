/** Decompresses .xz files with LZMA2 alone, as `.gnu_debugdata` has them. It is here because the kept libraries
 * for it are native or WebAssembly, loaded asynchronously; symbols are asked for in a stack walk.
 *
 * Formats: "The .xz File Format" 1.1.0; for LZMA the specification of the LZMA SDK (lzma-specification.txt); for
 * LZMA2's chunks `lzma2_decoder.c` of xz. */

import { FormatError } from "../errors.ts";

/** Maximum size of what is decompressed: more than the symbols of any program. */
const MAX_SIZE = 1 << 28;
const HEADER_SIZE = 12;
const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00];
const LZMA2 = 0x21;
/** Bytes of the check after each block, by its kind. */
const checkSizes = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

/** Decompresses a file.
 *
 * @param name for messages
 * @throws FormatError when it is damaged, has another filter, or would be too large
 */
export function decompressXz(bytes: Uint8Array, name: string): Uint8Array {
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) throw new FormatError(name, 0, "an .xz file");
  const checkSize = checkSizes[bytes[7] & 15];
  const output = new Output(name);
  let at = HEADER_SIZE;
  // The index, which begins with a zero byte, ends the blocks.
  while (at < bytes.length && bytes[at] !== 0) {
    const start = at;
    const headerSize = (bytes[at] + 1) * 4;
    const flags = bytes[at + 1];
    let field = at + 2;
    const skip = () => {
      while ((bytes[field++] & 0x80) !== 0);
    };
    if ((flags & 0x40) !== 0) skip();
    if ((flags & 0x80) !== 0) skip();
    if ((flags & 3) !== 0 || bytes[field] !== LZMA2) {
      throw new FormatError(name, field, "LZMA2 as the only filter");
    }
    at = decodeChunks(bytes, start + headerSize, output);
    at = start + headerSize + Math.ceil((at - start - headerSize) / 4) * 4 + checkSize;
  }
  if (at >= bytes.length) throw new FormatError(name, bytes.length, "the index of an .xz file");
  return output.bytes;
}

/** What was decompressed, which is the dictionary too. */
class Output {
  readonly #name: string;
  #buffer = new Uint8Array(1 << 16);
  size = 0;
  /** Where matches may begin. */
  start = 0;

  constructor(name: string) {
    this.#name = name;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.size);
  }

  damage(offset: number, expected: string): FormatError {
    return new FormatError(this.#name, offset, expected);
  }

  /** Makes room, and returns where to write. */
  reserve(more: number): Uint8Array {
    const needed = this.size + more;
    if (needed > MAX_SIZE) throw this.damage(0, `at most ${MAX_SIZE} bytes`);
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    return this.#buffer;
  }
}

/** Decodes the chunks of a block; returns the offset after the last. */
function decodeChunks(bytes: Uint8Array, at: number, output: Output): number {
  let decoder: Decoder | undefined;
  for (;;) {
    const control = bytes[at];
    if (control === undefined) throw output.damage(at, "a chunk of LZMA2");
    if (control === 0) return at + 1;
    if (control === 1 || control >= 0xe0) output.start = output.size;
    if (control < 0x80) {
      if (control > 2) throw output.damage(at, "a chunk of LZMA2");
      const size = (bytes[at + 1] << 8 | bytes[at + 2]) + 1;
      const data = bytes.subarray(at + 3, at + 3 + size);
      if (data.length < size) throw output.damage(at, `${size} bytes`);
      output.reserve(size).set(data, output.size);
      output.size += size;
      at += 3 + size;
      continue;
    }
    const size = ((control & 0x1f) << 16 | bytes[at + 1] << 8 | bytes[at + 2]) + 1;
    const packed = (bytes[at + 3] << 8 | bytes[at + 4]) + 1;
    let data = at + 5;
    if (control >= 0xc0) decoder = new Decoder(bytes[data++], output);
    else if (control >= 0xa0) decoder?.reset();
    if (decoder === undefined) throw output.damage(at, "the properties of LZMA");
    decoder.decode(bytes, data, data + packed, size);
    at = data + packed;
  }
}

const STATES = 12;
const FIRST_PROBABILITY = 1 << 10;
const LOWEST_MATCH = 2;

/** The lengths of matches, and of repeated ones. */
class Lengths {
  readonly choice = probabilities(2);
  readonly low = probabilities(16 << 3);
  readonly middle = probabilities(16 << 3);
  readonly high = probabilities(1 << 8);
}

function probabilities(count: number): Uint16Array {
  return new Uint16Array(count).fill(FIRST_PROBABILITY);
}

/** A decoder of LZMA. The names of the LZMA specification are kept where they say what a state is. */
class Decoder {
  readonly #output: Output;
  readonly #literalBits: number;
  readonly #literalPlaceMask: number;
  readonly #placeMask: number;
  #state = 0;
  #reps = [0, 0, 0, 0];
  #literals!: Uint16Array;
  #isMatch!: Uint16Array;
  #isRep!: Uint16Array;
  #isRepG0!: Uint16Array;
  #isRepG1!: Uint16Array;
  #isRepG2!: Uint16Array;
  #isRep0Long!: Uint16Array;
  #slots!: Uint16Array;
  #special!: Uint16Array;
  #align!: Uint16Array;
  #lengths!: Lengths;
  #repLengths!: Lengths;
  // The range coder.
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;
  #end = 0;
  #range = 0;
  #code = 0;

  constructor(properties: number, output: Output) {
    this.#output = output;
    const literalBits = properties % 9;
    const rest = Math.floor(properties / 9);
    const literalPlaceBits = rest % 5;
    const placeBits = Math.floor(rest / 5);
    if (placeBits > 4 || literalBits + literalPlaceBits > 4) {
      throw output.damage(0, "the properties of LZMA2");
    }
    this.#literalBits = literalBits;
    this.#literalPlaceMask = (1 << literalPlaceBits) - 1;
    this.#placeMask = (1 << placeBits) - 1;
    this.reset();
  }

  /** Forgets all probabilities. */
  reset(): void {
    this.#state = 0;
    this.#reps = [0, 0, 0, 0];
    this.#literals = probabilities(0x300 << 4);
    this.#isMatch = probabilities(STATES << 4);
    this.#isRep = probabilities(STATES);
    this.#isRepG0 = probabilities(STATES);
    this.#isRepG1 = probabilities(STATES);
    this.#isRepG2 = probabilities(STATES);
    this.#isRep0Long = probabilities(STATES << 4);
    this.#slots = probabilities(4 << 6);
    this.#special = probabilities(128);
    this.#align = probabilities(16);
    this.#lengths = new Lengths();
    this.#repLengths = new Lengths();
  }

  /** Decodes a chunk of `size` bytes. */
  decode(bytes: Uint8Array, start: number, end: number, size: number): void {
    if (end > bytes.length) throw this.#output.damage(start, `${end - start} bytes`);
    this.#bytes = bytes;
    this.#at = start + 5;
    this.#end = end;
    this.#range = 0xffff_ffff;
    this.#code = new DataView(bytes.buffer, bytes.byteOffset).getUint32(start + 1);
    const output = this.#output;
    const buffer = output.reserve(size);
    const limit = output.size + size;
    while (output.size < limit) {
      const place = (output.size - output.start) & this.#placeMask;
      const state = this.#state;
      if (this.#bit(this.#isMatch, (state << 4) + place) === 0) {
        this.#literal(buffer);
        continue;
      }
      let length: number;
      if (this.#bit(this.#isRep, state) !== 0) {
        if (this.#bit(this.#isRepG0, state) === 0) {
          if (this.#bit(this.#isRep0Long, (state << 4) + place) === 0) {
            this.#state = state < 7 ? 9 : 11;
            this.#copy(buffer, 1, limit);
            continue;
          }
        } else {
          const which = this.#bit(this.#isRepG1, state) === 0
            ? 1
            : 2 + this.#bit(this.#isRepG2, state);
          const [distance] = this.#reps.splice(which, 1);
          this.#reps.unshift(distance);
        }
        length = this.#length(this.#repLengths, place);
        this.#state = state < 7 ? 8 : 11;
      } else {
        length = this.#length(this.#lengths, place);
        this.#state = state < 7 ? 7 : 10;
        this.#reps.pop();
        this.#reps.unshift(this.#distance(length));
      }
      this.#copy(buffer, length, limit);
    }
  }

  #bit(table: Uint16Array, index: number): number {
    const probability = table[index];
    const bound = (this.#range >>> 11) * probability;
    let bit: number;
    if (this.#code < bound) {
      this.#range = bound;
      table[index] = probability + ((2048 - probability) >>> 5);
      bit = 0;
    } else {
      this.#range -= bound;
      this.#code -= bound;
      table[index] = probability - (probability >>> 5);
      bit = 1;
    }
    this.#normalize();
    return bit;
  }

  #normalize(): void {
    if (this.#range >= 0x100_0000) return;
    if (this.#at >= this.#end) throw this.#output.damage(this.#at, "more of LZMA2");
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | this.#bytes[this.#at++]) >>> 0;
  }

  #tree(table: Uint16Array, start: number, bits: number): number {
    let node = 1;
    for (let left = bits; left > 0; left--) node = node << 1 | this.#bit(table, start + node);
    return node - (1 << bits);
  }

  #reverseTree(table: Uint16Array, start: number, bits: number): number {
    let node = 1;
    let value = 0;
    for (let index = 0; index < bits; index++) {
      const bit = this.#bit(table, start + node);
      node = node << 1 | bit;
      value |= bit << index;
    }
    return value;
  }

  #literal(buffer: Uint8Array): void {
    const output = this.#output;
    const { size, start } = output;
    const before = size > start ? buffer[size - 1] : 0;
    const context = ((size - start) & this.#literalPlaceMask) << this.#literalBits |
      before >> (8 - this.#literalBits);
    const table = context * 0x300;
    let node = 1;
    if (this.#state >= 7) {
      const from = size - this.#reps[0] - 1;
      if (from < start) throw output.damage(this.#at, "a distance inside the dictionary");
      let match = buffer[from];
      while (node < 0x100) {
        const expected = match >> 7 & 1;
        match <<= 1;
        const bit = this.#bit(this.#literals, table + ((1 + expected) << 8) + node);
        node = node << 1 | bit;
        if (bit !== expected) break;
      }
    }
    while (node < 0x100) node = node << 1 | this.#bit(this.#literals, table + node);
    buffer[size] = node;
    output.size++;
    const state = this.#state;
    this.#state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  }

  #length(lengths: Lengths, place: number): number {
    if (this.#bit(lengths.choice, 0) === 0) {
      return LOWEST_MATCH + this.#tree(lengths.low, place << 3, 3);
    }
    if (this.#bit(lengths.choice, 1) === 0) {
      return LOWEST_MATCH + 8 + this.#tree(lengths.middle, place << 3, 3);
    }
    return LOWEST_MATCH + 16 + this.#tree(lengths.high, 0, 8);
  }

  #distance(length: number): number {
    const slot = this.#tree(this.#slots, Math.min(length - LOWEST_MATCH, 3) << 6, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = ((2 | slot & 1) << bits) >>> 0;
    if (slot < 14) return base + this.#reverseTree(this.#special, base - slot, bits);
    let value = 0;
    for (let left = bits - 4; left > 0; left--) {
      this.#range >>>= 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit === 1) this.#code -= this.#range;
      value = value * 2 + bit;
      this.#normalize();
    }
    return base + value * 16 + this.#reverseTree(this.#align, 0, 4);
  }

  #copy(buffer: Uint8Array, length: number, limit: number): void {
    const output = this.#output;
    let from = output.size - this.#reps[0] - 1;
    if (from < output.start || output.size + length > limit) {
      throw output.damage(this.#at, "a match inside the dictionary");
    }
    for (let left = length; left > 0; left--) buffer[output.size++] = buffer[from++];
  }
}
