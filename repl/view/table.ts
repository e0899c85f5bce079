/** Tables as wide as the screen. */
import { textWidth } from "../edit/width.ts";
import type { Ui } from "../prompt/ui.ts";

/** Text cut at its front: of a path, the end says most. */
function cutFront(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const characters = [...text];
  while (characters.length > 0 && textWidth(characters.join("")) > columns - 1) characters.shift();
  return `…${characters.join("")}`;
}

/** A column narrower than this says nothing. */
const narrowest = 16;

/** A table's lines.
 *
 * @param rows of cells that are safe to print; the last one of each gives way where the screen is narrow
 * @param look gives a cell its colour
 */
export async function tableLines(
  ui: Ui,
  header: readonly string[],
  rows: readonly (readonly string[])[],
  look: (text: string, column: number) => string = (text) => text,
): Promise<string[]> {
  const last = header.length - 1;
  const widths = header.map((title, column) =>
    Math.max(...[title, ...rows.map((row) => row[column])].map(textWidth))
  );
  const others = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0);
  const room = Math.max(0, ui.size().columns - others);
  if (room < Math.min(narrowest, widths[last])) {
    // Too narrow for a table: what is in a row goes below its first cell.
    return rows.flatMap((row) => [
      look(row[0], 0),
      ...row.slice(1).flatMap((cell, index) => cell === "" ? [] : [`  ${look(cell, index + 1)}`]),
    ]);
  }
  const { Table } = await import("@cliffy/table");
  const table = new Table()
    .header([...header])
    .body(
      rows.map((row) =>
        row.map((cell, column) => look(column === last ? cutFront(cell, room) : cell, column))
      ),
    )
    .padding(2);
  return table.toString().split("\n").map((line) => line.trimEnd());
}
