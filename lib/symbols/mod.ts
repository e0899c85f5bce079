/** Addresses to images, symbols and source positions. */

export { ImageMap } from "./image_map.ts";
export { Symbolizer } from "./symbolizer.ts";
export type { SourceProvider } from "./source.ts";
export type { DebugInfo } from "./debug_info.ts";
export { DebugFinder, type FinderOptions, type FoundDebug } from "./finder.ts";
export { DebugMapInfo, type DebugMapOptions } from "./debug_map_info.ts";
export { DebugProvider } from "./debug_provider.ts";
export { type FileImages, type ImageFile, openImages } from "./file_images.ts";
export { FileSymbolizer } from "./file_symbolizer.ts";
export { type Moves, moveUnit } from "./moved_unit.ts";
export { readTableHead } from "./table_head.ts";
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
  RemoteMst,
  UnitEncoder,
} from "./mst/mod.ts";
