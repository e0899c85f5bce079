/** Tables as wide as the screen. */
import { textWidth } from "./edit/width.ts";
import type { Ui } from "./ui.ts";

/** Text cut at its front: of a path, the end says most. */
function cutFront(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const characters = [...text];
  while (characters.length > 0 && textWidth(characters.join("")) > columns - 1) characters.shift();
  return `…${characters.join("")}`;
}

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
  const { Table } = await import("@cliffy/table");
  const last = header.length - 1;
  const widths = header.map((title, column) =>
    Math.max(...[title, ...rows.map((row) => row[column])].map(textWidth))
  );
  const others = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0);
  const room = Math.max(8, ui.size().columns - others);
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
