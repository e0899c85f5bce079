/** What is at an address, as frames of a profile. */

import type { RawText } from "../escape.ts";
import type { ProfileBuilder } from "../profile/mod.ts";
import type { AddressInfo } from "./address_info.ts";

/** A place that a stack of a profile goes through. */
export interface ProfilePlace {
  /** The address that was looked up. */
  readonly address: bigint;
  /** Index of the image in the profile; -1 for none. */
  readonly image: number;
  /** What is there. */
  readonly info: AddressInfo;
  /** What the addresses in `info` are to be moved by. */
  readonly base?: bigint;
}

/** The stack that goes on in the function at an address, and in the calls that are inlined into it there.
 *
 * @param prefix the stack of the callers; -1 for none
 * @param readable makes names readable
 */
export function pushPlace(
  builder: ProfileBuilder,
  prefix: number,
  { address, image, info, base = 0n }: ProfilePlace,
  readable: (name: RawText) => RawText,
): number {
  const { symbol, frames, functionStart } = info;
  // Debug information may have a line and no function.
  const named = (name: RawText | undefined): RawText | null => name ? readable(name) : null;
  const own = frames.at(-1);
  const name = named(symbol?.name) ?? named(own?.function);
  const start = functionStart === null ? null : BigInt.asUintN(64, base + functionStart);
  const outer = builder.function(name, {
    image,
    file: own?.location?.file,
    address: start ?? (name === null ? address : 0n),
  });
  let stack = builder.stack(
    prefix,
    builder.frame(outer, {
      address,
      line: own?.location?.line,
      column: own?.location?.column,
    }),
  );
  for (let depth = 1; depth < frames.length; depth++) {
    const { function: inlined, location } = frames[frames.length - 1 - depth];
    const of = builder.function(named(inlined), {
      image,
      file: location?.file,
      ...inlined === "" ? { address } : {},
    });
    const frame = builder.frame(of, {
      address,
      line: location?.line,
      column: location?.column,
      inlineDepth: depth,
    });
    stack = builder.stack(stack, frame);
  }
  return stack;
}
