import { escape } from "../../lib/escape.ts";
import {
  isAbsent,
  parseCommand,
  type ParsedCommand,
  runCommand,
  subcommands,
  suggestions,
} from "../commands/mod.ts";
import { UserError } from "../errors.ts";
import { complain, explain, printLines } from "../view/output.ts";
import type { Session } from "./session.ts";

/** What became of a line. */
export type Outcome = "done" | "failed" | "incomplete";

/** What `_` was given last: the user may have made a variable of that name. */
let last: unknown;

/** Makes a result available under a name, unless the user has taken that. */
function remember(name: "_" | "_error", value: unknown): void {
  const global = globalThis as Record<string, unknown>;
  if (name === "_") {
    if ("_" in global && !Object.is(global._, last)) return;
    last = value;
  }
  global[name] = value;
}

/** Runs TypeScript; its value as lines.
 *
 * @throws IncompleteError when more lines are to come
 */
export async function evaluateLines(session: Session, code: string): Promise<readonly string[]> {
  await session.ready();
  const { evaluate, show } = await import("./evaluate.ts");
  const value = await evaluate(code);
  if (value === undefined) return [];
  remember("_", value);
  return show(value).split("\n");
}

/** Where in the user's code an error comes from. */
async function placeLines(session: Session, error: unknown, source: string): Promise<string[]> {
  const { placeOf } = await import("./evaluate.ts");
  const place = placeOf(error, source);
  if (place === null) return [];
  const { line, column, text } = place;
  const several = source.includes("\n") || text !== source;
  if (!session.ui.interactive) return several ? [`line ${line}: ${escape(text.trim())}`] : [];
  if (!several && column <= 1) return [];
  const head = `${line} | `;
  const before = escape(text.slice(0, column - 1));
  return [`  ${head}${escape(text)}`, `  ${" ".repeat(head.length + before.length)}^`];
}

/** What the user may have meant instead. */
function hint(text: string): string {
  if (text.includes("\n")) return "";
  const names = suggestions(text).map((name) => `\`${name}\``);
  return names.length === 0 ? "" : `did you mean ${names.join(" or ")}?`;
}

/** Says what went wrong. */
async function report(
  session: Session,
  error: unknown,
  text: string,
  code: boolean,
): Promise<void> {
  session.notice(error);
  let message: string = explain(error);
  let lines: string[] = [];
  if (code) {
    remember("_error", error);
    const wrong = error instanceof SyntaxError || error instanceof ReferenceError;
    const meant = wrong ? hint(text) : "";
    if (wrong && isAbsent(text)) {
      message = "there are no breakpoints and no steps here: `pause` stops every thread, " +
        "`resume` lets them run, `launch` starts a program";
    } else if (meant !== "") {
      const [word] = text.trim().split(/\s+/);
      message = error instanceof SyntaxError
        ? `${escape(word)} is no command, and this is no TypeScript; ${meant}`
        : `${message}; ${meant}`;
    } else lines = await placeLines(session, error, text);
  }
  if (session.ui.interactive) {
    complain(message);
    printLines(lines.map((line) => session.style("quiet", line)));
  } else complain([message, ...lines].join("; "));
}

/** Runs what was typed: a command, or TypeScript. What goes wrong is said, never thrown. */
export async function interpret(session: Session, text: string): Promise<Outcome> {
  if (text.trim() === "" || text.startsWith("#")) return "done";
  let parsed: ParsedCommand | undefined;
  let code = false;
  try {
    parsed = parseCommand(text);
    if (parsed !== undefined) {
      if (parsed.command.isIncomplete?.(text)) return "incomplete";
      code = parsed.command.name === "print";
      if (session.maybeTarget !== undefined) await session.loadDemangler();
      printLines(await runCommand(session, parsed));
      return "done";
    }
    const names = text.includes("\n") ? [] : subcommands(text);
    if (names.length > 0) {
      throw new UserError(`there are ${names.map((name) => `\`${name}\``).join(", ")}`);
    }
    code = true;
    printLines(await evaluateLines(session, text));
    return "done";
  } catch (error) {
    if (code) {
      const { IncompleteError } = await import("./evaluate.ts");
      if (error instanceof IncompleteError) return "incomplete";
    }
    await report(session, error, text, code);
    return "failed";
  }
}

/** Whether Enter runs what was typed; otherwise another line of it begins. */
export async function endsHere(text: string): Promise<boolean> {
  if (text.trim() === "") return true;
  const [first, ...others] = text.split("\n");
  try {
    const parsed = parseCommand(first);
    if (parsed !== undefined) return !(parsed.command.isIncomplete?.(text) ?? false);
    if (others.length === 0 && isAbsent(text)) return true;
    if (others.length === 0 && (subcommands(text).length > 0 || suggestions(text).length > 0)) {
      return true;
    }
  } catch {
    return true;
  }
  const { isComplete } = await import("./evaluate.ts");
  return await isComplete(text);
}

/** Runs lines one after the other: commands, and code that may go on over several lines. One that
 * fails does not keep the others from running. */
export class Lines {
  readonly #session: Session;
  #pending = "";
  /** Whether any failed. */
  failed = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Whether code was begun that is not complete. */
  get pending(): boolean {
    return this.#pending !== "";
  }

  /** Takes a line. */
  async add(line: string): Promise<void> {
    if (this.#pending === "" && line.trim() === "") return;
    this.#pending += this.#pending === "" ? line : `\n${line}`;
    const outcome = await interpret(this.#session, this.#pending);
    if (outcome === "incomplete") return;
    this.#pending = "";
    this.failed ||= outcome === "failed";
  }

  /** No more lines come. */
  end(): void {
    if (!this.pending) return;
    complain("the last lines are incomplete");
    this.#pending = "";
    this.failed = true;
  }
}

/** Runs a text of one or more lines: as one piece of code where it is that, otherwise line by line. */
export async function runText(session: Session, text: string): Promise<Outcome> {
  const trimmed = text.replace(/\s+$/, "");
  if (!trimmed.includes("\n")) return await interpret(session, trimmed);
  const isCommand = (line: string) => {
    try {
      return line.trim() !== "" && parseCommand(line) !== undefined;
    } catch {
      return true;
    }
  };
  const commands = trimmed.split("\n").some((line) => !/^\s/.test(line) && isCommand(line));
  if (!commands) {
    const { isComplete } = await import("./evaluate.ts");
    if (await isComplete(trimmed)) return await interpret(session, trimmed);
  }
  const lines = new Lines(session);
  for (const line of trimmed.split("\n")) {
    await lines.add(line);
    if (session.ended) break;
  }
  if (!session.ended) lines.end();
  return lines.failed ? "failed" : "done";
}

/** Runs a file: a module where its name says so, otherwise lines as they are typed.
 *
 * @throws UserError when it cannot be read, or something in it failed
 */
export async function loadFile(session: Session, file: string): Promise<readonly string[]> {
  await session.ready();
  const path = file.replace(/^~(?=\/)/, Deno.env.get("HOME") ?? "~");
  if (/\.[cm]?[jt]s$/.test(path)) {
    const cwd = `file://${Deno.cwd().split("/").map(encodeURIComponent).join("/")}/`;
    if (await Deno.stat(path).catch(() => null) === null) {
      throw new UserError(`there is no file ${file}`);
    }
    await import(new URL(encodeURI(path), cwd).href);
    return [];
  }
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    throw new UserError(
      error instanceof Deno.errors.NotFound ? `there is no file ${file}` : `${file} cannot be read`,
    );
  }
  if (await runText(session, text) === "failed") throw new UserError(`not all of ${file} was done`);
  return [];
}
