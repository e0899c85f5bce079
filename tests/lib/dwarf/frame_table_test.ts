import { assert, assertEquals } from "@std/assert";
import { loaderPath } from "../../../ffi/library.ts";
import { CallFrameInfo, openFrameTable } from "../../../lib/dwarf/mod.ts";
import { ElfImage } from "../../../lib/elf/mod.ts";
import { bytesSource } from "../../../lib/macho/mod.ts";

Deno.test("a linker's table leads to the FDEs that a pass over .eh_frame finds", async () => {
  const path = await loaderPath("x86_64");
  const image = ElfImage.fromSource(bytesSource(await Deno.readFile(path), path), 0x10000n);
  const contents = (name: string) => {
    const section = image.segments.flatMap(({ sections }) => sections)
      .find((candidate) => candidate.name === name)!;
    return { address: section.address, bytes: image.read(section.address, section.size)! };
  };
  const header = contents("__eh_frame_hdr");
  const { address, bytes } = contents("__eh_frame");
  const options = {
    address,
    pointerSize: 8,
    kind: "eh_frame",
    slide: image.slide,
    warn: (text: string) => assert(false, text),
  } as const;
  const table = openFrameTable(header.bytes, Number(header.address - address));
  assert(table !== null);
  const indexed = CallFrameInfo.parse(bytes, options);
  const searched = CallFrameInfo.parse(bytes, { ...options, table });
  assert(indexed.size > 20);
  for (const { start, end } of indexed.fdes) {
    for (const pc of [start - 1n, start, (start + end) / 2n, end - 1n, end]) {
      assertEquals(searched.fdeAt(pc), indexed.fdeAt(pc));
      assertEquals(searched.rowAt(pc), indexed.rowAt(pc));
      assertEquals(searched.rangeAt(pc, address), indexed.rangeAt(pc, address));
    }
  }
});

Deno.test("a table that is damaged, of another section or otherwise encoded is not used", () => {
  // Version 1, pointers as binutils and lld encode them, .eh_frame 0x20 bytes behind, no FDE more than one.
  const header = new Uint8Array([
    1,
    0x1b,
    3,
    0x3b,
    0x1c,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    8,
    0,
    0,
    0,
    40,
    0,
    0,
    0,
  ]);
  const changed = (at: number, byte: number) => header.with(at, byte);
  assertEquals(openFrameTable(header, -0x20)?.fdeAt(-0x20 + 8), 40 - 0x20);
  assertEquals(openFrameTable(header, -0x20)?.fdeAt(-0x20 + 7), undefined);
  assertEquals(openFrameTable(header, -0x21), null);
  assertEquals(openFrameTable(changed(0, 2), -0x20), null);
  assertEquals(openFrameTable(changed(3, 0x3c), -0x20), null);
  assertEquals(openFrameTable(changed(8, 0), -0x20), null);
  assertEquals(openFrameTable(changed(8, 2), -0x20), null);
  assertEquals(openFrameTable(header.subarray(0, 11), -0x20), null);
});
