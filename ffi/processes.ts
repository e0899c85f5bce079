/** Attaching, launching, and this process: joins `ffi/` and `lib/`. Most commands need no more than
 * this, and it loads in half the time that `mod.ts` takes.
 *
 * @module
 */
import { fileSystem } from "./file_system.ts";
import type { CrashWatch } from "./crash.ts";
import { guard } from "./guard.ts";
import type { Introduction } from "./introduction.ts";
import { type NativeKernel, openKernel } from "./kernel.ts";
import type { Launched, LaunchHooks, LaunchOptions } from "./launch.ts";
import { prepareLibrary } from "./library.ts";
import { onStandstill, procFields, standstillBy } from "./procfs.ts";
import { AttachError, MachError, TargetGoneError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { SymbolOptions } from "../lib/symbols/walking.ts";
import { LiveTarget, PerfMap, SelfTarget } from "../lib/target/walking.ts";

export { fileSystem as system };
export { prepareLibrary };

let opened: NativeKernel | undefined;

/** The kernel of this system, opened at first use. */
export function kernel(): NativeKernel {
  if (opened === undefined) {
    opened = openKernel();
    onStandstill((pid) => standstillBy(kernel().processInfo(pid)));
  }
  return opened;
}

/** `KERN_INVALID_ARGUMENT`. */
const invalidArgument = 4;
/** `KERN_FAILURE`. */
const failure = 5;

/** Attaches to a running process. It runs until it is paused.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = attach("MyApp"); // or a pid
 * for (const thread of target.threads) console.log(`${thread}\n${thread.backtrace()}`);
 * ```
 * @param target a pid, or the name of exactly one process
 * @throws AttachError when there is no such process or it may not be attached to
 */
export function attach(
  target: number | string,
  options: SymbolOptions = {},
): LiveTarget {
  if (typeof target !== "number" && typeof target !== "string") {
    throw new TypeError("attach() takes a pid or the name of a process");
  }
  const native = kernel();
  const pid = typeof target === "number" || /^\d+$/.test(target)
    ? checkPid("task_for_pid", Number(target))
    : pidNamed(target);
  if (pid === Deno.pid) {
    const text =
      `pid ${pid} is this process, which cannot stop itself: attachSelf() takes snapshots`;
    throw new AttachError("task_for_pid", invalidArgument, { reason: "self", text });
  }
  const name = native.processName(pid) ?? `pid ${pid}`;
  return new LiveTarget(native, fileSystem, {
    ...options,
    ...{ pid, name, onHold: guard, mappedFile: mappedFileOf(pid), generated: perfMapOf(pid) },
  });
}

/** Where the files that a process has mapped are opened. One in a container has a file system of its own, in which
 * its paths hold: here there are other files by these names, or none. */
function mappedFileOf(pid: number): (path: string) => string {
  let isElsewhere = false;
  return (path) => {
    if (Deno.build.os !== "linux") return path;
    try {
      isElsewhere = Deno.readLinkSync(`/proc/${pid}/ns/mnt`) !==
        Deno.readLinkSync("/proc/self/ns/mnt");
    } catch {
      // It has ended, or this may not be asked: it is where it was.
    }
    return isElsewhere ? `/proc/${pid}/root${path}` : path;
  };
}

/** The names of the code that a process makes while it runs: `/tmp/perf-PID.map`, of a process in a container
 * there, by its pid there. Everybody may write into that folder, so the file has to be the process's user's. */
function perfMapOf(pid: number): PerfMap {
  const isLinux = Deno.build.os === "linux";
  return new PerfMap(`/tmp/perf-${pid}.map`, () => {
    try {
      const folder = isLinux ? `/proc/${pid}/root/tmp` : "/tmp";
      const path = `${folder}/perf-${isLinux ? pidInside(pid) : pid}.map`;
      // Not a link, which is followed here and not there.
      const { isFile, uid } = Deno.lstatSync(path);
      const isTrusted = isFile && uid === kernel().processInfo(pid)?.users[0];
      if (!isTrusted) log.symbols?.(`${path} is not used: it is no file of the process's user`);
      return isTrusted ? fileSystem.files.open(path) : null;
    } catch {
      return null; // there is none, or it may not be read
    }
  });
}

/** The pid that a process has in its own namespace. */
function pidInside(pid: number): string {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return /^NSpid:.*\t(\d+)$/m.exec(status)?.[1] ?? `${pid}`;
}

/** The largest `pid_t`. */
const maxPid = 0x7fff_ffff;

/** Checks that a number may be a pid.
 *
 * @throws {AttachError} when it cannot
 */
export function checkPid(call: string, pid: number): number {
  if (Number.isInteger(pid) && pid >= 0 && pid <= maxPid) return pid;
  const text = `${pid} cannot be a pid: those are whole numbers from 0 to ${maxPid}`;
  throw new AttachError(call, failure, { reason: "invalid", text });
}

/** The pid of exactly one process of a name.
 *
 * @throws AttachError when there is none, or several
 */
export function pidNamed(name: string): number {
  const found = kernel().processes().filter((process) => process.name === name);
  if (found.length === 1) return found[0].pid;
  const text = found.length === 0
    ? `no process is named ${JSON.stringify(name)}`
    : `${found.length} processes are named ${JSON.stringify(name)}: ` +
      `say which by pid: ${found.map(({ pid }) => pid).join(", ")}`;
  const reason = found.length === 0 ? "gone" : "ambiguous";
  throw new AttachError("task_for_pid", failure, { reason, text });
}

/** Maximum time for a program to start running. */
const launchMilliseconds = 10_000;

/** Starts a program and attaches to it. When this returns the program runs its own code. On Linux,
 * machpause's loader runs Mach-O programs.
 *
 * @example
 * ```ts
 * import { launch } from "@machpause/machpause";
 *
 * using target = await launch("./program", ["argument"]);
 * console.log(target.images.map((image) => image.name));
 * target.kill();
 * ```
 * @param program its path: a name alone is that of a file in the working directory, and not looked for in `$PATH`
 * @throws Deno.errors.NotFound when there is no such file
 * @throws Deno.errors.PermissionDenied when it is no program
 * @throws MachError when it may not be attached to
 * @throws TargetGoneError when it ended before it ran
 */
export function launch(
  program: string,
  args: readonly string[] = [],
  options: LaunchOptions & SymbolOptions = {},
): Promise<LiveTarget> {
  return launchWith(program, args, options);
}

/** {@linkcode launch}, with what the prompt asks for besides. */
export async function launchWith(
  program: string,
  args: readonly string[],
  options: LaunchOptions & SymbolOptions,
  hooks: Pick<LaunchHooks, "spawn" | "mayUntie" | "hold"> = {},
): Promise<LiveTarget> {
  if (typeof program !== "string" || !Array.isArray(args)) {
    throw new TypeError("launch() takes the path of a program and a list of arguments");
  }
  // Most commands launch nothing, and each module costs time at the start.
  const [{ launchProcess }] = await Promise.all([
    import("./launch.ts"),
    prepareLibrary(),
  ]);
  const native = kernel();
  using started = new DisposableStack();
  let introduction: Introduction | undefined;
  let watch: CrashWatch | undefined;
  const { catchCrash: catches = false } = options;
  // A name without a folder would be looked for in $PATH, as a shell does.
  const path = program.includes("/") ? program : `./${program}`;
  const { hold = false } = hooks;
  const stops = (catches || hold) && native.system === "linux";
  const child: Launched = await launchProcess(path, args, options, {
    ...hooks,
    stopped: stops,
    async insert() {
      const { Introduction } = await import("./introduction.ts");
      const others = options.env?.DYLD_INSERT_LIBRARIES ?? inheritedLibraries();
      introduction = started.use(await Introduction.prepare(native, path, others));
      return introduction.environment;
    },
  });
  const name = program.slice(program.lastIndexOf("/") + 1);
  const kill = () => child.kill();
  const late = performance.now() + launchMilliseconds;
  let target: LiveTarget | undefined;
  const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
  try {
    // Linux lets a parent go on before its child has the new program: what is there until then is a
    // copy of this process, which may be of another architecture.
    while (native.system === "linux" && native.processInfo(child.pid)?.hasExecuted === false) {
      if (performance.now() > late) {
        throw new MachError("task_info", failure, `${name} did not start`);
      }
      await pause();
    }
    // A program that is held waits in the shell that starts it, or else in the library that introduces it.
    const inShell = hold && stops && introduction === undefined && child.isNative;
    if (stops) {
      while (!isStopped(child.pid) && child.ended() === undefined && performance.now() < late) {
        await pause();
      }
      if (catches) watch = await watchForCrash(native, child.pid);
      if (!inShell) await leaveShell(child);
    }
    const missed = inShell
      ? undefined
      : await introduction?.accept(child.pid, child.ended, launchMilliseconds);
    if (catches && native.system === "darwin") watch = await watchForCrash(native, child.pid);
    const held = hold ? started.move() : undefined;
    target = takeLaunched(
      name,
      missed,
      () =>
        new LiveTarget(native, fileSystem, {
          ...(options.symbols === undefined ? {} : { symbols: options.symbols }),
          pid: child.pid,
          name,
          kill,
          onHold: guard,
          mappedFile: mappedFileOf(child.pid),
          generated: perfMapOf(child.pid),
          ...(watch === undefined ? {} : { crashes: watch }),
          ...(held === undefined ? {} : {
            async begin() {
              const cpuTime = inShell ? await leaveShell(child, expectedTime) : 0;
              held.dispose();
              // As the kernel names it after the file.
              return { cpuTime, ...(inShell ? { name: name.slice(0, maxThreadName) } : {}) };
            },
          }),
        }),
    );
    // The program runs its own code from here on.
    started.dispose();
    while (!hold && child.hasDyld && !target.initialized && watch?.poll() === undefined) {
      const ended = child.ended();
      if (ended !== undefined) throw new TargetGoneError(name, ended);
      if (performance.now() > late) {
        throw new MachError("task_info", failure, `${name} did not begin to run`);
      }
      await pause();
    }
    launched.set(target, child);
    if (watch !== undefined) watches.set(target, watch);
    return target;
  } catch (error) {
    watch?.[Symbol.dispose]();
    target?.[Symbol.dispose]();
    // A program that ends at once cannot be attached to, which must not be taken for a refusal.
    const ended = await endOf(child);
    kill();
    throw ended === undefined ? error : new TargetGoneError(name, ended);
  }
}

/** The targets that were launched. */
const launched = new WeakMap<object, Launched>();
/** Those whose crash is waited for. */
const watches = new WeakMap<object, CrashWatch>();

/** Whether a target was launched from here. */
export function wasLaunched(target: object): boolean {
  return launched.has(target);
}

/** The wait for the crash of a launched target; `undefined` for others. */
export function crashWatchOf(target: object): CrashWatch | undefined {
  return watches.get(target);
}

/** Waits for the crash of a program that was launched; `undefined` where the system does not allow it. */
async function watchForCrash(native: NativeKernel, pid: number): Promise<CrashWatch | undefined> {
  const { CrashWatch } = await import("./crash.ts");
  let task: number | undefined;
  try {
    task = native.taskForPid(pid);
    return new CrashWatch(native, task);
  } catch (error) {
    if (!(error instanceof MachError || error instanceof TargetGoneError)) throw error;
    log.ffi?.(`a crash of pid ${pid} will not be caught: ${error.message}`);
    return undefined;
  } finally {
    if (task !== undefined) native.portRelease(task);
  }
}

/** Whether a process is stopped by a signal. */
function isStopped(pid: number): boolean {
  return /^[Tt]$/.test(procFields(pid)?.[0] ?? "");
}

/** Characters of a thread's name on Linux (`TASK_COMM_LEN`, less the end). */
const maxThreadName = 15;

/** For how long a program that is sampled is expected to begin, in milliseconds: it runs unseen in each pause
 * between two looks. */
const expectedTime = 2;

/** Has the shell that waits start the program, and waits until it has.
 *
 * @param eager for how many milliseconds without pauses
 * @returns the CPU time that was spent until then, in nanoseconds
 */
async function leaveShell({ pid, isInShell, ended }: Launched, eager = 0): Promise<number> {
  const before = cpuTimeOf(pid);
  const began = performance.now();
  continueStopped(pid);
  while (isInShell() && ended() === undefined) {
    const time = performance.now() - began;
    if (time > launchMilliseconds) break;
    if (time >= eager) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const time = cpuTimeOf(pid);
  const state = procFields(pid)?.[0] ?? "Z";
  // Of one that has ended meanwhile it is not known how much of its time was the shell's.
  if (/^[ZX]/.test(state)) return before;
  // While a thread runs its account is that of an earlier moment, when it may have been the shell.
  return state.startsWith("R") ? time + 1 : time;
}

/** The CPU time of a process's first thread in nanoseconds, by `schedstat`; 0 when that is not known. */
function cpuTimeOf(pid: number): number {
  try {
    return Number(Deno.readTextFileSync(`/proc/${pid}/schedstat`).split(" ")[0]) || 0;
  } catch {
    return 0;
  }
}

function continueStopped(pid: number): void {
  try {
    Deno.kill(pid, "SIGCONT");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** How long the end of a process may take to become known after its last sign of life. */
const endMilliseconds = 100;

async function endOf(child: Launched): Promise<string | undefined> {
  const late = performance.now() + endMilliseconds;
  while (child.ended() === undefined && performance.now() < late) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return child.ended();
}

/** How a target ended: its exit code or signal, in words; `undefined` while it runs. Only the
 * parent of an attached process is told; on Linux others can see it until the parent has asked. */
export async function howEnded(target: LiveTarget): Promise<string | undefined> {
  const child = launched.get(target);
  if (child !== undefined) return await endOf(child);
  return endOfZombie(target.pid) ?? "it exited or was killed, and only its parent knows how";
}

/** How a process ended that its parent has not asked for yet, by the last field of `/proc/N/stat`: the status
 * that `wait()` gives. */
function endOfZombie(pid: number): string | undefined {
  const fields = Deno.build.os === "linux" ? procFields(pid) : undefined;
  if (fields === undefined || !/^[ZX]/.test(fields[0])) return undefined;
  const status = Number(fields.at(-1));
  const signal = status & 0x7f;
  return signal === 0 ? `it exited with code ${status >> 8}` : `it was killed by signal ${signal}`;
}

/** Lets a launched target outlive this process, whatever was asked for when it was launched. */
export function untie(target: object): void {
  launched.get(target)?.untie();
}

/** Opens a launched program. A failure says why the program's task port was not received. */
function takeLaunched(
  name: string,
  missed: string | undefined,
  take: () => LiveTarget,
): LiveTarget {
  try {
    return take();
  } catch (error) {
    if (missed === undefined || !(error instanceof AttachError)) throw error;
    const { call, code, reason, remedy } = error;
    throw new AttachError(call, code, { reason, text: `${name} ${missed}; ${remedy}` });
  }
}

/** The libraries that this process inserts and passes on, if its environment may be read without a
 * prompt. */
function inheritedLibraries(): string | undefined {
  const variable = "DYLD_INSERT_LIBRARIES";
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" ? Deno.env.get(variable) : undefined;
}

/** This process, for snapshots.
 *
 * @example
 * ```ts
 * import { attachSelf } from "@machpause/machpause";
 *
 * console.log(attachSelf().snapshot().mainThread.backtrace().join("\n"));
 * ```
 */
export function attachSelf(options: SymbolOptions = {}): SelfTarget {
  return new SelfTarget(kernel(), fileSystem, processName(), options);
}

function processName(): string {
  const path = kernel().processPath(Deno.pid);
  return path.slice(path.lastIndexOf("/") + 1);
}
