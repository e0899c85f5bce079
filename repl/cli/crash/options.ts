import { json, symbols, via } from "../../options.ts";

/** The options of `machpause crash`. */
export const crashOptions = {
  symbols,
  mine: {
    value: "name",
    collect: true,
    help: "A library of yours: tell whether it is to blame. Repeatable.",
  },
  begin: {
    value: "place",
    help: "Where the library's code begins in the program: a symbol or an address.",
  },
  end: { value: "place", help: "Where it ends." },
  args: {
    help: "Of a process or core: with the arguments of the crashed thread's functions. " +
      "They may be private.",
  },
  via: { ...via, help: `${via.help} Then the arguments are processes, by pid or name.` },
  text: { help: "Print the report alone, as crash text." },
  ips: { help: "Print the report alone, as .ips." },
  out: {
    value: "file",
    help: "Write the report to this file: x.ips, x.crash and x.json in that form.",
  },
  "local-binaries": {
    help:
      "Open the files at the paths that reports name. Default: only for reports of this machine.",
  },
  brief: { help: "Print the explanation alone, without the report." },
  group: { help: "Count reports by what crashed." },
  json: { ...json, help: "Print one JSON object per report." },
} as const;
