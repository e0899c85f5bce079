import { assert } from "@std/assert";
import { fixtureFiles } from "./macho_files.ts";
import { compareChains, everyOffset, openSubject } from "./symbolizer.ts";

const fixtures = new URL("../fixtures/", import.meta.url).pathname;

Deno.test("every fixture's functions, lines and inlined calls are llvm-symbolizer's", async () => {
  const paths = [...fixtureFiles()].filter((path) => path.includes(".dSYM/"));
  assert(paths.length >= 16);
  for (const path of paths) {
    using subject = openSubject(path);
    // Small enough for every address of instructions.
    const offsets = everyOffset(subject, path.includes("x86_64") || path.includes("i386") ? 1 : 2);
    const { known, inlined } = await compareChains(subject, offsets, path);
    assert(known > 50, path);
    if (path.includes("/lines/")) assert(inlined > 50, path);
  }
});

Deno.test("one at a time and from kept tables they are the same", async () => {
  for (const directory of ["arm64-dwarf5", "x86_64-dwarf4"]) {
    const path = `${fixtures}lines/${directory}/lines.dSYM/Contents/Resources/DWARF/lines`;
    using subject = openSubject(path);
    const offsets = everyOffset(subject, 3);
    const frames = offsets.map((offset) => subject.info.framesAt(offset));
    await compareChains(subject, offsets, path, frames);
  }
});
