/** Variables as ordinary values, and as JSON. */
import { assertEquals, assertThrows } from "@std/assert";
import { PlacedValue, type Type, type Value } from "../../../lib/values/mod.ts";
import { named } from "../../../lib/values/locals.ts";
import { bytesMemory, contextOf } from "./fake_context.ts";

const start = 0x1000n;
const base = (name: string, size: number, encoding: Type["encoding"]): Type => ({
  ...{ kind: "base", name, size, language: "c++" },
  ...encoding === undefined ? {} : { encoding },
});
const int = base("int", 4, "signed");
const pointer = (target: Type | null, name = "void *"): Type => ({
  ...{ kind: "pointer", name, size: 8, language: "c" },
  target,
});
const field = (name: string, type: Type, offset: number) => ({
  ...{ name, type, offset },
  ...{ isBase: false, artificial: false },
});

/** Values that lie one after the other. */
function locals(rows: readonly (readonly [name: string, type: Type, bytes: number[]])[]) {
  const context = contextOf(bytesMemory(start, rows.flatMap(([, , bytes]) => bytes)));
  let address = start;
  const values: Value[] = rows.map(([name, type, bytes]) => {
    const value = new PlacedValue(context, name, type, { kind: "memory", address });
    address += BigInt(bytes.length);
    return value;
  });
  values.push(
    new PlacedValue(context, "lost", int, { kind: "unavailable", reason: "optimized out" }),
  );
  // deno-lint-ignore no-explicit-any
  return named(values, "in this frame") as Record<string, any>;
}

function little(value: bigint, size: number): number[] {
  return Array.from({ length: size }, (_, at) => Number(value >> BigInt(8 * at) & 0xffn));
}

/** The bytes of a `double`. */
function double(value: number): number[] {
  return [...new Uint8Array(Float64Array.of(value).buffer)];
}

Deno.test("a value by itself is JSON with its name and type", () => {
  const context = contextOf(bytesMemory(start, little(7n, 4)));
  const value = new PlacedValue(context, "count", int, { kind: "memory", address: start });
  assertEquals(JSON.parse(JSON.stringify([value])), [{ name: "count", type: "int", value: 7 }]);
});

Deno.test("each kind of value in JSON: what it is, and never an empty object or an error", () => {
  const color: Type = {
    ...{ kind: "enum", name: "Color", size: 4, language: "c++" },
    target: int,
    enumerators: [{ name: "Red", value: 0n }, { name: "Green", value: 5n }],
  };
  const either: Type = {
    ...{ kind: "union", name: "", size: 4, language: "c++" },
    members: [field("number", int, 0), field("bits", { ...int }, 0)],
  };
  const node: Type = { kind: "struct", name: "Node", size: 16, language: "c++" };
  Object.assign(node, {
    members: [
      field("value", int, 0),
      field("", either, 4),
      field("next", pointer(node, "Node *"), 8),
    ],
  });
  const flags: Type = {
    ...{ kind: "struct", name: "Flags", size: 4, language: "c++" },
    members: [
      { ...field("a", base("unsigned", 4, "unsigned"), 0), bits: { offset: 0, size: 3 } },
      { ...field("b", int, 0), bits: { offset: 3, size: 5 } },
    ],
  };
  const array: Type = {
    ...{ kind: "array", name: "int[3]", size: 12, language: "c++" },
    ...{ target: int, count: 3 },
  };
  const reference: Type = { ...pointer(node, "Node &"), kind: "reference" };
  const run: Type = { kind: "function", name: "int (int)", size: null, language: "c++" };
  // A node that points to itself.
  const itself = little(start, 8);
  const seen = locals([
    ["node", node, [...little(1n, 4), ...little(9n, 4), ...itself]],
    ["any", pointer(null), little(0x1234n, 8)],
    ["none", pointer(null), little(0n, 8)],
    ["head", pointer(node, "Node *"), itself],
    ["ref", reference, itself],
    ["lostRef", reference, little(0n, 8)],
    ["call", pointer(run, "int (*)(int)"), little(0x4010n, 8)],
    ["green", color, little(5n, 4)],
    ["odd", color, little(7n, 4)],
    ["flags", flags, little(0xf5n, 4)],
    ["list", array, [1, 2, 3].flatMap((value) => little(BigInt(value), 4))],
    ["letter", base("char", 1, "signed-char"), [0x41]],
    ["yes", base("bool", 1, "boolean"), [1]],
    ["wide", base("unsigned __int128", 16, "unsigned"), little(1n << 100n, 16)],
    ["long", base("long", 8, "signed"), little(-(1n << 63n), 8)],
    ["nan", base("double", 8, "float"), double(NaN)],
    ["inf", base("double", 8, "float"), double(-Infinity)],
    ["pi", base("double", 8, "float"), double(3.25)],
  ]);
  const own = { value: 1, number: 9, bits: 9, next: "0x0000000000001000" };
  assertEquals(JSON.parse(JSON.stringify(seen)), {
    node: own,
    any: "0x0000000000001234",
    none: null,
    head: "0x0000000000001000",
    ref: own,
    lostRef: { unavailable: "a null pointer" },
    call: "0x0000000000004010",
    green: "Green",
    odd: 7,
    flags: { a: 5, b: -2 },
    list: [1, 2, 3],
    letter: 65,
    yes: true,
    wide: "1267650600228229401496703205376",
    long: "-9223372036854775808",
    nan: "NaN",
    inf: "-Inf",
    pi: 3.25,
    lost: { unavailable: "optimized out" },
  });
  // A member alone, as a script would write it.
  assertEquals(JSON.stringify({ of: seen.node }), JSON.stringify({ of: own }));
  assertEquals(seen.lost, undefined);
  assertThrows(() => (seen.node as { nosuch: number }).nosuch, TypeError, "there is no nosuch");
});

Deno.test("names that JavaScript means something by: JSON, `in` and keys are those of the program", () => {
  const long = base("long", 8, "signed");
  const large = 1n << 60n;
  const meant = ["toJSON", "__proto__", "then", "constructor", "length", "valueOf", "toString"];
  const odd: Type = {
    ...{ kind: "struct", name: "Odd", size: 8 * meant.length, language: "c++" },
    members: meant.map((name, at) => field(name, long, 8 * at)),
  };
  const bytes = little(large, 8);
  const seen = locals([
    ...meant.map((name) => [name, long, bytes] as const),
    ["odd", odd, meant.flatMap(() => bytes)],
  ]);
  const written = meant.map((name) => `"${name}":"${large}"`).join();
  assertEquals(
    JSON.stringify(seen),
    `{${written},"odd":{${written}},"lost":{"unavailable":"optimized out"}}`,
  );
  assertEquals(JSON.stringify([seen.odd]), `[{${written}}]`);
  assertEquals(Object.keys(seen), [...meant, "odd", "lost"]);
  assertEquals(meant.map((name) => name in seen && name in seen.odd), meant.map(() => true));
  for (const name of meant.slice(1)) assertEquals([seen[name], seen.odd[name]], [large, large]);
});
