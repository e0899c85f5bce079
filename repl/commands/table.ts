/** All commands by name, and which of them a line means. */
import { UserError } from "../errors.ts";
import { globalNames } from "../prompt/global_names.ts";
import type { Command } from "./command.ts";
import { splitWords } from "./parse.ts";

/** A name of a command. */
export interface Entry {
  readonly name: string;
  readonly words: readonly string[];
  readonly command: Command;
  /** The arguments that the name stands for. */
  readonly args: readonly string[];
  readonly alias: boolean;
}

/** A line that is a command. */
export interface Call {
  readonly command: Command;
  /** Arguments and options, not yet told apart. */
  readonly args: readonly string[];
  /** Whether the name was abbreviated. */
  readonly abbreviated?: boolean;
  /** The name that was abbreviated, of a command that changes the target: it has to be asked for. */
  readonly doubtful?: string;
}

/** What code goes on with after a name: operators, and calls and properties with a blank before. */
const operator = /^(?:[=.([?+*/<>&|,;!:^%]|-(?![a-z-]|\d)|--?$)/i;

/** Words of the language that begin statements: such a line is code, whatever it resembles. */
const keyword =
  /^(?:abstract|async|await|break|case|catch|class|const|continue|debugger|declare|default|delete|do|else|enum|export|finally|for|function|if|import|interface|let|namespace|new|return|super|switch|this|throw|try|type|typeof|using|var|void|while|with|yield)$/;

/** Whether a line begins as a statement does. */
export function isStatement(line: string): boolean {
  return keyword.test(/^\s*(\w*)/.exec(line)![1]);
}

/** Names of LLDB and gdb for what there is not here. */
const absent =
  /^(?:b|br|break|breakpoint|tbreak|watchpoint|s|si|n|ni|step|stepi|next|nexti|finish|fin|until|run|r|thread\s+(?:step-[\w-]+|until|return|jump))(?:\s+[\w.:-]+)*$/;

/** Whether a line asks for breakpoints or steps in the words of other debuggers. */
export function isAbsent(line: string): boolean {
  return absent.test(line.trim());
}

/** Whether code can mean something by a name alone: it is in the global scope, or will be. */
function isGlobal(name: string): boolean {
  return globalNames.has(name) || name in globalThis;
}

/** The shortest abbreviation of a command's first word. */
const minAbbreviation = 2;

/** The commands by name. */
export class CommandTable {
  /** In the order in which the help lists them. */
  readonly #commands: Command[];
  #entries: readonly Entry[] | undefined;

  constructor(commands: readonly Command[]) {
    this.#commands = [...commands];
  }

  /** All commands. */
  get commands(): readonly Command[] {
    return this.#commands;
  }

  /** All names, those with more words first. */
  get entries(): readonly Entry[] {
    return this.#entries ??= this.#commands.flatMap((command) => {
      const names = [command.name, ...command.aliases ?? []];
      return names.map((alias, at): Entry => {
        const { name, args } = typeof alias === "string" ? { name: alias, args: [] } : alias;
        return { name, words: name.split(" "), command, args, alias: at > 0 };
      });
    }).sort((a, b) => b.words.length - a.words.length);
  }

  /** Adds a command of the user's, or replaces one.
   *
   * @throws UserError when a command of the prompt has that name
   */
  define(command: Command): void {
    const known = this.entries.find(({ name }) => name === command.name);
    if (known === undefined) this.#commands.push(command);
    else if (known.command.group === "own") {
      this.#commands[this.#commands.indexOf(known.command)] = command;
    } else throw new UserError(`${command.name} is taken: the prompt has a command of that name`);
    this.#entries = undefined;
  }

  /** The command that has exactly this name. */
  named(name: string): Command | undefined {
    return this.entries.find((entry) => entry.name === name)?.command;
  }

  /** The command that a line begins with; `undefined` where the line is code. */
  parse(line: string): Call | undefined {
    const text = line.trim();
    // `x/4gx $sp` is one word and `x /4gx $sp` two.
    const examine = /^x\s*(\/\d*[a-zA-Z]*)(?:\s+(.*))?$/s.exec(text);
    if (examine !== null && (examine[2] !== undefined || !isGlobal("x"))) {
      return { command: this.named("x")!, args: [examine[1], ...splitWords(examine[2] ?? "")] };
    }
    // LLDB's and gdb's `x $sp`, without a format: a dump.
    const plain = /^x\s+((?:-[a-zA-Z-]|[$&*\w(]).*)$/s.exec(text);
    if (plain !== null && !isGlobal("x") && !/^(?:in|instanceof|as|satisfies)\b/.test(plain[1])) {
      return { command: this.named("memory read")!, args: splitWords(plain[1]) };
    }
    // `p/x flags` too.
    const formatted = /^(p|print)\s*(\/\d*[a-zA-Z]+)\s+(.*)$/s.exec(text);
    if (formatted?.[2] === "/i" && !isGlobal(formatted[1])) {
      return this.parse(`x/i ${formatted[3]}`);
    }
    if (formatted !== null && !isGlobal(formatted[1])) {
      return { command: this.named("print")!, args: [`${formatted[2]} ${formatted[3]}`] };
    }
    const words = text.split(/\s+/);
    const [first, second = ""] = words;
    // gdb's shortest words.
    if (first === "i" && /^[a-z]/.test(second) && !isGlobal("i")) {
      return this.parse(`info${text.slice(1)}`);
    }
    if (first === "thread" && (isAbsent(text) || second === "continue")) return undefined;
    // gdb's letters, and its two ends of a range.
    const range =
      /^(disas|disassemble)((?:\s*\/[a-z]+)?)(?:\s+((?:[^,(]|\([^)]*\))+?)(?:,\s*(\+?)([^,]+))?)?$/
        .exec(text);
    if (range !== null && (range[2] !== "" || range[5] !== undefined)) {
      return { command: this.named("disassemble")!, args: gdbRange(range) };
    }
    // No addresses are found by lines.
    if (/^info line (?:.*:)?\d+$/.test(text)) return undefined;
    const sought = /^find(?:\s*\/(\w*))?\s+([^,]+),\s*([^,]+),\s*(.+)$/s.exec(text);
    if (sought !== null) return { command: this.named("memory find")!, args: gdbFind(sought) };
    // gdb's stacks of all threads, of some frames each.
    const stacks = /^(?:thread apply all|t a a) bt (\d+)$/.exec(text);
    if (stacks !== null) return this.parse(`bt all --limit ${stacks[1]}`);
    // gdb's outermost frames.
    if (/^(?:bt|backtrace|where|thread apply all bt|t a a bt)\s(?:.*\s)?-\d+(?:\s|$)/s.test(text)) {
      return this.parse(text.replace(/\s-(?=\d)/, " --outermost "));
    }
    if (/^(?:thread|frame) apply\b(?! all bt\b)/.test(text)) return undefined;
    if (!/^[.?a-z][\w?-]*$/i.test(first)) return undefined;
    // An assignment makes a variable of any name.
    if (/^(?:=(?!=)|=>|[-+*/%&|^]=)/.test(second)) return undefined;
    for (const { words: names, command, args, alias } of this.entries) {
      if (!names.every((name, at) => words[at] === name)) continue;
      const next = words[names.length] ?? "";
      // These two take numbers: `frame var` and `thread sel 2` are names that were cut short.
      if (
        names.length === 1 && (first === "frame" || first === "thread") &&
        /^[a-z][a-z-]+$/.test(next)
      ) {
        const call = this.#shortened(text, words);
        if (call !== undefined) return call;
      }
      if (names.length === 1 && isGlobal(first)) {
        const path = command.arguments?.[0]?.kind === "file" && /^(?:\.{0,2}|~)\//.test(next);
        if (!path && operator.test(next)) return undefined;
        // A variable that has the name of an alias or of one letter is meant when it stands alone.
        if ((alias || command.name.length === 1) && next === "") return undefined;
      }
      return { command, args: [...args, ...argumentsOf(command, text, names.length)] };
    }
    return this.#abbreviated(text, words);
  }

  /** The length of the command's name that a line begins with; 0 where it is code. */
  nameLength(line: string): number {
    const text = line.trimStart();
    try {
      const call = this.parse(text);
      if (call === undefined) return 0;
      const found = this.entries.find(({ name, command }) =>
        command === call.command && text.startsWith(name) && !/^\w/.test(text.slice(name.length))
      );
      return found?.name.length ?? /^\S*/.exec(text)![0].length;
    } catch {
      return 0;
    }
  }

  /** A command of two words by its first one and the beginning of the second. */
  #shortened(text: string, [first, second]: readonly string[]): Call | undefined {
    const fitting = this.entries.filter(({ words }) =>
      words.length === 2 && words[0] === first && words[1].startsWith(second)
    );
    const [entry] = fitting;
    if (entry === undefined) return undefined;
    if (new Set(fitting.map(({ command }) => command)).size > 1) {
      const names = [...new Set(fitting.map(({ name }) => `\`${name}\``))].sort().join(", ");
      throw new UserError(`${first} ${second} may be ${names}`);
    }
    const { command, args, name } = entry;
    const call = { command, args: [...args, ...argumentsOf(command, text, 2)], abbreviated: true };
    return command.changes ? { ...call, doubtful: name } : call;
  }

  /** A command by the beginnings of its words, such as `re r` and `th list`. */
  #abbreviated(text: string, words: readonly string[]): Call | undefined {
    const [first] = words;
    if (
      first.length < minAbbreviation || !/^[a-z]+$/.test(first) || keyword.test(first) ||
      isGlobal(first) || isAbsent(text) || operator.test(words[1] ?? "")
    ) return undefined;
    const fitting = this.entries.filter(({ words: names }) =>
      names.length <= words.length && names.every((name, at) => name.startsWith(words[at]))
    );
    const [longest] = fitting;
    if (longest === undefined) return undefined;
    // Names of as many words count; `th` alone may be `thread` or `threads`.
    const best = fitting.filter(({ words: names }) => names.length === longest.words.length);
    const names = [...new Set(best.map(({ name }) => name))].sort().slice(0, 6);
    const list = names.map((name) => `\`${name}\``).join(", ");
    if (new Set(best.map(({ command }) => command)).size > 1) {
      throw new UserError(`${first} may be ${list}`);
    }
    const rest = argumentsOf(longest.command, text, longest.words.length);
    const call = {
      command: longest.command,
      args: [...longest.args, ...rest],
      abbreviated: true,
    };
    return longest.command.changes ? { ...call, doubtful: longest.name } : call;
  }

  /** The names that begin with a word which alone is no command: `image` has `image list`.
   *
   * @param isCode whether it may be code: a global's name is none then. Node's `process` means nothing here
   */
  subcommands(line: string, isCode = true): readonly string[] {
    const [first] = line.trim().split(/\s+/);
    if (!/^[a-z-]+$/.test(first)) return [];
    if (isCode && isGlobal(first) && line.trim() !== "process") return [];
    const names = this.entries.filter(({ words }) => words.length > 1 && words[0] === first)
      .map(({ name }) => name);
    return [...new Set(names)].sort();
  }

  /** The names nearest to what was typed. */
  suggestions(line: string): readonly string[] {
    const typed = line.trim().split(/\s+/);
    if (!/^[a-z][\w-]{1,30}$/i.test(typed[0]) || keyword.test(typed[0])) return [];
    const near = this.entries.map(({ name, words }) => {
      const text = typed.slice(0, words.length).join(" ").toLowerCase();
      return { name, distance: editDistance(text, name) };
    }).filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 4)));
    const nearest = Math.min(...near.map(({ distance }) => distance));
    const best = near.filter(({ distance }) => distance === nearest);
    // Among names that are equally near, the one that covers more of the line is meant.
    const words = Math.max(...best.map(({ name }) => name.split(" ").length));
    const names = best.map(({ name }) => name).filter((name) => name.split(" ").length === words);
    return [...new Set(names)].slice(0, 3);
  }
}

/** The arguments of `disassemble` for gdb's `disas /r start,+length`. Options of ours may stand behind them. */
function gdbRange([, , letters = "", first, sign, last]: readonly string[]): string[] {
  const options = /(?:^|\s+)(--?[a-z].*)$/s.exec(last ?? first ?? "");
  const bare = (text: string | undefined) =>
    text?.slice(0, options === null ? undefined : -options[0].length);
  const start = last === undefined ? bare(first) || undefined : first;
  const end = bare(last);
  const to = sign === "+" ? `${start} + ${end}` : end;
  return [
    ...splitWords(options?.[1] ?? ""),
    ...(letters.includes("r") ? ["--bytes"] : []),
    ...(/[ms]/.test(letters) ? ["--mixed"] : []),
    ...(start === undefined ? [] : [...(end === undefined ? [] : ["--start"]), start]),
    ...(to === undefined ? [] : ["--end", to]),
  ];
}

/** The arguments of `memory find` for gdb's `find /h start, +length, value`. */
function gdbFind([, letters = "", start, to, value]: readonly string[]): string[] {
  const size = { b: "u8", h: "u16", w: "u32", g: "u64" }[/[bhwg]/.exec(letters)?.[0] ?? ""];
  const count = /\d+/.exec(letters)?.[0];
  const [word] = splitWords(value);
  const isText = /^["']/.test(value);
  // As in C, a number is an int where it fits.
  const as = size ?? (Number(value) < 2 ** 32 ? "u32" : "u64");
  return [
    ...(count === undefined ? [] : ["--count", count]),
    ...(isText ? ["--text", word] : ["--as", as, "--expression", value.trim()]),
    "--",
    start.trim(),
    to.trim(),
  ];
}

/** The arguments after the words of a command's name. */
function argumentsOf(command: Command, text: string, skip: number): string[] {
  let rest = text;
  for (let word = 0; word < skip; word++) rest = rest.replace(/^\S+\s*/, "");
  if (command.syntax === "code") return rest === "" ? [] : [rest];
  return splitWords(rest);
}

/** The Damerau-Levenshtein distance, optimal string alignment: how many letters must be changed,
 * added, left out or swapped with their neighbour. */
export function editDistance(a: string, b: string): number {
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
