/** x86_64 and i386 functions of every shape, at each of their instructions: the caller that is found
 * is the one that really called. */
import { assert, assertEquals } from "@std/assert";
import { type Arch, archs, i386, readRegister, x86_64 } from "../../../lib/arch/mod.ts";
import { evaluateExpression } from "../../../lib/dwarf/mod.ts";
import { Image } from "../../../lib/macho/mod.ts";
import type { FunctionCode, InstructionRow } from "../../../lib/unwind/instruction_set.ts";
import { ImagePlans } from "../../../lib/unwind/image_plans.ts";
import { isAfterCall } from "../../../lib/unwind/x86/mod.ts";
import { analyzer } from "../../../lib/unwind/x86/instructions.ts";
import { stubRow } from "../../../lib/unwind/x86/mod.ts";
import { readSteps, type Step, type Variant } from "../../fixtures/steps/x86_steps.ts";

function imageOf(arch: Arch, { file, loadAddress, name }: Variant): Image {
  return Image.fromFile(file, name, { arch: arch.cpuType, loadAddress });
}

/** The function, or the section of stubs, that an address is in. */
function functionAt(image: Image, pc: bigint): { name: string; start: bigint; end: bigint } {
  const section = image.segments.flatMap(({ sections }) => sections)
    .find(({ address, size }) => pc >= address && pc < address + BigInt(size))!;
  const end = section.address + BigInt(section.size);
  if (section.name !== "__text") return { name: section.name, start: section.address, end };
  const { symbol } = image.symbolAt(pc)!;
  return {
    name: symbol!.name,
    start: symbol!.address,
    end: symbol!.address + BigInt(symbol!.size),
  };
}

function inputFor(image: Image, pc: bigint): FunctionCode {
  const { start, end } = functionAt(image, pc);
  const readCode = (address: bigint, length: number) => image.read(address, length);
  return { functionStart: start, functionEnd: end, pc, thumb: false, readCode };
}

/** What a row makes of a step: the return address and the caller's registers. */
function unwind(arch: Arch, { row }: InstructionRow, step: Step) {
  const view = new DataView(step.stack.buffer);
  const word = (address: bigint) => {
    const at = Number(address - step.stackAddress);
    return arch.pointerSize === 8 ? view.getBigUint64(at, true) : BigInt(view.getUint32(at, true));
  };
  const own = new Map(
    arch.threadState.registers.map((register) => [
      register.dwarf,
      readRegister(step.state, register),
    ]),
  );
  const cfa = row.cfa.kind === "register"
    ? own.get(row.cfa.register)! + BigInt(row.cfa.offset)
    : evaluateExpression(row.cfa.bytes, {
      pointerSize: arch.pointerSize,
      registers: (number) => own.get(number),
      readMemory: word,
    })!;
  const value = (register: number) => {
    if (register === arch.sp.dwarf) return cfa;
    const rule = row.registers.get(register) ?? { kind: "same" };
    if (rule.kind === "same") return own.get(register)!;
    assert(rule.kind === "offset");
    return word(cfa + BigInt(rule.offset));
  };
  return {
    returnAddress: value(row.returnAddress),
    caller: new Map([...step.caller.keys()].map((register) => [register, value(register)])),
  };
}

for (const name of ["x86_64", "i386"] as const) {
  const arch = archs[name];
  const unwinder = analyzer(arch);
  const sp = arch.sp.dwarf!;
  const variants = readSteps(name);

  Deno.test(`${name}: at every instruction the code alone tells the caller`, () => {
    const wrong: string[] = [];
    let count = 0;
    for (const variant of variants) {
      const image = imageOf(arch, variant);
      for (const step of variant.steps()) {
        count++;
        const input = inputFor(image, step.pc);
        const found = unwinder(input);
        const { returnAddress, caller } = step;
        let problem = "";
        try {
          if (found === null) problem = "nothing";
          else {
            const own = unwind(arch, found, step);
            // What was outlined of a function may be what gives these another value.
            const isOutlined = functionAt(image, step.pc).name.startsWith("OUTLINED_FUNCTION_");
            if (!isOutlined) assertEquals(own, { returnAddress, caller });
            else {assertEquals([own.returnAddress, own.caller.get(sp)], [
                returnAddress,
                caller.get(sp),
              ]);}
          }
        } catch (error) {
          problem = `${error}`;
        }
        if (problem === "") continue;
        const { name: symbol, start } = functionAt(image, step.pc);
        wrong.push(`${variant.name} ${symbol}+0x${(step.pc - start).toString(16)}: ${problem}`);
      }
    }
    assertEquals(wrong, [], `${wrong.length} of ${count}`);
  });

  Deno.test(`${name}: exceptions were thrown, caught, cleaned up after and thrown again`, () => {
    const throwing = variants.filter(({ name }) => name.startsWith("throws"));
    assertEquals(throwing.length, 8);
    for (const variant of throwing) {
      const image = imageOf(arch, variant);
      const seen = new Set([...variant.steps()].map(({ pc }) => functionAt(image, pc).name));
      const runtime = ["throw", "begin_catch", "end_catch", "rethrow"].map((name) =>
        `__cxa_${name}`
      );
      for (const name of [...runtime, "_Unwind_Resume", "steps_unwind", "catches_recursive"]) {
        assert(seen.has(name), `${variant.name} ${name}`);
      }
    }
  });

  Deno.test(`${name}: return addresses come after calls, and hardly anything else does`, () => {
    for (const variant of variants) {
      const image = imageOf(arch, variant);
      const steps = [...variant.steps()];
      const readCode = (address: bigint, length: number) => image.read(address, length);
      const afterCalls = new Set(steps.slice(1).map(({ returnAddress }) => returnAddress));
      for (const { pc } of steps) {
        const code = image.read(pc, 5)!;
        if (code[0] === 0xe8) afterCalls.add(pc + 5n);
        else if (code[0] === 0xff && (code[1] & 0xf8) === 0xd0) afterCalls.add(pc + 2n);
      }
      for (const address of afterCalls) assertEquals(isAfterCall(arch, readCode, address), true);
      // The last bytes of an instruction can be those of a call.
      const others = steps.filter(({ pc }) => !afterCalls.has(pc));
      const taken = others.filter(({ pc }) => isAfterCall(arch, readCode, pc));
      assert(taken.length <= others.length / 40, `${taken.length} of ${others.length}`);
    }
    assertEquals(isAfterCall(arch, () => null, 0x1000n), null);
  });
}

/** The CFA that is found at each offset of code at 0x1000: a register and a distance. */
function rowsOf(arch: Arch, text: string, calleeOf?: (address: bigint) => Uint8Array | null) {
  const code = Uint8Array.fromHex(text.replaceAll(" ", ""));
  return (offset: number): string | null => {
    const found = analyzer(arch)({
      functionStart: 0x1000n,
      functionEnd: 0x1000n + BigInt(code.length),
      pc: 0x1000n + BigInt(offset),
      thumb: false,
      readCode: (address, length) => {
        const at = Number(address - 0x1000n);
        if (at >= 0 && at < code.length) return code.slice(at, at + length);
        return calleeOf?.(address) ?? null;
      },
    });
    if (found === null) return null;
    assert(found.row.cfa.kind === "register");
    const { name } = arch.threadState.registers.find(({ dwarf }) =>
      found.row.cfa.kind === "register" && dwarf === found.row.cfa.register
    )!;
    return `${name}+${found.row.cfa.offset}`;
  };
}

Deno.test("a frame of the size that the stack probe was told", () => {
  // mov $0x4010, %eax; call ___chkstk_darwin; sub %rax, %rsp; add $0x4010, %rsp; ret
  const at = rowsOf(x86_64, "b810400000 e800010000 4829c4 4881c410400000 c3");
  assertEquals(at(10), "rsp+8");
  assertEquals(at(13), "rsp+16408");
  assertEquals(at(20), "rsp+8");
});

Deno.test("enter and leave", () => {
  // enter $0x20, $0; nop; leave; ret
  const at = rowsOf(x86_64, "c8200000 90 c9 c3");
  assertEquals([0, 4, 5, 6].map(at), [
    "rsp+8",
    "rbp+16",
    "rbp+16",
    "rsp+8",
  ]);
});

/** The CFA that is found at each offset of stub helpers at 0x1000. */
function helperRows(arch: Arch, text: string) {
  const code = Uint8Array.fromHex(text.replaceAll(" ", ""));
  const readCode = (address: bigint, length: number) => {
    const at = Number(address - 0x1000n);
    return at >= 0 && at + length <= code.length ? code.slice(at, at + length) : null;
  };
  return (offset: number): string | null => {
    const row = stubRow(arch, readCode, 0x1000n + BigInt(offset), true);
    if (row === null) return null;
    assert(row.cfa.kind === "register" && row.cfa.register === arch.sp.dwarf);
    assertEquals(row.registers.get(arch.pc.dwarf!), { kind: "offset", offset: -arch.pointerSize });
    return `${arch.sp.name}+${row.cfa.offset}`;
  };
}

Deno.test("stub helpers: an entry pushes a word, and the common part has it already", () => {
  // lea x(%rip), %r11; push %r11; jmp *x(%rip); nop; twice: push $x; jmp 0
  const wide = helperRows(
    x86_64,
    "4c8d1d00100000 4153 ff2500100000 90 6800000000 e9e6ffffff 6818000000 e9dcffffff",
  );
  assertEquals([0, 7, 9, 16, 21, 26, 31].map(wide), [
    ...["rsp+16", "rsp+16", "rsp+24", "rsp+8", "rsp+16", "rsp+8", "rsp+16"],
  ]);
  // push $x; jmp *x; nop; then push $x; jmp 0
  const narrow = helperRows(i386, "6800200000 ff2500200000 90 6800000000 e9eaffffff");
  assertEquals([0, 5, 12, 17].map(narrow), ["esp+8", "esp+12", "esp+4", "esp+8"]);
});

Deno.test("stub helpers whose common part comes last", () => {
  // Twice: push $x; jmp 20; then lea x(%rip), %r11; push %r11; jmp *x(%rip)
  const wide = helperRows(
    x86_64,
    "6800000000 e90a000000 6818000000 e900000000 4c8d1d00100000 4153 ff2500100000",
  );
  assertEquals([0, 5, 10, 15, 20, 27, 29].map(wide), [
    ...["rsp+8", "rsp+16", "rsp+8", "rsp+16", "rsp+16", "rsp+16", "rsp+24"],
  ]);
  const narrow = helperRows(i386, "6800000000 e900000000 6800200000 ff2500200000");
  assertEquals([0, 5, 10, 15].map(narrow), ["esp+4", "esp+8", "esp+8", "esp+12"]);
});

Deno.test("at any ret the return address is on top of the stack", () => {
  // and $-16, %rsp; ret
  assertEquals(rowsOf(x86_64, "4883e4f0 c3")(4), "rsp+8");
  // sub $24, %rsp; call; ret, in a block that nothing leads to
  assertEquals(rowsOf(x86_64, "4883ec18 e800010000 ebf9 c3")(11), "rsp+8");
});

Deno.test("a call that ends with the byte of ret is none", () => {
  // push %rbp; mov %rsp, %rbp; push %rbx; push %rax; call *(%rbx, %rax, 8); leave; ret
  const at = rowsOf(x86_64, "55 4889e5 53 50 ff14c3 c9 c3");
  assertEquals([6, 8, 9, 10].map(at), ["rbp+16", "rbp+16", "rbp+16", "rsp+8"]);
});

Deno.test("a case that only a jump table leads to has the frame of the jump", () => {
  // cmp $2, %edi; ja 29; lea table(%rip), %rcx; movslq (%rcx,%rdi,4), %rdx; add %rcx, %rdx; jmp *%rdx;
  // push %rbx (21); call; pop %rbx; ret; nop (29); ret; nop (31); ret; and the table
  const at = rowsOf(
    x86_64,
    "83ff02 7718 488d0d18000000 486314b9 4801ca ffe2 53 e800010000 5b c3 90 c3 90 c3 cccccc" +
      "f1ffffff fbffffff f9ffffff",
  );
  assertEquals([19, 21, 22, 27, 29, 31].map(at), [
    ...["rsp+8", "rsp+8", "rsp+16", "rsp+16", "rsp+8", "rsp+8"],
  ]);
});

Deno.test("an epilogue that several functions jump to", () => {
  // mov %ebx, %eax; add $8, %rsp; pop %rbx; pop %rbp; ret
  const at = rowsOf(x86_64, "89d8 4883c408 5b 5d c3");
  assertEquals([0, 2, 6, 7, 8].map(at), ["rsp+32", "rsp+32", "rsp+24", "rsp+16", "rsp+8"]);
  // What pops no more than it pushed is a function: push %rbx; pop %rbx; ret.
  assertEquals([0, 1, 2].map(rowsOf(x86_64, "53 5b c3")), ["rsp+8", "rsp+16", "rsp+8"]);
});

Deno.test("rbp with another value is no base of the frame", () => {
  // push %rbp; sub $32, %rsp; lea 8(%rsp), %rbp; nop; add $32, %rsp; pop %rbp; ret
  const at = rowsOf(x86_64, "55 4883ec20 488d6c2408 90 4883c420 5d c3");
  assertEquals([10, 11, 15, 16].map(at), ["rsp+48", "rsp+48", "rsp+16", "rsp+8"]);
});

Deno.test("the stack pointer is aligned, and its old value kept in another register", () => {
  // lea (%rsp), %rax; push %rbx; push %rbp; and $-512, %rsp; nop; mov %rax, %rbp; nop;
  // mov -16(%rbp), %rbx; lea (%rbp), %rsp; ret
  const at = rowsOf(x86_64, "488d0424 53 55 4881e400feffff 90 4889c5 90 488b5df0 488d6500 c3");
  assertEquals([4, 6, 13, 14, 17, 18, 22, 26].map(at), [
    ...["rsp+8", "rsp+24", "rax+8", "rax+8", "rbp+8", "rbp+8", "rbp+8", "rsp+8"],
  ]);
  // It is lost with the register: mov %rsp, %r11; and $-64, %rsp; imul %r11, %r11
  assertEquals(rowsOf(x86_64, "4989e3 4883e4c0 4d0fafdb 90")(7), "r11+8");
  assertEquals(rowsOf(x86_64, "4989e3 4883e4c0 4d0fafdb 90")(11), null);
  // A part of the function that is called preserves it, as in OpenSSL's `aesni-x86_64.pl`:
  // mov %rsp, %r11; and $-64, %rsp; call; lea (%r11), %rsp; ret
  const calls = rowsOf(x86_64, "4989e3 4883e4c0 e800010000 498d23 c3");
  assertEquals([7, 12, 15].map(calls), ["r11+8", "r11+8", "rsp+8"]);
});

Deno.test("registers that are pushed below an aligned stack pointer, as libjpeg-turbo does", () => {
  /** Where r12 is: bytes above the stack pointer, or the rule's kind. */
  const r12 = (text: string, offset: number): bigint | string | undefined => {
    const code = Uint8Array.fromHex(text.replaceAll(" ", ""));
    const { row } = analyzer(x86_64)({
      functionStart: 0x1000n,
      functionEnd: 0x1000n + BigInt(code.length),
      pc: 0x1000n + BigInt(offset),
      thumb: false,
      readCode: (address, length) => code.slice(Number(address - 0x1000n)).slice(0, length),
    })!;
    const rule = row.registers.get(12);
    if (rule?.kind !== "expression") return rule?.kind;
    return evaluateExpression(rule.bytes, {
      pointerSize: 8,
      registers: (number) => number === x86_64.sp.dwarf ? 0x5000n : undefined,
      readMemory: () => undefined,
    })! - 0x5000n;
  };
  // push %rbp; mov %rsp, %rbp; and $-16, %rsp; push %r12; push %r10; nop; pop %r10; pop %r12;
  // mov %rbp, %rsp; pop %rbp; ret
  const code = "55 4889e5 4883e4f0 4154 4152 90 415a 415c 4889ec 5d c3";
  assertEquals([8, 10, 12, 13, 15, 17, 20].map((at) => r12(code, at)), [
    ...[undefined, 0n, 8n, 8n, 0n, undefined, undefined],
  ]);
  assertEquals([8, 12, 20, 21].map(rowsOf(x86_64, code)), ["rbp+16", "rbp+16", "rbp+16", "rsp+8"]);
  // It is lost with the stack pointer: sub %rax, %rsp
  assertEquals(r12("55 4889e5 4883e4f0 4154 4829c4 90", 13), "undefined");
  // The old stack pointer is pushed: mov %rsp, %rax; and $-16, %rsp; lea -8(%rsp), %rsp; push %rax;
  // sub $16, %rsp; xor %eax, %eax; nop; add $16, %rsp; pop %rsp; ret
  const pushed = "4889e0 4883e4f0 488d6424f8 50 4883ec10 31c0 90 4883c410 5c c3";
  const found = analyzer(x86_64)({
    functionStart: 0n,
    functionEnd: 26n,
    pc: 19n,
    thumb: false,
    readCode: (address, length) =>
      Uint8Array.fromHex(pushed.replaceAll(" ", "")).slice(Number(address)).slice(0, length),
  })!;
  assert(found.row.cfa.kind === "expression");
  const cfa = evaluateExpression(found.row.cfa.bytes, {
    pointerSize: 8,
    registers: (number) => number === x86_64.sp.dwarf ? 0x5000n : undefined,
    readMemory: (address) => address === 0x5010n ? 0x6000n : undefined,
  });
  assertEquals(cfa, 0x6008n);
  assertEquals(rowsOf(x86_64, pushed)(25), "rsp+8");
});

Deno.test("a function that takes its hidden argument with it", () => {
  // sub $12, %esp; call 0x2000; sub $4, %esp; add $12, %esp; ret
  const code = "83ec0c e8f80f0000 83ec04 83c40c c3";
  const returns = (text: string) => () => Uint8Array.fromHex(text.padEnd(64, "0"));
  assertEquals(rowsOf(i386, code, returns("90c20400"))(8), "esp+12");
  assertEquals(rowsOf(i386, code, returns("90c3"))(8), "esp+16");
});

Deno.test("a block that only a later jump goes to has the body's frame", () => {
  // push %rbx; test %edi, %edi; je 7; pop %rbx; ret; nop (at 7); jmp 7
  const at = rowsOf(x86_64, "53 85ff 7402 5b c3 90 ebfd");
  assertEquals(at(1), "rsp+16");
  assertEquals(at(6), "rsp+8");
  assertEquals(at(7), "rsp+16");
  // push %rbx; jmp 5; pop %rbx; ret; call; jmp 3
  const after = rowsOf(x86_64, "53 eb02 5b c3 e800010000 ebf7");
  assertEquals(after(3), "rsp+16");
  assertEquals(after(5), "rsp+16");
});

Deno.test("a table of jumps between blocks does not put the decoder out of step", () => {
  // push %rbx; test %edi, %edi; je 15; pop %rbx; ret; a table that ends in the middle of an
  // instruction; nop (at 15)
  const at = rowsOf(x86_64, "53 85ff 740a 5b c3 90909090 4881ec 50 90 90 5b c3");
  assertEquals(at(15), "rsp+16");
  assertEquals(at(17), "rsp+16");
});

Deno.test("another function in the same symbol begins anew", () => {
  // push %rbp; mov %rsp, %rbp; push %rbx; call; and the next one: push %rbp; mov %rsp, %rbp; nop
  const wide = rowsOf(x86_64, "55 4889e5 53 e800010000 55 4889e5 90 5d c3");
  assertEquals([10, 11, 14].map(wide), ["rsp+8", "rsp+16", "rbp+16"]);
  const narrow = rowsOf(i386, "55 89e5 53 5b 5d c3 55 8bec 90 5d c3");
  assertEquals([8, 10].map(narrow), ["esp+8", "ebp+8"]);
});

Deno.test("the end of a function of 160 KiB has the frame that was set up at its start", () => {
  // push %rbp; mov %rsp, %rbp; jmp over what no branch leads to; nop; pop %rbp; ret
  const rows = rowsOf(x86_64, `55 4889e5 e900800200 ${"cc".repeat(0x2_8000)} 90 5d c3`);
  const end = 0x2_8000 + 9;
  assertEquals([0, 1, 2].map((at) => rows(end + at)), ["rbp+16", "rbp+16", "rsp+8"]);
});

Deno.test("r12, in which Swift returns errors, is its caller's no more once it is kept elsewhere", () => {
  // push %rbp; mov %rsp, %rbp; sub $16, %rsp; mov %r12, -8(%rbp); mov %rax, %r12; nop;
  // mov -8(%rbp), %r12; leave; ret
  const code = Uint8Array.fromHex("554889e54883ec104c8965f84989c490" + "4c8b65f8c9c3");
  const image: Pick<Image, "loadAddress" | "read" | "sectionAt" | "symbolAt" | "isThumb"> = {
    loadAddress: 0x1000n,
    read: (address, length) => code.slice(Number(address - 0x1000n)).subarray(0, length),
    sectionAt: () => ({ name: "__text", type: 0 }) as ReturnType<Image["sectionAt"]>,
    symbolAt: (address) => ({
      symbol: { name: "throws" } as NonNullable<ReturnType<Image["symbolAt"]>>["symbol"],
      offset: Number(address - 0x1000n),
      size: code.length,
    }),
    isThumb: () => false,
  };
  const rest = { segments: [], warnings: [], hasFunctionStarts: true };
  const plans = new ImagePlans(Object.assign(image, rest) as unknown as Image, x86_64);
  const preserved = (register: number) =>
    [8, 15, 21].map((offset) => plans.preserves(0x1000n + BigInt(offset), register));
  assertEquals(preserved(12), [false, false, false]);
  assertEquals(preserved(15), [true, true, true]);
});

Deno.test("what is no code has no row", () => {
  assertEquals(rowsOf(x86_64, "06 90")(1), null); // push %es, not in 64 bits
  assertEquals(rowsOf(i386, "06 90")(1), "esp+8");
  assertEquals(rowsOf(x86_64, "4883e4f0 90")(4), null); // and $-16, %rsp without a frame pointer
  const far = { functionStart: 0n, functionEnd: null, pc: 0x10_0000n, thumb: false };
  const readCode = (_: bigint, length: number) => new Uint8Array(length).fill(0x90);
  assertEquals(analyzer(x86_64)({ ...far, readCode }), null);
  assertEquals(analyzer(x86_64)({ ...far, pc: 1n, readCode: () => null }), null);
});

Deno.test("code of any bytes is read to its end", () => {
  let seed = 1;
  const random = () => (seed = Math.imul(seed, 1103515245) + 12345 & 0x7fffffff) >>> 16;
  for (let round = 0; round < 3000; round++) {
    const code = Uint8Array.from({ length: 64 }, random);
    for (const arch of [x86_64, i386]) {
      const found = analyzer(arch)({
        functionStart: 0n,
        functionEnd: round % 2 === 0 ? null : 64n,
        pc: BigInt(random() % 64),
        thumb: false,
        readCode: (address, length) => {
          const at = Number(BigInt.asIntN(32, address));
          return at < 0 ? null : code.slice(at, at + length);
        },
      });
      assert(found === null || found.row.cfa.kind === "register");
    }
  }
});
