/** Stackshots of both forms, made byte by byte, read again. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { FormatError } from "../../../lib/errors.ts";
import {
  readStackshot,
  Stackshot,
  type StackshotData,
  type TaskData,
  type ThreadData,
} from "../../../lib/stackshot/mod.ts";
import { Symbolizer } from "../../../lib/symbols/mod.ts";
import { Bytes } from "./bytes.ts";
import {
  DELTA,
  encodeCompressed,
  encodeDelta,
  encodeKcdata,
  KcdataWriter,
  loadInfos,
  STACKSHOT,
  taskSnapshot,
  threadSnapshot,
  writeHead,
  writeTask,
} from "./kcdata_encoder.ts";
import { frames, type Shot, shot, type Task, type Thread, uuid } from "./shot.ts";
import { encodeTrace, systems } from "./trace_encoder.ts";

const services = {
  symbols: (images: ConstructorParameters<typeof Symbolizer>[0] & []) => new Symbolizer(images),
};

/** What both forms have of a thread. */
function assertThread(read: ThreadData, made: Thread, hasAll: boolean): void {
  const where = `thread ${made.id}`;
  assertEquals(read.id, made.id);
  assertEquals(read.waitEvent, made.waitEvent ?? 0n, where);
  assertEquals(read.continuation, made.continuation ?? 0n, where);
  assertEquals(read.state, made.state ?? 1, where);
  const raw = (list: Thread["user"]) =>
    (list ?? []).map(({ lr, fp }) => ({ address: lr, frame: made.lrOnly && hasAll ? null : fp }));
  assertEquals(read.kernelFrames, raw(made.kernel), where);
  assertEquals(read.userFrames, raw(made.user), where);
}

function assertTask(read: TaskData, made: Task): void {
  assertEquals(read.pid, made.pid);
  assertEquals(read.loadInfos, made.images ?? [], made.name);
  assertEquals(read.threads.length, made.threads.length, made.name);
}

Deno.test("kcdata: everything that was written is read", async () => {
  const data = await readStackshot(encodeKcdata(shot), "made");
  assertEquals(data.warnings, []);
  assertEquals(data.form, "kcdata");
  assertEquals(data.osVersion, shot.osVersion);
  assertEquals(data.bootArgs, "debug=0x14e");
  assertEquals(data.pageSize, 16384);
  assertEquals(data.timebase, { numer: 125, denom: 3 });
  assertEquals(data.absoluteTime, 0x1234_5678_9abcn);
  assertEquals(data.time, 1_700_000_123_456_789n);
  assertEquals(data.sharedCache, shot.sharedCache);
  assertEquals([...data.portLabels], [[3, "com.example.service"]]);
  assertEquals({ ...data.numbers }, {
    stackshot_in_flags: 0x1010003n,
    stackshot_in_pid: 0xffff_ffffn,
    system_state_flags: 2n,
  });
  assertEquals(data.details.stackshot_duration?.stackshot_duration_outer, 200n);
  assertEquals(data.tasks.length, 3);
  for (const [index, made] of shot.tasks.entries()) {
    const read = data.tasks[index];
    assertTask(read, made);
    assertEquals(read.uniqueId, made.uniqueId);
    assertEquals(read.name, made.name);
    assertEquals(read.cpuType, made.cpuType ?? null);
    assertEquals(read.textExec, made.textExec ?? []);
    assertEquals(read.donatingPids, made.donating ?? []);
    assertEquals(read.size, 0x300000n);
    for (const [at, thread] of made.threads.entries()) {
      const got = read.threads[at];
      assertThread(got, thread, true);
      assertEquals(got.name, thread.name ?? "");
      assertEquals(got.queueLabel, thread.queue ?? "");
      assertEquals(got.userTime, (thread.userTime ?? 0n) * 125n / 3n);
      assertEquals([got.basePriority, got.priority, got.qos], [31, 47, 4]);
      assertEquals(got.details.stackshot_cpu_times?.runnable_usec, 30n);
      assertEquals(got.asyncStart, thread.async?.start ?? null);
      assertEquals(got.asyncFrames.map(({ address }) => address), thread.async?.lr ?? []);
      const version = thread.version ?? 4;
      assertEquals(got.details.thread_snapshot?.ths_thread_t, version >= 3 ? 0xabcdefn : undefined);
      assertEquals(
        got.details.thread_snapshot?.ths_effective_policy,
        version >= 4 ? 0x22n : undefined,
      );
    }
  }
});

Deno.test("trace buffers of every system are told apart and read", async () => {
  for (const system of systems) {
    for (const withMemory of [false, true]) {
      const tasks = shot.tasks.map((task) => ({
        ...task,
        ...(task.pid === 501 ? { sharedCache: shot.sharedCache! } : {}),
        threads: task.threads.map((thread) =>
          thread.id === 0x202n ? { ...thread, queueSerial: 12n } : thread
        ),
      }));
      const data = await readStackshot(encodeTrace(system, { tasks }, withMemory), "made");
      assertEquals(data.warnings, [], system);
      assertEquals([data.form, data.layout], ["trace-buffer", system]);
      assertEquals(
        data.details.mem_and_io_snapshot?.wired_pages,
        withMemory && system !== "10.6" ? 5 : undefined,
      );
      for (const [index, made] of tasks.entries()) {
        const read = data.tasks[index];
        assertTask(read, made);
        assertEquals(read.name, made.name);
        for (const [at, thread] of made.threads.entries()) {
          assertThread(read.threads[at], thread, false);
          assertEquals(read.threads[at].queueSerial, thread.id === 0x202n ? 12n : 0n);
        }
      }
      const hasNames = systems.indexOf(system) >= systems.indexOf("10.10");
      assertEquals(data.tasks[1].threads[0].name, hasNames ? "main" : "");
      assertEquals(data.tasks[1].donatingPids, hasNames ? [77, 88] : []);
      const hasCache = systems.indexOf(system) >= systems.indexOf("10.9");
      assertEquals(data.tasks[1].sharedCache?.slide, hasCache ? 0x4000n : undefined);
    }
  }
});

Deno.test("a trace buffer may be longer than what was written, or end anywhere", async () => {
  const whole = encodeTrace("10.9", shot);
  const padded = new Uint8Array(whole.length + 4096);
  padded.set(whole);
  const plain = await readStackshot(whole, "made");
  assertEquals(await readStackshot(padded, "made"), plain);
  const cut = await readStackshot(whole.subarray(0, whole.length - 1), "made");
  assertEquals(cut.tasks.length, 3);
  assertEquals(cut.tasks[2].threads.length, 0);
  assertEquals(cut.tasks.slice(0, 2), plain.tasks.slice(0, 2));
  assertEquals(cut.warnings.length, 1);
});

Deno.test("kernels that did not record padding", async () => {
  // thread_snapshot_v2 and v3 have the same padded length: the flags tell them apart.
  const writer = new KcdataWriter(STACKSHOT);
  const thread: Thread = { id: 5n };
  writer.begin(0x903, 1n).oldStruct(0x905, taskSnapshot({ ...shot.tasks[1], threads: [] }));
  writer.oldArray(0x31, 2, loadInfos(shot.tasks[1].images));
  for (const [id, old, version] of [[5n, true, 2], [6n, false, 3]] as const) {
    const struct = threadSnapshot({ ...thread, id }, version);
    writer.begin(0x904, id);
    if (old) writer.oldStruct(0x906, struct);
    else writer.struct(0x906, struct);
    writer.oldArray(0x90d, 3, new Bytes().u64(1, 2, 3, 4, 5, 6)).end(id);
  }
  writer.end(1n);
  const read = await readStackshot(writer.done(), "made");
  assertEquals(read.warnings, []);
  const [task] = read.tasks;
  assertEquals(task.loadInfos, shot.tasks[1].images);
  assertEquals(task.threads.map(({ userFrames }) => userFrames.length), [3, 3]);
  assertEquals(task.threads.map(({ details }) => details.thread_snapshot?.ths_thread_t), [
    undefined,
    0xabcdefn,
  ]);
});

Deno.test("what is longer than known is read as far as it is known; what is unknown is kept", async () => {
  const writer = new KcdataWriter(STACKSHOT);
  const [, made] = shot.tasks;
  writer.begin(0x903, made.uniqueId);
  writer.struct(0x905, taskSnapshot(made).u64(1, 2, 3));
  writer.struct(0x9fe, new Bytes().u8(1, 2, 3));
  writer.struct(6, new Bytes().text("a blob", 32).u8(9));
  writer.define(0x9ff, "new_thing", [
    { name: "first", kind: 7, offset: 0, size: 4 },
    { name: "list", kind: 5, offset: 4, size: 2, count: 3 },
  ]);
  writer.struct(0x9ff, new Bytes().u32(42).u16(1, 2, 3));
  writer.end(made.uniqueId);
  writer.begin(0x949, 5n).struct(0x94b, new Bytes().u64(6, 7)).end(5n);
  const data = await readStackshot(writer.done(), "made");
  const { tasks: [task], warnings, unknownContainers } = data;
  assertEquals(
    unknownContainers.map(({ type, id, items }) => [type, id, items.length] as const),
    [[0x949, 5n, 1]],
  );
  const json = JSON.parse(JSON.stringify(new Stackshot(data, services)));
  assertEquals(json.unknownContainers, [{ type: "0x949", id: "0x5" }]);
  assertEquals(json.tasks[0].unknown[0], {
    type: "0x9fe",
    description: null,
    size: 3,
    bytes: "010203",
  });
  assertEquals(warnings, []);
  assertEquals(task.name, made.name);
  assertEquals(
    task.unknown.map(({ type, description, data }) => [type, description, [...data]]),
    [[0x9fe, null, [1, 2, 3]], [6, "a blob", [9]]],
  );
  assertEquals({ ...task.details.new_thing }, { first: 42, list: [1, 2, 3] });
});

Deno.test("compressed stackshots, by gzip and by the kernel", async () => {
  const plain = await readStackshot(encodeKcdata(shot), "made");
  const gzip = new Blob([encodeKcdata(shot)]).stream().pipeThrough(new CompressionStream("gzip"));
  const gzipped = new Uint8Array(await new Response(gzip).arrayBuffer());
  assertEquals(await readStackshot(gzipped, "made"), plain);
  const compressed = await encodeCompressed(shot);
  const read = await readStackshot(compressed, "made");
  assertEquals(read.warnings, []);
  assertEquals(read.tasks, plain.tasks);
  assertEquals(read.tasks.map(({ threads }) => threads.length), [1, 2, 1]);
  // Cut short, it is read as far as it goes.
  const cut = await readStackshot(compressed.subarray(0, compressed.length - 200), "made");
  assert(cut.warnings.length > 0);
  assertEquals(cut.osVersion, shot.osVersion);
});

function checkMerged(data: StackshotData): void {
  assertEquals(data.form, "delta");
  assertEquals(data.since, 0x1234_5678_9abcn);
  assertEquals(data.absoluteTime, 0x1234_5678_bbbbn);
  assertEquals(data.osVersion, shot.osVersion);
  assertEquals(
    data.tasks.map(({ name, change }) => [name, change]),
    [["Worker", "changed"], ["New", "new"], ["kernel_task", "kept"]],
  );
  const [worker, , kernel] = data.tasks;
  assertEquals(worker.pid, 501);
  assertEquals(worker.loadInfos, shot.tasks[1].images);
  assertEquals(worker.size, 0x310000n);
  assertEquals(
    worker.threads.map(({ id, change, state, priority, userFrames }) =>
      [id, change, state, priority, userFrames.length] as const
    ),
    // 0x202 has ended; 0x201 did not run, so its frames are those from before.
    [[0x203n, "new", 1, 47, 1], [0x201n, "changed", 4, 46, 4]],
  );
  assertEquals(worker.threads[1].name, "main");
  assertEquals(kernel.threads[0].change, "kept");
  assertEquals(kernel.threads[0].kernelFrames.length, 2);
}

Deno.test("a delta stackshot, alone and completed by the one before", async () => {
  const base = encodeKcdata(shot);
  const delta = encodeDelta(shot);
  const alone = await readStackshot(delta, "delta");
  assertEquals(alone.warnings, []);
  assertEquals(
    alone.tasks.map(({ uniqueId, pid, change }) => [uniqueId, pid, change] as const),
    [[0x1f5n, -1, "changed"], [0x384n, 900, "new"]],
  );
  assertEquals(alone.namedTasks, [0n]);
  checkMerged(await readStackshot(delta, "delta", await readStackshot(base, "base")));
  const together = new Uint8Array([...base, ...delta]);
  checkMerged(await readStackshot(together, "both"));
  await assertRejects(
    async () => await readStackshot(base, "base", await readStackshot(base, "base")),
    FormatError,
    "a delta stackshot",
  );
  // One that says of which threads nothing has changed.
  const writer = new KcdataWriter(DELTA);
  writer.begin(0x903, 0x1f5n).array(0x917, 1, new Bytes().u64(0x202)).end(0x1f5n);
  const named = await readStackshot(writer.done(), "delta", await readStackshot(base, "base"));
  assertEquals(named.tasks.map(({ name }) => name), ["Worker"]);
  assertEquals(
    named.tasks[0].threads.map(({ id, change, userFrames }) =>
      [id, change, userFrames.length] as const
    ),
    [[0x202n, "named", 3]],
  );
});

Deno.test("images, frames and words", async () => {
  const stackshot = new Stackshot(await readStackshot(encodeKcdata(shot), "made"), services);
  assertEquals(`${stackshot}`, "stackshot of 3 tasks, 4 threads");
  assertEquals(stackshot.date?.toISOString(), "2023-11-14T22:15:23.456Z");
  const [kernel, worker, old] = stackshot.tasks;
  assertEquals(`${worker}`, "Worker (pid 501, arm64)");
  assertEquals([kernel.arch, worker.arch, old.arch], ["arm64", "arm64", "armv7"]);
  assertEquals(worker.images.map(({ uuid }) => uuid), [uuid(3), uuid(4), uuid(0xcac4e)]);
  const [main, second] = worker.threads;
  assertEquals(main.state, "waiting");
  assertEquals(main.flags, ["main"]);
  assertEquals(main.waiting, "pthread mutex 0x100008000 owned by thread 0x202");
  assertEquals(main.turnstile, "lends priority 47 to thread 0x202 after 2 hops");
  assertEquals(
    second.waiting,
    "a message: receives a reply on port 0xdead named 0x907 (com.example.service)",
  );
  const shown = (list: Iterable<{ image: { name: string } | null; offset: number }>) =>
    [...list].map(({ image, offset }) => [image?.name, offset] as const);
  // Kernel frames lie in the images of the kernel's task, code apart from headers too.
  assertEquals(shown(main.kernelBacktrace()), [
    [uuid(2), 0x400],
    [uuid(2), 0x1410],
    [uuid(2), 0x2420],
  ]);
  assertEquals(shown(second.kernelBacktrace()), [["kernel", 0x1fc300]]);
  assertEquals(shown(main.backtrace()).map(([name]) => name), Array(4).fill(uuid(3)));
  assertEquals(shown(second.backtrace()), [
    [uuid(4), 0x500],
    [uuid(4), 0x1510],
    ["dyld_shared_cache", 0x4000],
  ]);
  assertEquals([main.backtrace().stopped, second.backtrace().stopped], [
    "null-record",
    "unreadable",
  ]);
  assertEquals(main.backtrace(2).stopped, "limit");
  assertEquals(second.asyncBacktrace().map(({ address }) => address), [
    0x1_0000_0700n,
    0x1_0000_0800n,
  ]);
  assertEquals(kernel.threads[0].continuation?.image?.name, "kernel");
  // The innermost frame is where execution goes on; its callers called.
  assertEquals(main.backtrace().map(({ lookupAddress, address }) => address - lookupAddress), [
    0n,
    1n,
    1n,
    1n,
  ]);
  const json = JSON.parse(JSON.stringify(stackshot));
  assertEquals(json.tasks[1].target, {
    kind: "stackshot",
    pid: 501,
    name: "Worker",
    arch: "arm64",
  });
  assertEquals(json.tasks[1].images.length, 5);
  const [first] = json.tasks[1].threads;
  assertEquals(first.frames.length, 7);
  assertEquals(
    first.frames.map(({ index, kernel }: { index: number; kernel: boolean }) => [index, kernel]),
    [0, 1, 2, 3, 4, 5, 6].map((index) => [index, index < 3]),
  );
  assertEquals(first.frames[3], {
    index: 3,
    address: "0x100000400",
    image: uuid(3),
    symbol: null,
    offset: 0x400,
    file: null,
    line: null,
    column: null,
    inlined: false,
    via: "context",
    kernel: false,
  });
});

Deno.test("the images of a shared cache that is laid out are told apart", async () => {
  const layout = [1, 2, 3].map((number) => ({
    uuid: uuid(0x100 + number),
    address: 0x1_8000_0000n + BigInt(number) * 0x10_0000n,
  }));
  const [, worker] = shot.tasks;
  const inCache = { id: 9n, user: frames(0x1_8020_4100n, 1) };
  const other = { uuid: uuid(0x77), slide: 0n, base: 0x1_8000_0000n };
  const made: Shot = {
    ...shot,
    layout,
    tasks: [
      { ...worker, threads: [inCache] },
      { ...worker, uniqueId: 7n, sharedCache: other, threads: [inCache] },
    ],
  };
  const stackshot = new Stackshot(await readStackshot(encodeKcdata(made), "made"), services);
  const images = stackshot.tasks.map(({ threads: [thread] }) => thread.backtrace()[0].image);
  // Its address is that of the second image plus the slide of 0x4000.
  assertEquals(images.map((image) => image?.uuid), [uuid(0x102), uuid(0x77)]);
  assertEquals(images[0]?.loadAddress, 0x1_8020_4000n);
});

Deno.test("what is no stackshot", async () => {
  for (const bytes of [[], [1, 2, 3], [0x57, 0xf1, 0xad, 0xde, ...Array(12).fill(0)]]) {
    await assertRejects(() => readStackshot(new Uint8Array(bytes), "made"), FormatError);
  }
  const gzip = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0]);
  await assertRejects(() => readStackshot(gzip, "made"), FormatError);
  const empty = new KcdataWriter(0x434f4d50).u64("kcd_c_type", 9n).struct(STACKSHOT, new Bytes());
  await assertRejects(() => readStackshot(empty.done(), "made"), FormatError, "zlib");
});

Deno.test("containers and arrays that are wrong cost themselves", async () => {
  const writer = new KcdataWriter(STACKSHOT);
  writeHead(writer, shot);
  writer.oldArray(0x999, 3, new Bytes().u32(1, 2, 3));
  writer.array(0x31, 5, new Bytes().u64(1, 2));
  writer.end(0x77n);
  writeTask(writer, shot.tasks[1]);
  writer.begin(0x903, 0x99n);
  const data = await readStackshot(writer.done().subarray(0, -16), "made");
  assertEquals(data.tasks[0].threads.length, 2);
  assertEquals(data.warnings.map((text) => text.replace(/0x[0-9a-f]{3,}$/, "…")), [
    "the array of 3 elements of type 0x999 does not say how large they are at offset …",
    "the array of 5 elements of type 0x31 has 16 bytes at offset …",
    "a container ends that did not begin at offset …",
    "the buffer ends without an end mark at offset …",
    "a container does not end",
  ]);
});
