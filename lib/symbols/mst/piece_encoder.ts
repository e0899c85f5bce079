/** Encodes the body of a piece: the inlined calls and lines of a stretch of a function. */

import { ByteBuffer, putUleb, ulebSize, zigzag } from "./byte_buffer.ts";

/** Maximum number of rows per piece. A lookup reads half of them on average. */
export const MAX_ROWS = 128;
/** Number of inlined calls at which a piece ends. */
export const MAX_SCOPES = 512;
// Maximum sizes of a row and of an inlined call, in bytes.
const ROW_ROOM = 34;
const SCOPE_ROOM = 40;

// The scope bits of a row's control byte; 0 is the scope of the previous row.
const NEW = 1;
const PARENT = 2;
const OTHER = 3;

/** Encodes pieces, one at a time. A row gives the offset from which a scope and a source position apply. */
export class PieceEncoder {
  rowCount = 0;
  scopeCount = 0;
  readonly #rows = new ByteBuffer(1 << 14);
  readonly #scopes = new ByteBuffer(1 << 12);
  // By scope; 0 is the function itself.
  #parents = new Int32Array(2 * MAX_SCOPES);
  #files = new Float64Array(2 * MAX_SCOPES);
  #lines = new Float64Array(2 * MAX_SCOPES);
  #columns = new Float64Array(2 * MAX_SCOPES);
  #scope = 0;
  #highest = 0;
  #file = 0;
  #line = 0;
  #column = 0;

  /** Starts a piece. */
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
   * @param parent the scope into which it is inlined
   * @returns its number
   */
  scope(parent: number, name: number, file: number, line: number, column: number): number {
    const number = ++this.scopeCount;
    if (number === this.#parents.length) this.#grow();
    this.#parents[number] = parent;
    const scopes = this.#scopes;
    scopes.reserve(SCOPE_ROOM);
    const { bytes } = scopes;
    let at = putUleb(bytes, scopes.length, number - parent);
    at = putUleb(bytes, at, name);
    at = putUleb(bytes, at, file);
    at = putUleb(bytes, at, line);
    scopes.length = putUleb(bytes, at, column);
    return number;
  }

  /** Adds a row, which differs from the previous one.
   *
   * @param step distance from the previous row, in code units
   */
  row(step: number, scope: number, file: number, line: number, column: number): void {
    const rows = this.#rows;
    rows.reserve(ROW_ROOM);
    const { bytes } = rows;
    const controlAt = rows.length;
    let at = controlAt + 1;
    let control = 0;
    if (this.rowCount++ > 0) {
      if (step > 0 && step < 8) control = step;
      else at = putUleb(bytes, at, step);
    }
    let baseFile = this.#file;
    let baseLine = this.#line;
    let baseColumn = this.#column;
    const before = this.#scope;
    if (scope !== before) {
      this.#scope = scope;
      this.#files[before] = baseFile;
      this.#lines[before] = baseLine;
      this.#columns[before] = baseColumn;
      const highest = this.#highest;
      if (scope === highest + 1) {
        control |= NEW << 3;
      } else if (before > 0 && scope === this.#parents[before] && scope <= highest) {
        control |= PARENT << 3;
      } else {
        control |= OTHER << 3;
        at = putUleb(bytes, at, scope);
      }
      if (scope > highest) {
        for (let passed = highest + 1; passed < scope; passed++) {
          this.#files[passed] = baseFile;
          this.#lines[passed] = baseLine;
          this.#columns[passed] = baseColumn;
        }
        this.#highest = scope;
      } else {
        baseFile = this.#files[scope];
        baseLine = this.#lines[scope];
        baseColumn = this.#columns[scope];
      }
    }
    this.#file = file;
    this.#line = line;
    this.#column = column;
    // Most numbers take one byte and need no call.
    if (file !== baseFile) {
      control |= 0x20;
      at = putUleb(bytes, at, file);
    }
    if (line !== baseLine) {
      control |= 0x40;
      const change = zigzag(line - baseLine);
      if (change < 0x80) bytes[at++] = change;
      else at = putUleb(bytes, at, change);
    }
    if (column !== baseColumn) {
      control |= 0x80;
      if (column < 0x80) bytes[at++] = column;
      else at = putUleb(bytes, at, column);
    }
    bytes[controlAt] = control;
    rows.length = at;
  }

  /** Ends the piece and appends its body.
   *
   * @param name number of the function's name; 0 for none
   * @param shift size of a code unit, as a power of two
   * @param size size of the piece, in code units
   * @param since offset of the piece in the function, in bytes
   */
  end(out: ByteBuffer, name: number, shift: number, size: number, since: number): void {
    const rows = this.#rows;
    const scopes = this.#scopes;
    const flags = this.scopeCount * 8 + (since !== 0 ? 4 : 0) + shift;
    const from = since === 0 ? 0 : zigzag(since);
    const head = ulebSize(flags) + (since === 0 ? 0 : ulebSize(from)) + ulebSize(name) +
      ulebSize(size) + ulebSize(this.rowCount);
    const length = head + scopes.length + rows.length;
    out.reserve(length + 8);
    out.uleb(length);
    out.uleb(flags);
    if (since !== 0) out.uleb(from);
    out.uleb(name);
    out.uleb(size);
    out.uleb(this.rowCount);
    out.copy(scopes);
    out.copy(rows);
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
