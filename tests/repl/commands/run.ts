/** Runs lines of commands as the prompt does. */
import { assert, assertFalse } from "@std/assert";
import { commands, runCommand } from "../../../repl/commands/mod.ts";
import { Interpreter } from "../../../repl/prompt/interpreter.ts";
import type { Session } from "../../../repl/prompt/session.ts";
import { raw } from "../fake_target.ts";

/** Runs a command line; its output, which must be safe to print. */
export async function run(session: Session, line: string): Promise<string[]> {
  const call = commands.parse(line);
  assert(call !== undefined, line);
  if (session.maybeTarget !== undefined) await session.loadDemangler();
  const lines = [...await runCommand(new Interpreter(session), call)];
  for (const text of lines) assertFalse(raw.test(text) || text.includes("\n"), text);
  return lines;
}
