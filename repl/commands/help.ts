/** The help of the commands. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { cut } from "../edit/width.ts";
import { UserError } from "../errors.ts";
import { optionsAt } from "../options.ts";
import type { Style } from "../view/style.ts";
import { type Command, groups } from "./command.ts";
import { usage } from "./parse.ts";
import type { CommandTable } from "./table.ts";

/** The columns of a command's name and arguments in the list. */
const nameColumns = 26;

/** On a screen narrower than this, what a command does goes below its name. */
const wideColumns = 60;

/** All commands, by group. */
export function helpLines(table: CommandTable, style: Style, columns: number): SafeText[] {
  const lines: SafeText[] = [];
  const wide = columns >= wideColumns;
  for (const [group, title] of Object.entries(groups)) {
    const commands = table.commands.filter((command) => command.group === group);
    if (commands.length === 0) continue;
    if (lines.length > 0) lines.push(safe``);
    lines.push(style("heading", escape(title)));
    for (const command of commands) {
      const name = `${command.name} ${usage(command)}`.trimEnd();
      if (wide && name.length <= nameColumns) {
        lines.push(escape(cut(`  ${name.padEnd(nameColumns)}  ${command.help}`, columns)));
        continue;
      }
      lines.push(escape(cut(`  ${name}`, columns)));
      lines.push(escape(cut(`${" ".repeat(wide ? nameColumns + 4 : 4)}${command.help}`, columns)));
    }
  }
  return [
    ...lines,
    safe``,
    safe`\`help <command>\` says more; LLDB's and gdb's names do too. Tab completes, Ctrl-R searches.`,
    safe`Anything else is TypeScript, over \`target\`, \`threads\`, \`thread\` and \`frame\`:`,
    safe`  target.threads.filter((t) => t.state === "running").map((t) => t.name)`,
  ];
}

/** One command.
 *
 * @throws UserError when there is none of that name
 */
export function commandHelp(table: CommandTable, style: Style, text: string): SafeText[] {
  const command = table.named(text) ?? parsed(table, text);
  if (command === undefined) {
    const names = table.subcommands(text);
    if (names.length > 0) return names.map((name) => escape(`  ${name}`));
    const near = table.suggestions(text).map((name) => `\`${name}\``).join(" or ");
    throw new UserError(`there is no command ${text}${near && `: did you mean ${near}?`}`);
  }
  const { name, help, details = [], example, aliases = [] } = command;
  const others = aliases.map((alias) => typeof alias === "string" ? alias : alias.name);
  const head = style("heading", escape(name));
  const form = usage(command);
  return [
    form === "" ? head : safe`${head} ${escape(form)}`,
    ...[help, ...details, ...optionLines(command)].map((line) => escape(`  ${line}`)),
    ...(command.group === "own" ? [] : [escape(`  example: ${example}`)]),
    ...(others.length === 0 ? [] : [escape(`  also: ${others.join(", ")}`)]),
  ];
}

/** The options of a command, one a line. */
function optionLines({ options = {} }: Command): string[] {
  const rows = Object.entries(optionsAt("prompt", options)).map(([name, option]) => {
    const letter = option.short === undefined ? "" : `-${option.short}, `;
    const value = option.value === undefined ? "" : ` <${option.value}>`;
    const names = [name, ...option.aliases ?? []].map((name) => `--${name}`).join(", ");
    return [`${letter}${names}${value}`, option.help];
  });
  const width = Math.max(0, ...rows.map(([names]) => names.length));
  return rows.map(([names, help]) => `${names.padEnd(width)}  ${help}`);
}

/** The command that a text begins with. */
function parsed(table: CommandTable, text: string): Command | undefined {
  if (table.subcommands(text).length > 0) return undefined;
  try {
    return table.parse(text)?.command;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
