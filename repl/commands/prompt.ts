/** Commands about the prompt itself. */
import { escape } from "../../lib/escape.ts";
import { UserError } from "../errors.ts";
import { type Theme, themes, useTheme } from "../view/style.ts";
import { parseOptions, wholeNumber } from "./arguments.ts";
import type { Family } from "./command.ts";

/** Commands about the prompt itself. */
export const prompt: Family = {
  title: "The prompt",
  commands: [
    {
      name: "help",
      aliases: ["?", "h"],
      usage: "[command]",
      help: "this list, or what a command does",
      example: "help bt",
      takes: ["command"],
      async run(session, args) {
        const { commandHelp, helpLines } = await import("../prompt/help.ts");
        return args.length === 0 ? helpLines(session) : commandHelp(session, args.join(" "));
      },
    },
    {
      name: "print",
      aliases: ["p", "po", "expression", "expr", "e"],
      usage: "<code>",
      help: "run TypeScript; the same without `print`",
      example: "p threads.length",
      takes: ["text"],
      raw: true,
      async run(session, [code = ""]) {
        if (code === "") throw new UserError("print what? TypeScript, as in `p threads.length`");
        return await session.evaluate(code);
      },
    },
    {
      name: "history",
      usage: "[N] [text]",
      help: "what was typed last, or where a text was in it; Ctrl-R searches",
      example: "history 20",
      run(session, args) {
        const count = /^\d+$/.test(args[0] ?? "") ? wholeNumber(args[0], "a count") : 20;
        const text = (/^\d+$/.test(args[0] ?? "") ? args.slice(1) : args).join(" ");
        return session.history.entries.filter((entry) => entry.includes(text)).slice(-count)
          .flatMap((entry) => entry.split("\n")).map(escape);
      },
    },
    {
      name: ".load",
      aliases: ["command source"],
      usage: "<file>",
      help: "run the lines of a file as if they were typed; a .ts file is run as a module",
      example: ".load steps.txt",
      takes: ["file"],
      async run(session, [file]) {
        if (file === undefined) throw new UserError("load what? the path of a file");
        return await session.load(file);
      },
    },
    {
      name: ".save",
      usage: "<file>",
      help: "write what was typed in this session to a file, for `.load`",
      example: ".save steps.txt",
      takes: ["file"],
      run(session, [file]) {
        if (file === undefined) throw new UserError("save as what? the path of a file");
        const text = session.typed.map((entry) => `${entry}\n`).join("");
        try {
          Deno.writeTextFileSync(file, text);
        } catch {
          throw new UserError(`${file} cannot be written`);
        }
        const count = session.typed.length;
        return [`saved ${count === 1 ? "1 entry" : `${count} entries`}`];
      },
    },
    {
      name: "theme",
      usage: "[dark|light|both|none]",
      help: "colours for a dark or a light screen, ones that do on both, or none",
      example: "theme light",
      takes: [themes],
      run(session, [name]) {
        const { rest } = parseOptions(name === undefined ? [] : [name], {});
        if (rest[0] === undefined) return [`one of ${themes.join(", ")}`];
        const theme = themes.find((theme) => theme === rest[0]);
        if (theme === undefined) {
          throw new UserError(`there is no theme ${rest[0]}: it is one of ${themes.join(", ")}`);
        }
        session.style = useTheme(theme as Theme);
        return [session.style("heading", `theme ${theme}`)];
      },
    },
    {
      name: "quit",
      aliases: ["exit", "q", ".exit"],
      usage: "",
      help: "leave; the target runs on",
      example: "quit",
      run(session) {
        session.ended = true;
        return [];
      },
    },
  ],
};
