/** Cuts ranges of addresses that may overlap into stretches that do not. */

/** A range and its value. */
export interface Span<T> {
  readonly start: bigint;
  /** Exclusive. Above `start`. */
  readonly end: bigint;
  readonly value: T;
}

/** The start of each stretch, ascending, and its value. A stretch ends where the next begins. */
export interface Stretches<T> {
  readonly starts: BigUint64Array;
  /** `null` where there is no span. */
  readonly values: readonly (T | null)[];
}

/** Cuts spans into stretches. Where spans overlap, the one that begins last wins; of two that begin
 * together the shorter wins, then the later one in the input. One sweep over the bounds keeps the
 * open spans in order of preference. */
export function stretches<T>(spans: Iterable<Span<T>>): Stretches<T> {
  const starts: bigint[] = [];
  const values: (T | null)[] = [];
  const mark = (start: bigint, value: T | null): void => {
    if (starts.at(-1) === start) {
      values[values.length - 1] = value;
    } else if (values.length === 0 || values.at(-1) !== value) {
      starts.push(start);
      values.push(value);
    }
  };
  const open: Span<T>[] = [];
  /** Closes the spans that end up to `address`, and uncovers those below them. */
  const closeUntil = (address: bigint): void => {
    while (open.length > 0 && open.at(-1)!.end <= address) {
      const { end } = open.pop()!;
      while (open.length > 0 && open.at(-1)!.end <= end) open.pop();
      mark(end, open.at(-1)?.value ?? null);
    }
  };
  // The last one in this order wins. The sort is stable.
  const sorted = [...spans].sort((a, b) => compare(a.start, b.start) || compare(b.end, a.end));
  for (const span of sorted) {
    closeUntil(span.start);
    mark(span.start, span.value);
    open.push(span);
  }
  closeUntil(1n << 64n);
  // An end of 2^64 would wrap to 0. Nothing is beyond it.
  if (starts.at(-1) === 1n << 64n) {
    starts.pop();
    values.pop();
  }
  return { starts: BigUint64Array.from(starts), values };
}

/** The index of the stretch that contains `address`; -1 before the first. */
export function stretchAt({ starts }: Stretches<unknown>, address: bigint): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle] <= address) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
