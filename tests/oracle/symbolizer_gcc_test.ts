import { assert } from "@std/assert";
import { files } from "../../ffi/files.ts";
import { DwarfInfo, DwarfSections } from "../../lib/dwarf/mod.ts";
import { compareChains, everyOffset, type Subject } from "./symbolizer.ts";

const source = new URL("../fixtures/lines_source/plain.c", import.meta.url).pathname;

async function run(command: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args }).output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** Opens an ELF file, whose sections are `.debug_info` and so on. */
async function openElf(path: string): Promise<Subject> {
  const file = files.open(path);
  const sections = [...(await run("readelf", "-SW", path)).matchAll(
    /\] (\.\S+) +\S+ +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+) \S+ +(\S*)/g,
  )].map(([, name, address, offset, size, flags]) => ({
    name: name.replace(".", "__").slice(0, 16),
    segmentName: name.startsWith(".debug_") ? "__DWARF" : "",
    start: parseInt(address, 16),
    fileOffset: parseInt(offset, 16),
    size: parseInt(size, 16),
    isCode: name === ".text" && flags.includes("X"),
  }));
  const dwarf = DwarfSections.find(file, sections);
  assert(dwarf !== null);
  return {
    path,
    base: 0n,
    info: DwarfInfo.open(dwarf, { base: 0n }),
    code: sections.filter(({ isCode }) => isCode),
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

Deno.test("gcc's DWARF 2 to 5, of 32 and 64 bits: llvm-symbolizer's functions and lines", async () => {
  const directory = await Deno.makeTempDir();
  try {
    for (const version of [2, 3, 4, 5]) {
      for (const bits of [32, 64]) {
        for (const level of [0, 2]) {
          const path = `${directory}/${version}-${bits}-${level}`;
          await run("gcc", ...[
            ...[`-gdwarf-${version}`, `-gdwarf${bits}`, `-O${level}`, "-fPIC", "-shared"],
            ...["-nostdlib", source, "-o", path],
          ]);
          using subject = await openElf(path);
          const { version: got, offsetSize } = subject.info.units[0];
          assert(got === version && offsetSize === bits / 8);
          const { inlined } = await compareChains(subject, everyOffset(subject, 1), path);
          assert(level === 0 || inlined > 50);
        }
      }
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
