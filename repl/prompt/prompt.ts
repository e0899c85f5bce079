/** The prompt: on a terminal with editing, history and completion, from a pipe line by line. */
import { escape } from "../../lib/escape.ts";
import { LineEditor } from "../edit/editor.ts";
import { History, historyPath } from "../edit/history.ts";
import { TerminalInput, terminalSize } from "../edit/terminal.ts";
import { complain, explain, print } from "../view/output.ts";
import type { Session } from "./session.ts";

/** The signals that end the prompt, with their numbers. */
const signals = { SIGTERM: 15, SIGHUP: 1 } as const;

/** How the prompt is to run. */
export interface PromptOptions {
  /** Lines to run first, as if they had been typed. */
  readonly begin?: readonly string[];
  /** Lines to run instead of what would be typed. */
  readonly evaluate?: readonly string[];
  /** Whether the user's startup file is run first. */
  readonly init?: boolean;
}

/** Runs the prompt to its end, and lets the target go.
 *
 * @returns the code to exit with
 */
export async function prompt(session: Session, options: PromptOptions = {}): Promise<number> {
  const { begin = [], evaluate, init = true } = options;
  // A dumb terminal shows what moves the cursor instead of moving it.
  const interactive = evaluate === undefined && Deno.stdin.isTerminal() &&
    Deno.stdout.isTerminal() && Deno.env.get("TERM") !== "dumb";
  using ending = new DisposableStack();
  // `Deno.exit()` typed at the prompt is a way out too.
  const unload = () => session.close();
  addEventListener("unload", unload);
  ending.defer(() => removeEventListener("unload", unload));
  ending.defer(() => {
    session.hide();
    session.close();
  });
  for (const [name, number] of Object.entries(signals) as [keyof typeof signals, number][]) {
    const listener = () => Deno.exit(128 + number);
    Deno.addSignalListener(name, listener);
    ending.defer(() => Deno.removeSignalListener(name, listener));
  }
  const line: InputLine = {};
  // Code that fails later, out of a timer or a promise nobody awaits, must not take the prompt along.
  for (const type of ["error", "unhandledrejection"] as const) {
    const listener = (event: Event) => {
      event.preventDefault();
      const error = event instanceof ErrorEvent
        ? event.error
        : (event as PromiseRejectionEvent).reason;
      session.notice(error);
      const say = () => complain(explain(error));
      if (line.above === undefined) say();
      else line.above(say);
    };
    addEventListener(type, listener);
    ending.defer(() => removeEventListener(type, listener));
  }
  const startup = init ? initPath() : undefined;
  if (startup !== undefined) await runStartup(session, startup);
  if (interactive) return await converse(session, line, begin, ending);
  return await scripted(session, begin, evaluate);
}

/** As in `(machpause demo paused) > `. */
export function promptText(session: Session): string {
  const name = session.maybeTarget?.name;
  const words = ["machpause", name === undefined ? "" : escape(name), session.state];
  return `(${words.filter((word) => word !== "").join(" ")}) > `;
}

/** The user's startup file: `machpause/init.ts` in `$XDG_CONFIG_HOME` or `~/.config`; `undefined` where
 * there is none. */
function initPath(): string | undefined {
  const home = Deno.env.get("HOME");
  const folder = Deno.env.get("XDG_CONFIG_HOME") || (home && `${home}/.config`);
  if (!folder) return undefined;
  const path = `${folder}/machpause/init.ts`;
  try {
    return Deno.statSync(path).isFile ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Runs the startup file. What is wrong with it is said, and no reason not to go on. */
async function runStartup(session: Session, path: string): Promise<void> {
  try {
    await session.load(path);
  } catch (error) {
    complain(`${escape(path)}: ${explain(error)}`);
  }
}

/** Lines from a pipe or the command line. The first that fails does not keep the others from running,
 * but it shows in the exit code. */
async function scripted(
  session: Session,
  begin: readonly string[],
  evaluate: readonly string[] | undefined,
): Promise<number> {
  const { Lines, runText } = await import("./interpreter.ts");
  const lines = new Lines(session);
  for (const line of begin) await lines.add(line);
  if (evaluate !== undefined) {
    let failed = lines.failed;
    for (const text of evaluate) {
      const outcome = await runText(session, text);
      if (outcome === "incomplete") complain(`${escape(text)} is incomplete`);
      failed ||= outcome !== "done";
      if (session.ended) break;
    }
    return failed ? 1 : 0;
  }
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop()!;
    for (const line of parts) {
      await lines.add(line);
      if (session.ended) return lines.failed ? 1 : 0;
    }
  }
  await lines.add(rest);
  lines.end();
  return lines.failed ? 1 : 0;
}

/** The line being typed, while there is one. */
interface InputLine {
  /** Prints above it. */
  above?: (print: () => void) => void;
}

/** A conversation at a terminal. */
async function converse(
  session: Session,
  line: InputLine,
  begin: readonly string[],
  ending: DisposableStack,
): Promise<number> {
  const input = new TerminalInput(print);
  /** Gives up what runs. */
  let abandon: (() => void) | undefined;
  let progress = false;
  const size = terminalSize;
  session.history = new History(historyPath());
  const editor: LineEditor = new LineEditor({
    write: print,
    size,
    history: session.history,
    complete: async (text, cursor) =>
      await (await import("./completion.ts")).complete(session, text, cursor),
    isComplete: async (text) => await (await import("./interpreter.ts")).endsHere(text),
    stylePrompt: (text) => session.style("quiet", text),
    suspend: () => input.suspend(() => editor.redraw()),
    interrupt() {
      const stop = session.interrupt;
      session.interrupt = undefined;
      // What cannot be stopped is left to itself; and so is what does not stop.
      if (stop !== undefined) return stop();
      if (abandon === undefined) return;
      print("\n(no longer waited for)\n");
      abandon();
    },
  });
  const clearProgress = () => {
    if (progress) print("\r\x1b[K");
    progress = false;
  };
  session.ui = {
    interactive: true,
    size,
    async confirm(question) {
      const answer = await editor.read(`${question} (y/n) `, true);
      return answer.kind === "line" && /^y(?:es)?$/i.test(answer.text.trim());
    },
    progress(text) {
      clearProgress();
      if (text === undefined) return;
      print(text.slice(0, size().columns - 1));
      progress = true;
    },
  };
  line.above = (say) => editor.above(say);
  const { out } = session;
  session.out = (text, complains) => editor.above(() => out(text, complains));
  const restore = () => void (input.raw = false);
  addEventListener("unload", restore);
  ending.defer(() => removeEventListener("unload", restore));
  ending.defer(restore);
  const resized = () => editor.redraw();
  Deno.addSignalListener("SIGWINCH", resized);
  ending.defer(() => Deno.removeSignalListener("SIGWINCH", resized));

  /** Runs what was typed, until it is done or given up. */
  const run = async (text: string) => {
    const { runText } = await import("./interpreter.ts");
    const givenUp = Promise.withResolvers<void>();
    abandon = givenUp.resolve;
    await Promise.race([runText(session, text), givenUp.promise]);
    abandon = undefined;
    clearProgress();
  };

  input.raw = true;
  const reading = input.read((keys) => editor.feed(keys)).then(() => editor.end());
  for (const text of begin) await run(text);
  let leaving = false;
  while (!session.ended) {
    try {
      session.checkAlive();
    } catch (error) {
      session.notice(error);
      complain(explain(error));
    }
    const reply = editor.read(promptText(session));
    // What the first line needs is loaded while it is typed.
    void Promise.all([
      import("./interpreter.ts"),
      import("./completion.ts"),
      session.ready(),
    ]).catch(() => {});
    const answer = await reply;
    if (answer.kind === "end") break;
    if (answer.kind === "line") {
      leaving = false;
      if (answer.text.trim() !== "") session.typed.push(answer.text);
      await run(answer.text);
    } else if (!answer.empty) leaving = false;
    else if (session.state === "running") await run("pause");
    else if (leaving) break;
    else {
      print("(Ctrl-C again leaves; the target runs on)\n");
      leaving = true;
    }
  }
  // What waits there would keep an embedding program from ending.
  restore();
  Deno.stdin.close();
  await reading;
  return 0;
}
