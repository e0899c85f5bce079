import { assertEquals, assertFalse, assertRejects } from "@std/assert";
import {
  evaluate,
  IncompleteError,
  isComplete,
  placeOf,
  show,
} from "../../../repl/prompt/evaluate.ts";
import { harmless, hostile, raw } from "../fake_target.ts";

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

Deno.test("classes, enums, imports and more, with await or without", async () => {
  await evaluate("class Point { constructor(readonly x: number) {} }\nlet unit = new Point(1)");
  assertEquals(await evaluate("unit.x"), 1);
  await evaluate("class Later { a = 1 }; await 0");
  assertEquals(await evaluate("new Later().a"), 1);
  assertEquals(await evaluate("enum Side { Left, Right }\nSide.Right"), 1);
  await evaluate("import { basename as last } from 'node:path'; import * as path from 'node:path'");
  assertEquals(await evaluate("last(path.dirname('/a/b/c'))"), "b");
  assertEquals(
    await evaluate("let { p, ...others } = await Promise.resolve({ p: 1, q: 2 }); others"),
    {
      q: 2,
    },
  );
  assertEquals(await evaluate("let n = 0; for await (const i of [1, 2, 3]) n += i; n"), 6);
  assertEquals(await evaluate("function hoisted() { return n + 1 }\nawait 0; hoisted()"), 7);
  assertEquals(await evaluate("n = 10; hoisted()"), 11);
  assertEquals(await evaluate("let later: number; await 0; later"), undefined);
  assertEquals(await evaluate("using held = { [Symbol.dispose]() {} }; typeof held"), "object");
  assertEquals(await evaluate("if (true) { 'a block' }"), "a block");
  assertEquals(await evaluate("{ let x = 1; x + 1 }"), 2);
  assertEquals(await evaluate("'a' // a comment"), "a");
  assertEquals(await evaluate("await 1 // a comment"), 1);
});

Deno.test("modules are imported from the working directory", async () => {
  const folder = await Deno.makeTempDir();
  const before = Deno.cwd();
  try {
    await Deno.writeTextFile(`${folder}/mine.ts`, "export const mine: number = 5;");
    Deno.chdir(folder);
    assertEquals(await evaluate("(await import('./mine.ts')).mine"), 5);
    await evaluate("import { mine } from './mine.ts'");
    assertEquals(await evaluate("mine"), 5);
  } finally {
    Deno.chdir(before);
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("whether more lines are to come, in JavaScript and in TypeScript", async () => {
  const open = [
    ...[
      "function f(a: number) {",
      "const a: number =",
      "interface A {",
      "class A { x: number",
      "`a ${b}",
    ],
    ...[
      "f(a as",
      "/* a comment",
      "[1,",
      "x = y +",
      "a ? b :",
      "let s: string = `",
      "if (a) {\n  b as c;",
    ],
  ];
  for (const text of open) assertEquals(await isComplete(text), false, text);
  const complete = [
    ...["1", "f(]", "let s = 'it`s'", "const a: number = 1", "'not closed", "a b", "// {", "'{'"],
    ...["`}`", "/[{]/", "const r: RegExp = /[(]/"],
  ];
  for (const text of complete) assertEquals(await isComplete(text), true, text);
});

Deno.test("where an error comes from", async () => {
  const places: Readonly<Record<string, [line: number, column: number]>> = {
    "nosuch": [1, 1],
    "let a = 1\nlet b = a.b.c": [2, 13],
    "let a: number = 1\nawait 0\nlet b = (a as any).b.c": [3, 22],
    "await Promise.reject(new Error('x'))": [1, 22],
    "{ a: nosuch.b }": [1, 6],
    "function f(x: any) {\n  return x.y.z\n}\nf(1)": [2, 14],
    "1 +* 2": [1, 4],
    "let x = 1\nlet y = )": [2, 9],
  };
  for (const [source, [line, column]] of Object.entries(places)) {
    const error = await assertRejects(() => evaluate(source));
    assertEquals(
      placeOf(error, source),
      { line, column, text: source.split("\n")[line - 1] },
      source,
    );
  }
  assertEquals(placeOf(new Error("elsewhere"), "1"), null);
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
  for (const value of values) {
    for (const line of show(value)) assertFalse(raw.test(line) || line.includes("\n"), line);
  }
  assertEquals(show({ [Symbol.for("Deno.customInspect")]: () => "a\nb" }), ["a", "b"]);
  assertEquals(show(hostile)[0].includes(harmless.slice(0, 20)), true);
});

Deno.test("big arrays are cut", () => {
  assertEquals(show(Array.from({ length: 5000 }, () => 1)).length < 20, true);
});

Deno.test("an address is shown in hexadecimal too", () => {
  assertEquals(show(0x1_0000_4000n), ["4294983680n  0x100004000"]);
  assertEquals([9n, -12n, [12n]].map(show), [["9n"], ["-12n"], ["[ 12n ]"]]);
});
