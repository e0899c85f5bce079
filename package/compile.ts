/** Compiles the program to one file that needs no Deno:
 *
 *     deno task compile [OUTPUT]
 *
 * Deno fetches the runtime that goes into it, once; `DENORT_BIN` names one that is here.
 */
const root = new URL("../", import.meta.url).pathname;

/** Loaded by name at run time: what `deno compile` cannot see. */
const workers = ["repl/crash_worker.ts", "repl/debug_worker.ts"];

/** Writes the configuration without `lazy-dynamic-imports`, with which `deno compile` would leave out
 * whatever is loaded later.
 *
 * @returns what Deno is told of it
 */
async function configure(): Promise<string[]> {
  const folder = `${root}build`;
  await Deno.mkdir(folder, { recursive: true });
  const { imports, links, nodeModulesDir } = JSON.parse(
    await Deno.readTextFile(`${root}deno.json`),
  );
  const config = { imports, links: links.map((link: string) => `../${link}`), nodeModulesDir };
  await Deno.writeTextFile(`${folder}/compile.json`, JSON.stringify(config));
  // Deno would write to it.
  await Deno.copyFile(`${root}deno.lock`, `${folder}/compile.lock`);
  return ["--config", `${folder}/compile.json`, "--lock", `${folder}/compile.lock`];
}

/** Compiles it.
 *
 * @returns whether that worked, and what Deno said
 */
export async function compile(output: string): Promise<{ success: boolean; text: string }> {
  const included = workers.flatMap((path) => ["--include", path]);
  const options = ["-A", "--no-check", ...await configure(), ...included, "--output", output];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["compile", ...options, "repl/main.ts"],
    cwd: root,
    env: { NO_COLOR: "1" },
  }).output();
  return { success, text: new TextDecoder().decode(stderr) };
}

if (import.meta.main) {
  const output = Deno.args[0] ?? `${root}build/machpause`;
  const { success, text } = await compile(output);
  console.log(success ? output : text);
  if (!success) Deno.exitCode = 1;
}
