import { assert, assertEquals, assertThrows } from "@std/assert";
import { FormatError } from "../../../lib/errors.ts";
import * as zlib from "../../../lib/dwarf/zlib.ts";
import { zstdCompressSync } from "node:zlib";
import { bytesSource } from "../../../lib/macho/mod.ts";
import { DwarfSections, inflateSection } from "../../../lib/dwarf/mod.ts";
import { abbreviation, makeSections, open, unit } from "./debug_sections.ts";
import { number, text } from "./section.ts";

async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function random(length: number, range: number): Uint8Array<ArrayBuffer> {
  let seed = length;
  return Uint8Array.from({ length }, () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return (seed >>> 24) % range;
  });
}

const samples: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  empty: new Uint8Array(),
  short: new TextEncoder().encode("abc"), // fixed codes
  noise: random(200_000, 256), // stored blocks
  text: random(300_000, 5),
  zeros: new Uint8Array(1_000_000),
  source: Deno.readFileSync(new URL("../../../examples/demo/arm64/demo", import.meta.url)),
};

/** The module as browsers load it, which have no `process`. */
async function browserModule(): Promise<typeof zlib> {
  const holder = globalThis as { process?: unknown };
  const { process } = holder;
  try {
    holder.process = undefined;
    const module: typeof zlib = await import(`${import.meta.resolve(path)}?browser`);
    assertThrows(() => module.inflate(empty, 0, "test"), FormatError, "loadInflate()");
    await module.loadInflate();
    return module;
  } finally {
    holder.process = process;
  }
}

const path = "../../../lib/dwarf/zlib.ts";
const empty = await deflated(new Uint8Array());

for (
  const [where, module] of [["built in", zlib], ["in browsers", await browserModule()]] as const
) {
  testInflate(where, module);
}

function testInflate(where: string, { inflate }: typeof zlib): void {
  Deno.test(`${where}: data of every kind of block comes back as it was`, async () => {
    for (const [name, bytes] of Object.entries(samples)) {
      const result = inflate(await deflated(bytes), bytes.length, "test");
      assert(result.every((byte, index) => byte === bytes[index]), name);
      assertEquals(result.length, bytes.length);
    }
  });

  Deno.test(`${where}: data that ends early, is of another length or damaged is an error`, async () => {
    const bytes = samples.text.subarray(0, 20_000);
    const data = await deflated(bytes);
    for (const length of [0, 19_999, 20_001, 2 ** 40, NaN]) {
      assertThrows(() => inflate(data, length, "test"), FormatError);
    }
    for (let end = 0; end < data.length - 16; end += 97) {
      assertThrows(() => inflate(data.subarray(0, end), bytes.length, "test"), FormatError);
    }
    for (let at = 0; at < data.length * 8; at += 101) {
      const copy = data.slice();
      copy[at >> 3] ^= 1 << (at & 7);
      try {
        inflate(copy, bytes.length, "test");
      } catch (error) {
        assert(error instanceof FormatError, `bit ${at}: ${error}`);
      }
    }
  });
}

Deno.test("a compressed section has as many bytes as its size allows, or is left out", async () => {
  const size = 1 << 26;
  const data = await deflated(new Uint8Array(size));
  const head = [...new TextEncoder().encode("ZLIB"), ...number(size, 8).reverse()];
  const bytes = new Uint8Array([...head, ...data]);
  const before = Deno.memoryUsage().external;
  assertThrows(() => inflateSection(bytes, "test"), FormatError, "when decompressed");
  assert(Deno.memoryUsage().external - before < 1 << 24);
});

Deno.test("sections that are compressed as Go's linker does are read like others", async () => {
  const data = await deflated(samples.text);
  const size = number(samples.text.length, 8).reverse();
  const magic = [...new TextEncoder().encode("ZLIB")];
  const sections = makeSections({ __zdebug_info: [...magic, ...size, ...data] });
  const section = sections.get("info");
  assertEquals(section.size, samples.text.length);
  assertEquals(section.read(1000, 50), samples.text.slice(1000, 1050));
  assertEquals(section.read(299_990, 50), samples.text.slice(299_990));
  assertEquals(sections.get("line").size, 0);
  // It says that it is of a length which no such data has.
  const large = makeSections({ __zdebug_info: [...magic, 0, 0, 0, 1, 0, 0, 0, 0, ...data] });
  assertThrows(() => large.get("info"), FormatError);
  // Without it nothing is known; without another, what that has.
  const warnings: string[] = [];
  const info = open(
    {
      info: unit({ version: 4 }, [1, ...text("a.c"), ...number(0, 4)]),
      abbrev: [...abbreviation(1, 0x11, false, [[0x03, 0x08], [0x10, 0x17]]), 0],
      __zdebug_line: [...magic, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 3],
    },
    0n,
    (warning) => warnings.push(warning),
  );
  assertEquals(info.table(info.units[0]).name, "a.c");
  assertEquals(
    warnings[0],
    "__debug_line left out: __debug_line: at offset 0x0: expected a zlib header",
  );
});

Deno.test("sections of ELF files may be compressed by zstd; damage is an error", () => {
  const plain = samples.text;
  const data = new Uint8Array(zstdCompressSync(plain));
  const sectionOf = (method: number, size: number, data: Uint8Array) => {
    // `Elf64_Chdr`.
    const head = [...number(method, 4), ...number(0, 4), ...number(size, 8), ...number(1, 8)];
    const bytes = Uint8Array.from([...head, ...data]);
    const place = { name: "__debug_info", segmentName: "__DWARF", fileOffset: 0 };
    return DwarfSections.find(bytesSource(bytes, "made"), [
      { ...place, size: bytes.length, compressed: 8 },
    ])!.get("info");
  };
  const section = sectionOf(2, plain.length, data);
  assertEquals(section.size, plain.length);
  assertEquals(section.read(1000, 50), plain.slice(1000, 1050));
  for (const size of [1, plain.length - 1, plain.length + 1]) {
    assertThrows(() => sectionOf(2, size, data), FormatError, undefined, `${size}`);
  }
  assertThrows(() => sectionOf(2, plain.length, data.subarray(0, 100)), FormatError);
  assertThrows(() => sectionOf(2, 1000, plain.subarray(0, 100)), FormatError, "zstd");
  assertThrows(() => sectionOf(3, plain.length, data), FormatError, "zlib or zstd, not method 3");
});
