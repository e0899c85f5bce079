/** Instruction analysis for 32-bit ARM, in both of its instruction sets. Encodings from the "ARM
 * Architecture Reference Manual ARMv7-A and ARMv7-R edition", chapters A5, A6 and A7. */

import type { AssemblyInput, AssemblyRow } from "./assembly.ts";
import {
  type Code,
  followInstructions,
  type FrameRegisters,
  type FrameState,
  type Step,
} from "./assembly_frame.ts";

const FP = 7;
const SP = 13;
const LR = 14;
const PC = 15;
const D0 = 256;

const registers: FrameRegisters = {
  sp: SP,
  fp: FP,
  lr: LR,
  isCalleeSaved: (n) => (n >= 4 && n <= 11 && n !== 9) || (n >= D0 + 8 && n <= D0 + 15),
};

/** Reads a function's instructions up to `pc`, in the set that `thumb` tells. */
export function unwindArm(input: AssemblyInput): AssemblyRow | null {
  if (!input.thumb) return followInstructions(input, registers, armStep);
  const blocks = new ItBlocks();
  return followInstructions(
    input,
    registers,
    (state, code, at) => blocks.step(state, code, at),
  );
}

function signed(value: number, bits: number): number {
  return (value << (32 - bits)) >> (32 - bits);
}

function rotateRight(value: number, count: number): number {
  return ((value >>> count) | (value << ((32 - count) & 31))) >>> 0;
}

const next2: Step = { length: 2 };
const next4: Step = { length: 4 };
const end2: Step = { length: 2, ends: true };
const end4: Step = { length: 4, ends: true };
const call2: Step = { length: 2, calls: true };
const call4: Step = { length: 4, calls: true };

/** Loads or stores the registers of a list, the lowest at the lowest address. */
function multiple(
  state: FrameState,
  base: number,
  list: number,
  options: { load: boolean; up: boolean; before: boolean; writeback: boolean },
): Step | null {
  let count = 0;
  for (let n = 0; n < 16; n++) count += (list >>> n) & 1;
  const { load, up, before, writeback } = options;
  let offset = up ? 0 : -4 * count;
  if (before === up) offset += 4;
  for (let n = 0; n < 16; n++) {
    if (((list >>> n) & 1) === 0) continue;
    if (!load) state.store(n, base, offset);
    else if (n !== PC) state.load(n, base, offset);
    offset += 4;
  }
  if (writeback) state.add(base, base, (up ? 4 : -4) * count);
  return load && list >>> PC !== 0 ? end4 : null;
}

/** `vpush`, `vpop` and their like: encoded alike in both sets but for the condition. */
function floatingPoint(state: FrameState, word: number): void {
  const load = (word & 0x00100000) !== 0;
  const base = (word >>> 16) & 15;
  const double = (word & 0x0f00) === 0x0b00;
  const up = (word & 0x00800000) !== 0;
  const bytes = (word & 0xff) * 4;
  const first = D0 + ((word >>> 12) & 15) + ((word >>> 18) & 16);
  const one = (word & 0x01200000) === 0x01000000;
  if ((word & 0x01a00000) === 0) return;
  const start = up ? (one ? bytes : 0) : -bytes;
  const count = double ? (one ? 1 : bytes >>> 3) : 0;
  for (let n = 0; n < count; n++) {
    if (load) state.load(first + n, base, start + 8 * n);
    else state.store(first + n, base, start + 8 * n);
  }
  if (!one && (word & 0x00200000) !== 0) state.add(base, base, up ? bytes : -bytes);
}

/** One register loaded or stored at an immediate offset. */
function single(
  state: FrameState,
  register: number,
  base: number,
  offset: number,
  options: { load: boolean; whole: boolean; before: boolean; writeback: boolean },
): boolean {
  const { load, whole, before, writeback } = options;
  const at = before ? offset : 0;
  const jumps = load && register === PC;
  if (!jumps && whole && load) state.load(register, base, at);
  else if (whole && !load) state.store(register, base, at);
  else if (!jumps && load) state.clobber(register);
  if (writeback) state.add(base, base, offset);
  return jumps;
}

// ARM

function armStep(state: FrameState, code: Code, at: number): Step | null {
  const word = code.u32(at);
  if (word === undefined) return null;
  const condition = word >>> 28;
  // Without a condition only blx concerns the stack.
  if (condition === 15) return (word & 0x0e000000) === 0x0a000000 ? call4 : next4;
  if ((word & 0x0e000000) === 0x0a000000) {
    if (word & 0x01000000) return call4;
    const targets = [at + 8 + signed(word, 24) * 4];
    return { length: 4, targets, ends: condition === 14 };
  }
  // Where a condition holds that the flow depends on, the function ends.
  if (condition !== 14) return (word & 0x0ffffff0) === 0x012fff30 ? call4 : next4;
  switch ((word >>> 25) & 7) {
    case 0:
    case 1:
      return armData(state, word);
    case 2:
    case 3:
      return armLoadStore(state, word);
    case 4:
      return multiple(state, (word >>> 16) & 15, word & 0xffff, {
        load: (word & 0x00100000) !== 0,
        up: (word & 0x00800000) !== 0,
        before: (word & 0x01000000) !== 0,
        writeback: (word & 0x00200000) !== 0,
      }) ?? next4;
    case 6:
      if ((word & 0x0e00) === 0x0a00) floatingPoint(state, word);
      return next4;
    default:
      return next4;
  }
}

function armData(state: FrameState, word: number): Step {
  const immediate = (word & 0x02000000) !== 0;
  const rn = (word >>> 16) & 15;
  const rd = (word >>> 12) & 15;
  const rm = word & 15;
  if ((word & 0x0ffffff0) === 0x012fff10) return end4;
  if ((word & 0x0ffffff0) === 0x012fff30) return call4;
  const high = word & 0x0ff00000;
  if (high === 0x03000000) {
    state.set(rd, { kind: "constant", value: ((word >>> 4) & 0xf000) | (word & 0xfff) });
    return next4;
  }
  if (high === 0x03400000) {
    moveTop(state, rd, ((word >>> 4) & 0xf000) | (word & 0xfff));
    return next4;
  }
  if (!immediate && (word & 0x90) === 0x90) {
    // Multiplications write where others read; the rest loads and stores halves and pairs.
    if ((word & 0x0f000060) === 0) {
      state.clobber(rn);
      if (word & 0x00800000) state.clobber(rd);
    } else if (word & 0x00100000) state.clobber(rd);
    else if ((word & 0xf0) === 0xd0) {
      state.clobber(rd);
      state.clobber(rd + 1);
    }
    return next4;
  }
  const operation = (word >>> 21) & 15;
  // Comparisons, and with no flags set by them, moves to and from status registers.
  if (operation >= 8 && operation < 12) return next4;
  if (rd === PC) return end4;
  const value = immediate ? rotateRight(word & 0xff, ((word >>> 8) & 15) * 2) : 0;
  // A register that is shifted gives no value that is followed.
  const plain = immediate || (word & 0xff0) === 0;
  if (operation === 4 && immediate) state.add(rd, rn, value);
  else if (operation === 2 && immediate) state.add(rd, rn, -value);
  else if (operation === 13 && immediate) state.set(rd, { kind: "constant", value });
  else if (operation === 15 && immediate) state.set(rd, { kind: "constant", value: ~value });
  else if (operation === 13 && plain) state.set(rd, state.value(rm));
  else if (operation === 4 && plain) state.addRegister(rd, rn, rm, 1);
  else if (operation === 2 && plain) state.addRegister(rd, rn, rm, -1);
  else if (rd === SP) state.lose(SP);
  else state.clobber(rd);
  return next4;
}

function armLoadStore(state: FrameState, word: number): Step {
  const rd = (word >>> 12) & 15;
  const load = (word & 0x00100000) !== 0;
  const before = (word & 0x01000000) !== 0;
  if (word & 0x02000000) {
    if ((word & 0xfff000f0) >>> 0 === 0xe7f000f0) return end4;
    if (word & 0x10) {
      // bfc aligns the stack pointer.
      if (rd === SP) state.lose(SP);
      else state.clobber(rd);
      state.clobber((word >>> 16) & 15);
    } else if (load && rd === PC) return end4;
    else if (load) state.clobber(rd);
    return next4;
  }
  const offset = (word & 0xfff) * ((word & 0x00800000) === 0 ? -1 : 1);
  const jumps = single(state, rd, (word >>> 16) & 15, offset, {
    load,
    whole: (word & 0x00400000) === 0,
    before,
    writeback: !before || (word & 0x00200000) !== 0,
  });
  return jumps ? end4 : next4;
}

function moveTop(state: FrameState, register: number, bits: number): void {
  const old = state.value(register);
  if (old.kind === "constant") {
    const value = (old.value & 0xffff) + bits * 0x10000;
    state.set(register, { kind: "constant", value });
  } else state.clobber(register);
}

// Thumb

/** Follows Thumb code. An IT block's instructions are executed if a condition holds: inside the
 * block they count, for `pc` is most likely there because it does; after it they do not. */
class ItBlocks {
  /** Instructions of the block that are left. */
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
    const step = first >>> 11 < 29 ? narrow(state, first, at) : wide(state, first, code, at);
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
        // A base that is loaded stays as it is loaded.
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

/** Register operations, and those that reach the upper registers. */
function narrowSpecial(state: FrameState, half: number): Step {
  const rm = (half >>> 3) & 15;
  const rd = (half & 7) | ((half >>> 4) & 8);
  if (half & 0x0800) state.clobber((half >>> 8) & 7);
  else if ((half & 0x0400) === 0) {
    const operation = (half >>> 6) & 15;
    if (operation !== 8 && operation !== 10 && operation !== 11) state.clobber(half & 7);
  } else if ((half & 0x0300) === 0x0300) return half & 0x80 ? call2 : end2;
  else if ((half & 0x0300) === 0x0100) return next2;
  else if (rd === PC) return end2;
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
    if (half & 0x0100) return end2;
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
    const word = first * 0x10000 + second;
    if ((word & 0xfe000e00) >>> 0 === 0xec000a00) floatingPoint(state, word);
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
      if (load && rt === PC) return end4;
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
    return jumps && whole ? end4 : next4;
  }
  if ((first & 0xfe00) === 0xf800) {
    // Loads that extend a sign.
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
  // The conditions that do not exist are other instructions; udf.w ends.
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
  // Comparisons write to no register, which is written as writing to the program counter.
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
    // Exclusive loads and stores.
    if (load) state.clobber(rt);
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

/** `tbb` and `tbh`: a table of distances follows, which ends at the latest where the nearest of
 * them leads. */
function tableBranch(code: Code, table: number, halves: boolean): Step | null {
  const size = halves ? 2 : 1;
  const targets: number[] = [];
  let limit = Infinity;
  let at = table;
  for (; at < limit; at += size) {
    const half = code.u16(at & ~1);
    if (half === undefined) break;
    const entry = halves ? half : (half >>> (at & 1 ? 8 : 0)) & 0xff;
    // Padding, where it is not the distance of anything.
    if (entry * 2 < at - table) break;
    targets.push(table + entry * 2);
    limit = Math.min(limit, table + entry * 2);
  }
  const end = Math.min(limit, (at + 1) & ~1);
  return { length: end - table + 4, targets, ends: true };
}
