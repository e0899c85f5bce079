/** The modules that a symbol server knows: binaries, dSYMs, symbol table files and ELF files in its folders. */

import { type ArchName, archOfCpuType } from "../arch/mod.ts";
import { FormatError, MemoryReadError } from "../errors.ts";
import type { FileSystem, OpenFile } from "../file_system.ts";
import { log } from "../log.ts";
import { archOfMachine, ElfImage, readElf } from "../elf/mod.ts";
import { type CodeImage, Image } from "../macho/mod.ts";
import {
  type AddressInfo,
  DebugProvider,
  type ElfSymbolFile,
  imagesIn,
  openImages,
  type SymbolFile,
  SymbolFiles,
  Symbolizer,
} from "../symbols/mod.ts";

/** What is known about one module, with its files open. */
export interface Module {
  /** `null` for an architecture that is not supported. */
  readonly arch: ArchName | null;
  /** What is at an offset from the image's base. */
  at(offset: number): AddressInfo;
  /** Bytes of the function or symbol at an offset; `null` when not known. */
  sizeAt(offset: number): number | null;
  /** Code of the binary; fewer bytes at the end of its section, `null` outside of all sections and when
   * there is no binary. */
  code(offset: number, length: number): Uint8Array | null;
  /** The address in the file of offset 0. */
  readonly base: bigint;
}

/** Only what is below some folders. What a file names elsewhere, such as the object files of a debug map,
 * is not opened. */
export function confined({ files }: FileSystem, folders: readonly string[]): FileSystem {
  const roots = folders.map((folder) => folder.replace(/\/+$/, "") || "/");
  const isInside = (path: string): boolean =>
    roots.some((root) => {
      if (path === root) return true;
      const prefix = root === "/" ? root : `${root}/`;
      return path.startsWith(prefix) && !path.slice(prefix.length).split("/").includes("..");
    });
  return {
    files: {
      open(path) {
        if (!isInside(path)) throw new Error(`${path} is in none of the folders`);
        return files.open(path);
      },
      create(path) {
        throw new Error(`${path} is not written: the folders are only read`);
      },
      walk: (path) => isInside(path) ? files.walk(path) : [],
    },
  };
}

/** Answers are not remembered: a response has each address once. */
class ModuleSymbolizer extends Symbolizer {
  override resolve(address: bigint): AddressInfo {
    return this.look(address);
  }
}

/** Minimum time between two searches of the folders, in milliseconds. */
const SEARCH_EVERY = 60_000;

/** The files with something about one module. */
interface Files {
  readonly machO: readonly SymbolFile[];
  readonly elf: readonly ElfSymbolFile[];
}

/** Finds modules by identifier and keeps the files of the last ones open. */
export class Modules implements Disposable {
  readonly #system: FileSystem;
  readonly #files: SymbolFiles;
  readonly #limit: number;
  /** Those used last at the end. */
  readonly #open = new Map<string, { readonly module: Module; close(): void }>();
  #searched = -Infinity;
  #took = 0;

  /** @param limit of modules whose files are open */
  constructor(system: FileSystem, folders: readonly string[], limit: number) {
    this.#system = confined(system, folders);
    this.#files = new SymbolFiles(this.#system.files, folders);
    this.#limit = limit;
  }

  /** The module with a UUID, an ELF file's debug ID or its build ID; `null` when none of the files has it. Files
   * that came since the last search are found after a minute. */
  find(id: string): Module | null {
    const known = this.#open.get(id);
    if (known !== undefined) {
      this.#open.delete(id);
      this.#open.set(id, known);
      return known.module;
    }
    const opened = this.#openBest(this.#search(id));
    if (opened === null) return null;
    this.#open.set(id, opened);
    for (const [oldest, { close }] of this.#open) {
      if (this.#open.size <= this.#limit) break;
      this.#open.delete(oldest);
      close();
    }
    return opened.module;
  }

  #find(id: string): Files {
    return { machO: this.#files.find(id), elf: this.#files.elf(id) };
  }

  #search(id: string): Files {
    const now = performance.now();
    // A search of many files takes long, and shall not be most of what a server does.
    if (now - this.#searched < Math.max(SEARCH_EVERY, 20 * this.#took)) return this.#find(id);
    const known = this.#searched < 0 ? { machO: [], elf: [] } : this.#find(id);
    if (known.machO.length + known.elf.length > 0) return known;
    this.#files.add([]);
    const found = this.#find(id);
    this.#searched = performance.now();
    this.#took = this.#searched - now;
    return found;
  }

  /** Opens the binary, which alone has code and the start of every function; else a dSYM or a table. */
  #openBest({ machO, elf }: Files): { readonly module: Module; close(): void } | null {
    const best = (["binary", "dsym", "table"] as const)
      .flatMap((kind) => machO.filter((file) => file.kind === kind));
    for (const file of [...best, ...elf]) {
      try {
        return "kind" in file ? this.#openFile(file) : this.#openElf(file);
      } catch (error) {
        log.symbols?.(`${file.path}: ${error}`);
      }
    }
    return null;
  }

  /** Opens an ELF file. Offsets count from the first page that is loaded, as samply has them. */
  #openElf({ path, hasCode }: ElfSymbolFile): { readonly module: Module; close(): void } {
    const file = this.#system.files.open(path);
    try {
      const arch = archOfMachine(readElf(file)) ?? null;
      const image = ElfImage.fromSource(file);
      const provider = new DebugProvider(this.#system, this.#files);
      return this.#opened({ image, arch, provider, file, hasCode });
    } catch (error) {
      file[Symbol.dispose]();
      throw error;
    }
  }

  #openFile({ path, kind, uuid, cpuType }: SymbolFile): { readonly module: Module; close(): void } {
    const { files } = this.#system;
    const provider = new DebugProvider(this.#system, this.#files);
    const arch = cpuType === null ? null : archOfCpuType(cpuType)?.name ?? null;
    if (kind === "table") {
      const opened = openImages(files, [{ path }]);
      const close = () => {
        provider[Symbol.dispose]();
        opened[Symbol.dispose]();
      };
      const [image] = opened.images;
      const symbolizer = new ModuleSymbolizer([image], provider);
      const at = (offset: number) => symbolizer.resolve(image.loadAddress + BigInt(offset));
      const base = image.loadAddress;
      return { module: { arch, at, sizeAt: () => null, code: () => null, base }, close };
    }
    const file = files.open(path);
    try {
      return this.#openBinary(file, uuid, kind, arch, provider);
    } catch (error) {
      file[Symbol.dispose]();
      throw error;
    }
  }

  #openBinary(
    file: OpenFile,
    uuid: string,
    kind: "binary" | "dsym",
    arch: ArchName | null,
    provider: DebugProvider,
  ): { readonly module: Module; close(): void } {
    const binary = [...imagesIn(file)].find(({ image }) => image.uuid === uuid);
    if (binary === undefined) throw new FormatError(file.name, 0, `an image with the UUID ${uuid}`);
    const image = Image.fromSource(binary.bytes);
    return this.#opened({ image, arch, provider, file, hasCode: kind === "binary" });
  }

  #opened({ image, arch, provider, file, hasCode }: {
    readonly image: Image | ElfImage;
    readonly arch: ArchName | null;
    readonly provider: DebugProvider;
    readonly file: OpenFile;
    readonly hasCode: boolean;
  }): { readonly module: Module; close(): void } {
    const symbolizer = new ModuleSymbolizer([image], provider);
    const base = image.loadAddress;
    return {
      module: {
        arch,
        base,
        at: (offset) => symbolizer.resolve(base + BigInt(offset)),
        sizeAt: (offset) => image.symbolAt(base + BigInt(offset))?.size ?? null,
        code: (offset, length) => hasCode ? codeAt(image, base + BigInt(offset), length) : null,
      },
      close() {
        provider[Symbol.dispose]();
        file[Symbol.dispose]();
      },
    };
  }

  /** Closes all files. */
  [Symbol.dispose](): void {
    for (const { close } of this.#open.values()) close();
    this.#open.clear();
  }
}

/** The bytes of the section at an address, up to its end. */
function codeAt(image: CodeImage, address: bigint, length: number): Uint8Array | null {
  const section = image.sectionAt(address);
  if (section === null) return null;
  const left = Number(section.address - address) + section.size;
  try {
    return image.read(address, Math.min(length, left));
  } catch (error) {
    if (error instanceof MemoryReadError) return null;
    throw error;
  }
}
