import { symbols } from "../../options.ts";

/** The options of `machpause collect`. */
export const collectOptions = {
  into: { value: "file", help: "The SQLite file. It is made when there is none." },
  jsonl: { help: "Print what would be collected, a file a line: for another collect --into." },
  symbols,
  mine: {
    value: "name",
    collect: true,
    help: "A library of yours: tell whether it is to blame. Repeatable.",
  },
  "local-binaries": {
    help:
      "Open the files at the paths that reports name. Default: only for reports of this machine.",
  },
  json: { help: "Print what was done as one JSON object." },
} as const;
