/**
 * A debugger for Apple's platforms as a library: pause the threads of a process, as Xcode's pause
 * button does, and see what each one is doing.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = await attach("MyApp"); // or a pid
 * {
 *   using _pause = target.pause(); // runs again on leaving the block
 *   for (const thread of target.threads) {
 *     console.log(`${thread}`);
 *     for (const frame of thread.backtrace()) console.log(`  ${frame}`);
 *   }
 * }
 * ```
 *
 * @module
 */
import {
  files,
  guard,
  type LaunchOptions,
  launchProcess,
  locateDsyms,
  type NativeKernel,
  openKernel,
} from "./ffi/mod.ts";
import { MachError, TargetGoneError } from "./lib/errors.ts";
import type { MachOFile, MachOFileOptions } from "./lib/macho/mod.ts";
import {
  type FileSystem,
  openCoreOver,
  openImageOver,
  openStackshotOver,
  openSymbolizerOver,
  servicesOver,
  stackshotBase,
  type StackshotOptions,
  stackshotOver,
  type SymbolOptions,
} from "./lib/open.ts";
import type { Stackshot } from "./lib/report/mod.ts";
import type { FileSymbolizer, ImageFile } from "./lib/symbols/mod.ts";
import {
  type CoreTarget,
  type CoreTargetOptions,
  LiveTarget,
  SelfTarget,
} from "./lib/target/mod.ts";

export { demangle, type DemangleStyle } from "./lib/symbols/mod.ts";
export { loadDemangler } from "./wasm/demangle.ts";

export type { LaunchOptions } from "./ffi/mod.ts";
export * from "./lib/mod.ts";

export type { StackshotOptions, SymbolOptions } from "./lib/open.ts";

const system: FileSystem = {
  files,
  locate: Deno.build.os === "darwin" ? locateDsyms : undefined,
};

let opened: NativeKernel | undefined;

function kernel(): NativeKernel {
  return opened ??= openKernel();
}

/** `KERN_FAILURE`. */
const failure = 5;

/** Takes hold of a running process. It runs on until it is paused.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = await attach("MyApp"); // or a pid
 * for (const thread of target.threads) console.log(`${thread}\n${thread.backtrace()}`);
 * ```
 * @param target a pid, or the name of exactly one process
 * @throws MachError when there is no such process or it may not be attached to
 */
export function attach(
  target: number | string,
  options: SymbolOptions = {},
): Promise<LiveTarget> {
  return Promise.try(() => {
    const native = kernel();
    const processes = native.processes();
    const pid = typeof target === "number" || /^\d+$/.test(target)
      ? Number(target)
      : pidOfName(processes, target);
    const name = processes.find((process) => process.pid === pid)?.name ?? `pid ${pid}`;
    return new LiveTarget(native, servicesOver(system, options), { pid, name, onHold: guard });
  });
}

function pidOfName(processes: ReturnType<NativeKernel["processes"]>, name: string): number {
  const found = processes.filter((process) => process.name === name);
  if (found.length === 1) return found[0].pid;
  throw new MachError(
    "task_for_pid",
    failure,
    found.length === 0
      ? `no process is named ${JSON.stringify(name)}`
      : `${found.length} processes are named ${JSON.stringify(name)}: ` +
        `say which by pid: ${found.map(({ pid }) => pid).join(", ")}`,
  );
}

/** How long a program may take to begin to run. */
const launchMilliseconds = 10_000;

/** Starts a program and takes hold of it; it is running its own code when this returns. On Linux a
 * Mach-O program runs through machpause's loader.
 *
 * @example
 * ```ts
 * import { launch } from "@machpause/machpause";
 *
 * using target = await launch("./program", ["argument"]);
 * console.log(target.images.map((image) => image.name));
 * target.kill();
 * ```
 * @throws Deno.errors.NotFound when there is no such file
 * @throws MachError when it may not be attached to
 * @throws TargetGoneError when it ended before it ran
 */
export async function launch(
  program: string,
  args: readonly string[] = [],
  options: LaunchOptions & SymbolOptions = {},
): Promise<LiveTarget> {
  const native = kernel();
  const child = await launchProcess(program, { ...options, args });
  const name = program.slice(program.lastIndexOf("/") + 1);
  const kill = () => child.kill();
  const late = performance.now() + launchMilliseconds;
  let target: LiveTarget | undefined;
  try {
    target = new LiveTarget(native, servicesOver(system, options), {
      pid: child.pid,
      name,
      kill,
      onHold: guard,
    });
    while (child.hasDyld && !target.initialized) {
      const ended = child.ended();
      if (ended !== undefined) throw new TargetGoneError(`${name}: ${ended}; it`);
      if (performance.now() > late) {
        throw new MachError("task_info", failure, `${name} did not begin to run`);
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return target;
  } catch (error) {
    target?.[Symbol.dispose]();
    kill();
    throw error;
  }
}

/** Opens a Mach-O core file. Of the file only what is asked for is read.
 *
 * @example
 * ```ts
 * import { openCore } from "@machpause/machpause";
 *
 * using core = await openCore("MyApp.core", { symbols: ["./symbols"] });
 * console.log(`${core.crashedThread?.exception}`);
 * for (const thread of core.threads) console.log(`${thread}\n${thread.backtrace()}`);
 * ```
 * @param options folders with binaries and debug information
 * @throws Deno.errors.NotFound when there is no such file
 * @throws FormatError when it is no core of a known CPU
 */
export function openCore(file: string, options: CoreTargetOptions = {}): Promise<CoreTarget> {
  return openCoreOver(system, file, options);
}

/** This very process, in snapshots.
 *
 * @example
 * ```ts
 * import { self } from "@machpause/machpause";
 *
 * console.log(self().snapshot().mainThread.backtrace().join("\n"));
 * ```
 */
export function self(options: SymbolOptions = {}): SelfTarget {
  return new SelfTarget(kernel(), servicesOver(system, options), processName());
}

function processName(): string {
  const path = kernel().processPath(Deno.pid);
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Opens a Mach-O file, universal or not, or a static library of Mach-O members, and tells what is in
 * it. Of a large file only what is asked for is read. Dispose it to close the file.
 *
 * @example
 * ```ts
 * import { openImage } from "@machpause/machpause";
 *
 * using file = openImage("/usr/lib/dyld");
 * for (const image of file.images) {
 *   console.log(image.arch, image.kind, image.dylibs.map(({ name }) => name));
 *   for (const { name, letter, value } of image.symbols() ?? []) console.log(value, letter, name);
 * }
 * ```
 * @throws Deno.errors.NotFound when there is no such file
 * @throws FormatError when there is no Mach-O image in it, or none for `options.arch`
 */
export function openImage(path: string, options: MachOFileOptions = {}): MachOFile {
  return openImageOver(system, path, options);
}

/** Opens the files of images that were loaded somewhere else, to tell what was at their addresses, as
 * `atos` does. Dispose it to close the files.
 *
 * @example
 * ```ts
 * import { openSymbolizer } from "@machpause/machpause";
 *
 * using symbolizer = openSymbolizer([{ path: "MyApp.dSYM", loadAddress: 0x104a3c000n }]);
 * for (const { function: name, location } of symbolizer.resolve(0x104a3f721n).frames) {
 *   console.log(name, location);
 * }
 * ```
 * @throws Deno.errors.NotFound when there is no such file
 * @throws FormatError when one is no image, or has not the architecture
 */
export function openSymbolizer(
  images: readonly ImageFile[],
  options: SymbolOptions = {},
): FileSymbolizer {
  return openSymbolizerOver(system, images, options);
}

/** Opens a stackshot: kcdata, whole, delta or compressed, or the trace buffer of older systems, as the
 * kernel gave it, or that compressed by gzip.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("hang.kcdata", { symbols: ["./symbols"] });
 * for (const task of stackshot.tasks) {
 *   for (const thread of task.threads) {
 *     console.log(`${task}: ${thread}: waits for ${thread.waiting}`);
 *     console.log(`${thread.kernelBacktrace()}\n${thread.backtrace()}`);
 *   }
 * }
 * ```
 * @throws Deno.errors.NotFound when there is no such file
 * @throws FormatError when it is no stackshot
 */
export function openStackshot(
  path: string,
  options: StackshotOptions = {},
): Promise<Stackshot> {
  return openStackshotOver(system, path, options);
}

/** Takes a stackshot: what every thread of a process, or of all of them, is doing, in user space and in
 * the kernel. Only Darwin's kernel takes any, for root alone.
 *
 * @example
 * ```ts
 * import { takeStackshot } from "@machpause/machpause";
 *
 * using stackshot = await takeStackshot(); // as root
 * for (const { pid, name, threads } of stackshot.tasks) console.log(pid, name, threads.length);
 * ```
 * @param pid of the process; all when left out
 * @throws MachError when it may not be taken, or there is no such process
 */
export async function takeStackshot(
  pid?: number,
  options: StackshotOptions = {},
): Promise<Stackshot> {
  const base = await stackshotBase(system, options);
  const since = base?.absoluteTime ?? null;
  const request = {
    ...(pid === undefined ? {} : { pid }),
    ...(since === null ? {} : { since }),
  };
  const bytes = kernel().stackshot(request);
  return await stackshotOver(system, bytes, "stackshot", base, options);
}

/** What reads, explains, symbolicates, attributes and writes crash reports; loaded when it is first asked
 * for.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { explainReport, readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * const { headline, happened, check } = explainReport(report);
 * console.log(headline, happened, check);
 * ```
 */
export function crashReports(): Promise<typeof import("./lib/report/mod.ts")> {
  return import("./lib/report/mod.ts");
}
