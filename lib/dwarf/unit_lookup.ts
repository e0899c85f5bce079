/** Lookups in a unit's table. */
import type { RawText } from "../escape.ts";
import type { SourceFrame, SourceLocation } from "./source_frame.ts";
import type { UnitLines, UnitScopes, UnitTable } from "./unit_table.ts";

/** What is read of a unit when it is asked for. */
export interface UnitDetails {
  /** The name of a scope's function; empty if it has none. */
  name(scope: number): RawText;
  /** The lines; their columns do not change. `null` if there are none. */
  lines(): UnitLines | null;
}

/** Finds the functions and lines of a unit by offset. The last scope in the table that contains an
 * offset is the innermost: inner scopes follow outer ones. */
export class UnitLookup {
  readonly #table: UnitScopes;
  readonly #details: UnitDetails;
  /** The ranges of functions by ascending start, then by position in the table. */
  readonly #order: Uint32Array;
  /** In that order, the highest end so far. */
  readonly #reach: Float64Array;
  /** Scope by range. */
  readonly #scopes: Uint32Array;
  /** By function scope: the exclusive end of the scopes inside it. */
  readonly #ends: Uint32Array;

  /** Indexes a unit that was read whole.
   *
   * @param table a table whose columns do not change
   */
  static of(table: UnitTable): UnitLookup {
    return new UnitLookup(table, {
      name(scope) {
        const number = table.scopeFunction[scope];
        return table.linkageName(number) ?? table.functionName(number) ?? "";
      },
      lines: () => table,
    });
  }

  /** Indexes the functions of a unit.
   *
   * @param table a table whose columns do not change
   */
  constructor(table: UnitScopes, details: UnitDetails) {
    this.#table = table;
    this.#details = details;
    const { scopeCount, scopeParent, scopeRanges, rangeCount, rangeLow, rangeHigh } = table;
    this.#scopes = new Uint32Array(rangeCount);
    this.#ends = new Uint32Array(scopeCount);
    const roots = new Uint32Array(scopeCount);
    const order = new Uint32Array(rangeCount);
    let count = 0;
    let rising = true;
    let last = -1;
    for (let scope = 0; scope < scopeCount; scope++) {
      const parent = scopeParent[scope];
      const root = roots[scope] = parent < 0 ? scope : roots[parent];
      this.#ends[root] = scope + 1;
      if (parent >= 0) continue;
      for (let range = scopeRanges[scope]; range < scopeRanges[scope + 1]; range++) {
        this.#scopes[range] = scope;
        rising &&= rangeLow[range] >= last;
        last = rangeLow[range];
        order[count++] = range;
      }
    }
    this.#order = order.subarray(0, count);
    if (!rising) this.#order.sort((a, b) => rangeLow[a] - rangeLow[b] || a - b);
    this.#reach = new Float64Array(count);
    let reach = 0;
    for (let index = 0; index < count; index++) {
      reach = Math.max(reach, rangeHigh[this.#order[index]]);
      this.#reach[index] = reach;
    }
  }

  /** Approximate memory use without the table, in bytes. */
  get weight(): number {
    return this.#order.length * 12 + this.#scopes.length * 4 + this.#ends.length * 4;
  }

  /** The functions at an offset, innermost first. */
  framesAt(offset: number): SourceFrame[] {
    const table = this.#table;
    let location = this.#location(offset);
    let scope = this.#scopeAt(offset);
    if (scope < 0) {
      return location === null ? [] : [{ function: "", location, inlined: false }];
    }
    const frames: SourceFrame[] = [];
    for (;;) {
      const parent = table.scopeParent[scope];
      frames.push({ function: this.#details.name(scope), location, inlined: parent >= 0 });
      if (parent < 0) return frames;
      location = this.#callSite(scope);
      scope = parent;
    }
  }

  /** The number of calls that are inlined at an offset, one into the other. Neither names nor lines are
   * read. */
  inlineCountAt(offset: number): number {
    const { scopeParent } = this.#table;
    let count = 0;
    for (let scope = this.#scopeAt(offset); scope >= 0; scope = scopeParent[scope]) {
      if (scopeParent[scope] >= 0) count++;
    }
    return count;
  }

  /** Offset in the unit of the entry of the function at an offset; -1 if there is none. */
  functionAt(offset: number): number {
    const root = this.#rootAt(offset);
    return root < 0 ? -1 : this.#table.scopePlace[root];
  }

  /** The full path of a file; `null` if there is no file with this number. */
  file(number: number): RawText | null {
    return this.#details.lines()?.file(number) ?? null;
  }

  /** Where a call is that was inlined. */
  #callSite(scope: number): SourceLocation | null {
    const table = this.#table;
    const file = this.file(table.scopeCallFile[scope]);
    return file === null ? null : {
      file,
      line: table.scopeCallLine[scope],
      column: table.scopeCallColumn[scope],
    };
  }

  /** The innermost scope at an offset; -1 if there is none. */
  #scopeAt(offset: number): number {
    const { rangeLow, rangeHigh, scopeRanges } = this.#table;
    const root = this.#rootAt(offset);
    if (root < 0) return -1;
    for (let scope = this.#ends[root] - 1; scope > root; scope--) {
      for (let range = scopeRanges[scope]; range < scopeRanges[scope + 1]; range++) {
        if (rangeLow[range] <= offset && offset < rangeHigh[range]) return scope;
      }
    }
    return root;
  }

  /** The function at an offset; -1 if there is none. */
  #rootAt(offset: number): number {
    const { rangeLow, rangeHigh } = this.#table;
    const order = this.#order;
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (rangeLow[order[middle]] <= offset) low = middle + 1;
      else high = middle;
    }
    let root = -1;
    for (let index = low - 1; index >= 0 && this.#reach[index] > offset; index--) {
      const range = order[index];
      if (rangeHigh[range] > offset) root = Math.max(root, this.#scopes[range]);
    }
    return root;
  }

  #location(offset: number): SourceLocation | null {
    const table = this.#details.lines();
    if (table === null) return null;
    const { sequenceCount, sequenceRows, sequenceHigh, rowOffset } = table;
    let low = 0;
    let high = sequenceCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (rowOffset[sequenceRows[middle]] <= offset) low = middle + 1;
      else high = middle;
    }
    const sequence = low - 1;
    if (sequence < 0 || offset >= sequenceHigh[sequence]) return null;
    low = sequenceRows[sequence] + 1;
    high = sequenceRows[sequence + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (rowOffset[middle] <= offset) low = middle + 1;
      else high = middle;
    }
    const row = low - 1;
    const file = table.file(table.rowFile[row]);
    return file === null ? null : {
      file,
      line: table.rowLine[row],
      column: table.rowColumn[row],
    };
  }
}
