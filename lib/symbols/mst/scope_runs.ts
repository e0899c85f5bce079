/** Finds the innermost scope at every offset of a unit. */

import { sweepRanges, type UnitTable } from "../../dwarf/mod.ts";

/** Maximum number of cells. The ranges of larger units are sorted. */
const MAX_CELLS = 1 << 22;
/** Maximum mean number of times that a cell is painted. More is damage. */
const MAX_PAINT = 64;
/** Number of scopes per call: see `unit_walk.ts`. */
const STRETCH = 1 << 10;

/** A unit's scopes without overlaps. A later scope hides an earlier one, as an inlined call hides its caller. */
export class ScopeRuns {
  /** Number of runs. A run ends where the next one begins; the last run has no scope. */
  count = 0;
  /** Starts of the runs, ascending. */
  starts: Float64Array = new Float64Array(1024);
  /** Scope of each run; -1 for none. */
  scopes: Int32Array = new Int32Array(1024);
  // The ranges of functions, ascending and disjoint. Each is a window of cells.
  #windowLow = new Float64Array(0);
  #windowHigh = new Float64Array(0);
  /** The first cell of each window. */
  #windowCell = new Float64Array(0);
  #windowCount = 0;
  #cells = new Int32Array(0);

  /** Computes the runs of a unit.
   *
   * @param shift usual alignment of code, as a power of two
   */
  build(table: UnitTable, shift: number): void {
    this.count = 0;
    const isPainted = this.#openWindows(table) &&
      (this.#paint(table, 2 ** shift) || (shift > 0 && this.#paint(table, 1)));
    if (!isPainted) this.#sweep(table);
  }

  /** Finds the windows; returns false if functions overlap. */
  #openWindows({ rangeLow, rangeHigh, scopeCount, scopeParent, scopeRanges }: UnitTable): boolean {
    const rangeCount = scopeRanges[scopeCount];
    if (this.#windowLow.length < rangeCount) {
      const room = rangeCount + (rangeCount >> 1);
      this.#windowLow = new Float64Array(room);
      this.#windowHigh = new Float64Array(room);
      this.#windowCell = new Float64Array(room);
    }
    const lows = this.#windowLow;
    const highs = this.#windowHigh;
    let count = 0;
    let rising = true;
    for (let scope = 0; scope < scopeCount; scope++) {
      if (scopeParent[scope] >= 0) continue;
      for (let range = scopeRanges[scope]; range < scopeRanges[scope + 1]; range++) {
        if (!(rangeLow[range] < rangeHigh[range])) continue;
        lows[count] = rangeLow[range];
        highs[count] = rangeHigh[range];
        rising &&= count === 0 || lows[count] >= highs[count - 1];
        count++;
      }
    }
    this.#windowCount = count;
    if (rising) return true;
    lows.subarray(0, count).sort();
    highs.subarray(0, count).sort();
    // Starts and ends sorted separately give the same ranges if none overlap.
    for (let index = 1; index < count; index++) if (lows[index] < highs[index - 1]) return false;
    return true;
  }

  /** Paints every range over the previous ones, in cells of `size` bytes. Returns false if that is impossible:
   * if a range is outside of functions or not of whole cells, or there are too many. */
  #paint(table: UnitTable, size: number): boolean {
    const { scopeCount } = table;
    const count = this.#windowCount;
    let cells = 0;
    for (let window = 0; window < count; window++) {
      this.#windowCell[window] = cells;
      cells += (this.#windowHigh[window] - this.#windowLow[window]) / size;
    }
    if (!(cells <= MAX_CELLS)) return false;
    if (this.#cells.length < cells) this.#cells = new Int32Array(cells + (cells >> 1));
    this.#cells.fill(-1, 0, cells);
    let left = cells * MAX_PAINT;
    for (let scope = 0; scope < scopeCount; scope += STRETCH) {
      const end = Math.min(scopeCount, scope + STRETCH);
      left = this.#paintScopes(table, scope, end, 1 / size, left);
      if (left < 0) return false;
    }
    for (let window = 0; window < count; window++) this.#collect(window, size);
    return true;
  }

  /** Paints the cells of some scopes.
   *
   * @param inverse inverse of the size of a cell
   * @param left maximum number of cells to paint
   * @returns `left` less the cells painted; -1 if the scopes cannot be painted
   */
  #paintScopes(
    { rangeLow, rangeHigh, scopeRanges }: UnitTable,
    first: number,
    end: number,
    inverse: number,
    left: number,
  ): number {
    const cells = this.#cells;
    const lows = this.#windowLow;
    const highs = this.#windowHigh;
    // Most scopes are in the same window as the previous one.
    let window = 0;
    for (let scope = first; scope < end; scope++) {
      const rangeEnd = scopeRanges[scope + 1];
      for (let range = scopeRanges[scope]; range < rangeEnd; range++) {
        const low = rangeLow[range];
        const high = rangeHigh[range];
        if (!(low < high)) continue;
        if (!(lows[window] <= low && high <= highs[window])) {
          window = this.#windowAt(low);
          if (window < 0 || high > highs[window]) return -1;
        }
        const from = (low - lows[window]) * inverse;
        const to = (high - lows[window]) * inverse;
        // From here on the numbers fit 32 bits.
        const base = this.#windowCell[window] | 0;
        const until = base + (to | 0);
        let cell = base + (from | 0);
        if (cell - base !== from || until - base !== to) return -1;
        left -= until - cell;
        if (left < 0) return -1;
        if (until - cell > 64) cells.fill(scope, cell, until);
        else while (cell < until) cells[cell++] = scope;
      }
    }
    return left;
  }

  /** The last window that begins at or before an offset; -1 for none. */
  #windowAt(offset: number): number {
    const lows = this.#windowLow;
    let low = 0;
    let high = this.#windowCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lows[middle] <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Converts the cells of a window to runs. */
  #collect(window: number, size: number): void {
    const cells = this.#cells;
    const low = this.#windowLow[window];
    const high = this.#windowHigh[window];
    const first = this.#windowCell[window];
    const end = first + (high - low) / size;
    let before = -2;
    for (let cell = first; cell < end; cell++) {
      const scope = cells[cell];
      if (scope === before) continue;
      before = scope;
      this.#add(low + (cell - first) * size, scope);
    }
    if (window + 1 === this.#windowCount || this.#windowLow[window + 1] > high) this.#add(high, -1);
  }

  /** Computes the runs by sorting the ranges. */
  #sweep({ rangeLow, rangeHigh, scopeCount, scopeRanges }: UnitTable): void {
    const count = scopeRanges[scopeCount];
    const scopeOf = new Int32Array(count);
    for (let scope = 0; scope < scopeCount; scope++) {
      scopeOf.fill(scope, scopeRanges[scope], scopeRanges[scope + 1]);
    }
    sweepRanges(rangeLow.subarray(0, count), rangeHigh.subarray(0, count), (at, range) => {
      this.#add(at, range < 0 ? -1 : scopeOf[range]);
    });
  }

  #add(start: number, scope: number): void {
    const { count } = this;
    if (count > 0 && this.scopes[count - 1] === scope) return;
    if (count === this.starts.length) {
      const starts = new Float64Array(2 * count);
      starts.set(this.starts);
      this.starts = starts;
      const scopes = new Int32Array(2 * count);
      scopes.set(this.scopes);
      this.scopes = scopes;
    }
    this.starts[count] = start;
    this.scopes[count] = scope;
    this.count = count + 1;
  }
}
