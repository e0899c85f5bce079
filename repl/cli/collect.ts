import { collectOptions } from "./collect/options.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause collect` */
export default {
  description:
    "Collect crash reports, hangs and other reports into one SQLite file, what is new of them.",
  arguments: "<paths...:string>",
  options: collectOptions,
  examples: [
    ["A folder", "machpause collect ~/Library/Logs/DiagnosticReports --into crashes.sqlite"],
    ["When dSYMs have come", "machpause collect reports --into crashes.sqlite --symbols store"],
    [
      "On all processors, or on many machines",
      "find reports -type f | parallel -X machpause collect --jsonl > part.jsonl; " +
      "machpause collect part.jsonl --into crashes.sqlite",
    ],
  ],
  async run(options, paths) {
    return await (await import("./collect/collect.ts")).collect(paths, options);
  },
} satisfies Subcommand<typeof collectOptions>;
