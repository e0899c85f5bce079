/** Short strings of Swift in registers: up to 15 bytes are in the two words of the string itself. Swift,
 * stdlib/public/core/StringObject.swift. */

import { titleOf } from "../images.ts";
import type { CrashReport } from "../report.ts";
import { isAtInstruction } from "./instruction.ts";

/** A string, and the registers that have its words. */
interface ShortString {
  readonly text: string;
  readonly registers: readonly [string, string];
}

/** Shorter ones may as well be other data. */
const SHORTEST = 4;

/** Bytes of a word. */
const WORD = 8;

/** Printable ASCII in the bytes of a word, the rest of which is zero; `null` for others. */
function textOf(word: bigint, length: number): string | null {
  let text = "";
  for (let at = 0; at < WORD; at++) {
    const code = Number((word >> BigInt(8 * at)) & 0xffn);
    if (at >= length ? code !== 0 : code < 0x20 || code > 0x7e) return null;
    if (at < length) text += String.fromCharCode(code);
  }
  return text;
}

/** The only string in the registers of a check that failed in Swift's own library; `null` where there is none, or there are
 * several, of which none can be chosen. */
function shortString(report: CrashReport): ShortString | null {
  const thread = report.crashedThread;
  const [top] = thread?.frames ?? [];
  if (top === undefined || titleOf(top) !== "libswiftCore.dylib" || !isAtInstruction(report)) {
    return null;
  }
  const registers = thread!.registers.filter(({ name }) => /^(?:x\d{1,2}|r\w{1,2})$/.test(name));
  let found: ShortString | null = null;
  for (const last of registers) {
    // Of the last byte the upper half tells that it is a short string of ASCII, the lower half how long it is.
    const length = Number((last.value >> 56n) & 0xfn);
    if (last.value >> 60n !== 0xen || length < SHORTEST) continue;
    const end = textOf(last.value & 0xff_ffff_ffff_ffffn, Math.max(0, length - WORD));
    if (end === null) continue;
    for (const first of registers) {
      const begin = textOf(first.value, Math.min(length, WORD));
      if (begin === null) continue;
      const text = begin + end;
      if (found !== null && found.text !== text) return null;
      found ??= { text, registers: [first.name, last.name] };
    }
  }
  return found;
}

/** Such a string in a sentence; `null` without one. */
export function shortStringWords(report: CrashReport): string | null {
  const found = shortString(report);
  return found === null
    ? null
    : `Its registers hold the Swift string "${found.text}" (${
      found.registers.join(" and ")
    }), which may be of its message.`;
}
