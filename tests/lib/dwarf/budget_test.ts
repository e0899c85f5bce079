import { assert, assertEquals, assertThrows } from "@std/assert";
import { Budget } from "../../../lib/dwarf/budget.ts";
import { AT, FORM, TAG } from "../../../lib/dwarf/constants.ts";
import { FormatError } from "../../../lib/errors.ts";
import { abbreviation, lines, open, type Parts, unit } from "./debug_sections.ts";
import { number, text } from "./section.ts";

/** The warnings of reading all units and looking up one offset, and how much memory that took. */
function readAll(parts: Parts): { warnings: readonly string[]; read: number; memory: number } {
  const before = Deno.memoryUsage();
  const info = open(parts);
  let read = 0;
  for (const unit of info.units) {
    try {
      const table = info.table(unit);
      for (let index = 0; index < table.functionCount; index++) table.symbolName(index);
      for (let index = 0; index < table.rowCount; index++) table.file(table.rowFile[index]);
      read++;
    } catch (error) {
      assert(error instanceof FormatError, String(error));
    }
  }
  info.framesAt(0x10);
  const after = Deno.memoryUsage();
  const memory = after.external + after.heapTotal - before.external - before.heapTotal;
  return { warnings: info.warnings, read, memory };
}

function repeated(count: number, one: (index: number) => readonly number[]): number[] {
  const bytes: number[] = [];
  for (let index = 0; index < count; index++) for (const byte of one(index)) bytes.push(byte);
  return bytes;
}

const MANY = "the units refer to many times what the file holds";

Deno.test("1,000 units with one list of 20,000 ranges: reading is bounded by the file's size", () => {
  const ranges = repeated(
    20_000,
    (index) => [...number(16 * index + 16, 8), ...number(16 * index + 24, 8)],
  );
  const abbrev = [
    ...abbreviation(1, TAG.compile_unit, false, [[AT.ranges, FORM.sec_offset]]),
    0,
  ];
  const { warnings, memory } = readAll({
    info: repeated(1000, () => unit({ version: 4 }, [1, ...number(0, 4)])),
    abbrev,
    ranges: [...ranges, ...number(0, 8), ...number(0, 8)],
  });
  assert(warnings.some((warning) => warning.includes(MANY)), warnings[0]);
  assert(memory < 100e6, `${memory} bytes`);
});

Deno.test("300 units with one line table: reading is bounded by the file's size, the rest reported", () => {
  const program = [0, 9, 2, ...number(0x1000, 8), ...repeated(100_000, () => [0x4b]), 0, 1, 1];
  const abbrev = [
    ...abbreviation(1, TAG.compile_unit, false, [[AT.stmt_list, FORM.sec_offset]]),
    0,
  ];
  const { warnings } = readAll({
    info: repeated(300, () => unit({ version: 4 }, [1, ...number(0, 4)])),
    abbrev,
    line: lines({ version: 4 }, program),
  });
  assert(warnings.some((warning) => warning.includes(MANY)), warnings[0]);
});

Deno.test("30,000 functions whose names are parts of one long name", () => {
  const abbrev = [
    ...abbreviation(1, TAG.compile_unit, true, []),
    ...abbreviation(2, TAG.subprogram, false, [
      [AT.name, FORM.strp],
      [AT.low_pc, FORM.addr],
      [AT.high_pc, FORM.data4],
    ]),
    0,
  ];
  const functions = repeated(30_000, (index) => [
    ...[2, ...number(index, 4)],
    ...[...number(0x1000 + 16 * index, 8), ...number(16, 4)],
  ]);
  const { read } = readAll({
    info: unit({ version: 4 }, [1, ...functions, 0]),
    abbrev,
    str: text("x".repeat(60_000)),
  });
  assertEquals(read, 0);
});

Deno.test("one damaged unit does not keep the others from being read", () => {
  const abbrev = [
    ...abbreviation(1, TAG.compile_unit, false, [[AT.ranges, FORM.sec_offset]]),
    ...abbreviation(2, TAG.compile_unit, false, [
      [AT.name, FORM.string],
      [AT.low_pc, FORM.addr],
      [AT.high_pc, FORM.data4],
      [AT.stmt_list, FORM.sec_offset],
    ]),
    0,
  ];
  const ranges = repeated(1000, (index) => [...number(index + 1, 8), ...number(index + 2, 8)]);
  const program = [0, 9, 2, ...number(0x100000, 8), 0x4b, 0x4b, 0x4b, 0, 1, 1];
  const bad = repeated(1000, () => unit({ version: 4 }, [1, ...number(0, 4)]));
  const good = unit({ version: 4 }, [
    ...[2, ...text("good.c"), ...number(0x100000, 8)],
    ...[...number(0x100, 4), ...number(0, 4)],
  ]);
  const info = open({
    info: [...bad, ...good],
    abbrev,
    ranges: [...ranges, ...number(0, 8), ...number(0, 8)],
    line: lines({ version: 4 }, program),
  });
  for (const unit of info.units.slice(0, -1)) {
    try {
      info.table(unit);
    } catch (error) {
      assert(error instanceof FormatError);
    }
  }
  assertEquals(info.table(info.units.at(-1)!).rowCount, 3);
});

Deno.test("a unit that is read repeatedly counts once", () => {
  const abbrev = [
    ...abbreviation(1, TAG.compile_unit, false, [[AT.stmt_list, FORM.sec_offset]]),
    0,
  ];
  const program = [0, 9, 2, ...number(0x1000, 8), ...repeated(10_000, () => [0x4b]), 0, 1, 1];
  const info = open({
    info: unit({ version: 4 }, [1, ...number(0, 4)]),
    abbrev,
    line: lines({ version: 4 }, program),
  });
  for (let time = 0; time < 100; time++) info.table(info.units[0]);
  assertEquals(info.warnings, []);
});

Deno.test("a budget: a unit's own, what all share, and what was given back", () => {
  const budget = new Budget(1000);
  budget.begin(1, 10);
  assert(budget.try(160));
  assert(budget.try(8000));
  assert(!budget.try(1));
  assertThrows(() => budget.spend(1, "__debug_info", 7), FormatError, MANY);
  budget.begin(2, 10);
  assert(budget.try(160));
  assert(!budget.try(1));
  budget.begin(1, 10);
  assert(budget.try(8160));
  assertThrows(() => budget.inflate(1e6, 100, "__debug_str"), FormatError, "when decompressed");
});
