/** The wire format of protocol buffers, as far as pprof's profiles use it: varints, and what has a length.
 *
 * Source: https://protobuf.dev/programming-guides/encoding/ */

import { FormatError } from "../errors.ts";

/** Writes messages into bytes that grow. */
export class ProtoWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** What was written. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Starts again, in the same memory. */
  reset(): void {
    this.#length = 0;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    larger.set(this.bytes);
    this.#bytes = larger;
  }

  #varint(value: number | bigint): void {
    this.#reserve(10);
    if (typeof value === "number" && value >= 0 && value < 2 ** 31) {
      let rest = value;
      for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#length++] = rest & 0x7f | 0x80;
      this.#bytes[this.#length++] = rest;
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#length++] = Number(rest);
  }

  /** An integer field. Zero is the default, which is not written. */
  integer(field: number, value: number | bigint): void {
    if (Number(value) === 0) return;
    this.#varint(field << 3);
    this.#varint(value);
  }

  /** A repeated integer field, packed. */
  packed(field: number, values: Iterable<number | bigint>): void {
    const inside = new ProtoWriter();
    for (const value of values) inside.#varint(value);
    this.field(field, inside.bytes);
  }

  /** A field of bytes: a text or a message. */
  field(field: number, bytes: Uint8Array): void {
    this.#varint(field << 3 | 2);
    this.#varint(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }
}

/** Reads the fields of one message. */
export class ProtoReader {
  /** Number of the field that {@linkcode next} found. */
  field = 0;
  /** Its wire type: 0 for a varint, 2 for what has a length. */
  type = 0;
  readonly #name: string;
  readonly #bytes: Uint8Array;
  #at: number;
  readonly #end: number;

  /** Reads `bytes` from `start` to `end`. */
  constructor(name: string, bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#name = name;
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** The error of damaged bytes. */
  error(expected: string): FormatError {
    return new FormatError(this.#name, this.#at, expected);
  }

  /** Goes to the next field; `false` at the end of the message. Its value is to be read or skipped. */
  next(): boolean {
    if (this.#at >= this.#end) return false;
    const tag = this.unsigned();
    this.field = Math.floor(tag / 8);
    this.type = tag % 8;
    if (this.field === 0) throw this.error("a field's number, which is not 0");
    return true;
  }

  /** A varint as a number: exact below 2^53. */
  unsigned(): number {
    let value = 0;
    for (let scale = 1, count = 0; count < 10; scale *= 128, count++) {
      if (this.#at >= this.#end) break;
      const byte = this.#bytes[this.#at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw this.error("a varint of at most 10 bytes");
  }

  /** A varint as a 64-bit address or identifier. */
  unsigned64(): bigint {
    const start = this.#at;
    const value = this.unsigned();
    if (value <= Number.MAX_SAFE_INTEGER) return BigInt(value);
    let exact = 0n;
    for (let at = start, shift = 0n; at < this.#at; at++, shift += 7n) {
      exact |= BigInt(this.#bytes[at] & 0x7f) << shift;
    }
    return BigInt.asUintN(64, exact);
  }

  /** A varint as a signed number. */
  signed(): number {
    const start = this.#at;
    const value = this.unsigned();
    if (value <= Number.MAX_SAFE_INTEGER) return value;
    this.#at = start;
    return Number(BigInt.asIntN(64, this.unsigned64()));
  }

  /** The place of a field that has a length. */
  range(): { readonly start: number; readonly end: number } {
    if (this.type !== 2) throw this.error("a field with a length");
    const length = this.unsigned();
    const start = this.#at;
    if (length > this.#end - start) throw this.error(`${length} bytes`);
    this.#at = start + length;
    return { start, end: this.#at };
  }

  /** A reader of the message in a field. */
  message(): ProtoReader {
    const { start, end } = this.range();
    return new ProtoReader(this.#name, this.#bytes, start, end);
  }

  /** The text in a field. */
  text(): string {
    const { start, end } = this.range();
    return new TextDecoder().decode(this.#bytes.subarray(start, end));
  }

  /** The values of a repeated integer field, which may be packed. */
  *repeated(read: (reader: ProtoReader) => number | bigint): Generator<number | bigint> {
    if (this.type !== 2) {
      yield read(this);
      return;
    }
    const inside = this.message();
    while (inside.#at < inside.#end) yield read(inside);
  }

  /** Passes over the field's value. */
  skip(): void {
    if (this.type === 0) this.unsigned();
    else if (this.type === 2) this.range();
    else if (this.type === 1 || this.type === 5) {
      const length = this.type === 1 ? 8 : 4;
      if (length > this.#end - this.#at) throw this.error(`${length} bytes`);
      this.#at += length;
    } else throw this.error("a wire type of 0, 1, 2 or 5");
  }
}
