import type { Subcommand } from "./subcommand.ts";
import { viewOptions } from "./view/options.ts";

/** `machpause view` */
export default {
  description:
    "Look at a process, a core, a report, a stackshot or a profile in a browser, until Ctrl-C;\n" +
    "with -o, write a page instead: parallel stacks, flame graph, call trees, timeline, locals.",
  arguments: "<target:string>",
  options: viewOptions,
  examples: [
    ["A process, as it is now", "machpause view MyApp"],
    ["A page to send to somebody", "machpause view MyApp.ips --symbols ./symbols -o crash.html"],
    [
      "A profile in the Firefox Profiler",
      "machpause view app.json.gz --firefox --symbols ./symbols",
    ],
  ],
  run: async (options, [what]) => await (await import("./view/run.ts")).view(what, options),
} satisfies Subcommand<typeof viewOptions>;
