/** Runs line number programs. DWARF 5, section 6.2. */
import { FormatError } from "../errors.ts";
import { lebEnd, slebAt, ulebAt } from "../leb128.ts";
import { type Addresses, MAX_OFFSET } from "./addresses.ts";
import { LNE, LNS } from "./constants.ts";
import type { LineHeader } from "./line_header.ts";
import { grown } from "./unit_walk.ts";

/** Maximum number of rows per unit. More is damage. A row takes at least a byte of input, and 20 of memory. */
const MAX_ROWS = 1 << 24;

/** Bytes of the program per call. V8 compiles a function that is called often once; a loop over a whole
 * program is compiled several times, in the middle of the first ones. */
const STRETCH = 1 << 10;

/** The registers of the state machine. DWARF 5, section 6.2.2. */
interface LineState {
  address: number;
  operation: number;
  file: number;
  line: number;
  column: number;
  /** Whether the linker removed the sequence's code. */
  removed: boolean;
  /** The address of the previous row; -1 at the start of a sequence. */
  lastAddress: number;
}

function initialState(): LineState {
  return {
    address: 0,
    operation: 0,
    file: 1,
    line: 1,
    column: 0,
    removed: false,
    lastAddress: -1,
  };
}

/** The rows of a unit, in columns that are reused for the next unit. The last of several rows at one offset is
 * kept, and the first of consecutive equal rows. */
export class LineRows {
  count = 0;
  offset: Float64Array = new Float64Array(4096);
  file: Uint32Array = new Uint32Array(4096);
  line: Uint32Array = new Uint32Array(4096);
  column: Uint32Array = new Uint32Array(4096);
  sequenceCount = 0;
  /** The first row of each sequence, and the end of the last one. */
  sequenceRows: Uint32Array = new Uint32Array(256);
  sequenceHigh: Float64Array = new Float64Array(256);
  /** Receives the files that the program defines. */
  onDefine: ((name: string, directory: number) => void) | undefined;

  // By opcode, for the current header.
  readonly #lineAdvance = new Int32Array(256);
  readonly #operationAdvance = new Int32Array(256);
  readonly #byteAdvance = new Int32Array(256);

  /** The registers between two calls. */
  #state = initialState();
  /** Number of rows including the unfinished sequence, and that sequence's first row. */
  #pending = 0;
  #first = 0;

  /** Removes all rows. */
  clear(): void {
    this.count = this.sequenceCount = 0;
    this.#pending = this.#first = 0;
    this.sequenceRows[0] = 0;
    this.#state = initialState();
  }

  /** Runs a program.
   *
   * @param bytes the whole line table
   * @throws {FormatError} when it is damaged; the sequences before the damage are kept
   */
  run(bytes: Uint8Array, header: LineHeader, addresses: Addresses): void {
    this.clear();
    this.#prepare(header);
    const { end } = header;
    let at = header.program;
    while (at < end) {
      at = this.#stretch(bytes, header, addresses, at, Math.min(end, at + STRETCH));
    }
    if (!(at <= end)) throw damage(header, end, "a whole program");
    if (this.#pending > this.#first) throw damage(header, end, "the end of a sequence");
  }

  /** Runs the opcodes that begin before `limit`.
   *
   * @returns the offset of the next opcode
   */
  #stretch(
    bytes: Uint8Array,
    header: LineHeader,
    addresses: Addresses,
    at: number,
    limit: number,
  ): number {
    const { minimumLength, maximumOperations, opcodeBase, operands, addressSize, end } = header;
    const lineAdvance = this.#lineAdvance;
    const operationAdvance = this.#operationAdvance;
    const byteAdvance = this.#byteAdvance;
    const state = this.#state;
    let { offset, file, line, column } = this;
    let capacity = offset.length;
    let count = this.#pending;
    let first = this.#first;
    let { address, operation, removed, lastAddress } = state;
    let { file: currentFile, line: currentLine, column: currentColumn } = state;

    const single = maximumOperations === 1;
    while (at < limit) {
      const opcode = bytes[at++];
      if (opcode >= opcodeBase) {
        currentLine += lineAdvance[opcode];
        if (single) address += byteAdvance[opcode];
        else {
          operation += operationAdvance[opcode];
          address += bundles(operation, header);
          operation %= maximumOperations;
        }
      } else if (opcode !== LNS.copy) {
        switch (opcode) {
          case LNS.advance_pc: {
            const operations = ulebAt(bytes, at);
            at = lebEnd(bytes, at);
            if (single) address += operations * minimumLength;
            else {
              operation += operations;
              address += bundles(operation, header);
              operation %= maximumOperations;
            }
            break;
          }
          case LNS.advance_line: {
            const byte = bytes[at++];
            if (byte < 0x80) currentLine += (byte << 25) >> 25;
            else {
              const next = bytes[at++];
              if (next < 0x80) {
                currentLine += (((byte & 0x7f) | (next << 7)) << 18) >> 18;
              } else {
                currentLine = (currentLine + slebAt(bytes, at - 2)) | 0;
                at = lebEnd(bytes, at - 2);
              }
            }
            break;
          }
          case LNS.set_file:
            currentFile = bytes[at++];
            if (currentFile >= 0x80) {
              currentFile = ulebAt(bytes, at - 1);
              at = lebEnd(bytes, at);
            }
            break;
          case LNS.set_column:
            currentColumn = bytes[at++];
            if (currentColumn >= 0x80) {
              currentColumn = ulebAt(bytes, at - 1);
              at = lebEnd(bytes, at);
            }
            break;
          case LNS.negate_stmt:
          case LNS.set_basic_block:
          case LNS.set_prologue_end:
          case LNS.set_epilogue_begin:
            break;
          case LNS.const_add_pc:
            if (single) address += byteAdvance[255];
            else {
              operation += operationAdvance[255];
              address += bundles(operation, header);
              operation %= maximumOperations;
            }
            break;
          case LNS.fixed_advance_pc:
            address += bytes[at] | (bytes[at + 1] << 8);
            operation = 0;
            at += 2;
            break;
          case LNS.set_isa:
            at = lebEnd(bytes, at);
            break;
          case 0: {
            const length = ulebAt(bytes, at);
            at = lebEnd(bytes, at);
            const next = at + length;
            if (!(next <= end)) throw damage(header, at, "a whole opcode");
            const extended = length === 0 ? -1 : bytes[at];
            if (extended === LNE.end_sequence) {
              if (count > first && !removed && address > offset[first]) {
                this.#endSequence(count, address);
              } else count = first;
              first = count;
              address = operation = currentColumn = 0;
              currentFile = currentLine = 1;
              removed = false;
              lastAddress = -1;
            } else if (extended === LNE.set_address) {
              const size = length === 5 ? 4 : length === 9 ? 8 : addressSize;
              address = addresses.read(bytes, at + 1, size);
              operation = 0;
              // The address is in no image. A sequence is kept up to the removed part.
              if (!(address >= 0 && address < MAX_OFFSET)) {
                if (count > first) this.#endSequence(count, lastAddress);
                first = count;
                removed = true;
                address = 0;
              }
            } else if (extended === LNE.define_file) this.#define(bytes, at + 1, next);
            at = next;
            break;
          }
          default:
            for (let left = operands[opcode - 1]; left > 0; left--) at = lebEnd(bytes, at);
        }
        continue;
      }
      if (removed) continue;
      if (address <= lastAddress) {
        if (address === lastAddress) {
          // The last of several rows at one offset counts.
          file[count - 1] = currentFile;
          line[count - 1] = currentLine;
          column[count - 1] = currentColumn;
          continue;
        }
        this.#endSequence(count, lastAddress);
        first = count;
      }
      if (
        count > first && line[count - 1] === currentLine && column[count - 1] === currentColumn &&
        file[count - 1] === currentFile
      ) {
        continue;
      }
      if (count === capacity) {
        this.#grow();
        ({ offset, file, line, column } = this);
        capacity = offset.length;
      }
      offset[count] = lastAddress = address;
      file[count] = currentFile;
      line[count] = currentLine;
      column[count++] = currentColumn;
    }
    this.#pending = count;
    this.#first = first;
    state.address = address;
    state.operation = operation;
    state.removed = removed;
    state.lastAddress = lastAddress;
    state.file = currentFile;
    state.line = currentLine;
    state.column = currentColumn;
    return at;
  }

  #prepare({ lineBase, lineRange, opcodeBase, minimumLength }: LineHeader): void {
    for (let opcode = 0; opcode < 256; opcode++) {
      const adjusted = opcode - opcodeBase;
      // const_add_pc advances like opcode 255, even if no opcode is special.
      const known = lineRange > 0 && (adjusted >= 0 || opcode === 255);
      this.#lineAdvance[opcode] = known ? lineBase + adjusted % lineRange : 0;
      this.#operationAdvance[opcode] = known ? Math.floor(adjusted / lineRange) : 0;
      this.#byteAdvance[opcode] = this.#operationAdvance[opcode] * minimumLength;
    }
  }

  #endSequence(end: number, high: number): void {
    const at = this.sequenceCount++;
    if (at + 1 === this.sequenceRows.length) {
      this.sequenceRows = grown(this.sequenceRows, new Uint32Array(this.sequenceRows.length * 2));
      this.sequenceHigh = grown(this.sequenceHigh, new Float64Array(this.sequenceRows.length));
    }
    this.sequenceHigh[at] = high;
    this.sequenceRows[at + 1] = this.count = end;
  }

  #grow(): void {
    const length = this.offset.length * 2;
    if (length > MAX_ROWS) throw new FormatError("__debug_line", 0, `at most ${MAX_ROWS} rows`);
    this.offset = grown(this.offset, new Float64Array(length));
    this.file = grown(this.file, new Uint32Array(length));
    this.line = grown(this.line, new Uint32Array(length));
    this.column = grown(this.column, new Uint32Array(length));
  }

  #define(bytes: Uint8Array, at: number, end: number): void {
    const zero = bytes.indexOf(0, at);
    if (zero < 0 || zero >= end) return;
    this.onDefine?.(
      new TextDecoder().decode(bytes.subarray(at, zero)),
      ulebAt(bytes, zero + 1),
    );
  }

  /** Sorts the sequences by offset. */
  sort(): void {
    const { sequenceCount, sequenceRows, sequenceHigh, offset } = this;
    let rising = true;
    for (let index = 1; index < sequenceCount && rising; index++) {
      rising = offset[sequenceRows[index - 1]] <= offset[sequenceRows[index]];
    }
    if (rising) return;
    const order = Array.from({ length: sequenceCount }, (_, index) => index)
      .sort((a, b) => offset[sequenceRows[a]] - offset[sequenceRows[b]] || a - b);
    const old = { rows: sequenceRows.slice(), high: sequenceHigh.slice() };
    const { count, file, line, column } = this;
    const columns = [offset, file, line, column];
    const copies = columns.map((values) => values.slice(0, count));
    let row = 0;
    order.forEach((from, to) => {
      const [start, end] = [old.rows[from], old.rows[from + 1]];
      columns.forEach((values, index) => values.set(copies[index].subarray(start, end), row));
      sequenceRows[to] = row;
      sequenceHigh[to] = old.high[from];
      row += end - start;
    });
    sequenceRows[sequenceCount] = row;
  }
}

/** The size of the whole instructions that some operations fill. */
function bundles(operations: number, { minimumLength, maximumOperations }: LineHeader): number {
  return minimumLength * Math.floor(operations / maximumOperations);
}

function damage(header: LineHeader, at: number, expected: string): FormatError {
  return new FormatError("__debug_line", header.offset + at, expected);
}
