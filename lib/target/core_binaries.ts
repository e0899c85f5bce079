import { type ByteSource, FILE_TYPE, type Image } from "../macho/walking.ts";
import type { Files, OpenFile } from "../file_system.ts";
import { type Binary, imagesIn, type SymbolFiles } from "../symbols/walking.ts";

/** Maximum number of files kept open. */
const MAX_OPEN = 64;

/** The result of a search for a binary. */
export interface Found {
  /** `null` when none has that UUID. */
  readonly binary: Binary | null;
  /** The UUID of the file at the path, if it is another one. */
  readonly other: string | null;
}

/** Finds the binaries of images, at their paths or in folders by UUID. */
export class Binaries implements Disposable {
  readonly #files: Files;
  readonly #folders: SymbolFiles;
  readonly #cpuType: number;
  /** By path, the one used last at the end. */
  readonly #open = new Map<string, OpenFile>();

  /** @param folders asked when a path has not the right file */
  constructor(files: Files, folders: SymbolFiles, cpuType: number) {
    this.#files = files;
    this.#folders = folders;
    this.#cpuType = cpuType;
  }

  /** Finds the binary with a UUID. */
  find(path: string, uuid: string): Found {
    let other: string | null = null;
    const at = this.#images(path);
    const right = at.find(({ image }) => image.uuid === uuid);
    if (right !== undefined) return { binary: right, other };
    other = at[0]?.image.uuid ?? null;
    const indexed = this.#folders.find(uuid).find(({ kind, cpuType }) =>
      kind === "binary" && cpuType === this.#cpuType
    );
    if (indexed === undefined) return { binary: null, other };
    const binary = this.#images(indexed.path).find(({ image }) => image.uuid === uuid);
    return { binary: binary ?? null, other };
  }

  /** The images in a file. */
  #images(path: string): Binary[] {
    if (path === "") return [];
    let size: number;
    try {
      size = this.#use(path).size;
    } catch {
      return []; // there is none, or it may not be read: the same to a core
    }
    const file: ByteSource = {
      name: path,
      size,
      read: (offset, length, into) => this.#use(path).read(offset, length, into),
    };
    return [...imagesIn(file)].filter(({ image }) => isBinary(image, this.#cpuType));
  }

  /** Opens a file if it is not open. */
  #use(path: string): OpenFile {
    let file = this.#open.get(path);
    this.#open.delete(path);
    file ??= this.#files.open(path);
    this.#open.set(path, file);
    if (this.#open.size > MAX_OPEN) {
      const [oldest, unused] = this.#open.entries().next().value!;
      this.#open.delete(oldest);
      unused[Symbol.dispose]();
    }
    return file;
  }

  /** Closes all files. */
  [Symbol.dispose](): void {
    for (const file of this.#open.values()) file[Symbol.dispose]();
    this.#open.clear();
  }
}

/** A dSYM has the UUID of its binary, but not its bytes. */
function isBinary({ fileType, cpuType }: Image, wanted: number): boolean {
  return cpuType === wanted && fileType !== FILE_TYPE.MH_DSYM && fileType !== FILE_TYPE.MH_CORE;
}
