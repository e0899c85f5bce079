/** The commands of the prompt.
 *
 * @module
 */
import { UserError } from "../errors.ts";
import type { CommandContext, Lines } from "./command.ts";
import { activity } from "./activity.ts";
import { frames } from "./frames.ts";
import { images } from "./images.ts";
import { memory } from "./memory.ts";
import { parseArguments } from "./parse.ts";
import { prompt } from "./prompt.ts";
import { type Call, CommandTable } from "./table.ts";
import { target } from "./target.ts";
import { threads } from "./threads.ts";

export type { ArgumentKind, Command, CommandContext, Lines } from "./command.ts";
export { splitWords } from "./parse.ts";
export { type Call, isAbsent, isStatement } from "./table.ts";

/** All commands, in the order in which the help lists them. */
export const commands: CommandTable = new CommandTable(
  [target, threads, activity, frames, memory, images, prompt].flat(),
);

/** Runs a command.
 *
 * @throws UserError for wrong arguments, and when the command cannot do its work
 */
export async function runCommand(context: CommandContext, { command, args }: Call): Promise<Lines> {
  const { words, options } = parseArguments(command, args);
  const { session } = context;
  session.interrupt = undefined;
  try {
    return await command.run(context, words, options);
  } finally {
    session.interrupt = undefined;
  }
}

/** What {@linkcode defineCommand} takes. */
export interface CommandDefinition {
  /** What it does, as half a sentence. */
  readonly help?: string;
  /** Its arguments, as the help shows them. */
  readonly usage?: string;
  /** The possible values of `word`, after `args`. */
  complete?(word: string, args: readonly string[]): readonly string[] | Promise<readonly string[]>;
  /** Does the work. The prompt shows what it returns as it shows any value; a string without quotes. */
  run(...args: string[]): unknown;
}

/** Defines a command of the prompt, or replaces one that was defined so.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 * import { defineCommand, startRepl } from "@machpause/machpause/repl";
 *
 * using target = attach("MyApp");
 * const run = () => target.threads.filter(({ state }) => state === "running").join("\n");
 * defineCommand("busy", { help: "shows the threads that run", run });
 * await startRepl({ target });
 * ```
 * @param name one or more words
 * @throws UserError for a name that is not one, or is taken
 */
export function defineCommand(name: string, definition: CommandDefinition): void {
  if (!/^[a-z][\w-]*(?: [a-z][\w-]*)*$/i.test(name)) {
    throw new UserError(`${name} is no name for a command: use words`);
  }
  if (typeof definition?.run !== "function") throw new UserError(`${name} needs a \`run\``);
  const { help = "your own command", usage = "", complete, run } = definition;
  commands.define({
    name,
    group: "own",
    usage,
    syntax: "own",
    help,
    example: name,
    ...(complete === undefined ? {} : { complete: (words, word) => complete(word, words) }),
    run: async ({ show }, words) => await show(await run(...words)),
  });
}
