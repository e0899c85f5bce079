import { indexOptions } from "./index_options.ts";
import type { Subcommand } from "./subcommand.ts";

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
