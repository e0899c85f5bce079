/** Names and lines through dwz's supplementary files, held against llvm-symbolizer on the program as it was before dwz. */
import { assert, assertEquals } from "@std/assert";
import { readElf } from "../../lib/elf/mod.ts";
import { hex } from "../../lib/hex.ts";
import { bytesSource } from "../../lib/macho/mod.ts";
import "../../lib/target/variables.ts";
import { launch, openSymbolizer } from "../../mod.ts";
import { chain, llvmChains } from "./symbolizer.ts";
import { run } from "./run.ts";

const header = `#include <map>
#include <string>
#include <unistd.h>
#include <vector>
struct Shared {
  std::vector<std::string> items;
  std::map<int, std::string> by;
  int touch(int n) {
    for (int i = 0; i < n; i++) { items.push_back("a longer text than fits"); by[i] = items.back(); }
    return (int)items.size();
  }
};
`;

/** Two programs whose debug information dwz has made share entries. */
async function programs(directory: string, ...options: string[]): Promise<string> {
  await Deno.writeTextFile(`${directory}/shared.h`, header);
  for (const name of ["one", "two"]) {
    await Deno.writeTextFile(
      `${directory}/${name}.cpp`,
      `#include "shared.h"
       static __attribute__((noinline)) int own(Shared &s, int n) { return s.touch(n) * 3; }
       Shared shared;
       int main(int c, char **) { if (own(shared, 2) && c > 1) pause(); return own(shared, c); }`,
    );
    const program = `${directory}/${name}`;
    await run("g++", ["-g", "-O2", "-Wl,--build-id", "-o", program, `${program}.cpp`]);
  }
  await Deno.copyFile(`${directory}/one`, `${directory}/before`);
  const common = `${directory}/common.debug`;
  await run("dwz", [...options, "-m", common, `${directory}/one`, `${directory}/two`]);
  return `${directory}/one`;
}

/** A chain without the outermost function's name, for which LLVM shows the symbol's. */
function places(lines: readonly string[]): string {
  return lines.map((line, at) => at < lines.length - 1 ? line : line.slice(line.indexOf(" ")))
    .join("; ");
}

/** Types that are in the supplementary file: what the program has put into them is shown. */
async function checkTypes(path: string): Promise<void> {
  using target = await launch(path, ["pause"], { output: "null" });
  try {
    const text = "a longer text than fits";
    const shared = () => [...target.globals(target.images[0], "shared")].at(0);
    for (let tries = 0; shared()?.child("items")?.summary !== "size=2"; tries++) {
      assert(tries < 1000, "the program does not fill its list");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const { type } = shared()!;
    assertEquals(type.name, "Shared");
    assertEquals(type.members?.map(({ name }) => name), ["items", "by"]);
    const [items, by] = shared()!.children();
    assertEquals(items.children().map(({ summary }) => summary), [`"${text}"`, `"${text}"`]);
    assertEquals(by.summary, "size=2");
  } finally {
    target.kill();
  }
}

for (const options of [[], ["--dwarf-5"]]) {
  Deno.test({
    name: `dwz ${
      options.join(" ")
    }: inlined calls, files and lines are llvm-symbolizer's without it`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      const directory = await Deno.makeTempDir();
      try {
        const path = await programs(directory, ...options);
        const { sections } = readElf(bytesSource(await Deno.readFile(path), path));
        const link = options.length === 0 ? ".gnu_debugaltlink" : ".debug_sup";
        assert(sections.some(({ name }) => name === link));
        const { vmAddress, size } = sections.find(({ name }) => name === ".text")!;
        const addresses = Array.from(
          { length: Math.floor(size / 5) },
          (_, index) => vmAddress + BigInt(index * 5),
        );
        const truth = await llvmChains(`${directory}/before`, addresses);
        using symbolizer = openSymbolizer([{ path }]);
        let inlined = 0;
        addresses.forEach((address, index) => {
          const { frames } = symbolizer.resolve(address);
          if (frames.length === 0) return;
          assert(frames.every(({ function: name }) => name !== ""), hex(address));
          assertEquals(places(chain(frames)), places(truth[index]), hex(address));
          if (frames.length > 1) inlined++;
        });
        await checkTypes(path);
        assert(inlined > 100, `${inlined}`);
        assertEquals(symbolizer.missing, []);
        await Deno.remove(`${directory}/common.debug`);
        using without = openSymbolizer([{ path }]);
        void without.resolve(vmAddress).frames;
        const [{ reasons }] = without.missing;
        assert(/names are missing: the supplementary file .*common\.debug/.test(`${reasons}`));
      } finally {
        await Deno.remove(directory, { recursive: true });
      }
    },
  });
}
