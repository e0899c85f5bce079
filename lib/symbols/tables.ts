/** The part of this folder's face that needs symbol table files and nothing else. It loads neither
 * Mach-O nor DWARF, which would take longer than a lookup. */

import type { SourceFrame, SourceLocation } from "../dwarf/mod.ts";
import type { ByteSource } from "../macho/mod.ts";
import { type AddressInfo, type Resolver, unknownAddress } from "./address_info.ts";
import { isMst } from "./mst/layout.ts";
import { MstFile } from "./mst/mst_file.ts";
import { type Placed, TableImage } from "./table_image.ts";

export { isMst };
export type { Placed };

/** A table and its image. */
interface Table {
  readonly file: MstFile;
  readonly image: TableImage;
}

/** What a table says about an offset in its image. */
class TableAddressInfo implements AddressInfo {
  readonly image: TableImage;
  readonly symbol = null;
  readonly frames: readonly SourceFrame[];
  readonly #file: MstFile;

  constructor({ file, image }: Table, readonly offset: number) {
    this.image = image;
    this.frames = file.framesAt(offset);
    this.#file = file;
  }

  get source(): SourceLocation | null {
    return this.frames[0]?.location ?? null;
  }

  get functionStart(): bigint | null {
    const start = this.#file.functionAt(this.offset)?.start;
    return start === undefined ? null : this.image.loadAddress + BigInt(start);
  }
}

/** Answers for addresses in images that have symbol table files. The answers equal those of a
 * `FileSymbolizer` over the same files. */
export class TableSymbolizer implements Resolver, Disposable {
  readonly #tables: readonly Table[];

  /** Opens tables, which are closed with it.
   *
   * @throws FormatError when one is no table, or damaged
   */
  constructor(tables: readonly { source: ByteSource & Partial<Disposable>; placed: Placed }[]) {
    this.#tables = tables.map(({ source, placed }) => {
      const file = MstFile.open(source);
      const { uuid, name, imageBase, textSize } = file.info;
      const table = { uuid, name, linkedAddress: imageBase, size: textSize };
      return { file, image: new TableImage(source.name, table, placed) };
    });
  }

  /** The images, in the order of the tables. */
  get images(): readonly TableImage[] {
    return this.#tables.map(({ image }) => image);
  }

  /** The damage found so far. */
  get warnings(): readonly string[] {
    return this.#tables.flatMap(({ file }) => file.warnings);
  }

  /** What is known about `address`. */
  resolve(address: bigint): AddressInfo {
    // If images overlap, the one that begins last wins, as in an ImageMap.
    let found: Table | undefined;
    for (const table of this.#tables) {
      const [{ start, end }] = table.image.ranges;
      if (address < start || address >= end) continue;
      if (found === undefined || start >= found.image.loadAddress) found = table;
    }
    if (found === undefined) return unknownAddress;
    return new TableAddressInfo(found, Number(address - found.image.loadAddress));
  }

  /** Closes the tables. */
  [Symbol.dispose](): void {
    for (const { file } of this.#tables) file[Symbol.dispose]();
  }
}
