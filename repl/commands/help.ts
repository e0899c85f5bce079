/** The help of the commands. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { cut } from "../edit/width.ts";
import { wrapped } from "../view/text.ts";
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

/** The names of all commands by group, on one screen. */
export function helpLines(table: CommandTable, style: Style, columns: number): SafeText[] {
  const lines: SafeText[] = [];
  for (const [group, title] of Object.entries(groups)) {
    const names = table.commands.filter((command) => command.group === group)
      .map(({ name }) => name);
    if (names.length === 0) continue;
    lines.push(style("heading", escape(title)));
    for (const line of wrapped(escape(`  ${names.join(", ")}`), columns)) lines.push(line);
  }
  const footer = [
    "`help <command>` says more; LLDB's and gdb's names do too. `help all` lists what each does.",
    "Anything else is TypeScript, over `target`, `threads`, `thread` and `frame`:",
    '  threads.filter((t) => t.state === "running").map((t) => t.name)',
    "Tab completes, Ctrl-R searches the history, Ctrl-C pauses the target.",
  ];
  return [...lines, safe``, ...footer.flatMap((line) => wrapped(escape(line), columns))];
}

/** All commands and what they do, by group. */
export function allHelpLines(table: CommandTable, style: Style, columns: number): SafeText[] {
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
  return lines;
}

/** Subjects that are no commands here, and what there is instead. */
const subjects: readonly (readonly [name: RegExp, answer: readonly string[]])[] = [
  [/^(?:b|br|break|breakpoints?|tbreak|watchpoints?|rbreak)$/, [
    "There are no breakpoints and no watchpoints: machpause looks at a process that is paused or runs.",
    "`pause` stops every thread, now; `top` and `hang` show what runs and what waits over some time.",
    "To stop at a line, use LLDB: `lldb -p PID`, when machpause has let the process go.",
  ]],
  [/^(?:s|si|n|ni|step|stepi|next|nexti|finish|fin|until|thread (?:step|until).*|step-.*)$/, [
    "There are no single steps: `resume` lets the target run, `pause` stops it again.",
    "`up` and `down` go through the frames of the selected thread; `unwind` says how they were found.",
  ]],
  [/^(?:run|r|start)$/, [
    "`launch <program> [args…]` starts a program; options of `launch` go before the program.",
  ]],
  [/^(?:types?script|javascript|js|ts|language)$/, [
    "What is no command is TypeScript. `target`, `threads`, `thread` and `frame` are the prompt's own,",
    "and `$pc`, `$sp` and the other registers are those of the selected frame. `_` is the last result.",
    'An example: `threads.filter((t) => t.state === "running")`.',
  ]],
  [/^(?:keys|keyboard|editing)$/, [
    "Tab completes, and again goes through what fits. Up and Down go through what was typed before, after a",
    "beginning through what begins so; Ctrl-R searches. Alt-Enter begins another line. Ctrl-C pauses a running",
    "target and ends what takes long, Ctrl-Z suspends machpause, Ctrl-D leaves, Ctrl-\\ quits at once.",
  ]],
];

/** Words of other debuggers and of shells that are no commands here, and what there is instead. The first one
 * that a line begins with counts. */
const foreign: readonly (readonly [words: RegExp, answer: string])[] = [
  [
    /^(?:!|(?:platform )?shell\b|(?:ls|cd|pwd|cat|grep|ps|sudo|man|vim?)\b)/,
    "machpause runs no commands of the shell: Ctrl-Z suspends it, and `fg` brings it back",
  ],
  [
    /^(?::?w?q!?|:x|bye|logout|(?:quit|exit)\(\))$/,
    "`quit` leaves; so does Ctrl-D at an empty line",
  ],
  [
    /^info (?:types?|scope)\b/,
    "`ptype Item` shows what a type consists of, `v` the variables with their types",
  ],
  [
    /^type (?:summary|format|synthetic|category|filter)\b/,
    "`p/x` and `v -f x` choose a number's format; `defineFormatter` of TypeScript adds a summary for a type",
  ],
  [
    /^machpause\b/,
    "this is machpause's prompt: commands are typed without it, and subcommands in the shell, where Ctrl-Z leads",
  ],
  [
    /^(?:symbolicate|collect|convert|demangle|doctor|index|profile|query|serve|setup|snapshot|stackshot|view|completions)\b/,
    "that is a subcommand for the shell, where Ctrl-Z leads: `machpause --help` lists them",
  ],
  [
    /^(?:call|thread call|jump|advance|return|thread return|checkpoint|record|reverse-\w+)\b/,
    "nothing is called in the target, and its course is not changed: `p` evaluates expressions without calls",
  ],
  [
    /^(?:echo|output|printf|dprintf|inspect)\b/,
    "`p` prints a value, `p/x` in hexadecimal; `console.log(…)` of TypeScript prints any text",
  ],
  [
    /^(?:parray|poarray)\b/,
    "`p *list@5` and `v list[0-4]` show five elements; `x/5dw list` shows memory",
  ],
  [
    /^(?:un)?display\b/,
    "`watch counter` shows an expression's value again and again while the target runs",
  ],
  [
    /^info (?:b|br|break\w*|watch\w*|display)\b|^(?:catch|rbreak|watchpoint|[ra]watch|commands|condition|delete|disable|enable|ignore)\b/,
    "there are no breakpoints and no watchpoints: `pause` stops every thread; `watch counter` shows a value again and again",
  ],
  [
    /^info (?:source|line)\b/,
    "`frame` shows the file and the line, `source` the lines around it, `lookup main` where a function is",
  ],
  [
    /^info (?:files|target)\b|^(?:maint|maintenance)\b|^(?:image|target modules) (?:dump|show)\b|^(?:nm|objdump|readelf|otool)\b/,
    "`images` lists what is mapped, `regions` the address space; `machpause image FILE` shows what a file has",
  ],
  [
    /^(?:info (?:signals?|handle)|handle|signal|process (?:signal|handle)|info signals)\b/,
    "signals reach the target as without a debugger, and stop nothing here; `kill` ends what was launched",
  ],
  [
    /^set (?:var(?:iable)?\b|\$?[\w.>-]+\s*=)/,
    "`variable write counter 3` writes a variable; `register write` and `memory write` write the rest",
  ],
  [
    /^set (?:scheduler-locking|non-stop)\b|^thread continue\b/,
    "`thread suspend 2` holds one thread while the others run, `thread resume 2` lets it run; `resume` lets the target run",
  ],
  [
    /^(?:set|show|settings)\b/,
    "there are no settings but `theme` and `source map`; `--no-pager` and the other options are in `machpause --help`",
  ],
  [/^(?:start|starti|rerun|restart)\b/, "`launch <program> [args…]` starts a program"],
  [
    /^(?:file|exec-file|add-symbol-file|target (?:select|delete))\b/,
    "`launch <program>` starts one, `attach` looks at one that runs, `core <file>` opens a core; `symbols <folder>` adds debug information",
  ],
  [
    /^(?:python|py|script|guile)\b/,
    "the language here is TypeScript: what is no command runs as TypeScript",
  ],
  [/^(?:apropos|tutorial)\b/, "`help all` lists the commands and what each does"],
  [
    /^thread apply\b|^frame apply\b/,
    "`bt 1` and `bt all` show stacks; `threads.map(…)` is TypeScript over all threads",
  ],
  [
    /^(?:log|platform|plugin|session|statistics|gui|tui|layout|language|alias|command (?:alias|script)|trace|macro|info macros?)\b/,
    "that is LLDB's or gdb's alone: `help` lists what there is here",
  ],
];

/** What is said of a line that is no command and no code, where other programs have one that begins so. */
export function foreignAnswer(line: string): string | undefined {
  const text = line.trim().replace(/\s+/g, " ");
  return foreign.find(([words]) => words.test(text))?.[1];
}

/** The subjects of the help that are no commands. */
export const subjectNames: readonly string[] = ["all", "breakpoint", "keys", "step", "typescript"];

/** What is said of a subject that is no command; `undefined` where there is no such subject. */
export function subjectHelp(text: string): SafeText[] | undefined {
  const answer = subjects.find(([name]) => name.test(text.trim().toLowerCase()))?.[1];
  return answer?.map(escape);
}

/** The commands of a group, by the beginning of its title; `undefined` where there is none. */
function groupHelp(table: CommandTable, style: Style, text: string): SafeText[] | undefined {
  const word = text.trim().toLowerCase();
  const found = Object.entries(groups).find(([group, title]) =>
    group === word || title.toLowerCase() === word
  );
  if (found === undefined) return undefined;
  const [group, title] = found;
  const rows = table.commands.filter((command) => command.group === group);
  if (rows.length === 0) return undefined;
  return [
    style("heading", escape(title)),
    ...rows.map(({ name, help }) => escape(`  ${name.padEnd(16)}  ${help}`)),
  ];
}

/** One command.
 *
 * @throws UserError when there is none of that name
 */
export function commandHelp(table: CommandTable, style: Style, text: string): SafeText[] {
  const command = table.named(text) ?? (subjectHelp(text) ? undefined : parsed(table, text));
  if (command === undefined) {
    const answer = subjectHelp(text) ?? groupHelp(table, style, text);
    if (answer !== undefined) return answer;
    const known = foreignAnswer(text);
    if (known !== undefined) return [escape(known)];
    const names = table.subcommands(text, false);
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
