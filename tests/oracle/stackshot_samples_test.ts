/** Stackshots that kernels wrote, as libkdd, Apple's own reader, reads them.
 *
 * Apple publishes them with what libkdd makes of them, in the sources of XNU from release 3789 to 8019.
 * They are not part of this repository; the test runs when it is told where such sources are:
 *
 * ```sh
 * git clone --depth 1 -b xnu-8019.80.24 https://github.com/apple-oss-distributions/xnu samples
 * MACHPAUSE_XNU_SAMPLES=$PWD/samples deno test -A tests/oracle/stackshot_samples_test.ts
 * ```
 */
import { assert, assertEquals } from "@std/assert";
import { readStackshot, type StackshotData } from "../../lib/stackshot/mod.ts";
import { Bytes } from "../lib/stackshot/bytes.ts";
import { KcdataWriter } from "../lib/stackshot/kcdata_encoder.ts";

const samples = Deno.env.get("MACHPAUSE_XNU_SAMPLES");
const folder = `${samples}/libkdd/tests`;

type Plist = bigint | string | boolean | Plist[] | { [key: string]: Plist };
type Dict = { [key: string]: Plist };

/** The values of an XML property list, all that these have. */
function parsePlist(xml: string): Plist {
  const tokens = xml.slice(xml.indexOf("<plist")).matchAll(
    /<(\/?)(dict|array|key|integer|string|true|false|real|data)(\/?)>([^<]*)/g,
  );
  const stack: { value: Plist[] | Dict; key: string | undefined }[] = [];
  let result: Plist | undefined;
  const unescape = (text: string) =>
    text.replace(
      /&(lt|gt|amp|quot|apos);/g,
      (_, name: string) => ({ lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" })[name]!,
    );
  const put = (value: Plist) => {
    const top = stack.at(-1);
    if (top === undefined) result = value;
    else if (Array.isArray(top.value)) top.value.push(value);
    else top.value[top.key!] = value;
  };
  for (const [, close, name, empty, text] of tokens) {
    if (name === "dict" || name === "array") {
      if (close !== "") {
        stack.pop();
        continue;
      }
      const value: Plist[] | Dict = name === "dict" ? {} : [];
      put(value);
      if (empty === "") stack.push({ value, key: undefined });
    } else if (close === "") {
      if (name === "key") stack.at(-1)!.key = unescape(text);
      else if (name === "integer") put(BigInt(text));
      else if (name === "true" || name === "false") put(name === "true");
      else put(empty === "" ? unescape(text) : "");
    }
  }
  return result!;
}

/** The values of a binary property list. */
function parseBinaryPlist(bytes: Uint8Array): Plist {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const number = (at: number, size: number): bigint => {
    let value = 0n;
    for (let index = 0; index < size; index++) value = value << 8n | BigInt(bytes[at + index]);
    return value;
  };
  const trailer = bytes.length - 32;
  const offsetSize = bytes[trailer + 6];
  const referenceSize = bytes[trailer + 7];
  const table = Number(view.getBigUint64(trailer + 24));
  const read = (index: number): Plist => {
    let at = Number(number(table + index * offsetSize, offsetSize));
    const kind = bytes[at] >> 4;
    let count = bytes[at++] & 15;
    if (kind === 0) return count === 9;
    if (kind === 1) {
      const value = number(at, 1 << count);
      return count === 3 ? BigInt.asIntN(64, value) : value;
    }
    if (count === 15) {
      const size = 1 << (bytes[at] & 15);
      count = Number(number(at + 1, size));
      at += 1 + size;
    }
    if (kind === 5) return new TextDecoder().decode(bytes.subarray(at, at + count));
    if (kind === 6) return new TextDecoder("utf-16be").decode(bytes.subarray(at, at + count * 2));
    const item = (index: number) => read(Number(number(at + index * referenceSize, referenceSize)));
    const items = Array.from({ length: count }, (_, index) => index);
    if (kind === 10) return items.map(item);
    return Object.fromEntries(items.map((index) => [item(index) as string, item(count + index)]));
  };
  return read(Number(view.getBigUint64(trailer + 16)));
}

async function gunzipped(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await Deno.readFile(path);
  if (bytes[0] !== 0x1f) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Sixteen numbers as a UUID. */
function uuid(value: Plist): string {
  const digits = (value as bigint[]).map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const list = (value: Plist | undefined): Dict[] =>
  value === undefined ? [] : Array.isArray(value) ? value as Dict[] : [value as Dict];

/** libkdd cuts the names of fields to 31 characters, and has other names for some. */
const renamed: Readonly<Record<string, string>> = {
  imageLoadAddress: "sharedCacheSlide",
  imageUUID: "sharedCacheUUID",
  imageSlidBaseAddress: "sharedCacheUnreliableSlidBaseAddress",
};

/** Compares what libkdd read of a structure with ours, field by field; returns how many there were. */
function compareStruct(ours: unknown, theirs: Plist | undefined, where: string): number {
  if (theirs === undefined || typeof theirs !== "object" || Array.isArray(theirs)) return 0;
  assert(ours !== undefined, `${where}: not read`);
  const fields = ours as Record<string, unknown>;
  let compared = 0;
  for (const [name, value] of Object.entries(theirs)) {
    const own = Object.keys(fields).find((field) => field.slice(0, 31) === name) ?? renamed[name];
    const mine = fields[own];
    if (typeof value === "bigint") {
      assertEquals(BigInt(mine as number | bigint), value, `${where}.${name}`);
    } else if (typeof value === "string") {
      assertEquals(mine, value, `${where}.${name}`);
    } else if (Array.isArray(value)) {
      const numbers = typeof mine === "string" ? [mine] : (mine as (number | bigint)[]).map(BigInt);
      assertEquals(numbers, typeof mine === "string" ? [uuid(value)] : value, `${where}.${name}`);
    }
    compared++;
  }
  return compared;
}

/** libkdd writes numbers from 2^63 on with a sign in some of its files. */
const unsigned = (value: Plist): bigint => BigInt.asUintN(64, value as bigint);

function compareFrames(
  ours: readonly { address: bigint; frame: bigint | null }[],
  theirs: Plist | undefined,
  where: string,
): number {
  const frames = list(theirs);
  assertEquals(
    ours.map(({ address, frame }) => [address, frame]),
    frames.map(({ lr, sp }) => [unsigned(lr), sp === undefined ? null : unsigned(sp)]),
    where,
  );
  return frames.length;
}

/** Returns how much was compared, of which kind. */
function compare(data: StackshotData, theirs: Dict): Record<string, number> {
  const counts = { tasks: 0, threads: 0, frames: 0, fields: 0, images: 0, waits: 0 };
  assertEquals(data.absoluteTime, theirs.mach_absolute_time);
  assertEquals(data.osVersion ?? undefined, theirs.osversion);
  assertEquals(data.bootArgs ?? undefined, theirs.boot_args);
  assertEquals(data.time ?? undefined, theirs.usecs_since_epoch);
  counts.fields += compareStruct(
    data.details.mem_and_io_snapshot,
    theirs.mem_and_io_snapshot,
    "memory",
  );
  counts.fields += compareStruct(
    data.details.dyld_shared_cache_loadinfo,
    theirs.shared_cache_dyld_load_info,
    "shared cache",
  );
  assertEquals(
    data.sharedCacheLayout.map(({ uuid, address }) => [uuid, address]),
    list(theirs.system_shared_cache_layout)
      .map(({ imageUUID, imageLoadAddress }) => [uuid(imageUUID), imageLoadAddress]),
  );
  const tasks = theirs.task_snapshots as { [id: string]: Dict } ?? {};
  assertEquals(data.tasks.length, Object.keys(tasks).length, "tasks");
  // libkdd knows a task by its pid, where it is told that, or by its unique identifier.
  for (const task of data.tasks) {
    const where = `task ${task.pid}`;
    const other = tasks[`${task.pid}`] ?? tasks[`${task.uniqueId}`];
    assert(other !== undefined, `${where} (${task.uniqueId})`);
    counts.tasks++;
    counts.fields += compareStruct(task.details.task_snapshot_v2, other.task_snapshot, where);
    counts.fields += compareStruct(
      task.details.task_delta_snapshot_v2,
      other.task_delta_snapshot,
      where,
    );
    counts.fields += compareStruct(task.details.io_stats_snapshot, other.io_statistics, where);
    assertEquals(
      task.loadInfos.map(({ uuid, address }) => [uuid, address]),
      list(other.dyld_load_info)
        .map(({ imageUUID, imageLoadAddress }) => [uuid(imageUUID), unsigned(imageLoadAddress)]),
      where,
    );
    counts.images += task.loadInfos.length;
    const waits = list(other.thread_waitinfo);
    assertEquals(
      task.waits.map(({ waiter, owner, context, type }) => [waiter, owner, context, BigInt(type)]),
      waits.map(({ waiter, owner, context, wait_type }) =>
        [waiter, owner, context].map(unsigned).concat(unsigned(wait_type))
      ),
      where,
    );
    counts.waits += waits.length;
    assertEquals(
      task.turnstiles.map(({ waiter, context, hops }) => [waiter, context, BigInt(hops)]),
      list(other.thread_turnstileinfo).map(({ waiter, turnstile_context, number_of_hops }) =>
        [waiter, turnstile_context, number_of_hops].map(unsigned)
      ),
      where,
    );
    const pids = other.donating_pids as bigint[] | undefined;
    assertEquals(task.donatingPids.map(BigInt), pids ?? [], where);

    const threads = other.thread_snapshots as { [id: string]: Dict } ?? {};
    const deltas = list(other.thread_delta_snapshots ?? other.thread_delta_snapshot);
    const whole = task.threads.filter(({ change }) => change !== "changed");
    assertEquals(whole.length, Object.keys(threads).length, `${where}: threads`);
    assertEquals(task.threads.length - whole.length, deltas.length, `${where}: changed threads`);
    for (const thread of whole) {
      const at = `${where} thread ${thread.id}`;
      const theirs = threads[`${thread.id}`];
      counts.threads++;
      counts.fields += compareStruct(thread.details.thread_snapshot, theirs.thread_snapshot, at);
      counts.fields += compareStruct(thread.details.stackshot_cpu_times, theirs.cpu_times, at);
      counts.fields += compareStruct(
        thread.details.instrs_cycles_snapshot,
        theirs.instrs_cycles,
        at,
      );
      counts.frames += compareFrames(thread.kernelFrames, theirs.kernel_stack_frames, at);
      counts.frames += compareFrames(thread.userFrames, theirs.user_stack_frames, at);
      assertEquals(thread.name, theirs.pth_name ?? "", at);
      assertEquals(thread.queueLabel, theirs.dispatch_queue_label ?? "", at);
    }
    for (const [index, thread] of task.threads.slice(whole.length).entries()) {
      const at = `${where} thread ${thread.id}`;
      counts.fields += compareStruct(
        thread.details.thread_delta_snapshot,
        deltas[index],
        at,
      );
    }
  }
  return counts;
}

Deno.test({
  name: "stackshots that kernels wrote are read as libkdd reads them",
  ignore: samples === undefined,
  fn: async () => {
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name)
      .filter((name) => /stackshot/.test(name) && !/plist/.test(name)).sort();
    assert(names.length > 20, folder);
    const total: Record<string, number> = {};
    for (const name of names) {
      const plist = await gunzipped(`${folder}/${name}.plist.gz`);
      const text = new TextDecoder().decode(plist);
      const theirs =
        (text.startsWith("bplist") ? parseBinaryPlist(plist) : parsePlist(text)) as Dict;
      const data = await readStackshot(await Deno.readFile(`${folder}/${name}`), name);
      assertEquals(data.warnings, [], name);
      const root = theirs.kcdata_stackshot ?? theirs.kcdata_delta_stackshot;
      for (const [kind, count] of Object.entries(compare(data, root as Dict))) {
        total[kind] = (total[kind] ?? 0) + count;
      }
    }
    // That it was not all left out.
    assert(Object.values(total).every((count) => count > 300), JSON.stringify(total));
  },
});

/** The same items, written by the encoder of the tests. In `bytes` padding becomes zeroes: older kernels
 * left in it what was there. */
function written(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const writer = new KcdataWriter(view.getUint32(0, true));
  for (let at = 16;;) {
    const type = view.getUint32(at, true);
    const size = view.getUint32(at + 4, true);
    const flags = view.getBigUint64(at + 8, true);
    const data = (padding: number) => {
      bytes.fill(0, at + 16 + size - padding, at + 16 + size);
      return new Bytes().bytes(bytes.subarray(at + 16, at + 16 + size - padding));
    };
    if (type === 0xf19158ed) return writer.done();
    if (type === 0x13) {
      data(12);
      writer.begin(view.getUint32(at + 16, true), flags);
    } else if (type === 0x14) writer.end(flags);
    else if ((type & ~15) === 0x20) {
      writer.array(Number(flags >> 32n), Number(flags & 0xffff_ffffn), data(type & 15));
    } else writer.struct(type, data(Number(flags & 15n)));
    at += 16 + size;
  }
}

Deno.test({
  name: "the tests' encoder writes what the kernel wrote, byte for byte but for padding",
  ignore: samples === undefined,
  fn: async () => {
    let compared = 0;
    for (const { name } of Deno.readDirSync(folder)) {
      if (!/stackshot/.test(name) || /plist/.test(name)) continue;
      const bytes = await gunzipped(`${folder}/${name}`);
      // Kernels before those that record padding.
      if (new DataView(bytes.buffer).getUint32(8, true) !== 0x80) continue;
      const again = written(bytes);
      assertEquals(again, bytes.slice(0, again.length), name);
      compared += again.length;
    }
    assert(compared > 1_000_000, `${compared} bytes`);
  },
});
