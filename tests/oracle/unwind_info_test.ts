/** Compares the entries of `__TEXT,__unwind_info` with what llvm-objdump reads in the same files: all
 * built fixtures, and programs that others built in Rust, C++, C and Go, fetched with npm. */

import { assert, assertEquals } from "@std/assert";
import { archOfCpuType } from "../../lib/arch/mod.ts";
import { Image } from "../../lib/macho/mod.ts";
import { instructionSets } from "../../lib/unwind/instruction_sets.ts";
import { UnwindInfo } from "../../lib/unwind/unwind_info.ts";
import { machOFiles } from "./macho_files.ts";
import { run } from "./run.ts";

const fixtures = new URL("../../examples/demo/", import.meta.url).pathname;

/** What `npm pack` takes, the file in it, and how many entries it has. */
const packages: readonly (readonly [spec: string, file: string, entries: number])[] = [
  // Rust, with both kinds of pages, and most of it left to DWARF.
  ["@swc/core-darwin-arm64@1.7.0", "swc.darwin-arm64.node", 37607],
  ["@swc/core-darwin-x64@1.7.0", "swc.darwin-x64.node", 31525],
  // C and C++, with exceptions.
  ["@img/sharp-libvips-darwin-arm64@1.0.4", "lib/libvips-cpp.42.dylib", 20745],
  ["@img/sharp-libvips-darwin-x64@1.0.4", "lib/libvips-cpp.42.dylib", 21710],
  // Go, whose linker writes no such section.
  ["@esbuild/darwin-arm64@0.23.0", "bin/esbuild", 0],
];

/** Function offsets with their encodings, in llvm-objdump's order. */
async function truthOf(file: string): Promise<[start: number, encoding: number][]> {
  const text = await run("llvm-objdump-19", ["--macho", "--unwind-info", file]);
  const entry =
    /^ {6}\[\d+\]: function offset=0x([0-9a-f]+), encoding(?:\[\d+\])?=0x([0-9a-f]+)$/gm;
  return [...text.matchAll(entry)].map(([, start, encoding]) => [
    Number.parseInt(start, 16),
    Number.parseInt(encoding, 16),
  ]);
}

/** Compares one file, and returns how many entries it has. */
async function compare(file: string): Promise<number> {
  const bytes = await Deno.readFile(file);
  const image = Image.fromFile(bytes, file);
  const arch = archOfCpuType(image.cpuType);
  assert(arch !== undefined);
  const section = image.segments.flatMap(({ sections }) => sections)
    .find(({ name, segmentName }) => name === "__unwind_info" && segmentName === "__TEXT");
  const truth = await truthOf(file);
  if (section === undefined) {
    assertEquals(truth, []);
    return 0;
  }
  const warnings: string[] = [];
  const info = UnwindInfo.parse(
    bytes.subarray(section.fileOffset, section.fileOffset + section.size),
    (message) => warnings.push(message),
  );
  const entries = [...info.entries()];
  assertEquals(entries.length, truth.length);
  entries.forEach(({ functionStart, functionEnd, encoding }, index) => {
    // A comparison of everything at once would take minutes to print where it fails.
    if (functionStart !== truth[index][0] || encoding !== truth[index][1]) {
      assertEquals([functionStart, encoding], truth[index], `entry ${index}`);
    }
    assert(functionEnd === (truth[index + 1]?.[0] ?? functionEnd) && functionEnd > functionStart);
    const last = info.encodingAt(functionEnd - 1);
    assert(last?.functionStart === functionStart && last.encoding === encoding);
    const first = info.encodingAt(functionStart);
    assert(first?.functionEnd === functionEnd && first.encoding === encoding);
    // What linkers wrote means something, unless it says that nothing is known.
    const row = instructionSets[arch.name].compactRow(encoding, {
      functionStart,
      readCode: (offset, length) => bytes.subarray(offset, offset + length),
    });
    assert((row === null) === (encoding === 0), `encoding 0x${encoding.toString(16)}`);
  });
  assertEquals(warnings, []);
  return entries.length;
}

for (const file of machOFiles(fixtures)) {
  // dSYMs have the section's place, and not its bytes.
  if (file.includes(".dSYM/")) continue;
  Deno.test(`unwind info of ${file.replace(fixtures, "")}`, async () => {
    const entries = await compare(file);
    assertEquals(entries > 0, /\/(arm64|x86_64)/.test(file));
  });
}

Deno.test("unwind info of binaries in npm packages", async (test) => {
  const directory = await Deno.makeTempDir();
  try {
    const specs = packages.map(([spec]) => spec);
    const archives = (await run("npm", ["pack", "--silent", ...specs], directory)).trim()
      .split("\n");
    assertEquals(archives.length, packages.length);
    for (const [index, [spec, file, entries]] of packages.entries()) {
      await test.step(spec, async () => {
        const unpacked = `${directory}/${index}`;
        await Deno.mkdir(unpacked);
        await run("tar", ["-xzf", `${directory}/${archives[index]}`, "-C", unpacked]);
        assertEquals(await compare(`${unpacked}/package/${file}`), entries);
      });
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
