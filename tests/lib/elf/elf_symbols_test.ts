import { assertEquals } from "@std/assert";
import { ElfImage } from "../../../lib/elf/mod.ts";
import { ElfSymbols } from "../../../lib/elf/elf_symbols.ts";
import { Symbolizer } from "../../../lib/symbols/mod.ts";
import { bytesSource } from "../../../lib/macho/mod.ts";

const FUNC = 2;
const GLOBAL = 1 << 4;
const WEAK = 2 << 4;

interface Row {
  readonly name: string;
  readonly value: number;
  readonly size?: number;
  /** `st_info`. */
  readonly info?: number;
  /** `st_shndx`. */
  readonly section?: number;
}

/** A table as the System V ABI lays it out, `Elf32_Sym` or `Elf64_Sym`, with a first entry of zeros. */
function table(
  rows: readonly Row[],
  pointerSize: 4 | 8,
  isArm = false,
  ends?: readonly number[],
): ElfSymbols {
  const entrySize = pointerSize === 8 ? 24 : 16;
  const entries = new Uint8Array(entrySize * (rows.length + 1));
  const view = new DataView(entries.buffer);
  let names = "\0";
  for (
    const [index, { name, value, size = 0, info = FUNC | GLOBAL, section = 1 }] of rows.entries()
  ) {
    const at = entrySize * (index + 1);
    view.setUint32(at, names.length, true);
    names += `${name}\0`;
    view.setUint8(at + (pointerSize === 8 ? 4 : 12), info);
    view.setUint16(at + (pointerSize === 8 ? 6 : 14), section, true);
    if (pointerSize === 8) {
      view.setBigUint64(at + 8, BigInt(value), true);
      view.setBigUint64(at + 16, BigInt(size), true);
    } else {
      view.setUint32(at + 4, value, true);
      view.setUint32(at + 8, size, true);
    }
  }
  const strings = bytesSource(new TextEncoder().encode(names), "names");
  return new ElfSymbols(
    { entries, names: strings, ...(ends && { ends }) },
    pointerSize,
    0x1000n,
    isArm,
  );
}

/** Such as `main + 4`. */
function at(symbols: ElfSymbols, address: number): string | null {
  const match = symbols.symbolAt(address);
  return match && `${match.symbol?.name} + ${match.offset}`;
}

for (const pointerSize of [4, 8] as const) {
  Deno.test(`${pointerSize * 8} bits: a symbol holds what its size says, and without a size all up to the next`, () => {
    const symbols = table([
      { name: "last", value: 0x500, size: 0x10 },
      { name: "main", value: 0x100, size: 0x40 },
      { name: "inner", value: 0x110, size: 8 },
      { name: "label", value: 0x300 },
      { name: "undefined", value: 0x320, section: 0 },
      { name: "absolute", value: 0x330, section: 0xfff1 },
    ], pointerSize);
    assertEquals(at(symbols, 0xff), null);
    assertEquals(at(symbols, 0x100), "main + 0");
    assertEquals(at(symbols, 0x117), "inner + 7");
    assertEquals(at(symbols, 0x118), "main + 24");
    assertEquals(at(symbols, 0x140), null);
    assertEquals(at(symbols, 0x4ff), "label + 511");
    assertEquals(symbols.symbolAt(0x300)?.size, 0x200);
    assertEquals(at(symbols, 0x510), null);
    assertEquals([...symbols].map(({ name, address }) => [name, address]), [
      ["main", 0x1100n],
      ["inner", 0x1110n],
      ["label", 0x1300n],
      ["last", 0x1500n],
    ]);
    assertEquals(symbols.find("inner").map(({ address }) => address), [0x1110n]);
    assertEquals(symbols.find("inne"), []);
  });

  Deno.test(`${pointerSize * 8} bits: of several symbols at one place the best known is taken`, () => {
    const symbols = table([
      { name: "__write", value: 0x100, size: 8 },
      { name: "write", value: 0x100, size: 8, info: FUNC | WEAK },
      { name: "_start_of_text", value: 0x100, size: 8, info: GLOBAL },
      { name: "local", value: 0x200, size: 8, info: FUNC },
      { name: "world", value: 0x200, size: 8 },
    ], pointerSize);
    assertEquals(at(symbols, 0x104), "write + 4");
    assertEquals(at(symbols, 0x200), "world + 0");
  });
}

Deno.test("ARM: the lowest bit of a function says that it is Thumb code", () => {
  const symbols = table(
    [{ name: "thumb", value: 0x101, size: 8 }, { name: "arm", value: 0x200 }],
    4,
    true,
  );
  assertEquals(at(symbols, 0x100), "thumb + 0");
  assertEquals(symbols.symbolAt(0x104)?.symbol?.thumb, true);
  assertEquals(symbols.symbolAt(0x204)?.symbol?.thumb, false);
  assertEquals(symbols.symbolAt(0x100)?.symbol?.address, 0x1100n);
});

Deno.test("the marks of ARM's assemblers are no symbols, and names of Swift are", () => {
  const symbols = table([
    { name: "$s4main3fooyySiF", value: 0x100, size: 8 },
    { name: "$x", value: 0x104, info: 0 },
  ], 8);
  assertEquals(at(symbols, 0x105), "$s4main3fooyySiF + 5");
});

Deno.test("addresses above 4 GB are told apart, and those beyond all images are left out", () => {
  const symbols = table([
    { name: "low", value: 0x100, size: 8 },
    { name: "high", value: 0x10_0000_0100, size: 8 },
    { name: "nowhere", value: 2 ** 53, size: 8 },
  ], 8);
  assertEquals(at(symbols, 0x104), "low + 4");
  assertEquals(at(symbols, 0x10_0000_0104), "high + 4");
  assertEquals([...symbols].map(({ name }) => name), ["low", "high"]);
});

Deno.test("a symbol without a size ends with its section: the linker's stubs are not _init's", () => {
  const rows = [{ name: "_init", value: 0x100, section: 1 }, {
    name: "main",
    value: 0x300,
    section: 3,
  }];
  const symbols = table(rows, 8, false, [0, 0x120, 0x200, 0x400]);
  assertEquals(at(symbols, 0x11f), "_init + 31");
  assertEquals(at(symbols, 0x120), null);
  assertEquals([...symbols].map(({ size }) => size), [0x20, 0]);
});

Deno.test("an image whose file is not there has no symbols, and names are looked up in the others", () => {
  const image = new ElfImage("/gone", [{ start: 0x1000n, end: 0x2000n }], () => null);
  assertEquals([[...image.symbols].length, image.symbolAt(0x1000n), image.findSymbols("a")], [
    0,
    null,
    [],
  ]);
  assertEquals(new Symbolizer([image]).lookup("nosuch"), []);
});

Deno.test("a label inside a function is not the function, as gdb has it", () => {
  const symbols = table([
    { name: "safe_syscall_base", value: 0x100, size: 0x40 },
    { name: "safe_syscall_end", value: 0x120, info: GLOBAL },
    { name: "label", value: 0x200, info: GLOBAL },
  ], 8);
  assertEquals(at(symbols, 0x120), "safe_syscall_base + 32");
  assertEquals(at(symbols, 0x201), "label + 1");
});
