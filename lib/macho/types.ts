/** The interfaces of images, symbols and memory for the rest of the library. */

import type { RawText } from "../escape.ts";

/** Bytes by address: a live task, a core, arrays of a test.
 */
export interface MemoryReader {
  /** The `length` bytes at `address`. Throws `MemoryReadError` when some cannot be read.
   *
   * @param into at least `length` bytes: an implementation may fill it and return a part of it
   */
  read(address: bigint, length: number, into?: Uint8Array): Uint8Array;
}

/** A symbol of an image: a name for a range of addresses. */
export interface ImageSymbol {
  /** As `dladdr` returns it: without one leading underscore. */
  readonly name: RawText;
  /** As in the symbol table. */
  readonly rawName: RawText;
  /** In memory: slid, without the Thumb bit. */
  readonly address: bigint;
  /** Bytes to the next symbol, function start, or the section's end, whichever comes first. */
  readonly size: number;
  /** Whether other images can see it. */
  readonly external: boolean;
  /** Whether it is Thumb code. */
  readonly thumb: boolean;
}

/** The result of {@linkcode LoadedImage.symbolAt}. */
export interface SymbolMatch {
  /** `null` for a function with a known start and no name. */
  readonly symbol: ImageSymbol | null;
  /** Bytes from the start of the symbol or nameless function. */
  readonly offset: number;
  /** Bytes of the symbol or nameless function; `null` when unknown. */
  readonly size: number | null;
}

/** The addresses from `start` to `end` (exclusive). */
export interface AddressRange {
  /** The first address. */
  readonly start: bigint;
  /** The address after the last. */
  readonly end: bigint;
}

/** A file mapped into a target: a Mach-O {@linkcode Image}, or a mapping of another kind that has
 * no symbols. */
export interface LoadedImage {
  /** The path's last component. */
  readonly name: RawText;
  /** As given by dyld, the file system or the caller. */
  readonly path: RawText;
  /** Upper case, `8-4-4-4-12`; `null` when the image has none. */
  readonly uuid: string | null;
  /** Address of the Mach-O header. */
  readonly loadAddress: bigint;
  /** The load address minus the address that the image was linked for. */
  readonly slide: bigint;
  /** The addresses of the image, in ascending order and without overlaps. */
  readonly ranges: readonly AddressRange[];
  /** The symbol that contains `address`; `null` when none is known. */
  symbolAt(address: bigint): SymbolMatch | null;
  /** The symbols with exactly this name, with or without the leading underscore. */
  findSymbols(name: string): ImageSymbol[];
}

/** A {@linkcode LoadedImage} whose code and unwind information can be read: a Mach-O image, or an ELF
 * one of Linux. */
export interface CodeImage extends LoadedImage {
  /** In the file's order. */
  readonly segments: readonly Segment[];
  /** Whether {@linkcode symbolAt} knows where each function begins, those without a name included. */
  readonly hasFunctionStarts: boolean;
  /** Whether the function at `address` is Thumb code, also where it has no name; `null` when nothing
   * tells that. */
  isThumb(address: bigint): boolean | null;
  /** Receives damage, one line each. */
  readonly warnings: string[];
  /** The bytes at a slid address; `null` when some cannot be read. */
  read(address: bigint, length: number): Uint8Array | null;
  /** The segment that holds `address`. */
  segmentAt(address: bigint): Segment | null;
  /** The section that holds `address`. */
  sectionAt(address: bigint): Section | null;
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
  /** `VM_PROT_*`: the upper limit of `initialProtection`. */
  readonly maxProtection: number;
  /** In the file's order. */
  readonly sections: readonly Section[];
}
