/** Conditions of ARM's instructions against the manual's table, and what they pass over. */
import { assertEquals } from "@std/assert";
import { analyze } from "../../../lib/unwind/armv7/instructions.ts";
import { conditionHolds, nextExecuted } from "../../../lib/unwind/armv7/conditions.ts";

// Table A8-1 of the ARM Architecture Reference Manual, as it has them.
type Flags = Readonly<Record<"N" | "Z" | "C" | "V", 0 | 1>>;
const table: readonly (readonly [name: string, holds: (flags: Flags) => boolean])[] = [
  ["eq", ({ Z }) => Z === 1],
  ["ne", ({ Z }) => Z === 0],
  ["cs", ({ C }) => C === 1],
  ["cc", ({ C }) => C === 0],
  ["mi", ({ N }) => N === 1],
  ["pl", ({ N }) => N === 0],
  ["vs", ({ V }) => V === 1],
  ["vc", ({ V }) => V === 0],
  ["hi", ({ C, Z }) => C === 1 && Z === 0],
  ["ls", ({ C, Z }) => C === 0 || Z === 1],
  ["ge", ({ N, V }) => N === V],
  ["lt", ({ N, V }) => N !== V],
  ["gt", ({ Z, N, V }) => Z === 0 && N === V],
  ["le", ({ Z, N, V }) => Z === 1 || N !== V],
  ["al", () => true],
  ["", () => true],
];

Deno.test("each condition holds with the flags that the manual's table has for it", () => {
  for (const [condition, [name, holds]] of table.entries()) {
    for (let flags = 0; flags < 16; flags++) {
      const bit = (n: number) => ((flags >> n) & 1) as 0 | 1;
      const truth = holds({ N: bit(3), Z: bit(2), C: bit(1), V: bit(0) });
      // All other bits are no concern of it.
      for (const others of [0, 0x0fffffff]) {
        const cpsr = ((flags << 28) | others) >>> 0;
        assertEquals(conditionHolds(condition, cpsr), truth, `${name} ${flags.toString(2)}`);
      }
    }
  }
});

const BASE = 0x1000n;
const [ZERO, NONE] = [0x40000000, 0];

function reader(bytes: Uint8Array) {
  return (address: bigint, length: number) => {
    const at = Number(address - BASE);
    return at < 0 || at >= bytes.length ? null : bytes.slice(at, at + length);
  };
}

function halves(...values: number[]): Uint8Array {
  return new Uint8Array(Uint16Array.from(values).buffer);
}

function words(...values: number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(values).buffer);
}

/** The processor's state in Thumb code. */
function inBlock(flags: number, itState: number): number {
  return (flags | 0x30 | ((itState & 0xfc) << 8) | ((itState & 3) << 25)) >>> 0;
}

Deno.test("an IT block is passed over to its end, from each of its instructions", () => {
  // itttt eq; mov r0, r4; movs r1, #1; pop.w {r4, r5, r7, lr}; b.w; movs r0, #4
  const code = halves(0xbf01, 0x4620, 0x2101, 0xe8bd, 0x40b0, 0xf7ff, 0xbfcf, 0x2004);
  const read = reader(code);
  const end = BASE + 14n;
  // ITSTATE before the first to fourth instruction of a block that IT 0x01 begins, as it shifts.
  const places = [[2n, 0x01], [4n, 0x02], [6n, 0x04], [10n, 0x08]] as const;
  for (const [offset, itState] of places) {
    const pc = BASE + offset;
    assertEquals(nextExecuted(pc, inBlock(NONE, itState), read), end);
    assertEquals(nextExecuted(pc, inBlock(ZERO, itState), read), pc);
  }
  // Outside of a block the flags are no matter, nor where the code cannot be read.
  assertEquals(nextExecuted(end, inBlock(NONE, 0), read), end);
  assertEquals(nextExecuted(BASE + 100n, inBlock(NONE, 1), read), BASE + 100n);
  // The other half of a block: ite eq, after its first.
  assertEquals(nextExecuted(BASE + 2n, inBlock(ZERO, 0x18), read), BASE + 4n);
  assertEquals(nextExecuted(BASE + 2n, inBlock(NONE, 0x18), read), BASE + 2n);
});

// push {r4, r5, r7, lr}; add r7, sp, #8; mov r4, r0; cmp r0, #3;
// movlt r1, #1; poplt {r4, r5, r7, lr}; blt leaf; mov r0, #4; bl other
const tailCall = words(
  ...[0xe92d40b0, 0xe28d7008, 0xe1a04000, 0xe3500003],
  ...[0xb3a01001, 0xb8bd40b0, 0xba000010, 0xe3a00004, 0xeb000020],
);

Deno.test("ARM instructions of one condition in a row are passed over together, or all count", () => {
  const read = reader(tailCall);
  const [less, more] = [0x80000010, 0x10];
  for (const offset of [16n, 20n, 24n]) {
    assertEquals(nextExecuted(BASE + offset, less, read), BASE + offset);
    assertEquals(nextExecuted(BASE + offset, more, read), BASE + 28n);
  }
  assertEquals(nextExecuted(BASE + 28n, more, read), BASE + 28n);
  assertEquals(nextExecuted(BASE + 100n, more, read), BASE + 100n);
  const cfaAt = (offset: bigint, cpsr: number) => {
    const pc = nextExecuted(BASE + offset, cpsr, read);
    const input = { functionStart: BASE, functionEnd: null, pc, thumb: false, readCode: read };
    const { cfa } = analyze(input)!.row;
    return cfa.kind === "register" ? [cfa.register, cfa.offset + 0] : null;
  };
  const [whole, gone] = [[7, 8], [13, 0]];
  assertEquals([16n, 20n, 24n].map((at) => cfaAt(at, less)), [whole, whole, gone]);
  assertEquals([16n, 20n, 24n].map((at) => cfaAt(at, more)), [whole, whole, whole]);
  assertEquals([28n, 32n].map((at) => cfaAt(at, more)), [whole, whole]);
});
