/** Frames of `_sigtramp`, the function in libsystem_platform that the kernel has a thread execute
 * to handle a signal. Its caller is the interrupted code, whose registers are all in the signal
 * context. XNU's `sendsig`, in bsd/dev/i386/unix_signal.c and bsd/dev/arm/unix_signal.c, says
 * where the kernel puts it; `ucontext_t` and `mcontext_t` of `<sys/_types/_ucontext.h>` and
 * `<mach/…/_mcontext.h>` what it is made of.
 *
 * The call-frame information of Apple's x86 `_sigtramp` says the same, except that it adds one to
 * the address, for unwinders that subtract one from every return address. Other versions of
 * `_sigtramp` have no call-frame information, or only that of their own frame. */

import type { Arch } from "../arch/mod.ts";
import type { UnwindRow } from "../dwarf/mod.ts";

/** The function's name, without the underscore of the symbol table. */
export const SIGTRAMP = "_sigtramp";

export const DW_OP_deref = 0x06;
export const DW_OP_mul = 0x1e;
export const DW_OP_plus = 0x22;
export const DW_OP_plus_uconst = 0x23;
export const DW_OP_lit0 = 0x30;
const DW_OP_breg0 = 0x70;
const DW_OP_bregx = 0x92;

/** Offset of `uc_mcontext` in `ucontext_t`, in bytes, by pointer size. */
export const MCONTEXT_POINTER = { 4: 28, 8: 48 } as const;
/** Size of `siginfo_t` in bytes, by pointer size. */
export const SIGINFO = { 4: 64, 8: 104 } as const;

/** The row of a `_sigtramp` frame.
 *
 * @param context a DWARF expression that pushes the address of `uc_mcontext`
 */
export function signalRow(arch: Arch, context: readonly number[]): UnwindRow {
  // The exception state comes first, then the thread state.
  const address = (offset: number): number[] => [
    ...context,
    DW_OP_deref,
    DW_OP_plus_uconst,
    ...uleb(arch.exceptionState.size + offset),
  ];
  const registers = new Map<number, { kind: "expression"; bytes: Uint8Array }>();
  for (const { dwarf, offset } of arch.threadState.registers) {
    if (dwarf === null || dwarf === arch.sp.dwarf) continue;
    registers.set(dwarf, { kind: "expression", bytes: Uint8Array.from(address(offset)) });
  }
  const sp = Uint8Array.from([...address(arch.sp.offset), DW_OP_deref]);
  return {
    cfa: { kind: "expression", bytes: sp },
    registers,
    returnAddress: arch.pc.dwarf!,
    signalFrame: true,
  };
}

/** An expression that pushes a register plus an offset. */
export function registerPlus(register: number, offset: number): number[] {
  return register < 32
    ? [DW_OP_breg0 + register, ...sleb(offset)]
    : [DW_OP_bregx, ...uleb(register), ...sleb(offset)];
}

export function uleb(value: number): number[] {
  return value < 0x80 ? [value] : [value & 0x7f | 0x80, ...uleb(value >>> 7)];
}

function sleb(value: number): number[] {
  return value >= -0x40 && value < 0x40
    ? [value & 0x7f]
    : [value & 0x7f | 0x80, ...sleb(value >> 7)];
}
