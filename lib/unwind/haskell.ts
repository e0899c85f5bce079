/** Code that GHC makes of Haskell. It obeys no calling convention of C: it is jumped to, never called, and
 * jumps to what is next, which is on a stack of its own in the heap. No return address is on the stack of
 * C, nor in the link register, and the frame pointer of x86-64 is Haskell's stack pointer. The frame it runs
 * in is that of `StgRun()`, which saves the registers, reserves stack and jumps (GHC's `rts/StgCRun.c`; the
 * registers are those of `rts/include/stg/MachRegs.h`). GHC writes no unwind information for it. */

/** What such code is known by, in one instruction set. */
export interface HaskellCode {
  /** How often code jumps to the address on top of Haskell's stack, or to one that Haskell's base register
   * points to. Code of other languages does not. */
  countExits(code: Uint8Array): number;
  /** Whether a function returns, as Haskell's code never does. */
  returns(code: Uint8Array): boolean;
  /** The offset of an instruction of `StgRun()` where its frame is set up, just before the jump; -1 where the
   * code does not have it. */
  findRun(code: Uint8Array): number;
}

/** How far around a function its neighbours are looked at, in bytes: farther where few exits are near, as in
 * long computations. */
const distances = [0x4000n, 0x2_0000n];
/** How many exits are in so much Haskell code at least. Without `StgRun()` in the image, as in libraries, more
 * have to be seen: bytes of other code may look like one. */
const minExits = { withRun: 2, withoutRun: 16 };
/** `StgRun()` is searched for in pieces of this many bytes, each of which has the end of the one before. */
const pieceSize = 0x10_0000;
const overlap = 64;

/** Where code is, and what reads it. */
export interface CodeRange {
  readonly start: bigint;
  readonly end: bigint;
  read(address: bigint, length: number): Uint8Array | null;
}

/** Whether a function is made of Haskell: such exits are in it, or near it and it does not return. Libraries
 * in assembly may be between such functions.
 *
 * @param range the section that it is in
 * @param findRun says whether the image has `StgRun()`; only asked where that matters
 */
export function isHaskell(
  kind: HaskellCode,
  { start, end }: { readonly start: bigint; readonly end: bigint | null },
  range: CodeRange,
  findRun: () => boolean,
): boolean {
  const readBetween = (from: bigint, to: bigint): Uint8Array | null => {
    const first = from < range.start ? range.start : from;
    return range.read(first, Number((to > range.end ? range.end : to) - first));
  };
  const after = end ?? start + distances[0];
  const own = readBetween(start, after);
  if (own === null || kind.countExits(own) === 0 && kind.returns(own)) return false;
  let count = 0;
  for (const near of distances) {
    const code = readBetween(start - near, after + near);
    count = code === null ? 0 : kind.countExits(code);
    if (count >= minExits.withoutRun) return true;
  }
  return count >= minExits.withRun && findRun();
}

/** The address of an instruction of `StgRun()` where its frame is set up; `null` when it is not in the code. */
export function findRun(kind: HaskellCode, range: CodeRange): bigint | null {
  for (let at = range.start; at < range.end; at += BigInt(pieceSize - overlap)) {
    const left = Number(range.end - at);
    const code = range.read(at, Math.min(left, pieceSize));
    const found = code === null ? -1 : kind.findRun(code);
    if (found !== -1) return at + BigInt(found);
  }
  return null;
}
