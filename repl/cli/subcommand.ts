/** What a subcommand is: data for the help and the parser, and the function that does the work. A file
 * that defines one imports little and loads the rest in `run`: the help loads all of them. */
import type { Options, Values } from "../options.ts";

/** A subcommand, the default export of its file. */
export interface Subcommand<Table extends Options = Options> {
  /** The first line stands in the list of subcommands. */
  readonly description: string;
  /** As the parser reads them: `<file:string> [args...:string]`. */
  readonly arguments?: string;
  readonly options?: Table;
  /** What each command line does, and the line. */
  readonly examples?: readonly (readonly [title: string, line: string])[];
  /** Everything after the first argument belongs to that argument, options too. */
  readonly stopEarly?: boolean;
  /** Rewrites the words after the subcommand's name before they are parsed. */
  translate?(args: readonly string[]): readonly string[];
  /** Does the work.
   *
   * @returns the exit code; `undefined` where the program ends when nothing is left to do
   */
  run(options: Values<Table>, args: readonly string[]): Promise<number | undefined>;
}
