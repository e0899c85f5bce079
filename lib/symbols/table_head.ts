/** Recognizes symbol table files (`.mst`) among other files. */

import { archs } from "../arch/mod.ts";
import { FormatError } from "../errors.ts";
import type { ByteSource } from "../macho/mod.ts";
import { isMst } from "./mst/layout.ts";
import { MstFile } from "./mst/mst_file.ts";
import type { TableOf } from "./table_image.ts";

/** What a symbol table file says about its image. */
export interface TableHead extends TableOf {
  readonly uuid: string;
  /** `CPU_TYPE_*`. */
  readonly cpuType: number;
}

/** Reads what a symbol table file says about its image; `null` for a file of another kind, a damaged
 * one, and one without a UUID. */
export function readTableHead(file: ByteSource): TableHead | null {
  if (!isMst(file.read(0, 8))) return null;
  try {
    // The file stays open: its opener closes it.
    const { uuid, arch, imageBase, textSize, name } = MstFile.open(file).info;
    if (uuid === null) return null;
    return { uuid, cpuType: archs[arch].cpuType, name, linkedAddress: imageBase, size: textSize };
  } catch (error) {
    if (error instanceof FormatError) return null;
    throw error;
  }
}
