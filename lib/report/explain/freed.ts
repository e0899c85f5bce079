/** What malloc leaves in blocks that were freed, in the registers of a crash: an address that comes of it proves that the
 * memory was freed. */

import { archs } from "../../arch/mod.ts";
import { faultAddress, register } from "../fault.ts";
import { titleOf } from "../images.ts";
import type { CrashReport } from "../report.ts";
import { faultingThread } from "./instruction.ts";
import { innermost } from "./stack.ts";

/** The bits of an object's first word that are its class: objc4, runtime/isa.h: ISA_MASK of x86-64, of arm64, of arm64
 * with pointer authentication, and of the simulator on arm64. */
const classMasks = [
  0x0000_7fff_ffff_fff8n,
  0x0000_000f_ffff_fff8n,
  0x0000_0001_ffff_fff8n,
  0x007f_ffff_ffff_fff8n,
  0xffff_ffff_ffff_ffffn,
] as const;

/** Members of a class that sending a message reads are below this, and most members of small structures. */
const NEAR = 0x40n;

/** The mark of a freed block of the nano zone, 0xbaddc0dedeadbead, whose middle 32 bits are mixed with a cookie: libmalloc-116
 * (macOS 10.12, iOS 10), src/nano_malloc.c. */
const isNano = (word: bigint): boolean => word >> 48n === 0xbaddn && (word & 0xffffn) === 0xbeadn;

/** Functions that read the class of an object which they are passed, and registers in which they may hold it: others are
 * their callers'. objc4, runtime/Messengers.subproj. */
const readsClass = /^objc_(?:msgSend(?!Super)|retain|release|autorelease)\b/;
const scratch = /^(?:x(?:[89]|1[0-7])|r(?:ax|cx|10|11))$/;

/** The word that an empty string of Swift has in place of an object: Swift, stdlib/public/core/StringObject.swift. */
const EMPTY_STRING = 0xe000_0000_0000_0000n;

/** What the last block of malloc's list of free blocks begins with. */
const freeLink =
  "what malloc leaves at the beginning of a freed block at the end of its list: no address, and four bits of a check";

/** What an access used that was in a freed block. */
export interface FreedWord {
  readonly register: string;
  readonly value: bigint;
  /** What it is, as the object of "is". */
  readonly what: string;
  /** Whether nothing else leaves it, as far as is known. */
  readonly isSure: boolean;
}

/** The word of a freed block that an access went by; `null` where no register has one that the address comes of. */
export function freedWord(report: CrashReport): FreedWord | null {
  const { arch } = report;
  const thread = faultingThread(report);
  const address = faultAddress(report);
  if (thread === null || address === null) return null;
  const top = innermost(thread);
  const isRuntime = top !== undefined && titleOf(top) === "libobjc.A.dylib";
  const isNarrow = arch !== null && archs[arch].pointerSize === 4;
  const leads = (word: bigint): boolean =>
    classMasks.some((mask) => {
      const pointer = word & mask;
      return pointer !== 0n && address >= pointer && address - pointer < NEAR;
    });
  for (const { name, value } of thread.registers) {
    if (/^(?:pc|sp|fp|lr|rip|rsp|rbp|cpsr|esr|far|cr2|rfl|rflags)$/.test(name)) continue;
    if (isNano(value) && leads(value)) {
      const what = "malloc's mark of a freed block of its nano zone";
      return { register: name, value, what, isSure: true };
    }
    if (value === 0x5555_5555_5555_5555n && leads(value)) {
      const what = "what malloc writes over freed memory (MallocScribble)";
      return { register: name, value, what, isSure: true };
    }
    // The null link of a list of free blocks, with its check in the upper four bits: libmalloc, src/magazine_inline.h:
    // free_list_checksum_ptr. Without those bits it is null as a class. 0x8000000000000000 is a mask of tagged pointers.
    if (
      isRuntime && !isNarrow && value >= 1n << 60n && (value & ((1n << 60n) - 1n)) === 0n &&
      value !== 1n << 63n && value !== EMPTY_STRING && scratch.test(name) && address > 0n &&
      address < NEAR && readsClass.test(top.symbol ?? "")
    ) {
      return { register: name, value, what: freeLink, isSure: false };
    }
    if (
      isRuntime && isNarrow && value >= 1n << 28n && (value & 0xfff_ffffn) === 0n &&
      address > value && address - value < NEAR && register(thread, "r0") !== null
    ) {
      return {
        register: name,
        value,
        what: freeLink,
        isSure: false,
      };
    }
  }
  return null;
}
