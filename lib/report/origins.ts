/** Which compile units code is from, by debug information. */

import { FormatError } from "../errors.ts";
import type { ReportImage } from "./report.ts";

/** Where the code at a place was linked from. */
export interface CodeOrigin {
  /** The static library, by its path; `null` when the object file was in none, or it is not known. Not
   * safe to print raw. */
  readonly archive: string | null;
  /** The object file or the compile unit's source file; `null` when not known. Not safe to print raw. */
  readonly unit: string | null;
}

/** Whoever knows which object files an image was linked from: its debug map, its debug information. */
export interface CodeOrigins {
  /** The origin of the code at an offset from the image's load address; `null` when not known. */
  originAt(image: ReportImage, offset: number): CodeOrigin | null;
}

/** Debug information by units, as `DwarfInfo` has it. */
export interface UnitSource {
  /** The unit whose code is at an offset; `null` when none is. */
  unitAt(offset: number): { readonly offset: number } | null;
  /** What a unit says of itself. */
  table(unit: { readonly offset: number }): {
    readonly name: string | null;
    readonly directory: string | null;
  };
}

/** Tells the source file that the code at an offset was compiled from, with its folder. */
export function unitOrigins(info: UnitSource): (offset: number) => CodeOrigin | null {
  const known = new Map<number, CodeOrigin | null>();
  return (offset) => {
    const unit = info.unitAt(offset);
    if (unit === null) return null;
    let origin = known.get(unit.offset);
    if (origin === undefined) {
      origin = originOf(info, unit);
      known.set(unit.offset, origin);
    }
    return origin;
  };
}

function originOf(info: UnitSource, unit: { readonly offset: number }): CodeOrigin | null {
  try {
    const { name, directory } = info.table(unit);
    if (name === null) return null;
    const whole = name.startsWith("/") || directory === null ? name : `${directory}/${name}`;
    return { archive: null, unit: whole };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return null; // a damaged unit says nothing
  }
}
