/** Addresses to images, symbols, functions, files and lines; finding debug information; symbol table files.
 *
 * @example
 * ```ts
 * import { Image } from "@machpause/machpause/macho";
 * import { Symbolizer } from "@machpause/machpause/symbols";
 *
 * const image = Image.fromFile(await Deno.readFile("demo"), "demo");
 * console.log(new Symbolizer([image]).resolve(image.loadAddress + 0x724n).symbol?.name);
 * ```
 *
 * @module
 */
export {
  type AddressInfo,
  type AsyncByteSource,
  type DebugInfo,
  DebugProvider,
  type DebugSection,
  dladdr,
  type DlInfo,
  type ElfSymbolFile,
  type FileImages,
  FileSymbolizer,
  type FoundSymbol,
  type ImageFile,
  ImageMap,
  isMst,
  type MissingSymbols,
  MstFile,
  type MstFunction,
  type MstInfo,
  mstName,
  openImages,
  openMst,
  openRemoteMst,
  readAtMost,
  RemoteMst,
  type Resolver,
  type SourceFrame,
  type SourceLocation,
  type SymbolFile,
  SymbolFiles,
  Symbolizer,
  type SymbolOptions,
} from "./mod.ts";
export type { Files, FileSink, FileSystem, OpenFile } from "../file_system.ts";
export { loadInflate } from "../dwarf/mod.ts";
