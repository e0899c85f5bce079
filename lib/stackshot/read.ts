/** Reading a stackshot file of any form. */
import { FormatError } from "../errors.ts";
import { StackshotBudget } from "./budget.ts";
import type { StackshotData } from "./data.ts";
import { decodeKcdata } from "./decode.ts";
import { describedNumber, magicAt, readKcdata } from "./kcdata.ts";
import { mergeDelta } from "./merge.ts";
import { decodeTraceBuffer, isTraceBuffer } from "./trace_buffer.ts";
import { kc, magics } from "./types.ts";
import { collector } from "./warnings.ts";

/** `KCDCT_*` of `kern_cdata.c`. */
const compression = { none: 0n, zlib: 1n } as const;

/** Reads a stackshot from a file's bytes: kcdata (full, delta or compressed) or a trace buffer, plain or
 * compressed by gzip. Deltas that follow a stackshot in the same file are merged into it.
 *
 * @param name of the file, for errors
 * @param base the stackshot that a delta is based on
 * @throws FormatError when it is not a stackshot
 */
export async function readStackshot(
  bytes: Uint8Array,
  name: string,
  base?: StackshotData,
): Promise<StackshotData> {
  const budget = new StackshotBudget(bytes.length);
  const plain = await unwrap(bytes, name, budget);
  const data = isTraceBuffer(plain)
    ? decodeTraceBuffer(plain, name)
    : decodeAll(plain, name, budget);
  if (base === undefined) return data;
  if (data.form !== "delta") {
    throw new FormatError(name, 0, "a delta stackshot, to complete a base");
  }
  return mergeDelta(base, data);
}

/** All buffers of a file as one stackshot. */
function decodeAll(bytes: Uint8Array, name: string, budget: StackshotBudget): StackshotData {
  let { data, end } = decodeKcdata(bytes, name, budget);
  while (magicAt(bytes, end) === magics.delta) {
    // What a delta does not mention is copied.
    const copied = data.tasks.reduce((sum, { threads }) => sum + 1 + threads.length, 0);
    if (!budget.tryItems(copied)) {
      const warning = `deltas that copy too much begin at offset 0x${end.toString(16)}`;
      return { ...data, warnings: [...data.warnings, warning] };
    }
    const next = decodeKcdata(bytes, name, budget, end);
    data = mergeDelta(data, next.data);
    end = next.end;
  }
  return data;
}

/** Decompresses gzip and the kernel's own compression. */
async function unwrap(
  bytes: Uint8Array,
  name: string,
  budget: StackshotBudget,
): Promise<Uint8Array> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = await inflate(bytes, "gzip", name, 0, budget);
  return magicAt(bytes) === magics.compressed ? await decompress(bytes, name, budget) : bytes;
}

/** A compressed buffer: items that describe the compression, the inner buffer's begin mark, and its
 * items as one zlib stream. See `kcdata_init_compress()` in `kern_cdata.c`. */
async function decompress(
  bytes: Uint8Array,
  name: string,
  budget: StackshotBudget,
): Promise<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  // The items end at the inner buffer's begin mark; the compressed stream follows.
  let inner = 16;
  while (inner + 16 <= bytes.length) {
    const magic = magicAt(bytes, inner);
    if (magic === magics.stackshot || magic === magics.delta) break;
    inner += 16 + view.getUint32(inner + 4, true);
  }
  if (inner + 16 > bytes.length) throw new FormatError(name, inner, "a compressed stackshot");
  const warnings: string[] = [];
  const { root } = readKcdata(bytes.subarray(0, inner), name, collector(warnings), budget);
  const numbers = new Map(
    root.items.map((item) => [item.description, describedNumber(item)]),
  );
  const kind = numbers.get("kcd_c_type");
  if (kind !== compression.none && kind !== compression.zlib) {
    throw new FormatError(name, 16, "compression by zlib");
  }
  const start = inner + 16;
  const length = Number(numbers.get("kcd_c_totalout") ?? 0n);
  const stream = length > 0 && length <= bytes.length - start
    ? bytes.subarray(start, start + length)
    : bytes.subarray(start);
  const items = kind === compression.none
    ? stream
    : await inflate(stream, "deflate", name, start, budget);
  const whole = new Uint8Array(16 + items.length + (-items.length & 15) + 16);
  whole.set(bytes.subarray(inner, start));
  whole.set(items, 16);
  new DataView(whole.buffer).setUint32(whole.length - 16, kc.end, true);
  return whole;
}

/** The bytes in chunks, so that output before damage in the stream is kept. */
function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
  const size = Math.min(Math.max(Math.ceil(bytes.length / 64), 64), 1 << 16);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at += size) as Uint8Array<ArrayBuffer>);
    },
  });
}

/** Inflates a stream as far as possible.
 *
 * @throws FormatError when nothing can be inflated
 */
async function inflate(
  bytes: Uint8Array,
  format: "gzip" | "deflate",
  name: string,
  offset: number,
  budget: StackshotBudget,
): Promise<Uint8Array> {
  const reader = inPieces(bytes).pipeThrough(new DecompressionStream(format)).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      budget.inflate(value.length, name, offset);
      parts.push(value);
      length += value.length;
    }
  } catch (error) {
    if (error instanceof FormatError) throw error;
    // A truncated stream: keep what was inflated.
    if (length === 0) throw new FormatError(name, offset, `a stream that ${format} inflates`);
  } finally {
    await reader.cancel().catch(() => {});
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
