/** Finds ranges of code by address. */
export class RangeIndex {
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  readonly #values: Uint32Array;
  /** The ranges by ascending start; `undefined` if they are in that order already. */
  readonly #order: Uint32Array | undefined;

  /** Sorts ranges. The arrays are kept and not changed.
   *
   * @param starts first addresses, as safe integers
   * @param ends exclusive ends
   * @param values a value for each range, at most 2^32 - 1
   */
  constructor(
    starts: Float64Array,
    ends: Float64Array,
    values: Uint32Array,
  ) {
    this.#starts = starts;
    this.#ends = ends;
    this.#values = values;
    this.#order = sortedOrder(this.#starts);
  }

  get size(): number {
    return this.#starts.length;
  }

  /** The start of the range at a position in the order of ascending starts. */
  start(place: number): number {
    return this.#starts[this.#index(place)];
  }

  end(place: number): number {
    return this.#ends[this.#index(place)];
  }

  value(place: number): number {
    return this.#values[this.#index(place)];
  }

  /** The position of the last range that begins at or before `address`, if it contains it; -1 otherwise. */
  find(address: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.start(middle) <= address) low = middle + 1;
      else high = middle;
    }
    return low > 0 && address < this.end(low - 1) ? low - 1 : -1;
  }

  #index(place: number): number {
    return this.#order === undefined ? place : this.#order[place];
  }
}

/** The indexes in the order of ascending starts. Among equal starts the first in the section is last,
 * where {@linkcode RangeIndex.find} finds it. `undefined` if the starts are ascending, as linkers mostly leave them. */
function sortedOrder(starts: Float64Array): Uint32Array | undefined {
  const count = starts.length;
  let rising = true;
  let low = Infinity;
  let high = -Infinity;
  for (let index = 0; index < count; index++) {
    const start = starts[index];
    if (index > 0 && start <= starts[index - 1]) rising = false;
    if (start < low) low = start;
    if (start > high) high = start;
  }
  if (rising) return undefined;
  if (high - low >= 2 ** 32) {
    return Uint32Array.from({ length: count }, (_, index) => index)
      .sort((a, b) => starts[a] - starts[b] || b - a);
  }
  // Start and index in one number sort without a comparison function, which is many times faster.
  const keys = new BigUint64Array(count);
  const words = new Uint32Array(keys.buffer);
  // The order of the words depends on the machine.
  words[0] = 1;
  const lowWord = keys[0] === 1n ? 0 : 1;
  const highWord = 1 - lowWord;
  for (let index = 0; index < count; index++) {
    words[2 * index + lowWord] = count - 1 - index;
    words[2 * index + highWord] = starts[index] - low;
  }
  keys.sort();
  const order = new Uint32Array(count);
  for (let place = 0; place < count; place++) {
    order[place] = count - 1 - words[2 * place + lowWord];
  }
  return order;
}
