/** Where an image's debug information is: a symbol table file, a dSYM, the image's own file, the object
 * files that its debug map names. */

import { FormatError } from "../errors.ts";
import { type ByteSource, DebugMap, FILE_TYPE, Image, type LoadedImage } from "../macho/walking.ts";
import {
  type Binary,
  type Files,
  imagesIn,
  type OpenFile,
  type SymbolFiles,
} from "../target/walking.ts";
import type { DebugInfo } from "./debug_info.ts";
import { DebugMapInfo } from "./debug_map_info.ts";
import { openMst } from "./mst/mst_file.ts";
import { openDwarf } from "./open_dwarf.ts";
import { isSystemPath } from "./system_image.ts";

/** What debug information is found with.
 *
 * @example
 * ```ts
 * import {
 *   DebugProvider,
 *   type Files,
 *   type FinderOptions,
 *   SymbolFiles,
 * } from "@machpause/machpause";
 *
 * declare const files: Files; // the file system
 * const options: FinderOptions = { files, symbolFiles: new SymbolFiles(files, ["./symbols"]) };
 * using provider = new DebugProvider(options);
 * console.log(provider.missing);
 * ```
 */
export interface FinderOptions {
  /** The file system. */
  readonly files: Files;
  /** Folders that the user named. */
  readonly symbolFiles: SymbolFiles;
  /** Paths of dSYMs with a UUID, as the system knows them: Spotlight's, on macOS. */
  readonly locate?: ((uuid: string) => readonly string[]) | undefined;
}

/** What was found of an image. */
export interface FoundDebug {
  /** `null` when there is none. */
  readonly info: DebugInfo | null;
  /** The dSYM, or the image's own file, from its Mach-O header on; `null` when only a table was found. */
  readonly bytes: ByteSource | null;
  /** What was refused or could not be read, in words. */
  readonly reasons: string[];
}

/** A file that was opened, as long as what was found in it is in use. */
interface Opened {
  readonly file: OpenFile;
  readonly images: readonly Binary[];
}

/** Bundles beside which, and not inside which, dSYMs are. */
const bundle = /\.(?:app|framework|appex|bundle|xctest|xpc|kext|plugin|component|dext)$/;

/** The paths where a dSYM of the file at `path` may be: beside it, and beside the bundles it is in. */
export function dsymPaths(path: string): string[] {
  const paths = [`${path}.dSYM`];
  let end = path.lastIndexOf("/");
  while (end > 0) {
    const folder = path.slice(0, end);
    if (bundle.test(folder)) paths.push(`${folder}.dSYM`);
    end = folder.lastIndexOf("/");
  }
  return paths;
}

/** Finds debug information, and keeps open what it found. Matches by UUID alone; only an image without
 * one is matched by its segments, with the file at its own path. */
export class DebugFinder implements Disposable {
  readonly #options: FinderOptions;
  readonly #open: Disposable[] = [];

  constructor(options: FinderOptions) {
    this.#options = options;
  }

  /** Looks for what there is on `image`. */
  find(image: LoadedImage): FoundDebug {
    const reasons: string[] = [];
    const none = { info: null, bytes: null, reasons };
    const { uuid } = image;
    return (uuid === null ? null : this.#findTable(uuid, reasons)) ??
      (uuid === null ? null : this.#findDsym(image, uuid, reasons)) ??
      this.#findInside(image, reasons) ?? none;
  }

  #findTable(uuid: string, reasons: string[]): FoundDebug | null {
    const { symbolFiles, files } = this.#options;
    for (const { path, kind } of symbolFiles.find(uuid)) {
      if (kind !== "table") continue;
      const info = this.#guard(path, reasons, () => openMst(files.open(path)));
      if (info === undefined) continue;
      this.#open.push(info);
      return { info, bytes: null, reasons };
    }
    return null;
  }

  #findDsym(image: LoadedImage, uuid: string, reasons: string[]): FoundDebug | null {
    const { symbolFiles } = this.#options;
    const named = symbolFiles.find(uuid).filter(({ kind }) => kind === "dsym");
    const found = this.#dsymAt(dsymPaths(image.path), uuid, reasons) ??
      this.#dsymAt(named.map(({ path }) => path), uuid, reasons);
    if (found !== null) return found;
    for (const { path, kind, uuid: other } of symbolFiles.named(image.name)) {
      if (kind === "dsym" && other !== uuid) reasons.push(refusal(path, other));
    }
    return null;
  }

  /** The first dSYM of that UUID among the files at and below `paths`. */
  #dsymAt(paths: readonly string[], uuid: string, reasons: string[]): FoundDebug | null {
    for (const root of paths) {
      for (const path of this.#options.files.walk(root)) {
        const opened = this.#openFile(path);
        if (opened === null) continue;
        const dsyms = opened.images.filter(({ image }) => image.fileType === FILE_TYPE.MH_DSYM);
        const right = dsyms.find((dsym) => dsym.image.uuid === uuid);
        const found = right === undefined ? null : this.#dwarf(opened, right, reasons);
        if (found !== null) return found;
        opened.file[Symbol.dispose]();
        if (right === undefined && dsyms.length > 0) {
          reasons.push(refusal(path, dsyms[0].image.uuid));
        }
      }
    }
    return null;
  }

  /** The image's own file: DWARF in it, or the debug map. Between the two the system is asked for a
   * dSYM, which takes it a while. */
  #findInside(image: LoadedImage, reasons: string[]): FoundDebug | null {
    const { symbolFiles, locate } = this.#options;
    const { uuid } = image;
    const system = isSystemPath(image.path);
    const paths = [
      image.path,
      ...uuid === null
        ? []
        : symbolFiles.find(uuid).filter(({ kind }) => kind === "binary").map(({ path }) => path),
    ];
    let binary: Binary | undefined;
    let opened: Opened | null = null;
    for (const path of paths) {
      opened = this.#openFile(path);
      binary = opened?.images.find((candidate) => isSame(candidate.image, image));
      if (binary !== undefined) break;
      opened?.file[Symbol.dispose]();
      opened = null;
    }
    if (opened !== null && binary !== undefined && hasDwarf(binary.image)) {
      const found = this.#dwarf(opened, binary, reasons);
      if (found !== null) return found;
    }
    if (uuid !== null && !system && locate !== undefined) {
      const found = this.#dsymAt(locate(uuid), uuid, reasons);
      if (found !== null) {
        opened?.file[Symbol.dispose]();
        return found;
      }
    }
    if (opened === null || binary === undefined) return null;
    const map = this.#guard(opened.file.name, reasons, () => readMap(binary));
    if (map === undefined || map === null) {
      opened.file[Symbol.dispose]();
      return null;
    }
    this.#open.push(opened.file);
    const info = new DebugMapInfo(map, {
      path: opened.file.name,
      uuid,
      cpuType: binary.image.cpuType,
      files: this.#options.files,
    });
    this.#open.push(info);
    return { info, bytes: binary.bytes, reasons };
  }

  #dwarf({ file }: Opened, { bytes }: Binary, reasons: string[]): FoundDebug | null {
    const info = this.#guard(file.name, reasons, () => openDwarf(bytes));
    if (info === undefined) return null;
    this.#open.push(info, file);
    return { info, bytes, reasons };
  }

  #openFile(path: string): Opened | null {
    if (path === "") return null;
    let file: OpenFile;
    try {
      file = this.#options.files.open(path);
    } catch {
      return null; // there is none, or it may not be read
    }
    const images = [...imagesIn(file)];
    if (images.length > 0) return { file, images };
    file[Symbol.dispose]();
    return null;
  }

  #guard<T>(path: string, reasons: string[], open: () => T): T | undefined {
    try {
      return open();
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      reasons.push(error instanceof FormatError ? text : `${path}: ${text}`);
    }
  }

  /** Closes all that was found. */
  [Symbol.dispose](): void {
    for (const opened of this.#open.splice(0)) opened[Symbol.dispose]();
  }
}

function refusal(path: string, uuid: string | null): string {
  return `${path} is not used: its UUID is ${uuid ?? "missing"}`;
}

/** Whether a file's image is the one that is loaded. */
function isSame(candidate: Image, image: LoadedImage): boolean {
  if (image.uuid !== null) return candidate.uuid === image.uuid;
  if (!(image instanceof Image) || candidate.uuid !== null) return false;
  const shape = ({ segments }: Image): string =>
    segments.map(({ name, vmAddress, size, fileOffset, fileSize }) =>
      [name, vmAddress, size, fileOffset, fileSize].join()
    ).join(";");
  return candidate.cpuType === image.cpuType && shape(candidate) === shape(image);
}

function hasDwarf({ segments }: Image): boolean {
  return segments.some(({ sections }) =>
    sections.some(({ name }) => /^__z?debug_info$/.test(name))
  );
}

function readMap({ bytes, image }: Binary): DebugMap | null {
  return DebugMap.read({
    bytes,
    loadCommands: image.loadCommands,
    pointerSize: image.pointerSize,
    linkedAddress: image.loadAddress - image.slide,
  });
}
