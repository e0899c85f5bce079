/** A set of integers that is cheap to fill: a hash table with open addressing in a typed array. */
export class NumberSet {
  readonly #table: Float64Array;
  readonly #shift: number;

  /** @param capacity maximum number of values */
  constructor(capacity: number) {
    const bits = Math.max(2, Math.ceil(Math.log2(capacity * 2 + 1)));
    this.#table = new Float64Array(2 ** bits).fill(NaN);
    this.#shift = 32 - bits;
  }

  /** @param value an integer within 2^53 */
  add(value: number): void {
    this.#table[this.#slot(value)] = value;
  }

  /** Whether the number was added. */
  has(value: number): boolean {
    return this.#table[this.#slot(value)] === value;
  }

  /** The slot of the number, or the empty one where it would be. */
  #slot(value: number): number {
    const table = this.#table;
    // Fibonacci hashing of the lower 32 bits.
    let slot = Math.imul(value, 0x9e3779b9) >>> this.#shift;
    // Only NaN, an empty slot, differs from itself.
    for (;; slot = (slot + 1) & (table.length - 1)) {
      const found = table[slot];
      if (found === value || found !== found) return slot;
    }
  }
}
