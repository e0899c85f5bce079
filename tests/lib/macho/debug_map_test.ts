import { assert, assertEquals } from "@std/assert";
import { type ByteSource, bytesSource, DebugMap, Image } from "../../../lib/macho/mod.ts";

const root = new URL("../../../", import.meta.url).pathname;

function read(bytes: ByteSource): DebugMap | null {
  const image = Image.fromSource(bytes);
  return DebugMap.read({
    bytes,
    loadCommands: image.loadCommands,
    pointerSize: image.pointerSize,
    linkedAddress: image.loadAddress,
  });
}

function readFile(path: string): DebugMap | null {
  return read(bytesSource(Deno.readFileSync(`${root}${path}`), path));
}

Deno.test("the object files, archive members apart, and the functions by their offsets", () => {
  // What llvm-nm -pa lists.
  const map = readFile("tests/fixtures/inlines/x86_64/inlines")!;
  assertEquals(map.objects, [
    { path: "main.o", member: null, modified: 0 },
    { path: "libhelper.a", member: "helper.o", modified: 0 },
  ]);
  const functions = Array.from(
    map.starts,
    (start, index) => [start, map.ends[index] - start, map.name(index), map.objectOf[index]],
  );
  assertEquals(functions, [
    [0x5e0, 0x10, "_unused", 0],
    [0x5f0, 0x20, "_main", 0],
    [0x610, 0x17, "_outer", 0],
    [0x630, 0x20, "_helper_twice", 1],
    [0x650, 0xd, "__ZNK6helper7DoublerIiE4callEiPFiiE", 1],
  ]);
  const at = (offset: number) => map.at(offset);
  assertEquals([0x5df, 0x5e0, 0x60f, 0x610, 0x626].map(at), [-1, 0, 1, 2, 2]);
  assertEquals([0x627, 0x62f, 0x630, 0x65c, 0x65d].map(at), [-1, -1, 3, 4, -1]);
});

Deno.test("32-bit maps, with the entries that bracket functions", () => {
  for (const arch of ["armv7", "i386"]) {
    const map = readFile(`examples/demo/${arch}/demo`)!;
    assertEquals(map.objects.map(({ path }) => path), ["demo.o"], arch);
    const names = Array.from(map.starts, (_, index) => map.name(index));
    assertEquals(names.length, 12, arch);
    assert(names.includes("_worker_relay"), arch);
    const image = Image.fromFile(Deno.readFileSync(`${root}examples/demo/${arch}/demo`), "demo");
    for (const [index, name] of names.entries()) {
      const [symbol] = image.findSymbols(name);
      assertEquals(symbol.address - image.loadAddress, BigInt(map.starts[index]), name);
    }
  }
});

Deno.test("a file without a debug map gives null", () => {
  assertEquals(readFile("examples/demo/arm64-stripped/demo"), null);
});

Deno.test("only the damaged parts of a map are lost", () => {
  const whole = Deno.readFileSync(`${root}tests/fixtures/inlines/x86_64/inlines`);
  const image = Image.fromFile(whole, "inlines");
  const linkedit = image.segments.find(({ name }) => name === "__LINKEDIT")!;
  let maps = 0;
  for (let length = linkedit.fileOffset; length < whole.length; length += 7) {
    const map = read(bytesSource(whole.subarray(0, length), "cut"));
    if (map === null) continue;
    maps++;
    for (let index = 0; index < map.count; index++) map.name(index);
  }
  assert(maps > 0);
  let seed = 1;
  for (let round = 0; round < 500; round++) {
    const bytes = whole.slice();
    for (let change = 0; change < 8; change++) {
      seed = (seed * 48271) % 0x7fffffff;
      bytes[linkedit.fileOffset + seed % linkedit.fileSize] = seed >> 8;
    }
    const map = read(bytesSource(bytes, "changed"));
    for (let index = 0; index < (map?.count ?? 0); index++) {
      map!.name(index);
      map!.at(map!.starts[index]);
    }
  }
});
