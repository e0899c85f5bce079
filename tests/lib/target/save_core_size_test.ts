/** What cores hold, and what they cost. */
import { assert, assertEquals } from "@std/assert";
import { system } from "../../../ffi/processes.ts";
import type { Files } from "../../../lib/file_system.ts";
import type { Image } from "../../../lib/macho/mod.ts";
import { CoreTarget } from "../../../lib/target/mod.ts";
import { LiveTarget, openCore, type Target } from "../../../mod.ts";
import { splitCache } from "../macho/cache_files.ts";
import { FileTree } from "../symbols/file_tree.ts";
import type { MemoryRegion } from "./memory_kernel.ts";
import { SharedCacheKernel } from "./shared_cache.ts";

const MiB = 1 << 20;
const GiB = 1 << 30;
const heapAddress = 0x6000_0000_0000n;

/** Anonymous memory that was reserved, of which a few pages were used. */
function reserved(size: number, present: readonly (readonly [number, number])[]): MemoryRegion {
  return {
    ...{ address: heapAddress, size, protection: 3, present },
    read(offset, into) {
      into.forEach((_, index) => into[index] = (offset + index) >> 12);
      return into.length;
    },
  };
}

function open(
  more: readonly MemoryRegion[] = [],
): { kernel: SharedCacheKernel; target: LiveTarget } {
  const kernel = new SharedCacheKernel({ images: 60, poolSize: 16 * MiB, threads: 10 }, more);
  return { kernel, target: new LiveTarget(kernel, system, { pid: 7, name: "app" }) };
}

function names(target: Target): (string | null)[][] {
  return target.threads.map((thread) => thread.backtrace().map((frame) => frame.function));
}

Deno.test("dirty: of 16 GiB that were reserved it has what was used", async () => {
  const used: [number, number][] = [[0, 0x4000], [3 * GiB, 3 * GiB + 0x1000], [
    3 * GiB + 0x8000,
    3 * GiB + 0x9000,
  ], [16 * GiB - 0x4000, 16 * GiB]];
  const { kernel, target } = open([reserved(16 * GiB, used)]);
  using _ = target;
  const path = await Deno.makeTempFile();
  try {
    const before = kernel.bytesRead;
    const { bytes, warnings } = await target.saveCore(path, { style: "dirty" });
    assertEquals(warnings, []);
    assert(bytes < 64 * MiB, `${bytes} bytes`);
    assert(kernel.bytesRead - before < 64 * MiB, `${kernel.bytesRead - before} bytes read`);
    using core = openCore(path);
    for (const [start, end] of used) {
      const address = heapAddress + BigInt(start);
      assertEquals(core.memory.read(address, end - start).length, end - start);
      assertEquals(core.memory.readU8(address), (start >> 12) & 0xff);
    }
    assertEquals(core.memory.readUpTo(heapAddress + BigInt(8 * GiB), 16).length, 0);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("full: the shared cache's pages are in it only when asked for", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const { target } = open([reserved(4 * MiB, [])]);
    using _ = target;
    const live = names(target);
    const small = await target.saveCore(`${directory}/small`, { style: "full" });
    const large = await target.saveCore(`${directory}/large`, { style: "full", sharedCache: true });
    assert(large.bytes - small.bytes > 16 * MiB, `${large.bytes} and ${small.bytes} bytes`);
    for (const path of [small.path, large.path]) {
      using core = openCore(path);
      assertEquals(names(core), live);
      assertEquals(core.memory.read(heapAddress, 4 * MiB).length, 4 * MiB);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("stacks: the frames of the shared cache's images have the same names elsewhere", async () => {
  const { target } = open();
  using _ = target;
  const path = await Deno.makeTempFile();
  try {
    const live = names(target);
    assert(live.flat().filter((name) => name !== null).length > 50);
    const { bytes, warnings } = await target.saveCore(path);
    assert(bytes < 12 * MiB, `${bytes} bytes`);
    assertEquals(warnings, []);
    // No binaries, no caches: the core has to do.
    using core = new CoreTarget(system.files.open(path), { files: new FileTree({}) });
    assertEquals(names(core), live);
    assertEquals(core.warnings, []);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("stacks: names that only the shared cache's files have are the same elsewhere", async () => {
  const kernel = new SharedCacheKernel({ images: 60, poolSize: 16 * MiB, threads: 10 });
  const path = await Deno.makeTempFile();
  let tree = new FileTree({});
  const files: Files = {
    open: (path) => tree.open(path),
    walk: (folder) => tree.walk(folder),
    create: (path, mode) => system.files.create(path, mode),
  };
  try {
    using target = new LiveTarget(kernel, { files }, { pid: 7, name: "app" });
    const frame = target.threads.flatMap((thread) => [...thread.backtrace()])
      .find(({ function: name }) => name === null)!;
    const image = frame.image as Image;
    const start = target.resolve(frame.lookupAddress).functionStart!;
    const address = start - image.loadAddress;
    const { cache, symbols } = splitCache(image.uuid!, [{ name: "_hidden", address }]);
    tree = new FileTree({
      "/caches/dyld_shared_cache_arm64e": cache,
      "/caches/dyld_shared_cache_arm64e.symbols": symbols,
    });
    target.addSymbols(["/caches"]);
    const live = names(target);
    assert(live.flat().includes("hidden"));
    await target.saveCore(path);
    using core = new CoreTarget(system.files.open(path), { files: new FileTree({}) });
    assertEquals(names(core), live);
    assertEquals(core.warnings, []);
  } finally {
    await Deno.remove(path);
  }
});
