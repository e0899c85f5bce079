/** Finds a function's frame by reading its x86 instructions.
 *
 * The instructions from the function's first up to `pc` are read once, in the order of their addresses.
 * The state at a branch to a later address is kept for that address, so that the code after a `ret`
 * continues with the state of the body, not with that after the epilogue. Only the effects on the stack
 * pointer, the frame pointer and the slots of saved registers matter. */

import type { Arch } from "../../arch/mod.ts";
import type { RegisterRule, UnwindRow } from "../../dwarf/mod.ts";
import type { FunctionCode, InstructionRow, InstructionSet } from "../instruction_set.ts";
import { isCall } from "./calls.ts";
import { MAX_LENGTH, X86Decoder } from "./decode.ts";

/** Maximum number of bytes of a function that are read. */
const MAX_FUNCTION = 0x1_0000;
/** Number of bytes after `pc` that are read to find out where in the function it is. */
const LOOK_AHEAD = 256;
/** Maximum number of bytes of a called function that are searched for its `ret`, and of all of them
 * together. */
const MAX_CALLEE = 0x1000;
const MAX_CALLEES = 0x4_0000;

/** Size of the common part of `__stub_helper`. */
const STUB_HELPER_SIZE = 16;

/** Register numbers in instructions. */
const AX = 0, SP = 4, BP = 5;

/** DWARF register numbers by those in instructions. */
const dwarfNumbers: Readonly<Record<4 | 8, readonly number[]>> = {
  4: [0, 1, 2, 3, 4, 5, 6, 7],
  8: [0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15],
};

/** What is known before an instruction. It is immutable, so that branches can keep one. */
interface State {
  /** Distance from the stack pointer to the CFA, in bytes; `null` when it depends on the program's data.
   */
  readonly sp: number | null;
  /** Distance from the frame pointer to the CFA; `null` when the register is not a frame pointer. */
  readonly fp: number | null;
  /** Slots of saved registers by their numbers in instructions, as offsets from the CFA. */
  readonly saved: ReadonlyMap<number, number>;
}

/** Makes the analyzer of x86 instructions.
 *
 * @param arch x86_64 or i386
 *
 * @example
 * ```ts
 * import { x86_64 } from "../../arch/mod.ts";
 * import { analyzer } from "./instructions.ts";
 *
 * const code = Uint8Array.of(0x55, 0x48, 0x89, 0xe5, 0xc3); // push %rbp; mov %rsp, %rbp; ret
 * const found = analyzer(x86_64)({
 *   functionStart: 0x1000n,
 *   functionEnd: 0x1005n,
 *   pc: 0x1001n,
 *   thumb: false,
 *   readCode: (address, length) =>
 *     code.subarray(Number(address - 0x1000n), Number(address - 0x1000n) + length),
 * });
 * console.log(found?.place, found?.row.cfa); // prologue { kind: "register", register: 7, offset: 16 }
 * ```
 */
export function analyzer(arch: Arch): InstructionSet["analyze"] {
  const calleeSaved = dwarfNumbers[arch.pointerSize].map((number) => arch.calleeSaved.has(number));
  return (input) => {
    const scan = Scan.begin(arch, calleeSaved, input);
    const state = scan?.run() ?? null;
    const row = state === null ? null : toRow(arch, state);
    return row === null ? null : { row, place: scan!.place(state!) };
  };
}

/** One pass over a function. Places in it are offsets from its start. */
class Scan {
  readonly #calleeSaved: readonly boolean[];
  readonly #input: FunctionCode;
  readonly #code: Uint8Array;
  readonly #decoder: X86Decoder;
  readonly #pc: number;
  /** Offsets from here on are outside the function. */
  readonly #end: number;
  readonly #word: number;
  /** The states that branches leave for later addresses. */
  readonly #pending = new Map<number, State>();
  /** Bytes that functions which pop their arguments remove from the stack, by address. */
  readonly #popped = new Map<bigint, number>();
  #calleeBudget = MAX_CALLEES;
  /** Whether the function had a frame before `pc`, and called something. */
  #hadFrame = false;
  #hasCalled = false;
  /** Whether part of the frame was undone directly before `pc`. */
  #isUndoing = false;
  /** Whether the function called directly before `pc` popped an argument, which is pushed again next.
   * Compilers' call-frame information ignores this. */
  #isShort = false;
  /** The constant in the accumulator, for a stack probe and the instruction after it. */
  #accumulator: number | null = null;

  private constructor(
    arch: Arch,
    calleeSaved: readonly boolean[],
    input: FunctionCode,
    code: Uint8Array,
    pc: number,
    end: number,
  ) {
    this.#calleeSaved = calleeSaved;
    this.#input = input;
    this.#code = code;
    this.#pc = pc;
    this.#end = end;
    this.#word = arch.pointerSize;
    this.#decoder = new X86Decoder(arch.pointerSize === 8);
  }

  /** Reads the code; `null` when it cannot be read, or is too long. */
  static begin(arch: Arch, calleeSaved: readonly boolean[], input: FunctionCode): Scan | null {
    const { functionStart, functionEnd, pc } = input;
    if (pc < functionStart || pc - functionStart >= MAX_FUNCTION) return null;
    if (functionEnd !== null && pc >= functionEnd) return null;
    const offset = Number(pc - functionStart);
    const end = functionEnd === null ? Infinity : Number(functionEnd - functionStart);
    for (const more of [LOOK_AHEAD, MAX_LENGTH, 1]) {
      const code = input.readCode(functionStart, Math.min(end, offset + more));
      if (code !== null && code.length > offset) {
        return new Scan(arch, calleeSaved, input, code, offset, end);
      }
    }
    return null;
  }

  /** Follows the code from the start to `pc`; `null` when it is no code. */
  run(): State | null {
    const decoder = this.#decoder;
    const pc = this.#pc;
    const entry: State = { sp: this.#word, fp: null, saved: new Map() };
    const helper = this.#isStubHelper();
    let state: State = helper ? { ...entry, sp: 2 * this.#word } : entry;
    /** The state where blocks of the body met: the best guess for a block that no earlier code jumps to.
     */
    let atBranch: State | null = null;
    /** The state before the instructions that have only undone the frame. */
    let beforeUndoing: State | null = null;
    /** The state before the previous instruction if that pushed a constant: the entry of a stub helper.
     */
    let beforePush: State | null = null;
    let isReached = true;

    for (let at = 0;;) {
      const pending = this.#pending.get(at);
      if (pending !== undefined) {
        // Better than the state from above, which may follow a call that does not return.
        state = atBranch = pending;
        beforeUndoing = null;
        isReached = true;
      }
      if ((state.fp !== null || !isReached) && this.#setsUpFrame(at)) {
        // No function does this twice: another one begins here, whose symbol was stripped.
        state = entry;
        atBranch = beforeUndoing = null;
        this.#pending.clear();
        this.#hadFrame = this.#hasCalled = false;
        isReached = true;
      }
      if (at >= pc) break;
      const isCode = decoder.decode(this.#code, at);
      const next = at + decoder.length;
      // A table of targets may follow a jump, and decoding it loses the alignment of instructions.
      const target = isReached ? undefined : this.#nextPending(at);
      if (target !== undefined && (!isCode || target < next)) {
        at = target;
        continue;
      }
      if (!isCode) return null;
      if (next > pc) break;
      const before = state;
      state = this.#step(before, next);
      if (isCall(decoder)) beforeUndoing = null;
      else if (isUndone(before, state)) beforeUndoing ??= before;
      else if (state !== before) beforeUndoing = null;
      this.#hasCalled ||= isCall(decoder);
      this.#isShort = isCall(decoder) && isUndone(before, state);
      this.#hadFrame ||= !this.#isEntry(state);

      const branch = this.#branch(next);
      if (branch !== null) {
        const { target, isConditional, isReturn } = branch;
        if (this.#isInside(target) && target >= next && !this.#pending.has(target)) {
          this.#pending.set(target, state);
        }
        const undone = beforeUndoing !== null &&
            (this.#isEntry(state) || state.saved.size < beforeUndoing.saved.size)
          ? beforeUndoing
          : null;
        if (undone === null && !isReturn && !(this.#hadFrame && this.#isEntry(state))) {
          atBranch = state;
        }
        if (!isConditional) {
          if (helper && at < STUB_HELPER_SIZE) state = entry;
          else state = beforePush ?? deeper(atBranch, undone ?? state);
          isReached = false;
        }
        beforeUndoing = null;
      }
      beforePush = decoder.opcode === 0x68 ? before : null;
      at = next;
    }
    this.#isUndoing = beforeUndoing !== null;
    return state;
  }

  /** Where in the function `pc` is, when `state` holds there. */
  place(state: State): InstructionRow["place"] {
    if (this.#isEntry(state)) return this.#hadFrame ? "epilogue" : "prologue";
    if (this.#isShort) return "epilogue";
    const decoder = this.#decoder;
    for (let at = this.#pc; decoder.decode(this.#code, at); at += decoder.length) {
      if (isCall(decoder)) return "body";
      const next = at + decoder.length;
      const branch = this.#branch(next);
      if (branch !== null) {
        const leaves = !branch.isConditional && !this.#isInside(branch.target);
        return leaves && this.#isUndoing ? "epilogue" : "body";
      }
      const after = this.#step(state, next);
      if (this.#isBuilt(state, after)) return "prologue";
      state = after;
    }
    return "body";
  }

  #isEntry({ sp, fp, saved }: State): boolean {
    return sp === this.#word && fp === null && saved.size === 0;
  }

  #isInside(target: number | null): target is number {
    return target !== null && target >= 0 && target < this.#end;
  }

  /** Whether an instruction did what prologues do. After a call, lowering the stack pointer is for
   * arguments. */
  #isBuilt(before: State, after: State): boolean {
    return after.saved.size > before.saved.size || before.fp === null && after.fp !== null ||
      !this.#hasCalled && before.sp !== null && after.sp !== null && after.sp > before.sp;
  }

  #nextPending(at: number): number | undefined {
    const later = [...this.#pending.keys()].filter((target) => target > at && target <= this.#pc);
    return later.length === 0 ? undefined : Math.min(...later);
  }

  /** Whether the code at an offset is `push %rbp; mov %rsp, %rbp`, by either encoding. */
  #setsUpFrame(at: number): boolean {
    const code = this.#code;
    if (code[at] !== 0x55) return false;
    const move = at + (this.#word === 8 && code[at + 1] === 0x48 ? 2 : 1);
    return code[move] === 0x89 && code[move + 1] === 0xe5 ||
      code[move] === 0x8b && code[move + 1] === 0xec;
  }

  /** Whether the code is that of `__stub_helper`. Each of its entries pushes a word and jumps to its
   * start, which pushes another and jumps to the function that binds the symbol. */
  #isStubHelper(): boolean {
    const pattern = this.#word === 8
      // lea x(%rip), %r11; push %r11; jmp *x(%rip)
      ? [0x4c, 0x8d, 0x1d, , , , , 0x41, 0x53, 0xff, 0x25]
      // push $x; jmp *x
      : [0x68, , , , , 0xff, 0x25];
    return pattern.every((byte, at) => this.#code[at] === byte);
  }

  /** Where the decoded instruction may jump to; `null` when it continues with the next one. */
  #branch(
    next: number,
  ): { target: number | null; isConditional: boolean; isReturn: boolean } | null {
    const { opcode, immediate, reg } = this.#decoder;
    const isConditional = opcode >= 0x70 && opcode <= 0x7f || opcode >= 0xe0 && opcode <= 0xe3 ||
      opcode >= 0x0f80 && opcode <= 0x0f8f;
    if (isConditional || opcode === 0xeb || opcode === 0xe9) {
      return { target: next + immediate, isConditional, isReturn: false };
    }
    const isReturn = opcode === 0xc3 || opcode === 0xc2 || opcode === 0xcb || opcode === 0xca ||
      opcode === 0xcf;
    // Indirect jumps, near and far, and instructions without a successor: ud2, hlt.
    const ends = opcode === 0xff && (reg === 4 || reg === 5) || opcode === 0xea ||
      opcode === 0x0f0b || opcode === 0xf4;
    return isReturn || ends ? { target: null, isConditional: false, isReturn } : null;
  }

  /** The state after the decoded instruction: the same object when nothing changed. */
  #step(state: State, next: number): State {
    const decoder = this.#decoder;
    const { opcode, opcodeRegister, mod, reg, rm, immediate } = decoder;
    const word = decoder.narrow ? 2 : this.#word;
    const accumulator = this.#accumulator;
    if (!isCall(decoder)) this.#accumulator = null;
    switch (opcode) {
      case 0x50:
      case 0x51:
      case 0x52:
      case 0x53:
      case 0x54:
      case 0x55:
      case 0x56:
      case 0x57: {
        const after = this.#lower(state, word);
        return after.sp === null ? after : this.#save(after, opcodeRegister, -after.sp);
      }
      case 0x58:
      case 0x59:
      case 0x5a:
      case 0x5b:
      case 0x5c:
      case 0x5d:
      case 0x5e:
      case 0x5f:
        return this.#pop(state, opcodeRegister, word);
      case 0x06:
      case 0x0e:
      case 0x16:
      case 0x1e:
      case 0x0fa0:
      case 0x0fa8:
      case 0x68:
      case 0x6a:
      case 0x9c:
        return this.#lower(state, word);
      case 0x07:
      case 0x17:
      case 0x1f:
      case 0x0fa1:
      case 0x0fa9:
      case 0x8f:
      case 0x9d:
        return this.#lower(state, -word);
      case 0x60:
        return this.#lower(state, 8 * word);
      case 0x61:
        return this.#lower(state, -8 * word);
      case 0xc8: {
        const pushed = this.#lower(state, word);
        if (pushed.sp === null) return pushed;
        const framed = { ...this.#save(pushed, BP, -pushed.sp), fp: pushed.sp };
        return this.#lower(framed, immediate & 0xffff);
      }
      case 0xc9:
        return this.#pop(this.#moveTo(state, state.fp), BP, word);
      case 0xff:
        if (reg === 6) return this.#lower(state, word);
        if (reg < 2 && mod === 3 && rm === SP) return this.#lower(state, reg === 0 ? -1 : 1);
        return reg === 2 ? this.#called(state, null, next) : state;
      case 0xe8:
        // A `call` to the next instruction is how code gets its own address. The address stays
        // pushed.
        if (immediate === 0) return this.#lower(state, this.#word);
        return this.#called(state, next + immediate, next);
      case 0xb8:
        if (opcodeRegister === AX) this.#accumulator = immediate;
        return state;
      case 0x81:
      case 0x83:
        if (mod !== 3 || rm !== SP) return state;
        if (reg === 0) return this.#lower(state, -immediate);
        if (reg === 5) return this.#lower(state, immediate);
        return reg === 7 ? state : this.#moveTo(state, null);
      case 0x29: // sub
        if (mod !== 3 || rm !== SP) return state;
        return this.#lower(state, reg === AX ? accumulator : null);
      case 0x2b:
        if (reg !== SP) return state;
        return this.#lower(state, mod === 3 && rm === AX ? accumulator : null);
      case 0x01: // add, and
      case 0x21:
        return mod === 3 && rm === SP ? this.#moveTo(state, null) : state;
      case 0x03:
      case 0x23:
        return reg === SP ? this.#moveTo(state, null) : state;
      case 0x87: // xchg
        return reg === SP || mod === 3 && rm === SP ? this.#moveTo(state, null) : state;
      case 0x89:
        if (mod === 3) return this.#move(state, rm, reg, 0);
        if (!this.#isWhole()) return state;
        return this.#store(state, reg);
      case 0x8b:
        return this.#move(state, reg, mod === 3 ? rm : -1, 0);
      case 0x8d:
        return this.#move(state, reg, decoder.hasIndex ? -1 : decoder.base, decoder.displacement);
      default:
        return state;
    }
  }

  /** Whether the decoded operand is as wide as registers are. */
  #isWhole(): boolean {
    return this.#word === 8 ? this.#decoder.isWide : !this.#decoder.narrow;
  }

  /** Lowers the stack pointer by `size` bytes; `null` when the size is not known. */
  #lower(state: State, size: number | null): State {
    return this.#moveTo(state, state.sp === null || size === null ? null : state.sp + size);
  }

  /** Moves the stack pointer. Slots below it are gone. */
  #moveTo(state: State, sp: number | null): State {
    if (sp === state.sp) return state;
    let { saved } = state;
    if (sp !== null && (state.sp === null || sp < state.sp)) {
      const left = [...saved].filter(([, offset]) => offset >= -sp);
      if (left.length < saved.size) saved = new Map(left);
    }
    return { ...state, sp, saved };
  }

  /** Saves a register in a slot. Only the first value saved can be the caller's. */
  #save(state: State, register: number, offset: number): State {
    if (!this.#calleeSaved[register] || state.saved.has(register) || offset >= 0) return state;
    return { ...state, saved: new Map(state.saved).set(register, offset) };
  }

  #store(state: State, register: number): State {
    const { base, hasIndex, displacement } = this.#decoder;
    const from = base === SP ? state.sp : base === BP ? state.fp : null;
    return from === null || hasIndex ? state : this.#save(state, register, displacement - from);
  }

  #pop(state: State, register: number, word: number): State {
    if (register === SP) return this.#moveTo(state, null);
    if (register !== BP || state.fp === null) return this.#lower(state, -word);
    // It is popped from the slot it was pushed to, whatever the counted depth is.
    const slot = state.saved.get(BP);
    const sp = slot === undefined ? state.sp : -slot;
    return this.#moveTo({ ...state, fp: null }, sp === null ? null : sp - word);
  }

  /** Gives a register the value of another one, or an unknown value (-1), plus a constant. */
  #move(state: State, to: number, from: number, constant: number): State {
    if (to !== SP && to !== BP) return state;
    const distance = from === SP ? state.sp : from === BP ? state.fp : null;
    const moved = distance === null || !this.#isWhole() ? null : distance - constant;
    if (to === SP) return this.#moveTo(state, moved);
    return moved === state.fp ? state : { ...state, fp: moved };
  }

  /** In 32-bit code, a function that returns a structure pops its hidden argument, so the called
   * function has to be read. */
  #called(state: State, target: number | null, next: number): State {
    if (this.#word === 8 || state.sp === null) return state;
    let size = 0;
    if (target === null) size = this.#isFollowedByReplacement(next) ? this.#word : 0;
    else {
      const address = BigInt.asUintN(32, this.#input.functionStart + BigInt(target));
      size = this.#popped.get(address) ?? this.#findPopped(address);
      this.#popped.set(address, size);
    }
    return this.#lower(state, -size);
  }

  /** Whether a function called through a pointer popped one word. Callers that do not push arguments
   * then lower the stack pointer by as much at once. */
  #isFollowedByReplacement(next: number): boolean {
    const code = this.#code;
    const isLowered = code[next] === 0x83 && code[next + 1] === 0xec && code[next + 2] === 4;
    const isPush = (byte: number) => (byte & 0xf8) === 0x50 || byte === 0x68 || byte === 0x6a;
    return isLowered && !isPush(code[next + 3]);
  }

  /** The operand of a function's first `ret`. */
  #findPopped(address: bigint): number {
    const size = Math.min(MAX_CALLEE, this.#calleeBudget);
    let code = null;
    for (let length = size; code === null && length >= 16; length >>= 1) {
      code = this.#input.readCode(address, length);
    }
    const decoder = new X86Decoder(false);
    let at = 0;
    let popped = 0;
    while (code !== null && decoder.decode(code, at)) {
      at += decoder.length;
      if (decoder.opcode === 0xc2) popped = decoder.immediate & 0xffff;
      if (decoder.opcode === 0xc2 || decoder.opcode === 0xc3) break;
    }
    this.#calleeBudget -= at;
    return popped;
  }
}

/** Whether an instruction did what epilogues do. */
function isUndone(before: State, after: State): boolean {
  return after.saved.size < before.saved.size || before.fp !== null && after.fp === null ||
    after.sp !== null && (before.sp === null || after.sp < before.sp);
}

/** The one of two states with more saved registers, the first when they are equal. */
function deeper(a: State | null, b: State): State {
  return a !== null && a.saved.size >= b.saved.size ? a : b;
}

/** The row of a state; `null` when the CFA is not known. */
function toRow(arch: Arch, state: State): UnwindRow | null {
  const numbers = dwarfNumbers[arch.pointerSize];
  // The frame pointer is more reliable: called functions do not change it.
  const [register, offset] = state.fp !== null ? [BP, state.fp] : [SP, state.sp];
  if (offset === null) return null;
  const registers = new Map<number, RegisterRule>([
    [arch.pc.dwarf!, { kind: "offset", offset: -arch.pointerSize }],
  ]);
  for (const [saved, at] of state.saved) {
    registers.set(numbers[saved], { kind: "offset", offset: at });
  }
  return {
    cfa: { kind: "register", register: numbers[register], offset },
    registers,
    returnAddress: arch.pc.dwarf!,
    signalFrame: false,
  };
}
