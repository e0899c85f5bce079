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

/** What a person can do about a stackshot that was not taken, by its `kern_return_t`; `undefined` where
 * that is nothing. */
export function stackshotRemedy(code: number, pid: number): string | undefined {
  switch (code) {
    case 8: // KERN_NO_ACCESS
      return "only root may take a stackshot: run with sudo; where root is refused too, the system " +
        "asks for the entitlement com.apple.private.stackshot, which System Integrity Protection " +
        "lets only Apple's programs have: there use machpause snapshot, or what spindump writes";
    case 18: // KERN_INVALID_VALUE
      return pid === -1 ? undefined : `there is no process with the pid ${pid}`;
    case 46: // KERN_NOT_SUPPORTED
      return Deno.build.os === "darwin"
        ? "this kernel takes no such stackshot: machpause snapshot shows one process's threads"
        : "stackshots are taken by Darwin's kernel: here machpause snapshot shows one process's " +
          "threads, and machpause stackshot FILE reads a stackshot from a Mac or an iPhone";
    case 6: // KERN_RESOURCE_SHORTAGE
      return "the kernel has not enough memory for it: ask for one process";
    case 5: // KERN_FAILURE
    case 14: // KERN_ABORTED
    case 49: // KERN_OPERATION_TIMED_OUT
      return "the kernel could not finish it: try again";
    default:
      return undefined;
  }
}
