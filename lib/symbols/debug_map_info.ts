/** Debug information that is still in the object files, reached through the debug map. */

import { type ArchName, archOfCpuType } from "../arch/mod.ts";
import type { UnitTable } from "../dwarf/mod.ts";
import {
  type ArchiveMember,
  type ByteSource,
  type DebugMap,
  type DebugMapObject,
  isArchive,
  objectAddresses,
  part,
  readArchive,
  readFat,
} from "../macho/walking.ts";
import type { Files, OpenFile, SourceFrame } from "../target/mod.ts";
import type { DebugInfo } from "./debug_info.ts";
import { type Moves, moveUnit } from "./moved_unit.ts";
import { openDwarf, type OpenedDwarf } from "./open_dwarf.ts";

/** So many object files are kept open. */
const MAX_OPEN = 64;
/** Names of so many object files are in one warning. */
const MAX_NAMES = 5;

const noFrames: readonly SourceFrame[] = [];

/** What a {@linkcode DebugMapInfo} needs beside the map. */
export interface DebugMapOptions {
  /** Of the image's file; its folder is where relative paths begin. Not safe to print raw. */
  readonly path: string;
  readonly uuid: string | null;
  /** `CPU_TYPE_*` of the image. */
  readonly cpuType: number;
  readonly files: Files;
}

/** An object file that is open. */
interface ObjectFile extends Disposable {
  readonly dwarf: OpenedDwarf;
  /** Where the linker's symbols are in it. */
  readonly addresses: ReadonlyMap<string, number>;
}

/** The functions and lines of an image, from its object files. Each is opened when an address of one of
 * its functions is asked for. */
export class DebugMapInfo implements DebugInfo {
  readonly path: string;
  readonly uuid: string | null;
  readonly arch: ArchName;
  readonly #map: DebugMap;
  readonly #options: DebugMapOptions;
  /** By the object's number, the one used last at the end; `null` for what cannot be had. */
  readonly #objects = new Map<number, ObjectFile | null>();
  readonly #missing: string[] = [];
  readonly #warnings: string[] = [];

  constructor(map: DebugMap, options: DebugMapOptions) {
    this.#map = map;
    this.#options = options;
    this.path = options.path;
    this.uuid = options.uuid;
    const arch = archOfCpuType(options.cpuType);
    if (arch === undefined) throw new TypeError(`CPU type 0x${options.cpuType.toString(16)}`);
    this.arch = arch.name;
  }

  get warnings(): readonly string[] {
    const missing = this.#missing;
    if (missing.length === 0) return this.#warnings;
    const names = missing.slice(0, MAX_NAMES).join(", ");
    const more = missing.length - MAX_NAMES;
    return [
      `not there are the object files ${names}${more > 0 ? `, and ${more} more` : ""}`,
      ...this.#warnings,
    ];
  }

  framesAt(offset: number): readonly SourceFrame[] {
    const index = this.#map.at(offset);
    if (index < 0) return noFrames;
    const object = this.#object(this.#map.objectOf[index]);
    const address = object?.addresses.get(this.#map.name(index));
    if (object === null || address === undefined) return noFrames;
    const start = this.#map.starts[index];
    const frames = object.dwarf.framesAt(address + offset - start);
    // Between functions there are lines too, and the linker counts what is there to the one before. A
    // function of assembly has lines alone, from its first byte on.
    const between = offset > start && frames[0]?.function === "" &&
      object.dwarf.framesAt(address)[0]?.function !== "";
    return between ? noFrames : frames;
  }

  /** The units of all object files that can be had, each as it lies in the image. The columns of one
   * are its own. */
  *units(): IterableIterator<UnitTable> {
    const functions: number[][] = this.#map.objects.map(() => []);
    for (let index = 0; index < this.#map.count; index++) {
      functions[this.#map.objectOf[index]].push(index);
    }
    for (const [number, indexes] of functions.entries()) {
      const object = indexes.length === 0 ? null : this.#object(number);
      if (object === null) continue;
      const moves = this.#moves(indexes, object);
      for (const unit of object.dwarf.units()) yield moveUnit(unit, moves);
    }
  }

  #moves(indexes: readonly number[], { addresses }: ObjectFile): Moves {
    const { starts, ends } = this.#map;
    const found = indexes.flatMap((index) => {
      const from = addresses.get(this.#map.name(index));
      return from === undefined
        ? []
        : [{ from, fromEnd: from + ends[index] - starts[index], to: starts[index] }];
    }).sort((a, b) => a.from - b.from);
    // Two names for one function are one stretch.
    const apart = found.filter(({ from }, index) =>
      index === 0 || found[index - 1].fromEnd <= from
    );
    return {
      count: apart.length,
      from: Float64Array.from(apart, ({ from }) => from),
      fromEnd: Float64Array.from(apart, ({ fromEnd }) => fromEnd),
      to: Float64Array.from(apart, ({ to }) => to),
    };
  }

  #object(number: number): ObjectFile | null {
    const known = this.#objects.get(number);
    if (known !== undefined) {
      this.#objects.delete(number);
      this.#objects.set(number, known);
      return known;
    }
    const object = this.#openObject(this.#map.objects[number]);
    this.#objects.set(number, object);
    if (this.#objects.size > MAX_OPEN) {
      for (const [oldest, unused] of this.#objects) {
        if (unused === null) continue;
        this.#objects.delete(oldest);
        unused[Symbol.dispose]();
        break;
      }
    }
    return object;
  }

  #openObject(object: DebugMapObject): ObjectFile | null {
    const { files, path, cpuType } = this.#options;
    const name = object.path.startsWith("/")
      ? object.path
      : `${path.slice(0, path.lastIndexOf("/") + 1)}${object.path}`;
    const shown = object.member === null ? name : `${name}(${object.member})`;
    let file: OpenFile;
    try {
      file = files.open(name);
    } catch {
      this.#missing.push(shown);
      return null;
    }
    try {
      const slice = readFat(file)?.find((slice) => slice.cpuType === cpuType);
      const whole = slice === undefined ? file : part(file, slice.offset, slice.size);
      const found = object.member === null
        ? { bytes: whole, modified: file.modified ?? 0 }
        : this.#member(whole, object, object.member);
      if (found === null) {
        this.#missing.push(shown);
        file[Symbol.dispose]();
        return null;
      }
      if (object.modified !== 0 && found.modified !== 0 && found.modified !== object.modified) {
        this.#warn(`${shown} has changed since it was linked: lines may be wrong`);
      }
      const dwarf = openDwarf(found.bytes);
      return {
        dwarf,
        addresses: objectAddresses(found.bytes),
        [Symbol.dispose]() {
          dwarf[Symbol.dispose]();
          file[Symbol.dispose]();
        },
      };
    } catch (error) {
      file[Symbol.dispose]();
      this.#warn(error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  /** A member of an archive: of several with that name the one of the right time. */
  #member(
    archive: ByteSource,
    { modified }: DebugMapObject,
    name: string,
  ): { bytes: ByteSource; modified: number } | null {
    if (!isArchive(archive.read(0, 8))) return null;
    const named = readArchive(archive, (text) => this.#warn(`${archive.name}: ${text}`))
      .filter((member: ArchiveMember) => member.name === name);
    const member = named.find((member) => member.modified === modified) ?? named[0];
    if (member === undefined) return null;
    return { bytes: part(archive, member.offset, member.size), modified: member.modified };
  }

  #warn(text: string): void {
    if (!this.#warnings.includes(text)) this.#warnings.push(text);
  }

  /** Closes the object files. */
  [Symbol.dispose](): void {
    for (const object of this.#objects.values()) object?.[Symbol.dispose]();
    this.#objects.clear();
  }
}
