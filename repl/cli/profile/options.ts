/** The options of the commands that read profiles. */
import { json, noDemangle, symbols } from "../../options.ts";

/** How a profile is read. */
export const profileSources = {
  symbols,
  pid: { value: "pid", integer: true, help: "Of stackshots, only this process." },
  "no-demangle": noDemangle,
} as const;

/** The options of `machpause profile`. */
export const profileOptions = {
  top: { value: "count", integer: true, help: "Functions to list. Default: 20." },
  thread: {
    value: "thread",
    collect: true,
    help: "Only this thread: its index, or its name. Repeatable.",
  },
  tree: { help: "Show the call tree." },
  inverted: { help: "Show the call tree from the innermost functions up." },
  ...profileSources,
  json,
} as const;
