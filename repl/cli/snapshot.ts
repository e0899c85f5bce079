import { snapshotOptions } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause snapshot` */
export default {
  description: "Copy every thread's stack in one short stop; print the backtraces while it runs.",
  arguments: "<target:string>",
  options: snapshotOptions,
  async run(options, [spec]) {
    return await (await import("./bt.ts")).showBacktraces(spec, "snapshot", options);
  },
} satisfies Subcommand<typeof snapshotOptions>;
