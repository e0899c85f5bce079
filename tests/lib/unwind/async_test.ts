/** Swift's async frames: at every instruction of functions that are compiled as Swift's are, a walk goes to
 * the true caller, and their context is found. */
import { assert, assertEquals } from "@std/assert";
import { archs, register, writeRegister } from "../../../lib/arch/mod.ts";
import { Image } from "../../../lib/macho/mod.ts";
import { Symbolizer } from "../../../lib/symbols/mod.ts";
import { Backtrace } from "../../../lib/target/mod.ts";
import { instructionSets } from "../../../lib/unwind/instruction_sets.ts";
import type { FunctionCode } from "../../../lib/unwind/instruction_set.ts";
import { describeRow, unwind } from "../../../lib/unwind/mod.ts";
import { buildImage } from "../macho/build_image.ts";
import { armPrograms, task, x86Programs } from "./async_programs.ts";
import { functions as imageOf, HandMadeStack } from "./stack.ts";

const mark = 1n << 60n;
/** A signature that pointer authentication leaves in a pointer on arm64e. */
const signature = 0x002a_8000_0000_0000n;
/** From where the frame pointer has been restored on. */
const epilogueSize = 24;

for (const { name, arch, image, steps } of [...x86Programs(), ...armPrograms()]) {
  const images = new Symbolizer([image]);
  const [contexts] = image.findSymbols("steps_contexts");
  const contextSize = 24n;
  const functions = task.map((name) => image.findSymbols(name)[0].address);
  /** Reads the contexts as they are while the task runs. */
  const readInto = (address: bigint, into: Uint8Array): number => {
    const index = Number((address - contexts.address) / contextSize);
    if (index < 0 || index > 3 || into.length !== 16) return 0;
    const view = new DataView(into.buffer, into.byteOffset);
    const hasParent = index + 1 < task.length;
    const signed = arch.name === "arm64" ? signature : 0n;
    view.setBigUint64(0, hasParent ? address + contextSize | signed : 0n, true);
    view.setBigUint64(8, hasParent ? functions[index + 1] | signed : 0n, true);
    return 16;
  };

  Deno.test(`${name}: a walk goes to the caller, whose frame pointer has no mark`, () => {
    for (const { state, stackAddress, stack, returnAddress, cfa, fp } of steps) {
      const stackEnd = stackAddress + BigInt(stack.length);
      const input = { arch, images, state, stackAddress, stack, stackEnd, readInto: undefined };
      const [{ address }, caller] = unwind(input, { limit: 2 }).frames;
      const at = image.symbolAt(address)!;
      const place = `${at.symbol!.name}+${at.offset}`;
      assertEquals([caller?.address, caller?.sp], [returnAddress, Number(cfa)], place);
      // The caller may itself be an async function, whose frame pointer is not marked while it runs.
      assertEquals(caller.fp, Number(fp & ~mark), place);
    }
  });

  Deno.test(`${name}: the context and those who wait are found while the frame has the mark`, () => {
    let found = 0;
    for (const { state, stackAddress, stack } of steps) {
      const stackEnd = stackAddress + BigInt(stack.length);
      const input = { arch, images, state, stackAddress, stack, stackEnd, readInto };
      const backtrace = new Backtrace(arch, images, unwind(input));
      const frames = backtrace.activations;
      const index = frames.findIndex(({ function: name }) => task.includes(name ?? ""));
      if (index < 0) continue;
      const frame = frames[index];
      const number = task.indexOf(frame.function!);
      const place = `${frame.function}+${frame.offset} of frame ${index}`;
      if (frame.asyncContext === null) {
        // At an entry nothing shows the convention yet. In an epilogue, once the frame pointer has been
        // restored, the register may hold the next context.
        assertEquals(index, 0, place);
        const left = frame.symbol!.size! - frame.offset;
        assert(frame.offset === 0 || left <= epilogueSize, place);
        continue;
      }
      found++;
      assertEquals(frame.asyncContext, contexts.address + BigInt(number) * contextSize, place);
      const names = [];
      for (let at = frame.asyncParent; at !== null; at = at.asyncParent) {
        assertEquals([at.foundBy, at.offset], ["async", 0]);
        names.push(at.function);
      }
      assertEquals(names, task.slice(number + 1), place);
      const shown = [...backtrace];
      assertEquals(
        shown.slice(index, index + 1 + names.length).map(({ function: name }) => name),
        [frame.function, ...names],
      );
      assertEquals(shown.map(({ index }) => index), shown.map((_, index) => index));
    }
    assert(found > 80, `${found}`);
  });
}

for (const arch of [archs.arm64, archs.x86_64]) {
  Deno.test(`${arch.name}: frame records with the mark are walked`, () => {
    const base = 0x7_0000n;
    const stack = new HandMadeStack(arch, base, 256);
    stack.set("pc", 0x3010n);
    stack.set("sp", base + 16n);
    stack.set("fp", base + 32n);
    stack.record(32, base + 64n | mark, 0x2020n);
    stack.record(64, base + 128n | mark, 0x1030n);
    stack.record(128, 0n, 0n);
    const { frames, stopped } = unwind(stack.input());
    assertEquals(frames.map(({ address }) => address), [0x3010n, 0x2020n, 0x1030n]);
    assertEquals(frames.map(({ fp }) => fp), [32, 64, 128].map((at) => Number(base) + at));
    assertEquals(stopped, "null-record");
  });
}

/** What clang 19 makes of an async function with `-Xclang -fswift-async-fp=auto`, for systems that may not
 * know the mark; and on arm64e, where the stored context is signed. The last number is where the frame is
 * set up. */
const codes = {
  arm64: [
    [
      "10000090100240f9bd0310aaff8300d1fd7b01a9f60700f9fd43009100000094",
      "fd7b41a9bdfb4392ff83009100001fd6",
      0x1c,
    ],
    [
      "bd0344b2ff8300d1fd7b01a9f02300915063f8f2f10316aa110ec1daf10700f9fd43009100000094",
      "fd7b41a9bdfb4392ff83009100001fd6",
      0x24,
    ],
  ],
  x86_64: [
    ["480b2d00000000554156488d6c24084883ec18e800000000", "4883c4104883c4105d480fbaf53cff6008", 0xf],
  ],
} as const;

for (const name of ["arm64", "x86_64"] as const) {
  for (const [prologue, epilogue, body] of codes[name]) {
    Deno.test(`${name}: an async prologue of ${prologue.length / 2} bytes saves the frame pointer`, () => {
      const arch = archs[name];
      const code = Uint8Array.fromHex(prologue + epilogue);
      const rowAt = (offset: number) =>
        instructionSets[name].analyze({
          functionStart: 0x1000n,
          functionEnd: 0x1000n + BigInt(code.length),
          pc: 0x1000n + BigInt(offset),
          thumb: false,
          readCode: (address, length) =>
            code.slice(Number(address - 0x1000n), Number(address - 0x1000n) + length),
        })!.row;
      for (const offset of [body, prologue.length / 2]) {
        const { cfa, registers } = rowAt(offset);
        assertEquals(cfa, { kind: "register", register: arch.fp.dwarf!, offset: 16 });
        assertEquals(registers.get(arch.fp.dwarf!), { kind: "offset", offset: -16 });
      }
      const entry = rowAt(0).cfa;
      assert(entry.kind === "register" && entry.register === arch.sp.dwarf);
      assert(entry.offset === (name === "arm64" ? 0 : 8));
    });
  }
}

/** The code of a function at 0x1000. */
function codeOf(text: string, offset = 0): FunctionCode {
  const code = Uint8Array.fromHex(text.replaceAll(" ", ""));
  return {
    functionStart: 0x1000n,
    functionEnd: 0x1000n + BigInt(code.length),
    pc: 0x1000n + BigInt(offset),
    thumb: false,
    readCode: (address, length) => code.slice(Number(address - 0x1000n)).subarray(0, length),
  };
}

/** How the caller is found at offsets of a function's code. */
function rulesOf(name: "arm64" | "x86_64", text: string, offsets: readonly number[]): string[] {
  return offsets.map((offset) => {
    const { row } = instructionSets[name].analyze(codeOf(text, offset))!;
    return describeRow(archs[name], row);
  });
}

// btsq $60, %rbp; sub $16, %rsp; push %rbp; push %r14; lea 8(%rsp), %rbp; push %rbx
const reserves = "480fbaed3c 4883ec10 55 4156 488d6c2408 53";
// pop %rbx; add $8, %rsp; pop %rbp; btrq $60, %rbp; jmp *(%rax)
const leaves = "5b 4883c408 5d 480fbaf53c ff20";

Deno.test("x86_64: a return address that moves down, for more arguments than the function has", () => {
  // mov 24(%rbp), %rcx; mov %rax, 24(%rbp); mov %rcx, 8(%rbp); movq $0, 16(%rbp)
  const moves = "488b4d18 48894518 48894d08 48c7451000000000";
  const offsets = [22, 26, 30, 38, 39, 43, 44, 49];
  const [loaded, overwritten, copied, body, popped, atRecord, unmarked, jump] = rulesOf(
    "x86_64",
    reserves + moves + leaves,
    offsets,
  );
  const frame = "rbp = [CFA - 32]; rbx = [CFA - 48]";
  assertEquals(loaded, `CFA = rbp + 32; rip = [CFA - 8]; ${frame}`);
  assertEquals(overwritten, `CFA = rbp + 32; rip = rcx; ${frame}`);
  assertEquals(copied, `CFA = rbp + 32; rip = [CFA - 24]; ${frame}`);
  assertEquals(body, copied);
  assertEquals(popped, `CFA = rbp + 32; rip = [CFA - 24]; rbp = [CFA - 32]`);
  assertEquals(atRecord, popped);
  assertEquals([unmarked, jump], Array(2).fill("CFA = rsp + 24; rip = [CFA - 24]"));
  // movaps %xmm0, 16(%rbp) overwrites it too.
  const [vector] = rulesOf("x86_64", `${reserves} 488b4d18 0f294510 48894d08 ${leaves}`, [26]);
  assertEquals(vector, `CFA = rbp + 32; rip = rcx; ${frame}`);
  // movb %dl, 24(%rbp), too.
  const [byte] = rulesOf("x86_64", `${reserves} 488b4d18 885518 48894d08 ${leaves}`, [25]);
  assertEquals(byte, vector);
  // Without a copy it is where it was, whatever is stored there.
  const [other] = rulesOf("x86_64", `${reserves} 488b4d10 48894518 ${leaves}`, [26]);
  assertEquals(other, `CFA = rbp + 32; rip = [CFA - 8]; ${frame}`);
});

Deno.test("a function that takes its arguments off the stack before it jumps to another", () => {
  // btsq $60, %rbp; push %rbp; push %r14; lea 8(%rsp), %rbp; mov 8(%rbp), %rcx; mov %rcx, 24(%rbp);
  // add $8, %rsp; pop %rbp; btrq $60, %rbp; add $16, %rsp; jmp *(%rax)
  const x86 =
    "480fbaed3c 55 4156 488d6c2408 488b4d08 48894d18 4883c408 5d 480fbaf53c 4883c410 ff20";
  assertEquals(rulesOf("x86_64", x86, [21, 26, 31, 35]), [
    "CFA = rbp + 16; rip = [CFA - 8]; rbp = [CFA - 16]",
    ...Array(3).fill("CFA = rsp + 8; rip = [CFA - 8]"),
  ]);
  // orr x29, x29, #1 << 60; sub sp, sp, #32; stp x29, x30, [sp, #16]; str x22, [sp, #8];
  // add x29, sp, #16; mov x22, x0; ldp x29, x30, [sp, #16]; and x29, x29, #~(1 << 60);
  // add sp, sp, #48; br x1
  const arm64 =
    "bd0344b2 ff8300d1 fd7b01a9 f60700f9 fd430091 f60300aa fd7b41a9 bdfb4392 ffc30091 20001fd6";
  assertEquals(rulesOf("arm64", arm64, [20, 32, 36]), [
    "CFA = fp + 16; fp = [CFA - 16]; lr = [CFA - 8]",
    "CFA = sp + 32; lr = unchanged",
    "CFA = sp; lr = unchanged",
  ]);
});

Deno.test("async functions do not preserve what they get their context and self in", () => {
  // As above; x20 is stored and loaded again.
  const arm64 = "bd0344b2 ff8300d1 fd7b01a9 f60700f9 fd430091 f40300f9 f40340f9 fd7b41a9 20001fd6";
  const { overwritten } = instructionSets.arm64;
  assertEquals([...overwritten(codeOf(arm64))].sort(), [20, 22]);
  assertEquals(rulesOf("arm64", arm64, [24]), ["CFA = fp + 16; fp = [CFA - 16]; lr = [CFA - 8]"]);
  // Without the mark it is a function like others, which saves two registers.
  assertEquals([...overwritten(codeOf(arm64.slice(8)))], []);
  const [row] = rulesOf("x86_64", reserves + leaves, [18]);
  assertEquals(row, "CFA = rbp + 32; rip = [CFA - 8]; rbp = [CFA - 32]; rbx = [CFA - 48]");
  const found = instructionSets.x86_64.overwritten(codeOf(reserves + leaves));
  assertEquals([...found].sort(), [13, 14]);
});

// What follows an `await`: its context is the awaited function's, in which it finds its own.
const resumed = {
  // orr x29, x29, #1 << 60; sub sp, sp, #32; stp x29, x30, [sp, #16]; str x22, [sp, #8]; add x29, sp, #16;
  // ldr x8, [x22]; stur x8, [x29, #-8]; ldr x22, [x22]; nop
  arm64: {
    code: "bd0344b2 ff8300d1 fd7b01a9 f60700f9 fd430091 c80240f9 a8831ff8 d60240f9 1f2003d5",
    ...{ context: "x22", stored: 20, loaded: 32 },
  },
  // btsq $60, %rbp; push %rbp; push %r14; lea 8(%rsp), %rbp; sub $8, %rsp; mov (%r14), %rax;
  // mov %rax, -8(%rbp); mov (%r14), %r14; nop
  x86_64: {
    code: "480fbaed3c 55 4156 488d6c2408 4883ec08 498b06 488945f8 4d8b36 90",
    ...{ context: "r14", stored: 17, loaded: 27 },
  },
} as const;

for (const name of ["arm64", "x86_64"] as const) {
  Deno.test(`${name}: a function that goes on after an await has its own context`, () => {
    const arch = archs[name];
    const { code, context, stored, loaded } = resumed[name];
    const data = Uint8Array.fromHex(code.replaceAll(" ", ""));
    const [text, base, caller] = [0x1_0000_0000n, 0x7_0000n, 0x1_0000_2010n];
    const start = text + 0x1000n;
    const file = buildImage({
      cpuType: arch.cpuType,
      address: text,
      sections: [{ segment: "__TEXT", name: "__text", offset: 0x1000, size: 0x2000, data }],
      functionStarts: [0x1000, 0x2000],
    });
    const image = Image.fromFile(file, "resumed");
    const [awaited, own, outer] = [0x100n, 0x200n, 0x300n];
    /** The innermost function's context, and where those resume that wait for it. */
    const contexts = (offset: number, passed: bigint, kept: bigint, ownResumes: bigint) => {
      const stack = new HandMadeStack(arch, base, 256);
      const frame = base + 32n;
      stack.set("pc", start + BigInt(offset));
      stack.set("sp", base + 16n);
      stack.set("fp", frame);
      stack.record(24, kept, 0n);
      stack.record(32, base + 128n | mark, caller);
      const readInto = (address: bigint, into: Uint8Array) => {
        const known = new Map([
          [awaited, [own, start]],
          [own, [outer, ownResumes]],
          [outer, [0n, caller]],
        ]).get(address);
        if (known === undefined) return 0;
        known.forEach((word, at) => new DataView(into.buffer).setBigUint64(8 * at, word, true));
        return 16;
      };
      const images = { ...imageOf([]), imageAt: () => image };
      const input = stack.input({ images, readInto });
      writeRegister(input.state, register(arch.threadState, context), passed);
      const [innermost] = unwind(input).frames;
      return [
        innermost.asyncContext,
        ...innermost.asyncParents!.frames.map(({ address }) => address),
      ];
    };
    const other = start + 0x1000n;
    assertEquals(contexts(stored, awaited, awaited, other), [own, other, caller]);
    assertEquals(contexts(loaded, own, own, other), [own, other, caller]);
    // It awaits itself.
    assertEquals(contexts(stored, awaited, awaited, start), [own, start, caller]);
    assertEquals(contexts(loaded, own, own, start), [own, start, caller]);
  });
}

Deno.test("async contexts that repeat, lead nowhere or cannot be read end the chain", () => {
  const arch = archs.arm64;
  const base = 0x7_0000n;
  const images = imageOf([0x1000n, 0x2000n]);
  const parents = (
    contexts: Readonly<Record<string, readonly [parent: bigint, resume: bigint]>>,
  ) => {
    const stack = new HandMadeStack(arch, base, 256);
    stack.set("pc", 0x3010n);
    stack.set("sp", base + 16n);
    stack.set("fp", base + 32n);
    stack.record(16, 0n, 0x100n | signature);
    stack.record(32, base + 64n | mark, 0x2020n);
    const readInto = (address: bigint, into: Uint8Array) => {
      const context = contexts[`${address}`];
      if (context === undefined || into.length !== 16) return 0;
      new DataView(into.buffer).setBigUint64(0, context[0], true);
      new DataView(into.buffer).setBigUint64(8, context[1], true);
      return 16;
    };
    const [frame] = unwind(stack.input({ images, readInto })).frames;
    assertEquals(frame.asyncContext, 0x100n);
    return frame.asyncParents!.frames.map(({ address }) => address);
  };
  assertEquals(parents({}), []);
  assertEquals(parents({ 256: [0x100n, 0x2000n] }), [0x2000n]);
  assertEquals(parents({ 256: [0x200n, 0x2000n], 512: [0x100n, 0x1000n] }), [0x2000n, 0x1000n]);
  assertEquals(parents({ 256: [0x200n, 0x2000n], 512: [0x300n, 0x10n] }), [0x2000n]);
  assertEquals(parents({ 256: [0n, 0x2000n] }), [0x2000n]);
});
