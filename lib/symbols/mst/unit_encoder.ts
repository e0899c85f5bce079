/** Encodes units as pieces of a symbol table file. */

import type { Arch } from "../../arch/mod.ts";
import type { UnitTable } from "../../dwarf/mod.ts";
import { FormatError } from "../../errors.ts";
import { ByteBuffer } from "./byte_buffer.ts";
import { MAX_DEPTH } from "./layout.ts";
import { MAX_ROWS, MAX_SCOPES, PieceEncoder } from "./piece_encoder.ts";
import { ScopeRuns } from "./scope_runs.ts";
import { groupKey, isEqual, type Strings, StringSet } from "./string_set.ts";

const encoder = new TextEncoder();

/** A unit's part of a symbol table file, as plain data that a worker can send. Numbers are those of its
 * encoder. */
export interface MstPart {
  /** Strings that no earlier part had; their numbers follow on. `null` if the encoder shares its strings with
   * the builder. */
  readonly strings: Strings | null;
  /** The unit's group: units with the same names and paths in the same order share one. */
  readonly group: number;
  /** String numbers of the group's names; `null` if an earlier part had them. */
  readonly names: Uint32Array<ArrayBuffer> | null;
  /** String numbers of the group's paths, likewise. */
  readonly files: Uint32Array<ArrayBuffer> | null;
  /** Bodies that no earlier part of the group had; their numbers follow on. */
  readonly bodies: Uint8Array<ArrayBuffer>;
  /** End of each body. */
  readonly bodyEnds: Uint32Array<ArrayBuffer>;
  /** A hash of each body. */
  readonly bodyKeys: Float64Array<ArrayBuffer>;
  /** Start of each piece, ascending, as an offset from the image's base. */
  readonly starts: Float64Array<ArrayBuffer>;
  /** Size of each piece, in bytes. */
  readonly sizes: Float64Array<ArrayBuffer>;
  /** Number of each piece's body. */
  readonly pieceBodies: Uint32Array<ArrayBuffer>;
  /** {@linkcode PIECE} bits of each piece. */
  readonly kinds: Uint8Array<ArrayBuffer>;
}

/** Properties of a piece. */
export const PIECE = {
  /** Its function has a name. */
  NAMED: 1,
  /** It is the start of its function. */
  FIRST: 2,
} as const;

/** The alignment of code, as a power of two. */
function codeShift({ name }: Arch): number {
  return name === "arm64" ? 2 : name === "armv7" ? 1 : 0;
}

/** The pieces of a unit: the end of the body, the start in the image, the size, and {@linkcode PIECE} bits. */
interface Unit {
  readonly ends: number[];
  readonly starts: number[];
  readonly sizes: number[];
  readonly kinds: number[];
}

/** Maximum size of a unit's bodies. A piece has all calls around its rows, so a thousand nested calls with
 * scattered rows would take any amount of memory. */
function maximumSize({ rowCount, rangeCount, scopeCount }: UnitTable): number {
  return 64 * (rowCount + rangeCount + scopeCount) + (1 << 16);
}

/** The position of the encoder in a unit. */
interface Cursor {
  at: number;
  /** The run at `at`, and the start of the next one. */
  run: number;
  runNext: number;
  /** The scope of the run; -1 for none. */
  scope: number;
  /** The sequence at `at`, or else the next one. */
  sequence: number;
  /** End of the sequence; -Infinity if there is none at `at`. */
  sequenceEnd: number;
  /** The row at `at`; -1 for none. */
  row: number;
  /** Exclusive end of the sequence's rows. */
  rowEnd: number;
  /** Start of the next row, or end of the sequence. */
  lineNext: number;
  /** The file of the last row, and its number in the unit. */
  file: number;
  fileNumber: number;
}

/** The bodies of a group so far. */
interface Group {
  readonly number: number;
  readonly names: Uint32Array<ArrayBuffer>;
  readonly files: Uint32Array<ArrayBuffer>;
  readonly bodies: Map<number, number>;
}

/** Encodes units, one at a time. Each worker has an encoder.
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
  // String numbers of the unit's names and paths, by their number in the unit minus 1.
  #names: number[] = [];
  #files: number[] = [];
  /** By function: the number of its name in the unit, plus 1; 0 if not assigned. */
  #nameNumbers = new Int32Array(0);
  /** By file: the number of its path in the unit. */
  readonly #fileNumbers = new Map<number, number>();
  readonly #runs = new ScopeRuns();
  readonly #piece = new PieceEncoder();
  readonly #out = new ByteBuffer(1 << 16);
  // By scope: its function; the scope shown for it, which is less deep; its number in the current piece.
  #roots = new Int32Array(0);
  #shown = new Int32Array(0);
  #numbers = new Int32Array(0);
  #stamps = new Uint32Array(0);
  #stamp = 0;

  /**
   * @param arch the image's architecture: its alignment of code
   * @param shared the builder's strings, if it is on the same thread
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

  /** The number of a function's name in the unit; 0 for none. */
  #nameOf(table: UnitTable, scopeFunction: number): number {
    const known = this.#nameNumbers[scopeFunction];
    if (known > 0) return known - 1;
    const text = table.symbolName(scopeFunction);
    const number = text === null
      ? 0
      : this.#names.push(this.#strings.add(text.bytes, text.start, text.end));
    this.#nameNumbers[scopeFunction] = number + 1;
    return number;
  }

  /** The number of a file's path in the unit; 0 for none. */
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
    // Used for the depth of each scope here.
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

  /** Writes all bodies to `#out`; `null` if code is not aligned to `shift`. */
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

  /** Writes the next body to `#out`; returns false if its code is not aligned to `shift`.
   *
   * It moves from each offset where the scope or row changes to the next such one. Much of the time of
   * indexing is spent here: the state is in local variables, not in closures. */
  #encodePiece(table: UnitTable, shift: number, cursor: Cursor, unit: Unit): boolean {
    const { rowOffset, rowFile, rowLine, rowColumn, sequenceCount, sequenceHigh, sequenceRows } =
      table;
    const { starts: runStarts, scopes: runScopes, count: runCount } = this.#runs;
    const piece = this.#piece;
    const unaligned = (1 << shift) - 1;
    let { at, run, runNext, scope, sequence, sequenceEnd, row, rowEnd, lineNext } = cursor;
    let { file: knownFile, fileNumber } = cursor;
    // The current piece: its function, its start and its last row.
    let open = false;
    let root = -1;
    let start = 0;
    let last = 0;
    let lastScope = 0;
    let lastFile = 0;
    let lastLine = 0;
    let lastColumn = 0;
    // The number of the last scope.
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
          // The last of several rows at one offset counts.
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
      // The rows up to the next change of scope, from the current one.
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
          // Code has no steps of 1 GiB; larger ones do not fit 32 bits either.
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
        // The last of several rows at one offset counts.
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

  /** Ends a piece; returns false if it is not aligned. */
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

  /** The number of a scope in the current piece; assigned at first use. */
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

  /** Removes bodies that the group has already. */
  #share(
    bodies: Uint8Array,
    ends: readonly number[],
    known: Map<number, number>,
  ): Pick<MstPart, "bodies" | "bodyEnds" | "bodyKeys" | "pieceBodies"> {
    const fresh = new ByteBuffer(known.size === 0 ? bodies.length : 0);
    const freshEnds: number[] = [];
    const freshKeys: number[] = [];
    const pieceBodies = new Uint32Array(ends.length);
    const view = new DataView(bodies.buffer, bodies.byteOffset, bodies.length);
    let start = 0;
    for (let index = 0; index < ends.length; index++) {
      const end = ends[index];
      const key = keyOf(view, start, end);
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

/** A hash below 2^53: distinct for the few thousand bodies of a group. */
function keyOf(bytes: DataView, start: number, end: number): number {
  let a = 0x811c9dc5 | 0;
  let b = end - start;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = bytes.getInt32(at, true);
    a = Math.imul(a ^ word, 0x85ebca6b);
    a ^= a >>> 13;
    b = Math.imul(b + word, 0x9e3779b1) ^ (b >>> 15);
  }
  for (; at < end; at++) {
    const byte = bytes.getUint8(at);
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b + byte, 0x9e3779b1) ^ (b >>> 15);
  }
  a ^= a >>> 15;
  return (b >>> 0) * 0x200000 + ((Math.imul(a, 0x85ebca77) >>> 11) & 0x1fffff);
}
