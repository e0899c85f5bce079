/** The symbols that symbolication needs. */

import type { ArchName } from "../../arch/mod.ts";
import type { SourceFrame } from "../../symbols/mod.ts";
import type { ReportImage } from "../report.ts";

/** The function at an offset in an image. */
export interface FoundPlace {
  /** The function by the symbol table; `null` when not known. Not safe to print raw. */
  readonly symbol: string | null;
  /** Bytes from the symbol; `null` when not known. */
  readonly offset: number | null;
  /** The functions by the debug information, innermost first; empty without any. */
  readonly frames: readonly SourceFrame[];
}

/** The symbols of one image. */
export interface ImageLookup {
  /** What is at an offset from the image's load address; `null` when nothing is known. */
  at(offset: number): FoundPlace | null;
}

/** Finds the symbols of a report's images. */
export interface ReportSymbols {
  /** The symbols of an image by its UUID; `null` when there are none. */
  find(image: ReportImage, arch: ArchName | null): ImageLookup | null;
}

/** An image without symbols, and how many frames they would name. */
export interface MissingSymbols {
  /** The image. */
  readonly image: ReportImage;
  /** Nameless frames in the crashed thread and the last exception's backtrace. */
  readonly crashedFrames: number;
  /** All nameless frames. */
  readonly frames: number;
}
