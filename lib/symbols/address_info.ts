/** What is known about an address: the one type that live frames, cores, reports, stackshots and
 * `symbolicate` share. */

import type { SourceFrame, SourceLocation } from "../dwarf/mod.ts";
import type { RawText } from "../escape.ts";
import type { ImageSymbol, LoadedImage } from "../macho/mod.ts";

/** What is known about an address. Symbols and debug information may be looked up when they are read. */
export interface AddressInfo {
  /** The image that holds the address; `null` when none does. */
  readonly image: LoadedImage | null;
  /** The function's symbol; `null` when there is none, or only a nameless function. */
  readonly symbol: ImageSymbol | null;
  /** Bytes from the symbol. Without a symbol, from the image's load address; without an image, 0. */
  readonly offset: number;
  /** Where the function starts, named or not; `null` when not known. */
  readonly functionStart: bigint | null;
  /** The innermost source position; `null` when not known. */
  readonly source: SourceLocation | null;
  /** The functions at the address, innermost first; empty without debug information. */
  readonly frames: readonly SourceFrame[];
  /** The number of calls that are inlined at the address, where that is known without their names and lines. */
  readonly inlineCount?: number;
}

/** The answer for an address in no image. */
export const unknownAddress: AddressInfo = {
  image: null,
  symbol: null,
  offset: 0,
  functionStart: null,
  source: null,
  frames: [],
};

/** Answers what is at an address. */
export interface Resolver {
  /** What is known about `address`. */
  resolve(address: bigint): AddressInfo;
}

/** The fields of `Dl_info` in `<dlfcn.h>`, as `dladdr` fills them, and what is known besides. */
export interface DlInfo {
  /** The image's path. */
  readonly fname: RawText;
  /** The image's load address. */
  readonly fbase: bigint;
  /** The symbol's name; `null` when not known. */
  readonly sname: RawText | null;
  /** The symbol's address, or that of a nameless function; `null` when neither is known. */
  readonly saddr: bigint | null;
  /** The image. */
  readonly image: LoadedImage;
  /** The symbol; `null` when not known. */
  readonly symbol: ImageSymbol | null;
  /** Bytes from `saddr`; from `fbase` when that is `null`. */
  readonly offset: number;
  /** The image's UUID; `null` when it has none. */
  readonly uuid: string | null;
  /** The innermost source position; `null` when not known. */
  readonly source: SourceLocation | null;
  /** The functions at the address, innermost first; empty without debug information. */
  readonly frames: readonly SourceFrame[];
}

/** The answer of `dladdr` for an address, computed from what is known about it; `null` when no image
 * holds it.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 * import { dladdr } from "@machpause/machpause/symbols";
 *
 * using target = attach("MyApp");
 * const address = target.images[0].loadAddress + 0x724n;
 * console.log(dladdr(target.resolve(address), address)?.sname);
 * ```
 * @param info of `address`
 */
export function dladdr(info: AddressInfo, address: bigint): DlInfo | null {
  const { image, symbol, functionStart, source, frames } = info;
  if (image === null) return null;
  return {
    fname: image.path,
    fbase: image.loadAddress,
    sname: symbol?.name ?? null,
    saddr: functionStart,
    image,
    symbol,
    offset: Number(address - (functionStart ?? image.loadAddress)),
    uuid: image.uuid,
    source,
    frames,
  };
}

/** A symbol and the image that defines it. */
export interface FoundSymbol {
  /** The image. */
  readonly image: LoadedImage;
  /** The symbol. */
  readonly symbol: ImageSymbol;
}

/** A section of an image's debug information. */
export interface DebugSection {
  /** The whole section. */
  readonly bytes: Uint8Array;
  /** The section's linked address plus the image's slide. */
  readonly address: bigint;
  /** The image's load address minus the address it was linked for. */
  readonly slide: bigint;
}

/** An image whose debug information is missing or incomplete, and how to find it. */
export interface MissingSymbols {
  /** The image's path. */
  readonly path: RawText;
  /** The UUID that its dSYM has; `null` when the image has none. */
  readonly uuid: string | null;
  /** The file with the incomplete debug information; `null` when there is none at all. */
  readonly found: RawText | null;
  /** What was refused, is incomplete or damaged. */
  readonly reasons: readonly RawText[];
}
