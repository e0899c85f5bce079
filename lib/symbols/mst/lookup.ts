/** Lookups in a symbol table file. */

import type { RawText } from "../../escape.ts";
import { FormatError } from "../../errors.ts";
import type { SourceFrame, SourceLocation } from "../../dwarf/mod.ts";
import type { Blocks } from "./blocks.ts";
import { unzigzag } from "./byte_buffer.ts";
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
import { type InlinedCall, MAX_ULEB, PieceReader, Scopes } from "./piece_reader.ts";

/** Bytes of symbols that are verified per step. */
const VERIFIED = 1024 * SYMBOL_SIZE;
/** Maximum number of strings kept. */
const MAX_KEPT = 1 << 14;

const decoder = new TextDecoder();

/** A function of a symbol table file. */
export interface MstFunction {
  /** The mangled name, if it has one. */
  readonly name: RawText;
  /** Start, as an offset from the image's base. */
  readonly start: number;
}

/** The contents of a piece at an offset. */
interface Found {
  readonly piece: Piece;
  readonly group: Group;
  /** The number of the source path; 0 for none. */
  readonly file: number;
  readonly line: number;
  readonly column: number;
  /** The inlined calls, innermost first. */
  readonly calls: readonly InlinedCall[];
}

/** The places of the names and paths of a group. */
interface Group {
  readonly names: number;
  readonly files: number;
  readonly end: number;
}

/** A page: the range of offsets in which its pieces begin, and their numbers. */
interface Page {
  readonly base: number;
  readonly next: number;
  readonly first: number;
  readonly end: number;
}

/** The start of a body, before calls and rows. */
interface Piece {
  /** The number of the name in the group; 0 for none. */
  readonly name: number;
  /** Start of the function. */
  readonly functionStart: number;
  /** Size in bytes. */
  readonly size: number;
}

/** Looks offsets up. Throws {@linkcode FormatError} if the file is damaged. Only strings and the last page are
 * kept between calls, so that a lookup interrupted by a missing block can be repeated. */
export class MstLookup {
  readonly #header: MstHeader;
  readonly #dataOffset: number;
  readonly #blockSize: number;
  /** The inverse of the block size, a power of two: multiplication is exact. */
  readonly #blocksPerByte: number;
  readonly #blocks: Blocks;
  readonly #file: string;
  readonly #strings = new Map<number, RawText>();
  readonly #scopes = new Scopes();
  readonly #reader: PieceReader;
  /** The last page used: many lookups come in ascending order. */
  #page: Page = { base: NaN, next: NaN, first: 0, end: 0 };
  // The last block used: searches use it repeatedly.
  #recent = -1;
  #recentBytes: Uint8Array = new Uint8Array();

  constructor(header: MstHeader, blocks: Blocks, file: string) {
    this.#header = header;
    this.#dataOffset = header.data.offset;
    this.#blockSize = 2 ** header.blockShift;
    this.#blocksPerByte = 1 / this.#blockSize;
    this.#blocks = blocks;
    this.#file = file;
    this.#reader = new PieceReader(file);
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
      frames.push({
        function: this.#name(group, call.name) ?? "",
        location,
        inlined: true,
      });
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

  /** The function at `offset`, ignoring inlined calls; `null` if none is known. */
  functionAt(offset: number): MstFunction | null {
    const found = this.#find(offset);
    const name = found === null ? null : this.#name(found.group, found.piece.name);
    if (found !== null && name !== null) return { name, start: found.piece.functionStart };
    const symbol = this.#symbolAt(offset);
    return symbol === null ? null : { name: this.#string(symbol.name), start: symbol.start };
  }

  /** Reads pieces and symbols as lookups do; yields every few milliseconds.
   *
   * @param sample number of pieces to read, from all over the file; all when left out
   * @throws {FormatError} at the first damage
   */
  *verify(sample?: number): Generator<void> {
    const { offset: pages, size } = this.#section("PAGES");
    const step = sample === undefined ? 1 : Math.ceil(size / PAGE_SIZE / sample);
    const { offset: pieces } = this.#section("PIECES");
    let last = -1;
    for (let page = 0; page < size / PAGE_SIZE; page += step) {
      if (!this.#turnTo(this.#u64(pages + page * PAGE_SIZE))) continue;
      const { base, first, end } = this.#page;
      for (let piece = first; piece < end; piece++) {
        const at = pieces + piece * PIECE_SIZE;
        const start = base + this.#u32(at);
        if (start <= last) throw new FormatError(this.#file, at, "pieces in rising order");
        last = start;
        this.#verifyPiece(this.#u32(at + 4), start);
        if (sample !== undefined) break;
      }
      yield;
    }
    if (sample !== undefined) return;
    const symbols = this.#section("SYMBOLS");
    for (let at = 0; at < symbols.size; at += SYMBOL_SIZE) {
      this.#string(this.#u32(symbols.offset + at + 12));
      if (at % VERIFIED === 0) yield;
    }
  }

  #verifyPiece(bodyAt: number, start: number): void {
    const found = this.#read(bodyAt, start, Infinity, true)!;
    this.#name(found.group, found.piece.name);
    this.#location(found.group, found);
    for (const call of found.calls) {
      this.#name(found.group, call.name);
      this.#location(found.group, call);
    }
  }

  #section(section: keyof typeof SECTION): Stretch {
    return this.#header.sections[SECTION[section]];
  }

  /** The contents of the piece at `offset`. */
  #find(offset: number): Found | null {
    if (!(offset >= 0 && offset <= Number.MAX_SAFE_INTEGER)) return null;
    const page = this.#page;
    if (!(page.base <= offset && offset < page.next) && !this.#turnTo(offset)) return null;
    const { base, first, end } = this.#page;
    const pieces = this.#section("PIECES");
    const index = this.#last(end - first, (index) => {
      return base + this.#u32(pieces.offset + (first + index) * PIECE_SIZE) <= offset;
    });
    if (index < 0) return null;
    const pieceAt = pieces.offset + (first + index) * PIECE_SIZE;
    const start = base + this.#u32(pieceAt);
    return this.#read(this.#u32(pieceAt + 4), start, offset - start, true);
  }

  /** Finds the page for `offset`; returns false if there is none. */
  #turnTo(offset: number): boolean {
    const { offset: pages, size } = this.#section("PAGES");
    const count = size / PAGE_SIZE;
    const page = this.#last(count, (index) => this.#u64(pages + index * PAGE_SIZE) <= offset);
    if (page < 0) return false;
    const pieces = this.#section("PIECES").size / PIECE_SIZE;
    const at = pages + page * PAGE_SIZE;
    const isLast = page + 1 === count;
    this.#page = {
      base: this.#u64(at),
      next: isLast ? Infinity : this.#u64(at + PAGE_SIZE),
      first: Math.min(this.#u32(at + 8), pieces),
      end: isLast ? pieces : Math.min(this.#u32(at + PAGE_SIZE + 8), pieces),
    };
    return true;
  }

  /** The contents of a body at an offset.
   *
   * @param start start of the piece
   * @param inside offset in the piece; Infinity for the last row
   */
  #read(bodyAt: number, start: number, inside: number, mayContinue: boolean): Found | null {
    const bodies = this.#section("BODIES");
    const reader = this.#reader;
    this.#begin(reader, bodies, bodyAt, MAX_BODY);
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
    if (inside >= size && inside < Infinity) return null;
    const rowCount = reader.uleb();
    const scopes = this.#scopes;
    reader.scopes(Math.floor(head / 8), scopes);
    const row = reader.row(rowCount, Math.floor(inside / 2 ** shift), scopes);
    const calls: InlinedCall[] = [];
    for (let at = row.scope; at > 0; at = scopes.parents[at]) {
      calls.push(reader.call(at, scopes));
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

  #name({ names, files }: Group, number: number): RawText | null {
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
  #ref(first: number, number: number, end: number): RawText {
    const { offset, size } = this.#section("REFS");
    const index = first + number - 1;
    if (!(index < end && index < size / 4)) {
      throw new FormatError(this.#file, offset + 4 * first, `${number} names or paths of a group`);
    }
    return this.#string(this.#u32(offset + 4 * index));
  }

  #string(at: number): RawText {
    const known = this.#strings.get(at);
    if (known !== undefined) return known;
    const reader = this.#reader;
    this.#begin(reader, this.#section("STRINGS"), at, MAX_STRING);
    const text = decoder.decode(reader.bytes.subarray(reader.position, reader.end));
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

  /** The last index below `count` for which a monotonic condition holds; -1 for none. */
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

  /** Positions a reader at a length-prefixed item of a section. */
  #begin(reader: PieceReader, { offset, size }: Stretch, at: number, limit: number): void {
    if (at >= size) {
      throw new FormatError(this.#file, offset + size, `a byte at 0x${at.toString(16)}`);
    }
    const start = offset + at;
    this.#window(reader, start, Math.min(MAX_ULEB, size - at));
    const first = reader.position;
    const length = reader.uleb();
    const head = reader.position - first;
    if (length > limit || length > size - at - head) {
      throw new FormatError(this.#file, start, `a length of at most ${limit}, inside its section`);
    }
    this.#window(reader, start + head, length);
  }

  /** Positions a reader at bytes of the data. */
  #window(reader: PieceReader, offset: number, length: number): void {
    const blockSize = this.#blockSize;
    const start = offset - this.#dataOffset;
    let number = Math.floor(start * this.#blocksPerByte);
    let at = start - number * blockSize;
    if (at + length <= blockSize) {
      reader.begin(this.#blocks.block(number), at, at + length, offset - at);
      return;
    }
    const joined = new Uint8Array(length);
    for (let done = 0; done < length; number++, at = 0) {
      const taken = this.#blocks.block(number).subarray(at, at + length - done);
      joined.set(taken, done);
      done += taken.length;
    }
    reader.begin(joined, 0, length, offset);
  }
}
