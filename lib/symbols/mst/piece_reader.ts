/** Reads the body of a piece: its inlined calls, and the row for an offset. */

import { FormatError } from "../../errors.ts";
import { unzigzag } from "./byte_buffer.ts";

/** Maximum size of a ULEB128 number below 2^53. */
export const MAX_ULEB = 8;

/** An inlined function and its call. */
export interface InlinedCall {
  readonly name: number;
  readonly file: number;
  readonly line: number;
  readonly column: number;
}

/** The scopes of a body in columns, reused for each body. Scope 0 is the function itself. */
export class Scopes {
  count = 0;
  parents: Uint32Array = new Uint32Array(0);
  /** Position of each inlined call's other numbers. */
  positions: Uint32Array = this.parents;
  // The source position of the last row of each scope.
  files: Float64Array = new Float64Array(0);
  lines: Float64Array = this.files;
  columns: Float64Array = this.files;

  /** Makes room for `count` scopes; discards the contents. */
  begin(count: number): void {
    this.count = count;
    if (count > this.parents.length) {
      const room = 2 * count;
      this.parents = new Uint32Array(room);
      this.positions = new Uint32Array(room);
      this.files = new Float64Array(room);
      this.lines = new Float64Array(room);
      this.columns = new Float64Array(room);
    }
    this.files[0] = 0;
    this.lines[0] = 0;
    this.columns[0] = 0;
  }
}

/** The scope and source position of a row. */
export interface Row {
  readonly scope: number;
  readonly file: number;
  readonly line: number;
  readonly column: number;
}

/** Reads the numbers of bodies, one at a time. */
export class PieceReader {
  bytes: Uint8Array = new Uint8Array();
  // The position in `bytes`, and the end of the item.
  position = 0;
  end = 0;
  readonly #file: string;
  /** Offset of `bytes` in the file. */
  #offset = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Positions the reader. */
  begin(bytes: Uint8Array, position: number, end: number, offset: number): void {
    this.bytes = bytes;
    this.position = position;
    this.end = end;
    this.#offset = offset;
  }

  damage(expected: string): FormatError {
    return new FormatError(this.#file, this.#offset + this.position, expected);
  }

  uleb(): number {
    const { bytes, end } = this;
    let position = this.position;
    if (position < end && bytes[position] < 0x80) {
      this.position = position + 1;
      return bytes[position];
    }
    let value = 0;
    let scale = 1;
    for (let count = 0; count < MAX_ULEB && position < end; count++) {
      const byte = bytes[position++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80 && value <= Number.MAX_SAFE_INTEGER) {
        this.position = position;
        return value;
      }
      scale *= 128;
    }
    throw this.damage("a number");
  }

  /** Finds the inlined calls of a body. */
  scopes(count: number, scopes: Scopes): void {
    const { bytes, end } = this;
    // Each takes at least five bytes.
    if (count > (end - this.position) / 5) throw this.damage(`${count} calls`);
    scopes.begin(count + 1);
    const { parents, positions } = scopes;
    for (let scope = 1; scope <= count; scope++) {
      const parent = scope - this.uleb();
      if (!(parent >= 0 && parent < scope)) throw this.damage("a call inside one before it");
      parents[scope] = parent;
      let position = this.position;
      positions[scope] = position;
      // Name, file, line and column are only read for the calls that are needed.
      for (let numbers = 0; numbers < 4; numbers++) while (bytes[position++] >= 0x80);
      this.position = position;
      if (position > end) throw this.damage("calls inside the body");
    }
  }

  /** Reads an inlined call. */
  call(scope: number, { positions }: Scopes): InlinedCall {
    this.position = positions[scope];
    const name = this.uleb();
    const file = this.uleb();
    const line = this.uleb();
    return { name, file, line, column: this.uleb() };
  }

  /** The row that applies at `target`.
   *
   * @param count number of rows
   * @param target offset in the piece, in code units
   */
  row(count: number, target: number, scopes: Scopes): Row {
    const { bytes, end } = this;
    const { count: scopeCount, parents, files, lines, columns } = scopes;
    let at = 0;
    let scope = 0;
    let highest = 0;
    let file = 0;
    let line = 0;
    let column = 0;
    let position = this.position;
    for (let row = 0; row < count; row++) {
      if (position >= end) {
        this.position = position;
        throw this.damage(`${count} rows, and this is row ${row}`);
      }
      const control = bytes[position++];
      if (row > 0) {
        let step = control & 7;
        if (step === 0) {
          this.position = position;
          step = this.uleb();
          position = this.position;
        }
        at += step;
        if (at > target) break;
      }
      const kind = (control >> 3) & 3;
      if (kind !== 0) {
        files[scope] = file;
        lines[scope] = line;
        columns[scope] = column;
        let next = highest + 1;
        if (kind === 2) next = scope > 0 ? parents[scope] : 0;
        else if (kind === 3) {
          this.position = position;
          next = this.uleb();
          position = this.position;
        }
        if (next >= scopeCount) throw this.damage(`one of ${scopeCount} scopes`);
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
      // Most numbers take one byte and need no call.
      if ((control & 0x20) !== 0) {
        this.position = position;
        file = this.uleb();
        position = this.position;
      }
      if ((control & 0x40) !== 0) {
        let change = position < end ? bytes[position] : 0x80;
        if (change < 0x80) position++;
        else {
          this.position = position;
          change = this.uleb();
          position = this.position;
        }
        line += unzigzag(change);
      }
      if ((control & 0x80) !== 0) {
        const byte = position < end ? bytes[position] : 0x80;
        if (byte < 0x80) {
          column = byte;
          position++;
        } else {
          this.position = position;
          column = this.uleb();
          position = this.position;
        }
      }
    }
    if (line < 0) throw this.damage("a line from 0 on");
    return { scope, file, line, column };
  }
}
