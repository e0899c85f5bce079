import { assert, assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { files } from "../../../ffi/mod.ts";
import { archs } from "../../../lib/arch/mod.ts";
import { MachError, TargetGoneError } from "../../../lib/errors.ts";
import { LiveTarget } from "../../../lib/target/mod.ts";
import { openSymbolizer } from "../../../mod.ts";
import { FakeKernel } from "./fake_kernel.ts";

const system = { files };

function open(kernel: FakeKernel): LiveTarget {
  return new LiveTarget(kernel, system, { pid: 7, name: "fake" });
}

Deno.test("pauses nest; the last one to end lets the target run", () => {
  const kernel = new FakeKernel();
  using target = open(kernel);
  const outer = target.pause();
  const inner = target.pause();
  assertEquals([target.paused, kernel.tokens.size], [true, 1]);
  inner.resume();
  inner.resume(); // again: nothing
  assertEquals([target.paused, kernel.tokens.size], [true, 1]);
  outer[Symbol.dispose]();
  assertEquals([target.paused, kernel.tokens.size], [false, 0]);
  assertEquals([outer.active, inner.active], [false, false]);
  const again = target.pause();
  assertEquals(kernel.tokens.size, 1);
  outer.resume(); // of the pause before: nothing
  assert(target.paused);
  again.resume();
});

Deno.test("disposing a target resumes it and gives every port back", () => {
  const kernel = new FakeKernel();
  const target = open(kernel);
  const pause = target.pause();
  const [, worker] = target.threads;
  worker.suspend();
  worker.suspend();
  assertEquals(kernel.threadSuspensions.get(0x201), 2);
  target[Symbol.dispose]();
  assertEquals([kernel.tokens.size, kernel.threadSuspensions.size, kernel.ports.size], [0, 0, 0]);
  target[Symbol.dispose](); // again: nothing
  pause.resume();
  assertThrows(() => target.pause(), TypeError, "disposed");
  assertThrows(() => target.snapshot(), TypeError, "disposed");
});

Deno.test("what was disposed of reads and writes no memory: its port may be another task's now", () => {
  const kernel = new FakeKernel();
  const target = open(kernel);
  const { memory, threads: [thread] } = target;
  assertEquals(memory.readU8(kernel.memoryAddress), 0);
  target[Symbol.dispose]();
  const calls = kernel.log.length;
  assertThrows(() => memory.readU8(kernel.memoryAddress), TypeError, "was disposed");
  assertThrows(() => memory.write(kernel.memoryAddress, new Uint8Array(1)), TypeError, "disposed");
  assertThrows(() => target.initialized, TypeError, "was disposed");
  assertEquals(thread.backtrace().length, 1);
  assertEquals(kernel.log.length, calls);
});

Deno.test("arguments of another type are refused, where JavaScript would make something of them", () => {
  using target = open(new FakeKernel());
  const wrong = target as unknown as { resolve(_: unknown): void; addSymbols(_: unknown): void };
  assertThrows(() => wrong.resolve(4096), TypeError, "4096 is no address");
  // Its first character is a folder: all of the disk.
  assertThrows(() => wrong.addSymbols("/usr"), TypeError, 'write ["/usr"]');
  assertThrows(() => target.imageAt(undefined as unknown as bigint), TypeError);
  for (const files of [undefined, "demo", ["demo"]]) {
    assertThrows(() => openSymbolizer(files as unknown as []), TypeError, "write [{ path: … }]");
  }
  using _pause = target.pause();
  const [thread] = target.threads;
  assertThrows(() => thread.setRegister("rax", 1n << 64n), RangeError, "64 bits");
  thread.setRegister("rax", -1n);
  assertEquals(thread.registers.get("rax"), (1n << 64n) - 1n);
});

Deno.test("a pause is one capture, and its threads stay the same objects", () => {
  const kernel = new FakeKernel();
  using target = open(kernel);
  kernel.log.length = 0;
  using _pause = target.pause();
  const { threads } = target;
  assert(threads === target.threads);
  for (const thread of threads) thread.backtrace();
  assertEquals(kernel.log.filter((call) => call === "snapshot").length, 1);
  assertEquals(threads.map(({ name, state, cpuUsage }) => [name, state, cpuUsage]), [
    ["main", "waiting", 0.5],
    ["worker", "waiting", 0.5],
  ]);
});

Deno.test("memory is cached while paused and never after", () => {
  const kernel = new FakeKernel();
  using target = open(kernel);
  const read = () => target.memory.readU8(kernel.memoryAddress);
  {
    using _pause = target.pause();
    assertEquals(read(), 0);
    kernel.memory[0] = 1; // cannot happen while it is paused
    assertEquals(read(), 0);
  }
  assertEquals(read(), 1);
  kernel.memory[0] = 2;
  assertEquals(read(), 2);
});

Deno.test("single threads are suspended and resumed, and their ports given back", () => {
  const kernel = new FakeKernel();
  const told: boolean[] = [];
  using target = new LiveTarget(kernel, system, {
    pid: 7,
    name: "fake",
    onHold: (_target, holds) => told.push(holds),
  });
  const [, worker] = target.threads;
  worker.suspend();
  worker.suspend();
  assertEquals([kernel.threadSuspensions.get(0x201), kernel.ports.size], [2, 2]);
  assertEquals(target.threads[1].suspendCount, 2);
  worker.resume();
  worker.resume();
  assertEquals([kernel.threadSuspensions.size, kernel.ports.size], [0, 1]);
  assertEquals(told, [true, false]);
  assertThrows(() => worker.resume(), MachError, "suspend() it first");
});

Deno.test("regions are written as JSON, addresses in hexadecimal", () => {
  using target = open(new FakeKernel());
  const [region] = target.regions();
  const json = JSON.parse(JSON.stringify(region));
  assertEquals([json.address, json.size], [
    `0x${region.address.toString(16)}`,
    `0x${region.size.toString(16)}`,
  ]);
  assertEquals(Object.keys(json), Object.keys(region));
});

Deno.test("a thread that has ended is not the process's end", () => {
  const kernel = new FakeKernel();
  using target = open(kernel);
  const worker = target.threads.at(-1)!;
  kernel.threadNames.pop();
  assertThrows(
    () => worker.suspend(),
    MachError,
    "thread_suspend: KERN_TERMINATED (37); the thread",
  );
  using _pause = target.pause();
  assertThrows(() => worker.setRegister("rax", 1n), MachError, "the thread has ended");
  assertEquals(kernel.ports.size, 1);
});

Deno.test("a register is written while paused, and seen at once", () => {
  const kernel = new FakeKernel();
  using target = open(kernel);
  const [running] = target.threads;
  assertThrows(() => running.setRegister("rax", 1n), TypeError, "pause()");
  using _pause = target.pause();
  const [main] = target.threads;
  assertEquals(main.registers.get("rip"), 0x4000n);
  main.setRegister("rax", 42n);
  assertEquals(main.registers.get("rax"), 42n);
  assertEquals(main.backtrace()[0].registers.get("rax"), 42n);
  assertThrows(() => main.setRegister("x0", 1n), RangeError);
  assertEquals(kernel.ports.size, 1);
});

Deno.test("a target that dies at any call: TargetGoneError, and nothing stays held", () => {
  const session = (kernel: FakeKernel) => {
    using target = open(kernel);
    using pause = target.pause();
    void target.images;
    const [, worker] = target.threads;
    worker.backtrace();
    target.memory.readU8(kernel.memoryAddress);
    worker.suspend();
    worker.setRegister("rax", 1n);
    worker.resume();
    target.memory.write(kernel.memoryAddress, new Uint8Array(1));
    target.regions();
    pause.resume();
    target.snapshot();
  };
  const healthy = new FakeKernel();
  session(healthy);
  const calls = healthy.log.length;
  assert(calls > 15, `${calls} calls`);
  for (let diesAt = 0; diesAt < calls; diesAt++) {
    const kernel = new FakeKernel();
    kernel.diesAt = diesAt;
    let thrown: unknown;
    try {
      session(kernel);
    } catch (error) {
      thrown = error instanceof SuppressedError ? error.suppressed : error;
    }
    // Resuming what has died is no failure: it needs none.
    const at = `${kernel.log[diesAt]}, call ${diesAt}`;
    if (healthy.log[diesAt] !== "taskResume" || diesAt < calls - 1) {
      assertInstanceOf(thrown, TargetGoneError, at);
    }
    assertEquals([kernel.tokens.size, kernel.ports.size], [0, 0], at);
  }
});

Deno.test("garbage in dyld_all_image_infos is a warning, said once; threads are still shown", () => {
  const kernel = new FakeKernel();
  kernel.dyldInfoAddress = kernel.memoryAddress;
  for (const fill of [0xff, 0x00, 0x41]) {
    kernel.memory.fill(fill, 0, 0x1000);
    using target = open(kernel);
    for (let round = 0; round < 3; round++) {
      using _pause = target.pause();
      assertEquals(target.threads.length, 2);
      assertEquals(target.threads[0].backtrace().length > 0, true);
      assertEquals(target.images, []);
    }
    assertEquals(target.warnings.length, 1, `${fill}`);
    assert(target.warnings[0].startsWith("dyld_all_image_infos at 0x100000 is damaged"));
  }
});

Deno.test("an image whose header is garbage costs that image alone", () => {
  const kernel = new FakeKernel();
  const view = new DataView(kernel.memory.buffer);
  kernel.dyldInfoAddress = kernel.memoryAddress;
  view.setUint32(0, 15, true);
  view.setUint32(4, 2, true);
  view.setBigUint64(8, kernel.memoryAddress + 0x200n, true);
  view.setBigUint64(0x200, kernel.memoryAddress + 0x400n, true); // no header there
  view.setBigUint64(0x218, 0xdead_0000n, true); // nothing there
  using target = open(kernel);
  using _pause = target.pause();
  assertEquals(target.images, []);
  assertEquals(target.warnings.length, 2);
  assertEquals(target.threads.length, 2);
});

Deno.test("names from the target are escaped where they print, and raw where they are data", () => {
  const kernel = new FakeKernel();
  kernel.threadNames = ["\x1b[2Jevil\u202e\x9b31m\x7f"];
  using target = new LiveTarget(kernel, system, { pid: 7, name: "a\x1b]0;b\x07c" });
  const [thread] = target.threads;
  assertEquals(`${thread}`, 'thread 0 "\\x1b[2Jevil\\u{202e}\\x9b31m\\x7f" waiting');
  assertEquals(thread.name, kernel.threadNames[0]);
  assertEquals(`${target}`, "a\\x1b]0;b\\x07c (pid 7, x86_64)");
  const printed = Deno.inspect([thread, target, thread.backtrace(), target.snapshot()]);
  // deno-lint-ignore no-control-regex
  assert(!/[\x00-\x09\x0b-\x1f\x7f-\x9f]/.test(printed), JSON.stringify(printed));
});

Deno.test("where the system does not tell a task's CPU, its program's header does", () => {
  const kernel = new FakeKernel();
  kernel.cpuType = 0;
  assertThrows(() => open(kernel), MachError, "CPU type 0x0");
  assertEquals(kernel.ports.size, 0);
  const view = new DataView(kernel.memory.buffer);
  kernel.dyldInfoAddress = kernel.memoryAddress;
  view.setUint32(0, 15, true);
  view.setUint32(4, 1, true);
  view.setBigUint64(8, kernel.memoryAddress + 0x200n, true);
  view.setBigUint64(0x200, kernel.memoryAddress + 0x400n, true);
  view.setUint32(0x400, 0xfeedfacf, true);
  view.setInt32(0x404, 0x0100000c, true);
  using target = open(kernel);
  assertEquals(target.arch.name, "arm64");
});

Deno.test("arm64: an address has 48 bits on Linux, where stacks begin below 2^48, and 47 on macOS", () => {
  const kernel = new FakeKernel();
  kernel.cpuType = archs.arm64.cpuType;
  const strip = (address: bigint) => {
    using target = open(kernel);
    return address & target.arch.addressMask;
  };
  assertEquals(strip(0x002a_7fff_dead_beefn), 0x7fff_dead_beefn);
  kernel.system = "linux";
  assertEquals(strip(0x0000_ffff_dead_beefn), 0xffff_dead_beefn);
  assertEquals(strip(0x002a_ffff_dead_beefn), 0xffff_dead_beefn);
  kernel.cpuType = archs.x86_64.cpuType;
  assertEquals(strip(0xffff_ffff_dead_beefn), 0xffff_ffff_dead_beefn);
});
