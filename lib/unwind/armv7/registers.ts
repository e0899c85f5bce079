/** What ARM and Thumb code have in common: registers, and what loads and stores do to the frame. */

import type { Step } from "../control_flow.ts";
import type { FrameRegisters, FrameState } from "../instruction_frame.ts";

const FP = 7;
export const SP = 13;
export const LR = 14;
export const PC = 15;
const D0 = 256;

/** The registers of a frame. */
export const armRegisters: FrameRegisters = {
  sp: SP,
  fp: FP,
  lr: LR,
  pc: PC,
  isCalleeSaved: (n) => (n >= 4 && n <= 11 && n !== 9) || (n >= D0 + 8 && n <= D0 + 15),
};

/** Returns to the address in the link register. */
export const returnByLink4: Step = { length: 4, ends: true, returns: LR };
/** Returns to an address that it loads. */
export const return4: Step = { length: 4, ends: true, returns: PC };

/** Rotates 32 bits. */
export function rotateRight(value: number, count: number): number {
  return ((value >>> count) | (value << ((32 - count) & 31))) >>> 0;
}

/** Loads or stores a list of registers, the lowest at the lowest address. */
export function multiple(
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
    else state.loadReturn(base, offset);
    offset += 4;
  }
  if (writeback) state.add(base, base, (up ? 4 : -4) * count);
  return load && list >>> PC !== 0 ? return4 : null;
}

/** Instructions of coprocessors, floating point among them. ARM and Thumb encode them alike, except for
 * the condition. */
export function coprocessor(state: FrameState, word: number): void {
  // mrc, vmov: one register is written, or the flags; mrrc, vmov: two.
  if ((word & 0x0f100010) === 0x0e100010) state.clobber((word >>> 12) & 15);
  else if ((word & 0x0ff00000) === 0x0c500000) {
    state.clobber((word >>> 12) & 15);
    state.clobber((word >>> 16) & 15);
  } else if ((word & 0x0e000e00) === 0x0c000a00) floatingPoint(state, word);
}

/** `vpush`, `vpop` and the like. */
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

/** Loads or stores one register at an immediate offset. Returns whether it jumps. */
export function single(
  state: FrameState,
  register: number,
  base: number,
  offset: number,
  options: { load: boolean; whole: boolean; before: boolean; writeback: boolean },
): boolean {
  const { load, whole, before, writeback } = options;
  const at = before ? offset : 0;
  const jumps = load && register === PC;
  if (jumps) state.loadReturn(base, at);
  if (!jumps && whole && load) state.load(register, base, at);
  else if (whole && !load) state.store(register, base, at);
  else if (!jumps && load) state.clobber(register);
  if (writeback) state.add(base, base, offset);
  return jumps;
}

/** `movt` writes the upper half of a register. */
export function moveTop(state: FrameState, register: number, bits: number): void {
  const old = state.value(register);
  if (old.kind === "constant") {
    const value = (old.value & 0xffff) + bits * 0x10000;
    state.set(register, { kind: "constant", value });
  } else state.clobber(register);
}
