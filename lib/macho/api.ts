/** Mach-O files and images: load commands, symbols, exports, fixups, Objective-C and Swift
 * metadata, code signatures, core files.
 *
 * @example
 * ```ts
 * import { openImage } from "@machpause/machpause";
 * import type { MachOSlice } from "@machpause/machpause/macho";
 *
 * const exported = (slice: MachOSlice) => slice.exports().map(({ name }) => name);
 * using file = openImage("libworkers.dylib");
 * console.log(file.images.map(exported));
 * ```
 *
 * @module
 */
export {
  type AddressRange,
  type BuildInfo,
  type BuildVersion,
  type ByteSource,
  bytesSource,
  cdHash,
  type ChainedFixups,
  type ChainedImport,
  type ChainedStarts,
  type CodeDirectory,
  type CodeImage,
  type CodeSignature,
  type CoreNote,
  type CoreSegment,
  type DylibInfo,
  type DylibReference,
  type EncryptionInfo,
  type ExportEntry,
  type FieldValue,
  type Fixup,
  Image,
  type ImageFileOptions,
  type ImageSymbol,
  type IndirectSymbol,
  type LoadCommand,
  type LoadCommandInfo,
  type LoadedImage,
  type MachHeader,
  MachOFile,
  type MachOFileOptions,
  MachOSlice,
  type MainBinary,
  type MemoryReader,
  type NamesFound,
  type NoteInfo,
  type ObjcClassInfo,
  type ObjcMethodInfo,
  type PointerAuth,
  type Section,
  type SectionName,
  type Segment,
  type SwiftType,
  type SymbolEntry,
  SymbolList,
  type SymbolMatch,
  SymbolTable,
} from "./mod.ts";
