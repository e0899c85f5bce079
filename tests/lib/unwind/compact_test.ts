/** Compact unwind encodings as rows. */

import { assert, assertEquals } from "@std/assert";
import { type Arch, arm64, armv7, i386, x86_64 } from "../../../lib/arch/mod.ts";
import type { InstructionSet } from "../../../lib/unwind/instruction_set.ts";
import { instructionSets } from "../../../lib/unwind/instruction_sets.ts";

type Row = Exclude<ReturnType<InstructionSet["compactRow"]>, null | { dwarf: number }>;

/** `sp+16: rbx@-16 rip@-8`: the CFA, and where registers are, lowest first, as offsets from it. */
function show(arch: Arch, encoding: number, code?: Uint8Array): string {
  const row = instructionSets[arch.name].compactRow(encoding, {
    functionStart: 0x1000,
    readCode: (offset, length) => code?.slice(offset - 0x1000, offset - 0x1000 + length) ?? null,
  });
  if (row === null) return "none";
  if ("dwarf" in row) return `dwarf ${row.dwarf}`;
  return showRow(arch, row);
}

function showRow(arch: Arch, { cfa, registers, returnAddress, signalFrame }: Row): string {
  const name = (number: number): string =>
    arch.threadState.registers.find(({ dwarf }) => dwarf === number)?.name ??
      (arch === arm64 && number >= 64 ? `d${number - 64}` : `?${number}`);
  assert(cfa.kind === "register" && !signalFrame);
  assertEquals(name(returnAddress), arch.lr?.name ?? arch.pc.name);
  const places = [...registers].map(([number, rule]) => {
    if (rule.kind === "same") return { at: 0, text: `${name(number)}=` };
    assert(rule.kind === "offset");
    return { at: rule.offset, text: `${name(number)}@${rule.offset}` };
  });
  assertEquals(new Set(places.map(({ at }) => at)).size, places.length);
  places.sort((a, b) => a.at - b.at);
  return [`${name(cfa.register)}+${cfa.offset}:`, ...places.map(({ text }) => text)].join(" ");
}

Deno.test("arm64: frames", () => {
  assertEquals(show(arm64, 0x04000000), "fp+16: fp@-16 lr@-8");
  assertEquals(show(arm64, 0x04000001), "fp+16: x20@-32 x19@-24 fp@-16 lr@-8");
  assertEquals(
    show(arm64, 0x04000409),
    "fp+16: d13@-64 d12@-56 x26@-48 x25@-40 x20@-32 x19@-24 fp@-16 lr@-8",
  );
  assertEquals(
    show(arm64, 0x04000f1f),
    "fp+16: d15@-160 d14@-152 d13@-144 d12@-136 d11@-128 d10@-120 d9@-112 d8@-104 " +
      "x28@-96 x27@-88 x26@-80 x25@-72 x24@-64 x23@-56 x22@-48 x21@-40 x20@-32 x19@-24 " +
      "fp@-16 lr@-8",
  );
});

Deno.test("arm64: what is reserved above a frame record is the function's", () => {
  const place = (...words: readonly number[]) => {
    const code = new Uint8Array(Uint32Array.from(words).buffer);
    const found = instructionSets.arm64.compactRow(0x0400_0001, {
      functionStart: 0x100,
      readCode: () => code,
    });
    assert(found !== null && !("dwarf" in found) && found.cfa.kind === "register");
    const slot = found.registers.get(19);
    return [found.cfa.offset, slot?.kind === "offset" ? slot.offset : undefined];
  };
  // orr x29, x29, #1 << 60; sub sp, sp, #48; stp x29, x30, [sp, #16]; str x22, [sp, #8];
  // add x29, sp, #16
  assertEquals(place(0xb24403bd, 0xd100c3ff, 0xa9017bfd, 0xf90007f6, 0x910043fd), [32, -40]);
  // str x19, [sp, #-48]!; stp x29, x30, [sp, #16]; add x29, sp, #16
  assertEquals(place(0xf81d0ff3, 0xa9017bfd, 0x910043fd), [32, -40]);
  // sub sp, sp, #48; stp x29, x30, [sp, #32]; add x29, sp, #32
  assertEquals(place(0xd100c3ff, 0xa9027bfd, 0x910083fd), [16, -24]);
  // stp x20, x19, [sp, #-32]!; stp x29, x30, [sp, #16]; add x29, sp, #16
  assertEquals(place(0xa9be4ff4, 0xa9017bfd, 0x910043fd), [16, -24]);
  // stp x20, x19, [sp, #-32]!; bl; add x29, sp, #0
  assertEquals(place(0xa9be4ff4, 0x94000010, 0x910003fd), [16, -24]);
});

Deno.test("arm64: a return address signed with the pc is where others are", () => {
  assertEquals(show(arm64, 0x05004001), show(arm64, 0x04000001));
});

Deno.test("arm64: no frame", () => {
  assertEquals(show(arm64, 0x02000000), "sp+0: lr=");
  assertEquals(show(arm64, 0x02fff000), "sp+65520: lr=");
  assertEquals(
    show(arm64, 0x02003109),
    "sp+48: d9@-48 d8@-40 x26@-32 x25@-24 x20@-16 x19@-8 lr=",
  );
  // Six registers do not fit 32 bytes.
  assertEquals(show(arm64, 0x02002109), "none");
});

Deno.test("x86_64: frames", () => {
  assertEquals(show(x86_64, 0x01000000), "rbp+16: rbp@-16 rip@-8");
  assertEquals(show(x86_64, 0x01010001), "rbp+16: rbx@-24 rbp@-16 rip@-8");
  // rbx, r12 to r15 pushed in the reverse order.
  assertEquals(
    show(x86_64, 0x010558d1),
    "rbp+16: rbx@-56 r12@-48 r13@-40 r14@-32 r15@-24 rbp@-16 rip@-8",
  );
  // Slots may be empty, and lie deep below the frame pointer.
  assertEquals(show(x86_64, 0x01ff0141), "rbp+16: rbx@-2056 r15@-2040 rbp@-16 rip@-8");
});

Deno.test("i386: frames", () => {
  assertEquals(show(i386, 0x01000000), "ebp+8: ebp@-8 eip@-4");
  assertEquals(show(i386, 0x01030065), "ebp+8: esi@-20 edi@-16 ebx@-12 ebp@-8 eip@-4");
});

Deno.test("x86: frames that cannot be", () => {
  // A register number that is none, the frame pointer among the others, slots above the frame.
  for (const encoding of [0x01010007, 0x01010006, 0x01000001, 0x01010008]) {
    assertEquals(show(x86_64, encoding), "none", encoding.toString(16));
    assertEquals(show(i386, encoding), "none", encoding.toString(16));
  }
});

Deno.test("x86: without a frame, all orders of all choices of registers", () => {
  // The rank of an order among all orders of its length, as the alphabet has them.
  function* orders(length: number, taken: readonly number[] = []): Generator<readonly number[]> {
    if (taken.length === length) return yield taken;
    for (let next = 1; next <= 6; next++) {
      if (!taken.includes(next)) yield* orders(length, [...taken, next]);
    }
  }
  const names = {
    x86_64: ["rbx", "r12", "r13", "r14", "r15", "rbp"],
    i386: ["ebx", "ecx", "edx", "edi", "esi", "ebp"],
  };
  for (const arch of [x86_64, i386]) {
    const word = arch.pointerSize;
    for (let count = 0; count <= 6; count++) {
      let rank = 0;
      for (const order of orders(count)) {
        const saved = order.map((number, index) =>
          ` ${names[arch.name as keyof typeof names][number - 1]}@${-word * (1 + count - index)}`
        );
        assertEquals(
          show(arch, (0x02200000 | count << 10 | rank++) >>> 0),
          `${arch.sp.name}+${32 * word}:${saved.join("")} ${arch.pc.name}@${-word}`,
        );
      }
      // The next rank, where the field has room for it, is no order.
      if (rank < 1024) assertEquals(show(arch, (0x02200000 | count << 10 | rank) >>> 0), "none");
    }
    assertEquals(show(arch, 0x02201c00), "none");
  }
});

Deno.test("x86: a stack too small for what is on it", () => {
  assertEquals(show(x86_64, 0x02010000), "rsp+8: rip@-8");
  assertEquals(show(x86_64, 0x02000000), "none");
  assertEquals(show(x86_64, 0x02020400), "rsp+16: rbx@-16 rip@-8");
  assertEquals(show(x86_64, 0x02010400), "none");
});

Deno.test("x86: a stack size that is in the instructions", () => {
  // push %rbx; sub $0xbb8, %rsp
  const code64 = new Uint8Array([0x53, 0x48, 0x81, 0xec, 0xb8, 0x0b, 0, 0]);
  assertEquals(show(x86_64, 0x03044400, code64), "rsp+3016: rbx@-16 rip@-8");
  // push %esi; sub $0xbb8, %esp
  const code32 = new Uint8Array([0x56, 0x81, 0xec, 0xb8, 0x0b, 0, 0]);
  assertEquals(show(i386, 0x03034404, code32), "esp+3008: esi@-8 eip@-4");
  // 2 GiB and more are no negative size.
  code32[6] = 0x80;
  assertEquals(show(i386, 0x03034404, code32), `esp+${0x80000bb8 + 8}: esi@-8 eip@-4`);
});

Deno.test("x86: a stack size that cannot be had", () => {
  const code = new Uint8Array([0x53, 0x48, 0x81, 0xec, 0xb8, 0x0b, 0, 0]);
  assertEquals(instructionSets.x86_64.compactRow(0x03044400, { functionStart: 0 }), null);
  assertEquals(show(x86_64, 0x03044400), "none");
  assertEquals(show(x86_64, 0x03044400, code.subarray(0, 7)), "none");
  // Before the function, and not at a subtraction from the stack pointer.
  for (const operand of [0, 1, 2, 3, 5]) {
    const padded = new Uint8Array([...code, 0, 0, 0]);
    assertEquals(show(x86_64, 0x03004400 | operand << 16, padded), "none");
  }
  code[3] = 0xc4;
  assertEquals(show(x86_64, 0x03044400, code), "none");
});

Deno.test("DWARF, nothing, and modes that are not known", () => {
  assertEquals(show(arm64, 0x03000018), "dwarf 24");
  assertEquals(show(x86_64, 0x74ffffff), "dwarf 16777215");
  assertEquals(show(i386, 0x04000000), "dwarf 0");
  for (const arch of [arm64, x86_64, i386]) {
    assertEquals(show(arch, 0), "none");
    assertEquals(show(arch, 0x0f000000), "none");
    assertEquals(show(arch, 0x00010001), "none");
  }
  assertEquals(show(armv7, 0x01000001), "none");
});

Deno.test("flags of entries and personalities change nothing", () => {
  for (const [arch, encoding] of [[arm64, 0x04000007], [x86_64, 0x010558d1]] as const) {
    for (const flags of [0x80000000, 0x40000000, 0x30000000, 0xf0000000]) {
      assertEquals(show(arch, (encoding | flags) >>> 0), show(arch, encoding));
      assertEquals(show(arch, encoding | flags), show(arch, encoding));
    }
  }
});

Deno.test("any encoding has a row that lies within its frame, or none", () => {
  let state = 7;
  const next = (): number => state = Math.imul(state, 1664525) + 1013904223 >>> 0;
  const code = Uint8Array.from({ length: 300 }, (_, at) => [0x48, 0x81, 0xec, 0x10][at % 4]);
  for (let round = 0; round < 60_000; round++) {
    for (const arch of [arm64, x86_64, i386]) {
      const row = instructionSets[arch.name].compactRow(next(), {
        functionStart: 0,
        readCode: (offset, length) => code.subarray(offset, offset + length),
      });
      if (row === null || "dwarf" in row) continue;
      assert(row.cfa.kind === "register");
      const lowest = row.cfa.register === arch.sp.dwarf ? -row.cfa.offset : -4096;
      for (const rule of row.registers.values()) {
        if (rule.kind !== "offset") continue;
        assert(rule.offset >= lowest && rule.offset <= -arch.pointerSize);
        assertEquals(Math.abs(rule.offset % arch.pointerSize), 0);
      }
    }
  }
});
