/** Where code was linked from: object files, static libraries, compile units. */

import { FormatError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import type { ReportImage } from "./report.ts";

/** Origin of the code at one address. */
export interface CodeOrigin {
  /** Path of the static library; `null` when the object file was not in one, or it is not known. */
  readonly archive: RawText | null;
  /** Object file, or source file of the compile unit; `null` when not known. */
  readonly unit: RawText | null;
}

/** Looks up where an image's code was linked from. */
export interface CodeOrigins {
  /** Origin of the code at an offset from the load address; `null` when not known. */
  originAt(image: ReportImage, offset: number): CodeOrigin | null;
}

/** Compile units of debug information; `DwarfInfo` implements it. */
export interface UnitSource {
  /** The unit that contains an offset; `null` when none does. */
  unitAt(offset: number): { readonly offset: number } | null;
  /** Name and directory of a unit. */
  table(unit: { readonly offset: number }): {
    readonly name: string | null;
    readonly directory: string | null;
  };
}

/** Looks up the source file, with its folder, of the code at an offset. */
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
    return { archive: null, unit: whole as RawText };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return null; // damaged unit
  }
}
