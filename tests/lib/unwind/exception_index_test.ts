/** The exception index of ELF images for ARM, by the instructions and examples of Arm's "Exception Handling ABI
 * for the Arm Architecture". `oracle/exception_index_test.ts` holds whole libraries against LLVM. */
import { assertEquals } from "@std/assert";
import { armv7 } from "../../../lib/unwind/armv7/mod.ts";
import type { UnwindRow } from "../../../lib/dwarf/mod.ts";

/** Where `.ARM.extab` and `.ARM.exidx` are from the load address; functions are 0x100 bytes each, from 0x1000. */
const [tableAt, indexAt] = [0x8000, 0x9000];

function prel31(from: number, to: number): number {
  return (to - from) & 0x7fffffff;
}

/** The rows of functions whose entries have these words: an inline one, or a table's. */
function rowsOf(...entries: readonly (number | readonly number[])[]): (UnwindRow | null)[] {
  const index = new DataView(new ArrayBuffer(entries.length * 8));
  const table: number[] = [];
  for (const [at, entry] of entries.entries()) {
    const place = indexAt + at * 8;
    // The lowest bit: it is Thumb code.
    index.setUint32(at * 8, prel31(place, 0x1000 + at * 0x100 + 1), true);
    const isInline = typeof entry === "number";
    const second = isInline ? entry : prel31(place + 4, tableAt + table.length * 4);
    index.setUint32(at * 8 + 4, second, true);
    if (!isInline) table.push(...entry);
  }
  const bytes = new Uint8Array(Uint32Array.from(table).buffer);
  const read = (offset: number, length: number) => {
    const at = offset - tableAt;
    return at < 0 || at + length > bytes.length ? null : bytes.slice(at, at + length);
  };
  const rows = armv7.openExceptionIndex!(new Uint8Array(index.buffer), indexAt, read);
  assertEquals(rows.rowAt(0xffe), null);
  return entries.map((_, at) => rows.rowAt(0x1000 + at * 0x100 + 0x10));
}

/** The base register of the CFA, its offset, and where registers were saved, from the CFA. */
function frame(row: UnwindRow | null): unknown {
  if (row === null || row.cfa.kind !== "register") return null;
  const saved = [...row.registers].map(([register, rule]) => [
    register,
    rule.kind === "offset" ? rule.offset : rule.kind,
  ]);
  return [row.cfa.register, row.cfa.offset, Object.fromEntries(saved)];
}

Deno.test("frames of the exception index: inline, of the ABI's personalities, and of a language's", () => {
  const rows = rowsOf(
    // mov sp, r7; add sp, #8; pop {r4, lr}
    0x8097_01a8,
    1, // EXIDX_CANTUNWIND
    // Personality 1 with one more word: add sp, #0x204 + (0x10 << 2); pop {r4-r11, lr}; finish.
    [0x8101_b210, 0xafb0_b0b0],
    // A language's routine, then a word with a count: pop {r4-r7, pc}.
    [0x0000_1234, 0x0088_0fb0],
    // VPUSH {d8-d9}, FSTMFDX {d8}, pop {r3}; finish in the next word.
    [0x8101_d1b8, 0xb108_8400],
  );
  assertEquals(rows.map(frame), [
    [7, 16, { 4: -8, 14: -4 }],
    null,
    [
      13,
      0x204 + 0x40 + 36,
      { 4: -36, 5: -32, 6: -28, 7: -24, 8: -20, 9: -16, 10: -12, 11: -8, 14: -4 },
    ],
    [13, 20, { 4: -20, 5: -16, 6: -12, 7: -8, 14: -4 }],
    [13, 36, { 3: -8, 14: -4 }],
  ]);
});

Deno.test("damaged and refusing entries of the exception index have no frame", () => {
  const rows = rowsOf(
    0x8080_00b0, // refuse to unwind
    0x80a8_9d00, // spare: mov sp, sp
    0x80b2_8080, // an endless uleb128
    0x80b1_1000, // spare
    0x8500_0000, // an unknown personality
    [0x8103_b0b0], // more words than there are
    0x80a8_97b0, // a base after registers were popped
    0x80cf_0000, // spare
  );
  assertEquals(rows.map(frame), Array(8).fill(null));
  const read = () => null;
  assertEquals(armv7.openExceptionIndex!(new Uint8Array(7), 0, read).rowAt(5), null);
});
