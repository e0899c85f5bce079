/** The program: `machpause [SCRIPT|COMMAND]`.
 *
 * @module
 */
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
 * @returns the code to exit with; `undefined` where the program ends when nothing is left to do,
 * as a script does
 */
export async function main(args: readonly string[]): Promise<number | undefined> {
  try {
    // Each path loads what it needs and no more: most of the time a short command takes is loading.
    if (args.length === 0) return await (await import("./cli/actions.ts")).promptAction();
    return await (await import("./cli/program.ts")).runCommandLine(args);
  } catch (error) {
    // Both our own errors and those of the command line's library say how to exit.
    const code = (error as { exitCode?: unknown } | null)?.exitCode;
    const hint = code === 2 && !(error instanceof UserError) ? "; see `machpause --help`" : "";
    complain(explain(error).replace(/\.$/, "") + hint);
    return code === 2 ? 2 : 1;
  }
}

if (import.meta.main) {
  const code = await main(Deno.args);
  if (code !== undefined) Deno.exit(code);
}
