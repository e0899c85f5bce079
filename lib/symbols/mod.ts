/** Addresses to images, symbols and source positions; finding debug information.
 *
 * @module
 */
export { ImageMap } from "./image_map.ts";
export { Symbolizer } from "./symbolizer.ts";
export {
  type AddressInfo,
  type DebugSection,
  dladdr,
  type DlInfo,
  type FoundSymbol,
  type MissingSymbols,
  type Resolver,
  unknownAddress,
} from "./address_info.ts";
export type { SourceFrame, SourceLocation } from "../dwarf/mod.ts";
export { type Binary, imageOf, imagesIn } from "./binaries.ts";
export type { DebugInfo } from "./debug_info.ts";
export { DebugFinder, type FoundDebug } from "./finder.ts";
export { DebugMapInfo, type DebugMapOptions } from "./debug_map_info.ts";
export { DebugProvider } from "./debug_provider.ts";
export { bundled, type FileImages, type ImageFile, openImages } from "./file_images.ts";
export { FileSymbolizer } from "./file_symbolizer.ts";
export { type Moves, moveUnit } from "./moved_unit.ts";
export {
  type ElfSymbolFile,
  type SymbolFile,
  SymbolFiles,
  type SymbolOptions,
} from "./symbol_files.ts";
export { openDwarf, OpenedDwarf } from "./open_dwarf.ts";
export {
  demangle,
  type DemangleStyle,
  isMangled,
  loadDemangler,
  needsLibrary,
} from "./demangle/mod.ts";
export {
  type AsyncByteSource,
  isMst,
  MstBuilder,
  MstFile,
  type MstFunction,
  type MstIdentity,
  type MstInfo,
  mstName,
  type MstPart,
  type MstStream,
  type MstSymbol,
  openMst,
  openRemoteMst,
  readAtMost,
  RemoteMst,
  UnitEncoder,
} from "./mst/mod.ts";
