import { escape, type SafeText } from "../../lib/escape.ts";
import { UserError } from "../errors.ts";
import { type Option, type Options, optionsAt, promptOptions } from "../options.ts";
import { join } from "../view/text.ts";
import type { Subcommand } from "./subcommand.ts";

const shells = ["bash", "zsh", "fish"] as const;

/** `machpause completions`
 *
 * @param subcommands all of them
 * @param globalOptions those that all subcommands have
 */
export function completions(
  subcommands: Readonly<Record<string, () => Promise<{ readonly default: Subcommand }>>>,
  globalOptions: Options,
): Subcommand {
  return {
    description: "Print the completions for a shell: subcommands, options, files and processes.",
    arguments: "<shell:string>",
    examples: [
      ["bash, in ~/.bashrc", 'eval "$(machpause completions bash)"'],
      ["zsh, in ~/.zshrc after compinit", 'eval "$(machpause completions zsh)"'],
      ["fish", "machpause completions fish > ~/.config/fish/completions/machpause.fish"],
    ],
    async run(_options, [shell]) {
      if (!shells.some((known) => known === shell)) {
        throw new UserError(`there are completions for ${shells.join(", ")}, not for ${shell}`, 2);
      }
      const { print } = await import("../view/output.ts");
      const commands = await Promise.all(
        Object.entries(subcommands).map(async ([name, load]): Promise<Row> => {
          const { description, options = {}, arguments: given = "" } = (await load()).default;
          return {
            name,
            description: description.split("\n")[0],
            options: rows(options),
            takesProcess: /^[<[]target\b/.test(given),
          };
        }),
      );
      const always = rows({ ...promptOptions, ...globalOptions });
      print(scripts[shell as typeof shells[number]](commands, always));
      return 0;
    },
  };
}

/** A subcommand as the scripts name it. */
interface Row {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionRow[];
  readonly takesProcess: boolean;
}

interface OptionRow extends Option {
  readonly long: string;
}

function rows(table: Options): OptionRow[] {
  return Object.entries(optionsAt("cli", table)).map(([long, option]) => ({ ...option, long }));
}

/** All ways to write an option. */
function flags({ long, short, aliases = [] }: OptionRow): string[] {
  return [
    ...[long, ...aliases].map((name) => `--${name}`),
    ...short === undefined ? [] : [`-${short}`],
  ];
}

/** The names of this user's processes, and the targets that are words. */
const processes = "$(ps -u $(id -u) -o comm= | sed 's:.*/::') demo self";

/** Text between single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** `case` branches for the options that have values, from the commands that have them. */
function valueCases(
  commands: readonly Row[],
  always: readonly OptionRow[],
  choose: (choices: readonly string[]) => string,
): string {
  const seen = new Map<string, string>();
  for (const option of [...always, ...commands.flatMap(({ options }) => options)]) {
    if (option.value === undefined) continue;
    const action = option.choices === undefined ? undefined : choose(option.choices);
    for (const flag of flags(option)) if (action !== undefined) seen.set(flag, action);
  }
  return [...seen].map(([flag, action]) => `    ${flag}) ${action}; return;;`).join("\n");
}

function bash(commands: readonly Row[], always: readonly OptionRow[]): SafeText {
  const names = commands.map(({ name }) => name);
  const words = (options: readonly OptionRow[]) => options.map(({ long }) => `--${long}`).join(" ");
  const choose = (choices: readonly string[]) =>
    `COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$current"))`;
  return text(`# machpause's completions for bash
_machpause() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
    ${names.join("|")}) command="$word"; break;;
    esac
  done
  case "$before" in
${valueCases(commands, always, choose)}
  esac
  if [[ "$current" == -* ]]; then
    case "$command" in
${
    commands.map(({ name, options }) =>
      `    ${name}) COMPREPLY=($(compgen -W "${words([...options, ...always])}" -- "$current"));;`
    ).join("\n")
  }
    *) COMPREPLY=($(compgen -W "${words(always)} --help --version" -- "$current"));;
    esac
    return
  fi
  case "$command" in
  "") COMPREPLY=($(compgen -W "${names.join(" ")}" -- "$current"));;
  ${commands.filter(({ takesProcess }) => takesProcess).map(({ name }) => name).join("|")})
    COMPREPLY=($(compgen -W "${processes}" -- "$current"));;
  completions) COMPREPLY=($(compgen -W "${shells.join(" ")}" -- "$current")); return;;
  esac
  COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _machpause machpause
`);
}

function zsh(commands: readonly Row[], always: readonly OptionRow[]): SafeText {
  const names = commands.map(({ name }) => name);
  const words = (options: readonly OptionRow[]) => options.map(({ long }) => `--${long}`).join(" ");
  const choose = (choices: readonly string[]) => `compadd -- ${choices.join(" ")}`;
  return text(`#compdef machpause
# machpause's completions for zsh
_machpause() {
  local command="" word
  local -a commands=(
${commands.map(({ name, description }) => `    ${quote(`${name}:${description}`)}`).join("\n")}
  )
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in
    ${names.join("|")}) command="$word"; break;;
    esac
  done
  case "\${words[CURRENT-1]}" in
${valueCases(commands, always, choose)}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    case "$command" in
${
    commands.map(({ name, options }) =>
      `    ${name}) compadd -- ${words([...options, ...always])};;`
    ).join("\n")
  }
    *) compadd -- ${words(always)} --help --version;;
    esac
    return
  fi
  case "$command" in
  "") _describe command commands;;
  ${commands.filter(({ takesProcess }) => takesProcess).map(({ name }) => name).join("|")})
    compadd -- \${(f)"$(ps -u $(id -u) -o comm= | sed 's:.*/::')"} demo self;;
  completions) compadd -- ${shells.join(" ")}; return;;
  esac
  _files
}
compdef _machpause machpause
`);
}

function fish(commands: readonly Row[], always: readonly OptionRow[]): SafeText {
  const option = (row: OptionRow, when?: string) =>
    [
      "complete -c machpause",
      ...when === undefined ? [] : ["-n", quote(when)],
      ...[row.long, ...row.aliases ?? []].map((name) => `-l ${name}`),
      ...row.short === undefined ? [] : [`-s ${row.short}`],
      ...row.value === undefined ? [] : ["-r"],
      ...row.choices === undefined ? [] : ["-f", "-a", quote(row.choices.join(" "))],
      "-d",
      quote(row.help),
    ].join(" ");
  return text([
    "# machpause's completions for fish",
    ...always.map((row) => option(row)),
    ...commands.flatMap(({ name, description, options, takesProcess }) => {
      const seen = `__fish_seen_subcommand_from ${name}`;
      return [
        `complete -c machpause -n __fish_use_subcommand -a ${name} -d ${quote(description)}`,
        ...takesProcess
          ? [
            `complete -c machpause -n ${quote(seen)} -a ${
              quote(processes.replace("$(ps", "(ps").replace("$(id", "(id"))
            }`,
          ]
          : [],
        ...options.map((row) => option(row, seen)),
      ];
    }),
    `complete -c machpause -n '__fish_seen_subcommand_from completions' -f -a '${
      shells.join(" ")
    }'`,
    "",
  ].join("\n"));
}

const scripts = { bash, zsh, fish } as const;

/** Our own text, line by line. */
function text(script: string): SafeText {
  return join(script.split("\n").map(escape), "\n");
}
