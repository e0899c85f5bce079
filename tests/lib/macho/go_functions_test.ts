import { assert, assertEquals } from "@std/assert";
import { CPU_TYPE, Image } from "../../../lib/macho/mod.ts";
import { buildImage, FakeMemory, type SymbolSpec } from "./build_image.ts";

const LINKED = 0x1_0000_0000n;
const TEXT = 0x1000;
const TABLE = 0x2000;

/** The layouts, by the first Go that has them. `late` is that of Go 1.26, without `textStart`. */
type Version = "1.2" | "1.16" | "1.18" | "1.20" | "late";

interface GoFunction {
  readonly name: string;
  /** Bytes from the start of `__text`. */
  readonly start: number;
}

const functions: readonly GoFunction[] = [
  { name: "runtime.text", start: 0 },
  { name: "main.(*Größe).area", start: 0x20 },
  { name: "main.main", start: 0x60 },
];
const END = 0xa0;

/** A `__gopclntab`, as Go's linker writes it.
 *
 * @param slide of the addresses in it, once dyld has moved them
 */
function goTable(
  version: Version,
  { of = functions, word = 8, slide = 0n }: {
    of?: readonly GoFunction[];
    word?: 4 | 8;
    slide?: bigint;
  } = {},
): Uint8Array {
  const view = new DataView(new ArrayBuffer(0x400));
  const bytes = new Uint8Array(view.buffer);
  const number = (at: number, value: number | bigint, width: number): void =>
    width === 8
      ? view.setBigUint64(at, BigInt(value), true)
      : view.setUint32(at, Number(BigInt(value) & 0xffffffffn), true);
  const base = LINKED + slide + BigInt(TEXT);
  const magic = { "1.2": 0xfffffffb, "1.16": 0xfffffffa, "1.18": 0xfffffff0 };
  number(0, magic[version as "1.2"] ?? 0xfffffff1, 4);
  bytes.set([0, 0, 1, word], 4);
  const isRelative = !(version in magic) || version === "1.18";
  const header = version === "1.2" ? [of.length] : [
    of.length,
    1,
    ...isRelative ? [version === "late" ? 0n : base] : [],
    0x80,
    0x100,
    0x100,
    0x100,
    0x120,
  ];
  header.forEach((value, index) => number(8 + index * word, value, word));
  const table = version === "1.2" ? 8 + word : 0x120;
  const origin = version === "1.2" ? 0 : table;
  const names = version === "1.2" ? 0 : 0x80;
  const width = isRelative ? 4 : word;
  const address = (start: number): bigint => isRelative ? BigInt(start) : base + BigInt(start);
  let nameAt = version === "1.2" ? 0x200 : 0x81;
  of.forEach(({ name, start }, index) => {
    const described = 0x240 + 0x20 * index;
    number(table + 2 * index * width, address(start), width);
    number(table + (2 * index + 1) * width, described - origin, width);
    number(described, address(start), width);
    number(described + width, nameAt - names, 4);
    const text = new TextEncoder().encode(name);
    bytes.set(text, nameAt);
    nameAt += text.length + 1;
  });
  number(table + 2 * of.length * width, address(END), width);
  return bytes;
}

function goImage(
  table: Uint8Array,
  { is64 = true, symbols, functionStarts }: {
    is64?: boolean;
    symbols?: readonly SymbolSpec[];
    functionStarts?: readonly number[];
  } = {},
): Uint8Array<ArrayBuffer> {
  return buildImage({
    is64,
    cpuType: is64 ? CPU_TYPE.ARM64 : CPU_TYPE.I386,
    ...is64 ? {} : { address: LINKED & 0xffffn },
    sections: [
      { segment: "__TEXT", name: "__text", offset: TEXT, size: 0x100 },
      { segment: "__TEXT", name: "__gopclntab", offset: TABLE, size: table.length, data: table },
    ],
    ...symbols ? { symbols } : {},
    ...functionStarts ? { functionStarts } : {},
  });
}

function at(image: Image, offset: number): string {
  const match = image.symbolAt(image.loadAddress + BigInt(TEXT + offset));
  return match === null
    ? "nothing"
    : `${match.symbol?.name ?? "nameless"}+${match.offset} of ${match.size}`;
}

const stripped = [
  "runtime.text+0 of 32",
  "runtime.text+31 of 32",
  "main.(*Größe).area+0 of 64",
  "main.main+16 of 64",
  // C code, of which nothing is known.
  "nameless+0 of 96",
];
const offsets = [0, 0x1f, 0x20, 0x70, END];

for (const version of ["1.2", "1.16", "1.18", "1.20", "late"] as const) {
  Deno.test(`a stripped program of Go ${version} has the functions of its own table`, () => {
    const load = LINKED + 0x5000n;
    const bytes = goImage(goTable(version));
    const file = Image.fromFile(bytes, "demo", { loadAddress: load });
    assertEquals(offsets.map((offset) => at(file, offset)), stripped);
    assert(file.hasFunctionStarts);
    assertEquals(file.symbols.find("main.main").map(({ address }) => address), [load + 0x1060n]);
    assertEquals(file.warnings, []);

    for (const slide of [0n, 0x5000n]) {
      const memory = new FakeMemory().map(load, goImage(goTable(version, { slide })));
      const image = Image.fromMemory(memory, load, "demo");
      assertEquals(offsets.map((offset) => at(image, offset)), stripped);
      assertEquals(image.warnings, []);
    }
  });
}

Deno.test("a stripped 32-bit program of Go has the functions of its own table", () => {
  for (const version of ["1.16", "1.20"] as const) {
    const table = goTable(version, { word: 4, slide: -LINKED });
    const image = Image.fromFile(goImage(table, { is64: false }), "demo");
    assertEquals(offsets.map((offset) => at(image, offset)), stripped);
  }
});

Deno.test("the symbol table's names come before those of Go's table", () => {
  const symbols = [{ name: "_main.renamed", offset: TEXT + 0x60, type: 0x0e }];
  const image = Image.fromFile(goImage(goTable("1.20"), { symbols }), "demo");
  assertEquals(at(image, 0x61), "main.renamed+1 of 64");
  assertEquals(at(image, 0x21), "main.(*Größe).area+1 of 64");
  assertEquals(image.symbols.count, 3);
});

Deno.test("Go functions between those of C: only when the table says where they are", () => {
  const functionStarts = [TEXT, TEXT + 0x20, TEXT + 0x60];
  const told = Image.fromFile(goImage(goTable("1.20"), { functionStarts }), "demo");
  assertEquals(at(told, 0x61), "main.main+1 of 160");
  const untold = Image.fromFile(goImage(goTable("late"), { functionStarts }), "demo");
  assertEquals(at(untold, 0x61), "nameless+1 of 160");
  assertEquals(untold.warnings, []);
});

Deno.test("a damaged table of Go's functions is left out, with a warning", () => {
  const good = goTable("1.20");
  const changed = (offset: number, value: number): Uint8Array => {
    const bytes = good.slice();
    new DataView(bytes.buffer).setUint32(offset, value, true);
    return bytes;
  };
  for (
    const [table, what] of [
      [changed(0, 0xfffffff7), "a known version"],
      [changed(4, 0x04010000), "at offset 0x7: expected 8"],
      [changed(8, 0), "0 functions"],
      [changed(8, 0xffffffff), "4294967295 functions"],
      [changed(12, 0xffffffff), "functions"],
      [changed(24, 0x7000_0000), "functions of __text"],
      [changed(0x120 + 8, 0x60), "ascending functions of __text"],
      [changed(0x120 + 24, 0x101), "ascending functions of __text"],
      [changed(0x124, 0xfffffff0), "a function's description"],
      [changed(32, 0x300), "names inside"],
      [good.slice(0, 0x40), "a header"],
    ] as const
  ) {
    const image = Image.fromFile(goImage(table), "demo");
    assertEquals(image.symbols.find("main.main"), []);
    assertEquals(image.warnings.length, 1, what);
    assert(image.warnings[0].startsWith("the table of Go's functions cannot be read: "));
    assert(image.warnings[0].includes(what), `${image.warnings[0]}: ${what}`);
  }
});

Deno.test("any damage to a table of Go's functions costs neither memory nor an error", () => {
  for (const version of ["1.2", "1.16", "1.18", "1.20", "late"] as const) {
    const good = goTable(version);
    for (let offset = 0; offset < 0x2c0; offset++) {
      for (const value of [0, 0x7f, 0xff]) {
        const bytes = good.slice();
        bytes[offset] = value;
        const image = Image.fromFile(goImage(bytes), "demo");
        assert(image.symbols.count <= 3);
        for (const symbol of image.symbols) assert(symbol.name.length < 0x400);
      }
    }
  }
});
