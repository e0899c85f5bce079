/** What a unit's debug information says of its code, as flat tables. */

import type { RawText } from "../escape.ts";

/** The functions, inlined calls and lines of one unit, in columns: a unit has tens of thousands of
 * rows, and an object for each would cost more than reading them.
 *
 * Offsets are bytes from the image's base address, its `__TEXT` segment's unslid address, as numbers:
 * kernel addresses do not fit in one, offsets do. Columns may be longer than their count says, and
 * are reused when the next unit is read: copy what is to be kept.
 */
export interface UnitTable {
  /** Where the unit begins in `.debug_info`. */
  readonly unit: number;
  /** `DW_AT_name`; `null` when there is none. Not safe to print raw. */
  readonly name: string | null;
  /** `DW_AT_comp_dir`; `null` when there is none. Not safe to print raw. */
  readonly directory: string | null;
  /** `DW_AT_language`; 0 when there is none. */
  readonly language: number;

  /** Functions and the calls inlined in them, each before those inside it. */
  readonly scopeCount: number;
  /** The scope that a call was inlined into; -1 for a function. Lexical blocks are not scopes. */
  readonly scopeParent: Int32Array;
  /** The scope's function, for {@linkcode functionName} and {@linkcode linkageName}. Equal numbers
   * are the same function, also where it is inlined. */
  readonly scopeFunction: Uint32Array;
  /** Where an inlined call was made: a file's number, for {@linkcode file}; 0xffffffff where that is
   * not known, and for functions. */
  readonly scopeCallFile: Uint32Array;
  /** From 1; 0 when not known. */
  readonly scopeCallLine: Uint32Array;
  /** From 1; 0 when not known. */
  readonly scopeCallColumn: Uint32Array;
  /** The ranges of scope `n` are `scopeRanges[n]` to `scopeRanges[n + 1] - 1`. */
  readonly scopeRanges: Uint32Array;

  /** Of all scopes. */
  readonly rangeCount: number;
  /** First byte's offset. */
  readonly rangeLow: Float64Array;
  /** One beyond the last byte's. */
  readonly rangeHigh: Float64Array;

  /** Runs of rows with rising offsets, in rising order of their first. What `DW_LNE_end_sequence`
   * ends is one; rows that the linker removed are none. */
  readonly sequenceCount: number;
  /** The rows of sequence `n` are `sequenceRows[n]` to `sequenceRows[n + 1] - 1`. */
  readonly sequenceRows: Uint32Array;
  /** One beyond the last byte that sequence `n` covers. */
  readonly sequenceHigh: Float64Array;

  /** Of all sequences. */
  readonly rowCount: number;
  /** Where the row's code begins; it ends at the next row's offset, or where the sequence does. */
  readonly rowOffset: Float64Array;
  /** For {@linkcode file}. */
  readonly rowFile: Uint32Array;
  /** From 1; 0 when the compiler made the code itself. */
  readonly rowLine: Uint32Array;
  /** From 1; 0 when not known. */
  readonly rowColumn: Uint32Array;

  /** Functions have numbers below this. */
  readonly functionCount: number;
  /** As debug information names it, `DW_AT_name`; `null` when it does not. */
  functionName(scopeFunction: number): RawText | null;
  /** As the linker knows it, mangled, without Mach-O's underscore; `null` when that is not said. */
  linkageName(scopeFunction: number): RawText | null;
  /** The linkage name, or else the name, as UTF-8; `null` when it has neither. To be copied at once: the
   * memory is used again. */
  symbolName(scopeFunction: number): Uint8Array | null;
  /** The path of a file, directories joined; `null` where there is none of that number. */
  file(number: number): RawText | null;
}
