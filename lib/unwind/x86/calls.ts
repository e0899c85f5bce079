import type { Arch } from "../../arch/mod.ts";
import type { ReadCode } from "../instruction_set.ts";
import { X86Decoder } from "./decode.ts";

/** Whether the bytes before `returnAddress` are a call; `null` when they cannot be read.
 *
 * @param arch x86_64 or i386
 */
export function isAfterCall(
  arch: Arch,
  readCode: ReadCode,
  returnAddress: bigint,
): boolean | null {
  const decoder = new X86Decoder(arch.pointerSize === 8);
  // The longest has a SIB byte and a displacement of four; prefixes before it make no difference.
  // At a section's start, only the shortest may be readable.
  for (let size = 7; size >= 2; size--) {
    const code = readCode(returnAddress - BigInt(size), size);
    if (code === null || code.length < size) continue;
    for (let start = 0; start <= size - 2; start++) {
      if (decoder.decode(code, start) && start + decoder.length === size && isCall(decoder)) {
        return true;
      }
    }
    return false;
  }
  return null;
}

/** Whether the decoded instruction is a call, near or far, direct or indirect. */
export function isCall({ opcode, reg }: X86Decoder): boolean {
  return opcode === 0xe8 || opcode === 0x9a || opcode === 0xff && (reg === 2 || reg === 3);
}
