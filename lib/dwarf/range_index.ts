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
    starts: readonly number[],
    ends: readonly number[],
    values: readonly number[],
  ) {
    this.#starts = new Float64Array(starts);
    this.#ends = new Float64Array(ends);
    this.#values = new Uint32Array(values);
    const order = sortedOrder(this.#starts);
    if (order === undefined) return;
    this.#starts = pick(this.#starts, order, new Float64Array(order.length));
    this.#ends = pick(this.#ends, order, new Float64Array(order.length));
    this.#values = pick(this.#values, order, new Uint32Array(order.length));
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

function pick<T extends Float64Array | Uint32Array>(from: T, order: Uint32Array, to: T): T {
  for (let index = 0; index < order.length; index++) to[index] = from[order[index]];
  return to;
}

/** The indices in the order of rising starts; of equal ones the section's first is last, where it is
 * found. `undefined` when they rise already, as linkers mostly leave them. */
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
  if (high - low < 2 ** 32) return radixOrder(starts, low);
  return Uint32Array.from({ length: count }, (_, index) => index)
    .sort((a, b) => starts[a] - starts[b] || b - a);
}

/** The same for starts within 4 GB of `low`, by their low and then their high 16 bits: several times
 * faster than a comparison function. */
function radixOrder(starts: Float64Array, low: number): Uint32Array {
  const count = starts.length;
  const keys = new Uint32Array(count);
  let order = new Uint32Array(count);
  for (let index = 0; index < count; index++) {
    keys[index] = starts[index] - low;
    // Equal keys keep their order here.
    order[index] = count - 1 - index;
  }
  let other = new Uint32Array(count);
  const places = new Uint32Array(1 << 16);
  for (const shift of [0, 16]) {
    places.fill(0);
    for (let index = 0; index < count; index++) places[(keys[index] >>> shift) & 0xffff]++;
    for (let bucket = 0, place = 0; bucket < places.length; bucket++) {
      const size = places[bucket];
      places[bucket] = place;
      place += size;
    }
    for (let index = 0; index < count; index++) {
      const value = order[index];
      other[places[(keys[value] >>> shift) & 0xffff]++] = value;
    }
    [order, other] = [other, order];
  }
  return order;
}
