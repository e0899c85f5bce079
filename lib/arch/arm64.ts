import { type Arch, type Flavor, layOut, register } from "./arch.ts";

/** `_STRUCT_ARM_THREAD_STATE64` of `<mach/arm/_structs.h>`; DWARF numbers from the AArch64 DWARF
 * supplement. */
const threadState: Flavor = {
  name: "ARM_THREAD_STATE64",
  number: 6,
  size: 272,
  registers: [
    ...layOut([
      ...Array.from({ length: 29 }, (_, n) => [`x${n}`, n] as const),
      ["fp", 29],
      ["lr", 30],
      ["sp", 31],
      ["pc", 32],
    ], 8),
    ...layOut([["cpsr", null]], 4, 264),
  ],
};

/** `_STRUCT_ARM_EXCEPTION_STATE64`. */
const exceptionState: Flavor = {
  name: "ARM_EXCEPTION_STATE64",
  number: 7,
  size: 16,
  registers: [
    ...layOut([["far", null]], 8),
    ...layOut([["esr", null], ["exception", null]], 4, 8),
  ],
};

/** 64-bit ARM. User addresses have 47 bits on macOS, and 48 on Linux: where the processor has 52, Linux
 * gives the higher ones only to those who ask `mmap` for them, and never to code or a stack of its own
 * choice (Documentation/arm64/memory.rst). The bits above hold the authentication code of a signed pointer.
 * The masks that the kernel tells a tracer (`NT_ARM_PAC_MASK`) are these where it has 48 bits, as
 * `tests/arm/live_test.ts` checks. A stub may tell others, such as an iPhone's. */
export const arm64: Arch = {
  name: "arm64",
  cpuType: 0x0100000c,
  pointerSize: 8,
  threadState,
  exceptionState,
  pc: register(threadState, "pc"),
  sp: register(threadState, "sp"),
  fp: register(threadState, "fp"),
  lr: register(threadState, "lr"),
  calleeSaved: new Set([19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]),
  frameRecord: { size: 16, returnAddress: 8 },
  addressMask: 0x7fff_ffff_ffffn,
  linuxAddressMask: 0xffff_ffff_ffffn,
  callBias: 1n,
};
