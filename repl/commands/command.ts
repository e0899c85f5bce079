/** What a command of the prompt is. */
import type { SafeText } from "../../lib/escape.ts";
import type { Options, Values } from "../options.ts";
import type { Session } from "../prompt/session.ts";

/** What an argument names, for completion; an array lists the only values. */
export type ArgumentKind =
  | "address"
  | "command"
  | "file"
  | "frame"
  | "image"
  | "process"
  | "register"
  | "text"
  | "thread"
  | "variable"
  | readonly string[];

/** One positional argument of a command. */
export interface Argument {
  /** Its name in the help. */
  readonly name: string;
  readonly kind: ArgumentKind;
  /** How many words it takes: exactly one, none or one, any number, or all that
   * follow, as one text. */
  readonly takes: "one" | "optional" | "many" | "rest";
}

/** An argument that must be given. */
export function required(name: string, kind: ArgumentKind): Argument {
  return { name, kind, takes: "one" };
}

/** An argument that may be left out. */
export function optional(name: string, kind: ArgumentKind): Argument {
  return { name, kind, takes: "optional" };
}

/** The last argument, given any number of times. */
export function many(name: string, kind: ArgumentKind): Argument {
  return { name, kind, takes: "many" };
}

/** The last argument: the remaining words, if any, as one text with a blank between two. */
export function rest(name: string, kind: ArgumentKind): Argument {
  return { name, kind, takes: "rest" };
}

/** Another name of a command, with the arguments that it stands for. */
export interface Alias {
  readonly name: string;
  readonly args: readonly string[];
}

/** The groups of commands and their titles, in the order in which the help lists them. */
export const groups = {
  target: "Targets",
  threads: "Pausing and threads",
  frames: "Frames and registers",
  memory: "Memory",
  images: "Images, symbols and code",
  prompt: "The prompt",
  own: "Your own",
} as const;

/** The result of a command: the lines to print. */
export type Lines = readonly SafeText[];

/** What a command works with. */
export interface CommandContext {
  readonly session: Session;
  /** Runs TypeScript.
   *
   * @returns its value as lines
   */
  evaluate(code: string): Promise<Lines>;
  /** Runs a file: a module, or lines as if they had been typed. */
  load(file: string): Promise<Lines>;
  /** A value as the prompt shows it; a string without quotes. */
  show(value: unknown): Promise<Lines>;
  /** The help of one command; of all of them without a name. */
  help(name?: string): Promise<Lines>;
}

/** The values of a command's options, by camel-cased long name. */
export type OptionValues = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** One command of the prompt, whatever its options. */
export type Command = CommandRow<Options, OptionValues>;

/** One command of the prompt.
 *
 * @typeParam Given the values of its options
 */
export interface CommandRow<Table extends Options, Given = Values<Table>> {
  /** One or more words. */
  readonly name: string;
  /** Other names, mostly those of LLDB and gdb. */
  readonly aliases?: readonly (string | Alias)[];
  readonly group: keyof typeof groups;
  readonly arguments?: readonly Argument[];
  /** Replaces the arguments in the help. */
  readonly usage?: string;
  /** By long name. Options that subcommands of the command line have too are in `options.ts`. */
  readonly options?: Table;
  /** What it does, as half a sentence. */
  readonly help: string;
  /** More about it, one line each. */
  readonly details?: readonly string[];
  /** A line that can be typed. */
  readonly example: string;
  /** How arguments are read, when not as words and options: `code`: the rest of the line is the only
   * argument, unchanged; `program`: what follows the first word is passed on unchanged; `own`: all
   * words are passed on, options among them. */
  readonly syntax?: "code" | "program" | "own";
  /** Whether it changes the target, or which target there is. An abbreviation of its name is asked about
   * before it is run. */
  readonly changes?: boolean;
  /** What Enter at an empty prompt runs after it, as in gdb and LLDB: `same` for the line itself. */
  readonly again?: string;
  /** Whether it loads the demangler itself where it needs it. For the others it is there. */
  readonly loadsDemangler?: boolean;
  /** The possible values of `word`, used instead of the arguments' kinds.
   *
   * @param words those before it
   */
  complete?(
    words: readonly string[],
    word: string,
  ): readonly string[] | Promise<readonly string[]>;
  /** Whether more lines are needed. */
  isIncomplete?(text: string): boolean;
  /** @param words the positional arguments */
  run(
    context: CommandContext,
    words: readonly string[],
    options: Given,
  ): Lines | Promise<Lines>;
}

/** Keeps the types of a command's options. */
export function command<const Table extends Options>(row: CommandRow<Table>): Command {
  return row;
}
