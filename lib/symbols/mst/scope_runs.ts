/** Which function or inlined call is innermost, from offset to offset. */

import type { UnitTable } from "../../dwarf/mod.ts";
import { sweepRanges } from "./sweep.ts";

/** Cells that are painted at most; of units with more the ranges are sorted. */
const MAX_CELLS = 1 << 22;
/** How often a cell is painted at most, in the mean: damage could ask for any number. */
const MAX_PAINT = 64;

/** Scopes, and cells, that one call handles: see `unit_walk.ts`. */
const STRETCH = 1 << 12;

/** A unit's scopes without overlaps. Where ranges overlap the later scope hides the earlier, which is
 * how debuggers see functions and what is inlined in them. */
export class ScopeRuns {
  /** Runs, each up to the next. The last is one of nothing, unless there is none at all. */
  count = 0;
  /** Where each begins. Rising. */
  starts: Float64Array = new Float64Array(1024);
  /** The scope; -1 for none. */
  scopes: Int32Array = new Int32Array(1024);
  #cells = new Int32Array(0);

  /** Computes the runs of a unit, in place of those before.
   *
   * @param shift code is aligned to this power of two, as a rule
   */
  build(table: UnitTable, shift: number): void {
    this.count = 0;
    const { rangeLow, rangeHigh, scopeCount, scopeRanges } = table;
    const rangeCount = scopeRanges[scopeCount];
    let low = Infinity;
    let high = -Infinity;
    let total = 0;
    for (let index = 0; index < rangeCount; index++) {
      const start = rangeLow[index];
      const end = rangeHigh[index];
      if (!(start < end)) continue;
      if (start < low) low = start;
      if (end > high) high = end;
      total += end - start;
    }
    if (low === Infinity) return;
    const fits = (size: number): boolean =>
      (high - low) / size <= MAX_CELLS && total <= MAX_PAINT * (high - low);
    const size = 2 ** shift;
    const done = (fits(size) && this.#paint(table, low, high, size)) ||
      (fits(1) && this.#paint(table, low, high, 1));
    if (!done) this.#sweep(table);
    this.#add(high, -1);
  }

  /** One cell for each `size` bytes: every range is painted over those before. Returns whether all
   * ranges are of whole cells. */
  #paint(table: UnitTable, low: number, high: number, size: number): boolean {
    const { scopeCount } = table;
    const count = (high - low) / size;
    if (!Number.isInteger(count)) return false;
    if (this.#cells.length < count) this.#cells = new Int32Array(count + (count >> 1));
    this.#cells.fill(-1, 0, count);
    for (let scope = 0; scope < scopeCount; scope += STRETCH) {
      const end = Math.min(scopeCount, scope + STRETCH);
      if (!this.#paintScopes(table, scope, end, low, 1 / size)) return false;
    }
    for (let cell = 0; cell < count; cell += STRETCH) {
      this.#collect(cell, Math.min(count, cell + STRETCH), low, size);
    }
    return true;
  }

  /** Paints the cells of some scopes. Returns whether all their ranges are of whole cells.
   *
   * @param inverse of a cell's size
   */
  #paintScopes(
    { rangeLow, rangeHigh, scopeRanges }: UnitTable,
    first: number,
    end: number,
    low: number,
    inverse: number,
  ): boolean {
    const cells = this.#cells;
    for (let scope = first; scope < end; scope++) {
      const rangeEnd = scopeRanges[scope + 1];
      for (let range = scopeRanges[scope]; range < rangeEnd; range++) {
        const from = (rangeLow[range] - low) * inverse;
        const to = (rangeHigh[range] - low) * inverse;
        if (!(from < to)) continue;
        // Integers of 32 bits from here on: there are few cells.
        const until = to | 0;
        let cell = from | 0;
        if (cell !== from || until !== to) return false;
        if (until - cell > 64) cells.fill(scope, cell, until);
        else while (cell < until) cells[cell++] = scope;
      }
    }
    return true;
  }

  /** Makes runs of some cells. */
  #collect(first: number, end: number, low: number, size: number): void {
    const cells = this.#cells;
    let before = first === 0 ? -1 : cells[first - 1];
    for (let cell = first; cell < end; cell++) {
      const scope = cells[cell];
      if (scope === before) continue;
      before = scope;
      this.#add(low + cell * size, scope);
    }
  }

  /** By sorting them. */
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
