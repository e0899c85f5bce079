/** Sorts indices by 32-bit words, without a comparison function. */

/** Sorts indices by words: index `i` by `words[i * stride + at]`. The sort is stable, so that a
 * second call with a more significant word sorts by both. It is a radix sort by 16 bits at a time;
 * digits that all words have in common are skipped.
 *
 * @param order sorted in place
 */
export function sortByWord(
  order: Uint32Array,
  words: Uint32Array,
  stride: number,
  at: number,
): void {
  if (order.length < 2) return;
  const common = words[order[0] * stride + at];
  let previous = common;
  let varying = 0;
  let rising = true;
  for (let place = 1; place < order.length; place++) {
    const word = words[order[place] * stride + at];
    varying |= word ^ common;
    if (word < previous) rising = false;
    previous = word;
  }
  if (rising) return;
  let from: Uint32Array = order;
  let to: Uint32Array = new Uint32Array(order.length);
  const counts = new Uint32Array(1 << 16);
  for (const shift of [0, 16]) {
    if (((varying >>> shift) & 0xffff) === 0) continue;
    counts.fill(0);
    for (let place = 0; place < from.length; place++) {
      counts[(words[from[place] * stride + at] >>> shift) & 0xffff]++;
    }
    let sum = 0;
    for (let value = 0; value < counts.length; value++) {
      const here = counts[value];
      counts[value] = sum;
      sum += here;
    }
    for (let place = 0; place < from.length; place++) {
      const index = from[place];
      to[counts[(words[index * stride + at] >>> shift) & 0xffff]++] = index;
    }
    [from, to] = [to, from];
  }
  if (from !== order) order.set(from);
}
