/** The image that a symbol table file describes. */

import type { AddressRange, LoadedImage } from "../macho/mod.ts";

/** What a table says about its image. */
export interface TableOf {
  /** `null` when the image had none. */
  readonly uuid: string | null;
  /** The image's name; empty or `null` if unknown. */
  readonly name: string | null;
  /** The `__TEXT` segment's address that it was linked for. */
  readonly linkedAddress: bigint;
  /** Bytes of the `__TEXT` segment; 0 when not known. */
  readonly size: number;
}

/** Where an image was loaded, if that is known. */
export interface Placed {
  readonly loadAddress?: bigint;
  readonly slide?: bigint;
}

/** An image known only by its symbol table file. */
export class TableImage implements LoadedImage {
  readonly name: string;
  readonly uuid: string | null;
  readonly loadAddress: bigint;
  readonly slide: bigint;
  readonly ranges: readonly AddressRange[];

  /** @param path of the table */
  constructor(readonly path: string, table: TableOf, placed: Placed) {
    const { name, linkedAddress, size } = table;
    this.uuid = table.uuid;
    this.loadAddress = placed.loadAddress ?? linkedAddress + (placed.slide ?? 0n);
    this.slide = this.loadAddress - linkedAddress;
    this.name = name || path.slice(path.lastIndexOf("/") + 1).replace(/\.mst$/, "");
    const end = this.loadAddress + BigInt(size || 0xffff_ffff);
    this.ranges = [{ start: this.loadAddress, end }];
  }

  symbolAt(): null {
    return null;
  }

  findSymbols(): [] {
    return [];
  }
}
