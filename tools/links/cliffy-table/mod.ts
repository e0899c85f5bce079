/** Stands in for `jsr:@cliffy/table` where JSR cannot be reached: the part of its documented API
 * that this project uses, resting on `cli-table3`.
 *
 * @module
 */

import CliTable from "cli-table3";

/** What a cell holds. */
export type CellType = string | number | bigint | boolean | null | undefined;

/** A row of cells. */
export type RowType = CellType[];

/** Where a cell's text stands in its column. */
export type Direction = "left" | "right" | "center";

/** The border characters that cli-table3 draws, all off. */
const borderless = Object.fromEntries(
  [
    ...["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left"],
    ...["bottom-right", "left", "left-mid", "mid", "mid-mid", "right", "right-mid", "middle"],
  ].map((name) => [name, ""]),
);

/** A table: an array of rows, with a header and options.
 *
 * @example
 * ```ts
 * import { Table } from "@cliffy/table";
 *
 * new Table().header(["name", "size"]).body([["a", 1], ["b", 20]]).padding(2).render();
 * ```
 */
export class Table<Row extends RowType = RowType> extends Array<Row> {
  #header: RowType | undefined;
  #border = false;
  #padding = 1;
  #indent = 0;
  #align: Direction = "left";
  #maxColWidth: number | number[] = Infinity;

  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** A table of rows. */
  static override from<Row extends RowType>(rows: Iterable<Row> | ArrayLike<Row>): Table<Row> {
    return new Table<Row>().body(Array.from(rows));
  }

  /** Sets the header. */
  header(header: RowType): this {
    this.#header = header;
    return this;
  }

  /** Replaces all rows. */
  body(rows: Row[]): this {
    this.length = 0;
    for (const row of rows) this.push(row);
    return this;
  }

  /** With lines around all cells. */
  border(enable = true): this {
    this.#border = enable;
    return this;
  }

  /** The spaces between columns; with a border, those on either side of a cell. */
  padding(padding: number): this {
    this.#padding = padding;
    return this;
  }

  /** The spaces before the table. */
  indent(width: number): this {
    this.#indent = width;
    return this;
  }

  /** Where cells' text stands. */
  align(direction: Direction): this {
    this.#align = direction;
    return this;
  }

  /** How wide a column may get before its cells wrap; one for all or one each. */
  maxColWidth(width: number | number[]): this {
    this.#maxColWidth = width;
    return this;
  }

  #widths(count: number, paddings: number): (number | null)[] | undefined {
    const limits = Array.from(
      { length: count },
      (_, index) => Array.isArray(this.#maxColWidth) ? this.#maxColWidth[index] : this.#maxColWidth,
    );
    if (!limits.some(Number.isFinite)) return undefined;
    const rows = this.#header === undefined ? this : [this.#header, ...this];
    return limits.map((limit, index) => {
      const widest = Math.max(...rows.map((row) => String(row[index] ?? "").length));
      return widest > limit ? limit + paddings : null;
    });
  }

  /** The table as text. */
  override toString(): string {
    const count = Math.max(this.#header?.length ?? 0, ...this.map((row) => row.length));
    if (count === 0) return "";
    const paddings = this.#border ? 2 * this.#padding : this.#padding;
    const widths = this.#widths(count, paddings);
    const table = new CliTable({
      ...(this.#header === undefined
        ? {}
        : { head: this.#header.map((cell) => String(cell ?? "")) }),
      ...(widths === undefined ? {} : { colWidths: widths, wordWrap: true }),
      colAligns: Array.from({ length: count }, () => this.#align),
      chars: this.#border ? {} : borderless,
      style: {
        head: [],
        border: [],
        "padding-left": this.#border ? this.#padding : 0,
        "padding-right": this.#padding,
      },
    });
    table.push(
      ...this.map((row) => Array.from({ length: count }, (_, index) => String(row[index] ?? ""))),
    );
    const indent = " ".repeat(this.#indent);
    return table.toString().split("\n").map((line) => indent + line).join("\n");
  }

  /** Writes the table to stdout. */
  render(): this {
    console.log(this.toString());
    return this;
  }
}
