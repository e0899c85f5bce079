// deno-lint-ignore-file no-explicit-any
import { ValidationError } from "./errors.ts";
import { type HelpOptions, helpText } from "./help.ts";
import type { TypedArguments, TypedOption } from "./types.ts";

/** An option, as defined. */
export interface OptionDefinition {
  readonly short: string | undefined;
  readonly long: string;
  /** Other long names. */
  readonly aliases: readonly string[];
  /** What its value is called and must be; `undefined` for a switch. */
  readonly value: { readonly name: string; readonly type: string } | undefined;
  readonly description: string;
  readonly hidden: boolean;
  readonly global: boolean;
  readonly default: unknown;
  readonly collect: boolean;
}

/** An argument, as defined. */
export interface ArgumentDefinition {
  /** As written, such as `<target:string>`. */
  readonly raw: string;
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  readonly variadic: boolean;
}

/** How an option is to be. */
export interface OptionOptions<Collect extends boolean = boolean> {
  hidden?: boolean;
  default?: unknown;
  /** Given several times, all values are kept, in an array. */
  collect?: Collect;
}

/** What {@linkcode Command.parse} returns. */
export interface CommandResult {
  options: Record<string, unknown>;
  args: unknown[];
  cmd: Command<any, any>;
  literal: string[];
}

/** `-c, --limit, --count <frames:integer>` in parts. */
function parseFlags(flags: string): Pick<OptionDefinition, "short" | "long" | "aliases" | "value"> {
  const match = /^(?:-(\w),? )?--([\w-]+)((?:,? --[\w-]+)*)(?:[ =]<(\w+)(?::(\w+))?>)?$/.exec(
    flags,
  );
  if (match === null) throw new Error(`these flags cannot be understood: ${flags}`);
  const [, short, long, others, name, type = "string"] = match;
  const aliases = others.match(/(?<=--)[\w-]+/g) ?? [];
  return { short, long, aliases, value: name === undefined ? undefined : { name, type } };
}

/** Whether a flag, with its dashes, is an option's. */
function isNamed({ short, long, aliases }: OptionDefinition, flag: string): boolean {
  return flag === `-${short}` || flag === `--${long}` ||
    aliases.some((alias) => flag === `--${alias}`);
}

/** `<program:string> [args...:string]` in parts. */
function parseArguments(definition: string): ArgumentDefinition[] {
  return definition.split(/\s+/).map((raw) => {
    const match = /^([<[])(\w+)(\.\.\.)?(?::(\w+))?[>\]]$/.exec(raw);
    if (match === null) throw new Error(`this argument cannot be understood: ${raw}`);
    const [, bracket, name, dots, type = "string"] = match;
    return { raw, name, type, optional: bracket === "[", variadic: dots !== undefined };
  });
}

/** `dryRun` of `dry-run`. */
function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A value of a built-in type. */
function convert(label: string, name: string, type: string, text: string): unknown {
  const value = type === "boolean"
    ? new Map([["true", true], ["1", true], ["false", false], ["0", false]]).get(text)
    : type === "number" || type === "integer"
    ? Number(text)
    : text;
  const valid = typeof value === "number"
    ? text.trim() !== "" && (type === "integer" ? Number.isInteger(value) : !Number.isNaN(value))
    : value !== undefined;
  if (!valid) {
    throw new ValidationError(`${label} "${name}" must be of type "${type}", but got "${text}".`);
  }
  return value;
}

/** A command and its sub-commands.
 *
 * @example
 * ```ts
 * import { Command } from "@cliffy/command";
 *
 * await new Command()
 *   .name("greet")
 *   .option("--times <n:integer>", "How often.")
 *   .arguments("<name:string>")
 *   .action(({ times = 1 }, name) => console.log(`hello ${name} `.repeat(times)))
 *   .parse(["--times", "2", "you"]);
 * ```
 */
export class Command<
  Options extends Record<string, unknown> = Record<never, never>,
  Arguments extends unknown[] = [],
> {
  #name = "COMMAND";
  #version: string | undefined;
  #description = "";
  #usage: string | undefined;
  #options: OptionDefinition[] = [];
  #arguments: ArgumentDefinition[] = [];
  #examples: { name: string; description: string }[] = [];
  #aliases: string[] = [];
  #commands = new Map<string, Command<any, any>>();
  #parent: Command<any, any> | undefined;
  #action: ((options: any, ...args: any[]) => unknown) | undefined;
  #globalAction: ((options: any, ...args: any[]) => unknown) | undefined;
  #stopEarly = false;
  #hidden = false;
  #throwErrors = false;
  #noExit = false;
  #help: HelpOptions | undefined;

  /** Sets the command's name. */
  name(name: string): this {
    this.#name = name;
    return this;
  }

  /** Sets the version, and with it the options `-V` and `--version`. */
  version(version: string): this {
    this.#version = version;
    return this;
  }

  /** Sets the description; its first line is the short one. */
  description(description: string): this {
    this.#description = description;
    return this;
  }

  /** Replaces the generated usage. */
  usage(usage: string): this {
    this.#usage = usage;
    return this;
  }

  /** Hides the command from the help. */
  hidden(): this {
    this.#hidden = true;
    return this;
  }

  /** Leaves everything after the first argument alone, also what looks like an option. */
  stopEarly(stopEarly = true): this {
    this.#stopEarly = stopEarly;
    return this;
  }

  /** Adds another name. */
  alias(alias: string): this {
    this.#aliases.push(alias);
    return this;
  }

  /** Adds an example to the help. */
  example(name: string, description: string): this {
    this.#examples.push({ name, description });
    return this;
  }

  /** How the help is to be. */
  help(options: HelpOptions): this {
    this.#help = options;
    return this;
  }

  /** Makes {@linkcode parse} throw what is wrong instead of printing it and exiting. */
  throwErrors(): this {
    this.#throwErrors = true;
    return this;
  }

  /** Never exits, neither on errors nor after the help. */
  noExit(): this {
    this.#noExit = true;
    return this.throwErrors();
  }

  #define(flags: string, description: string, options: OptionOptions, global: boolean): void {
    this.#options.push({
      ...parseFlags(flags),
      description,
      hidden: options.hidden ?? false,
      global,
      default: options.default,
      collect: options.collect ?? false,
    });
  }

  /** Defines an option, as in `-l, --limit <frames:integer>`. */
  option<const Flags extends string, const Collect extends boolean = false>(
    flags: Flags,
    description: string,
    options: OptionOptions<Collect> = {},
  ): Command<Options & TypedOption<Flags, Collect>, Arguments> {
    this.#define(flags, description, options, false);
    return this as any;
  }

  /** Defines an option that sub-commands have too. */
  globalOption<const Flags extends string>(
    flags: Flags,
    description: string,
    options: OptionOptions = {},
  ): Command<Options & TypedOption<Flags>, Arguments> {
    this.#define(flags, description, options, true);
    return this as any;
  }

  /** Defines the arguments, as in `<program:string> [args...:string]`. */
  arguments<const Text extends string>(text: Text): Command<Options, TypedArguments<Text>> {
    this.#arguments = parseArguments(text);
    return this as any;
  }

  /** Sets what the command does. */
  action(action: (options: Options, ...args: Arguments) => unknown): this {
    this.#action = action;
    return this;
  }

  /** Sets what is done before the action, of this command and of those below it. */
  globalAction(action: (options: Options, ...args: any[]) => unknown): this {
    this.#globalAction = action;
    return this;
  }

  /** Adds a sub-command. */
  command(name: string, command: Command<any, any>): this {
    command.#name = name;
    command.#parent = this;
    this.#commands.set(name, command);
    return this;
  }

  /** The command's name. */
  getName(): string {
    return this.#name;
  }

  /** The names of this command and those above it. */
  getPath(): string {
    return this.#parent === undefined ? this.#name : `${this.#parent.getPath()} ${this.#name}`;
  }

  /** The first line of the description. */
  getShortDescription(): string {
    return this.#description.trim().split("\n", 1)[0];
  }

  /** The arguments as defined. */
  getArgsDefinition(): string | undefined {
    return this.#arguments.length === 0
      ? undefined
      : this.#arguments.map(({ raw }) => raw).join(" ");
  }

  /** The sub-commands that the help shows. */
  getCommands(): Command<any, any>[] {
    return [...this.#commands.values()].filter((command) => !command.#hidden);
  }

  /** A sub-command by name or alias. */
  getCommand(name: string): Command<any, any> | undefined {
    return this.#commands.get(name) ??
      [...this.#commands.values()].find((command) => command.#aliases.includes(name));
  }

  #allOptions(): OptionDefinition[] {
    const inherited: OptionDefinition[] = [];
    for (let up = this.#parent; up !== undefined; up = up.#parent) {
      inherited.push(...up.#options.filter(({ global }) => global));
    }
    const plain = {
      aliases: [],
      value: undefined,
      hidden: false,
      global: true,
      default: undefined,
      collect: false,
    };
    const own: OptionDefinition[] = [
      { ...plain, short: "h", long: "help", description: "Show this help." },
    ];
    if (this.#version !== undefined) {
      const description = "Show the version number for this program.";
      own.push({ ...plain, short: "V", long: "version", description });
    }
    return [...own, ...inherited, ...this.#options];
  }

  #inherited<T>(read: (command: Command<any, any>) => T | undefined): T | undefined {
    return read(this) || (this.#parent && this.#parent.#inherited(read));
  }

  /** The help as text. */
  getHelp(options?: HelpOptions): string {
    return helpText({
      path: this.getPath(),
      usage: this.#usage ?? this.getArgsDefinition() ?? "",
      version: this.#inherited((command) => command.#version),
      description: this.#description,
      options: this.#allOptions().filter(({ hidden }) => !hidden),
      commands: this.getCommands().map((command) => ({
        names: [command.#name, ...command.#aliases],
        arguments: command.getArgsDefinition() ?? "",
        description: command.getShortDescription(),
      })),
      examples: this.#examples,
    }, { ...this.#inherited((command) => command.#help), ...options });
  }

  /** Prints the help. */
  showHelp(options?: HelpOptions): void {
    console.log(this.getHelp(options));
  }

  /** Parses a command line and runs the command it names. */
  async parse(args: string[] = Deno.args): Promise<CommandResult> {
    let command: Command<any, any> = this as Command<any, any>;
    let rest = args;
    const leading: string[] = [];
    // Options that all commands have may come before the command's name.
    for (let taken; (taken = this.#leadingGlobal(rest)) > 0; rest = rest.slice(taken)) {
      leading.push(...rest.slice(0, taken));
    }
    for (let next; rest.length > 0 && (next = command.getCommand(rest[0])); rest = rest.slice(1)) {
      command = next;
    }
    try {
      return await command.#run([...leading, ...rest]);
    } catch (error) {
      if (!(error instanceof ValidationError) || this.#inherited((c) => c.#throwErrors)) {
        throw error;
      }
      command.showHelp();
      console.error(`  error: ${error.message}\n`);
      Deno.exit(error.exitCode);
    }
  }

  /** How many arguments a global option at the beginning takes up; 0 where there is none. */
  #leadingGlobal([first = "", ...others]: string[]): number {
    const [flag] = first.split("=", 1);
    const definition = this.#options.find((option) => option.global && isNamed(option, flag));
    if (definition === undefined) return 0;
    return definition.value === undefined || first.includes("=") || others.length === 0 ? 1 : 2;
  }

  async #runGlobalActions(options: Record<string, unknown>, args: unknown[]): Promise<void> {
    if (this.#parent !== undefined) await this.#parent.#runGlobalActions(options, args);
    await this.#globalAction?.(options, ...args);
  }

  async #run(args: string[]): Promise<CommandResult> {
    const { options, positionals, literal } = this.#parseOptions(args);
    const standalone = options.help ? "help" : options.version ? "version" : undefined;
    if (standalone !== undefined) {
      console.log(standalone === "help" ? this.getHelp() : this.#version);
      if (!this.#inherited((command) => command.#noExit)) Deno.exit(0);
      return { options, args: [], cmd: this, literal };
    }
    const values = this.#parsePositionals(positionals);
    await this.#runGlobalActions(options, values);
    await this.#action?.(options, ...values);
    return { options, args: values, cmd: this, literal };
  }

  #parseOptions(
    args: string[],
  ): { options: Record<string, unknown>; positionals: string[]; literal: string[] } {
    const definitions = this.#allOptions();
    const options: Record<string, unknown> = {};
    for (const { long, default: value } of definitions) {
      if (value !== undefined) options[camelCase(long)] = value;
      else if (long.startsWith("no-")) options[camelCase(long.slice(3))] = true;
    }
    const positionals: string[] = [];
    for (let at = 0; at < args.length; at++) {
      const text = args[at];
      if (text === "--") return { options, positionals, literal: args.slice(at + 1) };
      const match = /^(--?[a-zA-Z][\w-]*)(?:=(.*))?$/s.exec(text);
      if (match === null) {
        if (this.#stopEarly) return { options, positionals: args.slice(at), literal: [] };
        positionals.push(text);
        continue;
      }
      const [, flag, inline] = match;
      const definition = definitions.find((option) => isNamed(option, flag));
      if (definition === undefined) throw new ValidationError(`Unknown option "${flag}".`);
      const { long, value } = definition;
      if (value === undefined) {
        if (inline !== undefined) {
          throw new ValidationError(
            `Option "--${long}" doesn't take a value, but got "${inline}".`,
          );
        }
        if (long.startsWith("no-")) options[camelCase(long.slice(3))] = false;
        else options[camelCase(long)] = true;
      } else {
        const given = inline ?? args[++at];
        if (given === undefined) {
          throw new ValidationError(`Missing value for option "--${long}".`);
        }
        const name = camelCase(long);
        const converted = convert("Option", `--${long}`, value.type, given);
        options[name] = definition.collect
          ? [...(options[name] as unknown[] | undefined) ?? [], converted]
          : converted;
      }
    }
    return { options, positionals, literal: [] };
  }

  #parsePositionals(given: string[]): unknown[] {
    const expected = this.#arguments;
    if (expected.length === 0 && given.length > 0) {
      throw new ValidationError(
        this.#commands.size > 0
          ? `Unknown command "${given[0]}".`
          : `No arguments allowed for command "${this.getPath()}".`,
      );
    }
    const required = expected.filter(({ optional }) => !optional);
    if (given.length === 0 && required.length > 0) {
      const names = required.map(({ name }) => name).join(", ");
      throw new ValidationError(`Missing argument(s): ${names}`);
    }
    if (given.length < required.length) {
      throw new ValidationError(`Missing argument: ${required[given.length].name}`);
    }
    if (given.length > expected.length && !expected.at(-1)?.variadic) {
      throw new ValidationError(`Too many arguments: ${given.slice(expected.length).join(" ")}`);
    }
    return given.map((text, index) => {
      const { name, type } = expected[Math.min(index, expected.length - 1)];
      return convert("Argument", name, type, text);
    });
  }
}
