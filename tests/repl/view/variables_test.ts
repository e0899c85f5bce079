/** Variables as lines, over hand-made types. */
import { assertEquals } from "@std/assert";
import {
  builtInFormatters,
  FormatterTable,
  PlacedValue,
  type Type,
  type Variable,
} from "../../../lib/values/mod.ts";
import { plain } from "../../../repl/view/style.ts";
import { isWritten, valueJson, variableLines } from "../../../repl/view/variables.ts";
import { bytesMemory, contextOf } from "../../lib/values/fake_context.ts";

const char: Type = { kind: "base", name: "char", size: 1, language: "c", encoding: "signed-char" };
const array: Type = {
  ...{ kind: "array", name: "char[3]", size: 3, language: "c", target: char },
  count: 3,
};

Deno.test("a text is one line; raw, it has its characters", () => {
  const context = {
    ...contextOf(bytesMemory(0x1000n, [0x68, 0x69, 0])),
    formatters: new FormatterTable(builtInFormatters),
  };
  const value = new PlacedValue(context, "text", array, { kind: "memory", address: 0x1000n });
  const how = { depth: 4, pointers: 1 };
  assertEquals(variableLines(value, plain, how), ['(char[3]) text = "hi"']);
  assertEquals(variableLines(value.raw, plain, how), [
    ...["(char[3]) text = {", "  [0] = 'h'", "  [1] = 'i'", "  [2] = '\\0'", "}"],
  ]);
  const json = valueJson(value, how);
  assertEquals([json.summary, json.childCount, json.children], ['"hi"', 3, null]);
  assertEquals((valueJson(value.raw, how).children as unknown[]).length, 3);
});

Deno.test("of what a compiler made only the object of a method is shown", () => {
  const written = (name: string, artificial: boolean) =>
    isWritten({ name, artificial } as Variable);
  assertEquals(["this", "self", "_cmd"].map((name) => written(name, true)), [true, true, true]);
  assertEquals([written("__vla_expr0", true), written("__vla_expr0", false)], [false, true]);
});

Deno.test("JSON has no number for what is none: NaN is text, and not the null of what is not known", () => {
  const double: Type = { ...char, name: "double", size: 8, encoding: "float" };
  const of = (number: number) => {
    const context = contextOf(bytesMemory(0x1000n, new Uint8Array(Float64Array.of(number).buffer)));
    const place = { kind: "memory", address: 0x1000n } as const;
    const value = new PlacedValue(context, "it", double, place);
    return JSON.parse(JSON.stringify(valueJson(value, { depth: 1, pointers: 0 }))).value;
  };
  assertEquals([of(NaN), of(Infinity), of(0.5)], ["NaN", "+Inf", 0.5]);
});
