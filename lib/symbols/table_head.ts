/** Symbol table files among other files. */

import { archs } from "../arch/mod.ts";
import { FormatError } from "../errors.ts";
import type { ReadTableHead } from "../target/mod.ts";
import { isMst } from "./mst/layout.ts";
import { MstFile } from "./mst/mst_file.ts";

/** What a symbol table file (`.mst`) says of its image; `null` for another file, and for one that is of no
 * image in particular or damaged. */
export const readTableHead: ReadTableHead = (file) => {
  if (!isMst(file.read(0, 8))) return null;
  try {
    // Closing the file is for whoever opened it.
    const { uuid, arch, imageBase, textSize, name } = MstFile.open(file).info;
    if (uuid === null) return null;
    return { uuid, cpuType: archs[arch].cpuType, name, linkedAddress: imageBase, size: textSize };
  } catch (error) {
    if (error instanceof FormatError) return null;
    throw error;
  }
};
