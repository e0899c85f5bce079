/** Source positions: what debug information adds to a symbol. */

import type { LoadedImage, Symbol as ImageSymbol, SymbolMatch } from "../macho/mod.ts";
import type { DebugSection, MissingSymbols, SourceFrame } from "../target/mod.ts";

/** Something that knows source positions: DWARF in an image or a dSYM, a symbol table file.
 *
 * @example
 * ```ts
 * import { Image, type SourceProvider, Symbolizer } from "@machpause/machpause";
 *
 * const image = Image.fromFile(await Deno.readFile("demo"), "demo");
 * const location = { file: "generated.c", line: 1, column: 0 };
 * const provider: SourceProvider = {
 *   framesAt: () => [{ function: "generated", location, inlined: false }],
 * };
 * console.log(new Symbolizer([image], provider).resolve(image.loadAddress).source?.file);
 * ```
 */
export interface SourceProvider {
  /** The functions at `address`, innermost first; empty when it knows none.
   *
   * @param image that holds the address
   * @param address slid
   */
  framesAt(image: LoadedImage, address: bigint): readonly SourceFrame[];
  /** The symbol that holds `address` where the image itself, being stripped, names none; `null` when
   * there is none either. */
  symbolAt?(image: LoadedImage, address: bigint): SymbolMatch | null;
  /** The symbols of that name that a stripped image's dSYM has, where one has been found already. */
  findSymbols?(image: LoadedImage, name: string): readonly ImageSymbol[];
  /** A section of the `__DWARF` segment, such as `__debug_frame`; `null` where there is none. */
  debugSection?(image: LoadedImage, name: string): DebugSection | null;
  /** Looks in more folders too. */
  addFolders?(folders: readonly string[]): void;
  /** The images asked about so far whose debug information is missing. */
  readonly missing?: readonly MissingSymbols[];
}
