/** What the prompt says of its commands. */
import { escape } from "../../lib/escape.ts";
import { entries, families, parseCommand, subcommands, suggestions } from "../commands/mod.ts";
import type { PromptCommand } from "../commands/mod.ts";
import { cut } from "../edit/width.ts";
import { UserError } from "../errors.ts";
import type { Session } from "./session.ts";

/** All commands, by family. */
export function helpLines(session: Session): string[] {
  const { columns } = session.ui.size();
  const lines: string[] = [];
  // Its options are for who asks for more.
  const written = ({ name, usage }: PromptCommand) =>
    `${name} ${usage.replace(/ ?\[-[^\]]*\]/g, "").trim()}`.trimEnd();
  const width = 26;
  for (const { title, commands } of families) {
    if (commands.length === 0) continue;
    lines.push("", session.style("heading", title));
    for (const command of commands) {
      const text = escape(written(command));
      const help = escape(command.help);
      if (text.length <= width && columns >= 60) {
        lines.push(cut(`  ${text.padEnd(width)}  ${help}`, columns));
      } else {lines.push(
          cut(`  ${text}`, columns),
          cut(`  ${" ".repeat(columns >= 60 ? width : 2)}  ${help}`, columns),
        );}
    }
  }
  return [
    ...lines.slice(1),
    "",
    "`help <command>` says more; LLDB's and gdb's names do too. Tab completes, Ctrl-R searches.",
    "Anything else is TypeScript, over `target`, `threads`, `thread` and `frame`:",
    '  target.threads.filter((t) => t.state === "running").map((t) => t.name)',
  ];
}

/** One command.
 *
 * @throws UserError when there is none of that name
 */
export function commandHelp(session: Session, text: string): string[] {
  const exact = entries().find(({ name }) => name === text)?.command;
  const command = exact ?? (subcommands(text).length > 0 ? undefined : tryParse(text));
  if (command === undefined) {
    const names = subcommands(text);
    if (names.length > 0) return names.map((name) => `  ${name}`);
    const near = suggestions(text).map((name) => `\`${name}\``).join(" or ");
    throw new UserError(`there is no command ${text}${near && `: did you mean ${near}?`}`);
  }
  const { name, usage, help, details = [], example, aliases = [] } = command;
  const others = aliases.map((alias) => typeof alias === "string" ? alias : alias.name);
  return [
    `${session.style("heading", escape(name))} ${escape(usage)}`.trimEnd(),
    `  ${escape(help)}`,
    ...details.map((line) => `  ${escape(line)}`),
    ...(example === undefined ? [] : [`  example: ${example}`]),
    ...(others.length === 0 ? [] : [`  also: ${others.join(", ")}`]),
  ];
}

function tryParse(text: string): PromptCommand | undefined {
  try {
    return parseCommand(text)?.command;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
