/** From an address to what is known about it. */

import type { LoadedImage, SymbolMatch } from "../macho/mod.ts";
import type { DlInfo, FoundSymbol, Resolution, SourceFrame, Symbols } from "../target/mod.ts";
import { ImageMap } from "./image_map.ts";
import type { SourceProvider } from "./source.ts";

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
