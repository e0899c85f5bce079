import { assertEquals, assertThrows } from "@std/assert";
import { MemoryReadError } from "../../../lib/errors.ts";
import { Memory } from "../../../lib/target/mod.ts";

/** Memory of `bytes` at 0x10000 and nothing around it; counts the reads that reach it. */
function over(bytes: Uint8Array, pointerSize: 4 | 8 = 8): { memory: Memory; reads: () => number } {
  let reads = 0;
  const memory = new Memory(
    (address, into) => {
      reads++;
      const start = Number(address) - 0x10000;
      if (start < 0 || start >= bytes.length) return 0;
      const part = bytes.subarray(start, start + into.length);
      into.set(part);
      return part.length;
    },
    pointerSize,
    (address, from) => bytes.set(from, Number(address) - 0x10000),
  );
  return { memory, reads: () => reads };
}

Deno.test("exact reads are exact or an error with address and length", () => {
  const { memory } = over(Uint8Array.from({ length: 16 }, (_, index) => index));
  assertEquals([...memory.read(0x10004n, 3)], [4, 5, 6]);
  assertEquals(memory.readUpTo(0x1000cn, 8).length, 4);
  const error = assertThrows(() => memory.read(0x1000cn, 8), MemoryReadError);
  assertEquals([error.address, error.length], [0x1000cn, 8]);
  assertThrows(() => memory.read(0x10000n, -1), RangeError);
  assertThrows(() => memory.read(0x10000n, 2 ** 60), RangeError);
});

Deno.test("numbers are little-endian, pointers as wide as the target's", () => {
  const bytes = Uint8Array.from([0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]);
  const { memory } = over(bytes);
  assertEquals(memory.readU8(0x10000n), 0x11);
  assertEquals(memory.readU16(0x10000n), 0x2211);
  assertEquals(memory.readU32(0x10000n), 0x44332211);
  assertEquals(memory.readU64(0x10000n), 0x8877665544332211n);
  assertEquals(memory.readPointer(0x10000n), 0x8877665544332211n);
  assertEquals(over(bytes, 4).memory.readPointer(0x10000n), 0x44332211n);
});

Deno.test("a string ends at its zero byte, at the limit, or where memory does", () => {
  const text = new TextEncoder().encode("grüße\0rest");
  const { memory } = over(text);
  assertEquals(memory.readCString(0x10000n), "grüße");
  assertEquals(memory.readCString(0x10000n, 2), "gr");
  assertEquals(memory.readCString(0x10008n), "rest");
  assertThrows(() => memory.readCString(0x20000n), MemoryReadError);
  const long = over(new Uint8Array(10_000).fill(0x61)).memory;
  assertEquals(long.readCString(0x10000n, 9000).length, 9000);
});

Deno.test("pages are read once while caching, and forgotten after", () => {
  const bytes = new Uint8Array(8192).fill(1);
  const { memory, reads } = over(bytes);
  memory.caching = true;
  for (let offset = 0n; offset < 4096n; offset += 8n) memory.readU64(0x10000n + offset);
  assertEquals(reads(), 1);
  memory.read(0x10000n, 16)[0] = 9;
  assertEquals(memory.readU8(0x10000n), 1, "what a caller does to its bytes stays with it");
  memory.write(0x10000n, new Uint8Array([7]));
  assertEquals(memory.readU8(0x10000n), 7, "a write is seen");
  bytes[0] = 8;
  memory.caching = false;
  assertEquals(memory.readU8(0x10000n), 8);
  bytes[0] = 9;
  assertEquals(memory.readU8(0x10000n), 9, "nothing is cached while off");
});

Deno.test("memory without a writer is read-only", () => {
  assertThrows(() => new Memory(() => 0, 8).write(0n, new Uint8Array(1)), TypeError, "read-only");
});
