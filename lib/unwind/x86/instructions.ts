/** Where a function's frame is, read from its x86 instructions. Only an
 * instruction's effect on the stack pointer, the frame pointer and the slots of saved registers matters. */

import type { Arch } from "../../arch/mod.ts";
import type { RegisterRule, UnwindRow } from "../../dwarf/mod.ts";
import { follow, followAll, type Machine, type Stepper } from "../control_flow.ts";
import type { FunctionCode, InstructionSet } from "../instruction_set.ts";
import {
  DW_OP_deref,
  DW_OP_lit0,
  DW_OP_mul,
  DW_OP_plus,
  DW_OP_plus_uconst,
  registerPlus,
  uleb,
} from "../signal.ts";
import {
  isCall,
  isConditionalJump,
  isDirectJump,
  isEnd,
  MAX_LENGTH,
  NO_BASE,
  X86Decoder,
} from "./decode.ts";

/** Maximum distance of `pc` from the function's start, in bytes. */
const MAX_FUNCTION = 0x10_0000;
/** Code is read in pieces of this many bytes; then each time twice as much. */
const PIECE = 1024;
/** Bytes of a called function that are searched for its `ret`, and of all called functions
 * together. */
const MAX_CALLEE = 0x1000;
const MAX_CALLEES = 0x4_0000;
/** Maximum length of a call, without prefixes that make no difference. */
const MAX_CALL = 7;
/** Maximum number of instructions of an outlined epilogue. */
const MAX_EPILOGUE = 32;
/** Maximum number of entries of a jump table. */
const MAX_TABLE = 1024;

/** Bytes of a vector. */
const VECTOR = 16;

/** Numbers in instructions. */
const AX = 0, DX = 2, SP = 4, BP = 5;
/** What Swift's async functions do not preserve, of the callee-saved registers: `CSR_64_SwiftTail` of LLVM's
 * `X86CallingConv.td`. They keep the context in their frame, and change it there. */
const NOT_BY_ASYNC: readonly number[] = [13, 14];
/** In which Swift returns errors. Functions that save it for their callers push it; those that only keep it
 * for a while store it. */
const ERROR = 12;
/** The bit of a stored frame pointer that marks an async function's. */
const ASYNC_BIT = 60;

/** DWARF numbers by those in instructions. */
const dwarfNumbers: Readonly<Record<4 | 8, readonly number[]>> = {
  4: [0, 1, 2, 3, 4, 5, 6, 7],
  8: [0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15],
};

/** A slot from which the CFA is known. */
interface Kept {
  /** Bytes above the stack pointer. */
  readonly at: number;
  /** A register that is added to that place, times `scale`; -1 for none. */
  readonly index: number;
  readonly scale: number;
  /** Distance from the value in the slot to the CFA, in bytes. */
  readonly distance: number;
}

/** The places of the return address. A function that jumps to another with more or fewer arguments on the
 * stack than it has itself moves it, and takes its own ones off the stack: Swift's `swifttailcc`. */
interface Link {
  /** Offsets from the CFA. */
  readonly slots: readonly number[];
  /** A register with a copy; -1 for none. */
  readonly register: number;
}

/** What holds before an instruction. Immutable. */
interface State {
  /** Distance from the stack pointer to the CFA, in bytes; `null` when it depends on the program's
   * data. */
  readonly sp: number | null;
  /** Distance from the frame pointer to the CFA; `null` when it holds another value. */
  readonly fp: number | null;
  /** Whether the frame pointer got another value before the caller's was saved. */
  readonly isFrameLost: boolean;
  /** Another register with a fixed distance to the CFA: code that aligns the stack pointer without a frame
   * pointer keeps the old value so. */
  readonly copy: { readonly register: number; readonly distance: number } | null;
  /** A slot with the value of such a register, while the stack pointer's own distance is not known. */
  readonly kept: Kept | null;
  /** Slots of saved registers by their numbers in instructions: offsets from the CFA. */
  readonly saved: ReadonlyMap<number, number>;
  /** Where the return address is. */
  readonly link: Link;
  /** Registers that were pushed where the stack pointer's distance to the CFA is not known: bytes from
   * the stack pointer up to their slots, `null` when that is lost too. */
  readonly pushed: ReadonlyMap<number, number | null>;
  /** Callee-saved registers that do not hold what they held on entry: a bit for each number in
   * instructions. Only kept for {@linkcode overwriteFinder}. */
  readonly changed: number;
  /** The constant in the accumulator, for a stack probe and the instruction after it. */
  readonly accumulator: number | null;
  /** The state from which this one was derived by guessing: what holds in code that no branch leads
   * to, and how many bytes of arguments a called function removed. `null` where nothing was
   * guessed. */
  readonly guessed: State | null;
}

const nonePushed: State["pushed"] = new Map();

/** Makes the analysis of x86 functions.
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
 * console.log(found?.row.cfa); // { kind: "register", register: 7, offset: 16 }
 * ```
 */
export function analyzer(arch: Arch): InstructionSet["analyze"] {
  const calleeSaved = calleeSavedOf(arch);
  const stateAt = (input: FunctionCode, entry?: State): State | null => {
    const { functionStart, functionEnd, pc } = input;
    if (pc < functionStart || pc - functionStart >= MAX_FUNCTION) return null;
    if (functionEnd !== null && pc >= functionEnd) return null;
    const offset = Number(pc - functionStart);
    const analysis = new Analysis(arch, calleeSaved, input, { entry });
    const end = functionEnd === null ? Infinity : Number(functionEnd - functionStart);
    const state = analysis.isReturn(offset) ? analysis.atReturn : follow(analysis, offset, end);
    return state && analysis.beginAnew(state, offset);
  };
  return (input) => {
    const { jumpedFrom } = input;
    const before = jumpedFrom && stateAt(jumpedFrom);
    const entry = before && { ...before, copy: null, kept: null, accumulator: null };
    const anew = entry === null ? null : stateAt(input, entry);
    if (anew === null) return null;
    const row = toRow(arch, anew);
    const isGuess = anew.guessed !== null;
    return row && { row, isGuess, agrees: (other) => agrees(arch, anew, other) };
  };
}

/** Makes what finds the registers that x86 functions overwrite; see
 * {@linkcode InstructionSet.overwritten}.
 *
 * @param arch x86_64 or i386
 */
export function overwriteFinder(arch: Arch): InstructionSet["overwritten"] {
  const calleeSaved = calleeSavedOf(arch);
  const numbers = dwarfNumbers[arch.pointerSize];
  return (input) => {
    const { functionStart, functionEnd } = input;
    const overwritten = new Set<number>();
    const analysis = new Analysis(arch, calleeSaved, input, { overwritten });
    const end = functionEnd === null ? Infinity : Number(functionEnd - functionStart);
    followAll(analysis, Math.min(end, MAX_FUNCTION));
    return new Set([...overwritten].map((number) => numbers[number]));
  };
}

/** Whether a function must preserve a register, by the numbers in instructions. */
function calleeSavedOf(arch: Arch): boolean[] {
  return dwarfNumbers[arch.pointerSize].map((number) => arch.calleeSaved.has(number));
}

/** What a run of instructions says of a jump table. */
interface JumpTable {
  /** The register with the table's address, or in 32 bits with its entry; -1 for none. */
  readonly register: number;
  readonly at: number;
  /** Whether an entry was loaded. */
  readonly isLoaded: boolean;
  /** Maximum number of entries. */
  readonly count: number;
  /** The constant of the last comparison. */
  readonly compared: number | null;
}

const noTable: JumpTable = {
  register: -1,
  at: 0,
  isLoaded: false,
  count: MAX_TABLE,
  compared: null,
};

/** The analysis of one function. Offsets are from its start. */
class Analysis implements Machine<State> {
  readonly entry: State;
  /** The state before any `ret`. */
  readonly atReturn: State;
  readonly #calleeSaved: readonly boolean[];
  readonly #input: FunctionCode;
  readonly #decoder: X86Decoder;
  readonly #word: number;
  #overwritten: Set<number> | undefined;
  #code: Uint8Array = new Uint8Array();
  /** Bytes that functions remove from the stack when they return, by their addresses. */
  readonly #popped = new Map<bigint, number>();
  #calleeBudget = MAX_CALLEES;
  /** Whether the function marks the frame pointer that it stores as a Swift async function's. */
  #isAsync = false;
  /** Whether the function keeps what Swift returns errors in, and does not save it. */
  #keepsError = false;
  #table = noTable;
  /** Where 32-bit code has its own address from: what a call to the next instruction pushes. */
  #ownAddress: number | null = null;
  /** Where instructions begin, by decoding one after another; made for a jump table. */
  #boundaries: Set<number> | undefined;

  /** @param options `overwritten` gets the callee-saved registers that are not preserved, by the numbers in
   * instructions; `entry` is the state in which the code is jumped to */
  constructor(
    arch: Arch,
    calleeSaved: readonly boolean[],
    input: FunctionCode,
    { overwritten, entry }: { overwritten?: Set<number>; entry?: State },
  ) {
    this.#calleeSaved = calleeSaved;
    this.#input = input;
    this.#word = arch.pointerSize;
    this.#decoder = new X86Decoder(arch.pointerSize === 8);
    this.atReturn = {
      sp: this.#word,
      fp: null,
      isFrameLost: false,
      copy: null,
      kept: null,
      saved: new Map(),
      link: { slots: [-this.#word], register: -1 },
      pushed: nonePushed,
      changed: 0,
      accumulator: null,
      guessed: null,
    };
    this.entry = entry ?? this.#outlinedEpilogue() ?? this.atReturn;
    this.#overwritten = overwritten;
  }

  begin(): Stepper<State> {
    this.#table = noTable;
    return (state, at) => this.#apply(state, at);
  }

  copy(state: State): State {
    return state;
  }

  depth(state: State): number {
    const { sp, fp, saved } = state;
    return 4 * saved.size + (fp === null ? 0 : 2) + (sp === this.#word ? 0 : 1);
  }

  unreached(body: State, at: number): State {
    // What is jumped to has no frame of its own.
    if (this.#input.jumpedFrom !== undefined) return this.entry;
    return this.#setsUpFrame(at) ? this.atReturn : { ...body, guessed: body };
  }

  /** The state at an offset, where another function may begin whose symbol was stripped. No
   * function sets up a frame twice. */
  beginAnew(state: State, at: number): State {
    return state.fp !== null && this.#setsUpFrame(at) ? this.atReturn : state;
  }

  /** Whether the instruction at an offset returns. The last byte of a call may look like that. */
  isReturn(at: number): boolean {
    if (!this.#decode(at)) return false;
    const { opcode } = this.#decoder;
    return (opcode === 0xc3 || opcode === 0xc2) && !this.#endsCall(at);
  }

  /** Whether the byte at an offset is the last one of a call. */
  #endsCall(at: number): boolean {
    for (let start = Math.max(0, at - MAX_CALL + 1); start < at; start++) {
      if (!this.#decode(start) || !isCall(this.#decoder)) continue;
      if (start + this.#decoder.length === at + 1) return true;
    }
    return false;
  }

  #decode(at: number): boolean {
    this.#cover(at + MAX_LENGTH);
    return this.#decoder.decode(this.#code, at);
  }

  /** Reads the code up to an offset, or as much of it as there is. */
  #cover(end: number): void {
    const { functionStart, functionEnd, readCode } = this.#input;
    const length = functionEnd === null ? Infinity : Number(functionEnd - functionStart);
    if (end <= this.#code.length || this.#code.length >= length) return;
    // Whole pieces first; less at the end of what is mapped.
    const pieces = Math.ceil(end / PIECE) * PIECE;
    for (
      const wanted of [Math.max(pieces, 2 * this.#code.length), pieces, end, end - MAX_LENGTH + 1]
    ) {
      const code = readCode(functionStart, Math.min(length, wanted));
      if (code === null || code.length <= this.#code.length) continue;
      this.#code = code;
      return;
    }
  }

  /** Applies the instruction at an offset. */
  #apply(before: State, at: number): ReturnType<Stepper<State>> {
    const state = this.beginAnew(before, at);
    if (!this.#decode(at)) return null;
    if (this.#marksFrame(state)) {
      this.#isAsync = true;
      for (const register of NOT_BY_ASYNC) this.#overwritten?.add(register);
    }
    const { length, opcode, immediate, mod, reg, rm } = this.#decoder;
    const next = at + length;
    const stepped = this.#followLink(state, this.#forget(state, this.#step(state, next)));
    const after = this.#overwritten === undefined
      ? stepped
      : this.#noteOverwritten(this.#overwritten, state, stepped);
    if (isCall(this.#decoder)) {
      // A call to the next instruction only pushes its address.
      if (opcode === 0xe8 && immediate === 0 && this.#word === 4) this.#ownAddress = next;
      return { state: after, step: { length, calls: opcode !== 0xe8 || immediate !== 0 } };
    }
    const isConditional = isConditionalJump(this.#decoder);
    if (isConditional || isDirectJump(this.#decoder)) {
      const step = { length, targets: [next + immediate], ends: !isConditional };
      this.#noteBranch(opcode);
      return { state: after, step };
    }
    if (opcode === 0xff && (reg === 4 || reg === 5)) {
      const isTable = this.#table.isLoaded && mod === 3 &&
        (this.#word === 8 || rm === this.#table.register);
      const targets = isTable ? this.#tableTargets() : undefined;
      const step = targets === undefined
        ? { length, ends: true, computed: true }
        : { length, ends: true, targets };
      return { state: after, step };
    }
    this.#noteTable(next);
    return { state: after, step: { length, ends: isEnd(this.#decoder) } };
  }

  /** Notes what the decoded instruction says of a jump table. In 64-bit code:
   *
   *     cmp $count - 1, index; ja default
   *     lea table(%rip), base; movslq (base, index, 4), entry; add base, entry; jmp *entry
   *
   * In 32-bit code, where `base` is the function's own address, by `call 1f; 1: pop base`:
   *
   *     mov table - 1b(base, index, 4), entry; add base, entry; jmp *entry
   */
  #noteTable(next: number): void {
    const { opcode, mod, reg, base, displacement, hasIndex, immediate } = this.#decoder;
    const table = this.#table;
    if (opcode === 0x3d || (opcode === 0x81 || opcode === 0x83) && reg === 7) {
      this.#table = { ...table, compared: immediate };
    } else if (this.#word === 4) {
      // The entry may also be added to a copy of `base`.
      const isEntry = (opcode === 0x8b || opcode === 0x03) && mod !== 3 && hasIndex;
      if (isEntry && this.#ownAddress !== null && base !== NO_BASE) {
        const at = this.#ownAddress + displacement;
        this.#table = { ...table, register: reg, at, isLoaded: true };
      }
    } else if (opcode === 0x8d && mod === 0 && base === NO_BASE && !hasIndex) {
      this.#table = { ...table, register: reg, at: next + displacement, isLoaded: false };
    } else if (opcode === 0x63 && hasIndex && base === table.register) {
      this.#table = { ...table, isLoaded: true };
    }
  }

  /** Notes a conditional branch out of the way to a jump table: above, or not below. */
  #noteBranch(opcode: number): void {
    const table = this.#table;
    const isAbove = opcode === 0x77 || opcode === 0x0f87;
    if (table.compared === null || !isAbove && opcode !== 0x73 && opcode !== 0x0f83) return;
    const count = table.compared + (isAbove ? 1 : 0);
    this.#table = { ...table, compared: null, count: count > 0 ? count : MAX_TABLE };
  }

  /** Where the jump table leads to; `undefined` when it cannot be read. Its entries are distances
   * from the table, in 32 bits from the function's own address. */
  #tableTargets(): number[] | undefined {
    const { functionStart, functionEnd, readCode } = this.#input;
    const { at, count } = this.#table;
    if (functionEnd === null) return undefined;
    const end = Number(functionEnd - functionStart);
    const targets: number[] = [];
    const boundaries = this.#boundaries ??= this.#findBoundaries(end);
    // More than the table may be wanted, and not be there.
    for (let size = Math.min(count, MAX_TABLE) * 4; size >= 4; size = size >> 3 << 2) {
      const bytes = readCode(functionStart + BigInt(at), size);
      if (bytes === null) continue;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let entry = 0; entry + 4 <= bytes.length; entry += 4) {
        const target = (this.#ownAddress ?? at) + view.getInt32(entry, true);
        // Other tables may follow, whose entries are distances from themselves.
        if (!boundaries.has(target)) break;
        targets.push(target);
      }
      break;
    }
    return targets.length === 0 ? undefined : [...new Set(targets)];
  }

  /** The state after the decoded instruction, without the registers that it overwrote with other
   * values. */
  #forget(before: State, after: State): State {
    const isKept = isCall(this.#decoder) || before.accumulator !== after.accumulator;
    const accumulator = isKept ? after.accumulator : null;
    const isWritten = after.fp === before.fp && this.#writes(BP);
    const fp = isWritten ? null : after.fp;
    // `or` of bit 60 is the mark of a Swift async function.
    const { opcode } = this.#decoder;
    const isMarked = opcode === 0x09 || opcode === 0x0b;
    const isFrameLost = after.isFrameLost || isWritten && !isMarked && !after.saved.has(BP);
    // Where nothing else has the CFA, calls preserve the register: those of assembly to its own parts.
    const isNeeded = after.sp === null && after.fp === null && after.kept === null;
    const isLost = after.copy !== null && after.copy === before.copy &&
      !(isNeeded && isCall(this.#decoder)) && this.#loses(after.copy.register);
    const copy = isLost ? null : after.copy;
    const index = after.kept?.index ?? -1;
    const kept = index !== -1 && this.#loses(index) ? null : after.kept;
    return fp === after.fp && isFrameLost === after.isFrameLost &&
        accumulator === after.accumulator && copy === after.copy &&
        kept === after.kept
      ? after
      : { ...after, fp, isFrameLost, accumulator, copy, kept };
  }

  /** Whether the decoded instruction marks the caller's frame pointer, for a Swift async function: `bts`, or
   * `or` of what systems that do not know the mark have as 0. */
  #marksFrame({ isFrameLost, saved }: State): boolean {
    const { opcode, isWide, mod, reg, rm, base, immediate } = this.#decoder;
    return isWide && !isFrameLost && !saved.has(BP) && (
      opcode === 0x0fba && reg === 5 && mod === 3 && rm === BP && immediate === ASYNC_BIT ||
      opcode === 0x0b && reg === BP && mod !== 3 && base === NO_BASE
    );
  }

  /** The state after the decoded instruction, with where the return address is then. */
  #followLink(before: State, after: State): State {
    const { link } = before;
    const { opcode, mod, reg, base, hasIndex, displacement } = this.#decoder;
    let { slots, register } = link;
    const from = mod === 3 || hasIndex
      ? null
      : base === SP
      ? before.sp
      : base === BP
      ? before.fp
      : null;
    if (register !== -1 && (this.#moves(register) || this.#loses(register))) register = -1;
    if (from !== null) {
      const place = displacement - from;
      const isWhole = this.#isWhole();
      if (opcode === 0x8b && isWhole && slots.includes(place)) register = reg;
      if (opcode === 0x89 && isWhole && reg === register) {
        if (!slots.includes(place)) slots = [...slots, place];
      } else if (isStore(opcode)) {
        // Of other operands the first byte tells: they do not lie across slots.
        const end = place + (isVectorStore(opcode) ? VECTOR : 1);
        const left = slots.filter((slot) => slot + this.#word <= place || slot >= end);
        if (left.length < slots.length) slots = left;
      }
    }
    // Where no copy is known, what was stored is not what it seems to be.
    if (slots.length === 0 && register === -1) slots = this.atReturn.link.slots;
    if (slots.length > 1 && after.sp !== null) {
      const { sp } = after;
      const left = slots.filter((slot) => slot >= -sp);
      if (left.length > 0 && left.length < slots.length) slots = left;
    }
    return slots === link.slots && register === link.register
      ? after
      : { ...after, link: { slots, register } };
  }

  /** Notes which callee-saved registers the decoded instruction changes, and at the function's end those
   * that were not restored. */
  #noteOverwritten(overwritten: Set<number>, before: State, after: State): State {
    const { saved, pushed } = before;
    if (before.guessed !== null || isCall(this.#decoder)) return after;
    if (after.isFrameLost) overwritten.add(BP);
    const { opcode } = this.#decoder;
    const isLeft = (opcode === 0xc3 || opcode === 0xc2) && before.sp === this.#word;
    let { changed } = before;
    for (const [register, isPreserved] of this.#calleeSaved.entries()) {
      if (!isPreserved || register === SP || register === BP) continue;
      if (isLeft && (changed >> register & 1) !== 0) {
        overwritten.add(register);
      }
      if (!this.#moves(register) && !this.#loses(register)) continue;
      if (this.#restores(before, register)) changed &= ~(1 << register);
      else {
        changed |= 1 << register;
        const isSaved = saved.has(register) || pushed.has(register);
        if (!isSaved || register === ERROR && this.#keepsError) overwritten.add(register);
      }
    }
    return changed === after.changed ? after : { ...after, changed };
  }

  /** Whether the decoded instruction gives a register the value from its slot. */
  #restores({ sp, fp, copy, saved, pushed }: State, register: number): boolean {
    const { opcode, mod, base, hasIndex, displacement } = this.#decoder;
    if (opcode >= 0x58 && opcode <= 0x5f) {
      return sp === null ? pushed.has(register) : saved.get(register) === -sp;
    }
    const from = base === SP
      ? sp
      : base === BP
      ? fp
      : base === copy?.register
      ? copy.distance
      : null;
    return opcode === 0x8b && mod !== 3 && !hasIndex &&
      (from === null ? base === SP : saved.get(register) === displacement - from);
  }

  /** Whether the decoded instruction moves a value or an address to a register. */
  #moves(register: number): boolean {
    const { opcode, mod, reg, rm } = this.#decoder;
    if (opcode === 0x89) return mod === 3 && rm === register && reg !== register;
    return (opcode === 0x8b || opcode === 0x8d) && reg === register;
  }

  /** Whether the decoded instruction may overwrite a register that is neither the stack pointer nor the
   * frame pointer, other than by a move. */
  #loses(register: number): boolean {
    const { opcode, opcodeRegister, reg } = this.#decoder;
    if (isCall(this.#decoder)) return !this.#calleeSaved[register];
    const isPopped = opcode >= 0x58 && opcode <= 0x5f && opcodeRegister === register;
    // Multiplications, divisions, sign extensions, cpuid, rdtsc and the like.
    const isImplicit = (register === AX || register === DX) &&
      (opcode === 0xf7 && reg >= 4 || opcode === 0x98 || opcode === 0x99 || opcode === 0x0fa2 ||
        opcode === 0x0f31 || opcode === 0x0fb1 || opcode === 0x0fc7);
    return isPopped || isImplicit || this.#writes(register);
  }

  /** Whether the decoded instruction computes a new value for a register. Moves, pushes and pops
   * are not meant here. */
  #writes(register: number): boolean {
    const { opcode, opcodeRegister, mod, reg, rm } = this.#decoder;
    const isDestination = mod === 3 && rm === register;
    // The eight operations, of which the last compares; those of bytes write to other registers.
    if (opcode >= 0 && opcode < 0x38 && (opcode & 5) === 1) {
      return (opcode & 2) === 0 ? isDestination : reg === register;
    }
    switch (opcode) {
      case 0x81:
      case 0x83:
        return isDestination && reg !== 7;
      case 0xc1:
      case 0xc7:
      case 0xd1:
      case 0xd3:
        return isDestination;
      case 0xf7:
        return isDestination && (reg === 2 || reg === 3);
      case 0xff:
        return isDestination && reg < 2;
      case 0x63:
      case 0x69:
      case 0x6b:
      case 0x0faf:
      case 0x0fb6:
      case 0x0fb7:
      case 0x0fb8:
      case 0x0fbc:
      case 0x0fbd:
      case 0x0fbe:
      case 0x0fbf:
        return reg === register;
      case 0x87:
        return isDestination || reg === register;
    }
    if (opcode >= 0x0f40 && opcode <= 0x0f4f) return reg === register;
    const isOfOpcode = opcode >= 0xb8 && opcode <= 0xbf || opcode >= 0x91 && opcode <= 0x97 ||
      opcode >= 0x40 && opcode <= 0x4f || opcode >= 0x0fc8 && opcode <= 0x0fcf;
    return isOfOpcode && opcodeRegister === register;
  }

  #findBoundaries(end: number): Set<number> {
    const found = new Set<number>();
    for (let at = 0; at < Math.min(end, MAX_FUNCTION) && this.#decode(at);) {
      found.add(at);
      at += this.#decoder.length;
    }
    return found;
  }

  /** The entry state of an epilogue that several functions share: without a branch it leads to a
   * `ret`, and pops more than was pushed since its first instruction. `null` for other code. */
  #outlinedEpilogue(): State | null {
    let state = this.atReturn;
    /** Callee-saved registers, by the distance of their slots from the CFA that `state` assumes. */
    const popped = new Map<number, number>();
    let at = 0;
    for (let count = 0; !this.isReturn(at); count++) {
      const applied = this.#apply(state, at);
      if (applied === null || count === MAX_EPILOGUE) return null;
      const { calls, ends, targets, length } = applied.step;
      const { sp } = applied.state;
      if (calls || ends || targets !== undefined || sp === null || sp > state.sp!) return null;
      const { opcode, opcodeRegister } = this.#decoder;
      const isPop = opcode >= 0x58 && opcode <= 0x5f;
      if (isPop && this.#calleeSaved[opcodeRegister]) popped.set(opcodeRegister, state.sp!);
      state = applied.state;
      at += length;
    }
    if (state.sp === null || state.sp >= this.#word) return null;
    const surplus = this.#word - state.sp;
    const saved = new Map<number, number>();
    for (const [register, distance] of popped) saved.set(register, -distance - surplus);
    return { ...this.atReturn, sp: this.#word + surplus, saved };
  }

  /** Whether the code at an offset is `push %rbp; mov %rsp, %rbp`, by either encoding. */
  #setsUpFrame(at: number): boolean {
    this.#cover(at + 4);
    const code = this.#code;
    if (code[at] !== 0x55) return false;
    const move = at + (this.#word === 8 && code[at + 1] === 0x48 ? 2 : 1);
    return code[move] === 0x89 && code[move + 1] === 0xe5 ||
      code[move] === 0x8b && code[move + 1] === 0xec;
  }

  /** The state after the decoded instruction: the same object when nothing changed. */
  #step(state: State, next: number): State {
    const decoder = this.#decoder;
    const { opcode, opcodeRegister, mod, reg, rm, immediate } = decoder;
    const word = decoder.narrow ? 2 : this.#word;
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
        return after.sp === null
          ? this.#push(after, opcodeRegister)
          : this.#save(after, opcodeRegister, -after.sp);
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
        return opcodeRegister === AX ? { ...state, accumulator: immediate } : state;
      case 0x81:
      case 0x83:
        if (mod !== 3 || rm !== SP) return state;
        if (reg === 0) return this.#lower(state, -immediate);
        if (reg === 5) return this.#lower(state, immediate);
        return reg === 7 ? state : this.#moveTo(state, null);
      case 0x29: // sub
        if (mod !== 3 || rm !== SP) return state;
        return this.#lower(state, reg === AX ? state.accumulator : null);
      case 0x2b:
        if (reg !== SP) return state;
        return this.#lower(state, mod === 3 && rm === AX ? state.accumulator : null);
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
        if (mod !== 3 && this.#isKept(state.kept)) return this.#load(state, reg, state.kept!);
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
    const { sp, kept } = state;
    if (sp !== null || size === null) {
      return this.#moveTo(state, sp === null || size === null ? null : sp + size);
    }
    const pushed = lowered(state.pushed, size);
    if (kept !== null) return { ...state, pushed, kept: { ...kept, at: kept.at + size } };
    return pushed === state.pushed ? state : { ...state, pushed };
  }

  /** Moves the stack pointer. Slots below it are gone. */
  #moveTo(before: State, sp: number | null): State {
    const { kept, pushed } = before;
    const state = kept === null && pushed.size === 0 ? before : {
      ...before,
      kept: null,
      // Where it is known again, their slots are below it.
      pushed: sp === null ? lowered(pushed, null) : nonePushed,
    };
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
    if (register === BP && state.isFrameLost) return state;
    if (this.#isAsync && NOT_BY_ASYNC.includes(register)) return state;
    return { ...state, saved: new Map(state.saved).set(register, offset) };
  }

  /** Saves a register, or an older stack pointer, in a slot that is only known from the stack pointer,
   * which points to it. */
  #push(state: State, register: number): State {
    const { saved, pushed, copy } = state;
    if (copy !== null && register === copy.register && copy.distance >= 0) {
      return { ...state, kept: { at: 0, index: -1, scale: 1, distance: copy.distance } };
    }
    const isSaved = !this.#calleeSaved[register] || saved.has(register) || pushed.has(register);
    return isSaved ? state : { ...state, pushed: new Map(pushed).set(register, 0) };
  }

  #store(state: State, register: number): State {
    const { base, hasIndex, displacement, index, scale } = this.#decoder;
    const { copy } = state;
    if (base === SP && state.sp === null && register === copy?.register && copy.distance >= 0) {
      const { distance } = copy;
      const kept = { at: displacement, index: hasIndex ? index : -1, scale, distance };
      return { ...state, kept };
    }
    const from = distanceOf(state, base);
    if (from === null && this.#isKept(state.kept)) return { ...state, kept: null };
    if (from === null || hasIndex) return state;
    if (register === ERROR && this.#word === 8 && !state.saved.has(ERROR)) this.#keepsError = true;
    return this.#save(state, register, displacement - from);
  }

  /** Whether the decoded operand is the slot. */
  #isKept(kept: Kept | null): boolean {
    const { base, hasIndex, displacement, index, scale } = this.#decoder;
    return kept !== null && base === SP && displacement === kept.at &&
      (hasIndex ? index === kept.index && scale === kept.scale : kept.index === -1);
  }

  /** Loads the value of a slot into a register. */
  #load(state: State, register: number, { distance }: Kept): State {
    if (register === SP) return this.#moveTo(state, distance);
    if (register === BP) return { ...state, fp: distance };
    return { ...state, copy: { register, distance } };
  }

  #pop(state: State, register: number, word: number): State {
    if (register === SP) {
      const { kept } = state;
      return this.#moveTo(state, kept?.at === 0 && kept.index === -1 ? kept.distance : null);
    }
    if (register === BP && state.isFrameLost) {
      return this.#pop({ ...state, isFrameLost: false }, register, word);
    }
    if (register !== BP || state.fp === null) return this.#lower(state, -word);
    // It is popped from the slot it was pushed to, whatever the counted depth is.
    const slot = state.saved.get(BP);
    const sp = slot === undefined ? state.sp : -slot;
    return this.#moveTo({ ...state, fp: null }, sp === null ? null : sp - word);
  }

  /** Gives a register the value of another one, or an unknown value (-1), plus a constant. */
  #move(before: State, to: number, from: number, constant: number): State {
    const state = before.kept?.index === to ? { ...before, kept: null } : before;
    const { sp, fp, copy } = state;
    const distance = from === SP
      ? sp
      : from === BP
      ? fp
      : from === copy?.register
      ? copy.distance
      : null;
    const moved = distance === null || !this.#isWhole() ? null : distance - constant;
    if (to === SP && from === SP && this.#isWhole()) return this.#lower(state, -constant);
    if (to === SP) return this.#moveTo(state, moved);
    if (to === BP) {
      const isFrameLost = state.isFrameLost || !state.saved.has(BP) && !state.pushed.has(BP);
      return moved === fp && isFrameLost === state.isFrameLost
        ? state
        : { ...state, fp: moved, isFrameLost };
    }
    // The copy nearest to the CFA is that of the stack pointer before it was aligned.
    const isNearer = moved !== null && (copy === null || moved <= copy.distance);
    if (isNearer) return { ...state, copy: { register: to, distance: moved } };
    return copy?.register === to ? { ...state, copy: null } : state;
  }

  /** In 32 bits a function that returns a structure takes its hidden argument off the stack, so
   * what was called is looked at. */
  #called(state: State, target: number | null, next: number): State {
    if (this.#word === 8 || state.sp === null) return state;
    let size = 0;
    if (target === null) {
      size = this.#isFollowedByReplacement(next) ? this.#word : 0;
    } else {
      const address = BigInt.asUintN(32, this.#input.functionStart + BigInt(target));
      size = this.#popped.get(address) ?? this.#findPopped(address);
      this.#popped.set(address, size);
    }
    const after = this.#lower(state, -size);
    return target === null ? { ...after, guessed: after } : after;
  }

  /** Whether a function called through a pointer popped one word. Callers that do not push
   * arguments then lower the stack pointer by as much at once. */
  #isFollowedByReplacement(next: number): boolean {
    this.#cover(next + 4);
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

/** Whether an instruction stores a register or a constant. */
function isStore(opcode: number): boolean {
  return opcode === 0x88 || opcode === 0x89 || opcode === 0xc6 || opcode === 0xc7 ||
    isVectorStore(opcode);
}

/** Whether an instruction stores a vector, or the lowest part of one: `movups` and `movaps`. */
function isVectorStore(opcode: number): boolean {
  return opcode === 0x0f11 || opcode === 0x0f29;
}

/** Slots after the stack pointer was lowered by `size` bytes, `null` when that is not known. Registers
 * whose slots it has passed must hold their own values again. */
function lowered(pushed: State["pushed"], size: number | null): State["pushed"] {
  if (pushed.size === 0) return pushed;
  const left = new Map<number, number | null>();
  for (const [register, at] of pushed) {
    if (at === null || size === null) left.set(register, null);
    else if (at + size >= 0) left.set(register, at + size);
  }
  return left;
}

/** Whether a row of unwind information can hold where a state does. Where something was guessed,
 * and the row says something else, the row is right. */
function agrees(arch: Arch, state: State, row: UnwindRow): boolean {
  const { guessed } = state;
  return guessed !== null && !isSame(arch, guessed, row) || isSame(arch, state, row);
}

/** Distance from a register to the CFA, in bytes; `null` where it has none that is known. */
function distanceOf({ sp, fp, copy }: State, register: number): number | null {
  if (register === SP) return sp;
  if (register === BP) return fp;
  return register === copy?.register ? copy.distance : null;
}

/** Whether a row finds the same caller as a state. A register that only the row knows to be saved
 * is no difference where the state has lost the stack pointer. */
function isSame(arch: Arch, state: State, { cfa, registers }: UnwindRow): boolean {
  if (cfa.kind !== "register") return true;
  const numbers = dwarfNumbers[arch.pointerSize];
  const number = numbers.indexOf(cfa.register);
  const distance = distanceOf(state, number);
  if (distance === null ? knowsBetter(state, number) : distance !== cfa.offset) return false;
  if (!state.link.slots.includes(-arch.pointerSize)) return false;
  return numbers.every((register, index) => {
    const rule = registers.get(register);
    const slot = state.saved.get(index);
    if (rule?.kind !== "offset") return true;
    return slot === undefined ? state.sp === null : rule.offset === slot;
  });
}

/** Whether a state has the CFA, but not by the register that a row has it by. */
function knowsBetter({ sp, fp, copy, kept }: State, register: number): boolean {
  return sp !== null || fp !== null || kept !== null || register === SP && copy !== null;
}

/** An expression for the CFA by the slot with an older stack pointer, as OpenSSL's "perlasm" writes it
 * in call-frame information. */
function keptCfa({ at, index, scale, distance }: Kept, numbers: readonly number[]): number[] {
  return [
    ...registerPlus(numbers[SP], at),
    ...index === -1 ? [] : [
      ...registerPlus(numbers[index], 0),
      ...[DW_OP_lit0 + scale, DW_OP_mul, DW_OP_plus],
    ],
    ...[DW_OP_deref, DW_OP_plus_uconst, ...uleb(distance)],
  ];
}

/** The row of a state; `null` when the CFA is not known. */
function toRow(arch: Arch, state: State): UnwindRow | null {
  const numbers = dwarfNumbers[arch.pointerSize];
  // A frame pointer points to its caller's value. It is better than the stack pointer: nothing
  // that a called function does to the stack changes it. Another value in rbp may be gone where
  // branches join.
  const isFrame = state.fp !== null && state.saved.get(BP) === -state.fp;
  // What keeps an older stack pointer in a slot does so to use the register again.
  const { copy, kept } = state;
  const { register, distance: offset } = isFrame || state.sp === null && state.fp !== null
    ? { register: BP, distance: state.fp }
    : state.sp === null && copy !== null && kept === null
    ? copy
    : { register: SP, distance: state.sp };
  if (offset === null && kept === null) return null;
  const { slots, register: link } = state.link;
  const own = -arch.pointerSize;
  const slot = slots.includes(own) ? own : slots.at(-1);
  // Where the function has taken its arguments off the stack, its caller's stack pointer is above them.
  const surplus = state.sp !== null && slot !== undefined && slot > own && -state.sp >= own
    ? slot - own
    : 0;
  const registers = new Map<number, RegisterRule>([[
    arch.pc.dwarf!,
    slot === undefined
      ? { kind: "register", register: numbers[link] }
      : { kind: "offset", offset: slot - surplus },
  ]]);
  for (const [saved, at] of state.saved) {
    registers.set(numbers[saved], { kind: "offset", offset: at - surplus });
  }
  if (state.isFrameLost) registers.set(numbers[BP], { kind: "undefined" });
  for (const [pushed, at] of state.pushed) {
    registers.set(
      numbers[pushed],
      at === null
        ? { kind: "undefined" }
        : { kind: "expression", bytes: Uint8Array.from(registerPlus(numbers[SP], at)) },
    );
  }
  return {
    cfa: offset === null
      ? { kind: "expression", bytes: Uint8Array.from(keptCfa(kept!, numbers)) }
      : { kind: "register", register: numbers[register], offset: offset + surplus },
    registers,
    returnAddress: arch.pc.dwarf!,
    signalFrame: false,
  };
}
