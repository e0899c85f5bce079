/** Addresses in a file of Linux's distributions, which nobody here wrote, held against llvm-symbolizer. */
import { assert, assertEquals } from "@std/assert";
import { openSymbolizer } from "../../mod.ts";
import { ElfImage, readElf } from "../../lib/elf/mod.ts";
import { bytesSource } from "../../lib/macho/mod.ts";
import { run } from "./run.ts";
import { chain, llvmChains } from "./symbolizer.ts";

const library = "/lib/x86_64-linux-gnu/libc.so.6";

/** A chain without the outermost function's name: there llvm-symbolizer shows the symbol's, such as that of an
 * alias or of the cold part of a function. */
function places(lines: readonly string[]): string {
  const last = lines.length - 1;
  return lines.map((line, at) => at < last ? line : line.slice(line.lastIndexOf(" "))).join("; ");
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

/** Templates, inlined calls and lambdas of two units, and one of C. */
const sources: Readonly<Record<string, string>> = {
  "one.cpp": `#include <map>
    #include <string>
    #include <vector>
    int other(std::vector<int> &, std::map<int, std::string> &);
    extern "C" int plain(int, const char *);
    static inline __attribute__((always_inline)) int inner(int a) { return a < 0 ? -a : a * 3; }
    template <class T> struct Box { T held; T twice() const { return held + inner((int)held); } };
    int main(int count, char **words) {
      std::vector<int> all;
      std::map<int, std::string> names;
      for (int i = 0; i < count * 4; i++) { all.push_back(inner(i)); names[i] = words[0]; }
      auto sum = [&](int start) { for (int each : all) start += each; return start; };
      return sum(other(all, names)) + (int)Box<double>{2.5}.twice() + plain(count, words[0]);
    }`,
  "two.cpp": `#include <algorithm>
    #include <map>
    #include <string>
    #include <vector>
    int other(std::vector<int> &all, std::map<int, std::string> &names) {
      std::sort(all.begin(), all.end(), [](int a, int b) { return a > b; });
      int length = 0;
      for (auto &[key, name] : names) length += key + (int)name.size();
      return length;
    }`,
  "three.c": `
    #ifdef OTHER
    int other_variable;
    #endif
    static int add(int a, int b) { return a + b; }
    int plain(int count, const char *text) {
      int sum = 0;
      while (*text) sum = add(sum, *text++ * count);
      return sum;
    }`,
};

async function splitProgram(
  folder: string,
  [c, cpp]: readonly [string, string],
  flags: readonly string[],
): Promise<string> {
  const objects: string[] = [];
  for (const [name, text] of Object.entries(sources)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
    const object = `${folder}/${name.replace(/\..*/, ".o")}`;
    const compiler = name.endsWith(".c") ? c : cpp;
    await run(compiler, ["-g", "-gsplit-dwarf", ...flags, "-c", `${folder}/${name}`, "-o", object]);
    objects.push(object);
  }
  await run(cpp, ["-Wl,--build-id", "-o", `${folder}/program`, ...objects]);
  return `${folder}/program`;
}

/** The address of a symbol. */
async function symbolAt(path: string, name: string): Promise<bigint> {
  const image = ElfImage.fromSource(bytesSource(await Deno.readFile(path), path));
  return image.findSymbols(name)[0].address;
}

/** Compares every third address; returns how many have inlined calls. */
async function compareProgram(path: string, folders: readonly string[] = []): Promise<number> {
  const { sections } = readElf(bytesSource(await Deno.readFile(path), path));
  const { vmAddress, size } = sections.find(({ name }) => name === ".text")!;
  const addresses = Array.from(
    { length: Math.floor(size / 3) },
    (_, index) => vmAddress + BigInt(index * 3),
  );
  const truth = await llvmChains(path, addresses);
  using symbolizer = openSymbolizer([{ path }], { symbols: folders });
  let inlined = 0;
  let padding = 0;
  addresses.forEach((address, index) => {
    const { frames } = symbolizer.resolve(address);
    const where = `${path} 0x${address.toString(16)}`;
    if (frames.length === 0) {
      assert(truth[index].every((line) => line.endsWith(":0:0")), `${where}: ${truth[index]}`);
      return;
    }
    // Padding has lines too, and is in no function.
    if (frames[0].function === "") padding++;
    assertEquals(places(chain(frames)), places(truth[index]), where);
    if (frames.length > 1) inlined++;
  });
  assertEquals(symbolizer.missing, []);
  assert(padding < addresses.length / 20, `${padding} of ${addresses.length}`);
  return inlined;
}

const compilers = [["gcc", "g++"], ["clang-19", "clang++-19"]] as const;

for (const compiler of compilers) {
  for (const version of ["-gdwarf-4", "-gdwarf-5"]) {
    Deno.test({
      name: `${
        compiler[0]
      } -gsplit-dwarf ${version}: inlined calls, files and lines, of .dwo and .dwp`,
      ignore: Deno.build.os !== "linux",
      async fn() {
        const folder = await Deno.makeTempDir();
        try {
          for (const more of [["-O0"], ["-O2", "-fdebug-types-section"], ["-O1", "-gdwarf64"]]) {
            if (more.includes("-gdwarf64") && version === "-gdwarf-4") continue;
            const path = await splitProgram(folder, compiler, [version, ...more]);
            assert(await compareProgram(path) > 10);
            // The tools for packages do not take GCC's DWARF 5.
            const isPacked = compiler[0] === "clang-19" || version === "-gdwarf-4";
            if (!isPacked || more.includes("-gdwarf64")) continue;
            await run("llvm-dwp-19", ["-e", path, "-o", `${path}.dwp`]);
            for (const name of ["one", "two", "three"]) await Deno.remove(`${folder}/${name}.dwo`);
            assert(await compareProgram(path) > 10);
            // A package of another program.
            await Deno.rename(`${path}.dwp`, `${folder}/other.dwp`);
            await splitProgram(folder, compiler, [version, ...more, "-DOTHER"]);
            await Deno.rename(`${folder}/other.dwp`, `${path}.dwp`);
            await Deno.remove(`${folder}/three.dwo`);
            using symbolizer = openSymbolizer([{ path }]);
            const three = await symbolAt(path, "plain");
            assertEquals(symbolizer.resolve(three).frames.length, 1);
            assertEquals(symbolizer.missing.flatMap(({ reasons }) => reasons), [
              "split debug information is missing, and with it variables and inlined calls: " +
              `${folder}/three.dwo, which ${path}.dwp lacks`,
            ]);
            await Deno.remove(`${path}.dwp`);
          }
        } finally {
          await Deno.remove(folder, { recursive: true });
        }
      },
    });
  }
}
