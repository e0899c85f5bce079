/** Follows what a function's instructions do to its caller's registers: the part of instruction analysis
 * that 64-bit ARM, 32-bit ARM and Thumb code share. */

import type { CfaRule, RegisterRule, UnwindRow } from "../dwarf/row.ts";
import type { FunctionCode, InstructionRow } from "./instruction_set.ts";

/** What is known about a register's value. */
export type Value =
  /** The CFA plus an offset. */
  | { readonly kind: "cfa"; readonly offset: number }
  | { readonly kind: "constant"; readonly value: number }
  /** The value of a register when the function was entered. */
  | { readonly kind: "entry"; readonly register: number }
  | { readonly kind: "unknown" };

/** The registers that matter to a frame, by their DWARF numbers. */
export interface FrameRegisters {
  readonly sp: number;
  readonly fp: number;
  readonly lr: number;
  /** Whether a function must preserve this register. */
  isCalleeSaved(register: number): boolean;
}

const unknown: Value = { kind: "unknown" };

/** What is known before one instruction. */
export class FrameState {
  readonly registers: FrameRegisters;
  /** Registers that no longer hold their value from the function's entry. */
  readonly #values: Map<number, Value>;
  /** Where registers are saved, as offsets from the CFA. */
  readonly #saved: Map<number, number>;
  /** The state before the epilogue that has begun. Code after the epilogue continues from it. */
  #body: FrameState | null;
  /** Number of instructions that helped to set up a frame. */
  setups = 0;

  private constructor(
    registers: FrameRegisters,
    values: Map<number, Value>,
    saved: Map<number, number>,
    body: FrameState | null,
  ) {
    this.registers = registers;
    this.#values = values;
    this.#saved = saved;
    this.#body = body;
  }

  /** The state at a function's first instruction. */
  static entry(registers: FrameRegisters): FrameState {
    const values = new Map<number, Value>([[registers.sp, { kind: "cfa", offset: 0 }]]);
    return new FrameState(registers, values, new Map(), null);
  }

  copy(): FrameState {
    const copy = new FrameState(
      this.registers,
      new Map(this.#values),
      new Map(this.#saved),
      this.#body,
    );
    copy.setups = this.setups;
    return copy;
  }

  /** Makes this state equal to another one. */
  restore(other: FrameState): void {
    this.#values.clear();
    for (const [register, value] of other.#values) this.#values.set(register, value);
    this.#saved.clear();
    for (const [register, slot] of other.#saved) this.#saved.set(register, slot);
    this.#body = other.#body;
    this.setups = other.setups;
  }

  /** Whether an epilogue has begun and not ended. */
  get tearingDown(): boolean {
    return this.#body !== null;
  }

  /** Whether everything is as it was on entry. */
  get isEntry(): boolean {
    const sp = this.value(this.registers.sp);
    return sp.kind === "cfa" && sp.offset === 0 && this.#saved.size === 0 &&
      this.value(this.registers.lr).kind === "entry";
  }

  /** The state after an instruction that does not continue with the next one. */
  afterEnd(): FrameState {
    return (this.#body ?? this).copy();
  }

  value(register: number): Value {
    return this.#values.get(register) ?? { kind: "entry", register };
  }

  set(register: number, value: Value): void {
    const { sp, fp } = this.registers;
    if (register === sp) {
      const old = this.value(sp);
      if (old.kind === "cfa" && value.kind === "cfa") {
        if (value.offset < old.offset) this.#setUp();
        else if (value.offset > old.offset) this.#tearDown();
      } else if (value.kind === "cfa") this.#tearDown();
      // Slots below the stack pointer are gone, so their registers must hold their own values
      // again.
      if (value.kind === "cfa") {
        for (const [saved, slot] of this.#saved) {
          if (slot < value.offset) this.#saved.delete(saved);
        }
      }
    } else if (register === fp && value.kind === "cfa" && this.#saved.get(fp) === value.offset) {
      this.#setUp();
    }
    if (value.kind === "entry" && value.register === register) this.#values.delete(register);
    else this.#values.set(register, value);
  }

  /** A register gets an unknown value. */
  clobber(register: number): void {
    const { sp, lr } = this.registers;
    // Data that is misread as an instruction must not lose these two.
    if (register !== sp && register !== lr) this.set(register, unknown);
  }

  /** A register, perhaps the stack pointer, gets a value that depends on the program's data. */
  lose(register: number): void {
    this.#values.set(register, unknown);
  }

  /** `register = base + offset` */
  add(register: number, base: number, offset: number): void {
    const value = this.value(base);
    if (value.kind === "cfa") this.set(register, { kind: "cfa", offset: value.offset + offset });
    else if (value.kind === "constant") {
      this.set(register, { kind: "constant", value: value.value + offset });
    } else if (offset === 0) this.set(register, value);
    else if (register === this.registers.sp) this.lose(register);
    else this.clobber(register);
  }

  /** `register = base + sign * other` */
  addRegister(register: number, base: number, other: number, sign: 1 | -1): void {
    const value = this.value(other);
    if (value.kind === "constant") this.add(register, base, sign * value.value);
    else if (register === this.registers.sp) this.lose(register);
    else this.clobber(register);
  }

  /** `register` is stored at `base + offset`. */
  store(register: number, base: number, offset: number): void {
    const { isCalleeSaved, lr } = this.registers;
    const at = this.value(base);
    const value = this.value(register);
    if (
      at.kind !== "cfa" || !(register === lr || isCalleeSaved(register)) ||
      value.kind !== "entry" || value.register !== register || this.#saved.has(register)
    ) return;
    this.#setUp();
    this.#saved.set(register, at.offset + offset);
  }

  /** `register` is loaded from `base + offset`. */
  load(register: number, base: number, offset: number): void {
    const at = this.value(base);
    if (at.kind === "cfa" && this.#saved.get(register) === at.offset + offset) {
      this.#tearDown();
      this.#saved.delete(register);
      this.#values.delete(register);
    } else if (register === this.registers.sp) this.lose(register);
    else this.clobber(register);
  }

  /** A function is called. */
  call(): void {
    const { isCalleeSaved, lr, sp } = this.registers;
    for (const [register, value] of this.#values) {
      // Constants outlive calls: the function that probes the pages of a large frame is called with
      // the frame's size in a register, and preserves it.
      if (register === sp || isCalleeSaved(register) || value.kind === "constant") continue;
      this.#values.set(register, unknown);
    }
    this.#values.set(lr, unknown);
    this.#body = null;
  }

  /** The row that finds the caller; `null` when the return address or the CFA is lost. */
  row(): UnwindRow | null {
    const { lr } = this.registers;
    const cfa = this.#cfa();
    if (cfa === null) return null;
    const registers = new Map<number, RegisterRule>();
    for (const [register, offset] of this.#saved) {
      registers.set(register, { kind: "offset", offset });
    }
    if (!registers.has(lr)) {
      const holder = this.#holder(lr);
      if (holder === null) return null;
      registers.set(
        lr,
        holder === lr ? { kind: "same" } : { kind: "register", register: holder },
      );
    }
    return { cfa, registers, returnAddress: lr, signalFrame: false };
  }

  /** The register that holds what another one held on entry. */
  #holder(wanted: number): number | null {
    if (!this.#values.has(wanted)) return wanted;
    for (const [register, value] of this.#values) {
      if (value.kind === "entry" && value.register === wanted) return register;
    }
    return null;
  }

  #cfa(): CfaRule | null {
    const { sp, fp } = this.registers;
    const frame = this.value(fp);
    // A register that points to the slot of its own old value is a frame pointer. It is valid
    // whatever the code between did to the stack pointer.
    if (frame.kind === "cfa" && this.#saved.get(fp) === frame.offset) {
      return { kind: "register", register: fp, offset: -frame.offset };
    }
    const stack = this.value(sp);
    if (stack.kind === "cfa") return { kind: "register", register: sp, offset: -stack.offset };
    for (const [register, value] of this.#values) {
      if (value.kind === "cfa") return { kind: "register", register, offset: -value.offset };
    }
    return null;
  }

  #setUp(): void {
    this.setups++;
    this.#body = null;
  }

  #tearDown(): void {
    this.#body ??= this.copy();
  }
}

/** The effects of one instruction besides those on the state. Offsets are from the function's start. */
export interface Step {
  /** Size in bytes, with the data that follows the instruction. */
  readonly length: number;
  /** Where else execution may continue. */
  readonly targets?: readonly number[];
  /** Execution does not continue with the next instruction. */
  readonly ends?: boolean;
  /** The instruction calls a function. */
  readonly calls?: boolean;
}

/** Reads a function's code in pieces. */
export class Code {
  readonly #input: FunctionCode;
  readonly #length: number;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #start = 0;

  constructor(input: FunctionCode) {
    this.#input = input;
    const { functionStart, functionEnd } = input;
    this.#length = functionEnd === null ? Infinity : Number(functionEnd - functionStart);
  }

  /** The 32-bit word at an offset; `undefined` when it cannot be read. */
  u32(at: number): number | undefined {
    return this.#cover(at, 4) ? this.#view.getUint32(at - this.#start, true) : undefined;
  }

  /** The 16-bit word at an offset; `undefined` when it cannot be read. */
  u16(at: number): number | undefined {
    return this.#cover(at, 2) ? this.#view.getUint16(at - this.#start, true) : undefined;
  }

  #cover(at: number, size: number): boolean {
    if (at >= this.#start && at + size <= this.#start + this.#view.byteLength) return true;
    if (at + size > this.#length) return false;
    // The second attempt is for the end of a mapping.
    for (const length of [Math.min(pieceSize, this.#length - at), size]) {
      const bytes = this.#input.readCode(this.#input.functionStart + BigInt(at), length);
      if (bytes === null || bytes.length < size) continue;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      this.#start = at;
      return true;
    }
    return false;
  }
}

const pieceSize = 1024;
/** Maximum distance from a function's start, in bytes. */
const maxDistance = 1 << 20;
const maxInstruction = 4;
/** Maximum number of instructions after `pc` that may belong to the same prologue. */
const maxLookahead = 48;

/** Follows a function's instructions up to `pc`.
 *
 * @param step applies the instruction at an offset to a state; `null` when there is none
 */
export function followInstructions(
  input: FunctionCode,
  registers: FrameRegisters,
  step: (state: FrameState, code: Code, at: number) => Step | null,
): InstructionRow | null {
  const distance = Number(input.pc - input.functionStart);
  if (!(distance >= 0 && distance <= maxDistance)) return null;
  if (input.functionEnd !== null && input.pc >= input.functionEnd) return null;
  const code = new Code(input);
  /** The states at targets of earlier jumps. */
  const joined = new Map<number, FrameState>();
  let state = FrameState.entry(registers);
  let at = 0;
  for (;;) {
    const known = joined.get(at);
    if (known !== undefined) {
      state = known;
      joined.delete(at);
    }
    if (at === distance) break;
    // If `pc` is inside this instruction, the state before it counts.
    const next = distance - at < maxInstruction ? state.copy() : state;
    const taken = step(next, code, at);
    if (taken === null) return null;
    if (at + taken.length > distance) break;
    for (const target of taken.targets ?? []) {
      if (target > at && !joined.has(target)) joined.set(target, next.copy());
    }
    if (taken.calls) next.call();
    state = taken.ends ? next.afterEnd() : next;
    at += taken.length;
  }
  const row = state.row();
  if (row === null) return null;
  const place = placeOf(state, code, at, step);
  return { row, agrees: () => place === "body" };
}

function placeOf(
  state: FrameState,
  code: Code,
  from: number,
  step: (state: FrameState, code: Code, at: number) => Step | null,
): "prologue" | "body" | "epilogue" {
  if (state.tearingDown) return "epilogue";
  if (state.isEntry) return state.setups === 0 ? "prologue" : "epilogue";
  const ahead = state.copy();
  for (let at = from, count = 0; count < maxLookahead; count++) {
    const taken = step(ahead, code, at);
    if (ahead.setups > state.setups) return "prologue";
    if (taken === null || taken.ends || taken.calls || taken.targets !== undefined) break;
    if (ahead.tearingDown) break;
    at += taken.length;
  }
  return "body";
}

/** An instruction of four bytes that continues with the next. */
export const next4: Step = { length: 4 };
/** One that jumps, returns or traps. */
export const end4: Step = { length: 4, ends: true };
/** One that calls. */
export const call4: Step = { length: 4, calls: true };

/** The lower bits of a number as a signed number. */
export function signed(value: number, bits: number): number {
  return (value << (32 - bits)) >> (32 - bits);
}
