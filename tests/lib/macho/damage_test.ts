import { assert, assertEquals } from "@std/assert";
import { FormatError, MemoryReadError } from "../../../lib/errors.ts";
import { Image, type LoadCommand } from "../../../lib/macho/mod.ts";
import { parseExports } from "../../../lib/macho/exports.ts";
import { parseFunctionStarts } from "../../../lib/macho/function_starts.ts";
import { UlebReader } from "../../../lib/leb128.ts";
import { buildImage, buildTrie, FakeMemory, uleb } from "./build_image.ts";

/** An image with some of everything. */
function sample(is64: boolean): Uint8Array<ArrayBuffer> {
  return buildImage({
    is64,
    sections: [
      { segment: "__TEXT", name: "__text", offset: 0x1000, size: 0x100 },
      { segment: "__DATA", name: "__objc_classlist", offset: 0x3000, size: 0x10 },
      { segment: "__DATA", name: "__objc_catlist", offset: 0x3010, size: 0x10 },
    ],
    symbols: Array.from({ length: 8 }, (_, index) => ({
      name: `_symbol_${index}`,
      offset: 0x1000 + 16 * index,
      type: index % 2 === 0 ? 0x0f : 0x0e,
    })),
    functionStarts: [0x1000, 0x1018, 0x1040],
    exports: [{ name: "_symbol_0", offset: 0x1000 }, { name: "_other", offset: 0x1088 }],
    uuid: new Uint8Array(16).fill(7),
    dylibs: ["/usr/lib/libSystem.B.dylib"],
  });
}

/** Does all that can be done with an image. Returns whether there was one. Anything else thrown than
 * the two errors that damage may cause fails the test. */
function use(bytes: Uint8Array): boolean {
  const memory = new FakeMemory().map(0x7fff_0000_0000n, bytes);
  for (
    const open of [
      () => Image.fromFile(bytes, "damaged"),
      () => Image.fromMemory(memory, 0x7fff_0000_0000n, "damaged"),
    ]
  ) {
    let image: Image;
    try {
      image = open();
    } catch (error) {
      if (error instanceof FormatError || error instanceof MemoryReadError) continue;
      throw error;
    }
    let previous = -1n << 70n;
    for (const symbol of image.symbols) {
      assert(symbol.address >= previous, "symbols rise");
      previous = symbol.address;
      assert(symbol.size >= 0);
      const match = image.symbolAt(symbol.address);
      // What other sources say inside of a function that the symbol table names is not believed.
      if (match !== null && match.offset !== 0) assertEquals(symbol.size, 0);
    }
    for (let offset = 0n; offset < 0x5000n; offset += 0x34n) {
      const match = image.symbolAt(image.loadAddress + offset);
      assert(match === null || (match.offset >= 0 && match.offset < (match.symbol?.size ?? 1e99)));
      image.sectionAt(image.loadAddress + offset);
    }
    image.findSymbols("symbol_0");
    JSON.stringify(image);
  }
  return true;
}

Deno.test("a truncated image keeps its intact parts", () => {
  for (const is64 of [true, false]) {
    const bytes = sample(is64);
    const { loadCommands } = Image.fromFile(bytes, "sample");
    for (const { offset } of loadCommands) {
      for (const length of [offset, offset + 4, offset + 7, offset + 8]) {
        const image = Image.fromFile(bytes.slice(0, length), "cut");
        assert(image.warnings.length > 0, `cut at ${length}`);
        assertEquals(image.loadCommands, loadCommands.filter((command) => end(command) <= length));
        use(bytes.slice(0, length));
      }
    }
    for (let length = 0; length < bytes.length; length += 41) use(bytes.slice(0, length));
  }
  function end({ offset, size }: LoadCommand): number {
    return offset + size;
  }
});

Deno.test("any word of the header and load commands replaced by anything", () => {
  for (const is64 of [true, false]) {
    const bytes = sample(is64);
    const last = Image.fromFile(bytes, "sample").loadCommands.at(-1)!;
    for (let at = 4; at < last.offset + last.size; at += 4) {
      for (const value of [0, 1, 7, 0x7fffffff, 0x80000000, 0xffffffff]) {
        const damaged = bytes.slice();
        new DataView(damaged.buffer).setUint32(at, value, true);
        assert(use(damaged));
      }
    }
  }
});

Deno.test("any word of __LINKEDIT replaced by anything", () => {
  const bytes = sample(true);
  for (let at = 0x4000; at + 4 <= bytes.length; at += 2) {
    for (const value of [0, 0xffffffff, 0x80808080, 0x01010101]) {
      const damaged = bytes.slice();
      new DataView(damaged.buffer).setUint32(at, value, true);
      assert(use(damaged));
    }
  }
});

Deno.test("random damage, the same in every run", () => {
  const bytes = sample(true);
  let seed = 12345;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % below;
  };
  for (let round = 0; round < 1000; round++) {
    const damaged = bytes.slice();
    for (let count = 1 + random(16); count > 0; count--) {
      const inCommands = random(2) === 0;
      damaged[inCommands ? 28 + random(0x400) : random(damaged.length)] = random(256);
    }
    assert(use(damaged));
  }
});

Deno.test("only a damaged part is lost", () => {
  const bytes = sample(true);
  const view = new DataView(bytes.buffer);
  const symtab = Image.fromFile(bytes, "sample").loadCommands.find(({ command }) => command === 2)!;
  view.setUint32(symtab.offset + 8, 0xfffffff0, true);
  const image = Image.fromFile(bytes, "damaged", { loadAddress: 0n });
  assertEquals([...image.symbols].map(String), ["symbol_0", "other"]);
  assertEquals(image.symbolAt(0x1020n), { symbol: null, offset: 8, size: 40 });
  assertEquals(image.warnings, ["the symbol table: 0 of 128 bytes are there"]);
});

Deno.test("a load command of no size ends the commands", () => {
  const bytes = sample(true);
  const [first, second] = Image.fromFile(bytes, "sample").loadCommands;
  new DataView(bytes.buffer).setUint32(second.offset + 4, 0, true);
  const image = Image.fromFile(bytes, "damaged");
  assertEquals(image.loadCommands, [first]);
  assertEquals(image.segments.map(({ name }) => name), ["__TEXT"]);
  assertEquals(image.warnings.length, 1);
});

Deno.test("an export trie that is a cycle, shares nodes, or ends early", () => {
  const names = (bytes: number[]) => {
    const trie = parseExports(Uint8Array.from(bytes));
    const found = Array.from(trie.nameOffsets, (offset) => trie.names.at(offset));
    return { found, complete: trie.complete };
  };
  const [a, b] = [0x61, 0x62];
  // Root at 0 with a child at 5, whose child is the root.
  assertEquals(names([0, 1, a, 0, 5, 2, 0, 9, 1, b, 0, 0]), { found: ["a"], complete: false });
  // A node that is its own child.
  assertEquals(names([0, 1, a, 0, 0]), { found: [], complete: false });
  // Two edges to the same node: one name is enough to answer for the address.
  assertEquals(names([0, 2, a, 0, 8, b, 0, 8, 2, 0, 9, 0]).found.length, 1);
  // A child beyond the end, an edge without an end, a terminal part that is too long.
  assertEquals(names([0, 1, a, 0, 99]), { found: [], complete: false });
  assertEquals(names([0, 1, a, a, a]), { found: [], complete: false });
  assertEquals(names([99, 0, 9, 0]), { found: [], complete: false });
  assertEquals(names([]), { found: [], complete: true });
  assertEquals(names([0, 0]), { found: [], complete: true });
});

Deno.test("a trie that repeats one prefix is bounded", () => {
  // A chain of nodes, each with a name and a long edge to the next: the names come to the square of
  // the trie's size.
  const nodes: number[] = [];
  const edge = Array(200).fill(0x61);
  const size = 3 + 1 + edge.length + 1 + 4;
  for (let index = 0; index < 3000; index++) {
    const next = (index + 1) * size;
    nodes.push(2, 0, 9, 1, ...edge, 0);
    nodes.push(next & 0x7f | 0x80, next >> 7 & 0x7f | 0x80, next >> 14 & 0x7f | 0x80, next >> 21);
  }
  const trie = parseExports(Uint8Array.from(nodes));
  assertEquals(trie.complete, false);
  const bytes = trie.nameOffsets.reduce((sum, at) => sum + trie.names.bytesAt(at).length, 0);
  assert(bytes < 80 * nodes.length, `${bytes} bytes of names from ${nodes.length}`);
});

Deno.test("numbers: all sizes, padding, no end", () => {
  for (const value of [0, 1, 127, 128, 300, 2 ** 32, 2 ** 53 - 1]) {
    const reader = new UlebReader(Uint8Array.from([9, ...uleb(value), 5]), 1);
    assertEquals([reader.next(), reader.next()], [value, 5]);
  }
  const next = (...bytes: number[]) => new UlebReader(Uint8Array.from(bytes)).next();
  assertEquals(next(0x81, 0x80, 0x80, 0x00), 1);
  assertEquals(next(0x81, ...Array(1000).fill(0x80), 0x00), 1);
  assertEquals(next(...Array(1000).fill(0x80)), NaN);
  assertEquals(next(...Array(9).fill(0xff), 0x01), NaN);
  assertEquals(next(), NaN);
});

Deno.test("function starts end at a zero, at damage, and at the image's end", () => {
  const parse = (...bytes: number[]) => {
    const { offsets, complete } = parseFunctionStarts(Uint8Array.from(bytes), 1000);
    return { offsets: [...offsets], complete };
  };
  assertEquals(parse(16, 16, 0, 5), { offsets: [16, 32], complete: true });
  assertEquals(parse(16, 16), { offsets: [16, 32], complete: true });
  assertEquals(parse(16, 0x80), { offsets: [16], complete: false });
  assertEquals(parse(16, 0xff, 0xff, 1, 4), { offsets: [16], complete: false });
  assertEquals(parse(), { offsets: [], complete: true });
});

Deno.test("function starts: deltas of each length, few and many, in images of each size", () => {
  for (const limit of [2 ** 31, 2 ** 40]) {
    for (const count of [1, 63, 1024, 1025, 5000]) {
      const starts = Array.from({ length: count }, (_, index) => index * 4 + 4);
      for (let index = 1; index < count; index += 7) {
        const far = index % 3 === 0 ? 200 : index % 3 === 1 ? 20_000 : 2_100_000;
        for (let later = index; later < Math.min(count, index + 7); later++) {
          starts[later] = starts[later - 1] + (later === index ? far : 4);
        }
      }
      const bytes: number[] = [];
      starts.forEach((start, index) => {
        let delta = start - (starts[index - 1] ?? 0);
        for (; delta >= 0x80; delta = Math.floor(delta / 128)) bytes.push(delta % 128 | 0x80);
        bytes.push(delta);
      });
      const wanted = starts.filter((start) => start < limit);
      const { offsets, complete } = parseFunctionStarts(Uint8Array.from(bytes), limit);
      assertEquals([[...offsets], complete], [wanted, wanted.length === count]);
    }
  }
});

Deno.test("the builder's trie reads back", () => {
  const symbols = [{ name: "_a", offset: 0x1234 }, { name: "_ab", offset: 0x123456, flags: 4 }];
  const trie = parseExports(buildTrie(symbols));
  const found = Array.from(trie.offsets, (offset, index) => ({
    name: trie.names.at(trie.nameOffsets[index]),
    offset,
    flags: trie.flags[index],
  }));
  assertEquals(found.sort((x, y) => x.offset - y.offset), [{ ...symbols[0], flags: 0 }, {
    ...symbols[1],
    flags: 4,
  }]);
});
