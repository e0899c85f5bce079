/** Runs what is typed: commands and TypeScript. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { allHelpLines, commandHelp, foreignAnswer, helpLines } from "../commands/help.ts";
import {
  type Call,
  type CommandContext,
  commands,
  isAbsent,
  isStatement,
  type Lines,
  runCommand,
} from "../commands/mod.ts";
import { clearStop, InterruptedError } from "../edit/interrupt.ts";
import { UserError } from "../errors.ts";
import { InputError, MAX_SIZE, readPlainFile } from "../input.ts";
import { complain, explain, printLines } from "../view/output.ts";
import { join, spaces, wrapped } from "../view/text.ts";
import type { Session } from "./session.ts";

/** The answer to other debuggers' names for breakpoints and steps. */
const noBreakpoints =
  safe`there are no breakpoints and no steps here: \`pause\` stops every thread, \`resume\` lets them run, \`launch\` starts a program`;

/** What became of a line. */
export type Outcome = "done" | "failed" | "incomplete" | "interrupted";

/** The value that `_` was last given: the user may have made a variable of that name. */
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

/** Runs lines for a session, and is what the commands among them work with. */
export class Interpreter implements CommandContext {
  readonly session: Session;
  readonly #globals: Readonly<Record<string, unknown>>;
  /** What Enter at an empty prompt runs. */
  #again: string | undefined;
  /** Counts up when what runs is no longer waited for. */
  #generation = 0;
  #ready: Promise<void> | undefined;
  #hide: (() => void) | undefined;

  /** @param globals what an embedding program adds to the global scope */
  constructor(session: Session, globals: Readonly<Record<string, unknown>> = {}) {
    this.session = session;
    this.#globals = globals;
  }

  /** Puts the API and the session's state into the global scope, once. */
  ready(): Promise<void> {
    // Code needs the whole API, which takes long to load; commands do not.
    return this.#ready ??= import("./globals.ts").then(({ exposeGlobals }) => {
      this.#hide = exposeGlobals(this.session, this.#globals);
    });
  }

  /** Leaves the global scope as it was. */
  hide(): void {
    this.#hide?.();
    this.#hide = undefined;
    this.#ready = undefined;
  }

  /** What runs is no longer waited for: it prints no result, and lines after it are not run. */
  abandon(): void {
    this.#generation++;
  }

  /** Runs TypeScript.
   *
   * @returns its value as lines
   * @throws IncompleteError when more lines are needed
   */
  evaluate = async (code: string): Promise<Lines> => {
    await this.ready();
    const { asksForValue, evaluate, show } = await import("./evaluate.ts");
    const value = await evaluate(code);
    if (value === undefined) return await asksForValue(code) ? await this.#undefined(code) : [];
    remember("_", value);
    // What finds it takes long to load.
    if (Number.isNaN(value) || /\blocals\b/.test(code)) {
      const missed = await this.#missed(code);
      if (missed !== undefined) complain(safe`warning: ${missed}`);
    }
    return show(value);
  };

  /** What is said of a variable that code reads and the selected frame has not; `undefined` where all are there. */
  async #missed(code: string): Promise<SafeText | undefined> {
    const { missedVariable } = await import("./properties.ts");
    const name = missedVariable(this.session, code);
    if (name === undefined) return undefined;
    const { absentVariable } = await import("../commands/expressions.ts");
    return await this.session.withNames(() => escape(absentVariable(this.session, name)));
  }

  /** What is shown of `undefined`: a misspelt property is named. Calls give it often and mean nothing by it:
   * it is shown to people alone. */
  async #undefined(code: string): Promise<Lines> {
    const { misspelt } = await import("./properties.ts");
    const why = misspelt(this.session, code);
    const missed = why === undefined ? await this.#missed(code) : escape(why);
    if (missed !== undefined) return [safe`undefined: ${missed}`];
    return this.session.ui.interactive ? [this.session.style("quiet", safe`undefined`)] : [];
  }

  /** A value as the prompt shows it; a string without quotes. */
  show = async (value: unknown): Promise<Lines> => {
    if (value === undefined) return [];
    if (typeof value === "string") return value.split("\n").map(escape);
    return (await import("./evaluate.ts")).show(value);
  };

  /** The help of one command; of all of them without a name. */
  help = (name?: string): Promise<Lines> => {
    const { style, ui } = this.session;
    const { columns } = ui.size();
    return Promise.resolve(
      name === undefined
        ? helpLines(commands, style, columns)
        : name === "all"
        ? allHelpLines(commands, style, columns)
        : commandHelp(commands, style, name),
    );
  };

  /** Runs a file: a module where its name says so, otherwise lines as if they had been typed.
   *
   * @throws UserError when it cannot be read, or something in it failed
   */
  load = async (file: string): Promise<Lines> => {
    await this.ready();
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
      text = new TextDecoder().decode(readPlainFile(path, MAX_SIZE.commands));
    } catch (error) {
      if (error instanceof InputError) throw error;
      throw new UserError(
        error instanceof Deno.errors.NotFound
          ? `there is no file ${file}`
          : `${file} cannot be read`,
      );
    }
    const outcome = await this.runText(text);
    if (outcome === "interrupted") throw new InterruptedError();
    if (outcome === "failed") throw new UserError(`parts of ${file} failed`);
    return [];
  };

  /** Runs what was typed: a command, or TypeScript. Errors are printed, not thrown. */
  async interpret(text: string): Promise<Outcome> {
    const { session } = this;
    const again = session.ui.interactive ? this.#again : undefined;
    this.#again = undefined;
    if (text.trim() === "" && again !== undefined) text = again;
    if (text.trim() === "" || text.startsWith("#")) return "done";
    const generation = this.#generation;
    const print = (lines: Lines) => {
      if (generation !== this.#generation) return;
      const fitted = this.#fitted(lines);
      return session.ui.page === undefined ? printLines(fitted) : session.ui.page(fitted);
    };
    let call: Call | undefined;
    let code = false;
    try {
      call = commands.parse(text);
      if (call !== undefined) {
        if (call.command.isIncomplete?.(text)) return "incomplete";
        // The whole word of another program comes before the beginning of one of ours.
        const foreign = call.abbreviated ? foreignAnswer(text) : undefined;
        if (foreign !== undefined) throw new UserError(foreign);
        if (call.doubtful !== undefined && !await this.#meant(text, call.doubtful)) return "done";
        code = call.command.name === "print";
        if (session.maybeTarget !== undefined && !call.command.loadsDemangler) {
          await session.loadDemangler();
        }
        await print(await runCommand(this, call));
        const next = call.command.again;
        this.#again = next === "same" ? text : next;
        return "done";
      }
      const names = text.includes("\n") ? [] : commands.subcommands(text);
      if (names.length > 0) {
        const answer = isAbsent(text) ? noBreakpoints : foreignAnswer(text);
        if (answer !== undefined) throw new UserError(answer);
        throw new UserError(`there are ${names.map((name) => `\`${name}\``).join(", ")}`);
      }
      code = true;
      await print(await this.evaluate(text));
      return "done";
    } catch (error) {
      if (code) {
        const { IncompleteError } = await import("./evaluate.ts");
        if (error instanceof IncompleteError) return "incomplete";
      }
      if (generation !== this.#generation) return "interrupted";
      if (error instanceof InterruptedError) {
        clearStop();
        await this.#report(error);
        return "interrupted";
      }
      if (!code) await this.#report(error);
      else await this.#reportCode(error, call === undefined ? text : call.args[0] ?? "", call);
      return "failed";
    }
  }

  /** Lines as wide as the screen. */
  #fitted(lines: Lines): Lines {
    const { columns } = this.session.ui.size();
    return columns === Infinity ? lines : lines.flatMap((line) => wrapped(line, columns));
  }

  /** Asks whether an abbreviation was meant. */
  async #meant(text: string, name: string): Promise<boolean> {
    const { ui } = this.session;
    const word = text.trim().split(/\s+/).slice(0, name.split(" ").length).join(" ");
    const doubt = `${word} is short for \`${name}\`, which changes the target`;
    if (!ui.interactive) throw new UserError(`${doubt}: write it in full`);
    return await ui.confirm(safe`${escape(doubt)}: run it?`);
  }

  /** Says what went wrong.
   *
   * @param lines more about it
   */
  async #report(
    error: unknown,
    message?: SafeText,
    lines: readonly SafeText[] = [],
  ): Promise<void> {
    const { session } = this;
    const noticed = await session.notice(error);
    message ??= noticed;
    if (session.ui.interactive) {
      complain(message);
      printLines(lines.map((line) => session.style("quiet", line)));
    } else complain(join([message, ...lines], "; "));
  }

  /** Says what went wrong with code.
   *
   * @param call the command that the code was an argument of
   */
  async #reportCode(error: unknown, code: string, call: Call | undefined): Promise<void> {
    remember("_error", error);
    const wrong = error instanceof SyntaxError || error instanceof ReferenceError;
    if (call === undefined && wrong) {
      if (isAbsent(code)) return await this.#report(error, safe`${noBreakpoints}`);
      const answer = code.includes("\n") ? undefined : foreignAnswer(code);
      if (answer !== undefined) return await this.#report(error, escape(answer));
      const names = code.includes("\n") || !/^[a-z]+(?:\s+[a-z][\w-]*)+$/.test(code.trim())
        ? []
        : commands.subcommands(code, false);
      if (names.length > 0) {
        const list = names.map((name) => `\`${name}\``).join(", ");
        return await this.#report(
          error,
          escape(`there is no \`${code.trim()}\`: there are ${list}`),
        );
      }
      const meant = hint(code);
      if (meant !== undefined) {
        const word = escape(code.trim().split(/\s+/)[0]);
        const what = error instanceof SyntaxError
          ? safe`${word} is neither a command nor TypeScript`
          : explain(error);
        return await this.#report(error, safe`${what}; ${meant}`);
      }
      // A sentence.
      if (
        error instanceof SyntaxError && !isStatement(code) &&
        /^[a-z']+(?:\s+[\w'-]+)+[?!.]*$/i.test(code.trim())
      ) {
        const what = safe`that is neither a command nor TypeScript: \`help\` lists the commands`;
        return await this.#report(error, what);
      }
    }
    const lines = await this.#placeLines(error, code);
    if (error instanceof TypeError) {
      const { misspelt } = await import("./properties.ts");
      const why = misspelt(this.session, code);
      const missed = why === undefined ? await this.#missed(code) : escape(why);
      if (missed !== undefined) lines.push(missed);
    }
    await this.#report(error, undefined, lines);
  }

  /** Where in the user's code an error comes from. */
  async #placeLines(error: unknown, source: string): Promise<SafeText[]> {
    const { placeOf } = await import("./evaluate.ts");
    const place = placeOf(error, source);
    if (place === null) return [];
    const { line, column, text } = place;
    const several = source.includes("\n") || text !== source;
    if (!this.session.ui.interactive) {
      return several ? [safe`line ${line}: ${escape(text.trim())}`] : [];
    }
    if (!several && column <= 1) return [];
    const head = safe`${line} | `;
    const before = head.length + escape(text.slice(0, column - 1)).length;
    return [safe`  ${head}${escape(text)}`, safe`  ${spaces(before)}^`];
  }

  /** Whether Enter runs what was typed; otherwise it begins another line. */
  async endsHere(text: string): Promise<boolean> {
    if (text.trim() === "") return true;
    let code = text;
    try {
      const call = commands.parse(text.split("\n", 1)[0]);
      if (call !== undefined) {
        if (call.command.isIncomplete?.(text)) return false;
        // Code of `print` goes on too. The language's reader is loaded only where it may.
        if (call.command.name !== "print" || !mayGoOn(text)) return true;
        code = commands.parse(text)?.args[0] ?? "";
      }
    } catch {
      return true;
    }
    return await (await import("./evaluate.ts")).isComplete(code);
  }

  /** Runs one or more lines: as one piece of code where they are that, otherwise line by line. */
  async runText(text: string): Promise<Outcome> {
    const trimmed = text.trimEnd();
    if (!trimmed.includes("\n")) return await this.interpret(trimmed);
    const isCommand = (line: string) => {
      try {
        return line.trim() !== "" && commands.parse(line) !== undefined;
      } catch {
        return true;
      }
    };
    const several = trimmed.split("\n").some((line) => !/^\s/.test(line) && isCommand(line));
    if (!several && await (await import("./evaluate.ts")).isComplete(trimmed)) {
      return await this.interpret(trimmed);
    }
    const lines = new LineReader(this);
    const generation = this.#generation;
    for (const line of trimmed.split("\n")) {
      await lines.add(line);
      if (lines.interrupted || generation !== this.#generation) return "interrupted";
      if (this.session.ended) break;
    }
    if (!this.session.ended) lines.end();
    return lines.failed ? "failed" : "done";
  }
}

/** Whether code ends with an operator, or in brackets. */
function mayGoOn(text: string): boolean {
  return /[-+*\/%&|^=!~?:.,]\s*$/.test(text) ||
    text.split(/[([{]/).length > text.split(/[)\]}]/).length;
}

/** What the user may have meant instead. */
function hint(text: string): SafeText | undefined {
  if (text.includes("\n")) return undefined;
  const names = commands.suggestions(text).map((name) => `\`${name}\``);
  return names.length === 0 ? undefined : escape(`did you mean ${names.join(" or ")}?`);
}

/** Runs lines one after the other: commands, and code that may go on over several lines. The lines
 * after one that fails are run too. */
export class LineReader {
  readonly #interpreter: Interpreter;
  #pending = "";
  /** Whether any failed. */
  failed = false;
  /** Whether one was stopped by Ctrl-C. */
  interrupted = false;

  constructor(interpreter: Interpreter) {
    this.#interpreter = interpreter;
  }

  /** Takes a line. */
  async add(line: string): Promise<void> {
    if (this.#pending === "" && line.trim() === "") return;
    this.#pending += this.#pending === "" ? line : `\n${line}`;
    const outcome = await this.#interpreter.interpret(this.#pending);
    if (outcome === "incomplete") return;
    this.#pending = "";
    this.failed ||= outcome !== "done";
    this.interrupted ||= outcome === "interrupted";
  }

  /** No more lines come. */
  end(): void {
    if (this.#pending === "") return;
    complain(safe`the last lines are incomplete`);
    this.#pending = "";
    this.failed = true;
  }
}
