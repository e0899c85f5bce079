import { Target } from "../mod.ts";
import { exposeApi } from "./api.ts";
import { parseCommand } from "./commands.ts";
import { complain, explain, print, printLines } from "./output.ts";
import type { Session } from "./session.ts";

/** What became of a line. */
export type Outcome = "done" | "failed" | "incomplete";

/** Puts the API, the target and what is selected of it into the global scope, for code to use. */
export function exposeGlobals(session: Session): void {
  exposeApi();
  const getters: Readonly<Record<string, () => unknown>> = {
    target: () => session.maybeTarget,
    threads: () => session.threads(),
    thread: () => session.thread,
    frame: () => session.frame,
  };
  for (const [name, get] of Object.entries(getters)) {
    const set = name === "target"
      ? (value: unknown) => {
        if (!(value instanceof Target)) throw new TypeError("a target is what attach() gives");
        session.adopt(value);
      }
      : undefined;
    Object.defineProperty(globalThis, name, { get, set, configurable: true, enumerable: false });
  }
}

/** Runs what was typed: a command, or TypeScript. What goes wrong is said, never thrown. */
export async function interpret(session: Session, text: string): Promise<Outcome> {
  if (text.trim() === "") return "done";
  try {
    const parsed = parseCommand(text);
    if (parsed !== undefined) {
      printLines(await parsed.command.run(session, parsed.args));
      return "done";
    }
    const { evaluate, IncompleteError, show } = await import("./evaluate.ts");
    try {
      const value = await evaluate(text);
      if (value !== undefined) print(show(value) + "\n");
    } catch (error) {
      if (error instanceof IncompleteError) return "incomplete";
      throw error;
    }
    return "done";
  } catch (error) {
    session.notice(error);
    complain(explain(error));
    return "failed";
  }
}
