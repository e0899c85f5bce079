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
