/** Functions and lines at offsets, found in a symbol table file's blocks. */

import { FormatError } from "../../errors.ts";
import type { SourceFrame, SourceLocation } from "../../target/mod.ts";
import { unzigzag } from "./byte_buffer.ts";
import type { Blocks } from "./blocks.ts";
import {
  CONTINUES,
  GROUP_SIZE,
  MAX_BODY,
  MAX_DEPTH,
  MAX_STRING,
  type MstHeader,
  PAGE_SIZE,
  PIECE_SIZE,
  SECTION,
  type Stretch,
  SYMBOL_SIZE,
} from "./layout.ts";

/** Strings kept, at most. */
const MAX_KEPT = 1 << 14;
/** Of a ULEB128 number below 2^53. */
const MAX_ULEB = 8;

const decoder = new TextDecoder();

/** A function, as a symbol table file has it. */
export interface MstFunction {
  /** Mangled where it has such a name. Not safe to print raw. */
  readonly name: string;
  /** Its first byte, in bytes from the image's base. */
  readonly start: number;
}

/** A function that is inlined, and where. */
interface InlinedCall {
  readonly name: number;
  readonly file: number;
  readonly line: number;
  readonly column: number;
}

/** Columns of a body's scopes, the function itself being 0: used again for each body. */
class Scopes {
  count = 0;
  parents: Uint32Array = new Uint32Array(0);
  /** Of calls: the name, and where the call is. */
  names: Float64Array = new Float64Array(0);
  callFiles: Float64Array = this.names;
  callLines: Float64Array = this.names;
  callColumns: Float64Array = this.names;
  /** Where the last row of each was. */
  files: Float64Array = this.names;
  lines: Float64Array = this.names;
  columns: Float64Array = this.names;

  /** Makes room for so many, what is in it being of no more use. */
  begin(count: number): void {
    this.count = count;
    if (count > this.parents.length) {
      const room = 2 * count;
      this.parents = new Uint32Array(room);
      const column = () => new Float64Array(room);
      [this.names, this.callFiles, this.callLines, this.callColumns] = [
        column(),
        column(),
        column(),
        column(),
      ];
      [this.files, this.lines, this.columns] = [column(), column(), column()];
    }
    this.files[0] = 0;
    this.lines[0] = 0;
    this.columns[0] = 0;
  }

  call(scope: number): InlinedCall {
    return {
      name: this.names[scope],
      file: this.callFiles[scope],
      line: this.callLines[scope],
      column: this.callColumns[scope],
    };
  }
}

/** What a piece has at an offset. */
interface Found {
  readonly piece: Piece;
  readonly group: Group;
  /** The place in the sources: a path's number, 0 for none. */
  readonly file: number;
  readonly line: number;
  readonly column: number;
  /** The inlined calls there, innermost first. */
  readonly calls: readonly InlinedCall[];
}

/** Where names and paths of a piece's body are. */
interface Group {
  readonly names: number;
  readonly files: number;
  readonly end: number;
}

/** What stands before the calls and rows in a body. */
interface Piece {
  /** A name's number in the group; 0 for none. */
  readonly name: number;
  /** The function's first byte. */
  readonly functionStart: number;
  /** Bytes. */
  readonly size: number;
}

/** Looks offsets up. A damaged file costs a {@linkcode FormatError}. Nothing is kept between two
 * calls but strings, so that one which was broken off for want of a block can be made again. */
export class MstLookup {
  readonly #header: MstHeader;
  readonly #dataOffset: number;
  readonly #blockSize: number;
  /** A power of two, as the size is: multiplying by it is exact. */
  readonly #blocksPerByte: number;
  readonly #blocks: Blocks;
  readonly #file: string;
  readonly #strings = new Map<number, string>();
  readonly #scopes = new Scopes();
  /** The block used last: searches use it again and again. */
  #recent = -1;
  #recentBytes: Uint8Array = new Uint8Array();

  constructor(header: MstHeader, blocks: Blocks, file: string) {
    this.#header = header;
    this.#dataOffset = header.data.offset;
    this.#blockSize = 2 ** header.blockShift;
    this.#blocksPerByte = 1 / this.#blockSize;
    this.#blocks = blocks;
    this.#file = file;
  }

  /** The functions at `offset`, innermost first. */
  framesAt(offset: number): SourceFrame[] {
    const found = this.#find(offset);
    if (found === null) {
      const symbol = this.#symbolAt(offset);
      return symbol === null
        ? []
        : [{ function: this.#string(symbol.name), location: null, inlined: false }];
    }
    const { piece, group, calls } = found;
    const frames: SourceFrame[] = [];
    let location = this.#location(group, found);
    for (const call of calls) {
      frames.push({ function: this.#name(group, call.name) ?? "", location, inlined: true });
      location = this.#location(group, call);
    }
    let name = this.#name(group, piece.name);
    if (name === null) {
      const symbol = this.#symbolAt(offset);
      name = symbol === null ? "" : this.#string(symbol.name);
    }
    frames.push({ function: name, location, inlined: false });
    return frames;
  }

  /** The function at `offset`, that which is no inlined call; `null` when none is known. */
  functionAt(offset: number): MstFunction | null {
    const found = this.#find(offset);
    const name = found === null ? null : this.#name(found.group, found.piece.name);
    if (found !== null && name !== null) return { name, start: found.piece.functionStart };
    const symbol = this.#symbolAt(offset);
    return symbol === null ? null : { name: this.#string(symbol.name), start: symbol.start };
  }

  #section(section: keyof typeof SECTION): Stretch {
    return this.#header.sections[SECTION[section]];
  }

  /** The piece that holds `offset`, and what it has there. */
  #find(offset: number): Found | null {
    if (!(offset >= 0 && offset <= Number.MAX_SAFE_INTEGER)) return null;
    const pages = this.#section("PAGES");
    const pageCount = pages.size / PAGE_SIZE;
    const page = this.#last(pageCount, (index) => {
      return this.#u64(pages.offset + index * PAGE_SIZE) <= offset;
    });
    if (page < 0) return null;
    const pageAt = pages.offset + page * PAGE_SIZE;
    const base = this.#u64(pageAt);
    const pieces = this.#section("PIECES");
    const pieceCount = pieces.size / PIECE_SIZE;
    const first = Math.min(this.#u32(pageAt + 8), pieceCount);
    const end = page + 1 < pageCount
      ? Math.min(this.#u32(pageAt + PAGE_SIZE + 8), pieceCount)
      : pieceCount;
    const index = this.#last(end - first, (index) => {
      return base + this.#u32(pieces.offset + (first + index) * PIECE_SIZE) <= offset;
    });
    if (index < 0) return null;
    const pieceAt = pieces.offset + (first + index) * PIECE_SIZE;
    const start = base + this.#u32(pieceAt);
    return this.#read(this.#u32(pieceAt + 4), start, offset - start, true);
  }

  /** What a body has at `inside`.
   *
   * @param start of the piece
   */
  #read(bodyAt: number, start: number, inside: number, mayContinue: boolean): Found | null {
    const bodies = this.#section("BODIES");
    const reader = this.#counted(bodies, bodyAt, MAX_BODY);
    const head = reader.uleb();
    const shift = head % 4;
    if (shift === CONTINUES) {
      if (!mayContinue) throw reader.damage("a body that is whole");
      const skipped = reader.uleb();
      return this.#read(reader.uleb(), start - skipped, inside + skipped, false);
    }
    const functionStart = (head & 4) === 0 ? start : start - unzigzag(reader.uleb());
    const name = reader.uleb();
    const size = reader.uleb() * 2 ** shift;
    if (inside >= size) return null;
    const rowCount = reader.uleb();
    const scopes = this.#scopes;
    reader.scopes(Math.floor(head / 8), scopes);
    const row = reader.row(rowCount, Math.floor(inside / 2 ** shift), scopes);
    const calls: InlinedCall[] = [];
    for (let at = row.scope; at > 0; at = scopes.parents[at]) {
      calls.push(scopes.call(at));
      if (calls.length > MAX_DEPTH) throw reader.damage(`at most ${MAX_DEPTH} inlined calls`);
    }
    return {
      piece: { name, functionStart, size },
      group: this.#groupOf(bodyAt),
      file: row.file,
      line: row.line,
      column: row.column,
      calls,
    };
  }

  #groupOf(bodyAt: number): Group {
    const { offset, size } = this.#section("GROUPS");
    const count = size / GROUP_SIZE;
    const index = this.#last(count, (index) => this.#u32(offset + index * GROUP_SIZE) <= bodyAt);
    if (index < 0 || index + 1 >= count) {
      throw new FormatError(this.#file, offset + size, "a group of names");
    }
    const at = offset + index * GROUP_SIZE;
    return {
      names: this.#u32(at + 4),
      files: this.#u32(at + 8),
      end: this.#u32(at + GROUP_SIZE + 4),
    };
  }

  #name({ names, files }: Group, number: number): string | null {
    return number === 0 ? null : this.#ref(names, number, files);
  }

  #location(
    { files, end }: Group,
    { file, line, column }: Pick<Found, "file" | "line" | "column">,
  ): SourceLocation | null {
    return file === 0 ? null : { file: this.#ref(files, file, end), line, column };
  }

  /** A string of a group.
   *
   * @param number from 1
   */
  #ref(first: number, number: number, end: number): string {
    const { offset, size } = this.#section("REFS");
    const index = first + number - 1;
    if (!(index < end && index < size / 4)) {
      throw new FormatError(this.#file, offset + 4 * first, `${number} names or paths of a group`);
    }
    return this.#string(this.#u32(offset + 4 * index));
  }

  #string(at: number): string {
    const known = this.#strings.get(at);
    if (known !== undefined) return known;
    const text = decoder.decode(this.#counted(this.#section("STRINGS"), at, MAX_STRING).bytes);
    if (this.#strings.size >= MAX_KEPT) this.#strings.clear();
    this.#strings.set(at, text);
    return text;
  }

  #symbolAt(offset: number): { readonly name: number; readonly start: number } | null {
    const symbols = this.#section("SYMBOLS");
    const index = this.#last(symbols.size / SYMBOL_SIZE, (index) => {
      return this.#u64(symbols.offset + index * SYMBOL_SIZE) <= offset;
    });
    if (index < 0) return null;
    const at = symbols.offset + index * SYMBOL_SIZE;
    const start = this.#u64(at);
    return offset - start < this.#u32(at + 8) ? { name: this.#u32(at + 12), start } : null;
  }

  /** The last of `count` for which something holds that holds from the first on; -1 for none. */
  #last(count: number, holds: (index: number) => boolean): number {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (holds(middle)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #u32(offset: number): number {
    const at = offset - this.#dataOffset;
    const number = Math.floor(at * this.#blocksPerByte);
    if (number !== this.#recent) {
      this.#recentBytes = this.#blocks.block(number);
      this.#recent = number;
    }
    const bytes = this.#recentBytes;
    const inside = at - number * this.#blockSize;
    return (bytes[inside] | (bytes[inside + 1] << 8) | (bytes[inside + 2] << 16) |
      (bytes[inside + 3] << 24)) >>> 0;
  }

  #u64(offset: number): number {
    return this.#u32(offset) + this.#u32(offset + 4) * 2 ** 32;
  }

  /** What begins at `at` of a section with its length. */
  #counted({ offset, size }: Stretch, at: number, limit: number): BodyReader {
    if (at >= size) {
      throw new FormatError(this.#file, offset + size, `a byte at 0x${at.toString(16)}`);
    }
    const start = offset + at;
    const head = new BodyReader(
      this.#bytes(start, Math.min(MAX_ULEB, size - at)),
      this.#file,
      start,
    );
    const length = head.uleb();
    if (length > limit || length > size - at - head.position) {
      throw new FormatError(this.#file, start, `a length of at most ${limit}, inside its section`);
    }
    const from = start + head.position;
    return new BodyReader(this.#bytes(from, length), this.#file, from);
  }

  /** Bytes of the data, inside it. */
  #bytes(offset: number, length: number): Uint8Array {
    const blockSize = this.#blockSize;
    let at = offset - this.#dataOffset;
    let number = Math.floor(at * this.#blocksPerByte);
    at -= number * blockSize;
    if (at + length <= blockSize) return this.#blocks.block(number).subarray(at, at + length);
    const joined = new Uint8Array(length);
    for (let done = 0; done < length; number++, at = 0) {
      const taken = this.#blocks.block(number).subarray(at, at + length - done);
      joined.set(taken, done);
      done += taken.length;
    }
    return joined;
  }
}

/** Reads the numbers of a body. */
class BodyReader {
  readonly bytes: Uint8Array;
  position = 0;
  readonly #file: string;
  readonly #offset: number;

  /** @param offset of the bytes in the file */
  constructor(bytes: Uint8Array, file: string, offset: number) {
    this.bytes = bytes;
    this.#file = file;
    this.#offset = offset;
  }

  damage(expected: string): FormatError {
    return new FormatError(this.#file, this.#offset + this.position, expected);
  }

  uleb(): number {
    const { bytes } = this;
    const first = bytes[this.position];
    if (first < 0x80) {
      this.position++;
      return first;
    }
    let value = 0;
    let scale = 1;
    for (let count = 0; count < MAX_ULEB && this.position < bytes.length; count++) {
      const byte = bytes[this.position++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80 && value <= Number.MAX_SAFE_INTEGER) return value;
      scale *= 128;
    }
    throw this.damage("a number");
  }

  /** Reads the inlined calls of a body. */
  scopes(count: number, scopes: Scopes): void {
    // Each takes five bytes or more.
    if (count > (this.bytes.length - this.position) / 5) throw this.damage(`${count} calls`);
    scopes.begin(count + 1);
    const { parents, names, callFiles, callLines, callColumns } = scopes;
    for (let scope = 1; scope <= count; scope++) {
      const parent = scope - this.uleb();
      if (!(parent >= 0 && parent < scope)) throw this.damage("a call inside one before it");
      parents[scope] = parent;
      names[scope] = this.uleb();
      callFiles[scope] = this.uleb();
      callLines[scope] = this.uleb();
      callColumns[scope] = this.uleb();
    }
  }

  /** The row that holds at `target`.
   *
   * @param count rows
   * @param target code units from the piece's start
   */
  row(
    count: number,
    target: number,
    { count: scopes, parents, files, lines, columns }: Scopes,
  ): { scope: number; file: number; line: number; column: number } {
    const { bytes } = this;
    let at = 0;
    let scope = 0;
    let highest = 0;
    let file = 0;
    let line = 0;
    let column = 0;
    for (let row = 0; row < count; row++) {
      if (this.position >= bytes.length) throw this.damage(`${count} rows, and this is row ${row}`);
      const control = bytes[this.position++];
      if (row > 0) {
        const step = control & 7;
        at += step > 0 ? step : this.uleb();
        if (at > target) break;
      }
      const kind = (control >> 3) & 3;
      if (kind !== 0) {
        files[scope] = file;
        lines[scope] = line;
        columns[scope] = column;
        const next = kind === 1
          ? highest + 1
          : kind === 3
          ? this.uleb()
          : scope > 0
          ? parents[scope]
          : 0;
        if (next >= scopes) throw this.damage(`one of ${scopes} scopes`);
        scope = next;
        if (scope > highest) {
          for (let passed = highest + 1; passed < scope; passed++) {
            files[passed] = file;
            lines[passed] = line;
            columns[passed] = column;
          }
          highest = scope;
        } else {
          file = files[scope];
          line = lines[scope];
          column = columns[scope];
        }
      }
      if ((control & 0x20) !== 0) file = this.uleb();
      if ((control & 0x40) !== 0) line += unzigzag(this.uleb());
      if ((control & 0x80) !== 0) column = this.uleb();
    }
    if (line < 0) throw this.damage("a line from 0 on");
    return { scope, file, line, column };
  }
}
