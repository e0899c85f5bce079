/** The debug map: the linker's list, in the symbol table, of the object files that keep the debug
 * information. The entries are those of `<mach-o/stab.h>`. For each object file: `N_SO` (directory
 * and source), `N_OSO` (path and modification time of the object file). For each function linked
 * from it: `N_BNSYM`, `N_FUN` with name and address, `N_FUN` with the size only, `N_ENSYM`.
 * Entries for data (`N_STSYM`, `N_GSYM`) are skipped. */

import type { RawText } from "../escape.ts";
import type { ByteSource } from "./bytes.ts";
import { LC } from "./constants.ts";
import type { LoadCommand } from "./load_commands.ts";
import { cString, rawText } from "./strings.ts";
import { nlistSize } from "./symtab.ts";

const N_FUN = 0x24;
const N_SO = 0x64;
const N_OSO = 0x66;
/** Maximum length of a path. A longer one is damage. */
const MAX_NAME = 1 << 16;
/** The string table is read in pieces of this many bytes. */
const PIECE = 1 << 16;

/** An object file with debug information of an image. */
export interface DebugMapObject {
  /** The path of the object file, or of the archive that contains it. Relative paths stay relative. */
  readonly path: RawText;
  /** The name of the archive's member; `null` for an object file. */
  readonly member: RawText | null;
  /** Modification time, in seconds since 1970; 0 when unknown. */
  readonly modified: number;
}

/** The input of {@linkcode DebugMap.read}. */
export interface DebugMapInput {
  /** From the Mach-O header on. */
  readonly bytes: ByteSource;
  readonly loadCommands: readonly LoadCommand[];
  readonly pointerSize: 4 | 8;
  /** The address that the Mach-O header was linked for. */
  readonly linkedAddress: bigint;
}

/** Maps the functions of an image, by offset, to object files. */
export class DebugMap {
  /** In the linker's order. */
  readonly objects: readonly DebugMapObject[];
  /** Number of functions. */
  readonly count: number;
  /** Start of each function, in bytes from the image's base; ascending. */
  readonly starts: Float64Array;
  /** End of each function, exclusive. */
  readonly ends: Float64Array;
  /** Object file of each function: an index into `objects`. */
  readonly objectOf: Uint32Array;
  readonly #nameOffsets: Uint32Array;
  readonly #nameAt: (offset: number) => RawText;

  private constructor(
    objects: readonly DebugMapObject[],
    columns: {
      starts: Float64Array;
      ends: Float64Array;
      objectOf: Uint32Array;
      nameOffsets: Uint32Array;
    },
    nameAt: (offset: number) => RawText,
  ) {
    this.objects = objects;
    this.count = columns.starts.length;
    this.starts = columns.starts;
    this.ends = columns.ends;
    this.objectOf = columns.objectOf;
    this.#nameOffsets = columns.nameOffsets;
    this.#nameAt = nameAt;
  }

  /** Reads the map of an image; `null` when it has none. */
  static read({ bytes, loadCommands, pointerSize, linkedAddress }: DebugMapInput): DebugMap | null {
    const command = loadCommands.find(({ command }) => command === LC.SYMTAB);
    if (command === undefined || command.size < 24) return null;
    const fields = bytes.read(command.offset, 24);
    if (fields.length < 24) return null;
    const view = new DataView(fields.buffer, fields.byteOffset, fields.length);
    const [symbolsOffset, symbolCount, stringsOffset, stringsSize] = [8, 12, 16, 20].map((at) =>
      view.getUint32(at, true)
    );
    const size = nlistSize(pointerSize);
    const room = Math.max(
      0,
      Math.min(symbolCount, Math.floor((bytes.size - symbolsOffset) / size)),
    );
    const table = bytes.read(symbolsOffset, room * size);
    const nameAt = stringReader(bytes, stringsOffset, stringsSize);
    return DebugMap.#parse(table, pointerSize, linkedAddress, nameAt);
  }

  static #parse(
    table: Uint8Array,
    pointerSize: 4 | 8,
    base: bigint,
    nameAt: (offset: number) => RawText,
  ): DebugMap | null {
    const stride = nlistSize(pointerSize) / 4;
    const count = Math.floor(table.length / (stride * 4));
    const aligned = table.byteOffset % 4 === 0 ? table : table.slice();
    const words = new Uint32Array(aligned.buffer, aligned.byteOffset, count * stride);
    const is64 = pointerSize === 8;
    const valueAt = (word: number): number =>
      words[word + 2] + (is64 ? words[word + 3] * 2 ** 32 : 0);
    const baseLow = Number(base & 0xffffffffn);
    const baseHigh = Number(base >> 32n);
    const offsetAt = (word: number): number =>
      (words[word + 2] - baseLow) + ((is64 ? words[word + 3] : 0) - baseHigh) * 2 ** 32;
    const objects: DebugMapObject[] = [];
    const starts: number[] = [];
    const sizes: number[] = [];
    const objectOf: number[] = [];
    const nameOffsets: number[] = [];
    let inside = false;
    for (let index = 0, word = 0; index < count; index++, word += stride) {
      const entry = words[word + 1];
      const type = entry & 0xff;
      if (type === N_OSO) {
        objects.push({ ...splitPath(nameAt(words[word])), modified: valueAt(word) });
        inside = true;
      } else if (type === N_SO) {
        // An N_SO that begins a unit stands before its N_OSO.
        inside = false;
      } else if (type === N_FUN && inside) {
        // The second of each pair has no section.
        if (((entry >>> 8) & 0xff) === 0) {
          if (sizes.length > 0) sizes[sizes.length - 1] = valueAt(word);
          continue;
        }
        starts.push(offsetAt(word));
        sizes.push(0);
        objectOf.push(objects.length - 1);
        nameOffsets.push(words[word]);
      }
    }
    if (objects.length === 0) return null;
    const order = Uint32Array.from(starts.keys()).sort((a, b) => starts[a] - starts[b] || a - b);
    const sorted = Float64Array.from(order, (index) => starts[index]);
    const ends = Float64Array.from(order, (index, at) => {
      const next = sorted[at + 1] ?? Infinity;
      // A function of unknown size ends where the next begins.
      return sizes[index] === 0 ? next : starts[index] + sizes[index];
    });
    return new DebugMap(objects, {
      starts: sorted,
      ends,
      objectOf: Uint32Array.from(order, (index) => objectOf[index]),
      nameOffsets: Uint32Array.from(order, (index) => nameOffsets[index]),
    }, nameAt);
  }

  /** A function's name as in the object file's symbol table, with underscore. */
  name(index: number): RawText {
    return this.#nameAt(this.#nameOffsets[index]);
  }

  /** The index of the function that contains `offset`; -1 for none. */
  at(offset: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.starts[middle] <= offset) low = middle + 1;
      else high = middle;
    }
    // Identical functions may be folded into one. The first counts.
    let index = low - 1;
    while (index > 0 && this.starts[index - 1] === this.starts[index]) index--;
    return index >= 0 && offset < this.ends[index] ? index : -1;
  }
}

/** Splits `path/libx.a(member.o)`. */
function splitPath(path: string): { path: string; member: string | null } {
  const open = path.endsWith(")") ? path.lastIndexOf("(") : -1;
  return open <= 0
    ? { path, member: null }
    : { path: path.slice(0, open), member: path.slice(open + 1, -1) };
}

/** Reads names of a string table. Neighbouring names cost one read. */
function stringReader(
  bytes: ByteSource,
  tableOffset: number,
  tableSize: number,
): (offset: number) => RawText {
  let piece: Uint8Array = new Uint8Array();
  let pieceStart = 0;
  return (offset) => {
    if (offset === 0 || offset >= tableSize) return "";
    for (const room of [PIECE, MAX_NAME + PIECE]) {
      const inside = offset - pieceStart;
      const end = inside < 0 || inside >= piece.length ? -1 : piece.indexOf(0, inside);
      if (end >= 0) return rawText(piece.subarray(inside, end));
      pieceStart = offset;
      piece = bytes.read(tableOffset + offset, Math.min(room, tableSize - offset));
    }
    return cString(piece.subarray(0, MAX_NAME));
  };
}
