import type { Options, Values } from "../options.ts";
import { symbols } from "../options.ts";
import { fromProgram } from "./sampled.ts";
import type { Subcommand } from "./subcommand.ts";

const options = {
  output: { short: "o", value: "file", help: "The profile. Its ending chooses the format." },
  format: {
    value: "format",
    choices: ["firefox", "speedscope", "pprof", "collapsed", "chrome"],
    help: "firefox, speedscope, pprof, collapsed or chrome.",
  },
  rate: { value: "hertz", help: "Samples a second, from 0.1 to 10000. Default: 100." },
  duration: { short: "d", value: "seconds", help: "Default: until Ctrl-C, or the target's end." },
  threads: {
    value: "names",
    collect: true,
    help: "Only these threads: names or ids, with commas between. Repeatable.",
  },
  "off-cpu": { help: "Sample threads that wait as well as those that run." },
  keep: { help: "Let the started program run on." },
  symbols,
} as const satisfies Options;

/** What the user chooses. */
export type RecordChoices = Values<typeof options>;

/** `machpause record` */
export default {
  description: "Sample a process, or a program that is started, into a profile.\n" +
    "The program and its arguments stand after `--`. Ctrl-C ends the recording and keeps it.",
  arguments: "<target:string>",
  options,
  examples: [
    ["A process, for ten seconds", "machpause record MyApp --duration 10"],
    ["A program from its start", "machpause record -o app.speedscope.json -- ./app --fast"],
    ["One thread, 1000 times a second", "machpause record 123 --rate 1000 --threads main"],
    ["After a recorder was killed", "machpause convert app.json.gz.mprec app.json.gz"],
  ],
  translate: fromProgram,
  async run(choices, [spec]) {
    const { record } = await import("../prompt/record.ts");
    return await record(spec, choices);
  },
} satisfies Subcommand<typeof options>;
