/** Runs the programs of CIEs and FDEs, which build the table of rows.
 * DWARF 5, section 6.4.2. */
import type { Cie, Fde } from "./cfi_entries.ts";
import type { Cursor } from "./cursor.ts";
import { swapRegisters } from "./expression.ts";
import { type PointerBases, readCodeAddress } from "./pointer_encoding.ts";
import type { CfaRule, RegisterRule, UnwindRow } from "./row.ts";

const CFA = {
  nop: 0x00,
  set_loc: 0x01,
  advance_loc1: 0x02,
  advance_loc2: 0x03,
  advance_loc4: 0x04,
  offset_extended: 0x05,
  restore_extended: 0x06,
  undefined: 0x07,
  same_value: 0x08,
  register: 0x09,
  remember_state: 0x0a,
  restore_state: 0x0b,
  def_cfa: 0x0c,
  def_cfa_register: 0x0d,
  def_cfa_offset: 0x0e,
  def_cfa_expression: 0x0f,
  expression: 0x10,
  offset_extended_sf: 0x11,
  def_cfa_sf: 0x12,
  def_cfa_offset_sf: 0x13,
  val_offset: 0x14,
  val_offset_sf: 0x15,
  val_expression: 0x16,
  MIPS_advance_loc8: 0x1d,
  /** `DW_CFA_AARCH64_negate_ra_state` on arm64. */
  GNU_window_save: 0x2d,
  GNU_args_size: 0x2e,
  GNU_negative_offset_extended: 0x2f,
  // With an operand in the low six bits.
  advance_loc: 0x40,
  offset: 0x80,
  restore: 0xc0,
} as const;

/** Maximum number of remembered states. Compilers use one. */
const MAX_REMEMBERED = 64;
/** Maximum number of registers with a rule. */
const MAX_REGISTERS = 512;
/** Maximum number of rules in all rows of a function: limits the memory that a damaged one takes. */
const MAX_RULES = 1 << 18;

const UNDEFINED: RegisterRule = { kind: "undefined" };
const SAME: RegisterRule = { kind: "same" };
/** ebp and esp of i386: 5 and 4, except in `__eh_frame` on Darwin. */
const ESP = 4;

/** The rules at one address. A row is only made of them when it is complete. */
interface State {
  readonly cfa: CfaRule | undefined;
  readonly registers: ReadonlyMap<number, RegisterRule>;
}

/** The initial state that a CIE gives to its FDEs. */
export type InitialState = State;

/** The rows of a function. */
export interface RowTable {
  /** Where each row begins to apply, ascending, as offsets from the section's address. */
  readonly starts: readonly number[];
  /** `undefined` if there is no known rule for the CFA. */
  readonly rows: readonly (UnwindRow | undefined)[];
  /** The damage that ended the program early; the last row is then `undefined`. */
  readonly error: unknown;
  /** Number of rows and rules: the cost of keeping it. */
  readonly weight: number;
}

/** What programs need besides their CIE. */
export interface ProgramContext {
  readonly section: Cursor;
  readonly bases: PointerBases;
  /** Whether registers 4 and 5 are swapped. */
  readonly swapEspEbp: boolean;
}

/** Runs a CIE's program.
 *
 * @throws {FormatError} when it is damaged
 */
export function runCie(context: ProgramContext, cie: Cie): InitialState {
  const program = new Program(context, cie, undefined, NaN);
  program.run(cie.program, cie.end);
  return program.state();
}

/** Runs an FDE's program. If it is damaged, the rows before the damage are kept.
 *
 * @param end offset of the entry's end in the section
 */
export function runFde(
  context: ProgramContext,
  cie: Cie,
  initial: InitialState,
  fde: Fde,
  end: number,
): RowTable {
  const program = new Program(context, cie, initial, fde.start);
  let error: unknown;
  try {
    program.run(fde.program, end);
    program.emit();
  } catch (caught) {
    error = caught;
    program.emitUnknown();
  }
  return { starts: program.starts, rows: program.rows, error, weight: program.weight };
}

class Program {
  readonly starts: number[] = [];
  readonly rows: (UnwindRow | undefined)[] = [];
  readonly #context: ProgramContext;
  readonly #cie: Cie;
  readonly #initial: InitialState | undefined;
  /** Start of the function. */
  readonly #start: number;
  readonly #remembered: State[] = [];
  #location: number;
  #cfa: CfaRule | undefined;
  #registers: Map<number, RegisterRule>;
  /** Whether a row or a remembered state shares `#registers`: then it is copied before a change. */
  #shared = true;
  /** Whether a rule changed since the last row. */
  #changed = true;
  #rules = 0;

  constructor(
    context: ProgramContext,
    cie: Cie,
    initial: InitialState | undefined,
    start: number,
  ) {
    this.#context = context;
    this.#cie = cie;
    this.#initial = initial;
    this.#start = start;
    this.#location = start;
    this.#cfa = initial?.cfa;
    this.#registers = initial === undefined
      ? new Map()
      : initial.registers as Map<number, RegisterRule>;
  }

  get weight(): number {
    return this.rows.length + this.#rules;
  }

  state(): State {
    this.#shared = true;
    return { cfa: this.#cfa, registers: this.#registers };
  }

  /** Adds the row of the current address. */
  emit(): void {
    this.#add(this.#changed ? this.#row() : this.rows.at(-1));
    this.#changed = false;
  }

  emitUnknown(): void {
    this.#add(undefined);
  }

  #add(row: UnwindRow | undefined): void {
    if (this.starts.at(-1) === this.#location) {
      this.rows[this.rows.length - 1] = row;
      return;
    }
    this.starts.push(this.#location);
    this.rows.push(row);
  }

  #row(): UnwindRow | undefined {
    if (this.#cfa === undefined) return undefined;
    this.#shared = true;
    return {
      cfa: this.#cfa,
      registers: this.#registers,
      returnAddress: this.#register(this.#cie.returnAddress),
      signalFrame: this.#cie.signalFrame,
    };
  }

  run(start: number, end: number): void {
    const cursor = this.#context.section.at(start, end);
    while (cursor.position < cursor.end) {
      const position = cursor.position;
      const byte = cursor.u8();
      const operand = byte & 0x3f;
      switch (byte & 0xc0) {
        case CFA.advance_loc:
          this.#advance(cursor, operand);
          break;
        case CFA.offset:
          this.#set(cursor, operand, this.#offset(cursor, cursor.uleb()));
          break;
        case CFA.restore:
          this.#restore(cursor, operand);
          break;
        default:
          this.#extended(cursor, byte, position);
      }
    }
  }

  #extended(cursor: Cursor, op: number, position: number): void {
    switch (op) {
      case CFA.nop:
      // Whether the return address is signed. Addresses are used without signatures.
      // falls through
      case CFA.GNU_window_save:
        return;
      case CFA.GNU_args_size:
        // For exception handlers: how far to move the stack pointer.
        cursor.uleb();
        return;
      case CFA.set_loc:
        return this.#setLocation(cursor);
      case CFA.advance_loc1:
        return this.#advance(cursor, cursor.u8());
      case CFA.advance_loc2:
        return this.#advance(cursor, cursor.u16());
      case CFA.advance_loc4:
        return this.#advance(cursor, cursor.u32());
      case CFA.MIPS_advance_loc8:
        return this.#advance(cursor, Number(cursor.u64()));
      case CFA.offset_extended:
        return this.#set(cursor, cursor.uleb(), this.#offset(cursor, cursor.uleb()));
      case CFA.offset_extended_sf:
        return this.#set(cursor, cursor.uleb(), this.#offset(cursor, cursor.sleb()));
      case CFA.GNU_negative_offset_extended:
        return this.#set(cursor, cursor.uleb(), this.#offset(cursor, -cursor.uleb()));
      case CFA.val_offset:
        return this.#set(cursor, cursor.uleb(), this.#valueOffset(cursor, cursor.uleb()));
      case CFA.val_offset_sf:
        return this.#set(cursor, cursor.uleb(), this.#valueOffset(cursor, cursor.sleb()));
      case CFA.restore_extended:
        return this.#restore(cursor, cursor.uleb());
      case CFA.undefined:
        return this.#set(cursor, cursor.uleb(), UNDEFINED);
      case CFA.same_value:
        return this.#set(cursor, cursor.uleb(), SAME);
      case CFA.register:
        return this.#set(cursor, cursor.uleb(), {
          kind: "register",
          register: this.#register(cursor.uleb()),
        });
      case CFA.expression:
        return this.#set(cursor, cursor.uleb(), {
          kind: "expression",
          bytes: this.#expression(cursor),
        });
      case CFA.val_expression:
        return this.#set(cursor, cursor.uleb(), {
          kind: "value-expression",
          bytes: this.#expression(cursor),
        });
      case CFA.remember_state:
        if (this.#remembered.length === MAX_REMEMBERED) {
          throw cursor.damage(`at most ${MAX_REMEMBERED} remembered states`, position);
        }
        this.#remembered.push(this.state());
        return;
      case CFA.restore_state: {
        const state = this.#remembered.pop();
        if (state === undefined) throw cursor.damage("a remembered state", position);
        this.#cfa = state.cfa;
        this.#registers = state.registers as Map<number, RegisterRule>;
        this.#shared = true;
        this.#changed = true;
        return;
      }
      case CFA.def_cfa:
        return this.#defineCfa(cursor.uleb(), cursor.uleb());
      case CFA.def_cfa_sf:
        return this.#defineCfa(cursor.uleb(), this.#factored(cursor, cursor.sleb()));
      case CFA.def_cfa_register: {
        const { offset } = this.#registerCfa(cursor, position);
        return this.#defineCfa(cursor.uleb(), offset);
      }
      case CFA.def_cfa_offset:
        return this.#moveCfa(cursor, position, cursor.uleb());
      case CFA.def_cfa_offset_sf:
        return this.#moveCfa(cursor, position, this.#factored(cursor, cursor.sleb()));
      case CFA.def_cfa_expression:
        this.#cfa = { kind: "expression", bytes: this.#expression(cursor) };
        this.#changed = true;
        return;
    }
    throw cursor.damage(`a known instruction, not 0x${op.toString(16)}`, position);
  }

  #register(number: number): number {
    return this.#context.swapEspEbp && (number & ~1) === ESP ? number ^ 1 : number;
  }

  #expression(cursor: Cursor): Uint8Array {
    const bytes = cursor.take(cursor.uleb());
    return this.#context.swapEspEbp ? swapRegisters(bytes, ESP, this.#cie.addressSize) : bytes;
  }

  #factored(cursor: Cursor, factor: number): number {
    const offset = factor * this.#cie.dataAlignment;
    if (!Number.isSafeInteger(offset)) throw cursor.damage("an offset within 2^53");
    // Avoids negative zero.
    return offset + 0;
  }

  #offset(cursor: Cursor, factor: number): RegisterRule {
    return { kind: "offset", offset: this.#factored(cursor, factor) };
  }

  #valueOffset(cursor: Cursor, factor: number): RegisterRule {
    return { kind: "value-offset", offset: this.#factored(cursor, factor) };
  }

  #defineCfa(register: number, offset: number): void {
    this.#cfa = { kind: "register", register: this.#register(register), offset };
    this.#changed = true;
  }

  #registerCfa(cursor: Cursor, position: number): CfaRule & { kind: "register" } {
    const cfa = this.#cfa;
    if (cfa?.kind !== "register") throw cursor.damage("a CFA that is a register's", position);
    return cfa;
  }

  #moveCfa(cursor: Cursor, position: number, offset: number): void {
    this.#cfa = { ...this.#registerCfa(cursor, position), offset };
    this.#changed = true;
  }

  /** The rules, for a change. */
  #own(): Map<number, RegisterRule> {
    if (this.#shared) {
      this.#rules += this.#registers.size;
      this.#registers = new Map(this.#registers);
      this.#shared = false;
    }
    this.#changed = true;
    return this.#registers;
  }

  #set(cursor: Cursor, number: number, rule: RegisterRule): void {
    const registers = this.#own();
    registers.set(this.#register(number), rule);
    if (registers.size > MAX_REGISTERS) {
      throw cursor.damage(`rules for at most ${MAX_REGISTERS} registers`);
    }
    if (this.weight > MAX_RULES) throw cursor.damage(`at most ${MAX_RULES} rules`);
  }

  #restore(cursor: Cursor, number: number): void {
    if (this.#initial === undefined) throw cursor.damage("an FDE's instruction");
    const register = this.#register(number);
    const rule = this.#initial.registers.get(register);
    if (rule !== undefined) return this.#set(cursor, number, rule);
    this.#own().delete(register);
  }

  #advance(cursor: Cursor, delta: number): void {
    this.#moveTo(cursor, this.#location + delta * this.#cie.codeAlignment);
  }

  #setLocation(cursor: Cursor): void {
    if (this.#cie.segmentSize !== 0) cursor.skip(this.#cie.segmentSize);
    const { encoding, addressSize } = this.#cie;
    const { bases } = this.#context;
    this.#moveTo(cursor, readCodeAddress(cursor, encoding, addressSize, bases, this.#start));
  }

  #moveTo(cursor: Cursor, location: number): void {
    // A CIE has no location at all.
    if (!Number.isSafeInteger(location) || location < this.#location) {
      throw cursor.damage("a location that does not move back");
    }
    if (location === this.#location) return;
    if (this.weight > MAX_RULES) throw cursor.damage(`at most ${MAX_RULES} rows`);
    this.emit();
    this.#location = location;
  }
}
