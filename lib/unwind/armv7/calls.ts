import type { ReadCode } from "../instruction_set.ts";

/** Whether the instruction before `returnAddress` is BL or BLX, of ARM or Thumb code; `null` when
 * it cannot be read. */
export function isAfterCall(
  readCode: ReadCode,
  returnAddress: bigint,
  thumb: boolean,
): boolean | null {
  const code = readCode(returnAddress - 4n, 4);
  if (code === null || code.length < 4) return null;
  const view = new DataView(code.buffer, code.byteOffset, 4);
  if (thumb) {
    const first = view.getUint16(0, true);
    const second = view.getUint16(2, true);
    const bl = (first & 0xf800) === 0xf000 && (second & 0xc000) === 0xc000;
    return bl || (second & 0xff87) === 0x4780;
  }
  const word = view.getUint32(0, true);
  const bl = (word & 0x0f000000) === 0x0b000000;
  const blx = (word & 0x0ffffff0) === 0x012fff30;
  return bl || blx;
}
