/** The prompt inside another program.
 *
 * @module
 */
import type { Target } from "../mod.ts";
import { prompt } from "./prompt/prompt.ts";
import { Session } from "./prompt/session.ts";
import { styleFor } from "./view/style.ts";

export { type CommandDefinition, defineCommand } from "./commands/mod.ts";

/** How {@linkcode startRepl} is to run.
 *
 * @example
 * ```ts
 * import { openCore } from "@machpause/machpause";
 * import { type ReplOptions, startRepl } from "@machpause/machpause/repl";
 *
 * using target = await openCore("MyApp.core");
 * const options: ReplOptions = { target, context: { build: 42 }, begin: ["bt"], init: true };
 * await startRepl(options);
 * ```
 */
export interface ReplOptions {
  /** What to look at first. It stays the program's own: the prompt ends its own pause of it and does not
   * dispose it. */
  readonly target?: Target;
  /** What code typed at the prompt finds in the global scope, by name, beside the API. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Lines to run first, as if they had been typed. */
  readonly begin?: readonly string[];
  /** Whether the user's startup file, `~/.config/machpause/init.ts`, is run first; not without this. */
  readonly init?: boolean;
}

/** Runs the prompt until it is left: at a terminal with editing, history and completion, otherwise over
 * the lines of standard input. When it was at a terminal standard input is closed afterwards, since a
 * read that waits there would keep the program from ending.
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
 * @returns the code that a program would exit with: 1 when lines of standard input failed, otherwise 0
 */
export async function startRepl(options: ReplOptions = {}): Promise<number> {
  const { target, context = {}, begin = [], init = false } = options;
  const session = new Session(styleFor(Deno.stdout), context);
  if (target !== undefined) session.open({ target, [Symbol.dispose]() {} });
  return await prompt(session, { begin, init });
}
