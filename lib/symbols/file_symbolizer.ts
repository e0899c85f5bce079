/** Answers for images of which there are only files. */

import type { DebugInfo } from "./debug_info.ts";
import type { LoadedImage } from "../macho/mod.ts";
import { type Files, type Resolution, type SourceFrame, SymbolFiles } from "../target/mod.ts";
import { DebugProvider } from "./debug_provider.ts";
import { type FileImages, type ImageFile, openImages } from "./file_images.ts";
import type { FinderOptions } from "./finder.ts";
import { Symbolizer } from "./symbolizer.ts";
import { readTableHead } from "./table_head.ts";

/** A {@linkcode Symbolizer} over files, which it closes.
 *
 * @example
 * ```ts
 * import { openSymbolizer } from "@machpause/machpause";
 *
 * using symbolizer = openSymbolizer([{ path: "MyApp.dSYM", slide: 0x4a3c000n }]);
 * const { symbol, offset } = symbolizer.resolve(0x104a3f721n);
 * console.log(`${symbol?.name} + ${offset}`);
 * ```
 */
export class FileSymbolizer extends Symbolizer implements Disposable {
  readonly #opened: FileImages;
  readonly #provider: DebugProvider;

  /** Looks in the images of files.
   *
   * @param opened closed with it
   * @param provider closed with it
   */
  constructor(opened: FileImages, provider: DebugProvider) {
    super(opened.images, provider);
    this.#opened = opened;
    this.#provider = provider;
  }

  /** Opens the files of images.
   *
   * @param folders with debug information
   * @param locate see {@linkcode FinderOptions}
   * @throws FormatError when one is no image, or has not the architecture
   * @throws Error the system's, when there is no such file or it may not be read
   */
  static open(
    files: Files,
    images: readonly ImageFile[],
    folders: readonly string[],
    locate?: FinderOptions["locate"],
  ): FileSymbolizer {
    const opened = openImages(files, images, readTableHead);
    const symbolFiles = new SymbolFiles(files, [...folders, ...opened.tables], readTableHead);
    return new FileSymbolizer(opened, new DebugProvider({ files, symbolFiles, locate }));
  }

  /** What is known about `address`. It is not remembered: of files one asks for many addresses once. */
  override resolve(address: bigint): Resolution {
    return this.look(address);
  }

  /** The debug information of an image; `null` when there is none. */
  debugInfo(image: LoadedImage): DebugInfo | null {
    return this.#provider.debugInfo(image);
  }

  /** Takes what is known already of some offsets in an image, in place of what was taken before. */
  prime(
    image: LoadedImage,
    offsets: Float64Array,
    frames: readonly (readonly SourceFrame[])[],
  ): void {
    this.#provider.prime(image, offsets, frames);
  }

  /** Closes the files. */
  [Symbol.dispose](): void {
    this.#provider[Symbol.dispose]();
    this.#opened[Symbol.dispose]();
  }
}
