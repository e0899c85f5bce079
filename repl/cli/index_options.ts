import { json } from "../options.ts";

/** The options of `machpause index`. */
export const indexOptions = {
  output: {
    short: "o",
    value: "path",
    help: "The folder for the files, or NAME.mst for a single one.",
  },
  arch: { value: "name", help: "Only this architecture." },
  jobs: { value: "count", integer: true, help: "Number of workers. Default: chosen by size." },
  force: { help: "Make files again that exist already." },
  json,
} as const;
