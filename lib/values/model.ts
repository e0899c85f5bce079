/** Types, values and formatters, as the rest of the program sees them: interfaces over plain data. */

import type { RawText } from "../escape.ts";

/** The language of a compile unit, as far as values depend on it. */
export type Language = "c" | "c++" | "objc" | "objc++" | "swift" | "rust" | "go" | "other";

/** What a type is made of. `reference` and `rvalue-reference` are C++'s; `unspecified` is the type of
 * `nullptr`; `variant` is a Rust enum. */
export type TypeKind =
  | "base"
  | "pointer"
  | "reference"
  | "rvalue-reference"
  | "member-pointer"
  | "struct"
  | "class"
  | "union"
  | "array"
  | "enum"
  | "typedef"
  | "const"
  | "volatile"
  | "restrict"
  | "atomic"
  | "function"
  | "unspecified"
  | "void";

/** How the bytes of a base type are read: `DW_ATE_*`. */
export type Encoding =
  | "signed"
  | "unsigned"
  | "float"
  | "boolean"
  | "signed-char"
  | "unsigned-char"
  | "utf"
  | "complex-float"
  | "address"
  | "other";

/** A member of a struct, class or union, or one of its bases. */
export interface Member {
  /** Empty for an anonymous struct or union. The base's type name for a base. */
  readonly name: RawText;
  /** The type of the member. */
  readonly type: Type;
  /** Bytes from the start of the object. 0 for a virtual base: see {@linkcode locate}. */
  readonly offset: number;
  /** Of a bit field: bits from the start of the object to the lowest bit, and the number of bits. */
  readonly bits?: { readonly offset: number; readonly size: number };
  /** Whether it is a base class. */
  readonly isBase: boolean;
  /** Of a virtual base: its address, from that of the object; `undefined` where that is unreadable. */
  readonly locate?: (object: bigint, memory: ValueMemory) => bigint | undefined;
  /** Whether the compiler made it, such as `_vptr$A`. */
  readonly artificial: boolean;
}

/** One name of an enumeration. */
export interface Enumerator {
  /** The name of the constant. */
  readonly name: RawText;
  /** Its value. */
  readonly value: bigint;
}

/** Who may use a member. */
export type Access = "public" | "protected" | "private";

/** A function that a class, struct or union declares. */
export interface Method {
  /** Its name in the class: `area`, `~Shape`, `operator==`. */
  readonly name: RawText;
  /** What it returns, and its parameters without the object. */
  readonly type: Type;
  /** The mangled name of its symbol; `null` where debug information has none. */
  readonly linkageName: RawText | null;
  /** Who may call it; `null` where the language has no such thing, or it is not told. */
  readonly access: Access | null;
  /** What stands before its declaration in C++: `virtual`, `static`, `explicit`. */
  readonly before: readonly ("virtual" | "static" | "explicit")[];
  /** What stands after it: `const`, `&`, `&&`, `= 0`, `= delete`. */
  readonly after: readonly ("const" | "&" | "&&" | "= 0" | "= delete")[];
  /** Whether it takes more than its parameters. */
  readonly isVariadic: boolean;
}

/** A static member of a class: a variable outside of its objects. */
export interface StaticMember {
  /** Its name in the class. */
  readonly name: RawText;
  /** The type of its value. */
  readonly type: Type;
  /** Who may use it; `null` where it is not told. */
  readonly access: Access | null;
}

/** A template's argument: a type, or a value. */
export interface TemplateArgument {
  /** The name of the parameter. */
  readonly name: RawText;
  /** The type argument; `null` for a value. */
  readonly type: Type | null;
  /** Of a value's argument; `null` for a type's. */
  readonly value: bigint | null;
}

/** The variants of a Rust enum. */
export interface VariantPart {
  /** The member that says which variant it is; `null` when there is one variant only. */
  readonly discriminant: Member | null;
  /** The member that tells the variants apart; `null` without one. */
  readonly variants: readonly {
    /** The discriminant's value; `null` for the variant of all other values. */
    readonly value: bigint | null;
    readonly members: readonly Member[];
  }[];
}

/** A type. Its parts are read when they are first asked for, so types may refer to themselves. A literal
 * with the same properties is a type too. */
export interface Type {
  /** What kind of type it is. */
  readonly kind: TypeKind;
  /** As the language writes it: `const char *`, `std::vector<int>`. */
  readonly name: RawText;
  /** Bytes; `null` when not known: of an incomplete type or an array without a length. */
  readonly size: number | null;
  /** The language it was written in. */
  readonly language: Language;
  /** Of a base type. */
  readonly encoding?: Encoding;
  /** What a pointer or reference points to, an array consists of, an enumeration is stored as, a typedef
   * or qualifier stands for, a function returns; `null` for `void`. */
  readonly target?: Type | null;
  /** Of a struct, class or union: bases first, then members in their order; not static ones. */
  readonly members?: readonly Member[];
  /** Of a struct, class or union: the functions that it declares, in their order, without those that the compiler
   * adds. */
  readonly methods?: readonly Method[];
  /** Of a struct, class or union: its static members. */
  readonly statics?: readonly StaticMember[];
  /** Of an array: the number of elements; `null` when not known. Arrays of higher rank are arrays of
   * arrays. */
  readonly count?: number | null;
  /** The constants of an enumeration. */
  readonly enumerators?: readonly Enumerator[];
  /** The arguments of a template or generic. */
  readonly templateArguments?: readonly TemplateArgument[];
  /** Of a Rust enum. */
  readonly variantPart?: VariantPart | null;
  /** Of a function: the types of its parameters. */
  readonly parameters?: readonly Type[];
  /** Of a pointer to member: the class. */
  readonly containing?: Type | null;
  /** Of a vector (SIMD) type. */
  readonly isVector?: boolean;
  /** Of a struct or class that is only declared: no definition was found. */
  readonly isIncomplete?: boolean;
  /** Of an Objective-C class. */
  readonly isObjC?: boolean;
  /** The mangled name, where debug information has one: of Swift's types. */
  readonly linkageName?: RawText;
}

/** The memory that values are read from. A target's `Memory` is one. */
export interface ValueMemory {
  /** Bytes of a pointer. */
  readonly pointerSize: 4 | 8;
  /** Whether it lacks some of what the program had, as in a core: what cannot be read is no damage. */
  readonly isPartial?: boolean;
  /** At most `length` bytes, up to the first one that is unreadable. */
  readUpTo(address: bigint, length: number): Uint8Array;
  /** Writes all of it or throws; absent when the memory is read-only. */
  write?(address: bigint, bytes: Uint8Array): void;
  /** Writes a register of the frame, whole; absent when it cannot be written.
   *
   * @throws MachError when the system refuses
   */
  writeRegister?(name: string, bytes: Uint8Array): void;
  /** Whether `length` bytes at the address are read later than the frames' registers and stacks were: a
   * snapshot's target runs on. */
  isLater?(address: bigint, length: number): boolean;
}

/** How much of a value is read. The defaults are Delve's `LoadConfig` for editors. */
export interface Limits {
  /** Levels of pointers and members that are shown below a variable. */
  readonly depth: number;
  /** Bytes of a string. */
  readonly stringLength: number;
  /** Elements of an array or container. */
  readonly arrayValues: number;
  /** Members of a struct; -1 for all. */
  readonly structFields: number;
}

/** {@linkcode Limits} where nothing else is asked for. */
export const defaultLimits: Limits = {
  depth: 1,
  stringLength: 512,
  arrayValues: 64,
  structFields: -1,
};

/** Where a value is. */
export type Place =
  | { readonly kind: "memory"; readonly address: bigint }
  /** In a register; `bytes` are the register's from the value's first byte on. */
  | { readonly kind: "register"; readonly register: string; readonly bytes: Uint8Array }
  /** Not in one place: a constant, a result of an expression, or pieces put together. */
  | {
    readonly kind: "bytes";
    readonly bytes: Uint8Array;
    /** For each byte whether it is known; all are when this is left out. */
    readonly known?: Uint8Array;
  }
  /** A pointer that was optimized away; what it points to is known. */
  | { readonly kind: "implicit-pointer"; readonly target: Place; readonly offset: number }
  | { readonly kind: "unavailable"; readonly reason: string };

/** A value of a program: bytes and their type. Everything about it is read when it is asked for, and
 * nothing of it throws for what the target's memory holds: `unavailable` says why there is none. */
export interface Value {
  /** The variable's, the member's, or `[3]` of an element. Empty for an anonymous member. */
  readonly name: RawText;
  /** The type of the value. */
  readonly type: Type;
  /** Where its bytes are. */
  readonly place: Place;
  /** Bit field: the lowest bit, from the first byte of the place, and the number of bits. */
  readonly bits: { readonly offset: number; readonly size: number } | null;
  /** Its address; `null` when it is not in memory. */
  readonly address: bigint | null;
  /** The register it is in; `null` when it is in none. */
  readonly register: string | null;
  /** Why there is no value: `optimized out`, `no location at this pc`, `unreadable at 0x…`; `null` when
   * there is one. */
  readonly unavailable: string | null;
  /** Whether it was read from a running target, after the snapshot that its frame is of. */
  readonly isLater: boolean;
  /** Its bytes; empty when it is unavailable. At most `limit`. */
  bytes(limit?: number): Uint8Array;
  /** The number of a base type, an enumeration, a pointer or a bit field: a number where it is exact, else
   * a bigint; pointers always are bigints. `null` for other types, and when it is unavailable. */
  readonly scalar: number | bigint | boolean | null;
  /** As {@linkcode scalar}, as an integer; `null` when it is none. */
  readonly integer: bigint | null;
  /** The text of the value itself as the language writes it: `3`, `'a'`, `0x00007ff…`, `RED`; `null` for a
   * struct, array or union, and when it is unavailable. */
  readonly text: RawText | null;
  /** What a formatter says about it: `"hello"`, `size=3`; `null` without one. Of a damaged value
   * `damaged: …`. */
  readonly summary: RawText | null;
  /** Number of children, by the formatter when it gives any: members, elements, or what a pointer points
   * to. Bounded by nothing: see {@linkcode Limits} for what is shown. */
  readonly childCount: number;
  /** The children from `start` up to, not including, `end`. Default: as many as the limits show. */
  children(start?: number, end?: number): readonly Value[];
  /** A member or element, by name or `[index]`. Members of anonymous structs and of bases are found too;
   * `null` when there is none. */
  child(name: string): Value | null;
  /** The members and elements themselves, as if there were no formatter. */
  readonly raw: Value;
  /** What a pointer or reference points to; `null` for other types and `void *`. The place of the result
   * is unavailable for a null pointer. */
  deref(): Value | null;
  /** Of a pointer or reference to a C++ class: the same for the whole object that it leads to, as its own class, where
   * that is derived from the declared one. The object's table of virtual functions tells. `null` where the class
   * is the declared one, or not known. */
  readonly dynamic: Value | null;
  /** The same bytes as another type. */
  cast(type: Type): Value;
  /** A value of another type at an address in the same target. */
  at(address: bigint, type: Type, name?: RawText): Value;
  /** A value that is in no memory, such as a formatter's computed child. */
  make(name: RawText, type: Type, bytes: Uint8Array): Value;
  /** Memory, and what else it takes to read values. */
  readonly context: ValueContext;
  /** Writes a number to it.
   *
   * @throws TypeError when it is no scalar, or cannot be written: a value that is in no memory and no
   * register, or in a register of a frame that has been left by a call
   */
  write(value: number | bigint | boolean): void;
}

/** What kind of a variable it is. */
export type VariableKind = "argument" | "local" | "static" | "global";

/** A variable of a frame or an image. */
export interface Variable extends Value {
  /** What kind of variable it is. */
  readonly kind: VariableKind;
  /** Where it is declared; `null` when not known. */
  readonly declaration: { readonly file: RawText; readonly line: number } | null;
  /** Nesting of its block in the function: 0 for its parameters and outermost variables. */
  readonly depth: number;
  /** Whether the compiler made it, such as `this` and `self`. */
  readonly artificial: boolean;
}

/** What is needed to read values besides their places. */
export interface ValueContext {
  /** The memory that values are read from. */
  readonly memory: ValueMemory;
  /** The bits of a pointer that are its address. */
  readonly addressMask: bigint;
  /** Bytes of a pointer. */
  readonly pointerSize: 4 | 8;
  /** The processor, as in `x86_64`; left out where it is not known. */
  readonly arch?: string;
  /** Bounds on what is read and shown. */
  readonly limits: Limits;
  /** Formatters; `null` for raw values only. */
  readonly formatters: Formatters | null;
  /** The symbol that an address lies in, its offset from there, and the name of its image; `null` without one. */
  symbolAt(address: bigint): {
    readonly name: RawText;
    readonly offset: number;
    readonly image?: RawText;
  } | null;
  /** The addresses of symbols with that name. */
  addressesOf(symbol: string): readonly bigint[];
  /** A type by its name as {@linkcode Type.name} writes it; with `struct` before it, none that is a typedef.
   * `null` when none is known. It may read much: do not ask for names that are not expected to exist.
   *
   * @param near an address in another image that is searched too. Default: that of the frame alone
   */
  findType(name: string, near?: bigint): Type | null;
  /** A type by its name of the unit that is compiled with the code there. `null` when there is none; left out where
   * none can be. */
  findUnitType?(name: string): Type | null;
  /** The namespaces whose names the code there uses without them, by using-directives. */
  namespaces?(): readonly RawText[];
  /** A constant by its name, which may lack outer namespaces: of an enumeration, or a static one of a class. `null` when none is known; left out
   * where none can be. */
  findConstant?(name: string): Value | null;
  /** A variable outside of functions by its name, which may lack outer namespaces, of the unit that is compiled
   * with the code there. `null` when there is none; left out where none can be. */
  findGlobal?(name: string): Value | null;
  /** A copy with other limits. */
  limited(limits: Partial<Limits>): ValueContext;
}

/** Children that a formatter makes. */
export interface Synthetic {
  /** Not bounded: callers ask for ranges. A formatter must check it against what the container holds, and
   * call {@linkcode damaged} when it cannot be true. */
  readonly count: number;
  /** The child with an index below `count`. */
  at(index: number): Value;
  /** The name of each child, when they have other names than `[0]`, `[1]`, …: for `child()`. */
  readonly names?: readonly string[];
}

/** How values of some types are shown. Its functions read through {@linkcode Value} and never loop without
 * a bound; what they throw by {@linkcode damaged} or as FormatError, RangeError or MemoryReadError shows as
 * `damaged: …`. What a core does not hold shows as `unreadable at 0x…`.
 *
 * @example
 * ```ts
 * import type { Formatter } from "@machpause/machpause";
 *
 * const point: Formatter = {
 *   name: "Point",
 *   type: "Point",
 *   summary: (value) => `(${value.child("x")?.text}, ${value.child("y")?.text})`,
 * };
 * ```
 */
export interface Formatter {
  /** Unique; shown where formatters are listed. */
  readonly name: string;
  /** The types: an exact name, a pattern of the whole name, or a test. It is tried with the type, without
   * qualifiers, and with each type that a typedef stands for. References are formatted as what they refer
   * to. */
  readonly type: string | RegExp | ((type: Type) => boolean);
  /** Languages of the units that define the types; all when left out. */
  readonly languages?: readonly Language[];
  /** The text; `null` for none. */
  summary?(value: Value): RawText | null;
  /** The children; `null` to show the members themselves. */
  children?(value: Value): Synthetic | null;
}

/** A table of formatters. */
export interface Formatters {
  /** The first formatter that matches a type; `null` when none does. */
  find(type: Type): Formatter | null;
}

/** A value that holds what it cannot hold: what {@linkcode damaged} throws.
 *
 * @example
 * ```ts
 * import { damaged, DamagedValue } from "@machpause/machpause/values";
 *
 * try {
 *   damaged("it has no size");
 * } catch (error) {
 *   console.log(error instanceof DamagedValue);
 * }
 * ```
 */
export class DamagedValue extends Error {
  /** The class name, set here so that minifying keeps it. */
  override readonly name: string = "DamagedValue";
}

/** A value of which something cannot be read. Where memory is not all there, that is no damage.
 *
 * @ignore
 */
export class UnreadableValue extends DamagedValue {}

/** Ends a formatter: the value shows as `damaged: reason`.
 *
 * @example
 * ```ts
 * import { damaged, defineFormatter } from "@machpause/machpause/values";
 *
 * defineFormatter({
 *   name: "Buffer",
 *   type: "Buffer",
 *   summary: (value) => value.child("size")?.text ?? damaged("it has no size"),
 * });
 * ```
 */
export function damaged(reason: string): never {
  throw new DamagedValue(reason);
}
