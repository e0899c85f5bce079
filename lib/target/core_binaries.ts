import { FormatError, MemoryReadError } from "../errors.ts";
import { type ByteSource, FILE_TYPE, Image, MAGIC, type MemoryReader } from "../macho/mod.ts";
import type { Files, OpenFile } from "./files.ts";

/** One architecture's image in a file that is open. */
export interface Binary {
  /** From its Mach-O header on. */
  readonly bytes: ByteSource;
  /** With its header at 0. */
  readonly image: Image;
}

/** More than the header of any universal file. */
const FAT_HEADER = 4096;
const MAX_SLICES = 32;
/** So many files are kept open. */
const MAX_OPEN = 64;

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

/** The images in a file. Only headers are read.
 *
 * @param file whose name is the path
 */
function* imagesIn(file: ByteSource): Generator<Binary> {
  const head = file.read(0, FAT_HEADER);
  if (head.length < 32) return;
  const magic = new DataView(head.buffer, head.byteOffset, 4).getUint32(0, false);
  const isFat = magic === MAGIC.FAT_MAGIC || magic === MAGIC.FAT_MAGIC_64;
  const isThin = magic === MAGIC.MH_CIGAM || magic === MAGIC.MH_CIGAM_64;
  if (!isFat && !isThin) return;
  for (const { offset, size } of isFat ? slicesOf(head, file) : [{ offset: 0, size: file.size }]) {
    const bytes: ByteSource = {
      name: file.name,
      size,
      read: (at, length) =>
        at >= size ? new Uint8Array() : file.read(offset + at, Math.min(length, size - at)),
    };
    try {
      yield { bytes, image: imageOf(bytes, 0n, file.name) };
    } catch (error) {
      if (!(error instanceof FormatError || error instanceof MemoryReadError)) throw error;
    }
  }
}

/** The slices of a universal file of which only the start was read: the parser drops what begins
 * beyond the bytes it is given. */
function slicesOf(head: Uint8Array, file: ByteSource): { offset: number; size: number }[] {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const is64 = view.getUint32(0, false) === MAGIC.FAT_MAGIC_64;
  const entrySize = is64 ? 32 : 20;
  const slices: { offset: number; size: number }[] = [];
  const end = 8 + Math.min(view.getUint32(4, false), MAX_SLICES) * entrySize;
  for (let at = 8; at + entrySize <= Math.min(end, head.length); at += entrySize) {
    const offset = is64 ? Number(view.getBigUint64(at + 8, false)) : view.getUint32(at + 8, false);
    const size = is64 ? Number(view.getBigUint64(at + 16, false)) : view.getUint32(at + 12, false);
    if (offset < file.size) slices.push({ offset, size: Math.min(size, file.size - offset) });
  }
  return slices;
}

/** What a search for a binary ended with. */
export interface Found {
  /** `null` when there is none with that UUID. */
  readonly binary: Binary | null;
  /** The UUID of the file at the path, when that is another one. */
  readonly other: string | null;
}

/** Finds the binaries of images: at their paths, or in folders by their UUIDs. */
export class Binaries implements Disposable {
  readonly #files: Files;
  readonly #folders: readonly string[];
  readonly #cpuType: number;
  /** Paths by UUID; made when first needed. */
  #index: ReadonlyMap<string, string> | undefined;
  /** By path, the one used last at the end. */
  readonly #open = new Map<string, OpenFile>();

  /** @param folders searched, with all below them, when a path has not the right file */
  constructor(files: Files, folders: readonly string[], cpuType: number) {
    this.#files = files;
    this.#folders = folders;
    this.#cpuType = cpuType;
  }

  /** The binary with that UUID. */
  find(path: string, uuid: string): Found {
    let other: string | null = null;
    const at = this.#images(path);
    const right = at.find(({ image }) => image.uuid === uuid);
    if (right !== undefined) return { binary: right, other };
    other = at[0]?.image.uuid ?? null;
    this.#index ??= this.#makeIndex();
    const indexed = this.#index.get(uuid);
    if (indexed === undefined) return { binary: null, other };
    const binary = this.#images(indexed).find(({ image }) => image.uuid === uuid);
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
      read: (offset, length) => this.#use(path).read(offset, length),
    };
    return [...imagesIn(file)].filter(({ image }) => isBinary(image, this.#cpuType));
  }

  /** Opens a file, unless it is. */
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

  #makeIndex(): ReadonlyMap<string, string> {
    const index = new Map<string, string>();
    for (const folder of this.#folders) {
      for (const path of this.#files.walk(folder)) {
        for (const { image: { uuid } } of this.#images(path)) {
          if (uuid !== null && !index.has(uuid)) index.set(uuid, path);
        }
      }
    }
    return index;
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
