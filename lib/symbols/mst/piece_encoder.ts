/** Writes the body of a piece: a stretch of a function's code, its inlined calls and its lines. */

import { ByteBuffer, zigzag } from "./byte_buffer.ts";

/** Rows of a piece, at most: one that looks an offset up reads on average half of them. */
export const MAX_ROWS = 1024;
/** Inlined calls of a piece, at most, besides those of one row more. */
export const MAX_SCOPES = 4096;
/** What one row, and one inlined call, may take. */
const ROW_ROOM = 34;
const SCOPE_ROOM = 40;

/** How a row's control byte says which scope it is of; 0 is that of the row before. */
const NEW = 1;
const PARENT = 2;
const OTHER = 3;

/** An encoder for one piece after another. A row says from where on a scope and a place in the
 * sources hold. */
export class PieceEncoder {
  rowCount = 0;
  scopeCount = 0;
  readonly #rows = new ByteBuffer(1 << 14);
  readonly #scopes = new ByteBuffer(1 << 12);
  /** By scope, the function itself being 0. */
  #parents = new Int32Array(2 * MAX_SCOPES);
  #files = new Float64Array(2 * MAX_SCOPES);
  #lines = new Float64Array(2 * MAX_SCOPES);
  #columns = new Float64Array(2 * MAX_SCOPES);
  #scope = 0;
  #highest = 0;
  #file = 0;
  #line = 0;
  #column = 0;

  /** Begins a piece. */
  begin(): void {
    this.#rows.length = 0;
    this.#scopes.length = 0;
    this.rowCount = 0;
    this.scopeCount = 0;
    this.#scope = 0;
    this.#highest = 0;
    this.#file = 0;
    this.#line = 0;
    this.#column = 0;
    this.#files[0] = 0;
    this.#lines[0] = 0;
    this.#columns[0] = 0;
  }

  /** Adds an inlined call.
   *
   * @param parent the scope that it was inlined into
   * @returns its number
   */
  scope(parent: number, name: number, file: number, line: number, column: number): number {
    const number = ++this.scopeCount;
    if (number === this.#parents.length) this.#grow();
    this.#parents[number] = parent;
    const scopes = this.#scopes;
    scopes.reserve(SCOPE_ROOM);
    scopes.uleb(number - parent);
    scopes.uleb(name);
    scopes.uleb(file);
    scopes.uleb(line);
    scopes.uleb(column);
    return number;
  }

  /** Adds a row, unless it says what the one before says.
   *
   * @param step code units since the last row that was added
   * @returns whether it was added
   */
  row(step: number, scope: number, file: number, line: number, column: number): boolean {
    const count = this.rowCount;
    const before = this.#scope;
    if (
      scope === before && line === this.#line && column === this.#column && file === this.#file &&
      count > 0
    ) return false;
    this.rowCount = count + 1;
    const rows = this.#rows;
    rows.reserve(ROW_ROOM);
    const controlAt = rows.length++;
    let control = 0;
    if (count > 0) {
      if (step > 0 && step < 8) control = step;
      else rows.uleb(step);
    }
    let baseFile = this.#file;
    let baseLine = this.#line;
    let baseColumn = this.#column;
    if (scope !== before) {
      this.#files[before] = baseFile;
      this.#lines[before] = baseLine;
      this.#columns[before] = baseColumn;
      const highest = this.#highest;
      if (scope > highest) {
        if (scope === highest + 1) {
          control |= NEW << 3;
        } else {
          control |= OTHER << 3;
          rows.uleb(scope);
        }
        for (let passed = highest + 1; passed < scope; passed++) {
          this.#files[passed] = baseFile;
          this.#lines[passed] = baseLine;
          this.#columns[passed] = baseColumn;
        }
        this.#highest = scope;
      } else {
        if (before > 0 && scope === this.#parents[before]) {
          control |= PARENT << 3;
        } else {
          control |= OTHER << 3;
          rows.uleb(scope);
        }
        baseFile = this.#files[scope];
        baseLine = this.#lines[scope];
        baseColumn = this.#columns[scope];
      }
      this.#scope = scope;
    }
    if (file !== baseFile) {
      control |= 0x20;
      rows.uleb(file);
    }
    if (line !== baseLine) {
      control |= 0x40;
      rows.uleb(zigzag(line - baseLine));
    }
    if (column !== baseColumn) {
      control |= 0x80;
      rows.uleb(column);
    }
    rows.bytes[controlAt] = control;
    this.#file = file;
    this.#line = line;
    this.#column = column;
    return true;
  }

  /** Ends the piece, and adds its body.
   *
   * @param name of the function; 0 for none
   * @param shift code units are of so many bytes, as a power of two
   * @param size code units
   * @param since the function's first byte, in bytes to the piece's first
   */
  end(out: ByteBuffer, name: number, shift: number, size: number, since: number): void {
    const rows = this.#rows.written;
    const scopes = this.#scopes.written;
    out.reserve(rows.length + scopes.length + 64);
    // What precedes the scopes is written where it is to stay, behind room for the length.
    const start = out.length;
    out.length += 4;
    out.uleb(this.scopeCount * 8 + (since !== 0 ? 4 : 0) + shift);
    if (since !== 0) out.uleb(zigzag(since));
    out.uleb(name);
    out.uleb(size);
    out.uleb(this.rowCount);
    const head = out.bytes.subarray(start + 4, out.length);
    const length = head.length + scopes.length + rows.length;
    out.length = start;
    out.uleb(length);
    out.bytes.copyWithin(out.length, start + 4, start + 4 + head.length);
    out.length += head.length;
    out.append(scopes);
    out.append(rows);
  }

  #grow(): void {
    const length = 2 * this.#parents.length;
    const parents = new Int32Array(length);
    parents.set(this.#parents);
    this.#parents = parents;
    const wider = (old: Float64Array) => {
      const array = new Float64Array(length);
      array.set(old);
      return array;
    };
    this.#files = wider(this.#files);
    this.#lines = wider(this.#lines);
    this.#columns = wider(this.#columns);
  }
}
