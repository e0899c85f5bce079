/** Debug information of a target's images, wherever it is. */

import type { SourceFrame } from "../dwarf/mod.ts";
import { FormatError } from "../errors.ts";
import type { FileSystem } from "../file_system.ts";
import { ElfImage } from "../elf/mod.ts";
import {
  type CodeImage,
  Image,
  type ImageSymbol,
  type LoadedImage,
  type SymbolMatch,
} from "../macho/walking.ts";
import type { DebugSection, MissingSymbols } from "./address_info.ts";
import { CacheSymbols } from "./cache_symbols.ts";
import type { DebugInfo, DwarfPlace } from "./debug_info.ts";
import { DebugFinder, type FoundDebug } from "./finder.ts";
import { MstFile } from "./mst/mst_file.ts";
import { OpenedDwarf } from "./open_dwarf.ts";
import type { SymbolFiles } from "./symbol_files.ts";
import { isSystemPath } from "./system_image.ts";

const noFrames: readonly SourceFrame[] = [];

/** Maximum number of reasons reported for one image. */
const MAX_REASONS = 20;

/** No two providers, and no two states of one, have the same. */
let generations = 0;

/** Finds the debug information of an image at the first lookup in it, and keeps it open until it is
 * disposed.
 *
 * @example
 * ```ts
 * import { DebugProvider, type FileSystem, SymbolFiles, Symbolizer } from "@machpause/machpause/symbols";
 * import { Image } from "@machpause/machpause/macho";
 *
 * declare const system: FileSystem;
 * const image = Image.fromSource(system.files.open("demo"));
 * using debug = new DebugProvider(system, new SymbolFiles(system.files, ["./symbols"]));
 * console.log(new Symbolizer([image], debug).resolve(image.loadAddress + 0x720n).source);
 * ```
 */
export class DebugProvider implements Disposable {
  readonly #finder: DebugFinder;
  readonly #symbolFiles: SymbolFiles;
  readonly #caches: CacheSymbols;
  readonly #found = new Map<LoadedImage, FoundDebug>();
  /** DWARF of images for which a symbol table file was found. */
  readonly #besideTable = new Map<LoadedImage, DebugInfo | null>();
  readonly #files = new Map<LoadedImage, CodeImage | null>();
  readonly #primed = new Map<LoadedImage, ReadonlyMap<number, readonly SourceFrame[]>>();
  #generation = ++generations;
  #disposed = false;

  /** Searches nothing yet.
   *
   * @param symbolFiles the folders that the user named
   */
  constructor(system: FileSystem, symbolFiles: SymbolFiles) {
    this.#finder = new DebugFinder(system, symbolFiles);
    this.#symbolFiles = symbolFiles;
    this.#caches = new CacheSymbols(system.files, symbolFiles);
  }

  /** Changes when more may be found than before. A failed lookup may be remembered until then. */
  get generation(): number {
    return this.#generation;
  }

  /** The images that lookups will be about, in place of those before: when one needs the system's index of
   * dSYMs, all of them are asked for at once. */
  expect(images: readonly LoadedImage[]): void {
    this.#finder.located.expect(images);
  }

  /** Asks the system's index for the images that are expected: before the target is paused, so that no
   * lookup asks while it is. */
  locate(): void {
    this.#finder.located.ask();
  }

  /** The functions at an address, innermost first; empty when none is known.
   *
   * @param image that holds the address
   * @param address slid
   */
  framesAt(image: LoadedImage, address: bigint): readonly SourceFrame[] {
    const offset = Number(address - image.loadAddress);
    return this.#primed.get(image)?.get(offset) ??
      this.#ask(image, (info) => info.framesAt(offset)) ?? noFrames;
  }

  /** The number of calls that are inlined at an address, one into the other. Where it can, it reads neither
   * names nor lines.
   *
   * @param image that holds the address
   * @param address slid
   */
  inlineCountAt(image: LoadedImage, address: bigint): number {
    const offset = Number(address - image.loadAddress);
    const primed = this.#primed.get(image)?.get(offset);
    const count = primed === undefined
      ? this.#ask(image, (info) => info.inlineCountAt?.(offset))
      : undefined;
    return count ?? Math.max(0, this.framesAt(image, address).length - 1);
  }

  /** Looks something up in an image's debug information; `undefined` where there is none, or it is damaged. */
  #ask<T>(image: LoadedImage, look: (info: DebugInfo) => T): T | undefined {
    const { info, reasons } = this.#of(image);
    try {
      return info === null ? undefined : look(info);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      const reason = error.message;
      if (!reasons.includes(reason)) reasons.push(reason);
      return undefined;
    }
  }

  /** Takes frames that were looked up elsewhere, in place of those taken before. */
  prime(
    image: LoadedImage,
    offsets: ArrayLike<number>,
    frames: readonly (readonly SourceFrame[])[],
  ): void {
    this.#primed.set(image, new Map(frames.map((found, index) => [offsets[index], found])));
  }

  /** The DWARF of the code at an address; `null` when there is none.
   *
   * @param image that holds the address
   * @param address slid
   * @ignore
   */
  dwarfAt(image: LoadedImage, address: bigint): DwarfPlace | null {
    return this.#withDwarf(image)?.dwarfAt(Number(address - image.loadAddress)) ?? null;
  }

  /** All DWARF of an image: one place for each file that it is in.
   *
   * @ignore
   */
  dwarfOf(image: LoadedImage): Iterable<DwarfPlace> {
    return this.#withDwarf(image)?.dwarf() ?? [];
  }

  /** The debug information of an image, not as a table; `null` when there is none. */
  #withDwarf(image: LoadedImage): DebugInfo | null {
    const { info } = this.#of(image);
    if (!(info instanceof MstFile)) return info;
    let dwarf = this.#besideTable.get(image);
    if (dwarf === undefined) {
      dwarf = this.#finder.findDwarf(image);
      this.#besideTable.set(image, dwarf);
    }
    return dwarf;
  }

  /** The debug information of an image; `null` when there is none. */
  debugInfo(image: LoadedImage): DebugInfo | null {
    return this.#of(image).info;
  }

  /** The symbol at an address by the image's dSYM or its own file, for an image that is stripped or not in
   * memory; `null` when there is none. A symbol table file gives only the function's start. */
  symbolAt(image: LoadedImage, address: bigint): SymbolMatch | null {
    if (image instanceof Image && this.#caches.addTo(image)) {
      const match = image.symbolAt(address);
      if (match?.symbol) return match;
    }
    const { info } = this.#of(image);
    if (info instanceof MstFile) {
      const offset = Number(address - image.loadAddress);
      const start = info.functionAt(offset)?.start;
      return start === undefined ? null : { symbol: null, offset: offset - start, size: null };
    }
    const match = this.#file(image)?.symbolAt(address) ?? null;
    if (match === null || match.symbol === null) return null;
    // A dSYM has no function starts. The image's may show that the symbol is that of a neighbour.
    const known = image.symbolAt(address);
    return known !== null && known.offset < match.offset ? null : match;
  }

  /** The symbols with that name in the image's dSYM, if one was found already. */
  findSymbols(image: LoadedImage, name: string): readonly ImageSymbol[] {
    return this.#found.has(image) ? this.#file(image)?.findSymbols(name) ?? [] : [];
  }

  /** All symbols of an image: its own, and those that only its debug information has. */
  *symbolsOf(image: LoadedImage): Generator<ImageSymbol> {
    const own = symbolsIn(image);
    yield* own;
    const other = this.#file(image);
    if (other === null) return;
    const known = new Set<string>();
    // In a symbol table names have their versions, in the dynamic one they have not.
    const key = ({ name, address }: ImageSymbol) => `${address} ${name.replace(/@.*$/, "")}`;
    for (const symbol of own) known.add(key(symbol));
    for (const symbol of symbolsIn(other)) if (!known.has(key(symbol))) yield symbol;
  }

  /** A section of the `__DWARF` segment, such as `__debug_frame`; `null` when none is found. */
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

  /** Searches more folders for the debug information that is missing or incomplete. */
  addFolders(folders: readonly string[]): void {
    this.#symbolFiles.add(folders);
    this.#caches.forget();
    this.#generation = ++generations;
    for (const [image, { info, reasons }] of this.#found) {
      const complete = info instanceof OpenedDwarf && reasons.length === 0 &&
        info.warnings.length === 0;
      if (complete) continue;
      this.#found.delete(image);
      this.#files.delete(image);
      this.#besideTable.delete(image);
    }
  }

  /** The images looked up so far whose debug information is missing or incomplete. The system's images
   * are among them only when something was found that could not be used. */
  get missing(): readonly MissingSymbols[] {
    const missing: MissingSymbols[] = [];
    for (const [image, { info, reasons: refused }] of this.#found) {
      const { path, uuid } = image;
      const reasons = [...refused, ...info?.warnings ?? []].slice(0, MAX_REASONS);
      // An image that is neither in a core nor on the disk lacks more than its debug information.
      const lacking = info === null && uuid !== null && image instanceof Image &&
        !isSystemPath(path);
      if (lacking || reasons.length > 0) {
        missing.push({ path: path, uuid, found: info?.path ?? null, reasons });
      }
    }
    return missing;
  }

  /** The dSYM or the image's own file, placed where the image is. */
  #file(image: LoadedImage): CodeImage | null {
    let file = this.#files.get(image);
    if (file === undefined) {
      const { bytes } = this.#of(image);
      const { loadAddress } = image;
      file = bytes === null
        ? null
        : image instanceof ElfImage
        ? ElfImage.fromSource(bytes, loadAddress)
        : Image.fromSource(bytes, { loadAddress });
      this.#files.set(image, file);
    }
    return file;
  }

  #of(image: LoadedImage): FoundDebug {
    let found = this.#found.get(image);
    if (found === undefined) {
      // Of a mapped file that is no image only the place is known.
      const isImage = image instanceof Image || image instanceof ElfImage || image.uuid !== null;
      found = !this.#disposed && isImage
        ? this.#finder.find(image)
        : { info: null, bytes: null, reasons: [] };
      this.#found.set(image, found);
    }
    return found;
  }

  /** Closes all files. */
  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#finder[Symbol.dispose]();
    this.#caches[Symbol.dispose]();
    this.#found.clear();
    this.#files.clear();
    this.#besideTable.clear();
    this.#primed.clear();
  }
}

function symbolsIn(image: LoadedImage): Iterable<ImageSymbol> {
  return (image as { readonly symbols?: Iterable<ImageSymbol> }).symbols ?? [];
}
