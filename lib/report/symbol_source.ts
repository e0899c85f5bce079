/** The symbols of a report's images, from files: binaries, dSYMs, symbol table files. */

import { type ArchName, archOfCpuType } from "../arch/mod.ts";
import { FormatError, MemoryReadError } from "../errors.ts";
import { DebugMap, Image, type LoadedImage } from "../macho/mod.ts";
import {
  type Binary,
  type Files,
  imagesIn,
  type OpenFile,
  type SymbolFiles,
} from "../target/mod.ts";
import type { CodeOrigin, CodeOrigins } from "./attribution.ts";
import { isSystemImage } from "./explain.ts";
import { type FunctionInfo, imageLookup } from "./lookup.ts";
import type { ReportImage } from "./report.ts";
import type { FoundPlace, ImageLookup, ReportSymbols } from "./symbolicate.ts";

/** What finds debug information, as `DebugFinder` of `lib/symbols` does. */
export interface FindDebug {
  /** Looks for what there is on an image, by its UUID. */
  find(image: LoadedImage): { readonly info: FunctionInfo | null };
}

/** Looks for images by UUID in folders, and keeps open what it found. */
export class ReportSymbolFiles implements ReportSymbols, CodeOrigins, Disposable {
  readonly #files: Files;
  readonly #symbolFiles: SymbolFiles;
  readonly #debug: FindDebug | null;
  readonly #open: OpenFile[] = [];
  readonly #lookups = new Map<string, ImageLookup | null>();
  readonly #binaries = new Map<string, Binary | null>();
  readonly #maps = new Map<string, DebugMap | null>();

  /** Nothing is read yet.
   *
   * @param symbolFiles the folders
   * @param debug finds functions and lines; without it names are all that is found
   */
  constructor(files: Files, symbolFiles: SymbolFiles, debug: FindDebug | null = null) {
    this.#files = files;
    this.#symbolFiles = symbolFiles;
    this.#debug = debug;
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
    const info = this.#debug?.find(loadedImage(image)).info ?? null;
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
   * entries name static libraries. */
  originAt(image: ReportImage, offset: number): CodeOrigin | null {
    const { uuid } = image;
    if (uuid === null) return null;
    let map = this.#maps.get(uuid);
    if (map === undefined) {
      map = this.#map(uuid);
      this.#maps.set(uuid, map);
    }
    const index = map?.at(offset) ?? -1;
    if (map === null || index < 0) return null;
    const { path, member } = map.objects[map.objectOf[index]];
    return member === null ? { archive: null, unit: path } : { archive: path, unit: member };
  }

  #map(uuid: string): DebugMap | null {
    const binary = this.#openBinary(uuid, "binary");
    if (binary === null) return null;
    const { bytes, image } = binary;
    return DebugMap.read({
      bytes,
      loadCommands: image.loadCommands,
      pointerSize: image.pointerSize,
      linkedAddress: image.loadAddress - image.slide,
    });
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
    this.#maps.clear();
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
