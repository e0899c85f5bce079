/** Symbol table files say what `llvm-symbolizer` says of the debug information they are made from. */
import { assert, assertEquals } from "@std/assert";
import { files } from "../../ffi/files.ts";
import { bytesSource } from "../../lib/macho/mod.ts";
import { imagesIn } from "../../lib/symbols/mod.ts";
import { type MstFile, openMst } from "../../lib/symbols/mod.ts";
import { makeTable } from "../../lib/symbols/index/mod.ts";
import { largeDylib } from "./large_dsym.ts";
import { fixtureFiles } from "./macho_files.ts";
import { compareChains, everyOffset, openSubject, randomOffsets } from "./symbolizer.ts";
import { run } from "./run.ts";

const fixtures = new URL("../fixtures/", import.meta.url).pathname;

async function tableOf(path: string): Promise<MstFile> {
  using file = files.open(path);
  const [binary] = imagesIn(file);
  const { chunks, warnings } = await makeTable({ path, index: 0, binary }, { system: { files } });
  assertEquals(warnings, []);
  const table = openMst(
    bytesSource(new Uint8Array(await new Blob([...chunks] as BlobPart[]).arrayBuffer()), path),
  );
  table.verify();
  return table;
}

Deno.test("every fixture's dSYM as a table: llvm-symbolizer's chains at every address", async () => {
  const paths = [...fixtureFiles()].filter((path) => path.includes(".dSYM/"));
  assert(paths.length >= 16);
  for (const path of paths) {
    using subject = openSubject(path);
    using table = await tableOf(path);
    const offsets = everyOffset(subject, path.includes("x86_64") || path.includes("i386") ? 1 : 2);
    const frames = offsets.map((offset) => table.framesAt(offset));
    const { known, inlined } = await compareChains(subject, offsets, path, frames);
    assert(known > 50, path);
    if (path.includes("/lines/")) assert(inlined > 50, path);
  }
});

Deno.test("a debug map's object files as a table: what the dSYM made from them says", async () => {
  for (const arch of ["arm64", "x86_64"]) {
    const folder = `${fixtures}inlines/${arch}`;
    using subject = openSubject(`${folder}/dsym/inlines.dSYM/Contents/Resources/DWARF/inlines`);
    using table = await tableOf(`${folder}/inlines`);
    const offsets = everyOffset(subject, 1);
    const frames = offsets.map((offset) => table.framesAt(offset));
    const { inlined } = await compareChains(subject, offsets, subject.path, frames);
    assert(inlined > 10);
  }
});

Deno.test("20,000 random addresses of a 40 MB dSYM as a table: llvm-symbolizer's", async () => {
  const { dsym } = await largeDylib();
  using subject = openSubject(dsym);
  using table = await tableOf(dsym);
  const offsets = randomOffsets(subject, 20_000);
  const frames = offsets.map((offset) => table.framesAt(offset));
  const { known, inlined } = await compareChains(subject, offsets, dsym, frames);
  assert(known > 19_900);
  assert(inlined > 8_000);
  // And the functions that a table alone has to name are where they begin.
  for (const offset of offsets.slice(0, 500)) {
    const found = table.functionAt(offset);
    assertEquals(found?.name, frames[offsets.indexOf(offset)].at(-1)?.function);
    assert(found === null || found.start <= offset);
  }
});

Deno.test("indexing is interrupted: nothing is left", async () => {
  const { dsym } = await largeDylib();
  const folder = await Deno.makeTempDir();
  try {
    const program = new URL("../../repl/main.ts", import.meta.url).pathname;
    for (const jobs of ["1", "2"]) {
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", program, "index", dsym, "-o", `${folder}/store`, "--jobs", jobs],
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const output = child.output();
      // The folder is made right before the work begins.
      while (!(await Deno.stat(`${folder}/store`).then(() => true, () => false))) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      child.kill("SIGINT");
      const { code, stderr } = await output;
      assertEquals(new TextDecoder().decode(stderr), "machpause: interrupted\n");
      assertEquals(code, 1);
      assertEquals([...Deno.readDirSync(`${folder}/store`)], []);
      await Deno.remove(`${folder}/store`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

const assembly = `
	.text
	.globl _plain
	.p2align 2
_plain:
	mov x0, #1
	ret
	.p2align 2
_local:
	nop
	ret
`;
const source =
  `int plain(void); __attribute__((noinline)) int twice(int a) { return a * 2 + plain(); }\n`;

Deno.test("a table alone names assembly functions, as the symbol table has them", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/plain.s`, assembly);
    await Deno.writeTextFile(`${folder}/twice.c`, source);
    const target = ["-target", "arm64-apple-macos11", "-c"];
    await run("clang-19", [...target, "plain.s", "-o", "plain.o"], folder);
    await run("clang-19", [...target, "-g", "-O1", "twice.c", "-o", "twice.o"], folder);
    await run("ld64.lld-19", [
      ...["-arch", "arm64", "-platform_version", "macos", "11.0", "11.0", "-dylib"],
      ...["-o", "mixed.dylib", "plain.o", "twice.o", `${fixtures}sdk/libSystem.tbd`],
    ], folder);
    await run("/usr/lib/llvm-19/bin/dsymutil", ["-q", "-o", "mixed.dSYM", "mixed.dylib"], folder);
    const path = `${folder}/mixed.dSYM/Contents/Resources/DWARF/mixed.dylib`;
    using subject = openSubject(path);
    using table = await tableOf(path);
    const [{ start, size }] = subject.code;
    const namesAt = (offset: number) => table.framesAt(offset).map((frame) => frame.function);
    assertEquals(namesAt(start), ["plain"]);
    assertEquals(namesAt(start + 7), ["plain"]);
    assertEquals(namesAt(start + 8), ["local"]);
    assertEquals(namesAt(start + 16), ["twice"]);
    assertEquals(table.functionAt(start + 12), { name: "local", start: start + 8 });
    assertEquals(table.info.functionCount, 3);
    const offsets = everyOffset(subject, 1).filter((offset) => offset < start + size);
    const frames = offsets.map((offset) => table.framesAt(offset));
    await compareChains(subject, offsets, path, frames);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
