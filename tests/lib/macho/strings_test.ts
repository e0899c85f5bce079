import { assert, assertEquals } from "@std/assert";
import { compareBytes, StringPool, StringTable } from "../../../lib/macho/strings.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A table of `size` bytes with names at some offsets, which records how it is read. */
function table(base: number, size: number, names: Record<number, string>) {
  const bytes = new Uint8Array(size);
  for (const [offset, name] of Object.entries(names)) bytes.set(encode(name), Number(offset));
  const reads: number[] = [];
  const strings = new StringTable(base, size, (offset, length) => {
    reads.push(length);
    return bytes.subarray(offset, offset + length);
  });
  return { strings, reads };
}

Deno.test("a small table is read at once, from the first name on", () => {
  const { strings, reads } = table(4, 20, { 4: "_main", 10: "é", 14: "no end" });
  assertEquals(reads, [16]);
  assertEquals([4, 5, 10, 14, 9].map((offset) => strings.at(offset)), [
    "_main",
    "main",
    "é",
    "no end",
    "",
  ]);
  assertEquals([0, 3, 20, 1e9].map((offset) => strings.at(offset)), ["", "", "", ""]);
  assert(strings.equals(4, encode("_main")));
  assert(!strings.equals(4, encode("_mai")));
  assert(!strings.equals(4, encode("_main2")));
  assert(strings.equals(14, encode("no end")));
  assertEquals(strings.prefixAt(4), 0x6d5f | (0x61 << 16));
  assertEquals(reads, [16]);
});

Deno.test("only the used parts of a large table are read, once", () => {
  const chunk = 1 << 18;
  const size = 40 << 20;
  const long = "x".repeat(3 * chunk);
  const { strings, reads } = table(0, size, {
    100: "_main",
    // Across the end of a part.
    [2 * chunk - 3]: "_across",
    [8 * chunk - 10]: long,
    [size - 4]: "last",
  });
  assertEquals(reads, []);
  assertEquals(strings.at(100), "_main");
  assertEquals(strings.at(101), "main");
  assertEquals(reads, [chunk]);
  assertEquals(strings.at(2 * chunk - 3), "_across");
  assert(strings.equals(2 * chunk - 3, encode("_across")));
  assertEquals(strings.prefixAt(2 * chunk - 1), 0x63 | (0x72 << 8) | (0x6f << 16));
  assertEquals(strings.at(size - 4), "last");
  assertEquals(strings.at(size), "");
  assertEquals(reads.length, 4);
  // Names have a limit; nothing reads on and on.
  assert(strings.at(8 * chunk - 10).length <= 2 * chunk);
});

Deno.test("a part of a large table that cannot be read has no names", () => {
  const strings = new StringTable(0, 40 << 20, () => null);
  assertEquals([strings.at(0), strings.at(5 << 20), strings.prefixAt(7)], ["", "", 0]);
});

Deno.test("a pool gives back what was put in", () => {
  const pool = new StringPool();
  const names = Array.from({ length: 500 }, (_, index) => `name ${index}`);
  const offsets = names.map((name) => pool.add(encode(name)));
  const strings = pool.table();
  assertEquals(offsets.map((offset) => strings.at(offset)), names);
});

Deno.test("names are ordered by their bytes", () => {
  const sorted = ["", "_", "_a", "_ab", "_b", "a"];
  const shuffled = ["_b", "a", "_ab", "", "_a", "_"].map(encode).sort(compareBytes);
  assertEquals(shuffled.map((bytes) => new TextDecoder().decode(bytes)), sorted);
});
