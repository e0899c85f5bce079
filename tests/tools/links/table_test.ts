// What the program relies on of @cliffy/table; holds for the stand-in and for the real package.

import { Table } from "@cliffy/table";
import { assertEquals } from "@std/assert";

/** The lines without what follows their last character. */
function lines(table: { toString(): string }): string[] {
  return table.toString().split("\n").map((line) => line.trimEnd());
}

const rows: [string, number][] = [["a", 1], ["long one", 20]];

Deno.test("columns stand under their header", () => {
  assertEquals(lines(new Table().header(["name", "n"]).body(rows).padding(2).indent(2)), [
    "  name      n",
    "  a         1",
    "  long one  20",
  ]);
  assertEquals(lines(Table.from(rows)), ["a        1", "long one 20"]);
});

Deno.test("borders", () => {
  assertEquals(lines(new Table().header(["name", "n"]).body(rows).border()), [
    "┌──────────┬────┐",
    "│ name     │ n  │",
    "├──────────┼────┤",
    "│ a        │ 1  │",
    "├──────────┼────┤",
    "│ long one │ 20 │",
    "└──────────┴────┘",
  ]);
});

Deno.test("alignment", () => {
  assertEquals(lines(new Table().header(["name", "n"]).body(rows).align("right")), [
    "    name  n",
    "       a  1",
    "long one 20",
  ]);
});

Deno.test("a wide column wraps at words", () => {
  assertEquals(
    lines(new Table().header(["name", "n"]).body([["long one here", 20]]).maxColWidth(8)),
    ["name     n", "long one 20", "here"],
  );
});

Deno.test("a table is the array of its rows", () => {
  const table = Table.from(rows);
  table.push(["b", 3]);
  assertEquals(table.length, 3);
  assertEquals(lines(table)[2], "b        3");
});
