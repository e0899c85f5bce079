import { fromProgram, recordOptions } from "../prompt/sampled.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause record` */
export default {
  description: "Sample a process, or a program that is started, into a profile.\n" +
    "The program and its arguments stand after `--`. Ctrl-C ends the recording and keeps it.",
  arguments: "<target:string>",
  options: recordOptions,
  examples: [
    ["A process, for ten seconds", "machpause record MyApp --duration 10"],
    ["A program from its start", "machpause record -o app.speedscope.json -- ./app --fast"],
    ["One thread, 1000 times a second", "machpause record 123 --rate 1000 --threads main"],
    ["After a recorder was killed", "machpause convert app.json.gz.mprec -o app.json.gz"],
  ],
  translate: fromProgram,
  async run(choices, [spec]) {
    const { record } = await import("../prompt/record.ts");
    return await record(spec, choices);
  },
} satisfies Subcommand<typeof recordOptions>;
