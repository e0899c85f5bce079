/** Functions and source positions at an address, as debug information tells them. */
import type { RawText } from "../escape.ts";

/** A position in a source file. */
export interface SourceLocation {
  /** The path that the compiler was given or made absolute. */
  readonly file: RawText;
  /** From 1; 0 for code that the compiler generated itself. */
  readonly line: number;
  /** From 1; 0 when not known. */
  readonly column: number;
}

/** A function at an address: the one that was called, or one inlined there. */
export interface SourceFrame {
  /** The mangled name without Mach-O's underscore where there is one, otherwise the name in the debug
   * information; empty where a line is known and no function. */
  readonly function: RawText;
  /** The position in that function; `null` when not known. */
  readonly location: SourceLocation | null;
  /** Whether it is inlined into the next function of the list. */
  readonly inlined: boolean;
}
