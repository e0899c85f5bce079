import type { LoadedImage, Symbol as ImageSymbol } from "../macho/mod.ts";

/** A place in a source file.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * const source = target.threads[0].backtrace()[0].source;
 * if (source !== null) console.log(`${source.file}:${source.line}:${source.column}`);
 * ```
 */
export interface SourceLocation {
  /** Not safe to print raw. */
  readonly file: string;
  /** From 1; 0 when the compiler made the code itself. */
  readonly line: number;
  /** From 1; 0 when not known. */
  readonly column: number;
}

/** A function at an address, whether it was called or inlined there.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * const [frame] = target.threads[0].backtrace();
 * for (const { function: name, inlined } of target.resolve(frame.lookupAddress).frames) {
 *   console.log(name, inlined ? "inlined" : "");
 * }
 * ```
 */
export interface SourceFrame {
  /** The mangled name where there is one, without Mach-O's underscore; otherwise as the debug
   * information names it. Not safe to print raw. */
  readonly function: string;
  /** Where in it; `null` when not known. */
  readonly location: SourceLocation | null;
  /** Whether it was inlined into the next of the list. */
  readonly inlined: boolean;
}

/** What is known about an address.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * const { image, symbol, offset } = target.resolve(target.images[0].loadAddress + 0x724n);
 * console.log(image?.name, symbol?.name, offset);
 * ```
 */
export interface Resolution {
  /** `null` when no image holds the address. */
  readonly image: LoadedImage | null;
  /** `null` when there is none, or only a nameless function. */
  readonly symbol: ImageSymbol | null;
  /** Bytes from the symbol; from the image's load address when there is no symbol; 0 when there is no
   * image either. */
  readonly offset: number;
  /** The innermost source position. */
  readonly source: SourceLocation | null;
  /** The functions at the address, innermost first; empty without debug information. */
  readonly frames: readonly SourceFrame[];
  /** Where the function begins, named or not; `null` when not known. */
  readonly functionStart?: bigint | null;
}

/** The fields of `Dl_info` in `<dlfcn.h>`, as `dladdr` fills them, and what it lacks.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * const info = target.dladdr(target.images[0].loadAddress + 0x724n);
 * console.log(info?.fname, info?.sname, info?.offset);
 * ```
 */
export interface DlInfo {
  /** The image's path. Not safe to print raw. */
  readonly fname: string;
  /** The image's load address. */
  readonly fbase: bigint;
  /** The symbol's name; `null` when not known. Not safe to print raw. */
  readonly sname: string | null;
  /** The symbol's address; `null` when neither a symbol nor a function start is known. */
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

/** A symbol and the image that it is in.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * for (const { image, symbol } of target.lookup("malloc")) console.log(image.name, symbol.address);
 * ```
 */
export interface FoundSymbol {
  /** Where it is defined. */
  readonly image: LoadedImage;
  /** The symbol. */
  readonly symbol: ImageSymbol;
}

/** A section of an image's dSYM.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * const section = target.debugSection(target.images[0], "__debug_frame");
 * console.log(section?.bytes.length);
 * ```
 */
export interface DebugSection {
  /** All of it. */
  readonly bytes: Uint8Array;
  /** Where the section is linked, slid as the image is. */
  readonly address: bigint;
  /** The image's load address less the address that it was linked for. */
  readonly slide: bigint;
}

/** Whoever can tell what is at an address.
 *
 * @example
 * ```ts
 * import { attach, type Resolver } from "@machpause/machpause";
 *
 * const shown = (resolver: Resolver, address: bigint) => resolver.resolve(address).symbol?.name;
 * using target = await attach("MyApp");
 * console.log(shown(target, target.threads[0].backtrace()[0].lookupAddress));
 * ```
 */
export interface Resolver {
  /** What is known about `address`. */
  resolve(address: bigint): Resolution;
  /** A section of the `__DWARF` segment of the image's dSYM, or of the image's own file, such as
   * `__debug_frame`; `null` where there is none. The first time, it looks for the file. */
  debugSection?(image: LoadedImage, name: string): DebugSection | null;
  /** A function's name as a person reads it. */
  demangle?(name: string): string;
}

/** An image of whose debug information some or all is missing, and how it could be found.
 *
 * @example
 * ```ts
 * import { openCore } from "@machpause/machpause";
 *
 * using core = await openCore("MyApp.core");
 * for (const thread of core.threads) console.log(thread.backtrace().join("\n"));
 * for (const { path, uuid } of core.missingSymbols) console.log(`fetch ${uuid} for ${path}`);
 * ```
 */
export interface MissingSymbols {
  /** Of the image. Not safe to print raw. */
  readonly path: string;
  /** By which its dSYM can be found; `null` when it has none. */
  readonly uuid: string | null;
  /** Where debug information was found that is not all there is; `null` when there is none at all. Not
   * safe to print raw. */
  readonly found: string | null;
  /** What was refused, is lacking or damaged, in words. Not safe to print raw. */
  readonly reasons: readonly string[];
}

/** Addresses to images and symbols, over one list of images. `lib/symbols` has it.
 *
 * @example
 * ```ts
 * import { type LoadedImage, Symbolizer, type Symbols } from "@machpause/machpause";
 *
 * declare const images: LoadedImage[];
 * const symbols: Symbols = new Symbolizer(images);
 * console.log(symbols.lookup("malloc").map(({ image }) => image.name));
 * ```
 */
export interface Symbols extends Resolver {
  /** `null` when no image holds `address`. */
  dladdr(address: bigint): DlInfo | null;
  /** The symbols of exactly that name, with or without the leading underscore. */
  lookup(name: string): FoundSymbol[];
  /** The images asked about so far whose debug information is missing. */
  readonly missing?: readonly MissingSymbols[];
  /** Looks for debug information in more folders too; what is resolved from now on has it. */
  addFolders?(folders: readonly string[]): void;
}
