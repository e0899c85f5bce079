/** Files damaged in every way that is easy to think of: what is left must come out, with a warning or a
 * `FormatError` that names file and offset, and never more than the file has room for. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { FormatError } from "../../../lib/errors.ts";
import { bytesSource, MachOFile, readFat } from "../../../lib/macho/mod.ts";
import { buildImage, uleb } from "./build_image.ts";

const fixtures = new URL("../../../examples/demo/", import.meta.url);
const samples = [
  "x86_64-chained/demo",
  "arm64/libworkers.dylib",
  "armv7/demo",
  "i386/libworkers.dylib",
].map((name) => ({ name, bytes: Deno.readFileSync(new URL(name, fixtures)) }));

/** Asks for everything. Returns how much came out, by kind; `null` when there is no image at all. */
function use(bytes: Uint8Array): Record<string, number> | null {
  let file: MachOFile;
  try {
    file = new MachOFile(bytesSource(bytes, "damaged"));
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    assertEquals(error.file, "damaged");
    assert(error.offset >= 0 && error.message.includes("at offset 0x"), error.message);
    return null;
  }
  const counts: Record<string, number> = { warnings: file.warnings.length, commands: 0 };
  const add = (kind: string, count: number): void => {
    counts[kind] = (counts[kind] ?? 0) + count;
    assert(counts[kind] <= 16 * bytes.length + 4096, `${counts[kind]} ${kind}`);
  };
  for (const image of file.images) {
    add("commands", image.loadCommands.length);
    for (const { fields } of image.loadCommands) add("fields", Object.keys(fields).length);
    add("dylibs", image.dylibs.length + image.rpaths.length + image.builds.length);
    add("notes", image.notes.length + (image.encryption === null ? 0 : 1));
    const symbols = image.symbols();
    if (symbols !== null) {
      let length = 0;
      for (const piece of symbols.lines(symbols.byAddress(true), (name) => name)) {
        length += piece.length;
      }
      assert(length >= symbols.count * 12, `${length} bytes of ${symbols.count} symbols`);
      add("symbols", symbols.count);
      for (const { letter } of symbols) assert(letter.length === 1);
    }
    add("indirect", image.indirectSymbols(symbols).length);
    add("starts", image.functionStarts().length);
    add("exports", image.exports().length);
    for (const _fixup of image.fixups()) add("fixups", 1);
    add("objc", image.objcClasses().length);
    add("swift", image.swiftTypes().length);
    image.codeSignature();
    add("warnings", image.warnings.length);
    assert(image.warnings.length <= 500, `${image.warnings.length} warnings`);
  }
  return counts;
}

/** The same numbers in every run. */
function randomNumbers(): (below: number) => number {
  let seed = 4711;
  return (below) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}

Deno.test("the undamaged file is read without a warning", () => {
  for (const { name, bytes } of samples) {
    const counts = use(bytes)!;
    assertEquals(counts.warnings, 0, name);
    for (const kind of ["commands", "symbols", "fixups", "starts", "exports"]) {
      assert(counts[kind] > 0, `${name}: ${kind}`);
    }
  }
});

Deno.test("cut off at every load command: the commands before the cut are kept", () => {
  for (const { name, bytes } of samples) {
    const [whole] = new MachOFile(bytesSource(bytes, name)).images;
    for (const { offset, size } of whole.loadCommands) {
      for (const length of [offset, offset + 4, offset + 8, offset + size - 1]) {
        const cut = bytes.subarray(0, length);
        assert(use(cut)!.warnings > 0, `${name} at ${length}`);
        const [image] = new MachOFile(bytesSource(cut, name)).images;
        assertEquals(
          image.loadCommands,
          whole.loadCommands.filter((command) => command.offset + command.size <= length),
        );
      }
    }
    assertEquals(use(bytes.subarray(0, 27)), null);
  }
});

Deno.test("cut off at a thousand places", () => {
  const random = randomNumbers();
  for (let round = 0; round < 1000; round++) {
    const { bytes } = samples[round % samples.length];
    use(bytes.subarray(0, random(bytes.length)));
  }
});

for (const { name, bytes } of samples) {
  Deno.test(`${name}: every number of header and load commands at its extremes`, () => {
    const [{ loadCommands }] = new MachOFile(bytesSource(bytes, name)).images;
    const last = loadCommands.at(-1)!;
    const damaged = bytes.slice();
    const view = new DataView(damaged.buffer);
    for (let at = 0; at < last.offset + last.size; at += 4) {
      const before = view.getUint32(at, true);
      for (const value of [0, 1, 0x7fffffff, 0xffffffff]) {
        view.setUint32(at, value, true);
        use(damaged);
      }
      view.setUint32(at, before, true);
    }
  });
}

Deno.test("random damage to what the load commands lead to", () => {
  const random = randomNumbers();
  for (let round = 0; round < 1000; round++) {
    const { bytes } = samples[round % samples.length];
    const damaged = bytes.slice();
    const start = Math.floor(bytes.length / 2);
    for (let count = 1 + random(64); count > 0; count--) {
      damaged[start + random(bytes.length - start)] = random(256);
    }
    assert(use(damaged) !== null);
  }
});

Deno.test("segments that overlap, and commands of no size", () => {
  const bytes = samples[0].bytes.slice();
  const [image] = new MachOFile(bytesSource(bytes, "sample")).images;
  const view = new DataView(bytes.buffer);
  const segments = image.loadCommands.filter(({ name }) => name === "LC_SEGMENT_64");
  for (const { offset } of segments) {
    view.setBigUint64(offset + 24, 0x1_0000_0000n, true); // vmaddr
    view.setBigUint64(offset + 32, 0x10_0000n, true); // vmsize
  }
  assertEquals(use(bytes)!.commands, image.loadCommands.length);
  view.setUint32(segments[1].offset + 4, 0, true);
  const counts = use(bytes)!;
  assertEquals(counts.commands, 1);
  assert(counts.warnings > 0);
});

/** A universal file of the given slices. */
function fat(slices: readonly Uint8Array[], types: readonly number[]): Uint8Array {
  const size = 0x1000 + slices.reduce((sum, { length }) => sum + length, 0);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0xcafebabe);
  view.setUint32(4, slices.length);
  let offset = 0x1000;
  slices.forEach((slice, index) => {
    [types[index], types[index] === ARM64 ? 0 : 3, offset, slice.length, 0]
      .forEach((value, word) => view.setUint32(8 + 20 * index + 4 * word, value));
    bytes.set(slice, offset);
    offset += slice.length;
  });
  return bytes;
}

const X86_64 = 0x01000007;
const ARM64 = 0x0100000c;
const POWERPC = 18;
const open = (bytes: Uint8Array, arch?: string) =>
  new MachOFile(bytesSource(bytes, "file"), arch === undefined ? {} : { arch });

Deno.test("universal files in universal files are refused; their neighbours are read", () => {
  const image = buildImage({});
  const inner = fat([image], [X86_64]);
  const file = open(fat([inner, image], [ARM64, X86_64]));
  assertEquals(file.images.map(({ arch }) => arch), ["x86_64"]);
  assertEquals(file.warnings, ["arm64: a universal file inside a universal file is not read"]);
  assertThrows(() => open(fat([inner], [ARM64])), FormatError, "not another universal file");
  // One that holds itself.
  const itself = fat([image], [ARM64]);
  new DataView(itself.buffer).setUint32(16, 0);
  assertThrows(() => open(itself), FormatError, "file: at offset 0x0");
});

Deno.test("a big-endian image is named and left out", () => {
  const big = new Uint8Array(64);
  new DataView(big.buffer).setUint32(0, 0xfeedface);
  const file = open(fat([big, buildImage({})], [POWERPC, X86_64]));
  assertEquals(file.images.map(({ arch }) => arch), ["x86_64"]);
  assertEquals(file.warnings.length, 1);
  assert(/0x1000.*little-endian/.test(file.warnings[0]), file.warnings[0]);
  assertThrows(() => open(big), FormatError, "file: at offset 0x0: expected a little-endian");
  assertThrows(() => open(fat([big], [POWERPC])), FormatError, "file: at offset 0x1000");
});

Deno.test("a missing architecture: the error lists those that exist", () => {
  const bytes = fat([buildImage({}), buildImage({ is64: false })], [X86_64, 7]);
  assertThrows(() => open(bytes, "arm64e"), FormatError, "an image for arm64e; there is x86_64");
  assertThrows(() => open(buildImage({}), "arm64"), FormatError, "there is x86_64");
  assertEquals(open(bytes, "x86_64").images.length, 1);
});

Deno.test("universal headers with extreme values", () => {
  const bytes = fat([buildImage({}), buildImage({ is64: false })], [X86_64, 7]);
  const view = new DataView(bytes.buffer);
  for (let at = 4; at < 48; at += 4) {
    const before = view.getUint32(at);
    for (const value of [0, 1, 2, 0x7fffffff, 0xffffffff]) {
      view.setUint32(at, value);
      use(bytes);
    }
    view.setUint32(at, before);
  }
  assertEquals(readFat(bytesSource(bytes, "file"))?.length, 2);
});

/** An archive of one member, which may be damaged. */
function archive(name: string, size: string, content: Uint8Array): Uint8Array {
  const header = `!<arch>\n${name.padEnd(16)}${"0".padEnd(12)}${"0".padEnd(6)}${"0".padEnd(6)}` +
    `${"644".padEnd(8)}${size.padEnd(10)}\`\n`;
  return Uint8Array.from([...new TextEncoder().encode(header), ...content]);
}

Deno.test("archives: members that claim too much, or are something else", () => {
  const image = buildImage({});
  const whole = open(archive("one.o/", `${image.length}`, image));
  assertEquals(whole.images.map(({ member, offset }) => [member, offset]), [["one.o", 68]]);
  const long = open(archive("one.o/", "9999999999", image));
  assertEquals([long.images.length, long.warnings.length], [1, 1]);
  assertThrows(() => open(archive("one.o/", "-5", image)), FormatError, "a Mach-O image");
  assertThrows(() => open(archive("one.o/", "12", new Uint8Array(12))), FormatError);
  const text = new Uint8Array(64).fill(0x20);
  assertThrows(() => open(archive("notes/", "64", text)), FormatError, "Mach-O magic");
  assertThrows(() => open(archive("#1/99999999", `${image.length}`, image)), FormatError);
  for (const name of ["/", "//", "/999999", "#1/4", "__.SYMDEF", ""]) {
    use(archive(name, `${image.length}`, image));
  }
  const bytes = archive("one.o/", `${image.length}`, image);
  for (let length = 0; length < 200; length++) use(bytes.subarray(0, length));
});

Deno.test("an export trie that leads in a circle", () => {
  // The root's child is the root; beside it stands a name.
  const trie = Uint8Array.from([0, 2, 0x61, 0, 0, 0x62, 0, ...uleb(9), 0, 2, 0, 16, 0]);
  trie[8] = 9;
  const [image] = open(buildImage({ trie })).images;
  assertEquals(image.exports().map(({ name, value }) => [name, value]), [["b", 16n]]);
  assertEquals(image.warnings, ["the export trie is damaged: some exports are left out"]);
});
