/** Binaries, dSYMs and symbol table files in folders, by their UUIDs. */

import { FormatError, MemoryReadError } from "../errors.ts";
import {
  type ByteSource,
  FILE_TYPE,
  Image,
  isMachO,
  type MemoryReader,
  part,
  readFat,
} from "../macho/walking.ts";
import type { Files } from "./files.ts";

/** One architecture's image in a file that is open. */
export interface Binary {
  /** From its Mach-O header on. */
  readonly bytes: ByteSource;
  /** With its header at 0. */
  readonly image: Image;
}

/** Reads an image whose header is at offset 0, at the address it is to have.
 *
 * @throws FormatError when there is none
 * @throws MemoryReadError when it is cut short
 */
export function imageOf(bytes: ByteSource, loadAddress: bigint, path: string): Image {
  const reader: MemoryReader = {
    read(address, length) {
      const offset = Number(address - loadAddress);
      const read = offset < 0 ? new Uint8Array() : bytes.read(offset, length);
      if (read.length < length) throw new MemoryReadError(address, length);
      return read;
    },
  };
  return Image.fromMemory(reader, loadAddress, path);
}

/** The images in a file. Only headers are read, and damaged images are passed over.
 *
 * @param file whose name is the path
 */
export function* imagesIn(file: ByteSource): Generator<Binary> {
  for (const { offset, size } of slicesOf(file)) {
    const bytes = part(file, offset, size);
    // Most files of a folder are no images: cheaper than an error for each.
    if (!isMachO(bytes.read(0, 4))) continue;
    try {
      yield { bytes, image: imageOf(bytes, 0n, file.name) };
    } catch (error) {
      if (!(error instanceof FormatError || error instanceof MemoryReadError)) throw error;
    }
  }
}

function slicesOf(file: ByteSource): readonly { offset: number; size: number }[] {
  try {
    return readFat(file) ?? [{ offset: 0, size: file.size }];
  } catch (error) {
    // Java class files have the magic number of universal files.
    if (error instanceof FormatError) return [];
    throw error;
  }
}

/** A file that is about the image of some UUID.
 *
 * @example
 * ```ts
 * import { type Files, type SymbolFile, SymbolFiles } from "@machpause/machpause";
 *
 * declare const files: Files; // the file system
 * const dsyms = ({ kind }: SymbolFile) => kind === "dsym";
 * console.log(new SymbolFiles(files, ["./symbols"]).named("MyApp").filter(dsyms));
 * ```
 */
export interface SymbolFile {
  /** Not safe to print raw. */
  readonly path: string;
  /** What it is. */
  readonly kind: "binary" | "dsym" | "table";
  /** Of the image. */
  readonly uuid: string;
  /** `CPU_TYPE_*`; `null` where the file does not say. */
  readonly cpuType: number | null;
}

/** What a symbol table file says of the image that it is of.
 *
 * @example
 * ```ts
 * import { archs, type TableHead } from "@machpause/machpause";
 *
 * const head: TableHead = {
 *   uuid: "4C4C44B5-5555-3144-A1F5-3D9A0A2B6C3D",
 *   cpuType: archs.arm64.cpuType,
 * };
 * ```
 */
export interface TableHead {
  /** Of the image. */
  readonly uuid: string;
  /** `CPU_TYPE_*`; `null` where the file does not say. */
  readonly cpuType: number | null;
  /** The image's name, where the file says it. Not safe to print raw. */
  readonly name?: string | null;
  /** The address that the image was linked for, where the file says it. */
  readonly linkedAddress?: bigint;
  /** Of the image in memory, in bytes, where the file says it. */
  readonly size?: number;
}

/** Reads the head of a symbol table file; `null` for another file. `lib/symbols` knows.
 *
 * @example
 * ```ts
 * import { type Files, isMst, type ReadTableHead, SymbolFiles } from "@machpause/machpause";
 *
 * declare const files: Files; // the file system
 * const readHead: ReadTableHead = (file) =>
 *   isMst(file.read(0, 8)) ? { uuid: file.name.slice(0, 36), cpuType: null } : null;
 * const symbolFiles = new SymbolFiles(files, ["./symbols"], readHead);
 * ```
 */
export type ReadTableHead = (file: ByteSource) => TableHead | null;

interface Index {
  readonly byUuid: ReadonlyMap<string, readonly SymbolFile[]>;
  readonly byName: ReadonlyMap<string, readonly SymbolFile[]>;
}

/** Folders, searched once, when they are first asked.
 *
 * @example
 * ```ts
 * import { type Files, SymbolFiles } from "@machpause/machpause";
 *
 * declare const files: Files; // the file system
 * const symbolFiles = new SymbolFiles(files, ["./symbols"]);
 * for (const { path, kind } of symbolFiles.find("4C4C44B5-5555-3144-A1F5-3D9A0A2B6C3D")) {
 *   console.log(path, kind);
 * }
 * ```
 */
export class SymbolFiles {
  readonly #files: Files;
  readonly #folders: string[];
  readonly #readTable: ReadTableHead | undefined;
  #index: Index | undefined;

  /** Nothing is read yet.
   *
   * @param folders searched with all below them; files may be named too
   */
  constructor(files: Files, folders: readonly string[], readTable?: ReadTableHead) {
    this.#files = files;
    this.#folders = [...folders];
    this.#readTable = readTable;
  }

  /** Searches more folders, after the others. */
  add(folders: readonly string[]): void {
    this.#folders.push(...folders);
    this.#index = undefined;
  }

  /** The files about the image with that UUID, in the order of the folders and of their names. */
  find(uuid: string): readonly SymbolFile[] {
    return this.#indexed().byUuid.get(uuid) ?? [];
  }

  /** The files of that name, whatever image they are about.
   *
   * @param name without folders
   */
  named(name: string): readonly SymbolFile[] {
    if (this.#folders.length === 0) return [];
    return this.#indexed().byName.get(name) ?? [];
  }

  #indexed(): Index {
    return this.#index ??= this.#makeIndex();
  }

  #makeIndex(): Index {
    const byUuid = new Map<string, SymbolFile[]>();
    const byName = new Map<string, SymbolFile[]>();
    const add = (file: SymbolFile): void => {
      for (
        const [map, key] of [
          [byUuid, file.uuid],
          [byName, file.path.slice(file.path.lastIndexOf("/") + 1)],
        ] as const
      ) {
        const known = map.get(key);
        if (known === undefined) map.set(key, [file]);
        else known.push(file);
      }
    };
    for (const folder of this.#folders) {
      for (const path of this.#files.walk(folder)) {
        try {
          using file = this.#files.open(path);
          const table = this.#readTable?.(file) ?? null;
          if (table !== null) {
            add({ path, kind: "table", uuid: table.uuid, cpuType: table.cpuType });
            continue;
          }
          for (const { image: { uuid, cpuType, fileType } } of imagesIn(file)) {
            if (fileType === FILE_TYPE.MH_CORE || fileType === FILE_TYPE.MH_OBJECT) continue;
            const kind = fileType === FILE_TYPE.MH_DSYM ? "dsym" : "binary";
            if (uuid !== null) add({ path, kind, uuid, cpuType });
          }
        } catch {
          // It may not be read, or is gone meanwhile: the same to a search.
        }
      }
    }
    return { byUuid, byName };
  }
}
