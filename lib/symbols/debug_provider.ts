/** Source positions of a target's images, from wherever there is debug information. */

import { FormatError } from "../errors.ts";
import {
  Image,
  type LoadedImage,
  type Symbol as ImageSymbol,
  type SymbolMatch,
} from "../macho/walking.ts";
import type { DebugSection, MissingSymbols, SourceFrame, SymbolFiles } from "../target/mod.ts";
import type { DebugInfo } from "./debug_info.ts";
import { DebugFinder, type FinderOptions, type FoundDebug } from "./finder.ts";
import { MstFile } from "./mst/mst_file.ts";
import type { SourceProvider } from "./source.ts";
import { isSystemPath } from "./system_image.ts";

const noFrames: readonly SourceFrame[] = [];

/** So many warnings of one image are told. */
const MAX_REASONS = 20;

/** Finds the debug information of an image when an address in it is first asked about, and keeps it open
 * until it is disposed.
 *
 * @example
 * ```ts
 * import { DebugProvider, type Files, Image, SymbolFiles, Symbolizer } from "@machpause/machpause";
 *
 * declare const files: Files; // the file system
 * const image = Image.fromSource(files.open("demo"));
 * const symbolFiles = new SymbolFiles(files, ["./symbols"]);
 * using provider = new DebugProvider({ files, symbolFiles });
 * console.log(new Symbolizer([image], provider).resolve(image.loadAddress + 0x720n).source);
 * ```
 */
export class DebugProvider implements SourceProvider, Disposable {
  readonly #finder: DebugFinder;
  readonly #symbolFiles: SymbolFiles;
  readonly #found = new Map<LoadedImage, FoundDebug>();
  readonly #files = new Map<LoadedImage, Image | null>();
  readonly #primed = new Map<LoadedImage, ReadonlyMap<number, readonly SourceFrame[]>>();
  #disposed = false;

  /** Nothing is looked for yet. */
  constructor(options: FinderOptions) {
    this.#finder = new DebugFinder(options);
    this.#symbolFiles = options.symbolFiles;
  }

  /** The functions at an address; see {@linkcode SourceProvider}. */
  framesAt(image: LoadedImage, address: bigint): readonly SourceFrame[] {
    const offset = Number(address - image.loadAddress);
    const primed = this.#primed.get(image)?.get(offset);
    if (primed !== undefined) return primed;
    const { info, reasons } = this.#of(image);
    try {
      return info?.framesAt(offset) ?? noFrames;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      if (!reasons.includes(error.message)) reasons.push(error.message);
      return noFrames;
    }
  }

  /** Takes what is known already of some offsets in an image, in place of what was taken before. */
  prime(
    image: LoadedImage,
    offsets: ArrayLike<number>,
    frames: readonly (readonly SourceFrame[])[],
  ): void {
    this.#primed.set(image, new Map(frames.map((found, index) => [offsets[index], found])));
  }

  /** The debug information of an image; `null` when there is none. */
  debugInfo(image: LoadedImage): DebugInfo | null {
    return this.#of(image).info;
  }

  /** The symbol of a dSYM, or of the file of an image that is not in memory; of a table the function's
   * start alone. */
  symbolAt(image: LoadedImage, address: bigint): SymbolMatch | null {
    const { info } = this.#of(image);
    if (info instanceof MstFile) {
      const offset = Number(address - image.loadAddress);
      const start = info.functionAt(offset)?.start;
      return start === undefined ? null : { symbol: null, offset: offset - start };
    }
    const match = this.#file(image)?.symbolAt(address) ?? null;
    if (match === null || match.symbol === null) return null;
    // A dSYM does not have the function starts, which may tell that the symbol is a neighbour's.
    const known = image.symbolAt(address);
    return known !== null && known.offset < match.offset ? null : match;
  }

  /** The symbols of that name in a dSYM that was found already. */
  findSymbols(image: LoadedImage, name: string): readonly ImageSymbol[] {
    return this.#found.has(image) ? this.#file(image)?.findSymbols(name) ?? [] : [];
  }

  /** A section of the `__DWARF` segment; see {@linkcode SourceProvider}. */
  debugSection(image: LoadedImage, name: string): DebugSection | null {
    const { bytes: file } = this.#of(image);
    for (const { sections } of file === null ? [] : this.#file(image)?.segments ?? []) {
      for (const section of sections) {
        if (section.segmentName !== "__DWARF" || section.name !== name) continue;
        const bytes = file!.read(section.fileOffset, section.size);
        return { bytes, address: section.address, slide: image.slide };
      }
    }
    return null;
  }

  /** Looks in more folders too, for what has not been found. */
  addFolders(folders: readonly string[]): void {
    this.#symbolFiles.add(folders);
    for (const [image, { info, reasons }] of this.#found) {
      if (info === null || reasons.length > 0 || info.warnings.length > 0) {
        this.#found.delete(image);
        this.#files.delete(image);
      }
    }
  }

  /** The images asked about so far whose debug information is missing: all that are not the system's, and
   * those of which something was found that could not be used. */
  get missing(): readonly MissingSymbols[] {
    const missing: MissingSymbols[] = [];
    for (const [image, { info, reasons: refused }] of this.#found) {
      const { path, uuid } = image;
      const reasons = [...refused, ...info?.warnings ?? []].slice(0, MAX_REASONS);
      // Of an image that is neither in a core nor on the disk, more than this is missing.
      const lacking = info === null && uuid !== null && image instanceof Image &&
        !isSystemPath(path);
      if (lacking || reasons.length > 0) {
        missing.push({ path, uuid, found: info?.path ?? null, reasons });
      }
    }
    return missing;
  }

  /** The dSYM, or the image's own file, where the image is. */
  #file(image: LoadedImage): Image | null {
    let file = this.#files.get(image);
    if (file === undefined) {
      const { bytes } = this.#of(image);
      const { loadAddress } = image;
      file = bytes === null ? null : Image.fromSource(bytes, { loadAddress });
      this.#files.set(image, file);
    }
    return file;
  }

  #of(image: LoadedImage): FoundDebug {
    let found = this.#found.get(image);
    if (found === undefined) {
      // Files of another kind, such as the libraries of Linux, are not searched for.
      found = !this.#disposed && (image instanceof Image || image.uuid !== null)
        ? this.#finder.find(image)
        : { info: null, bytes: null, reasons: [] };
      this.#found.set(image, found);
    }
    return found;
  }

  /** Closes all files: it knows nothing any more. */
  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#finder[Symbol.dispose]();
    this.#found.clear();
    this.#files.clear();
    this.#primed.clear();
  }
}
