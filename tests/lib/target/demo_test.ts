import { assert, assertEquals } from "@std/assert";
import type { Thread } from "../../../mod.ts";
import { chains, ownFrames, progress, startDemo } from "./demo.ts";
import { canLaunch, ownBuild, rounds, runs } from "../../machine.ts";

/** Asserts that every thread shows exactly its known chain. */
function assertChains(threads: readonly Thread[], when: string): void {
  assertEquals(threads.length, chains.size, when);
  const workers = threads.slice(1).map(({ name }) => name).sort();
  assertEquals(workers, [...chains.keys()].filter((name) => name !== "main").sort(), when);
  threads.forEach((thread, index) => {
    const name = index === 0 ? "main" : thread.name;
    const { own, contiguous } = ownFrames(thread);
    const chain = chains.get(name)!;
    // Every 5 ms the main thread asks for a moment whether the workers have arrived.
    const asks = name === "main" && own[0]?.[1] === "workers_arrived";
    assertEquals(own, asks ? [own[0], ...chain.slice(1)] : chain, `${when}: ${name}`);
    assert(contiguous, `${when}: ${name} has frames of the system among its own`);
    assertEquals(thread.backtrace().stopped, "null-record", `${when}: ${name}`);
  });
}

for (const arch of ["x86_64", "x86_64-chained", "x86_64-frameless", "i386", "arm64", "armv7"]) {
  const ignore = !runs(arch);

  Deno.test(
    { name: `${arch}: pauses show every chain, and it goes on`, ignore },
    async () => {
      using target = await startDemo(arch);
      try {
        assertEquals(target.arch.name, arch.replace(/-.*/, ""));
        let before = progress(target);
        for (let round = 1; round <= rounds(20); round++) {
          {
            using _pause = target.pause();
            assertChains(target.threads, `pause ${round}`);
            const held = progress(target);
            assertEquals(progress(target), held);
          }
          for (let attempt = 0;; attempt++) {
            const now = progress(target);
            if (now.every((count, index) => count > before[index])) {
              before = now;
              break;
            }
            assert(attempt < 1000, `no progress after pause ${round}: ${before} ${now}`);
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
        }
        assertEquals(target.warnings, []);
      } finally {
        target.kill();
      }
    },
  );

  Deno.test({ name: `${arch}: a snapshot shows every chain while it runs`, ignore }, async () => {
    using target = await startDemo(arch);
    try {
      const snapshot = target.snapshot();
      assertEquals(target.paused, false);
      assertChains(snapshot.threads, "snapshot");
      target.kill();
      // Nothing of it needs the process any more but names that were not asked for before.
      assertChains(snapshot.threads, "snapshot of a process that is gone");
    } finally {
      target.kill();
    }
  });
}

Deno.test({
  name: "dladdr and lookup tell of the demo's symbols as nm does",
  ignore: !canLaunch,
}, async () => {
  using target = await startDemo(ownBuild);
  try {
    const [program, library] = target.images;
    assertEquals([program.name, library.name], ["demo", "libworkers.dylib"]);
    const [{ symbol, image }] = target.lookup("spin_outer");
    assertEquals([image.name, symbol.external], ["libworkers.dylib", true]);
    const info = target.dladdr(symbol.address + 3n);
    assertEquals([info?.fname, info?.fbase, info?.sname, info?.saddr, info?.offset], [
      library.path,
      library.loadAddress,
      "spin_outer",
      symbol.address,
      3,
    ]);
    assertEquals(target.lookup("_spin_outer"), target.lookup("spin_outer"));
    assertEquals(target.lookup("no such symbol"), []);
    assertEquals(target.dladdr(1n), null);
    assert(
      target.regions().some(({ address, size }) =>
        address <= program.loadAddress && program.loadAddress < address + size
      ),
    );
  } finally {
    target.kill();
  }
});
