/** From an address to the image that holds it. */

import type { LoadedImage } from "../macho/mod.ts";

/** The images of a target, found by address through a binary search.
 *
 * Where images overlap, which only damage makes them do, the one whose range begins last holds the
 * address, and of two that begin together the shorter, then the one given last.
 *
 * @example
 * ```ts
 * import { Image, ImageMap } from "@machpause/machpause";
 *
 * const image = Image.fromFile(await Deno.readFile("demo"), "demo");
 * console.log(new ImageMap([image]).at(image.loadAddress)?.name);
 * ```
 */
export class ImageMap<T extends LoadedImage = LoadedImage> {
  /** In the order they were given. */
  readonly images: readonly T[];
  /** Where each stretch begins, rising; it ends where the next begins. */
  readonly #starts: BigUint64Array;
  /** The image of each stretch; -1 for none. */
  readonly #owners: Int32Array;

  /** Sorts the images' ranges. */
  constructor(images: Iterable<T>) {
    this.images = [...images];
    const { starts, owners } = flatten(this.images);
    this.#starts = starts;
    this.#owners = owners;
  }

  /** The image that holds `address`. */
  at(address: bigint): T | null {
    const starts = this.#starts;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle] <= address) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? null : this.images[this.#owners[low - 1]] ?? null;
  }
}

interface Span {
  readonly start: bigint;
  readonly end: bigint;
  readonly owner: number;
}

/** Cuts ranges that may overlap into stretches that do not: one sweep over their bounds, with the
 * ranges that are open kept in the order in which they are preferred. */
function flatten(
  images: readonly LoadedImage[],
): { starts: BigUint64Array; owners: Int32Array } {
  const spans: Span[] = [];
  images.forEach(({ ranges }, owner) => {
    for (const { start, end } of ranges) if (start < end) spans.push({ start, end, owner });
  });
  // The later of this order is preferred.
  spans.sort((a, b) => compare(a.start, b.start) || compare(b.end, a.end) || a.owner - b.owner);
  const starts: bigint[] = [];
  const owners: number[] = [];
  const mark = (start: bigint, owner: number): void => {
    if (starts.at(-1) === start) {
      owners[owners.length - 1] = owner;
    } else if (owners.at(-1) !== owner) {
      starts.push(start);
      owners.push(owner);
    }
  };
  const open: Span[] = [];
  /** Closes what ends up to `address`; what lies under it comes to light again. */
  const closeUntil = (address: bigint): void => {
    while (open.length > 0 && open.at(-1)!.end <= address) {
      const { end } = open.pop()!;
      while (open.length > 0 && open.at(-1)!.end <= end) open.pop();
      mark(end, open.at(-1)?.owner ?? -1);
    }
  };
  for (const span of spans) {
    closeUntil(span.start);
    mark(span.start, span.owner);
    open.push(span);
  }
  if (open.length > 0) {
    let last = open[0].end;
    for (const { end } of open) if (end > last) last = end;
    closeUntil(last);
  }
  // Without the mark's limit an end of 2^64 would wrap to 0; nothing is beyond it anyway.
  if (starts.at(-1) === 1n << 64n) {
    starts.pop();
    owners.pop();
  }
  return { starts: BigUint64Array.from(starts), owners: Int32Array.from(owners) };
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
