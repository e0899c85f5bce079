/** Lookup in one image file. */

import type { Image } from "../../macho/mod.ts";
import type { RawText } from "../../escape.ts";
import type { DebugInfo, SourceFrame } from "../../symbols/mod.ts";
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
      const frames = linked(debug?.framesAt(offset) ?? [], symbol?.name ?? null, () => {
        const begin = debug?.functionAt?.(offset)?.start;
        return begin === undefined || begin === offset - match!.offset;
      });
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

/** Mangled names of C++, Swift and Rust, with or without Mach-O's underscore. */
const mangled = /^_?(?:_Z|_?\$[sS]|_T|_R)/;

/** Frames whose outermost function has its linkage name. Debug information lacks it in line tables, where
 * only the abstract entry has it, and in older Swift; the symbol table has it, if its symbol starts where
 * the function does. */
function linked(
  frames: readonly SourceFrame[],
  symbol: RawText | null,
  startsThere: () => boolean,
): readonly SourceFrame[] {
  const last = frames.at(-1);
  if (last === undefined || symbol === null || last.function === symbol) return frames;
  if (!mangled.test(symbol) || mangled.test(last.function) || !startsThere()) return frames;
  return [...frames.slice(0, -1), { ...last, function: symbol }];
}
