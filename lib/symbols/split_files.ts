/** The files that `-gsplit-dwarf` leaves beside the linked one: a `.dwo` for each unit, or all of them in one
 * package, a `.dwp`. */

import { DwarfInfo, DwarfSections, type SplitUnit } from "../dwarf/mod.ts";
import { readElf, splitPlaces } from "../elf/mod.ts";
import type { RawText } from "../escape.ts";
import { FormatError } from "../errors.ts";
import type { FileSystem, OpenFile } from "../file_system.ts";
import { log } from "../log.ts";
import type { SymbolFiles } from "./symbol_files.ts";

/** Maximum number of files named in one warning. */
const MAX_NAMES = 5;
/** Maximum number of files that are open at once; the others are opened again when they are read. */
const MAX_OPEN = 64;

/** Where the split files of one linked file are looked for. */
export interface SplitPlaces {
  readonly system: FileSystem;
  readonly symbolFiles: SymbolFiles;
  /** The paths that the linked file has, or had: a package is beside one of them. */
  readonly linked: readonly string[];
  /** The address of offset 0. */
  readonly base: bigint;
}

/** Finds split files. Only the ID decides. */
export class SplitFiles implements Disposable {
  readonly #places: SplitPlaces;
  /** By path; `null` for what is no such file. */
  readonly #files = new Map<string, DwarfInfo | null>();
  readonly #open = new Set<ReopenedFile>();
  readonly #missing = new Set<string>();
  readonly #refused: string[] = [];
  readonly #warnings: string[] = [];

  constructor(places: SplitPlaces) {
    this.#places = places;
  }

  /** What was not found, or could not be read. */
  get warnings(): readonly string[] {
    return [
      ...listed("split debug information is missing, and with it variables and inlined calls:", [
        ...this.#missing,
      ]),
      ...listed("split debug information of another build is not used:", this.#refused),
      ...this.#warnings,
    ];
  }

  /** The file with the entries of a unit; `null` when there is none. */
  find(unit: SplitUnit, linked: DwarfInfo): DwarfInfo | null {
    const { linked: paths, symbolFiles } = this.#places;
    const packages = paths.flatMap((path) => [
      `${path}.dwp`,
      ...symbolFiles.split(`${fileName(path)}.dwp`),
    ]);
    let lacking: string | undefined;
    for (const path of packages) {
      const info = this.#at(path, linked);
      if (info?.splitUnit(unit.id)) return info;
      if (info !== null) lacking ??= path;
    }
    const { name } = unit;
    if (name === null || name === "") return null;
    let refused: string | undefined;
    for (const path of this.#pathsOf(name, unit.directory)) {
      const info = this.#at(path, linked);
      if (info?.splitUnit(unit.id)) return info;
      if (info !== null) refused ??= path;
    }
    if (refused === undefined) {
      const missing = whole(name, unit.directory);
      this.#missing.add(lacking === undefined ? missing : `${missing}, which ${lacking} lacks`);
    } else if (!this.#refused.includes(refused)) this.#refused.push(refused);
    return null;
  }

  /** Where a file may be: where the compiler put it, beside the linked file, and in the user's folders. */
  #pathsOf(name: RawText, directory: RawText | null): Set<string> {
    const { linked, symbolFiles } = this.#places;
    const own = fileName(name);
    const beside = linked.flatMap((path) => {
      const folder = path.slice(0, path.lastIndexOf("/") + 1);
      return name.startsWith("/") ? [`${folder}${own}`] : [`${folder}${name}`, `${folder}${own}`];
    });
    return new Set([whole(name, directory), ...beside, ...symbolFiles.split(own)]);
  }

  #at(path: string, linked: DwarfInfo): DwarfInfo | null {
    let info = this.#files.get(path);
    if (info === undefined) {
      info = this.#read(path, linked);
      this.#files.set(path, info);
    }
    return info;
  }

  #read(path: string, linked: DwarfInfo): DwarfInfo | null {
    log.symbols?.(`looking for split debug information at ${path}`);
    let file: ReopenedFile;
    try {
      file = new ReopenedFile(this.#places.system, path, this.#open);
    } catch {
      return null; // it does not exist or may not be read
    }
    try {
      const sections = DwarfSections.find(
        file,
        splitPlaces(readElf(file)),
        linked.reader.sections,
      );
      if (sections === null) return null;
      const warn = (text: string) => {
        this.#warnings.push(`${path}: ${text}`);
      };
      return DwarfInfo.open(sections, { base: this.#places.base, linked, warn });
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#warnings.push(error.message);
      return null;
    }
  }

  /** Closes the files. */
  [Symbol.dispose](): void {
    for (const file of this.#open) file.close();
  }
}

/** A file that is closed when too many others are open, and opened again when it is read. */
class ReopenedFile {
  readonly name: RawText;
  readonly size: number;
  readonly #system: FileSystem;
  /** All that are open, the one used last at the end. */
  readonly #pool: Set<ReopenedFile>;
  #file: OpenFile | null;

  constructor(system: FileSystem, path: string, pool: Set<ReopenedFile>) {
    this.#system = system;
    this.#pool = pool;
    this.#file = system.files.open(path);
    this.name = path;
    this.size = this.#file.size;
    this.#keep();
  }

  #keep(): void {
    this.#pool.delete(this);
    this.#pool.add(this);
    if (this.#pool.size <= MAX_OPEN) return;
    const [oldest] = this.#pool;
    oldest.close();
  }

  read(offset: number, length: number, into?: Uint8Array): Uint8Array {
    try {
      this.#file ??= this.#system.files.open(this.name);
    } catch {
      return new Uint8Array(); // it was removed
    }
    this.#keep();
    return this.#file.read(offset, length, into);
  }

  close(): void {
    this.#pool.delete(this);
    this.#file?.[Symbol.dispose]();
    this.#file = null;
  }
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function whole(name: RawText, directory: RawText | null): string {
  return name.startsWith("/") || directory === null ? name : `${directory}/${name}`;
}

function listed(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length - MAX_NAMES;
  return [
    `${what} ${names.slice(0, MAX_NAMES).join(", ")}${more > 0 ? `, and ${more} more` : ""}`,
  ];
}
