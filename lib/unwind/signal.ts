/** The frame of `_sigtramp`, the function in libsystem_platform that the kernel has a thread execute to
 * handle a signal: its caller is what the signal interrupted, and all of that's registers are in the
 * signal context. Where the kernel puts it: XNU's `sendsig`, in bsd/dev/i386/unix_signal.c and
 * bsd/dev/arm/unix_signal.c; what it is made of: `ucontext_t` and `mcontext_t` of
 * `<sys/_types/_ucontext.h>` and `<mach/…/_mcontext.h>`.
 *
 * The call-frame information that Apple's x86 `_sigtramp` has tells the same, but for the address: it
 * adds one, for those who take one off any return address. Other `_sigtramp`s have none, or one for
 * their own frame alone. */

import type { Arch } from "../arch/mod.ts";
import type { CfaRule, UnwindRow } from "../dwarf/mod.ts";

/** Its name, without the underscore of the symbol table. */
export const SIGTRAMP = "_sigtramp";

const DW_OP_deref = 0x06;
const DW_OP_plus_uconst = 0x23;
const DW_OP_breg0 = 0x70;
const DW_OP_bregx = 0x92;

/** `uc_mcontext`: bytes from the start of `ucontext_t`. */
const MCONTEXT_POINTER = { 4: 28, 8: 48 } as const;
/** Bytes of `siginfo_t`. */
const SIGINFO = { 4: 64, 8: 104 } as const;

/** The x86_64 registers that hold the `ucontext_t *`: an argument, and where `_sigtramp` keeps it. */
const R8 = 8;
const RBX = 3;

/** The row of a `_sigtramp` frame.
 *
 * @param cfa of `_sigtramp`: where the stack pointer was at its entry, or above the word that the
 * kernel leaves there for a return address; not needed on x86_64
 * @param isKept whether x86_64's `_sigtramp` has moved its argument to where it keeps it
 * @returns `null` where the CFA's rule is of no use
 */
export function signalRow(arch: Arch, cfa: CfaRule | null, isKept: boolean): UnwindRow | null {
  const context = contextPointer(arch, cfa, isKept);
  if (context === null) return null;
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

/** Pushes the address of `uc_mcontext`. */
function contextPointer(arch: Arch, cfa: CfaRule | null, isKept: boolean): number[] | null {
  const { pointerSize } = arch;
  const pointer = MCONTEXT_POINTER[pointerSize];
  if (arch.name === "x86_64") return base(isKept ? RBX : R8, pointer);
  if (cfa === null || cfa.kind !== "register") return null;
  const { register, offset } = cfa;
  switch (arch.name) {
    case "i386":
      // The arguments: handler, style, signal, siginfo, ucontext.
      return [...base(register, offset + 16), DW_OP_deref, DW_OP_plus_uconst, ...uleb(pointer)];
    case "armv7":
      // Two more arguments, the siginfo, the ucontext.
      return base(register, offset + 8 + SIGINFO[pointerSize] + pointer);
    case "arm64":
      return base(register, offset + SIGINFO[pointerSize] + pointer);
  }
}

function base(register: number, offset: number): number[] {
  return register < 32
    ? [DW_OP_breg0 + register, ...sleb(offset)]
    : [DW_OP_bregx, ...uleb(register), ...sleb(offset)];
}

function uleb(value: number): number[] {
  return value < 0x80 ? [value] : [value & 0x7f | 0x80, ...uleb(value >>> 7)];
}

function sleb(value: number): number[] {
  return value >= -0x40 && value < 0x40
    ? [value & 0x7f]
    : [value & 0x7f | 0x80, ...sleb(value >> 7)];
}
