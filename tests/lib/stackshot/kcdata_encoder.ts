/** kcdata as the kernel writes it, byte by byte: `osfmk/kern/kcdata.h`, and `kern_cdata.c` for what
 * stands where. */
import { Bytes } from "./bytes.ts";
import type { Frame, Shot, Task, Thread } from "./shot.ts";

export const STACKSHOT = 0x59a25807;
export const DELTA = 0xde17a59a;

const padding = (size: number) => -size & 15;

/** A buffer being written. */
export class KcdataWriter {
  readonly #bytes = new Bytes();

  constructor(magic: number) {
    // kcdata_init() goes through the same function as all other items.
    this.#bytes.u32(magic, 0).u64(0x80);
  }

  #item(type: number, flags: bigint, data: Uint8Array): this {
    const pad = padding(data.length);
    this.#bytes.u32(type, data.length + pad).u64(flags).bytes(data).zeroes(pad);
    return this;
  }

  /** A structure: its padding is in its flags. */
  struct(type: number, data: Bytes): this {
    return this.#item(type, BigInt(0x80 | padding(data.length)), data.done());
  }

  /** The same by a kernel that did not record padding. */
  oldStruct(type: number, data: Bytes): this {
    return this.#item(type, 0n, data.done());
  }

  /** An array: its padding is in its type. */
  array(type: number, count: number, data: Bytes): this {
    const flags = BigInt(type) << 32n | BigInt(count);
    return this.#item(0x20 | padding(data.length), flags, data.done());
  }

  /** The same by a kernel that did not record padding: `KCDATA_TYPE_ARRAY`. */
  oldArray(type: number, count: number, data: Bytes): this {
    return this.#item(0x11, BigInt(type) << 32n | BigInt(count), data.done());
  }

  text(type: number, text: string): this {
    const bytes = new TextEncoder().encode(text);
    return this.struct(type, new Bytes().bytes(bytes).u8(0));
  }

  /** `kcdata_add_uint32_with_description()`. */
  u32(name: string, value: number): this {
    return this.struct(2, new Bytes().text(name, 32).u32(value));
  }

  /** `kcdata_add_uint64_with_description()`. */
  u64(name: string, value: bigint): this {
    return this.struct(3, new Bytes().text(name, 32).u64(value));
  }

  begin(type: number, id: bigint): this {
    return this.#item(0x13, id, new Bytes().u32(type).done());
  }

  end(id: bigint): this {
    return this.#item(0x14, id, new Uint8Array());
  }

  /** `kcdata_add_type_definition()`. */
  define(
    type: number,
    name: string,
    fields: readonly { name: string; kind: number; offset: number; size: number; count?: number }[],
  ): this {
    const data = new Bytes().u32(type, fields.length).text(name, 32);
    for (const { name, kind, offset, size, count } of fields) {
      data.u8(count === undefined ? 0 : 1, kind).u16(offset);
      data.u32(count === undefined ? size : count << 16 | size).text(name, 32);
    }
    return this.#item(0x12, BigInt(padding(data.length)), data.done());
  }

  /** The items so far, without the buffer's own mark. */
  items(): Uint8Array<ArrayBuffer> {
    return this.#bytes.done().slice(16);
  }

  done(): Uint8Array<ArrayBuffer> {
    return new Bytes().bytes(this.#bytes.done()).u32(0xf19158ed, 0).u64(0).done();
  }
}

/** `struct thread_snapshot_v4`, or as much of it as older kernels had. */
export function threadSnapshot(thread: Thread, version: 2 | 3 | 4 = 4): Bytes {
  const bytes = new Bytes()
    .u64(thread.id, thread.waitEvent ?? 0, thread.continuation ?? 0, 77, 0x1234, 9)
    .u64(thread.userTime ?? 0, thread.systemTime ?? 0, flagsOf(thread), 1000, 900)
    .u32(thread.state ?? 1, 0).u16(31, 47).u8(4, 5, 0, 1);
  if (version >= 3) bytes.u64(0xabcdef);
  if (version >= 4) bytes.u64(0x11, 0x22);
  return bytes;
}

function flagsOf(thread: Thread): bigint {
  return BigInt(thread.flags ?? 0) | (thread.user32 === true ? 0n : 1n) |
    (thread.kernel32 === true ? 0n : 2n);
}

function writeFrames(writer: KcdataWriter, frames: readonly Frame[], type: number): void {
  if (frames.length === 0) return;
  // Types come in pairs, the 32-bit one first; frames with their stack pointers before those without.
  const is32 = (type & 1) === (type >= 0x913 ? 1 : 0);
  const data = new Bytes();
  for (const { lr, fp } of frames) {
    for (const value of type >= 0x913 ? [lr] : [lr, fp]) {
      if (is32) data.u32(Number(value));
      else data.u64(value);
    }
  }
  writer.array(type, frames.length, data);
}

function writeThread(writer: KcdataWriter, thread: Thread): void {
  writer.begin(0x904, thread.id);
  writer.struct(0x906, threadSnapshot(thread, thread.version));
  if (thread.name !== undefined) {
    writer.struct(0x909, new Bytes().text(thread.name, 64));
  }
  if (thread.queue !== undefined) writer.text(0x928, thread.queue);
  writer.struct(0x919, new Bytes().u64(10, 20, 30));
  const lrOnly = thread.lrOnly === true;
  const kernel = lrOnly ? 0x914 : 0x90b;
  const user = lrOnly ? 0x916 : 0x90d;
  writeFrames(writer, thread.user ?? [], thread.user32 === true ? user - 1 : user);
  if (thread.async !== undefined) {
    writer.struct(0x932, new Bytes().u32(thread.async.start));
    writer.array(0x933, thread.async.lr.length, new Bytes().u64(...thread.async.lr));
  }
  writeFrames(writer, thread.kernel ?? [], thread.kernel32 === true ? kernel - 1 : kernel);
  writer.end(thread.id);
}

/** `struct task_snapshot_v2`. */
export function taskSnapshot(task: Task): Bytes {
  return new Bytes()
    .u64(task.uniqueId, task.flags ?? 1, 5000, 6000, 1_700_000_000, 0x300000, 0x400000)
    .u32(task.suspendCount ?? 0, 100, 20, 3, 0, 0, 0, task.pid).text(task.name, 32);
}

/** `struct task_delta_snapshot_v2`. */
export function taskDelta(task: Task): Bytes {
  return new Bytes()
    .u64(task.uniqueId, task.flags ?? 1, 5500, 6600, 0x310000, 0x400000)
    .u32(task.suspendCount ?? 0, 101, 20, 3, 0, 0, 0);
}

/** `struct thread_delta_snapshot_v3`, or v2. */
export function threadDelta(thread: Thread, version: 2 | 3 = 3): Bytes {
  const bytes = new Bytes().u64(thread.id, 0x1234, flagsOf(thread), 1900)
    .u32(thread.state ?? 1, 0).u16(30, 46).u8(3, 5, 0, 1);
  return version === 3 ? bytes.u64(0x33, 0x44) : bytes;
}

/** Load infos, of both sizes. */
export function loadInfos(infos: Task["images"], is32 = false): Bytes {
  const bytes = new Bytes();
  for (const { uuid, address } of infos ?? []) {
    if (is32) bytes.u32(Number(address));
    else bytes.u64(address);
    bytes.uuid(uuid);
  }
  return bytes;
}

/** What is written between a task's marks, its threads last. */
export function writeTask(writer: KcdataWriter, task: Task): void {
  writer.begin(0x903, task.uniqueId);
  writer.struct(0x905, taskSnapshot(task));
  if (task.cpuType !== undefined) writer.struct(0x92a, new Bytes().u32(task.cpuType, 2));
  if (task.images !== undefined) {
    const is32 = task.images32 === true;
    writer.array(is32 ? 0x30 : 0x31, task.images.length, loadInfos(task.images, is32));
  }
  if (task.textExec !== undefined) {
    writer.array(0x92e, task.textExec.length, loadInfos(task.textExec));
  }
  if (task.sharedCache !== undefined) {
    const { uuid, slide, base } = task.sharedCache;
    writer.struct(0x908, new Bytes().u64(slide).uuid(uuid).u64(base, base).u32(1, 0));
  }
  if (task.donating !== undefined) {
    writer.array(0x907, task.donating.length, new Bytes().u32(...task.donating));
  }
  for (const thread of task.threads) writeThread(writer, thread);
  const waits = new Bytes();
  for (const wait of task.waits ?? []) {
    waits.u64(wait.owner, wait.waiter, wait.context).u8(wait.type);
    waits.u16(wait.label ?? 0).u32(wait.flags ?? 0);
  }
  if (task.waits !== undefined) writer.array(0x91d, task.waits.length, waits);
  const turnstiles = new Bytes();
  for (const { waiter, context, flags } of task.turnstiles ?? []) {
    turnstiles.u64(waiter, context).u8(47, 2).u64(flags).u16(0);
  }
  if (task.turnstiles !== undefined) writer.array(0x929, task.turnstiles.length, turnstiles);
  writer.end(task.uniqueId);
}

/** What stands before the tasks. */
export function writeHead(writer: KcdataWriter, shot: Shot): void {
  writer.u64("stackshot_in_flags", 0x1010003n);
  writer.u32("stackshot_in_pid", 0xffff_ffff);
  writer.u32("system_state_flags", 2);
  writer.struct(0x911, new Bytes().u32(7));
  writer.struct(0x910, new Bytes().u32(16384));
  writer.text(0x90f, shot.osVersion);
  writer.text(0x90e, "debug=0x14e");
  writer.struct(0x32, new Bytes().u32(125, 3));
  writer.struct(0x33, new Bytes().u64(0x1234_5678_9abcn));
  writer.struct(0x35, new Bytes().u64(1_700_000_123_456_789n));
  if (shot.sharedCache !== undefined) {
    const { uuid, slide, base } = shot.sharedCache;
    writer.struct(0x908, new Bytes().u64(slide).uuid(uuid).u64(base, base).u32(1, 1));
  }
  if (shot.layout !== undefined) writer.array(0x927, shot.layout.length, loadInfos(shot.layout));
  for (const { id, name } of shot.portLabels ?? []) {
    writer.begin(0x934, BigInt(id));
    writer.struct(0x935, new Bytes().u16(id, 0).u8(1)).text(0x936, name);
    writer.end(BigInt(id));
  }
}

/** A whole stackshot. */
export function encodeKcdata(shot: Shot): Uint8Array<ArrayBuffer> {
  const writer = new KcdataWriter(STACKSHOT);
  writeHead(writer, shot);
  for (const task of shot.tasks) writeTask(writer, task);
  writer.struct(0x91a, new Bytes().u64(100, 200, 0));
  return writer.done();
}

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The same as a kernel that panics writes it: `kcdata_init_compress()`, whose inner buffer's items are
 * one stream of zlib's. */
export async function encodeCompressed(shot: Shot): Promise<Uint8Array<ArrayBuffer>> {
  const inner = new KcdataWriter(STACKSHOT);
  writeHead(inner, shot);
  for (const task of shot.tasks) writeTask(inner, task);
  const items = inner.items();
  const stream = await deflate(items);
  const outer = new KcdataWriter(0x434f4d50);
  outer.u64("kcd_c_type", 1n);
  outer.u64("kcd_c_totalout", BigInt(stream.length));
  outer.u64("kcd_c_totalin", BigInt(items.length));
  outer.struct(STACKSHOT, new Bytes());
  const bytes = new Bytes().bytes(outer.done().subarray(0, -16)).bytes(stream);
  return bytes.zeroes(64).done();
}

/** What has changed since: a thread of the second task has ended, one is new, one is only changed; a task
 * is new, the first is only named, the third has ended. */
export function encodeDelta(shot: Shot): Uint8Array<ArrayBuffer> {
  const [, worker, old] = shot.tasks;
  const writer = new KcdataWriter(DELTA);
  writer.u32("stackshot_in_pid", 0xffff_ffff);
  writer.struct(0x912, new Bytes().u64(0x1234_5678_9abcn));
  writer.struct(0x33, new Bytes().u64(0x1234_5678_bbbbn));
  writer.begin(0x903, worker.uniqueId);
  writer.struct(0x940, taskDelta(worker));
  writer.begin(0x904, 0x203n).struct(0x906, threadSnapshot({ id: 0x203n }));
  writer.array(0x916, 1, new Bytes().u64(0x1_0000_0999n)).end(0x203n);
  writer.array(0x941, 1, threadDelta({ id: 0x201n, state: 4 }));
  writer.end(worker.uniqueId);
  // A task that is new, and one that is only named.
  writeTask(writer, { ...old, pid: 900, uniqueId: 0x384n, name: "New" });
  writer.array(0x918, 1, new Bytes().u64(0));
  return writer.done();
}
