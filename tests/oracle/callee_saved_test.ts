/** Registers of the C calling convention's callers in functions that do not obey it, as Go's, OCaml's,
 * GraalVM's, V8's and some of Swift's: they are not taken for the caller's. */
import { assertEquals } from "@std/assert";
import { type Arch, arm64, writeRegister, x86_64 } from "../../lib/arch/mod.ts";
import { Symbolizer } from "../../lib/symbols/mod.ts";
import { unwind } from "../../lib/unwind/mod.ts";
import { assembled } from "./assembled.ts";

/** At each call the function's frame is 32 bytes large. */
const assembly: Record<string, string> = {
  arm64: `
_main: bl _keeps
  ret
_passes_an_error:
  str x30, [sp, #-32]!
  mov x21, #0
Lpasses_an_error: bl _main
  ldr x30, [sp], #32
  ret
_keeps:
  stp x20, x19, [sp, #-32]!
  str x30, [sp, #16]
  mov x19, x0
  mov x20, x1
Lkeeps: bl _main
  ldr x30, [sp, #16]
  ldp x20, x19, [sp], #32
  ret
_overwrites:
  str x30, [sp, #-32]!
Loverwrites: bl _main
  mov x19, x0
  ldr x30, [sp], #32
  ret
_between:
  str x30, [sp, #-32]!
  bl _main
  ldr x30, [sp], #32
  ret
_restores_nothing:
  stp x30, x19, [sp, #-32]!
  mov x19, x0
Lrestores_nothing: bl _main
  ldr x30, [sp], #32
  ret
_loses_frame:
  str x30, [sp, #-32]!
  cbz x0, 2f
Lloses_frame: bl _main
  ldr x30, [sp], #32
  ret
2: mov x29, x0
  mov x19, x0
  b Lloses_frame
`,
  x86_64: `
_main: callq _keeps
  retq
_passes_an_error:
  subq $24, %rsp
  xorl %r12d, %r12d
Lpasses_an_error: callq _main
  addq $24, %rsp
  retq
_keeps:
  pushq %r12
  pushq %rbx
  pushq %rax
  movq %rdi, %rbx
  leaq 8(%rdi), %r12
Lkeeps: callq _main
  addq $8, %rsp
  popq %rbx
  popq %r12
  retq
_overwrites:
  subq $24, %rsp
Loverwrites: callq _main
  movq %rdi, %rbx
  addq $24, %rsp
  retq
_between:
  subq $24, %rsp
  callq _main
  addq $24, %rsp
  retq
_restores_nothing:
  subq $24, %rsp
  movq %rbx, 8(%rsp)
  movl $1, %ebx
Lrestores_nothing: callq _main
  movq 8(%rsp), %rax
  addq $24, %rsp
  retq
_loses_frame:
  subq $24, %rsp
  testl %edi, %edi
  je 2f
Lloses_frame: callq _main
  addq $24, %rsp
  retq
2: movq %rdi, %rbp
  movq %rdi, %rbx
  jmp Lloses_frame
`,
};

const functions = [
  "keeps",
  "overwrites",
  "between",
  "restores_nothing",
  "passes_an_error",
  "loses_frame",
];

/** Where the functions' calls are, as offsets from their starts. */
const calls = { arm64: [16, 4, 4, 8, 8, 8], x86_64: [11, 4, 4, 14, 7, 8] } as const;

/** A callee-saved register, that of Swift's errors, and the frame pointer. */
const registers = { arm64: ["x19", "x21", "fp"], x86_64: ["rbx", "r12", "rbp"] } as const;

const stackAddress = 0x7000_0000n;
const [saved, error, frame] = [0x1919n, 0x2121n, 0x7000_00e0n];

for (const arch of [arm64, x86_64]) {
  for (const isGo of [false, true]) {
    const kind = isGo ? "in a Go program" : "by what the function does";
    Deno.test(`${arch.name}: callee-saved registers that are not, ${kind}`, async () => {
      const folder = await Deno.makeTempDir();
      try {
        const found = await known(arch, isGo, folder);
        assertEquals(found, {
          keeps: [isGo ? undefined : saved, isGo ? undefined : error, frame],
          overwrites: [undefined, undefined, frame],
          between: [undefined, undefined, frame],
          restores_nothing: [undefined, undefined, frame],
          passes_an_error: [isGo ? undefined : saved, undefined, frame],
          loses_frame: [undefined, undefined, undefined],
        });
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    });
  }
}

/** What is known of the caller's three registers in each function, when the registers have other values
 * where it has saved them. */
async function known(arch: Arch, isGo: boolean, folder: string) {
  const { name } = arch as { name: "arm64" | "x86_64" };
  const globals = `.globl _main${functions.map((one) => `, _${one}`).join("")}`;
  const table = isGo ? ".section __TEXT,__gopclntab\n.long 0\n.text\n" : "";
  const image = await assembled(arch, `${table}${globals}\n.text\n${assembly[name]}`, folder);
  const at = (symbol: string) => [...image.symbols].find((one) => one.name === symbol)!.address;
  const returnAddress = at("main") + (name === "arm64" ? 4n : 5n);
  const found: Record<string, (bigint | undefined)[]> = {};
  for (const [index, symbol] of functions.entries()) {
    const state = new Uint8Array(arch.threadState.size);
    const stack = new BigUint64Array(32);
    const write = (register: string, value: bigint) => {
      const one = arch.threadState.registers.find((one) => one.name === register)!;
      writeRegister(state, one, value);
    };
    const [plain, swift, fp] = registers[name];
    write(plain, saved);
    write(swift, error);
    write(fp, frame);
    writeRegister(state, arch.pc, at(symbol) + BigInt(calls[name][index]));
    writeRegister(state, arch.sp, stackAddress);
    if (name === "x86_64") stack[3] = returnAddress;
    else stack[symbol === "keeps" ? 2 : 0] = returnAddress;
    if (symbol === "keeps") stack[1] = saved;
    if (symbol === "keeps" && name === "x86_64") stack[2] = error;
    const unwound = unwind({
      ...{ arch, state, stackAddress, images: new Symbolizer([image]) },
      ...{ stack: new Uint8Array(stack.buffer), stackEnd: stackAddress + 256n },
      readInto: undefined,
    }, { limit: 2 });
    const caller = unwound.frames[1];
    assertEquals([caller?.address, caller?.sp], [returnAddress, Number(stackAddress) + 32]);
    found[symbol] = registers[name].map((register) => unwound.registersOf(1).get(register));
  }
  return found;
}
