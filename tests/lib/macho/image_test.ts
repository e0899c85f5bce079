import { assert, assertEquals, assertThrows } from "@std/assert";
import { FormatError, MemoryReadError } from "../../../lib/errors.ts";
import { CPU_TYPE, Image } from "../../../lib/macho/mod.ts";
import { machOFiles } from "../../oracle/macho_files.ts";
import { buildImage, FakeMemory, LINKEDIT_OFFSET } from "./build_image.ts";

const EXTERNAL = 0x0f;
const LOCAL = 0x0e;
const UUID = Uint8Array.from({ length: 16 }, (_, index) => 0xa0 + index);

/** What an image says about `address`, in short. */
function at(image: Image, address: bigint): string {
  const match = image.symbolAt(address);
  if (match === null) return "nothing";
  return `${match.symbol?.name ?? "nameless"}+${match.offset}`;
}

const twoSections = [
  { segment: "__TEXT", name: "__text", offset: 0x1000, size: 0x100 },
  { segment: "__TEXT", name: "__const", offset: 0x1200, size: 0x80 },
  { segment: "__DATA", name: "__data", offset: 0x3000, size: 0x40 },
];

Deno.test("an image's properties are those of its header and load commands", () => {
  const bytes = buildImage({
    sections: twoSections,
    uuid: UUID,
    dylibs: ["/usr/lib/libSystem.B.dylib"],
  });
  const image = Image.fromFile(bytes, "/somewhere/libdemo.dylib", { loadAddress: 0x7000_0000n });
  assertEquals(image.name, "libdemo.dylib");
  assertEquals(image.uuid, "A0A1A2A3-A4A5-A6A7-A8A9-AAABACADAEAF");
  assertEquals(image.cpuType, CPU_TYPE.X86_64);
  assertEquals(image.pointerSize, 8);
  assertEquals(image.slide, 0x7000_0000n - 0x1_0000_0000n);
  assertEquals(image.dylibs.map(({ name }) => name), ["/usr/lib/libSystem.B.dylib"]);
  assertEquals(image.segments.map(({ name, address, vmAddress }) => [name, address, vmAddress]), [
    ["__TEXT", 0x7000_0000n, 0x1_0000_0000n],
    ["__DATA", 0x7000_3000n, 0x1_0000_3000n],
    ["__LINKEDIT", 0x7000_4000n, 0x1_0000_4000n],
  ]);
  assertEquals(image.sectionAt(0x7000_1210n)?.name, "__const");
  assertEquals(image.sectionAt(0x7000_1110n), null);
  assert(image.contains(0x7000_0000n));
  assert(!image.contains(0x7000_2000n));
  assertEquals(image.toOffset(0x7000_1210n), 0x1210);
  assertEquals(image.warnings, []);
  assertEquals(JSON.parse(JSON.stringify(image)), {
    name: "libdemo.dylib",
    path: "/somewhere/libdemo.dylib",
    uuid: "A0A1A2A3-A4A5-A6A7-A8A9-AAABACADAEAF",
    loadAddress: "0x70000000",
    slide: "-0x90000000",
  });
  assertEquals(`${image}`, "0x70000000 libdemo.dylib A0A1A2A3-A4A5-A6A7-A8A9-AAABACADAEAF");
});

Deno.test("the nearest symbol, bounded by sections and function starts", () => {
  const bytes = buildImage({
    sections: twoSections,
    symbols: [
      { name: "__mh_dylib_header", offset: 0, type: LOCAL },
      { name: "_first", offset: 0x1010, type: EXTERNAL },
      { name: "_last", offset: 0x1080, type: EXTERNAL },
      { name: "_table", offset: 0x1210, type: LOCAL, section: 2 },
      { name: "_end", offset: 0x1100, type: LOCAL },
      { name: "_stab", offset: 0x1020, type: 0x24 },
      { name: "_absolute", offset: 0x1024, type: 0x03, section: 0 },
      { name: "_undefined", offset: 0x1028, type: 0x01, section: 0 },
      { name: "", offset: 0x102c, type: LOCAL },
      { name: "<redacted>", offset: 0x1030, type: LOCAL },
    ],
    functionStarts: [0x1010, 0x1050, 0x1080],
  });
  const image = Image.fromFile(bytes, "image", { loadAddress: 0n });
  const expected: [bigint, string][] = [
    [0x0n, "_mh_dylib_header+0"],
    [0xfffn, "_mh_dylib_header+4095"],
    // Before the first symbol of the section nothing is known.
    [0x1000n, "nothing"],
    [0x100fn, "nothing"],
    [0x1010n, "first+0"],
    // Neither debugging, absolute, undefined, empty nor redacted names claim anything.
    [0x104fn, "first+63"],
    // A stripped function between two named ones.
    [0x1050n, "nameless+0"],
    [0x107fn, "nameless+47"],
    [0x1080n, "last+0"],
    [0x10ffn, "last+127"],
    // The gap between sections, and what follows in the next.
    [0x1100n, "nothing"],
    [0x1200n, "nothing"],
    [0x1210n, "table+0"],
    [0x127fn, "table+111"],
    [0x1280n, "nothing"],
    [0x3000n, "nothing"],
    [0x9000n, "nothing"],
  ];
  assertEquals(expected.map(([address]) => [address, at(image, address)]), expected);
  assertEquals(image.symbolAt(0x1010n)?.symbol?.size, 0x40);
  assertEquals(image.symbolAt(0x1080n)?.symbol?.size, 0x80);
  assertEquals(at(image, -1n), "nothing");
});

Deno.test("single functions of a large symbol table: the same as of all symbols, in files and in memory", () => {
  const stabs = (count: number, offset: number) =>
    Array.from({ length: count }, () => ({ name: "s", offset, type: 0x24 }));
  const spec = {
    sections: twoSections,
    symbols: [
      { name: "_first", offset: 0x1010, type: EXTERNAL },
      ...stabs(9000, 0x3000),
      { name: "_inside", offset: 0x1028, type: LOCAL },
      // More than are read one by one.
      ...stabs(100, 0x1052),
      ...stabs(9000, 0x3001),
      { name: "_alias", offset: 0x1010, type: EXTERNAL },
      { name: "_second", offset: 0x1050, type: LOCAL },
      { name: "_last", offset: 0x1080, type: EXTERNAL },
    ],
    functionStarts: [0x1010, 0x1050, 0x1080],
  };
  for (const is64 of [true, false]) {
    const bytes = buildImage({ ...spec, is64 });
    const loadAddress = 0x10000n;
    const open = [
      () => Image.fromFile(bytes, "image", { loadAddress }),
      () =>
        Image.fromMemory(
          new FakeMemory().map(loadAddress, bytes.subarray(0, LINKEDIT_OFFSET))
            .map(loadAddress + BigInt(LINKEDIT_OFFSET), bytes.subarray(LINKEDIT_OFFSET)),
          loadAddress,
          "image",
        ),
    ];
    for (const [index, make] of open.entries()) {
      const [single, sorted] = [make(), make()];
      assertEquals([...sorted.symbols].length, 5);
      for (
        const offset of [0x1010n, 0x1027n, 0x1028n, 0x104fn, 0x1080n, 0x10ffn, 0x1050n, 0x1053n]
      ) {
        const address = loadAddress + offset;
        assertEquals(at(single, address), at(sorted, address), `${index} ${offset.toString(16)}`);
      }
      assertEquals(at(single, loadAddress + 0x1060n), "second+16");
      assertEquals(single.warnings, []);
    }
  }
});

Deno.test("a large symbol table that is cut short is read as far as it goes", () => {
  const symbols = Array.from(
    { length: 20_000 },
    (_, index) => ({ name: "s", offset: 0x3000 + index % 8, type: 0x24 }),
  );
  const bytes = buildImage({
    sections: twoSections,
    symbols: [{ name: "_first", offset: 0x1010, type: EXTERNAL }, ...symbols],
    functionStarts: [0x1010],
  });
  const cut = bytes.slice(0, LINKEDIT_OFFSET + 300_000);
  const image = Image.fromFile(cut, "image", { loadAddress: 0n });
  assertEquals(image.symbolAt(0x1010n)?.symbol ?? null, null);
  assert(image.warnings.some((text) => text.includes("the symbol table")), `${image.warnings}`);
});

Deno.test("symbols at one address are ordered external before local, then by name", () => {
  const image = Image.fromFile(
    buildImage({
      symbols: [
        { name: "_zeta", offset: 0x1000, type: EXTERNAL },
        { name: "_alpha", offset: 0x1000, type: LOCAL },
        { name: "_beta", offset: 0x1000, type: EXTERNAL },
        { name: "_b", offset: 0x1010, type: LOCAL },
        { name: "_a", offset: 0x1010, type: LOCAL },
      ],
    }),
    "image",
    { loadAddress: 0n },
  );
  assertEquals(at(image, 0x1004n), "beta+4");
  assertEquals(at(image, 0x1014n), "a+4");
  assertEquals([...image.symbols].map(String), ["beta", "zeta", "alpha", "a", "b"]);
  assertEquals([...image.symbols].map(({ size }) => size), [16, 16, 16, 0xff0, 0xff0]);
});

Deno.test("names are found with and without their underscore", () => {
  const image = Image.fromFile(
    buildImage({
      symbols: [
        { name: "_main", offset: 0x1000, type: EXTERNAL },
        { name: "main", offset: 0x1010, type: LOCAL },
        { name: "-[Worker run]", offset: 0x1020, type: LOCAL },
        { name: "_main", offset: 0x1030, type: LOCAL },
      ],
    }),
    "image",
  );
  const found = (name: string) => image.findSymbols(name).map(({ address }) => address & 0xffffn);
  assertEquals(found("main"), [0x1010n, 0x1000n, 0x1030n]);
  assertEquals(found("_main"), [0x1000n, 0x1030n]);
  assertEquals(found("-[Worker run]"), [0x1020n]);
  assertEquals(found("mai"), []);
  const [symbol] = image.findSymbols("_main");
  assertEquals([symbol.name, symbol.rawName, symbol.external], ["main", "_main", true]);
  assertEquals(JSON.parse(JSON.stringify(symbol)).address, "0x100001000");
});

Deno.test("Thumb symbols have even addresses and say that they are Thumb", () => {
  const image = Image.fromFile(
    buildImage({
      is64: false,
      cpuType: CPU_TYPE.ARM,
      address: 0x4000n,
      symbols: [
        { name: "_arm", offset: 0x1000, type: EXTERNAL },
        { name: "_thumb", offset: 0x1010, type: EXTERNAL, description: 8 },
        { name: "_odd", offset: 0x1021, type: LOCAL },
      ],
      functionStarts: [0x1000, 0x1011, 0x1021, 0x1031],
      exports: [{ name: "_exported", offset: 0x1041 }],
    }),
    "image",
  );
  assertEquals([...image.symbols].map(({ name, address, thumb }) => [name, address, thumb]), [
    ["arm", 0x5000n, false],
    ["thumb", 0x5010n, true],
    ["odd", 0x5020n, true],
    ["exported", 0x5040n, true],
  ]);
  assertEquals(at(image, 0x5012n), "thumb+2");
  assertEquals(at(image, 0x5030n), "nameless+0");
});

Deno.test("a stripped image answers from exports and function starts", () => {
  const image = Image.fromFile(
    buildImage({
      exports: [
        { name: "_exported", offset: 0x1020 },
        { name: "_absolute", offset: 0x1030, flags: 2 },
        { name: "_elsewhere", offset: 1, flags: 8 },
        { name: "_exported_too", offset: 0x1080 },
      ],
      functionStarts: [0x1000, 0x1020, 0x1040],
    }),
    "image",
    { loadAddress: 0n },
  );
  const expected: [bigint, string][] = [
    [0x1010n, "nameless+16"],
    [0x1030n, "exported+16"],
    [0x1050n, "nameless+16"],
    [0x1090n, "exported_too+16"],
  ];
  assertEquals(expected.map(([address]) => [address, at(image, address)]), expected);
  assertEquals(image.findSymbols("exported").map(({ external }) => external), [true]);
});

Deno.test("a function that the symbol table names has no other names inside it", () => {
  const image = (): Image =>
    Image.fromFile(
      buildImage({
        symbols: [
          { name: "_named", offset: 0x1000, type: LOCAL },
          { name: "_inside", offset: 0x1008, type: LOCAL },
          { name: "_inside_too", offset: 0x1028, type: LOCAL },
        ],
        exports: [
          { name: "_other_name", offset: 0x1000 },
          { name: "_within", offset: 0x1010 },
          { name: "_nameless_within", offset: 0x1030 },
          { name: "_unnamed", offset: 0x1040 },
        ],
        functionStarts: [0x1000, 0x1020, 0x1040],
      }),
      "image",
      { loadAddress: 0n },
    );
  const expected = {
    0x1004: "named+4",
    0x100c: "inside+4",
    0x1018: "inside+16",
    0x1024: "nameless+4",
    0x102c: "inside_too+4",
    0x1034: "nameless_within+4",
    0x1044: "unnamed+4",
  };
  const sorted = image();
  assertEquals(sorted.findSymbols("within").map(({ address }) => address), [0x1010n]);
  for (const [address, truth] of Object.entries(expected)) {
    assertEquals(at(image(), BigInt(address)), truth);
    assertEquals(at(sorted, BigInt(address)), truth);
  }
});

Deno.test("a single lookup gives the same answer as a lookup in the sorted symbols", () => {
  const demo = new URL("../../../examples/demo/", import.meta.url).pathname;
  for (const path of machOFiles(demo)) {
    const bytes = Deno.readFileSync(path);
    const sorted = Image.fromFile(bytes, path);
    assert(sorted.symbols.count >= 0);
    const { start, end } = sorted.ranges[0];
    const seen = (image: Image, address: bigint) => {
      const match = image.symbolAt(address);
      return { ...match, symbol: JSON.stringify(match?.symbol) };
    };
    let fresh = sorted;
    for (let address = start, count = 0; address < end; address += 61n, count++) {
      if (count % 20 === 0) fresh = Image.fromFile(bytes, path);
      assertEquals(
        seen(fresh, address),
        seen(sorted, address),
        `${path} 0x${address.toString(16)}`,
      );
    }
  }
});

Deno.test("an image without symbols gives null", () => {
  const image = Image.fromFile(buildImage({}), "image");
  assertEquals(image.symbols.count, 0);
  assertEquals(image.symbolAt(image.loadAddress + 0x1000n), null);
});

for (const is64 of [true, false]) {
  Deno.test(`a ${is64 ? 64 : 32}-bit image in memory, at a slide, in a few reads`, () => {
    const base = is64 ? 0x1_0000_0000n : 0x4000n;
    const slide = is64 ? 0x2345_6000n : 0x10_0000n;
    const bytes = buildImage({
      is64,
      sections: twoSections,
      uuid: UUID,
      symbols: [
        { name: "_first", offset: 0x1010, type: EXTERNAL },
        { name: "_local", offset: 0x1080, type: LOCAL },
      ],
      functionStarts: [0x1010, 0x1050, 0x1080],
      exports: [{ name: "_first", offset: 0x1010 }],
    });
    const memory = new FakeMemory().map(base + slide, bytes);
    const image = Image.fromMemory(memory, base + slide, "/usr/lib/liba.dylib");
    assertEquals(memory.reads.length, 2);
    assertEquals(image.slide, slide);
    assertEquals(at(image, base + slide + 0x1018n), "first+8");
    assertEquals(at(image, base + slide + 0x1058n), "nameless+8");
    assertEquals(at(image, base + slide + 0x1088n), "local+8");
    assertEquals(image.findSymbols("first").map(({ address }) => address), [
      base + slide + 0x1010n,
    ]);
    // Symbols, names, function starts, exports.
    assertEquals(memory.reads.length, 6);
    assert(
      memory.reads.slice(2).every(({ address }) =>
        address >= base + slide + BigInt(LINKEDIT_OFFSET)
      ),
    );
    assertEquals(image.warnings, []);
  });
}

Deno.test("an image in memory whose __LINKEDIT is gone keeps its segments and warns", () => {
  const bytes = buildImage({
    symbols: [{ name: "_first", offset: 0x1010, type: EXTERNAL }],
    functionStarts: [0x1010],
  });
  const memory = new FakeMemory().map(0x5000n, bytes.subarray(0, LINKEDIT_OFFSET));
  const image = Image.fromMemory(memory, 0x5000n, "image");
  assertEquals(at(image, 0x6010n), "nothing");
  assertEquals(image.warnings.length, 2);
  // Load commands that are said to be longer than what is mapped.
  new DataView(bytes.buffer).setUint32(20, 0x100000, true);
  const long = Image.fromMemory(
    new FakeMemory().map(0x5000n, bytes.subarray(0, LINKEDIT_OFFSET)),
    0x5000n,
    "image",
  );
  assertEquals(long.segments, image.segments);
  const top = (1n << 64n) - 8n;
  assertThrows(() => Image.fromMemory(memory, top, "image"), MemoryReadError);
  assert(memory.reads.every(({ address }) => address < top));
  assertThrows(() => Image.fromMemory(memory, 0x9000_0000n, "image"), MemoryReadError);
  assertThrows(() => Image.fromMemory(memory, 0x6000n, "image"), FormatError, "magic");
});

Deno.test("an image of the shared cache claims no part of the common __LINKEDIT", () => {
  const image = Image.fromFile(buildImage({ flags: 0x80000000 }), "image", { loadAddress: 0n });
  assertEquals(image.ranges, [{ start: 0n, end: 0x2000n }]);
});

function fat(magic: number, slices: readonly { cpuType: number; bytes: Uint8Array }[]): Uint8Array {
  const is64 = magic === 0xcafebabf;
  const header = new Uint8Array(0x1000);
  const view = new DataView(header.buffer);
  view.setUint32(0, magic);
  view.setUint32(4, slices.length);
  let at = 0x1000;
  slices.forEach(({ cpuType, bytes }, index) => {
    const entry = 8 + index * (is64 ? 32 : 20);
    view.setUint32(entry, cpuType);
    view.setUint32(entry + (is64 ? 12 : 8), at);
    view.setUint32(entry + (is64 ? 20 : 12), bytes.length);
    at += bytes.length;
  });
  return Uint8Array.from([...header, ...slices.flatMap(({ bytes }) => [...bytes])]);
}

Deno.test("the slice of a universal file, in both forms", () => {
  const intel = buildImage({ symbols: [{ name: "_i", offset: 0x1000, type: EXTERNAL }] });
  const arm = buildImage({
    cpuType: CPU_TYPE.ARM64,
    symbols: [{ name: "_a", offset: 0x1000, type: EXTERNAL }],
  });
  const slices = [{ cpuType: CPU_TYPE.X86_64, bytes: intel }, {
    cpuType: CPU_TYPE.ARM64,
    bytes: arm,
  }];
  for (const magic of [0xcafebabe, 0xcafebabf]) {
    const file = fat(magic, slices);
    const names = (arch?: number) => [...Image.fromFile(file, "fat", { arch }).symbols].map(String);
    assertEquals(names(), ["i"]);
    assertEquals(names(CPU_TYPE.X86_64), ["i"]);
    assertEquals(names(CPU_TYPE.ARM64), ["a"]);
    assertThrows(() => names(CPU_TYPE.ARM), FormatError, "CPU type 0xc");
  }
  assertThrows(() => Image.fromFile(intel, "thin", { arch: CPU_TYPE.ARM64 }), FormatError);
});

Deno.test("a file that is not a Mach-O image is refused with a reason", () => {
  const refuse = (bytes: number[], reason: string) =>
    assertThrows(() => Image.fromFile(Uint8Array.from(bytes), "file"), FormatError, reason);
  const zeroes = Array.from({ length: 32 }, () => 0);
  refuse([], "header");
  refuse([0xcf, 0xfa, 0xed, 0xfe], "header");
  refuse([0xfe, 0xed, 0xfa, 0xce, ...zeroes], "little-endian");
  refuse([0xfe, 0xed, 0xfa, 0xcf, ...zeroes], "little-endian");
  refuse([1, 2, 3, 4, ...zeroes], "magic");
  refuse([0x7f, 0x45, 0x4c, 0x46, ...zeroes], "not an ELF file");
  // A Java class file: the same magic number, and its version in place of the count.
  refuse([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 0x41, ...zeroes], "universal");
  refuse([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1, ...Array(20).fill(0xff)], "inside the file");
});
