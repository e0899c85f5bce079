/** What GHC's code for 64-bit ARM is known by. x20 is Haskell's stack pointer, x19 its base register. */

import type { HaskellCode } from "../haskell.ts";

/** `ldr x0, [x20]`, `ldur x0, [x19, #-8]` and `ldur x0, [x19, #-16]`. */
const LOADS: readonly number[] = [0xf9400280, 0xf85f8260, 0xf85f0260];
/** `br x0` */
const BR = 0xd61f0000;
const RET = 0xd65f03c0;
/** `sub sp, sp, #0x4000`: the C stack for Haskell's code. */
const RESERVE = 0xd14013ff;
/** `mov x19, x0` */
const MOVE = 0xaa0003f3;

export const haskell: HaskellCode = {
  countExits(code) {
    const words = wordsOf(code);
    let count = 0;
    for (let at = 1; at < words.length; at++) {
      const word = words[at];
      const register = word >>> 5 & 31;
      if (isBranch(word) && LOADS.includes(words[at - 1] - register)) count++;
    }
    return count;
  },
  returns: (code) => wordsOf(code).includes(RET),
  findRun(code) {
    const words = wordsOf(code);
    for (let at = -1; (at = words.indexOf(RESERVE, at + 1)) !== -1;) {
      if ((words[at + 1] & 0xffe0ffff) >>> 0 === MOVE && isBranch(words[at + 2])) return 4 * at + 4;
    }
    return -1;
  },
};

function isBranch(word: number): boolean {
  return (word & 0xfffffc1f) >>> 0 === BR;
}

function wordsOf(code: Uint8Array): Uint32Array {
  return new Uint32Array(code.slice().buffer, 0, code.length >>> 2);
}
