import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { archs } from "../../../lib/arch/mod.ts";
import { bytesSource } from "../../../lib/macho/mod.ts";
import {
  MstBuilder,
  type MstFile,
  type MstSymbol,
  openMst,
  UnitEncoder,
} from "../../../lib/symbols/mst/mod.ts";
import { chance, plainFrames, randomUnit, type UnitInput, unitTable } from "./mst_tables.ts";

const uuid = "4C4C44B5-5555-3144-A1F5-3D9A0A2B6C3D";

/** The file of some units. */
function build(
  units: readonly UnitInput[],
  { arch = archs.arm64, encoders = 1, symbols = [] as readonly MstSymbol[] } = {},
): Uint8Array {
  const builder = new MstBuilder({
    uuid,
    arch,
    imageBase: 0x1_0000_0000n,
    cpuSubtype: 2,
    textSize: 0x4_0000_0000,
    name: "tést",
  });
  const streams = Array.from({ length: encoders }, () => ({
    encoder: new UnitEncoder(arch),
    stream: builder.stream(),
  }));
  for (const [index, unit] of units.entries()) {
    const { encoder, stream } = streams[(index * index) % encoders];
    stream.add(structuredClone(encoder.encode(unitTable(unit))));
  }
  const chunks = builder.finish(symbols);
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

const open = (bytes: Uint8Array): MstFile => openMst(bytesSource(bytes, "test.mst"));

Deno.test("a unit's functions, lines and inlined calls at every offset, as the unit has them", () => {
  const random = chance(1);
  for (let round = 0; round < 120; round++) {
    const unit = round % 3 === 0 ? 1 : 4;
    const input = randomUnit(random, 0x1000, unit, round % 2 === 0);
    using file = open(build([input], { arch: unit === 1 ? archs.x86_64 : archs.arm64 }));
    file.verify();
    for (let offset = 0xff0; offset < 0x1000 + 2000; offset++) {
      assertEquals(file.framesAt(offset), plainFrames(input, offset), `${round}: ${offset}`);
    }
    assertEquals(file.warnings, []);
  }
});

Deno.test("code that is not aligned as its architecture has it", () => {
  const input = randomUnit(chance(2), 0x1001, 1, true);
  using file = open(build([input], { arch: archs.arm64 }));
  for (let offset = 0xff0; offset < 0x1800; offset++) {
    assertEquals(file.framesAt(offset), plainFrames(input, offset));
  }
});

Deno.test("long functions are in several pieces, and the function still begins where it does", () => {
  const random = chance(3);
  const rows = Array.from(
    { length: 9000 },
    (_, index) => [0x4000 + 4 * index, index % 2, 1 + random(9000), random(300)] as const,
  );
  const inlined = Array.from({ length: 3000 }, (_, index) => ({
    parent: index % 3 === 0 ? 0 : index,
    name: `inlined${index % 7}`,
    ranges: [[0x4000 + 12 * index, 0x4000 + 12 * index + 8]] as const,
    call: [0, index, 3] as const,
  }));
  const input: UnitInput = {
    scopes: [{ parent: -1, name: "long", ranges: [[0x4000, 0x4000 + 40000]] }, ...inlined],
    sequences: [{ rows, high: 0x4000 + 36000 }],
    files: ["/src/a.c", "/src/b.c"],
  };
  using file = open(build([input]));
  // The plain answer looks through all 3,000 calls, so not every offset is asked.
  for (let offset = 0x4000; offset < 0x4000 + 40004; offset += 4 * (1 + random(8))) {
    assertEquals(file.framesAt(offset), plainFrames(input, offset));
  }
  assertEquals(file.functionAt(0x4000 + 35000), { name: "long", start: 0x4000 });
  assertEquals(file.info.functionCount, 1);
});

Deno.test("many units, over more than 4 GiB, some of them alike", () => {
  const random = chance(4);
  const bases = Array.from({ length: 900 }, (_, index) => index * 0x4_0000_00);
  const seeds = bases.map(() => random(40));
  const units = bases.map((base, index) => randomUnit(chance(seeds[index]), base, 4, false));
  const bytes = build(units);
  using file = open(bytes);
  file.verify();
  for (const [index, base] of bases.entries()) {
    for (let offset = base; offset < base + 400; offset += 4) {
      assertEquals(file.framesAt(offset), plainFrames(units[index], offset));
    }
  }
  assert(bases.at(-1)! > 2 ** 32);
  const other = units.map((unit, index) => ({
    ...unit,
    files: unit.files.map((file) => `${file}${index}`),
  }));
  assert(bytes.length < build(other).length / 3, "what is alike is stored once");
});

Deno.test("the file does not depend on how many encoders made it", () => {
  const units = Array.from(
    { length: 60 },
    (_, index) => randomUnit(chance(index % 25), 0x10000 * index, 4, false),
  );
  const one = build(units);
  assertEquals(build(units), one);
  for (const encoders of [2, 3, 7]) assertEquals(build(units, { encoders }), one);
});

Deno.test("where units overlap the earlier one is seen", () => {
  const whole = (name: string, low: number, high: number): UnitInput => ({
    scopes: [{ parent: -1, name, ranges: [[low, high]] }],
    sequences: [{
      rows: Array.from({ length: (high - low) / 4 }, (_, row) => [low + 4 * row, 0, row, 1]),
      high,
    }],
    files: [`/${name}.c`],
  });
  const units = [
    whole("inner", 0x120, 0x140),
    whole("outer", 0x100, 0x200),
    whole("same", 0x120, 0x140),
    whole("late", 0x1f0, 0x220),
    whole("around", 0xf0, 0x300),
  ];
  using file = open(build(units));
  for (let offset = 0xe0; offset < 0x310; offset += 4) {
    const unit = units.find(({ scopes: [{ ranges: [[low, high]] }] }) =>
      low <= offset && offset < high
    );
    const expected = unit === undefined ? [] : plainFrames(unit, offset);
    assertEquals(file.framesAt(offset), expected, offset.toString(16));
  }
  assertEquals(file.functionAt(0x208), { name: "late", start: 0x1f0 });
  assertEquals(file.functionAt(0x2fc), { name: "around", start: 0xf0 });
  assertEquals(file.warnings, []);
});

Deno.test("the symbol table's functions, where debug information has none", () => {
  const unit: UnitInput = {
    scopes: [{ parent: -1, name: "known", ranges: [[0x100, 0x200]] }],
    sequences: [{ rows: [[0x100, 0, 1, 1]], high: 0x200 }, {
      rows: [[0x300, 0, 7, 0]],
      high: 0x308,
    }],
    files: ["/a.s"],
  };
  const symbols = [
    { offset: 0x80, size: 0x100, name: "before" },
    { offset: 0x100, size: 0x100, name: "known" },
    { offset: 0x180, size: 0x400, name: "inside" },
    { offset: 0x300, size: 0x10, name: "assembly" },
    { offset: 0x2_0000_0000, size: 4, name: "far" },
  ];
  using file = open(build([unit], { symbols }));
  const names = (offset: number) => file.framesAt(offset).map(({ function: name }) => name);
  assertEquals(names(0x7f), []);
  assertEquals(file.framesAt(0x80), [{
    function: "before",
    location: null,
    inlined: false,
  }]);
  assertEquals(names(0xff), ["before"]);
  assertEquals(names(0x190), ["known"]);
  assertEquals(names(0x200), []);
  assertEquals(file.framesAt(0x304), [{
    function: "assembly",
    location: { file: "/a.s", line: 7, column: 0 },
    inlined: false,
  }]);
  assertEquals(names(0x30c), ["assembly"]);
  assertEquals(names(0x310), []);
  assertEquals(file.functionAt(0x2_0000_0003), { name: "far", start: 0x2_0000_0000 });
  assertEquals(names(0x2_0000_0004), []);
  assertEquals(file.info, {
    uuid,
    arch: "arm64",
    cpuSubtype: 2,
    imageBase: 0x1_0000_0000n,
    textSize: 0x4_0000_0000,
    name: "tést",
    functionCount: 4,
  });
});

Deno.test("a file of nothing", () => {
  using file = open(build([]));
  file.verify();
  assertEquals(file.framesAt(0), []);
  assertEquals(file.functionAt(5), null);
  for (const offset of [-1, NaN, Infinity, 2 ** 60]) assertEquals(file.framesAt(offset), []);
  assertEquals(file.warnings, []);
});

Deno.test("inlined more deeply than anything is", () => {
  const depth = 3000;
  const scopes = Array.from({ length: depth }, (_, index) => ({
    parent: index - 1,
    name: `f${index}`,
    ranges: [[0x100, 0x200]] as const,
  }));
  using file = open(build([{ scopes, sequences: [], files: [] }]));
  const frames = file.framesAt(0x150);
  assertEquals(frames.length, 1001);
  assertEquals(frames.at(-1)!.function, "f0");
  assertNotEquals(frames[0].location, undefined);
});
