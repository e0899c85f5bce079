import { assertEquals } from "@std/assert";
import {
  abbreviation,
  END_SEQUENCE,
  type LineFormat,
  lines,
  open,
  setAddress,
  unit,
} from "./debug_sections.ts";
import { number, sleb, text, uleb } from "./section.ts";

/** A unit that has lines, and no entry but its own. */
function linesOf(
  format: LineFormat,
  program: readonly number[],
  { base = 0n, more = {}, directory = "/src" } = {},
) {
  const { version, offsetSize = 4 } = format;
  // sec_offset is younger than DWARF 3.
  const form = version >= 4 ? 0x17 : offsetSize === 8 ? 0x07 : 0x06;
  const warnings: string[] = [];
  const info = open(
    {
      info: unit(format, [1, ...number(0, offsetSize), ...text(directory)]),
      abbrev: [...abbreviation(1, 0x11, false, [[0x10, form], [0x1b, 0x08]]), 0],
      line: lines(format, program),
      ...more,
    },
    base,
    (warning) => warnings.push(warning),
  );
  const table = info.table(info.units[0]);
  const sequences = Array.from({ length: table.sequenceCount }, (_, sequence) => {
    const rows: string[] = [];
    for (let row = table.sequenceRows[sequence]; row < table.sequenceRows[sequence + 1]; row++) {
      rows.push(
        `${table.rowOffset[row]} ${table.file(table.rowFile[row])}:${table.rowLine[row]}:${
          table.rowColumn[row]
        }`,
      );
    }
    return [...rows, `${table.sequenceHigh[sequence]}`];
  });
  return { sequences, warnings, table };
}

/** The special opcode of an advance, in a line range of 14 from -5. */
function special(line: number, operation: number): number {
  return 13 + operation * 14 + line + 5;
}

Deno.test("standard opcodes, in every version and width", () => {
  for (const version of [2, 3, 4, 5]) {
    for (const offsetSize of [4, 8] as const) {
      for (const addressSize of [4, 8] as const) {
        const { sequences, warnings } = linesOf({ version, offsetSize, addressSize }, [
          ...setAddress(0x1000, addressSize),
          ...[3, ...sleb(99), 5, ...uleb(300), 1], // line 100, column 300
          ...[5, 7, special(3, 4)],
          ...[2, ...uleb(200), 3, ...sleb(-64), 1],
          ...[8, 6, 7, special(0, 0)], // const_add_pc: (255 - 13) / 14 = 17
          ...[9, ...number(0x1234, 2), 10, 11, 12, ...uleb(500), 3, ...sleb(-8193), 3],
          ...[...sleb(8200), 1],
          ...[2, 4],
          ...END_SEQUENCE,
        ]);
        const file = version >= 5 ? "/src/a.c" : "/src/a.c";
        const expected = version >= 5 ? null : file;
        assertEquals(sequences, [[
          `4096 ${expected}:100:300`,
          `4100 ${expected}:103:7`,
          `4300 ${expected}:39:7`,
          // The next has the same line: it is not said again.
          `8977 ${expected}:46:7`,
          "8981",
        ]]);
        assertEquals(warnings, []);
      }
    }
  }
});

Deno.test("instructions of several bytes, and of several operations", () => {
  const program = [
    ...setAddress(0x100),
    ...[1, special(1, 3), special(1, 2), 2, 5, 3, 1, 1, 8, special(1, 0)],
    ...[9, 4, 0, 3, 1, 1, 2, 4],
    ...END_SEQUENCE,
  ];
  // Four bytes each: as arm64's could be.
  assertEquals(linesOf({ version: 4, minimumLength: 4 }, program).sequences, [[
    ...["256 /src/a.c:1:0", "268 /src/a.c:2:0", "276 /src/a.c:3:0", "296 /src/a.c:4:0"],
    ...["364 /src/a.c:5:0", "368 /src/a.c:6:0", "384"],
  ]]);
  // Bundles of 16 bytes with three operations: operation 3 is the next bundle's first. What
  // fixed_advance_pc advances by is bytes, and the operation is 0 again.
  assertEquals(
    linesOf({ version: 4, minimumLength: 16, maximumOperations: 3 }, program).sequences,
    [[
      ...["256 /src/a.c:1:0", "272 /src/a.c:3:0", "304 /src/a.c:4:0"],
      ...["400 /src/a.c:5:0", "404 /src/a.c:6:0", "420"],
    ]],
  );
});

Deno.test("the last of rows at one offset counts; sequences are sorted, and cut where they fall", () => {
  const { sequences } = linesOf({ version: 4 }, [
    ...[...setAddress(0x200), 1, special(1, 0), special(1, 4), 2, 4, ...END_SEQUENCE],
    ...[...setAddress(0x100), 1, 2, 4, ...END_SEQUENCE],
    // Nothing is in an empty one.
    ...[...setAddress(0x180), 1, ...END_SEQUENCE],
    ...[...setAddress(0x300), 1, 2, 8, 3, 1, 1, ...setAddress(0x150), 3, 1, 1, 2, 4],
    ...END_SEQUENCE,
  ]);
  assertEquals(sequences, [
    ["256 /src/a.c:1:0", "260"],
    ["336 /src/a.c:3:0", "340"],
    ["512 /src/a.c:2:0", "516 /src/a.c:3:0", "520"],
    ["768 /src/a.c:1:0", "776 /src/a.c:2:0", "776"],
  ]);
});

Deno.test("code that the linker removed has no rows, and the kernel's addresses are exact", () => {
  const base = 0xfffffe0007004000n;
  const { sequences } = linesOf(
    { version: 4 },
    [
      ...[...setAddress(0), 1, 2, 4, ...END_SEQUENCE],
      ...[...setAddress(0xffffffffffffffffn), 1, 2, 4, ...END_SEQUENCE],
      ...[...setAddress(0xfffffffffffffffen), 1, 2, 4, ...END_SEQUENCE],
      ...[...setAddress(base + 0x123456789n), 1, 2, 4, ...END_SEQUENCE],
    ],
    { base },
  );
  assertEquals(sequences, [[`${0x123456789} /src/a.c:1:0`, `${0x12345678d}`]]);
  assertEquals(
    linesOf({ version: 3, addressSize: 4 }, [
      ...[...setAddress(0xffffffff, 4), 1, 2, 4, ...END_SEQUENCE],
      ...[...setAddress(0xfffffffe, 4), 1, 2, 4, ...END_SEQUENCE],
    ]).sequences,
    [],
  );
});

Deno.test("directories and files, joined as llvm-symbolizer does", () => {
  const tables = [
    ...[...text("sub"), ...text("/abs/"), ...text("../up"), 0],
    ...["a.c", "b.c", "c.c", "/d.c", "e.c"].flatMap((name, index) => [
      ...text(name),
      ...[[0], [1], [2], [1], [9]][index],
      ...uleb(1000),
      0,
    ]),
    0,
  ];
  const program = [
    ...setAddress(0),
    ...[1, 2, 3, 4, 5, 6, 0].flatMap((file) => [4, file, special(0, 1)]),
    ...[0, 7, 3, ...text("x.c"), 3, 0, 0],
    ...[4, 6, special(0, 1), 2, 4, ...END_SEQUENCE],
  ];
  // The program defines file 6 with a length that is too short for its last number: still a file.
  const { table } = linesOf({ version: 3, tables }, program);
  assertEquals([1, 2, 3, 4, 5, 0, 7].map((file) => table.file(file)), [
    ...["/src/a.c", "/src/sub/b.c", "/abs/c.c", "/d.c", "/src/e.c", null, null],
  ]);
  assertEquals(table.file(6), "/src/../up/x.c");
});

Deno.test("DWARF 5's tables say what they hold", () => {
  const tables = [
    // Directories: a line_strp each.
    ...[1, 1, 0x1f, 3, ...number(0, 4), ...number(6, 4), ...number(10, 4)],
    // Files: path, directory, MD5, size, and something that is not known.
    ...[5, 1, 0x1f, 2, 0x0f, 5, 0x1e, 4, 0x0f, ...uleb(0x2001), 0x0a],
    ...[3, ...number(15, 4), 0, ...new Array(16).fill(0xaa), ...uleb(500), 2, 1, 2],
    ...[...number(15, 4), 1, ...new Array(16).fill(0xbb), 9, 0],
    ...[...number(15, 4), 2, ...new Array(16).fill(0xcc), 9, 0],
  ];
  const more = { line_str: ["/comp", "inc", "/abs", "f.h"].flatMap(text) };
  const { table, warnings } = linesOf({ version: 5, tables }, [], { more });
  assertEquals(warnings, []);
  assertEquals([0, 1, 2, 3].map((file) => table.file(file)), [
    ...["/comp/f.h", "/src/inc/f.h", "/abs/f.h", null],
  ]);
});

Deno.test("unknown opcodes are skipped", () => {
  // A header with two more standard opcodes, of two operands each; and an extended opcode.
  const { sequences } = linesOf({ version: 4, opcodeBase: 15 }, [
    ...setAddress(16),
    ...[1, 13, 0x80, 1, 5, 14, 1, 0x81, 2, 0, 4, 0x80, 1, 2, 3, 0, 2, 4, 9],
    ...[15 + 5 + 1 + 14, 2, 4, ...END_SEQUENCE],
  ]);
  assertEquals(sequences, [["16 /src/a.c:1:0", "17 /src/a.c:2:0", "21"]]);
  // And one with fewer: opcode 10 is special.
  assertEquals(
    linesOf({ version: 2, opcodeBase: 10 }, [
      ...[...setAddress(16), 10 + 5 + 1, 2, 4, ...END_SEQUENCE],
    ]).sequences,
    [["16 /src/a.c:2:0", "20"]],
  );
});

Deno.test("rows before damage are kept, with a warning", () => {
  for (const end of [[0, 9, 2, 1], [2, 0x80], [0, 0x85, 0x80]]) {
    const { sequences, warnings } = linesOf({ version: 4 }, [
      ...[...setAddress(16), 1, 2, 4, ...END_SEQUENCE, ...setAddress(64), 1, ...end],
    ]);
    assertEquals(sequences, [["16 /src/a.c:1:0", "20"]]);
    assertEquals(warnings.length, 1);
    assertEquals(warnings[0].startsWith("lines of the unit at 0x0 cut short: __debug_line"), true);
  }
  for (const version of [1, 6]) {
    assertEquals(
      linesOf({ version: 4 }, [], { more: { line: lines({ version }, []) } }).warnings[0]
        .includes("lines of DWARF 2 to 5"),
      true,
    );
  }
  // Any number of files that take no bytes.
  const tables = [0, 0, 0, ...uleb(2 ** 40)];
  assertEquals(linesOf({ version: 5, tables }, []).warnings.length, 1);
});
