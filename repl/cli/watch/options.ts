import { symbols } from "../../options.ts";

/** The options of `machpause watch`. */
export const watchOptions = {
  hang: {
    value: "time",
    help: "A hang is longer than this, as in 250ms or 2s. Default: 250ms.",
  },
  save: { value: "folder", help: "Keep every hang here: a folder for each signature." },
  thread: { value: "name", help: "The thread that is watched. Default: the main thread." },
  rate: { value: "looks", integer: true, help: "Looks a second, from 20 to 50. Default: 20." },
  idle: {
    value: "function",
    collect: true,
    help: "A function of the program that only waits for work. Repeatable.",
  },
  trigger: {
    value: "code",
    help:
      "TypeScript over target, thread, milliseconds and running: capture when it begins to hold.",
  },
  locals: { short: "l", help: "Keep the variables of every frame." },
  follow: {
    value: "levels",
    integer: true,
    help: "With --locals: levels of pointers that are followed. Default: 1.",
  },
  "max-size": { value: "size", help: "Size of the folder, as in 64M. Default: 64M." },
  "max-count": { value: "count", integer: true, help: "Signatures in the folder. Default: 200." },
  symbols,
  json: { help: "Print one JSON object per event." },
} as const;
