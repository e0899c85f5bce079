import type { Subcommand } from "./subcommand.ts";
import { viewOptions } from "./view/options.ts";

/** `machpause view` */
export default {
  description:
    "Look at a process, core, report, stackshot, hang, library or profile in a browser, until Ctrl-C;\n" +
    "with -o, write a page instead: parallel stacks, flame graph, call trees, timeline, locals.",
  arguments: "<targets...:string>",
  options: viewOptions,
  examples: [
    ["Stackshots of one system, over time", "machpause view *.kcdata --pid 123"],
    ["A process, as it is now", "machpause view MyApp"],
    ["A page to send to somebody", "machpause view MyApp.ips --symbols ./symbols -o crash.html"],
    [
      "A profile in the Firefox Profiler",
      "machpause view app.json.gz --firefox --symbols ./symbols",
    ],
  ],
  run: async (options, names) => await (await import("./view/run.ts")).view(names, options),
} satisfies Subcommand<typeof viewOptions>;
