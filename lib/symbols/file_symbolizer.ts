/** Answers for images of which there are only files. */

import type { SourceFrame } from "../dwarf/mod.ts";
import type { FileSystem } from "../file_system.ts";
import type { LoadedImage } from "../macho/mod.ts";
import type { AddressInfo } from "./address_info.ts";
import type { DebugInfo } from "./debug_info.ts";
import { DebugProvider } from "./debug_provider.ts";
import { type FileImages, type ImageFile, openImages } from "./file_images.ts";
import { SymbolFiles } from "./symbol_files.ts";
import { Symbolizer } from "./symbolizer.ts";

/** A {@linkcode Symbolizer} over the files of images. Dispose it to close them.
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
  readonly #debug: DebugProvider;

  private constructor(opened: FileImages, debug: DebugProvider) {
    super(opened.images, debug);
    this.#opened = opened;
    this.#debug = debug;
  }

  /** Opens the files of images.
   *
   * @param folders with debug information
   * @throws FormatError when one is no image, or does not have the architecture
   * @throws FileError when a file does not exist or may not be read
   */
  static open(
    system: FileSystem,
    images: readonly ImageFile[],
    folders: readonly string[],
  ): FileSymbolizer {
    const opened = openImages(system.files, images);
    const symbolFiles = new SymbolFiles(system.files, [...folders, ...opened.tables]);
    return new FileSymbolizer(opened, new DebugProvider(system, symbolFiles));
  }

  /** What is known about `address`. The answer is not remembered: files are asked about many addresses,
   * each once. */
  override resolve(address: bigint): AddressInfo {
    return this.look(address);
  }

  /** The debug information of an image; `null` when there is none. */
  debugInfo(image: LoadedImage): DebugInfo | null {
    return this.#debug.debugInfo(image);
  }

  /** Takes frames that were looked up elsewhere, in place of those taken before. */
  prime(
    image: LoadedImage,
    offsets: Float64Array,
    frames: readonly (readonly SourceFrame[])[],
  ): void {
    this.#debug.prime(image, offsets, frames);
  }

  /** Closes the files. */
  [Symbol.dispose](): void {
    this.#debug[Symbol.dispose]();
    this.#opened[Symbol.dispose]();
  }
}
