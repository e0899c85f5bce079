/** Source positions: what debug information adds to a symbol. */

import type { LoadedImage } from "../macho/mod.ts";

/** A place in a source file. */
export interface SourceLocation {
  /** Not safe to print raw. */
  readonly file: string;
  /** From 1; 0 when the compiler made the code itself. */
  readonly line: number;
  /** From 1; 0 when not known. */
  readonly column: number;
}

/** A function at an address, whether it was called or inlined there. */
export interface SourceFrame {
  /** As the debug information names it. Not safe to print raw. */
  readonly function: string;
  /** Where in the function's source; of an outer function, the call. */
  readonly location: SourceLocation | null;
  /** Whether it was inlined into the next of the list. */
  readonly inlined: boolean;
}

/** Something that knows source positions: DWARF in an image or a dSYM, a symbol table file. */
export interface SourceProvider {
  /** The functions at `address`, innermost first; empty when it knows none.
   *
   * @param image that holds the address
   * @param address slid
   */
  framesAt(image: LoadedImage, address: bigint): readonly SourceFrame[];
}
