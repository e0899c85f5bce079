/** Stackshots whose size says nothing about what reading them would cost. */
import { assert, assertEquals, assertLess, assertRejects, assertStringIncludes } from "@std/assert";
import { FormatError } from "../../../lib/errors.ts";
import { readStackshot } from "../../../lib/stackshot/mod.ts";
import { encodeDelta, encodeKcdata } from "./kcdata_encoder.ts";
import { shot } from "./shot.ts";
import { processorTime } from "../../processor_time.ts";

async function gzip(
  ...parts: readonly Uint8Array<ArrayBuffer>[]
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([...parts]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A kcdata buffer of one kind of item, again and again. */
function repeated(item: readonly number[], count: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(4 + count * item.length + 4);
  words[0] = 0x59a25807;
  for (let index = 0; index < count; index++) words.set(item, 4 + index * item.length);
  words[words.length - 4] = 0xf19158ed;
  return new Uint8Array(words.buffer);
}

Deno.test("a gzip file does not become 500 times as large", async () => {
  // 400 MB, of which gzip makes 0.4 MB.
  const zeros = new Uint8Array(4 << 20);
  const bytes = await gzip(encodeKcdata(shot).subarray(0, -16), ...Array(100).fill(zeros));
  assertLess(bytes.length, 1 << 20);
  const before = Deno.memoryUsage();
  const error = await assertRejects(() => readStackshot(bytes, "bomb"), FormatError);
  assertStringIncludes(error.message, "when decompressed");
  const after = Deno.memoryUsage();
  const grown = after.heapUsed + after.external - before.heapUsed - before.external;
  assertLess(grown, 10 * bytes.length + (64 << 20));
});

Deno.test("a gzip file of few bytes does not become millions of items", async () => {
  const bytes = await gzip(repeated([0x900, 0, 0, 0], 2_000_000));
  assertLess(bytes.length, 200_000);
  await assertRejects(() => readStackshot(bytes, "bomb"), FormatError);
  const plain = repeated([0x900, 0, 0, 0], 200_000);
  assertEquals((await readStackshot(plain, "items")).warnings.length, 0);
  const small = await gzip(repeated([0x900, 0, 0, 0], 80_000));
  const { warnings } = await readStackshot(small, "items");
  assert(
    warnings.some((text) => text.includes("more items than a file of this size has")),
    `${warnings}`,
  );
});

Deno.test("a real stackshot compressed by gzip is read whole", async () => {
  const plain = await readStackshot(encodeKcdata(shot), "plain");
  assertEquals(await readStackshot(await gzip(encodeKcdata(shot)), "plain"), plain);
});

Deno.test("a hundred thousand deltas do not copy what they do not mention", async () => {
  const base = encodeKcdata(shot);
  const empty = new Uint8Array(32);
  new DataView(empty.buffer).setUint32(0, 0xdeadf00d, true);
  const delta = encodeDelta(shot);
  const magic = delta.subarray(0, 4);
  empty.set(magic);
  new DataView(empty.buffer).setUint32(16, 0xf19158ed, true);
  // The head of a delta is that of any: time base and so on may be missing.
  const parts = Array<Uint8Array<ArrayBuffer>>(100_000).fill(empty);
  const bytes = new Uint8Array(await new Blob([base, ...parts]).arrayBuffer());
  const began = processorTime();
  const data = await readStackshot(bytes, "deltas");
  assertLess(processorTime() - began, 10_000);
  assertEquals(data.form, "delta");
});
