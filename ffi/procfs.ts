/** What Linux's `/proc` says of a process: proc_pid_stat(5) and proc_pid_status(5). */

/** The fields of `/proc/PID/stat` after the name, the state first; `undefined` where there is no such
 * process. */
export function procFields(pid: number): string[] | undefined {
  const text = textOf(pid, "stat");
  // The name is in parentheses, and may have some itself.
  return text?.slice(text.lastIndexOf(")") + 2).trim().split(" ");
}

/** What keeps a process from running that this one has not stopped. */
export interface Standstill {
  /** The debugger that holds it; `null`: a signal has stopped it. */
  readonly tracer: number | null;
}

/** {@linkcode standstill} of a system without `/proc`. */
let toldStandstill: (pid: number) => Standstill | undefined = () => undefined;

/** Says how {@linkcode standstill} is told without `/proc`. */
export function onStandstill(told: typeof toldStandstill): void {
  toldStandstill = told;
}

/** Whether a process that this one has not stopped stands still, by its main thread: a signal has stopped it, or another
 * debugger; `undefined` where it runs, or the system does not say it. */
export function standstill(pid: number): Standstill | undefined {
  const state = procFields(pid)?.[0];
  if (state === undefined) return toldStandstill(pid);
  if (state === "T") return { tracer: null };
  const tracer = state === "t" ? tracerOf(pid)?.tracer : undefined;
  return tracer === undefined ? undefined : { tracer };
}

/** What the system's word about a process says of its standstill: a debugger that has attached by `ptrace` is the parent. */
export function standstillBy(
  info:
    | { readonly stopped: boolean; readonly traced: boolean; readonly parent: number }
    | undefined,
): Standstill | undefined {
  return info?.stopped ? { tracer: info.traced ? info.parent : null } : undefined;
}

/** Who traces a thread. */
export interface Tracer {
  /** The process. */
  readonly tracer: number;
  /** Its thread that does. */
  readonly by: number;
  /** The thread that is traced. */
  readonly thread: number;
}

/** Who traces a thread of a process, the first one or any; `undefined` for nobody. */
export function tracerOf(pid: number): Tracer | undefined {
  for (const thread of threadsOf(pid)) {
    const by = Number(statusField(thread, "TracerPid"));
    if (by > 0) return { tracer: Number(statusField(by, "Tgid")) || by, by, thread };
  }
}

/** The processes that a process has started and that run still: proc_tid_children(5). */
export function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) =>
    (textOf(`${pid}/task/${thread}`, "children") ?? "").split(" ").filter(Boolean).map(Number)
  );
}

/** The threads of a process, its first one first. */
function threadsOf(pid: number): number[] {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/task`)].map(({ name }) => Number(name))
      .sort((a, b) => Number(b === pid) - Number(a === pid));
  } catch {
    return [];
  }
}

/** The first word of a field of `/proc/PID/status`, which threads have too; `undefined` where there is none. */
export function statusField(pid: number | "self", name: string): string | undefined {
  return new RegExp(`^${name}:\\t(\\S+)`, "m").exec(textOf(pid, "status") ?? "")?.[1];
}

function textOf(pid: number | string, file: string): string | undefined {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/${file}`);
  } catch {
    return undefined;
  }
}
