/** Debug information of one image, wherever it was found. */

import type { ArchName } from "../arch/mod.ts";
import type { DwarfInfo, SourceFrame } from "../dwarf/mod.ts";
import type { RawText } from "../escape.ts";

/** Functions, files and lines by offset in one image. It is read from DWARF in a dSYM or in the image
 * itself, from the object files of a debug map, or from a symbol table file. */
export interface DebugInfo extends Disposable {
  /** The file it was found in. */
  readonly path: RawText;
  /** The UUID of the image it belongs to; `null` if unknown. */
  readonly uuid: string | null;
  /** The image's architecture. */
  readonly arch: ArchName;
  /** The damage found so far. */
  readonly warnings: readonly string[];
  /** The functions at an offset, innermost first; empty when none is known.
   *
   * @param offset bytes from the image's base, its `__TEXT` segment's address
   */
  framesAt(offset: number): readonly SourceFrame[];
  /** The number of calls that are inlined at an offset, one into the other, where that takes less than
   * {@linkcode framesAt}. */
  inlineCountAt?(offset: number): number;
  /** The DWARF of the code at an offset; `null` when there is none, as in a symbol table file.
   *
   * @ignore
   */
  dwarfAt(offset: number): DwarfPlace | null;
  /** All DWARF: one place for each file, in no particular code.
   *
   * @ignore
   */
  dwarf(): Iterable<DwarfPlace>;
}

/** A place in DWARF, which may have addresses of its own: those of an object file. */
export interface DwarfPlace {
  /** The units. */
  readonly info: DwarfInfo;
  /** The offset there. */
  readonly offset: number;
  /** The offset in the image of an offset in the units; `undefined` when it is not known. */
  readonly imageOffset: (offset: number) => number | undefined;
}
