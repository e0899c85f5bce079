/** Targets of `record` and `sample`: what is there, or a program to start. */

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
