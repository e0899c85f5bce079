/** What every target needs, over a file system. */

import type { FileSystem } from "./file_system.ts";
import { DebugProvider, SymbolFiles, Symbolizer } from "./symbols/walking.ts";
import type { Services } from "./target/walking.ts";
import { walk } from "./unwind/mod.ts";

/** Where debug information is looked for, beside the places where it usually is: next to an image's file,
 * in it, in the object files that it names, and where Spotlight knows it to be.
 *
 * @example
 * ```ts
 * import { attach, type SymbolOptions } from "@machpause/machpause";
 *
 * const options: SymbolOptions = { symbols: ["./build", "./dSYMs"] };
 * using target = await attach("MyApp", options);
 * console.log(target.threads[0].backtrace()[0].source);
 * ```
 */
export interface SymbolOptions {
  /** Folders with dSYMs, binaries and symbol table files, searched by UUID. */
  readonly symbols?: readonly string[];
}

/** What one target needs; what is opened for it is closed with it. */
export function servicesOver(
  system: FileSystem,
  { symbols = [] }: SymbolOptions,
): Services {
  const symbolFiles = new SymbolFiles(system.files, symbols);
  const provider = new DebugProvider(system, symbolFiles);
  return {
    walk,
    symbols: (images) => new Symbolizer(images, provider),
    files: system.files,
    symbolFiles,
    [Symbol.dispose]: () => provider[Symbol.dispose](),
  };
}
