/** Debug information of one image, wherever it was found. */

import type { ArchName } from "../arch/mod.ts";
import type { SourceFrame } from "../target/mod.ts";

/** What tells functions, files and lines at the offsets of one image: DWARF in a dSYM or in the image
 * itself, the object files of a debug map, a symbol table file.
 *
 * @example
 * ```ts
 * import { DebugProvider, type LoadedImage } from "@machpause/machpause";
 *
 * declare const provider: DebugProvider;
 * declare const image: LoadedImage;
 * const info = provider.debugInfo(image);
 * console.log(info?.path, info?.framesAt(0x724)[0]?.location);
 * ```
 */
export interface DebugInfo extends Disposable {
  /** Where it was found. Not safe to print raw. */
  readonly path: string;
  /** Of the image it belongs to; `null` when it does not say. */
  readonly uuid: string | null;
  /** Of the image. */
  readonly arch: ArchName;
  /** What was found damaged so far, in words. */
  readonly warnings: readonly string[];
  /** The functions at an offset, innermost first; empty when none is known.
   *
   * @param offset bytes from the image's base, its `__TEXT` segment's address
   */
  framesAt(offset: number): readonly SourceFrame[];
}
