/** From an address to what is known about it. */

import type { SourceFrame, SourceLocation } from "../dwarf/mod.ts";
import {
  Image,
  type ImageSymbol,
  type LoadedImage,
  NameSearch,
  type SymbolMatch,
} from "../macho/walking.ts";
import {
  type AddressInfo,
  type DebugSection,
  type FoundSymbol,
  type MissingSymbols,
  type Resolver,
  unknownAddress,
} from "./address_info.ts";
import type { DebugProvider } from "./debug_provider.ts";
import { demangle, isMangled, isNamed, mangledPart, mayContain } from "./demangle/demangle.ts";
import { ImageMap } from "./image_map.ts";

const noFrames: readonly SourceFrame[] = [];

/** What is known about an address in an image. The symbol and the debug information are looked up when
 * they are first read. */
class ImageAddressInfo implements AddressInfo {
  readonly #address: bigint;
  readonly #debug: DebugProvider | undefined;
  #match: SymbolMatch | null | undefined;
  #frames: readonly SourceFrame[] | undefined;
  #inlineCount: number | undefined;

  constructor(readonly image: LoadedImage, address: bigint, debug: DebugProvider | undefined) {
    this.#address = address;
    this.#debug = debug;
  }

  #symbolMatch(): SymbolMatch | null {
    if (this.#match === undefined) {
      const { image } = this;
      const match = image.symbolAt(this.#address);
      this.#match = match?.symbol ? match : this.#debug?.symbolAt(image, this.#address) ?? match;
    }
    return this.#match;
  }

  get symbol(): ImageSymbol | null {
    return this.#symbolMatch()?.symbol ?? null;
  }

  get offset(): number {
    const match = this.#symbolMatch();
    return match === null || match.symbol === null
      ? Number(this.#address - this.image.loadAddress)
      : match.offset;
  }

  get functionStart(): bigint | null {
    const match = this.#symbolMatch();
    return match === null ? null : this.#address - BigInt(match.offset);
  }

  get source(): SourceLocation | null {
    return this.frames[0]?.location ?? null;
  }

  get frames(): readonly SourceFrame[] {
    return this.#frames ??= this.#debug?.framesAt(this.image, this.#address) ?? noFrames;
  }

  get inlineCount(): number {
    return this.#inlineCount ??= this.#frames === undefined
      ? this.#debug?.inlineCountAt(this.image, this.#address) ?? 0
      : Math.max(0, this.#frames.length - 1);
  }

  /** What the getters tell, which printing would leave out. */
  [Symbol.for("Deno.customInspect")](
    inspect: (value: unknown, options: unknown) => string,
    options: unknown,
  ): string {
    const { image, symbol, offset, functionStart, frames } = this;
    return inspect({ image, symbol, offset, functionStart, frames }, options);
  }

  /** The form of `symbolicate --json`, with mangled names. */
  toJSON(): Record<string, unknown> {
    return {
      address: `0x${this.#address.toString(16)}`,
      image: this.image.name,
      symbol: this.symbol?.name ?? null,
      offset: this.offset,
      frames: this.frames.map(({ function: name, location, inlined }) => ({
        function: name,
        file: location?.file ?? null,
        line: location?.line ?? null,
        column: location?.column ?? null,
        inlined,
      })),
    };
  }
}

/** Maximum number of answers remembered. When it is reached all are forgotten, which bounds the memory
 * of a long run. */
const MAX_REMEMBERED = 1 << 18;

/** Answers which image, function and source position an address belongs to.
 *
 * @example
 * ```ts
 * import { Image } from "@machpause/machpause/macho";
 * import { Symbolizer } from "@machpause/machpause/symbols";
 *
 * const image = Image.fromFile(await Deno.readFile("demo"), "demo");
 * const symbolizer = new Symbolizer([image]);
 * const [main] = symbolizer.lookup("main");
 * const { symbol, offset } = symbolizer.resolve(main.symbol.address + 4n);
 * console.log(`${symbol?.name} + ${offset}`); // main + 4
 * ```
 */
export class Symbolizer implements Resolver {
  /** The images, by address. */
  readonly images: ImageMap;
  readonly #debug: DebugProvider | undefined;
  readonly #known = new Map<bigint, AddressInfo>();
  /** The generation of the debug information in {@linkcode #known}. */
  #generation = 0;

  /** Answers for addresses in `images`.
   *
   * @param debug finds debug information; without it there are no source positions
   */
  constructor(images: ImageMap | Iterable<LoadedImage>, debug?: DebugProvider) {
    this.images = images instanceof ImageMap ? images : new ImageMap(images);
    this.#debug = debug;
    debug?.expect(this.images.images);
  }

  /** The image that holds `address`; `null` when none does. */
  imageAt(address: bigint): LoadedImage | null {
    return this.images.at(address);
  }

  /** What is known about `address`. The same address gives the same object until there is more debug
   * information. */
  resolve(address: bigint): AddressInfo {
    const generation = this.debugGeneration;
    if (generation !== this.#generation || this.#known.size >= MAX_REMEMBERED) {
      this.#known.clear();
      this.#generation = generation;
    }
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const info = this.look(address);
    this.#known.set(address, info);
    return info;
  }

  /** The symbols with exactly that name, with or without the leading underscore, in the order of the
   * images. Where there are none, the functions of C++, Swift, Rust and Objective-C that are named so: by
   * their base name or a qualified one, with parameters or without. Those of the dyld shared cache are found
   * by their exact names alone.
   *
   * @param images where to look
   */
  lookup(name: string, images: readonly LoadedImage[] = this.images.images): FoundSymbol[] {
    const found = images.flatMap((image) => {
      const own = image.findSymbols(name);
      const found = own.length > 0 ? own : this.#debug?.findSymbols(image, name) ?? own;
      return found.map((symbol) => ({ image, symbol }));
    });
    if (found.length > 0) return found;
    // In the shared cache exports come first: to search all of its symbols reads its string table.
    const search = new NameSearch(name);
    const exact = images.flatMap((image) =>
      image instanceof Image ? image.searchSymbols(search).map((symbol) => ({ image, symbol })) : []
    );
    return exact.length > 0 ? exact : lookupReadable(name, images);
  }

  /** A section of the image's debug information, such as `__debug_frame`; `null` when none is found. */
  debugSection(image: LoadedImage, name: string): DebugSection | null {
    return this.#debug?.debugSection(image, name) ?? null;
  }

  /** Changes when {@linkcode debugSection} may find more than before; 0 without debug information. */
  get debugGeneration(): number {
    return this.#debug?.generation ?? 0;
  }

  /** The images looked up so far whose debug information is missing or incomplete. */
  get missing(): readonly MissingSymbols[] {
    return this.#debug?.missing ?? [];
  }

  /** What is known about `address`, without remembering the answer. */
  protected look(address: bigint): AddressInfo {
    const image = this.images.at(address);
    return image === null ? unknownAddress : new ImageAddressInfo(image, address, this.#debug);
  }
}

/** Functions by their names as people read them. */
function lookupReadable(name: string, images: readonly LoadedImage[]): FoundSymbol[] {
  const part = mangledPart(name);
  if (part === undefined) return [];
  const found: FoundSymbol[] = [];
  for (const image of images) {
    if (image instanceof Image && image.inSharedCache) continue;
    const { symbols } = image as { symbols?: Iterable<ImageSymbol> };
    for (const symbol of symbols ?? []) {
      if (!mayContain(symbol.name, part)) continue;
      if (!isMangled(symbol.name) && !/^[-+]\[/.test(symbol.name)) continue;
      if (isNamed(demangle(symbol.name), name)) found.push({ image, symbol });
    }
  }
  return found;
}
