import { assertEquals, assertThrows } from "@std/assert";
import { type Arch, archs } from "../../../lib/arch/mod.ts";
import { framesOf } from "./stack.ts";
import { functions, HandMadeStack } from "./stack.ts";

const base = 0x7_0000n;

/** main called middle called leaf: three frames, two records and the outermost null one. */
function threeFrames(arch: Arch): HandMadeStack {
  const stack = new HandMadeStack(arch, base, 256);
  stack.set("pc", 0x3010n);
  stack.set("sp", base + 16n);
  stack.set("fp", base + 32n);
  stack.record(32, base + 64n, 0x2020n);
  stack.record(64, base + 128n, 0x1030n);
  stack.record(128, 0n, 0n);
  return stack;
}

for (const arch of Object.values(archs)) {
  Deno.test(`${arch.name}: frame records are walked to the null record`, () => {
    const stack = threeFrames(arch);
    const frames = framesOf(stack.input(), {});
    assertEquals(frames.map(({ address }) => address), [0x3010n, 0x2020n, 0x1030n]);
    assertEquals(frames.map(({ foundBy }) => foundBy), [
      "context",
      "frame-pointer",
      "frame-pointer",
    ]);
    assertEquals(frames.map(({ fp }) => fp), [base + 32n, base + 64n, base + 128n]);
    assertEquals(frames.map(({ returnAddress }) => returnAddress), [0x2020n, 0x1030n, null]);
    const size = BigInt(arch.frameRecord.size);
    assertEquals(frames.map(({ sp }) => sp), [base + 16n, base + 32n + size, base + 64n + size]);
    assertEquals(frames.stopped, "null-record");
    assertEquals(frames[0].registers.get(arch.pc.name), 0x3010n);
    assertEquals(frames[2].registers.get(arch.fp.name), base + 128n);
    assertEquals(frames[2].registers.get(arch.threadState.registers[0].name), undefined);
  });

  Deno.test(`${arch.name}: a record with a return address and no caller still names a frame`, () => {
    const stack = threeFrames(arch);
    stack.record(64, 0n, 0x1030n);
    const frames = framesOf(stack.input(), {});
    assertEquals(frames.map(({ address }) => address), [0x3010n, 0x2020n, 0x1030n]);
    assertEquals(frames.stopped, "null-record");
  });

  Deno.test(`${arch.name}: every way a chain can be damaged ends the walk with its reason`, () => {
    const pointer = BigInt(arch.pointerSize);
    const cases: [string, bigint, string][] = [
      ["a loop to itself", base + 64n, "not-rising"],
      ["a loop back", base + 32n, "not-rising"],
      ["overlapping the record", base + 64n + pointer, "not-rising"],
      ["below the stack", 0x10n, "not-rising"],
      ["beyond the stack", base + 256n, "outside-stack"],
      ["its second half beyond the stack", base + 256n - pointer, "outside-stack"],
      ["misaligned", base + 129n, "misaligned"],
    ];
    for (const [what, previous, stopped] of cases) {
      const stack = threeFrames(arch);
      stack.record(64, previous, 0x1030n);
      const frames = framesOf(stack.input(), {});
      assertEquals(frames.stopped, stopped, what);
      // The record itself was sound, so the caller it names is shown.
      assertEquals(frames.map(({ address }) => address), [0x3010n, 0x2020n, 0x1030n], what);
    }
  });

  Deno.test(`${arch.name}: a frame pointer that is none leaves the innermost frame`, () => {
    const cases: [bigint, string][] = [
      [0n, "null-record"],
      [base + 8n, "outside-stack"], // below sp
      [base + 0x1000n, "outside-stack"],
      [base + 33n, "misaligned"],
    ];
    for (const [fp, stopped] of cases) {
      const stack = threeFrames(arch);
      stack.set("fp", fp);
      const frames = framesOf(stack.input(), {});
      assertEquals([frames.length, frames.stopped], [1, stopped]);
    }
  });

  Deno.test(`${arch.name}: the limit is kept, and said`, () => {
    const stack = threeFrames(arch);
    for (const limit of [0, 1, 2]) {
      const frames = framesOf(stack.input(), { limit });
      assertEquals([frames.length, frames.stopped], [limit, "limit"]);
    }
    assertEquals(framesOf(stack.input(), { limit: 3 }).stopped, "null-record");
    assertThrows(() => framesOf(stack.input(), { limit: -1 }), RangeError);
    assertThrows(() => framesOf(stack.input(), { limit: NaN }), RangeError);
  });

  Deno.test(`${arch.name}: what was not captured is read, or said to be missing`, () => {
    const stack = threeFrames(arch);
    const captured = { stack: stack.bytes.subarray(0, 48) };
    const cut = framesOf(stack.input(captured), {});
    assertEquals([cut.length, cut.stopped], [2, "unreadable"]);
    let reads = 0;
    const whole = framesOf(
      stack.input({
        ...captured,
        readInto(address, into) {
          reads++;
          const part = stack.bytes.subarray(Number(address - base));
          into.set(part.subarray(0, into.length));
          return Math.min(part.length, into.length);
        },
      }),
      {},
    );
    assertEquals([whole.length, whole.stopped, reads], [3, "null-record", 1]);
  });

  Deno.test(`${arch.name}: a stack of unknown bounds is walked as far as it can be read`, () => {
    const frames = framesOf(threeFrames(arch).input({ stackEnd: 0n }), {});
    assertEquals([frames.length, frames.stopped], [3, "null-record"]);
  });

  Deno.test(`${arch.name}: a thread without a state has no frames`, () => {
    const frames = framesOf(threeFrames(arch).input({ state: new Uint8Array(0) }), {});
    assertEquals([frames.length, frames.stopped], [0, "no-state"]);
  });
}

/** leaf (0x3000) called by middle (0x2000) called by main (0x1000); leaf stores no record. */
function leaf(arch: Arch): HandMadeStack {
  const stack = new HandMadeStack(arch, base, 256);
  stack.set("pc", 0x3010n);
  stack.set("sp", base + 16n);
  stack.set("fp", base + 64n);
  stack.record(64, base + 128n, 0x1030n);
  stack.record(128, 0n, 0n);
  return stack;
}

for (const arch of [archs.arm64, archs.armv7]) {
  const starts = functions([0x1000n, 0x1100n, 0x2000n, 0x3000n]);

  Deno.test(`${arch.name}: a leaf's caller is taken from the link register, once`, () => {
    const stack = leaf(arch);
    stack.set("lr", 0x2020n);
    const frames = framesOf(stack.input({ images: starts }), {});
    assertEquals(frames.map(({ address }) => address), [0x3010n, 0x2020n, 0x1030n]);
    assertEquals(frames.map(({ foundBy }) => foundBy), [
      "context",
      "link-register",
      "frame-pointer",
    ]);
    assertEquals(frames[1].fp, base + 64n);
  });

  Deno.test(`${arch.name}: a link register that the first record names already is dropped`, () => {
    const stack = leaf(arch);
    stack.set("lr", 0x1030n);
    const frames = framesOf(stack.input({ images: starts }), {});
    assertEquals(frames.map(({ address }) => address), [0x3010n, 0x1030n]);
  });

  Deno.test(`${arch.name}: a link register left by a call that returned is dropped`, () => {
    const stack = leaf(arch);
    stack.set("lr", 0x3008n); // in the function itself, after its call
    const frames = framesOf(stack.input({ images: starts }), {});
    assertEquals(frames.map(({ address }) => address), [0x3010n, 0x1030n]);
  });

  Deno.test(`${arch.name}: at its first instruction a recursive function's link register counts`, () => {
    const stack = leaf(arch);
    stack.set("pc", 0x3000n);
    stack.set("lr", 0x3020n);
    const frames = framesOf(stack.input({ images: starts }), {});
    assertEquals(frames.map(({ address }) => address), [0x3000n, 0x3020n, 0x1030n]);
  });

  Deno.test(`${arch.name}: a link register that points at no code is dropped`, () => {
    const stack = leaf(arch);
    stack.set("lr", 0x20n);
    const frames = framesOf(stack.input({ images: starts }), {});
    assertEquals(frames.map(({ address }) => address), [0x3010n, 0x1030n]);
  });
}

Deno.test("arm64: pointer authentication is removed wherever code addresses are read", () => {
  const stack = new HandMadeStack(archs.arm64, base, 256);
  const signed = (address: bigint) => address | 0x2a55_8000_0000_0000n;
  stack.set("pc", 0x1_0000_3010n);
  stack.set("sp", base + 16n);
  stack.set("fp", base + 64n);
  stack.set("lr", signed(0x1_0000_2020n));
  stack.record(64, base + 128n, signed(0x1_0000_1030n));
  stack.record(128, 0n, 0n);
  const frames = framesOf(
    stack.input({
      images: functions([0x1_0000_1000n, 0x1_0000_2000n, 0x1_0000_3000n]),
    }),
    {},
  );
  assertEquals(frames.map(({ address }) => address), [
    0x1_0000_3010n,
    0x1_0000_2020n,
    0x1_0000_1030n,
  ]);
});

Deno.test("armv7: the Thumb bit is removed wherever code addresses are read", () => {
  const stack = new HandMadeStack(archs.armv7, base, 256);
  stack.set("pc", 0x3010n);
  stack.set("sp", base + 16n);
  stack.set("fp", base + 64n);
  stack.set("lr", 0x2021n);
  stack.record(64, 0n, 0x1031n);
  const frames = framesOf(stack.input({ images: functions([0x1000n, 0x2000n, 0x3000n]) }), {});
  assertEquals(frames.map(({ address }) => address), [0x3010n, 0x2020n, 0x1030n]);
});

Deno.test("x86_64: registers with all bits set neither throw nor loop", () => {
  const stack = new HandMadeStack(archs.x86_64, base, 256);
  for (const role of ["pc", "sp", "fp"] as const) stack.set(role, 0xffff_ffff_ffff_ffffn);
  const frames = framesOf(stack.input(), {});
  assertEquals(frames.map(({ address, sp }) => [address, sp]), [
    [0xffff_ffff_ffff_ffffn, 0xffff_ffff_ffff_ffffn],
  ]);
  assertEquals(frames.stopped, "outside-stack");
});
