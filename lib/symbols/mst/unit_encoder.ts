/** Makes pieces of a symbol table file from what debug information says of a unit. */

import type { Arch } from "../../arch/mod.ts";
import type { UnitTable } from "../../dwarf/mod.ts";
import { FormatError } from "../../errors.ts";
import { ByteBuffer } from "./byte_buffer.ts";
import { MAX_DEPTH } from "./layout.ts";
import { MAX_ROWS, MAX_SCOPES, PieceEncoder } from "./piece_encoder.ts";
import { ScopeRuns } from "./scope_runs.ts";
import { groupKey, isEqual, type Strings, StringSet } from "./string_set.ts";

const encoder = new TextEncoder();

/** A unit's part of a symbol table file: plain data, that can be sent from a worker. What it numbers
 * is counted by the encoder which made it. */
export interface MstPart {
  /** Strings that no part before had; they continue the encoder's numbers, from 0. `null` where the encoder
   * shares its strings with the builder. */
  readonly strings: Strings | null;
  /** The unit's group: units with the same names and paths in the same order have one together. */
  readonly group: number;
  /** The group's names, by their number among the strings; `null` when a part before had them. */
  readonly names: Uint32Array<ArrayBuffer> | null;
  /** Its paths, likewise. */
  readonly files: Uint32Array<ArrayBuffer> | null;
  /** Bodies that no part of the group before had; they continue the group's numbers, from 0. */
  readonly bodies: Uint8Array<ArrayBuffer>;
  /** Where each of them ends. */
  readonly bodyEnds: Uint32Array<ArrayBuffer>;
  /** A number for each of them, which differs where they differ. */
  readonly bodyKeys: Float64Array<ArrayBuffer>;
  /** Each piece's first byte, rising, in bytes from the image's base. */
  readonly starts: Float64Array<ArrayBuffer>;
  /** Each piece's size in bytes. */
  readonly sizes: Float64Array<ArrayBuffer>;
  /** Each piece's body, by its number. */
  readonly pieceBodies: Uint32Array<ArrayBuffer>;
  /** Each piece's {@linkcode PIECE} bits. */
  readonly kinds: Uint8Array<ArrayBuffer>;
}

/** What a piece is. */
export const PIECE = {
  /** It belongs to a function that has a name. */
  NAMED: 1,
  /** Its function begins with it. */
  FIRST: 2,
} as const;

/** Where code of an architecture begins, as a power of two. */
function codeShift({ name }: Arch): number {
  return name === "arm64" ? 2 : name === "armv7" ? 1 : 0;
}

/** The pieces of a unit: where each one's body ends, where it begins in the image, its bytes, and its
 * {@linkcode PIECE} bits. */
interface Unit {
  readonly ends: number[];
  readonly starts: number[];
  readonly sizes: number[];
  readonly kinds: number[];
}

/** The bodies of a unit may take this many bytes. Every piece has all calls around its rows, so that a
 * thousand calls inside each other, with rows here and there, take any amount. */
function maximumSize({ rowCount, rangeCount, scopeCount }: UnitTable): number {
  return 64 * (rowCount + rangeCount + scopeCount) + (1 << 16);
}

/** How far a unit has been encoded. */
interface Cursor {
  at: number;
  /** The run of scopes that holds at `at`, and where the next one begins. */
  run: number;
  runNext: number;
  /** The run's scope; -1 for none. */
  scope: number;
  /** The sequence of rows that holds at `at`, or else the next one. */
  sequence: number;
  /** Where the sequence ends; -Infinity where none holds. */
  sequenceEnd: number;
  /** The row that holds; -1 for none. */
  row: number;
  /** One beyond the last row of the sequence. */
  rowEnd: number;
  /** Where the next row begins to hold, or the sequence ends. */
  lineNext: number;
  /** The file of the last row, and its number in the unit. */
  file: number;
  fileNumber: number;
}

/** The bodies that the parts of one group had. */
interface Group {
  readonly number: number;
  readonly names: Uint32Array<ArrayBuffer>;
  readonly files: Uint32Array<ArrayBuffer>;
  readonly bodies: Map<number, number>;
}

/** Encodes units, one after another: each worker has one.
 *
 * @example
 * ```ts ignore
 * const encoder = new UnitEncoder(archs.arm64);
 * const builder = new MstBuilder({ arch: archs.arm64, uuid: null });
 * const stream = builder.stream();
 * for (const unit of dwarf.units) stream.add(encoder.encode(dwarf.table(unit)));
 * for (const bytes of builder.finish()) sink.write(bytes);
 * ```
 */
export class UnitEncoder {
  readonly #shift: number;
  readonly #strings: StringSet;
  readonly #isShared: boolean;
  readonly #groups = new Map<number, Group[]>();
  #groupCount = 0;
  /** The unit's names and paths, by their numbers in the unit less 1: their numbers among all strings. */
  #names: number[] = [];
  #files: number[] = [];
  /** By function: its name's number in the unit plus 1; 0 where it was not asked for. */
  #nameNumbers = new Int32Array(0);
  /** By file: its path's number in the unit. */
  readonly #fileNumbers = new Map<number, number>();
  readonly #runs = new ScopeRuns();
  readonly #piece = new PieceEncoder();
  readonly #out = new ByteBuffer(1 << 16);
  /** By scope: its function, or itself; what stands for it; its number in the current piece. */
  #roots = new Int32Array(0);
  #shown = new Int32Array(0);
  #numbers = new Int32Array(0);
  #stamps = new Uint32Array(0);
  #stamp = 0;

  /**
   * @param arch of the image: how its code is aligned
   * @param shared the builder's strings, where it is on the same thread
   */
  constructor(arch: Arch, shared?: StringSet) {
    this.#shift = codeShift(arch);
    this.#strings = shared ?? new StringSet();
    this.#isShared = shared !== undefined;
  }

  /** Encodes a unit. */
  encode(table: UnitTable): MstPart {
    const known = this.#strings.count;
    this.#prepareNames(table);
    this.#prepareScopes(table);
    this.#runs.build(table, this.#shift);
    const unit = this.#encodePieces(table, this.#shift) ?? this.#encodePieces(table, 0)!;
    const bodies = this.#out.written;
    const group = this.#group(new Uint32Array(this.#names), new Uint32Array(this.#files));
    const isNew = group.bodies.size === 0;
    const fresh = this.#share(bodies, unit.ends, group.bodies);
    return {
      strings: this.#isShared ? null : this.#strings.since(known),
      group: group.number,
      names: isNew ? group.names : null,
      files: isNew ? group.files : null,
      ...fresh,
      starts: new Float64Array(unit.starts),
      sizes: new Float64Array(unit.sizes),
      kinds: new Uint8Array(unit.kinds),
    };
  }

  #prepareNames({ functionCount }: UnitTable): void {
    this.#names = [];
    this.#files = [];
    this.#fileNumbers.clear();
    if (this.#nameNumbers.length < functionCount) {
      this.#nameNumbers = new Int32Array(functionCount + (functionCount >> 1));
    } else this.#nameNumbers.fill(0, 0, functionCount);
  }

  /** The number in the unit of a function's name; 0 for none. */
  #nameOf(table: UnitTable, scopeFunction: number): number {
    const known = this.#nameNumbers[scopeFunction];
    if (known > 0) return known - 1;
    const text = table.symbolName(scopeFunction);
    const number = text === null ? 0 : this.#names.push(this.#strings.add(text));
    this.#nameNumbers[scopeFunction] = number + 1;
    return number;
  }

  /** The number in the unit of a file's path; 0 for none. */
  #fileOf(table: UnitTable, file: number): number {
    const known = this.#fileNumbers.get(file);
    if (known !== undefined) return known;
    const path = table.file(file);
    const number = path === null ? 0 : this.#files.push(this.#strings.add(encoder.encode(path)));
    this.#fileNumbers.set(file, number);
    return number;
  }

  #prepareScopes({ scopeCount, scopeParent }: UnitTable): void {
    if (this.#roots.length < scopeCount) {
      const room = scopeCount + (scopeCount >> 1);
      this.#roots = new Int32Array(room);
      this.#shown = new Int32Array(room);
      this.#numbers = new Int32Array(room);
      this.#stamps = new Uint32Array(room);
    }
    const roots = this.#roots;
    const shown = this.#shown;
    // For now, how deep each is.
    const depths = this.#numbers;
    this.#stamps.fill(0);
    this.#stamp = 0;
    for (let scope = 0; scope < scopeCount; scope++) {
      const parent = scopeParent[scope];
      const depth = parent < 0 ? 0 : depths[parent] + 1;
      depths[scope] = depth;
      roots[scope] = parent < 0 ? scope : roots[parent];
      shown[scope] = depth <= MAX_DEPTH ? scope : shown[parent];
    }
  }

  /** Writes all bodies to `#out`; `null` when code is not aligned as `shift` says. */
  #encodePieces(table: UnitTable, shift: number): Unit | null {
    const { rowOffset, sequenceCount, sequenceRows } = table;
    const { starts, count } = this.#runs;
    let sequence = 0;
    while (sequence < sequenceCount && sequenceRows[sequence] === sequenceRows[sequence + 1]) {
      sequence++;
    }
    const runNext = count > 0 ? starts[0] : Infinity;
    const lineNext = sequence < sequenceCount ? rowOffset[sequenceRows[sequence]] : Infinity;
    const cursor: Cursor = {
      ...{ at: Math.min(lineNext, runNext), run: -1, runNext, scope: -1 },
      ...{ sequence, sequenceEnd: -Infinity, row: -1, rowEnd: 0, lineNext },
      ...{ file: -1, fileNumber: 0 },
    };
    const unit: Unit = { ends: [], starts: [], sizes: [], kinds: [] };
    this.#out.length = 0;
    const limit = maximumSize(table);
    while (cursor.at < Infinity) {
      if (!this.#encodePiece(table, shift, cursor, unit)) return null;
      if (this.#out.length > limit) {
        throw new FormatError(
          "__debug_info",
          table.unit,
          "functions inlined less deep, less often",
        );
      }
    }
    return unit;
  }

  /** Writes the next body to `#out`; returns whether its code is aligned as `shift` says.
   *
   * It goes from each offset where another scope or row begins to hold to the next such one. This is
   * where indexing takes its time: what changes is in local variables, and in no closure. */
  #encodePiece(table: UnitTable, shift: number, cursor: Cursor, unit: Unit): boolean {
    const { rowOffset, rowFile, rowLine, rowColumn, sequenceCount, sequenceHigh, sequenceRows } =
      table;
    const { starts: runStarts, scopes: runScopes, count: runCount } = this.#runs;
    const piece = this.#piece;
    const unaligned = (1 << shift) - 1;
    let { at, run, runNext, scope, sequence, sequenceEnd, row, rowEnd, lineNext } = cursor;
    let { file: knownFile, fileNumber } = cursor;
    // The piece that is being written: its function, its start, and what its last row says.
    let open = false;
    let root = -1;
    let start = 0;
    let last = 0;
    let lastScope = 0;
    let lastFile = 0;
    let lastLine = 0;
    let lastColumn = 0;
    // What the last scope's number is.
    let knownScope = -2;
    let scopeNumber = 0;

    while (at < Infinity) {
      if (at >= runNext) {
        scope = runScopes[++run];
        runNext = run + 1 < runCount ? runStarts[run + 1] : Infinity;
      }
      if (at >= lineNext) {
        if (at >= sequenceEnd) {
          while (
            sequence < sequenceCount &&
            (sequenceHigh[sequence] <= at || sequenceRows[sequence] === sequenceRows[sequence + 1])
          ) sequence++;
          row = -1;
          sequenceEnd = -Infinity;
          lineNext = sequence < sequenceCount ? rowOffset[sequenceRows[sequence]] : Infinity;
          if (lineNext <= at) {
            row = sequenceRows[sequence];
            rowEnd = sequenceRows[sequence + 1];
            sequenceEnd = sequenceHigh[sequence];
          }
        }
        if (row >= 0) {
          // Of rows at one offset the last holds.
          while (row + 1 < rowEnd && rowOffset[row + 1] <= at) row++;
          lineNext = row + 1 < rowEnd ? Math.min(rowOffset[row + 1], sequenceEnd) : sequenceEnd;
        }
      }
      const newRoot = scope < 0 ? -1 : this.#roots[scope];
      if (
        open &&
        ((scope < 0 && row < 0) || newRoot !== root || piece.rowCount >= MAX_ROWS ||
          piece.scopeCount >= MAX_SCOPES)
      ) {
        break;
      }
      if (scope < 0 && row < 0) {
        at = lineNext < runNext ? lineNext : runNext;
        continue;
      }
      let isFirst = false;
      if (!open) {
        open = isFirst = true;
        root = newRoot;
        start = last = at;
        piece.begin();
        this.#stamp++;
        knownScope = -2;
      }
      if (scope !== knownScope) {
        knownScope = scope;
        scopeNumber = scope < 0 ? 0 : this.#numberScope(this.#shown[scope], root, table);
      }
      // The rows up to the next change of scopes, of which the first holds already.
      const limit = runNext < sequenceEnd ? runNext : sequenceEnd;
      for (;;) {
        let file = 0;
        let line = 0;
        let column = 0;
        if (row >= 0) {
          if (rowFile[row] !== knownFile) {
            knownFile = rowFile[row];
            fileNumber = this.#fileOf(table, knownFile);
          }
          file = fileNumber;
          if (file > 0) {
            line = rowLine[row];
            column = rowColumn[row];
          }
        }
        if (
          isFirst || line !== lastLine || column !== lastColumn || scopeNumber !== lastScope ||
          file !== lastFile
        ) {
          const bytes = at - last;
          // Steps of 1 GiB are none that code has; larger ones are no integers of 32 bits, either.
          if (bytes < 0x40000000) {
            if ((bytes & unaligned) !== 0) return false;
            piece.row(bytes >> shift, scopeNumber, file, line, column);
          } else {
            if (bytes % (unaligned + 1) !== 0) return false;
            piece.row(bytes / (unaligned + 1), scopeNumber, file, line, column);
          }
          isFirst = false;
          last = at;
          lastScope = scopeNumber;
          lastFile = file;
          lastLine = line;
          lastColumn = column;
        }
        if (row < 0 || row + 1 >= rowEnd || piece.rowCount >= MAX_ROWS) break;
        const offset = rowOffset[row + 1];
        if (offset >= limit) break;
        at = offset;
        // Of rows at one offset the last holds.
        do row++; while (row + 1 < rowEnd && rowOffset[row + 1] <= offset);
      }
      if (row >= 0) {
        lineNext = row + 1 < rowEnd ? Math.min(rowOffset[row + 1], sequenceEnd) : sequenceEnd;
      }
      at = lineNext < runNext ? lineNext : runNext;
    }
    cursor.at = at;
    cursor.run = run;
    cursor.runNext = runNext;
    cursor.scope = scope;
    cursor.sequence = sequence;
    cursor.sequenceEnd = sequenceEnd;
    cursor.row = row;
    cursor.rowEnd = rowEnd;
    cursor.lineNext = lineNext;
    cursor.file = knownFile;
    cursor.fileNumber = fileNumber;
    return !open || this.#close(unit, table, shift, root, start, at);
  }

  /** Ends a piece; returns whether it is aligned. */
  #close(
    unit: Unit,
    table: UnitTable,
    shift: number,
    root: number,
    start: number,
    end: number,
  ): boolean {
    const size = (end - start) / (1 << shift);
    if (!Number.isInteger(size)) return false;
    const { scopeFunction, rangeLow, scopeRanges } = table;
    const name = root < 0 ? 0 : this.#nameOf(table, scopeFunction[root]);
    const since = root < 0 ? 0 : start - rangeLow[scopeRanges[root]];
    this.#piece.end(this.#out, name, shift, size, since);
    unit.ends.push(this.#out.length);
    unit.starts.push(start);
    unit.sizes.push(end - start);
    unit.kinds.push((name > 0 ? PIECE.NAMED : 0) | (name > 0 && since === 0 ? PIECE.FIRST : 0));
    return true;
  }

  /** A scope's number in the current piece, which it is given when it has none yet. */
  #numberScope(scope: number, root: number, table: UnitTable): number {
    if (scope === root) return 0;
    if (this.#stamps[scope] === this.#stamp) return this.#numbers[scope];
    const parent = this.#numberScope(table.scopeParent[scope], root, table);
    const callFile = table.scopeCallFile[scope];
    const file = callFile === 0xffffffff ? 0 : this.#fileOf(table, callFile);
    const number = this.#piece.scope(
      parent,
      this.#nameOf(table, table.scopeFunction[scope]),
      file,
      file === 0 ? 0 : table.scopeCallLine[scope],
      file === 0 ? 0 : table.scopeCallColumn[scope],
    );
    this.#stamps[scope] = this.#stamp;
    this.#numbers[scope] = number;
    return number;
  }

  #group(names: Uint32Array<ArrayBuffer>, files: Uint32Array<ArrayBuffer>): Group {
    const key = groupKey(names, files);
    const alike = this.#groups.get(key) ?? [];
    let group = alike.find((group) => isEqual(group.names, names) && isEqual(group.files, files));
    if (group === undefined) {
      group = { number: this.#groupCount++, names, files, bodies: new Map() };
      alike.push(group);
      this.#groups.set(key, alike);
    }
    return group;
  }

  /** Leaves out bodies that the group has. */
  #share(
    bodies: Uint8Array,
    ends: readonly number[],
    known: Map<number, number>,
  ): Pick<MstPart, "bodies" | "bodyEnds" | "bodyKeys" | "pieceBodies"> {
    const fresh = new ByteBuffer(known.size === 0 ? bodies.length : 0);
    const freshEnds: number[] = [];
    const freshKeys: number[] = [];
    const pieceBodies = new Uint32Array(ends.length);
    let start = 0;
    for (let index = 0; index < ends.length; index++) {
      const end = ends[index];
      const key = keyOf(bodies, start, end);
      let number = known.get(key);
      if (number === undefined) {
        number = known.size;
        known.set(key, number);
        fresh.append(bodies.subarray(start, end));
        freshEnds.push(fresh.length);
        freshKeys.push(key);
      }
      pieceBodies[index] = number;
      start = end;
    }
    return {
      bodies: fresh.written,
      bodyEnds: new Uint32Array(freshEnds),
      bodyKeys: new Float64Array(freshKeys),
      pieceBodies,
    };
  }
}

/** A number below 2^53 that, among the few thousand bodies of a group, no two different ones have. */
function keyOf(bytes: Uint8Array, start: number, end: number): number {
  let a = 0x811c9dc5 | 0;
  let b = end - start;
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b + byte, 0x9e3779b1) ^ (b >>> 15);
  }
  a ^= a >>> 15;
  return (b >>> 0) * 0x200000 + ((Math.imul(a, 0x85ebca77) >>> 11) & 0x1fffff);
}
