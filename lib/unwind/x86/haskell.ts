/** What GHC's code for x86-64 is known by. rbp is Haskell's stack pointer, r13 its base register. */

import type { HaskellCode } from "../haskell.ts";
import { isConditionalJump, isDirectJump, isEnd, X86Decoder } from "./decode.ts";

/** The instructions of `StgRun()` after which its frame is set up. */
const RUN: readonly number[] = [
  ...[0x48, 0x81, 0xec, 0x00, 0x40, 0x00, 0x00], // sub $0x4000, %rsp
  ...[0x48, 0x89, 0x18], // mov %rbx, (%rax)
  ...[0x48, 0x89, 0x68, 0x08], // mov %rbp, 8(%rax)
  ...[0x4c, 0x89, 0x60, 0x10], // mov %r12, 16(%rax)
  ...[0x4c, 0x89, 0x68, 0x18], // mov %r13, 24(%rax)
  ...[0x4c, 0x89, 0x70, 0x20], // mov %r14, 32(%rax)
  ...[0x4c, 0x89, 0x78, 0x28], // mov %r15, 40(%rax)
];

export const haskell: HaskellCode = {
  countExits(code) {
    let count = 0;
    for (let at = 0; (at = code.indexOf(0xff, at)) !== -1; at++) {
      const [, second, third] = code.subarray(at, at + 3);
      if (second !== 0x65) continue;
      // jmp *(%rbp)
      const isOnStack = third === 0 && code[at - 1] !== 0x41;
      // jmp *-8(%r13), jmp *-16(%r13)
      if (isOnStack || code[at - 1] === 0x41 && (third === 0xf8 || third === 0xf0)) count++;
    }
    return count;
  },
  returns(code) {
    const decoder = new X86Decoder(true);
    // Between the instructions is data, so that only what they lead to is read.
    const pending = [0];
    const seen = new Set<number>();
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      while (at < code.length && !seen.has(at) && decoder.decode(code, at)) {
        const { opcode, reg, immediate, length } = decoder;
        seen.add(at);
        if (opcode === 0xc3 || opcode === 0xc2) return true;
        at += length;
        const isJump = isDirectJump(decoder);
        if ((isJump || isConditionalJump(decoder)) && at + immediate >= 0) {
          pending.push(at + immediate);
        }
        if (isJump || isEnd(decoder) || opcode === 0xff && (reg === 4 || reg === 5)) break;
      }
    }
    return false;
  },
  findRun(code) {
    for (let at = 0; (at = code.indexOf(RUN[1], at + 1)) !== -1;) {
      if (RUN.every((byte, index) => code[at - 1 + index] === byte)) return at - 1 + RUN.length;
    }
    return -1;
  },
};
