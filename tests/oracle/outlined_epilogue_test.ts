/** An epilogue that was outlined, as LLVM's machine outliner leaves it in functions that end with a jump: it is
 * called when the return address was restored already, which its caller keeps in a register meanwhile. */
import { assertEquals } from "@std/assert";
import { arm64 as arch, writeRegister } from "../../lib/arch/mod.ts";
import { Symbolizer } from "../../lib/symbols/mod.ts";
import { unwind } from "../../lib/unwind/mod.ts";
import { assembled } from "./assembled.ts";

const assembly = `
.globl _ends, _epilogue, _main
_main:
  bl _ends
  ret
_ends:
  sub sp, sp, #0x70
  stp x20, x19, [sp, #0x50]
  stp x29, x30, [sp, #0x60]
  bl _main
  ldp x29, x30, [sp, #0x60]
  mov x1, x30
  bl _epilogue
  mov x30, x1
  b _main
_epilogue:
  ldp x20, x19, [sp, #0x50]
  add sp, sp, #0x70
  ret
`;

Deno.test("arm64: an outlined epilogue that is called after the link register was restored", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const image = await assembled(arch, assembly, folder);
    const at = (name: string) => [...image.symbols].find((one) => one.name === name)!.address;
    const [main, ends, epilogue] = ["main", "ends", "epilogue"].map(at);
    const stackAddress = 0x7000_0000n;
    const cfa = stackAddress + 0x70n;
    const [x19, x20] = [0x1919n, 0x2020n];
    const word = (name: string) => arch.threadState.registers.find((one) => one.name === name)!;
    const walk = (pc: bigint, sp: bigint, isRestored: boolean) => {
      const state = new Uint8Array(arch.threadState.size);
      writeRegister(state, arch.pc, pc);
      writeRegister(state, arch.sp, sp);
      writeRegister(state, arch.lr!, ends + 28n);
      writeRegister(state, word("x1"), main + 4n);
      if (isRestored) writeRegister(state, word("x19"), x19);
      const stack = new BigUint64Array(32);
      stack.set([x20, x19], 10);
      const found = unwind({
        arch,
        images: new Symbolizer([image]),
        state,
        stackAddress,
        stack: new Uint8Array(stack.buffer),
        stackEnd: stackAddress + 256n,
        readInto: undefined,
      }, { limit: 3 });
      const callers = found.frames.slice(1);
      return [
        ...callers.map(({ address }) => address),
        callers.at(-1)?.sp,
        found.registersOf(2).get("x19"),
      ];
    };
    const truth = [ends + 28n, main + 4n, Number(cfa), x19];
    assertEquals(walk(epilogue, stackAddress, false), truth);
    assertEquals(walk(epilogue + 4n, stackAddress, true), truth);
    assertEquals(walk(epilogue + 8n, cfa, true), truth);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
