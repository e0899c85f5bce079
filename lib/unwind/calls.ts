import type { Arch } from "../arch/mod.ts";
import type { AssemblyInput } from "./instructions.ts";
import { isAfterCall as isAfterX86Call } from "./x86/instructions.ts";

/** Tells whether an address is one that a call returns to: whether the instruction before it calls.
 * Encodings from the Arm Architecture Reference Manuals: BL, BLR and its authenticating forms of A64;
 * BL, BLX of A32 and T32.
 *
 * @param thumb whether the code there is Thumb code
 * @returns `null` when the code cannot be read
 */
export function isAfterCall(
  arch: Arch,
  readCode: AssemblyInput["readCode"],
  returnAddress: bigint,
  thumb: boolean,
): boolean | null {
  if (arch.lr === null) return isAfterX86Call(arch, readCode, returnAddress);
  const code = readCode(returnAddress - 4n, 4);
  if (code === null || code.length < 4) return null;
  const view = new DataView(code.buffer, code.byteOffset, 4);
  const word = view.getUint32(0, true);
  if (arch.pointerSize === 8) {
    const bl = (word & 0xfc000000) >>> 0 === 0x94000000;
    const blr = (word & 0xfefff000) >>> 0 === 0xd63f0000;
    return bl || blr;
  }
  if (thumb) {
    const first = view.getUint16(0, true);
    const second = view.getUint16(2, true);
    const bl = (first & 0xf800) === 0xf000 && (second & 0xc000) === 0xc000;
    return bl || (second & 0xff87) === 0x4780;
  }
  const bl = (word & 0x0f000000) === 0x0b000000;
  const blx = (word & 0x0ffffff0) === 0x012fff30;
  return bl || blx;
}
