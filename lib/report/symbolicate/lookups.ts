/** The symbols that symbolication needs. */

import type { ArchName } from "../../arch/mod.ts";
import type { AddressInfo, MissingSymbols } from "../../symbols/mod.ts";
import type { CrashReport, ReportImage } from "../report.ts";

/** The symbols of one image. */
export interface ImageLookup {
  /** What is known at an offset from the image's load address, with addresses as if that were 0; `null` when
   * nothing is. */
  at(offset: number): AddressInfo | null;
}

/** Finds the symbols of a report's images. */
export interface ReportSymbols {
  /** The symbols of an image by its UUID; `null` when there are none.
   *
   * @param report that the image is of
   */
  find(image: ReportImage, arch: ArchName | null, report: CrashReport): ImageLookup | null;
  /** Makes the names that it finds readable; left out, they stay as they are. */
  readonly demangle?: ((name: string) => string) | undefined;
}

/** An image of a report whose symbols are missing, and how many frames they would name. */
export interface MissingReportSymbols extends MissingSymbols {
  /** The image. */
  readonly image: ReportImage;
  /** Nameless frames in the crashed thread and the last exception's backtrace. */
  readonly crashedFrames: number;
  /** All nameless frames. */
  readonly frames: number;
}
