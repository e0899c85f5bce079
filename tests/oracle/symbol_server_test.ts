/** The symbol server's responses equal those that samply publishes with its fixtures: `samply-api`'s
 * integration tests. Its files are not part of this repository; the test runs when it is told where a
 * checkout of https://github.com/mstange/samply is:
 *
 *     MACHPAUSE_SAMPLY=$PWD/samply deno task test:oracle tests/oracle/symbol_server_test.ts
 */
import { assertEquals, assertMatch } from "@std/assert";
import { fileSystem } from "../../ffi/file_system.ts";
import { SymbolServer } from "../../lib/symbol_server/mod.ts";

const samply = Deno.env.get("MACHPAUSE_SAMPLY");
const fixtures = `${samply}/fixtures`;

// deno-lint-ignore no-explicit-any
async function ask(folder: string, path: string, request: unknown): Promise<any> {
  using server = new SymbolServer(fileSystem, { symbols: [`${fixtures}/${folder}`] });
  const body = new TextEncoder().encode(JSON.stringify(request));
  return JSON.parse((await server.answer(path, body)).json);
}

// deno-lint-ignore no-explicit-any
function snapshot(name: string): any {
  return JSON.parse(Deno.readTextFileSync(`${fixtures}/snapshots/${name}.txt`));
}

Deno.test({
  name: "samply's stripped library: nameless functions, and none in a stub helper",
  ignore: samply === undefined,
  async fn() {
    const found = await ask("macos-ci", "/symbolicate/v5", {
      memoryMap: [["libsoftokn3.dylib", "F7DE6E25737B3B1885A5079DC41D77B40"]],
      stacks: [[[0, 230071], [0, 232505]]],
    });
    assertEquals(found, snapshot("api-v5-stripped-macos"));
  },
});

Deno.test({
  name: "samply's disassembly of arm64: the same instructions and labels of branches",
  ignore: samply === undefined,
  async fn() {
    const { instructions: ours, ...about } = await ask("macos-arm64-local", "/asm/v1", {
      name: "libmozglue.dylib",
      debugName: "libmozglue.dylib",
      debugId: "4C4C44F955553144A1E167ACCB9D173C0",
      startAddress: "0x973c",
      size: "0xe8",
    });
    const { instructions, ...theirs } = snapshot("asm_arm64");
    assertEquals(about, theirs);
    // Operands are written in another style: `#0x9814` and `#1` for `0x9814` and `#0x1`.
    const plain = ([offset, text]: [number, string]) => {
      assertMatch(text, /^\w/);
      return [offset, text.split(" ")[0], /<.*>$/.exec(text)?.[0] ?? null];
    };
    assertEquals(ours.map(plain), instructions.map(plain));
  },
});

/** The functions at offsets of a module, and their innermost inlined calls. */
async function functions(folder: string, debugId: string, offsets: readonly number[]) {
  const { results: [{ stacks: [frames] }] } = await ask(folder, "/symbolicate/v5", {
    jobs: [{ memoryMap: [["module", debugId]], stacks: [offsets.map((offset) => [0, offset])] }],
  });
  interface Frame {
    readonly function?: string;
    readonly inlines?: readonly { readonly function: string }[];
  }
  return (frames as Frame[]).map(({ function: name, inlines }) => [
    name ?? null,
    ...inlines?.map((call) => call.function) ?? [],
  ]);
}

Deno.test({
  name: "samply's ELF files: by build ID and without one, with what dwz took out, and the gaps",
  ignore: samply === undefined,
  async fn() {
    // The values are those of samply-symbols/tests and wholesym/tests.
    const firefox = [0x1700, 0x19ea, 0x1a60];
    assertEquals(
      await functions("linux64-ci", "83CA53B0E8272691CEFCD79178D33D5C0", firefox),
      [[null], ["main"], ["__libc_csu_init"]],
    );
    assertEquals(
      await functions("other", "BE4E976C325246EE9D6B7847A670B2A90", [0x1156, 0x1158, 0x1160]),
      [["main"], [null], ["f"]],
    );
    assertEquals(await functions("other", "C3FC2519F439E42A970B693775586AA80", [6]), [[null]]);
    assertEquals(
      await functions("other", "3E0A2663466E57DBABF718F6A3562C6E0", [0xd6f4]),
      [["gobble_file", "do_lstat"]],
    );
  },
});
