import { json, noDemangle, symbols } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

/** The options of `machpause symbolicate`. The short ones are those of `atos`. */
export const symbolicateOptions = {
  object: {
    short: "o",
    value: "file",
    collect: true,
    help: "A Mach-O file, a dSYM, or a symbol table file. Repeatable.",
  },
  arch: { value: "name", help: "Which image of a universal file." },
  "load-address": {
    short: "l",
    value: "address",
    collect: true,
    help: "Load address of the image; one for each -o.",
  },
  slide: {
    short: "s",
    value: "bytes",
    collect: true,
    help: "Slide of the image; one for each -o.",
  },
  offset: { help: "Addresses are offsets in the image." },
  process: { short: "p", value: "target", help: "A running process, by pid or name." },
  inlines: { short: "i", help: "Show inlined functions too." },
  delimiter: {
    short: "d",
    value: "text",
    help: "Text between the functions of one address. Default: a new line.",
  },
  "full-path": { help: "Show whole paths of source files." },
  file: { short: "f", value: "file", help: "Read the addresses from a file." },
  filter: { help: "Copy a text with its addresses replaced by names." },
  symbols,
  "no-demangle": noDemangle,
  json: { ...json, help: "Print one JSON object per address." },
} as const;

/** Flags of `atos` that our parser does not know: long ones with one dash, and other names. */
const atosFlags: ReadonlyMap<string, string> = new Map([
  ["-arch", "--arch"],
  ["-offset", "--offset"],
  ["-fullPath", "--full-path"],
  ["--fullPath", "--full-path"],
  ["-inlineFrames", "--inlines"],
  ["--inlineFrames", "--inlines"],
]);

/** Rewrites flags of `atos` to ours. */
export function translateArguments(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.map((text, index) => end >= 0 && index > end ? text : atosFlags.get(text) ?? text);
}

/** `machpause symbolicate` */
export default {
  description: "Show what is at addresses, with the flags and in the format of atos.\n" +
    "Without addresses, reads them from stdin and answers as they come.",
  arguments: "[addresses...:string]",
  options: symbolicateOptions,
  examples: [
    ["As with atos", "machpause symbolicate -o MyApp.dSYM -l 0x104a3c000 0x104a3f721"],
    ["A log", "machpause symbolicate -o MyApp.dSYM -l 0x104a3c000 --filter < log"],
  ],
  translate: translateArguments,
  async run(options, addresses) {
    return await (await import("./symbolicate/symbolicate.ts")).symbolicate(options, addresses);
  },
} satisfies Subcommand<typeof symbolicateOptions>;
