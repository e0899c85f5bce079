/** Builds a symbol table file. */

import type { RawText } from "../../escape.ts";
import { sweepRanges, type UnitTable } from "../../dwarf/mod.ts";
import { assemble, type MstIdentity } from "./assemble.ts";
import { ByteBuffer } from "./byte_buffer.ts";
import {
  CONTINUES,
  GROUP_SIZE,
  PAGE_PIECES,
  PAGE_SIZE,
  PIECE_SIZE,
  setU64,
  SYMBOL_SIZE,
} from "./layout.ts";
import { groupKey, isEqual, StringSet } from "./string_set.ts";
import { type MstPart, PIECE, UnitEncoder } from "./unit_encoder.ts";

const encoder = new TextEncoder();

/** A symbol of the image's symbol table. */
export interface MstSymbol {
  /** Offset from the image's base. */
  readonly offset: number;
  /** Size in bytes. */
  readonly size: number;
  /** Without Mach-O's underscore. */
  readonly name: RawText;
}

/** A group: units with the same names and paths. */
interface Group {
  // String numbers of its names and paths.
  readonly names: Uint32Array;
  readonly files: Uint32Array;
  /** Its bodies, in order. */
  readonly chunks: Uint8Array[];
  /** Total size of `chunks`. */
  size: number;
  /** Offset of each body in the group, by key. */
  readonly byKey: Map<number, number>;
}

/** The pieces of a unit, in columns. */
interface Pieces {
  readonly group: Group;
  readonly starts: Float64Array;
  readonly sizes: Float64Array;
  /** Offset of each piece's body in the group. */
  readonly bodies: Uint32Array;
  readonly kinds: Uint8Array;
}

/** Takes the parts of one encoder, in the order in which it made them. */
export interface MstStream {
  /** Takes a part. The parts of all streams must come in the order of their units: where units overlap, the
   * earlier one wins, and the file does not depend on the number of encoders. */
  add(part: MstPart): void;
}

/** Builds a symbol table file from the parts of all units. */
export class MstBuilder {
  readonly #identity: MstIdentity;
  readonly #strings = new StringSet();
  readonly #groups: Group[] = [];
  readonly #groupsByKey = new Map<number, Group[]>();
  readonly #units: Pieces[] = [];
  /** Encodes units on this thread. */
  #here: { readonly encoder: UnitEncoder; readonly stream: MstStream } | undefined;
  #functions = 0;
  /** All pieces, when all units have been added. */
  #pieces: Ordered | undefined;

  /** @param identity the image, for the header */
  constructor(identity: MstIdentity) {
    this.#identity = identity;
  }

  /** Encodes a unit and adds it. */
  add(table: UnitTable): void {
    this.#here ??= {
      encoder: new UnitEncoder(this.#identity.arch, this.#strings),
      stream: this.stream(),
    };
    this.#here.stream.add(this.#here.encoder.encode(table));
  }

  /** Makes a stream for the parts of an encoder in a worker. */
  stream(): MstStream {
    /** String numbers here, by the encoder's. */
    const strings: number[] = [];
    /** Groups here, with the offsets of their bodies, by the encoder's numbers. */
    const groups: { group: Group; bodies: number[] }[] = [];
    const add = (part: MstPart): void => {
      const { names, files } = part;
      if (part.strings !== null) {
        const numbers = this.#strings.addAll(part.strings);
        for (let index = 0; index < numbers.length; index++) strings.push(numbers[index]);
      }
      if (names !== null && files !== null) {
        const numbers = (list: Uint32Array) =>
          part.strings === null ? list : list.map((number) => strings[number]);
        groups[part.group] = { group: this.#group(numbers(names), numbers(files)), bodies: [] };
      }
      const { group, bodies } = groups[part.group];
      this.#addBodies(group, part, bodies);
      if (part.starts.length === 0) return;
      this.#units.push({
        group,
        starts: part.starts,
        sizes: part.sizes,
        bodies: part.pieceBodies.map((body) => bodies[body]),
        kinds: part.kinds,
      });
    };
    return { add };
  }

  /** Number of functions with code of their own and of symbols in the finished file. */
  get functionCount(): number {
    return this.#functions;
  }

  /** The stretches of a range that no named function covers. No parts can be added afterwards.
   *
   * @param low start, as an offset from the image's base
   * @param high exclusive end
   */
  *gaps(low: number, high: number): IterableIterator<readonly [low: number, high: number]> {
    const { count, starts, ends, kinds } = this.#ordered();
    let at = low;
    for (let piece = firstEndingAfter(ends, count, low); piece < count; piece++) {
      if (starts[piece] >= high) break;
      if ((kinds[piece] & PIECE.NAMED) === 0) continue;
      if (starts[piece] > at) yield [at, starts[piece]];
      at = ends[piece];
    }
    if (at < high) yield [at, high];
  }

  /** The chunks of the whole file, in order.
   *
   * @param symbols symbols by ascending offset. Those inside named functions or the previous symbol are left out
   * @throws {RangeError} when the format's limit of 4 GiB of bodies or strings is exceeded
   */
  finish(symbols: Iterable<MstSymbol> = []): Uint8Array[] {
    const pieces = this.#ordered();
    this.#functions = 0;
    for (let piece = 0; piece < pieces.count; piece++) {
      const isFirst = (pieces.kinds[piece] & PIECE.FIRST) !== 0;
      if (isFirst && !pieces.continuations.has(piece)) this.#functions++;
    }
    const symbolBytes = this.#symbols(symbols, pieces);
    const { groups, refs, bodies } = this.#groupSections(pieces);
    const { pages, entries } = pageSections(pieces);
    return assemble(this.#identity, this.#functions, [
      [pages],
      [entries],
      [symbolBytes],
      [groups],
      [refs],
      bodies,
      [this.#strings.bytes],
    ]);
  }

  #group(names: Uint32Array, files: Uint32Array): Group {
    const key = groupKey(names, files);
    const alike = this.#groupsByKey.get(key) ?? [];
    let group = alike.find((group) => isEqual(group.names, names) && isEqual(group.files, files));
    if (group === undefined) {
      group = { names, files, chunks: [], size: 0, byKey: new Map() };
      alike.push(group);
      this.#groupsByKey.set(key, alike);
      this.#groups.push(group);
    }
    return group;
  }

  /** Adds a part's bodies to its group, except those that a part of another stream brought.
   *
   * @param numbers receives the offset of each body in the group, by the encoder's number
   */
  #addBodies(group: Group, part: MstPart, numbers: number[]): void {
    let from = 0;
    let start = 0;
    const flush = (end: number) => {
      if (end > from) {
        group.chunks.push(part.bodies.subarray(from, end));
        group.size += end - from;
      }
    };
    for (let index = 0; index < part.bodyEnds.length; index++) {
      const end = part.bodyEnds[index];
      const key = part.bodyKeys[index];
      const known = group.byKey.get(key);
      if (known === undefined) {
        const offset = group.size + start - from;
        group.byKey.set(key, offset);
        numbers.push(offset);
      } else {
        flush(start);
        from = end;
        numbers.push(known);
      }
      start = end;
    }
    flush(start);
  }

  /** All pieces by ascending start, without overlaps. */
  #ordered(): Ordered {
    return this.#pieces ??= this.#order();
  }

  #order(): Ordered {
    const units = this.#units;
    let count = 0;
    for (const { starts } of units) count += starts.length;
    const all = newOrdered(count);
    const groupNumbers = new Map(this.#groups.map((group, index) => [group, index]));
    for (const unit of units.toSorted((a, b) => a.starts[0] - b.starts[0])) {
      append(all, unit, groupNumbers.get(unit.group)!);
    }
    if (isDisjoint(all)) return all;
    // Again in reverse order of the units: earlier ones hide later ones.
    all.count = 0;
    for (const unit of units.toReversed()) append(all, unit, groupNumbers.get(unit.group)!);
    const shown: { at: number; piece: number }[] = [];
    sweepRanges(all.starts, all.ends, (at, piece) => {
      if (piece < 0) {
        if (shown.length > 0 && shown.at(-1)!.piece >= 0) shown.push({ at, piece });
      } else {
        shown.push({ at, piece });
      }
    });
    const visible = newOrdered(shown.length);
    for (const [index, { at, piece }] of shown.entries()) {
      if (piece < 0) continue;
      const to = visible.count++;
      visible.starts[to] = at;
      visible.ends[to] = shown[index + 1]?.at ?? all.ends[piece];
      visible.groups[to] = all.groups[piece];
      visible.bodies[to] = all.bodies[piece];
      visible.kinds[to] = all.kinds[piece];
      const skipped = at - all.starts[piece];
      if (skipped > 0) visible.continuations.set(to, skipped);
    }
    return visible;
  }

  /** Encodes the symbols that no named function covers. */
  #symbols(symbols: Iterable<MstSymbol>, { count, starts, ends, kinds }: Ordered): Uint8Array {
    const out = new ByteBuffer(1 << 10);
    let piece = 0;
    let last = 0;
    for (const { offset, size, name } of symbols) {
      if (offset < last) continue;
      while (piece < count && (ends[piece] <= offset || (kinds[piece] & PIECE.NAMED) === 0)) {
        piece++;
      }
      const end = piece < count ? Math.min(offset + size, starts[piece]) : offset + size;
      if (!(end > offset) || name === "") continue;
      last = end;
      const at = out.length;
      out.reserve(SYMBOL_SIZE);
      out.length += SYMBOL_SIZE;
      const view = new DataView(out.bytes.buffer, at, SYMBOL_SIZE);
      setU64(view, 0, offset);
      view.setUint32(8, Math.min(end - offset, 0xffffffff), true);
      view.setUint32(12, this.#strings.start(this.#strings.add(encoder.encode(name))), true);
      this.#functions++;
    }
    return out.written;
  }

  /** Encodes groups, their names and paths, and all bodies. Makes the offsets of pieces' bodies relative to
   * the section. */
  #groupSections(pieces: Ordered): { groups: Uint8Array; refs: Uint8Array; bodies: Uint8Array[] } {
    const groups = this.#groups;
    const groupBytes = new DataView(new ArrayBuffer((groups.length + 1) * GROUP_SIZE));
    let refCount = 0;
    for (const { names, files } of groups) refCount += names.length + files.length;
    const refs = new DataView(new ArrayBuffer(4 * refCount));
    const bodies: Uint8Array[] = [];
    let ref = 0;
    let size = 0;
    const bases: number[] = [];
    const begin = (index: number, names: ArrayLike<number>, files: ArrayLike<number>) => {
      const at = index * GROUP_SIZE;
      if (size >= 2 ** 32) throw new RangeError("more than 4 GiB of functions");
      groupBytes.setUint32(at, size, true);
      groupBytes.setUint32(at + 4, ref, true);
      for (let name = 0; name < names.length; name++) {
        refs.setUint32(4 * ref++, this.#strings.start(names[name]), true);
      }
      groupBytes.setUint32(at + 8, ref, true);
      for (let file = 0; file < files.length; file++) {
        refs.setUint32(4 * ref++, this.#strings.start(files[file]), true);
      }
    };
    groups.forEach((group, index) => {
      begin(index, group.names, group.files);
      bases.push(size);
      for (const chunk of group.chunks) bodies.push(chunk);
      size += group.size;
    });
    for (let piece = 0; piece < pieces.count; piece++) {
      pieces.bodies[piece] += bases[pieces.groups[piece]];
    }
    // The last group has the continuations of other bodies.
    begin(groups.length, [], []);
    const continued = new ByteBuffer(1 << 10);
    for (const [piece, skipped] of pieces.continuations) {
      const at = size + continued.length;
      const body = new ByteBuffer(32);
      body.uleb(CONTINUES);
      body.uleb(skipped);
      body.uleb(pieces.bodies[piece]);
      continued.reserve(40);
      continued.uleb(body.length);
      continued.append(body.written);
      pieces.bodies[piece] = at;
    }
    if (continued.length > 0) bodies.push(continued.written);
    if (size + continued.length >= 2 ** 32) throw new RangeError("more than 4 GiB of functions");
    return {
      groups: new Uint8Array(groupBytes.buffer),
      refs: new Uint8Array(refs.buffer),
      bodies,
    };
  }
}

/** The pieces of all units, in columns. `bodies` are offsets in the group at first, then in the section. */
interface Ordered {
  count: number;
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly groups: Uint32Array;
  readonly bodies: Float64Array;
  readonly kinds: Uint8Array;
  /** By piece that continues the body of an earlier piece: the distance between their starts. */
  readonly continuations: Map<number, number>;
}

function newOrdered(room: number): Ordered {
  return {
    count: 0,
    starts: new Float64Array(room),
    ends: new Float64Array(room),
    groups: new Uint32Array(room),
    bodies: new Float64Array(room),
    kinds: new Uint8Array(room),
    continuations: new Map(),
  };
}

function append(all: Ordered, { starts, sizes, bodies, kinds }: Pieces, group: number): void {
  const from = all.count;
  all.starts.set(starts, from);
  all.bodies.set(bodies, from);
  all.kinds.set(kinds, from);
  all.count += starts.length;
  all.groups.fill(group, from, all.count);
  for (let index = 0; index < starts.length; index++) {
    all.ends[from + index] = starts[index] + sizes[index];
  }
}

function isDisjoint({ count, starts, ends }: Ordered): boolean {
  for (let piece = 1; piece < count; piece++) if (starts[piece] < ends[piece - 1]) return false;
  return true;
}

function firstEndingAfter(ends: Float64Array, count: number, at: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Encodes the pieces and their pages. */
function pageSections(
  { count, starts, bodies }: Ordered,
): { pages: Uint8Array; entries: Uint8Array } {
  const entries = new DataView(new ArrayBuffer(count * PIECE_SIZE));
  const pages = new ByteBuffer(PAGE_SIZE * (Math.ceil(count / PAGE_PIECES) + 1));
  let base = 0;
  let first = -PAGE_PIECES;
  for (let piece = 0; piece < count; piece++) {
    const start = starts[piece];
    if (piece - first >= PAGE_PIECES || start - base >= 2 ** 32) {
      base = start;
      first = piece;
      const at = pages.length;
      pages.reserve(PAGE_SIZE);
      pages.length += PAGE_SIZE;
      const view = new DataView(pages.bytes.buffer, at, PAGE_SIZE);
      setU64(view, 0, base);
      view.setUint32(8, first, true);
    }
    entries.setUint32(piece * PIECE_SIZE, start - base, true);
    entries.setUint32(piece * PIECE_SIZE + 4, bodies[piece], true);
  }
  return { pages: pages.written, entries: new Uint8Array(entries.buffer) };
}
