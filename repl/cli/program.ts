/** The command line: finds the subcommand, loads it alone, parses and runs it. */
import { Command } from "@cliffy/command";
import manifest from "../../deno.json" with { type: "json" };
import { UserError } from "../errors.ts";
import {
  checked,
  keyOf,
  type Option,
  type Options,
  optionsAt,
  promptOptions,
  type Values,
} from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

/** The subcommands, in the order in which the help lists them. */
const subcommands: Readonly<
  Record<string, () => Promise<{ readonly default: Subcommand }>>
> = {
  attach: () => import("./attach.ts"),
  "gdb-remote": () => import("./gdb_remote.ts"),
  launch: () => import("./launch.ts"),
  core: () => import("./core.ts"),
  self: () => import("./self.ts"),
  demo: () => import("./demo.ts"),
  run: () => import("./run.ts"),
  bt: () => import("./bt.ts"),
  snapshot: () => import("./snapshot.ts"),
  savecore: () => import("./savecore.ts"),
  record: () => import("./record.ts"),
  sample: () => import("./sample.ts"),
  top: async () => ({ default: (await import("./activity.ts")).top }),
  hang: async () => ({ default: (await import("./activity.ts")).hang }),
  compare: async () => ({ default: (await import("./activity.ts")).compare }),
  census: async () => ({ default: (await import("./activity.ts")).census }),
  deadlock: async () => ({ default: (await import("./activity.ts")).deadlock }),
  watch: () => import("./watch.ts"),
  image: () => import("./image.ts"),
  crash: () => import("./crash.ts"),
  collect: () => import("./collect.ts"),
  query: () => import("./query.ts"),
  index: () => import("./index.ts"),
  symbolicate: () => import("./symbolicate.ts"),
  stackshot: () => import("./stackshot.ts"),
  profile: () => import("./profile.ts"),
  convert: () => import("./convert.ts"),
  demangle: () => import("./demangle.ts"),
  view: () => import("./view.ts"),
  serve: () => import("./serve.ts"),
  doctor: () => import("./doctor.ts"),
  completions: async () => ({
    default: (await import("./completions.ts")).completions(subcommands, globalOptions),
  }),
  // Other systems have no task ports that a signature could open.
  ...(Deno.build.os === "darwin" ? { setup: () => import("./setup.ts") } : {}),
};

/** Options before or after any subcommand. */
const globalOptions = {
  color: {
    value: "when",
    choices: ["auto", "always", "never"],
    help: "auto, always or never. auto: on a terminal, unless NO_COLOR is set.",
  },
  theme: {
    value: "name",
    choices: ["dark", "light", "both", "none"],
    help: "Colours: dark, light, both or none. Also MACHPAUSE_THEME.",
  },
  log: {
    value: "names",
    help: "Log to stderr: ffi, dyld, symbols, unwind, remote or all. Also MACHPAUSE_LOG.",
  },
} as const satisfies Options;

const script = /\.[cm]?[jt]s$/;

/** Runs one command line of at least one word.
 *
 * @returns the exit code; `undefined` where the program ends by itself
 * @throws ValidationError of `@cliffy/command` for a wrong command line
 */
export async function runCommandLine(args: readonly string[]): Promise<number | undefined> {
  let code: number | undefined = 0;
  const line = [...args];
  let at = firstWord(line);
  if (at >= 0 && script.test(line[at])) line.splice(at, 0, "run");
  if (at >= 0 && !Object.hasOwn(subcommands, line[at])) {
    const { subcommandFor } = await import("./opens.ts");
    line.splice(at, 1, ...await subcommandFor(line[at], Object.keys(subcommands)));
  }
  const name = at < 0 ? undefined : line[at];
  const known = name !== undefined && Object.hasOwn(subcommands, name);
  // Only the help, and the complaint about a name that is none, need the others.
  const help = name === undefined && line.some((text) => text === "-h" || text === "--help");
  const names = known ? [name] : name !== undefined || help ? Object.keys(subcommands) : [];
  const loaded = await Promise.all(names.map(async (name) => (await subcommands[name]()).default));
  if (known) {
    at = behind(line, at, loaded[0].options ?? {});
    line.splice(
      at + 1,
      Infinity,
      ...loaded[0].translate?.(line.slice(at + 1)) ?? line.slice(at + 1),
    );
  }

  const program = new Command()
    .name("machpause")
    .version(manifest.version)
    .description(
      "Pauses the threads of a process and shows what each one is doing.\n" +
        "Without a command, starts the prompt. A file, a pid or a process's name is opened as\n" +
        "what it is: a core, a report, a stackshot, a profile, a Mach-O file, a script.",
    )
    .usage("[COMMAND|FILE|PID|NAME]")
    .help({ colors: Deno.stdout.isTerminal() && !Deno.noColor })
    .noExit()
    .example("A command or TypeScript", "machpause attach MyApp -e 'bt all' -e 'threads.length'");
  for (const [name, row] of Object.entries<Option>(globalOptions)) {
    program.globalOption(flags(name, row), row.help);
  }
  program.globalAction((options: unknown) => applyGlobal(values(globalOptions, options)));
  addOptions(program, promptOptions);
  program.action(async (options: unknown) => {
    const { promptAt } = await import("./prompt.ts");
    code = await promptAt(values(promptOptions, options));
  });
  for (const [index, definition] of loaded.entries()) {
    const { options = {}, run } = definition;
    const command = new Command().description(definition.description);
    if (definition.arguments !== undefined) command.arguments(definition.arguments);
    if (definition.stopEarly) command.stopEarly();
    addOptions(command, options);
    for (const [title, line] of definition.examples ?? []) command.example(title, line);
    command.action(async (given: unknown, ...args: unknown[]) => {
      code = await run(values(options, given), args as string[]);
    });
    program.command(names[index], command);
  }
  try {
    await program.parse(line);
  } catch (error) {
    // A wrong command line: the help of the subcommand says what is right.
    const { exitCode, message } = error as { exitCode?: unknown; message: string };
    if (!known || exitCode !== 2 || error instanceof UserError) throw error;
    throw new UserError(`${message.replace(/\.$/, "")}; see \`machpause ${name} --help\``, 2);
  }
  return code;
}

/** The index of the first word that is neither an option nor an option's value; -1 where none is. */
function firstWord(line: readonly string[]): number {
  const table = Object.entries<Option>({ ...globalOptions, ...promptOptions });
  for (let at = 0; at < line.length; at++) {
    if (!line[at].startsWith("-")) return at;
    const flag = line[at].replace(/^--?/, "");
    const row = table.find(([name, { short }]) => name === flag || short === flag)?.[1];
    if (row?.value !== undefined) at++;
  }
  return -1;
}

/** Moves options that are not of all subcommands from before one to behind it.
 *
 * @param at where the subcommand is
 * @param options its own
 * @returns where it is then
 * @throws UserError for one that it does not have
 */
function behind(line: string[], at: number, options: Options): number {
  const globals = Object.keys(globalOptions);
  const moved: string[] = [];
  for (let from = 0; from < at;) {
    const flag = line[from].replace(/^--?/, "").replace(/=.*$/, "");
    const row = Object.entries<Option>(promptOptions)
      .find(([name, { short }]) => name === flag || short === flag);
    const isPair = !line[from].includes("=") &&
      (row?.[1] ?? (globalOptions as Options)[flag])?.value !== undefined;
    const size = isPair ? 2 : 1;
    if (row === undefined || globals.includes(row[0])) {
      from += size;
      continue;
    }
    if (options[row[0]] === undefined) {
      throw new UserError(`\`machpause ${line[at]}\` has no option ${line[from]}`, 2);
    }
    moved.push(...line.splice(from, size));
    at -= size;
  }
  line.splice(at + 1, 0, ...moved);
  return at;
}

/** An option as the parser wants it: `-c, --limit, --count <frames:string>`. */
function flags(name: string, { short, aliases = [], value }: Option): string {
  const all = [
    ...short === undefined ? [] : [`-${short}`],
    ...[name, ...aliases].map((long) => `--${long}`),
  ];
  return all.join(", ") + (value === undefined ? "" : ` <${value}:string>`);
}

function addOptions(command: Command, table: Options): void {
  for (const [name, row] of Object.entries(optionsAt("cli", table))) {
    command.option(flags(name, row), row.help, { collect: row.collect ?? false });
  }
}

/** The values of a table's options as its rows say, among all that the parser found. */
function values<Table extends Options>(table: Table, given: unknown): Values<Table> {
  const found = given as Readonly<Record<string, string | string[] | boolean | undefined>>;
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, row]) => {
      const value = found[keyOf(name)];
      if (value === undefined) return [];
      return [[keyOf(name), typeof value === "string" ? checked(name, row, value) : value]];
    }),
  ) as Values<Table>;
}

/** Applies the options that all subcommands have. */
async function applyGlobal(
  { color, theme, log }: Values<typeof globalOptions>,
): Promise<void> {
  if (color !== undefined || theme !== undefined) {
    const { useColour, useTheme } = await import("../view/style.ts");
    if (color !== undefined) useColour(color);
    if (theme !== undefined) useTheme(theme);
  }
  if (log !== undefined) (await import("../view/log.ts")).startLog(log, "--log");
}
