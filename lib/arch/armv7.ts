import { type Arch, type Flavor, layOut, register } from "./arch.ts";

/** `_STRUCT_ARM_THREAD_STATE` of `<mach/arm/_structs.h>`; DWARF numbers from the ARM DWARF
 * supplement. */
const threadState: Flavor = {
  name: "ARM_THREAD_STATE",
  number: 1,
  size: 68,
  registers: layOut([
    ...Array.from({ length: 13 }, (_, n) => [`r${n}`, n] as const),
    ["sp", 13],
    ["lr", 14],
    ["pc", 15],
    ["cpsr", null],
  ], 4),
};

/** `_STRUCT_ARM_EXCEPTION_STATE`. */
const exceptionState: Flavor = {
  name: "ARM_EXCEPTION_STATE",
  number: 3,
  size: 12,
  registers: layOut([["exception", null], ["fsr", null], ["far", null]], 4),
};

/** 32-bit ARM as iOS uses it: r7 is the frame pointer, and the lowest bit of a code pointer is set
 * for Thumb code. */
export const armv7: Arch = {
  name: "armv7",
  cpuType: 12,
  pointerSize: 4,
  threadState,
  exceptionState,
  pc: register(threadState, "pc"),
  sp: register(threadState, "sp"),
  fp: register(threadState, "r7"),
  lr: register(threadState, "lr"),
  calleeSaved: new Set([4, 5, 6, 7, 8, 10, 11]),
  frameRecord: { size: 8, returnAddress: 4 },
  addressMask: 0xffff_fffen,
  // svc #0x4d; pop.w {r7, lr}
  linuxCall: { code: [0x4d, 0xdf, 0xbd, 0xe8, 0x80, 0x40], instructionSize: 2 },
  callBias: 1n,
};
