/** A second face of this folder, for who has symbol table files and nothing else: it loads neither
 * Mach-O nor DWARF, which takes longer than a lookup. */

import type { Resolution, Resolver, SourceFrame, SourceLocation } from "../target/mod.ts";
import type { ByteSource } from "../macho/mod.ts";
import { isMst } from "./mst/layout.ts";
import { MstFile } from "./mst/mst_file.ts";
import { type Placed, TableImage } from "./table_image.ts";

export { isMst };
export type { Placed };

/** A table, and the image that it is of. */
interface Table {
  readonly file: MstFile;
  readonly image: TableImage;
}

const nothing: Resolution = { image: null, symbol: null, offset: 0, source: null, frames: [] };

/** What a table says of an offset in its image. */
class TableResolution implements Resolution {
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

/** Tells what is at addresses in images of which there are symbol table files. Equal to a
 * `FileSymbolizer` over the same files. */
export class TableSymbolizer implements Resolver, Disposable {
  readonly #tables: readonly Table[];

  /** Takes tables, which are closed with it.
   *
   * @throws FormatError when one is none, or damaged
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

  /** What was found damaged so far, in words. */
  get warnings(): readonly string[] {
    return this.#tables.flatMap(({ file }) => file.warnings);
  }

  /** What is known about `address`. */
  resolve(address: bigint): Resolution {
    // Of overlapping images the one that begins last, as an ImageMap has it.
    let found: Table | undefined;
    for (const table of this.#tables) {
      const [{ start, end }] = table.image.ranges;
      if (address < start || address >= end) continue;
      if (found === undefined || start >= found.image.loadAddress) found = table;
    }
    if (found === undefined) return nothing;
    return new TableResolution(found, Number(address - found.image.loadAddress));
  }

  /** Closes the tables. */
  [Symbol.dispose](): void {
    for (const { file } of this.#tables) file[Symbol.dispose]();
  }
}
