/** What Linux's `/proc` says of a process: proc_pid_stat(5) and proc_pid_status(5). */

/** The fields of `/proc/PID/stat` after the name, the state first; `undefined` where there is no such
 * process. */
export function procFields(pid: number): string[] | undefined {
  const text = textOf(pid, "stat");
  // The name is in parentheses, and may have some itself.
  return text?.slice(text.lastIndexOf(")") + 2).trim().split(" ");
}

/** The first word of a field of `/proc/PID/status`; `undefined` where there is none. */
export function statusField(pid: number | "self", name: string): string | undefined {
  return new RegExp(`^${name}:\\t(\\S+)`, "m").exec(textOf(pid, "status") ?? "")?.[1];
}

function textOf(pid: number | "self", file: string): string | undefined {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/${file}`);
  } catch {
    return undefined;
  }
}
