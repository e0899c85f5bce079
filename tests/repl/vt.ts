/** What a terminal shows of what it got: as much of an xterm as a line editor needs. */
import { charWidth } from "../../repl/edit/width.ts";

/** The screen after `output`, without blank rows at its end, and where the cursor is. */
export function screenOf(
  output: string,
  columns: number,
  rows: number,
): { lines: string[]; row: number; column: number } {
  const cells: string[][] = [[]];
  let [row, column] = [0, 0];
  /** The cursor is beyond the last column until something more is printed. */
  let wrapping = false;
  const line = () => cells[row] ??= [];
  const down = () => {
    row++;
    if (row >= rows) {
      cells.shift();
      row = rows - 1;
    }
    line();
  };
  // deno-lint-ignore no-control-regex
  const pieces = /\x1b\[([\d;?]*)([A-Za-z])|\x1b\][^\x07]*\x07|[^]/gu;
  for (const [piece, parameters = "", final] of output.matchAll(pieces)) {
    const [n = 1] = parameters.split(";").filter((text) => /^\d+$/.test(text)).map(Number);
    if (final !== undefined || piece === "\r" || piece === "\n") wrapping = false;
    if (piece === "\r") column = 0;
    else if (piece === "\n") down();
    else if (final === "A") row = Math.max(0, row - n);
    else if (final === "B") row = Math.min(rows - 1, row + n);
    else if (final === "C") column = Math.min(columns - 1, column + n);
    else if (final === "D") column = Math.max(0, column - n);
    else if (final === "G") column = Math.max(0, n - 1);
    else if (final === "H") [row, column] = [0, 0];
    else if (final === "K") line().length = Math.min(line().length, column);
    else if (final === "J") {
      if (parameters === "2") cells.forEach((_, index) => cells[index] = []);
      else {
        line().length = Math.min(line().length, column);
        cells.length = row + 1;
      }
    } else if (final === undefined && piece.length <= 2 && piece >= " ") {
      const width = charWidth(piece);
      if (wrapping || column + width > columns) {
        column = 0;
        down();
        wrapping = false;
      }
      if (width === 0) {
        line()[Math.max(0, column - 1)] += piece;
        continue;
      }
      while (line().length < column) line().push(" ");
      line()[column] = piece;
      for (let more = 1; more < width; more++) line()[column + more] = "";
      column += width;
      if (column >= columns) {
        column = columns - 1;
        wrapping = true;
      }
    }
    while (cells.length <= row) cells.push([]);
  }
  const lines = cells.map((cells) => Array.from(cells, (cell) => cell ?? " ").join("").trimEnd());
  while (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return { lines, row, column: wrapping ? columns : column };
}
