/** Instruction analysis for Thumb-2 code. Encodings from the "ARM Architecture Reference Manual
 * ARMv7-A and ARMv7-R edition", chapter A6. */

import type { Step } from "../control_flow.ts";
import { call4, type Code, end4, type FrameState, next4, signed } from "../instruction_frame.ts";
import {
  coprocessor,
  LR,
  moveTop,
  multiple,
  PC,
  return4,
  rotateRight,
  single,
  SP,
} from "./registers.ts";

const next2: Step = { length: 2 };
const end2: Step = { length: 2, ends: true };
const jump2: Step = { length: 2, ends: true, computed: true };
const jump4: Step = { length: 4, ends: true, computed: true };
const returnByLink2: Step = { length: 2, ends: true, returns: LR };
const return2: Step = { length: 2, ends: true, returns: PC };
const call2: Step = { length: 2, calls: true };

/** Follows Thumb code. The instructions of an IT block are executed if a condition holds. Inside
 * the block their effects count, since `pc` is most likely there because it holds; after it they
 * do not. */
export class ItBlocks {
  /** Remaining instructions of the block. */
  #left = 0;
  #before: FrameState | null = null;

  step(state: FrameState, code: Code, at: number): Step | null {
    const first = code.u16(at);
    if (first === undefined) return null;
    if ((first & 0xff00) === 0xbf00 && (first & 15) !== 0) {
      this.#left = 4 - Math.log2(first & -first & 15);
      this.#before = state.copy();
      return next2;
    }
    const step = thumbStep(state, code, at);
    if (step === null || this.#left === 0) return step;
    return this.#conditional(state, step);
  }

  #conditional(state: FrameState, step: Step): Step {
    if (--this.#left > 0 || this.#before === null) return { ...step, ends: false };
    const before = this.#before;
    this.#before = null;
    state.restore(before);
    return { ...step, ends: false };
  }
}

/** Applies an instruction as if it had no condition. */
export function thumbStep(state: FrameState, code: Code, at: number): Step | null {
  const first = code.u16(at);
  if (first === undefined) return null;
  return first >>> 11 < 29 ? narrow(state, first, at) : wide(state, first, code, at);
}

/** Distance from a load's own address, rounded down to a multiple of four, to the constant that it
 * loads; `null` for other instructions.
 *
 * @param word the instruction and what follows it
 */
export function thumbLiteral(word: number): number | null {
  if ((word & 0xf800) === 0x4800) return 4 + (word & 0xff) * 4;
  const [first, second] = [word & 0xffff, word >>> 16];
  const sign = (first & 0x80) === 0 ? -1 : 1;
  if ((first & 0xff7f) === 0xf85f) return 4 + sign * (second & 0xfff);
  if ((first & 0xff3f) === 0xed1f) return 4 + sign * (second & 0xff) * 4;
  return null;
}

function narrow(state: FrameState, half: number, at: number): Step {
  const low = half & 7;
  const middle = (half >>> 8) & 7;
  const byte = half & 0xff;
  switch (half >>> 12) {
    case 0:
      state.clobber(low);
      return next2;
    case 1:
      // adds and subs with a small operand, and shifts.
      if ((half & 0xfc00) === 0x1c00) {
        const offset = (half >>> 6) & 7;
        state.add(low, (half >>> 3) & 7, (half & 0x0200) === 0 ? offset : -offset);
      } else state.clobber(low);
      return next2;
    case 2:
      if (half & 0x0800) return next2;
      state.set(middle, { kind: "constant", value: byte });
      return next2;
    case 3:
      state.add(middle, middle, (half & 0x0800) === 0 ? byte : -byte);
      return next2;
    case 4:
      return narrowSpecial(state, half);
    case 5:
      if (((half >>> 9) & 7) >= 3) state.clobber(low);
      return next2;
    case 6:
    case 7:
    case 8: {
      const load = (half & 0x0800) !== 0;
      const whole = half >>> 12 === 6;
      single(state, low, (half >>> 3) & 7, ((half >>> 6) & 31) * 4, {
        load,
        whole,
        before: true,
        writeback: false,
      });
      return next2;
    }
    case 9:
      single(state, middle, SP, byte * 4, {
        load: (half & 0x0800) !== 0,
        whole: true,
        before: true,
        writeback: false,
      });
      return next2;
    case 10:
      if (half & 0x0800) state.add(middle, SP, byte * 4);
      else state.clobber(middle);
      return next2;
    case 11:
      return narrowMiscellaneous(state, half, at);
    case 12: {
      const load = (half & 0x0800) !== 0;
      multiple(state, middle, byte, {
        load,
        up: true,
        before: false,
        // A base register that is loaded is not written back.
        writeback: !load || (byte & (1 << middle)) === 0,
      });
      return next2;
    }
    case 13: {
      const condition = (half >>> 8) & 15;
      if (condition === 14) return end2;
      if (condition === 15) return next2;
      return { length: 2, targets: [at + 4 + signed(half, 8) * 2] };
    }
    default:
      return { length: 2, ends: true, targets: [at + 4 + signed(half, 11) * 2] };
  }
}

/** Operations on registers, and on the upper registers. */
function narrowSpecial(state: FrameState, half: number): Step {
  const rm = (half >>> 3) & 15;
  const rd = (half & 7) | ((half >>> 4) & 8);
  if (half & 0x0800) state.clobber((half >>> 8) & 7);
  else if ((half & 0x0400) === 0) {
    const operation = (half >>> 6) & 15;
    if (operation !== 8 && operation !== 10 && operation !== 11) state.clobber(half & 7);
  } else if ((half & 0x0300) === 0x0300) return half & 0x80 ? call2 : end2;
  else if ((half & 0x0300) === 0x0100) return next2;
  else if (rd === PC) return rm === LR ? returnByLink2 : jump2;
  else if ((half & 0x0300) === 0x0200) state.set(rd, state.value(rm));
  else if (rm === SP) state.addRegister(rd, SP, rd, 1);
  else state.addRegister(rd, rd, rm, 1);
  return next2;
}

function narrowMiscellaneous(state: FrameState, half: number, at: number): Step {
  if ((half & 0xff00) === 0xb000) {
    const offset = (half & 0x7f) * 4;
    state.add(SP, SP, (half & 0x80) === 0 ? offset : -offset);
  } else if ((half & 0xfe00) === 0xb400) {
    const list = (half & 0xff) | ((half & 0x0100) << 6);
    multiple(state, SP, list, { load: false, up: false, before: true, writeback: true });
  } else if ((half & 0xfe00) === 0xbc00) {
    const list = (half & 0xff) | ((half & 0x0100) << 7);
    multiple(state, SP, list, { load: true, up: true, before: false, writeback: true });
    if (half & 0x0100) return return2;
  } else if ((half & 0xf500) === 0xb100) {
    const offset = ((half >>> 3) & 0x40) | ((half >>> 2) & 0x3e);
    return { length: 2, targets: [at + 4 + offset] };
  } else if ((half & 0xff00) === 0xb200 || (half & 0xff00) === 0xba00) state.clobber(half & 7);
  return next2;
}

function wide(state: FrameState, first: number, code: Code, at: number): Step | null {
  const second = code.u16(at + 2);
  if (second === undefined) return null;
  const rn = first & 15;
  const rd = (second >>> 8) & 15;
  const rt = second >>> 12;
  if ((first & 0xec00) === 0xec00) {
    if ((first & 0x1000) === 0) coprocessor(state, first * 0x10000 + second);
    return next4;
  }
  if ((first & 0xf800) === 0xf000) {
    return second & 0x8000 ? wideBranch(first, second, at) : wideImmediate(state, first, second);
  }
  if ((first & 0xfe40) === 0xe800) {
    return multiple(state, rn, second, {
      load: (first & 0x10) !== 0,
      up: (first & 0x80) !== 0,
      before: (first & 0x100) !== 0,
      writeback: (first & 0x20) !== 0,
    }) ?? next4;
  }
  if ((first & 0xfe40) === 0xe840) {
    if ((first & 0xfff0) === 0xe8d0 && (second & 0xffe0) === 0xf000 && rn === PC) {
      return tableBranch(code, at + 4, (second & 0x10) !== 0);
    }
    return wideDual(state, first, second);
  }
  if ((first & 0xfe00) === 0xea00) return wideRegister(state, first, second);
  if ((first & 0xff00) === 0xf800) {
    const load = (first & 0x10) !== 0;
    const whole = (first & 0x60) === 0x40;
    if (rn === PC || ((first & 0x80) === 0 && (second & 0x0800) === 0)) {
      if (load && rt === PC) return jump4;
      if (load) state.clobber(rt);
      return next4;
    }
    const long = (first & 0x80) !== 0;
    const size = second & (long ? 0xfff : 0xff);
    const jumps = single(state, rt, rn, long || (second & 0x0200) ? size : -size, {
      load,
      whole,
      before: long || (second & 0x0400) !== 0,
      writeback: !long && (second & 0x0100) !== 0,
    });
    return !jumps || !whole ? next4 : rn === SP ? return4 : jump4;
  }
  if ((first & 0xfe00) === 0xf800) {
    // Sign-extending loads.
    if (first & 0x10) state.clobber(rt);
    return next4;
  }
  if ((first & 0xfe00) === 0xfa00) {
    state.clobber(rd);
    if ((first & 0xff80) === 0xfb80) state.clobber(rt);
  }
  return next4;
}

function wideBranch(first: number, second: number, at: number): Step {
  if ((second & 0x4000) !== 0) return call4;
  const sign = (first >>> 10) & 1;
  if (second & 0x1000) {
    // b.w: two bits of the offset are stored inverted when it is negative.
    const i1 = ((second >>> 13) & 1) ^ sign ^ 1;
    const i2 = ((second >>> 11) & 1) ^ sign ^ 1;
    const bits = (sign << 23) | (i1 << 22) | (i2 << 21) | ((first & 0x3ff) << 11) |
      (second & 0x7ff);
    return { length: 4, ends: true, targets: [at + 4 + signed(bits, 24) * 2] };
  }
  // Conditions that do not exist encode other instructions; udf.w ends.
  if ((first & 0x0380) === 0x0380) return (first & 0xfff0) === 0xf7f0 ? end4 : next4;
  const bits = (sign << 19) | (((second >>> 11) & 1) << 18) | (((second >>> 13) & 1) << 17) |
    ((first & 0x3f) << 11) | (second & 0x7ff);
  return { length: 4, targets: [at + 4 + signed(bits, 20) * 2] };
}

function expandImmediate(bits: number): number {
  const byte = bits & 0xff;
  switch (bits >>> 8) {
    case 0:
      return byte;
    case 1:
      return byte * 0x00010001;
    case 2:
      return byte * 0x01000100;
    case 3:
      return byte * 0x01010101;
    default:
      return rotateRight(0x80 | (bits & 0x7f), bits >>> 7);
  }
}

function wideImmediate(state: FrameState, first: number, second: number): Step {
  const rn = first & 15;
  const rd = (second >>> 8) & 15;
  const bits = ((first << 1) & 0x0800) | ((second >>> 4) & 0x0700) | (second & 0xff);
  const wide16 = (rn << 12) | bits;
  switch (first & 0xfbf0) {
    case 0xf200:
      state.add(rd, rn, bits);
      return next4;
    case 0xf2a0:
      state.add(rd, rn, -bits);
      return next4;
    case 0xf240:
      state.set(rd, { kind: "constant", value: wide16 });
      return next4;
    case 0xf2c0:
      moveTop(state, rd, wide16);
      return next4;
  }
  // Comparisons, which write no register, are encoded with the program counter as destination.
  if (rd === PC) return next4;
  const value = expandImmediate(bits);
  const operation = first & 0xfbe0;
  if (operation === 0xf100) state.add(rd, rn, value);
  else if (operation === 0xf1a0) state.add(rd, rn, -value);
  else if (operation === 0xf040 && rn === PC) state.set(rd, { kind: "constant", value });
  else if (operation === 0xf060 && rn === PC) state.set(rd, { kind: "constant", value: ~value });
  else if (rd === SP) state.lose(SP);
  else state.clobber(rd);
  return next4;
}

function wideRegister(state: FrameState, first: number, second: number): Step {
  const [rn, rd, rm] = [first & 15, (second >>> 8) & 15, second & 15];
  if (rd === PC) return next4;
  const plain = (second & 0x70f0) === 0;
  const operation = first & 0xffe0;
  if (plain && operation === 0xea40 && rn === PC) state.set(rd, state.value(rm));
  else if (plain && operation === 0xeb00) state.addRegister(rd, rn, rm, 1);
  else if (plain && operation === 0xeba0) state.addRegister(rd, rn, rm, -1);
  else if (rd === SP) state.lose(SP);
  else state.clobber(rd);
  return next4;
}

function wideDual(state: FrameState, first: number, second: number): Step {
  const [rn, rt, rt2] = [first & 15, second >>> 12, (second >>> 8) & 15];
  const load = (first & 0x10) !== 0;
  const [before, writeback] = [(first & 0x100) !== 0, (first & 0x20) !== 0];
  if (!before && !writeback) {
    // Exclusive loads and stores; stores write whether they did.
    const isWord = (first & 0xff80) === 0xe800;
    if (load) {
      state.clobber(rt);
      if (!isWord) state.clobber(rt2);
    } else state.clobber(isWord ? rt2 : second & 15);
    return next4;
  }
  const offset = (second & 0xff) * ((first & 0x80) === 0 ? -4 : 4);
  const at = before ? offset : 0;
  if (load) {
    state.load(rt, rn, at);
    state.load(rt2, rn, at + 4);
  } else {
    state.store(rt, rn, at);
    state.store(rt2, rn, at + 4);
  }
  if (writeback) state.add(rn, rn, offset);
  return next4;
}

/** `tbb` and `tbh`: a table of distances follows, which ends at the latest at the nearest target.
 */
function tableBranch(code: Code, table: number, halves: boolean): Step | null {
  const size = halves ? 2 : 1;
  const targets: number[] = [];
  let limit = Infinity;
  let at = table;
  for (; at < limit; at += size) {
    const half = code.u16(at & ~1);
    if (half === undefined) break;
    const entry = halves ? half : (half >>> (at & 1 ? 8 : 0)) & 0xff;
    // A distance into the table itself is padding.
    if (entry * 2 < at - table) break;
    targets.push(table + entry * 2);
    limit = Math.min(limit, table + entry * 2);
  }
  const end = Math.min(limit, (at + 1) & ~1);
  return { length: end - table + 4, targets, ends: true };
}
