import { json, noDemangle, symbols } from "../../options.ts";

/** The options of `machpause symbolicate`. The short ones are those of `atos`. */
export const symbolicateOptions = {
  object: {
    short: "o",
    value: "file",
    collect: true,
    help: "A Mach-O file, a dSYM, or a symbol table file. Repeatable.",
  },
  arch: { value: "name", help: "Which image of a universal file." },
  "load-address": {
    short: "l",
    value: "address",
    collect: true,
    help: "Load address of the image, in hexadecimal; one for each -o.",
  },
  slide: {
    short: "s",
    value: "bytes",
    collect: true,
    help: "Slide of the image; one for each -o.",
  },
  offset: { help: "Addresses are offsets in the image." },
  process: { short: "p", value: "target", help: "A running process, by pid or name." },
  inlines: { short: "i", help: "Show inlined functions too." },
  delimiter: {
    short: "d",
    value: "text",
    help: "Text between the functions of one address. Default: a new line.",
  },
  "full-path": { help: "Show whole paths of source files." },
  file: { short: "f", value: "file", help: "Read the addresses from a file." },
  filter: { help: "Copy a text with its addresses replaced by names." },
  symbols,
  "no-demangle": noDemangle,
  json: { ...json, help: "Print one JSON object per address." },
} as const;
