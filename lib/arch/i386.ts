import { type Arch, type Flavor, layOut, register } from "./arch.ts";

/** `_STRUCT_X86_THREAD_STATE32` of `<mach/i386/_structs.h>`; DWARF numbers from the System V i386
 * ABI. Darwin's `__eh_frame` exchanges the numbers of esp and ebp; its reader accounts for that. */
const threadState: Flavor = {
  name: "x86_THREAD_STATE32",
  number: 1,
  size: 64,
  registers: layOut([
    ["eax", 0],
    ["ebx", 3],
    ["ecx", 1],
    ["edx", 2],
    ["edi", 7],
    ["esi", 6],
    ["ebp", 5],
    ["esp", 4],
    ["ss", 42],
    ["eflags", 9],
    ["eip", 8],
    ["cs", 41],
    ["ds", 43],
    ["es", 40],
    ["fs", 44],
    ["gs", 45],
  ], 4),
};

/** `_STRUCT_X86_EXCEPTION_STATE32`; the trap number and the CPU share the first word. */
const exceptionState: Flavor = {
  name: "x86_EXCEPTION_STATE32",
  number: 3,
  size: 12,
  registers: layOut([["trapno", null], ["err", null], ["faultvaddr", null]], 4),
};

/** 32-bit Intel. */
export const i386: Arch = {
  name: "i386",
  cpuType: 7,
  pointerSize: 4,
  threadState,
  exceptionState,
  pc: register(threadState, "eip"),
  sp: register(threadState, "esp"),
  fp: register(threadState, "ebp"),
  lr: null,
  calleeSaved: new Set([3, 5, 6, 7]),
  frameRecord: { size: 8, returnAddress: 4 },
  addressMask: 0xffff_ffffn,
  callBias: 1n,
};
