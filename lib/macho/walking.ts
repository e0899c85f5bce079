/** The part of this folder's face that unwinding a target needs: images and their symbols. It is
 * loaded at every start.
 *
 * @module
 */
export { type ByteSource, bytesSource, fillFrom, part } from "./bytes.ts";
export * from "./constants.ts";
export type {
  AddressRange,
  CodeImage,
  ImageSymbol,
  LoadedImage,
  MemoryReader,
  Section,
  Segment,
  SymbolMatch,
} from "./types.ts";
export { Image, type ImageFileOptions } from "./image.ts";
export { NameSearch } from "./name_search.ts";
export { isSharedCache, SharedCacheSymbols } from "./shared_cache.ts";
export { lowerBound, type NamesFound, SymbolTable } from "./symbol_table.ts";
export { type FatSlice, readFat } from "./fat.ts";
export { type ArchiveMember, isArchive, readArchive } from "./archive.ts";
export { DebugMap, type DebugMapInput, type DebugMapObject } from "./debug_map.ts";
export { isMachO, type MachHeader, parseHeader } from "./header.ts";
export type { BuildVersion, DylibReference, LoadCommand } from "./load_commands.ts";
export { objectAddresses } from "./object_symbols.ts";
export { type Span, stretchAt, type Stretches, stretches } from "./stretches.ts";
