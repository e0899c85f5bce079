/** Unwinding by reading a function's instructions, where what the image says of the function covers
 * its body alone or nothing: in prologues and epilogues, in stubs, in code without any information. */
import type { UnwindRow } from "../dwarf/mod.ts";

/** What instructions are read from. Addresses are the target's, without the Thumb bit. */
export interface AssemblyInput {
  /** Where the function begins. */
  readonly functionStart: bigint;
  /** Where it ends: the next function's start, or the section's end; `null` when not known. */
  readonly functionEnd: bigint | null;
  /** The instruction that is about to be executed; in a caller, an address inside its call. */
  readonly pc: bigint;
  /** Whether the code is Thumb code. */
  readonly thumb: boolean;
  /** The bytes at an address; `null`, or fewer, where they cannot all be read. */
  readCode(address: bigint, length: number): Uint8Array | null;
}

/** What reading the instructions up to `pc` tells. */
export interface AssemblyRow {
  readonly row: UnwindRow;
  /** Where in the function `pc` is. In `prologue` and `epilogue` the row is exact; in the `body` it
   * is what the instructions from the start on add up to, and what the image itself says comes
   * first. */
  readonly place: "prologue" | "body" | "epilogue";
}

/** Reads a function's instructions up to `pc`; `null` when they make no sense. One for each kind of
 * processor. */
export type AssemblyUnwinder = (input: AssemblyInput) => AssemblyRow | null;
