/** What would be published. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { stagePublish } from "../../../tools/publish.ts";

const decoder = new TextDecoder();

/** Runs `deno publish --dry-run` on the copy. */
async function dryRun(folder: string): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["publish", "--dry-run"],
    cwd: folder,
    env: { NO_COLOR: "1" },
  }).output();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

Deno.test("what is published: the library and the program, and nothing else", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const folder = await stagePublish(directory);
    const { code, text } = await dryRun(folder);
    assertEquals(code, 0, text);

    const published = [...text.matchAll(/^ +file:\/\/(\S+) \(/gm)]
      .map(([, path]) => path.slice(folder.length + 1));
    const tops = new Set(published.map((path) => path.split("/")[0]));
    assertEquals([...tops].sort(), [
      "LICENSE",
      "README.md",
      "deno.json",
      "ffi",
      "lib",
      "mod.ts",
      "repl",
    ]);
    // The page's style and the modules of its script are imported as text.
    const scripts = [...Deno.readDirSync("repl/page/script")].map(({ name }) => name)
      .filter((name) => name.endsWith(".js"));
    const texts = ["repl/page/page.css", ...scripts.map((name) => `repl/page/script/${name}`)];
    for (const path of published) {
      assert(/\.(?:ts|md|json)$|^LICENSE$/.test(path) || texts.includes(path), path);
    }
    for (const path of texts) assert(published.includes(path), path);
    const libraries = [
      "darwin",
      "linux-x86_64",
      "linux-aarch64",
      "loader-x86_64",
      "loader-arm64",
      "loader-armv7",
      "preload",
      "demo",
    ];
    for (const library of libraries) {
      assert(published.includes(`ffi/prebuilt/${library}.ts`), library);
    }
    // Everything that a module of these imports is among them: the dry run checks that.
    for (const entry of ["mod.ts", "repl/main.ts"]) assert(published.includes(entry), entry);

    // Scripts are imported by the name that the user gives: that cannot be analyzed.
    const problems = [...text.matchAll(/^(?:warning|error)\[[\w-]+\].*\n +--> (\S+)/gm)]
      .map(([line, path]) => [/\[([\w-]+)\]/.exec(line)![1], path.slice(folder.length + 1)]);
    for (const [problem, path] of problems) {
      assertEquals(problem, "unanalyzable-dynamic-import", text);
      assert(/^repl\/(?:\w+\/)+\w+\.ts:\d+:\d+$/.test(path), path);
    }

    // Without the sources, and so without what was built of them beside them.
    if (Deno.build.arch === "x86_64" || Deno.build.os === "darwin") {
      const demo = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", `${folder}/repl/main.ts`, "demo"],
        env: { NO_COLOR: "1" },
      }).output();
      assertMatch(decoder.decode(demo.stdout), /worker_spin \+ \d+ at demo\.c:\d+/);
    }

    // What the names in the sources become.
    const { imports } = JSON.parse(await Deno.readTextFile(`${folder}/deno.json`));
    for (const [name, target] of Object.entries(imports)) {
      assert(/^(?:jsr|npm):/.test(target as string), `${name}: ${target}`);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
