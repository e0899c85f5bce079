/** Completion of what was typed: commands and their arguments, and properties of objects. */
import {
  type ArgumentKind,
  type Call,
  type Command,
  commands,
  splitWords,
} from "../commands/mod.ts";
import type { Completion } from "../edit/editor.ts";
import { scalarTypes } from "../commands/values.ts";
import { type Option, type Options, optionsAt } from "../options.ts";
import type { Session } from "./session.ts";

/** Maximum number of candidates. */
const maxCandidates = 300;

const nothing: Completion = { start: 0, candidates: [] };

/** The candidates at the cursor. The target is not stopped, and none of the user's code runs. */
export async function complete(
  session: Session,
  text: string,
  cursor: number,
): Promise<Completion> {
  const lineStart = text.lastIndexOf("\n", cursor - 1) + 1;
  const head = text.slice(lineStart, cursor);
  const word = /(?:"[^"]*|'[^']*|\S*)$/.exec(head)![0];
  const start = cursor - word.length;
  const before = splitWords(head.slice(0, head.length - word.length));
  // The words before decide the command: the last one may become part of a longer name.
  const parsed = lineStart === 0 && before.length > 0
    ? parsedCommand(head.slice(0, head.length - word.length))
    : undefined;
  const names = lineStart === 0 ? commandWords(before, word) : [];
  if (parsed !== undefined && parsed.command.syntax !== "code") {
    const completed = await argumentCandidates(session, parsed, before, word);
    const candidates = [...new Set([...names, ...completed.candidates])];
    if (candidates.length > 0 || completed.more > 0) {
      return { start, candidates, more: completed.more, suffix: " " };
    }
    return nothing;
  }
  if (names.length > 0 && before.length > 0) return { start, candidates: names, suffix: " " };
  // Only an expression over the program's variables has a format.
  const isFormatted = /^(?:p|print)\s*\/[a-zA-Z]+\s/.test(head);
  const isPrinted = parsed?.command.name === "print" || isFormatted;
  const path = isPrinted ? variablePath.exec(head)?.[0] ?? "" : "";
  const ofProgram = isPrinted && session.maybeTarget !== undefined
    ? await candidatesOf(session, "variable", path)
    : none;
  if (isFormatted || /\W/.test(path) && ofProgram.candidates.length > 0) {
    return { start: cursor - path.length, ...ofProgram };
  }
  // Not the decimal point of a number.
  const dot = /(?<!(?:^|[^\w$])\d+)\??\.([A-Za-z_$][\w$]*)?$/.exec(head);
  if (dot !== null) {
    const { propertyNames } = await import("./properties.ts");
    const [, prefix = ""] = dot;
    // Code of several lines is one expression.
    const before = text.slice(0, lineStart + dot.index);
    return { start: cursor - prefix.length, candidates: propertyNames(session, before, prefix) };
  }
  const identifier = /(?:^|[^\w$.])([A-Za-z_$][\w$]*)$/.exec(head)?.[1] ?? "";
  const variables = identifier === "" ? [] : globalNames(session, identifier);
  if (before.length === 0) {
    const candidates = [...new Set([...names, ...variables])].sort();
    if (candidates.length === 1 && names.includes(candidates[0])) {
      return { start, candidates, suffix: " " };
    }
    return { start: names.length > 0 ? start : cursor - identifier.length, candidates };
  }
  const candidates = [...new Set([...ofProgram.candidates, ...variables])].sort();
  return { start: cursor - identifier.length, candidates };
}

/** The names and members at the end of an expression over the program's variables. */
const variablePath = /[A-Za-z_][\w$]*(?:(?:\.|->)[\w$]*|\[\w*\])*$/;

function parsedCommand(head: string): Call | undefined {
  try {
    return commands.parse(head);
  } catch {
    return undefined;
  }
}

/** The next words of commands whose names begin with the words so far. */
function commandWords(before: readonly string[], word: string): string[] {
  const at = before.length;
  const found = commands.entries.filter(({ name, words, command, alias }) =>
    // A name that is only the beginning of the command's own adds nothing.
    !(alias && command.name.startsWith(name)) && words.length > at && words[at].startsWith(word) &&
    before.every((word, at) => words[at] === word)
  ).map(({ words }) => words[at]);
  return [...new Set(found)].filter((name) => /^[\w.?-]{2,}$/.test(name)).sort();
}

/** Names in the global scope: the user's variables, the API, the language's own. */
function globalNames(session: Session, prefix: string): string[] {
  return Object.getOwnPropertyNames(globalThis)
    .filter((name) => name.startsWith(prefix) && /^[A-Za-z_$][\w$]*$/.test(name))
    .filter((name) => !name.startsWith("__machpause"))
    .filter((name) => name[0] !== "$" || isRegister(session, name))
    .sort();
}

/** Whether a global is no register of another architecture. */
function isRegister(session: Session, name: string): boolean {
  if (session.maybeTarget === undefined) return false;
  const isGetter = Object.getOwnPropertyDescriptor(globalThis, name)?.get !== undefined;
  return !isGetter || registerNames(session, "$").includes(name);
}

interface Candidates {
  readonly candidates: readonly string[];
  readonly more: number;
}

const none: Candidates = { candidates: [], more: 0 };

async function argumentCandidates(
  session: Session,
  { command, args }: Call,
  before: readonly string[],
  word: string,
): Promise<Candidates> {
  const options = optionsAt("prompt", command.options ?? {});
  const valued = optionOf(options, before.at(-1) ?? "");
  if (valued !== undefined && valued[1].value !== undefined) {
    const [name, { choices, value }] = valued;
    if (name === "as") return among([...scalarTypes, ...session.structs.keys()], word);
    if (choices !== undefined) return among(choices, word);
    return value === "folder" ? await files(word) : none;
  }
  if (word.startsWith("-")) return among(Object.keys(options).map((name) => `--${name}`), word);
  if (command.complete !== undefined) return among(await command.complete(args, word), word);
  const kind = argumentAt(command, args.filter((text) => !text.startsWith("--")).length);
  return kind === undefined ? none : await candidatesOf(session, kind, word);
}

/** The option that a word names. */
function optionOf(options: Options, word: string): [string, Option] | undefined {
  if (!word.startsWith("-")) return undefined;
  return Object.entries(options).find(([name, { short, aliases = [] }]) =>
    [name, ...aliases].some((name) => word === `--${name}`) || word === `-${short}`
  );
}

/** What the argument at a position names; the last one may take all that follow. */
function argumentAt(
  { arguments: given = [] }: Command,
  position: number,
): ArgumentKind | undefined {
  const last = given.at(-1);
  const further = last?.takes === "many" || last?.takes === "rest" ? last : undefined;
  return (given[position] ?? further)?.kind;
}

function among(names: Iterable<string>, prefix: string): Candidates {
  const candidates = [...new Set(names)].filter((name) => name.startsWith(prefix)).sort();
  return {
    candidates: candidates.slice(0, maxCandidates),
    more: Math.max(0, candidates.length - maxCandidates),
  };
}

async function candidatesOf(
  session: Session,
  kind: ArgumentKind,
  word: string,
): Promise<Candidates> {
  if (typeof kind !== "string") return among(kind, word);
  switch (kind) {
    case "command": {
      const { subjectNames } = await import("../commands/help.ts");
      const own = among([...commands.commands.map(({ name }) => name), ...subjectNames], word);
      return own.candidates.length > 0
        ? own
        : among(commands.entries.map(({ name }) => name), word);
    }
    case "file":
      return await files(word);
    case "process":
      return await processes(word);
  }
  if (session.maybeTarget === undefined) return none;
  switch (kind) {
    case "address":
    case "register": {
      const registers = among(registerNames(session, word), word);
      if (kind === "register" || word.startsWith("$") || word === "") return registers;
      const symbols = await symbolNames(session, word);
      return {
        candidates: [...new Set([...registers.candidates, ...symbols.candidates])],
        more: registers.more + symbols.more,
      };
    }
    case "frame": {
      const { captured } = session;
      return captured ? among(session.frames.map((_, index) => String(index)), word) : none;
    }
    case "image":
      return among(session.target.images.map(({ name }) => name), word);
    case "thread": {
      // A running target is not stopped to list its threads.
      if (!session.captured) return among(["all"], word);
      return among([...session.threads().map(({ index }) => String(index)), "all"], word);
    }
    case "variable":
      return session.captured
        ? among((await import("../commands/variables.ts")).variablePaths(session, word), word)
        : none;
    default:
      return none;
  }
}

function registerNames(session: Session, word: string): string[] {
  const { arch } = session.target;
  const sigil = word.startsWith("$") ? "$" : "";
  const names = [...arch.threadState.registers.map(({ name }) => name), "pc", "sp", "fp"];
  return [...new Set(names)].map((name) => sigil + name);
}

async function symbolNames(session: Session, word: string): Promise<Candidates> {
  const [{ Image }, { ElfImage }] = await Promise.all([
    import("../../lib/macho/walking.ts"),
    import("../../lib/elf/mod.ts"),
  ]);
  const found = new Set<string>();
  let left = 0;
  for (const name of await functionNames(session, word)) {
    if (found.size < maxCandidates) found.add(name);
    else left++;
  }
  for (const image of session.target.images) {
    if (!(image instanceof Image || image instanceof ElfImage)) continue;
    const { names, more } = image.symbolNames(word, maxCandidates);
    for (const name of names) {
      if (found.size < maxCandidates) found.add(name);
      else left++;
    }
    left += more;
  }
  // A name with blanks or quotes would not be read back as one word.
  const candidates = [...found].filter((name) => !/[\s"']/.test(name)).sort();
  return { candidates, more: left };
}

/** How long names are demangled for one Tab, in milliseconds. */
const demangleMilliseconds = 60;

/** The prefixes of mangled names, and of Objective-C's methods. */
const mangledPrefixes = ["_Z", "_R", "$s", "$S", "-[", "+["];

/** The mangled names of images. */
const mangledNames = new WeakMap<object, readonly string[]>();

/** The functions of C++, Swift and Rust whose names begin so, from any scope on; the Objective-C methods. */
async function functionNames(session: Session, word: string): Promise<Set<string>> {
  const [{ Image }, { ElfImage }, { demangle, mangledPart, mayContain, plainName }] = await Promise
    .all([
      import("../../lib/macho/walking.ts"),
      import("../../lib/elf/mod.ts"),
      import("../../lib/symbols/demangle/demangle.ts"),
    ]);
  await session.loadDemangler();
  const found = new Set<string>();
  const part = /[A-Za-z_$][\w$]*$/.test(word) ? mangledPart(word) ?? "" : "";
  if (part === "" && !/[:.]$/.test(word)) return found;
  const late = performance.now() + demangleMilliseconds;
  for (const image of session.target.images) {
    if (!(image instanceof Image || image instanceof ElfImage)) continue;
    if (image instanceof Image && image.inSharedCache) continue;
    let names = mangledNames.get(image);
    if (names === undefined) {
      names = mangledPrefixes.flatMap((prefix) => image.symbolNames(prefix, Infinity).names);
      mangledNames.set(image, names);
    }
    for (const name of names) {
      if (!mayContain(name, part)) continue;
      if (performance.now() > late) return found;
      const readable = demangle(name);
      if (readable === name) continue;
      const plain = plainName(readable);
      for (let at = 0; at >= 0; at = nextScope(plain, at)) {
        const rest = plain.slice(at);
        if (rest.startsWith(word)) found.add(rest);
      }
    }
  }
  return found;
}

/** Where the next scope of a qualified name begins; -1 behind the last. */
function nextScope(name: string, at: number): number {
  const next = /::|\./g;
  next.lastIndex = at;
  return next.exec(name) === null ? -1 : next.lastIndex;
}

async function files(word: string): Promise<Candidates> {
  const home = Deno.env.get("HOME") ?? "~";
  const path = word.replace(/^["']/, "").replace(/^~(?=\/|$)/, home);
  const cut = path.lastIndexOf("/") + 1;
  const folder = path.slice(0, cut);
  const shown = word.slice(0, word.lastIndexOf("/") + 1);
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder === "" ? "." : folder)) {
      if (!entry.name.startsWith(path.slice(cut))) continue;
      if (entry.name.startsWith(".") && !path.slice(cut).startsWith(".")) continue;
      let { isDirectory } = entry;
      if (entry.isSymlink) {
        isDirectory = (await Deno.stat(folder + entry.name).catch(() => null))?.isDirectory ??
          false;
      }
      const quote = /[\s"']/.test(entry.name) && !/^["']/.test(shown) ? '"' : "";
      names.push(`${quote}${shown}${entry.name}${isDirectory ? "/" : ""}`);
    }
  } catch {
    return none;
  }
  names.sort();
  return {
    candidates: names.slice(0, maxCandidates),
    more: Math.max(0, names.length - maxCandidates),
  };
}

async function processes(word: string): Promise<Candidates> {
  if (/^\d+$/.test(word)) return none;
  const { kernel } = await import("../../ffi/processes.ts");
  const names = kernel().processes().map(({ name }) => name);
  // A name that the line could not hold again cannot be completed.
  return among(names.filter((name) => name !== "" && !/[\s"']/.test(name)), word);
}
