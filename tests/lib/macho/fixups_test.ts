/** Fixups from bytes put together here by the layouts of `<mach-o/fixup-chains.h>` and by the opcodes
 * of `<mach-o/loader.h>`. */

import { assert, assertEquals } from "@std/assert";
import { chainedFixups, readChainedFixups } from "../../../lib/macho/chained_fixups.ts";
import { dyldFixups } from "../../../lib/macho/dyld_info.ts";
import type { Fixup } from "../../../lib/macho/fixups.ts";
import { ordinalName, type Segment } from "../../../lib/macho/mod.ts";
import { uleb } from "./build_image.ts";

const BASE = 0x1_0000_0000n;
const SEGMENT = BASE + 0x4000n;

const data: Segment = {
  name: "__DATA",
  address: SEGMENT,
  vmAddress: SEGMENT,
  size: 0x2000,
  fileOffset: 0,
  fileSize: 0x2000,
  initialProtection: 3,
  maxProtection: 3,
  sections: [{
    name: "__got",
    segmentName: "__DATA",
    address: SEGMENT,
    vmAddress: SEGMENT,
    size: 0x100,
    fileOffset: 0,
    flags: 6,
    type: 6,
  }],
};

interface ImportSpec {
  ordinal: number;
  weak?: boolean;
  name: string;
  addend?: bigint;
}

/** A `LC_DYLD_CHAINED_FIXUPS` payload for one segment.
 *
 * @param pageStarts `page_start[]`, and `chain_starts[]` after it
 */
function payload(
  format: number,
  pageStarts: number[],
  imports: ImportSpec[],
  options: { importsFormat?: number; pageCount?: number; maxValid?: number } = {},
): Uint8Array {
  const { importsFormat = 1, pageCount = pageStarts.length, maxValid = 0 } = options;
  const bytes = new Uint8Array(0x400);
  const view = new DataView(bytes.buffer);
  const [starts, importsAt, symbolsAt] = [0x20, 0x100, 0x200];
  [0, starts, importsAt, symbolsAt, imports.length, importsFormat, 0]
    .forEach((value, index) => view.setUint32(4 * index, value, true));
  view.setUint32(starts, 1, true);
  view.setUint32(starts + 4, 8, true);
  const at = starts + 8;
  view.setUint32(at, 22 + 2 * pageStarts.length, true);
  view.setUint16(at + 4, 0x1000, true);
  view.setUint16(at + 6, format, true);
  view.setBigUint64(at + 8, 0x4000n, true);
  view.setUint32(at + 16, maxValid, true);
  view.setUint16(at + 20, pageCount, true);
  pageStarts.forEach((start, index) => view.setUint16(at + 22 + 2 * index, start, true));
  let text = symbolsAt + 1;
  imports.forEach(({ ordinal, weak = false, name, addend = 0n }, index) => {
    const offset = text - symbolsAt;
    if (importsFormat === 3) {
      const first = BigInt.asUintN(16, BigInt(ordinal)) | (weak ? 1n << 16n : 0n) |
        (BigInt(offset) << 32n);
      view.setBigUint64(importsAt + 16 * index, first, true);
      view.setBigInt64(importsAt + 16 * index + 8, addend, true);
    } else {
      const size = importsFormat === 2 ? 8 : 4;
      const first = (ordinal & 0xff) | (weak ? 0x100 : 0) | (offset << 9);
      view.setUint32(importsAt + size * index, first, true);
      if (size === 8) view.setInt32(importsAt + 8 * index + 4, Number(addend), true);
    }
    bytes.set(new TextEncoder().encode(name), text);
    text += name.length + 1;
  });
  return bytes;
}

interface Followed {
  fixups: Fixup[];
  warnings: string[];
}

function follow(bytes: Uint8Array, memory: Uint8Array, maxFixups = 1000): Followed {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const chains = readChainedFixups(bytes, warn);
  const fixups = chains === null ? [] : [...chainedFixups(chains, {
    pointerSize: 8,
    segments: [data],
    linkedAddress: BASE,
    maxFixups,
    warn,
    readSegment: (_segment, offset, length) => memory.subarray(offset, offset + length),
  })];
  return { fixups, warnings };
}

function memoryOf(words: Record<number, bigint>, size: 4 | 8 = 8): Uint8Array {
  const memory = new Uint8Array(data.fileSize);
  const view = new DataView(memory.buffer);
  for (const [at, value] of Object.entries(words)) {
    if (size === 8) view.setBigUint64(Number(at), value, true);
    else view.setUint32(Number(at), Number(value), true);
  }
  return memory;
}

/** The parts that differ from fixup to fixup. */
function short({ kind, address, target, addend, symbol, auth }: Fixup): unknown[] {
  const offset = Number(address! - SEGMENT);
  return kind === "rebase" ? [offset, target, auth] : [offset, symbol, addend, auth];
}

const next = (strides: number, at: bigint): bigint => BigInt(strides) << at;
const bindBit64 = 1n << 63n;
const imports: ImportSpec[] = [{ ordinal: 1, name: "_first" }, { ordinal: -2, name: "_second" }];

const cases: {
  name: string;
  format: number;
  size?: 4 | 8;
  words: Record<number, bigint>;
  expected: unknown[][];
  maxValid?: number;
}[] = [
  {
    name: "ptr64",
    format: 2,
    words: {
      0: (BASE + 0x123n) | next(2, 51n),
      8: bindBit64 | 1n | (5n << 24n) | next(4, 51n),
      24: 0x7an << 36n,
    },
    expected: [[0, BASE + 0x123n, null], [8, "_second", 5n, null], [24, 0x7a00000000000000n, null]],
  },
  {
    name: "ptr64-offset",
    format: 6,
    words: { 0: 0x123n | next(2, 51n), 8: bindBit64 },
    expected: [[0, BASE + 0x123n, null], [8, "_first", 0n, null]],
  },
  {
    name: "arm64e",
    format: 1,
    words: {
      0: (BASE + 0x10n) | next(1, 51n),
      // auth rebase: key DB, address diversity, diversity 0xbeef
      8: (1n << 63n) | next(1, 51n) | (3n << 49n) | (1n << 48n) | (0xbeefn << 32n) | 0x20n,
      // bind with addend -1
      16: (1n << 62n) | next(1, 51n) | (0x7ffffn << 32n) | 1n,
      // auth bind: key IA
      24: (3n << 62n) | (7n << 32n) | 0n,
    },
    expected: [
      [0, BASE + 0x10n, null],
      [8, BASE + 0x20n, { key: "DB", diversity: 0xbeef, addressDiversity: true }],
      [16, "_second", -1n, null],
      [24, "_first", 0n, { key: "IA", diversity: 7, addressDiversity: false }],
    ],
  },
  {
    name: "arm64e-kernel",
    format: 7,
    // Strides of four bytes.
    words: { 0: 0x10n | next(2, 51n), 8: (1n << 63n) | 0x20n },
    expected: [
      [0, BASE + 0x10n, null],
      [8, BASE + 0x20n, { key: "IA", diversity: 0, addressDiversity: false }],
    ],
  },
  {
    name: "arm64e-userland",
    format: 9,
    words: { 0: 0x10n },
    expected: [[0, BASE + 0x10n, null]],
  },
  {
    name: "arm64e-firmware",
    format: 10,
    words: { 0: (BASE + 0x10n) | next(2, 51n), 8: 1n << 62n },
    expected: [[0, BASE + 0x10n, null], [8, "_first", 0n, null]],
  },
  {
    name: "arm64e-userland24",
    format: 12,
    // The ordinal has 24 bits: the two beyond 16 would be lost otherwise.
    words: { 0: 0x10n | next(1, 51n), 8: (1n << 62n) | 1n },
    expected: [[0, BASE + 0x10n, null], [8, "_second", 0n, null]],
  },
  {
    name: "arm64e-shared-cache",
    format: 13,
    words: {
      0: 0x10n | next(1, 52n),
      8: (1n << 63n) | (1n << 51n) | (0x1234n << 34n) | 0x20n,
    },
    expected: [
      [0, BASE + 0x10n, null],
      [8, BASE + 0x20n, { key: "DA", diversity: 0x1234, addressDiversity: false }],
    ],
  },
  {
    name: "ptr64-kernel-cache",
    format: 8,
    words: { 0: 0x10n | next(3, 51n), 12: 0x20n },
    expected: [[0, BASE + 0x10n, null], [12, BASE + 0x20n, null]],
  },
  {
    name: "x86_64-kernel-cache",
    format: 11,
    words: { 0: 0x10n | next(9, 51n), 9: 0x20n },
    expected: [[0, BASE + 0x10n, null], [9, BASE + 0x20n, null]],
  },
  {
    name: "ptr32",
    format: 3,
    size: 4,
    maxValid: 0x100000,
    words: {
      0: 0x4010n | next(1, 26n),
      4: (1n << 31n) | (3n << 20n) | 1n | next(1, 26n),
      // Not a pointer: the number 5, moved up by the bias.
      8: BigInt((0x04000000 + 0x100000) / 2) + 5n,
    },
    expected: [[0, 0x4010n, null], [4, "_second", 3n, null], [8, 5n, null]],
  },
  {
    name: "ptr32-cache",
    format: 4,
    size: 4,
    words: { 0: 0x4010n | next(3, 30n), 12: 0x4020n },
    expected: [[0, 0x4010n, null], [12, 0x4020n, null]],
  },
  {
    name: "ptr32-firmware",
    format: 5,
    size: 4,
    words: { 0: 0x4010n | next(40, 26n), 160: 0x4020n },
    expected: [[0, 0x4010n, null], [160, 0x4020n, null]],
  },
];

for (const { name, format, size = 8, words, expected, maxValid } of cases) {
  Deno.test(`chained fixups, ${name}`, () => {
    const options = maxValid === undefined ? {} : { maxValid };
    const { fixups, warnings } = follow(
      payload(format, [0], imports, options),
      memoryOf(words, size),
    );
    assertEquals(warnings, []);
    assertEquals(fixups.map(short), expected);
    assert(fixups.every(({ type, segment }) => type === name && segment === "__DATA"));
    assertEquals(fixups[0].section, "__got");
  });
}

Deno.test("chained imports of all three formats", () => {
  const specs: ImportSpec[] = [
    { ordinal: 1, name: "_plain" },
    { ordinal: -3, name: "_weak", weak: true },
    { ordinal: 200, name: "_far", addend: -16n },
    { ordinal: 0, name: "" },
  ];
  for (const importsFormat of [1, 2, 3]) {
    const warnings: string[] = [];
    const chains = readChainedFixups(
      payload(2, [0xffff], specs, { importsFormat }),
      (message) => void warnings.push(message),
    )!;
    assertEquals(warnings, []);
    assertEquals(
      chains.imports,
      specs.map(({ ordinal, name, weak = false, addend = 0n }) => ({
        ordinal,
        name,
        weakImport: weak,
        addend: importsFormat === 1 ? 0n : addend,
      })),
    );
    assertEquals(chains.starts[0].pages, [[]]);
  }
});

Deno.test("several chains on one page, and pages without any", () => {
  // Page 0: starts 2 and 3 of the list; page 1: none.
  const { fixups, warnings } = follow(
    payload(6, [0x8002, 0xffff, 0x0008, 0x8000 | 0x0020], [], { pageCount: 2 }),
    memoryOf({ 8: 1n, 0x20: 2n }),
  );
  assertEquals(warnings, []);
  assertEquals(fixups.map(short), [[8, BASE + 1n, null], [0x20, BASE + 2n, null]]);
});

Deno.test("damaged chains end, with a warning, and keep what came before", () => {
  // A link past the page's end.
  const past = follow(payload(6, [0], []), memoryOf({ 0: 1n | next(0xfff, 51n) }));
  assertEquals(past.fixups.length, 1);
  assertEquals(past.warnings, ["the chained fixups of segment 0: a chain leaves page 0"]);
  // Starts that lead to the same chain again and again.
  const words: Record<number, bigint> = {};
  for (let at = 0; at < 0x1000; at += 8) words[at] = 1n | next(at + 8 < 0x1000 ? 2 : 0, 51n);
  const again = payload(6, [0x8001, 0, 0, 0x8000], [], { pageCount: 1 });
  const shared = follow(again, memoryOf(words), 700);
  assertEquals(shared.fixups.length, 700);
  assert(shared.warnings.some((text) => text.includes("more than the file has room for")));
  // An import that is not there, a format and a segment that are not, a list without an end.
  const missing = follow(payload(6, [0], []), memoryOf({ 0: bindBit64 | 9n }));
  assertEquals(missing.fixups.map(({ symbol }) => symbol), [null]);
  assertEquals(missing.warnings, ["the chained fixups of segment 0: there is no import 9"]);
  assertEquals(follow(payload(99, [0], []), memoryOf({})).warnings.length, 1);
  const endless = follow(payload(6, [0x8001, 0], [], { pageCount: 1 }), memoryOf({}));
  assert(endless.warnings.length > 0 && endless.fixups.length <= 1000);
});

/** Runs opcodes over {@linkcode data}, which has room for 1024 pointers. */
function run(
  kind: "rebase" | "bind" | "weak-bind" | "lazy-bind",
  opcodes: number[],
  maxFixups = 2000,
) {
  const warnings: string[] = [];
  const image = {
    pointerSize: 8 as const,
    segments: [data],
    maxFixups,
    warn: (message: string) => void warnings.push(message),
  };
  const bytes = Uint8Array.from(opcodes);
  const fixups = [...dyldFixups(bytes, kind, image)];
  return { fixups, warnings };
}

const name = (text: string): number[] => [...new TextEncoder().encode(text), 0];
const huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];

Deno.test("bind opcodes: every one of them", () => {
  const { fixups, warnings } = run("bind", [
    ...[0x11, 0x51, 0x41, ...name("_weakly"), 0x70, ...uleb(0x10), 0x90],
    // Addend -2, then 8 bytes on, then back by 16: distances are modulo 2^64.
    ...[0x60, 0x7e, 0x40, ...name("_other"), 0xa0, ...uleb(8)],
    ...[0x20, ...uleb(300), 0x80, 0xf0, ...Array(8).fill(0xff), 0x01, 0x90],
    ...[0x3e, 0x60, 0x00, 0xb2, 0xc0, ...uleb(2), ...uleb(8), 0x00],
  ]);
  assertEquals(warnings, []);
  assertEquals(
    fixups.map(({ address, symbol, addend, ordinal, weakImport }) => [
      Number(address! - SEGMENT),
      symbol,
      Number(addend),
      ordinal,
      weakImport,
    ]),
    [
      [0x10, "_weakly", 0, 1, true],
      [0x18, "_other", -2, 1, false],
      [0x18, "_other", -2, 300, false],
      [0x20, "_other", 0, -2, false],
      [0x38, "_other", 0, -2, false],
      [0x48, "_other", 0, -2, false],
    ],
  );
});

Deno.test("rebase opcodes: every one of them", () => {
  const { fixups, warnings } = run("rebase", [
    ...[0x11, 0x20, ...uleb(0), 0x52, 0x30, ...uleb(8), 0x60, ...uleb(2), 0x41],
    ...[0x70, ...uleb(8), 0x80, ...uleb(2), ...uleb(16), 0x12, 0x51, 0x00, 0x99],
  ]);
  assertEquals(warnings, []);
  assertEquals(
    fixups.map(({ address, type }) => [Number(address! - SEGMENT), type]),
    [
      ...[0, 8, 0x18, 0x20, 0x30, 0x40, 0x58].map((at) => [at, "pointer"]),
      [0x70, "text-absolute"],
    ],
  );
});

Deno.test("weak binds mark strong definitions; lazy binds continue after each end", () => {
  const weak = run("weak-bind", [0x48, ...name("_strong"), 0x40, ...name("_any"), 0x70, 0, 0x90]);
  assertEquals(weak.fixups.map(({ symbol, type, ordinal }) => [symbol, type, ordinal]), [
    ["_strong", "strong", -3],
    ["_any", "type 0", -3],
  ]);
  const one = (at: number, text: string) => [0x70, at, 0x11, 0x40, ...name(text), 0x90, 0];
  const lazy = run("lazy-bind", [...one(0, "_a"), ...one(8, "_b"), 0, 0, 0]);
  assertEquals(lazy.fixups.map(({ symbol }) => symbol), ["_a", "_b"]);
});

Deno.test("damaged opcodes end, with a warning, and keep what came before", () => {
  // Huge counts end where the segment does, or where the file's room does.
  const times = run("bind", [0x51, 0x40, ...name("_x"), 0x70, 0, 0xc0, ...huge, 0]);
  assertEquals(times.fixups.length, 1024);
  assertEquals(times.warnings.length, 1);
  // Going back by as much as each bind advances would never end.
  const back = [0xf8, ...Array(8).fill(0xff), 0x01];
  const still = run("bind", [0x51, 0x40, ...name("_x"), 0x70, 0, 0xc0, ...huge, ...back], 500);
  assertEquals(still.fixups.length, 500);
  assert(still.warnings[0].includes("more than the file has room for"));
  const rebased = run("rebase", [0x11, 0x20, 0, 0x80, ...huge, ...back], 500);
  assertEquals([rebased.fixups.length, rebased.warnings.length], [500, 1]);
  for (
    const opcodes of [
      [0x90], // no segment
      [0x7f, 0], // no such segment
      [0x70, 0x80], // a number without an end
      [0x40, 0x41], // a name without an end
      [0xd0], // threaded
      [0xe0], // unknown
      [0x60, 0x80],
      [0x70, ...uleb(0x1ff9), 0x90], // reaches over the end
    ]
  ) {
    const { fixups, warnings } = run("bind", opcodes);
    assertEquals([fixups.length, warnings.length], [0, 1], `${opcodes}`);
  }
});

Deno.test("ordinals have names", () => {
  const dylibs = [{ name: "/usr/lib/libSystem.B.dylib" }, { name: "@rpath/Foo.framework/Foo" }];
  assertEquals(
    [0, -1, -2, -3, 1, 2, 3].map((ordinal) => ordinalName(ordinal, dylibs)),
    ["this-image", "main-executable", "flat-namespace", "weak", "libSystem", "Foo", "dylib 3"],
  );
});
