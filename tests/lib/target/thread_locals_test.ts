/** Variables that each thread has its own of. Descriptors as `dyld`'s `ThreadLocalVariables.h` lays them out. */
import { assertEquals } from "@std/assert";
import { archs } from "../../../lib/arch/mod.ts";
import { Memory } from "../../../lib/target/memory.ts";
import { threadAddress } from "../../../lib/target/thread_locals.ts";

/** Memory of 8-byte or 4-byte words at addresses. */
function memoryOf(words: Readonly<Record<number, bigint>>, size: 4 | 8): Memory {
  return new Memory((address, into) => {
    const view = new DataView(into.buffer, into.byteOffset, into.length);
    for (let at = 0; at < into.length; at += size) {
      const word = words[Number(address) + at];
      if (word === undefined) return at;
      if (size === 8) view.setBigUint64(at, word, true);
      else view.setUint32(at, Number(word), true);
    }
    return into.length;
  }, size);
}

const handle = 0x9000n;
const lookup = () => [];
const place = { operand: 0n, descriptor: () => 0x1000n };

Deno.test("a variable of Darwin's threads, by descriptors of every dyld", () => {
  const at = (second: bigint, third: bigint, block: bigint | undefined, of = handle) => {
    const key = Number(second & 0xffff_ffffn);
    const words: Record<number, bigint> = { 0x1000: 0x77n, 0x1008: second, 0x1010: third };
    if (block !== undefined) words[0x9000 + 8 * key] = block;
    return threadAddress(
      { memory: memoryOf(words, 8), arch: archs.arm64, lookup },
      null,
      of,
      place,
    );
  };
  // struct Thunk { func; size_t key; size_t offset }
  assertEquals(at(260n, 0x18n, 0x5000n), 0x5018n);
  assertEquals(at(260n, 0n, 0x5000n), 0x5000n);
  // struct TLV_Thunkv2 { func; u32 key; u32 offset; i32 initialContentDelta; u32 initialContentSize }
  assertEquals(at(0x18n << 32n | 260n, 0x20n << 32n | 0xffff_ff00n, 0x5000n), 0x5018n);
  assertEquals(at(260n, 0x20n << 32n, 0x5000n), 0x5000n);
  assertEquals(at(260n, 0x18n, 0n), "this thread has not used it yet");
  assertEquals(at(0n, 0x18n, 0x5000n), "no thread has used it yet");
  assertEquals(at(0x12345n, 0x18n, 0x5000n), "its descriptor is damaged: 74565 is no key");
  assertEquals(at(260n, 0x18n, undefined), "the thread's variables cannot be read");
  assertEquals(
    at(260n, 0x18n, 0x5000n, 0n),
    "each thread has its own, and the thread's pointer is not known",
  );
});

Deno.test("a variable of Darwin's threads on 32-bit processors", () => {
  const words = { 0x1000: 0x77n, 0x1004: 12n, 0x1008: 8n, [0x9000 + 4 * 12]: 0x5000n };
  const target = { memory: memoryOf(words, 4), arch: archs.i386, lookup };
  assertEquals(threadAddress(target, null, handle, place), 0x5008n);
});
