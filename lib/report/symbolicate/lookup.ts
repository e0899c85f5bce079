/** The symbols of an image file, for reports. */

import type { Image } from "../../macho/mod.ts";
import type { DebugInfo } from "../../symbols/mod.ts";
import type { ImageLookup } from "./lookups.ts";

/** Debug information, which may know where functions begin. */
export type FunctionInfo = Pick<DebugInfo, "framesAt"> & {
  /** The function that holds an offset; `null` for none. */
  functionAt?(offset: number): { readonly start: number } | null;
};

/** Looks up in an image's symbol table and in its debug information, whichever there is.
 *
 * @param image `null` where only debug information is there
 * @param debug `null` where only an image is there
 */
export function imageLookup(
  image: Pick<Image, "loadAddress" | "symbolAt"> | null,
  debug: FunctionInfo | null,
): ImageLookup {
  return {
    at(offset) {
      const match = image?.symbolAt(image.loadAddress + BigInt(offset)) ?? null;
      const frames = debug?.framesAt(offset) ?? [];
      const symbol = match?.symbol?.name ?? null;
      if (symbol === null && frames.length === 0) return null;
      const start = match === null || symbol === null ? debug?.functionAt?.(offset)?.start : null;
      return {
        symbol,
        offset: start == null ? symbol === null ? null : match!.offset : offset - start,
        frames,
      };
    },
  };
}
