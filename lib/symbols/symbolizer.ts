/** From an address to what is known about it. */

import type { LoadedImage, Symbol as ImageSymbol, SymbolMatch } from "../macho/mod.ts";
import type {
  DebugSection,
  DlInfo,
  FoundSymbol,
  MissingSymbols,
  Resolution,
  SourceFrame,
  SourceLocation,
  Symbols,
} from "../target/mod.ts";
import { demangle } from "./demangle/demangle.ts";
import { ImageMap } from "./image_map.ts";
import type { SourceProvider } from "./source.ts";

const noFrames: readonly SourceFrame[] = [];
const nothing: Resolution = {
  image: null,
  symbol: null,
  offset: 0,
  source: null,
  frames: noFrames,
  functionStart: null,
};

/** What is known about an address in an image. Symbols are looked up when they are asked for, and so is
 * debug information: a walk asks for the image alone. */
class ImageResolution implements Resolution {
  readonly #address: bigint;
  readonly #provider: SourceProvider | undefined;
  #match: SymbolMatch | null | undefined;
  #frames: readonly SourceFrame[] | undefined;

  constructor(readonly image: LoadedImage, address: bigint, provider: SourceProvider | undefined) {
    this.#address = address;
    this.#provider = provider;
  }

  #symbolMatch(): SymbolMatch | null {
    if (this.#match === undefined) {
      const { image } = this;
      const match = image.symbolAt(this.#address);
      this.#match = match?.symbol
        ? match
        : this.#provider?.symbolAt?.(image, this.#address) ?? match;
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
    return this.#frames ??= this.#provider?.framesAt(this.image, this.#address) ?? noFrames;
  }
}

/** So many answers are remembered; then all are forgotten, which bounds the memory of a long run. */
const MAX_REMEMBERED = 1 << 18;

/** Answers which image, symbol and source position an address belongs to.
 *
 * @example
 * ```ts
 * import { Image, Symbolizer } from "@machpause/machpause";
 *
 * const image = Image.fromFile(await Deno.readFile("demo"), "demo");
 * const symbolizer = new Symbolizer([image]);
 * const [main] = symbolizer.lookup("main");
 * const { symbol, offset } = symbolizer.resolve(main.symbol.address + 4n);
 * console.log(`${symbol?.name} + ${offset}`); // main + 4
 * ```
 */
export class Symbolizer implements Symbols {
  /** Where it looks. */
  readonly images: ImageMap;
  readonly #provider: SourceProvider | undefined;
  readonly #resolutions = new Map<bigint, Resolution>();

  /** Looks in `images`.
   *
   * @param images to look in
   * @param provider of source positions; without one they are `null` */
  constructor(images: ImageMap | Iterable<LoadedImage>, provider?: SourceProvider) {
    this.images = images instanceof ImageMap ? images : new ImageMap(images);
    this.#provider = provider;
  }

  /** What is known about `address`. The same address gives the same object. */
  resolve(address: bigint): Resolution {
    const known = this.#resolutions.get(address);
    if (known !== undefined) return known;
    const resolution = this.look(address);
    if (this.#resolutions.size >= MAX_REMEMBERED) this.#resolutions.clear();
    this.#resolutions.set(address, resolution);
    return resolution;
  }

  /** What `dladdr` tells of `address`; `null` when no image holds it. */
  dladdr(address: bigint): DlInfo | null {
    const image = this.images.at(address);
    if (image === null) return null;
    const { symbol, functionStart = null, source, frames } = this.resolve(address);
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

  /** The symbols of exactly that name, with or without the leading underscore, in the order of the
   * images. */
  lookup(name: string): FoundSymbol[] {
    return this.images.images.flatMap((image) => {
      const own = image.findSymbols(name);
      const found = own.length > 0 ? own : this.#provider?.findSymbols?.(image, name) ?? own;
      return found.map((symbol) => ({ image, symbol }));
    });
  }

  /** A section of the image's dSYM; see {@linkcode Symbols}. */
  debugSection(image: LoadedImage, name: string): DebugSection | null {
    return this.#provider?.debugSection?.(image, name) ?? null;
  }

  /** A name as a person reads it. */
  demangle(name: string): string {
    return demangle(name);
  }

  /** The images asked about so far whose debug information is missing. */
  get missing(): readonly MissingSymbols[] {
    return this.#provider?.missing ?? [];
  }

  /** Looks for debug information in more folders too; what is resolved from now on has it. */
  addFolders(folders: readonly string[]): void {
    this.#provider?.addFolders?.(folders);
    this.#resolutions.clear();
  }

  /** What is known about `address`, looked up anew. */
  protected look(address: bigint): Resolution {
    const image = this.images.at(address);
    return image === null ? nothing : new ImageResolution(image, address, this.#provider);
  }
}
