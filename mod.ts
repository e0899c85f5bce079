/**
 * A debugger for Apple's platforms as a library: pause the threads of a process, as Xcode's pause
 * button does, and see what each one is doing.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = attach("MyApp"); // or a pid
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
import { checkPath } from "./ffi/files.ts";
import { checkPid, kernel, system } from "./ffi/processes.ts";
import type { MachOFile, MachOFileOptions } from "./lib/macho/mod.ts";
import {
  openCoreOver,
  openImageOver,
  type OpenReportSymbolsOptions,
  openReportSymbolsOver,
  openStackshotOver,
  openSymbolizerOver,
  stackshotBase,
  type StackshotOptions,
  stackshotOver,
} from "./lib/open.ts";
import type { ReportSymbolFiles } from "./lib/report/symbolicate/files.ts";
import type { Stackshot } from "./lib/stackshot/mod.ts";
import type { FileSymbolizer, ImageFile, SymbolOptions } from "./lib/symbols/mod.ts";
import type { CoreTarget } from "./lib/target/mod.ts";

export { files } from "./ffi/files.ts";
export type { LaunchOptions } from "./ffi/mod.ts";
export { attach, attachSelf, launch } from "./ffi/processes.ts";
export * from "./lib/mod.ts";
export type { OpenReportSymbolsOptions, StackshotOptions } from "./lib/open.ts";

/** Opens a Mach-O core file. Only the parts of the file that are needed are read.
 *
 * @example
 * ```ts
 * import { openCore } from "@machpause/machpause";
 *
 * using core = openCore("MyApp.core", { symbols: ["./symbols"] });
 * console.log(`${core.crashedThread?.exception}`);
 * for (const thread of core.threads) console.log(`${thread}\n${thread.backtrace()}`);
 * ```
 * @param options folders with binaries and debug information
 * @throws FileError when there is no such file, or it may not be read
 * @throws FormatError when it is no core of a known CPU
 */
export function openCore(file: string, options: SymbolOptions = {}): CoreTarget {
  return openCoreOver(system, file, options);
}

/** Opens a Mach-O file, universal or not, a dSYM, or a static library of Mach-O members, and tells what is
 * in it. Only the parts of a large file that are needed are read. Dispose it to close the file.
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
 * @throws FileError when there is no such file, or it may not be read
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
 * @throws FileError when there is no such file, or it may not be read
 * @throws FormatError when one is no image, or has not the architecture
 */
export function openSymbolizer(
  images: readonly ImageFile[],
  options: SymbolOptions = {},
): FileSymbolizer {
  return openSymbolizerOver(system, images, options);
}

/** Opens folders of dSYMs, binaries and symbol table files, to name the frames of crash reports:
 * functions, files, lines and inlined calls, names demangled. A report's images are found by UUID, whatever
 * the files are called; nothing is read before the first lookup. Dispose it to close the files.
 *
 * @example
 * ```ts
 * import { openReportSymbols } from "@machpause/machpause";
 * import { readReport, symbolicateReport } from "@machpause/machpause/report";
 *
 * using symbols = openReportSymbols(["./dsyms"]);
 * const given = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * const { report, missing } = symbolicateReport(given, symbols);
 * for (const { symbol, file, line } of report.crashedThread?.frames ?? []) {
 *   console.log(symbol, file, line);
 * }
 * for (const { image, frames } of missing) console.log(`no ${image.name}: ${frames} frames`);
 * ```
 * @param folders searched with everything below them; a file or a dSYM may be named too
 * @throws FileError when there is no such folder
 */
export function openReportSymbols(
  folders: readonly string[],
  options: OpenReportSymbolsOptions = {},
): ReportSymbolFiles {
  const symbols = openReportSymbolsOver(system, folders, options);
  folders.forEach(checkPath);
  return symbols;
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
 * @throws FileError when there is no such file, or it may not be read
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
    ...(pid === undefined ? {} : { pid: checkPid("stack_snapshot_with_config", pid) }),
    ...(since === null ? {} : { since }),
  };
  const bytes = kernel().stackshot(request);
  return await stackshotOver(system, bytes, "stackshot", base, options);
}
