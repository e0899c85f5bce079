import type { UnitTable } from "../../dwarf/mod.ts";

/** The line rows of a unit, from low offsets to high. */
export class LineCursor {
  /** The row that holds; -1 for none. */
  row = -1;
  /** Up to where it does. */
  next = -Infinity;
  readonly #table: UnitTable;
  #sequence = 0;
  /** Where the current sequence's rows end; 0 while in none. */
  #end = 0;

  constructor(table: UnitTable) {
    this.#table = table;
  }

  /** Goes to an offset not before the last one. */
  seek(offset: number): void {
    const { rowOffset, sequenceHigh } = this.#table;
    let row = this.row;
    const high = this.#end === 0 ? -Infinity : sequenceHigh[this.#sequence];
    if (row < 0 || offset >= high) row = this.#enter(offset);
    if (row < 0) return;
    const end = this.#end;
    // Of rows at one offset the last holds.
    while (row + 1 < end && rowOffset[row + 1] <= offset) row++;
    this.row = row;
    const sequenceEnd = sequenceHigh[this.#sequence];
    this.next = row + 1 < end && rowOffset[row + 1] < sequenceEnd
      ? rowOffset[row + 1]
      : sequenceEnd;
  }

  /** Finds the sequence that holds `offset`; its first row, or -1. */
  #enter(offset: number): number {
    const { rowOffset, sequenceCount, sequenceHigh, sequenceRows } = this.#table;
    let sequence = this.#sequence;
    while (
      sequence < sequenceCount &&
      (sequenceHigh[sequence] <= offset || sequenceRows[sequence] === sequenceRows[sequence + 1])
    ) sequence++;
    this.#sequence = sequence;
    this.#end = 0;
    this.row = -1;
    this.next = sequence < sequenceCount ? rowOffset[sequenceRows[sequence]] : Infinity;
    if (this.next > offset) return -1;
    this.#end = sequenceRows[sequence + 1];
    return sequenceRows[sequence];
  }
}
