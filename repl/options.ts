/** The options of the commands, once for the command line and for the prompt: a subcommand and the
 * prompt's command of the same name take theirs from the same table. */

import { UserError } from "./errors.ts";

/** Where an option can be used; in both places when left out. */
export type Place = "cli" | "prompt";

/** One option. Its long name is the key in {@linkcode Options}. */
export interface Option {
  /** One letter. */
  readonly short?: string;
  /** Other long names. */
  readonly aliases?: readonly string[];
  /** The value's name in the help; a switch has none. */
  readonly value?: string;
  /** The value is a whole number, at least 1. */
  readonly integer?: true;
  /** The only values. */
  readonly choices?: readonly string[];
  /** The option may be repeated; its value is an array. */
  readonly collect?: true;
  readonly help: string;
  readonly only?: Place;
}

/** The options of one command, by long name, in the order in which the help lists them. A name that
 * begins with `no-` turns off what is on without it. */
export type Options = Readonly<Record<string, Option>>;

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type Key<Name extends string> = Name extends `no-${infer Positive}` ? Camel<Positive> : Camel<Name>;

type Value<Row> = Row extends { readonly value: string }
  ? Row extends { readonly collect: true } ? readonly string[]
  : Row extends { readonly integer: true } ? number
  : Row extends { readonly choices: readonly (infer Choice)[] } ? Choice
  : string
  : boolean;

/** The values of some options: `{ limit?: number }` for `{ limit: { value: "frames", integer: true } }`.
 * Names are in camel case; `no-demangle` is `demangle`. */
export type Values<Table extends Options> = {
  readonly [Name in keyof Table & string as Key<Name>]?: Value<Table[Name]>;
};

/** The name of an option's value in {@linkcode Values}. */
export function keyOf(name: string): string {
  return name.replace(/^no-/, "").replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The options that can be used in one place. */
export function optionsAt<Table extends Options>(place: Place, table: Table): Options {
  return Object.fromEntries(
    Object.entries(table).filter(([, { only = place }]) => only === place),
  );
}

/** Checks a value against its row.
 *
 * @param name of the option, without dashes
 * @returns a number where the row says so
 * @throws UserError with the exit code 2 for a value that is not allowed
 */
export function checked(
  name: string,
  { choices, integer }: Pick<Option, "choices" | "integer">,
  text: string,
): string | number {
  if (choices !== undefined && !choices.includes(text)) {
    throw new UserError(`there is no ${name} ${text}: it is one of ${choices.join(", ")}`, 2);
  }
  if (!integer) return text;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || !Number.isSafeInteger(value)) {
    throw new UserError(`--${name} ${text}: a whole number from 1 on is needed`, 2);
  }
  return value;
}

/** Keeps the types of a table's rows. */
function table<const Table extends Options>(rows: Table): Table {
  return rows;
}

/** `--json` */
export const json = { help: "Print one JSON object.", only: "cli" } as const;

/** `--symbols` */
export const symbols = {
  value: "folder",
  collect: true,
  help: "Folder with binaries, dSYMs or symbol table files. Repeatable.",
} as const;

/** `--no-demangle` */
export const noDemangle = { help: "Show mangled names." } as const;

/** `--no-pager` */
export const noPager = {
  help: "Print long output at once. PAGER=cat does the same.",
  only: "cli",
} as const;

/** `--limit`, which `bt` at the prompt had as `--count`. */
export const limit = {
  short: "c",
  aliases: ["count"],
  value: "frames",
  integer: true,
  help: "Maximum number of frames per thread.",
} as const;

/** `--via` */
export const via = {
  value: "stub",
  choices: ["debugserver", "lldb-server", "gdbserver"],
  help: "Start debugserver, lldb-server or gdbserver for the process, and speak to it.",
} as const;

/** `--wait`, which LLDB calls `--waitfor` */
const wait = {
  short: "w",
  aliases: ["waitfor"],
  help: "Wait until a program of that name is started. Ctrl-C ends the wait.",
} as const;

const scan = {
  help: "Scan the stack for return addresses where nothing else finds the caller.",
} as const;

/** How the prompt starts, for every subcommand that ends there. */
const prompt = {
  eval: {
    short: "e",
    value: "code",
    collect: true,
    help: "Run a line as the prompt does, then exit. Repeatable.",
    only: "cli",
  },
  yes: { help: "Answer yes to every question.", only: "cli" },
  "no-init": { help: "Do not run the startup file.", only: "cli" },
  "no-pager": noPager,
} as const;

/** `machpause` without a subcommand. */
export const promptOptions = table(prompt);

/** `attach` */
export const attachOptions = table({
  wait: { ...wait, help: "Wait until a program of that name is started, and pause it." },
  symbols,
  via,
  ...prompt,
  pid: { short: "p", value: "pid", help: "The process with this pid.", only: "prompt" },
  name: { short: "n", value: "name", help: "The process with this name.", only: "prompt" },
});

/** `launch` */
export const launchOptions = table({
  symbols,
  keep: { help: "Let the program run on when machpause ends." },
  via: { ...via, help: "Have debugserver, lldb-server or gdbserver start it, and speak to that." },
  ...prompt,
});

/** `core` */
export const coreOptions = table({
  symbols,
  json: { help: "Print what the core contains as one JSON object.", only: "cli" },
  eval: prompt.eval,
  "no-init": prompt["no-init"],
});

/** `self` */
export const selfOptions = table({
  symbols,
  eval: prompt.eval,
  "no-init": prompt["no-init"],
});

/** `demo` */
export const demoOptions = table({ symbols, ...prompt });

/** `bt` */
export const btOptions = table({
  unique: { short: "u", help: "Show threads with equal stacks once, together." },
  by: { value: "what", choices: ["queue"], help: "Group the threads: by the queue they serve." },
  limit,
  scan,
  args: { short: "a", help: "Show the functions' arguments." },
  locals: { short: "l", help: "Show the variables of every frame." },
  follow: {
    value: "levels",
    integer: true,
    help:
      "With --locals or --args: copy what pointers lead to, so many levels deep, in the same stop.",
    only: "cli",
  },
  "no-pager": prompt["no-pager"],
  outermost: {
    value: "frames",
    integer: true,
    help: "So many outermost frames of each thread; `bt -3` is the same.",
    only: "prompt",
  },
  full: { help: "On a terminal: whole names, and every frame of a recursion." },
  "no-demangle": noDemangle,
  symbols: { ...symbols, only: "cli" },
  via: { ...via, only: "cli" },
  wait: { ...wait, only: "cli" },
  json: { help: json.help },
});

/** `gdb-remote` */
export const gdbRemoteOptions = table({ symbols, ...prompt });

/** `snapshot` */
export const snapshotOptions = btOptions;

/** `frame variable`, and `up` and `down` with `--args`. */
export const variableOptions = table({
  args: { short: "a", help: "Arguments only." },
  locals: { short: "l", help: "No arguments." },
  depth: { short: "D", value: "levels", integer: true, help: "Levels of members that are shown." },
  "ptr-depth": {
    short: "P",
    value: "levels",
    integer: true,
    help: "Levels of pointers that are followed. Default: 1 for named variables, else none.",
  },
  count: {
    short: "Z",
    value: "elements",
    integer: true,
    help: "Elements of an array that are shown; of a pointer, those it leads to.",
  },
  raw: { short: "R", help: "Members themselves, without formatters." },
  format: {
    short: "f",
    value: "F",
    help: "Format of numbers: x d u o t c a f s, or LLDB's words.",
  },
  "show-types": { short: "T", help: "Accepted for LLDB's users; types are always shown." },
  "show-declaration": { short: "c", help: "Show where each is declared." },
  json: { help: "Print JSON." },
});

/** `target variable` */
export const globalOptions = table({
  image: { short: "s", value: "image", help: "Those of another image." },
  depth: variableOptions.depth,
  "ptr-depth": variableOptions["ptr-depth"],
  raw: variableOptions.raw,
  json: variableOptions.json,
});

/** `savecore` */
export const saveCoreOptions = table({
  style: {
    value: "style",
    choices: ["stacks", "locals", "dirty", "full"],
    help: "stacks: what backtraces need (default). locals: and what variables lead to. " +
      "dirty: all written memory. full: everything.",
  },
  follow: {
    value: "levels",
    integer: true,
    help: "With locals: levels of pointers that are followed. Default: 2.",
  },
  "follow-bytes": {
    value: "bytes",
    integer: true,
    help: "With locals: how much of it goes into the core. Default: 16777216.",
  },
  "shared-cache": { help: "With full: all of the dyld shared cache, several gigabytes." },
  via: { ...via, only: "cli" },
  json,
});
