/** The shapes that images, symbols and memory have for the rest of the library. */

import type { RawText } from "../escape.ts";

/** Something whose bytes can be read by address: a live task, a core, a test's arrays. */
export interface MemoryReader {
  /** Returns the `length` bytes at `address`; throws `MemoryReadError` when any of them cannot be
   * read. */
  read(address: bigint, length: number): Uint8Array;
}

/** A symbol of an image: a name for a range of addresses. */
export interface Symbol {
  /** As `dladdr` gives it: one leading underscore removed. */
  readonly name: RawText;
  /** As the symbol table has it. */
  readonly rawName: RawText;
  /** Where the symbol is in memory: slid, without the Thumb bit. */
  readonly address: bigint;
  /** Bytes to the next symbol, function start, or the section's end, whichever comes first. */
  readonly size: number;
  /** Whether other images can see it. */
  readonly external: boolean;
  /** Whether it is Thumb code. */
  readonly thumb: boolean;
}

/** What {@linkcode LoadedImage.symbolAt} found. */
export interface SymbolMatch {
  /** `null` for a function whose start is known and whose name is not. */
  readonly symbol: Symbol | null;
  /** Bytes from the symbol, or from the nameless function's start. */
  readonly offset: number;
}

/** The addresses from `start` up to, not including, `end`. */
export interface AddressRange {
  /** The first address. */
  readonly start: bigint;
  /** The address after the last. */
  readonly end: bigint;
}

/** A file mapped into a target: a Mach-O {@linkcode Image}, or a mapping of another kind that has no
 * symbols. */
export interface LoadedImage {
  /** The path's last component. */
  readonly name: RawText;
  /** As dyld, the file system or the caller gave it. */
  readonly path: RawText;
  /** Upper case, `8-4-4-4-12`; `null` when the image has none. */
  readonly uuid: string | null;
  /** Where the header is in memory. */
  readonly loadAddress: bigint;
  /** The load address less the address that the image was linked for. */
  readonly slide: bigint;
  /** Where the image is in memory, rising and without overlaps. */
  readonly ranges: readonly AddressRange[];
  /** The symbol that holds `address`; `null` when nothing is known there. */
  symbolAt(address: bigint): SymbolMatch | null;
  /** The symbols of exactly that name, with or without the leading underscore. */
  findSymbols(name: string): Symbol[];
}

/** One section of a {@linkcode Segment}. */
export interface Section {
  /** Such as `__text`. */
  readonly name: RawText;
  /** Such as `__TEXT`. */
  readonly segmentName: RawText;
  /** In memory: slid. */
  readonly address: bigint;
  /** As linked. */
  readonly vmAddress: bigint;
  /** Bytes. */
  readonly size: number;
  /** Bytes from the Mach-O header in the file; 0 for zero-filled sections. */
  readonly fileOffset: number;
  /** `section.flags`: the type in the low byte, the attributes above. */
  readonly flags: number;
  /** `S_*`: the low byte of `flags`. */
  readonly type: number;
}

/** One segment of an image. */
export interface Segment {
  /** Such as `__TEXT`. */
  readonly name: RawText;
  /** In memory: slid. */
  readonly address: bigint;
  /** As linked. */
  readonly vmAddress: bigint;
  /** Bytes in memory. */
  readonly size: number;
  /** Bytes from the Mach-O header in the file. */
  readonly fileOffset: number;
  /** Bytes in the file. */
  readonly fileSize: number;
  /** `VM_PROT_*`: 1 read, 2 write, 4 execute. */
  readonly initialProtection: number;
  /** `VM_PROT_*`: what `initialProtection` can be raised to. */
  readonly maxProtection: number;
  /** In the file's order. */
  readonly sections: readonly Section[];
}
