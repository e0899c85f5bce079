/** Commands about the prompt itself. */
import { files } from "../../ffi/files.ts";
import { escape, safe } from "../../lib/escape.ts";
import manifest from "../../deno.json" with { type: "json" };
import { UserError } from "../errors.ts";
import { print } from "../view/output.ts";
import { themes, useTheme } from "../view/style.ts";
import { type Command, command, optional, required, rest } from "./command.ts";
import { mayEnd } from "./target.ts";
import { wholeNumber } from "./values.ts";

/** The number of entries that `history` shows. */
const historyLength = 20;

/** LLDB's `p -f x -- count`. */
const lldbOptions = /^((?:--?[a-zA-Z][\w-]*(?:[ =](?!-)\S+)?\s+)+)--\s+(.+)$/s;

/** Commands about the prompt itself. */
export const prompt: readonly Command[] = [
  command({
    name: "help",
    aliases: ["?", "h"],
    group: "prompt",
    arguments: [rest("command", "command")],
    help: "this list, or what a command does",
    example: "help bt",
    run: ({ help }, [name]) => help(name),
  }),
  command({
    name: "print",
    aliases: ["p", "po", "expression", "expr", "e", "dwim-print"],
    group: "prompt",
    arguments: [required("expression", "text")],
    syntax: "code",
    help: "a variable, an expression over the program's variables, or TypeScript",
    details: [
      "What begins with a name of the program is an expression of C over its variables: p count,",
      "p list[3].next->value, p (Node *)address, p &symbol, p *list@5; nothing is called and nothing written.",
      "Everything else is TypeScript: p threads.length. Without `p` it is always TypeScript.",
      "p/x, p/d, p/u, p/o, p/t, p/c, p/a, p/f and p/s choose a format, as in gdb.",
      "--json, before or after an expression over the program's variables, prints JSON.",
    ],
    example: "p/x flags",
    async run({ evaluate, session }, [code]) {
      code = code?.replace(/^--\s+/, "");
      if (code === undefined) {
        throw new UserError("print what? A variable or TypeScript, as in `p threads.length`");
      }
      // The end of a statement means nothing here.
      code = code.replace(/(?<=\S)\s*;+\s*$/, "");
      // LLDB's options, of which the format counts.
      const [, given = "", after] = lldbOptions.exec(code) ?? [];
      code = after ?? code;
      const [, letters, rest = code] = /^\/(\d*[a-zA-Z]+)\s+(.*)$/s.exec(code) ?? [];
      // Also where the target is gone: then it is said of names that would be its own.
      if (session.state !== "") {
        const expressions = await import("./expressions.ts");
        const { isConstant, isOfProgram, printed, unknownName, withoutJson } = expressions;
        const word = letters ?? /(?:^|\s)(?:-f|--format)[ =]?(\w+)/.exec(given)?.[1];
        const format = word === undefined ? undefined : await expressions.formatLetter(word);
        const expression = withoutJson(rest);
        const json = expression !== rest;
        if (format !== undefined || json || isOfProgram(session, code)) {
          return await session.withNames(() =>
            printed(session, expression, format === undefined ? { json } : { format, json })
          );
        }
        try {
          return await evaluate(code);
        } catch (error) {
          // Constants are searched in all debug information: only for what TypeScript does not know.
          if (await session.withNames(() => isConstant(session, code, error))) {
            return printed(session, code);
          }
          const why = await session.withNames(() => unknownName(session, code, error));
          throw why === undefined ? error : new UserError(why);
        }
      }
      return evaluate(code);
    },
  }),
  command({
    name: "history",
    aliases: ["session history", "command history"],
    group: "prompt",
    arguments: [optional("N", "text"), rest("text", "text")],
    help: "what was typed last, or the entries that contain a text; Ctrl-R searches",
    example: "history 20",
    run({ session }, [first = "", others]) {
      const counted = /^\d+$/.test(first);
      const count = counted ? wholeNumber(first, "a count") : historyLength;
      const text = [counted ? "" : first, others ?? ""].join(" ").trim();
      return session.history.entries.filter((entry) => entry.includes(text)).slice(-count)
        .flatMap((entry) => entry.split("\n")).map(escape);
    },
  }),
  command({
    name: ".load",
    aliases: ["command source"],
    group: "prompt",
    arguments: [required("file", "file")],
    help: "run the lines of a file as if they were typed; a .ts file is run as a module",
    example: ".load steps.txt",
    run: ({ load }, [file]) => load(file),
  }),
  command({
    name: ".save",
    group: "prompt",
    arguments: [required("file", "file")],
    help: "write what was typed in this session to a file, for `.load`",
    example: ".save steps.txt",
    run({ session }, [file]) {
      const { typed } = session;
      // Standard output.
      if (file === "-") return typed.map((entry) => escape(entry));
      try {
        using sink = files.create(file, 0o666);
        sink.write(new TextEncoder().encode(typed.map((entry) => `${entry}\n`).join("")));
        sink.commit();
      } catch {
        throw new UserError(`${file} cannot be written`);
      }
      return [safe`saved ${typed.length} ${typed.length === 1 ? safe`entry` : safe`entries`}`];
    },
  }),
  command({
    name: "clear",
    aliases: ["cls"],
    group: "prompt",
    help: "clear the screen, as Ctrl-L does",
    example: "clear",
    run({ session }) {
      if (session.ui.interactive) print(safe`\x1b[H\x1b[2J\x1b[3J`);
      return [];
    },
  }),
  command({
    name: "version",
    group: "prompt",
    help: "machpause's version",
    example: "version",
    run: () => [safe`machpause ${escape(manifest.version)}`],
  }),
  command({
    name: "theme",
    group: "prompt",
    arguments: [optional("theme", themes)],
    help: "colours for a dark or a light screen, ones that suit both, or none",
    example: "theme light",
    run({ session }, [name]) {
      const theme = themes.find((theme) => theme === name);
      if (theme === undefined) return [safe`one of ${escape(themes.join(", "))}`];
      session.style = useTheme(theme);
      return [session.style("heading", safe`theme ${escape(theme)}`)];
    },
  }),
  command({
    name: "quit",
    aliases: ["exit", "q", ".exit"],
    group: "prompt",
    arguments: [optional("code", "text")],
    changes: true,
    help: "leave, with an exit code if one is given; the target runs on",
    details: [
      "A program that was launched from here ends, after a question: `detach` lets it run on.",
    ],
    example: "quit",
    async run({ session }, [code]) {
      if (code !== undefined) {
        session.exitCode = wholeNumber(code, "an exit code");
        if (session.exitCode > 255) throw new UserError(`${code} is no exit code: 0 to 255 are`);
      }
      if (!await mayEnd(session)) {
        session.exitCode = undefined;
        return [safe`still here: \`detach\` lets it run on`];
      }
      session.ended = true;
      return [];
    },
  }),
];
