/** Evaluates expressions over a program's variables: the part of LLDB's Data Inspection Language
 * (`lldb/docs/resources/dil.md`) that has no side effects. Names, members, elements, pointers, casts,
 * arithmetic and comparisons, with C's conversions, and gdb's `*list@5`. Nothing is called and nothing is
 * written in the target. */

import { arrayOf, pointerTo } from "../declarators.ts";
import { literal } from "../formatters/strings.ts";
import type { Member, Type, Value, ValueContext } from "../model.ts";
import { canonical, isPointer, isRecord, isReference, voidType } from "../types.ts";
import { dynamicClass } from "../dynamic_class.ts";
import { PlacedValue } from "../value.ts";
import { builtIn, typeWords } from "./c_types.ts";
import { type Node, parseExpression } from "./parser.ts";
import { ExpressionError } from "./tokens.ts";

/** Maximum number of elements of `*list@5`. */
const MAX_ELEMENTS = 1 << 20;
/** Maximum depth of a class's bases. */
const MAX_BASES = 32;

/** What the names of an expression stand for. */
export interface ExpressionScope {
  readonly context: ValueContext;
  /** A variable: of the frame, innermost first, then a global one; `null` when there is none. */
  variable(name: string): Value | null;
  /** A variable of the frame alone: members of a method's object come after these and before global ones. */
  local?(name: string): Value | null;
  /** A register, by its name without `$`; `null` when there is none or it is not known. */
  register?(name: string): Value | null;
}

/** What a name stands for by C++'s rule: a variable of the frame, a member of the object whose method it is in,
 * a global variable; `null` when there is none. */
export function namedIn(scope: ExpressionScope, name: string): Value | null {
  const local = (name: string) => scope.local ? scope.local(name) : scope.variable(name);
  // Not a derived class's members: the method does not see them.
  const object = local(name) === null ? local("this")?.deref() ?? null : null;
  // In clang's lambdas it is an object of theirs, which may have the method's.
  const captured = object?.type.name.includes("(unnamed class)") ? object.child("this") : null;
  return local(name) ?? object?.child(name) ?? captured?.deref()?.child(name) ??
    local("self")?.child(name) ?? scope.variable(name);
}

/** Evaluates an expression.
 *
 * @throws ExpressionError when it is wrong, would call something, or has no value
 */
export function evaluate(text: string, scope: ExpressionScope): Value {
  const evaluator = new Evaluator(scope);
  return evaluator.valueOf(parseExpression(text, evaluator));
}

/** Whether a text is nothing but names and members of one: `count`, `list[3].next->value`, `*p`, `&x`. */
export function isPath(text: string): boolean {
  return /^[*&\s]*[A-Za-z_$][\w$]*(?:::[A-Za-z_~][\w$]*)*(?:\s*(?:\.|->)\s*[A-Za-z_][\w$]*|\s*\[\s*\w+\s*\])*\s*$/
    .test(text);
}

/** The number of an operand: an integer with its C type, or a floating-point number. */
type Operand =
  | {
    readonly kind: "integer";
    readonly value: bigint;
    readonly size: number;
    readonly signed: boolean;
    /** Whether it is a `long long` where `long` has the same size. */
    readonly isLongLong?: boolean;
  }
  | { readonly kind: "float"; readonly value: number; readonly size: number }
  | { readonly kind: "pointer"; readonly value: bigint; readonly type: Type };

/** The value of a tree. */
class Evaluator {
  readonly pointerSize: 4 | 8;
  /** The literals of strings, as summaries have them. */
  readonly #strings = new WeakMap<Value, string>();
  readonly #scope: ExpressionScope;

  constructor(scope: ExpressionScope) {
    this.#scope = scope;
    this.pointerSize = scope.context.pointerSize;
  }

  get #context(): ValueContext {
    return this.#scope.context;
  }

  #fail(message: string, at: number): never {
    throw new ExpressionError(message, at);
  }

  /** A type's name, where no variable has it. A symbol without a type, such as a constructor, is none. */
  typeNamed(name: string, isTagged: boolean): Type | null {
    const held = isTagged ? null : this.#variable(name);
    const isFree = held === null || canonical(held.type).kind === "function";
    if (!isFree) return null;
    const type = this.#context.findType(name);
    return isTagged && type?.kind === "typedef" ? this.#context.findType(`struct ${name}`) : type;
  }

  valueOf(node: Node): Value {
    const { at } = node;
    switch (node.kind) {
      case "number":
        return this.#literal(node.text, at);
      case "character":
        return this.#character(node.text, at);
      case "string":
        return this.#string(node.text, at);
      case "boolean":
        return this.#boolean(node.value);
      case "null":
        return this.#pointer(0n, voidType);
      case "register":
        return this.#scope.register?.(node.text) ??
          this.#fail(`no register $${node.text} is known in this frame`, at);
      case "name":
        return this.#named(node.text, at);
      case "prefix":
        return this.#prefixed(node.operator, this.valueOf(node.of), at);
      case "binary":
        return this.#binary(node);
      case "conditional":
        return this.valueOf(this.#truth(this.valueOf(node.condition), at) ? node.yes : node.no);
      case "member":
        return this.#member(this.valueOf(node.of), node.name, node.operator, at);
      case "element": {
        const of = this.valueOf(node.of);
        const { kind } = canonical(of.type);
        return node.bits !== null && (kind === "base" || kind === "enum")
          ? this.#bitRange(of, node.bits, at)
          : this.#element(of, this.valueOf(node.index), at);
      }
      case "cast":
        return node.isOfBits
          ? this.#castBits(this.valueOf(node.of), node.type, at)
          : this.#cast(this.valueOf(node.of), node.type, at);
      case "type-size":
        return this.#sizeOf(node.type, at);
      case "size":
        return this.#sizeOf(this.valueOf(node.of).type, at);
    }
  }

  #binary({ operator, left, right, at }: Extract<Node, { kind: "binary" }>): Value {
    const first = this.valueOf(left);
    if (operator === "&&" || operator === "||") {
      const holds = this.#truth(first, at);
      const decides = holds === (operator === "||");
      return this.#boolean(decides ? holds : this.#truth(this.valueOf(right), at));
    }
    return this.#combine(operator, first, this.valueOf(right), at);
  }

  #sizeOf(type: Type, at: number): Value {
    const { size } = canonical(type);
    if (size === null) this.#fail(`the size of ${type.name} is not known`, at);
    return this.#number({
      kind: "integer",
      value: BigInt(size),
      size: this.pointerSize,
      signed: false,
    });
  }

  /** Bits of an integer: `x[2-5]`, in either order. */
  #bitRange(value: Value, range: readonly Node[], at: number): Value {
    const numbers = range.map((node) => {
      const { integer } = this.valueOf(node);
      return integer === null
        ? this.#fail("a bit's number is an integer", node.at)
        : Number(integer);
    });
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const size = value.bits?.size ?? 8 * (canonical(value.type).size ?? 0);
    if (value.integer === null) {
      this.#fail(`${value.name} has no bits: ${value.unavailable ?? "it is no integer"}`, at);
    }
    if (high >= size) this.#fail(`${value.name} has ${size} bits: there is no bit ${high}`, at);
    const bits = { offset: (value.bits?.offset ?? 0) + low, size: high - low + 1 };
    const name = `${value.name}[${numbers.join("-")}]`;
    // As in LLDB, they have no sign.
    const type: Type = {
      ...{ kind: "base", name: `${value.type.name}:${bits.size}`, encoding: "unsigned" },
      size: canonical(value.type).size,
      language: value.type.language,
    };
    return new PlacedValue(value.context, name, type, value.place, bits);
  }

  #named(name: string, at: number): Value {
    const held = this.#variable(name);
    // A symbol without a type comes after what has one.
    const isBare = held !== null && canonical(held.type).kind === "function";
    const constant = held === null || isBare ? this.#context.findConstant?.(name) ?? null : null;
    return constant ?? held ?? this.#enumerator(name) ?? this.#fail(
      typeWords.has(name)
        ? `${name} is a type: a cast is (${name})x`
        : `there is no variable ${name}`,
      at,
    );
  }

  /** A constant of an enumeration: `Color::Red`. */
  #enumerator(name: string): Value | null {
    const [, scope, last] = /^(.+)::(\w+)$/.exec(name) ?? [];
    const type = scope === undefined ? null : this.#context.findType(scope);
    const found = type && canonical(type).enumerators?.find(({ name }) => name === last);
    return found ? this.#cast(this.#integer(found.value), type, 0) : null;
  }

  /** A variable, or a member of the object whose method it is. */
  #variable(name: string): Value | null {
    return name.startsWith("::") ? this.#scope.variable(name.slice(2)) : namedIn(this.#scope, name);
  }

  #literal(text: string, at: number): Value {
    const plain = text.replaceAll("'", "");
    const integer = /^(0[xX][\da-fA-F]+|0[bB][01]+|\d+)([uU]?[lL]{0,2}|[lL]{1,2}[uU])$/.exec(plain);
    if (integer !== null) {
      const [, digits, suffix] = integer;
      const isOctal = /^0[0-7]+$/.test(digits);
      if (/^0\d/.test(digits) && !isOctal) this.#fail(`${text} is no octal number`, at);
      const value = BigInt(isOctal ? `0o${digits.slice(1)}` : digits);
      return this.#number(
        this.#literalType(
          value,
          suffix.toLowerCase(),
          /^\d/.test(digits) && !/^0./.test(digits),
          at,
        ),
      );
    }
    const float = /^((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([fFlL]?)$/.exec(plain);
    if (float === null) this.#fail(`${text} is no number`, at);
    const size = float[2].toLowerCase() === "f" ? 4 : 8;
    return this.#number({ kind: "float", value: Number(float[1]), size });
  }

  /** The first of `int`, `long`, `long long` that holds a number; those of other bases may be unsigned. */
  #literalType(value: bigint, suffix: string, isDecimal: boolean, at: number): Operand {
    const isUnsigned = suffix.includes("u");
    const least = suffix.includes("ll") ? 8 : suffix.includes("l") ? this.pointerSize : 4;
    const isLongLong = suffix.includes("ll");
    for (const size of [4, 8]) {
      if (size < least) continue;
      const bits = BigInt(size * 8);
      if (!isUnsigned && value < 1n << (bits - 1n)) {
        return { kind: "integer", value, size, signed: true, isLongLong };
      }
      if ((isUnsigned || !isDecimal) && value < 1n << bits) {
        return { kind: "integer", value, size, signed: false, isLongLong };
      }
    }
    if (value < 1n << 64n) return { kind: "integer", value, size: 8, signed: false };
    return this.#fail("the number does not fit 64 bits", at);
  }

  #character(text: string, at: number): Value {
    const inner = text.slice(1, -1);
    const simple: Readonly<Record<string, number>> = {
      ...{ "\\n": 10, "\\t": 9, "\\r": 13, "\\0": 0, "\\a": 7, "\\b": 8, "\\f": 12, "\\v": 11 },
      ...{ "\\\\": 92, "\\'": 39, '\\"': 34 },
    };
    const code = Object.hasOwn(simple, inner)
      ? simple[inner]
      : inner.startsWith("\\x")
      ? Number.parseInt(inner.slice(2), 16)
      : inner.startsWith("\\")
      ? Number.parseInt(inner.slice(1), 8)
      : inner.codePointAt(0)!;
    if (Number.isNaN(code) || code > 255) this.#fail(`${text} is no character of one byte`, at);
    const type = this.#builtIn("char");
    return this.#make(type, Uint8Array.of(code));
  }

  #make(type: Type, bytes: Uint8Array): Value {
    return new PlacedValue(this.#context, "", type, { kind: "bytes", bytes });
  }

  #integer(value: bigint): Value {
    return this.#number({ kind: "integer", value, size: 4, signed: true });
  }

  #boolean(value: boolean): Value {
    return this.#make(this.#builtIn("bool"), Uint8Array.of(value ? 1 : 0));
  }

  #pointer(address: bigint, to: Type): Value {
    const { pointerSize } = this.#context;
    return this.#make(pointerTo(to, pointerSize), bytesOf(address, pointerSize));
  }

  #number(operand: Operand): Value {
    switch (operand.kind) {
      case "pointer":
        return this.#make(operand.type, bytesOf(operand.value, this.pointerSize));
      case "float": {
        const type = this.#builtIn(operand.size === 4 ? "float" : "double");
        return this.#make(type, floatBytes(operand.value, type.size!));
      }
      case "integer": {
        const { size, signed, value } = operand;
        const name = size <= 4
          ? ["int"]
          : size > 8
          ? ["__int128"]
          : this.pointerSize === 8 && !operand.isLongLong
          ? ["long"]
          : ["long", "long"];
        const type = this.#builtIn(...signed ? name : ["unsigned", ...name]);
        return this.#make(type, bytesOf(value, type.size!));
      }
    }
  }

  #truth(value: Value, at: number): boolean {
    const operand = this.#operand(value, at);
    return operand.kind === "float" ? operand.value !== 0 : operand.value !== 0n;
  }

  #builtIn(...words: string[]): Type {
    return builtIn(words, this.pointerSize)!;
  }

  /** A string, to compare text with. */
  #string(text: string, at: number): Value {
    let plain: unknown;
    try {
      plain = JSON.parse(text);
    } catch {
      return this.#fail(`${text} is no string`, at);
    }
    const bytes = new TextEncoder().encode(`${plain}\0`);
    const target = this.#builtIn("char");
    const value = this.#make(arrayOf(target, bytes.length), bytes);
    this.#strings.set(value, literal(bytes.subarray(0, -1), target));
    return value;
  }

  /** Compares text: what C, C++, Objective-C, Swift, Rust and Go keep strings in, by their formatters. */
  #compareText(operator: string, left: Value, right: Value, at: number): Value {
    if (operator !== "==" && operator !== "!=") {
      this.#fail(`${operator} does not go with strings`, at);
    }
    const [a, b] = [left, right].map((value) => {
      const text = this.#strings.get(value) ??
        value.summary?.match(/^(?:@|u8|[uUL])?(".*")$/s)?.[1];
      return text ??
        this.#fail(`${value.name === "" ? value.type.name : value.name} is no text`, at);
    });
    return this.#boolean((a === b) === (operator === "=="));
  }

  /** The number of a value, as arithmetic has it. */
  #operand(value: Value, at: number): Operand {
    if (isReference(canonical(value.type).kind)) {
      const target = value.deref();
      if (target !== null) return this.#operand(target, at);
    }
    const type = canonical(value.type);
    if (type.kind === "array" && type.isVector) {
      this.#fail(
        `${value.type.name} is a vector: its elements are numbers, as ${value.name}[0]`,
        at,
      );
    }
    const first = type.kind === "array" ? type.target : type.kind === "function" ? type : null;
    if (first != null) {
      const { address } = value;
      if (address === null) this.#fail(`${value.name} is in no memory`, at);
      return { kind: "pointer", value: address, type: pointerTo(first, this.pointerSize) };
    }
    if (value.unavailable !== null) {
      this.#fail(`${value.name === "" ? "it" : value.name} has no value: ${value.unavailable}`, at);
    }
    if (type.kind === "base" && type.encoding === "float") {
      const number = value.scalar;
      if (typeof number === "number") {
        return { kind: "float", value: number, size: Math.min(8, type.size ?? 8) };
      }
    }
    const integer = value.integer;
    if (integer === null) this.#fail(`${value.type.name} is no number`, at);
    if (type.kind === "pointer") return { kind: "pointer", value: integer, type };
    const size = type.size ?? 4;
    const bits = value.bits?.size ?? size * 8;
    // Integer promotion: what fits int becomes int.
    if (bits < 32) return { kind: "integer", value: integer, size: 4, signed: true };
    const signed = isSignedType(type, integer);
    if (bits === 32) return { kind: "integer", value: integer, size: 4, signed };
    return {
      ...{ kind: "integer", value: integer, size, signed },
      isLongLong: /\blong long\b/.test(type.name),
    };
  }

  #prefixed(operator: string, value: Value, at: number): Value {
    if (operator === "*") return this.#dereference(value, at);
    if (operator === "&") {
      const target = isReference(canonical(value.type).kind) ? value.deref() ?? value : value;
      const { address } = target;
      if (address === null || target.bits !== null) {
        const where = target.register === null ? "" : `: it is in register ${target.register}`;
        this.#fail(`${value.name === "" ? "a result" : value.name} has no address${where}`, at);
      }
      return this.#pointer(address, target.type);
    }
    const operand = this.#operand(value, at);
    if (operator === "!") return this.#boolean(!this.#truth(value, at));
    if (operand.kind === "pointer") this.#fail(`${operator} does not go with a pointer`, at);
    if (operand.kind === "float") {
      if (operator === "~") this.#fail("~ does not go with a floating-point number", at);
      return this.#number({ ...operand, value: operator === "-" ? -operand.value : operand.value });
    }
    const result = operator === "-"
      ? -operand.value
      : operator === "~"
      ? ~operand.value
      : operand.value;
    return this.#number({ ...operand, value: result });
  }

  #dereference(value: Value, at: number): Value {
    const type = canonical(value.type);
    if (isReference(type.kind)) return this.#dereference(value.deref() ?? value, at);
    if (type.kind === "array" && type.target != null) {
      return value.child("[0]") ?? this.#fail("the array is empty", at);
    }
    if (type.kind === "pointer") {
      if (value.unavailable !== null) {
        this.#fail(`${value.name} has no value: ${value.unavailable}`, at);
      }
      return (value.dynamic ?? value).deref() ??
        this.#fail(`${value.type.name} leads to nothing of a known type`, at);
    }
    // A smart pointer's formatter has what it points to.
    const object = value.child("object");
    return object ?? this.#fail(`${value.type.name} is no pointer`, at);
  }

  #member(value: Value, name: string, operator: string, at: number): Value {
    const type = canonical(value.type);
    const isPath = isPointer(type) || isRecord(type) || value.child(name) !== null;
    if (!isPath) this.#fail(`${value.type.name} has no members`, at);
    if (value.unavailable !== null) {
      this.#fail(`${value.name} has no value: ${value.unavailable}`, at);
    }
    if (operator === "->" && isRecord(type)) {
      const object = value.child("object");
      const member = object?.child(name) ?? null;
      return member ??
        this.#fail(`${value.type.name} is no pointer: its members are after a dot`, at);
    }
    const member = value.child(name) ?? value.raw.child(name) ?? value.child(`[${name}]`) ??
      value.child(`__${name}`);
    if (member !== null) return member;
    const target = isPointer(type) ? value.deref() : value;
    // A field of a Rust enum's variant, as gdb has it.
    if (target !== null && canonical(target.type).variantPart != null) {
      const field = target.raw.children().map((variant) =>
        variant.child(name) ??
          variant.child(`__${name}`)
      ).find((found) => found !== null);
      if (field?.address != null) return target.at(field.address, field.type, field.name);
    }
    if (target?.unavailable) this.#fail(`${value.name} leads to ${target.unavailable}`, at);
    return this.#fail(`no member named ${name} in ${(target ?? value).type.name}`, at);
  }

  #element(value: Value, index: Value, at: number): Value {
    const operand = this.#operand(index, at);
    if (operand.kind !== "integer") this.#fail("an index is an integer", at);
    const type = canonical(value.type);
    if (isReference(type.kind)) return this.#element(value.deref() ?? value, index, at);
    if (value.unavailable !== null) {
      this.#fail(`${value.name} has no value: ${value.unavailable}`, at);
    }
    const number = operand.value;
    if (type.kind !== "pointer") {
      const child = number >= 0n ? value.child(`[${number}]`) : null;
      if (child !== null) return child;
      if (type.kind === "function") this.#fail(`the type of ${value.name} is not known`, at);
      // The last member of a struct may be an array whose length is not in its type.
      if (type.kind !== "array" || value.address === null || (type.count ?? 0) > 0) {
        const isList = type.kind === "array" || value.children(0, 1)[0]?.name === "[0]";
        const count = isList ? `: it has ${value.childCount}` : "";
        this.#fail(`${value.name} has no element ${number}${count}`, at);
      }
    }
    const target = type.target ?? null;
    const size = target === null ? null : canonical(target).size;
    if (target === null || size === null) {
      this.#fail(`the size of ${value.type.name}'s elements is not known`, at);
    }
    const start = type.kind === "pointer" ? value.integer ?? 0n : value.address ?? 0n;
    const address = (start & this.#context.addressMask) + number * BigInt(size);
    return value.at(
      BigInt.asUintN(this.pointerSize * 8, address),
      target,
      `${value.name}[${number}]`,
    );
  }

  /** A cast as C and C++ have it: one from a class to a base of it, or back, finds the part of the object that this
   * is. */
  #cast(value: Value, type: Type, at: number): Value {
    const to = canonical(type);
    const from = canonical(value.type);
    const isBehind = to.kind === "pointer" || isReference(to.kind);
    const wanted = canonical((isBehind ? to.target : null) ?? to);
    // Only of classes the types' members are looked at.
    if (!isRecord(wanted)) return this.#castBits(value, type, at);
    const object = isPointer(from) && (to.kind === "pointer" || isReference(from.kind))
      ? value.deref()
      : value;
    if (object === null || to.kind === "pointer" && from.kind !== "pointer") {
      return this.#castBits(value, type, at);
    }
    const place = this.#related(object, wanted, at);
    if (place === null) return this.#castBits(value, type, at);
    return to.kind === "pointer"
      ? this.#make(type, bytesOf(place, this.pointerSize))
      : value.at(place, isReference(to.kind) ? to.target ?? voidType : type, value.name);
  }

  /** The address of the part of an object that is of one of its base classes, or of the object whose part it is;
   * `null` for what is in no memory, and for classes that have nothing to do with each other. */
  #related(object: Value, wanted: Type, at: number): bigint | null {
    const { address } = object;
    const own = canonical(object.type);
    if (address === null || !isRecord(own) || own.name === wanted.name) return null;
    const up = this.#partOf(address, own, wanted, at);
    if (up !== null) return up;
    const down = basePaths(wanted, own);
    if (down.length === 0) return null;
    if (down.length === 1 && down[0].every(({ locate }) => locate === undefined)) {
      return down[0].reduce((place, { offset }) => place - BigInt(offset), address);
    }
    // Where it is a virtual base, the object itself tells.
    const whole = dynamicClass(address, own, this.#context);
    const type = whole === null ? null : canonical(whole.type);
    const found = whole === null || type === null
      ? null
      : type.name === wanted.name
      ? whole.address
      : this.#partOf(whole.address, type, wanted, at);
    return found ?? this.#fail(`where in a ${wanted.name} its ${own.name} is, is not known`, at);
  }

  /** The address of an object's part of a base class; `null` where its class has no such base. */
  #partOf(address: bigint, type: Type, wanted: Type, at: number): bigint | null {
    const { memory } = this.#context;
    const paths = basePaths(type, wanted);
    if (paths.length === 0) return null;
    const found = new Set(paths.map((path) =>
      path.reduce<bigint | undefined>(
        (place, { offset, locate }) =>
          place === undefined ? undefined : locate?.(place, memory) ??
            (locate === undefined ? place + BigInt(offset) : undefined),
        address,
      )
    ));
    const [place] = found;
    if (found.size > 1) this.#fail(`${type.name} has more than one ${wanted.name}`, at);
    return place ?? this.#fail(`where its ${wanted.name} is, is not known`, at);
  }

  /** A cast that takes a pointer's bits as they are. */
  #castBits(value: Value, type: Type, at: number): Value {
    const to = canonical(type);
    if (isReference(to.kind)) return value.cast(to.target ?? voidType);
    const from = canonical(value.type);
    if (to.kind === "void") return this.#fail("a void expression has no value", at);
    if (isRecord(to) || to.kind === "array") {
      if (to.size !== null && to.size === from.size || value.address !== null) {
        return value.cast(type);
      }
      return this.#fail(`${value.type.name} cannot be cast to ${type.name}`, at);
    }
    const operand = this.#operand(value, at);
    const size = to.size ?? 0;
    if (to.encoding === "float") {
      return this.#make(type, floatBytes(Number(operand.value), size));
    }
    // A half is true.
    if (to.encoding === "boolean") {
      return this.#make(type, Uint8Array.of(this.#truth(value, at) ? 1 : 0));
    }
    const whole = operand.kind === "float" ? truncated(operand.value) : operand.value;
    if (whole === null) this.#fail(`${operand.value} is no integer`, at);
    return this.#make(type, bytesOf(whole, size));
  }

  #combine(operator: string, left: Value, right: Value, at: number): Value {
    if (this.#strings.has(left) || this.#strings.has(right)) {
      return this.#compareText(operator, left, right, at);
    }
    if (operator === "@") return this.#elements(left, right, at);
    const a = this.#operand(left, at);
    const b = this.#operand(right, at);
    if (a.kind === "pointer" || b.kind === "pointer") return this.#pointers(operator, a, b, at);
    if (a.kind === "float" || b.kind === "float") {
      const [x, y] = [Number(a.value), Number(b.value)];
      const isDouble = a.kind === "float" && a.size === 8 || b.kind === "float" && b.size === 8;
      const compared = compare(operator, x, y);
      if (compared !== null) return this.#boolean(compared);
      const result = { "+": x + y, "-": x - y, "*": x * y, "/": x / y }[operator];
      if (result === undefined) {
        this.#fail(`${operator} does not go with floating-point numbers`, at);
      }
      return this.#number({ kind: "float", value: result, size: isDouble ? 8 : 4 });
    }
    if (operator === "<<" || operator === ">>") {
      if (b.value < 0n || b.value >= BigInt(a.size * 8)) {
        this.#fail(`a shift by ${b.value} is not defined for ${a.size * 8} bits`, at);
      }
      const value = operator === "<<" ? a.value << b.value : a.value >> b.value;
      return this.#number({ ...a, value: wrapped(value, a.size, a.signed) });
    }
    // The usual arithmetic conversions.
    const size = Math.max(a.size, b.size);
    const signed = a.size === b.size ? a.signed && b.signed : a.size > b.size ? a.signed : b.signed;
    const [x, y] = [wrapped(a.value, size, signed), wrapped(b.value, size, signed)];
    const compared = compare(operator, x, y);
    if (compared !== null) return this.#boolean(compared);
    if ((operator === "/" || operator === "%") && y === 0n) this.#fail("a division by zero", at);
    const value = arithmetic(operator, x, y);
    const isLongLong = a.isLongLong || b.isLongLong;
    return this.#number({
      ...{ kind: "integer", value: wrapped(value, size, signed), size, signed, isLongLong },
    });
  }

  /** gdb's artificial array: `*list@5` is five elements, of which `*list` is the first. */
  #elements(first: Value, length: Value, at: number): Value {
    const count = this.#operand(length, at);
    if (count.kind !== "integer" || count.value < 1n || count.value > MAX_ELEMENTS) {
      this.#fail(`the length after @ is a number from 1 to ${MAX_ELEMENTS}`, at);
    }
    const target = isReference(canonical(first.type).kind) ? first.deref() ?? first : first;
    const { address, type } = target;
    if (address === null || target.bits !== null) {
      this.#fail("before @ is the first element, which is in memory: *list@5", at);
    }
    const { size } = canonical(type);
    if (size === null) this.#fail(`the size of ${type.name} is not known`, at);
    return target.at(address, arrayOf(type, Number(count.value)));
  }

  #pointers(operator: string, a: Operand, b: Operand, at: number): Value {
    if (a.kind === "float" || b.kind === "float") {
      this.#fail("a pointer and a floating-point number do not go together", at);
    }
    const mask = (operand: Operand) =>
      BigInt.asUintN(this.pointerSize * 8, operand.value as bigint);
    const compared = compare(operator, mask(a), mask(b));
    if (compared !== null) return this.#boolean(compared);
    const step = (type: Type) => {
      const { target } = type;
      // As in gdb and LLDB, what has no size in C is counted in bytes.
      const { kind, size: given } = canonical(target ?? voidType);
      const size = kind === "void" || kind === "function" ? 1 : given;
      return size === null || size === 0
        ? this.#fail(`the size of what ${type.name} points to is not known`, at)
        : BigInt(size);
    };
    if (operator === "-" && a.kind === "pointer" && b.kind === "pointer") {
      const value = (a.value - b.value) / step(a.type);
      return this.#number({
        kind: "integer",
        value,
        size: this.pointerSize,
        signed: true,
      });
    }
    const [pointer, number] = a.kind === "pointer" ? [a, b] : [b, a];
    const fits = operator === "+" || operator === "-" && a.kind === "pointer";
    if (!fits || pointer.kind !== "pointer" || number.kind !== "integer") {
      this.#fail(`${operator} does not go with pointers`, at);
    }
    const distance = number.value * step(pointer.type);
    const value = operator === "+" ? pointer.value + distance : pointer.value - distance;
    return this.#number({ kind: "pointer", value, type: pointer.type });
  }
}

/** The bases that lead from a class to one that it is derived from, by each way. */
function basePaths({ members = [] }: Type, wanted: Type, depth = 0): Member[][] {
  return depth >= MAX_BASES ? [] : members.filter(({ isBase }) => isBase).flatMap((member) => {
    const base = canonical(member.type);
    return base.name === wanted.name
      ? [[member]]
      : basePaths(base, wanted, depth + 1).map((path) => [member, ...path]);
  });
}

function compare<T extends bigint | number>(operator: string, a: T, b: T): boolean | null {
  switch (operator) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return a < b;
    case ">":
      return a > b;
    case "<=":
      return a <= b;
    case ">=":
      return a >= b;
  }
  return null;
}

function arithmetic(operator: string, a: bigint, b: bigint): bigint {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "%":
      return a % b;
    case "&":
      return a & b;
    case "|":
      return a | b;
    default:
      return a ^ b;
  }
}

/** An integer in the range of its type. */
function wrapped(value: bigint, size: number, signed: boolean): bigint {
  return signed ? BigInt.asIntN(size * 8, value) : BigInt.asUintN(size * 8, value);
}

function truncated(value: number): bigint | null {
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : null;
}

function isSignedType(type: Type, value: bigint): boolean {
  const { encoding, target } = type;
  if (encoding === undefined) {
    return type.kind === "enum" && target ? isSignedType(canonical(target), value) : value < 0n;
  }
  return encoding === "signed" || encoding === "signed-char";
}

function bytesOf(value: bigint, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let left = BigInt.asUintN(size * 8, value);
  for (let at = 0; at < size; at++, left >>= 8n) bytes[at] = Number(left & 0xffn);
  return bytes;
}

/** The bytes of a floating-point number: of IEEE 754; where they are 16, of Intel's extended format. */
function floatBytes(value: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  if (size === 4) {
    view.setFloat32(0, value, true);
  } else if (size === 8) {
    view.setFloat64(0, value, true);
  } else {
    const double = new DataView(new ArrayBuffer(8));
    double.setFloat64(0, value);
    const high = double.getUint16(0);
    const exponent = high >> 4 & 0x7ff;
    const fraction = double.getBigUint64(0) & 0xf_ffff_ffff_ffffn;
    const special = exponent === 0x7ff ? 0x7fff : exponent === 0 ? 0 : exponent - 1023 + 16383;
    view.setBigUint64(0, exponent === 0 ? 0n : 1n << 63n | fraction << 11n, true);
    view.setUint16(8, (high & 0x8000) | special, true);
  }
  return bytes;
}
