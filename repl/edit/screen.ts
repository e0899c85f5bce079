/** Draws the line being edited: only what has changed, so that a slow terminal keeps up. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { charWidth, textWidth } from "./width.ts";

/** Rows of a terminal, and the cursor in them. */
export interface Layout {
  readonly rows: readonly string[];
  /** What each character of the rows is, for its colour: one character for each; all are plain without. */
  readonly kinds?: readonly string[];
  readonly row: number;
  readonly column: number;
}

/** What may not be drawn: controls but line feeds and tabs, which {@linkcode layout} takes care of, and
 * Unicode's invisible and bidirectional controls but the joiner that emoji are composed with. */
const undrawable =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Text that was typed, pasted or read from the history, with a `?` for each character that may not be
 * drawn. */
export function drawable(text: string): string {
  return text.replace(undrawable, "?");
}

/** Text to write to the terminal. */
function drawn(text: string): SafeText {
  const [first, ...others] = drawable(text).split("\u200d").map(escape);
  return others.reduce((before, after) => safe`${before}\u200d${after}`, first);
}

/** Breaks text into rows as wide as the terminal.
 *
 * @param prompt before the first line
 * @param more before each further line
 */
export function layout(
  { prompt, more, text, kinds = "", cursor, columns }: {
    prompt: string;
    more: string;
    text: string;
    /** The kinds of the text's characters. */
    kinds?: string;
    cursor: number;
    columns: number;
  },
): Layout {
  const rows: string[] = [];
  const rowKinds: string[] = [];
  let currentKinds = "";
  let current = "";
  let width = 0;
  let at: { row: number; column: number } | undefined;
  const end = () => {
    rows.push(current);
    rowKinds.push(currentKinds);
    current = currentKinds = "";
    width = 0;
  };
  const put = (character: string, kind: string) => {
    const wide = charWidth(character);
    if (width + wide > columns) end();
    current += character;
    currentKinds += kind.repeat(character.length);
    width += wide;
  };
  const mark = () => {
    // At the right edge the cursor is where the next character goes.
    at = width >= columns
      ? { row: rows.length + 1, column: 0 }
      : { row: rows.length, column: width };
  };
  for (const character of prompt) put(character, "p");
  let index = 0;
  for (const character of text) {
    if (index === cursor) mark();
    const kind = kinds[index] ?? " ";
    index += character.length;
    if (character === "\n") {
      end();
      for (const character of more) put(character, "p");
    } else put(character === "\t" ? " " : character, kind);
  }
  if (at === undefined) mark();
  end();
  const { row, column } = at!;
  if (row === rows.length) end();
  return { rows, kinds: rowKinds, row, column };
}

/** The rows that fit the screen, around the cursor. */
export function visiblePart(whole: Layout, height: number): Layout {
  const { rows, kinds, row, column } = whole;
  if (rows.length <= height) return whole;
  const first = Math.min(Math.max(0, row - height + 1), rows.length - height);
  const part = <T>(of: readonly T[]) => of.slice(first, first + height);
  return {
    rows: part(rows),
    ...(kinds === undefined ? {} : { kinds: part(kinds) }),
    row: row - first,
    column,
  };
}

/** A part of the screen that is rewritten in place. */
export class Screen {
  readonly #write: (text: SafeText) => void;
  #shown: Layout = { rows: [], row: 0, column: 0 };

  constructor(write: (text: SafeText) => void) {
    this.#write = write;
  }

  /** Shows `next` in place of what is shown.
   *
   * @param style colours text of a kind
   */
  draw(next: Layout, style: (kind: string, text: SafeText) => SafeText = (_, text) => text): void {
    let out = safe``;
    let { row, column } = this.#shown;
    const move = (toRow: number, toColumn: number) => {
      if (toRow < row) out = safe`${out}\x1b[${row - toRow}A`;
      if (toRow > row) out = safe`${out}\x1b[${toRow - row}B`;
      if (toColumn !== column) {
        out = toColumn === 0 ? safe`${out}\r` : safe`${out}\x1b[${toColumn + 1}G`;
      }
      row = toRow;
      column = toColumn;
    };
    const before = this.#shown.rows;
    const kindsBefore = this.#shown.kinds;
    for (let index = 0; index < next.rows.length; index++) {
      const text = next.rows[index];
      const old = before[index];
      const kinds = next.kinds?.[index] ?? "";
      const oldKinds = kindsBefore?.[index] ?? "";
      if (old === text && kinds === oldKinds) continue;
      if (old === undefined && index > 0) {
        move(index - 1, column);
        out = safe`${out}\r\n`;
        row = index;
        column = 0;
      }
      const same = commonLength(old ?? "", text, firstDifference(kinds, oldKinds));
      move(index, textWidth(text.slice(0, same)));
      for (let at = same; at < text.length;) {
        let end = at + 1;
        while (end < text.length && kinds[end] === kinds[at]) end++;
        out = safe`${out}${style(kinds[at] ?? " ", drawn(text.slice(at, end)))}`;
        at = end;
      }
      column = textWidth(text);
      if (old !== undefined && textWidth(old) > column) out = safe`${out}\x1b[K`;
      // After a full row terminals differ in where the cursor is.
      if (next.row !== index || next.column !== column) {
        out = safe`${out}\r`;
        column = 0;
      }
    }
    if (before.length > next.rows.length) {
      move(next.rows.length - 1, column);
      // Nothing stays below this row.
      out = safe`${out}\x1b[1B\r\x1b[J\x1b[1A`;
      column = 0;
    }
    move(next.row, next.column);
    this.#shown = next;
    if (out !== "") this.#write(out);
  }

  /** Leaves what is shown and moves below it. */
  leave(): void {
    const { rows, row } = this.#shown;
    const down = rows.length - 1 - row;
    this.#write(down > 0 ? safe`\x1b[${down}B\r\n` : safe`\r\n`);
    this.#shown = { rows: [], row: 0, column: 0 };
  }

  /** Erases what is shown; the cursor is where it began.
   *
   * @param columns the terminal's width now: it has wrapped rows that are wider
   */
  erase(columns = Infinity): void {
    const { rows, row } = this.#shown;
    let up = 0;
    for (let index = 0; index < row; index++) {
      up += Math.max(1, Math.ceil(textWidth(rows[index]) / columns));
    }
    if (row < rows.length) up += Math.floor(this.#shown.column / columns);
    if (rows.length > 0) this.#write(up > 0 ? safe`\x1b[${up}A\r\x1b[J` : safe`\r\x1b[J`);
    this.#shown = { rows: [], row: 0, column: 0 };
  }

  /** Forgets what is shown: the screen was cleared. */
  forget(): void {
    this.#shown = { rows: [], row: 0, column: 0 };
  }
}

/** The index of the first character in which two texts differ; where one ends, none does. */
function firstDifference(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) if (a[at] !== b[at]) return at;
  return Infinity;
}

/** The number of code units at their beginning that two texts have in common, up to the end of a
 * character.
 *
 * @param most at most so many
 */
function commonLength(a: string, b: string, most: number): number {
  let length = 0;
  const shorter = Math.min(a.length, b.length, most);
  while (length < shorter && a[length] === b[length]) length++;
  // A combining mark is drawn together with the character before it.
  while (
    length > 0 && length < b.length &&
    /^[\udc00-\udfff]|^\p{M}|^[\u200d\ufe0f]/u.test(b.slice(length))
  ) {
    length--;
  }
  return length;
}
