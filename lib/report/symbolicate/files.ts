/** The symbols of a report's images, from files: binaries, dSYMs, symbol table files. */

import { type ArchName, archOfCpuType } from "../../arch/mod.ts";
import { FormatError, MemoryReadError } from "../../errors.ts";
import { type ByteSource, DebugMap, Image, type LoadedImage } from "../../macho/mod.ts";
import {
  type Binary,
  type Files,
  imagesIn,
  type OpenFile,
  type SymbolFiles,
} from "../../target/mod.ts";
import { isSystemImage } from "../images.ts";
import { type CodeOrigin, type CodeOrigins, unitOrigins, type UnitSource } from "../origins.ts";
import { type FunctionInfo, imageLookup } from "./lookup.ts";
import type { ReportImage } from "../report.ts";
import type { FoundPlace, ImageLookup, ReportSymbols } from "./lookups.ts";

/** What finds debug information, as `DebugFinder` of `lib/symbols` does. */
export interface FindDebug {
  /** Looks for what there is on an image, by its UUID. */
  find(image: LoadedImage): { readonly info: FunctionInfo | null };
}

/** What a {@linkcode ReportSymbolFiles} may use beside symbol tables. */
export interface ReportSymbolOptions {
  /** Finds functions and lines; without it names are all that is found. */
  readonly debug?: FindDebug;
  /** Opens the DWARF of a dSYM, from its Mach-O header on; without it code is told apart by the debug map
   * alone.
   *
   * @throws FormatError when there is none
   */
  readonly openDwarf?: (bytes: ByteSource) => { readonly info: UnitSource };
}

/** Looks for images by UUID in folders, and keeps open what it found.
 *
 * @example
 * ```ts
 * import { crashReports, type Files, SymbolFiles } from "@machpause/machpause";
 *
 * declare const files: Files; // the file system
 * const { readReport, ReportSymbolFiles, symbolicateReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.crash"), "MyApp.crash");
 * using symbols = new ReportSymbolFiles(files, new SymbolFiles(files, ["./symbols"]));
 * console.log(symbolicateReport(report, symbols).report.text);
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

  /** Nothing is read yet.
   *
   * @param symbolFiles the folders
   */
  constructor(files: Files, symbolFiles: SymbolFiles, options: ReportSymbolOptions = {}) {
    this.#files = files;
    this.#symbolFiles = symbolFiles;
    this.#options = options;
  }

  /** See {@linkcode ReportSymbols.find}. The same image of many reports is looked for once. */
  find(image: ReportImage, arch: ArchName | null): ImageLookup | null {
    const { uuid } = image;
    if (uuid === null) return null;
    let lookup = this.#lookups.get(uuid);
    if (lookup === undefined) {
      // The images of systems of which nobody has symbols are without number.
      if (this.#lookups.size >= MAX_REMEMBERED) this.#forget();
      lookup = this.#find(image, uuid, arch);
      this.#lookups.set(uuid, lookup);
    }
    return lookup;
  }

  #forget(): void {
    for (const [uuid, lookup] of this.#lookups) if (lookup === null) this.#lookups.delete(uuid);
  }

  #find(image: ReportImage, uuid: string, _arch: ArchName | null): ImageLookup | null {
    // The system's own files have no debug information, and of hundreds none is worth a search.
    if (this.#symbolFiles.find(uuid).length === 0 && isSystemImage(image)) return null;
    const info = this.#options.debug?.find(loadedImage(image)).info ?? null;
    const own = this.#binary(uuid)?.image ?? null;
    return own === null && info === null ? null : remembering(imageLookup(own, info));
  }

  /** The dSYM or the binary with a UUID: the first whose architecture is known. */
  #binary(uuid: string): Binary | null {
    let binary = this.#binaries.get(uuid);
    if (binary === undefined) {
      // A dSYM has the symbols that were stripped from the binary.
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
        continue; // it is gone meanwhile
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

  /** See {@linkcode CodeOrigins.originAt}: by the debug map that the linker left in the binary, whose
   * entries name static libraries; without one by the compile units of the dSYM. */
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
      return member === null ? { archive: null, unit: path } : { archive: path, unit: member };
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
      return null; // it has no DWARF that can be read
    }
  }

  /** Where a symbol of an image begins, in bytes from its load address; `null` when there is none of that
   * name, or no binary. */
  symbolOffset(image: ReportImage, name: string): number | null {
    const binary = image.uuid === null ? null : this.#binary(image.uuid);
    const [symbol] = binary?.image.findSymbols(name) ?? [];
    return symbol === undefined ? null : binary!.image.toOffset(symbol.address);
  }

  /** The address that an image was linked for; `null` without its binary. */
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

/** So many places of an image are remembered; then all are forgotten. */
const MAX_REMEMBERED = 1 << 14;

/** A lookup whose answers many reports ask for again. */
function remembering(lookup: ImageLookup): ImageLookup {
  const places = new Map<number, FoundPlace | null>();
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

/** A report's image as what is looked for. */
function loadedImage(image: ReportImage): LoadedImage {
  const path = image.path ?? "";
  return {
    name: path === "" ? image.name : path.slice(path.lastIndexOf("/") + 1),
    path,
    uuid: image.uuid,
    loadAddress: image.base,
    slide: 0n,
    ranges: [{ start: image.base, end: image.base + image.size }],
    symbolAt: () => null,
    findSymbols: () => [],
  };
}
