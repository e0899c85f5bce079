/** The program: `machpause [SCRIPT|COMMAND]`.
 *
 * @module
 */
import { safe } from "../lib/escape.ts";
import { UserError } from "./errors.ts";
import { complain, explain } from "./view/output.ts";

/** Runs one command line.
 *
 * @example
 * ```ts
 * import { main } from "@machpause/machpause/cli";
 *
 * const code = await main(["bt", "MyApp", "--json"]);
 * if (code !== undefined) Deno.exit(code);
 * ```
 * @param args as in `Deno.args`
 * @returns the exit code; `undefined` where the program ends when nothing is left to do, as a script
 * does
 */
export async function main(args: readonly string[]): Promise<number | undefined> {
  try {
    const variable = "MACHPAUSE_LOG";
    const { state } = Deno.permissions.querySync({ name: "env", variable });
    const log = state === "granted" ? Deno.env.get(variable) : undefined;
    if (log) (await import("./view/log.ts")).startLog(log, variable);
    // Each path loads what it needs and no more: most of the time a short command takes is loading.
    if (args.length === 0) return await (await import("./cli/prompt.ts")).promptAt();
    return await (await import("./cli/program.ts")).runCommandLine(args);
  } catch (error) {
    if ((error as Error | null)?.name === "TargetGoneError") await signalled();
    // What AttachError has, which is not loaded to look.
    if ((error as { reason?: unknown } | null)?.reason === "entitlement") {
      const restarted = await (await import("./cli/restart.ts")).restartSigned(args);
      if (restarted !== undefined) return restarted;
    }
    // Our own errors and those of the command line's library have an exit code.
    const code = (error as { exitCode?: unknown } | null)?.exitCode;
    const hint = code === 2 && !(error instanceof UserError)
      ? safe`; see \`machpause --help\``
      : safe``;
    complain(safe`${explain(error)}${hint}`);
    return code === 2 ? 2 : 1;
  }
}

/** Lets the listeners of signals run. Ctrl-C ends what was launched as it ends this process, which is told later:
 * that a program is gone then is no error. */
async function signalled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 10));
}

if (import.meta.main) {
  const code = await main(Deno.args);
  if (code !== undefined) Deno.exit(code);
}
