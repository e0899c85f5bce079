import { assert, assertEquals, assertStrictEquals, assertStringIncludes } from "@std/assert";
import { Image, type LoadedImage } from "../../../lib/macho/mod.ts";
import {
  DebugProvider,
  dladdr,
  type SourceFrame,
  SymbolFiles,
  Symbolizer,
} from "../../../lib/symbols/mod.ts";
import { buildImage, FakeMemory } from "../macho/build_image.ts";
import { FileTree } from "./file_tree.ts";

const EXTERNAL = 0x0f;
const LOCAL = 0x0e;

const A = 0x1_0a00_0000n;
const B = 0x1_0b00_0000n;

function images(): Image[] {
  const memory = new FakeMemory()
    .map(
      A,
      buildImage({
        uuid: new Uint8Array(16).fill(0x11),
        symbols: [
          { name: "_main", offset: 0x1000, type: EXTERNAL },
          { name: "_helper", offset: 0x1100, type: LOCAL },
        ],
        functionStarts: [0x1000, 0x1080, 0x1100],
      }),
    )
    .map(
      B,
      buildImage({
        symbols: [
          { name: "_helper", offset: 0x1000, type: EXTERNAL },
          { name: "_work", offset: 0x1200, type: EXTERNAL },
        ],
      }),
    );
  return [
    Image.fromMemory(memory, A, "/bin/demo"),
    Image.fromMemory(memory, B, "/usr/lib/libb.dylib"),
  ];
}

Deno.test("an address resolves to its image, symbol and offset", () => {
  const symbolizer = new Symbolizer(images());
  const short = (address: bigint) => {
    const { image, symbol, offset, source, frames } = symbolizer.resolve(address);
    assertEquals([source, frames], [null, []]);
    return [image?.name ?? null, symbol?.name ?? null, offset];
  };
  assertEquals(short(A + 0x1004n), ["demo", "main", 4]);
  assertEquals(short(B + 0x1210n), ["libb.dylib", "work", 16]);
  // A nameless function, a place without symbols: the offset is the image's.
  assertEquals(short(A + 0x1090n), ["demo", null, 0x1090]);
  assertEquals(short(A + 0x10n), ["demo", null, 0x10]);
  assertEquals(short(A + 0x80_0000n), [null, null, 0]);
  assertEquals(short(0n), [null, null, 0]);
});

Deno.test("the same address gives the same object, another address a different one", () => {
  const symbolizer = new Symbolizer(images());
  const address = A + 0x1004n;
  assertStrictEquals(symbolizer.resolve(address), symbolizer.resolve(A + 0x1004n));
  assert(symbolizer.resolve(address) !== symbolizer.resolve(address + 1n));
  assertStrictEquals(symbolizer.resolve(address).symbol, symbolizer.resolve(address + 1n).symbol);
});

Deno.test("dladdr fills Dl_info's fields, with null where nothing is known", () => {
  const symbolizer = new Symbolizer(images());
  const [image] = symbolizer.images.images;
  assertEquals<unknown>(dladdr(symbolizer.resolve(A + 0x1108n), A + 0x1108n), {
    fname: "/bin/demo",
    fbase: A,
    sname: "helper",
    saddr: A + 0x1100n,
    image,
    symbol: image.findSymbols("helper")[0],
    offset: 8,
    uuid: "11111111-1111-1111-1111-111111111111",
    source: null,
    frames: [],
  });
  const nameless = dladdr(symbolizer.resolve(A + 0x1090n), A + 0x1090n)!;
  assertEquals([nameless.sname, nameless.saddr, nameless.offset], [null, A + 0x1080n, 0x10]);
  const header = dladdr(symbolizer.resolve(B + 0x10n), B + 0x10n)!;
  assertEquals([header.sname, header.saddr, header.offset], [null, null, 0x10]);
  assertEquals(dladdr(symbolizer.resolve(0x10n), 0x10n), null);
});

Deno.test("lookup finds a name in every image, in their order", () => {
  const symbolizer = new Symbolizer(images());
  const found = (name: string) =>
    symbolizer.lookup(name).map(({ image, symbol }) => [image.name, symbol.address]);
  assertEquals(found("helper"), [["demo", A + 0x1100n], ["libb.dylib", B + 0x1000n]]);
  assertEquals(found("_work"), [["libb.dylib", B + 0x1200n]]);
  assertEquals(found("absent"), []);
});

Deno.test("an image of another kind may lack symbols", () => {
  const mapping: LoadedImage = {
    name: "libc.so.6",
    path: "/lib/libc.so.6",
    uuid: null,
    loadAddress: 0x7000n,
    slide: 0x7000n,
    ranges: [{ start: 0x7000n, end: 0x9000n }],
    symbolAt: () => null,
    findSymbols: () => [],
  };
  const symbolizer = new Symbolizer([...images(), mapping]);
  const { image, symbol, offset } = symbolizer.resolve(0x8004n);
  assertEquals([image, symbol, offset], [mapping, null, 0x1004]);
  assertEquals(dladdr(symbolizer.resolve(0x8004n), 0x8004n)?.fname, "/lib/libc.so.6");
});

Deno.test("a provider adds source positions; it is asked once for each address", () => {
  const asked: [string, bigint][] = [];
  const location = { file: "demo.c", line: 12, column: 3 };
  class FakeProvider extends DebugProvider {
    override framesAt(image: LoadedImage, address: bigint): readonly SourceFrame[] {
      asked.push([image.name, address]);
      return [
        { function: "inlined", location, inlined: true },
        { function: "main", location: null, inlined: false },
      ];
    }
  }
  const files = new FileTree({});
  const provider = new FakeProvider({ files }, new SymbolFiles(files, []));
  const symbolizer = new Symbolizer(images(), provider);
  const { source, frames } = symbolizer.resolve(A + 0x1004n);
  assertEquals(source, location);
  assertEquals(frames.map((frame) => frame.function), ["inlined", "main"]);
  symbolizer.resolve(A + 0x1004n);
  symbolizer.resolve(0x10n);
  assertEquals(asked, [["demo", A + 0x1004n]]);
});

Deno.test("an answer prints, and goes into JSON, with what its getters tell", () => {
  const info = new Symbolizer(images()).resolve(A + 0x1010n);
  const { image, ...json } = JSON.parse(JSON.stringify(info));
  assertEquals(json, { address: "0x10a001010", symbol: "main", offset: 16, frames: [] });
  assertEquals(image, info.image!.name);
  const text = Deno.inspect(info);
  assertStringIncludes(text, "main");
  assertStringIncludes(text, "offset: 16");
});
