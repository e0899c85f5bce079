/** ELF modules of the symbol server: a program without symbols, and its debug information in a file apart, by the
 * identifiers that samply's published requests have for a build ID. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fileSystem } from "../../../ffi/file_system.ts";
import { ElfImage } from "../../../lib/elf/mod.ts";
import { debugIdOf, uuidBytes } from "../../../lib/hex.ts";
import { ProfileBuilder } from "../../../lib/profile/mod.ts";
import { SymbolServer } from "../../../lib/symbol_server/mod.ts";
import { ProfileImages } from "../../../lib/symbols/profile_frames.ts";
import { onLinux } from "../../machine.ts";

// Of samply's test `asm_with_continue`.
const codeId = "7c7be40cf229ed7c55c41233b93eba456dcbc082";
const debugId = "0CE47B7C29F27CED55C41233B93EBA450";

Deno.test("the debug ID of a build ID is samply's", () => {
  assertEquals(`${debugIdOf(uuidBytes(codeId)).replaceAll("-", "")}0`, debugId);
});

async function run(command: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args }).output();
  const decoder = new TextDecoder();
  assert(success, decoder.decode(stderr));
  return decoder.decode(stdout);
}

Deno.test({
  name: "an ELF program and its debug information apart: names, lines and code by its identifiers",
  ignore: !onLinux,
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(
        `${folder}/a.c`,
        "static int twice(int n) { return 2 * n; }\n" +
          "int main(int argc, char **argv) {\n  (void)argv;\n  return twice(argc) + 1;\n}\n",
      );
      const store = `${folder}/store`;
      await Deno.mkdir(store);
      const program = `${store}/program`;
      const options = ["-g", "-O0", `-Wl,--build-id=0x${codeId}`];
      await run("cc", ...options, "-o", program, `${folder}/a.c`);
      const [, start] = /^([\da-f]+) T main$/m.exec(await run("nm", program))!;
      await run("objcopy", "--only-keep-debug", program, `${store}/any.debug`);
      await run("strip", program);
      using server = new SymbolServer(fileSystem, { symbols: [store] });
      const ask = async (path: string, request: unknown) => {
        const body = new TextEncoder().encode(JSON.stringify(request));
        const { status, json } = await server.answer(path, body);
        return { status, json: JSON.parse(json) };
      };
      const offset = parseInt(start, 16);
      const found = await ask("/symbolicate/v5", {
        memoryMap: [["program", debugId]],
        stacks: [[[0, offset]]],
      });
      const { stacks: [[frame]], found_modules } = found.json.results[0];
      assertEquals(found_modules, { [`program/${debugId}`]: true });
      assertEquals([frame.function, frame.function_offset], ["main", "0x0"]);
      assertMatch(`${frame.file}:${frame.line}`, /a\.c:2$/);
      for (const id of [{ debugId }, { codeId, debugId: "" }]) {
        const { status, json } = await ask("/asm/v1", {
          ...id,
          name: "program",
          debugName: "program",
          startAddress: `0x${offset.toString(16)}`,
          size: "0x8",
        });
        assertEquals([status, Number(json.startAddress)], [200, offset], json.error);
        assert(json.instructions.length > 0);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "an ELF program without a build ID: a profile says by what a symbol server finds it",
  ignore: !onLinux,
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${folder}/a.c`, "int main(void) { return 1; }\n");
      await run("cc", "-g", "-Wl,--build-id=none", "-o", `${folder}/program`, `${folder}/a.c`);
      const image = ElfImage.fromSource(fileSystem.files.open(`${folder}/program`));
      const [{ address }] = image.findSymbols("main");
      const builder = new ProfileBuilder();
      new ProfileImages(builder).index(image);
      const { images: [{ uuid }] } = builder.finish();
      const id = `${uuid!.replaceAll("-", "").toUpperCase()}0`;
      using server = new SymbolServer(fileSystem, { symbols: [folder] });
      const request = { memoryMap: [["program", id]], stacks: [[[0, Number(address)]]] };
      const body = new TextEncoder().encode(JSON.stringify(request));
      const { json } = await server.answer("/symbolicate/v5", body);
      assertEquals(JSON.parse(json).results[0].stacks[0][0].function, "main");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
