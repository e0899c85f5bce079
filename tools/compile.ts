/** Compiles the program to one file that needs no Deno:
 *
 *     deno task compile [OUTPUT]
 *
 * Deno fetches the runtime that goes into it, once; `DENORT_BIN` names one that is here.
 */
const root = new URL("../", import.meta.url).pathname;

/** Loaded by name at run time: what `deno compile` cannot see. */
const workers = [
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
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["compile", "-A", "--no-check", ...included, "--output", output, "repl/main.ts"],
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
