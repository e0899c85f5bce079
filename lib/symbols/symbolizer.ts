/** From an address to what is known about it. */

import type { LoadedImage, Symbol as SymbolShape, SymbolMatch } from "../macho/mod.ts";
import { ImageMap } from "./image_map.ts";
import type { SourceFrame, SourceLocation, SourceProvider } from "./source.ts";

/** What is known about an address. */
export interface Resolution {
  /** `null` when no image holds the address. */
  readonly image: LoadedImage | null;
  /** `null` when there is none, or only a nameless function. */
  readonly symbol: SymbolShape | null;
  /** Bytes from the symbol; from the image's load address when there is no symbol; 0 when there is no
   * image either. */
  readonly offset: number;
  /** The innermost source position. */
  readonly source: SourceLocation | null;
  /** The functions at the address, innermost first; empty without debug information. */
  readonly frames: readonly SourceFrame[];
}

/** The fields of `Dl_info`, as `dladdr` fills them, and what it lacks. */
export interface DlInfo {
  /** The image's path. Not safe to print raw. */
  readonly fname: string;
  /** The image's load address. */
  readonly fbase: bigint;
  /** The symbol's name; `null` when not known. Not safe to print raw. */
  readonly sname: string | null;
  /** The symbol's address; `null` when neither a symbol nor a function start is known. */
  readonly saddr: bigint | null;
  /** The image itself. */
  readonly image: LoadedImage;
  /** `null` when there is none, or only a nameless function. */
  readonly symbol: SymbolShape | null;
  /** Bytes from `saddr`; from `fbase` when that is `null`. */
  readonly offset: number;
  /** The image's UUID. */
  readonly uuid: string | null;
}

/** A symbol and the image that it is in. */
export interface FoundSymbol {
  /** Where it was found. */
  readonly image: LoadedImage;
  /** What was found. */
  readonly symbol: SymbolShape;
}

const noFrames: readonly SourceFrame[] = [];
const nothing: Resolution = {
  image: null,
  symbol: null,
  offset: 0,
  source: null,
  frames: noFrames,
};

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
export class Symbolizer {
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
    const resolution = this.#resolve(address);
    if (this.#resolutions.size >= MAX_REMEMBERED) this.#resolutions.clear();
    this.#resolutions.set(address, resolution);
    return resolution;
  }

  /** What `dladdr` tells of `address`; `null` when no image holds it. */
  dladdr(address: bigint): DlInfo | null {
    const image = this.images.at(address);
    if (image === null) return null;
    const match = image.symbolAt(address);
    const offset = match?.offset ?? Number(address - image.loadAddress);
    return {
      fname: image.path,
      fbase: image.loadAddress,
      sname: match?.symbol?.name ?? null,
      saddr: match === null ? null : address - BigInt(offset),
      image,
      symbol: match?.symbol ?? null,
      offset,
      uuid: image.uuid,
    };
  }

  /** The symbols of exactly that name, with or without the leading underscore, in the order of the
   * images. */
  lookup(name: string): FoundSymbol[] {
    return this.images.images.flatMap((image) =>
      image.findSymbols(name).map((symbol) => ({ image, symbol }))
    );
  }

  #resolve(address: bigint): Resolution {
    const image = this.images.at(address);
    if (image === null) return nothing;
    const match: SymbolMatch | null = image.symbolAt(address);
    const symbol = match?.symbol ?? null;
    const frames = this.#provider?.framesAt(image, address) ?? noFrames;
    return {
      image,
      symbol,
      offset: symbol === null ? Number(address - image.loadAddress) : match!.offset,
      source: frames[0]?.location ?? null,
      frames,
    };
  }
}
