/** A unit of an object file, at the addresses that the linker gave its functions. */

import type { UnitTable } from "../dwarf/mod.ts";

/** The parts of an object file that were linked: ranges of its addresses, rising and without overlaps.
 */
export interface Moves {
  readonly count: number;
  /** First address of each in the object file. */
  readonly from: Float64Array;
  /** Address after the last. */
  readonly fromEnd: Float64Array;
  /** Offset in the image of the first address. */
  readonly to: Float64Array;
}

/** Index of the first range that ends after `address`. */
function firstAfter({ fromEnd, count }: Moves, address: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fromEnd[middle] <= address) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The unit as if its functions had been compiled at their addresses in the image. What was not linked
 * is left out. The columns are copies; names and files come from the unit itself. */
export function moveUnit(unit: UnitTable, moves: Moves): UnitTable {
  return {
    ...moveScopes(unit, moves),
    ...moveRows(unit, withoutPadding(unit, moves)),
    ...facts(unit),
  };
}

function facts(unit: UnitTable) {
  return {
    unit: unit.unit,
    name: unit.name,
    directory: unit.directory,
    language: unit.language,
    functionCount: unit.functionCount,
    functionName: (scopeFunction: number) => unit.functionName(scopeFunction),
    linkageName: (scopeFunction: number) => unit.linkageName(scopeFunction),
    symbolName: (scopeFunction: number) => unit.symbolName(scopeFunction),
    file: (number: number) => unit.file(number),
  };
}

/** The ranges without the padding after functions: the linker counts it to the function, and it has
 * lines like any code. Ranges of assembly code, in which no function is known, stay whole. */
function withoutPadding(unit: UnitTable, moves: Moves): Moves {
  const known = new Float64Array(moves.count);
  for (let scope = 0; scope < unit.scopeCount; scope++) {
    if (unit.scopeParent[scope] >= 0) continue;
    for (let range = unit.scopeRanges[scope]; range < unit.scopeRanges[scope + 1]; range++) {
      const high = unit.rangeHigh[range];
      let at = firstAfter(moves, unit.rangeLow[range]);
      for (; at < moves.count && moves.from[at] < high; at++) {
        known[at] = Math.max(known[at], Math.min(high, moves.fromEnd[at]));
      }
    }
  }
  return { ...moves, fromEnd: moves.fromEnd.map((end, at) => known[at] || end) };
}

function moveScopes(unit: UnitTable, moves: Moves) {
  const places = new Int32Array(unit.scopeCount).fill(-1);
  const kept: number[] = [];
  const firsts: number[] = [];
  const lows: number[] = [];
  const highs: number[] = [];
  for (let scope = 0; scope < unit.scopeCount; scope++) {
    const first = lows.length;
    for (let range = unit.scopeRanges[scope]; range < unit.scopeRanges[scope + 1]; range++) {
      const low = unit.rangeLow[range];
      const high = unit.rangeHigh[range];
      for (let at = firstAfter(moves, low); at < moves.count && moves.from[at] < high; at++) {
        const start = Math.max(low, moves.from[at]);
        const end = Math.min(high, moves.fromEnd[at]);
        const by = moves.to[at] - moves.from[at];
        if (start >= end) continue;
        lows.push(start + by);
        highs.push(end + by);
      }
    }
    if (lows.length === first) continue;
    places[scope] = kept.length;
    kept.push(scope);
    firsts.push(first);
  }
  firsts.push(lows.length);
  const pick = (column: Uint32Array): Uint32Array =>
    Uint32Array.from(kept, (scope) => column[scope]);
  return {
    scopeCount: kept.length,
    scopeParent: Int32Array.from(kept, (scope) => {
      const parent = unit.scopeParent[scope];
      return parent < 0 ? -1 : places[parent];
    }),
    scopeFunction: pick(unit.scopeFunction),
    scopePlace: pick(unit.scopePlace),
    scopeCallFile: pick(unit.scopeCallFile),
    scopeCallLine: pick(unit.scopeCallLine),
    scopeCallColumn: pick(unit.scopeCallColumn),
    scopeRanges: Uint32Array.from(firsts),
    rangeCount: lows.length,
    rangeLow: Float64Array.from(lows),
    rangeHigh: Float64Array.from(highs),
  };
}

function moveRows(unit: UnitTable, moves: Moves) {
  /** The linked parts of sequences, by their address in the image. */
  const parts: { first: number; end: number; start: number; high: number; by: number }[] = [];
  for (let sequence = 0; sequence < unit.sequenceCount; sequence++) {
    const first = unit.sequenceRows[sequence];
    const end = unit.sequenceRows[sequence + 1];
    if (first >= end) continue;
    const low = unit.rowOffset[first];
    const high = unit.sequenceHigh[sequence];
    for (let at = firstAfter(moves, low); at < moves.count && moves.from[at] < high; at++) {
      const start = Math.max(low, moves.from[at]);
      const until = Math.min(high, moves.fromEnd[at]);
      if (start >= until) continue;
      parts.push({
        first: lastAtOrBefore(unit.rowOffset, first, end, start),
        end: lastAtOrBefore(unit.rowOffset, first, end, until - 1) + 1,
        start,
        high: until,
        by: moves.to[at] - moves.from[at],
      });
    }
  }
  parts.sort((a, b) => a.start + a.by - (b.start + b.by));
  const rowCount = parts.reduce((sum, { first, end }) => sum + end - first, 0);
  const rowOffset = new Float64Array(rowCount);
  const rowFile = new Uint32Array(rowCount);
  const rowLine = new Uint32Array(rowCount);
  const rowColumn = new Uint32Array(rowCount);
  const sequenceRows = new Uint32Array(parts.length + 1);
  let row = 0;
  parts.forEach(({ first, end, start, by }, index) => {
    sequenceRows[index] = row;
    for (let from = first; from < end; from++, row++) {
      rowOffset[row] = Math.max(unit.rowOffset[from], start) + by;
      rowFile[row] = unit.rowFile[from];
      rowLine[row] = unit.rowLine[from];
      rowColumn[row] = unit.rowColumn[from];
    }
  });
  sequenceRows[parts.length] = row;
  return {
    sequenceCount: parts.length,
    sequenceRows,
    sequenceHigh: Float64Array.from(parts, ({ high, by }) => high + by),
    rowCount,
    rowOffset,
    rowFile,
    rowLine,
    rowColumn,
  };
}

/** The last of the rows from `first` to `end` whose offset is not above `offset`. The first row's is
 * not. */
function lastAtOrBefore(
  offsets: Float64Array,
  first: number,
  end: number,
  offset: number,
): number {
  let low = first;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle] <= offset) low = middle + 1;
    else high = middle;
  }
  return Math.max(first, low - 1);
}
