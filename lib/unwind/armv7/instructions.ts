/** Instruction analysis for 32-bit ARM; that of Thumb code is in `thumb.ts`. Encodings from the
 * "ARM Architecture Reference Manual ARMv7-A and ARMv7-R edition", chapter A5. */

import type { Step } from "../control_flow.ts";
import {
  type ApplyStep,
  call4,
  type Code,
  end4,
  entryOf,
  followInstructions,
  followOverwritten,
  FrameState,
  next4,
  signed,
} from "../instruction_frame.ts";
import type { FunctionCode, InstructionRow, ReadCode } from "../instruction_set.ts";
import {
  armRegisters,
  coprocessor,
  LR,
  moveTop,
  multiple,
  PC,
  return4,
  returnByLink4,
  rotateRight,
  single,
  SP,
} from "./registers.ts";
import { ItBlocks, thumbLiteral, thumbStep } from "./thumb.ts";

/** `nop`, and `mov r0, r0`, which was it before. */
const NOPS: readonly number[] = [0xe320f000, 0xe1a00000];
/** `str lr, [sp, #-4]!` */
const PUSH_LR = 0xe52de004;
/** Bytes at a function's start among which it makes its frame. */
const beginning = 16;
/** Jumps to an address that it computes. */
const jump4: Step = { length: 4, ends: true, computed: true };

/** Reads a function's instructions up to `pc`, in ARM or Thumb code. */
export function analyze(code: FunctionCode): InstructionRow | null {
  const begin = stepper(code);
  const settle = (state: FrameState, bytes: Code) => dropUnwritten(state, bytes, code);
  return followInstructions(code, begin, entryOf(code, armRegisters, begin), settle);
}

/** See {@linkcode InstructionSet.overwritten}. */
export function overwritten(code: FunctionCode): ReadonlySet<number> {
  const begin = stepper(code);
  return followOverwritten(code, begin, entryOf(code, armRegisters, begin));
}

/** See {@linkcode InstructionSet.exits}; of ARM code. */
export function exits(readCode: ReadCode, start: bigint, size: number): number[] {
  const code = readCode(start, size);
  if (code === null) return [];
  const view = new DataView(code.buffer, code.byteOffset, code.length);
  const state = FrameState.entry(armRegisters);
  const literals = new Set<number>();
  const found: number[] = [];
  let goesOn = true;
  for (let at = 0; at + 4 <= size; at += 4) {
    const word = view.getUint32(at, true);
    if (literals.has(at) || NOPS.includes(word)) continue;
    const literal = armLiteral(word);
    if (literal !== null) literals.add(at + literal);
    const { targets = [], ends, calls } = armStep(state, word, at);
    // What was called last may not return. Constants between functions look like conditional instructions.
    goesOn = word >>> 28 < 14 ? targets.length > 0 : !ends && !calls;
    for (const target of targets) if (target < 0 || target >= size) found.push(target);
  }
  if (goesOn) found.push(size);
  return found.filter((at) => !beginsFunction(readCode, start + BigInt(at)));
}

/** Whether code begins as a function does: among its first instructions, before any branch, is `push` of
 * several registers or of the link register, or `sub sp, sp, #n`. */
export function beginsFunction(readCode: ReadCode, start: bigint): boolean {
  const code = readCode(start, beginning);
  if (code === null) return false;
  const view = new DataView(code.buffer, code.byteOffset, code.length);
  for (let at = 0; at + 4 <= code.length; at += 4) {
    const word = view.getUint32(at, true);
    if (word >>> 16 === 0xe92d || word === PUSH_LR) return true;
    if ((word & 0xfffff000) >>> 0 === 0xe24dd000) return true;
    if ((word & 0x0e000000) === 0x0a000000) return false;
  }
  return false;
}

/** Makes what applies a run of a function's instructions. */
function stepper({ thumb }: FunctionCode): () => ApplyStep {
  return () => {
    const blocks = thumb ? new ItBlocks() : new Conditional();
    return (state, code, at) => blocks.step(state, code, at);
  };
}

/** A function that needs a few words of stack may push more registers for them and never write
 * those (LLVM's `tryFoldSPUpdateIntoPushPop`): the words get other values, and the registers keep
 * their own. */
function dropUnwritten(state: FrameState, code: Code, input: FunctionCode): void {
  const unwritten = new Set(state.unchanged());
  if (code.length > maxSwept) return;
  const { thumb } = input;
  const swept = FrameState.entry(armRegisters);
  /** Constants between the instructions, which load them. */
  const literals = new Set<number>();
  const misaligned = Number(input.functionStart & 3n);
  for (let at = 0; at < code.length && unwritten.size > 0;) {
    if (literals.has(at)) {
      at += 4;
      continue;
    }
    const word = code.u32(at) ?? (thumb ? code.u16(at) : undefined);
    if (word === undefined) return;
    const literal = thumb ? thumbLiteral(word) : armLiteral(word);
    if (literal !== null) literals.add(((at + misaligned) & ~3) - misaligned + literal);
    const step = thumb ? thumbStep(swept, code, at) : armStep(swept, word, at);
    if (step === null) return;
    for (const register of unwritten) {
      const value = swept.value(register);
      if (value.kind !== "entry" || value.register !== register) unwritten.delete(register);
    }
    at += step.length;
  }
  for (const register of unwritten) state.notSaved(register);
}

/** Distance from a load's own address to the constant that it loads; `null` for other instructions. */
function armLiteral(word: number): number | null {
  if ((word & 0x0f3f0000) !== 0x051f0000) return null;
  return 8 + (word & 0xfff) * ((word & 0x00800000) === 0 ? -1 : 1);
}

/** Maximum size of a function that is looked through for writes to registers, in bytes. */
const maxSwept = 1 << 16;

/** Follows ARM code. Consecutive instructions with the same condition are treated like Thumb's IT
 * blocks: their effects count while `pc` is among them, and not after them. */
class Conditional {
  /** The state before the conditional instructions that `at` is among. */
  #before: FrameState | null = null;
  /** Targets of jumps seen so far. A run of conditional instructions ends there. */
  readonly #targets = new Set<number>();
  readonly #tables = new JumpTables();

  step(state: FrameState, code: Code, at: number): Step | null {
    const word = code.u32(at);
    if (word === undefined) return null;
    const condition = word >>> 28;
    if (condition < 14) this.#before ??= state.copy();
    const step = this.#tables.step(code, word, at) ?? armStep(state, word, at);
    for (const target of step.targets ?? []) this.#targets.add(target);
    if (this.#before === null) return step;
    const next = code.u32(at + 4);
    const goesOn = next !== undefined && next >>> 28 === condition && !step.calls &&
      !this.#targets.has(at + 4);
    if (!goesOn) {
      state.restore(this.#before);
      this.#before = null;
    }
    return { ...step, ends: false };
  }
}

/** A value that leads to a jump: an address, or the entry of a table at one. Both are offsets from the
 * function's start. */
interface TableValue {
  readonly at: number;
  readonly isEntry: boolean;
}

/** Maximum number of entries of a table. */
const maxEntries = 1024;

/** Finds the targets of jump tables in a run of instructions. LLVM and GCC write
 *
 *     adr r1, table; ldr r0, [r1, r0, lsl #2]; add pc, r1, r0
 *     ldr r3, [pc, r3, lsl #2]; add pc, r3, pc
 *
 * and the table behind the jump. Its entries are distances from the address that is added. */
class JumpTables {
  readonly #values = new Map<number, TableValue>();

  /** The jump, if the instruction is one through a table; otherwise takes note of it. */
  step(code: Code, word: number, at: number): Step | null {
    const [rn, rd, rm] = [(word >>> 16) & 15, (word >>> 12) & 15, word & 15];
    const address = (register: number): TableValue | undefined =>
      register === PC ? { at: at + 8, isEntry: false } : this.#values.get(register);
    // add pc, rn, rm
    if ((word & 0x0ff0fff0) === 0x0080f000) {
      const [first, second] = [address(rn), address(rm)];
      const [base, entry] = first?.isEntry ? [second, first] : [first, second];
      if (base === undefined || base.isEntry || !entry?.isEntry) return null;
      return jump(code, at + 4, entry.at, base.at);
    }
    const base = address(rn);
    // add or sub rd, pc, #x; ldr rd, [rn, rm, lsl #2]
    const sign = (word & 0x0fff0000) === 0x028f0000
      ? 1
      : (word & 0x0fff0000) === 0x024f0000
      ? -1
      : 0;
    if (sign !== 0) {
      const value = rotateRight(word & 0xff, ((word >>> 8) & 15) * 2);
      this.#values.set(rd, { at: at + 8 + sign * value, isEntry: false });
    } else if (base?.isEntry === false && (word & 0x0ff00ff0) === 0x07900100) {
      this.#values.set(rd, { at: base.at, isEntry: true });
    } else if (!isStore(word)) this.#values.delete(rd);
    return null;
  }
}

/** Whether an instruction writes no register. */
function isStore(word: number): boolean {
  return ((word >>> 26) & 3) === 1 && (word & 0x00100000) === 0 ||
    (word & 0x0d900000) === 0x01100000;
}

/** A jump through a table, which ends at the latest at the nearest target behind it.
 *
 * @param behind what follows the jump
 */
function jump(code: Code, behind: number, table: number, base: number): Step | null {
  const targets: number[] = [];
  let limit = Infinity;
  let at = table;
  for (; at < limit && targets.length < maxEntries; at += 4) {
    const entry = code.u32(at);
    const target = entry === undefined ? NaN : base + (entry | 0);
    if (!(target > 0 && target < code.length) || target % 4 !== 0) break;
    targets.push(target);
    if (target > table) limit = Math.min(limit, target);
  }
  if (targets.length === 0) return null;
  const length = table === behind ? 4 + at - table : 4;
  return { length, targets, ends: true };
}

function armStep(state: FrameState, word: number, at: number): Step {
  const condition = word >>> 28;
  // Only blx among the unconditional instructions affects the stack.
  if (condition === 15) return (word & 0x0e000000) === 0x0a000000 ? call4 : next4;
  if ((word & 0x0e000000) === 0x0a000000) {
    if (word & 0x01000000) return call4;
    const targets = [at + 8 + signed(word, 24) * 4];
    return { length: 4, targets, ends: condition === 14 };
  }
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
    case 7:
      coprocessor(state, word);
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
  if ((word & 0x0ffffff0) === 0x012fff10) return rm === LR ? returnByLink4 : jump4;
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
    // Multiplications write to other fields; the rest loads and stores halfwords and pairs.
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
  // Comparisons, and moves to and from status registers.
  if (operation >= 8 && operation < 12) return next4;
  if (rd === PC) return operation === 13 && rm === LR ? returnByLink4 : jump4;
  const value = immediate ? rotateRight(word & 0xff, ((word >>> 8) & 15) * 2) : 0;
  // The value of a shifted register is not followed.
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
    } else if (load && rd === PC) return jump4;
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
  return !jumps ? next4 : ((word >>> 16) & 15) === SP ? return4 : jump4;
}
