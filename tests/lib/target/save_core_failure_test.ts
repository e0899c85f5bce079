/** Saving a core where something goes wrong: no file is left, and the target runs on. And what is
 * written when: in which pieces, with which holes, for how long a pause. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { files } from "../../../ffi/mod.ts";
import { archs, writeRegister } from "../../../lib/arch/mod.ts";
import { TargetGoneError } from "../../../lib/errors.ts";
import { LiveTarget, openCore } from "../../../mod.ts";
import type { Files, FileSink } from "../../../lib/file_system.ts";
import { progress, startDemo } from "./demo.ts";
import { bytesRegion, MemoryKernel, type MemoryRegion } from "./memory_kernel.ts";
import { canLaunch, ownBuild } from "../../machine.ts";

const mebibyte = 1 << 20;

/** A task of two threads with small stacks, and these regions. */
function kernelOf(...regions: MemoryRegion[]): MemoryKernel {
  const { threadState, pc, sp, fp } = archs.x86_64;
  const threads = [0x10_0000n, 0x20_0000n].map((stack, index) => {
    const state = new Uint8Array(threadState.size);
    writeRegister(state, pc, 0x4000n);
    writeRegister(state, sp, stack + 0x800n);
    writeRegister(state, fp, stack + 0x900n);
    return { name: `thread ${index}`, state, stackEnd: stack + 0x1000n };
  });
  const stacks = [0x10_0000n, 0x20_0000n].map((address) =>
    bytesRegion(address, new Uint8Array(0x1000).fill(0x5a))
  );
  const code = bytesRegion(0x4000n, new Uint8Array(0x1000).fill(0x90), 5);
  return new MemoryKernel(archs.x86_64, [code, ...stacks, ...regions], threads);
}

function open(kernel: MemoryKernel, sink: Files = files): LiveTarget {
  return new LiveTarget(kernel, { files: sink }, { pid: 7, name: "fake" });
}

/** Runs `use` with a folder, which must hold exactly `left` afterwards. */
async function withFolder(
  left: readonly string[],
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), [...left]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function region(address: bigint, size: number, read: MemoryRegion["read"]): MemoryRegion {
  return { address, size, protection: 3, read };
}

/** A sink that keeps nothing and tells of each call. */
function sinkOf(
  call: (name: "write" | "skip" | "commit" | "dispose", bytes: number) => void,
): Files {
  return {
    ...files,
    create(): FileSink {
      let length = 0;
      return {
        get length() {
          return length;
        },
        write(bytes) {
          call("write", bytes.length);
          length += bytes.length;
        },
        skip(bytes) {
          call("skip", bytes);
          length += bytes;
        },
        commit: () => call("commit", 0),
        [Symbol.dispose]: () => call("dispose", 0),
      };
    },
  };
}

Deno.test("a target that dies at any moment: no file, nothing held", async () => {
  const whole = kernelOf();
  {
    using target = open(whole);
    await withFolder(["core"], async (folder) => {
      await target.saveCore(`${folder}/core`, { style: "full" });
    });
  }
  const calls = whole.log.length;
  assert(calls > 10);
  for (let diesAt = 3; diesAt < calls - 1; diesAt++) {
    const kernel = kernelOf();
    using target = open(kernel);
    kernel.diesAt = diesAt;
    await withFolder([], async (folder) => {
      await assertRejects(
        () => target.saveCore(`${folder}/core`, { style: "full" }),
        TargetGoneError,
      );
    });
    assertEquals([kernel.tokens.size, target.paused], [0, false], `dies at ${kernel.log[diesAt]}`);
  }
});

Deno.test("a file that cannot be written, at any moment: it says so, and the target runs on", async () => {
  const large = region(0x1000_0000n, 70 * mebibyte, (_, into) => into.fill(1).length);
  for (const kernel of [kernelOf(), kernelOf(large)]) {
    let calls = 0;
    {
      using target = open(kernel, sinkOf(() => calls++));
      await target.saveCore("core", { style: "full" });
    }
    assert(calls > 3);
    for (let failing = 0; failing < calls - 1; failing++) {
      let call = 0;
      let disposed = false;
      using target = open(
        kernel,
        sinkOf((name) => {
          if (name === "dispose") disposed = true;
          else if (call++ === failing) {
            throw Object.assign(new Error("ENOSPC: no space left on device, write"), {
              code: "ENOSPC",
            });
          }
        }),
      );
      await assertRejects(
        () => target.saveCore("some/core", { style: "full" }),
        Error,
        "cannot write some/core: the disk is full",
      );
      assertEquals([disposed, kernel.tokens.size, target.paused], [true, 0, false]);
    }
  }
});

Deno.test("a place where no file can be: the target is not even paused", async () => {
  const kernel = kernelOf();
  using target = open(kernel);
  const calls = kernel.log.length;
  await assertRejects(
    () => target.saveCore("/no/such/folder/core"),
    Error,
    "cannot write /no/such/folder/core: there is no such folder",
  );
  assertEquals(kernel.log.length, calls);
  await assertRejects(
    () => target.saveCore("core", { style: "huge" as "full" }),
    RangeError,
    "stacks, locals, dirty, full",
  );
  await withFolder(["core"], async (folder) => {
    await Deno.mkdir(`${folder}/core`);
    await assertRejects(() => target.saveCore(`${folder}/core`), Error, "it is a folder");
  });
});

Deno.test("a core takes the place of the one before when it is whole, and not sooner", async () => {
  const kernel = kernelOf();
  using target = open(kernel);
  await withFolder(["core"], async (folder) => {
    const path = `${folder}/core`;
    await Deno.writeTextFile(path, "the one before");
    await assertRejects(
      () =>
        target.saveCore(path, {
          onProgress() {
            throw new Error("enough");
          },
        }),
      Error,
      "enough",
    );
    assertEquals(await Deno.readTextFile(path), "the one before");
    assertEquals([kernel.tokens.size, target.paused], [0, false]);
    await target.saveCore(path);
    using core = openCore(path);
    assertEquals(core.threads.map(({ name }) => name), ["thread 0", "thread 1"]);
  });
});

/** Memory that takes its time. */
const slow = region(0x1000_0000n, 8 * mebibyte, (_, into) => {
  if (into.length > 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
  return into.fill(1).length;
});

Deno.test("given up: no file from that moment on, and the target runs on", async () => {
  await withFolder([], async (folder) => {
    const kernel = kernelOf(slow);
    using target = open(kernel);
    const reason = new Error("that is enough");
    const before = kernel.log.length;
    await assertRejects(
      () => target.saveCore(`${folder}/core`, { signal: AbortSignal.abort(reason) }),
      Error,
      reason.message,
    );
    assertEquals(kernel.log.length, before);

    const controller = new AbortController();
    let left: string[] = ["not looked"];
    setTimeout(() => {
      assert(target.paused);
      controller.abort(reason);
      left = [...Deno.readDirSync(folder)].map(({ name }) => name);
    }, 100);
    const seen: [number, number][] = [];
    await assertRejects(
      () =>
        target.saveCore(`${folder}/core`, {
          style: "full",
          signal: controller.signal,
          onProgress: (done, total) => seen.push([done, total]),
        }),
      Error,
      reason.message,
    );
    assertEquals(left, []);
    assertEquals([kernel.tokens.size, target.paused], [0, false]);
    assertEquals(seen[0][0], 0);
    assert(seen.length > 2 && seen.at(-1)![0] < seen[0][1]);
    assert(seen.every(([done], index) => index === 0 || done > seen[index - 1][0]));
  });
});

Deno.test({
  name: "a live target: killed halfway it is gone; after a failure it runs on",
  ignore: !canLaunch,
  async fn() {
    await withFolder([], async (folder) => {
      using target = await startDemo(ownBuild);
      try {
        const before = progress(target);
        await assertRejects(
          () =>
            target.saveCore(`${folder}/core`, {
              onProgress() {
                throw new Error("enough");
              },
            }),
          Error,
          "enough",
        );
        for (
          let attempt = 0;
          progress(target).some((count, at) => count === before[at]);
          attempt++
        ) {
          assert(attempt < 1000, "it does not run on");
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        await assertRejects(
          () =>
            target.saveCore(`${folder}/core`, {
              style: "full",
              onProgress(done) {
                if (done > 0) return;
                target.kill();
                while (target.memory.readUpTo(target.images[0].loadAddress, 8192).length > 0);
              },
            }),
          TargetGoneError,
        );
      } finally {
        target.kill();
      }
    });
  },
});

Deno.test("what cannot be read is left out, or zeros where it is in the middle", async () => {
  const start = 0x1000_0000n;
  const nothing = region(start, 0x4000, () => 0);
  const cutShort = region(start + 0x10_0000n, 0x9000, (offset, into) => {
    const length = Math.max(0, Math.min(into.length, 0x5000 - offset));
    into.fill(7, 0, length);
    return length;
  });
  const holed = region(start + 0x20_0000n, 0x9000, (offset, into) => {
    if (offset >= 0x3000 && offset < 0x5000) return 0;
    const length = offset < 0x3000 ? Math.min(into.length, 0x3000 - offset) : into.length;
    into.fill(8, 0, length);
    return length;
  });
  const noAccess: MemoryRegion = { ...nothing, address: start + 0x30_0000n, protection: 0 };
  using target = open(kernelOf(nothing, cutShort, holed, noAccess));
  await withFolder(["core"], async (folder) => {
    const { warnings } = await target.saveCore(`${folder}/core`, { style: "full" });
    assertEquals(warnings, [
      "0x10000000-0x10004000 cannot be read: it is left out",
      "0x10105000-0x10109000 cannot be read: it is left out",
      "0x10200000-0x10209000: 8192 bytes cannot be read: they are zeros",
    ]);
    using core = openCore(`${folder}/core`);
    const sizes = core.regions().map(({ address, size }) => [address, size]);
    assertEquals(sizes.slice(-2), [[start + 0x10_0000n, 0x5000n], [start + 0x20_0000n, 0x9000n]]);
    assertEquals(core.memory.read(start + 0x10_0000n, 0x5000), new Uint8Array(0x5000).fill(7));
    const bytes = new Uint8Array(0x9000).fill(8).fill(0, 0x3000, 0x5000);
    assertEquals(core.memory.read(start + 0x20_0000n, 0x9000), bytes);
  });
});

Deno.test("a thread whose registers or stack could not be had is still there", async () => {
  const { threadState, sp } = archs.x86_64;
  const lost = new Uint8Array(threadState.size);
  writeRegister(lost, sp, 0xdead_0000n);
  const kernel = new MemoryKernel(archs.x86_64, [bytesRegion(0x4000n, new Uint8Array(0x1000))], [
    { name: "no state", state: new Uint8Array(), stackEnd: 0n },
    { name: "no stack", state: lost, stackEnd: 0n },
  ]);
  kernel.snapshot = (_task, { keepSuspended }) => ({
    stoppedNanoseconds: 0,
    stoppedSince: performance.now(),
    threads: [new Uint8Array(), lost].map((state, index) => ({
      ...{ info: kernel.threadInfo(0x200 + index), state },
      ...{ stackAddress: 0n, stack: new Uint8Array(), stackEnd: 0n },
    })),
    token: keepSuspended ? kernel.taskSuspend(0) : undefined,
  });
  using target = open(kernel);
  await withFolder(["core"], async (folder) => {
    const { warnings } = await target.saveCore(`${folder}/core`);
    assertEquals(warnings.length, 2);
    assertMatch(warnings[0], /^thread 1: its stack pointer, 0xdead0000, is in no memory$/);
    assertMatch(warnings[1], /^thread 0: its registers could not be had/);
    using core = openCore(`${folder}/core`);
    assertEquals(core.threads.map(({ name }) => name), ["no state", "no stack"]);
    assertEquals(core.threads[1].registers.get("rsp"), 0xdead_0000n);
  });
});

Deno.test("zeros are holes: a region of 256 MiB with three pages of its own", async () => {
  const start = 0x1_0000_0000n;
  const size = 256 * mebibyte;
  const pages = new Map([[0, 1], [100 * mebibyte + 4096, 2], [size - 4096, 3]]);
  const sparse = region(start, size, (offset, into) => {
    into.fill(0);
    for (const [at, value] of pages) {
      if (at >= offset && at < offset + into.length) into.fill(value, at - offset, at - offset + 1);
    }
    return into.length;
  });
  using target = open(kernelOf(sparse));
  await withFolder(["core"], async (folder) => {
    const { bytes } = await target.saveCore(`${folder}/core`, { style: "dirty" });
    const info = await Deno.stat(`${folder}/core`);
    assertEquals(info.size, bytes);
    assert(bytes > size);
    assert(info.blocks! * 512 < mebibyte, `${info.blocks! * 512} bytes on the disk`);
    using core = openCore(`${folder}/core`);
    for (const [at, value] of pages) {
      assertEquals(core.memory.read(start + BigInt(at), 2), new Uint8Array([value, 0]));
    }
    assertEquals(core.memory.readU64(start + BigInt(size / 2)), 0n);
  });
});

Deno.test("a small core is written after the pause, a large one as it is read, in small pieces", async () => {
  for (const mebibytes of [8, 300]) {
    const kernel = kernelOf(
      region(0x1_0000_0000n, mebibytes * mebibyte, (_, into) => into.fill(1).length),
    );
    let largest = 0;
    const paused = new Set<boolean>();
    using target = open(
      kernel,
      sinkOf((name, bytes) => {
        if (name !== "write") return;
        largest = Math.max(largest, bytes);
        if (bytes === mebibyte) paused.add(kernel.tokens.size > 0);
      }),
    );
    const before = Deno.memoryUsage().external;
    const { bytes } = await target.saveCore("core", { style: "dirty" });
    assert(bytes > mebibytes * mebibyte);
    assertEquals([...paused], [mebibytes > 64]);
    assertEquals(largest, mebibyte);
    assert(Deno.memoryUsage().external - before < 16 * mebibyte);
  }
});

Deno.test("style dirty has what was written, and not what is shared or read-only", async () => {
  const make = (address: bigint, more: Partial<MemoryRegion>): MemoryRegion => ({
    ...bytesRegion(address, new Uint8Array(0x1000).fill(9)),
    ...more,
  });
  const kernel = kernelOf(
    make(0x3000_0000n, {}),
    make(0x3001_0000n, { shareMode: 1 }), // copy on write
    make(0x3002_0000n, { shareMode: 4 }), // shared
    make(0x3003_0000n, { shareMode: 5 }), // truly shared
    make(0x3004_0000n, { protection: 1 }),
  );
  using target = open(kernel);
  await withFolder(["core"], async (folder) => {
    const high = async (style: "stacks" | "dirty" | "full") => {
      await target.saveCore(`${folder}/core`, { style });
      using core = openCore(`${folder}/core`);
      return core.regions().map(({ address }) => address).filter((at) => at >= 0x3000_0000n);
    };
    assertEquals(await high("stacks"), []);
    assertEquals(await high("dirty"), [0x3000_0000n, 0x3001_0000n]);
    assertEquals((await high("full")).length, 5);
  });
});
