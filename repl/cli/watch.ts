import type { Subcommand } from "./subcommand.ts";
import { watchOptions } from "./watch/options.ts";

/** `machpause watch` */
export default {
  description:
    "Watch a thread for hangs, cheaply enough to leave it on, and keep what each one was.",
  arguments: "<target:string>",
  options: watchOptions,
  examples: [
    ["The main thread", "machpause watch MyApp --hang 250ms --save hangs"],
    ["A condition of one's own", "machpause watch MyApp --trigger 'thread.cpuUsage > 0.9'"],
  ],
  async run(options, [spec]) {
    return await (await import("./watch/hangs.ts")).watchHangs(spec, options);
  },
} satisfies Subcommand<typeof watchOptions>;
