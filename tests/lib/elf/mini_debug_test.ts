/** `.gnu_debugdata`: the symbols of a stripped program, compressed. Made as gdb's manual says ("MiniDebugInfo"). */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { decompressXz } from "../../../lib/elf/xz.ts";
import { files } from "../../../ffi/mod.ts";
import { ElfImage } from "../../../lib/elf/mod.ts";
import { DebugProvider, SymbolFiles } from "../../../lib/symbols/mod.ts";
import { FormatError } from "../../../lib/errors.ts";
import { openSymbolizer } from "../../../mod.ts";

const ignore = Deno.build.os !== "linux";

async function run(command: string, ...args: string[]): Promise<Uint8Array<ArrayBuffer>> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args }).output();
  assert(success, `${command}: ${new TextDecoder().decode(stderr)}`);
  return stdout;
}

Deno.test({
  name: "static functions of a stripped program are named by .gnu_debugdata",
  ignore,
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      const program = `${directory}/program`;
      await Deno.writeTextFile(
        `${program}.c`,
        `#include <stdio.h>
         static __attribute__((noinline)) int hidden(int a) { return printf("%d", a); }
         int main(int count, char **words) { (void)words; return hidden(count); }`,
      );
      await run("cc", "-O1", "-o", program, `${program}.c`);
      const [, place] = /(\w+) t hidden/.exec(new TextDecoder().decode(await run("nm", program)))!;
      await run("objcopy", "--only-keep-debug", program, `${program}.debug`);
      await run("objcopy", "-S", "--keep-symbol=hidden", `${program}.debug`, `${program}.mini`);
      await run("xz", "-f", `${program}.mini`);
      const section = `.gnu_debugdata=${program}.mini.xz`;
      await run("strip", "-s", program);
      using without = openSymbolizer([{ path: program }]);
      assertEquals(without.resolve(BigInt(`0x${place}`) + 1n).symbol, null);
      await run("objcopy", "--add-section", section, program, `${program}.with`);
      using symbolizer = openSymbolizer([{ path: `${program}.with` }]);
      const { symbol, offset } = symbolizer.resolve(BigInt(`0x${place}`) + 1n);
      assertEquals([symbol?.name, offset], ["hidden", 1]);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

Deno.test({
  name:
    "a library's lines, inlined calls and local symbols from a separate file, the C library's too",
  ignore,
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      const library = `${directory}/libc.so.6`;
      await Deno.writeTextFile(
        `${directory}/a.c`,
        `int outside(int);
         static inline __attribute__((always_inline)) int within(int a) { return outside(a) + 1; }
         static __attribute__((noinline)) int hidden(int a) { return within(a) + a; }
         int shown(int count) { return hidden(count) + 2; }`,
      );
      const options = ["-g", "-O1", "-shared", "-fPIC", "-Wl,--build-id=0x0123456789abcdef"];
      await run("cc", ...options, "-o", library, `${directory}/a.c`);
      const names = new TextDecoder().decode(await run("nm", library));
      const start = BigInt(`0x${/(\w+) t hidden/.exec(names)![1]}`);
      await Deno.mkdir(`${directory}/debug`);
      await run("objcopy", "--only-keep-debug", library, `${directory}/debug/any.debug`);
      await run("strip", library);
      const tree = new SymbolFiles(files, [`${directory}/debug`]);
      using debug = new DebugProvider({ files }, tree);
      const image = ElfImage.fromSource(files.open(library), 0x1000_0000n);
      const frames = Array.from(
        { length: 16 },
        (_, at) => debug.framesAt(image, image.slide + start + BigInt(at)),
      ).find((frames) => frames.length > 1);
      assertEquals(frames?.map((frame) => [frame.function, frame.location?.line]), [
        ["within", 2],
        ["hidden", 3],
      ]);
      assertEquals([...image.symbols].some(({ name }) => name === "hidden"), false);
      const all = [...debug.symbolsOf(image)].map(({ name }) => name);
      assertEquals(all.filter((name) => /hidden|shown/.test(name)).sort(), ["hidden", "shown"]);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

Deno.test({
  name: "without a build ID, a debug link's checksum tells which separate file is the program's",
  ignore,
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      const program = `${directory}/program`;
      await Deno.writeTextFile(`${program}.c`, "int main(int count) {\n  return count * 3;\n}\n");
      await run("cc", "-g", "-Wl,--build-id=none", "-o", program, `${program}.c`);
      const names = new TextDecoder().decode(await run("nm", program));
      const main = BigInt(`0x${/(\w+) T main/.exec(names)![1]}`);
      const separate = `${directory}/kept.debug`;
      await run("objcopy", "--only-keep-debug", program, separate);
      await run("objcopy", "-S", `--add-gnu-debuglink=${separate}`, program);
      const line = (symbols: string[] = [], path = program) => {
        using symbolizer = openSymbolizer([{ path }], { symbols });
        const [frame] = symbolizer.resolve(main).frames;
        return [frame?.location?.line, symbolizer.missing.flatMap(({ reasons }) => reasons)];
      };
      assertEquals(line(), [1, []]);
      await Deno.mkdir(`${directory}/.debug`);
      await Deno.rename(separate, `${directory}/.debug/kept.debug`);
      assertEquals(line(), [1, []]);
      await Deno.mkdir(`${directory}/folder`);
      await Deno.rename(`${directory}/.debug/kept.debug`, `${directory}/folder/kept.debug`);
      assertEquals(line(), [undefined, []]);
      assertEquals(line([`${directory}/folder`]), [1, []]);
      const bytes = await Deno.readFile(`${directory}/folder/kept.debug`);
      bytes[bytes.length - 1] ^= 1;
      await Deno.writeFile(separate, bytes);
      const refused = `${separate} is not used: its checksum is not that of the debug link`;
      assertEquals(line(), [undefined, [refused]]);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

Deno.test({
  name:
    "what xz compressed is decompressed; cut short or damaged it is refused, or has other bytes",
  ignore,
  async fn() {
    const path = new URL(import.meta.url).pathname;
    const truth = await Deno.readFile(path);
    for (
      const options of [[], ["-0"], ["-e", "--lzma2=lc=0,lp=2,pb=0"], ["--block-size=700"], [
        "-Ccrc32",
      ]]
    ) {
      assertEquals(decompressXz(await run("xz", "-c", ...options, path), path), truth);
    }
    const packed = await run("xz", "-c", path);
    for (let length = 0; length < packed.length - 40; length += 7) {
      assertThrows(() => decompressXz(packed.subarray(0, length), path), FormatError);
    }
    for (let at = 0; at < packed.length; at += 3) {
      const damaged = packed.with(at, packed[at] ^ 0x55);
      try {
        decompressXz(damaged, path);
      } catch (error) {
        assert(error instanceof FormatError, `${at}: ${error}`);
      }
    }
    const x86 = await run("xz", "-c", "--x86", "--lzma2", path);
    assertThrows(() => decompressXz(x86, path), FormatError, "LZMA2 as the only filter");
  },
});
