/**
 * The part of machpause that needs no system: Mach-O files, cores, unwinding and symbols, for Node
 * and for Deno. What is live, pausing processes, is the Deno package's.
 *
 * @example
 * ```ts
 * import { openCore } from "machpause";
 *
 * const core = await openCore("MyApp.core", { symbols: ["./symbols"] });
 * for (const thread of core.threads) console.log(`${thread}\n${thread.backtrace()}`);
 * ```
 *
 * @module
 */
import {
  CoreTarget,
  type CoreTargetOptions,
  MachOFile,
  type MachOFileOptions,
  type Services,
  Symbolizer,
  walk,
} from "../lib/mod.ts";
import { files } from "./files.ts";

export * from "../lib/mod.ts";
export { loadDemangler } from "../wasm/demangle.ts";
export { files };

const services: Services = { walk, symbols: (images) => new Symbolizer(images), files };

/** Opens a Mach-O core file. Of the file only what is asked for is read.
 *
 * @param options folders with binaries, for what is not in the core
 * @throws Error the system's, when there is no such file
 * @throws FormatError when it is no core of a known CPU
 */
// deno-lint-ignore require-await
export async function openCore(file: string, options: CoreTargetOptions = {}): Promise<CoreTarget> {
  return new CoreTarget(files.open(file), services, options);
}

/** Opens a Mach-O file, universal or not, or a static library of Mach-O members. Dispose it to close
 * the file.
 *
 * @throws Error the system's, when there is no such file
 * @throws FormatError when there is no Mach-O image in it, or none for `options.arch`
 */
export function openImage(path: string, options: MachOFileOptions = {}): MachOFile {
  const file = files.open(path);
  try {
    return new MachOFile(file, options);
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}
