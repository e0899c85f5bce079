/** Jump tables of 64-bit ARM, as LLVM writes them:
 *
 *     cmp w8, #count - 1; b.hi default
 *     adrp x9, table@PAGE; add x9, x9, table@PAGEOFF
 *     adr x10, base; ldrb w11, [x9, x8]; add x10, x10, x11, lsl #2; br x10
 *
 * with `ldrh w11, [x9, x8, lsl #1]` for a larger function, or
 *
 *     ldrsw x10, [x9, x8, lsl #2]; add x9, x9, x10; br x9
 */

import type { FunctionCode } from "../instruction_set.ts";

/** Maximum number of entries. */
const MAX_ENTRIES = 1024;

/** A value that leads to a jump. Addresses are offsets from the function's start. */
type Value =
  | { readonly kind: "address"; readonly at: number }
  | { readonly kind: "entry"; readonly table: number; readonly size: 1 | 2 | 4 }
  | {
    readonly kind: "target";
    readonly table: number;
    readonly size: 1 | 2 | 4;
    readonly base: number;
    readonly shift: number;
  };

/** Finds the targets of jump tables in a run of instructions. */
export class JumpTables {
  readonly #input: FunctionCode;
  readonly #values = new Map<number, Value>();
  /** The constant of the last comparison. */
  #compared: number | null = null;
  #count = MAX_ENTRIES;

  constructor(input: FunctionCode) {
    this.#input = input;
  }

  /** Takes note of an instruction. */
  note(word: number, at: number): void {
    const rd = word & 31;
    const rn = (word >>> 5) & 31;
    const rm = (word >>> 16) & 31;
    // cmp with a constant; b.hi and b.hs
    if ((word & 0x7fc0001f) === 0x7100001f) {
      this.#compared = (word >>> 10) & 0xfff;
      return;
    }
    if ((word & 0xff000010) >>> 0 === 0x54000000) {
      const condition = word & 15;
      if (this.#compared !== null && (condition === 8 || condition === 2)) {
        this.#count = this.#compared + (condition === 8 ? 1 : 0);
        this.#compared = null;
      }
      return;
    }
    // Stores and branches write no register that matters here.
    const value = this.#valueOf(word, at, rn, rm);
    if (value !== undefined) this.#values.set(rd, value);
    else this.#values.delete(rd);
  }

  #valueOf(word: number, at: number, rn: number, rm: number): Value | undefined {
    if ((word & 0x1f000000) === 0x10000000) {
      const immediate = ((word << 8) >> 13 << 2) | ((word >>> 29) & 3);
      if (word >>> 31 === 0) return { kind: "address", at: at + immediate };
      const low = Number(this.#input.functionStart & 0xfffn);
      return { kind: "address", at: at - ((low + at) & 0xfff) + immediate * 0x1000 };
    }
    const base = this.#values.get(rn);
    if ((word & 0xffc00000) >>> 0 === 0x91000000) {
      return base?.kind === "address"
        ? { kind: "address", at: base.at + ((word >>> 10) & 0xfff) }
        : undefined;
    }
    const load = word & 0xffe00c00;
    if (base?.kind === "address") {
      const size = load === (0xb8a00800 | 0) ? 4 : load === 0x78600800 ? 2 : 1;
      if (size > 1 || load === 0x38600800) return { kind: "entry", table: base.at, size };
    }
    if ((word & 0xffe00000) >>> 0 !== 0x8b000000) return undefined;
    const other = this.#values.get(rm);
    const shift = (word >>> 10) & 63;
    if (base?.kind === "address" && other?.kind === "entry") {
      const { table, size } = other;
      return { kind: "target", table, size, base: base.at, shift };
    }
    if (base?.kind === "entry" && other?.kind === "address" && shift === 0) {
      return { kind: "target", table: base.table, size: base.size, base: other.at, shift };
    }
    return undefined;
  }

  /** Whether code at an offset is not the continuation of other code. Where the size of a table is
   * not known, more than the table is read. */
  #beginsBlock(at: number): boolean {
    const bytes = this.#input.readCode(this.#input.functionStart + BigInt(at - 4), 4);
    if (bytes === null || bytes.length < 4) return false;
    const word = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
    // b and bl, which may not return; br and ret; brk.
    return (word & 0x7c000000) === 0x14000000 || (word & 0xfe000000) >>> 0 === 0xd6000000 ||
      (word & 0xffe0001f) >>> 0 === 0xd4200000;
  }

  /** Where `br` with a register leads to; `undefined` when that is not a jump table, or it cannot
   * be read. */
  targets(register: number): number[] | undefined {
    const value = this.#values.get(register);
    const { functionStart, functionEnd, readCode } = this.#input;
    if (value?.kind !== "target" || functionEnd === null) return undefined;
    const { table, size, base, shift } = value;
    const end = Number(functionEnd - functionStart);
    const found = new Set<number>();
    // More than the table may be wanted, and not be there.
    for (let count = Math.min(this.#count, MAX_ENTRIES); count > 0; count >>= 1) {
      const bytes = readCode(functionStart + BigInt(table), count * size);
      if (bytes === null || bytes.length < size) continue;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let at = 0; at + size <= bytes.length; at += size) {
        const entry = size === 4
          ? view.getInt32(at, true)
          : size === 2
          ? view.getUint16(at, true)
          : bytes[at];
        const target = base + entry * 2 ** shift;
        if (target <= 0 || target >= end || target % 4 !== 0) break;
        if (this.#count < MAX_ENTRIES || this.#beginsBlock(target)) found.add(target);
      }
      break;
    }
    return found.size === 0 ? undefined : [...found];
  }
}
