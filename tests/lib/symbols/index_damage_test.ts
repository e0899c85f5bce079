import { assert, assertThrows } from "@std/assert";
import { files } from "../../../ffi/files.ts";
import { archs } from "../../../lib/arch/mod.ts";
import { FormatError } from "../../../lib/errors.ts";
import { Image } from "../../../lib/macho/mod.ts";
import { makeTable } from "../../../lib/symbols/index/mod.ts";
import { imagesIn, MstBuilder, openMst, UnitEncoder } from "../../../lib/symbols/mod.ts";
import { bytesSource } from "../../../lib/macho/mod.ts";
import { type ScopeInput, unitTable } from "./mst_tables.ts";
import { processorTime } from "../../processor_time.ts";

const fixture = "tests/fixtures/lines/arm64-dwarf5/lines.dSYM/Contents/Resources/DWARF/lines";
const root = new URL("../../../", import.meta.url).pathname;

async function tableOf(bytes: Uint8Array<ArrayBuffer>) {
  const [binary] = imagesIn(bytesSource(bytes, "damaged"));
  return await makeTable({ path: "damaged", index: 0, binary }, { system: { files } });
}

/** Where the section's header is in the file. */
function sectionHeader(bytes: Uint8Array, name: string): number {
  const wanted = new TextEncoder().encode(name.padEnd(16, "\0"));
  const at = bytes.findIndex((_, at) => wanted.every((byte, index) => bytes[at + index] === byte));
  assert(at > 0);
  return at;
}

Deno.test("sections that say they are code and have 2^50 bytes: what is there is indexed at once", async () => {
  for (const name of ["__text", "__apple_names", "__debug_names"]) {
    const bytes = Deno.readFileSync(root + fixture);
    if (!new TextDecoder("latin1").decode(bytes).includes(name)) continue;
    const view = new DataView(bytes.buffer);
    const at = sectionHeader(bytes, name);
    // section_64: two names of 16 bytes, addr, size, offset, align, reloff, nreloc, flags.
    view.setBigUint64(at + 40, 2n ** 50n, true);
    view.setUint32(at + 64, 0x8000_0400, true);
    const began = processorTime();
    const { functions } = await tableOf(bytes);
    assert(functions > 0, name);
    assert(processorTime() - began < 5000, name);
  }
});

Deno.test("a file that is cut short: every section that is not whole is said", async () => {
  const bytes = Deno.readFileSync(root + fixture);
  const image = Image.fromFile(bytes, "whole");
  const sections = image.segments.flatMap(({ sections }) => sections)
    .filter(({ segmentName }) => segmentName === "__DWARF");
  for (const part of [0.5, 0.9]) {
    const length = Math.floor(bytes.length * part);
    const cut = sections.filter(({ fileOffset, size }) => fileOffset + size > length);
    assert(cut.length > 0);
    const { warnings } = await tableOf(bytes.slice(0, length));
    for (const { name, size } of cut) {
      assert(warnings.some((text) => text.startsWith(`${name}: `) && text.includes(`of ${size} `)));
    }
  }
});

Deno.test("calls inside each other, 900 deep, around 20,000 ranges: no table of any size", () => {
  const scopes: ScopeInput[] = Array.from({ length: 900 }, (_, index) => ({
    parent: index - 1,
    name: `function${index}`,
    ranges: [[0, 0x100000]],
    call: [0, 1, 1],
  }));
  scopes.push({
    parent: 899,
    name: "innermost",
    ranges: Array.from({ length: 20_000 }, (_, index) => [16 * index, 16 * index + 8] as const),
    call: [0, 1, 1],
  });
  const table = unitTable({ scopes, sequences: [], files: ["a.c"] });
  assertThrows(() => new UnitEncoder(archs.arm64).encode(table), FormatError, "inlined less");
});

Deno.test("a table is verified as lookups read it", () => {
  const builder = new MstBuilder({ uuid: null, arch: archs.arm64 });
  const scopes = Array.from({ length: 600 }, (_, index) => ({
    parent: -1,
    name: `f${index}`,
    ranges: [[16 * index, 16 * index + 16] as const],
  }));
  builder.add(unitTable({ scopes, sequences: [], files: [] }));
  const bytes = new Uint8Array(builder.finish().flatMap((chunk) => [...chunk]));
  using table = openMst(bytesSource(bytes, "made"));
  table.verify();
  for (const _ of table.verifying(7));
  const damaged = bytes.slice();
  damaged[bytes.length >> 1] ^= 1;
  assertThrows(() => openMst(bytesSource(damaged, "damaged")).verify(), FormatError);
});
