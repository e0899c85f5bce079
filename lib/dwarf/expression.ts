/** Evaluates DWARF expressions of call-frame information, which run on a stack machine. DWARF 5, section 2.5,
 * with the limits of section 6.4.2. */
import { Cursor } from "./cursor.ts";

/** What an expression can access. */
export interface ExpressionContext {
  /** The value of a register by DWARF number; `undefined` if unknown. */
  readonly registers: (register: number) => bigint | undefined;
  /** The little-endian number of `size` bytes, 1 to 8, at `address`; `undefined` if it cannot be read. */
  readonly readMemory: (address: bigint, size: number) => bigint | undefined;
  /** The initial top of the stack: the CFA for the rules of registers, absent for the CFA's rule. */
  readonly cfa?: bigint;
  /** Size of a pointer and of each stack entry, in bytes. */
  readonly pointerSize: 4 | 8;
}

/** Maximum number of operations per expression. Real ones have a dozen. */
const MAX_STEPS = 4096;
const MAX_DEPTH = 256;

/** `DW_OP_*` of call-frame information. */
export const OP = {
  addr: 0x03,
  deref: 0x06,
  const1u: 0x08,
  const1s: 0x09,
  const2u: 0x0a,
  const2s: 0x0b,
  const4u: 0x0c,
  const4s: 0x0d,
  const8u: 0x0e,
  const8s: 0x0f,
  constu: 0x10,
  consts: 0x11,
  dup: 0x12,
  drop: 0x13,
  over: 0x14,
  pick: 0x15,
  swap: 0x16,
  rot: 0x17,
  abs: 0x19,
  and: 0x1a,
  div: 0x1b,
  minus: 0x1c,
  mod: 0x1d,
  mul: 0x1e,
  neg: 0x1f,
  not: 0x20,
  or: 0x21,
  plus: 0x22,
  plus_uconst: 0x23,
  shl: 0x24,
  shr: 0x25,
  shra: 0x26,
  xor: 0x27,
  bra: 0x28,
  eq: 0x29,
  ge: 0x2a,
  gt: 0x2b,
  le: 0x2c,
  lt: 0x2d,
  ne: 0x2e,
  skip: 0x2f,
  lit0: 0x30,
  lit31: 0x4f,
  breg0: 0x70,
  breg31: 0x8f,
  bregx: 0x92,
  deref_size: 0x94,
  nop: 0x96,
} as const;

/** Why an expression has no value. */
export class NoValue extends Error {}

/** Evaluates a DWARF expression of call-frame information. It runs a bounded number of operations and never
 * throws.
 *
 * @param bytes the expression
 * @returns an unsigned number of the size of a pointer; `undefined` if the expression is damaged, divides by
 * zero, runs too long, or needs an unknown value
 *
 * @example
 * ```ts
 * import { evaluateExpression } from "./mod.ts";
 *
 * const value = evaluateExpression(new Uint8Array([0x77, 8]), { // DW_OP_breg7 +8
 *   registers: (register) => register === 7 ? 0x1000n : undefined,
 *   readMemory: () => undefined,
 *   pointerSize: 8,
 * });
 * console.log(value); // 4104n
 * ```
 */
export function evaluateExpression(
  bytes: Uint8Array,
  context: ExpressionContext,
): bigint | undefined {
  try {
    return new ExpressionMachine(bytes, context).run();
  } catch {
    // Damage, or an error of the caller's functions: the value is unknown.
    return undefined;
  }
}

/** The stack machine. */
export class ExpressionMachine {
  protected cursor: Cursor;
  protected readonly context: ExpressionContext;
  protected readonly bits: number;
  protected readonly stack: bigint[] = [];

  constructor(bytes: Uint8Array, context: ExpressionContext) {
    this.cursor = new Cursor(bytes, "expression");
    this.context = context;
    this.bits = context.pointerSize * 8;
    if (context.cfa !== undefined) this.push(context.cfa);
  }

  /** Runs the whole expression; returns the top of the stack. */
  run(): bigint {
    this.runSteps();
    return this.pop();
  }

  #steps = 0;

  protected runSteps(): void {
    const cursor = this.cursor;
    while (cursor.position < cursor.end) {
      if (this.#steps++ === MAX_STEPS) throw new NoValue("an expression of too many steps");
      this.step(cursor.u8());
    }
  }

  protected push(value: bigint): void {
    if (this.stack.length === MAX_DEPTH) throw new NoValue();
    this.stack.push(BigInt.asUintN(this.bits, value));
  }

  protected pop(): bigint {
    const value = this.stack.pop();
    if (value === undefined) throw new NoValue();
    return value;
  }

  protected popSigned(): bigint {
    return BigInt.asIntN(this.bits, this.pop());
  }

  /** Pushes a copy of the entry `index` below the top. */
  protected pick(index: number): void {
    const value = this.stack.at(-1 - index);
    if (value === undefined) throw new NoValue();
    this.push(value);
  }

  protected pushRegister(register: number, offset: bigint): void {
    const value = this.context.registers(register);
    if (value === undefined) throw new NoValue(`register ${register} is not known in this frame`);
    this.push(value + offset);
  }

  protected load(size: number): void {
    if (size < 1 || size > this.context.pointerSize) {
      throw new NoValue(`an address that leads to ${size} bytes at once`);
    }
    const address = this.pop();
    const value = this.context.readMemory(address, size);
    if (value === undefined) throw new NoValue(`unreadable at 0x${address.toString(16)}`);
    this.push(BigInt.asUintN(size * 8, value));
  }

  protected branch(distance: number): void {
    const target = this.cursor.position + distance;
    // A branch to the very end returns.
    if (target < 0 || target > this.cursor.end) throw new NoValue();
    this.cursor.position = target;
  }

  /** Applies an operator to two signed operands; the one pushed first is on the left. */
  protected compare(holds: (left: bigint, right: bigint) => boolean): void {
    const right = this.popSigned();
    const left = this.popSigned();
    this.push(holds(left, right) ? 1n : 0n);
  }

  /** Applies an operator to two unsigned operands; the one pushed first is on the left. */
  protected combine(operation: (left: bigint, right: bigint) => bigint): void {
    const right = this.pop();
    const left = this.pop();
    this.push(operation(left, right));
  }

  /** Moves the top of the stack below the `count` - 1 entries under it. */
  protected rotate(count: number): void {
    const top = this.pop();
    if (this.stack.length < count - 1) throw new NoValue();
    this.stack.splice(this.stack.length - count + 1, 0, top);
  }

  /** Applies an operator to the top of the stack, as a signed number. */
  protected replace(operation: (value: bigint) => bigint): void {
    this.push(operation(this.popSigned()));
  }

  protected divide(): void {
    const right = this.popSigned();
    const left = this.popSigned();
    this.push(left / right);
  }

  protected modulo(): void {
    this.combine((left, right) => left % right);
  }

  /** Shifts the value below the distance on the stack. */
  protected shift(operation: (left: bigint, right: bigint, width: number) => bigint): void {
    const right = this.pop();
    this.push(operation(this.pop(), right, this.bits));
  }

  /** Shifts the value on the stack to the right and keeps its sign. */
  protected shiftSigned(distance: bigint): void {
    const value = this.popSigned();
    this.push(value >> (distance >= this.bits ? BigInt(this.bits - 1) : distance));
  }

  protected step(op: number): void {
    const cursor = this.cursor;
    if (op >= OP.lit0 && op <= OP.lit31) return this.push(BigInt(op - OP.lit0));
    if (op >= OP.breg0 && op <= OP.breg31) {
      return this.pushRegister(op - OP.breg0, cursor.slebBig());
    }
    switch (op) {
      case OP.addr:
        return this.push(this.bits === 64 ? cursor.u64() : BigInt(cursor.u32()));
      case OP.const1u:
        return this.push(BigInt(cursor.u8()));
      case OP.const1s:
        return this.push(BigInt(cursor.i8()));
      case OP.const2u:
        return this.push(BigInt(cursor.u16()));
      case OP.const2s:
        return this.push(BigInt(cursor.i16()));
      case OP.const4u:
        return this.push(BigInt(cursor.u32()));
      case OP.const4s:
        return this.push(BigInt(cursor.i32()));
      case OP.const8u:
        return this.push(cursor.u64());
      case OP.const8s:
        return this.push(cursor.i64());
      case OP.constu:
        return this.push(cursor.ulebBig());
      case OP.consts:
        return this.push(cursor.slebBig());
      case OP.bregx:
        return this.pushRegister(cursor.uleb(), cursor.slebBig());
      case OP.deref:
        return this.load(this.context.pointerSize);
      case OP.deref_size:
        return this.load(cursor.u8());
      case OP.dup:
        return this.pick(0);
      case OP.over:
        return this.pick(1);
      case OP.pick:
        return this.pick(cursor.u8());
      case OP.drop:
        this.pop();
        return;
      case OP.swap:
        return this.rotate(2);
      case OP.rot:
        return this.rotate(3);
      case OP.abs:
        return this.replace((value) => value < 0n ? -value : value);
      case OP.neg:
        return this.replace((value) => -value);
      case OP.not:
        return this.replace((value) => ~value);
      case OP.and:
        return this.combine((left, right) => left & right);
      case OP.or:
        return this.combine((left, right) => left | right);
      case OP.xor:
        return this.combine((left, right) => left ^ right);
      case OP.plus:
        return this.combine((left, right) => left + right);
      case OP.minus:
        return this.combine((left, right) => left - right);
      case OP.mul:
        return this.combine((left, right) => left * right);
      case OP.mod:
        // Division of a BigInt by zero throws, which ends the expression.
        return this.modulo();
      case OP.div:
        return this.divide();
      case OP.plus_uconst: {
        const more = cursor.ulebBig();
        return this.replace((value) => value + more);
      }
      case OP.shl:
        return this.shift((left, right, width) => right >= width ? 0n : left << right);
      case OP.shr:
        return this.shift((left, right, width) => right >= width ? 0n : left >> right);
      case OP.shra: {
        const distance = this.pop();
        return this.shiftSigned(distance);
      }
      case OP.eq:
        return this.compare((left, right) => left === right);
      case OP.ne:
        return this.compare((left, right) => left !== right);
      case OP.ge:
        return this.compare((left, right) => left >= right);
      case OP.gt:
        return this.compare((left, right) => left > right);
      case OP.le:
        return this.compare((left, right) => left <= right);
      case OP.lt:
        return this.compare((left, right) => left < right);
      case OP.skip:
        return this.branch(cursor.i16());
      case OP.bra: {
        const distance = cursor.i16();
        if (this.pop() !== 0n) this.branch(distance);
        return;
      }
      case OP.nop:
        return;
    }
    throw new NoValue(`unknown operation 0x${op.toString(16)}`);
  }
}

/** Swaps two registers in an expression, for a section that numbers them the other way round. Their numbers
 * differ in the lowest bit. An expression that cannot be parsed is returned unchanged: it has no value
 * either.
 *
 * @param even the smaller of the two numbers
 */
export function swapRegisters(bytes: Uint8Array, even: number, pointerSize: 4 | 8): Uint8Array {
  const swapped = bytes.slice();
  const cursor = new Cursor(bytes, "expression");
  try {
    while (cursor.position < cursor.end) {
      const start = cursor.position;
      const op = cursor.u8();
      if (op >= OP.breg0 && op <= OP.breg31) {
        if (((op - OP.breg0) & ~1) === even) swapped[start] = op ^ 1;
        cursor.slebBig();
      } else if (op === OP.bregx) {
        if ((cursor.uleb() & ~1) === even) swapped[start + 1] ^= 1;
        cursor.slebBig();
      } else {
        skipOperand(cursor, op, pointerSize);
      }
    }
    return swapped;
  } catch {
    return bytes;
  }
}

function skipOperand(cursor: Cursor, op: number, pointerSize: 4 | 8): void {
  switch (op) {
    case OP.addr:
      cursor.skip(pointerSize);
      return;
    case OP.const1u:
    case OP.const1s:
    case OP.pick:
    case OP.deref_size:
      cursor.skip(1);
      return;
    case OP.const2u:
    case OP.const2s:
    case OP.skip:
    case OP.bra:
      cursor.skip(2);
      return;
    case OP.const4u:
    case OP.const4s:
      cursor.skip(4);
      return;
    case OP.const8u:
    case OP.const8s:
      cursor.skip(8);
      return;
    case OP.constu:
    case OP.plus_uconst:
    case OP.consts:
      cursor.ulebBig();
  }
}
