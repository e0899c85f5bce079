/** Addresses in a file of Linux's distributions, which nobody here wrote, held against llvm-symbolizer. */
import { assert, assertEquals } from "@std/assert";
import { openSymbolizer } from "../../mod.ts";
import { readElf } from "../../lib/elf/mod.ts";
import { bytesSource } from "../../lib/macho/mod.ts";
import { chain, llvmChains } from "./symbolizer.ts";

const library = "/lib/x86_64-linux-gnu/libc.so.6";

/** A chain without the outermost function's name: there llvm-symbolizer shows the symbol's, such as that of an
 * alias or of the cold part of a function. */
function places(lines: readonly string[]): string {
  const last = lines.length - 1;
  return lines.map((line, at) => at < last ? line : line.slice(line.indexOf(" "))).join("; ");
}

Deno.test({
  name:
    "10,000 addresses of the C library: inlined calls, files, lines and columns are llvm-symbolizer's",
  ignore: Deno.build.os !== "linux" || Deno.build.arch !== "x86_64",
  async fn() {
    const elf = readElf(bytesSource(await Deno.readFile(library), library));
    const id = elf.buildId!;
    const debug = `/usr/lib/debug/.build-id/${id.slice(0, 2)}/${id.slice(2)}.debug`;
    assert((await Deno.stat(debug)).isFile, "libc6-dbg is installed");
    const code = elf.sections.find(({ name }) => name === ".text")!;
    let seed = 17;
    const addresses = Array.from({ length: 10_000 }, () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return code.vmAddress + BigInt(seed % code.size);
    });
    using symbolizer = openSymbolizer([{ path: library }]);
    const truth = await llvmChains(library, addresses);
    let compared = 0;
    addresses.forEach((address, index) => {
      const { frames, symbol } = symbolizer.resolve(address);
      const where = `0x${address.toString(16)} in ${symbol?.name}`;
      if (frames.length === 0) {
        // Hand-written code, or padding. LLVM knows no file there either.
        assert(truth[index].every((line) => line.endsWith(":0:0")), `${where}: ${truth[index]}`);
        return;
      }
      assertEquals(places(chain(frames)), places(truth[index]), where);
      compared++;
    });
    assert(compared > 9_500, `${compared}`);
  },
});
