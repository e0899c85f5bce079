/** Mach-O: images in files and in memory, and what they say about addresses. */

export { type ByteSource, bytesSource, part } from "./bytes.ts";
export * from "./constants.ts";
export type {
  AddressRange,
  LoadedImage,
  MemoryReader,
  Section,
  Segment,
  Symbol,
  SymbolMatch,
} from "./types.ts";
export { Image, type ImageFileOptions } from "./image.ts";
export { type NamesFound, SymbolTable } from "./symbol_table.ts";
export { type FatSlice, readFat, readFatSlices } from "./fat.ts";
export { type ArchiveMember, isArchive, readArchive } from "./archive.ts";
export { DebugMap, type DebugMapInput, type DebugMapObject } from "./debug_map.ts";
export { type MachHeader, parseHeader } from "./header.ts";
export type { BuildVersion, DylibReference, LoadCommand } from "./load_commands.ts";
export {
  CORE_FLAVOR,
  type CoreCommands,
  coreHeaderSize,
  type CoreLayout,
  type CoreNote,
  type CoreSegment,
  encodeCore,
  type FlavorState,
  parseCore,
} from "./core.ts";
export {
  type AddressableBits,
  encodeAddressableBits,
  encodeAllImageInfos,
  encodeKernelVersion,
  encodeLoadBinary,
  encodeMainBinary,
  encodeProcessMetadata,
  type MainBinary,
  NOTE_OWNER,
  type NotedFile,
  type NotedImage,
  type NotedThread,
  parseAddressableBits,
  parseAllImageInfos,
  parseKernelVersion,
  parseLoadBinary,
  parseMainBinary,
  parseProcessMetadata,
  type ProcessMetadata,
} from "./core_notes.ts";
export { MachOFile, type MachOFileOptions } from "./macho_file.ts";
export {
  type BuildInfo,
  type DylibInfo,
  type EncryptionInfo,
  type LoadCommandInfo,
  MachOSlice,
  type NoteInfo,
  type ObjcClassInfo,
  type ObjcMethodInfo,
} from "./macho_slice.ts";
export { type FieldValue, isHexadecimal } from "./command_fields.ts";
export {
  archName,
  flagNames,
  HEADER_FLAGS,
  SECTION_ATTRIBUTES,
  SECTION_TYPE_NAMES,
} from "./names.ts";
export { type SectionName, type SymbolEntry, SymbolList } from "./symbol_list.ts";
export type { IndirectSymbol } from "./indirect_symbols.ts";
export type { ExportEntry } from "./exports.ts";
export { type Fixup, ordinalName, type PointerAuth } from "./fixups.ts";
export type { ChainedFixups, ChainedImport, ChainedStarts } from "./chained_fixups.ts";
export { cdHash, type CodeDirectory, type CodeSignature } from "./code_signature.ts";
export type { SwiftType } from "./swift.ts";
export { type Span, stretchAt, type Stretches, stretches } from "./stretches.ts";
