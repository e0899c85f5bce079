/**
 * The part of machpause that needs no system: Mach-O files, cores, stackshots, crash reports,
 * unwinding and symbols, for Node and for Deno. What is live, pausing processes, is the Deno package's.
 *
 * @example
 * ```ts
 * import { openCore } from "@machpause/machpause";
 *
 * const core = openCore("MyApp.core", { symbols: ["./symbols"] });
 * for (const thread of core.threads) console.log(`${thread}\n${thread.backtrace()}`);
 * ```
 *
 * @module
 */
import type {
  CoreTarget,
  FileSymbolizer,
  ImageFile,
  MachOFile,
  MachOFileOptions,
  Stackshot,
  SymbolOptions,
} from "../../lib/mod.ts";
import {
  openCoreOver,
  openImageOver,
  type OpenReportSymbolsOptions,
  openReportSymbolsOver,
  openStackshotOver,
  openSymbolizerOver,
  type StackshotOptions,
} from "../../lib/open.ts";
import type { ReportSymbolFiles } from "../../lib/report/symbolicate/files.ts";
import { checkPath, files } from "./files.ts";

export * from "../../lib/mod.ts";
export type { OpenReportSymbolsOptions, StackshotOptions } from "../../lib/open.ts";
export { files };

const system = { files };

/** Opens a Mach-O core file. Of the file only what is asked for is read.
 *
 * @example
 * ```ts
 * import { openCore } from "@machpause/machpause";
 *
 * const core = openCore("MyApp.core", { symbols: ["./symbols"] });
 * console.log(`${core.crashedThread?.exception}`);
 * ```
 * @param options folders with binaries and debug information
 * @throws FileError when there is no such file, or it may not be read
 * @throws FormatError when it is no core of a known CPU
 */
export function openCore(file: string, options: SymbolOptions = {}): CoreTarget {
  return openCoreOver(system, file, options);
}

/** Opens a Mach-O file, universal or not, or a static library of Mach-O members. Dispose it to close
 * the file.
 *
 * @example
 * ```ts
 * import { openImage } from "@machpause/machpause";
 *
 * const file = openImage("MyApp");
 * for (const image of file.images) console.log(image.arch, image.kind);
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
 * const symbolizer = openSymbolizer([{ path: "MyApp.dSYM", loadAddress: 0x104a3c000n }]);
 * console.log(symbolizer.resolve(0x104a3f721n).frames);
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
 * import { files, openReportSymbols } from "@machpause/machpause";
 * import { readReport, symbolicateReport } from "@machpause/machpause/report";
 *
 * const symbols = openReportSymbols(["./dsyms"]);
 * const file = files.open("MyApp.ips");
 * const given = readReport(file.read(0, file.size), file.name);
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

/** Opens a stackshot: kcdata, whole, delta or compressed, or the trace buffer of older systems.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * const stackshot = await openStackshot("hang.kcdata");
 * for (const task of stackshot.tasks) console.log(`${task}`, task.threads.length);
 * ```
 * @throws FileError when there is no such file, or it may not be read
 * @throws FormatError when it is no stackshot
 */
export function openStackshot(path: string, options: StackshotOptions = {}): Promise<Stackshot> {
  return openStackshotOver(system, path, options);
}
