import { crashOptions } from "./crash/options.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause crash` */
export default {
  description:
    "Explain crash reports: .crash, .ips, output of sample and spindump, folders of them.\n" +
    "- is standard input.",
  arguments: "[files...:string]",
  options: crashOptions,
  examples: [
    ["With its symbols", "machpause crash MyApp.ips --symbols MyApp.dSYM"],
    ["What was copied", "pbpaste | machpause crash - --brief"],
    ["What crashes most", "machpause crash reports --group --symbols store"],
  ],
  async run(options, files) {
    return await (await import("./crash/show.ts")).showCrashes(files, options);
  },
} satisfies Subcommand<typeof crashOptions>;
