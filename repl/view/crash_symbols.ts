/** The symbols that `machpause crash` names frames with. */

import { files } from "../../ffi/files.ts";
import { ReportSymbolFiles } from "../../lib/report/mod.ts";
import { SymbolFiles } from "../../lib/symbols/walking.ts";

/** Symbols from folders, until they are disposed. */
export interface CrashSymbols extends Disposable {
  readonly files: ReportSymbolFiles;
  /** Makes names readable. */
  readonly demangle: (name: string) => string;
}

/** Opens folders of binaries, dSYMs and symbol table files. Without any, only where the reports' own paths
 * may lead somewhere is anything loaded: on a Mac. */
export async function openCrashSymbols(folders: readonly string[]): Promise<CrashSymbols> {
  if (folders.length === 0 && Deno.build.os !== "darwin") {
    const none = new ReportSymbolFiles(files, new SymbolFiles(files, []));
    return {
      files: none,
      demangle: (name) => name,
      [Symbol.dispose]: () => none[Symbol.dispose](),
    };
  }
  const { demangle, DebugFinder, openDwarf } = await import("../../lib/symbols/mod.ts");
  const symbolFiles = new SymbolFiles(files, folders);
  const finder = new DebugFinder({ files }, symbolFiles);
  const found = new ReportSymbolFiles(files, symbolFiles, { debug: finder, openDwarf });
  return {
    files: found,
    demangle: (name) => demangle(name),
    [Symbol.dispose]() {
      found[Symbol.dispose]();
      finder[Symbol.dispose]();
    },
  };
}
