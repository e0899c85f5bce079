/** Values over memory and registers. */

import { FormatError, MemoryReadError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import {
  DamagedValue,
  type Formatter,
  type Member,
  type Place,
  type Synthetic,
  type Type,
  UnreadableValue,
  type Value,
  type ValueContext,
} from "./model.ts";
import { jsonOf } from "./json.ts";
import { pointerTo, referenceTo } from "./declarators.ts";
import { dynamicClass } from "./dynamic_class.ts";
import { inlineText } from "./text.ts";
import {
  characterText,
  exact,
  floatOf,
  floatText,
  isQuadFloat,
  isSigned,
  longFloatText,
  unsignedOf,
} from "./scalars.ts";
import { prefixOf } from "./formatters/strings.ts";
import {
  canonical,
  damagedType,
  isCharacter,
  isPointer,
  isRecord,
  isReference,
  voidType,
} from "./types.ts";

/** Maximum size of a value that is read at once, in bytes. */
const MAX_BYTES = 1 << 20;
/** Maximum nesting of anonymous members and bases in which a name is searched. */
const MAX_SEARCH = 32;

const noBytes = new Uint8Array();
const noValues: readonly Value[] = [];
const noMembers: readonly Member[] = [];

/** A value of a program. */
export class PlacedValue implements Value {
  readonly name: RawText;
  readonly type: Type;
  readonly place: Place;
  readonly bits: { readonly offset: number; readonly size: number } | null;
  readonly context: ValueContext;
  #bytes: Uint8Array | undefined;
  #unavailable: string | null | undefined;
  #synthetic: Synthetic | null | undefined;
  #summary: RawText | null | undefined;
  #members: readonly Member[] | undefined;
  #dynamic: PlacedValue | null | undefined;

  constructor(
    context: ValueContext,
    name: RawText,
    type: Type,
    place: Place,
    bits: { readonly offset: number; readonly size: number } | null = null,
  ) {
    this.context = context;
    this.name = name;
    this.type = type;
    this.place = place;
    this.bits = bits;
  }

  get address(): bigint | null {
    return this.place.kind === "memory" ? this.place.address : null;
  }

  get register(): string | null {
    return this.place.kind === "register" ? this.place.register : null;
  }

  get isLater(): boolean {
    const { address } = this;
    return address !== null && (this.context.memory.isLater?.(address, this.#size) ?? false);
  }

  /** Bytes of the value; those of a bit field include the bits around it. */
  get #size(): number {
    if (this.bits !== null) return Math.ceil((this.bits.offset + this.bits.size) / 8);
    return Math.min(canonical(this.type).size ?? 0, MAX_BYTES);
  }

  get unavailable(): string | null {
    if (this.#unavailable === undefined) this.#unavailable = this.#reason();
    return this.#unavailable;
  }

  #reason(): string | null {
    const { place } = this;
    if (place.kind === "unavailable") return place.reason;
    if (this.type === damagedType) return "its type is not known";
    const size = this.#size;
    if (place.kind === "memory") {
      // The first byte decides for what is read piece by piece.
      const wanted = this.#isScalar ? size : Math.min(size, 1);
      if (wanted > 0) {
        const read = this.context.memory.readUpTo(place.address, wanted);
        if (read.length < wanted) return `unreadable at 0x${place.address.toString(16)}`;
        // Read once: in a running target it could be another value the next time.
        if (wanted === size) this.#bytes = read;
      }
    } else if (place.kind !== "implicit-pointer") {
      if (place.bytes.length < size) return `only ${place.bytes.length} of ${size} bytes are known`;
      const known = place.kind === "bytes" ? place.known?.subarray(0, size) : undefined;
      const isLost = this.#isScalar
        ? known?.includes(0)
        : known !== undefined && !known.includes(1);
      if (isLost) return "optimized out";
    }
    return null;
  }

  get #isScalar(): boolean {
    const { kind } = canonical(this.type);
    return this.bits !== null || kind === "base" || kind === "enum" || kind === "pointer" ||
      isReference(kind) || kind === "member-pointer" || kind === "unspecified";
  }

  bytes(limit: number = MAX_BYTES): Uint8Array {
    if (this.unavailable !== null) return noBytes;
    const { place } = this;
    const size = Math.min(this.#size, limit);
    if (place.kind === "memory") {
      if (this.#bytes === undefined || this.#bytes.length < size) {
        this.#bytes = this.context.memory.readUpTo(place.address, size);
      }
      return this.#bytes.subarray(0, size);
    }
    return place.kind === "register" || place.kind === "bytes"
      ? place.bytes.subarray(0, size)
      : noBytes;
  }

  get integer(): bigint | null {
    const type = canonical(this.type);
    if (!this.#isScalar || this.unavailable !== null || this.place.kind === "implicit-pointer") {
      return null;
    }
    const { encoding } = type.kind === "enum" && type.target ? canonical(type.target) : type;
    if (encoding === "float" || encoding === "complex-float") return null;
    const bytes = this.bytes();
    let value = unsignedOf(bytes);
    let size = bytes.length * 8;
    if (this.bits !== null) {
      value = BigInt.asUintN(this.bits.size, value >> BigInt(this.bits.offset));
      size = this.bits.size;
    }
    // An enumeration without an underlying type is signed when one of its values is negative.
    const signed = type.kind === "enum" && encoding === undefined
      ? type.enumerators?.some(({ value }) => value < 0n) ?? false
      : isSigned(encoding);
    return signed ? BigInt.asIntN(size, value) : value;
  }

  get scalar(): number | bigint | boolean | null {
    const { kind, encoding } = canonical(this.type);
    if (kind === "base" && encoding === "float") {
      return this.unavailable !== null ? null : floatOf(this.bytes(), this.#isQuad);
    }
    const value = this.integer;
    if (value === null) return null;
    if (kind === "base" && encoding === "boolean") return value !== 0n;
    return kind === "base" || kind === "enum" ? exact(value) : value;
  }

  get text(): RawText | null {
    if (this.unavailable !== null) return null;
    const type = canonical(this.type);
    const { size } = type;
    if (this.place.kind === "implicit-pointer") return "(optimized-out pointer)";
    if (type.kind === "base") return this.#baseText(type);
    const value = this.integer;
    if (value === null) return null;
    if (type.kind === "enum") return enumText(type, value);
    if (type.kind === "member-pointer") {
      return `0x${value.toString(16).padStart((size ?? 8) * 2, "0")}`;
    }
    return `0x${value.toString(16).padStart(this.context.pointerSize * 2, "0")}`;
  }

  get #isQuad(): boolean {
    return isQuadFloat(this.context.arch, canonical(this.type).name);
  }

  #floatText(bytes: Uint8Array): RawText | null {
    if (bytes.length >= 10) {
      const isLong = bytes.length === 10 || bytes.length === 12 || bytes.length === 16;
      return isLong ? longFloatText(bytes, bytes.length === 16 && this.#isQuad) : null;
    }
    const value = floatOf(bytes);
    return value === null ? null : floatText(value, bytes.length);
  }

  #baseText(type: Type): RawText | null {
    const { encoding } = type;
    const size = type.size ?? 0;
    if (encoding === "float") {
      const bytes = this.bytes();
      return this.#floatText(bytes);
    }
    if (encoding === "complex-float") {
      const half = size / 2;
      const [real, imaginary] = [this.bytes().subarray(0, half), this.bytes().subarray(half)]
        .map((part) => this.#floatText(part));
      return real === null || imaginary === null ? null : `${real} + ${imaginary}i`;
    }
    const value = this.integer;
    if (value === null) return null;
    // Rust's `()` is a number of no bytes.
    if (size === 0) return type.name;
    if (encoding === "boolean") {
      return value === 0n ? "false" : "true";
    }
    if (!isCharacter(this.type)) return value.toString();
    const code = Number(BigInt.asUintN(size * 8, value));
    return `${prefixOf(this.type)}'${characterText(code, size)}'`;
  }

  /** The formatter's result, or what damage it met. */
  #format<T>(read: (formatter: Formatter) => T): T | string | null {
    if (this.unavailable !== null) return null;
    const formatter = this.context.formatters?.find(this.type) ?? null;
    if (formatter === null) return null;
    try {
      return read(formatter);
    } catch (error) {
      const known = error instanceof DamagedValue || error instanceof FormatError ||
        error instanceof RangeError || error instanceof MemoryReadError;
      if (!known) throw error;
      // What was optimized away in part is no damage.
      if (this.place.kind === "bytes" && this.place.known !== undefined) return null;
      const isAbsent = this.context.memory.isPartial &&
        (error instanceof UnreadableValue || error instanceof MemoryReadError);
      return isAbsent ? error.message : `damaged: ${error.message}`;
    }
  }

  get summary(): RawText | null {
    if (this.#summary === undefined) {
      const target = isReference(canonical(this.type).kind) ? this.deref() : null;
      this.#summary = target !== null
        ? target.summary
        : this.#format((formatter) => formatter.summary?.(this) ?? null);
      if (this.#summary === null && this.#children() === null && this.#damage !== null) {
        this.#summary = this.#damage;
      }
    }
    return this.#summary;
  }

  #damage: string | null = null;

  /** The children that the formatter makes; `null` when it makes none. */
  #children(): Synthetic | null {
    if (this.#synthetic === undefined) {
      const made = this.#format((formatter) => formatter.children?.(this) ?? null);
      if (typeof made === "string") this.#damage = made;
      this.#synthetic = typeof made === "string" ? null : made;
      const count = this.#synthetic?.count ?? 0;
      if (!(Number.isSafeInteger(count) && count >= 0)) {
        this.#synthetic = null;
        this.#damage = `damaged: ${count} elements`;
      }
    }
    return this.#synthetic;
  }

  get raw(): Value {
    if (this.context.formatters === null) return this;
    return new PlacedValue(
      { ...this.context, formatters: null, limited: this.context.limited },
      this.name,
      this.type,
      this.place,
      this.bits,
    );
  }

  /** The members of a record, with those of the chosen variant. */
  get #fields(): readonly Member[] {
    if (this.#members === undefined) {
      const { members: all = noMembers, variantPart } = canonical(this.type);
      // The pointer to a class's virtual functions is no member of the program's.
      const members = all.filter(({ artificial, isBase }) => isBase || !artificial);
      this.#members = variantPart === undefined || variantPart === null
        ? members
        : [...members, ...this.#variant(variantPart)];
    }
    return this.#members;
  }

  #variant({ discriminant, variants }: NonNullable<Type["variantPart"]>): readonly Member[] {
    const held = discriminant === null ? null : this.#member(discriminant).integer;
    if (discriminant !== null && held === null) return noMembers;
    const chosen = variants.find(({ value }) => value !== null && value === held) ??
      variants.find(({ value }) => value === null);
    return chosen?.members ?? noMembers;
  }

  get childCount(): number {
    if (this.unavailable !== null) return 0;
    const made = this.#children();
    if (made !== null) return made.count;
    const type = canonical(this.type);
    if (isRecord(type)) return this.#fields.length;
    if (type.kind === "array") return this.#arrayCount(type);
    if (!isPointer(type)) return 0;
    const target = this.deref();
    if (target === null || target.place.kind === "unavailable") return 0;
    const pointee = canonical(target.type);
    if (isRecord(pointee) || isReference(type.kind) && pointee.kind === "array") {
      return target.childCount;
    }
    return pointee.size === null && pointee.kind !== "array" ? 0 : 1;
  }

  #arrayCount(type: Type): number {
    const count = type.count ?? 0;
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  }

  children(start: number = 0, end?: number): readonly Value[] {
    const { structFields, arrayValues } = this.context.limits;
    const shown = isRecord(canonical(this.type)) && this.#children() === null
      ? structFields < 0 ? Infinity : structFields
      : arrayValues;
    const last = Math.min(end ?? start + shown, this.childCount);
    if (!(start >= 0 && start < last)) return noValues;
    const made = this.#children();
    if (made !== null) return this.#made(made, start, last);
    const type = canonical(this.type);
    if (isRecord(type)) {
      return this.#fields.slice(start, last).map((member) => this.#member(member));
    }
    if (type.kind === "array") {
      return Array.from({ length: last - start }, (_, index) => this.#element(start + index));
    }
    const target = this.deref();
    if (target === null) return noValues;
    const pointee = canonical(target.type);
    if (isRecord(pointee) || isReference(type.kind) && pointee.kind === "array") {
      return target.children(start, last);
    }
    return isReference(type.kind) ? [target.named(`&${this.name}`)] : [target];
  }

  #made(made: Synthetic, start: number, end: number): readonly Value[] {
    const values: Value[] = [];
    for (let index = start; index < end; index++) {
      const value = this.#format(() => made.at(index));
      if (value === null) break;
      if (typeof value !== "string") {
        values.push(value);
        continue;
      }
      values.push(
        new PlacedValue(this.context, `[${index}]`, voidType, {
          kind: "unavailable",
          reason: value,
        }),
      );
      break;
    }
    return values;
  }

  /** The part of this value at an offset. */
  #part(
    name: RawText,
    type: Type,
    offset: number,
    bits: { readonly offset: number; readonly size: number } | null = null,
  ): PlacedValue {
    const { place } = this;
    let part: Place;
    switch (place.kind) {
      case "memory": {
        const mask = (1n << BigInt(this.context.pointerSize * 8)) - 1n;
        part = { kind: "memory", address: (place.address + BigInt(offset)) & mask };
        break;
      }
      case "register":
        part = { ...place, bytes: place.bytes.subarray(offset) };
        break;
      case "bytes":
        part = {
          kind: "bytes",
          bytes: place.bytes.subarray(offset),
          known: place.known?.subarray(offset),
        };
        break;
      case "implicit-pointer":
        part = { kind: "unavailable", reason: "optimized out" };
        break;
      case "unavailable":
        part = place;
    }
    return new PlacedValue(this.context, name, type, part, bits);
  }

  #member(member: Member): Value {
    const { name, type, offset, bits, locate } = member;
    if (locate !== undefined) {
      const { address } = this;
      const base = address === null ? undefined : locate(address, this.context.memory);
      return new PlacedValue(
        this.context,
        name,
        type,
        base === undefined
          ? { kind: "unavailable", reason: "the place of a virtual base is not known" }
          : { kind: "memory", address: base },
      );
    }
    if (bits === undefined) return this.#part(name, type, offset);
    const first = Math.floor(bits.offset / 8);
    return this.#part(name, type, first, { offset: bits.offset - first * 8, size: bits.size });
  }

  #element(index: number): Value {
    const { target } = canonical(this.type);
    const element = target ?? voidType;
    return this.#part(`[${index}]`, element, index * (canonical(element).size ?? 0));
  }

  child(name: string): Value | null {
    return this.#child(name, 0);
  }

  #child(name: string, depth: number): Value | null {
    if (depth > MAX_SEARCH || this.unavailable !== null) return null;
    const index = /^\[(\d+)\]$/.exec(name);
    const made = this.#children();
    if (made !== null) {
      const at = made.names?.indexOf(name) ?? -1;
      const wanted = at >= 0 ? at : index === null ? -1 : Number(index[1]);
      if (wanted >= 0 && wanted < made.count) {
        return this.#made(made, wanted, wanted + 1)[0] ?? null;
      }
      if (index !== null) return null;
    }
    const type = canonical(this.type);
    if (isRecord(type)) return this.#search(name, depth);
    if (type.kind === "array") {
      return index !== null && Number(index[1]) < this.#arrayCount(type)
        ? this.#element(Number(index[1]))
        : null;
    }
    const target = this.deref();
    if (target === null) return null;
    const found = target.#child(name, depth + 1);
    if (found !== null || depth > 0) return found;
    // Members of the class that the object is of, where the declared one has none of the name.
    return this.dynamic?.deref()?.child(name) ?? null;
  }

  #search(name: string, depth: number): Value | null {
    const fields = this.#fields;
    const found = fields.find((field) => field.name === name && !field.isBase);
    if (found !== undefined) return this.#member(found);
    for (const field of fields) {
      if (!(field.isBase || field.name === "")) continue;
      if (field.isBase && field.name === name) return this.#member(field);
      const value = this.#member(field);
      const inner = value instanceof PlacedValue && isRecord(canonical(value.type))
        ? value.#search(name, depth + 1)
        : null;
      if (inner !== null && depth < MAX_SEARCH) return inner;
    }
    return null;
  }

  deref(): PlacedValue | null {
    const type = canonical(this.type);
    if (!isPointer(type)) return null;
    const target = type.target ?? null;
    if (target === null || canonical(target).kind === "void") return null;
    const name = isReference(type.kind) ? this.name : `*${this.name}`;
    const { place } = this;
    if (place.kind === "implicit-pointer") {
      const pointee = new PlacedValue(this.context, name, target, place.target);
      return place.offset === 0 ? pointee : pointee.#part(name, target, place.offset);
    }
    const pointer = this.integer;
    return new PlacedValue(
      this.context,
      name,
      target,
      pointer === null
        ? { kind: "unavailable", reason: this.unavailable ?? "no pointer" }
        : pointer === 0n
        ? { kind: "unavailable", reason: "a null pointer" }
        : { kind: "memory", address: pointer & this.context.addressMask },
    );
  }

  get dynamic(): PlacedValue | null {
    if (this.#dynamic === undefined) this.#dynamic = this.#asDynamic();
    return this.#dynamic;
  }

  #asDynamic(): PlacedValue | null {
    const { kind, target } = canonical(this.type);
    const isAlias = isReference(kind);
    // Of a type that is no class nothing is read for it.
    if (target == null || kind !== "pointer" && !isAlias || !isRecord(canonical(target))) {
      return null;
    }
    const pointer = this.integer;
    if (pointer === null || pointer === 0n) return null;
    const { pointerSize, addressMask } = this.context;
    const address = pointer & addressMask;
    const found = dynamicClass(address, target, this.context);
    if (found === null) return null;
    const { name, size, language } = found.type;
    const whole: Type = target.kind === "const"
      ? { kind: "const", name: `const ${name}`, size, language, target: found.type }
      : found.type;
    const type = (isAlias ? referenceTo : pointerTo)(whole, pointerSize);
    if (found.address === address) {
      return new PlacedValue(this.context, this.name, type, this.place, this.bits);
    }
    const bytes = new Uint8Array(pointerSize);
    for (let at = 0; at < pointerSize; at++) {
      bytes[at] = Number(found.address >> BigInt(8 * at) & 0xffn);
    }
    return new PlacedValue(this.context, this.name, type, { kind: "bytes", bytes });
  }

  /** The same with another name. */
  named(name: RawText): Value {
    return new PlacedValue(this.context, name, this.type, this.place, this.bits);
  }

  cast(type: Type): Value {
    return new PlacedValue(this.context, this.name, type, this.place, null);
  }

  at(address: bigint, type: Type, name: RawText = ""): Value {
    return new PlacedValue(this.context, name, type, { kind: "memory", address });
  }

  make(name: RawText, type: Type, bytes: Uint8Array): Value {
    return new PlacedValue(this.context, name, type, { kind: "bytes", bytes });
  }

  /** Its name and type, and what `JSON.stringify(frame.locals)` has for it. */
  toJSON(): Record<string, unknown> {
    return { name: this.name, type: this.type.name, value: jsonOf(this) };
  }

  /** As in `(int) count = 3`, on one line and within the limits. It is raw text. */
  toString(): string {
    return inlineText(this);
  }

  /** As {@linkcode toString}. */
  [Symbol.for("Deno.customInspect")](): string {
    return this.toString();
  }

  write(value: number | bigint | boolean): void {
    const { memory } = this.context;
    const { address } = this;
    const type = canonical(this.type);
    if (!this.#isScalar) {
      throw new TypeError(`${this.name} is no number: its members can be written`);
    }
    if (this.unavailable !== null) throw new TypeError(`${this.name}: ${this.unavailable}`);
    const bytes = this.#encode(value, type);
    if (this.place.kind === "register") {
      const { register, bytes: held } = this.place;
      if (memory.writeRegister === undefined) {
        throw new TypeError(
          `${this.name} is in register ${register}, which can be written in the innermost frame of a ` +
            "paused target only",
        );
      }
      // Of 64 bits at most: no thread state has wider ones.
      const whole = held.slice();
      whole.set(bytes);
      memory.writeRegister(register, whole);
      held.set(bytes);
    } else if (address === null || memory.write === undefined) {
      throw new TypeError(`${this.name} cannot be written: it is in no memory that can be`);
    } else {
      memory.write(address, bytes);
    }
    this.#bytes = undefined;
    this.#summary = undefined;
    this.#synthetic = undefined;
  }

  /** The bytes that stand for a number in place of the present ones. */
  #encode(value: number | bigint | boolean, type: Type): Uint8Array {
    const bytes = this.bytes().slice();
    const view = new DataView(bytes.buffer);
    if (type.encoding === "float") {
      if (bytes.length === 4) view.setFloat32(0, Number(value), true);
      else if (bytes.length === 8) view.setFloat64(0, Number(value), true);
      else throw new TypeError(`floating-point numbers of ${bytes.length} bytes cannot be written`);
      return bytes;
    }
    if (type.encoding === "complex-float") {
      throw new TypeError("complex numbers cannot be written");
    }
    if (
      type.encoding === "boolean" && value !== true && Number(value) !== 0 && Number(value) !== 1
    ) {
      throw new RangeError(`${value} is neither true nor false`);
    }
    if (typeof value === "number" && !Number.isInteger(value)) {
      throw new RangeError(`${this.name} is an integer, not ${value}`);
    }
    const size = this.bits?.size ?? bytes.length * 8;
    const whole = BigInt(value);
    if (BigInt.asUintN(size, whole) !== whole && BigInt.asIntN(size, whole) !== whole) {
      throw new RangeError(`${whole} does not fit ${size} bits`);
    }
    const shift = BigInt(this.bits?.offset ?? 0);
    const mask = ((1n << BigInt(size)) - 1n) << shift;
    let all = (unsignedOf(bytes) & ~mask) | (BigInt.asUintN(size, whole) << shift);
    for (let at = 0; at < bytes.length; at++, all >>= 8n) bytes[at] = Number(all & 0xffn);
    return bytes;
  }
}

/** An enumeration's value as its name, as the names of flags, or as a number: LLDB's rules
 * (`DumpEnumValue` of `TypeSystemClang.cpp`). They are flags when each is a single bit or made of those
 * before it. */
function enumText({ enumerators = [], size }: Type, value: bigint): RawText {
  const named = enumerators.find((enumerator) => enumerator.value === value);
  if (named !== undefined) return named.name;
  const width = (size ?? 8) * 8;
  let covered = 0n;
  for (const enumerator of enumerators) {
    const bits = BigInt.asUintN(64, enumerator.value);
    if (bitCount(bits) !== 1 && (bits & ~covered) !== 0n) return value.toString();
    covered |= bits;
  }
  let left = BigInt.asUintN(width, value);
  if (left === 0n) return "0x0";
  const parts: RawText[] = [];
  const flags = enumerators.filter(({ value }) => value !== 0n)
    .sort((a, b) => bitCount(b.value) - bitCount(a.value));
  for (const { name, value } of flags) {
    const bits = BigInt.asUintN(width, value);
    if ((left & bits) !== bits) continue;
    left &= ~bits;
    parts.push(name);
  }
  if (left !== 0n) parts.push(`0x${left.toString(16)}`);
  return parts.join(" | ");
}

function bitCount(value: bigint): number {
  let count = 0;
  for (let left = BigInt.asUintN(64, value); left !== 0n; left &= left - 1n) count++;
  return count;
}
