/** The prompt: on a terminal with editing, history and completion, from a pipe line by line. */
import { escape } from "../lib/escape.ts";
import { commands } from "./commands.ts";
import { exposeGlobals, interpret } from "./interpreter.ts";
import { complain, explain, print } from "./output.ts";
import type { Session } from "./session.ts";

/** The signals that end the prompt, with their numbers. */
const signals = { SIGTERM: 15, SIGHUP: 1 } as const;

/** Runs the prompt to its end, and lets the target go.
 *
 * @param begin lines to run first, as if they had been typed
 * @returns the code to exit with
 */
export async function prompt(session: Session, begin: readonly string[]): Promise<number> {
  exposeGlobals(session);
  const line: InputLine = {};
  // `Deno.exit()` typed at the prompt is a way out too.
  addEventListener("unload", () => session.close());
  for (const [name, number] of Object.entries(signals)) {
    Deno.addSignalListener(name as keyof typeof signals, () => Deno.exit(128 + number));
  }
  // Code that fails later, out of a timer or a promise nobody awaits, must not take the prompt along.
  for (const type of ["error", "unhandledrejection"] as const) {
    addEventListener(type, (event) => {
      event.preventDefault();
      const error = event instanceof ErrorEvent ? event.error : event.reason;
      session.notice(error);
      if (line.redraw !== undefined) print("\n");
      complain(explain(error));
      line.redraw?.();
    });
  }
  try {
    for (const line of begin) await interpret(session, line);
    return await (Deno.stdin.isTerminal() && Deno.stdout.isTerminal()
      ? interactive(session, line)
      : scripted(session));
  } finally {
    session.close();
  }
}

/** As in `(machpause demo paused) > `. */
export function promptText(session: Session): string {
  const name = session.maybeTarget?.name;
  const words = ["machpause", name === undefined ? "" : escape(name), session.state];
  return `(${words.filter((word) => word !== "").join(" ")}) > `;
}

/** Lines from a pipe. The first that fails does not keep the others from running, but it shows in
 * the exit code. */
async function scripted(session: Session): Promise<number> {
  let failed = false;
  let pending = "";
  const run = async (final: boolean) => {
    const outcome = await interpret(session, pending);
    if (outcome === "incomplete" && !final) return;
    if (outcome === "incomplete") complain("the last lines are incomplete");
    failed ||= outcome !== "done";
    pending = "";
  };
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      pending += pending === "" ? line : `\n${line}`;
      await run(false);
      if (session.ended) return failed ? 1 : 0;
    }
  }
  pending += pending === "" ? rest : `\n${rest}`;
  await run(true);
  return failed ? 1 : 0;
}

/** What may follow `text`: commands, or the properties of what is named so far. */
function complete(text: string): [string[], string] {
  const path = /(?:^|[^\w$.\])])((?:[\w$]+\.)+)([\w$]*)$/.exec(text);
  if (path !== null) {
    let value: unknown = globalThis;
    for (const name of path[1].split(".").slice(0, -1)) {
      value = (value as Record<string, unknown> | null | undefined)?.[name];
    }
    const names = new Set<string>();
    for (let at = value; at !== null && at !== undefined; at = Object.getPrototypeOf(at)) {
      if (at === Object.prototype) break;
      for (const name of Object.getOwnPropertyNames(at)) {
        if (name.startsWith(path[2]) && /^[A-Za-z_$][\w$]*$/.test(name)) names.add(name);
      }
    }
    names.delete("constructor");
    return [[...names].sort(), path[2]];
  }
  const word = /^\s*(\w*)$/.exec(text)?.[1];
  if (word === undefined) return [[], ""];
  const names = [...commands.map(({ name }) => name), "target"];
  return [names.filter((name) => name.startsWith(word)), word];
}

/** The line being typed, while there is one. */
interface InputLine {
  /** Shows it again, below what was printed. */
  redraw?: () => void;
}

async function interactive(session: Session, line: InputLine): Promise<number> {
  const [{ start }, { default: process }] = await Promise.all([
    import("node:repl"),
    import("node:process"),
  ]);
  const { promise, resolve } = Promise.withResolvers<void>();
  /** What was typed runs one after the other, also when it was typed or pasted ahead. */
  let queue = Promise.resolve();
  /** What runs and what waits to run; each call gives one of them up. */
  const pending = new Set<() => void>();
  /** The lines so far of code that goes on. `node:repl` would keep them too, but not in order when
   * further lines come before it knows. */
  let incomplete = "";
  const setPrompt = () => server.setPrompt(incomplete === "" ? promptText(session) : "| ");
  const server = start({
    prompt: promptText(session),
    useGlobal: true,
    ignoreUndefined: true,
    completer: (text: string) => complete(text),
    eval(text, _context, _file, callback) {
      const givenUp = Promise.withResolvers<"done">();
      let wanted = true;
      const abandon = () => {
        wanted = false;
        givenUp.resolve("done");
      };
      pending.add(abandon);
      queue = queue.then(async () => {
        const code = incomplete + text;
        const outcome = wanted
          ? await Promise.race([interpret(session, code), givenUp.promise])
          : "done";
        incomplete = outcome === "incomplete" ? code : "";
        pending.delete(abandon);
        if (session.ended) return server.close();
        setPrompt();
        callback(null, undefined);
      });
    },
  });
  // Ours says what went wrong, and prints nothing raw.
  process.setUncaughtExceptionCaptureCallback(null);
  line.redraw = () => {
    // While something runs there is no line: the prompt comes when that is done.
    if (pending.size > 0) return;
    setPrompt();
    server.displayPrompt(true);
  };
  const [clearOrLeave] = server.listeners("SIGINT");
  server.removeAllListeners("SIGINT");
  server.on("SIGINT", () => {
    if (pending.size === 0) {
      incomplete = "";
      setPrompt();
      return clearOrLeave.call(server);
    }
    if (session.interrupt !== undefined) return session.interrupt();
    print("\n(no longer waited for)\n");
    for (const abandon of pending) abandon();
  });
  server.on("exit", resolve);
  await promise;
  return 0;
}
