/** Source positions: what debug information adds to a symbol. */

import type { LoadedImage } from "../macho/mod.ts";
import type { SourceFrame } from "../target/mod.ts";

/** Something that knows source positions: DWARF in an image or a dSYM, a symbol table file. */
export interface SourceProvider {
  /** The functions at `address`, innermost first; empty when it knows none.
   *
   * @param image that holds the address
   * @param address slid
   */
  framesAt(image: LoadedImage, address: bigint): readonly SourceFrame[];
}
