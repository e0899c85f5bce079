/** x86, in 64 and in 32 bits. */

import { type Arch, i386 as arch32, x86_64 as arch64 } from "../../arch/mod.ts";
import type { UnwindRow } from "../../dwarf/mod.ts";
import type { InstructionSet, ReadCode } from "../instruction_set.ts";
import { DW_OP_deref, DW_OP_plus_uconst, MCONTEXT_POINTER, registerPlus, uleb } from "../signal.ts";
import { compactRow } from "./compact.ts";
import { isCall, isConditionalJump, isDirectJump, isEnd, X86Decoder } from "./decode.ts";
import { haskell } from "./haskell.ts";
import { analyzer, overwriteFinder } from "./instructions.ts";

/** DWARF numbers of the registers that hold the `ucontext_t *`: the argument, and where `_sigtramp`
 * keeps it. */
const R8 = 8;
const RBX = 3;

/** `mov %r8, %rbx`, with which `_sigtramp` keeps its argument. */
const MOVE = [0x4c, 0x89, 0xc3];

function isMoved(executed: Uint8Array | null): boolean {
  return executed === null ||
    executed.some((_, at) => MOVE.every((byte, index) => executed[at + index] === byte));
}

function x86(
  arch: Arch,
): Pick<
  InstructionSet,
  "compactRow" | "analyze" | "overwritten" | "stubRow" | "exits" | "isAfterCall"
> {
  return {
    compactRow: (encoding, context) => compactRow(arch, encoding, context),
    analyze: analyzer(arch),
    overwritten: overwriteFinder(arch),
    stubRow: (readCode, pc, isHelper) => stubRow(arch, readCode, pc, isHelper),
    exits: (readCode, start, size) => exits(arch, readCode, start, size),
    isAfterCall: (readCode, returnAddress) => isAfterCall(arch, readCode, returnAddress),
  };
}

export const x86_64: InstructionSet = {
  ...x86(arch64),
  swiftRegisters: new Set([12, 13, 14]),
  haskell,
  signalContext: (_cfa, executed) =>
    registerPlus(isMoved(executed) ? RBX : R8, MCONTEXT_POINTER[8]),
};

export const i386: InstructionSet = {
  ...x86(arch32),
  // Only eax, ecx, edx are used, which callers save.
  swiftRegisters: new Set(),
  // The arguments on the stack are the handler, style, signal, siginfo and ucontext.
  signalContext: (cfa) =>
    cfa?.kind === "register"
      ? [
        ...registerPlus(cfa.register, cfa.offset + 16),
        DW_OP_deref,
        DW_OP_plus_uconst,
        ...uleb(MCONTEXT_POINTER[4]),
      ]
      : null,
  swapEspEbp: true,
};

/** See {@linkcode InstructionSet.exits}. */
function exits(arch: Arch, readCode: ReadCode, start: bigint, size: number): number[] {
  const code = readCode(start, size);
  if (code === null) return [];
  const decoder = new X86Decoder(arch.pointerSize === 8);
  const found: number[] = [];
  let goesOn = true;
  let at = 0;
  while (at < size && decoder.decode(code, at)) {
    const { opcode, immediate, reg } = decoder;
    at += decoder.length;
    const isConditional = isConditionalJump(decoder);
    const isJump = isDirectJump(decoder);
    const target = at + immediate;
    if ((isConditional || isJump) && (target < 0 || target >= size)) found.push(target);
    // What was called last may not return; behind it and behind jumps are nop and int3, which ends.
    const isPadding = opcode === 0x90 || opcode === 0x0f1f;
    const isIndirect = opcode === 0xff && (reg === 4 || reg === 5);
    // A call to the next instruction only pushes its address.
    const isLeft = isCall(decoder) && (opcode !== 0xe8 || immediate !== 0);
    if (!isPadding) {
      goesOn = !isJump && !isIndirect && !isEnd(decoder) && !isLeft && opcode !== 0xcc;
    }
  }
  if (at === size && goesOn) found.push(size);
  return found;
}

/** Whether the bytes before `returnAddress` are a call; `null` when they cannot be read.
 *
 * @param arch x86_64 or i386
 */
export function isAfterCall(
  arch: Arch,
  readCode: ReadCode,
  returnAddress: bigint,
): boolean | null {
  const decoder = new X86Decoder(arch.pointerSize === 8);
  // The longest has a SIB byte and a displacement of four; prefixes before it make no difference.
  // At a section's start, only the shortest may be readable.
  for (let size = 7; size >= 2; size--) {
    const code = readCode(returnAddress - BigInt(size), size);
    if (code === null || code.length < size) continue;
    for (let start = 0; start <= size - 2; start++) {
      if (decoder.decode(code, start) && start + decoder.length === size && isCall(decoder)) {
        return true;
      }
    }
    return false;
  }
  return null;
}

/** The row of an instruction in `__stubs` or `__stub_helper`, which ld64 writes (`src/ld/passes/stubs`)
 * and no unwind information describes; `null` for another instruction.
 *
 * A stub jumps; one of position-independent 32-bit code calls its next instruction first, which
 * pops its own address. An entry of `__stub_helper` pushes a word and jumps to the part that all
 * entries have in common, which may stand before or after them. That part pushes another word and
 * jumps to the function that binds the symbol.
 *
 * @param arch x86_64 or i386
 */
export function stubRow(
  arch: Arch,
  readCode: ReadCode,
  pc: bigint,
  isHelper: boolean,
): UnwindRow | null {
  const code = readCode(pc, 7) ?? readCode(pc, 6) ?? readCode(pc, 5) ?? readCode(pc, 2);
  const pushed = code === null ? null : isHelper ? pushedBefore(arch, code) : isPop(code) ? 1 : 0;
  if (pushed === null) return null;
  const { pc: { dwarf: returnAddress }, sp, pointerSize } = arch;
  return {
    cfa: { kind: "register", register: sp.dwarf!, offset: (pushed + 1) * pointerSize },
    registers: new Map([[returnAddress!, { kind: "offset", offset: -pointerSize }]]),
    returnAddress: returnAddress!,
    signalFrame: false,
  };
}

function isPop([first]: Uint8Array): boolean {
  return (first & 0xf8) === 0x58;
}

/** How many words a stub helper has pushed before the instruction in `code`. */
function pushedBefore({ pointerSize }: Arch, code: Uint8Array): number | null {
  const [first, second] = code;
  // jmp *x
  if (first === 0xff && second === 0x25) return 2;
  // jmp, and in 64 bits lea x(%rip), %r11; push %r11
  if (first === 0xe9 || first === 0xeb) return 1;
  if (pointerSize === 8 && (first === 0x4c && second === 0x8d || first === 0x41)) return 1;
  // push $x, in 32 bits also in the common part, before jmp *x
  if (first !== 0x68) return null;
  return pointerSize === 4 && code[5] === 0xff && code[6] === 0x25 ? 1 : 0;
}
