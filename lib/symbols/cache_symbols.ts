/** Names of the shared cache's local functions, from the cache's files. */

import { FormatError } from "../errors.ts";
import type { Files, OpenFile } from "../file_system.ts";
import { log } from "../log.ts";
import { type Image, isSharedCache, SharedCacheSymbols } from "../macho/walking.ts";
import type { SymbolFiles } from "./symbol_files.ts";

/** Where systems keep the cache: macOS 13 and later, macOS 11 and 12, iOS 16 and later, iOS before. */
const systemFolders = [
  "/System/Volumes/Preboot/Cryptexes/OS/System/Library/dyld",
  "/System/Library/dyld",
  "/private/preboot/Cryptexes/OS/System/Library/Caches/com.apple.dyld",
  "/System/Library/Caches/com.apple.dyld",
];

/** The shared caches of which files are at hand, found when the first image of a cache needs one. */
export class CacheSymbols implements Disposable {
  readonly #files: Files;
  readonly #symbolFiles: SymbolFiles;
  readonly #opened: OpenFile[] = [];
  #done = new WeakSet<Image>();
  #caches: SharedCacheSymbols[] | undefined;

  /** Opens nothing yet.
   *
   * @param symbolFiles the folders that the user named; they come before the system's
   */
  constructor(files: Files, symbolFiles: SymbolFiles) {
    this.#files = files;
    this.#symbolFiles = symbolFiles;
  }

  /** Adds the local symbols of an image of the shared cache to it, the first time.
   *
   * @returns whether there are any
   */
  addTo(image: Image): boolean {
    if (!image.inSharedCache || image.uuid === null || this.#done.has(image)) return false;
    this.#done.add(image);
    this.#caches ??= this.#find();
    for (const cache of this.#caches) {
      const columns = cache.columns(image.uuid);
      if (columns === null) continue;
      log.symbols?.(
        `${columns.count} local symbols of ${image.name} are in the shared cache's files`,
      );
      image.addLocalSymbols(columns);
      return true;
    }
    return false;
  }

  /** Searches again where nothing was found. */
  forget(): void {
    if (this.#caches?.length !== 0) return;
    this.#caches = undefined;
    this.#done = new WeakSet();
  }

  #find(): SharedCacheSymbols[] {
    const found: SharedCacheSymbols[] = [];
    const paths = [
      ...this.#symbolFiles.sharedCaches,
      ...systemFolders.flatMap((folder) => [...this.#files.walk(folder)]),
    ];
    // A cache and its symbols have names of one beginning; the UUID decides.
    const symbolPaths = paths.filter((path) => path.endsWith(".symbols"));
    for (const path of paths) {
      if (path.endsWith(".symbols")) continue;
      const cache = this.#open(path);
      if (cache === undefined) continue;
      const opened = [undefined, ...symbolPaths].some((symbols) => {
        try {
          if (symbols === undefined) return cache.open();
          const file = this.#keep(symbols);
          return file !== undefined && cache.open(file);
        } catch (error) {
          log.symbols?.(`${symbols ?? path}: ${(error as Error).message}`);
          return false;
        }
      });
      if (opened) found.push(cache);
    }
    log.symbols?.(`${found.length} shared caches with local symbols in ${paths.length} files`);
    return found;
  }

  /** The cache that a file begins; `undefined` when it is another of the cache's files. */
  #open(path: string): SharedCacheSymbols | undefined {
    const file = this.#keep(path);
    if (file === undefined || !isSharedCache(file.read(0, 16))) return undefined;
    try {
      return new SharedCacheSymbols(file);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      log.symbols?.(error.message);
      return undefined;
    }
  }

  /** Opens a file until this is disposed; `undefined` when it may not be read. */
  #keep(path: string): OpenFile | undefined {
    try {
      const file = this.#files.open(path);
      this.#opened.push(file);
      return file;
    } catch (error) {
      log.symbols?.(`${path}: ${(error as Error).message}`);
      return undefined;
    }
  }

  [Symbol.dispose](): void {
    for (const file of this.#opened.splice(0)) file[Symbol.dispose]();
    this.#caches = [];
  }
}
