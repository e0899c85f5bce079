/** Which compile units code is from, by debug information. */

import { FormatError } from "../../errors.ts";
import type { CodeOrigin } from "./attribution.ts";

/** Debug information by units, as `DwarfInfo` has it.
 *
 * @example
 * ```ts
 * import { type ReportSymbolOptions, type UnitSource } from "@machpause/machpause";
 *
 * const units: UnitSource = {
 *   unitAt: (offset) => offset < 0x8000 ? null : { offset: 0 },
 *   table: () => ({ name: "sdk.c", directory: "/build/sdk" }),
 * };
 * const options: ReportSymbolOptions = { openDwarf: () => ({ info: units }) };
 * ```
 */
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
