/** Explains why a process cannot be attached to, and what to do about it. */
import type { RefusalReason } from "../lib/errors.ts";
import { commandLine } from "./command.ts";
import { procFields, statusField, tracerOf } from "./procfs.ts";

/** What the system tells every caller about a process. */
export interface ProcessInfo {
  /** The pid of the parent; while a debugger is attached, of the debugger. */
  readonly parent: number;
  /** A debugger is attached. */
  readonly traced: boolean;
  /** It has called `exec` since it was forked, and that is done. */
  readonly hasExecuted: boolean;
  /** A signal has stopped it, or a debugger by `ptrace`. Suspensions of its task do not count. */
  readonly stopped: boolean;
  /** It is ending. Only macOS tells. */
  readonly isExiting: boolean;
  /** It has changed its user or group since it was started. */
  readonly changedUser: boolean;
  /** It runs under Rosetta. */
  readonly translated: boolean;
  /** Effective, real and saved user identifiers. */
  readonly users: readonly [number, number, number];
  /** `CPU_TYPE_*`; 0 if unknown. */
  readonly cpuType: number;
  /** `CPU_SUBTYPE_*`, with its capability bits. */
  readonly cpuSubtype: number;
  /** `CS_*`; `undefined` if unknown. */
  readonly signatureFlags: number | undefined;
}

/** The reason, and one sentence with the remedy. */
export interface Refusal {
  readonly reason: RefusalReason;
  readonly text: string;
}

/** What is asked of the system to find the reason. Tests pass their own. */
export interface RefusalFacts {
  readonly system: "darwin" | "linux";
  /** This process. */
  readonly pid: number;
  /** Its effective user. */
  readonly user: number;
  /** `undefined` if there is no such process. */
  processInfo(pid: number): ProcessInfo | undefined;
  /** The name of a process; not safe to print raw. */
  processName(pid: number): string | null;
  /** This process's entitlements, an XML property list; `undefined` if unknown. */
  ownEntitlements(): string | undefined;
  /** Whether the login session has a screen, so that the system can show a password dialog. */
  hasScreen(): boolean;
  /** Whether Developer Mode is on; `undefined` if unknown. */
  developerMode(): boolean | undefined;
  /** The path of the copy that setup has signed, if there is one. */
  signedCopy(): string | undefined;
}

/** `CS_*` of XNU's `osfmk/kern/cs_blobs.h`. */
const CS = { getTaskAllow: 0x4, runtime: 0x1_0000, platformBinary: 0x400_0000 };

/** Xcode gives it to debug builds: any debugger may attach. */
const getTaskAllow = "com.apple.security.get-task-allow";
/** The entitlement of debuggers. */
export const debuggerEntitlement = "com.apple.security.cs.debugger";
/** A program has it that handles its own exceptions, and wants nobody else to. */
const onlyOneExceptionPort = "com.apple.security.only-one-exception-port";

/** Whether an entitlement is true in a property list. */
export function entitles(plist: string | null, name: string): boolean {
  const key = `<key>${name}</key>`;
  const at = plist?.indexOf(key) ?? -1;
  return at >= 0 && /^\s*<true\s*\/>/.test(plist!.slice(at + key.length));
}

/** Whether entitlements opt into the platform restrictions of Xcode's Enhanced Security, in whatever version, as
 * a number or as text (XNU's `bsd/kern/kern_exec.c`, `imgact_setup_platform_restrictions()`). From macOS 26 on
 * the kernel then treats a program as one of the system's: it ends the program when it sends its task port to
 * another process, and whoever writes its registers. */
export function hasPlatformRestrictions(plist: string | null): boolean {
  const key = /<key>com\.apple\.security\.hardened-process\.platform-restrictions(-string)?<\/key>/;
  const value = plist?.split(key)[2];
  return value !== undefined && !/^\s*<(integer|string)>\s*0*\s*<|^\s*<false/.test(value);
}

function readText(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path).trim();
  } catch {
    // Only the message suffers.
    return undefined;
  }
}

/** `CAP_SYS_PTRACE` of `<linux/capability.h>`, as a bit. */
const capSysPtrace = 1n << 19n;

/** A process that has no memory to be looked at, and why. */
function withoutMemory(pid: number, facts: RefusalFacts): Refusal | undefined {
  if (statusField(pid, "Kthread") === "1" || isKernelThread(pid)) {
    return { reason: "kernel", text: `pid ${pid} is a thread of the kernel's: it has no program` };
  }
  if (statusField(pid, "State") !== "Z") return undefined;
  if (Number(statusField(pid, "Threads")) > 1) {
    const text = `the main thread of pid ${pid} has ended while others run, which Linux shows ` +
      "nothing of";
    return { reason: "other", text };
  }
  const parent = Number(statusField(pid, "PPid"));
  const name = facts.processName(parent);
  const who = `pid ${parent}${name === null ? "" : ` (${name})`}`;
  const text = `pid ${pid} has ended: its parent, ${who}, has not collected it`;
  return { reason: "gone", text };
}

/** By `PF_KTHREAD` of `<linux/sched.h>` in proc_pid_stat(5): kernels before 6.12 have no `Kthread` field. */
function isKernelThread(pid: number): boolean {
  return (Number(procFields(pid)?.[6]) & 0x20_0000) !== 0;
}

function linuxRefusal(pid: number, facts: RefusalFacts): Refusal {
  const none = withoutMemory(pid, facts);
  if (none !== undefined) return none;
  const traced = tracerOf(pid);
  if (traced !== undefined) {
    const { tracer, by, thread } = traced;
    // Debuggers name their threads.
    const name = facts.processName(by);
    const who = `pid ${tracer}${name === null ? "" : ` (${name})`}`;
    const what = thread === pid ? `pid ${pid}` : `thread ${thread} of pid ${pid}`;
    const text = `${what} is already traced by ${who}: detach that debugger`;
    return { reason: "traced", text };
  }
  const scope = Number(readText("/proc/sys/kernel/yama/ptrace_scope") ?? 0);
  if (scope === 3) {
    const text = "kernel.yama.ptrace_scope is 3: nothing can be attached to until reboot";
    return { reason: "policy", text };
  }
  if (facts.user === 0) {
    const capable = (BigInt(`0x${statusField("self", "CapEff") ?? "0"}`) & capSysPtrace) !== 0n;
    const text = capable
      ? `the system refused pid ${pid} to root: another debugger may have had it at that moment, ` +
        "so try again; or a security module (dmesg shows why) or another user namespace keeps it"
      : `pid ${pid} may not be attached to: this root lacks CAP_SYS_PTRACE, as in a container, ` +
        "where `docker run --cap-add=SYS_PTRACE` gives it";
    return { reason: capable ? "other" : "policy", text };
  }
  const capability = "give deno CAP_SYS_PTRACE";
  // kernel/ptrace.c, __ptrace_may_access(); security/yama/yama_lsm.c comes after it.
  const owner = facts.processInfo(pid)?.users.find((user) => user !== facts.user);
  if (owner !== undefined) {
    const text =
      `pid ${pid} belongs to another user (${owner}, and you are ${facts.user}): run as ` +
      `root or as that user, or ${capability}`;
    return { reason: "user", text };
  }
  if (scope > 0) {
    const text = `pid ${pid} may not be attached to: run as root, or ${capability}, or set ` +
      `kernel.yama.ptrace_scope, which is ${scope}, to 0`;
    return { reason: "policy", text };
  }
  const text = `pid ${pid} may not be attached to, as a program that has capabilities or has ` +
    `changed its user: run as root, or ${capability}`;
  return { reason: "other", text };
}

/** Checks in the order of debugserver (LLVM's `RNBRemote.cpp`, `HandlePacket_v()`), then AMFI's rules,
 * which debugserver leaves to the console. */
function darwinRefusal(pid: number, info: ProcessInfo, facts: RefusalFacts): Refusal {
  const root = facts.user === 0;
  const flags = info.signatureFlags ?? 0;
  if (info.traced && info.parent !== facts.pid) {
    const tracer = facts.processName(info.parent);
    const who = `pid ${info.parent}${tracer === null ? "" : ` (${tracer})`}`;
    const text = `pid ${pid} is already being debugged, by ${who}: detach that debugger`;
    return { reason: "traced", text };
  }
  // XNU's bsd/kern/kern_proc.c, task_for_pid_posix_check()
  const other = info.users.find((user) => user !== facts.user);
  if (!root && other !== undefined) {
    const text = `pid ${pid} belongs to another user (${other}, and you are ${facts.user}): run ` +
      "with sudo";
    return { reason: "user", text };
  }
  if (!root && info.changedUser) {
    const text = `pid ${pid} has changed its user or group since it was started: run with sudo`;
    return { reason: "user", text };
  }
  const entitled = entitles(facts.ownEntitlements() ?? null, debuggerEntitlement);
  // Targets with get-task-allow need no password.
  if (!root && entitled && (flags & CS.getTaskAllow) === 0 && !facts.hasScreen()) {
    const text = facts.developerMode() === false
      ? "this session has no screen to ask for a password on (SSH?), and Developer Mode is off: " +
        "turn it on with `sudo DevToolsSecurity -enable`, or run with sudo"
      : "this session has no screen to ask for a password on (SSH?): be a member of the group " +
        "_developer (`sudo dseditgroup -o edit -t user -a $USER _developer`), or run with sudo";
    return { reason: "session", text };
  }
  if ((flags & CS.platformBinary) !== 0) {
    const text = `pid ${pid} is a program of the system, which System Integrity Protection keeps ` +
      `from every debugger, also root's: \`sample ${pid}\` shows its stacks`;
    return { reason: "platform", text };
  }
  if ((flags & CS.runtime) !== 0 && (flags & CS.getTaskAllow) === 0) {
    const text = `pid ${pid} has the hardened runtime without ${getTaskAllow}, so no debugger ` +
      "may have it: run a build that has it, as Xcode's debug builds do; or `sample " + pid +
      "` shows its stacks";
    return { reason: "hardened", text };
  }
  if (!root && !entitled) {
    const copy = facts.signedCopy();
    const text = copy === undefined
      ? "macOS gives task ports only to root and to programs signed as debuggers: have a copy of " +
        `this one signed with \`${commandLine(["setup"])}\`, or run with sudo`
      : "macOS gives task ports only to root and to programs signed as debuggers: use the signed " +
        `copy, ${copy}; if it is of an older version, run \`${commandLine(["setup"])}\` again`;
    return { reason: "entitlement", text };
  }
  const text = root
    ? `the system refused pid ${pid} to root: Console.app shows why, at amfid and taskgated`
    : `the system refused pid ${pid}: its question for a password was not answered, or ` +
      "Developer Mode is off, which `sudo DevToolsSecurity -enable` turns on";
  return { reason: "other", text };
}

/** Why `task_for_pid` failed, and the remedy. */
export function refusalOf(pid: number, facts: RefusalFacts): Refusal {
  if (pid === 0) return { reason: "kernel", text: "pid 0 is the kernel: it has no program" };
  const info = facts.processInfo(pid);
  if (facts.system === "darwin" && info !== undefined) return darwinRefusal(pid, info, facts);
  // If the main thread of a process has ended, this is all that the system tells.
  if (facts.system === "linux" && statusField(pid, "State") !== undefined) {
    return linuxRefusal(pid, facts);
  }
  return { reason: "gone", text: `there is no process with the pid ${pid}` };
}

/** Why a process or one of its threads could not be stopped, although its task was had, and the remedy: somebody else has
 * come first, and may have let go since. Two that look at one process now and then meet so. */
export function stopRefusalOf(pid: number, facts: RefusalFacts): Refusal {
  const refusal = refusalOf(pid, facts);
  if (refusal.reason !== "other") return refusal;
  const text = `another debugger had pid ${pid} at that moment, and has let it go: try again`;
  return { reason: "traced", text };
}

/** `CPU_TYPE_ARM64`, and `CPU_SUBTYPE_ARM64E` less its capability bits. */
const arm64 = 0x0100_000c;
const arm64e = 2;

/** Why the threads of a process cannot be read on a Mac although its task port is available. For a process
 * under Rosetta the kernel has arm64 registers; the Intel registers are in Rosetta's memory. debugserver
 * refuses the same two cases (LLVM's `DNB.cpp`, `DNBProcessAttach()`).
 *
 * @param own describes this process
 */
export function architectureRefusal(
  pid: number,
  info: ProcessInfo,
  own: ProcessInfo | undefined,
  arch: string,
): Refusal | undefined {
  if (own?.translated === true) {
    const text = "this Deno is built for Intel and runs under Rosetta, from where no process can " +
      "be read: install the one for Apple Silicon, in a terminal that is not under Rosetta";
    return { reason: "architecture", text };
  }
  const translated = info.translated ||
    (arch === "aarch64" && info.cpuType !== 0 && info.cpuType !== arm64);
  if (!translated) return undefined;
  const text = `pid ${pid} is an Intel program under Rosetta, which only Apple's debugserver for ` +
    "Rosetta can debug: run its arm64 build, or use lldb";
  return { reason: "architecture", text };
}

/** Why the registers of a process must not be written on a Mac; `undefined` if they may be. For hardened
 * targets XNU kills the caller with the exception `kGUARD_EXC_THREAD_SET_STATE`: programs of the system,
 * and programs with the system's hardening, most of which are arm64e (osfmk/kern/thread_act.c,
 * `thread_set_state_allowed()`).
 *
 * @param entitlements the process's, a property list; `undefined` if unknown
 */
export function setStateRefusal(
  info: ProcessInfo,
  entitlements: string | undefined,
): string | undefined {
  if (((info.signatureFlags ?? 0) & CS.platformBinary) !== 0) {
    return "the kernel ends whoever writes registers of the system's programs";
  }
  if (hasPlatformRestrictions(entitlements ?? null)) {
    return "from macOS 26 on the kernel ends whoever writes registers of a program with the platform " +
      "restrictions of Enhanced Security: run a build without them";
  }
  return info.cpuType === arm64 && (info.cpuSubtype & 0xff_ffff) === arm64e
    ? "the kernel may end whoever writes registers of an arm64e program: run its arm64 build"
    : undefined;
}

/** Why a crash of a process must not be waited for on a Mac; `undefined` if it may be. XNU kills who sets an
 * exception port of a program that is entitled to a single one of its own, by
 * `kGUARD_EXC_EXCEPTION_BEHAVIOR_ENFORCE` (osfmk/kern/ipc_tt.c, `set_exception_behavior_allowed()`).
 *
 * @param entitlements the process's, a property list; `undefined` if unknown
 */
export function exceptionPortRefusal(entitlements: string | undefined): string | undefined {
  return entitles(entitlements ?? null, onlyOneExceptionPort)
    ? `the kernel ends whoever waits for crashes of a program with ${onlyOneExceptionPort}`
    : undefined;
}

/** The remedy for a stackshot that failed with a `kern_return_t`; `undefined` if there is none. */
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
