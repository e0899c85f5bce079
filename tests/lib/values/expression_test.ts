/** Expressions: C's rules as clang evaluates them, members and pointers, refusals, damage. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  evaluate,
  ExpressionError,
  type ExpressionScope,
  PlacedValue,
  type Type,
  type Value,
} from "../../../lib/values/mod.ts";
import { bytesMemory, contextOf } from "./fake_context.ts";

const base = (name: string, encoding: Type["encoding"], size: number): Type => ({
  ...{ kind: "base", name, encoding, size, language: "c" },
});
const int = base("int", "signed", 4);
const char = base("char", "signed-char", 1);
const double = base("double", "float", 8);
const pointerTo = (target: Type): Type => ({
  ...{ kind: "pointer", name: `${target.name} *`, size: 8, language: "c", target },
});
const plain = { isBase: false, artificial: false };
const point: Type = {
  kind: "struct",
  name: "Point",
  size: 16,
  language: "c",
  members: [
    { name: "x", type: int, offset: 0, ...plain },
    { name: "low", type: int, offset: 4, bits: { offset: 32, size: 3 }, ...plain },
    {
      ...{ name: "unsigned", offset: 4, bits: { offset: 32, size: 3 }, ...plain },
      type: base("unsigned int", "unsigned", 4),
    },
    { name: "next", type: { ...pointerTo(int), name: "Point *" }, offset: 8, ...plain },
  ],
};
/** Its own `v`, after an `x` of `Left`, one of `Right`, and the virtual base `Point`, whose place is at the offset in
 * the object's last word. */
const record = (name: string, size: number, members: Type["members"]): Type => ({
  ...{ kind: "struct", name, size, language: "c++", members },
});
const left = record("Left", 4, [{ name: "x", type: int, offset: 0, ...plain }]);
const right = record("Right", 4, [{ name: "x", type: int, offset: 0, ...plain }]);
const below = record("Below", 8, [
  { name: "Left", type: left, offset: 0, isBase: true, artificial: false },
  { name: "Right", type: right, offset: 4, isBase: true, artificial: false },
]);
const joined = record("Joined", 32, [
  { name: "Below", type: below, offset: 8, isBase: true, artificial: false },
  {
    ...{ name: "Point", type: point, offset: 0, isBase: true, artificial: false },
    locate: (object) => object + 0x10n,
  },
  { name: "v", type: int, offset: 4, ...plain },
]);
const twice = record("Twice", 16, [
  { name: "Below", type: below, offset: 0, isBase: true, artificial: false },
  { name: "Right", type: right, offset: 8, isBase: true, artificial: false },
]);
const classes: Readonly<Record<string, Type>> = {
  ...{ Left: left, Right: right, Below: below, Joined: joined, Twice: twice },
};
const color: Type = {
  ...{ kind: "enum", name: "ns::Color", size: 4, language: "c++", target: int },
  enumerators: [{ name: "Red", value: 0n }, { name: "Blue", value: 2n }],
};
const pointPointer: Type = { ...pointerTo(point), name: "Point *" };
Object.assign(point.members![3], { type: pointPointer });

/** At 0x1000: a point {x 7, low 5, next &second}, then second {x -2, low 2, next null}, an array of four
 * ints 10 to 13, a char 'A', a double 2.5, a short -1. */
const start = 0x1000n;
const bytes = new Uint8Array(0x80);
const view = new DataView(bytes.buffer);
view.setInt32(0, 7, true);
view.setInt32(4, 5, true);
view.setBigUint64(8, 0x1010n, true);
view.setInt32(0x10, -2, true);
view.setInt32(0x14, 2, true);
[10, 11, 12, 13].forEach((number, at) => view.setInt32(0x20 + 4 * at, number, true));
view.setUint8(0x30, 65);
view.setFloat64(0x38, 2.5, true);
view.setInt16(0x40, -1, true);
view.setBigUint64(0x48, 0x1000n, true);
view.setBigUint64(0x50, 0x10n, true);
// Two to the 64th and 3, and 5 / 3 as Intel's extended number.
view.setBigUint64(0x60, 3n, true);
view.setBigUint64(0x68, 1n, true);

const context = {
  ...contextOf(bytesMemory(start, bytes)),
  findType: (name: string) =>
    name === "Point" ? point : name === "ns::Color" ? color : classes[name] ?? null,
};
const variables: Record<string, [Type, bigint]> = {
  first: [point, 0x1000n],
  array: [
    { kind: "array", name: "int[4]", size: 16, language: "c", target: int, count: 4 },
    0x1020n,
  ],
  letter: [char, 0x1030n],
  real: [double, 0x1038n],
  small: [base("short", "signed", 2), 0x1040n],
  p: [pointPointer, 0x1048n],
  wild: [pointPointer, 0x1050n],
  big: [base("unsigned long long", "unsigned", 8), 0x1048n],
  "ns::global": [int, 0x1020n],
  wide: [base("__int128", "signed", 16), 0x1060n],
  joined: [joined, 0x1018n],
  // Rust's enum with one variant.
  shape: [
    {
      ...record("Shape", 16, []),
      variantPart: {
        discriminant: null,
        variants: [{
          value: null,
          members: [{ name: "Rect", type: point, offset: 0, ...plain }],
        }],
      },
    },
    0x1000n,
  ],
  vector: [
    { kind: "array", name: "v4", size: 16, language: "c", target: int, count: 4, isVector: true },
    0x1020n,
  ],
};
const scope: ExpressionScope = {
  context,
  variable(name) {
    const known = variables[name];
    if (known === undefined) return null;
    return new PlacedValue(context, name, known[0], { kind: "memory", address: known[1] });
  },
  register: (name) =>
    name === "rip"
      ? new PlacedValue(context, "rip", base("unsigned long", "unsigned", 8), {
        kind: "register",
        register: "rip",
        bytes: Uint8Array.of(1, 2, 0, 0, 0, 0, 0, 0),
      })
      : null,
};

function result(text: string): [type: string, value: Value["scalar"]] {
  const value = evaluate(text, scope);
  return [value.type.name, value.scalar];
}

/** What clang 19 for x86_64-apple-macos gives each: types by `__typeof__`, values by a static assertion. */
const numbers: [text: string, type: string, value: number | bigint | boolean][] = [
  ["1 + 2 * 3", "int", 7],
  ["(1 + 2) * 3", "int", 9],
  ["10 - 4 - 3", "int", 3],
  ["-7 / 2", "int", -3],
  ["-7 % 3", "int", -1],
  ["7u - 8u", "unsigned int", 4294967295],
  ["-1 > 1u", "bool", true],
  ["2147483647 + 1", "int", -2147483648],
  ["2147483648", "long", 2147483648],
  ["0x80000000", "unsigned int", 2147483648],
  ["0xffffffffffffffff", "unsigned long", 18446744073709551615n],
  ["017", "int", 15],
  ["0b101", "int", 5],
  ["1'000", "int", 1000],
  ["1 << 4 | 3", "int", 19],
  ["~0", "int", -1],
  ["!5", "bool", false],
  ["6 & 3 ^ 1", "int", 3],
  ["1 < 2 == 1", "bool", true],
  ["1.5 + 1", "double", 2.5],
  ["1.5f * 2", "float", 3],
  ["7 / 2.0", "double", 3.5],
  ["(int)3.9", "int", 3],
  ["(unsigned char)300", "unsigned char", 44],
  ["(bool)7", "bool", true],
  ["(long)-1", "long", -1],
  ["int(2.5)", "int", 2],
  ["static_cast<int>(2.5)", "int", 2],
  ["'a' + 1", "int", 98],
  ["'\\n'", "char", 10],
  ["sizeof(int)", "unsigned long", 4],
  ["sizeof(Point)", "unsigned long", 16],
  ["sizeof first.next", "unsigned long", 8],
  ["1 ? 2 : 3", "int", 2],
  ["0 && 1 / 0", "bool", false],
  ["1 || 1 / 0", "bool", true],
  ["true", "bool", true],
  ["nullptr == 0", "bool", true],
  // Of variables.
  ["first.x", "int", 7],
  ["first.low", "int", -3],
  // As lldb-19's `frame variable` shows them.
  ["array[1][0-1]", "int:2", 3],
  ["array[1][3-1]", "int:3", 5],
  ["first.next->x[0-3]", "int:4", 14],
  ['"abc" == "abc"', "bool", true],
  ['"abc" != "abd"', "bool", true],
  ["first.low + 0", "int", -3],
  ["p->x", "int", 7],
  ["p.x", "int", 7],
  ["(*p).x", "int", 7],
  ["p->next->x", "int", -2],
  ["p->next->x * 2 + first.x", "int", 3],
  ["array[2]", "int", 12],
  ["array[first.x - 5]", "int", 12],
  ["*array", "int", 10],
  ["*(array + 3)", "int", 13],
  ["*&array[1]", "int", 11],
  ["p->next - p", "long", 1n as unknown as number],
  ["&array[3] - &array[0]", "long", 3],
  ["p == &first", "bool", true],
  ["p != nullptr && p->x > 3", "bool", true],
  ["letter + 1", "int", 66],
  ["letter == 'A'", "bool", true],
  ["real * 2", "double", 5],
  ["small + 1", "int", 0],
  ["big + 1", "unsigned long long", 4097],
  ["((Point *)0x1010)->x", "int", -2],
  ["((struct Point *)0x1010)->x", "int", -2],
  ["reinterpret_cast<Point *>(0x1010)->x", "int", -2],
  ["*(int *)(char *)p", "int", 7],
  ["(long)p", "long", 4096],
  ["$rip + 1", "unsigned long", 514],
  ["ns::global", "int", 10],
  ["(p)->x", "int", 7],
  ["-first.x", "int", -7],
  ["~(long)first.x", "long", -8],
  ["first.unsigned - 6", "int", -1],
  ["first.unsigned - 6 < 0", "bool", true],
  ["(bool)0.1", "bool", true],
  ["wide + 1", "__int128", 18446744073709551620n],
  ["wide * wide", "__int128", 110680464442257309705n],
  ["wide >> 64", "__int128", 1],
  ["(unsigned __int128)1 << 100", "unsigned __int128", 1n << 100n],
  ["(long)wide", "long", 3],
  ["(*(int (*)[2])array)[1]", "int", 11],
  ["((Right *)(Below *)array)->x", "int", 11],
  ["((Left *)(Below *)array)->x", "int", 10],
  ["((Below *)(Right *)&array[1])->Left.x", "int", 10],
  ["((Right *)&joined)->x", "int", 11],
  ["static_cast<Right *>(&joined)->x", "int", 11],
  ["((Right &)joined).x", "int", 11],
  ["reinterpret_cast<Right *>(&joined) == &joined", "bool", true],
  ["(long)(Point *)&joined - (long)&joined", "long", 16],
  ["(Right *)(Below *)0 == 0", "bool", true],
  ["shape.x", "int", 7],
];

for (const [text, type, value] of numbers) {
  Deno.test("constants of enumerations", () => {
    assertEquals(evaluate("ns::Color::Blue", scope).text, "Blue");
    assertEquals(result("ns::Color::Blue == (ns::Color)2"), ["bool", true]);
    assertThrows(() => result("ns::Color::Green"), ExpressionError, "there is no variable");
  });

  Deno.test(`${text} is ${value}`, () => {
    const [foundType, found] = result(text);
    assertEquals([foundType, Number(found)], [type, Number(value)]);
  });
}

Deno.test("an address is a pointer to the type", () => {
  const value = evaluate("&first", scope);
  assertEquals([value.type.name, value.integer], ["Point *", 0x1000n]);
  assertEquals(evaluate("&p->next", scope).type.name, "Point **");
  assertEquals(evaluate("p + 1", scope).integer, 0x1010n);
});

Deno.test("a variable keeps its name and its place, so that it can be written", () => {
  const value = evaluate("p->next->x", scope);
  assertEquals([value.name, value.address], ["x", 0x1010n]);
  assertEquals(evaluate("first", scope).childCount, 4);
});

Deno.test("gdb's @: elements from the first on", () => {
  // As gdb 13 reads them: below arithmetic, above comparisons and shifts.
  for (
    const [text, type, elements] of [
      ["array[1]@2", "int[2]", ["11", "12"]],
      ["*&array[1]@1 + 1", "int[2]", ["11", "12"]],
      ["*p@2", "Point[2]", [null, null]],
      ["array@1", "int[1][4]", [null]],
    ] as const
  ) {
    const value = evaluate(text, scope);
    assertEquals(value.type.name, type, text);
    assertEquals(value.children().map((child) => child.text), [...elements], text);
  }
});

Deno.test("a member of a method's object comes after the frame's variables and before global ones", () => {
  const place = (type: Type, address: bigint, name: string) =>
    new PlacedValue(context, name, type, { kind: "memory", address });
  const method: ExpressionScope = {
    context,
    local: (name) => name === "this" ? place(pointPointer, 0x1048n, name) : null,
    variable: (name) => name === "x" || name === "y" ? place(int, 0x1020n, name) : null,
  };
  assertEquals(["x", "::x", "y"].map((text) => evaluate(text, method).scalar), [7, 10, 10]);
});

Deno.test("a member of the object that a lambda of clang's has comes before global ones, too", () => {
  const closure: Type = {
    ...{ ...point, kind: "class", name: "(unnamed class)", language: "c++" },
    members: [{ name: "this", type: pointPointer, offset: 8, ...plain }],
  };
  const lambda: ExpressionScope = {
    context,
    local: (name) =>
      name === "this"
        ? new PlacedValue(context, name, { ...pointerTo(closure), name: "closure" }, {
          kind: "memory",
          address: 0x1048n,
        })
        : null,
    variable: () => null,
  };
  assertEquals(evaluate("x", lambda).scalar, -2);
});

const refused: [text: string, message: RegExp, position?: number][] = [
  ["strlen(name)", /strlen\(…\) would call a function: nothing is called/, 0],
  ["p->size()", /nothing is called/],
  ["dynamic_cast<Point *>(p)", /would call/],
  ["first.x = 3", /writes nothing/],
  ["first.x += 3", /writes nothing/],
  ["first.x++", /writes nothing/],
  ["first.x[0-99]", /has 32 bits: there is no bit 99/],
  ['"abc" + 1', /does not go with strings/],
  ['first == "abc"', /first is no text/],
  ["--first.x", /writes nothing/],
  ["nosuch", /no variable nosuch/, 0],
  ["first.nosuch", /no member named nosuch in Point/, 5],
  ["p->nosuch", /no member named nosuch in Point/],
  ["letter.x", /has no members/],
  ["*letter", /is no pointer/],
  ["&1", /has no address/],
  ["&$rip", /in register rip/],
  ["array[4]", /has no element 4: it has 4/],
  ["array[-1]", /has no element -1/],
  ["array[1.5]", /an index is an integer/],
  ["first + 1", /Point is no number/],
  ["vector + 1", /v4 is a vector: its elements are numbers, as vector\[0\]/],
  ["shape.y", /no member named y in Shape/],
  ["(Joined *)p", /where in a Joined its Point is, is not known/],
  ["(Right *)(Twice *)array", /Twice has more than one Right/],
  ["1 / 0", /division by zero/],
  ["1 % (1 - 1)", /division by zero/],
  ["1 << 32", /shift by 32/],
  ["1 << -1", /shift by -1/],
  ["1.5 & 1", /does not go with floating-point/],
  ["p * 2", /does not go with pointers/],
  ["-p", /does not go with a pointer/],
  ["5@2", /before @ is the first element, which is in memory/],
  ["array[0]@0", /from 1 to/],
  ["array[0]@p", /from 1 to/],
  ["*p@", /ends too early/],
  ["wild->x + 1", /wild leads to unreadable at 0x10/],
  ["p->next->next->x + 1", /null pointer/],
  ["(void)1", /void/],
  ["(struct Nosuch *)p", /no type struct is known|no type/],
  ["1 +", /ends too early/],
  ["(1", /\) is missing/],
  ["1)", /\) is not expected/],
  ["", /an expression is expected/],
  ["#", /# is not expected/],
  ["first.", /a member's name/],
  ["99999999999999999999", /does not fit 64 bits/],
  ["09", /no octal number/],
  ["1x", /is no number/],
  ["$nosuch", /no register \$nosuch/],
  ["int", /is a type/],
  ["1, 2", /, is not expected/],
  ["(1, 2)", /comma/],
  ["(".repeat(1000), /nested more than/],
  ["-".repeat(1000) + "1", /nested more than|writes nothing/],
  ["!".repeat(1000) + "1", /nested more than/],
  ["1+".repeat(3000) + "1", /at most 4096 characters/],
];

for (const [text, message, position] of refused) {
  Deno.test(`${text.slice(0, 40)} is refused: ${message.source.slice(0, 40)}`, () => {
    const error = assertThrows(() => evaluate(text, scope), ExpressionError);
    assert(message.test(error.message), error.message);
    if (position !== undefined) assertEquals(error.position, position);
  });
}

Deno.test("mutated expressions give a value or an ExpressionError, in bounded time", () => {
  const pieces = [
    ...[
      "first",
      "p",
      "array",
      "letter",
      "real",
      "wild",
      "->",
      ".",
      "x",
      "next",
      "[",
      "]",
      "(",
      ")",
    ],
    ...["*", "&", "+", "-", "<<", ">>", "<", ">", "==", "&&", "||", "?", ":", "1", "0x7f", "2.5"],
    ...["(int)", "(Point *)", "sizeof", "'a'", "::", "!", "~", ",", "$rip", "<", "static_cast"],
  ];
  let seed = 12345;
  const random = (limit: number) => (seed = Math.imul(seed, 1103515245) + 12345 >>> 0) % limit;
  let values = 0;
  for (let round = 0; round < 20000; round++) {
    const text = Array.from({ length: 1 + random(12) }, () => pieces[random(pieces.length)]).join(
      random(2) === 0 ? " " : "",
    );
    try {
      const value = evaluate(text, scope);
      void value.text;
      values++;
    } catch (error) {
      if (!(error instanceof ExpressionError)) {
        throw new Error(`${text}: ${error}`, { cause: error });
      }
    }
  }
  assert(values > 200, `${values} had values`);
});
