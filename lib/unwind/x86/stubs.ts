/** Stubs and stub helpers. ld64 writes them (`src/ld/passes/stubs`), and no unwind information
 * describes them. */

import type { Arch } from "../../arch/mod.ts";
import type { UnwindRow } from "../../dwarf/mod.ts";
import type { ReadCode } from "../instruction_set.ts";

/** The row of an instruction in `__stubs` or `__stub_helper`; `null` for another instruction.
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
