/** Finds an image's debug information: in a symbol table file, a dSYM, the image's own file, or the
 * object files that its debug map names. */

import {
  checksumOf,
  debugLinkName,
  debugPaths,
  type ElfFile,
  ElfImage,
  hasDebugInfo,
  hasNames,
  isSupplementary,
  miniDebugFile,
  readElf,
  supplementaryLink,
} from "../elf/mod.ts";
import type { DwarfInfo } from "../dwarf/mod.ts";
import { FormatError } from "../errors.ts";
import { log } from "../log.ts";
import { type ByteSource, DebugMap, FILE_TYPE, Image, type LoadedImage } from "../macho/walking.ts";
import type { RawText } from "../escape.ts";
import type { FileSystem, OpenFile } from "../file_system.ts";
import { type Binary, imagesIn } from "./binaries.ts";
import type { DebugInfo } from "./debug_info.ts";
import { DebugMapInfo } from "./debug_map_info.ts";
import { openMst } from "./mst/mst_file.ts";
import { openDwarf, openElfDwarf, openSupplementary, type OtherFiles } from "./open_dwarf.ts";
import { LocatedFiles } from "./located_files.ts";
import { SplitFiles } from "./split_files.ts";
import type { SymbolFiles } from "./symbol_files.ts";

/** The debug information found for an image. */
export interface FoundDebug {
  /** `null` when there is none. */
  readonly info: DebugInfo | null;
  /** The dSYM or the image's own file, from its Mach-O header on; `null` when only a table was found. */
  readonly bytes: ByteSource | null;
  /** What was refused or could not be read, and why. */
  readonly reasons: RawText[];
}

/** An open file and the images in it. */
interface Opened {
  readonly file: OpenFile;
  readonly images: readonly Binary[];
}

/** Bundles whose dSYMs are beside them, not inside. */
const bundle = /\.(?:app|framework|appex|bundle|xctest|xpc|kext|plugin|component|dext)$/;

/** The paths at which a dSYM of the file at `path` may be: beside it, and beside the bundles it is in. */
export function dsymPaths(path: string): string[] {
  // An image whose path is not to be looked at has none.
  if (path === "") return [];
  const paths = [`${path}.dSYM`];
  let end = path.lastIndexOf("/");
  while (end > 0) {
    const folder = path.slice(0, end);
    if (bundle.test(folder)) paths.push(`${folder}.dSYM`);
    end = folder.lastIndexOf("/");
  }
  return paths;
}

/** Finds debug information and keeps the files open. Files match by UUID. Only an image without a UUID
 * is matched by its segments, with the file at its own path. */
export class DebugFinder implements Disposable {
  readonly #system: FileSystem;
  readonly #symbolFiles: SymbolFiles;
  readonly #open: Disposable[] = [];
  /** What the system's index knows. */
  readonly located: LocatedFiles;

  /** @param symbolFiles the folders that the user named */
  constructor(system: FileSystem, symbolFiles: SymbolFiles) {
    this.#system = system;
    this.#symbolFiles = symbolFiles;
    this.located = new LocatedFiles(system);
  }

  /** Looks for the DWARF of an image of which a symbol table file was found; `null` when there is none. */
  findDwarf(image: LoadedImage): DebugInfo | null {
    const reasons: RawText[] = [];
    const found = image.uuid === null ? null : this.#findDsym(image, image.uuid, reasons);
    return (found ?? this.#findInside(image, reasons))?.info ?? null;
  }

  /** Looks for the debug information of `image`. */
  find(image: LoadedImage): FoundDebug {
    const reasons: RawText[] = [];
    const { path, uuid } = image;
    log.symbols?.(`${path}: looking for debug information with UUID ${uuid ?? "none"}`);
    const found = image instanceof ElfImage
      ? this.#findElf(image, reasons)
      : this.#find(image, reasons);
    for (const reason of reasons) log.symbols?.(`${path}: ${reason}`);
    log.symbols?.(`${path}: ${found === null ? "nothing found" : `found ${found.info?.path}`}`);
    return found ?? { info: null, bytes: null, reasons };
  }

  #find(image: LoadedImage, reasons: RawText[]): FoundDebug | null {
    const { uuid } = image;
    return (uuid === null ? null : this.#findTable(uuid, reasons)) ??
      (uuid === null ? null : this.#findDsym(image, uuid, reasons)) ??
      this.#findInside(image, reasons);
  }

  /** Looks for an ELF image's DWARF: in its own file, then in the files that its build ID and its debug
   * link name. Where there is none, one that has all symbols will do. */
  #findElf(image: ElfImage, reasons: RawText[]): FoundDebug | null {
    const { elf, file } = image;
    if (elf === null || file === null) return null;
    if (hasDebugInfo(elf)) {
      const info = this.#guard(
        image.path,
        reasons,
        () => openElfDwarf(file, this.#others(image, file, reasons)),
      );
      if (info !== undefined) return { info, bytes: file, reasons };
    }
    const { paths, checksum } = debugPaths(image);
    const named = elf.buildId !== null
      ? this.#symbolFiles.elf(elf.buildId).map(({ path }) => path)
      : checksum !== null
      ? this.#symbolFiles.elfNamed(debugLinkName(image)!)
      : [];
    for (const path of [...named.filter((path) => path !== file.name), ...paths]) {
      log.symbols?.(`looking for debug information at ${path}`);
      let opened: OpenFile;
      try {
        opened = this.#system.files.open(path);
      } catch {
        continue; // it does not exist or may not be read
      }
      this.#open.push(opened);
      const other = this.#guard(path, reasons, () => readElf(opened));
      if (other === undefined) continue;
      if (other.buildId !== elf.buildId) {
        reasons.push(`${path} is not used: its build ID is ${other.buildId ?? "missing"}`);
        continue;
      }
      if (elf.buildId === null && checksumOf(opened) !== checksum) {
        reasons.push(`${path} is not used: its checksum is not that of the debug link`);
        continue;
      }
      // Another copy of the program.
      if (!hasNames(other)) continue;
      const info = hasDebugInfo(other)
        ? this.#guard(
          path,
          reasons,
          () => openElfDwarf(opened, this.#others(image, opened, reasons)),
        ) ?? null
        : null;
      return { info, bytes: opened, reasons };
    }
    const mini = this.#guard(image.path, reasons, () => miniDebugFile(elf, file));
    return mini === undefined ? null : { info: null, bytes: mini, reasons };
  }

  /** Opens what a file with DWARF needs besides. */
  #others({ path }: ElfImage, file: ByteSource, reasons: RawText[]): OtherFiles {
    return {
      supplementary: (elf) => this.#supplementary(elf, file, reasons),
      split: (base) => {
        const split = new SplitFiles({
          ...{ system: this.#system, symbolFiles: this.#symbolFiles, base },
          linked: [...new Set([path, file.name])],
        });
        this.#open.push(split);
        return split;
      },
    };
  }

  /** Opens the file that a file with DWARF shares entries with; `undefined` where there is none. */
  #supplementary(elf: ElfFile, file: ByteSource, reasons: RawText[]): DwarfInfo | undefined {
    const link = supplementaryLink(elf, file);
    if (link === undefined) return undefined;
    const named = this.#symbolFiles.elf(link.id).map(({ path }) => path);
    for (const path of [...named, ...link.paths]) {
      log.symbols?.(`looking for the supplementary file at ${path}`);
      let opened: OpenFile;
      try {
        opened = this.#system.files.open(path);
      } catch {
        continue; // it does not exist or may not be read
      }
      this.#open.push(opened);
      const found = this.#guard(path, reasons, () => {
        const other = readElf(opened);
        return isSupplementary(other, opened, link.id) ? openSupplementary(opened, other) : null;
      });
      if (found) return found;
      if (found === null) reasons.push(`${path} is not used: it is of another build`);
    }
    reasons.push(`names are missing: the supplementary file ${link.paths[0]} is not there`);
    return undefined;
  }

  #findTable(uuid: string, reasons: RawText[]): FoundDebug | null {
    for (const { path, kind } of this.#symbolFiles.find(uuid)) {
      if (kind !== "table") continue;
      const info = this.#guard(path, reasons, () => openMst(this.#system.files.open(path)));
      if (info === undefined) continue;
      this.#open.push(info);
      return { info, bytes: null, reasons };
    }
    return null;
  }

  #findDsym(image: LoadedImage, uuid: string, reasons: RawText[]): FoundDebug | null {
    const symbolFiles = this.#symbolFiles;
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
  #dsymAt(paths: readonly string[], uuid: string, reasons: RawText[]): FoundDebug | null {
    for (const root of paths) {
      log.symbols?.(`looking for a dSYM at ${root}`);
      for (const path of this.#system.files.walk(root)) {
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

  /** Looks in the image's own file: for DWARF, then for the debug map. Between the two the system is
   * asked for a dSYM, which is slow. */
  #findInside(image: LoadedImage, reasons: RawText[]): FoundDebug | null {
    const { uuid } = image;
    const paths = [
      image.path,
      ...uuid === null
        ? []
        : this.#symbolFiles.find(uuid).filter(({ kind }) => kind === "binary").map(({ path }) =>
          path
        ),
    ];
    let binary: Binary | undefined;
    let opened: Opened | null = null;
    for (const path of paths) {
      log.symbols?.(`looking for the image's own file at ${path}`);
      opened = this.#openFile(path);
      binary = opened?.images.find((candidate) => isSame(candidate.image, image));
      if (binary !== undefined) break;
      if (opened !== null) log.symbols?.(`${path} is not the file of that image`);
      opened?.file[Symbol.dispose]();
      opened = null;
    }
    if (opened !== null && binary !== undefined && hasDwarf(binary.image)) {
      const found = this.#dwarf(opened, binary, reasons);
      if (found !== null) return found;
    }
    if (uuid !== null) {
      const found = this.#dsymAt(this.located.find(image), uuid, reasons);
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
    const { files } = this.#system;
    const { name } = opened.file;
    const { cpuType } = binary.image;
    const info = this.#guard(
      name,
      reasons,
      () =>
        new DebugMapInfo(map, {
          ...{ path: name, uuid, cpuType, files },
          symbol: (name) => onlyOffset(binary.image, name),
        }),
    );
    if (info === undefined) {
      opened.file[Symbol.dispose]();
      return null;
    }
    this.#open.push(opened.file, info);
    return { info, bytes: binary.bytes, reasons };
  }

  #dwarf({ file }: Opened, { bytes }: Binary, reasons: RawText[]): FoundDebug | null {
    const info = this.#guard(file.name, reasons, () => openDwarf(bytes));
    if (info === undefined) return null;
    this.#open.push(info, file);
    return { info, bytes, reasons };
  }

  #openFile(path: string): Opened | null {
    if (path === "") return null;
    let file: OpenFile;
    try {
      file = this.#system.files.open(path);
    } catch {
      return null; // it does not exist or may not be read
    }
    const images = [...imagesIn(file)];
    if (images.length > 0) return { file, images };
    file[Symbol.dispose]();
    return null;
  }

  #guard<T>(path: string, reasons: RawText[], open: () => T): T | undefined {
    try {
      return open();
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      reasons.push(error instanceof FormatError ? text : `${path}: ${text}`);
    }
  }

  /** Closes the files of everything that was found. */
  [Symbol.dispose](): void {
    for (const opened of this.#open.splice(0)) opened[Symbol.dispose]();
  }
}

function refusal(path: string, uuid: string | null): RawText {
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

/** The offset of the only symbol with a name; `undefined` when there is none, or several. */
function onlyOffset(image: Image, name: string): number | undefined {
  const addresses = new Set(image.findSymbols(name).map(({ address }) => address));
  const [address] = addresses;
  return addresses.size === 1 ? Number(address - image.loadAddress) : undefined;
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
