import { btOptions, limit, symbols, type Values } from "../../options.ts";

/** The options of `machpause view`. */
export const viewOptions = {
  out: {
    short: "o",
    aliases: ["output"],
    value: "file",
    help: "Write the page to this file: one HTML file that opens from disk and needs no network.",
  },
  page: { help: "Show the page. Default for what is one moment: a process, a core, a report." },
  speedscope: { help: "Show speedscope. Default for profiles." },
  firefox: {
    help: "Open the Firefox Profiler's address, with the profile and its symbols from here.",
  },
  symbols,
  source: {
    value: "folder",
    collect: true,
    help: "With --firefox: folder whose source files may be sent. Repeatable.",
  },
  limit: { ...limit, help: "Maximum number of frames per stack." },
  "no-locals": { help: "Do not read the variables of a process or core." },
  follow: {
    ...btOptions.follow,
    help: "Copy what the variables' pointers lead to, so many levels deep, in the same stop.",
  },
  pid: { value: "pid", integer: true, help: "Of a stackshot: only this process." },
  port: { value: "number", integer: true, help: "Port. Default: the first free one from 3000 on." },
  "no-open": { help: "Do not open a browser: print the address alone." },
} as const;

/** The options' values. */
export type ViewOptions = Values<typeof viewOptions>;
