/** What is read of a process whose images are those of the dyld shared cache. */
import { assert, assertEquals } from "@std/assert";
import { system } from "../../../ffi/processes.ts";
import type { Image } from "../../../lib/macho/mod.ts";
import { LiveTarget } from "../../../lib/target/mod.ts";
import { splitCache } from "../macho/cache_files.ts";
import { FileTree } from "../symbols/file_tree.ts";
import { functionName, SharedCacheKernel } from "./shared_cache.ts";

function open(): { kernel: SharedCacheKernel; target: LiveTarget } {
  const kernel = new SharedCacheKernel();
  const target = new LiveTarget(kernel, system, { pid: 7, name: "app" });
  return { kernel, target };
}

Deno.test("600 images with one string pool: every frame has its name, for 16 MiB at most", () => {
  const { kernel, target } = open();
  using _ = target;
  assertEquals(target.images.length, 600);
  const before = kernel.bytesRead;
  const { threads } = target.snapshot();
  assertEquals(threads.length, kernel.calls.length);
  for (const [index, thread] of threads.entries()) {
    const names = [...thread.backtrace()].map((frame) => frame.function);
    const expected = kernel.calls[index].map(({ image, function: number }) =>
      // The functions with odd numbers are local: the cache has no symbols of them.
      number % 2 === 0 ? functionName(image, number).slice(1) : null
    );
    assertEquals(names, expected);
  }
  assert(kernel.bytesRead - before < 16 << 20, `${kernel.bytesRead - before} bytes`);
  // File offsets of __TEXT and __LINKEDIT coincide: read through the wrong one, tables are damaged.
  const warnings = target.images.flatMap((image) => (image as Image).warnings);
  assertEquals(warnings, []);
});

Deno.test("lookup of a name in 600 images: exports first, then the string pool, once", () => {
  const { kernel, target } = open();
  using _ = target;
  void target.images;
  let before = kernel.bytesRead;
  const name = functionName(300, 44);
  for (const spelled of [name, name.slice(1)]) {
    const found = target.lookup(spelled);
    assertEquals(found.map(({ image, symbol }) => [image.name, symbol.rawName]), [
      ["Framework0300", name],
    ]);
    assertEquals(target.resolve(found[0].symbol.address).symbol?.rawName, name);
  }
  assert(kernel.bytesRead - before < 16 << 20, `${kernel.bytesRead - before} bytes`);

  // In one image nothing is read of the others.
  before = kernel.bytesRead;
  assertEquals(target.lookup(functionName(7, 46), target.images[7]).length, 1);
  assert(kernel.bytesRead - before < 1 << 20, `${kernel.bytesRead - before} bytes`);

  before = kernel.bytesRead;
  assertEquals(target.lookup("no_such_function"), []);
  assert(kernel.bytesRead - before < 200 << 20, `${kernel.bytesRead - before} bytes`);
});

Deno.test("names that begin with what was typed, of images of the shared cache", () => {
  const { kernel, target } = open();
  using _ = target;
  const image = target.images[300] as Image;
  const before = kernel.bytesRead;
  const { names, more } = image.symbolNames("image0300_04", 10);
  assertEquals(names, [40, 42, 44, 46, 48].map((index) => functionName(300, index).slice(1)));
  assertEquals(more, 0);
  assertEquals(image.symbolNames("image0300_04", 3).names.length, 3);
  assert(image.symbolNames("_image0300_04", 3).more > 0);
  assertEquals(image.symbolNames("image0301", 10), { names: [], more: 0 });
  assert(kernel.bytesRead - before < 1 << 20, `${kernel.bytesRead - before} bytes`);
});

Deno.test("local functions have their names from the cache's files, found by UUID in the folders", () => {
  const kernel = new SharedCacheKernel();
  const named = new LiveTarget(kernel, system, { pid: 7, name: "app" }).images[300];
  const { cache, symbols } = splitCache(named.uuid!, [{ name: "_hidden", address: 0x1040n }]);
  const files = new FileTree({
    "/caches/dyld_shared_cache_arm64e": cache,
    "/caches/dyld_shared_cache_arm64e.01": symbols.slice(0, 16),
    "/caches/dyld_shared_cache_arm64e.symbols": symbols,
  });
  using target = new LiveTarget(kernel, { files }, { pid: 7, name: "app" });
  const address = target.images[300].loadAddress + 0x1050n;
  assertEquals(target.resolve(address).symbol, null);
  target.addSymbols(["/caches"]);
  assertEquals(target.resolve(address).symbol?.name, "hidden");
  assertEquals(target.lookup("hidden").map(({ image }) => image.name), ["Framework0300"]);
  assertEquals(target.resolve(address - 0x40n).symbol?.rawName, functionName(300, 0));
});
