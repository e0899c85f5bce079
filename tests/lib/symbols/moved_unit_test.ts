import { assertEquals } from "@std/assert";
import type { UnitTable } from "../../../lib/dwarf/mod.ts";
import { type Moves, moveUnit } from "../../../lib/symbols/mod.ts";

/** Three functions in a row, at 0, 0x20 and 0x40; the second has a call inlined into it. The columns are
 * longer than the counts say. */
const unit: UnitTable = {
  unit: 11,
  name: "a.c",
  directory: "/src",
  language: 12,
  scopeCount: 4,
  scopeParent: Int32Array.of(-1, -1, 1, -1, 99),
  scopeFunction: Uint32Array.of(10, 20, 30, 40, 99),
  scopePlace: Uint32Array.of(11, 21, 31, 41, 99),
  scopeCallFile: Uint32Array.of(~0, ~0, 1, ~0, 99),
  scopeCallLine: Uint32Array.of(0, 0, 7, 0, 99),
  scopeCallColumn: Uint32Array.of(0, 0, 3, 0, 99),
  scopeRanges: Uint32Array.of(0, 1, 2, 4, 5, 99),
  rangeCount: 5,
  rangeLow: Float64Array.of(0, 0x20, 0x24, 0x30, 0x40, 99),
  rangeHigh: Float64Array.of(0x20, 0x40, 0x28, 0x34, 0x60, 99),
  sequenceCount: 1,
  sequenceRows: Uint32Array.of(0, 6, 99),
  sequenceHigh: Float64Array.of(0x60, 99),
  rowCount: 6,
  rowOffset: Float64Array.of(0, 0x10, 0x20, 0x24, 0x24, 0x48, 99),
  rowFile: Uint32Array.of(1, 1, 1, 2, 2, 1, 99),
  rowLine: Uint32Array.of(1, 2, 3, 4, 5, 6, 99),
  rowColumn: Uint32Array.of(0, 0, 1, 1, 2, 0, 99),
  functionCount: 41,
  functionName: (scopeFunction) => `f${scopeFunction}`,
  linkageName: () => null,
  symbolName: () => null,
  file: (number) => `file${number}`,
};

function moves(...rows: [from: number, fromEnd: number, to: number][]): Moves {
  const column = (index: number) => Float64Array.from(rows, (row) => row[index]);
  return { count: rows.length, from: column(0), fromEnd: column(1), to: column(2) };
}

function scopes(table: UnitTable): unknown[] {
  return Array.from({ length: table.scopeCount }, (_, scope) => ({
    name: table.functionName(table.scopeFunction[scope]),
    parent: table.scopeParent[scope],
    line: table.scopeCallLine[scope],
    ranges: Array.from(
      { length: table.scopeRanges[scope + 1] - table.scopeRanges[scope] },
      (_, at) => {
        const range = table.scopeRanges[scope] + at;
        return [table.rangeLow[range], table.rangeHigh[range]];
      },
    ),
  }));
}

function sequences(table: UnitTable): unknown[] {
  return Array.from({ length: table.sequenceCount }, (_, sequence) => ({
    rows: Array.from(
      { length: table.sequenceRows[sequence + 1] - table.sequenceRows[sequence] },
      (_, at) => {
        const row = table.sequenceRows[sequence] + at;
        return [table.rowOffset[row], table.rowLine[row]];
      },
    ),
    high: table.sequenceHigh[sequence],
  }));
}

Deno.test("functions in another order, and one that was not linked", () => {
  const moved = moveUnit(unit, moves([0x20, 0x40, 0x1000], [0x40, 0x60, 0x500]));
  assertEquals(scopes(moved), [
    { name: "f20", parent: -1, line: 0, ranges: [[0x1000, 0x1020]] },
    { name: "f30", parent: 0, line: 7, ranges: [[0x1004, 0x1008], [0x1010, 0x1014]] },
    { name: "f40", parent: -1, line: 0, ranges: [[0x500, 0x520]] },
  ]);
  // Each function has a sequence; the row that holds its first byte begins it, wherever that row began.
  assertEquals(sequences(moved), [
    { rows: [[0x500, 5], [0x508, 6]], high: 0x520 },
    { rows: [[0x1000, 3], [0x1004, 4], [0x1004, 5]], high: 0x1020 },
  ]);
  assertEquals(moved.file(2), "file2");
  assertEquals([moved.unit, moved.name, moved.rangeCount, moved.rowCount], [11, "a.c", 4, 5]);
});

Deno.test("code that was linked in one piece stays in one piece", () => {
  const moved = moveUnit(unit, moves([0, 0x60, 0x2000]));
  assertEquals(scopes(moved).length, 4);
  assertEquals(sequences(moved), [{
    rows: [[0x2000, 1], [0x2010, 2], [0x2020, 3], [0x2024, 4], [0x2024, 5], [0x2048, 6]],
    high: 0x2060,
  }]);
});

Deno.test("code between functions has no lines, unless no function is known", () => {
  const padded = moveUnit(unit, moves([0x40, 0x80, 0]));
  assertEquals(sequences(padded), [{ rows: [[0, 5], [8, 6]], high: 0x20 }]);
  const short = { ...unit, rangeHigh: unit.rangeHigh.map((high) => high === 0x60 ? 0x50 : high) };
  assertEquals(sequences(moveUnit(short, moves([0x40, 0x60, 0]))), [
    { rows: [[0, 5], [8, 6]], high: 0x10 },
  ]);
  const assembly = { ...unit, scopeCount: 0 };
  assertEquals(sequences(moveUnit(assembly, moves([0x40, 0x60, 0]))), [
    { rows: [[0, 5], [8, 6]], high: 0x20 },
  ]);
});

Deno.test("nothing linked, nothing left", () => {
  const moved = moveUnit(unit, moves());
  assertEquals([moved.scopeCount, moved.sequenceCount, moved.rowCount], [0, 0, 0]);
});
