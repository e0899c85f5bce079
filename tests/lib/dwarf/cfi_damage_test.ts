/** Damaged sections: whatever the bytes are, parsing and asking ends, throws nothing, and takes no more
 * memory than the bytes justify. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { base, cieBody, number, parse, SectionBuilder } from "./section.ts";

/** One of everything. */
function section(): Uint8Array {
  const builder = new SectionBuilder();
  const cie = builder.cie();
  builder.function(cie, 0x1000, 0x20, [
    ...[0x41, 0x0e, 16, 0x86, 2, 0x0a, 0x43, 0x0d, 6, 0x0b],
    ...[0x41, 0x10, 3, 2, 0x77, 8, 0x0f, 3, 0x77, 8, 6, 0x02, 2, 0x09, 3, 4],
  ]);
  const second = builder.cie(
    cieBody({ augmentation: "zPLRS", data: [7, 0x9b, 1, 2, 3, 4, 0x1b, 0x1b] }),
  );
  builder.fde(second, [
    ...number(0x2000 - builder.nextBody, 4),
    ...number(0x20, 4),
    ...[4, 1, 2, 3, 4, 0x42, 0x0e, 32, 0x2e, 16, 0xc6],
  ]);
  builder.function(cie, 0x3000, 0x20, [0x41, 0x0e, 16]);
  return Uint8Array.from(builder.bytes);
}

/** Asks for everything, and returns how many rows there are. */
function readAll(bytes: Uint8Array, kind: "eh_frame" | "debug_frame" = "eh_frame"): number {
  let rows = 0;
  for (const pointerSize of [4, 8] as const) {
    for (const swapEspEbp of [false, true]) {
      const { info, warnings } = parse(bytes, { kind, pointerSize, swapEspEbp });
      for (const fde of info.fdes) {
        assert(fde.start < fde.end);
        rows += info.rows(fde).length;
        info.rowAt(fde.start);
        info.rowAt(fde.end - 1n);
      }
      for (const offset of [0n, 0x1000n, 0x2001n, 0x3001n, -1n]) info.rowAt(base + offset);
      info.rowAt(0n);
      info.rowAt(0xffff_ffff_ffff_ffffn);
      assert(warnings.length <= 33);
    }
  }
  return rows;
}

Deno.test("the undamaged section has its rows", () => {
  const { info, warnings } = parse(section());
  assertEquals([...info.fdes].map((fde) => info.rows(fde).length), [5, 2, 2]);
  assertEquals(warnings, []);
});

Deno.test("a truncated section keeps its intact entries", () => {
  const bytes = section();
  const whole = [...parse(bytes).info.fdes];
  for (let length = 0; length < bytes.length; length++) {
    const cut = bytes.subarray(0, length);
    readAll(cut);
    readAll(cut, "debug_frame");
    // The offset of the entry after each FDE, from its length.
    const view = new DataView(bytes.buffer);
    const kept = whole.filter(({ offset }) => offset + 4 + view.getUint32(offset, true) <= length);
    assertEquals([...parse(cut).info.fdes], kept, `${length} bytes`);
  }
});

Deno.test("any field replaced by anything", () => {
  for (const value of [0, 1, 0x7f, 0x80, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, 0xffff_ffff]) {
    for (const size of [1, 4, 8]) {
      const bytes = section();
      for (let offset = 0; offset + size <= bytes.length; offset++) {
        const changed = bytes.slice();
        changed.set(number(size === 8 ? BigInt(value) << 32n : value, size), offset);
        readAll(changed);
        if (size === 4) readAll(changed, "debug_frame");
      }
    }
  }
});

Deno.test("random bytes", () => {
  // A generator with a fixed seed: the same noise each time.
  let seed = 1;
  const random = (limit: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * limit);
  };
  const bytes = section();
  for (let round = 0; round < 3000; round++) {
    const changed = bytes.slice();
    for (let count = 1 + random(8); count > 0; count--) {
      changed[random(bytes.length)] = random(256);
    }
    readAll(changed);
  }
});

Deno.test("CIE pointers to anything but a CIE", () => {
  for (const back of [1, 4, 5, 100, 0x7fff_ffff, 0xffff_ffff]) {
    const builder = new SectionBuilder();
    const cie = builder.cie();
    const fde = builder.function(cie, 0x1000, 0x10);
    builder.function(cie, 0x2000, 0x10);
    const bytes = Uint8Array.from(builder.bytes);
    // 4 is the FDE itself.
    bytes.set(number(back, 4), fde + 4);
    const { info, warnings } = parse(bytes);
    assertEquals([...info.fdes].map(({ start }) => start), [base + 0x2000n], `${back}`);
    assertMatch(warnings.at(-1)!, /^FDE at 0x16 left out: /);
  }
});

Deno.test("an impossible length ends the section there; entries before it are kept", () => {
  for (const length of [0x7fff_ffff, 0xffff_fff0, 0xffff_fffe, 0xffff_ffff]) {
    const builder = new SectionBuilder();
    const cie = builder.cie();
    builder.function(cie, 0x1000, 0x10);
    const fde = builder.function(cie, 0x2000, 0x10);
    const bytes = Uint8Array.from(builder.bytes);
    bytes.set(number(length, 4), fde);
    const { info, warnings } = parse(bytes);
    assertEquals([...info.fdes].map(({ start }) => start), [base + 0x1000n]);
    assertEquals(warnings.length, 1);
    assert(warnings[0].startsWith(`all from 0x${fde.toString(16)} on left out: `), warnings[0]);
  }
});

Deno.test("only the FDEs of a damaged CIE program are left out", () => {
  const builder = new SectionBuilder();
  // Instructions that only an FDE may have.
  for (const program of [[0x41], [0xc6], [0x3f]]) {
    builder.function(builder.cie(cieBody({ program })), 0x1000, 0x10);
  }
  builder.function(builder.cie(), 0x2000, 0x10);
  const { info, warnings } = parse(Uint8Array.from(builder.bytes));
  assertEquals([...info.fdes].map(({ start }) => start), [base + 0x2000n]);
  assertEquals(warnings.length, 6);
});
