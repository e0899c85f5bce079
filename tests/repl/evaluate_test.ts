import { assertEquals, assertFalse, assertRejects } from "@std/assert";
import { evaluate, IncompleteError, show } from "../../repl/evaluate.ts";
import { harmless, hostile, raw } from "./fake_target.ts";

Deno.test("the value of the last expression, types stripped", async () => {
  assertEquals(await evaluate("1 + 1"), 2);
  assertEquals(await evaluate("let a: number = 1; (a as number) + 1"), 2);
  assertEquals(await evaluate("interface X { y: string }; ({ y: 'z' } satisfies X)"), { y: "z" });
  assertEquals(await evaluate("{ a: 1 }"), { a: 1 });
  assertEquals(await evaluate("({ a: 1 })"), { a: 1 });
  assertEquals(await evaluate("Promise.resolve(3)"), 3);
});

Deno.test("await at the top", async () => {
  assertEquals(await evaluate("await Promise.resolve(5)"), 5);
  assertEquals(await evaluate("(await Promise.resolve([6]))[0];"), 6);
  await evaluate("const seven: number = await Promise.resolve(7)");
  assertEquals(await evaluate("seven"), 7);
  await evaluate("const { one, two: [deux] } = await Promise.resolve({ one: 1, two: [2] })");
  assertEquals(await evaluate("[one, deux]"), [1, 2]);
  await evaluate("const { x, y: z } = await Promise.resolve({ x: 1, y: 2 })");
  assertEquals(await evaluate("[x, z]"), [1, 2]);
  await evaluate("async function later() { return await 8 }");
  assertEquals(await evaluate("later()"), 8);
});

Deno.test("variables stay, and may be declared again", async () => {
  await evaluate("const again = 1");
  await evaluate("const again = 2");
  assertEquals(await evaluate("let again = again + 1; again"), 3);
  await evaluate("function twice(n: number): number { return 2 * n }");
  assertEquals(await evaluate("twice(again)"), 6);
});

Deno.test("code that is not complete yet says so; code that is wrong is an error", async () => {
  for (
    const text of ["function f() {", "[1, 2", "f(", "`a", "if (true) {", "await (async () => {"]
  ) {
    await assertRejects(() => evaluate(text), IncompleteError);
  }
  for (const text of ["1 +* 2", ")", "let 5"]) {
    const error = await assertRejects(() => evaluate(text), SyntaxError);
    assertFalse(error instanceof IncompleteError, text);
  }
  await assertRejects(() => evaluate("nosuch"), ReferenceError, "nosuch is not defined");
});

Deno.test("what is shown is safe, wherever in a value the text is", () => {
  const values: unknown[] = [
    hostile,
    [hostile],
    { [hostile]: hostile },
    new Map([[hostile, 1]]),
    Symbol(hostile),
    new Error(hostile),
    { [Symbol.for("Deno.customInspect")]: () => hostile },
    Object.assign(() => {}, { [Symbol.toStringTag]: hostile }),
  ];
  for (const value of values) assertFalse(raw.test(show(value)), show(value));
  assertEquals(show({ [Symbol.for("Deno.customInspect")]: () => "a\nb" }), "a\nb");
  assertEquals(show(hostile).includes(harmless.slice(0, 20)), true);
});

Deno.test("big arrays are cut", () => {
  assertEquals(show(Array.from({ length: 5000 }, () => 1)).split("\n").length < 20, true);
});
