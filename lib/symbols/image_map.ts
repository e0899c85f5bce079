/** From an address to the image that holds it. */

import { type LoadedImage, stretchAt, type Stretches, stretches } from "../macho/walking.ts";

const nowhere = { start: 0n, end: 0n, image: null };

/** The images of a target, found by address with a binary search.
 *
 * Images overlap only when something is damaged. Then the one whose range begins last holds the address;
 * of two that begin together the shorter, then the one given last.
 *
 * @example
 * ```ts
 * import { Image } from "@machpause/machpause/macho";
 * import { ImageMap } from "@machpause/machpause/symbols";
 *
 * const image = Image.fromFile(await Deno.readFile("demo"), "demo");
 * console.log(new ImageMap([image]).at(image.loadAddress)?.name);
 * ```
 */
export class ImageMap<T extends LoadedImage = LoadedImage> {
  /** In the order that they were given. */
  readonly images: readonly T[];
  readonly #stretches: Stretches<T>;
  /** The last answer, which is often the next one too: the frames of a stack are in few images. */
  #last: { readonly start: bigint; readonly end: bigint; readonly image: T | null } = nowhere;

  /** Maps `images`. */
  constructor(images: Iterable<T>) {
    this.images = [...images];
    const spans = this.images.flatMap((image) =>
      image.ranges.filter(({ start, end }) => start < end)
        .map(({ start, end }) => ({ start, end, value: image }))
    );
    this.#stretches = stretches(spans);
  }

  /** The image that holds `address`. */
  at(address: bigint): T | null {
    if (typeof address !== "bigint") throw new TypeError(`${address} is no address: write 0x1000n`);
    const last = this.#last;
    if (address >= last.start && address < last.end) return last.image;
    const { starts, values } = this.#stretches;
    const index = stretchAt(this.#stretches, address);
    if (index < 0) return null;
    const end = index + 1 < starts.length ? starts[index + 1] : 1n << 64n;
    this.#last = { start: starts[index], end, image: values[index] };
    return this.#last.image;
  }
}
