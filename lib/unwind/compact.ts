/** Compact unwind encodings, decoded: 32 bits that say how a function's caller is found, by the rules
 * of `<mach-o/compact_unwind_encoding.h>`.
 *
 * An encoding describes a function's body alone: the stack pointer is lowered, the registers are
 * saved. It is wrong at the instructions before that is done and after it is undone, and on a short
 * way out of the function that needs neither; nothing in it says which these are, nor whether the
 * entry is a function with a prologue or a part split off one, whose every instruction is body. So a
 * row made here holds at a call, that is for every frame but the innermost and those that were
 * interrupted; there the instructions have to be looked at. */

import type { Arch } from "../arch/mod.ts";
import type { UnwindRow } from "../dwarf/mod.ts";
import { compactRowArm64 } from "./arm64/compact.ts";
import { compactRowX86 } from "./x86/compact.ts";

/** The function has no compact encoding, but call-frame information. */
export interface DwarfReference {
  /** Of the FDE in `__TEXT,__eh_frame`, in bytes; 0 when it was too large for the encoding's 24
   * bits, and the FDE has to be found by address. */
  readonly dwarf: number;
}

/** What an encoding alone does not say. Offsets are bytes from the image's load address. */
export interface CompactContext {
  /** Where the function begins. */
  readonly functionStart: number;
  /** Reads instructions; `null`, or fewer bytes, when not all of them can be read. Without it,
   * functions whose stack size is only in their instructions have no row. */
  readonly readCode?: (offset: number, length: number) => Uint8Array | null;
}

/** The row that holds in a function's body.
 *
 * @param arch arm64, x86_64 or i386; others have no compact encodings
 * @param encoding a `compact_unwind_encoding_t`
 * @returns `null` when the encoding says nothing, or nothing that makes sense
 *
 * @example
 * ```ts
 * import { arm64 } from "../arch/mod.ts";
 * import { compactRow } from "./compact.ts";
 *
 * console.log(compactRow(arm64, 0x04000001, { functionStart: 0x4000 }));
 * // CFA = x29 + 16; x29 at CFA-16, x30 at CFA-8, x19 at CFA-24, x20 at CFA-32
 * ```
 */
export function compactRow(
  arch: Arch,
  encoding: number,
  context: CompactContext,
): UnwindRow | DwarfReference | null {
  switch (arch.name) {
    case "arm64":
      return compactRowArm64(encoding);
    case "x86_64":
    case "i386":
      return compactRowX86(arch, encoding, context);
    default:
      return null;
  }
}
