/** Mach-O: images in files and in memory, and their symbols.
 *
 * @module
 */

export * from "./walking.ts";
export * from "./cores.ts";
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
