/** Resolves overlaps: of ranges that overlap, the one with the highest index is on top. Empty ranges are
 * ignored.
 *
 * @param tell receives, by ascending offset, where another range comes to the top, and its index; -1 where
 * there is none
 */
export function sweepRanges(
  lows: Float64Array,
  highs: Float64Array,
  tell: (at: number, index: number) => void,
): void {
  const order = Uint32Array.from(lows.keys())
    .filter((index) => lows[index] < highs[index])
    .sort((a, b) => lows[a] - lows[b]);
  // A heap of the ranges that have begun and may not have ended, with the highest index at the root.
  const heap = new Uint32Array(order.length);
  let held = 0;
  const push = (index: number): void => {
    let at = held++;
    for (; at > 0; at = (at - 1) >> 1) {
      const above = heap[(at - 1) >> 1];
      if (above > index) break;
      heap[at] = above;
    }
    heap[at] = index;
  };
  const pop = (): void => {
    const index = heap[--held];
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below + 1 < held && heap[below + 1] > heap[below]) below++;
      if (below >= held || heap[below] < index) break;
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = index;
  };
  let next = 0;
  let top = -1;
  let at = order.length > 0 ? lows[order[0]] : Infinity;
  while (at < Infinity) {
    while (next < order.length && lows[order[next]] <= at) push(order[next++]);
    while (held > 0 && highs[heap[0]] <= at) pop();
    const index = held > 0 ? heap[0] : -1;
    if (index !== top) tell(at, index);
    top = index;
    const nextLow = next < order.length ? lows[order[next]] : Infinity;
    at = index >= 0 ? Math.min(nextLow, highs[index]) : nextLow;
  }
}
