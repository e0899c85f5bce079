/** Ranges of code, found by an address in them. */
export class RangeIndex {
  /** Rising. */
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  /** What each range belongs to. */
  readonly #values: Uint32Array;

  /** Sorts ranges.
   *
   * @param starts first bytes, as safe integers
   * @param ends bytes after the last
   * @param values at most 2^32 - 1
   */
  constructor(
    starts: ArrayLike<number>,
    ends: ArrayLike<number>,
    values: ArrayLike<number>,
  ) {
    const order = sortedOrder(starts);
    this.#starts = order === undefined ? Float64Array.from(starts) : pick(starts, order);
    this.#ends = order === undefined ? Float64Array.from(ends) : pick(ends, order);
    this.#values = order === undefined
      ? Uint32Array.from(values)
      : order.map((index) => values[index]);
  }

  get size(): number {
    return this.#starts.length;
  }

  start(index: number): number {
    return this.#starts[index];
  }

  end(index: number): number {
    return this.#ends[index];
  }

  value(index: number): number {
    return this.#values[index];
  }

  /** The last range that begins at or before `address`, if it holds it; -1 otherwise. */
  find(address: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle] <= address) low = middle + 1;
      else high = middle;
    }
    return low > 0 && address < this.#ends[low - 1] ? low - 1 : -1;
  }
}

function pick(from: ArrayLike<number>, order: Uint32Array): Float64Array {
  const picked = new Float64Array(order.length);
  for (let index = 0; index < order.length; index++) picked[index] = from[order[index]];
  return picked;
}

/** The indices in the order of rising starts; of equal ones the section's first is last, where it is
 * found. `undefined` when they rise already, as linkers mostly leave them. */
function sortedOrder(starts: ArrayLike<number>): Uint32Array | undefined {
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
  // A start and an index in one number sort without a comparison function, twenty times faster.
  if ((high - low + 1) * count <= Number.MAX_SAFE_INTEGER) {
    const keys = new Float64Array(count);
    for (let index = 0; index < count; index++) {
      keys[index] = (starts[index] - low) * count + (count - 1 - index);
    }
    keys.sort();
    return Uint32Array.from(keys, (key) => count - 1 - key % count);
  }
  return Uint32Array.from({ length: count }, (_, index) => index)
    .sort((a, b) => starts[a] - starts[b] || b - a);
}
