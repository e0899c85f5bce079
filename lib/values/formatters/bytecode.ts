/** The machine that runs the formatters which a program brings along as bytecode, in a section
 * `__lldbformatters` (LLVM `lldb/docs/resources/formatterbytecode.md`; where LLDB's
 * `source/DataFormatters/FormatterBytecode.cpp` differs from the document, it is followed). The bytecode is a
 * foreign program: its steps, stack, strings and reads are bounded, and it can only look at values. */

import { lebEndWithin, slebBig, ulebBig } from "../../leb128.ts";
import { damaged, type Type, type Value } from "../model.ts";
import { unreadable } from "./reading.ts";
import { unsignedOf } from "../scalars.ts";
import { canonical } from "../types.ts";

/** Maximum number of steps of one program. Each costs little; reads of memory count as many. */
const MAX_STEPS = 1 << 14;
/** What looking at a value costs, in steps. */
const LOOK = 16;
/** Maximum number of entries of the data stack and of blocks. */
const MAX_STACK = 256;
/** Maximum length of a string, in UTF-16 units. */
const MAX_STRING = 4096;

/** What entries of the data stack hold. `object` is `null` for one that there is not. */
interface Kinds {
  string: string;
  integer: bigint;
  int: bigint;
  uint: bigint;
  object: Value | null;
  type: Type;
  selector: number;
}

/** An entry of the data stack. */
export type Item = {
  [Kind in keyof Kinds]: { readonly kind: Kind; readonly value: Kinds[Kind] };
}[keyof Kinds];

const OP = {
  ...{ dup: 0x01, drop: 0x02, pick: 0x03, over: 0x04, swap: 0x05, rot: 0x06 },
  ...{ begin: 0x10, if: 0x11, ifelse: 0x12, return: 0x13 },
  ...{ lit_uint: 0x20, lit_int: 0x21, lit_string: 0x22, lit_selector: 0x23, lit_integer: 0x24 },
  ...{ as_int: 0x2a, as_uint: 0x2b, is_null: 0x2c },
  ...{ shl: 0x35, shr: 0x36, not: 0x43, call: 0x60 },
} as const;

type Binary = (x: bigint, y: bigint) => bigint | boolean;

const binary: ReadonlyMap<number, Binary> = new Map<number, Binary>([
  [0x30, (x, y) => x + y],
  [0x31, (x, y) => x - y],
  [0x32, (x, y) => x * y],
  [0x33, (x, y) => y === 0n ? damaged("an embedded formatter divides by zero") : x / y],
  [0x34, (x, y) => y === 0n ? damaged("an embedded formatter divides by zero") : x % y],
  [0x40, (x, y) => x & y],
  [0x41, (x, y) => x | y],
  [0x42, (x, y) => x ^ y],
  [0x50, (x, y) => x === y],
  [0x51, (x, y) => x !== y],
  [0x52, (x, y) => x < y],
  [0x53, (x, y) => x > y],
  [0x54, (x, y) => x <= y],
  [0x55, (x, y) => x >= y],
]);

const SELECTOR = {
  ...{ summary: 0x00, get_num_children: 0x10, get_child_at_index: 0x11 },
  ...{ get_child_with_name: 0x12, get_child_index: 0x13, get_parent: 0x14, get_type: 0x15 },
  ...{ get_template_argument_type: 0x16, cast: 0x17, get_synthetic_value: 0x18 },
  ...{ get_non_synthetic_value: 0x19, get_value: 0x20, get_value_as_unsigned: 0x21 },
  ...{ get_value_as_signed: 0x22, get_value_as_address: 0x23, clone: 0x24 },
  ...{ read_memory: 0x46, fmt: 0x50, strlen: 0x52 },
} as const;

/** `read_memory_…`: the size of what is read, 0 for an address, and whether it is signed. */
const reads: ReadonlyMap<number, readonly [size: number, isSigned: boolean]> = new Map([
  ...[[0x40, [1, false]], [0x41, [4, false]], [0x42, [4, true]]] as const,
  ...[[0x43, [8, false]], [0x44, [8, true]], [0x45, [0, false]]] as const,
]);

/** Runs a program.
 *
 * @param owner the value that is formatted
 * @param stack what it begins with
 * @returns the data stack at its end
 * @throws DamagedValue when it is wrong, or takes too long
 */
export function run(program: Uint8Array, owner: Value, stack: readonly Item[]): readonly Item[] {
  return new Machine(owner, stack).run(program);
}

/** The kinds of numbers. */
type Kind = "integer" | "int" | "uint";

/** A number as its kind holds it: 64 bits. */
function held(kind: Kind, value: bigint): Item {
  return { kind, value: kind === "uint" ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value) };
}

function fail(reason: string): never {
  return damaged(`an embedded formatter ${reason}`);
}

class Machine {
  readonly #owner: Value;
  readonly #stack: Item[];
  readonly #parents = new WeakMap<Value, Value>();
  #steps = 0;

  constructor(owner: Value, stack: readonly Item[]) {
    this.#owner = owner;
    this.#stack = [...stack];
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) fail("takes too long");
  }

  #push(item: Item): void {
    if (this.#stack.length === MAX_STACK) fail("needs too much room");
    if (item.kind === "string" && item.value.length > MAX_STRING) fail("makes too long a text");
    this.#stack.push(item);
  }

  #pop(): Item {
    return this.#stack.pop() ?? fail("takes from an empty stack");
  }

  #take<Kind extends keyof Kinds>(kind: Kind): Kinds[Kind] {
    const item = this.#pop();
    if (item.kind !== kind) fail(`has a ${item.kind} where a ${kind} is wanted`);
    return item.value as Kinds[Kind];
  }

  #number(): Extract<Item, { kind: Kind }> {
    const item = this.#pop();
    return item.kind === "integer" || item.kind === "int" || item.kind === "uint"
      ? item
      : fail(`has a ${item.kind} where a number is wanted`);
  }

  /** A number that counts: not negative, and one that JavaScript has exactly. */
  #index(): number {
    const { value } = this.#number();
    return value < 0n || value > 0xffff_ffffn ? fail(`has the index ${value}`) : Number(value);
  }

  #object(): Value {
    return this.#take("object") ?? fail("uses a value that there is not");
  }

  run(program: Uint8Array): readonly Item[] {
    /** Blocks that run, and those that were pushed for an `if`. */
    const running: { readonly bytes: Uint8Array; at: number }[] = [{ bytes: program, at: 0 }];
    const blocks: Uint8Array[] = [];
    const block = () => blocks.pop() ?? fail("has no block for an if");
    const enter = (bytes: Uint8Array) => {
      if (running.length === MAX_STACK) fail("nests too deep");
      running.push({ bytes, at: 0 });
    };
    for (let now = running.at(-1); now !== undefined; now = running.at(-1)) {
      const { bytes } = now;
      if (now.at >= bytes.length) {
        running.pop();
        continue;
      }
      this.#spend(1);
      const op = bytes[now.at++];
      const literal = (read: (bytes: Uint8Array, at: number, end: number) => bigint): bigint => {
        const end = lebEndWithin(bytes, now.at, bytes.length);
        if (end < 0) fail("is cut");
        if (end - now.at > 10) fail("has a number of more than 64 bits");
        const value = read(bytes, now.at, end);
        now.at = end;
        return value;
      };
      const counted = (): Uint8Array => {
        const length = Number(literal(ulebBig));
        const start = now.at;
        if (!(length <= bytes.length - start)) fail("is cut");
        return bytes.subarray(start, now.at = start + length);
      };
      switch (op) {
        case OP.begin:
          if (blocks.length === MAX_STACK) fail("needs too much room");
          blocks.push(counted());
          continue;
        case OP.if: {
          const then = block();
          if (this.#number().value !== 0n) enter(then);
          continue;
        }
        case OP.ifelse: {
          const otherwise = block();
          const then = block();
          enter(this.#number().value !== 0n ? then : otherwise);
          continue;
        }
        case OP.return:
          return this.#stack;
        case OP.lit_uint:
          this.#push(held("uint", literal(ulebBig)));
          continue;
        case OP.lit_int:
          this.#push(held("int", literal(slebBig)));
          continue;
        case OP.lit_integer:
          this.#push(held("integer", literal(slebBig)));
          continue;
        case OP.lit_string:
          this.#push({ kind: "string", value: new TextDecoder().decode(counted()) });
          continue;
        case OP.lit_selector:
          this.#push({ kind: "selector", value: Number(literal(ulebBig)) });
          continue;
      }
      this.#step(op);
    }
    return this.#stack;
  }

  #step(op: number): void {
    const combine = binary.get(op);
    if (combine !== undefined) {
      const y = this.#number();
      const x = this.#number();
      if (x.kind !== y.kind) fail(`combines ${x.kind} and ${y.kind}`);
      const value = combine(x.value, y.value);
      return this.#push(held(x.kind, typeof value === "boolean" ? value ? 1n : 0n : value));
    }
    switch (op) {
      case OP.dup: {
        const item = this.#pop();
        this.#push(item);
        return this.#push(item);
      }
      case OP.drop:
        this.#pop();
        return;
      case OP.pick: {
        // From the bottom, as LLDB counts.
        const index = this.#index();
        return this.#push(this.#stack[index] ?? fail("picks what is not there"));
      }
      case OP.over:
        return this.#push(this.#stack.at(-2) ?? fail("picks what is not there"));
      case OP.swap: {
        const [y, x] = [this.#pop(), this.#pop()];
        this.#push(y);
        return this.#push(x);
      }
      case OP.rot: {
        const [z, y, x] = [this.#pop(), this.#pop(), this.#pop()];
        for (const item of [z, x, y]) this.#push(item);
        return;
      }
      case OP.as_int:
        return this.#push(held("int", this.#take("uint")));
      case OP.as_uint:
        return this.#push(held("uint", this.#take("int")));
      case OP.is_null:
        return this.#push(held("uint", this.#take("object") === null ? 1n : 0n));
      case OP.shl:
      case OP.shr:
        return this.#shift(op === OP.shl);
      case OP.not: {
        const { kind, value } = this.#number();
        return kind === "int" ? fail("inverts an Int") : this.#push(held(kind, ~value));
      }
      case OP.call:
        return this.#call(this.#take("selector"));
    }
    fail(`has an unknown operation 0x${op.toString(16)}`);
  }

  #shift(isLeft: boolean): void {
    const distance = this.#number().value;
    if (distance < 0n || distance > 64n) fail(`shifts by ${distance}`);
    const { kind, value } = this.#number();
    if (isLeft && kind === "int" && value < 0n) fail("shifts a negative number to the left");
    // Of an Integer the bits are shifted, without a sign.
    const bits = kind === "integer" && !isLeft ? BigInt.asUintN(64, value) : value;
    this.#push(held(kind, isLeft ? bits << distance : bits >> distance));
  }

  #child(value: Value, child: Value | null | undefined): void {
    if (child != null) this.#parents.set(child, value);
    this.#push({ kind: "object", value: child ?? null });
  }

  #call(selector: number): void {
    this.#spend(LOOK);
    const read = reads.get(selector);
    if (read !== undefined) return this.#read(...read);
    switch (selector) {
      case SELECTOR.summary:
        return this.#push({ kind: "string", value: this.#object().summary ?? "" });
      case SELECTOR.get_num_children:
        return this.#push(held("uint", BigInt(this.#object().childCount)));
      case SELECTOR.get_child_at_index: {
        const index = this.#index();
        const value = this.#object();
        return this.#child(value, value.children(index, index + 1)[0]);
      }
      case SELECTOR.get_child_with_name: {
        const name = this.#take("string");
        const value = this.#object();
        return this.#child(value, value.raw.child(name) ?? value.child(name));
      }
      case SELECTOR.get_child_index: {
        const name = this.#take("string");
        const children = this.#object().children(0, MAX_STACK);
        this.#spend(children.length);
        const index = children.findIndex((child) => child.name === name);
        return index < 0 ? fail(`looks for ${name}`) : this.#push(held("uint", BigInt(index)));
      }
      case SELECTOR.get_parent:
        return this.#push({ kind: "object", value: this.#parents.get(this.#object()) ?? null });
      case SELECTOR.get_type:
        return this.#push({ kind: "type", value: this.#object().type });
      case SELECTOR.get_template_argument_type: {
        const index = this.#index();
        const type = canonical(this.#take("type")).templateArguments?.[index]?.type;
        return type == null
          ? fail("looks for a template's argument")
          : this.#push({ kind: "type", value: type });
      }
      case SELECTOR.cast: {
        const type = this.#take("type");
        return this.#push({ kind: "object", value: this.#object().cast(type) });
      }
      case SELECTOR.get_synthetic_value:
        return this.#push({ kind: "object", value: this.#object() });
      case SELECTOR.get_non_synthetic_value:
        return this.#push({ kind: "object", value: this.#object().raw });
      case SELECTOR.get_value:
        return this.#push({ kind: "string", value: this.#object().text ?? "" });
      case SELECTOR.get_value_as_unsigned:
        return this.#push(held("uint", this.#integer(this.#object())));
      case SELECTOR.get_value_as_signed:
        return this.#push(held("int", this.#integer(this.#object())));
      case SELECTOR.get_value_as_address: {
        const value = this.#object();
        return this.#push(held("uint", this.#integer(value) & value.context.addressMask));
      }
      case SELECTOR.clone: {
        const name = this.#take("string");
        const value = this.#object();
        const { address } = value;
        return this.#push({
          kind: "object",
          value: address === null
            ? value.make(name, value.type, value.bytes())
            : value.at(address, value.type, name),
        });
      }
      case SELECTOR.read_memory: {
        const type = this.#take("type");
        const { value: address } = this.#number();
        return this.#push({ kind: "object", value: this.#owner.at(address, type) });
      }
      case SELECTOR.strlen: {
        const { length } = new TextEncoder().encode(this.#take("string"));
        return this.#push(held("uint", BigInt(length)));
      }
      case SELECTOR.fmt:
        return this.#push({ kind: "string", value: this.#format(this.#take("string")) });
    }
    fail(`calls an unknown function 0x${selector.toString(16)}`);
  }

  #integer(value: Value): bigint {
    return value.integer ?? fail(`wants a number of ${value.name}`);
  }

  #read(size: number, isSigned: boolean): void {
    const { memory, pointerSize, addressMask } = this.#owner.context;
    const length = size || pointerSize;
    const address = BigInt.asUintN(64, this.#number().value) & addressMask;
    const bytes = memory.readUpTo(address, length);
    if (bytes.length < length) unreadable(address);
    const value = unsignedOf(bytes);
    if (isSigned) this.#push(held("int", BigInt.asIntN(8 * length, value)));
    else this.#push(held("uint", size === 0 ? value & addressMask : value));
  }

  /** LLVM's `formatv`: `{1}`, `{0,5}` with an alignment, `{0:x}` with a style. Its arguments stay. */
  #format(format: string): string {
    const pattern = /\{\{|\{(\d*)(?:,([^:{}]*))?(?::([^{}]*))?\}/g;
    let automatic = 0;
    const parts = [...format.matchAll(pattern)].filter(([text]) => text !== "{{").map((match) => ({
      index: match[1] === "" ? automatic++ : Number(match[1]),
      layout: match[2]?.trim() ?? "",
      style: match[3]?.trim() ?? "",
    }));
    const count = parts.reduce((most, { index }) => Math.max(most, index + 1), 0);
    if (count > this.#stack.length) fail("has not enough arguments");
    const first = this.#stack.length - count;
    let next = 0;
    return format.replace(pattern, (text) => {
      if (text === "{{") return "{";
      const { index, layout, style } = parts[next++];
      return aligned(styled(this.#stack[first + index], style), layout);
    });
  }
}

/** An argument as `formatv` writes it: numbers in decimal, with `x` and `X` in hexadecimal, with a minimum of
 * digits; without `0x` where `-` follows. */
function styled(item: Item, style: string): string {
  switch (item.kind) {
    case "string":
      return /^\d+$/.test(style) ? item.value.slice(0, Number(style)) : item.value;
    case "object":
      return item.value === null ? "null object" : item.value.text ?? "";
    case "type":
      return item.value.name;
    case "selector":
      return `@${item.value}`;
  }
  const match = /^([xX])([-+]?)(\d*)$/.exec(style);
  if (match === null) {
    const digits = /^[dD]?(\d*)$/.exec(style)?.[1] ?? "";
    const text = (item.value < 0n ? -item.value : item.value).toString()
      .padStart(Math.min(Number(digits), 64), "0");
    return item.value < 0n ? `-${text}` : text;
  }
  const [, letter, prefix, digits] = match;
  const bits = BigInt.asUintN(64, item.value).toString(16);
  // The minimum counts the prefix.
  const least = Math.min(Number(digits), 64) - (prefix === "-" ? 0 : 2);
  const text = (letter === "X" ? bits.toUpperCase() : bits).padStart(Math.max(0, least), "0");
  return prefix === "-" ? text : `0x${text}`;
}

/** `5`, `-5`, `=5`, `+5`, each with a character to fill before it. */
function aligned(text: string, layout: string): string {
  const match = /^(?:(.)?([-=+]))?(\d+)$/.exec(layout);
  if (match === null) return text;
  const [, fill = " ", where = "+", width] = match;
  const room = Math.min(Number(width), MAX_STRING) - text.length;
  if (room <= 0) return text;
  const before = where === "-" ? 0 : where === "+" ? room : Math.floor(room / 2);
  return fill.repeat(before) + text + fill.repeat(room - before);
}
