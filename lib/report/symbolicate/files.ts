/** The symbols of a report's images, from files: binaries, dSYMs, symbol table files. */

import { type ArchName, archOfCpuType } from "../../arch/mod.ts";
import { FormatError, MemoryReadError } from "../../errors.ts";
import { type ByteSource, DebugMap, Image, type LoadedImage } from "../../macho/mod.ts";
import type { Files, OpenFile } from "../../file_system.ts";
import {
  type AddressInfo,
  type Binary,
  imagesIn,
  type SymbolFiles,
} from "../../symbols/walking.ts";
import { isSystemImage } from "../images.ts";
import { type CodeOrigin, type CodeOrigins, unitOrigins, type UnitSource } from "../origins.ts";
import { type FunctionInfo, imageLookup } from "./lookup.ts";
import type { CrashReport, ReportImage } from "../report.ts";
import type { ImageLookup, ReportSymbols } from "./lookups.ts";

/** Finds debug information. `openReportSymbols` of the main module brings what finds it in files. */
export interface FindDebug {
  /** Finds an image's debug information by its UUID. */
  find(image: LoadedImage): { readonly info: FunctionInfo | null };
}

/** Options of {@linkcode ReportSymbolFiles}. */
export interface ReportSymbolOptions {
  /** Finds functions and lines; without it only symbol names are found. */
  readonly debug?: FindDebug;
  /** Tells whether the files at the paths that a report names may be opened: those are of this machine, and
   * the report is its own. Default: they are not. A report of somebody else could name any file. */
  readonly isLocal?: (report: CrashReport) => boolean;
  /** Opens the DWARF of a dSYM's Mach-O image; without it origins come from the debug map only.
   *
   * @throws FormatError when it has no DWARF
   */
  readonly openDwarf?: (bytes: ByteSource) => { readonly info: UnitSource };
  /** Makes the names readable; without it they stay mangled. */
  readonly demangle?: (name: string) => string;
}

/** Symbols of images found by UUID in folders. Files stay open until it is disposed. Alone it has the names
 * of symbol tables; `openReportSymbols` of the main module makes one that has functions, files and lines too.
 *
 * @example
 * ```ts
 * import { openReportSymbols } from "@machpause/machpause";
 * import { readReport } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * using symbols = openReportSymbols(["./dsyms"]);
 * for (const image of report.images) {
 *   console.log(image.name, symbols.symbolOffset(image, "main")); // in bytes; `null` without its file
 * }
 * ```
 */
export class ReportSymbolFiles implements ReportSymbols, CodeOrigins, Disposable {
  readonly #files: Files;
  readonly #symbolFiles: SymbolFiles;
  readonly #options: ReportSymbolOptions;
  readonly #open: OpenFile[] = [];
  readonly #lookups = new Map<string, ImageLookup | null>();
  readonly #binaries = new Map<string, Binary | null>();
  readonly #origins = new Map<string, (offset: number) => CodeOrigin | null>();
  /** See {@linkcode ReportSymbols.demangle}. */
  readonly demangle: ((name: string) => string) | undefined;

  /** Reads nothing yet.
   *
   * @param symbolFiles the folders to search
   */
  constructor(files: Files, symbolFiles: SymbolFiles, options: ReportSymbolOptions = {}) {
    this.#files = files;
    this.#symbolFiles = symbolFiles;
    this.#options = options;
    this.demangle = options.demangle;
  }

  /** See {@linkcode ReportSymbols.find}. Results are cached across reports.
   *
   * @param report `null` where the image is not of one; then only the folders are searched
   */
  find(image: ReportImage, _arch: ArchName | null, report: CrashReport | null): ImageLookup | null {
    const { uuid } = image;
    if (uuid === null) return null;
    const local = report !== null && (this.#options.isLocal?.(report) ?? false);
    const key = local ? uuid : `${uuid} in folders`;
    let lookup = this.#lookups.get(key);
    if (lookup === undefined) {
      // Misses are dropped when there are too many: system images occur in endless versions.
      if (this.#lookups.size >= MAX_REMEMBERED) this.#forget();
      lookup = this.#find(image, uuid, local);
      this.#lookups.set(key, lookup);
    }
    return lookup;
  }

  #forget(): void {
    for (const [key, lookup] of this.#lookups) if (lookup === null) this.#lookups.delete(key);
  }

  #find(image: ReportImage, uuid: string, local: boolean): ImageLookup | null {
    // System images have no debug information; searching for hundreds of them would be wasted.
    if (this.#symbolFiles.find(uuid).length === 0 && isSystemImage(image)) return null;
    const info = this.#options.debug?.find(loadedImage(image, local)).info ?? null;
    const own = this.#binary(uuid)?.image ?? null;
    return own === null && info === null ? null : remembering(imageLookup(own, info));
  }

  /** The dSYM or binary with a UUID: the first with a supported architecture. */
  #binary(uuid: string): Binary | null {
    let binary = this.#binaries.get(uuid);
    if (binary === undefined) {
      // A dSYM still has the symbols that were stripped from the binary.
      binary = this.#openBinary(uuid, "dsym") ?? this.#openBinary(uuid, "binary");
      this.#binaries.set(uuid, binary);
    }
    return binary;
  }

  #openBinary(uuid: string, wanted: "binary" | "dsym"): Binary | null {
    for (const { path, kind } of this.#symbolFiles.find(uuid)) {
      if (kind !== wanted) continue;
      let file: OpenFile;
      try {
        file = this.#files.open(path);
      } catch {
        continue; // deleted since the search
      }
      for (const { bytes, image } of imagesIn(file)) {
        if (image.uuid !== uuid || archOfCpuType(image.cpuType) === undefined) continue;
        try {
          const binary = { bytes, image: Image.fromSource(bytes) };
          this.#open.push(file);
          return binary;
        } catch (error) {
          if (!(error instanceof FormatError || error instanceof MemoryReadError)) throw error;
        }
      }
      file[Symbol.dispose]();
    }
    return null;
  }

  /** See {@linkcode CodeOrigins.originAt}. Uses the binary's debug map, which names static libraries, or
   * else the dSYM's compile units. */
  originAt(image: ReportImage, offset: number): CodeOrigin | null {
    const { uuid } = image;
    if (uuid === null) return null;
    let origin = this.#origins.get(uuid);
    if (origin === undefined) {
      origin = this.#byMap(uuid) ?? this.#byUnits(uuid) ?? (() => null);
      if (this.#origins.size >= MAX_REMEMBERED) this.#origins.clear();
      this.#origins.set(uuid, origin);
    }
    return origin(offset);
  }

  #byMap(uuid: string): ((offset: number) => CodeOrigin | null) | null {
    const binary = this.#openBinary(uuid, "binary");
    if (binary === null) return null;
    const { bytes, image } = binary;
    const map = DebugMap.read({
      bytes,
      loadCommands: image.loadCommands,
      pointerSize: image.pointerSize,
      linkedAddress: image.loadAddress - image.slide,
    });
    if (map === null) return null;
    return (offset) => {
      const index = map.at(offset);
      if (index < 0) return null;
      const { path, member } = map.objects[map.objectOf[index]];
      const origin = member === null
        ? { archive: null, unit: path }
        : { archive: path, unit: member };
      return origin as CodeOrigin;
    };
  }

  #byUnits(uuid: string): ((offset: number) => CodeOrigin | null) | null {
    const { openDwarf } = this.#options;
    const binary = openDwarf === undefined ? null : this.#openBinary(uuid, "dsym");
    if (openDwarf === undefined || binary === null) return null;
    try {
      return unitOrigins(openDwarf(binary.bytes).info);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return null; // no readable DWARF
    }
  }

  /** Offset of a symbol from the image's load address; `null` when the symbol or the binary is missing. */
  symbolOffset(image: ReportImage, name: string): number | null {
    const binary = image.uuid === null ? null : this.#binary(image.uuid);
    const [symbol] = binary?.image.findSymbols(name) ?? [];
    return symbol === undefined ? null : binary!.image.toOffset(symbol.address);
  }

  /** Link address of an image; `null` without its binary. */
  linkedAddress(image: ReportImage): bigint | null {
    const binary = image.uuid === null ? null : this.#binary(image.uuid);
    return binary === null ? null : binary.image.loadAddress - binary.image.slide;
  }

  /** Closes all files. */
  [Symbol.dispose](): void {
    for (const file of this.#open.splice(0)) file[Symbol.dispose]();
    this.#lookups.clear();
    this.#binaries.clear();
    this.#origins.clear();
  }
}

/** Maximum number of cache entries. */
const MAX_REMEMBERED = 1 << 14;

/** Caches a lookup's results, which many reports share. */
function remembering(lookup: ImageLookup): ImageLookup {
  const places = new Map<number, AddressInfo | null>();
  return {
    at(offset) {
      let place = places.get(offset);
      if (place === undefined) {
        place = lookup.at(offset);
        if (places.size >= MAX_REMEMBERED) places.clear();
        places.set(offset, place);
      }
      return place;
    },
  };
}

/** A report's image in the form that debug information is searched by.
 *
 * @param local whether its path is one of this machine
 */
function loadedImage(image: ReportImage, local: boolean): LoadedImage {
  const path = image.path ?? "";
  return {
    name: path === "" ? image.name : path.slice(path.lastIndexOf("/") + 1),
    path: local ? path : "",
    uuid: image.uuid,
    loadAddress: image.base,
    slide: 0n,
    ranges: [{ start: image.base, end: image.base + image.size }],
    symbolAt: () => null,
    findSymbols: () => [],
  };
}
