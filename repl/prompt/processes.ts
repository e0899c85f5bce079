/** The processes that a user may mean, and the choice of one. */
import { until } from "../../lib/clock.ts";
import { AttachError, TargetGoneError } from "../../lib/errors.ts";
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { UserError } from "../errors.ts";
import { padEnd, padStart } from "../view/text.ts";
import { type Opened, openTarget } from "./open.ts";
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

/** How often a process that is waited for is looked for, in milliseconds. A look takes one or two. */
const lookInterval = 10;

/** Whether a word names a process, and not a target of another kind. */
export function isProcessName(word: string): boolean {
  return !/^(?:pid:)?-?\d+$|^(?:self|demo|)$|:/.test(word);
}

/** Looks until it finds.
 *
 * @param find looks once; a result ends it
 * @param waits called once, when there is nothing at first
 * @returns `undefined` when the signal ended it
 */
export async function awaitFound<T>(
  find: () => T | undefined,
  waits: () => void,
  signal?: AbortSignal,
): Promise<T | undefined> {
  for (let looks = 0; !signal?.aborted; looks++) {
    const found = find();
    if (found !== undefined) return found;
    if (looks === 0) waits();
    await until(performance.now() + lookInterval, signal);
  }
  return undefined;
}

/** Waits for a program to be started, and opens it at once, as LLDB's `process attach --waitfor` does: a
 * process that has the name already is not meant, nor is a copy that it makes of itself.
 *
 * @param word the name, or a path that ends in it
 * @param say prints what is waited for
 * @returns `undefined` when the signal ended the wait
 * @throws UserError for what is no name
 */
export async function openStarted(
  word: string,
  { symbols, via, say, signal }: {
    readonly symbols?: readonly string[] | undefined;
    readonly via?: string | undefined;
    readonly say: (text: SafeText) => void;
    readonly signal?: AbortSignal;
  },
): Promise<Opened | undefined> {
  const name = word.slice(word.lastIndexOf("/") + 1);
  if (!isProcessName(name)) {
    throw new UserError(`--wait needs the name of a program: not ${JSON.stringify(word)}`, 2);
  }
  const { kernel, prepareLibrary } = await import("../../ffi/processes.ts");
  await prepareLibrary();
  const native = kernel();
  const list = () => native.processes().filter((process) => process.name === name);
  const known = new Set(list().map(({ pid }) => pid));
  say(safe`waiting for ${escape(name)} to be started; Ctrl-C ends the wait`);
  if (known.size > 0) {
    const pids = [...known].join(", ");
    say(safe`(pid ${escape(pids)} has that name already, and is not meant)`);
  }
  const find = () =>
    list().find(({ pid }) => !known.has(pid) && native.processInfo(pid)?.hasExecuted !== false);
  for (;;) {
    const found = await awaitFound(find, () => {}, signal);
    if (found === undefined) return undefined;
    try {
      return await openTarget(`${found.pid}`, symbols, via);
    } catch (error) {
      const isGone = error instanceof TargetGoneError ||
        error instanceof AttachError && error.reason === "gone";
      if (!isGone) throw error;
      say(safe`pid ${found.pid} has ended at once; waiting for the next one`);
      known.add(found.pid);
    }
  }
}
