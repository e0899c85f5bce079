/** Finds binaries, dSYMs and symbol table files in folders by UUID, and ELF files by build ID. */

import type { RawText } from "../escape.ts";
import type { Files } from "../file_system.ts";
import { log } from "../log.ts";
import { debugIdOfFile, hasCode, hasSplitInfo, isElf, readElf } from "../elf/mod.ts";
import { type ByteSource, FILE_TYPE, isSharedCache } from "../macho/walking.ts";
import { imagesIn } from "./binaries.ts";
import { readTableHead } from "./table_head.ts";

/** Where to look for debug information, besides the usual places: beside an image's file, in it, in the object
 * files it names, and where Spotlight finds it. */
export interface SymbolOptions {
  /** Folders with dSYMs, binaries and symbol table files, searched by UUID. */
  readonly symbols?: readonly string[];
}

/** A file with something about the image of a UUID. */
export interface SymbolFile {
  /** Its path. */
  readonly path: RawText;
  /** What it is. */
  readonly kind: "binary" | "dsym" | "table";
  /** The image's UUID. */
  readonly uuid: string;
  /** `CPU_TYPE_*`; `null` where the file does not say. */
  readonly cpuType: number | null;
}

/** An ELF file: a program, a library, or one with debug information alone. */
export interface ElfSymbolFile {
  /** Its path. */
  readonly path: RawText;
  /** `NT_GNU_BUILD_ID`, in lower-case hexadecimal; `null` when it has none. */
  readonly buildId: string | null;
  /** Breakpad's identifier, in the form of a UUID. */
  readonly debugId: string;
  /** Whether it has code. */
  readonly hasCode: boolean;
}

interface Index {
  readonly byUuid: ReadonlyMap<string, readonly SymbolFile[]>;
  readonly byName: ReadonlyMap<string, readonly SymbolFile[]>;
  /** By build ID and by debug ID, which do not look alike. */
  readonly elf: ReadonlyMap<string, readonly ElfSymbolFile[]>;
  /** Paths of files with split debug information, by their names. */
  readonly split: ReadonlyMap<string, readonly string[]>;
  /** Paths of ELF files without a build ID, by their names. */
  readonly named: ReadonlyMap<string, readonly string[]>;
  readonly sharedCaches: readonly string[];
}

/** Refuses a path alone, which would be a list of its characters: `/`, all that there is, among them. */
function listOfFolders(folders: readonly string[]): readonly string[] {
  if (Array.isArray(folders)) return folders;
  throw new TypeError(`${folders} is no list of folders: write [${JSON.stringify(folders)}]`);
}

/** Folders and files that the user named for debug information. They are searched once, at the first
 * lookup.
 *
 * @example
 * ```ts
 * import { files } from "@machpause/machpause";
 * import { SymbolFiles } from "@machpause/machpause/symbols";
 *
 * const symbolFiles = new SymbolFiles(files, ["./symbols"]);
 * for (const { path, kind } of symbolFiles.find("4C4C44B5-5555-3144-A1F5-3D9A0A2B6C3D")) {
 *   console.log(path, kind);
 * }
 * ```
 */
export class SymbolFiles {
  readonly #files: Files;
  readonly #folders: string[];
  #index: Index | undefined;

  /** Reads nothing yet.
   *
   * @param folders searched with everything below them; files may be named too
   */
  constructor(files: Files, folders: readonly string[]) {
    this.#files = files;
    this.#folders = [...listOfFolders(folders)];
  }

  /** Adds folders, which are searched after the others. */
  add(folders: readonly string[]): void {
    this.#folders.push(...listOfFolders(folders));
    this.#index = undefined;
  }

  /** The files with a UUID, in the order of the folders and of their names. */
  find(uuid: string): readonly SymbolFile[] {
    return this.#indexed().byUuid.get(uuid) ?? [];
  }

  /** The files with a name, whatever their UUID.
   *
   * @param name without folders
   */
  named(name: string): readonly SymbolFile[] {
    if (this.#folders.length === 0) return [];
    return this.#indexed().byName.get(name) ?? [];
  }

  /** The ELF files with an identifier: those with code first.
   *
   * @param id a build ID, in lower-case hexadecimal, or a debug ID
   */
  elf(id: string): readonly ElfSymbolFile[] {
    if (this.#folders.length === 0) return [];
    return this.#indexed().elf.get(id) ?? [];
  }

  /** The files of a name with debug information that was split off (`.dwo`, `.dwp`).
   *
   * @param name without folders
   */
  split(name: string): readonly string[] {
    if (this.#folders.length === 0) return [];
    return this.#indexed().split.get(name) ?? [];
  }

  /** The ELF files of a name that have no build ID.
   *
   * @param name without folders
   */
  elfNamed(name: string): readonly string[] {
    if (this.#folders.length === 0) return [];
    return this.#indexed().named.get(name) ?? [];
  }

  /** The files of dyld shared caches. */
  get sharedCaches(): readonly string[] {
    return this.#folders.length === 0 ? [] : this.#indexed().sharedCaches;
  }

  #indexed(): Index {
    return this.#index ??= this.#makeIndex();
  }

  #makeIndex(): Index {
    const byUuid = new Map<string, SymbolFile[]>();
    const byName = new Map<string, SymbolFile[]>();
    const elf = new Map<string, ElfSymbolFile[]>();
    const split = new Map<string, string[]>();
    const named = new Map<string, string[]>();
    const sharedCaches: string[] = [];
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
          const head = file.read(0, 16);
          if (isSharedCache(head)) {
            sharedCaches.push(path);
            continue;
          }
          if (isElf(head)) {
            addElf({ elf, split, named }, path, file);
            continue;
          }
          const table = readTableHead(file);
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
          // A file that may not be read, or was deleted meanwhile, is not found.
        }
      }
    }
    log.symbols?.(
      `${byUuid.size} UUIDs are in the folders ${this.#folders.join(", ") || "(none)"}`,
    );
    return { byUuid, byName, elf, split, named, sharedCaches };
  }
}

function addElf(
  { elf: index, split, named }: {
    readonly elf: Map<string, ElfSymbolFile[]>;
    readonly split: Map<string, string[]>;
    readonly named: Map<string, string[]>;
  },
  path: RawText,
  file: ByteSource,
): void {
  const elf = readElf(file);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isSplit = hasSplitInfo(elf);
  const byName = isSplit ? split : elf.buildId === null ? named : undefined;
  byName?.set(name, [...byName.get(name) ?? [], path]);
  if (isSplit) return;
  const debugId = debugIdOfFile(elf, file);
  if (debugId === null) return;
  const { buildId } = elf;
  const found = { path, buildId, debugId, hasCode: hasCode(elf) };
  for (const id of buildId === null ? [debugId] : [debugId, buildId]) {
    const known = index.get(id);
    if (known === undefined) index.set(id, [found]);
    else if (found.hasCode) known.unshift(found);
    else known.push(found);
  }
}
