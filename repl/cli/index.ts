import { json } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

/** The options of `machpause index`. */
export const indexOptions = {
  output: {
    short: "o",
    value: "path",
    help: "The folder for the files, or NAME.mst for a single one.",
  },
  arch: { value: "name", help: "Only this architecture." },
  jobs: { value: "count", integer: true, help: "Number of workers. Default: chosen by size." },
  force: { help: "Make files again that exist already." },
  json,
} as const;

/** `machpause index` */
export default {
  description: "Make symbol table files from dSYMs and from binaries with debug information.",
  arguments: "<files...:string>",
  options: indexOptions,
  examples: [
    ["A dSYM", "machpause index MyApp.app.dSYM -o symbols"],
    ["Then use it", "machpause symbolicate -o MyApp --symbols symbols 0x104a3f721"],
  ],
  async run(options, files) {
    return await (await import("./index_files.ts")).indexFiles(files, options);
  },
} satisfies Subcommand<typeof indexOptions>;
