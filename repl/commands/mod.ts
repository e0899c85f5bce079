/** The commands of the prompt, and which of them a line means.
 *
 * @module
 */
import { UserError } from "../errors.ts";
import type { Session } from "../prompt/session.ts";
import { type Family, type PromptCommand, splitWords } from "./command.ts";
import { frames } from "./frames.ts";
import { images } from "./images.ts";
import { memory } from "./memory.ts";
import { prompt } from "./prompt.ts";
import { target } from "./target.ts";
import { threads } from "./threads.ts";

export type { ArgumentKind, Family, PromptCommand } from "./command.ts";
export { splitWords } from "./command.ts";
export { coreLines } from "./target.ts";

/** What the user's own code defined. */
const own: PromptCommand[] = [];

/** The commands, in the order in which the help lists them. */
export const families: readonly Family[] = [
  target,
  threads,
  frames,
  memory,
  images,
  prompt,
  { title: "Your own", commands: own },
];

/** All commands. */
export function allCommands(): readonly PromptCommand[] {
  return families.flatMap(({ commands }) => commands);
}

/** What {@linkcode defineCommand} takes.
 *
 * @example
 * ```ts
 * import { type CommandDefinition, defineCommand } from "@machpause/machpause/repl";
 *
 * const greet: CommandDefinition = {
 *   help: "greets somebody",
 *   usage: "NAME",
 *   complete: (word) => ["Ada", "Grace"].filter((name) => name.startsWith(word)),
 *   run: (name) => `hello, ${name}`,
 * };
 * defineCommand("greet", greet);
 * ```
 */
export interface CommandDefinition {
  /** What it does, as half a sentence. */
  readonly help?: string;
  /** Its arguments, as the help shows them. */
  readonly usage?: string;
  /** What may stand where `word` does, after `args`. */
  complete?(word: string, args: readonly string[]): readonly string[] | Promise<readonly string[]>;
  /** Does it. What it returns is shown as any value is; a string as it is. */
  run(...args: string[]): unknown;
}

/** Defines a command, or another one in the place of one so defined.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 * import { defineCommand, startRepl } from "@machpause/machpause/repl";
 *
 * using target = await attach("MyApp");
 * const run = () => target.threads.filter(({ state }) => state === "running").join("\n");
 * defineCommand("busy", { help: "shows the threads that run", run });
 * await startRepl({ target });
 * ```
 * @param name one or more words
 * @throws UserError for a name that is none, or taken
 */
export function defineCommand(name: string, definition: CommandDefinition): void {
  if (!/^[a-z][\w-]*(?: [a-z][\w-]*)*$/i.test(name)) {
    throw new UserError(`${name} is no name for a command: use words`);
  }
  if (typeof definition?.run !== "function") throw new UserError(`${name} needs a \`run\``);
  const known = own.findIndex((command) => command.name === name);
  const { help = "your own command", usage = "", complete, run } = definition;
  const command: PromptCommand = {
    name,
    usage,
    help,
    ...(complete === undefined
      ? { takes: ["text"] }
      : { complete: (_session, args, word) => complete(word, args) }),
    async run(session, args) {
      const value = await run(...args);
      return await session.shown(value);
    },
  };
  if (known >= 0) own[known] = command;
  else if (entries().some((entry) => entry.name === name)) {
    throw new UserError(`${name} is taken: the prompt has a command of that name`);
  } else own.push(command);
  index = undefined;
}

/** A name that a command goes by. */
interface Entry {
  readonly name: string;
  readonly words: readonly string[];
  readonly command: PromptCommand;
  /** What the name stands for beside the command. */
  readonly args: readonly string[];
  readonly alias: boolean;
}

let index: readonly Entry[] | undefined;

/** All names, those with more words first. */
export function entries(): readonly Entry[] {
  return index ??= allCommands().flatMap((command) => {
    const names = [command.name, ...command.aliases ?? []];
    return names.map((alias, at): Entry => {
      const { name, args } = typeof alias === "string" ? { name: alias, args: [] } : alias;
      return { name, words: name.split(" "), command, args, alias: at > 0 };
    });
  }).sort((a, b) => b.words.length - a.words.length);
}

/** A line that is a command. */
export interface ParsedCommand {
  readonly command: PromptCommand;
  readonly args: string[];
}

/** What code goes on with after a name: operators, and calls and properties with a blank before. */
const operator = /^(?:[=.([?+*/<>&|,;!:^%]|-(?![a-z-]|\d)|--?$)/i;

/** The globals that the session has put there itself, whose names are commands first. */
const sessions = new Set(["target", "threads", "thread", "frame", "self", "attach", "launch"]);

/** Whether code can mean something by a name alone: it is in the global scope. */
function isGlobal(name: string): boolean {
  return sessions.has(name) || name in globalThis;
}

/** The command that a line begins with, and its arguments; `undefined` where the line is code. */
export function parseCommand(line: string): ParsedCommand | undefined {
  const text = line.trim();
  // `x/4gx $sp` is two words to gdb's users, and one to everybody else.
  const examine = /^x\s*(\/\d*[a-zA-Z]*)(?:\s+(.*))?$/s.exec(text);
  if (examine !== null && (examine[2] !== undefined || !isGlobal("x"))) {
    const command = entries().find(({ name }) => name === "x")!.command;
    return { command, args: [examine[1], ...splitWords(examine[2] ?? "")] };
  }
  const words = text.split(/\s+/);
  const [first, second = ""] = words;
  if (!/^[.?a-z][\w?-]*$/i.test(first)) return undefined;
  // An assignment makes a variable, whatever its name.
  if (/^(?:=(?!=)|=>|[-+*/%&|^]=)/.test(second)) return undefined;
  for (const { words: names, command, args, alias } of entries()) {
    if (!names.every((name, at) => words[at] === name)) continue;
    const next = words[names.length] ?? "";
    if (names.length === 1 && isGlobal(first)) {
      const path = command.takes?.[0] === "file" && /^(?:\.{0,2}|~)\//.test(next);
      if (!path && operator.test(next)) return undefined;
      // A variable that happens to have a short name is meant when it stands alone.
      if ((alias || command.name.length === 1) && next === "" && !sessions.has(first)) {
        return undefined;
      }
    }
    return { command, args: [...args, ...argumentsOf(command, text, names.length)] };
  }
  return abbreviated(text, words);
}

/** The arguments after so many words. */
function argumentsOf(command: PromptCommand, text: string, skip: number): string[] {
  let rest = text;
  for (let word = 0; word < skip; word++) rest = rest.replace(/^\S+\s*/, "");
  if (command.raw) return rest === "" ? [] : [rest];
  return splitWords(rest);
}

/** Whether a line is what other debuggers taught fingers to type, and what there is not here. */
export function isAbsent(line: string): boolean {
  return absent.test(line.trim());
}

const absent =
  /^(?:b|br|break|breakpoint|tbreak|watch|watchpoint|s|si|n|ni|step|stepi|next|nexti|finish|fin|until|run|r)(?:\s+[\w.:-]+)*$/;

/** A command by the beginnings of its words, as in `re r` and `th list`. */
function abbreviated(text: string, words: readonly string[]): ParsedCommand | undefined {
  const [first] = words;
  if (
    isGlobal(first) || isAbsent(text) || !/^[a-z]+$/.test(first) || operator.test(words[1] ?? "")
  ) return undefined;
  const fitting = entries().filter(({ words: names }) =>
    names.length <= words.length && names.every((name, at) => name.startsWith(words[at]))
  );
  const [longest] = fitting;
  if (longest === undefined) return undefined;
  // Those with as many words count; and of these, each command once.
  const best = fitting.filter(({ words: names }) => names.length === longest.words.length);
  // A name that is the beginning of others is not all that may be meant: `th` is thread or threads.
  const commands = new Set(best.map(({ command }) => command));
  if (commands.size > 1) {
    // Words of more than one: the language may know better what they are.
    if (words.length === 1 && first.length < 2) return undefined;
    const names = [...new Set(best.map(({ name }) => name))].sort().slice(0, 6);
    throw new UserError(`${first} may be ${names.map((name) => `\`${name}\``).join(", ")}`);
  }
  return {
    command: longest.command,
    args: [...longest.args, ...argumentsOf(longest.command, text, longest.words.length)],
  };
}

/** Whether a line begins with words that commands begin with, and no command is meant: `image` alone. */
export function subcommands(line: string): readonly string[] {
  const words = line.trim().split(/\s+/);
  if (!/^[a-z-]+$/.test(words[0]) || isGlobal(words[0])) return [];
  return [
    ...new Set(
      entries().filter(({ words: names }) => names.length > 1 && names[0] === words[0])
        .map(({ name }) => name),
    ),
  ].sort();
}

/** The names that are nearest to a word which is none. */
export function suggestions(line: string): readonly string[] {
  const typedWords = line.trim().split(/\s+/);
  if (!/^[a-z][\w-]{1,30}$/i.test(typedWords[0])) return [];
  const near = entries().map(({ name, words: names }) => {
    const typed = typedWords.slice(0, names.length).join(" ").toLowerCase();
    return { name, distance: distance(typed, name) };
  }).filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 4)));
  const nearest = Math.min(...near.map(({ distance }) => distance));
  const best = near.filter(({ distance }) => distance === nearest);
  // Of two that are as near the one that takes more of the line in is meant.
  const words = Math.max(...best.map(({ name }) => name.split(" ").length));
  const names = best.map(({ name }) => name).filter((name) => name.split(" ").length === words);
  return [...new Set(names)].slice(0, 3);
}

/** How many letters must be changed, added, left out or swapped to make one of the other. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      let value = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        value = Math.min(value, before[j - 2] + 1);
      }
      next.push(value);
    }
    before = row;
    row = next;
  }
  return row[b.length];
}

/** Runs a command of a session; its lines. */
export async function runCommand(
  session: Session,
  { command, args }: ParsedCommand,
): Promise<readonly string[]> {
  session.interrupt = undefined;
  try {
    return await command.run(session, args);
  } finally {
    session.interrupt = undefined;
  }
}
