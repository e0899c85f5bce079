import { type Arch, type Flavor, layOut, register } from "./arch.ts";

/** `_STRUCT_X86_THREAD_STATE64` of `<mach/i386/_structs.h>`; DWARF numbers from the System V
 * x86-64 ABI, figure 3.36. */
const threadState: Flavor = {
  name: "x86_THREAD_STATE64",
  number: 4,
  size: 168,
  registers: layOut([
    ["rax", 0],
    ["rbx", 3],
    ["rcx", 2],
    ["rdx", 1],
    ["rdi", 5],
    ["rsi", 4],
    ["rbp", 6],
    ["rsp", 7],
    ["r8", 8],
    ["r9", 9],
    ["r10", 10],
    ["r11", 11],
    ["r12", 12],
    ["r13", 13],
    ["r14", 14],
    ["r15", 15],
    ["rip", 16],
    ["rflags", 49],
    ["cs", 51],
    ["fs", 54],
    ["gs", 55],
  ], 8),
};

/** `_STRUCT_X86_EXCEPTION_STATE64`; the trap number and the CPU share the first word. */
const exceptionState: Flavor = {
  name: "x86_EXCEPTION_STATE64",
  number: 6,
  size: 16,
  registers: [
    ...layOut([["trapno", null], ["err", null]], 4),
    ...layOut([["faultvaddr", null]], 8, 8),
  ],
};

/** 64-bit Intel. */
export const x86_64: Arch = {
  name: "x86_64",
  cpuType: 0x01000007,
  pointerSize: 8,
  threadState,
  exceptionState,
  pc: register(threadState, "rip"),
  sp: register(threadState, "rsp"),
  fp: register(threadState, "rbp"),
  lr: null,
  calleeSaved: new Set([3, 6, 12, 13, 14, 15]),
  frameRecord: { size: 16, returnAddress: 8 },
  addressMask: 0xffff_ffff_ffff_ffffn,
  callBias: 1n,
};
