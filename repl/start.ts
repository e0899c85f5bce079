/** The prompt inside another program.
 *
 * @module
 */
import type { Target } from "../mod.ts";
import { prompt } from "./prompt/prompt.ts";
import { Session } from "./prompt/session.ts";
import { styleFor } from "./view/style.ts";

export { type CommandDefinition, defineCommand } from "./commands/mod.ts";

/** How {@linkcode startRepl} runs. */
export interface ReplOptions {
  /** The first target. It stays the caller's: the prompt ends its own pause of it, and does not dispose
   * of it. */
  readonly target?: Target;
  /** Global variables for code typed at the prompt, beside the API. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Lines to run first, as if they had been typed. */
  readonly begin?: readonly string[];
  /** Whether the user's startup file, `~/.config/machpause/init.ts`, is run first; `false` when left
   * out. */
  readonly init?: boolean;
}

/** Runs the prompt until the user leaves it: at a terminal with editing, history and completion,
 * otherwise over the lines of standard input. At a terminal, standard input is closed afterwards, since
 * a pending read would keep the program from ending.
 *
 * @example
 * ```ts
 * import { launch } from "@machpause/machpause";
 * import { startRepl } from "@machpause/machpause/repl";
 *
 * using target = await launch("./program");
 * await startRepl({ target, context: { started: new Date() }, begin: ["pause"] });
 * target.kill();
 * ```
 * @returns the exit code: the one given to `quit`; otherwise 1 when lines of standard input failed, and 0
 */
export async function startRepl(options: ReplOptions = {}): Promise<number> {
  const { target, context = {}, begin = [], init = false } = options;
  const session = new Session(styleFor(Deno.stdout));
  if (target !== undefined) session.open({ target, [Symbol.dispose]() {} });
  return await prompt(session, { begin, init, context });
}
