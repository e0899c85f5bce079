/** Debug information that the linker left in the object files, reached through the debug map. */

import { FormatError } from "../errors.ts";
import { type ArchName, archOfCpuType } from "../arch/mod.ts";
import type { SourceFrame, UnitTable } from "../dwarf/mod.ts";
import type { RawText } from "../escape.ts";
import type { Files, OpenFile } from "../file_system.ts";
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
import type { DebugInfo, DwarfPlace } from "./debug_info.ts";
import { type Moves, moveUnit } from "./moved_unit.ts";
import { openDwarf, type OpenedDwarf } from "./open_dwarf.ts";

/** Maximum number of object files kept open. */
const MAX_OPEN = 64;
/** Maximum number of object files named in one warning. */
const MAX_NAMES = 5;

const noFrames: readonly SourceFrame[] = [];

/** Whether a symbol is the assembler's own, such as `ltmp0` at the beginning of each section for arm64: the linker
 * leaves it out. */
function isPrivate(name: string): boolean {
  return /^[lL]/.test(name);
}

/** By address; of several at one, those that the linker keeps come last, where they are found. */
function sortedSymbols(symbols: ReadonlyMap<string, number>): ObjectFile["sorted"] {
  const rising = [...symbols].sort(([name, a], [other, b]) =>
    a - b || Number(isPrivate(other)) - Number(isPrivate(name))
  );
  return {
    names: rising.map(([name]) => name),
    addresses: Float64Array.from(rising, ([, address]) => address),
  };
}

/** What a {@linkcode DebugMapInfo} needs besides the map. */
export interface DebugMapOptions {
  /** The path of the image's file. Relative paths of object files start at its folder. */
  readonly path: RawText;
  readonly uuid: string | null;
  /** `CPU_TYPE_*` of the image. */
  readonly cpuType: number;
  readonly files: Files;
  /** The offset in the image of the symbol with a name; `undefined` when there is none, or several. */
  readonly symbol?: (name: string) => number | undefined;
}

/** An open object file. */
interface ObjectFile extends Disposable {
  readonly dwarf: OpenedDwarf;
  /** Addresses in it by the name of the linker's symbol. */
  readonly addresses: ReadonlyMap<string, number>;
  /** The same by rising address. */
  readonly sorted: { readonly names: readonly string[]; readonly addresses: Float64Array };
}

/** The functions and lines of an image, from its object files. An object file is opened at the first
 * lookup of an address in one of its functions. */
export class DebugMapInfo implements DebugInfo {
  readonly path: RawText;
  readonly uuid: string | null;
  readonly arch: ArchName;
  readonly #map: DebugMap;
  readonly #options: DebugMapOptions;
  /** By the object's number, the one used last at the end; `null` for one that cannot be opened. */
  readonly #objects = new Map<number, ObjectFile | null>();
  readonly #missing: string[] = [];
  readonly #warnings: string[] = [];

  constructor(map: DebugMap, options: DebugMapOptions) {
    this.#map = map;
    this.#options = options;
    this.path = options.path;
    this.uuid = options.uuid;
    const arch = archOfCpuType(options.cpuType);
    if (arch === undefined) {
      throw new FormatError(options.path, 4, "the CPU type of armv7, arm64, i386 or x86_64");
    }
    this.arch = arch.name;
  }

  get warnings(): readonly string[] {
    const missing = this.#missing;
    if (missing.length === 0) return this.#warnings;
    const names = missing.slice(0, MAX_NAMES).join(", ");
    const more = missing.length - MAX_NAMES;
    return [
      `object files are missing: ${names}${more > 0 ? `, and ${more} more` : ""}`,
      ...this.#warnings,
    ];
  }

  framesAt(offset: number): readonly SourceFrame[] {
    const found = this.#objectAt(offset);
    if (found === null) return noFrames;
    const { object, address, start } = found;
    const frames = object.dwarf.framesAt(address + offset - start);
    // Padding after a function has lines too, and the linker counts it to that function. A function
    // written in assembly has lines from its first byte on, and no debugging entry.
    const between = offset > start && frames[0]?.function === "" &&
      object.dwarf.framesAt(address)[0]?.function !== "";
    return between ? noFrames : frames;
  }

  /** See {@linkcode DebugInfo.inlineCountAt}. */
  inlineCountAt(offset: number): number {
    const found = this.#objectAt(offset);
    return found?.object.dwarf.inlineCountAt(found.address + offset - found.start) ?? 0;
  }

  /** See {@linkcode DebugInfo.dwarfAt}. */
  dwarfAt(offset: number): DwarfPlace | null {
    const found = this.#objectAt(offset);
    return found && this.#place(found.object, found.address + offset - found.start);
  }

  /** The object file that has the code at an offset, and the start of its function in both files. */
  #objectAt(
    offset: number,
  ): { readonly object: ObjectFile; readonly address: number; readonly start: number } | null {
    const index = this.#map.at(offset);
    const object = index < 0 ? null : this.#object(this.#map.objectOf[index]);
    const address = object?.addresses.get(this.#map.name(index));
    return object === null || address === undefined
      ? null
      : { object, address, start: this.#map.starts[index] };
  }

  /** See {@linkcode DebugInfo.dwarf}. */
  *dwarf(): Generator<DwarfPlace> {
    for (const number of this.#map.objects.keys()) {
      const object = this.#object(number);
      if (object !== null) yield this.#place(object, 0);
    }
  }

  #place(object: ObjectFile, offset: number): DwarfPlace {
    const imageOffset = (offset: number) => this.#linked(object, offset);
    return { info: object.dwarf.info, offset, imageOffset };
  }

  /** The linked address of an address in an object file, found by the symbol before it. */
  #linked(object: ObjectFile, address: number): number | undefined {
    const { names, addresses } = object.sorted;
    let low = 0;
    let high = addresses.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (addresses[middle] <= address) low = middle + 1;
      else high = middle;
    }
    const start = low - 1;
    if (start < 0) return undefined;
    const offset = this.#options.symbol?.(names[start]);
    return offset === undefined ? undefined : offset + address - addresses[start];
  }

  /** The units of all object files that can be opened, at their addresses in the image. Each has its
   * own columns. */
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
    // Two names of one function give one stretch.
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
      const addresses = objectAddresses(found.bytes);
      let sorted: ObjectFile["sorted"] | undefined;
      return {
        dwarf,
        addresses,
        get sorted() {
          return sorted ??= sortedSymbols(addresses);
        },
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

  /** A member of an archive. If several have the name, the one with the right modification time. */
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
