/** Starts programs. */
import { type ArchName, archs } from "../lib/arch/mod.ts";
import { FormatError } from "../lib/errors.ts";
import { loaderPath } from "./library.ts";

/** How to start a program.
 *
 * @example
 * ```ts
 * import { launch, type LaunchOptions } from "@machpause/machpause";
 *
 * const options: LaunchOptions = { cwd: "/tmp", env: { MallocScribble: "1" }, output: "null" };
 * using target = await launch("./program", [], options);
 * target.kill();
 * ```
 */
export interface LaunchOptions {
  /** The working directory. Default: that of this process. */
  readonly cwd?: string;
  /** Environment variables, added to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Kill the program when this process ends, even by SIGKILL. Default: it keeps running. */
  readonly killOnExit?: boolean;
  /** Whether the program is stopped where it crashes: `target.crash` tells of it, its threads and
   * memory can be read, and it dies when the target is disposed of, or this process ends. Default: it dies
   * at once. */
  readonly catchCrash?: boolean;
  /** What its stdout and stderr are. Default: `inherit`. Its stdin is empty. */
  readonly output?: "inherit" | "null";
}

/** What is asked just before a program is started. */
export interface LaunchHooks {
  /** More environment variables, for a program that libraries can be inserted into. */
  readonly insert?: () => Promise<Readonly<Record<string, string>>>;
  /** Starts the program instead of `Deno.Command`: on another terminal. */
  readonly spawn?: (file: string, options: Deno.CommandOptions) => StartedProcess;
  /** On Linux: starts it stopped, in a shell that runs it on SIGCONT. So it can be attached to before its first
   * instruction. */
  readonly stopped?: boolean;
  /** Whether {@linkcode Launched.untie} can be called: then a shell watches over the program. */
  readonly mayUntie?: boolean;
  /** Whether the program waits at its start until the target is sampled for the first time. Until then the
   * target shows what starts it. */
  readonly hold?: boolean;
}

/** What is needed of a child process. */
export type StartedProcess = Pick<Deno.ChildProcess, "pid" | "status" | "kill" | "unref">;

/** A program that was started. */
export interface Launched {
  readonly pid: number;
  /** Whether dyld, or the Mach-O loader, will publish the program's images. */
  readonly hasDyld: boolean;
  /** Whether the program is of the machine's own architecture, as the shell is that may start it. */
  readonly isNative: boolean;
  /** Whether the shell that is to start it has not done so yet. */
  isInShell(): boolean;
  kill(): void;
  /** Lets it outlive this process after all. */
  untie(): void;
  /** How it ended, as text; `undefined` while it runs. */
  ended(): string | undefined;
}

/** The signals of faults, and of `abort()`. */
const crashes: ReadonlySet<string> = new Set([
  ...["SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGSYS", "SIGTRAP"],
]);

/** The architectures that the Mach-O loader runs on Linux, the machine's own first. */
const loaders: Readonly<Record<typeof Deno.build.arch, readonly ArchName[]>> = {
  x86_64: ["x86_64", "i386"],
  aarch64: ["arm64", "armv7"],
};

/** Starts a program. On Linux the Mach-O loader runs Mach-O programs. The program keeps running when this
 * process ends, unless {@linkcode LaunchOptions.killOnExit} is set.
 *
 * @throws FormatError when the file is a Mach-O program that cannot run here
 * @throws Deno.errors.NotFound when there is no such file
 */
export async function launchProcess(
  program: string,
  given: readonly string[],
  options: LaunchOptions,
  { insert, spawn = byDeno, mayUntie = false, stopped = false }: LaunchHooks = {},
): Promise<Launched> {
  const { file, args, loaded } = await commandOf(program, given);
  const isNative = loaded === undefined
    ? await hasOwnMachine(program)
    : loaded === loaders[Deno.build.arch][0];
  const hasDyld = Deno.build.os === "darwin" || loaded !== undefined;
  const inserts = loaded === undefined
    ? hasDyld
    // The library has no 32-bit slices.
    : isStrict() && loaded === loaders[Deno.build.arch][0];
  const loads = file !== program;
  const tied = options.killOnExit === true;
  const inserted = inserts ? await insert?.() : undefined;
  const output = options.output ?? "inherit";
  const byShell = !loads || mayUntie;
  const first = stopped && Deno.build.os === "linux";
  if (first) await checkExecutable(file);
  const child = spawn(first ? "/bin/sh" : file, {
    args: first ? ["-c", stopFirst, file, ...args] : args,
    stdin: "null",
    stdout: output,
    stderr: output,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: {
      ...options.env,
      ...inserted,
      ...(tied && !byShell ? { MACHPAUSE_PARENT: `${Deno.pid}` } : {}),
    },
  });
  child.unref();
  const watcher = tied && byShell ? killWithUs(child.pid) : undefined;
  let status: Deno.CommandStatus | undefined;
  const over = (ended: Deno.CommandStatus) => {
    status = ended;
    watcher?.[Symbol.dispose]();
  };
  child.status.then(over, () => over({ success: false, code: 127, signal: null }));
  return {
    pid: child.pid,
    hasDyld,
    isNative,
    isInShell: () => first && runs(child.pid, stopFirst),
    kill() {
      if (status === undefined) endChild(child);
    },
    untie: () => watcher?.[Symbol.dispose](),
    ended() {
      if (status === undefined) return undefined;
      const { signal, code } = status;
      if (signal === null) return `it exited with code ${code}`;
      return crashes.has(signal) ? `it crashed: ${signal}` : `it was killed by ${signal}`;
    },
  };
}

/** The command that runs a program: on Linux our loader runs Mach-O programs.
 *
 * @throws FormatError when the file is a Mach-O program that cannot run here
 * @throws Deno.errors.NotFound when there is no such file
 */
export async function commandOf(
  program: string,
  args: readonly string[],
): Promise<{ file: string; args: string[]; loaded: ArchName | undefined }> {
  const cpuTypes = Deno.build.os === "linux" ? await machOCpuTypes(program) : [];
  if (cpuTypes.length === 0) return { file: program, args: [...args], loaded: undefined };
  const names = loaders[Deno.build.arch];
  const loaded = names.find((name) => cpuTypes.includes(archs[name].cpuType));
  if (loaded === undefined) {
    throw new FormatError(
      program,
      4,
      `an ${names.join(" or ")} program, which this Linux can run`,
    );
  }
  return { file: await loaderPath(loaded), args: [program, ...args], loaded };
}

/** What a shell runs to start a program stopped. */
const stopFirst = 'kill -STOP $$; exec "$0" "$@"';

/** Whether a process still runs the shell that is to start a program.
 *
 * @param script the shell's
 */
function runs(pid: number, script: string): boolean {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`).includes(`\0${script}\0`);
  } catch {
    return false; // it has ended
  }
}

/** Refuses what a shell could not run, as starting it would. */
async function checkExecutable(path: string): Promise<void> {
  const { isFile, mode } = await Deno.stat(path);
  if (isFile && ((mode ?? 0) & 0o111) !== 0) return;
  throw new Deno.errors.PermissionDenied(`${path} is not executable`);
}

function byDeno(file: string, options: Deno.CommandOptions): StartedProcess {
  return new Deno.Command(file, options).spawn();
}

/** Has a process killed when this one ends, until the result is disposed. A shell reads from a pipe that
 * only this process has open for writing: it sees the end of the pipe when this process ends. The Mach-O
 * loader needs no shell: it uses `PR_SET_PDEATHSIG`, before the program starts. */
export function killWithUs(pid: number): Disposable {
  const shell = new Deno.Command("/bin/sh", {
    args: ["-c", 'trap "" HUP INT TERM; read -r _; kill -9 "$1"', "sh", `${pid}`],
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  shell.unref();
  shell.status.catch(() => {});
  return {
    [Symbol.dispose]: () => endChild(shell),
  };
}

/** Whether `task_for_pid` is as strict here as XNU's: see `shim/linux/task.c`. Otherwise a child may be
 * attached to on Linux, and nothing need be inserted into it. */
function isStrict(): boolean {
  const variable = "MACHPAUSE_STRICT_TASK_FOR_PID";
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" && Deno.env.get(variable) === "1";
}

/** `e_machine` of the machine's own programs (`<elf.h>`). */
const machines: Readonly<Record<typeof Deno.build.arch, number>> = { x86_64: 62, aarch64: 183 };

/** Whether a file is no ELF program of another architecture. */
async function hasOwnMachine(path: string): Promise<boolean> {
  if (!(await Deno.stat(path)).isFile) return true;
  using file = await Deno.open(path);
  const bytes = new Uint8Array(20);
  const length = await file.read(bytes) ?? 0;
  const view = new DataView(bytes.buffer);
  const isElf = length === bytes.length && view.getUint32(0) === 0x7f454c46;
  return !isElf || view.getUint16(18, true) === machines[Deno.build.arch];
}

/** The CPU types in a Mach-O file's headers; empty for other files.
 * Formats: `<mach-o/loader.h>`, `<mach-o/fat.h>`. */
async function machOCpuTypes(path: string): Promise<number[]> {
  // Opening a FIFO would wait for somebody to write into it; starting it will say that it is none.
  if (!(await Deno.stat(path)).isFile) return [];
  using file = await Deno.open(path);
  const bytes = new Uint8Array(4096);
  const length = await file.read(bytes) ?? 0;
  const view = new DataView(bytes.buffer, 0, length);
  if (length < 8) return [];
  const magic = view.getUint32(0, true);
  if (magic === 0xfeedface || magic === 0xfeedfacf) return [view.getUint32(4, true)];
  const fat = view.getUint32(0);
  if (fat !== 0xcafebabe && fat !== 0xcafebabf) return [];
  const entrySize = fat === 0xcafebabe ? 20 : 32;
  const types: number[] = [];
  for (
    let at = 8, left = view.getUint32(4);
    left > 0 && at + 4 <= length;
    left--, at += entrySize
  ) {
    types.push(view.getUint32(at));
  }
  return types;
}

/** Kills a child. One that has ended by itself is known to have before its status is there, and cannot be killed. */
export function endChild(child: { kill(signal: Deno.Signal): void }): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended.
  }
}
