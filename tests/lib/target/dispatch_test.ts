/** Queues and pthreads in every known layout, damaged ones, and those of the demo, live and in cores. */
import { assert, assertEquals } from "@std/assert";
import { type ArchName, archs } from "../../../lib/arch/mod.ts";
import { Image } from "../../../lib/macho/mod.ts";
import { DispatchReader, pthreadLayout } from "../../../lib/target/dispatch.ts";
import type { CapturedThread } from "../../../lib/target/mod.ts";
import { reportOf, writeReport } from "../../../lib/report/api.ts";
import { openCore, type Target } from "../../../mod.ts";
import { runs } from "../../machine.ts";
import { startDemo } from "./demo.ts";

const layouts = JSON.parse(
  await Deno.readTextFile(new URL("../../fixtures/dispatch/layouts.json", import.meta.url)),
);

const library = Image.fromFile(
  await Deno.readFile(new URL("../../../examples/demo/x86_64/libworkers.dylib", import.meta.url)),
  "/usr/lib/system/libdispatch.dylib",
);
const offsetsAddress = library.findSymbols("_dispatch_queue_offsets")[0].address;

type Pair = readonly [offset: number, size: number];

interface Layout {
  readonly release: string;
  readonly version: number;
  readonly label: Pair;
  readonly serialNumber: Pair;
  readonly width: Pair;
  readonly target: Pair;
}

const arch = archs.x86_64;
const slots = 0x7000_0000n;

/** Memory of a thread, its queues and `dispatch_queue_offsets`. */
class Space {
  readonly bytes = new Map<bigint, number>();
  reads = 0;

  put(address: bigint, size: number, value: bigint): void {
    for (let at = 0; at < size; at++) {
      this.bytes.set(address + BigInt(at), Number(value >> BigInt(8 * at) & 0xffn));
    }
  }

  text(address: bigint, text: string): void {
    new TextEncoder().encode(`${text}\0`).forEach((byte, at) =>
      this.bytes.set(address + BigInt(at), byte)
    );
  }

  /** Pages that have anything in them are readable. */
  readonly readInto = (address: bigint, into: Uint8Array): number => {
    this.reads++;
    const pages = new Set([...this.bytes.keys()].map((at) => at >> 12n));
    for (let at = 0; at < into.length; at++) {
      const place = address + BigInt(at);
      if (!pages.has(place >> 12n)) return at;
      into[at] = this.bytes.get(place) ?? 0;
    }
    return into.length;
  };

  offsets({ version, label, serialNumber, width, target }: Layout): void {
    const words = [version, ...label, 0, 0, ...serialNumber, ...width, 0, 0, 0, 0, ...target, 0, 0];
    words.forEach((word, at) => this.put(offsetsAddress + BigInt(2 * at), 2, BigInt(word)));
  }

  queue(layout: Layout, address: bigint, label: string, width: number, target: bigint): void {
    if (layout.version < 4) {
      this.text(address + BigInt(layout.label[0]), label);
    } else {
      this.put(address + BigInt(layout.label[0]), 8, address + 0x800n);
      this.text(address + 0x800n, label);
    }
    this.put(address + BigInt(layout.width[0]), layout.width[1], BigInt(width));
    this.put(address + BigInt(layout.serialNumber[0]), layout.serialNumber[1], 17n);
    this.put(address + BigInt(layout.target[0]), layout.target[1], target);
  }

  /** A thread whose slots are at `address`. */
  thread(queue: bigint, priority: bigint, address = slots): CapturedThread {
    this.put(address, 8, address - 224n);
    this.put(address + 4n * 8n, 8, priority);
    this.put(address + 20n * 8n, 8, queue);
    return captured(address, address + 160n);
  }

  service(thread: CapturedThread) {
    const { readInto } = this;
    return new DispatchReader({ arch, images: () => [library], readInto }, [thread]).of(thread);
  }
}

function captured(handle: bigint, dispatchQueueAddress: bigint): CapturedThread {
  return {
    info: {
      ...{ id: 1n, handle, dispatchQueueAddress, userTime: 0n, systemTime: 0n, cpuUsage: 0 },
      ...{ runState: 3, flags: 0, suspendCount: 0, priority: 31, name: "" },
    },
    state: new Uint8Array(),
    stackAddress: 0n,
    stack: new Uint8Array(),
    stackEnd: 0n,
  };
}

for (const layout of layouts.queues as Layout[]) {
  Deno.test(`a queue of ${layout.release}`, () => {
    const space = new Space();
    space.offsets(layout);
    const [work, parent] = [0x1000_0000n, 0x2000_0000n];
    space.queue(layout, work, "com.example.work", 1, parent);
    space.queue(layout, parent, "com.apple.root.default-qos.overcommit", 0xfff, 0n);
    const { queue, qos } = space.service(space.thread(work, 0x10000n >> 5n));
    assertEquals(queue, {
      address: work,
      label: "com.example.work",
      kind: "serial",
      serialNumber: 17n,
      targets: layout.version < 5 ? [] : ["com.apple.root.default-qos.overcommit"],
    });
    assertEquals(qos, "default");
    assertEquals(space.service(space.thread(parent, 0n)).queue?.kind, "concurrent");
    assertEquals(space.service(space.thread(parent, 0n)).qos, null);
    assertEquals(space.service(space.thread(0n, 0n)).queue, null);
  });
}

const current = (layouts.queues as Layout[]).at(-1)!;

Deno.test("the classes of <sys/qos.h> by their bits in pthread_priority_t", () => {
  // THREAD_QOS_MAINTENANCE 1 to THREAD_QOS_USER_INTERACTIVE 6, one bit each from bit 8 on; the relative
  // priority is below them, flags are above.
  const classes = [1, 2, 3, 4, 5, 6].map((qos) => {
    const space = new Space();
    space.offsets(current);
    return space.service(space.thread(0n, 1n << BigInt(7 + qos) | 0xffn | 0x0100_0000n)).qos;
  });
  assertEquals(classes, [
    "maintenance",
    "background",
    "utility",
    "default",
    "user-initiated",
    "user-interactive",
  ]);
});

Deno.test("damage: no queue, or one whose chain ends; nothing throws or loops", () => {
  const cases: [name: string, damage: (space: Space) => void, label: string | undefined][] = [
    ["a later version", (space) => space.offsets({ ...current, version: 7 }), undefined],
    ["version 0", (space) => space.offsets({ ...current, version: 0 }), undefined],
    ["a wild offset", (space) => space.offsets({ ...current, label: [65000, 8] }), undefined],
    ["an odd size", (space) => space.offsets({ ...current, label: [72, 3] }), undefined],
    ["a wild queue", (space) => space.put(slots + 160n, 8, 0xdead_0000n), undefined],
    ["a wild label", (space) => space.put(0x1000_0000n + 72n, 8, 0xdead_0000n), undefined],
    ["no label", (space) => space.put(0x1000_0000n + 72n, 8, 0n), ""],
    ["a target of its own", (space) => space.put(0x1000_0000n + 24n, 8, 0x1000_0000n), "work"],
    ["a wild target", (space) => space.put(0x1000_0000n + 24n, 8, 0xdead_0000n), "work"],
  ];
  for (const [name, damage, label] of cases) {
    const space = new Space();
    space.offsets(current);
    space.queue(current, 0x1000_0000n, "work", 1, 0n);
    const thread = space.thread(0x1000_0000n, 0n);
    damage(space);
    const { queue } = space.service(thread);
    assertEquals(queue?.label, label, name);
    assertEquals(queue?.targets ?? [], [], name);
  }
});

Deno.test("a chain of targets has an end", () => {
  const space = new Space();
  space.offsets(current);
  for (let at = 0n; at < 100n; at++) {
    const address = 0x1000_0000n + at * 0x1000n;
    space.queue(current, address, `q${at}`, 1, address + 0x1000n);
  }
  assertEquals(space.service(space.thread(0x1000_0000n, 0n)).queue?.targets.length, 16);
});

Deno.test("the queues of many threads take few reads", () => {
  const space = new Space();
  space.offsets(current);
  space.queue(current, 0x1000_0000n, "shared", 0xfff, 0n);
  const threads = Array.from(
    { length: 64 },
    (_, index) => space.thread(0x1000_0000n, 0n, slots + BigInt(index) * 0x10000n),
  );
  const { readInto } = space;
  const reader = new DispatchReader({ arch, images: () => [library], readInto }, threads);
  assert(threads.every((thread) => reader.of(thread).queue?.label === "shared"));
  // A page for each thread's slots, which the stack that is copied usually has, and two more.
  assert(space.reads <= 64 + 3, `${space.reads} reads`);
});

Deno.test("a thread's slots are taken from the stack that was copied", () => {
  const space = new Space();
  space.offsets(current);
  space.queue(current, 0x1000_0000n, "then", 1, 0n);
  space.queue(current, 0x1100_0000n, "now", 1, 0n);
  const thread = space.thread(0x1000_0000n, 0n);
  const stack = new Uint8Array(0x1000);
  space.readInto(slots, stack);
  space.put(slots + 160n, 8, 0x1100_0000n);
  assertEquals(
    space.service({ ...thread, stack, stackAddress: slots }).queue?.label,
    "then",
  );
  assertEquals(space.service(thread).queue?.label, "now");
});

Deno.test("names in struct pthread_s, by libpthread's version", () => {
  for (const row of layouts.pthreads) {
    for (const name of ["x86_64", "arm64", "i386", "armv7"] as ArchName[]) {
      assertEquals(pthreadLayout(archs[name], row.version)?.name, row[name][0], row.release);
    }
  }
  assertEquals(pthreadLayout(arch, 53), null);
});

/** What the demo's threads serve, by their names: examples/demo/queues.c. */
const served = {
  "demo": ["com.apple.main-thread", "serial", ["com.apple.root.default-qos.overcommit"]],
  "demo.lock": ["com.example.accounts", "serial", ["com.apple.root.default-qos.overcommit"]],
  "demo.spin": null,
  "demo.deep": null,
  "demo.leaf": null,
  "demo.queue": ["com.example.orders", "serial", ["com.apple.root.default-qos.overcommit"]],
  "demo.relay": ["com.apple.root.default-qos", "concurrent", []],
};

function queuesOf(threads: Target["threads"]): unknown {
  return Object.fromEntries(threads.map(({ name, queue }) => [
    name,
    queue === null ? null : [queue.label, queue.kind, queue.targets],
  ]));
}

Deno.test({
  name:
    "x86_64: the demo's queues: live, in a snapshot, in JSON, in a report, in cores of every style",
  ignore: !runs("x86_64"),
  async fn() {
    using target = await startDemo("x86_64");
    const directory = await Deno.makeTempDir();
    try {
      assertEquals(queuesOf(target.snapshot().threads), served);
      const [main] = target.snapshot().toJSON().threads as Record<string, unknown>[];
      assertEquals(
        [main.queue, main.queueSerial, main.queueKind, main.queueTargets, main.qos],
        ["com.apple.main-thread", 1, "serial", ["com.apple.root.default-qos.overcommit"], null],
      );
      using _pause = target.pause();
      assertEquals(queuesOf(target.threads), served);
      const report = writeReport(reportOf(target, target.threads), "crash");
      assert(report.includes("Dispatch queue: com.example.accounts"));
      for (const style of ["stacks", "dirty", "full"] as const) {
        await target.saveCore(`${directory}/${style}`, { style });
        using core = openCore(`${directory}/${style}`);
        assertEquals(queuesOf(core.threads), served, style);
      }
    } finally {
      target.kill();
      await Deno.remove(directory, { recursive: true });
    }
  },
});
