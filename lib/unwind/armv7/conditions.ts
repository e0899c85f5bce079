/** Which conditional instructions of 32-bit ARM a stopped thread will execute, by its flags.
 * Conditions and bits from the "ARM Architecture Reference Manual ARMv7-A and ARMv7-R edition",
 * sections A8.3, A2.5.2 and B1.3.3. */

import type { ReadCode } from "../instruction_set.ts";

/** "Always". The value after it, in ARM code, is not a condition. */
const AL = 14;

/** Whether the Thumb bit is set. */
export function isThumb(cpsr: number): boolean {
  return (cpsr & 0x20) !== 0;
}

/** Whether a condition holds.
 *
 * @param condition the four bits of an instruction
 * @param cpsr the flags in its upper four bits: N, Z, C, V
 */
export function conditionHolds(condition: number, cpsr: number): boolean {
  const [n, z, c, v] = [31, 30, 29, 28].map((bit) => ((cpsr >>> bit) & 1) === 1);
  if (condition >= AL) return true;
  // Pairs of opposites: eq, cs, mi, vs, hi, ge, gt.
  const first = [z, c, n, v, c && !z, n === v, n === v && !z][condition >>> 1];
  return first === ((condition & 1) === 0);
}

/** The first instruction from `pc` on that is executed: after the rest of the IT block in Thumb
 * code, after the run of instructions with the same condition in ARM code. It is `pc` itself when
 * its condition holds.
 *
 * What skipped instructions would have done to the frame does not count, and analysis of the code
 * after them ignores it. */
export function nextExecuted(
  pc: bigint,
  cpsr: number,
  readCode: ReadCode,
): bigint {
  const read = (address: bigint, size: 2 | 4): number | null => {
    const code = readCode(address, size);
    if (code === null || code.length < size) return null;
    const view = new DataView(code.buffer, code.byteOffset, size);
    return size === 2 ? view.getUint16(0, true) : view.getUint32(0, true);
  };
  let at = pc;
  if (!isThumb(cpsr)) {
    const condition = (read(pc, 4) ?? 0xf0000000) >>> 28;
    if (conditionHolds(condition, cpsr)) return pc;
    for (let count = 0; count < maxRun; count++) {
      const word = read(at, 4);
      if (word === null || word >>> 28 !== condition) break;
      at += 4n;
    }
    return at;
  }
  const state = ((cpsr >>> 8) & 0xfc) | ((cpsr >>> 25) & 3);
  const mask = state & 15;
  if (mask === 0 || conditionHolds(state >>> 4, cpsr)) return pc;
  for (let left = 4 - Math.log2(mask & -mask); left > 0; left--) {
    const first = read(at, 2);
    if (first === null) return pc;
    at += first >>> 11 < 29 ? 2n : 4n;
  }
  return at;
}

/** Longer than any run of instructions with one condition. */
const maxRun = 64;
