/** Opens the cores that are saved, of every architecture and style, with LLDB, which is told nothing
 * but the file: it must find the images and show the threads, registers and frames that we do. */
import { files } from "../../ffi/mod.ts";
import { launch, LiveTarget } from "../../mod.ts";
import { coreStyles } from "../../lib/target/mod.ts";
import { chains, startDemo } from "../lib/target/demo.ts";
import { recordedKernel } from "../lib/target/memory_kernel.ts";
import { compareWithLldb } from "./lldb_core.ts";

const fixtures = new URL("../../examples/demo/", import.meta.url).pathname;

/** Saves the target in each style, and compares. */
async function compare(target: LiveTarget): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const style of coreStyles) {
      const path = `${folder}/${style}`;
      await target.saveCore(path, { style });
      await compareWithLldb(path, style);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

for (const arch of ["x86_64", "i386"]) {
  Deno.test(`${arch}: LLDB shows of the demo's cores what we show`, async () => {
    using target = await startDemo(arch);
    try {
      await compare(target);
    } finally {
      target.kill();
    }
  });
}

for (const arch of ["arm64", "armv7"] as const) {
  Deno.test(`${arch}: LLDB shows of the demo's cores what we show`, async () => {
    using target = new LiveTarget(recordedKernel(arch), { files }, { pid: 7, name: "demo" });
    await compare(target);
  });
}

Deno.test("101 threads: LLDB shows of the crowd's cores what we show", async () => {
  using target = await launch(`${fixtures}x86_64/crowd`, ["100"], { output: "null" });
  try {
    const [{ symbol: ready }] = target.lookup("crowd_ready");
    while (target.memory.readU32(ready.address) !== 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await compare(target);
  } finally {
    target.kill();
  }
});

Deno.test("binaries that are gone: LLDB finds in every core what it takes to name functions", async () => {
  const folder = await Deno.makeTempDir();
  try {
    for (const name of ["demo", "libworkers.dylib"]) {
      await Deno.copyFile(`${fixtures}x86_64/${name}`, `${folder}/${name}`);
    }
    using target = await launch(`${folder}/demo`, [], { output: "null" });
    try {
      while (target.threads.length < chains.size) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await Deno.remove(`${folder}/demo`);
      await Deno.remove(`${folder}/libworkers.dylib`);
      await compare(target);
    } finally {
      target.kill();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
