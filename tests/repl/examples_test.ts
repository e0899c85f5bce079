// Every example prints what its header says it does.

import { assert, assertEquals } from "@std/assert";
import { launch } from "../../mod.ts";
import { root } from "./terminal.ts";

const examples = new URL("examples/", root);

/** The output in an example's header: the indented lines after "prints". */
function documented(source: string): string {
  const [, block] = /prints[^:\n]*:\n \*\n((?: \* {5}.*\n)+)/.exec(source)!;
  return block.replace(/^ \* {5}/gm, "");
}

/** Times differ from one run to the next. */
function withoutTimes(text: string): string {
  return text.replace(/\d+(?:\.\d+)? ms/g, "N ms");
}

async function run(name: string, args: string[]): Promise<string> {
  const program = new URL("repl/main.ts", root).pathname;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, "run", new URL(name, examples).pathname, ...args],
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assertEquals({ code, stderr: text(stderr) }, { code: 0, stderr: "" });
  return text(stdout);
}

Deno.test({
  name: "every example prints what its header shows",
  ignore: Deno.build.os !== "linux" || Deno.build.arch !== "x86_64",
  async fn(test) {
    const path = new URL("tests/fixtures/demo/x86_64/demo", root).pathname;
    using demo = await launch(path, [], { output: "null" });
    try {
      const ready = demo.lookup("demo_ready")[0].symbol.address;
      while (demo.memory.readU32(ready) === 0) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      const names = [...Deno.readDirSync(examples)].map(({ name }) => name).sort();
      assert(names.length >= 3);
      for (const name of names) {
        await test.step(name, async () => {
          const source = await Deno.readTextFile(new URL(name, examples));
          const args = /<pid\|name>/.test(source) ? [String(demo.pid)] : [];
          assertEquals(withoutTimes(await run(name, args)), withoutTimes(documented(source)));
        });
      }
    } finally {
      demo.kill();
    }
  },
});
