/** Evaluates the location descriptions of variables. DWARF 5, sections 2.5 and 2.6. */
import { type ExpressionContext, ExpressionMachine, NoValue, OP } from "./expression.ts";
import { Cursor } from "./cursor.ts";
import { FormatError } from "../errors.ts";
import { unsignedOf } from "./words.ts";

/** Where a variable is, or what its value is. */
export type Location =
  | { readonly kind: "memory"; readonly address: bigint }
  | { readonly kind: "register"; readonly register: number }
  /** Not in memory: the value itself, of 64 bits unless `size` says more. */
  | { readonly kind: "value"; readonly value: bigint; readonly size?: number }
  /** Not in memory: the bytes of the value. */
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  /** A pointer without a value to the variable with the entry at `place`. */
  | { readonly kind: "implicit-pointer"; readonly place: number; readonly offset: number }
  | { readonly kind: "pieces"; readonly pieces: readonly Piece[] }
  | { readonly kind: "empty" };

/** A part of a value. */
export interface Piece {
  /** Number of bits of the value. */
  readonly bits: number;
  /** Bits of the location before it. */
  readonly offset: number;
  readonly location: Location;
}

/** A base type that an expression refers to. */
export interface OperandType {
  /** Bits. */
  readonly size: number;
  readonly isSigned: boolean;
  readonly isFloat: boolean;
  /** Whether a floating-point number of more than 64 bits is of Intel's 80, and not one of 113 digits of IEEE 754. */
  readonly isExtended?: boolean;
}

/** What a location may depend on. What is `undefined` makes the location unknown. */
export interface LocationContext extends ExpressionContext {
  /** The base of the function's variables. */
  frameBase(): bigint | undefined;
  /** The canonical frame address: the caller's stack pointer before the call. */
  frameAddress(): bigint | undefined;
  /** A register's value when the function was entered. */
  entryValue(register: number): bigint | undefined;
  /** The address in the process of a linked address. */
  address(linked: bigint): bigint | undefined;
  /** The same for an entry of `.debug_addr`. */
  indexedAddress(index: number): bigint | undefined;
  /** A number in `.debug_addr`. */
  indexedConstant(index: number): bigint | undefined;
  /** The address of a thread's variable, or why it is not known.
   *
   * @param operand on Darwin the linked address of its descriptor, in ELF the offset among the image's */
  threadAddress(operand: bigint): bigint | string;
  /** The object that contains what is located. */
  readonly object?: bigint;
  /** A base type by its offset in the unit; 0 for the type of addresses. */
  operandType(offset: number): OperandType | undefined;
  /** Bytes of an offset into a section. */
  readonly offsetSize: 4 | 8;
  /** The location description of another entry; `undefined` when it has none.
   *
   * @param isInUnit whether the offset is one in the unit, and not in the section
   */
  called?(offset: number, isInUnit: boolean): Uint8Array | undefined;
}

/** `DW_OP_*` of locations. */
const LOCATION_OP = {
  reg0: 0x50,
  reg31: 0x6f,
  regx: 0x90,
  fbreg: 0x91,
  piece: 0x93,
  push_object_address: 0x97,
  call2: 0x98,
  call4: 0x99,
  call_ref: 0x9a,
  form_tls_address: 0x9b,
  call_frame_cfa: 0x9c,
  bit_piece: 0x9d,
  implicit_value: 0x9e,
  stack_value: 0x9f,
  implicit_pointer: 0xa0,
  addrx: 0xa1,
  constx: 0xa2,
  entry_value: 0xa3,
  const_type: 0xa4,
  regval_type: 0xa5,
  deref_type: 0xa6,
  convert: 0xa8,
  reinterpret: 0xa9,
  GNU_push_tls_address: 0xe0,
  GNU_uninit: 0xf0,
  GNU_implicit_pointer: 0xf2,
  GNU_entry_value: 0xf3,
  GNU_const_type: 0xf4,
  GNU_regval_type: 0xf5,
  GNU_deref_type: 0xf6,
  GNU_convert: 0xf7,
  GNU_reinterpret: 0xf9,
  GNU_addr_index: 0xfb,
  GNU_const_index: 0xfc,
} as const;

const wide: OperandType = { size: 64, isSigned: false, isFloat: false };
const wideSigned: OperandType = { size: 64, isSigned: true, isFloat: false };

/** Whether an entry has the type of addresses: what is wider on 32-bit processors is no other type. */
function isGeneric(
  type: OperandType | undefined,
): boolean {
  return type === undefined || type === wide || type === wideSigned;
}

/** Size of the largest vector register, in bytes: AVX-512's. */
const MAX_VECTOR = 64;
/** Maximum number of bytes that an operation reads from memory: those of the largest base type. */
const MAX_LOADED = 16;
/** Maximum number of pieces. */
const MAX_PIECES = 1024;
/** Maximum number of descriptions that call each other. */
const MAX_CALLS = 16;

/** Operations on two floating-point numbers; the one pushed first is on the left. */
const floatOperations: ReadonlyMap<number, (left: number, right: number) => number> = new Map([
  [OP.plus, (left, right) => left + right],
  [OP.minus, (left, right) => left - right],
  [OP.mul, (left, right) => left * right],
  [OP.div, (left, right) => left / right],
]);

/** Comparisons of two floating-point numbers. */
const floatComparisons: ReadonlyMap<number, (left: number, right: number) => boolean> = new Map([
  [OP.eq, (left, right) => left === right],
  [OP.ne, (left, right) => left !== right],
  [OP.lt, (left, right) => left < right],
  [OP.le, (left, right) => left <= right],
  [OP.gt, (left, right) => left > right],
  [OP.ge, (left, right) => left >= right],
]);

const scratch = new DataView(new ArrayBuffer(8));

/** The floating-point number of some bits. */
function floatOf(value: bigint, size: number): number {
  scratch.setBigUint64(0, value, true);
  if (size === 32) return scratch.getFloat32(0, true);
  if (size === 64) return scratch.getFloat64(0, true);
  throw new NoValue(`an expression with floating-point numbers of ${size} bits`);
}

/** The bits of a floating-point number. */
function bitsOf(value: number, size: number): bigint {
  scratch.setBigUint64(0, 0n, true);
  if (size === 32) scratch.setFloat32(0, value, true);
  else if (size === 64) scratch.setFloat64(0, value, true);
  else throw new NoValue(`an expression with floating-point numbers of ${size} bits`);
  return scratch.getBigUint64(0, true);
}

/** A number as `mantissa` times two to the `power`; an infinity or NaN as itself. */
type ExactFloat = { readonly mantissa: bigint; readonly power: number } | number;

/** The format of a number of more than 64 bits: digits of its mantissa, of which IEEE 754 leaves out the first. */
function longFormat({ size, isExtended }: OperandType): { digits: number; stored: number } {
  if (isExtended) return { digits: 64, stored: 64 };
  if (size === 128) return { digits: 113, stored: 112 };
  throw new NoValue(`an expression with floating-point numbers of ${size} bits`);
}

const EXPONENT_BIAS = 16383;
const MAX_EXPONENT = 0x7fff;

function exactOf(bits: bigint, type: OperandType): ExactFloat {
  if (type.size <= 64) {
    const number = floatOf(bits, type.size);
    if (!Number.isFinite(number)) return number;
    scratch.setFloat64(0, number);
    const whole = scratch.getBigUint64(0);
    const exponent = Number(whole >> 52n & 0x7ffn);
    const fraction = BigInt.asUintN(52, whole);
    const mantissa = exponent === 0 ? fraction : fraction | 1n << 52n;
    return { mantissa: number < 0 ? -mantissa : mantissa, power: Math.max(1, exponent) - 1075 };
  }
  const { digits, stored } = longFormat(type);
  const exponent = Number(bits >> BigInt(stored) & 0x7fffn);
  const held = BigInt.asUintN(stored, bits);
  const isNegative = (bits >> BigInt(stored + 15) & 1n) !== 0n;
  if (exponent === MAX_EXPONENT) {
    if (BigInt.asUintN(digits - 1, held) !== 0n) return NaN;
    return isNegative ? -Infinity : Infinity;
  }
  const mantissa = stored < digits && exponent !== 0 ? held | 1n << BigInt(stored) : held;
  const power = Math.max(1, exponent) - EXPONENT_BIAS - digits + 1;
  return { mantissa: isNegative ? -mantissa : mantissa, power };
}

/** The bits of a number, rounded to the nearest one of a type. */
function bitsOfExact(exact: ExactFloat, type: OperandType): bigint {
  if (type.size <= 64) {
    if (typeof exact === "number") return bitsOf(exact, type.size);
    // In two steps: the powers of two that a number here can have end before those of the long ones.
    const half = Math.trunc(exact.power / 2);
    return bitsOf(Number(exact.mantissa) * 2 ** half * 2 ** (exact.power - half), type.size);
  }
  const { digits, stored } = longFormat(type);
  const first = 1n << BigInt(digits - 1);
  const put = (isNegative: boolean, exponent: number, mantissa: bigint) =>
    BigInt(isNegative ? 1 : 0) << BigInt(stored + 15) | BigInt(exponent) << BigInt(stored) |
    BigInt.asUintN(stored, mantissa);
  if (typeof exact === "number") {
    return put(exact < 0, MAX_EXPONENT, Number.isNaN(exact) ? first | first >> 1n : first);
  }
  const isNegative = exact.mantissa < 0n;
  let mantissa = isNegative ? -exact.mantissa : exact.mantissa;
  if (mantissa === 0n) return 0n;
  const more = mantissa.toString(2).length - digits;
  let exponent = exact.power + more + digits - 1 + EXPONENT_BIAS;
  if (more <= 0) {
    mantissa <<= BigInt(-more);
  } else {
    const cut = BigInt.asUintN(more, mantissa);
    const tie = 1n << BigInt(more - 1);
    mantissa >>= BigInt(more);
    if (cut > tie || cut === tie && (mantissa & 1n) !== 0n) mantissa++;
    if (mantissa >> BigInt(digits) !== 0n) {
      mantissa >>= 1n;
      exponent++;
    }
  }
  if (exponent <= 0 || exponent >= MAX_EXPONENT) throw new NoValue("a number that is too large");
  return put(isNegative, exponent, mantissa);
}

/** Why a location is not known. */
export interface NoLocation {
  readonly kind: "unknown";
  readonly reason: string;
}

/** Evaluates a location description. It runs a bounded number of operations and never throws.
 *
 * @param bytes the description; empty means that the variable has no location
 */
export function evaluateLocation(
  bytes: Uint8Array,
  context: LocationContext,
): Location | NoLocation {
  try {
    return new LocationMachine(bytes, context).locate();
  } catch (error) {
    if (error instanceof NoValue) {
      return { kind: "unknown", reason: error.message || "its location is damaged" };
    }
    // A division by zero is a RangeError.
    if (error instanceof FormatError || error instanceof RangeError) {
      return { kind: "unknown", reason: "its location is damaged" };
    }
    throw error;
  }
}

class LocationMachine extends ExpressionMachine {
  readonly #location: LocationContext;
  readonly #pieces: Piece[] = [];
  /** The location so far, where it is not the address on the stack. */
  #simple: Location | null = null;
  /** Types of the stack's entries, by index; the others have that of addresses. */
  readonly #types = new Map<number, OperandType>();
  #calls = 0;

  constructor(bytes: Uint8Array, context: LocationContext) {
    super(bytes, context);
    this.#location = context;
  }

  locate(): Location {
    this.runSteps();
    if (this.#pieces.length > 0) return { kind: "pieces", pieces: this.#pieces };
    return this.#take();
  }

  #take(): Location {
    const simple = this.#simple;
    this.#simple = null;
    if (simple !== null) return simple;
    return this.stack.length === 0
      ? { kind: "empty" }
      : { kind: "memory", address: BigInt.asUintN(this.bits, this.pop()) };
  }

  protected override push(value: bigint, type?: OperandType): void {
    super.push(value);
    // The base machine has cut the value to the size of an address.
    if (type !== undefined) this.stack[this.stack.length - 1] = BigInt.asUintN(type.size, value);
    if (type === undefined) this.#types.delete(this.stack.length - 1);
    else this.#types.set(this.stack.length - 1, type);
  }

  /** The type of the entry `index` below the top; `undefined` for that of addresses. */
  #typeAt(index: number): OperandType | undefined {
    return this.#types.get(this.stack.length - 1 - index);
  }

  protected override pick(index: number): void {
    const type = this.#typeAt(index);
    super.pick(index);
    if (type !== undefined) this.#types.set(this.stack.length - 1, type);
  }

  protected override combine(operation: (left: bigint, right: bigint) => bigint): void {
    const type = this.#typeAt(1);
    const right = this.pop();
    const left = this.pop();
    const value = operation(left, right);
    if (type?.isFloat) throw new NoValue("an expression with floating-point numbers");
    this.push(type === undefined ? value : BigInt.asUintN(type.size, value), type);
  }

  protected override rotate(count: number): void {
    const types = Array.from({ length: count }, (_, index) => this.#typeAt(index));
    super.rotate(count);
    // The top has become the last of them.
    const moved = [...types.slice(1), types[0]];
    const top = this.stack.length - 1;
    moved.forEach((type, index) => {
      if (type === undefined) this.#types.delete(top - index);
      else this.#types.set(top - index, type);
    });
  }

  protected override replace(operation: (value: bigint) => bigint): void {
    const type = this.#typeAt(0);
    const value = operation(this.popSigned());
    this.push(value, type);
  }

  /** Numbers with a type have its sign; those of the type of addresses are divided as signed ones, and have the
   * remainder of unsigned ones. DWARF 5, section 2.5.1.4. */
  protected override divide(): void {
    const type = this.#typeAt(1);
    const right = this.popSigned();
    const left = this.popSigned();
    this.push(left / right, type);
  }

  protected override modulo(): void {
    const type = this.#typeAt(1);
    if (isGeneric(type)) return super.modulo();
    const right = this.popSigned();
    const left = this.popSigned();
    this.push(left % right, type);
  }

  protected override shift(
    operation: (left: bigint, right: bigint, width: number) => bigint,
  ): void {
    const right = this.pop();
    const type = this.#typeAt(0);
    if (type?.isFloat) throw new NoValue("an expression with floating-point numbers");
    this.push(operation(this.pop(), right, type?.size ?? this.bits), type);
  }

  protected override shiftSigned(distance: bigint): void {
    const type = this.#typeAt(0);
    const width = type?.size ?? this.bits;
    // Whatever its type, this shift keeps the highest bit.
    const held = this.pop();
    if (type?.isFloat) throw new NoValue("an expression with floating-point numbers");
    const far = distance >= width ? BigInt(width - 1) : distance;
    this.push(BigInt.asUintN(width, BigInt.asIntN(width, held) >> far), type);
  }

  protected override popSigned(): bigint {
    const type = this.#typeAt(0);
    if (type?.isFloat) throw new NoValue("an expression with floating-point numbers");
    const value = this.pop();
    if (type === undefined || isGeneric(type)) return BigInt.asIntN(type?.size ?? this.bits, value);
    return type.isSigned ? BigInt.asIntN(type.size, value) : value;
  }

  #known(value: bigint | undefined, what: string): bigint {
    if (value === undefined) throw new NoValue(what);
    return value;
  }

  #operandType(offset: number): OperandType | undefined {
    if (offset === 0) return undefined;
    const type = this.#location.operandType(offset);
    if (type === undefined) throw new NoValue("its location has an unknown type");
    return type;
  }

  #convert(type: OperandType | undefined): void {
    const from = this.#typeAt(0);
    const held = this.pop();
    const isLong = from?.isFloat && from.size > 64 || type?.isFloat && type.size > 64;
    if (isLong) return this.#convertLong(held, from, type);
    if (from?.isFloat) {
      const number = floatOf(held, from.size);
      if (type?.isFloat) return this.push(bitsOf(number, type.size), type);
      if (!Number.isFinite(number)) throw new NoValue("a number that is no integer");
      return this.push(BigInt.asUintN(type?.size ?? this.bits, BigInt(Math.trunc(number))), type);
    }
    const value = from?.isSigned ? BigInt.asIntN(from.size, held) : held;
    if (type?.isFloat) return this.push(bitsOf(Number(value), type.size), type);
    this.push(BigInt.asUintN(type?.size ?? this.bits, value), type);
  }

  /** A vector register on the stack, which Clang saves whole for a variable in the low part of it. */
  #spilled(address: bigint, size: number): Uint8Array {
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; at++) {
      const byte = this.context.readMemory(address + BigInt(at), 1);
      if (byte === undefined) throw new NoValue(`unreadable at 0x${address.toString(16)}`);
      bytes[at] = Number(byte);
    }
    return bytes;
  }

  /** From or to a floating-point number of more than 64 bits. */
  #convertLong(held: bigint, from: OperandType | undefined, type: OperandType | undefined): void {
    const exact = from?.isFloat
      ? exactOf(held, from)
      : { mantissa: from?.isSigned ? BigInt.asIntN(from.size, held) : held, power: 0 };
    if (type?.isFloat) return this.push(bitsOfExact(exact, type), type);
    if (typeof exact === "number") throw new NoValue("a number that is no integer");
    const { mantissa, power } = exact;
    // A division of a BigInt rounds to zero, as a conversion does.
    const whole = power >= 0
      ? mantissa << BigInt(Math.min(power, 256))
      : mantissa / (1n << BigInt(-power));
    this.push(BigInt.asUintN(type?.size ?? this.bits, whole), type);
  }

  protected override step(op: number): void {
    const { cursor } = this;
    const context = this.#location;
    if (this.#typeAt(0)?.isFloat && this.#floatStep(op)) return;
    if (op >= LOCATION_OP.reg0 && op <= LOCATION_OP.reg31) {
      this.#simple = { kind: "register", register: op - LOCATION_OP.reg0 };
      return;
    }
    switch (op) {
      case OP.addr: {
        const linked = this.bits === 64 ? cursor.u64() : BigInt(cursor.u32());
        return this.push(this.#known(context.address(linked), "its address is not known"));
      }
      // A constant may be wider than an address, as the value of a `long long` is.
      case OP.const8u:
        return this.push(cursor.u64(), wide);
      case OP.const8s:
        return this.push(cursor.i64(), wideSigned);
      case OP.constu:
        return this.push(cursor.ulebBig(), wide);
      case OP.consts:
        return this.push(cursor.slebBig(), wideSigned);
      case LOCATION_OP.addrx:
      case LOCATION_OP.GNU_addr_index:
        return this.push(
          this.#known(context.indexedAddress(cursor.uleb()), "its address is not known"),
        );
      case LOCATION_OP.constx:
      case LOCATION_OP.GNU_const_index:
        return this.push(
          this.#known(context.indexedConstant(cursor.uleb()), "a constant is not known"),
        );
      case LOCATION_OP.regx:
        this.#simple = { kind: "register", register: cursor.uleb() };
        return;
      case LOCATION_OP.fbreg: {
        const base = this.#known(context.frameBase(), "the frame's base is not known");
        return this.push(base + cursor.slebBig());
      }
      case LOCATION_OP.call_frame_cfa:
        return this.push(this.#known(context.frameAddress(), "the frame's address is not known"));
      case LOCATION_OP.push_object_address:
        return this.push(this.#known(context.object, "there is no object"));
      case LOCATION_OP.form_tls_address:
      case LOCATION_OP.GNU_push_tls_address: {
        const address = context.threadAddress(this.pop());
        if (typeof address === "string") throw new NoValue(address);
        return this.push(address);
      }
      case OP.deref_size: {
        const [size, next] = cursor.bytes.subarray(cursor.position, cursor.end);
        const isWide = size > context.pointerSize && size <= MAX_VECTOR;
        if (!isWide || next !== LOCATION_OP.stack_value) break;
        cursor.skip(2);
        this.#simple = { kind: "bytes", bytes: this.#spilled(this.pop(), size) };
        return;
      }
      case LOCATION_OP.stack_value: {
        const size = this.#typeAt(0)?.size ?? 0;
        this.#simple = { kind: "value", value: this.pop(), ...(size > 64 ? { size } : {}) };
        return;
      }
      case LOCATION_OP.implicit_value:
        this.#simple = { kind: "bytes", bytes: cursor.take(cursor.uleb()) };
        return;
      case LOCATION_OP.implicit_pointer:
      case LOCATION_OP.GNU_implicit_pointer: {
        const place = context.offsetSize === 8 ? Number(cursor.u64()) : cursor.u32();
        this.#simple = { kind: "implicit-pointer", place, offset: cursor.sleb() };
        return;
      }
      case LOCATION_OP.call2:
        return this.#call(cursor.u16(), true);
      case LOCATION_OP.call4:
        return this.#call(cursor.u32(), true);
      case LOCATION_OP.call_ref:
        return this.#call(context.offsetSize === 8 ? Number(cursor.u64()) : cursor.u32(), false);
      case LOCATION_OP.piece:
        return this.#piece(cursor.uleb() * 8, 0);
      case LOCATION_OP.bit_piece:
        return this.#piece(cursor.uleb(), cursor.uleb());
      case LOCATION_OP.entry_value:
      case LOCATION_OP.GNU_entry_value:
        return this.#entryValue(cursor.take(cursor.uleb()));
      case LOCATION_OP.const_type:
      case LOCATION_OP.GNU_const_type: {
        const type = this.#operandType(cursor.uleb());
        return this.push(unsignedOf(cursor.take(cursor.u8())), type);
      }
      case LOCATION_OP.regval_type:
      case LOCATION_OP.GNU_regval_type: {
        const register = cursor.uleb();
        const type = this.#operandType(cursor.uleb());
        const value = this.#known(
          context.registers(register),
          `register ${register} is not known in this frame`,
        );
        if (type !== undefined && type.size > this.bits) {
          throw new NoValue(`a register with a value of ${type.size} bits`);
        }
        return this.push(type === undefined ? value : BigInt.asUintN(type.size, value), type);
      }
      case LOCATION_OP.deref_type:
      case LOCATION_OP.GNU_deref_type: {
        const size = cursor.u8();
        const type = this.#operandType(cursor.uleb());
        if (type === undefined) return this.load(size);
        return this.push(this.#loadWide(size), type);
      }
      case LOCATION_OP.convert:
      case LOCATION_OP.GNU_convert:
        return this.#convert(this.#operandType(cursor.uleb()));
      case LOCATION_OP.reinterpret:
      case LOCATION_OP.GNU_reinterpret: {
        const type = this.#operandType(cursor.uleb());
        return this.push(this.pop(), type);
      }
      case LOCATION_OP.GNU_uninit:
        return;
    }
    super.step(op);
  }

  /** The number of up to 16 bytes at the address on the stack. */
  #loadWide(size: number): bigint {
    if (size < 1 || size > MAX_LOADED) throw new NoValue(`a value of ${size} bytes in memory`);
    const address = this.pop();
    let value = 0n;
    for (let at = 0; at < size; at += 8) {
      const part = this.context.readMemory(address + BigInt(at), Math.min(8, size - at));
      if (part === undefined) throw new NoValue(`unreadable at 0x${address.toString(16)}`);
      value |= part << BigInt(8 * at);
    }
    return value;
  }

  /** An operation on floating-point numbers; returns whether it is one. */
  #floatStep(op: number): boolean {
    const type = this.#typeAt(0)!;
    if (op === OP.neg || op === OP.abs) {
      const value = floatOf(this.pop(), type.size);
      this.push(bitsOf(op === OP.neg ? -value : Math.abs(value), type.size), type);
      return true;
    }
    const combine = floatOperations.get(op);
    const compare = floatComparisons.get(op);
    if (combine === undefined && compare === undefined) return false;
    const right = floatOf(this.pop(), type.size);
    if (!this.#typeAt(0)?.isFloat) throw new NoValue("its location mixes types");
    const left = floatOf(this.pop(), type.size);
    if (combine !== undefined) this.push(bitsOf(combine(left, right), type.size), type);
    else this.push(compare!(left, right) ? 1n : 0n);
    return true;
  }

  /** Runs the description of another entry over the same stack. DWARF 5, section 2.5.1.5. */
  #call(offset: number, isInUnit: boolean): void {
    const bytes = this.#location.called?.(offset, isInUnit);
    // An entry without a location does nothing.
    if (bytes === undefined) return;
    if (this.#calls >= MAX_CALLS) throw new NoValue("descriptions that call each other");
    const caller = this.cursor;
    this.#calls++;
    this.cursor = new Cursor(bytes, "expression");
    try {
      this.runSteps();
    } finally {
      this.cursor = caller;
      this.#calls--;
    }
  }

  #piece(bits: number, offset: number): void {
    if (this.#pieces.length === MAX_PIECES) throw new NoValue("a location of too many pieces");
    this.#pieces.push({ bits, offset, location: this.#take() });
  }

  #entryValue(bytes: Uint8Array): void {
    // The compilers emit nothing but one register here: as it is, or with a type.
    const cursor = new Cursor(bytes, "expression");
    const op = cursor.u8();
    const isTyped = op === LOCATION_OP.regval_type || op === LOCATION_OP.GNU_regval_type;
    const isPlain = op >= LOCATION_OP.reg0 && op <= LOCATION_OP.reg31;
    if (!isTyped && !isPlain && op !== LOCATION_OP.regx) {
      throw new NoValue("a value at the function's entry that is not in a register");
    }
    const register = isPlain ? op - LOCATION_OP.reg0 : cursor.uleb();
    const type = isTyped ? this.#operandType(cursor.uleb()) : undefined;
    const value = this.#location.entryValue(register);
    this.push(this.#known(value, "its value at the function's entry is not known"), type);
  }
}
