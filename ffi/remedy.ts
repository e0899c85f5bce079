/** What a person can do about a process that cannot be attached to. */

function readText(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path).trim();
  } catch {
    // Only the message suffers.
    return undefined;
  }
}

function linuxRemedy(pid: number): string {
  const tracer = Number(/^TracerPid:\t(\d+)$/m.exec(readText(`/proc/${pid}/status`) ?? "")?.[1]);
  if (tracer > 0) return `pid ${pid} is already traced by pid ${tracer}: detach that debugger`;
  const scope = Number(readText("/proc/sys/kernel/yama/ptrace_scope") ?? 0);
  const remedies = ["run as root, or as the process's user", "give deno CAP_SYS_PTRACE"];
  if (scope === 3) return "kernel.yama.ptrace_scope is 3: nothing can be attached to until reboot";
  if (scope > 0) remedies.push(`set kernel.yama.ptrace_scope, which is ${scope}, to 0`);
  return `pid ${pid} may not be attached to: ${remedies.join(", or ")}`;
}

function darwinRemedy(pid: number): string {
  return `pid ${pid} may not be attached to: run with sudo, or let machpause setup sign a copy of ` +
    "Deno with com.apple.security.cs.debugger; a program with the hardened runtime, or protected " +
    "by SIP, cannot be attached to at all";
}

/** Why `task_for_pid` failed, and the way out.
 *
 * @param exists whether there is such a process
 */
export function attachRemedy(pid: number, exists: boolean): string {
  if (!exists) return `there is no process with the pid ${pid}`;
  return Deno.build.os === "darwin" ? darwinRemedy(pid) : linuxRemedy(pid);
}
