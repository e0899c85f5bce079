/** Random numbers that a seed repeats. */

/** `sfc32` of PractRand: a small generator that passes its tests. */
export class Random {
  #a: number;
  #b: number;
  #c = 0x9e3779b9;
  #counter = 1;

  constructor(seed: number, stream = 0) {
    this.#a = seed | 0;
    this.#b = stream | 0;
    for (let round = 0; round < 12; round++) this.word();
  }

  /** 32 bits. */
  word(): number {
    const value = (this.#a + this.#b | 0) + this.#counter | 0;
    this.#counter = this.#counter + 1 | 0;
    this.#a = this.#b ^ this.#b >>> 9;
    this.#b = this.#c + (this.#c << 3) | 0;
    this.#c = (this.#c << 21 | this.#c >>> 11) + value | 0;
    return value >>> 0;
  }

  /** A number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.word() / 2 ** 32 * limit);
  }

  /** One of `values`. */
  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)];
  }
}
