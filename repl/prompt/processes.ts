/** The processes that a user may mean, and the choice of one. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { UserError } from "../errors.ts";
import { padEnd, padStart } from "../view/text.ts";
import type { Session } from "./session.ts";

/** A process. */
export interface ListedProcess {
  readonly pid: number;
  readonly name: string;
  /** Its program, and on Linux its arguments; empty where it is not told. */
  readonly command: string;
}

/** The user's own processes, the latest first, without this one. Root sees everybody's that run a program. */
export async function userProcesses(): Promise<ListedProcess[]> {
  const { kernel, prepareLibrary } = await import("../../ffi/processes.ts");
  await prepareLibrary();
  const native = kernel();
  const own = Deno.uid();
  return native.processes().flatMap(({ pid, name }): ListedProcess[] => {
    if (pid === Deno.pid || pid === 0) return [];
    const info = native.processInfo(pid);
    if (info === undefined || own !== 0 && !info.users.includes(own!)) return [];
    const command = commandOf(pid) ?? pathOf(() => native.processPath(pid));
    // Threads of the kernel run no program.
    return command === "" ? [] : [{ pid, name, command }];
  }).sort((a, b) => b.pid - a.pid);
}

function pathOf(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

/** The command line of a process; `undefined` where there is no `/proc`. */
function commandOf(pid: number): string | undefined {
  if (Deno.build.os !== "linux") return undefined;
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

/** Processes as lines. */
export function processLines(processes: readonly ListedProcess[]): SafeText[] {
  const width = processes.reduce((most, { pid }) => Math.max(most, `${pid}`.length), 0);
  return processes.map(({ pid, name, command }) =>
    safe`${padStart(safe`${pid}`, width)}  ${padEnd(escape(name), 16)}  ${escape(command)}`
  );
}

/** Has the user choose a process.
 *
 * @returns its pid; `undefined` when none was chosen
 * @throws UserError where nobody can be asked
 */
export async function chooseProcess({ ui }: Session): Promise<string | undefined> {
  if (ui.pick === undefined) throw new UserError("attach to what? a pid or a process name");
  const processes = await userProcesses();
  const chosen = await ui.pick(safe`attach to: `, processLines(processes));
  return chosen === undefined ? undefined : `${processes[chosen].pid}`;
}
