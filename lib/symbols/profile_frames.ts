/** What is at an address, as frames of a profile. */

import { debugIdOfImage, ElfImage } from "../elf/mod.ts";
import type { RawText } from "../escape.ts";
import type { LoadedImage } from "../macho/mod.ts";
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

/** The frames of the function at an address and of the calls that are inlined into it there, outermost first.
 *
 * @param readable makes names readable
 */
export function framesOfPlace(
  builder: ProfileBuilder,
  { address, image, info, base = 0n }: ProfilePlace,
  readable: (name: RawText) => RawText,
): readonly number[] {
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
  const list = [builder.frame(outer, {
    address,
    line: own?.location?.line,
    column: own?.location?.column,
  })];
  for (let depth = 1; depth < frames.length; depth++) {
    const { function: inlined, location } = frames[frames.length - 1 - depth];
    const of = builder.function(named(inlined), {
      image,
      file: location?.file,
      ...inlined === "" ? { address } : {},
    });
    list.push(builder.frame(of, {
      address,
      line: location?.line,
      column: location?.column,
      inlineDepth: depth,
    }));
  }
  return list;
}

/** The stack that goes on with frames.
 *
 * @param prefix the stack of the callers; -1 for none
 */
export function pushFrames(
  builder: ProfileBuilder,
  prefix: number,
  frames: readonly number[],
): number {
  return frames.reduce((stack, frame) => builder.stack(stack, frame), prefix);
}

/** Puts loaded images into a profile, each once. */
export class ProfileImages {
  readonly #builder: ProfileBuilder;
  readonly #arch: string | undefined;
  readonly #known = new Map<LoadedImage, number>();

  constructor(builder: ProfileBuilder, arch?: string) {
    this.#builder = builder;
    this.#arch = arch;
  }

  /** The index of an image; -1 for `null`. */
  index(image: LoadedImage | null): number {
    if (image === null) return -1;
    let index = this.#known.get(image);
    if (index === undefined) {
      const { name, path, uuid, loadAddress } = image;
      const end = endOf(image);
      index = this.#builder.image({
        name,
        path,
        uuid: image instanceof ElfImage ? identifierOf(image) : uuid,
        address: loadAddress,
        size: end > loadAddress ? end - loadAddress : 0n,
        ...this.#arch === undefined ? {} : { arch: this.#arch },
      });
      this.#known.set(image, index);
    }
    return index;
  }
}

/** Parts of an image that are further apart are not one piece: the images of the shared cache have a common
 * last part. */
const widestGap = 64n << 20n;

/** Where the code of an image ends. */
function endOf({ loadAddress, ranges }: LoadedImage): bigint {
  let end = loadAddress;
  for (const range of ranges) {
    if (range.start > end + widestGap) break;
    if (range.end > end) end = range.end;
  }
  return end;
}

/** What symbol servers find an ELF file by: its build ID; where it has none, as programs of Go before 1.24, what
 * Breakpad's tools make of its code. */
function identifierOf(image: ElfImage): string | null {
  return image.buildId ?? debugIdOfImage(image);
}
