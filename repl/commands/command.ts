/** What a command of the prompt is. */
import { UserError } from "../errors.ts";
import type { Session } from "../prompt/session.ts";

/** What an argument names, for completion; a list is all that there may be. */
export type ArgumentKind =
  | "address"
  | "command"
  | "file"
  | "frame"
  | "image"
  | "process"
  | "register"
  | "symbol"
  | "text"
  | "thread"
  | readonly string[];

/** Another name, as fingers know it, with the arguments it stands for. */
export interface Alias {
  readonly name: string;
  readonly args: readonly string[];
}

/** One command of the prompt. */
export interface PromptCommand {
  /** One or more words. */
  readonly name: string;
  /** What else it may be called, in LLDB and gdb mostly. */
  readonly aliases?: readonly (string | Alias)[];
  /** Its arguments as the help shows them. */
  readonly usage: string;
  /** What it does, as half a sentence. */
  readonly help: string;
  /** More about it, a line each. */
  readonly details?: readonly string[];
  /** A line that can be typed. */
  readonly example?: string;
  /** What its arguments name; the last kind goes for all that follow. */
  readonly takes?: readonly ArgumentKind[];
  /** Its options, with their dashes. */
  readonly options?: readonly string[];
  /** Its argument is the rest of the line, as it is. */
  readonly raw?: boolean;
  /** What may stand where `word` does; instead of `takes`.
   *
   * @param args those before it
   */
  complete?(
    session: Session,
    args: readonly string[],
    word: string,
  ): readonly string[] | Promise<readonly string[]>;
  /** Whether more lines are to come. */
  isIncomplete?(text: string): boolean;
  /** Returns the lines to print, safe to print. */
  run(
    session: Session,
    args: readonly string[],
  ): readonly string[] | Promise<readonly string[]>;
}

/** Commands that belong together, as the help shows them. */
export interface Family {
  readonly title: string;
  readonly commands: readonly PromptCommand[];
}

/** Options and what is left. */
export interface Parsed {
  /** By long name without dashes; a switch is an empty string. */
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly rest: readonly string[];
}

/** Takes options out of arguments.
 *
 * @param names long names without dashes, each with whether a value follows
 * @param short one-letter names of these
 * @throws UserError for one that is not known
 */
export function parseOptions(
  args: readonly string[],
  names: Readonly<Record<string, "switch" | "value">>,
  short: Readonly<Record<string, string>> = {},
): Parsed {
  const options: Record<string, string> = {};
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const match = /^-(-?)([a-zA-Z][\w-]*)(?:=(.*))?$/s.exec(args[at]);
    if (match === null || args[at].includes("::")) {
      if (args[at] === "--") return { options, rest: [...rest, ...args.slice(at + 1)] };
      rest.push(args[at]);
      continue;
    }
    const [, dash, word, inline] = match;
    // `-rn` is `-r -n`, where each is an option.
    const letters = dash === "" && !(word in names) ? [...word] : [];
    const given = letters.length > 0 && letters.every((letter) => letter in short)
      ? letters.map((letter) => short[letter])
      : [word];
    for (const [index, name] of given.entries()) {
      const kind = names[name];
      if (kind === undefined) {
        const known = Object.keys(names).map((known) => `--${known}`).join(", ");
        throw new UserError(`there is no option ${args[at]} here${known && `: ${known}`}`);
      }
      if (kind === "switch") options[name] = "";
      else {
        const value = inline ?? (index === given.length - 1 ? args[++at] : undefined);
        if (value === undefined) throw new UserError(`--${name} needs a value`);
        options[name] = value;
      }
    }
  }
  return { options, rest };
}

/** Splits a line into words, as a shell does: quotes hold blanks together, a backslash in double quotes
 * escapes. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  const pieces = /"((?:\\.|[^"\\])*)"?|'([^']*)'?|([^\s"']+)|(\s+)/g;
  let word: string | undefined;
  for (const [, double, single, bare, blank] of line.trim().matchAll(pieces)) {
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + (double?.replace(/\\(["\\])/g, "$1") ?? single ?? bare);
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}
