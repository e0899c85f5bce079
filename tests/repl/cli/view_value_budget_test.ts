/** The bound of a page's variables. */
import { assertEquals } from "@std/assert";
import { ValueBudget } from "../../../repl/cli/view/value_budget.ts";

Deno.test("each thread has its share of a page's variables; its innermost frames get it first", () => {
  // Each of two threads has four, and a frame has three.
  const variables = [{ name: "a", children: [{ name: "b", children: null }] }, { name: "c" }];
  const frames = (count: number) => Array.from({ length: count }, (_, index) => ({ index }));
  const budget = new ValueBudget(2, 8, 1);
  const more = budget.limited(() => ({ variables }));
  const shown = [...frames(4), ...frames(1)].map((frame) => "variables" in more(frame));
  assertEquals(shown, [true, true, false, false, true]);
  assertEquals(budget.note.map((text) => text.slice(0, 26)), ["1 thread has more variable"]);

  const few = new ValueBudget(1000, 8, 4);
  const enough = few.limited(() => ({ variables }));
  assertEquals([...frames(2), ...frames(2)].every((frame) => "variables" in enough(frame)), true);
  assertEquals(few.note, []);
});
