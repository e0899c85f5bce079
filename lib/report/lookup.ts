/** The symbols of an image file, for reports. */

import type { Image } from "../macho/mod.ts";
import type { DebugInfo } from "../symbols/debug_info.ts";
import type { ImageLookup } from "./symbolicate.ts";

/** Looks up in an image's symbol table and in its debug information, whichever there is.
 *
 * @param image `null` where only debug information is there
 * @param debug `null` where only an image is there
 */
export function imageLookup(
  image: Pick<Image, "loadAddress" | "symbolAt"> | null,
  debug: Pick<DebugInfo, "framesAt"> | null,
): ImageLookup {
  return {
    at(offset) {
      const match = image?.symbolAt(image.loadAddress + BigInt(offset)) ?? null;
      const frames = debug?.framesAt(offset) ?? [];
      const symbol = match?.symbol?.name ?? null;
      if (symbol === null && frames.length === 0) return null;
      return { symbol, offset: match === null || symbol === null ? null : match.offset, frames };
    },
  };
}
