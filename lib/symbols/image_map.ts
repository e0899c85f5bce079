/** From an address to the image that holds it. */

import { type LoadedImage, stretchAt, type Stretches, stretches } from "../macho/walking.ts";

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
    return this.#stretches.values[stretchAt(this.#stretches, address)] ?? null;
  }
}
