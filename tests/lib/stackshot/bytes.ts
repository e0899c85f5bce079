/** Bytes one after another, little-endian, as a packed C structure has them. */
export class Bytes {
  #parts: number[] = [];

  get length(): number {
    return this.#parts.length;
  }

  #number(value: bigint, size: number): this {
    for (let index = 0; index < size; index++) {
      this.#parts.push(Number((value >> BigInt(8 * index)) & 0xffn));
    }
    return this;
  }

  u8(...values: number[]): this {
    for (const value of values) this.#number(BigInt(value), 1);
    return this;
  }

  u16(...values: number[]): this {
    for (const value of values) this.#number(BigInt(value), 2);
    return this;
  }

  u32(...values: number[]): this {
    for (const value of values) this.#number(BigInt(value), 4);
    return this;
  }

  u64(...values: (number | bigint)[]): this {
    for (const value of values) this.#number(BigInt(value), 8);
    return this;
  }

  /** A field of `size` bytes with text at its start. */
  text(text: string, size: number): this {
    const bytes = new TextEncoder().encode(text);
    for (let index = 0; index < size; index++) this.#parts.push(bytes[index] ?? 0);
    return this;
  }

  uuid(uuid: string): this {
    return this.bytes(uuid.replaceAll("-", "").match(/../g)!.map((digits) => parseInt(digits, 16)));
  }

  bytes(bytes: Iterable<number>): this {
    for (const byte of bytes) this.#parts.push(byte);
    return this;
  }

  zeroes(count: number): this {
    return this.bytes(new Uint8Array(count));
  }

  done(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#parts);
  }
}
