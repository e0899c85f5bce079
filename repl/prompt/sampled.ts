/** What `record` and `sample` take: options, and a target that is there or a program to start. */
import { type Options, symbols, via } from "../options.ts";

/** The options of `record`. */
export const recordOptions = {
  output: { short: "o", value: "file", help: "The profile. Its ending chooses the format." },
  format: {
    short: "f",
    value: "format",
    choices: ["firefox", "speedscope", "pprof", "collapsed", "chrome"],
    help: "firefox, speedscope, pprof, collapsed or chrome.",
  },
  rate: { value: "hertz", help: "Samples a second, from 0.1 to 10000. Default: 100." },
  duration: { short: "d", value: "seconds", help: "Default: until Ctrl-C, or the target's end." },
  threads: {
    value: "names",
    collect: true,
    help: "Only these threads: names, `main` or ids, with commas between. Repeatable.",
  },
  "off-cpu": { help: "Sample threads that wait as well as those that run." },
  keep: { help: "Let the started program run on." },
  symbols,
  via,
} as const satisfies Options;

/** The options of `sample`. */
export const sampleOptions = {
  wait: { help: "Wait until there is a process of that name." },
  "may-die": { help: "Accepted as sample has it: names are always looked up at once." },
  "full-paths": { help: "Whole paths of source files." },
  edit: { short: "e", help: "Open the output in TextEdit, or in $VISUAL or $EDITOR." },
  file: { value: "file", help: "Where it is written, instead of stdout and a temporary file." },
  symbols,
  via,
} as const satisfies Options;

/** Options of sample(1) by their names here. */
const sampleNames: Readonly<Record<string, string>> = {
  "-wait": "--wait",
  "-mayDie": "--may-die",
  "-fullPaths": "--full-paths",
  "-file": "--file",
};

/** Writes sample's options as ours, and what follows `--` as one word. */
export function sampleWords(args: readonly string[]): string[] {
  return fromProgram(args).map((word) =>
    Object.hasOwn(sampleNames, word) ? sampleNames[word] : word
  );
}

/** Begins the word that holds a program and its arguments, which may look like options. */
const mark = "\0";

/** Makes one word of what follows `--`. */
export function fromProgram(args: readonly string[]): string[] {
  const at = args.indexOf("--");
  return at < 0 ? [...args] : [...args.slice(0, at), mark + args.slice(at + 1).join(mark)];
}

/** The program and its arguments that a word holds; `undefined` when it names a target. */
export function programOf(word: string): readonly string[] | undefined {
  return word.startsWith(mark) ? word.slice(1).split(mark) : undefined;
}
