import { escape } from "../escape.ts";
import type { LoadedImage } from "../macho/mod.ts";
import type { Region } from "./kernel.ts";

/** A mapped file that is not a Mach-O image, such as the host's own libraries on Linux: it has a
 * name and offsets, and no symbols. */
export class MappedFile implements LoadedImage {
  readonly path: string;
  readonly name: string;
  readonly uuid = null;
  /** The address of the lowest mapping. */
  readonly loadAddress: bigint;
  /** As if linked at 0. */
  readonly slide: bigint;
  readonly ranges: readonly { readonly start: bigint; readonly end: bigint }[];

  /** @param regions all of the file's, at least one, in rising order */
  constructor(path: string, regions: readonly Region[]) {
    this.path = path;
    this.name = path.slice(path.lastIndexOf("/") + 1);
    this.loadAddress = regions[0].address;
    this.slide = this.loadAddress;
    this.ranges = regions.map(({ address, size }) => ({ start: address, end: address + size }));
  }

  symbolAt(): null {
    return null;
  }

  findSymbols(): [] {
    return [];
  }

  toString(): string {
    return `0x${this.loadAddress.toString(16)} ${escape(this.path)}`;
  }

  /** The form of `bt --json`. */
  toJSON(): Record<string, unknown> {
    return {
      name: this.name,
      path: this.path,
      uuid: null,
      loadAddress: `0x${this.loadAddress.toString(16)}`,
      slide: `0x${this.slide.toString(16)}`,
    };
  }
}

/** The mapped files that hold code, out of all regions, in rising order.
 *
 * @param known paths of Mach-O images, which are not to be listed again
 */
export function mappedFiles(regions: readonly Region[], known: ReadonlySet<string>): MappedFile[] {
  const byPath = new Map<string, Region[]>();
  for (const region of regions) {
    if (region.path === "" || known.has(region.path)) continue;
    const group = byPath.get(region.path);
    if (group === undefined) byPath.set(region.path, [region]);
    else group.push(region);
  }
  const executable = 4;
  return [...byPath]
    .filter(([, group]) => group.some(({ protection }) => (protection & executable) !== 0))
    .map(([path, group]) => new MappedFile(path, group));
}
