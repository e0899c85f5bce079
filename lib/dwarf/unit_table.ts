/** The functions and lines of a unit as flat tables. */

import type { RawText } from "../escape.ts";
import type { TextBytes } from "./string_reader.ts";

/** The functions and inlined calls of a unit, in columns: a unit has tens of thousands of rows, and objects would
 * cost more than reading them.
 *
 * Offsets count from the image's base, the unslid address of `__TEXT`. Unlike kernel addresses they fit in a
 * `number`. Columns may be longer than their count, and are reused for the next unit: copy them to keep them.
 */
export interface UnitScopes {
  /** Offset of the unit in `.debug_info`. */
  readonly unit: number;
  /** Number of scopes: functions and inlined calls. Outer scopes precede inner ones. */
  readonly scopeCount: number;
  /** The scope into which a call is inlined; -1 for a function. Lexical blocks are not scopes. */
  readonly scopeParent: Int32Array;
  /** Offset in the unit of the scope's entry. */
  readonly scopePlace: Uint32Array;
  /** The number of the file with the call, for {@linkcode UnitLines.file}; 0xffffffff if unknown, and for
   * functions. */
  readonly scopeCallFile: Uint32Array;
  /** From 1; 0 if unknown. */
  readonly scopeCallLine: Uint32Array;
  /** From 1; 0 if unknown. */
  readonly scopeCallColumn: Uint32Array;
  /** The ranges of scope `n` are `scopeRanges[n]` to `scopeRanges[n + 1] - 1`. */
  readonly scopeRanges: Uint32Array;

  /** Number of ranges of all scopes. */
  readonly rangeCount: number;
  /** Start offset. */
  readonly rangeLow: Float64Array;
  /** Exclusive end offset. */
  readonly rangeHigh: Float64Array;
}

/** The lines of a unit, in columns as {@linkcode UnitScopes} has them. */
export interface UnitLines {
  /** Number of sequences: runs of rows with ascending offsets, as `DW_LNE_end_sequence` ends them, sorted by
   * their first offset. Rows that the linker removed are left out. */
  readonly sequenceCount: number;
  /** The rows of sequence `n` are `sequenceRows[n]` to `sequenceRows[n + 1] - 1`. */
  readonly sequenceRows: Uint32Array;
  /** Exclusive end offset of sequence `n`. */
  readonly sequenceHigh: Float64Array;

  /** Number of rows of all sequences. */
  readonly rowCount: number;
  /** Start offset. A row ends where the next one begins, or where its sequence ends. */
  readonly rowOffset: Float64Array;
  /** File number, for {@linkcode file}. */
  readonly rowFile: Uint32Array;
  /** From 1; 0 for code that the compiler generated itself. */
  readonly rowLine: Uint32Array;
  /** From 1; 0 if unknown. */
  readonly rowColumn: Uint32Array;

  /** The full path of a file; `null` if there is no file with this number. */
  file(number: number): RawText | null;
}

/** All functions, inlined calls and lines of a unit. */
export interface UnitTable extends UnitScopes, UnitLines {
  /** `DW_AT_name`; `null` if there is none. */
  readonly name: RawText | null;
  /** `DW_AT_comp_dir`; `null` if there is none. */
  readonly directory: RawText | null;
  /** `DW_AT_language`; 0 if there is none. */
  readonly language: number;

  /** The number of each scope's function, for {@linkcode functionName}. Equal numbers mean the same function,
   * inlined or not. */
  readonly scopeFunction: Uint32Array;
  /** Number of functions. */
  readonly functionCount: number;
  /** `DW_AT_name`; `null` if there is none. */
  functionName(scopeFunction: number): RawText | null;
  /** The mangled name without Mach-O's underscore; `null` if there is none. */
  linkageName(scopeFunction: number): RawText | null;
  /** The linkage name, or else the name; `null` if there is neither. Copy it at once: the object and its memory
   * are reused. */
  symbolName(scopeFunction: number): Readonly<TextBytes> | null;
}
