/** Which function or inlined call is innermost, from offset to offset. */

import type { UnitTable } from "../../dwarf/mod.ts";
import { sweepRanges } from "./sweep.ts";

/** Cells that are painted at most; of units with more the ranges are sorted. */
const MAX_CELLS = 1 << 22;
/** How often a cell is painted at most, in the mean: damage could ask for any number. */
const MAX_PAINT = 64;

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
    let aligned = true;
    const unit = 2 ** shift;
    for (let index = 0; index < rangeCount; index++) {
      const start = rangeLow[index];
      const end = rangeHigh[index];
      if (!(start < end)) continue;
      if (start < low) low = start;
      if (end > high) high = end;
      total += end - start;
      if (start % unit !== 0 || end % unit !== 0) aligned = false;
    }
    if (low === Infinity) return;
    const size = aligned ? unit : 1;
    const cells = (high - low) / size;
    if (cells <= MAX_CELLS && total / size <= MAX_PAINT * cells) {
      this.#paint(table, low, size, cells);
    } else this.#sweep(table);
    this.#add(high, -1);
  }

  /** One cell for each `size` bytes: every range is painted over those before. */
  #paint(table: UnitTable, low: number, size: number, count: number): void {
    const { rangeLow, rangeHigh, scopeCount, scopeRanges } = table;
    if (this.#cells.length < count) this.#cells = new Int32Array(count + (count >> 1));
    const cells = this.#cells;
    cells.fill(-1, 0, count);
    const inverse = 1 / size;
    for (let scope = 0; scope < scopeCount; scope++) {
      const end = scopeRanges[scope + 1];
      for (let range = scopeRanges[scope]; range < end; range++) {
        // An integer from here on: there are few cells.
        let cell = ((rangeLow[range] - low) * inverse) | 0;
        const last = ((rangeHigh[range] - low) * inverse) | 0;
        if (last - cell > 64) cells.fill(scope, cell, last);
        else while (cell < last) cells[cell++] = scope;
      }
    }
    let before = -1;
    for (let cell = 0; cell < count; cell++) {
      const scope = cells[cell];
      if (scope === before) continue;
      before = scope;
      this.#add(low + cell * size, scope);
    }
  }

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
