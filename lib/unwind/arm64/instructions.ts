/** Instruction analysis for 64-bit ARM. Encodings from the "Arm Architecture Reference Manual for
 * A-profile architecture", chapter C4. */

import type { Step } from "../control_flow.ts";
import {
  type ApplyStep,
  call4,
  type Code,
  end4,
  entryAfter,
  entryOf,
  followInstructions,
  followOverwritten,
  type FrameRegisters,
  FrameState,
  next4,
  signed,
} from "../instruction_frame.ts";
import type { FunctionCode, InstructionRow, ReadCode } from "../instruction_set.ts";
import { JumpTables } from "./jump_tables.ts";

const FP = 29;
const LR = 30;
const PC = 32;
/** In most instructions this number is the zero register. */
const SP = 31;
const V0 = 64;
const NOP = 0xd503201f;
const RET = 0xd65f03c0;
/** What GraalVM fills the space between functions with: no instruction. */
const FILLER = 0xcccccccc;
/** What Swift's async functions do not preserve, of the callee-saved registers:
 * `CSR_AArch64_AAPCS_SwiftTail` of LLVM's `AArch64CallingConvention.td`. They keep the context in their
 * frame, and change it there. */
const NOT_BY_ASYNC: readonly number[] = [20, 22];
/** Where `runtime.morestack` gets the return address. */
const GO_LINK = 3;

const registers: FrameRegisters = {
  sp: SP,
  fp: FP,
  lr: LR,
  pc: PC,
  isCalleeSaved: (n) => (n >= 19 && n <= FP) || (n >= V0 + 8 && n <= V0 + 15),
};

/** Reads an arm64 function's instructions up to `pc`. */
export function analyze(code: FunctionCode): InstructionRow | null {
  const begin = stepper(code);
  const { jumpedFrom } = code;
  const entry = jumpedFrom === undefined
    ? entryOf(code, registers, begin)
    : entryAfter(jumpedFrom, registers, stepper(jumpedFrom));
  return entry && followInstructions(code, begin, entry, settle);
}

/** At a return the stack pointer is the caller's, also where it was moved by the number of arguments that
 * were passed, as V8's functions do. */
function settle(state: FrameState, code: Code, at: number): void {
  if (code.u32(at) === RET && state.value(SP).kind !== "cfa") {
    state.restore(FrameState.entry(registers));
  }
}

/** See {@linkcode InstructionSet.overwritten}. */
export function overwritten(code: FunctionCode): ReadonlySet<number> {
  const begin = stepper(code);
  return followOverwritten(code, begin, entryOf(code, registers, begin));
}

/** Makes what applies a run of a function's instructions. */
function stepper(code: FunctionCode): () => ApplyStep {
  return () => {
    const tables = new JumpTables(code);
    return (state, code, at) => step(state, code, at, tables);
  };
}

/** Classes that affect the stack come first. The others count only for the register they write. */
function step(state: FrameState, code: Code, at: number, tables: JumpTables): Step | null {
  const word = code.u32(at);
  if (word === undefined) return null;
  const targets = isJump(word) ? tables.targets((word >>> 5) & 31) : undefined;
  if (targets !== undefined) return { length: 4, ends: true, targets };
  tables.note(word, at);
  const branch = branchStep(word, at);
  if (branch !== null) {
    return branch.calls && growsStack(state, code, at) ? { ...branch, restoresLink: true } : branch;
  }
  const rd = word & 31;
  const rn = (word >>> 5) & 31;
  if ((word & 0x3a000000) === 0x28000000) pair(state, word);
  else if ((word & 0x3b000000) === 0x39000000) {
    single(state, word, ((word >>> 10) & 0xfff) * scale(word), "offset");
  } else if ((word & 0x3b200000) === 0x38000000) {
    const mode = (["offset", "post", "offset", "pre"] as const)[(word >>> 10) & 3];
    single(state, word, signed(word >>> 12, 9), mode);
  } else if ((word & 0x3a000000) === 0x38000000 || (word & 0x3b000000) === 0x18000000) {
    // Register offsets and literals: these save and restore no register.
    if (isLoad(word) && rd !== SP) state.clobber(rd);
  } else if ((word & 0xbfa00000) >>> 0 === 0x0c800000) structures(state, word);
  else if ((word & 0xff800000) >>> 0 === 0x91000000) immediate(state, word, 1);
  else if ((word & 0xff800000) >>> 0 === 0xd1000000) immediate(state, word, -1);
  else if ((word & 0xffe0e000) >>> 0 === 0x8b206000) extended(state, word, 1);
  else if ((word & 0xffe0e000) >>> 0 === 0xcb206000) extended(state, word, -1);
  else if ((word & 0xffe0ffff) >>> 0 === 0xaa0003bd) {
    // `orr x29, x29, xN`: the mark of a Swift async function, from
    // `swift_async_extendedFramePointerFlags`, which is 0 on systems that do not know it (LLVM's
    // `AArch64FrameLowering.cpp`).
    state.losePreserved(NOT_BY_ASYNC);
  } else if ((word & 0xffe0ffe0) >>> 0 === 0xaa0003e0) move(state, rd, (word >>> 16) & 31);
  else if ((word & 0x1f800000) === 0x12800000) moveWide(state, word);
  else if ((word & 0xff800000) >>> 0 === 0x92000000 && rd === SP) state.lose(SP);
  else if ((word & 0x1f800000) === 0x12000000 && rd === FP && rn === FP) {
    // `orr` and `and` of bit 60: the mark of a Swift async function.
    if (word >>> 0 === 0xb24403bd) state.losePreserved(NOT_BY_ASYNC);
  } else if ((word & 0x1c000000) === 0x10000000 || (word & 0x0e000000) === 0x0a000000) {
    if (rd !== SP) state.clobber(rd);
  }
  return next4;
}

/** Whether a call is that of Go's `runtime.morestack`, which gets the return address in x3, and goes
 * on on a larger stack with it in the link register (`asm_arm64.s` of Go's runtime). Outlined parts,
 * to which it may be given too, leave it there. */
function growsStack(state: FrameState, code: Code, at: number): boolean {
  return state.hasReturnAddress(GO_LINK) && code.u32(at + 4) !== 0xaa0303fe;
}

/** `br` */
function isJump(word: number): boolean {
  return (word & 0xfffffc1f) >>> 0 === 0xd61f0000;
}

function branchStep(word: number, at: number): Step | null {
  if ((word & 0x7c000000) === 0x14000000) {
    const target = at + signed(word, 26) * 4;
    if (word >>> 31) return { length: 4, calls: true, callee: target };
    return { length: 4, ends: true, targets: [target] };
  }
  if ((word & 0xff000000) >>> 0 === 0x54000000 || (word & 0x7e000000) === 0x34000000) {
    return { length: 4, targets: [at + signed(word >>> 5, 19) * 4] };
  }
  if ((word & 0x7e000000) === 0x36000000) {
    return { length: 4, targets: [at + signed(word >>> 5, 14) * 4] };
  }
  if ((word & 0xfe000000) >>> 0 === 0xd6000000) {
    // blr, blraa and the like; ret, retaa, whose register is the zero register. The others jump.
    const operation = (word >>> 21) & 7;
    if (operation === 1) return call4;
    if (operation === 2) {
      const register = (word >>> 5) & 31;
      return { length: 4, ends: true, returns: register === SP ? LR : register };
    }
    return isJump(word) ? { length: 4, ends: true, computed: true } : end4;
  }
  // brk and udf.
  if ((word & 0xffe0001f) >>> 0 === 0xd4200000 || word >>> 16 === 0) return end4;
  return null;
}

/** Whether a word is no instruction, as a jump table's distance to code before it. */
function isEntry(word: number): boolean {
  return word >>> 25 === 0x7f;
}

/** See {@linkcode InstructionSet.exits}. */
export function exits(readCode: ReadCode, start: bigint, size: number): number[] {
  const code = readCode(start, size);
  if (code === null) return [];
  const view = new DataView(code.buffer, code.byteOffset, code.length);
  const found: number[] = [];
  let goesOn = true;
  for (let at = 0; at + 4 <= size; at += 4) {
    const word = view.getUint32(at, true);
    if (word === NOP) continue;
    const branch = branchStep(word, at);
    // What was called last may not return.
    goesOn = !branch?.ends && !branch?.calls && word !== FILLER && !isEntry(word);
    for (const target of branch?.targets ?? []) {
      if (target < 0 || target >= size) found.push(target);
    }
  }
  if (goesOn) found.push(size);
  return found.filter((at) => !makesFrame(readCode(start + BigInt(at), 4)));
}

/** Whether the instruction lowers the stack pointer, as the first of a function does: `sub sp, sp, #n`,
 * `stp x, y, [sp, #-n]!`, `str x, [sp, #-n]!`. */
function makesFrame(code: Uint8Array | null): boolean {
  if (code === null) return false;
  const word = new DataView(code.buffer, code.byteOffset, 4).getUint32(0, true);
  return (word & 0xff8003ff) >>> 0 === 0xd10003ff || (word & 0xffc003e0) >>> 0 === 0xa98003e0 ||
    (word & 0xffe00fe0) >>> 0 === 0xf8000fe0;
}

function isVector(word: number): boolean {
  return (word & 0x04000000) !== 0;
}

function isLoad(word: number): boolean {
  return !isVector(word) && (word & 0x00c00000) !== 0;
}

/** Bytes that a load or store of one register moves. */
function scale(word: number): number {
  const size = word >>> 30;
  return isVector(word) && (word & 0x00800000) !== 0 ? 16 : 1 << size;
}

function pair(state: FrameState, word: number): void {
  const [vector, load] = [isVector(word), (word & 0x00400000) !== 0];
  const kind = word >>> 30;
  const size = vector ? 4 << kind : kind === 2 ? 8 : 4;
  const offset = signed(word >>> 15, 7) * size;
  const base = (word >>> 5) & 31;
  const mode = (word >>> 23) & 3;
  const at = mode === 1 ? 0 : offset;
  const written = [word & 31, (word >>> 10) & 31];
  // The part of a register that must be preserved: eight bytes, also of a vector register.
  const whole = size === 8 || (vector && size === 16);
  const loaded = [...written.entries()];
  // Where the base is loaded too, the other register comes from its old value.
  if (load && !vector && written[0] === base) loaded.reverse();
  for (const [index, number] of loaded) {
    if (!vector && number === SP) continue;
    const register = vector ? V0 + number : number;
    if (whole && load) state.load(register, base, at + index * size);
    else if (whole) state.store(register, base, at + index * size);
    else if (load) state.clobber(register);
  }
  if (mode === 1 || mode === 3) state.add(base, base, offset);
}

function single(
  state: FrameState,
  word: number,
  offset: number,
  mode: "offset" | "pre" | "post",
): void {
  const number = word & 31;
  const base = (word >>> 5) & 31;
  const vector = isVector(word);
  const operation = (word >>> 22) & 3;
  if (vector || number !== SP) {
    const register = vector ? V0 + number : number;
    const at = mode === "post" ? 0 : offset;
    const whole = word >>> 30 === 3 && operation < 2 || (vector && operation > 1);
    const load = vector ? (operation & 1) === 1 : operation !== 0;
    if (whole && load) state.load(register, base, at);
    else if (whole) state.store(register, base, at);
    else if (load) state.clobber(register);
  }
  if (mode !== "offset") state.add(base, base, offset);
}

/** Registers that `ld1` to `ld4` and `st1` to `st4` move, by the four bits of their opcode. */
const movedRegisters: readonly number[] = [4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2];

/** Vector loads and stores of whole structures, which add to their base: hand-written code saves d8 to
 * d15 with them. */
function structures(state: FrameState, word: number): void {
  const base = (word >>> 5) & 31;
  const index = (word >>> 16) & 31;
  const count = movedRegisters[(word >>> 12) & 15] ?? 0;
  const size = (word & 0x40000000) === 0 ? 8 : 16;
  if (index === 31) state.add(base, base, count * size);
  else state.addRegister(base, base, index, 1);
}

function immediate(state: FrameState, word: number, sign: 1 | -1): void {
  const value = ((word >>> 10) & 0xfff) * ((word & 0x00400000) === 0 ? 1 : 4096);
  state.add(word & 31, (word >>> 5) & 31, sign * value);
}

/** `add sp, sp, x9, lsl #n` */
function extended(state: FrameState, word: number, sign: 1 | -1): void {
  const [rd, rn, rm] = [word & 31, (word >>> 5) & 31, (word >>> 16) & 31];
  const shift = (word >>> 10) & 7;
  const value = state.value(rm);
  if (value.kind === "constant") state.add(rd, rn, sign * value.value * 2 ** shift);
  else if (rd === SP) state.lose(SP);
  else state.clobber(rd);
}

function move(state: FrameState, rd: number, rm: number): void {
  if (rd === SP) return;
  if (rm === SP) state.set(rd, { kind: "constant", value: 0 });
  else state.set(rd, state.value(rm));
}

function moveWide(state: FrameState, word: number): void {
  const rd = word & 31;
  if (rd === SP) return;
  const shift = ((word >>> 21) & 3) * 16;
  const bits = (word >>> 5) & 0xffff;
  const old = state.value(rd);
  const operation = (word >>> 29) & 3;
  // Numbers hold 48 bits exactly, and no frame is larger.
  if (operation === 2 && shift < 48) {
    state.set(rd, { kind: "constant", value: bits * 2 ** shift });
  } else if (operation === 3 && shift < 48 && old.kind === "constant" && old.value >= 0) {
    const kept = old.value - (Math.floor(old.value / 2 ** shift) % 0x10000) * 2 ** shift;
    state.set(rd, { kind: "constant", value: kept + bits * 2 ** shift });
  } else if (operation === 0 && word >>> 31) {
    state.set(rd, { kind: "constant", value: -bits * 2 ** shift - 1 });
  } else state.clobber(rd);
}
