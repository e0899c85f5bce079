import { assertEquals } from "@std/assert";
import { evaluateExpression, type ExpressionContext } from "../../../lib/dwarf/mod.ts";
import { number, sleb, uleb } from "./section.ts";

const memory = new Map([[0x1008n, 0x1122_3344_5566_7788n], [0x2000n, 0x99n]]);

const context: ExpressionContext = {
  registers: (register) => register === 7 ? 0x1000n : register === 40 ? 0x2000n : undefined,
  readMemory: (address, size) => {
    const value = memory.get(address);
    return value === undefined ? undefined : BigInt.asUintN(size * 8, value);
  },
  pointerSize: 8,
};

function evaluate(bytes: readonly number[], more: Partial<ExpressionContext> = {}) {
  return evaluateExpression(Uint8Array.from(bytes), { ...context, ...more });
}

const lit = (value: number): number => 0x30 + value;
const minus = (value: bigint): bigint => BigInt.asUintN(64, -value);
const s = (value: number): number[] => [0x11, ...sleb(value)];

/** The values are worked out by hand from DWARF 5, section 2.5.1. */
const values: readonly [name: string, bytes: number[], value: bigint | undefined][] = [
  ["addr", [0x03, ...number(0x1234_5678_9abcn, 8)], 0x1234_5678_9abcn],
  ["lit0", [lit(0)], 0n],
  ["lit31", [lit(31)], 31n],
  ["const1u", [0x08, 0xff], 255n],
  ["const1s", [0x09, 0xff], minus(1n)],
  ["const2u", [0x0a, 0xfe, 0xff], 0xfffen],
  ["const2s", [0x0b, 0xfe, 0xff], minus(2n)],
  ["const4u", [0x0c, ...number(-2, 4)], 0xffff_fffen],
  ["const4s", [0x0d, ...number(-2, 4)], minus(2n)],
  ["const8u", [0x0e, ...number(-2, 8)], minus(2n)],
  ["const8s", [0x0f, ...number(-2, 8)], minus(2n)],
  ["constu", [0x10, ...uleb(0x12345)], 0x12345n],
  ["consts", s(-0x12345), minus(0x12345n)],
  ["breg7", [0x77, ...sleb(-8)], 0xff8n],
  ["bregx", [0x92, 40, 8], 0x2008n],
  ["an unknown register", [0x70, 0], undefined],
  ["deref", [0x77, 8, 0x06], 0x1122_3344_5566_7788n],
  ["deref_size 4", [0x77, 8, 0x94, 4], 0x5566_7788n],
  ["deref_size 9", [0x77, 8, 0x94, 9], undefined],
  ["deref_size 0", [0x77, 8, 0x94, 0], undefined],
  ["deref of what cannot be read", [lit(0), 0x06], undefined],
  ["dup", [lit(3), 0x12, 0x22], 6n],
  ["drop", [lit(3), lit(4), 0x13], 3n],
  ["over", [lit(3), lit(4), 0x14, 0x1c], 1n],
  ["pick 2", [lit(9), lit(3), lit(4), 0x15, 2], 9n],
  ["pick too deep", [lit(9), 0x15, 1], undefined],
  ["swap", [lit(3), lit(4), 0x16, 0x1c], 1n],
  // 1 2 3 becomes 3 1 2.
  ["rot, top", [lit(1), lit(2), lit(3), 0x17], 2n],
  ["rot, second", [lit(1), lit(2), lit(3), 0x17, 0x13], 1n],
  ["rot, third", [lit(1), lit(2), lit(3), 0x17, 0x13, 0x13], 3n],
  ["abs", [...s(-5), 0x19], 5n],
  ["and", [lit(12), lit(10), 0x1a], 8n],
  ["or", [lit(12), lit(10), 0x21], 14n],
  ["xor", [lit(12), lit(10), 0x27], 6n],
  ["div is signed", [...s(-7), lit(2), 0x1b], minus(3n)],
  ["div by zero", [lit(1), lit(0), 0x1b], undefined],
  ["minus", [lit(3), lit(5), 0x1c], minus(2n)],
  ["mod is unsigned", [...s(-1), lit(10), 0x1d], 5n],
  ["mod by zero", [lit(1), lit(0), 0x1d], undefined],
  ["mul", [...s(-3), lit(5), 0x1e], minus(15n)],
  ["neg", [lit(5), 0x1f], minus(5n)],
  ["not", [lit(0), 0x20], minus(1n)],
  ["plus wraps", [...s(-1), lit(2), 0x22], 1n],
  ["plus_uconst", [lit(1), 0x23, ...uleb(300)], 301n],
  ["shl", [lit(1), 0x08, 63, 0x24], 1n << 63n],
  ["shl by all bits", [lit(1), 0x08, 64, 0x24], 0n],
  ["shr", [...s(-1), 0x08, 60, 0x25], 15n],
  ["shra", [...s(-16), lit(2), 0x26], minus(4n)],
  ["shra by very much", [...s(-16), ...s(-1), 0x26], minus(1n)],
  ["eq", [lit(1), lit(1), 0x29], 1n],
  ["ge is signed", [...s(-1), lit(1), 0x2a], 0n],
  ["gt", [lit(2), lit(1), 0x2b], 1n],
  ["le", [lit(1), lit(1), 0x2c], 1n],
  ["lt is signed", [...s(-1), lit(1), 0x2d], 1n],
  ["ne", [lit(1), lit(1), 0x2e], 0n],
  ["skip", [lit(1), 0x2f, 1, 0, lit(2), 0x96], 1n],
  ["skip to the end", [lit(1), 0x2f, 1, 0, 0x13], 1n],
  ["skip beyond the end", [lit(1), 0x2f, 2, 0, 0x13], undefined],
  ["skip before the start", [lit(1), 0x2f, 0xfb, 0xff], undefined],
  ["bra taken", [lit(5), lit(1), 0x28, 1, 0, 0x13], 5n],
  ["bra not taken", [lit(5), lit(6), lit(0), 0x28, 1, 0, 0x13], 5n],
  ["a loop that ends: 5 + 4 + 3 + 2 + 1", [
    ...[lit(0), lit(5)], // sum, n
    ...[0x12, 0x17, 0x22, 0x16], // dup rot plus swap: sum + n, n
    ...[lit(1), 0x1c, 0x12, 0x28, ...number(-10, 2), 0x13], // n - 1; again unless 0
  ], 15n],
  ["an endless loop", [0x2f, ...number(-3, 2)], undefined],
  ["a stack that grows for ever", [lit(1), 0x2f, ...number(-4, 2)], undefined],
  ["nothing", [], undefined],
  ["too few operands", [lit(1), 0x22], undefined],
  ["a location, not a value", [0x50], undefined],
  ["an unknown operation", [lit(1), 0xff], undefined],
  ["an operand that is cut", [0x0c, 1, 2], undefined],
];

for (const [name, bytes, value] of values) {
  Deno.test(`expression: ${name}`, () => assertEquals(evaluate(bytes), value));
}

Deno.test("the CFA is on the stack of a register's expression", () => {
  assertEquals(evaluate([0x23, 8], { cfa: 0x5000n }), 0x5008n);
});

Deno.test("expressions count with 32 bits where pointers have as many", () => {
  const narrow = { pointerSize: 4 } as const;
  assertEquals(evaluate([...s(-1), lit(2), 0x22], narrow), 1n);
  assertEquals(evaluate([...s(-1)], narrow), 0xffff_ffffn);
  assertEquals(evaluate([...s(-16), lit(2), 0x26], narrow), 0xffff_fffcn);
  assertEquals(evaluate([0x77, 8, 0x06], narrow), 0x5566_7788n);
  assertEquals(evaluate([0x03, 1, 2, 3, 4], narrow), 0x0403_0201n);
});

Deno.test("an exception in a callback makes the value unknown", () => {
  const thrower = (): never => {
    throw new Error("gone");
  };
  assertEquals(evaluate([0x77, 0], { registers: thrower }), undefined);
  assertEquals(evaluate([lit(0), 0x06], { readMemory: thrower }), undefined);
});

Deno.test("evaluation of any bytes ends", () => {
  for (let first = 0; first < 256; first++) {
    for (let second = 0; second < 256; second++) {
      evaluate([lit(3), lit(2), lit(1), first, second, 0x2f, ...number(-5, 2)]);
    }
  }
});
