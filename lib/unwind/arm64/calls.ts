import type { ReadCode } from "../instruction_set.ts";

/** Whether the instruction before `returnAddress` is BL, BLR or an authenticating form of BLR;
 * `null` when it cannot be read. */
export function isAfterCall(readCode: ReadCode, returnAddress: bigint): boolean | null {
  const code = readCode(returnAddress - 4n, 4);
  if (code === null || code.length < 4) return null;
  const word = new DataView(code.buffer, code.byteOffset, 4).getUint32(0, true);
  const bl = (word & 0xfc000000) >>> 0 === 0x94000000;
  const blr = (word & 0xfefff000) >>> 0 === 0xd63f0000;
  return bl || blr;
}
