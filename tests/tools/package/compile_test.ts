/** The program as one file. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { compile } from "../../../tools/compile.ts";

const dsym = new URL("../../fixtures/inlines/x86_64/dsym/inlines.dSYM", import.meta.url).pathname;

/** Whether the runtime that goes into a compiled program is here, or can be had. */
async function compiled(output: string): Promise<boolean> {
  const { success, text } = await compile(output);
  // Where nothing can be downloaded, that and nothing else may be wrong.
  assert(success || /denort|download|dns error|sending request/i.test(text), text);
  return success;
}

/** Compiles around Deno itself instead, which does not start as a program, but takes the same modules. */
async function modulesOf(output: string): Promise<string> {
  Deno.env.set("DENORT_BIN", Deno.execPath());
  try {
    const { success, text } = await compile(output);
    assert(success, text);
    return new TextDecoder("latin1").decode(await Deno.readFile(output));
  } finally {
    Deno.env.delete("DENORT_BIN");
  }
}

Deno.test("deno compile makes a program of it, with all that is loaded later", async () => {
  const directory = await Deno.makeTempDir();
  const program = `${directory}/machpause`;
  try {
    if (await compiled(program)) {
      const run = async (...args: string[]) => {
        const { code, stdout } = await new Deno.Command(program, { args }).output();
        assertEquals(code, 0);
        return new TextDecoder().decode(stdout);
      };
      assertStringIncludes(await run("symbolicate", "-o", dsym, "0x10000061c"), "outer");
      await run("index", dsym, "-o", `${directory}/store`, "--jobs", "2");
      assertStringIncludes(await run("self", "-e", "1 + 1"), "2");
      assertStringIncludes(await run("demo"), "wait_for_event");
    } else {
      const modules = await modulesOf(program);
      const names = [
        "index_worker.ts",
        "collect_worker.ts",
        "summary_worker.ts",
        "loader-x86_64.ts",
        "prebuilt/demo.ts",
        "prebuilt/preload.ts",
        "answers.ts",
        "gecko-profiler-demangle",
        "capstone",
      ];
      assertEquals(names.filter((name) => !modules.includes(name)), []);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
