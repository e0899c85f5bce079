/** The exception index of ELF images for ARM: `.ARM.exidx` and `.ARM.extab`. Formats: Arm's "Exception Handling
 * ABI for the Arm Architecture" (EHABI32), sections 6 (the index table), 7 (its entries) and 10.3 (the
 * instructions for the virtual stack pointer). */

import type { RegisterRule, UnwindRow } from "../../dwarf/mod.ts";
import type { FunctionRows } from "../instruction_set.ts";
import { LR, PC, SP } from "./registers.ts";

/** Reads bytes at an offset from the image's load address; `null`, or fewer, where it cannot read all. */
type ReadImage = (offset: number, length: number) => Uint8Array | null;

/** Bytes of an entry: where a function begins, and how it is unwound or where that is said. */
const ENTRY = 8;
/** `EXIDX_CANTUNWIND`. It says that no exception leaves the function, and nothing of its frame. */
const CANT_UNWIND = 1;

/** Opens the contents of `.ARM.exidx`.
 *
 * @param start the section's offset from the image's load address
 */
export function openExceptionIndex(
  bytes: Uint8Array,
  start: number,
  read: ReadImage,
): FunctionRows {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = Math.floor(bytes.length / ENTRY);
  /** The place that a word of the section points to: 31 bits, relative to the word. */
  const target = (at: number) => start + at + pointer31(view.getUint32(at, true));
  return {
    rowAt(offset) {
      let [low, high] = [0, count];
      while (low < high) {
        const middle = (low + high) >>> 1;
        // The lowest bit of a function's address says that it is Thumb code.
        if ((target(middle * ENTRY) & ~1) <= offset) low = middle + 1;
        else high = middle;
      }
      if (low === 0) return null;
      const at = (low - 1) * ENTRY + 4;
      const word = view.getUint32(at, true);
      if (word === CANT_UNWIND) return null;
      const inline = word >>> 24 === 0x80 ? bytesOf([word]).subarray(1) : null;
      const instructions = word >>> 31 === 1 ? inline : instructionsAt(target(at), read);
      return instructions && rowOf(instructions);
    },
  };
}

function pointer31(word: number): number {
  return (word << 1) >> 1;
}

/** The bytes of words, each from its most significant byte. */
function bytesOf(words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [index, word] of words.entries()) view.setUint32(index * 4, word);
  return bytes;
}

/** The instructions of an entry of `.ARM.extab`; `null` when it has none that are known. */
function instructionsAt(offset: number, read: ReadImage): Uint8Array | null {
  const words = (at: number, count: number): number[] | null => {
    const bytes = read(at, count * 4);
    if (bytes === null || bytes.length < count * 4) return null;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return Array.from({ length: count }, (_, index) => view.getUint32(index * 4, true));
  };
  let at = offset;
  let first = words(at, 1);
  // A personality routine of a language: a word with a count follows, as the GNU ones have it.
  const isGeneric = first !== null && first[0] >>> 31 === 0;
  if (isGeneric) first = words(at += 4, 1);
  if (first === null) return null;
  const personality = isGeneric ? null : (first[0] >>> 24) & 0xf;
  if (personality !== null && personality > 2) return null;
  const count = isGeneric ? first[0] >>> 24 : personality === 0 ? 0 : (first[0] >>> 16) & 0xff;
  const more = words(at + 4, count);
  return more && bytesOf([...first, ...more]).subarray(isGeneric || personality === 0 ? 1 : 2);
}

/** The row that instructions describe; `null` when they refuse or make no sense. They hold at a call. */
function rowOf(instructions: Uint8Array): UnwindRow | null {
  let base = SP;
  /** Of the virtual stack pointer, from the base. */
  let offset = 0;
  const saved = new Map<number, number>();
  /** Pops the registers of a mask whose lowest bit is `first`. */
  const pop = (mask: number, first: number) => {
    for (let bit = 0; mask >>> bit !== 0; bit++) {
      if (((mask >>> bit) & 1) === 0) continue;
      saved.set(first + bit, offset);
      offset += 4;
    }
  };
  let at = 0;
  const next = () => instructions[at++] ?? -1;
  while (at < instructions.length) {
    const byte = next();
    if (byte === 0xb0) break;
    if (byte < 0x40) offset += ((byte & 0x3f) << 2) + 4;
    else if (byte < 0x80) offset -= ((byte & 0x3f) << 2) + 4;
    else if (byte < 0x90) {
      const mask = ((byte & 0xf) << 8) | next();
      // With an empty mask: refuse to unwind.
      if (mask <= 0 || ((mask << 4) >>> SP & 1) === 1) return null;
      pop(mask, 4);
    } else if (byte < 0xa0) {
      const register = byte & 0xf;
      // What was popped before is found from the other base.
      if (register === SP || register === PC || saved.size > 0) return null;
      [base, offset] = [register, 0];
    } else if (byte < 0xb0) {
      pop((2 << (byte & 7)) - 1, 4);
      if ((byte & 8) !== 0) pop(1, LR);
    } else if (byte === 0xb1) {
      const mask = next();
      if (mask <= 0 || mask > 0xf) return null;
      pop(mask, 0);
    } else if (byte === 0xb2) {
      let [value, shift, more] = [0, 0, 0x80];
      for (; (more & 0x80) !== 0; shift += 7) {
        more = next();
        if (more < 0 || shift > 21) return null;
        value |= (more & 0x7f) << shift;
      }
      offset += 0x204 + (value << 2);
    } else {
      const size = floatingPoint(byte, next);
      if (size === null) return null;
      offset += size;
    }
  }
  const registers = new Map<number, RegisterRule>();
  for (const [register, place] of saved) {
    registers.set(register, { kind: "offset", offset: place - offset });
  }
  const returnsBy = registers.get(PC);
  registers.delete(PC);
  if (returnsBy !== undefined) registers.set(LR, returnsBy);
  return {
    cfa: { kind: "register", register: base, offset },
    registers,
    returnAddress: LR,
    signalFrame: false,
  };
}

/** The bytes that an instruction pops registers of, which a walk does not need; `null` for one that is spare. */
function floatingPoint(byte: number, next: () => number): number | null {
  const pairs = (operand: number) => operand < 0 ? null : ((operand & 0xf) + 1) * 8;
  // FSTMFDX stores one word more.
  const extended = (size: number | null) => size === null ? null : size + 4;
  if (byte === 0xb3) return extended(pairs(next()));
  // The return address authentication code.
  if (byte === 0xb4) return 4;
  if (byte >= 0xb8 && byte <= 0xbf) return extended(pairs(byte & 7));
  if (byte === 0xc8 || byte === 0xc9 || byte === 0xc6) return pairs(next());
  if (byte >= 0xc0 && byte <= 0xc5 || byte >= 0xd0 && byte <= 0xd7) return pairs(byte & 7);
  if (byte !== 0xc7) return null;
  const mask = next();
  if (mask <= 0 || mask > 0xf) return null;
  return [1, 2, 4, 8].filter((bit) => (mask & bit) !== 0).length * 4;
}
