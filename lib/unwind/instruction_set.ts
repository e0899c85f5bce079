/** What unwinding needs to know about an instruction set. Each has a folder with the same files:
 * `compact.ts` (compact unwind encodings), `instructions.ts` (a function's frame, read from its
 * instructions) and `mod.ts` (the {@linkcode InstructionSet}, with stubs, calls and the signal
 * context). `instruction_sets.ts` lists them. */

import type { CfaRule, UnwindRow } from "../dwarf/mod.ts";
import type { HaskellCode } from "./haskell.ts";

/** Reads code at an address; `null`, or fewer bytes, where it cannot all be read. */
export type ReadCode = (address: bigint, length: number) => Uint8Array | null;

/** A function whose instructions are analyzed. Addresses are the target's, without the Thumb bit.
 */
export interface FunctionCode {
  /** Where the function begins. */
  readonly functionStart: bigint;
  /** Where it ends: the next function's start, or the section's end; `null` when not known. */
  readonly functionEnd: bigint | null;
  /** The instruction that is about to be executed; in a caller, an address inside its call. */
  readonly pc: bigint;
  /** Whether the instruction at `pc` is a call, and its callee runs: the link register has another
   * address. */
  readonly isCalling?: boolean;
  /** The function, at its jump, whose frame this code runs in; left out for a function that is called. */
  readonly jumpedFrom?: FunctionCode;
  /** Whether the code is Thumb code. */
  readonly thumb: boolean;
  readonly readCode: ReadCode;
}

/** Where the caller's frame is looked up, when its callee is a part of its own prologue or epilogue
 * that was outlined: at the call, or as after the return from it. An epilogue that is either jumped
 * to or called with the return address kept elsewhere leads to `"either"`: what it returns to tells. */
export type CallerState = "call" | "return" | "either";

/** What the instructions up to `pc` say about the frame. */
export interface InstructionRow {
  readonly row: UnwindRow;
  /** Left out where the caller's frame is that of its body. */
  readonly caller?: CallerState;
  /** Whether no branch was found that leads to `pc`, so that the row is that of the function's body. */
  readonly isGuess: boolean;
  /** Whether a row of the image's unwind information may be used instead. Such information
   * describes a function's body alone, so it is refused where the instructions from the entry to
   * `pc` show something else. Where they do not lead to `pc`, it is better than the instructions.
   */
  agrees(row: UnwindRow): boolean;
}

/** The function has no compact encoding but call-frame information. */
export interface DwarfReference {
  /** Offset in bytes of the FDE in `__TEXT,__eh_frame`; 0 when it was too large for the encoding's
   * 24 bits, and the FDE has to be found by address. */
  readonly dwarf: number;
}

/** What a compact encoding does not say itself. Offsets are bytes from the image's load address. */
export interface CompactContext {
  /** Where the function begins. */
  readonly functionStart: number;
  /** Reads instructions; `null`, or fewer bytes, when not all of them can be read. Without it,
   * functions whose stack size is only in their instructions have no row. */
  readonly readCode?: (offset: number, length: number) => Uint8Array | null;
}

/** What a table in an image says of functions' frames at calls. */
export interface FunctionRows {
  /** The row of the function at an offset from the image's load address; `null` where the table has none. */
  rowAt(offset: number): UnwindRow | null;
}

/** One instruction set, for one architecture. */
export interface InstructionSet {
  /** The row of a compact unwind encoding; `null` when the encoding says nothing, or nothing that
   * makes sense.
   *
   * An encoding describes a function's body alone, after the prologue and before the epilogue, and
   * does not say where these are. So the row holds at a call: in every frame but the innermost and
   * those that were interrupted, where the instructions have to be read.
   *
   * @param encoding a `compact_unwind_encoding_t` of `<mach-o/compact_unwind_encoding.h>`
   */
  compactRow(encoding: number, context: CompactContext): UnwindRow | DwarfReference | null;
  /** Reads a function's instructions up to `pc`; `null` when they make no sense. */
  analyze(code: FunctionCode): InstructionRow | null;
  /** The DWARF numbers of callee-saved registers that the function, whichever way it goes, overwrites
   * without having saved them, or has not restored when it returns. The C calling conventions forbid it;
   * those of Go, OCaml, GraalVM, V8 and of some of Swift's functions do not know such registers, or not
   * these.
   *
   * @param code any `pc` will do
   */
  overwritten(code: FunctionCode): ReadonlySet<number>;
  /** The DWARF numbers of the callee-saved registers in which Swift passes `self`, errors and async contexts
   * (Swift's `docs/ABI/CallConvSummary.rst`). */
  readonly swiftRegisters: ReadonlySet<number>;
  /** The row of an instruction in a stub or stub helper; `null` for an unknown instruction.
   *
   * @param isHelper whether it is in `__stub_helper`
   */
  stubRow(readCode: ReadCode, pc: bigint, isHelper: boolean): UnwindRow | null;
  /** Where code leads to outside of itself without calling or returning: offsets from its start, of
   * branches' targets, and of its end where execution goes on there; of 32-bit ARM, in ARM code. */
  exits(readCode: ReadCode, start: bigint, size: number): number[];
  /** Whether a function with a frame begins at `start`: asked of ARM code, which is assembly where compilers
   * make Thumb code. Labels in such functions are looked for without unwind information. */
  beginsFunction?(readCode: ReadCode, start: bigint): boolean;
  /** Whether the instruction before `returnAddress` is a call; `null` when it cannot be read. */
  isAfterCall(readCode: ReadCode, returnAddress: bigint, thumb: boolean): boolean | null;
  /** Whether the instruction at `returnAddress` gives the link register its value from before the
   * call: only outlined parts of a function are called so. Left out where there is no link register.
   */
  restoresLink?(readCode: ReadCode, returnAddress: bigint, thumb: boolean): boolean;
  /** A DWARF expression that pushes the address of `uc_mcontext` in a frame of `_sigtramp`; `null`
   * where it cannot be found.
   *
   * @param cfa of `_sigtramp`: where the stack pointer was at its entry, or above the word that
   * the kernel leaves there for a return address
   * @param executed the instructions of `_sigtramp` before the frame's address; `null` when
   * unreadable */
  signalContext(cfa: CfaRule | null, executed: Uint8Array | null): number[] | null;
  /** Where the innermost frame's next executed instruction is, when conditional instructions at
   * `pc` will not be executed. Left out where instructions have no conditions.
   *
   * @param state the thread state
   * @param thumb whether the function's symbol says it is Thumb code
   */
  nextExecuted?(pc: bigint, state: Uint8Array, thumb: boolean, readCode: ReadCode): bigint;
  /** Opens the contents of `.ARM.exidx`, which ELF images of the architecture may have instead of call-frame
   * information. Left out where there is no such section.
   *
   * @param start the section's offset from the image's load address
   * @param read reads the image at an offset from there
   */
  openExceptionIndex?(
    bytes: Uint8Array,
    start: number,
    read: (offset: number, length: number) => Uint8Array | null,
  ): FunctionRows;
  /** What the code that GHC makes of Haskell is known by; left out where that was not looked at. */
  readonly haskell?: HaskellCode;
  /** Whether `__eh_frame` exchanges the numbers of esp and ebp, as on Darwin for i386. */
  readonly swapEspEbp?: boolean;
}
