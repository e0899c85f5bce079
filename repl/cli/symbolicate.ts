import { symbolicateOptions } from "./symbolicate/options.ts";
import type { Subcommand } from "./subcommand.ts";

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
