import { escape, type RawText } from "../escape.ts";
import type { AddressRange, LoadedImage } from "../macho/mod.ts";
import type { Region } from "./kernel.ts";

/** An image of which only the place is known: it has a name and offsets, but no symbols. */
export class PlacedImage implements LoadedImage {
  readonly path: RawText;
  readonly name: RawText;
  readonly uuid: string | null;
  readonly loadAddress: bigint;
  /** As if linked at 0. */
  readonly slide: bigint;
  readonly ranges: readonly AddressRange[];

  constructor(
    path: string,
    uuid: string | null,
    loadAddress: bigint,
    ranges: readonly AddressRange[],
  ) {
    this.path = path;
    this.name = path.slice(path.lastIndexOf("/") + 1);
    this.uuid = uuid;
    this.loadAddress = loadAddress;
    this.slide = loadAddress;
    this.ranges = ranges;
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
    const hex = `0x${this.loadAddress.toString(16)}`;
    return { name: this.name, path: this.path, uuid: this.uuid, loadAddress: hex, slide: hex };
  }
}

/** A mapped file that is not a Mach-O image, such as the host's own libraries on Linux. */
export class MappedFile extends PlacedImage {
  /** @param ranges all of the file's, at least one, in rising order */
  constructor(path: string, ranges: readonly AddressRange[]) {
    super(path, null, ranges[0].start, ranges);
  }
}

/** The mapped files that hold code, in rising order.
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
    .map(([path, group]) =>
      new MappedFile(
        path,
        group.map(({ address, size }) => ({ start: address, end: address + size })),
      )
    );
}
