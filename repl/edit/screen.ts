/** Draws the line being edited: only what has changed, so that a slow terminal keeps up. */
import { charWidth, textWidth } from "./width.ts";

/** What is to be seen: rows of a terminal, and where in them the cursor is. */
export interface Layout {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
}

/** Breaks text into rows as wide as the terminal.
 *
 * @param prompt before the first line
 * @param more before each further line
 */
export function layout(
  { prompt, more, text, cursor, columns }: {
    prompt: string;
    more: string;
    text: string;
    cursor: number;
    columns: number;
  },
): Layout {
  const rows: string[] = [];
  let current = "";
  let width = 0;
  let at: { row: number; column: number } | undefined;
  const put = (character: string) => {
    const wide = charWidth(character);
    if (width + wide > columns) {
      rows.push(current);
      current = "";
      width = 0;
    }
    current += character;
    width += wide;
  };
  const mark = () => {
    // At the right edge the cursor is where the next character will be.
    at = width >= columns
      ? { row: rows.length + 1, column: 0 }
      : { row: rows.length, column: width };
  };
  for (const character of prompt) put(character);
  let index = 0;
  for (const character of text) {
    if (index === cursor) mark();
    index += character.length;
    if (character === "\n") {
      rows.push(current);
      current = "";
      width = 0;
      for (const character of more) put(character);
    } else put(character === "\t" ? " " : character);
  }
  if (at === undefined) mark();
  rows.push(current);
  const { row, column } = at!;
  if (row === rows.length) rows.push("");
  return { rows, row, column };
}

/** The rows that fit the screen, around the cursor. */
export function visiblePart({ rows, row, column }: Layout, height: number): Layout {
  if (rows.length <= height) return { rows, row, column };
  const first = Math.min(Math.max(0, row - height + 1), rows.length - height);
  return { rows: rows.slice(first, first + height), row: row - first, column };
}

/** A part of the screen that is rewritten in place. */
export class Screen {
  readonly #write: (text: string) => void;
  #shown: Layout = { rows: [], row: 0, column: 0 };

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Shows `next` in the place of what is shown.
   *
   * @param style gives the beginning of the first row, the prompt, its look
   */
  draw(next: Layout, style?: { readonly length: number; apply(text: string): string }): void {
    let out = "";
    let { row, column } = this.#shown;
    const move = (toRow: number, toColumn: number) => {
      if (toRow < row) out += `\x1b[${row - toRow}A`;
      if (toRow > row) out += `\x1b[${toRow - row}B`;
      if (toColumn !== column) out += toColumn === 0 ? "\r" : `\x1b[${toColumn + 1}G`;
      row = toRow;
      column = toColumn;
    };
    const before = this.#shown.rows;
    for (let index = 0; index < next.rows.length; index++) {
      const text = next.rows[index];
      const old = before[index];
      if (old === text) continue;
      if (old === undefined && index > 0) {
        move(index - 1, column);
        out += "\r\n";
        row = index;
        column = 0;
      }
      const same = commonLength(old ?? "", text);
      move(index, textWidth(text.slice(0, same)));
      const styled = index === 0 && style !== undefined && same === 0 && text.length >= style.length
        ? style.apply(text.slice(0, style.length)) + text.slice(style.length)
        : text.slice(same);
      out += styled;
      column = textWidth(text);
      if (old !== undefined && textWidth(old) > column) out += "\x1b[K";
      // After a full row the cursor is at its end, or beyond, as the terminal likes.
      out += "\r";
      column = 0;
      if (next.row === index && next.column === textWidth(text)) {
        out = out.slice(0, -1);
        column = next.column;
      }
    }
    if (before.length > next.rows.length) {
      move(next.rows.length - 1, column);
      // Below this row nothing stays.
      out += `\x1b[1B\r\x1b[J\x1b[1A`;
      column = 0;
    }
    move(next.row, next.column);
    this.#shown = next;
    if (out !== "") this.#write(out);
  }

  /** Leaves what is shown where it is and goes below it. */
  leave(): void {
    const { rows, row } = this.#shown;
    const down = rows.length - 1 - row;
    this.#write(`${down > 0 ? `\x1b[${down}B` : ""}\r\n`);
    this.#shown = { rows: [], row: 0, column: 0 };
  }

  /** Takes what is shown away; the cursor is where it began.
   *
   * @param columns the terminal's width now: rows that were wider have been wrapped by it
   */
  erase(columns = Infinity): void {
    const { rows, row } = this.#shown;
    let up = 0;
    for (let index = 0; index < row; index++) {
      up += Math.max(1, Math.ceil(textWidth(rows[index]) / columns));
    }
    if (row < rows.length) up += Math.floor(this.#shown.column / columns);
    if (rows.length > 0) this.#write(`${up > 0 ? `\x1b[${up}A` : ""}\r\x1b[J`);
    this.#shown = { rows: [], row: 0, column: 0 };
  }

  /** What is shown is gone: the screen was cleared. */
  forget(): void {
    this.#shown = { rows: [], row: 0, column: 0 };
  }
}

/** How many code units two texts have in common at their beginning, not ending inside a character. */
function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  // A mark that joins the character before it is drawn with that one.
  while (
    length > 0 && length < b.length &&
    /^[\udc00-\udfff]|^\p{M}|^[\u200d\ufe0f]/u.test(b.slice(length))
  ) {
    length--;
  }
  return length;
}
