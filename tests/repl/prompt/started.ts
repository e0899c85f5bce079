/** The prompt at a terminal, for tests: a folder of the test's own, and the program or the fake target in
 * it. */
import { compileHelper, root, Terminal } from "../terminal.ts";

/** A folder that goes when the test file ends. */
export const directory: string = await Deno.makeTempDir();
addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));

/** The compiled `pty.c`. */
export const helper: string = await compileHelper(directory);

/** The program's main module. */
export const main: string = new URL("repl/main.ts", root).pathname;

/** How the prompt ends while the target is paused, and while it runs. */
export const paused = "paused) > ";
export const running = "running) > ";

function run(module: string, args: string[], env: Record<string, string>): Promise<Terminal> {
  return Terminal.start(helper, Deno.execPath(), ["run", "-A", module, ...args], env);
}

/** Starts machpause. */
export function start(args: string[], env: Record<string, string> = {}): Promise<Terminal> {
  return run(main, args, { NO_COLOR: "1", ...env });
}

/** Starts the prompt at the fake target, paused.
 *
 * @param log gets a line for each resumption
 */
export async function startFake(
  env: Record<string, string> = {},
  log = `${directory}/resumes`,
): Promise<Terminal> {
  const terminal = await run(new URL("fake_prompt.ts", import.meta.url).pathname, [log], env);
  await terminal.until(paused);
  return terminal;
}
