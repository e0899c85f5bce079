/** Code that is jumped to and runs in another function's frame: GHC's code of Haskell, and labels of
 * assembly in ARM code. */
import { assertEquals } from "@std/assert";
import { archs, register, writeRegister } from "../../../lib/arch/mod.ts";
import { Image } from "../../../lib/macho/mod.ts";
import { unwind } from "../../../lib/unwind/mod.ts";
import { buildImage } from "../macho/build_image.ts";
import { functions as imageOf, HandMadeStack } from "./stack.ts";

const text = 0x1_0000_0000n;
const base = 0x7_0000_0000n;

/** Places code in an image of 0x1000 bytes from 0x1000 on. */
function codeAt(parts: Readonly<Record<number, Uint8Array>>): Uint8Array {
  const data = new Uint8Array(0x1000);
  for (const [at, code] of Object.entries(parts)) data.set(code, Number(at) - 0x1000);
  return data;
}

const bytes = (hex: string) => Uint8Array.fromHex(hex.replaceAll(" ", ""));
const words = (...values: readonly number[]) => new Uint8Array(Uint32Array.from(values).buffer);

/** What `StgRun()` and Haskell's code are in an instruction set. */
const haskell = {
  x86_64: {
    run: bytes(
      "4883ec30 4889e0 4881ec00400000 488918 48896808 4c896010 4c896818 4c897020 4c897828" +
        "4989f5 4889f8 ffe0",
    ),
    // lea -16(%rbp), %rax; cmp %r15, %rax; jb 1f; sub $8, %rsp; call; add $8, %rsp; add $8, %rbp;
    // jmp *(%rbp); 1: jmp *-16(%r13)
    code: bytes("488d45f0 4c39f8 7214 4883ec08 e86e000000 4883c408 4883c508 ff6500 41ff65f0"),
    inCode: [0, 4, 9, 22, 26, 29],
    // Where it calls, and returns to, and how far the stack pointer is below there.
    called: { at: 18, lowered: 8 },
    // A function of a library in assembly: mov %rdi, %rax; ret
    assembly: bytes("4889f8 c3"),
    returnSize: 8,
    frame: 0x4038,
    saved: { rbx: 56, rbp: 48, r12: 40, r13: 32, r14: 24, r15: 16 },
    call: bytes("e800000000"),
    callSize: 5n,
  },
  arm64: {
    run: words(
      ...[0xa9ba6ffc, 0xa90167fa, 0xa9025ff8, 0xa90357f6, 0xa9044ff4, 0xa9057bfd, 0xa9bf7bfd],
      ...[0x910003fd, 0xa9bf47f0, 0xa9bf53f3, 0xa9bf5bf5, 0xa9bf63f7, 0xa9bf6bf9, 0xa9bf73fb],
      ...[0x6dbf27e8, 0x6dbf2fea, 0x6dbf37ec, 0x6dbf3fee, 0xd14013ff, 0xaa0103f3, 0xd61f0000],
    ),
    // sub x17, x20, #16; cmp x17, x28; b.lo 1f; bl; add x20, x20, #8; ldr x17, [x20]; br x17;
    // 1: ldur x17, [x19, #-16]; br x17
    code: words(
      ...[0xd1004291, 0xeb1c023f, 0x540000a3, 0x9400001d, 0x91002294, 0xf9400291, 0xd61f0220],
      ...[0xf85f0271, 0xd61f0220],
    ),
    inCode: [0, 8, 12, 16, 20, 28],
    called: { at: 16, lowered: 0 },
    // mov x0, x1; ret
    assembly: words(0xaa0103e0, 0xd65f03c0),
    returnSize: 0,
    frame: 0x4110,
    saved: { x28: 96, x27: 88, x26: 80, x20: 32, x19: 24, fp: 16 },
    call: words(0x94000000),
    callSize: 4n,
  },
} as const;

for (const name of ["x86_64", "arm64"] as const) {
  const arch = archs[name];
  const { run, code, inCode, called, assembly, frame, saved, call, callSize, returnSize } =
    haskell[name];
  const data = codeAt({ 0x1000: run, 0x1100: code, 0x1180: assembly, 0x1200: code, 0x1300: call });
  const file = buildImage({
    cpuType: arch.cpuType,
    address: text,
    sections: [{ segment: "__TEXT", name: "__text", offset: 0x1000, size: 0x1000, data }],
    functionStarts: [0x1000, 0x1100, 0x1180, 0x1200, 0x1300, 0x1380],
  });
  const image = Image.fromFile(file, "haskell");
  const images = { ...imageOf([]), imageAt: (at: bigint) => at >> 32n === 1n ? image : null };
  const caller = text + 0x1300n + callSize;
  /** Where earlier calls returned to: left in the link register, and in what the stack has reserved. */
  const stale = text + 0x1100n + BigInt(called.at);

  const stackAt = (pc: bigint, lowered: number) => {
    const stack = new HandMadeStack(arch, base, 0x5000);
    const cfa = 0x100 + lowered + frame;
    const view = new DataView(stack.bytes.buffer);
    for (let at = 0; at < 0x100 + lowered + 64; at += 8) view.setBigUint64(at, stale, true);
    for (const [index, at] of Object.values(saved).entries()) {
      view.setBigUint64(cfa - at, 0x1234_0000n + BigInt(index), true);
    }
    view.setBigUint64(cfa - 8, caller, true);
    stack.set("pc", pc);
    stack.set("sp", base + 0x100n);
    if (arch.lr !== null) stack.set("lr", stale);
    // Haskell's stack pointer is in the heap.
    stack.set("fp", arch.lr === null ? 0x8_0000_0100n : base + BigInt(cfa) - 112n);
    view.setBigUint64(cfa - 112, base + BigInt(cfa) + 64n, true);
    view.setBigUint64(cfa - 104, caller, true);
    return { stack: stack.input({ images }), cfa: base + BigInt(cfa) };
  };

  Deno.test(`${name}: Haskell's code runs in StgRun()'s frame`, () => {
    for (const start of [0x1100, 0x1200]) {
      for (const at of inCode) {
        const { stack, cfa } = stackAt(text + BigInt(start + at), 0);
        const walk = unwind(stack, { limit: 2 });
        const [, found] = walk.frames;
        assertEquals([found?.address, found?.sp], [caller, Number(cfa)], `${start}+${at}`);
        const known = walk.registersOf(1);
        Object.keys(saved).forEach((register, index) =>
          assertEquals(known.get(register), 0x1234_0000n + BigInt(index), register)
        );
      }
    }
  });

  Deno.test(`${name}: what Haskell's code calls returns into StgRun()'s frame`, () => {
    const returnAddress = text + 0x1100n + BigInt(called.at);
    const { stack, cfa } = stackAt(text + 0x1180n, called.lowered + returnSize);
    if (arch.lr !== null) writeRegister(stack.state, arch.lr, returnAddress);
    else new DataView(stack.stack.buffer).setBigUint64(0x100, returnAddress, true);
    const { frames } = unwind(stack, { limit: 3 });
    assertEquals(frames.slice(1).map(({ address }) => address), [returnAddress, caller]);
    assertEquals(frames[2].sp, Number(cfa));
  });

  Deno.test(`${name}: a function that returns is called, also between Haskell's`, () => {
    const { stack } = stackAt(text + 0x1180n, 0);
    assertEquals(unwind(stack, { limit: 2 }).frames[1].address, stale);
  });

  Deno.test(`${name}: without StgRun() no caller is made up, and few such jumps say nothing`, () => {
    const walk = (copies: number) => {
      const parts: Record<number, Uint8Array> = { 0x1300: call };
      for (let index = 0; index < copies; index++) parts[0x1400 + 64 * index] = code;
      const file = buildImage({
        cpuType: arch.cpuType,
        address: text,
        sections: [{
          ...{ segment: "__TEXT", name: "__text", offset: 0x1000, size: 0x1000 },
          data: codeAt({ 0x1100: code, ...parts }),
        }],
        functionStarts: [0x1000, 0x1100, 0x1180, ...Object.keys(parts).map(Number)],
      });
      const other = Image.fromFile(file, "other");
      const { stack } = stackAt(text + 0x1100n, 0);
      const { frames, stopped } = unwind(
        { ...stack, images: { ...stack.images, imageAt: () => other } },
        { limit: 2 },
      );
      return [frames.at(1)?.address, stopped];
    };
    assertEquals(walk(1), [stale, "limit"]);
    assertEquals(
      walk(20),
      arch.lr === null ? [undefined, "outside-stack"] : [caller, "null-record"],
    );
  });
}

Deno.test("armv7: labels in a function of ARM code are parts of it", () => {
  const arch = archs.armv7;
  const start = 0x4000n;
  // A table of constants: the last of them looks like an instruction that goes on.
  const table = words(0x0000001b, 0xe0800001);
  // push {r4-r7, lr}; mov lr, #8; mov r7, #0
  const entry = words(0xe92d40f0, 0xe3a0e008, 0xe3a07000);
  // loop: ldr r4, [r0], #4; add r7, r7, r4; subs lr, lr, #1; bgt loop
  const loop = words(0xe4904004, 0xe0877004, 0xe25ee001, 0xcafffffb);
  // end: str r7, [r1]; pop {r4-r7, pc}
  const end = words(0xe5817000, 0xe8bd80f0);
  // A leaf function: mov r0, #0; bx lr
  const leaf = words(0xe3a00000, 0xe12fff1e);
  // bl
  const call = words(0xebffffff);
  const data = codeAt({
    ...{ 0x1000: table, 0x1008: entry, 0x1014: loop, 0x1024: end, 0x102c: leaf, 0x1100: call },
  });
  const image = Image.fromFile(
    buildImage({
      is64: false,
      cpuType: arch.cpuType,
      address: start,
      sections: [{ segment: "__TEXT", name: "__text", offset: 0x1000, size: 0x1000, data }],
      functionStarts: [0x1000, 0x1008, 0x1014, 0x1024, 0x102c, 0x1100, 0x1180],
    }),
    "labels",
  );
  const images = { ...imageOf([]), imageAt: (at: bigint) => at >> 16n === 0n ? image : null };
  const caller = start + 0x1104n;
  const walk = (offset: number) => {
    const stack = new HandMadeStack(arch, 0x7000_0000n, 256);
    const view = new DataView(stack.bytes.buffer);
    stack.set("pc", start + BigInt(offset));
    stack.set("sp", 0x7000_0010n);
    view.setUint32(0x10 + 12, 0x7000_0080, true);
    view.setUint32(0x10 + 16, Number(caller), true);
    stack.set("lr", caller);
    const input = stack.input({ images });
    // All conditions but those of equality hold.
    writeRegister(input.state, register(arch.threadState, "cpsr"), 0x10n);
    if (offset >= 0x1010 && offset < 0x102c) writeRegister(input.state, arch.lr!, 5n);
    const [, found] = unwind(input, { limit: 2 }).frames;
    return [found?.address, found?.sp, found?.fp];
  };
  for (const offset of [0x1010, 0x1014, 0x1018, 0x1020, 0x1024, 0x1028]) {
    assertEquals(walk(offset), [caller, 0x7000_0024, 0x7000_0080], offset.toString(16));
  }
  assertEquals(walk(0x1008).slice(0, 2), [caller, 0x7000_0010]);
  assertEquals(walk(0x102c).slice(0, 2), [caller, 0x7000_0010]);
});
