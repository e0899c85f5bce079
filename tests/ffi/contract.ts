/** What every build of the native library must do, whichever provides its Mach calls. The truths
 * are what small C programs, and `/proc`, say of themselves. */
import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { type NativeKernel, openKernel } from "../../ffi/mod.ts";
import { standstillBy } from "../../ffi/procfs.ts";
import { type Arch, archs, readRegister, register, writeRegister } from "../../lib/arch/mod.ts";
import { MachError, TargetGoneError } from "../../lib/errors.ts";
import type {
  Capture,
  SampleTick,
  Sampling,
  SamplingCounts,
  StackRecord,
  ThreadInfo,
} from "../../lib/target/kernel.ts";
import { ownArch, rounds, slowness } from "../machine.ts";
import { answered, buildDirectory, delay, Program, threadsOf, until } from "./program.ts";

const arch = archs[ownArch];
const arch32 = archs[ownArch === "x86_64" ? "i386" : "armv7"];
const native = { flavor: arch.threadState.number, stateSize: arch.threadState.size };

/** How many registers the programs give a known value, in the order of the thread state: its number from 1
 * in the low byte. And the register that a program stores once it was sent to where it does. */
const known = {
  x86_64: { count: 16, count32: 7, stored: "rbx" },
  arm64: { count: 31, count32: 15, stored: "x19" },
}[ownArch];

/** The first registers of a thread state, as far as they have a known value. */
function knownRegisters({ threadState, sp }: Arch, state: Uint8Array, count: number): bigint[] {
  return threadState.registers.slice(0, count).filter(({ name }) => name !== sp.name)
    .map((register) => readRegister(state, register));
}

/** The values that these have. */
function knownValues({ threadState, sp, pointerSize }: Arch, count: number): bigint[] {
  const base = pointerSize === 8 ? 0x1111_1111_1111_1101n : 0x1111_1101n;
  return threadState.registers.slice(0, count).map((
    { name },
    index,
  ) => [name, base + BigInt(index)])
    .filter(([name]) => name !== sp.name).map(([, value]) => value as bigint);
}

interface Attached extends Disposable {
  readonly kernel: NativeKernel;
  readonly task: number;
  counter(slot: number): bigint;
}

function bigintAt(bytes: Uint8Array, offset: number): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(offset, true);
}

/** Holds the task of a program for the length of a block. */
function attach(kernel: NativeKernel, program: Program): Attached {
  const task = kernel.taskForPid(program.pid);
  const word = new Uint8Array(8);
  return {
    kernel,
    task,
    counter(slot) {
      assertEquals(kernel.vmRead(task, program.numbers[0] + BigInt(slot * 8), word), 8);
      return bigintAt(word, 0);
    },
    [Symbol.dispose]: () => kernel.portRelease(task),
  };
}

function capture({ kernel, task }: Attached, keepSuspended = false, maxStack = 65536): Capture {
  return kernel.snapshot(task, {
    flavor: native.flavor,
    stateSize: native.stateSize,
    maxStack,
    keepSuspended,
  });
}

/** The port of the thread with that name, to be released. */
function threadNamed({ kernel, task }: Attached, name: string): number {
  let found: number | undefined;
  for (const port of kernel.taskThreads(task)) {
    if (found === undefined && kernel.threadInfo(port).name === name) found = port;
    else kernel.portRelease(port);
  }
  assert(found !== undefined, `no thread is named ${name}`);
  return found;
}

/** Runs `action` and checks that it leaves as many ports as there were. */
async function withoutLeak(kernel: NativeKernel, action: () => unknown): Promise<void> {
  const before = kernel.portCount();
  await action();
  assertEquals(kernel.portCount(), before, "ports");
}

/** Whether slot moves on. */
async function assertProgress(target: Attached, slot: number): Promise<void> {
  const before = target.counter(slot);
  await until(() => target.counter(slot) > before, "progress");
}

async function assertNoProgress(target: Attached, slot: number): Promise<void> {
  const before = target.counter(slot);
  await delay(40);
  assertEquals(target.counter(slot), before);
}

/** The CPU time in milliseconds of each thread of this process, and whether it serves the library or has a
 * real-time priority, by its identifier. */
function ownThreads(): Map<string, { readonly time: number; readonly samples: boolean }> {
  const threads = new Map<string, { time: number; samples: boolean }>();
  for (const { name } of Deno.readDirSync("/proc/self/task")) {
    const read = (file: string) => Deno.readTextFileSync(`/proc/self/task/${name}/${file}`);
    try {
      const [command, numbers] = read("stat").split(/[()]+ ?/).slice(1);
      threads.set(name, {
        time: Number(read("schedstat").split(" ")[0]) / 1e6,
        // The 41st field is the policy; 2 is SCHED_RR.
        samples: command === "machpause" || numbers.split(" ")[38] === "2",
      });
    } catch (error) {
      // It has ended.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return threads;
}

/** What a sampling gave, with the stacks as its reader has them. */
class Collected {
  readonly ticks: SampleTick[] = [];
  readonly infos = new Map<bigint, ThreadInfo>();
  readonly exits: bigint[] = [];
  readonly stacks: StackRecord[] = [];
  /** The bytes of each thread's last stack. */
  readonly memory = new Map<bigint, Uint8Array>();

  constructor(readonly sampling: Sampling) {}

  get counts(): SamplingCounts {
    return this.sampling.counts;
  }

  read(): boolean {
    const { ticks, infos, exits, stacks, memory } = this;
    const visitor = {
      tick: (tick: SampleTick) => ticks.push(tick),
      thread: (info: ThreadInfo) => infos.set(info.id, info),
      exit: (id: bigint) => exits.push(id),
      queued: () => {},
      stack(record: StackRecord) {
        const { threadId, stackSize, ranges } = record;
        const before = memory.get(threadId) ?? new Uint8Array();
        const bytes = new Uint8Array(stackSize);
        const shared = before.subarray(-Math.min(stackSize, before.length) || before.length);
        bytes.set(shared, stackSize - shared.length);
        for (const range of ranges) bytes.set(range.bytes, range.offset);
        memory.set(threadId, bytes);
        stacks.push({ ...record, state: record.state.slice(), ranges: [] });
      },
    };
    while (this.sampling.read(visitor));
    return true;
  }

  /** Stops it once something was sampled. A thread gets a CPU when the system gives it one. */
  async stopWhen(condition: () => boolean): Promise<Error | null> {
    await until(() => this.read() && condition(), "samples");
    this.sampling.stop();
    return await this.all();
  }

  /** Why it ended. */
  async all(): Promise<Error | null> {
    let end: Error | null | undefined;
    void this.sampling.ended.then((error) => end = error);
    while (end === undefined) {
      await delay(5);
      this.read();
    }
    this.read();
    return end;
  }
}

/** Registers the tests.
 *
 * @param name of the build, in the tests' names
 * @param library its path
 */
export function contractTests(name: string, library: () => Promise<string>): void {
  let opened: Promise<NativeKernel> | undefined;
  const open = () =>
    opened ??= library().then((path) => {
      const kernel = openKernel({ library: path });
      // The thread that serves the library, and this task's record, are there from now on.
      kernel.taskSelf();
      kernel.snapshotSelf({ stateSize: native.stateSize, maxStack: 0 });
      return kernel;
    });
  const test = (what: string, body: (kernel: NativeKernel) => Promise<void>, ignore = false) =>
    Deno.test({
      name: `${name}: ${what}`,
      ignore,
      fn: async () => {
        const kernel = await open();
        await withoutLeak(kernel, () => body(kernel));
      },
    });
  test("a suspended task stands still, a resumed one goes on", async (kernel) => {
    await using program = await Program.start("target", "threads", "8");
    using target = attach(kernel, program);
    for (let round = 0; round < 5; round++) {
      const token = kernel.taskSuspend(target.task);
      for (let slot = 0; slot <= 8; slot += 4) await assertNoProgress(target, slot);
      kernel.taskResume(token);
      for (let slot = 0; slot <= 8; slot++) await assertProgress(target, slot);
    }
  });

  test("whether a process has its own program already", async (kernel) => {
    // The shell's copy of itself calls exec when it is told to.
    const script = "exec 3<&0; { read -r _ <&3; exec sleep 1000; } & echo $!; wait";
    const shell = new Deno.Command("sh", {
      args: ["-c", script],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const lines = shell.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const pid = Number((await lines.read()).value);
    const path = () => kernel.processPath(pid);
    assertEquals(kernel.processInfo(shell.pid)?.hasExecuted, true);
    assertEquals(kernel.processInfo(pid)?.hasExecuted, false);
    const before = path();
    const input = shell.stdin.getWriter();
    await input.write(new TextEncoder().encode("\n"));
    await until(() => kernel.processInfo(pid)?.hasExecuted === true, "the exec");
    assert(path() !== before || path().endsWith("busybox"), path());
    Deno.kill(pid, "SIGKILL");
    await input.close();
    await lines.cancel();
    await shell.status;
  });

  test("a signal stops a process, and a suspension of its task does not", async (kernel) => {
    await using program = await Program.start("target", "threads", "2");
    const { pid } = program;
    using target = attach(kernel, program);
    assertEquals(kernel.processInfo(pid)?.stopped, false);
    const token = kernel.taskSuspend(target.task);
    assertEquals(kernel.processInfo(pid)?.stopped, false);
    kernel.taskResume(token);
    Deno.kill(pid, "SIGSTOP");
    await until(() => kernel.processInfo(pid)?.stopped === true, "the stop");
    assertEquals(standstillBy(kernel.processInfo(pid)), { tracer: null });
    Deno.kill(pid, "SIGCONT");
    await until(() => kernel.processInfo(pid)?.stopped === false, "the end of the stop");
    assertEquals(standstillBy(kernel.processInfo(pid)), undefined);
  });

  test("suspensions nest, and a token is good for one resumption", async (kernel) => {
    await using program = await Program.start("target", "threads", "2");
    using target = attach(kernel, program);
    const first = kernel.taskSuspend(target.task);
    const second = kernel.taskSuspend(target.task);
    kernel.taskResume(first);
    assertThrows(() => kernel.taskResume(first), MachError);
    await assertNoProgress(target, 1);
    kernel.taskResume(second);
    await assertProgress(target, 1);
  });

  test("a thread runs when neither it nor its task is suspended", async (kernel) => {
    await using program = await Program.start("target", "threads", "2");
    using target = attach(kernel, program);
    const thread = threadNamed(target, "worker 1");
    kernel.threadSuspend(thread);
    kernel.threadSuspend(thread);
    assertEquals(kernel.threadInfo(thread).suspendCount, 2);
    await assertNoProgress(target, 1);
    await assertProgress(target, 2);
    const token = kernel.taskSuspend(target.task);
    kernel.threadResume(thread);
    kernel.threadResume(thread);
    assertThrows(() => kernel.threadResume(thread), MachError, "KERN_FAILURE");
    await assertNoProgress(target, 1);
    kernel.threadSuspend(thread);
    kernel.taskResume(token);
    await assertNoProgress(target, 1);
    await assertProgress(target, 2);
    kernel.threadResume(thread);
    assertEquals(kernel.threadInfo(thread).suspendCount, 0);
    await assertProgress(target, 1);
    kernel.portRelease(thread);
  });

  test("a snapshot has every thread, with its name, state and stack", async (kernel) => {
    await using program = await Program.start("target", "threads", "20");
    using target = attach(kernel, program);
    const before = kernel.calls;
    const { threads, stoppedNanoseconds, token } = capture(target);
    assert(kernel.calls - before <= 2, "calls for a snapshot");
    assertEquals(token, undefined);
    assert(stoppedNanoseconds > 0);
    const names = threads.map((thread) => thread.info.name).sort();
    const workers = Array.from({ length: 20 }, (_, index) => `worker ${index + 1}`);
    assertEquals(names, [...workers, "worker 0"].sort());
    assertEquals(new Set(threads.map((thread) => thread.info.id)).size, 21);
    for (const { state, stack, stackAddress, stackEnd } of threads) {
      assertEquals(state.length, native.stateSize);
      const sp = readRegister(state, arch.sp);
      assert(stackAddress <= sp && sp < stackAddress + BigInt(stack.length));
      assert(stackAddress + BigInt(stack.length) <= stackEnd);
    }
    await assertProgress(target, 3);
  });

  test("a snapshot may leave the task suspended", async (kernel) => {
    await using program = await Program.start("target", "threads", "3");
    using target = attach(kernel, program);
    // Larger and larger: the buffer has to grow meanwhile.
    const before = performance.now();
    const { token, threads, stoppedNanoseconds, stoppedSince } = capture(target, true, 8 << 20);
    assert(stoppedNanoseconds > 0);
    assert(before <= stoppedSince && stoppedSince < performance.now());
    assertEquals(threads.length, 4);
    assert(token !== undefined);
    await assertNoProgress(target, 1);
    for (const { state } of threads) {
      const ports = kernel.taskThreads(target.task);
      const states = [...ports].map((port) =>
        kernel.threadGetState(port, native.flavor, native.stateSize)
      );
      assert(states.some((other) => other.every((byte, index) => byte === state[index])));
      for (const port of ports) kernel.portRelease(port);
    }
    kernel.taskResume(token);
    await assertProgress(target, 1);
  });

  test("a stack that is longer than the buffer makes the buffer grow", async (kernel) => {
    await using program = await Program.start("target", "threads", "200");
    using target = attach(kernel, program);
    const fresh = openKernel({ library: await library() });
    const whole = { ...native, maxStack: 1 << 20, keepSuspended: false };
    const { threads } = fresh.snapshot(target.task, whole);
    assertEquals(threads.length, 201);
    for (const thread of threads) {
      assertEquals(thread.stackAddress + BigInt(thread.stack.length), thread.stackEnd);
      assert(thread.info.runState !== 2, "taken before the stop");
    }
  });

  test("registers of a 64-bit thread", async (kernel) => {
    await using program = await Program.start("target", "registers");
    using target = attach(kernel, program);
    const thread = threadNamed(target, "known");
    const [pc, sp] = program.numbers;
    const read = () => kernel.threadGetState(thread, native.flavor, native.stateSize);
    await until(() => readRegister(read(), arch.pc) === pc, "the loop");
    // Not suspended: stopped for the moment that it takes.
    const running = read();
    kernel.threadSuspend(thread);
    for (const state of [running, read()]) {
      assertEquals(knownRegisters(arch, state, known.count), knownValues(arch, known.count));
      assertEquals([arch.pc, arch.sp].map((register) => readRegister(state, register)), [pc, sp]);
      if (ownArch === "x86_64") assertEquals(bigintAt(state, 144), 0x33n); // cs
    }
    const wrong = () => kernel.threadGetState(thread, arch32.threadState.number, 64);
    assertThrows(wrong, MachError, "KERN_INVALID_ARGUMENT");
    const { number, size } = arch.exceptionState;
    assertEquals([...kernel.threadGetState(thread, number, size)], new Array(16).fill(0));
    kernel.threadResume(thread);
    kernel.portRelease(thread);
  });

  test("registers of a 32-bit thread", async (kernel) => {
    await using program = await Program.start("registers32");
    using target = attach(kernel, program);
    const info = kernel.taskDyldInfo(target.task);
    assertEquals([info.cpuType, info.is64, info.address], [arch32.cpuType, false, 0n]);
    const { number, size } = arch32.threadState;
    const take = () => {
      // On a machine that is busy with something else a thread may not stop in time.
      for (let tries = 1;; tries++) {
        const { threads } = kernel.snapshot(target.task, {
          flavor: number,
          stateSize: size,
          maxStack: 4096,
          keepSuspended: false,
        });
        if (tries === 100 || threads.every(({ state }) => state.length === size)) return threads;
      }
    };
    const expected = knownValues(arch32, known.count32);
    // It sets them after it has written its line.
    await until(() => {
      const [{ state }] = take();
      return knownRegisters(arch32, state, known.count32).every((value, index) =>
        value === expected[index]
      );
    }, "the registers");
    const threads = take();
    assertEquals(threads.length, 1);
    const sp = readRegister(threads[0].state, arch32.sp);
    assertEquals(threads[0].stackAddress, sp);
    assert(threads[0].stack.length > 0 && threads[0].stackEnd > sp);
    const wrong = { ...native, maxStack: 0, keepSuspended: false };
    assertThrows(() => kernel.snapshot(target.task, wrong), MachError, "KERN_INVALID_ARGUMENT");
  });

  test("a thread that is stopped at a fault reports it, and faults again", async (kernel) => {
    await using program = await Program.start("target", "fault");
    using target = attach(kernel, program);
    const thread = threadNamed(target, "faulting");
    let found = false;
    for (let tries = 1; !found && tries <= 100_000; tries++) {
      if (tries % 100 === 0) await delay(0);
      kernel.threadSuspend(thread);
      const { number, size } = arch.exceptionState;
      const exception = kernel.threadGetState(thread, number, size);
      const stopped = target.counter(1);
      kernel.threadResume(thread);
      const address = bigintAt(exception, ownArch === "x86_64" ? 8 : 0);
      assert(address === 0n || address === 0x1230n, `${address}`);
      found = address !== 0n;
      // x86_exception_state64_t: the trap's number, 14 for a page fault, and the CPU. The system does not
      // tell of an arm64's exception class.
      const trap = exception[0] | exception[1] << 8;
      if (ownArch === "x86_64") assertEquals(trap, found ? 14 : 0);
      if (found) await until(() => target.counter(1) > stopped, "the handler");
    }
    assert(found, "no stop at a fault was seen");
    kernel.portRelease(thread);
  });

  test("a crash is told before the process dies of it, and held until it is passed", async (kernel) => {
    await using program = await Program.start("target", "threads", "20");
    using target = attach(kernel, program);
    const port = kernel.crashOpen(target.task);
    const take = (keepSuspended: boolean) =>
      kernel.snapshot(target.task, { ...native, maxStack: 0, keepSuspended });
    for (let round = 0; round < 20; round++) {
      take(false);
      const token = kernel.taskSuspend(target.task);
      kernel.taskResume(token);
    }
    assertEquals(kernel.crashPoll(port), undefined);
    Deno.kill(program.pid, "SIGABRT");
    let crash: ReturnType<typeof kernel.crashPoll>;
    await until(() => (crash = kernel.crashPoll(port)) !== undefined, "the crash");
    // Of a signal that was sent there is no exception. Darwin's SIGABRT is 6.
    const { exception, signal, code, reply, threadId } = crash!;
    assertEquals([exception, signal, code], [0, 6, 0n]);
    assertEquals(kernel.crashPoll(port), undefined);
    // It stays, whoever looks at it.
    assertEquals(take(false).threads.length, 21);
    const { threads, token } = take(true);
    assert(threads.some(({ info }) => info.id === threadId));
    kernel.crashPass(reply);
    assertEquals(take(false).threads.length, 21);
    try {
      kernel.taskResume(token!);
    } catch (error) {
      // It dies of the signal while its threads are let go, or after.
      assert(error instanceof TargetGoneError, `${error}`);
    }
    const { signal: ended } = await program.status;
    assertEquals(ended, "SIGABRT");
    kernel.crashClose(port);
  });

  test("a target that was killed is gone, though nobody has waited for it yet", async (kernel) => {
    for (let round = 0; round < rounds(5); round++) {
      await using program = await Program.start("target", "threads", `${rounds(300)}`);
      using target = attach(kernel, program);
      const port = kernel.crashOpen(target.task);
      Deno.kill(program.pid, "SIGKILL");
      // Nothing is awaited here, so that it stays a zombie. With so many threads it dies while it is suspended.
      assertThrows(() => {
        for (;;) kernel.taskResume(kernel.taskSuspend(target.task));
      }, TargetGoneError);
      await program.status;
      kernel.crashClose(port);
    }
  });

  test("a crash is not waited for any longer: the process dies of it at once", async (kernel) => {
    await using program = await Program.start("target", "threads", "2");
    using target = attach(kernel, program);
    kernel.crashClose(kernel.crashOpen(target.task));
    const port = kernel.crashOpen(target.task);
    Deno.kill(program.pid, "SIGSEGV");
    let crash: ReturnType<typeof kernel.crashPoll>;
    await until(() => (crash = kernel.crashPoll(port)) !== undefined, "the crash");
    kernel.crashClose(port);
    const { signal } = await program.status;
    assertEquals(signal, "SIGSEGV");
    kernel.crashPass(crash!.reply); // which has nobody to reply to any more
  });

  test("signals for this process do not make a target seem gone", async (kernel) => {
    await using program = await Program.start("target", "threads", "2");
    using target = attach(kernel, program);
    const listener = () => {};
    Deno.addSignalListener("SIGUSR1", listener);
    const script = `while kill -USR1 ${Deno.pid}; do :; done`;
    const flood = new Deno.Command("sh", { args: ["-c", script] }).spawn();
    try {
      for (let tries = 0; tries < rounds(500); tries++) {
        kernel.portRelease(kernel.taskForPid(program.pid));
        assert(capture(target, false, 4096).threads.length > 0);
        if (tries % 50 === 0) await delay(1);
      }
    } finally {
      flood.kill("SIGKILL");
      await flood.status;
      // The last one may be on its way to a thread that waits for a processor. Without a listener it would
      // end this process.
      await delay(10);
      if (Deno.build.os === "linux") {
        const pending = () =>
          /^ShdPnd:\s*(\w+)/m.exec(Deno.readTextFileSync("/proc/self/status"))![1];
        await until(() => (BigInt(`0x${pending()}`) >> 9n & 1n) === 0n, "SIGUSR1's delivery");
      }
      Deno.removeSignalListener("SIGUSR1", listener);
    }
  });

  test("a thread goes on with the registers that were set", async (kernel) => {
    await using program = await Program.start("target", "registers");
    using target = attach(kernel, program);
    const [, , escape, stored] = program.numbers;
    const get = (thread: number) => kernel.threadGetState(thread, native.flavor, native.stateSize);
    const set = (thread: number, state: Uint8Array) =>
      kernel.threadSetState(thread, native.flavor, state);
    const word = new Uint8Array(8);
    // One that spins, and one in a system call, which must not be restarted elsewhere.
    for (const [name, value] of [["known", 0xabcdn], ["paused", 0xef01n]] as const) {
      const thread = threadNamed(target, name);
      const token = kernel.taskSuspend(target.task);
      const state = get(thread);
      set(thread, state);
      assertEquals(get(thread), state);
      writeRegister(state, register(arch.threadState, known.stored), value);
      writeRegister(state, arch.pc, escape);
      set(thread, state);
      assertEquals(get(thread), state);
      kernel.taskResume(token);
      await until(() => {
        kernel.vmRead(target.task, stored, word);
        return bigintAt(word, 0) === value;
      }, `${name} at its new place`);
      // Both would write there by turns.
      kernel.threadSuspend(thread);
      kernel.portRelease(thread);
    }
  });

  test("memory is read as far as it can be, and written where it may be", async (kernel) => {
    const file = `${await buildDirectory()}/target`;
    await using program = await Program.start("target", "memory", file);
    using target = attach(kernel, program);
    const [pages, pageSize] = program.numbers;
    const page = Number(pageSize);
    const bytes = new Uint8Array(6 * page);
    assertEquals(kernel.vmRead(target.task, pages, bytes), 4 * page);
    assert(bytes.subarray(0, 4 * page).every((byte, index) => byte === ((index * 7) & 0xff)));
    assertEquals(kernel.vmRead(target.task, pages + 10n, bytes.subarray(0, 100)), 100);
    assertEquals(kernel.vmRead(target.task, pages + pageSize * 4n, bytes), 0);
    assertEquals(kernel.vmRead(target.task, 0n, bytes), 0);
    assertEquals(kernel.vmRead(target.task, 0xffff_ffff_ffff_fff0n, bytes), 0);

    kernel.vmWrite(target.task, pages + 1n, new Uint8Array([9, 8, 7]));
    assertEquals(kernel.vmRead(target.task, pages, bytes.subarray(0, 5)), 5);
    assertEquals([...bytes.subarray(0, 5)], [0, 9, 8, 7, 28]);
    const write = (address: bigint) => () =>
      kernel.vmWrite(target.task, address, new Uint8Array(4));
    assertThrows(write(pages + pageSize * 6n), MachError, "KERN_PROTECTION_FAILURE");
    assertThrows(write(16n), MachError, "KERN_INVALID_ADDRESS");
  });

  test("of memory that was reserved, what was used is told", async (kernel) => {
    const file = `${await buildDirectory()}/target`;
    await using program = await Program.start("target", "memory", file);
    using target = attach(kernel, program);
    const [pages, pageSize, , large] = program.numbers;
    const size = 16n << 30n;
    assertEquals(kernel.vmPresent(target.task, large, size), [
      { start: large, end: large + 2n * pageSize },
      { start: large + size - pageSize, end: large + size },
    ]);
    assertEquals(kernel.vmPresent(target.task, large + pageSize, pageSize), [
      { start: large + pageSize, end: large + 2n * pageSize },
    ]);
    assertEquals(kernel.vmPresent(target.task, large + 4n * pageSize, size / 2n), []);
    assertEquals(kernel.vmPresent(target.task, pages, 4n * pageSize).length, 1);
    assertEquals(kernel.vmPresent(target.task, pages, 0n), []);
    assertThrows(() => kernel.vmPresent(target.task, 4096n, (1n << 64n) - 1n), MachError);
    assertThrows(() => kernel.vmPresent(0xdead, pages, pageSize), MachError);
  });

  test("regions are those of /proc/PID/maps", async (kernel) => {
    const file = `${await buildDirectory()}/target`;
    await using program = await Program.start("target", "memory", file);
    using target = attach(kernel, program);
    const token = kernel.taskSuspend(target.task);
    const text = await Deno.readTextFile(`/proc/${program.pid}/maps`);
    const expected = text.trim().split("\n").flatMap((line) => {
      const [range, mode, offset, , , ...path] = line.split(/ +/);
      const [start, end] = range.split("-").map((part) => BigInt(`0x${part}`));
      const isFile = path[0]?.startsWith("/") || path[0] === "[vdso]";
      if (start >= 1n << 63n) return [];
      return [{
        address: start,
        size: end - start,
        offset: isFile ? BigInt(`0x${offset}`) : 0n,
        protection: (mode[0] === "r" ? 1 : 0) | (mode[1] === "w" ? 2 : 0) |
          (mode[2] === "x" ? 4 : 0),
        userTag: path[0] === "[stack]" ? 30 : path[0] === "[heap]" ? 1 : 0,
        path: isFile ? path.join(" ") : "",
      }];
    });
    const regions = kernel.vmRegions(target.task, 0n, 10_000, true);
    const seen = regions.map(({ address, size, offset, protection, userTag, path }) => ({
      address,
      size,
      offset,
      protection,
      userTag,
      path,
    }));
    assertEquals(seen, expected);
    const [pages, pageSize, mapped] = program.numbers;
    assertEquals(kernel.vmRegions(target.task, pages + pageSize, 1, false)[0].address, pages);
    const [region] = kernel.vmRegions(target.task, mapped, 1, true);
    assertEquals([region.offset, region.path], [pageSize, file]);
    assertEquals(kernel.vmRegions(target.task, (1n << 63n) - 1n, 5, false), []);
    kernel.taskResume(token);
  });

  test("no such process, and a wrong port", async (kernel) => {
    const error = assertThrows(() => kernel.taskForPid(0x3fff_fff0), MachError);
    assert(error.message.includes("no process with the pid"), error.message);
    assertEquals([error.call, error.codeName], ["task_for_pid", "KERN_FAILURE"]);
    assertThrows(() => kernel.taskThreads(0x12345603), MachError);
    assertThrows(() => kernel.threadInfo(kernel.taskSelf()), MachError);
    assertThrows(() => kernel.portRelease(0x12345603), MachError);
    assertThrows(() => kernel.taskSuspend(kernel.taskSelf()), MachError, "KERN_INVALID_ARGUMENT");
    await Promise.resolve();
  });

  test("a process that is not to be attached to", async () => {
    await using program = await Program.start("target", "threads", "1");
    const directory = await buildDirectory();
    const copy = `${directory}/library-for-everybody`;
    await Deno.copyFile(await library(), copy);
    await Deno.chmod(copy, 0o755);
    const nobody = { uid: 65534, gid: 65534, clearEnv: true };
    const { stdout } = await new Deno.Command(`${directory}/debugger`, {
      args: ["attach", copy, `${program.pid}`],
      ...nobody,
    }).output();
    assertEquals(new TextDecoder().decode(stdout), "5\n");
  }, Deno.uid() !== 0);

  test("a process without memory: what it is", async (kernel) => {
    const refusal = (pid: number): string =>
      assertThrows(() => kernel.taskForPid(pid), MachError).message;
    {
      await using program = await Program.start("target", "leader");
      // It ends once it has written its line.
      const stat = () => Deno.readTextFileSync(`/proc/${program.pid}/stat`);
      await until(() => stat().includes(") Z "), "the main thread's end");
      assertStringIncludes(refusal(program.pid), "the main thread of pid");
    }
    {
      await using program = await Program.start("target", "zombie");
      const text = refusal(Number(program.numbers[0]));
      assertStringIncludes(text, `has ended: its parent, pid ${program.pid} (target)`);
    }
    const [kernelThread] = [...Deno.readDirSync("/proc")].filter(({ name }) => {
      if (!/^\d+$/.test(name)) return false;
      try {
        return /^PPid:\t2$/m.test(Deno.readTextFileSync(`/proc/${name}/status`));
      } catch {
        return false; // It has ended.
      }
    });
    // A container has none.
    if (kernelThread !== undefined) {
      assertStringIncludes(refusal(Number(kernelThread.name)), "a thread of the kernel's");
    }
  });

  test("no file descriptor is left", async () => {
    await using program = await Program.start("target", "threads", "1");
    const { stdout } = await new Deno.Command("sh", {
      args: ["-c", 'ulimit -n 64; "$0" crowded "$1" "$2"', `${await buildDirectory()}/debugger`]
        .concat(await library(), `${program.pid}`),
    }).output();
    // KERN_RESOURCE_SHORTAGE
    assertEquals(new TextDecoder().decode(stdout), "6\n");
  });

  test("a process that another debugger has attached to", async (kernel) => {
    await using program = await Program.start("target", "threads", "1");
    {
      await using other = await Program.start("debugger", "trace", `${program.pid}`);
      const error = assertThrows(() => kernel.taskForPid(program.pid), MachError);
      assert(
        error.message.includes(`already traced by pid ${other.pid} (debugger)`),
        error.message,
      );
    }
    using target = attach(kernel, program);
    capture(target);
  });

  test("500 threads", async (kernel) => {
    const count = rounds(500);
    await using program = await Program.start("target", "threads", `${count}`);
    using target = attach(kernel, program);
    const { threads } = capture(target);
    assertEquals(threads.length, count + 1);
    assert(threads.every((thread) => thread.state.length > 0 && thread.stack.length > 0));
    await assertProgress(target, count);
  });

  test("threads that begin and end while they are being captured", async (kernel) => {
    await using program = await Program.start("target", "churn");
    using target = attach(kernel, program);
    let most = 0;
    for (let round = 0; round < rounds(300); round++) {
      const keep = round % 3 === 0;
      const { threads, token } = capture(target, keep, 4096);
      assert(threads.length >= 1);
      most = Math.max(most, threads.length);
      if (token !== undefined) {
        const before = target.counter(1);
        for (const port of kernel.taskThreads(target.task)) kernel.portRelease(port);
        assertEquals(target.counter(1), before);
        kernel.taskResume(token);
      }
    }
    assert(most > 1, "some threads were met");
    await assertProgress(target, 0);
  });

  test("system calls do not notice a pause, and signals wait for its end", async (kernel) => {
    await using program = await Program.start("target", "calls");
    using target = attach(kernel, program);
    for (let round = 0; round < 50; round++) {
      const token = kernel.taskSuspend(target.task);
      program.signal("SIGUSR1");
      if (round % 10 === 0) await delay(30);
      assertEquals(target.counter(10), BigInt(round));
      kernel.taskResume(token);
      await until(() => target.counter(10) === BigInt(round + 1), "the signal");
    }
    // nanosleep, read, futex
    assertEquals([101, 102, 103].map((slot) => target.counter(slot)), [0n, 0n, 0n]);
    assertEquals([2, 3].map((slot) => target.counter(slot)), [0n, 0n]);
    await assertProgress(target, 1);
  });

  test("a stopped process stays stopped", async (kernel) => {
    await using program = await Program.start("target", "threads", "3");
    using target = attach(kernel, program);
    const isStopped = () =>
      /^State:\tT/m.test(Deno.readTextFileSync(`/proc/${program.pid}/status`));
    program.signal("SIGSTOP");
    await until(isStopped, "the stop");
    for (let round = 0; round < 5; round++) {
      assertEquals(capture(target).threads.length, 4);
      await until(isStopped, "stopped again");
      await assertNoProgress(target, 1);
    }
    // One that is stopped while it is suspended is so afterwards.
    program.signal("SIGCONT");
    await assertProgress(target, 1);
    const token = kernel.taskSuspend(target.task);
    program.signal("SIGSTOP");
    kernel.taskResume(token);
    await until(isStopped, "the stop");
    program.signal("SIGCONT");
    await assertProgress(target, 1);
  });

  test("a thread that cannot be stopped is told of, and is not left behind", async (kernel) => {
    await using program = await Program.start("target", "vfork");
    using target = attach(kernel, program);
    const { threads, token } = capture(target, true, 4096);
    assert(token !== undefined);
    const waiting = threads.find((thread) => thread.info.name === "vfork");
    assertEquals(waiting?.state.length, 0);
    await assertNoProgress(target, 0);
    kernel.taskResume(token);
    await assertProgress(target, 0);
    // The child lets it go, and it is not in a stop that nobody ends.
    await assertProgress(target, 1);
  });

  test("how long the target was stopped is what it felt", async (kernel) => {
    // What the target feels includes its wait for a processor afterwards, which a busy machine makes long.
    for (let attempt = 1;; attempt++) {
      await using program = await Program.start("target", "vfork");
      using target = attach(kernel, program);
      const felt = () => Number(target.counter(2)) * 1000;
      // The stop lasts as long as the thread in vfork() is waited for.
      const { stoppedNanoseconds } = capture(target, false, 4096);
      // A stop that no vfork() fell into is short, and so is one at the end of a vfork().
      const long = stoppedNanoseconds > 200e6;
      // The second count from here on is after the first one's gap was noted.
      const count = target.counter(0);
      await until(() => target.counter(0) > count + 1n, "two counts");
      if (long && stoppedNanoseconds > felt() * 0.9) return;
      assert(attempt < 5, `${stoppedNanoseconds} of ${felt()}`);
    }
  });

  test("a target that calls exec again and again, with many threads", async () => {
    const directory = await Deno.makeTempDir();
    try {
      const count = `${directory}/count`;
      const execs = () => new DataView(Deno.readFileSync(count).buffer).getBigUint64(0, true);
      await using program = await Program.start("target", "exec", `${rounds(200)}`, count);
      const snapshots = rounds(500);
      // An exec that takes a second, on a machine that is busy with something else, is given up. That
      // passes; one that waits for the debugger is late in every batch.
      let late = 0;
      for (let batch = 1; late > 2 * (batch - 1) || execs() <= 5n; batch++) {
        assert(batch <= 20, `${execs()} execs, ${late} snapshots timed out`);
        // Each result on its own: one that never comes must not hold up the tests.
        const debugger_ = new Deno.Command(`${await buildDirectory()}/debugger`, {
          args: ["snapshots", await library(), `${program.pid}`, `${snapshots}`],
          stdout: "piped",
        }).spawn();
        const output = debugger_.output();
        const { stdout } = await answered(output, debugger_.pid, "a debugger that takes snapshots")
          .catch(async (error) => {
            const target = `${execs()} execs; the threads of the target:\n${
              threadsOf(program.pid)
            }`;
            debugger_.kill("SIGKILL");
            await output;
            throw new Error(`${error.message}\n${target}`);
          });
        const [taken, gone, timedOut, failed] = new TextDecoder().decode(stdout).split(" ")
          .map((text) => Number.parseInt(text, 16));
        assertEquals([taken + timedOut, gone, failed], [snapshots, 0, 0]);
        late += timedOut;
      }
      const before = execs();
      await until(() => execs() > before, "another exec");
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });

  test("an exec that another debugger holds up is not waited for", async () => {
    const directory = await Deno.makeTempDir();
    try {
      const count = `${directory}/count`;
      const word = (index: number) =>
        new DataView(Deno.readFileSync(count).buffer).getBigUint64(index * 8, true);
      const [execs, waits] = [() => word(0), () => word(2) === 1n];
      const hold = (isHeld: boolean) => {
        using file = Deno.openSync(count, { write: true });
        file.seekSync(8, Deno.SeekMode.Start);
        file.writeSync(Uint8Array.of(isHeld ? 1 : 0));
      };
      await using program = await Program.start("target", "exec", "20", count);
      hold(true);
      await until(waits, "a thread before its exec");
      // Its threads begin with the main one. The next one waits for its end, which nobody collects.
      const tids = [...Deno.readDirSync(`/proc/${program.pid}/task`)].map(({ name }) => +name);
      const [, worker] = tids.sort((a, b) => a - b);
      const before = execs();
      {
        await using _other = await Program.start("debugger", "trace", `${worker}`);
        const snapshots = new Deno.Command(`${await buildDirectory()}/debugger`, {
          args: ["snapshots", await library(), `${program.pid}`, "1000000"],
          stdout: "null",
          stderr: "piped",
        }).spawn();
        let said = "";
        const listening = (async () => {
          for await (const text of snapshots.stderr.pipeThrough(new TextDecoderStream())) {
            said += text;
          }
        })();
        try {
          // The thread that it cannot stop makes each of its snapshots fail.
          await until(() => said.includes("result"), "it is attached");
          hold(false);
          const ended = () =>
            /^State:\tZ/m.test(
              Deno.readTextFileSync(`/proc/${program.pid}/task/${worker}/status`),
            );
          await until(ended, "the exec has begun");
          await until(() => said.includes("timed out"), "a snapshot is given up");
        } finally {
          snapshots.kill("SIGKILL");
          await listening;
          await snapshots.status;
        }
        // One that comes now is refused.
        await using late = await Program.start(
          "debugger",
          "attach",
          await library(),
          `${program.pid}`,
        );
        assertEquals(late.line, "5", "KERN_FAILURE");
        assertEquals(execs(), before);
      }
      await until(() => execs() > before + 3n, "execs");
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });

  test("no signal is lost when a debugger is killed", async (kernel) => {
    await using program = await Program.start("target", "raise", "4");
    using target = attach(kernel, program);
    for (let round = 0; round < rounds(60); round++) {
      await using _debugger = await Program.start(
        "debugger",
        "pauses",
        await library(),
        `${program.pid}`,
      );
      await delay(Math.random() * 3);
    }
    assertEquals(target.counter(0), 0n, "signals lost");
    for (const slot of [1, 2, 3, 4]) await assertProgress(target, slot);
  });

  test("a debugger that is killed leaves its target running", async (kernel) => {
    await using program = await Program.start("target", "threads", "4");
    using target = attach(kernel, program);
    {
      await using debugger_ = await Program.start(
        "debugger",
        "suspend",
        await library(),
        `${program.pid}`,
      );
      assertEquals(debugger_.line, "held");
      for (const slot of [0, 1, 4]) await assertNoProgress(target, slot);
    }
    for (const slot of [0, 1, 2, 3, 4]) await assertProgress(target, slot);
  });

  test("a target that dies, at every stage", async (kernel) => {
    const assertGone = (port: number) => {
      assertThrows(() => kernel.threadInfo(port), TargetGoneError);
      assertThrows(() => kernel.threadSuspend(port), TargetGoneError);
      const state = () => kernel.threadGetState(port, native.flavor, native.stateSize);
      assertThrows(state, TargetGoneError);
    };
    const stages: Record<string, (target: Attached, kill: () => Promise<void>) => Promise<void>> = {
      "before anything": async (target, kill) => {
        await kill();
        assertThrows(() => capture(target), TargetGoneError);
        assertThrows(() => kernel.taskSuspend(target.task), TargetGoneError);
        assertThrows(() => kernel.taskThreads(target.task), TargetGoneError);
        assertThrows(() => kernel.vmRead(target.task, 4096n, new Uint8Array(8)), TargetGoneError);
        assertThrows(() => kernel.vmWrite(target.task, 4096n, new Uint8Array(8)), TargetGoneError);
        assertThrows(() => kernel.vmRegions(target.task, 0n, 5, false), TargetGoneError);
        assertThrows(() => kernel.taskDyldInfo(target.task), TargetGoneError);
      },
      "while it is suspended": async (target, kill) => {
        const token = kernel.taskSuspend(target.task);
        await kill();
        assertThrows(() => kernel.vmRead(target.task, 4096n, new Uint8Array(8)), TargetGoneError);
        assertThrows(() => kernel.taskResume(token), TargetGoneError);
      },
      "after a snapshot that left it suspended": async (target, kill) => {
        const { token } = capture(target, true);
        await kill();
        assertThrows(() => capture(target), TargetGoneError);
        assertThrows(() => kernel.taskResume(token!), TargetGoneError);
      },
      "with threads suspended and ports held": async (target, kill) => {
        const ports = kernel.taskThreads(target.task);
        for (const port of ports) kernel.threadSuspend(port);
        await kill();
        for (const port of ports) assertGone(port);
        for (const port of ports) kernel.portRelease(port);
      },
      "with the main thread suspended alone": async (target, kill) => {
        const ports = kernel.taskThreads(target.task);
        kernel.threadSuspend(ports[0]);
        // Nothing else holds its end up: who started it hears of it first.
        await kill();
        assertGone(ports[0]);
        for (const port of ports) kernel.portRelease(port);
      },
    };
    for (const [stage, body] of Object.entries(stages)) {
      await using program = await Program.start("target", "threads", "5");
      using target = attach(kernel, program);
      await body(target, async () => {
        program.signal("SIGKILL");
        // Whoever started it learns of its end though it was being looked at.
        assertEquals((await program.status).signal, "SIGKILL", stage);
      });
    }
  });

  test("the parent of a target learns of its end while it is suspended", async (kernel) => {
    const script = '"$0" threads 3 >/dev/null & echo $!; wait $!; echo "ended $?"';
    const parent = new Deno.Command("sh", {
      args: ["-c", script, `${await buildDirectory()}/target`],
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const lines = parent.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const pid = Number((await lines.read()).value);
    await until(() => Deno.readTextFileSync(`/proc/${pid}/comm`) !== "sh\n", "the program");
    const task = kernel.taskForPid(pid);
    const token = kernel.taskSuspend(task);
    Deno.kill(pid, "SIGKILL");
    assertEquals((await lines.read()).value, "ended 137\n");
    await lines.cancel();
    await parent.status;
    assertThrows(() => kernel.taskResume(token), TargetGoneError);
    kernel.portRelease(task);
  });

  test("a target that dies in the middle of captures", async (kernel) => {
    for (let round = 0; round < 20; round++) {
      await using program = await Program.start("target", "threads", "20");
      using target = attach(kernel, program);
      const killer = new Deno.Command("sh", {
        args: ["-c", `sleep 0.0${round % 5}${round % 7}; kill -9 ${program.pid}`],
      }).spawn();
      let error: unknown;
      for (let tries = 0; tries < 100_000 && error === undefined; tries++) {
        try {
          capture(target, false, 4096);
        } catch (thrown) {
          error = thrown;
        }
      }
      assertInstanceOf(error, TargetGoneError);
      assertEquals((await program.status).signal, "SIGKILL");
      await killer.status;
    }
  });

  test("2,000 pauses leave nothing behind", async (kernel) => {
    await using program = await Program.start("target", "threads", "8");
    using target = attach(kernel, program);
    const descriptors = () => [...Deno.readDirSync("/proc/self/fd")].length;
    const pause = () => {
      const { token } = capture(target, true, 4096);
      kernel.taskResume(token!);
    };
    for (let round = 0; round < rounds(200); round++) pause();
    const before = { ports: kernel.portCount(), descriptors: descriptors() };
    const memory = Deno.memoryUsage().rss;
    for (let round = 0; round < rounds(2000); round++) pause();
    assertEquals(kernel.portCount(), before.ports);
    // Fewer, where those of an earlier test were still open.
    assert(descriptors() <= before.descriptors, `${descriptors()} of ${before.descriptors}`);
    // Of which garbage that was not yet collected is most.
    const growth = Deno.memoryUsage().rss - memory;
    assert(growth < 64 << 20, `${growth} bytes more`);
    await assertProgress(target, 8);
  });

  const sampling = {
    ...native,
    periodNanoseconds: 2e6 * slowness,
    count: 0,
    maxStack: 1 << 20,
    offCpu: true,
    ids: [],
    names: [],
  };

  test("samples: registers, and stacks rebuilt from what has changed", async (kernel) => {
    await using program = await Program.start("target", "threads", "4");
    using target = attach(kernel, program);
    const samples = new Collected(kernel.sample(target.task, sampling));
    const { ticks, infos, stacks } = samples;
    const end = await samples.stopWhen(() =>
      ticks.length >= 50 && new Set(stacks.map(({ threadId }) => threadId)).size === 5
    );
    assertEquals(end, null);
    const { counts } = samples;
    assertEquals([counts.samples, counts.dropped], [ticks.length, 0]);
    for (const [index, { time, late, threads }] of ticks.entries()) {
      assert(index === 0 || time > ticks[index - 1].time);
      assert(late >= 0);
      assertEquals(threads, 5);
    }
    assertEquals([...infos.values()].map(({ name }) => name).sort(), [
      ...["worker 0", "worker 1", "worker 2", "worker 3", "worker 4"],
    ]);
    // Each waits most of the time, and then counts.
    for (const id of infos.keys()) {
      const own = stacks.filter(({ threadId }) => threadId === id);
      assert(own.length >= 1, `${own.length} stacks of ${infos.get(id)!.name}`);
      for (const { state, stackAddress, stackSize, stackEnd } of own) {
        const sp = readRegister(state, arch.sp);
        assert(stackAddress <= sp && sp < stackEnd);
        assertEquals(stackAddress + BigInt(stackSize), stackEnd);
      }
      assert(own.every(({ cpuTime }, at) => at === 0 || cpuTime >= own[at - 1].cpuTime));
    }
    // At the far end little changes: the C library's start of the thread, and its record of it, in which the
    // kernel notes the CPU it runs on. On arm64 zeros follow, which the thread's own variables could be in.
    for (const [id, bytes] of samples.memory) {
      const { stackEnd } = stacks.find(({ threadId }) => threadId === id)!;
      const now = new Uint8Array(Math.min(bytes.length, 4096));
      assertEquals(kernel.vmRead(target.task, stackEnd - BigInt(now.length), now), now.length);
      const rebuilt = bytes.subarray(-now.length);
      const same = now.filter((byte, index) => byte === rebuilt[index]).length;
      assert(same > 0.9 * now.length, `${same} of ${now.length} bytes are the same`);
      assert(now.some((byte) => byte !== 0));
    }
    for (let slot = 0; slot <= 4; slot++) await assertProgress(target, slot);
  });

  test("samples: a chosen thread that runs, and none that waits", async (kernel) => {
    await using program = await Program.start("target", "registers");
    using target = attach(kernel, program);
    const [pc, sp] = program.numbers;
    const samples = new Collected(
      kernel.sample(target.task, { ...sampling, offCpu: false, names: ["known"] }),
    );
    const inLoop = () => samples.stacks.filter(({ state }) => readRegister(state, arch.pc) === pc);
    assertEquals(await samples.stopWhen(() => inLoop().length >= 10), null);
    const { infos } = samples;
    for (const { state, runState, threadId } of inLoop()) {
      assertEquals(knownRegisters(arch, state, known.count), knownValues(arch, known.count));
      assertEquals(readRegister(state, arch.sp), sp);
      assertEquals([infos.get(threadId)!.name, runState], ["known", 1]);
    }
  });

  test("samples: they end when they are stopped, with the target, and at what they cannot do", async (kernel) => {
    const program = await Program.start("target", "threads", "2");
    {
      using target = attach(kernel, program);
      const first = new Collected(kernel.sample(target.task, sampling));
      await until(() => first.read() && first.ticks.length > 5, "some samples");
      first.sampling.stop();
      assertEquals(await first.all(), null);
      // A pause of the target is not disturbed by a sampling of it.
      const second = new Collected(kernel.sample(target.task, sampling));
      await until(() => second.read() && second.ticks.length > 2, "some samples");
      const token = kernel.taskSuspend(target.task);
      await assertNoProgress(target, 1);
      kernel.taskResume(token);
      await assertProgress(target, 1);
      await program[Symbol.asyncDispose]();
      assertInstanceOf(await second.all(), TargetGoneError);
    }
    const own = new Collected(kernel.sample(kernel.taskSelf(), sampling));
    assertStringIncludes(`${await own.all()}`, "KERN_INVALID_ARGUMENT");
  });

  test("samples: threads that begin and end", async (kernel) => {
    await using program = await Program.start("target", "churn");
    using target = attach(kernel, program);
    const counted = new Collected(kernel.sample(target.task, { ...sampling, count: rounds(50) }));
    assertEquals(await counted.all(), null);
    assertEquals([counted.ticks.length, counted.counts.samples], [rounds(50), rounds(50)]);
    const samples = new Collected(kernel.sample(target.task, sampling));
    const { infos, exits, stacks } = samples;
    assertEquals(await samples.stopWhen(() => exits.length > 0 && stacks.length > 0), null);
    for (const id of exits) assert(infos.has(id), `${id} was not introduced`);
    for (const { threadId } of stacks) assert(infos.has(threadId));
    await assertProgress(target, 0);
  });

  test("samples: where they take longer than their period, they rest for as long", async (kernel) => {
    await using program = await Program.start("target", "idle", `${rounds(300)}`);
    using target = attach(kernel, program);
    const [period, count] = [1e5, rounds(60)];
    const [before, began] = [ownThreads(), performance.now()];
    const samples = new Collected(
      kernel.sample(target.task, { ...sampling, periodNanoseconds: period, count }),
    );
    await until(() => samples.read() && samples.ticks.length > 0, "a sample");
    const samplers = [...ownThreads()].filter(([, { samples }]) => samples).map(([name]) => name);
    assertEquals(await samples.all(), null);
    // The rest after the last one is not waited for. A busy machine makes the rests longer, and no shorter.
    const [after, lasted] = [ownThreads(), performance.now() - began];
    const share = samplers.reduce((sum, name) => {
      return sum + after.get(name)!.time - (before.get(name)?.time ?? 0);
    }, 0) / lasted;
    assert(share < 0.6, `${share} of a CPU`);
    const { ticks, counts } = samples;
    const due = ticks.map(({ time, late }) => (time - late) / period);
    assert(due.every((turn, index) => Number.isInteger(turn) && turn >= index), `${due}`);
    assert(counts.missed >= due[count - 1] - (count - 1), `${counts.missed} missed: ${due}`);
  });

  test("samples: a rest is as long as its sample took, whatever the rest before", async (kernel) => {
    await using program = await Program.start("target", "idle", "20");
    using target = attach(kernel, program);
    const middle = (times: readonly number[]): number =>
      times.slice(1).map((time, index) => time - times[index]).sort((a, b) =>
        a - b
      )[times.length >> 1];
    let [first, last] = [0, Infinity];
    // A busy machine can make intervals longer, all of them. Rests that counted those before them grew with every sample.
    const isLonger = () => last > 2 * Math.max(first, sampling.periodNanoseconds);
    for (let attempt = 0; attempt < 5 && isLonger(); attempt++) {
      const samples = new Collected(kernel.sample(target.task, { ...sampling, count: 80 }));
      assertEquals(await samples.all(), null);
      const times = samples.ticks.map(({ time }) => time);
      [first, last] = [middle(times.slice(0, 20)), middle(times.slice(-20))];
    }
    assert(!isLonger(), `${first} ns, then ${last} ns`);
  });

  test("a snapshot of this very process", async (kernel) => {
    // What it counts, and whether it is to end: Deno does not interrupt a busy worker's code at terminate(). It
    // would take a processor from all tests that follow.
    const counter = new BigInt64Array(new SharedArrayBuffer(16));
    const source =
      "onmessage = ({ data }) => { while (!Atomics.load(data, 1)) Atomics.add(data, 0, 1n); };";
    const worker = new Worker(
      URL.createObjectURL(new Blob([source], { type: "application/javascript" })),
      { type: "module" },
    );
    worker.postMessage(counter);
    await until(() => Atomics.load(counter, 0) > 0n, "the worker");
    const options = { stateSize: native.stateSize, maxStack: 65536 };
    // Its first moments see threads come and go.
    kernel.snapshotSelf(options);
    for (let round = 0; round < rounds(300); round++) {
      const { threads, stoppedNanoseconds } = kernel.snapshotSelf(options);
      assert(stoppedNanoseconds > 0);
      const own = threads.find((thread) => thread.info.id === BigInt(Deno.pid));
      assert(own !== undefined && own.stack.length > 0 && own.state.length > 0);
      assert(threads.filter((thread) => thread.state.length > 0).length >= 2);
      const garbage = Array.from({ length: 100 }, (_, index) => `${index}`);
      assertEquals(garbage.length, 100);
    }
    const before = Atomics.load(counter, 0);
    await until(() => Atomics.load(counter, 0) > before, "the worker goes on");
    Atomics.store(counter, 1, 1n);
    worker.terminate();
    for (const entry of Deno.readDirSync("/proc/self/task")) {
      let status: string;
      try {
        status = Deno.readTextFileSync(`/proc/self/task/${entry.name}/status`);
      } catch {
        continue; // It has ended meanwhile.
      }
      assert(!/^State:\t[tT]/m.test(status), status);
    }
  });

  test("the images and name of this very process", async (kernel) => {
    const images = kernel.ownImages();
    assert(images.some((image) => image.name === Deno.execPath()), "the program");
    assert(images.every((image) => image.header !== 0n));
    assertEquals(kernel.processPath(Deno.pid), Deno.execPath());
    const own = kernel.processes().find((process) => process.pid === Deno.pid);
    assertEquals(own?.name, (await Deno.readTextFile("/proc/self/comm")).trim());
    assertEquals(kernel.taskDyldInfo(kernel.taskSelf()).pid, Deno.pid);
  });
}
