import { profileOptions } from "./profile/options.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause profile` */
export default {
  description:
    "Show what took the time in a profile: its threads, its functions, its call tree.\n" +
    "Reads what `convert` reads.",
  arguments: "<files...:string>",
  options: profileOptions,
  examples: [
    ["The heaviest functions", "machpause profile app.json.gz"],
    ["Who calls them, in one thread", "machpause profile app.json.gz --inverted --thread 0"],
  ],
  async run(options, files) {
    return await (await import("./profile/show.ts")).showProfile(files, options);
  },
} satisfies Subcommand<typeof profileOptions>;
