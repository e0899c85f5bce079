/** Tells a process that is stuck from one that a busy machine keeps waiting. */

import { procFields } from "../../ffi/procfs.ts";

/** How often a process is looked at, a millisecond apart, before it counts as stuck. On a busy machine we get
 * fewer looks, as it gets fewer turns. */
const MAX_LOOKS = 10_000;

/** The processor time in which a process that gets nowhere counts as stuck, in milliseconds. */
const MAX_PROCESSOR_TIME = 10_000;

/** A clock tick of `/proc`, in milliseconds: `USER_HZ` is 100 wherever Linux runs. */
const TICK = 10;

/** Watches one process from now on. */
export class Watch {
  readonly #pid: number;
  readonly #used: number;
  #looks = 0;

  constructor(pid: number) {
    this.#pid = pid;
    this.#used = processorTime(pid);
  }

  /** Whether the process had every chance to go on. Asked after each look that saw it get nowhere.
   *
   * A look at which one of its threads waits for a processor, or has one, does not count. */
  stuck(): boolean {
    if (!threadStates(this.#pid).some((state) => state.startsWith("R"))) this.#looks++;
    return this.#looks > MAX_LOOKS ||
      processorTime(this.#pid) - this.#used > MAX_PROCESSOR_TIME;
  }

  /** What each thread does, for a finding. */
  describe(): string {
    const threads = threadIds(this.#pid).map((thread) => {
      const path = `/proc/${this.#pid}/task/${thread}`;
      const status = field(read(`${path}/status`), "State");
      const stack = read(`${path}/stack`).replaceAll(/\[<0>\] |\n/g, " ");
      return `${thread} ${status}, ${read(`${path}/syscall`).trim()},${stack}`;
    });
    return `after ${this.#looks} looks, ${processorTime(this.#pid) - this.#used} ms of processor ` +
      `time: ${threads.slice(0, 8).join("; ")}`;
  }
}

/** How long this program has waited for a processor, in milliseconds. */
export function waitedForProcessor(): number {
  // The second number: time on the run queue, in nanoseconds (proc(5), Documentation/scheduler/sched-stats).
  return Number(read("/proc/self/schedstat").split(" ")[1] ?? 0) / 1e6;
}

/** The threads that are stopped or traced, with what `/proc` says of them. */
export function heldThreads(pid: number): string[] {
  return threadIds(pid).flatMap((thread) => {
    const status = read(`/proc/${pid}/task/${thread}/status`);
    const [state, tracer] = [field(status, "State"), field(status, "TracerPid")];
    if (!/^[tT]/.test(state) && (tracer === "0" || tracer === "")) return [];
    return [`${thread} ${state}, traced by ${tracer}`];
  });
}

function threadStates(pid: number): string[] {
  return threadIds(pid).map((thread) => field(read(`/proc/${pid}/task/${thread}/status`), "State"));
}

function threadIds(pid: number): string[] {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/task`)].map(({ name }) => name);
  } catch {
    return []; // it has ended
  }
}

/** The processor time of a process, threads that have ended included, in milliseconds. */
function processorTime(pid: number): number {
  // utime and stime
  const fields = procFields(pid) ?? [];
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK;
}

function field(status: string, name: string): string {
  return status.match(new RegExp(`^${name}:\t(.*)$`, "m"))?.[1] ?? "";
}

/** A file of `/proc`; empty when the thread has ended. */
function read(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}
