/** Starts the prompt from the command line. */
import { escape, safe } from "../../lib/escape.ts";
import type { promptOptions, Values } from "../options.ts";
import { checkFolders, type Opened, openTarget } from "../prompt/open.ts";
import { prompt } from "../prompt/prompt.ts";
import { Session } from "../prompt/session.ts";
import { printLines, terminalSize } from "../view/output.ts";
import { styleFor } from "../view/style.ts";
import { wrapped } from "../view/text.ts";

/** How the prompt starts. */
export interface PromptStart extends Values<typeof promptOptions> {
  /** Folders with debug information. */
  readonly symbols?: readonly string[];
  /** Lines to run first, as if they had been typed. */
  readonly begin?: readonly string[];
  /** Whether the target is paused at once. */
  readonly pause?: boolean;
  /** Whether a launched program's end is waited for where there is nothing to do: no terminal, no lines. */
  readonly waits?: boolean;
}

/** Runs the prompt until it is left.
 *
 * @param target names the target, as `openTarget` takes it, or opens it; without it there is none at first
 * @param via the stub to start for it
 * @returns the exit code
 */
export async function promptAt(
  options: PromptStart = {},
  target?: string | ((session: Session) => Promise<Opened>),
  via?: string,
): Promise<number> {
  const session = new Session(styleFor(Deno.stdout));
  session.assumeYes = options.yes ?? false;
  if (target !== undefined) {
    session.open(
      typeof target === "string" ? await openTarget(target, [], via) : await target(session),
    );
  }
  if (options.symbols !== undefined) {
    checkFolders(options.symbols);
    session.maybeTarget?.addSymbols(options.symbols);
  }
  if (options.pause) session.pause();
  const asked = options.eval === undefined;
  const columns = Deno.stdout.isTerminal() ? terminalSize().columns : Infinity;
  if (asked && session.core !== undefined) {
    const { coreLines } = await import("../commands/target.ts");
    const lines = await coreLines(session);
    printLines(lines.flatMap((line) => wrapped(line, columns)));
  }
  if (asked && Deno.stdin.isTerminal() && Deno.stdout.isTerminal()) {
    const { maybeTarget, core } = session;
    // What the core is has been printed.
    const runs = session.state === "running"
      ? " runs: Ctrl-C pauses it"
      : maybeTarget === undefined || maybeTarget.paused
      ? ""
      : ` is ${session.stateText}`;
    const name = core !== undefined ? "" : `${maybeTarget ?? "machpause"}${runs}. `;
    printLines(wrapped(safe`${escape(name)}\`help\` lists the commands.`, columns));
  }
  return await prompt(session, {
    ...(options.begin === undefined ? {} : { begin: options.begin }),
    ...(options.eval === undefined ? {} : { evaluate: options.eval }),
    init: options.init ?? true,
    waits: options.waits ?? false,
    ...(options.pager === undefined ? {} : { pager: options.pager }),
  });
}
