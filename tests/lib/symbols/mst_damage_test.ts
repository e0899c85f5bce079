import { assert, assertEquals, assertThrows } from "@std/assert";
import { archs } from "../../../lib/arch/mod.ts";
import { bytesSource } from "../../../lib/macho/mod.ts";
import { MstBuilder, type MstFile, openMst, UnitEncoder } from "../../../lib/symbols/mst/mod.ts";
import { encodeHeader, parseHeader } from "../../../lib/symbols/mst/layout.ts";
import { xxh32 } from "../../../lib/symbols/mst/xxh32.ts";
import { FormatError } from "../../../mod.ts";
import { resignMst } from "./mst_resign.ts";
import { chance, randomUnit, unitTable } from "./mst_tables.ts";
import { processorTime } from "../../processor_time.ts";

const base = 0x1000;
const span = 0x3000;

/** A file of a few units, some of which overlap. */
function sample(): Uint8Array {
  const builder = new MstBuilder({ uuid: null, arch: archs.x86_64, name: "sample" });
  const encoder = new UnitEncoder(archs.x86_64);
  const stream = builder.stream();
  for (let unit = 0; unit < 12; unit++) {
    const input = randomUnit(chance(unit % 7), base + unit * 0x380, 1, unit % 2 === 0);
    stream.add(encoder.encode(unitTable(input)));
  }
  const symbols = [{ offset: 0x10, size: 8, name: "start" }];
  return join(builder.finish(symbols));
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

const open = (bytes: Uint8Array): MstFile => openMst(bytesSource(bytes, "sample.mst"));

function lookUpAll(file: MstFile): void {
  for (let offset = 0; offset < base + span; offset += 37) {
    file.framesAt(offset);
    file.functionAt(offset);
  }
}

Deno.test("XXH32 as its specification has it", () => {
  const text = (string: string) => new TextEncoder().encode(string);
  assertEquals(xxh32(new Uint8Array()), 0x02cc5d05);
  assertEquals(xxh32(text("a")), 0x550d7456);
  assertEquals(xxh32(text("abc")), 0x32d153ff);
  assertEquals(xxh32(text("Nobody inspects the spammish repetition")), 0xe2293b2f);
  assertEquals(
    xxh32(text("Nobody inspects the spammish repetition").subarray(0, 16), 7) >>> 0,
    xxh32(text("Nobody inspects "), 7),
  );
});

Deno.test("a header is read as it was written", () => {
  const bytes = sample();
  const header = parseHeader(bytes, "sample.mst", bytes.length);
  assertEquals(encodeHeader(header), bytes.subarray(0, header.sums.offset));
  assertEquals(header.name, "sample");
  assertEquals(header.uuid, null);
});

Deno.test("no other file is taken for one", () => {
  const bytes = sample();
  for (const length of [0, 1, 7, 8, 16, 100, 199, 300]) {
    assertThrows(() => open(bytes.slice(0, length)), FormatError);
  }
  const error = assertThrows(() => open(new Uint8Array(4096)), FormatError);
  assertEquals(
    error.message,
    "sample.mst: at offset 0x0: expected a symbol table file's first bytes",
  );
  const newer = bytes.slice();
  newer[8] = 2;
  assertThrows(() => open(newer), FormatError, "version 1, and this is 2");
});

Deno.test("a file that is cut short is refused, wherever it is cut", () => {
  const bytes = sample();
  for (let length = 0; length < bytes.length; length += 97) {
    assertThrows(() => open(bytes.slice(0, length)), FormatError);
  }
  assertThrows(() => open(bytes.slice(0, bytes.length - 1)), FormatError, "cut short");
});

Deno.test("every flipped bit is found by verify, and no lookup gives a wrong answer for it", () => {
  const bytes = sample();
  using whole = open(bytes);
  const offsets = Array.from({ length: 60 }, (_, index) => base + index * 211);
  const expected = offsets.map((offset) => whole.framesAt(offset));
  const header = parseHeader(bytes, "sample.mst", bytes.length);
  const random = chance(5);
  for (let round = 0; round < 300; round++) {
    const at = random(bytes.length);
    // What is between the checksums and the data is nobody's.
    if (at >= header.sums.offset + header.sums.size && at < header.data.offset) continue;
    const damaged = bytes.slice();
    damaged[at] ^= 1 << random(8);
    if (at < header.sums.offset) {
      assertThrows(() => open(damaged), FormatError);
      continue;
    }
    using file = open(damaged);
    assertThrows(() => file.verify(), FormatError);
    for (const [index, offset] of offsets.entries()) {
      const frames = file.framesAt(offset);
      if (frames.length > 0) assertEquals(frames, expected[index]);
    }
    assert(file.warnings.length > 0, `a changed byte at ${at}`);
  }
});

Deno.test("files with any content and right checksums cost an error at most, and little time", () => {
  const bytes = sample();
  const random = chance(6);
  const began = processorTime();
  let warned = 0;
  for (let round = 0; round < 400; round++) {
    const damaged = bytes.slice();
    for (let count = 1 + random(12); count > 0; count--) {
      const at = 40 + random(bytes.length - 40);
      damaged[at] = random(3) === 0 ? 0xff : random(256);
    }
    resignMst(damaged);
    let file: MstFile;
    try {
      file = open(damaged);
    } catch (error) {
      assert(error instanceof FormatError, String(error));
      continue;
    }
    lookUpAll(file);
    warned += file.warnings.length > 0 ? 1 : 0;
  }
  assert(warned > 50, `${warned} of 400 files were seen to be damaged`);
  assert(processorTime() - began < 20_000);
});

Deno.test("a body that continues itself, and calls inside each other, come to an end", () => {
  const bytes = sample();
  const { sections } = parseHeader(bytes, "sample.mst", bytes.length);
  const [, , , , , bodies] = sections;
  for (
    const body of [[3, 3, 0, 0], [5, 8, 0, 1, 1, 0], [
      9,
      0xf8,
      0xff,
      0xff,
      0xff,
      0xff,
      0xff,
      0x0f,
      1,
      1,
    ]]
  ) {
    const damaged = bytes.slice();
    for (let at = 0; at + body.length < bodies.size; at += body.length) {
      damaged.set(body, bodies.offset + at);
    }
    resignMst(damaged);
    using file = open(damaged);
    lookUpAll(file);
    assert(file.warnings.length > 0);
  }
});
