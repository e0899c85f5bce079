/** Opens what needs only a file system. `mod.ts` uses Deno's, the npm package Node's. */

import { FormatError } from "./errors.ts";
import { type LoadedImage, MachOFile, type MachOFileOptions } from "./macho/mod.ts";
import type { Stackshot, StackshotData } from "./stackshot/mod.ts";
import type { FileSystem } from "./file_system.ts";
import { type OpenReportSymbolsOptions, openReportSymbolsOver } from "./report/symbolicate/open.ts";
import {
  bundled,
  DebugProvider,
  FileSymbolizer,
  type ImageFile,
  SymbolFiles,
  Symbolizer,
  type SymbolOptions,
} from "./symbols/mod.ts";
import { CoreTarget } from "./target/mod.ts";

export type { FileSystem } from "./file_system.ts";
export { type OpenReportSymbolsOptions, openReportSymbolsOver };
export type { SymbolOptions } from "./symbols/mod.ts";

/** How a stackshot is opened or taken. */
export interface StackshotOptions extends SymbolOptions {
  /** Path of the stackshot that a delta stackshot is relative to. */
  readonly base?: string;
}

/** See `openImage`. */
export function openImageOver(
  { files }: FileSystem,
  path: string,
  options: MachOFileOptions,
): MachOFile {
  const [first = path] = bundled(files, path);
  const file = files.open(first);
  try {
    return new MachOFile(file, options);
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}

/** See `openCore`. */
export function openCoreOver(
  system: FileSystem,
  path: string,
  options: SymbolOptions,
): CoreTarget {
  return new CoreTarget(system.files.open(path), system, options);
}

/** See `openSymbolizer`. */
export function openSymbolizerOver(
  system: FileSystem,
  images: readonly ImageFile[],
  { symbols = [] }: SymbolOptions,
): FileSymbolizer {
  return FileSymbolizer.open(system, images, symbols);
}

/** Loaded when needed: most programs read no stackshots. */
function stackshots(): Promise<typeof import("./stackshot/mod.ts")> {
  return import("./stackshot/mod.ts");
}

/** Reads the stackshot that a delta stackshot is relative to, if there is one.
 *
 * @throws FormatError when it is no stackshot
 */
export async function stackshotBase(
  system: FileSystem,
  { base }: StackshotOptions,
): Promise<StackshotData | undefined> {
  if (base === undefined) return undefined;
  const { readStackshot } = await stackshots();
  return await readStackshot(wholeFile(system, base), base);
}

function wholeFile({ files }: FileSystem, path: string): Uint8Array {
  using file = files.open(path);
  if (file.size > MAX_STACKSHOT) {
    throw new FormatError(path, MAX_STACKSHOT, "the end of a stackshot, which is less than 1 GiB");
  }
  return file.read(0, file.size);
}

/** Maximum size of a stackshot file, in bytes. Kernels make some megabytes. */
const MAX_STACKSHOT = 1 << 30;

/** Decodes a stackshot.
 *
 * @param bytes as the kernel gave them, or as they are in a file
 * @param name for errors
 */
export async function stackshotOver(
  system: FileSystem,
  bytes: Uint8Array,
  name: string,
  base: StackshotData | undefined,
  options: SymbolOptions,
): Promise<Stackshot> {
  const { imageFinder, readStackshot, Stackshot } = await stackshots();
  const data = await readStackshot(bytes, name, base);
  const symbolFiles = new SymbolFiles(system.files, options.symbols ?? []);
  const debug = new DebugProvider(system, symbolFiles);
  const services = {
    symbols: (images: readonly LoadedImage[]) => new Symbolizer(images, debug),
    findImage: imageFinder(system.files, symbolFiles),
  };
  return new Stackshot(data, services, () => debug[Symbol.dispose]());
}

/** See `openStackshot`. */
export async function openStackshotOver(
  system: FileSystem,
  path: string,
  options: StackshotOptions,
): Promise<Stackshot> {
  const base = await stackshotBase(system, options);
  return await stackshotOver(system, wholeFile(system, path), path, base, options);
}
