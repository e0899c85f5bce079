/** The prompt: on a terminal with editing, history and completion, from a pipe line by line. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { LineEditor } from "../edit/editor.ts";
import { History, historyPath } from "../edit/history.ts";
import { TerminalInput } from "../edit/terminal.ts";
import { textWidth } from "../edit/width.ts";
import { complain, explain, print, printLines, terminalSize } from "../view/output.ts";
import { asksForBackground, type Kind, plain, useBackground } from "../view/style.ts";
import { cut, screenful } from "../view/text.ts";
import type { Interpreter } from "./interpreter.ts";
import type { Session } from "./session.ts";

/** The signals that end the prompt, with their numbers. */
const signals = { SIGTERM: 15, SIGHUP: 1 } as const;

/** How often a target is looked at while a line is being typed. */
const watchMilliseconds = 250;

/** The colours of what is typed, by the kinds of `highlight`. */
const kindStyles: Readonly<Record<string, Kind>> = {
  p: "quiet",
  c: "name",
  k: "heading",
  s: "running",
  n: "address",
  r: "image",
  q: "quiet",
};

/** Asks the terminal for its background: OSC 11 of xterm. */
const backgroundQuestion = safe`\x1b]11;?\x07`;

/** How the prompt runs. */
export interface PromptOptions {
  /** Lines to run first, as if they had been typed. */
  readonly begin?: readonly string[];
  /** Lines to run instead of what would be typed. */
  readonly evaluate?: readonly string[];
  /** Whether the user's startup file is run first. */
  readonly init?: boolean;
  /** Whether long output is shown a screenful at a time. Default: yes, unless `PAGER` is `cat` or empty. */
  readonly pager?: boolean;
  /** Whether a launched program's end is waited for where there is nothing to do: no terminal, no lines. */
  readonly waits?: boolean;
  /** What an embedding program adds to the global scope. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** The interpreter, which is loaded when it is first needed: the prompt appears before that. */
class LazyInterpreter {
  readonly #session: Session;
  readonly #context: PromptOptions["context"];
  #loading: Promise<Interpreter> | undefined;
  #loaded: Interpreter | undefined;

  constructor(session: Session, context: PromptOptions["context"]) {
    this.#session = session;
    this.#context = context;
  }

  get(): Promise<Interpreter> {
    return this.#loading ??= import("./interpreter.ts").then(({ Interpreter }) =>
      this.#loaded = new Interpreter(this.#session, this.#context)
    );
  }

  /** Leaves the global scope as it was. */
  hide(): void {
    this.#loaded?.hide();
  }
}

/** Runs the prompt to its end, and lets the target go.
 *
 * @returns the exit code
 */
export async function prompt(session: Session, options: PromptOptions = {}): Promise<number> {
  const { evaluate, init = true } = options;
  const interpreter = new LazyInterpreter(session, options.context);
  // A dumb terminal cannot move the cursor.
  const interactive = evaluate === undefined && Deno.stdin.isTerminal() &&
    Deno.stdout.isTerminal() && Deno.env.get("TERM") !== "dumb";
  using ending = new DisposableStack();
  // `Deno.exit()` typed at the prompt is a way out too.
  const unload = () => session.close();
  addEventListener("unload", unload);
  ending.defer(() => removeEventListener("unload", unload));
  ending.defer(() => {
    interpreter.hide();
    session.close();
  });
  for (const [name, number] of Object.entries(signals) as [keyof typeof signals, number][]) {
    const listener = () => Deno.exit(128 + number);
    Deno.addSignalListener(name, listener);
    ending.defer(() => Deno.removeSignalListener(name, listener));
  }
  const line: InputLine = {};
  // An error in a timer or a promise that nobody awaits must not end the prompt.
  for (const type of ["error", "unhandledrejection"] as const) {
    const listener = (event: Event) => {
      event.preventDefault();
      const error = event instanceof ErrorEvent
        ? event.error
        : (event as PromiseRejectionEvent).reason;
      void session.notice(error).then((message) => {
        const say = () => complain(message);
        if (line.above === undefined) say();
        else line.above(say);
      });
    };
    addEventListener(type, listener);
    ending.defer(() => removeEventListener(type, listener));
  }
  const startup = init ? initPath() : undefined;
  if (startup !== undefined) await runStartup(await interpreter.get(), startup);
  const failed = interactive
    ? await converse(session, interpreter, line, options, ending)
    : await scripted(await interpreter.get(), options);
  return session.exitCode ?? (failed ? 1 : 0);
}

/** As in `(machpause demo paused) > `. */
export function promptText(session: Session): SafeText {
  const words = ["machpause", session.maybeTarget?.name ?? "", session.state];
  return safe`(${escape(words.filter((word) => word !== "").join(" "))}) > `;
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

/** Runs the startup file. Its errors are printed, and do not end the prompt. */
async function runStartup(interpreter: Interpreter, path: string): Promise<void> {
  try {
    await interpreter.load(path);
  } catch (error) {
    complain(safe`${escape(path)}: ${explain(error)}`);
  }
}

/** Runs lines from a pipe or the command line. The lines after one that fails are run too.
 *
 * @returns whether any failed
 */
async function scripted(
  interpreter: Interpreter,
  { begin = [], evaluate, waits = false }: PromptOptions,
): Promise<boolean> {
  const { LineReader } = await import("./interpreter.ts");
  const { session } = interpreter;
  const lines = new LineReader(interpreter);
  let crashed = false;
  const add = async (line: string): Promise<void> => {
    crashed = await showCrash(session) || crashed;
    await lines.add(line);
    crashed = await showCrash(session) || crashed;
  };
  for (const line of begin) await add(line);
  if (evaluate !== undefined) {
    let { failed } = lines;
    for (const text of evaluate) {
      crashed = await showCrash(session) || crashed;
      const outcome = await interpreter.runText(text);
      if (outcome === "incomplete") complain(safe`${escape(text)} is incomplete`);
      failed ||= outcome !== "done";
      if (session.ended) break;
      crashed = await showCrash(session) || crashed;
    }
    return failed || crashed;
  }
  let rest = "";
  let isEmpty = true;
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop()!;
    isEmpty = false;
    for (const line of parts) {
      await add(line);
      if (session.ended) return lines.failed || crashed;
    }
  }
  await add(rest);
  lines.end();
  // Nothing was to be done with a launched program but to run it.
  if (isEmpty && waits && session.endsTarget) return !await ranWell(session);
  return lines.failed || crashed;
}

/** Stops at a crash that was not seen yet, and shows it.
 *
 * @returns whether there was one
 */
async function showCrash(session: Session): Promise<boolean> {
  if (!session.attendCrash()) return false;
  printLines((await import("./crash.ts")).crashLines(session));
  return true;
}

/** Waits for a launched program's end, and shows its crash with the report.
 *
 * @returns whether it exited with code 0
 */
async function ranWell(session: Session): Promise<boolean> {
  const { awaitEnd, crashLines, reportLines } = await import("./crash.ts");
  const { title, crash } = session;
  const how = await awaitEnd(session);
  if (how !== undefined) {
    print(safe`${title} has ended: ${escape(how)}\n`);
    return how === "it exited with code 0";
  }
  if (crash === undefined) printLines(crashLines(session));
  printLines(await reportLines(session));
  return false;
}

/** The line being typed, while there is one. */
interface InputLine {
  /** Prints above it. */
  above?: (print: () => void) => void;
}

/** Reads and runs lines at a terminal, until the prompt is left.
 *
 * @returns whether that is a failure: never, whatever the lines did
 */
async function converse(
  session: Session,
  interpreter: LazyInterpreter,
  line: InputLine,
  options: PromptOptions,
  ending: DisposableStack,
): Promise<false> {
  const { begin = [] } = options;
  const input = new TerminalInput(print);
  /** Stops waiting for what runs. */
  let abandon: (() => void) | undefined;
  /** The kinds of what is typed, once the commands are loaded. */
  let highlight: ((text: string) => string) | undefined;
  /** What is shown of the progress. */
  let progress = safe``;
  const size = terminalSize;
  session.history = new History(historyPath());
  const editor: LineEditor = new LineEditor({
    write: print,
    size,
    history: session.history,
    complete: async (text, cursor) => {
      // Properties are looked up in the global scope.
      await (await interpreter.get()).ready();
      return await (await import("./completion.ts")).complete(session, text, cursor);
    },
    isComplete: async (text) => await (await interpreter.get()).endsHere(text),
    style(kind, text) {
      const known = Object.hasOwn(kindStyles, kind) ? kindStyles[kind] : undefined;
      return known === undefined ? text : session.style(known, text);
    },
    highlight: (text) => session.style === plain ? "" : highlight?.(text) ?? "",
    answered(text) {
      const style = useBackground(text);
      if (style === undefined) return;
      session.style = style;
      editor.redraw();
    },
    suspend() {
      const { state, maybeTarget } = session;
      if (state === "paused" || state === "crashed") {
        const name = escape(maybeTarget!.name);
        editor.above(() => print(safe`(${name} stays paused while machpause is suspended)\n`));
      }
      input.suspend(() => editor.redraw(true));
    },
    // As a SIGQUIT that is not caught, but the terminal is restored and the target let run.
    quit() {
      print(safe`\n`);
      Deno.exit(128 + 3);
    },
    interrupt() {
      const stop = session.interrupt;
      session.interrupt = undefined;
      // What cannot be stopped, or does not stop, is no longer waited for.
      if (stop !== undefined) return stop();
      if (abandon === undefined) return;
      print(safe`\n(no longer waited for)\n`);
      abandon();
    },
  });
  const clearProgress = () => {
    if (progress === "") return;
    // A terminal that became narrower has wrapped it.
    const rows = Math.ceil(textWidth(progress) / size().columns);
    print(rows > 1 ? safe`\x1b[${rows - 1}A\r\x1b[J` : safe`\r\x1b[K`);
    progress = safe``;
  };
  session.ui = {
    interactive: true,
    size,
    async confirm(question) {
      const answer = await editor.read(safe`${question} (y/n) `, true);
      return answer.kind === "line" && /^y(?:es)?$/i.test(answer.text.trim());
    },
    pick: (question, lines) => editor.pick(question, lines),
    // Another program could not read the keyboard: the thread that waits for Ctrl-C does.
    async page(lines) {
      const isOff = /^(?:cat)?\s*$/.test(Deno.env.get("PAGER") ?? "less");
      // What was typed ahead is no answer to the pager.
      const all = options.pager === false || isOff || editor.hasKeys;
      let shown = all ? lines.length : screenful(lines, 0, size());
      printLines(lines.slice(0, shown));
      while (shown < lines.length) {
        const key = await editor.key(
          safe`-- ${shown} of ${lines.length} lines: Space, Enter, q --`,
        );
        if (/^(?:q|Q|escape|ctrl-c|ctrl-d)$/.test(key)) break;
        const step = /^(?: |page-down|ctrl-f)$/.test(key)
          // The terminal may have another size by now.
          ? screenful(lines, shown, size())
          : /^(?:G|end|>)$/.test(key)
          ? Infinity
          : /^(?:enter|down)$/.test(key)
          ? 1
          : 0;
        // Another character is the begin of the next line: whoever types it does not read on.
        if (step === 0 && key.length === 1) {
          editor.unread(key);
          break;
        }
        const next = Math.min(lines.length, shown + step);
        printLines(lines.slice(shown, next));
        shown = next;
      }
      editor.skipBlanks();
    },
    progress(text) {
      clearProgress();
      if (text === undefined) return;
      progress = cut(text, size().columns - 1);
      print(progress);
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

  /** Runs what was typed, until it is done or no longer waited for. */
  const run = async (text: string): Promise<void> => {
    const running = await interpreter.get();
    const givenUp = Promise.withResolvers<void>();
    abandon = () => {
      running.abandon();
      givenUp.resolve();
    };
    await input.run(() => Promise.race([running.runText(text), givenUp.promise]));
    abandon = undefined;
    clearProgress();
  };

  /** Whether the user leaves, although a program that was launched from here ends then. */
  const mayLeave = async (): Promise<boolean> =>
    !session.endsTarget || await (await import("../commands/target.ts")).mayEnd(session);

  /** Says at once, above the line being typed, that the target has ended or crashed. */
  const noteEnd = async (): Promise<void> => {
    try {
      if (session.attendCrash()) {
        const { crashLines } = await import("./crash.ts");
        editor.above(() => printLines(crashLines(session)));
        editor.prompt = promptText(session);
      }
      session.checkAlive();
    } catch (error) {
      const message = await session.notice(error);
      editor.above(() => complain(message));
      editor.prompt = promptText(session);
    }
  };

  input.raw = true;
  if (session.style !== plain && asksForBackground()) print(backgroundQuestion);
  let reading: Promise<void> | undefined;
  const listen = () => {
    reading ??= input.read((keys) => editor.feed(keys)).finally(() => editor.end());
  };
  if (begin.length > 0) listen();
  for (const text of begin) await run(text);
  let leaving = false;
  while (!session.ended) {
    try {
      await showCrash(session);
      session.checkAlive();
    } catch (error) {
      complain(await session.notice(error));
    }
    const reply = editor.read(promptText(session));
    const watch = setInterval(() => void noteEnd(), watchMilliseconds);
    // The keyboard's thread takes long to start: the prompt is shown before that.
    listen();
    // What the first line needs is loaded while the user types it.
    void Promise.all([
      interpreter.get().then((loaded) => loaded.ready()),
      import("./completion.ts"),
      import("../edit/highlight.ts"),
      import("../commands/mod.ts"),
    ]).then(([, , marks, { commands }]) => {
      highlight ??= (text) => marks.highlight(text, commands.nameLength(text));
    }).catch(() => {});
    const answer = await reply.finally(() => clearInterval(watch));
    if (answer.kind === "end") {
      if (editor.ended || await mayLeave()) break;
      continue;
    }
    if (answer.kind === "line") {
      leaving = false;
      if (answer.text.trim() !== "") session.typed.push(answer.text);
      await run(answer.text);
    } else if (!answer.empty) leaving = false;
    else if (/^(?:running|stopped|held)$/.test(session.state)) await run("pause");
    else if (leaving && answer.first) {
      if (await mayLeave()) break;
    } else {
      const target = session.endsTarget ? safe`` : safe`; the target runs on`;
      print(safe`(Ctrl-C again leaves${target})\n`);
      leaving = true;
    }
  }
  restore();
  input.close();
  await reading;
  return false;
}
