/** The log of what machpause tried, found and refused: for reports of bugs. Off by default. */

/** A part of machpause that logs under its own name. */
export type LogSubsystem = "ffi" | "dyld" | "symbols" | "unwind" | "remote";

/** The subsystems, in the order of the layers. */
export const logSubsystems: readonly LogSubsystem[] = [
  "ffi",
  "dyld",
  "symbols",
  "unwind",
  "remote",
];

/** Writes one line of a subsystem's log. The line may hold text from a target: escape it before a
 * terminal gets it. */
export type LogSink = (subsystem: LogSubsystem, milliseconds: number, line: string) => void;

/** Logs one line, which is made only when the subsystem is on. */
export type Log = (line: string) => void;

/** One function for each subsystem that is on. `log.symbols?.(…)` costs one load when it is off; the
 * arguments are not evaluated. */
export const log: { [subsystem in LogSubsystem]?: Log } = {};

/** Turns subsystems on.
 *
 * @param subsystems their names; `all` for every one
 * @param sink gets each line, with the milliseconds since the process started
 * @example
 * ```ts
 * import { attach, enableLog, escapeText } from "@machpause/machpause";
 *
 * enableLog(["symbols"], (subsystem, milliseconds, line) => {
 *   console.error(`${milliseconds.toFixed(1)} ms ${subsystem}: ${escapeText(line)}`);
 * });
 * using target = attach("MyApp");
 * console.log(`${target.threads[0].backtrace()}`);
 * ```
 * @throws RangeError for a name that is not a subsystem's
 */
export function enableLog(subsystems: Iterable<string>, sink: LogSink): void {
  for (const name of subsystems) {
    const wanted = name === "all" ? logSubsystems : logSubsystems.filter((known) => known === name);
    if (wanted.length === 0) {
      throw new RangeError(
        `there is no log of ${JSON.stringify(name)}: all, ${logSubsystems.join(", ")}`,
      );
    }
    for (const subsystem of wanted) {
      log[subsystem] = (line) => sink(subsystem, performance.now(), line);
    }
  }
}
