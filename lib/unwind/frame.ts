/** What unwinding takes and gives, as data. */

import type { Arch, Registers } from "../arch/mod.ts";
import type { UnwindRow } from "../dwarf/mod.ts";
import type { DebugSection } from "../symbols/walking.ts";
import type { LoadedImage } from "../macho/mod.ts";

/** How a frame was found from the one it called.
 *
 * - `context`: not found but captured: the innermost frame, from the thread's registers
 * - `link-register`: the return address was still in the link register
 * - `frame-pointer`: by its frame record
 * - `compact-unwind`: by compact unwind information
 * - `cfi`: by call-frame information: `__eh_frame` or `__debug_frame`
 * - `exception-index`: by the exception index of an ELF image for ARM, `.ARM.exidx`
 * - `prologue`: by the instructions of the function it called
 * - `signal`: a signal interrupted it, and its registers are in the signal context
 * - `scan`: by a word on the stack that a call may return to; this may be wrong
 * - `async`: by the async context of a Swift function: it resumes when that function has finished
 */
export type FoundBy =
  | "context"
  | "link-register"
  | "frame-pointer"
  | "compact-unwind"
  | "cfi"
  | "exception-index"
  | "prologue"
  | "signal"
  | "scan"
  | "async";

/** Why unwinding ended.
 *
 * - `null-record`: at the outermost frame; the normal end
 * - `outside-stack`: the frame pointer leads out of the thread's stack
 * - `misaligned`: the frame pointer is not a multiple of the pointer size
 * - `not-rising`: the record's caller is not further up the stack: a loop, or damage
 * - `unreadable`: the record lies in the stack's bounds but could not be read or was not captured
 * - `limit`: as many frames as were asked for
 * - `no-state`: the thread's registers could not be read
 */
export type StopReason =
  | "null-record"
  | "outside-stack"
  | "misaligned"
  | "not-rising"
  | "unreadable"
  | "limit"
  | "no-state";

/** An activation of a function on a stack. Stack addresses are numbers where they fit, which all
 * user stacks do. */
export interface UnwoundFrame {
  /** The next instruction to be executed in the frame: the pc of the innermost frame, a return
   * address in its callers. Pointer authentication and the Thumb bit are removed. */
  readonly address: bigint;
  /** The stack pointer; in a caller, its value after the return. */
  readonly sp: number | bigint;
  /** The frame pointer. */
  readonly fp: number | bigint;
  /** Where the frame returns to; 0 when that is not known or it has no caller. */
  readonly returnAddress: bigint;
  /** How it was found. */
  readonly foundBy: FoundBy;
  /** Whether `address` was not called from but interrupted, or is where a signal's handler returns to, so that functions and lines are looked
   * up with it and not with an address before it. */
  readonly exact: boolean;
  /** The row of call-frame information, or what corresponds to it, that led here from the frame it
   * called; `null` for the innermost. */
  readonly row: UnwindRow | null;
  /** The address of a Swift async function's context; `undefined` in other frames. */
  readonly asyncContext?: bigint;
  /** The functions that wait for this async function, the innermost first; `undefined` in other
   * frames and in these. They have no activations: their addresses are where they resume, and
   * their stack and frame pointers are 0. */
  readonly asyncParents?: UnwoundStack;
}

/** The frames of one stack. */
export interface UnwoundStack {
  /** The innermost first. */
  readonly frames: readonly UnwoundFrame[];
  /** Why there are no more. */
  readonly stopped: StopReason;
  /** The registers of a frame whose values are known there. */
  registersOf(index: number): Registers;
  /** The canonical frame address of the last frame, where its caller was found and the limit left that out. */
  readonly lastFrameAddress?: number;
}

/** The code that is unwound. A `Symbolizer` implements it. */
export interface UnwindImages {
  /** The image that holds `address`; `null` when none does. */
  imageAt(address: bigint): LoadedImage | null;
  /** A section of the image's debug information, such as `__debug_frame`; `null` when none is
   * found. The first call for an image may search the file system. */
  debugSection?(image: LoadedImage, name: string): DebugSection | null;
  /** Rises when {@linkcode debugSection} may find more than before. */
  readonly debugGeneration?: number;
}

/** What a stack is unwound from. */
export interface UnwindInput {
  /** The thread's architecture. */
  readonly arch: Arch;
  /** The code. */
  readonly images: UnwindImages;
  /** The thread state, in the architecture's flavor; empty when it could not be read. */
  readonly state: Uint8Array;
  /** The address of the first byte of `stack`. */
  readonly stackAddress: bigint;
  /** The captured part of the stack. */
  readonly stack: Uint8Array;
  /** The upper bound of the stack; 0 when not known. */
  readonly stackEnd: bigint;
  /** Reads memory that was not captured, and returns how many bytes it read; `undefined` when the
   * target runs or is gone. */
  readonly readInto: ((address: bigint, into: Uint8Array) => number) | undefined;
  /** Asked of each caller that is found: true ends the walk before it, since it and its callers are known
   * from an earlier walk. */
  readonly isKnown?: (frame: UnwoundFrame) => boolean;
  /** Told of each address of the stack that is read. */
  readonly onRead?: (address: number) => void;
}

/** How to unwind a stack. */
export interface UnwindOptions {
  /** Maximum number of frames; calls that are inlined into them are not counted. */
  readonly limit?: number;
  /** If no other way finds a caller, search the stack for what might be a return address. Frames
   * found so, and those after them, may be wrong. */
  readonly scan?: boolean;
}
