import { sampleOptions, sampleWords } from "../prompt/sampled.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause sample` */
export default {
  description: "Print what a process does over some seconds, as macOS's sample does.\n" +
    "Every thread, 10 seconds, each millisecond, unless told otherwise. The options may be written\n" +
    "as sample has them: -wait, -mayDie, -fullPaths, -e, -file FILE.",
  arguments: "<target:string> [seconds:string] [milliseconds:string]",
  options: sampleOptions,
  examples: [
    ["A process, for three seconds", "machpause sample MyApp 3"],
    ["From its start, every 10 ms, into a file", "machpause sample MyApp 5 10 -wait -file a.txt"],
  ],
  translate: sampleWords,
  async run(choices, [spec, seconds, milliseconds]) {
    const { sample } = await import("../prompt/sample.ts");
    return await sample(spec, seconds, milliseconds, choices);
  },
} satisfies Subcommand<typeof sampleOptions>;
