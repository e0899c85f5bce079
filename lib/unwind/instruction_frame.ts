/** Follows what a function's instructions do to its caller's registers: the part of instruction
 * analysis that 64-bit ARM, 32-bit ARM and Thumb code share. */

import type { CfaRule, RegisterRule, UnwindRow } from "../dwarf/row.ts";
import { follow, followAll, type Machine, type Step } from "./control_flow.ts";
import type { CallerState, FunctionCode, InstructionRow } from "./instruction_set.ts";

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
  /** The column of the return address of an outlined epilogue that is called, for the link
   * register's has the address that its caller returns to. */
  readonly pc: number;
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
  /** Registers that were loaded from the stack and not saved by the function, with the places as
   * offsets from the CFA; collected where this is set. */
  popped: Map<number, number> | null = null;
  /** Registers that the function overwrites without having saved them, or has not restored when it
   * returns, and would have to preserve; collected where this is set. */
  overwritten: Set<number> | null = null;
  /** Callee-saved registers that this function need not preserve. */
  #unpreserved: readonly number[] = [];
  /** The state from which this one was derived by guessing, in code that no branch leads to;
   * otherwise `null`. */
  #guessed: FrameState | null;

  private constructor(
    registers: FrameRegisters,
    values: Map<number, Value>,
    saved: Map<number, number>,
    guessed: FrameState | null,
  ) {
    this.registers = registers;
    this.#values = values;
    this.#saved = saved;
    this.#guessed = guessed;
  }

  /** The state at a function's first instruction. */
  static entry(registers: FrameRegisters): FrameState {
    const values = new Map<number, Value>([[registers.sp, { kind: "cfa", offset: 0 }]]);
    return new FrameState(registers, values, new Map(), null);
  }

  /** The entry state of code that begins with the stack pointer below the CFA.
   *
   * @param size distance from the stack pointer to the CFA
   * @param popped places of saved registers, as offsets from the stack pointer
   * @param isCalled whether it returns to the function whose frame that is
   */
  below(size: number, popped: ReadonlyMap<number, number>, isCalled: boolean): FrameState {
    const state = this.copy();
    const { sp, lr, pc } = this.registers;
    state.#values.set(sp, { kind: "cfa", offset: -size });
    if (isCalled) state.#values.set(lr, { kind: "entry", register: pc });
    for (const [register, place] of popped) {
      const isKept = register === lr || this.registers.isCalleeSaved(register);
      if (isKept) state.#saved.set(register, place - size);
    }
    return state;
  }

  copy(): FrameState {
    const copy = new FrameState(
      this.registers,
      new Map(this.#values),
      new Map(this.#saved),
      this.#guessed,
    );
    copy.popped = this.popped;
    copy.overwritten = this.overwritten;
    copy.#unpreserved = this.#unpreserved;
    return copy;
  }

  /** Makes this state equal to another one. */
  restore(other: FrameState): void {
    this.#values.clear();
    for (const [register, value] of other.#values) this.#values.set(register, value);
    this.#saved.clear();
    for (const [register, slot] of other.#saved) this.#saved.set(register, slot);
    this.#guessed = other.#guessed;
    this.#unpreserved = other.#unpreserved;
  }

  /** A copy for code that no branch leads to. */
  guess(): FrameState {
    const copy = this.copy();
    copy.#guessed = this;
    return copy;
  }

  /** Whether this is a state of code that no branch leads to. */
  get isGuess(): boolean {
    return this.#guessed !== null;
  }

  /** Size of the frame: 0 at the entry. */
  get depth(): number {
    const sp = this.value(this.registers.sp);
    return 2 * this.#saved.size + (sp.kind === "cfa" && sp.offset === 0 ? 0 : 1);
  }

  value(register: number): Value {
    return this.#values.get(register) ?? { kind: "entry", register };
  }

  set(register: number, value: Value): void {
    // Slots that the stack pointer passes on its way up are gone, so their registers must hold their
    // own values again. Those below it are not: Go stores the frame pointer there.
    if (register === this.registers.sp && value.kind === "cfa") {
      const sp = this.value(register);
      const from = sp.kind === "cfa" ? sp.offset : -Infinity;
      for (const [saved, slot] of this.#saved) {
        if (slot >= from && slot < value.offset) this.#saved.delete(saved);
      }
    }
    if (value.kind === "entry" && value.register === register) this.#values.delete(register);
    else {
      if (this.overwritten !== null && this.registers.isCalleeSaved(register)) {
        if (!this.#saved.has(register)) this.overwritten.add(register);
      }
      this.#values.set(register, value);
    }
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
      value.kind !== "entry" || value.register !== register || this.#saved.has(register) ||
      this.#unpreserved.includes(register)
    ) return;
    this.#saved.set(register, at.offset + offset);
  }

  /** The function turns out to be one that does not preserve some of the callee-saved registers. */
  losePreserved(registers: readonly number[]): void {
    this.#unpreserved = registers;
    for (const register of registers) {
      this.#saved.delete(register);
      this.overwritten?.add(register);
    }
  }

  /** `register` is loaded from `base + offset`. */
  load(register: number, base: number, offset: number): void {
    const at = this.value(base);
    if (at.kind === "cfa" && this.#saved.get(register) === at.offset + offset) {
      this.#saved.delete(register);
      this.#values.delete(register);
    } else if (register === this.registers.sp) this.lose(register);
    else {
      if (at.kind === "cfa") this.popped?.set(register, at.offset + offset);
      this.clobber(register);
    }
  }

  /** The return address is loaded from `base + offset`, to return. */
  loadReturn(base: number, offset: number): void {
    const at = this.value(base);
    if (at.kind === "cfa") this.popped?.set(this.registers.lr, at.offset + offset);
  }

  /** A function is called. */
  call(): void {
    const { isCalleeSaved, lr, sp } = this.registers;
    // A function that keeps its return address in a register calls only what preserves that:
    // outlined functions.
    const isKept = !this.#saved.has(lr);
    for (const [register, value] of this.#values) {
      // Constants survive calls: the function that probes the pages of a large frame gets the size
      // in a register, and keeps it.
      if (register === sp || isCalleeSaved(register) || value.kind === "constant") continue;
      const isHolder = value.kind === "entry" && value.register === lr;
      if (!(isKept && isHolder)) this.#values.set(register, unknown);
    }
    this.#values.set(lr, unknown);
  }

  /** A function is called that returns with the link register as it was on entry. */
  callRestoringLink(): void {
    const { lr } = this.registers;
    this.call();
    this.set(lr, { kind: "entry", register: lr });
  }

  /** Whether a register has the address to which the function returns. */
  hasReturnAddress(register: number): boolean {
    const { lr } = this.registers;
    const value = this.value(register);
    return !this.#saved.has(lr) && value.kind === "entry" && value.register === lr;
  }

  /** Whether a row of unwind information can hold here. Where something was guessed, and the row
   * says something else, the row is right. */
  agrees(row: UnwindRow): boolean {
    return this.#guessed !== null && !this.#guessed.#isSame(row) || this.#isSame(row);
  }

  /** Whether a row finds the same caller. */
  #isSame({ cfa, registers }: UnwindRow): boolean {
    if (cfa.kind !== "register") return true;
    if (this.#copyOf(this.registers.pc) !== null) return false;
    const base = this.value(cfa.register);
    if (base.kind === "cfa" ? base.offset !== -cfa.offset : this.#cfa() !== null) return false;
    const { sp, lr, isCalleeSaved } = this.registers;
    const isLost = this.value(sp).kind !== "cfa";
    for (const [register, rule] of registers) {
      if (rule.kind !== "offset" || register !== lr && !isCalleeSaved(register)) continue;
      const slot = this.#saved.get(register);
      // A slot that only the row knows may have been written where the stack pointer was lost.
      if (slot === undefined ? !isLost : slot !== rule.offset) return false;
    }
    const isSlot = registers.get(lr)?.kind === "offset";
    return isSlot || isLost || !this.#saved.has(lr) && this.#holder(lr) === lr;
  }

  /** The row that finds the caller; `null` when the return address or the CFA is lost. */
  row(): UnwindRow | null {
    const { lr, pc } = this.registers;
    const cfa = this.#cfa();
    if (cfa === null) return null;
    const registers = new Map<number, RegisterRule>();
    const sp = this.value(this.registers.sp);
    for (const [register, offset] of this.#saved) {
      // What is below the stack pointer may not be captured.
      const isBelow = sp.kind === "cfa" && offset < sp.offset;
      if (isBelow && !this.#values.has(register)) continue;
      registers.set(register, { kind: "offset", offset });
    }
    const { fp } = this.registers;
    if (this.#values.has(fp) && !this.#saved.has(fp)) {
      const holder = this.#copyOf(fp);
      registers.set(
        fp,
        holder === null ? { kind: "undefined" } : { kind: "register", register: holder },
      );
    }
    const link = this.#copyOf(pc);
    if (link !== null) {
      registers.set(pc, { kind: "register", register: link });
      return { cfa, registers, returnAddress: pc, signalFrame: false };
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

  /** Whether a return by a register goes to where the function was called. */
  returnsBy(register: number): boolean {
    const { lr } = this.registers;
    if (register === lr) return !this.popped?.has(lr);
    const value = this.value(register);
    return value.kind === "entry" && value.register === lr;
  }

  /** The registers, other than those of the frame record, that are saved and still hold what they held
   * on entry. */
  unchanged(): number[] {
    const { fp, lr } = this.registers;
    return [...this.#saved.keys()].filter((register) =>
      register !== fp && register !== lr && !this.#values.has(register)
    );
  }

  /** The function returns, or jumps to another one in its place. */
  leave(): void {
    const { sp, isCalleeSaved } = this.registers;
    const stack = this.value(sp);
    if (this.overwritten === null || stack.kind !== "cfa" || stack.offset !== 0) return;
    for (const register of this.#values.keys()) {
      if (isCalleeSaved(register)) this.overwritten.add(register);
    }
  }

  /** A register was not saved: what was taken for its slot has other uses. */
  notSaved(register: number): void {
    this.#saved.delete(register);
  }

  /** The register that holds what another one held on entry. */
  #holder(wanted: number): number | null {
    return this.#values.has(wanted) ? this.#copyOf(wanted) : wanted;
  }

  /** The register to which was written what another one held on entry. */
  #copyOf(wanted: number): number | null {
    for (const [register, value] of this.#values) {
      if (value.kind === "entry" && value.register === wanted) return register;
    }
    return null;
  }

  #cfa(): CfaRule | null {
    const { sp, fp } = this.registers;
    const frame = this.value(fp);
    const stack = this.value(sp);
    // A register that points to the slot of its own old value is a frame pointer. It is valid
    // whatever the code between did to the stack pointer. Go's points below its frame.
    const isBelow = frame.kind === "cfa" && stack.kind === "cfa" && frame.offset < stack.offset;
    if (frame.kind === "cfa" && this.#saved.get(fp) === frame.offset && !isBelow) {
      return { kind: "register", register: fp, offset: -frame.offset };
    }
    // A function that has taken its arguments off the stack, as Swift's `swifttailcc` ones do before they
    // jump to another, is below its caller's frame no more.
    if (stack.kind === "cfa") {
      return { kind: "register", register: sp, offset: Math.max(0, -stack.offset) };
    }
    for (const [register, value] of this.#values) {
      if (value.kind === "cfa") return { kind: "register", register, offset: -value.offset };
    }
    return null;
  }
}

/** Reads a function's code in pieces. */
export class Code {
  readonly #input: FunctionCode;
  /** Bytes to the function's end; infinite when unknown. */
  readonly length: number;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #start = 0;

  constructor(input: FunctionCode) {
    this.#input = input;
    const { functionStart, functionEnd } = input;
    this.length = functionEnd === null ? Infinity : Number(functionEnd - functionStart);
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
    if (at + size > this.length) return false;
    // The second attempt is for the end of a mapping.
    for (const length of [Math.min(pieceSize, this.length - at), size]) {
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
/** Maximum size of an outlined part of a prologue, in bytes. */
const maxOutlined = 128n;
/** Maximum number of instructions of an outlined epilogue. */
const maxEpilogue = 32;

/** Applies instructions one after another; `null` when there is none at an offset. */
export type ApplyStep = (state: FrameState, code: Code, at: number) => Step | null;

/** Follows a function's instructions up to `pc`.
 *
 * @param begin makes what applies a run of consecutive instructions
 * @param settle corrects the state at `pc`
 */
export function followInstructions(
  input: FunctionCode,
  begin: () => ApplyStep,
  { state: entry, caller }: Entry,
  settle?: (state: FrameState, code: Code, at: number) => void,
): InstructionRow | null {
  const code = new Code(input);
  const state = stateAt(input, code, begin, entry);
  if (state !== null) settle?.(state, code, Number(input.pc - input.functionStart));
  if (input.isCalling) state?.lose(entry.registers.lr);
  const row = state?.row() ?? null;
  return row &&
    { row, caller, isGuess: state!.isGuess, agrees: (other) => state!.agrees(other) };
}

/** What holds at `pc`; `null` when the way there is not code. */
function stateAt(
  input: FunctionCode,
  code: Code,
  begin: () => ApplyStep,
  entry: FrameState,
): FrameState | null {
  const distance = Number(input.pc - input.functionStart);
  if (!(distance >= 0 && distance <= maxDistance)) return null;
  if (input.functionEnd !== null && input.pc >= input.functionEnd) return null;
  return follow(machineOf(input, code, begin, entry), distance, code.length);
}

/** What holds at the entry of code that runs in the frame of a function, which jumps there; `null` when that
 * function's instructions make no sense. */
export function entryAfter(
  input: FunctionCode,
  registers: FrameRegisters,
  begin: () => ApplyStep,
): Entry | null {
  const state = stateAt(input, new Code(input), begin, FrameState.entry(registers));
  return state && { state };
}

/** See {@linkcode InstructionSet.overwritten}. */
export function followOverwritten(
  input: FunctionCode,
  begin: () => ApplyStep,
  { state }: Entry,
): ReadonlySet<number> {
  const entry = state.copy();
  const overwritten = entry.overwritten = new Set<number>();
  const code = new Code(input);
  followAll(machineOf(input, code, begin, entry), code.length);
  return overwritten;
}

/** What follows a function's instructions. */
function machineOf(
  input: FunctionCode,
  code: Code,
  begin: () => ApplyStep,
  entry: FrameState,
): Machine<FrameState> {
  const outlined = new OutlinedFunctions(input, entry.registers, begin);
  return {
    entry,
    begin() {
      const apply = begin();
      return (state, at) => {
        const step = apply(state, code, at);
        if (step?.ends && !step.targets?.some((target) => target >= 0 && target < code.length)) {
          state.leave();
        }
        if (!step?.calls) return step && { state, step };
        const { callee, length } = step;
        if (step.restoresLink) state.callRestoringLink();
        else if (callee === undefined || !outlined.has(callee)) state.call();
        else {
          outlined.apply(callee, state);
          return { state, step: { length } };
        }
        return { state, step };
      };
    },
    copy: (state) => state.copy(),
    depth: (state) => state.depth,
    // What is jumped to has no frame of its own.
    unreached: (body) => input.jumpedFrom === undefined ? body.guess() : entry.copy(),
  };
}

/** Functions into which a part of several prologues was moved: they return with another stack
 * pointer. */
class OutlinedFunctions {
  readonly #input: FunctionCode;
  readonly #registers: FrameRegisters;
  readonly #begin: () => ApplyStep;
  readonly #known = new Map<number, boolean>();

  constructor(input: FunctionCode, registers: FrameRegisters, begin: () => ApplyStep) {
    this.#input = input;
    this.#registers = registers;
    this.#begin = begin;
  }

  /** Whether the function at an offset is one. */
  has(at: number): boolean {
    let isOne = this.#known.get(at);
    if (isOne === undefined) {
      const state = FrameState.entry(this.#registers);
      const { sp, isCalleeSaved } = this.#registers;
      const popped = state.popped = new Map<number, number>();
      const end = this.#run(at, state);
      const stack = state.value(sp);
      isOne = end?.returns !== undefined && state.returnsBy(end.returns) &&
        stack.kind === "cfa" && (stack.offset !== 0 || [...popped.keys()].some(isCalleeSaved));
      this.#known.set(at, isOne);
    }
    return isOne;
  }

  /** Applies the function to its caller's state. */
  apply(at: number, state: FrameState): void {
    state.lose(this.#registers.lr);
    this.#run(at, state);
  }

  /** Applies the function's instructions. Returns the last, or `null` when they do not lead straight
   * to an end. */
  #run(at: number, state: FrameState): Step | null {
    const functionStart = this.#input.functionStart + BigInt(at);
    const code = new Code({
      ...this.#input,
      functionStart,
      functionEnd: functionStart + maxOutlined,
    });
    const apply = this.#begin();
    for (let place = 0;;) {
      const step = apply(state, code, place);
      if (step === null || step.calls || step.targets !== undefined || step.ends) {
        return step?.ends && step.targets === undefined ? step : null;
      }
      place += step.length;
    }
  }
}

/** What holds when a function is entered. */
export interface Entry {
  readonly state: FrameState;
  /** For parts of prologues and epilogues, where the frame of the function whose part it is, is
   * looked up. */
  readonly caller?: CallerState;
}

/** What holds at the entry of a function, or of parts of functions that were outlined, as LLVM's
 * machine outliner does and its `AArch64LowerHomogeneousPrologEpilog.cpp`: they lead to their end
 * without a branch. A part of prologues returns with a lower stack pointer. An epilogue pops what was
 * not pushed since its first instruction. It is jumped to and ends as the function does, or it is
 * called, and keeps its own return address in another register. */
export function entryOf(
  input: FunctionCode,
  registers: FrameRegisters,
  begin: () => ApplyStep,
): Entry {
  const entry = FrameState.entry(registers);
  const usual: Entry = { state: entry };
  const code = new Code(input);
  const apply = begin();
  const state = entry.copy();
  const popped = state.popped = new Map<number, number>();
  for (let at = 0, count = 0; count < maxEpilogue; count++) {
    const step = apply(state, code, at);
    if (step === null || step.calls) return usual;
    if (step.ends) {
      const sp = state.value(registers.sp);
      if (sp.kind !== "cfa" || sp.offset === 0) return usual;
      const isCalled = step.returns !== undefined && state.returnsBy(step.returns);
      if (sp.offset < 0) return isCalled ? { state: entry, caller: "call" } : usual;
      const isPopped = popped.has(registers.lr);
      if (
        step.returns === undefined && !isPopped && ![...popped.keys()].some(registers.isCalleeSaved)
      ) {
        return usual;
      }
      const calls = isCalled && isPopped;
      return {
        state: entry.below(sp.offset, popped, calls),
        ...isCalled ? { caller: isPopped ? "return" : "either" } : {},
      };
    }
    if (step.targets !== undefined) return usual;
    at += step.length;
  }
  return usual;
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
