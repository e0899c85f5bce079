/** Tables as wide as the screen. */
import { safe, type SafeText } from "../../lib/escape.ts";
import { maxWidth, textWidth } from "../edit/width.ts";
import { cutFront, tableText } from "./text.ts";

/** The last column gets at least this width. */
const narrowest = 16;

/** A table's lines. On a narrow screen the last column is shortened.
 *
 * @param look gives a cell its colour
 * @param shorten a cell of the last column to a width; without it, the cell is cut at its front
 */
export async function tableLines(
  screen: { size(): { readonly columns: number } },
  header: readonly SafeText[],
  rows: readonly (readonly SafeText[])[],
  look: (text: SafeText, column: number) => SafeText = (text) => text,
  shorten: (cell: SafeText, columns: number, row: number) => SafeText = cutFront,
): Promise<SafeText[]> {
  const last = header.length - 1;
  const widths = header.map((title, column) =>
    Math.max(textWidth(title), maxWidth(rows.map((row) => row[column])))
  );
  const others = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0);
  const room = Math.max(0, screen.size().columns - others);
  if (room < Math.min(narrowest, widths[last])) {
    // Too narrow for a table: a row's cells go below its first one.
    return rows.flatMap((row) => [
      look(row[0], 0),
      ...row.slice(1).flatMap((cell, index) =>
        cell === "" ? [] : [safe`  ${look(cell, index + 1)}`]
      ),
    ]);
  }
  const { Table } = await import("@cliffy/table");
  const body = rows.map((row, index) =>
    row.map((cell, column) => look(column === last ? shorten(cell, room, index) : cell, column))
  );
  return tableText(new Table().header([...header]).body(body).padding(2));
}
