/** Compiles the program to one file that needs no Deno:
 *
 *     deno task compile [OUTPUT]
 *
 * Deno fetches the runtime that goes into it, once; `DENORT_BIN` names one that is here.
 */
import manifest from "../deno.json" with { type: "json" };

const root = new URL("../", import.meta.url).pathname;

/** Loaded by name at run time: what `deno compile` cannot see. */
const workers = [
  "repl/cli/collect/collect_worker.ts",
  "repl/cli/crash/summary_worker.ts",
  "repl/edit/keyboard_worker.ts",
  "ffi/index_worker.ts",
];

/** Compiles it.
 *
 * @returns whether that worked, and what Deno said
 */
export async function compile(output: string): Promise<{ success: boolean; text: string }> {
  const included = workers.flatMap((path) => ["--include", path]);
  const directory = await Deno.makeTempDir();
  try {
    // Not deno.json itself: with its `lazy-dynamic-imports`, what is loaded later would be left out.
    const config = `${directory}/deno.json`;
    const { imports, links, nodeModulesDir } = manifest;
    const absolute = links.map((path) => root + path);
    await Deno.writeTextFile(config, JSON.stringify({ imports, links: absolute, nodeModulesDir }));
    const configured = ["--config", config, "--lock", "deno.lock"];
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "compile",
        "-A",
        "--no-check",
        ...configured,
        ...included,
        "--output",
        output,
        "repl/main.ts",
      ],
      cwd: root,
      env: { NO_COLOR: "1" },
    }).output();
    return { success, text: new TextDecoder().decode(stderr) };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

if (import.meta.main) {
  const output = Deno.args[0] ?? `${root}build/machpause`;
  const { success, text } = await compile(output);
  console.log(success ? output : text);
  if (!success) Deno.exitCode = 1;
}
