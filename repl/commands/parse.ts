/** From the words of a line to the arguments and options of a command. */
import { UserError } from "../errors.ts";
import { checked, keyOf, type Option, type Options, optionsAt } from "../options.ts";
import type { Argument, Command, OptionValues } from "./command.ts";

/** The arguments of one call. */
export interface Parsed {
  /** The positional arguments. */
  readonly words: readonly string[];
  readonly options: OptionValues;
}

/** Splits a line into words as a shell does: quotes keep blanks, a backslash in double quotes escapes. */
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

/** The arguments of a command as the help shows them. */
export function usage({ usage, arguments: given = [] }: Command): string {
  return usage ?? given.map(({ name, takes }) => {
    return takes === "one" ? `<${name}>` : takes === "many" ? `[${name}…]` : `[${name}]`;
  }).join(" ");
}

/** Sorts words into positional arguments and options.
 *
 * @throws UserError for an unknown option, and for words that are missing or left over
 */
export function parseArguments(command: Command, given: readonly string[]): Parsed {
  if (command.syntax === "code" || command.syntax === "own") return { words: given, options: {} };
  const known = optionsAt("prompt", command.options ?? {});
  const options: Record<string, string | number | boolean | string[]> = {};
  const positional: string[] = [];
  for (let at = 0; at < given.length; at++) {
    const text = given[at];
    if (text === "--" || command.syntax === "program" && positional.length > 0) {
      positional.push(...given.slice(text === "--" ? at + 1 : at));
      break;
    }
    const option = /^--?([a-zA-Z][\w-]*)(?:=(.*))?$/s.exec(text);
    if (option === null || text.includes("::")) {
      positional.push(text);
      continue;
    }
    let [, word, inline] = option;
    let names = optionNames(known, text, word);
    if (names === undefined && /^-\w\w/.test(text)) {
      // `-c4` is `-c 4`.
      const short = Object.entries(known).find(([, row]) =>
        row.short === text[1] && row.value !== undefined
      );
      if (short !== undefined) [names, inline] = [[short[0]], text.slice(2)];
    }
    if (names === undefined) throw unknownOption(command, known, text);
    for (const [index, name] of names.entries()) {
      const last = index === names.length - 1;
      const value = known[name].value === undefined
        ? undefined
        : last
        ? inline ?? given[++at]
        : undefined;
      set(options, name, known[name], value);
    }
  }
  return { words: arrange(command, positional), options };
}

/** The long names that `-x`, `-xyz` or `--name` stands for. */
function optionNames(known: Options, text: string, word: string): string[] | undefined {
  const rows = Object.entries(known);
  const long = rows.find(([name, { aliases }]) => name === word || aliases?.includes(word));
  if (long !== undefined) return [long[0]];
  if (text.startsWith("--")) return undefined;
  // `-rn` is `-r -n`.
  const names = [...word].map((letter) => rows.find(([, { short }]) => short === letter)?.[0]);
  return names.every((name) => name !== undefined) ? names : undefined;
}

function unknownOption(command: Command, known: Options, text: string): UserError {
  const names = Object.keys(known).map((name) => `--${name}`).join(", ");
  return new UserError(
    `\`${command.name}\` has no option ${text}` + (names === "" ? "" : `; it has ${names}`),
  );
}

/** Checks the value of an option and stores it. */
function set(
  options: Record<string, string | number | boolean | string[]>,
  name: string,
  option: Option,
  value: string | undefined,
): void {
  const { value: placeholder, collect } = option;
  const key = keyOf(name);
  if (placeholder === undefined) {
    options[key] = !name.startsWith("no-");
    return;
  }
  if (value === undefined) {
    throw new UserError(`--${name} needs a value: --${name} <${placeholder}>`);
  }
  if (collect) options[key] = [...options[key] as string[] ?? [], value];
  else options[key] = checked(name, option, value);
}

/** Gives the positional arguments their words. An address expression may take several: `$sp + 8`. */
function arrange(command: Command, given: readonly string[]): string[] {
  const { arguments: wanted = [] } = command;
  const words: string[] = [];
  let at = 0;
  for (const argument of wanted) {
    const { name, takes } = argument;
    if (at >= given.length) {
      if (takes === "one") throw missing(command, name);
      continue;
    }
    if (takes === "rest") {
      words.push(given.slice(at).join(" "));
      at = given.length;
    } else {
      do {
        const end = endOfArgument(argument, given, at);
        const word = given.slice(at, end).join(" ");
        if (typeof argument.kind !== "string") checked(name, { choices: argument.kind }, word);
        words.push(word);
        at = end;
      } while (takes === "many" && at < given.length);
    }
  }
  if (at === given.length) return words;
  const form = `${command.name} ${usage(command)}`.trim();
  throw new UserError(`too many arguments: ${given.slice(at).join(" ")}; usage: ${form}`);
}

function missing(command: Command, name: string): UserError {
  return new UserError(`\`${command.name}\` needs <${name}>, as in \`${command.example}\``);
}

/** Where the words of an argument that begins at `at` end. */
function endOfArgument({ kind }: Argument, words: readonly string[], at: number): number {
  let end = at + 1;
  if (kind !== "address") return end;
  let text = words[at];
  while (end < words.length && goesOn(text, words[end])) text += ` ${words[end++]}`;
  return end;
}

/** Whether the next word belongs to the same expression: a parenthesis or bracket is open, or there is an
 * operator between the two. A word as `-8` may be an argument of its own. */
function goesOn(text: string, next: string): boolean {
  const open = text.split(/[([]/).length - text.split(/[)\]]/).length;
  return open > 0 || /[-+*\/%&|^~]$|<<$|>>$/.test(text) && !/^[-+]\[/.test(next) ||
    /^(?:[-+*\/%&|^]|<<|>>)$|^(?:[+\/%|^]|<<|>>)[\w$(]/.test(next);
}
