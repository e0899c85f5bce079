/** Lookup in one image file. */

import type { Image } from "../../macho/mod.ts";
import type { DebugInfo } from "../../symbols/mod.ts";
import type { ImageLookup } from "./lookups.ts";

/** Debug information, optionally with function starts. */
export type FunctionInfo = Pick<DebugInfo, "framesAt"> & {
  /** The function that contains an offset; `null` when none does. */
  functionAt?(offset: number): { readonly start: number } | null;
};

/** Combines an image's symbol table and its debug information.
 *
 * @param image `null` when there is only debug information
 * @param debug `null` when there is only an image
 */
export function imageLookup(image: Image | null, debug: FunctionInfo | null): ImageLookup {
  return {
    at(offset) {
      const match = image?.symbolAt(image.loadAddress + BigInt(offset)) ?? null;
      const symbol = match?.symbol ?? null;
      const frames = debug?.framesAt(offset) ?? [];
      if (symbol === null && frames.length === 0) return null;
      const start = symbol === null ? debug?.functionAt?.(offset)?.start : offset - match!.offset;
      return {
        image,
        symbol,
        offset: symbol === null ? offset : match!.offset,
        functionStart: start === undefined ? null : BigInt(start),
        source: frames[0]?.location ?? null,
        frames,
      };
    },
  };
}
