/** libffi's calls by Windows' convention (`src/x86/win64.S`), which have no unwind information in Mach-O
 * images: they write a frame record into the caller's frame and continue on a part of it. */
import { assertEquals } from "@std/assert";
import { writeRegister, x86_64 as arch } from "../../lib/arch/mod.ts";
import { Symbolizer } from "../../lib/symbols/mod.ts";
import { unwind } from "../../lib/unwind/mod.ts";
import { assembled } from "./assembled.ts";

const assembly = `
.globl _main, _ffi_call_win64
_main:
  call _ffi_call_win64
  ret
.p2align 4
_ffi_call_win64:
  movq (%rsp), %rax
  movq %rbp, (%rsi)
  movq %rax, 8(%rsi)
  movq %rsi, %rbp
  movq %rdi, %rsp
  movq %rdx, %r10
  call *16(%rbp)
  leave
  ret
`;

Deno.test("x86_64: a function that switches to a part of its caller's frame", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const image = await assembled(arch, assembly, folder);
    const at = (name: string) => [...image.symbols].find((one) => one.name === name)!.address;
    const [main, call] = ["main", "ffi_call_win64"].map(at);
    const stackAddress = 0x7000_0000n;
    // From below: the new stack, the record, the return address, and the caller's frame pointer.
    const [bottom, record, entry, callerFrame] = [8n, 32n, 16n, 64n].map((at) => stackAddress + at);
    const walk = (offset: number, sp: bigint, fp: bigint, isWritten: boolean) => {
      const state = new Uint8Array(arch.threadState.size);
      writeRegister(state, arch.pc, call + BigInt(offset));
      writeRegister(state, arch.sp, sp);
      writeRegister(state, arch.fp, fp);
      const stack = new BigUint64Array(16);
      stack[2] = main + 5n;
      if (isWritten) stack.set([callerFrame, main + 5n], 4);
      const { frames } = unwind({
        arch,
        images: new Symbolizer([image]),
        state,
        stackAddress,
        stack: new Uint8Array(stack.buffer),
        stackEnd: stackAddress + 128n,
        readInto: undefined,
      }, { limit: 2 });
      return [frames[1].address, BigInt(frames[1].sp), BigInt(frames[1].fp)];
    };
    const caller = main + 5n;
    assertEquals(walk(0, entry, callerFrame, false), [caller, entry + 8n, callerFrame]);
    assertEquals(walk(11, entry, callerFrame, true), [caller, entry + 8n, callerFrame]);
    // After `mov %rsi, %rbp`, after `mov %rdi, %rsp`, and before the call.
    assertEquals(walk(14, entry, record, true), [caller, entry + 8n, callerFrame]);
    assertEquals(walk(17, bottom, record, true), [caller, record + 16n, callerFrame]);
    assertEquals(walk(20, bottom, record, true), [caller, record + 16n, callerFrame]);
    // Without a record nothing tells the caller's frame pointer, and it is not said.
    assertEquals(walk(14, entry, record, false)[2], 0n);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
