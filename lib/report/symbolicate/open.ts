/** Opens the symbols of reports with all that finds functions, files and lines in files. */

import type { FileSystem } from "../../file_system.ts";
import { DebugFinder, demangle, openDwarf, SymbolFiles } from "../../symbols/mod.ts";
import type { CrashReport } from "../report.ts";
import { ReportSymbolFiles } from "./files.ts";

/** How `openReportSymbols` looks for symbols. */
export interface OpenReportSymbolsOptions {
  /** Tells whether a report is of this machine, so that the files at the paths that it names may be opened
   * too. Left out, none is: a report of somebody else could name any file. */
  readonly isLocal?: (report: CrashReport) => boolean;
}

/** Closes what finds debug information with the files of symbols. */
class OpenedSymbols extends ReportSymbolFiles {
  readonly #finder: DebugFinder;

  constructor(
    { files }: Pick<FileSystem, "files">,
    folders: readonly string[],
    options: OpenReportSymbolsOptions,
  ) {
    const symbolFiles = new SymbolFiles(files, folders);
    const debug = new DebugFinder({ files }, symbolFiles);
    super(files, symbolFiles, {
      ...options,
      debug,
      openDwarf,
      demangle: (name) => demangle(name),
    });
    this.#finder = debug;
  }

  override [Symbol.dispose](): void {
    super[Symbol.dispose]();
    this.#finder[Symbol.dispose]();
  }
}

/** See `openReportSymbols`. */
export function openReportSymbolsOver(
  system: Pick<FileSystem, "files">,
  folders: readonly string[],
  options: OpenReportSymbolsOptions,
): ReportSymbolFiles {
  return new OpenedSymbols(system, folders, options);
}
