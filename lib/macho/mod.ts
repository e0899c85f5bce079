/** Mach-O: images in files and in memory, and what they say about addresses. */

export { type ByteSource, bytesSource } from "./bytes.ts";
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
export { SymbolTable } from "./symbol_table.ts";
export { type FatSlice, readFatSlices } from "./fat.ts";
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
