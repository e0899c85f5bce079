/** Addresses to images, symbols, functions, files and lines; finding debug information; symbol table files.
 *
 * @example
 * ```ts
 * import { openImages, Symbolizer } from "@machpause/machpause/symbols";
 * import { files } from "@machpause/machpause/symbols";
 *
 * using opened = openImages(files, [{ path: "MyApp", loadAddress: 0x104a3c000n }]);
 * console.log(new Symbolizer(opened.images).resolve(0x104a3f721n).symbol?.name);
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
