/** Cores that are saved, of all four architectures and in every style, opened again. */
import { assert, assertEquals } from "@std/assert";
import { files } from "../../../ffi/mod.ts";
import { Image } from "../../../lib/macho/mod.ts";
import { launch, LiveTarget, openCore, type Target, type Thread } from "../../../mod.ts";
import { coreStyles } from "../../../lib/target/mod.ts";
import { chains, ownFrames, startDemo } from "./demo.ts";
import { recordedKernel } from "./memory_kernel.ts";
import { runs, testPrograms } from "../../machine.ts";

const fixtures = new URL("../../../examples/demo/", import.meta.url).pathname;

/** What a thread shows that a core must show too. */
function shown(thread: Thread): unknown {
  const frames = thread.backtrace();
  return {
    id: thread.id,
    name: thread.name,
    state: thread.state,
    registers: [...thread.registers].map(({ name, value }) => `${name} ${value.toString(16)}`),
    frames: frames.map(({ address, sp, fp, foundBy, image, symbol, offset }) => ({
      ...{ address, sp, fp, foundBy, offset, image: image?.name, symbol: symbol?.name },
    })),
    stopped: frames.stopped,
  };
}

function images(target: Target): unknown {
  return target.images.map(({ path, uuid, loadAddress, slide, ranges }) => ({
    ...{ path, uuid, loadAddress, slide },
    ranges: ranges.map(({ start, end }) => [start, end]),
  }));
}

/** Saves a paused target in each style; what is opened shows what the target shows. */
async function assertSaved(target: LiveTarget, warned: number): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    using _pause = target.pause();
    const threads = target.threads.map(shown);
    for (const style of coreStyles) {
      const path = `${directory}/${style}.core`;
      const saved = await target.saveCore(path, { style });
      assertEquals([saved.path, saved.style, saved.threads], [path, style, threads.length]);
      assertEquals(saved.bytes, Deno.statSync(path).size);
      assertEquals(saved.warnings.length, style === "full" ? warned : 0, `${saved.warnings}`);
      assert(target.paused, "a pause that was there is still there");
      using core = openCore(path);
      assertEquals(core.arch.name, target.arch.name);
      assertEquals([core.pid, core.name], [target.pid, target.name]);
      assertEquals(images(core), images(target));
      assertEquals(core.threads.map(shown), threads, style);
      assertEquals(core.warnings, []);
    }
    const sizes = coreStyles.map((style) => Deno.statSync(`${directory}/${style}.core`).size);
    assert(sizes[0] < sizes[1] && sizes[1] < sizes[2], `${sizes}`);
    assertEquals([...Deno.readDirSync(directory)].length, coreStyles.length);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

for (const arch of ["x86_64", "i386", "arm64", "armv7"] as const) {
  Deno.test({
    name: `${arch}: a live demo and its cores show the same`,
    ignore: !runs(arch),
    async fn() {
      using target = await startDemo(arch);
      try {
        // [vvar] and its kin are the kernel's, and not even a debugger may read them.
        const unreadable = target.regions().filter(({ address, protection }) =>
          (protection & 1) !== 0 && target.memory.readUpTo(address, 1).length === 0
        );
        await assertSaved(target, unreadable.length);
      } finally {
        target.kill();
      }
    },
  });
}

for (const arch of ["arm64", "armv7"] as const) {
  // A recording is the same on every processor: the emulated one would only be slower.
  const ignore = testPrograms !== undefined;
  Deno.test({ name: `${arch}: a recorded demo and its cores show the same`, ignore }, async () => {
    const kernel = recordedKernel(arch);
    using target = new LiveTarget(kernel, { files }, { pid: 7, name: "demo" });
    for (const thread of target.threads) {
      const name = thread.index === 0 ? "main" : thread.name;
      assertEquals(ownFrames(thread).own, chains.get(name), name);
    }
    await assertSaved(target, 0);
  });
}

for (const folder of ["x86_64", "x86_64-stripped"]) {
  Deno.test({
    name: `${folder}: a core of style stacks needs no binaries`,
    ignore: !runs(folder),
    async fn() {
      const directory = await Deno.makeTempDir();
      try {
        for (const name of ["demo", "libworkers.dylib"]) {
          await Deno.copyFile(`${fixtures}${folder}/${name}`, `${directory}/${name}`);
        }
        using target = await launch(`${directory}/demo`, [], { output: "null" });
        try {
          while (target.threads.length < chains.size) {
            await new Promise((resolve) => setTimeout(resolve, 10));
          }
          using pause = target.pause();
          const threads = target.threads.map(shown);
          await target.saveCore(`${directory}/core`);
          pause.resume();
          await Deno.remove(`${directory}/demo`);
          await Deno.remove(`${directory}/libworkers.dylib`);
          using core = openCore(`${directory}/core`);
          assertEquals(core.threads.map(shown), threads);
          assert(core.images[0] instanceof Image);
        } finally {
          target.kill();
        }
      } finally {
        await Deno.remove(directory, { recursive: true });
      }
    },
  });
}

Deno.test({
  name: "a core of 500 threads",
  ignore: !runs("x86_64"),
  async fn() {
    const path = await Deno.makeTempFile();
    using target = await launch(`${fixtures}x86_64/crowd`, ["499"], { output: "null" });
    try {
      const [{ symbol: ready }] = target.lookup("crowd_ready");
      while (target.memory.readU32(ready.address) !== 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      using _pause = target.pause();
      const threads = target.threads.map(shown);
      assertEquals(threads.length, 500);
      await target.saveCore(path);
      using core = openCore(path);
      assertEquals(core.threads.map(shown), threads);
    } finally {
      target.kill();
      await Deno.remove(path);
    }
  },
});
