/** The log on stderr: `--log` and `MACHPAUSE_LOG`. */
import { escape, safe } from "../../lib/escape.ts";
import { enableLog } from "../../lib/log.ts";
import { UserError } from "../errors.ts";
import { write } from "./output.ts";

/** Starts the log of some subsystems: a line each as `12.3 ms symbols: …`, with the time since the
 * program's start.
 *
 * @param names of subsystems, separated by commas
 * @param from where the names were given, for the complaint
 * @throws UserError for a name that is no subsystem's
 */
export function startLog(names: string, from: string): void {
  const list = names.split(",").map((name) => name.trim()).filter((name) => name !== "");
  try {
    enableLog(list, (subsystem, milliseconds, line) => {
      const time = escape(milliseconds.toFixed(1));
      write(Deno.stderr, safe`${time} ms ${escape(subsystem)}: ${escape(line)}\n`);
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UserError(`${from}: ${error.message}`, 2);
  }
}
