/** How values of Swift's types lie in memory, from their declarations: sizes, the places of fields, how the cases of
 * enums are told apart. The rules are those of the compiler and the runtime (`docs/ABI/TypeLayout.rst`,
 * `lib/IRGen/GenEnum.cpp`, `stdlib/public/RemoteInspection/TypeLowering.cpp`). A value that no value of a type has
 * is an "extra inhabitant" of it, and a bit that all its values have as zero a "spare bit": enums use both. */

import type { SwiftNode as Node } from "../../symbols/demangle/mod.ts";
import { damaged } from "../model.ts";
import {
  bare,
  isDependent,
  nominalOf,
  substituted,
  type SwiftDeclaration,
  type SwiftTypes,
} from "./swift_types.ts";

/** Maximum size of a value, in bytes; of types in each other; of types that one type is made of. */
const MAX_SIZE = 1 << 16;
const MAX_DEPTH = 48;
const MAX_STEPS = 1 << 13;
/** `ValueWitnessFlags::MaxNumExtraInhabitants`. */
const MOST_EXTRA = 0x7fff_ffff;

/** What systems make of pointers (`stdlib/public/SwiftShims/swift/shims/System.h`). */
export interface SwiftPlatform {
  /** The lowest address that an object can have. */
  readonly leastPointer: bigint;
  /** Low bits of an object's pointer that Objective-C reserves. */
  readonly reservedLowBits: number;
  /** Bits that no pointer to an object of Swift has. */
  readonly spareBits: bigint;
  /** Those of them that pointers of Objective-C may have. */
  readonly objcBits: bigint;
}

/** A part of a value. */
export interface Part {
  readonly name: string;
  readonly type: Node;
  readonly offset: number;
  readonly layout: Layout;
}

/** A case of an enum. */
export interface Case {
  readonly name: string;
  /** What it holds; `null` for nothing. */
  readonly type: Node | null;
  readonly layout: Layout | null;
  readonly isIndirect: boolean;
}

/** What a value consists of. */
export type Shape =
  | { readonly kind: "opaque" }
  | { readonly kind: "record"; readonly parts: readonly Part[] }
  | {
    readonly kind: "enum";
    readonly cases: readonly Case[];
    /** The index of the case that bytes are of, as a number; -1 for none. */
    readonly tag: (bits: bigint) => number;
    /** The bits of the bytes that are the payload's own. */
    readonly payload: bigint;
  }
  | { readonly kind: "reference"; readonly how: "strong" | "weak" | "unowned" }
  | { readonly kind: "existential"; readonly how: "opaque" | "class" | "error" }
  | { readonly kind: "metatype" }
  | { readonly kind: "function" };

/** How values of a type lie in memory. */
export interface Layout {
  readonly size: number;
  readonly alignment: number;
  readonly extraInhabitants: number;
  /** The index of the extra inhabitant that bytes are, as a number; -1 for a value. */
  readonly inhabitant: (bits: bigint) => number;
  readonly spare: bigint;
  /** Values cannot be copied bit by bit, or their size differs: enums use no bits of them. */
  readonly isAddressOnly: boolean;
  readonly shape: Shape;
}

/** Bytes from one value to the next. */
export function strideOf({ size, alignment }: Layout): number {
  return Math.max(1, Math.ceil(size / alignment) * alignment);
}

/** As many ones. */
function ones(bits: number): bigint {
  return (1n << BigInt(Math.max(0, bits))) - 1n;
}

/** Part of a number: so many bytes from an offset. */
export function bitsAt(bits: bigint, offset: number, size: number): bigint {
  return bits >> BigInt(8 * offset) & ones(8 * size);
}

/** The places of ones in a mask, upwards. A value may have many bytes: this takes time by their number, not its
 * square. */
function* placesOf(mask: bigint): Generator<number> {
  const digits = mask.toString(2);
  for (let at = digits.length - 1; at >= 0; at--) {
    if (digits[at] === "1") yield digits.length - 1 - at;
  }
}

function countBits(mask: bigint): number {
  let count = 0;
  for (const digit of mask.toString(2)) if (digit === "1") count++;
  return count;
}

/** The bits of a number that a mask has, together: the lowest 32 at most. */
function gathered(bits: bigint, mask: bigint): bigint {
  let value = 0n;
  let at = 0n;
  for (const place of placesOf(mask)) {
    if (at === 32n) break;
    value |= (bits >> BigInt(place) & 1n) << at++;
  }
  return value;
}

/** The uppermost bits of a mask, as many. */
function uppermost(mask: bigint, count: number): bigint {
  let skipped = countBits(mask) - count;
  for (const place of placesOf(mask)) {
    if (skipped-- === 0) return mask >> BigInt(place) << BigInt(place);
  }
  return skipped < 0 ? mask : 0n;
}

function few(count: bigint | number): number {
  return Number(count) > MOST_EXTRA ? MOST_EXTRA : Number(count);
}

const opaque: Shape = { kind: "opaque" };
const noInhabitant = () => -1;

function plain(size: number, alignment = size, shape: Shape = opaque): Layout {
  return {
    ...{ size, alignment: Math.max(1, alignment), extraInhabitants: 0, inhabitant: noInhabitant },
    ...{ spare: 0n, isAddressOnly: false, shape },
  };
}

const empty: Layout = plain(0, 1, { kind: "record", parts: [] });

/** An integer of some bits in a power of two bytes. */
function integerLayout(bits: number): Layout {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, Math.ceil(bits / 8))));
  const width = BigInt(bits);
  const extra = bits >= 64 ? 0n : (1n << BigInt(8 * size)) - (1n << width);
  return {
    ...plain(size, Math.min(size, 16)),
    extraInhabitants: few(extra),
    inhabitant: extra === 0n
      ? noInhabitant
      : (value) => value >> width === 0n ? -1 : few(value - (1n << width)),
    spare: ones(8 * size) & ~ones(bits),
  };
}

/** Declarations of the standard library whose layouts its ABI has fixed, for images that are without it: a builtin
 * type's letters, or the types of the fields. */
const standard: Readonly<Record<string, string | readonly (readonly [string, string])[]>> = {
  Int: "Word",
  UInt: "Word",
  Bool: "Int1",
  Int8: "Int8",
  UInt8: "Int8",
  Int16: "Int16",
  UInt16: "Int16",
  Int32: "Int32",
  UInt32: "Int32",
  Int64: "Int64",
  UInt64: "Int64",
  Int128: "Int128",
  UInt128: "Int128",
  Double: "FPIEEE64",
  Float: "FPIEEE32",
  Float16: "FPIEEE16",
  Float80: "FPIEEE80",
  UnsafePointer: "RawPointer",
  UnsafeMutablePointer: "RawPointer",
  AutoreleasingUnsafeMutablePointer: "RawPointer",
  UnsafeRawPointer: "RawPointer",
  UnsafeMutableRawPointer: "RawPointer",
  OpaquePointer: "RawPointer",
  ObjectIdentifier: "RawPointer",
  Array: "BridgeObject",
  Dictionary: "BridgeObject",
  Set: "BridgeObject",
  ContiguousArray: "NativeObject",
  String: [["_countAndFlags", "Int64"], ["_object", "BridgeObject"]],
  Character: [["_countAndFlags", "Int64"], ["_object", "BridgeObject"]],
  Substring: [
    ...[["_startIndex", "Int64"], ["_endIndex", "Int64"]] as const,
    ...[["_countAndFlags", "Int64"], ["_object", "BridgeObject"]] as const,
  ],
};

/** Protocols that have no witness tables (`lib/AST/ProtocolDecl`: marker protocols). */
const markers: ReadonlySet<string> = new Set([
  ...[
    "Sendable",
    "Copyable",
    "Escapable",
    "BitwiseCopyable",
    "SendableMetatype",
    "_BitwiseCopyable",
  ],
]);

/** The name of a declaration of the standard library. */
export function standardName(tree: Node): string | null {
  const [context, name] = tree.children;
  return context?.kind === "Module" && context.text === "Swift" && name?.kind === "Identifier"
    ? name.text
    : null;
}

/** Computes layouts. */
export class SwiftLayouts {
  readonly types: SwiftTypes;
  readonly platform: SwiftPlatform;
  readonly #known = new WeakMap<Node, Layout | null>();
  #steps = MAX_STEPS;

  constructor(types: SwiftTypes, platform: SwiftPlatform) {
    this.types = types;
    this.platform = platform;
  }

  /** The layout of a type; `null` where it cannot be told.
   *
   * @throws DamagedValue when it is too complex, or metadata cannot be read
   */
  of(tree: Node): Layout | null {
    this.#steps = MAX_STEPS;
    return this.#of(tree, 0);
  }

  /** The fields of a struct, or of a class from an offset on, up to the first one whose layout is not known. */
  partsOf(
    tree: Node,
    start: number,
    offsets: readonly number[] | null,
  ): { readonly parts: readonly Part[]; readonly isWhole: boolean; readonly end: number } | null {
    this.#steps = MAX_STEPS;
    const nominal = nominalOf(tree);
    const declaration = nominal && this.types.declaration(nominal.declaration);
    if (!nominal || !declaration || declaration.kind === "enum") return null;
    const fields = this.#fieldTypes(declaration, nominal.arguments);
    return fields === null ? null : this.#record(fields, start, offsets, 0);
  }

  #of(tree: Node, depth: number): Layout | null {
    const type = bare(tree);
    let found = this.#known.get(type);
    if (found === undefined) {
      if (depth > MAX_DEPTH || --this.#steps < 0) damaged("its type is too complex");
      found = this.#read(type, depth);
      if (found !== null && found.size > MAX_SIZE) found = null;
      this.#known.set(type, found);
    }
    return found;
  }

  get #word(): number {
    return this.types.pointerSize;
  }

  #pointer(shape: Shape, low: number, spare: bigint): Layout {
    const { leastPointer } = this.platform;
    const reserved = ones(low);
    return {
      ...plain(this.#word, this.#word, shape),
      extraInhabitants: few(leastPointer >> BigInt(low)),
      inhabitant: (bits) =>
        bits >= leastPointer || (bits & reserved) !== 0n ? -1 : few(bits >> BigInt(low)),
      spare,
    };
  }

  #native(): Layout {
    const { reservedLowBits, spareBits, objcBits } = this.platform;
    return this.#pointer(
      { kind: "reference", how: "strong" },
      reservedLowBits,
      spareBits & ~objcBits,
    );
  }

  #bridge(): Layout {
    return { ...this.#native(), spare: 0n };
  }

  /** A reference that may be to an object of Objective-C: it may use any of its bits. */
  #unknown(): Layout {
    const { objcBits } = this.platform;
    return objcBits === 0n ? this.#native() : { ...this.#native(), spare: 0n };
  }

  #thin(): Layout {
    return this.#pointer({ kind: "function" }, 0, 0n);
  }

  #metadata(): Layout {
    return this.#pointer({ kind: "metatype" }, 0, this.platform.spareBits);
  }

  #builtin(name: string): Layout | null {
    const word = this.#word;
    const integer = /^Int(\d+)$/.exec(name);
    if (integer !== null) return integerLayout(Number(integer[1]));
    switch (name) {
      case "Word":
        return plain(word);
      case "FPIEEE16":
        return plain(2);
      case "FPIEEE32":
        return plain(4);
      case "FPIEEE64":
        return plain(8);
      case "FPIEEE80":
        return plain(16);
      case "RawPointer":
      case "RawUnsafeContinuation":
        return {
          ...plain(word),
          extraInhabitants: 1,
          inhabitant: (bits) => bits === 0n ? 0 : -1,
        };
      case "NativeObject":
      case "Job":
        return this.#native();
      case "UnknownObject":
        return this.#unknown();
      case "BridgeObject":
        return this.#bridge();
      case "UnsafeValueBuffer":
        return plain(3 * word, word);
      case "DefaultActorStorage":
        return plain(12 * word, 2 * word);
      case "Executor":
        return this.#joined([["identity", this.#native()], ["implementation", plain(word)]]);
    }
    const vector = /^Vec(\d+)x(.+)$/.exec(name);
    const element = vector === null ? null : this.#builtin(vector[2]);
    if (element === null) return null;
    const size = 2 ** Math.ceil(Math.log2(Math.min(Number(vector![1]) * element.size, MAX_SIZE)));
    return plain(size, Math.min(size, 16));
  }

  /** Parts that follow each other. */
  #joined(
    layouts: readonly (readonly [name: string, layout: Layout])[],
    shape?: Shape,
    inhabitants: "most" | "first" = "most",
  ): Layout {
    const type: Node = { kind: "BuiltinTypeName", text: "Builtin.Word", index: null, children: [] };
    let size = 0;
    let alignment = 1;
    const parts: Part[] = [];
    for (const [name, layout] of layouts) {
      const offset = Math.ceil(size / layout.alignment) * layout.alignment;
      parts.push({ name, type, offset, layout });
      size = offset + layout.size;
      alignment = Math.max(alignment, layout.alignment);
    }
    return this.#whole(parts, size, alignment, shape ?? { kind: "record", parts }, inhabitants);
  }

  #whole(
    parts: readonly Part[],
    size: number,
    alignment: number,
    shape: Shape,
    inhabitants: "most" | "first" = "most",
  ): Layout {
    // The extra inhabitants are those of the part that has the most.
    let best: Part | null = null;
    // Bytes between parts are spare.
    let spare = ones(8 * size);
    for (const part of parts) {
      const { layout, offset } = part;
      const isBetter = best === null ||
        inhabitants === "most" && layout.extraInhabitants > best.layout.extraInhabitants;
      if (isBetter) best = part;
      spare &= ~((ones(8 * layout.size) & ~layout.spare) << BigInt(8 * offset));
    }
    const chosen = best;
    return {
      ...{ size, alignment, spare, shape },
      extraInhabitants: chosen?.layout.extraInhabitants ?? 0,
      inhabitant: chosen === null
        ? noInhabitant
        : (bits) => chosen.layout.inhabitant(bitsAt(bits, chosen.offset, chosen.layout.size)),
      isAddressOnly: parts.some(({ layout }) => layout.isAddressOnly),
    };
  }

  #read(type: Node, depth: number): Layout | null {
    switch (type.kind) {
      case "BuiltinTypeName":
        return this.#builtin((type.text ?? "").replace(/^Builtin\./, ""));
      case "Tuple":
        return this.#tuple(type, depth);
      case "FunctionType":
      case "NoEscapeFunctionType":
      case "EscapingAutoClosureType":
      case "AutoClosureType":
        return {
          ...this.#joined(
            [["function", this.#thin()], ["context", this.#native()]],
            { kind: "function" },
            "first",
          ),
          spare: 0n,
        };
      case "ThinFunctionType":
      case "CFunctionPointer":
        return this.#thin();
      case "ObjCBlock":
      case "EscapingObjCBlock":
        return this.#unknown();
      case "SILBoxType":
      case "SILBoxTypeWithLayout":
        return this.#native();
      case "Metatype":
        return this.#metatype(type);
      case "ExistentialMetatype":
        return this.#existential(type, true);
      case "ProtocolList":
      case "ProtocolListWithAnyObject":
      case "ProtocolListWithClass":
      case "Protocol":
      case "ConstrainedExistential":
        return this.#existential(type, false);
      case "Weak":
      case "Unowned":
      case "Unmanaged":
        return this.#storage(type, depth);
      case "DynamicSelf":
        return type.children.length === 0 ? null : this.#of(type.children[0], depth + 1);
      case "TypeAlias":
        return standardName(type) === "AnyObject"
          ? this.#existentialOf({ protocols: [], isClass: true, isNative: false })
          : null;
    }
    return this.#nominal(type, depth);
  }

  #tuple(type: Node, depth: number): Layout | null {
    const parts: { name: string; type: Node }[] = [];
    for (const [index, element] of type.children.entries()) {
      const held = element.children.at(-1);
      if (held === undefined || element.children.some(({ kind }) => kind === "VariadicMarker")) {
        return null;
      }
      const label = element.children.find(({ kind }) => kind === "TupleElementName")?.text;
      parts.push({ name: label ?? String(index), type: held });
    }
    return this.#record(parts, 0, null, depth).layout;
  }

  /** Fields that follow each other from an offset on, or are where offsets say. */
  #record(
    fields: readonly { readonly name: string; readonly type: Node | null }[],
    start: number,
    offsets: readonly number[] | null,
    depth: number,
  ): { parts: Part[]; isWhole: boolean; end: number; layout: Layout | null } {
    const parts: Part[] = [];
    let size = start;
    let alignment = 1;
    let isWhole = true;
    for (const [index, { name, type }] of fields.entries()) {
      const layout = type === null ? null : this.#of(type, depth + 1);
      if (layout === null) {
        isWhole = false;
        if (offsets === null) break;
        continue;
      }
      const offset = offsets?.[index] ?? Math.ceil(size / layout.alignment) * layout.alignment;
      parts.push({ name, type: type!, offset, layout });
      size = offset + layout.size;
      alignment = Math.max(alignment, layout.alignment);
      if (size > MAX_SIZE) return { parts, isWhole: false, end: size, layout: null };
    }
    const layout = isWhole && start === 0
      ? this.#whole(parts, size, alignment, { kind: "record", parts })
      : null;
    return { parts, isWhole, end: size, layout };
  }

  /** A metatype of what has no class in it says nothing, and has no bytes. */
  #metatype(type: Node): Layout | null {
    const [first, second] = type.children;
    if (first?.kind === "MetatypeRepresentation") {
      return first.text === "@thin" ? empty : this.#metadata();
    }
    const held = bare(second ?? first);
    const nominal = nominalOf(held);
    if (nominal?.declaration.kind === "Class" || held.kind === "DynamicSelf") {
      return this.#metadata();
    }
    if (nominal !== null && !isDependent(held)) return empty;
    return held.kind === "Tuple" || held.kind.startsWith("ProtocolList") ? empty : null;
  }

  /** The protocols of an existential type, whether it is of classes only, and whether of Swift's. */
  #protocols(type: Node): Protocols | null {
    const rest = { isClass: false, isNative: false };
    switch (type.kind) {
      case "Protocol":
        return { protocols: [type], ...rest };
      case "ProtocolList":
        return { protocols: (type.children[0]?.children ?? []).map(bare), ...rest };
      case "ProtocolListWithAnyObject":
      case "ProtocolListWithClass": {
        const [first, superclass] = type.children;
        const list = first && this.#protocols(first);
        const above = superclass === undefined ? null : nominalOf(superclass);
        const isNative = above !== null && this.#isNative(above.declaration);
        return list ? { ...list, isClass: true, isNative } : null;
      }
      case "ConstrainedExistential":
        return type.children[0] ? this.#protocols(bare(type.children[0])) : null;
      case "Metatype":
      case "ExistentialMetatype":
        return type.children.length > 0 ? this.#protocols(bare(type.children.at(-1)!)) : null;
    }
    return null;
  }

  #existential(type: Node, isMetatype: boolean): Layout | null {
    const found = this.#protocols(type);
    return found === null ? null : this.#existentialOf(found, isMetatype);
  }

  #existentialOf(
    { protocols, isClass: isOfClasses, isNative }: Protocols,
    isMetatype = false,
  ): Layout | null {
    let isClass = isOfClasses;
    let tables = 0;
    let objc = false;
    const error = protocols.length === 1 && standardName(protocols[0]) === "Error";
    for (const protocol of protocols) {
      const [context] = protocol.children;
      if (context?.kind === "Module" && context.text?.startsWith("__C")) {
        objc = true;
        continue;
      }
      const name = standardName(protocol);
      if (name !== null && markers.has(name)) continue;
      tables++;
      if (error) continue;
      const declaration = this.types.declaration(protocol);
      // Of the standard library's, actors are classes; all others are known to be anything.
      if (declaration === null && name === null) return null;
      // The lowest bit of its kind's flags: it is not of classes only.
      if (declaration !== null ? (declaration.flags & 1) === 0 : /^Any?Actor$/.test(name!)) {
        isClass = true;
      }
    }
    const pointer = { ...this.#builtin("RawPointer")!, spare: this.platform.spareBits };
    const table = (index: number) => [`table${index}`, pointer] as const;
    const witnesses = Array.from({ length: tables }, (_, index) => table(index));
    if (isMetatype) {
      return this.#joined(
        [["type", this.#metadata()], ...witnesses],
        { kind: "metatype" },
        "first",
      );
    }
    if (error && !isClass) {
      return { ...this.#native(), shape: { kind: "existential", how: "error" } };
    }
    if (isClass || objc) {
      const shape: Shape = { kind: "existential", how: "class" };
      const object = isNative ? this.#native() : this.#unknown();
      return this.#joined([["object", object], ...witnesses], shape, "first");
    }
    const buffer = plain(3 * this.#word, this.#word);
    const shape: Shape = { kind: "existential", how: "opaque" };
    return {
      ...this.#joined([["buffer", buffer], ["type", this.#metadata()], ...witnesses], shape),
      isAddressOnly: true,
    };
  }

  /** `weak`, `unowned` and `unowned(unsafe)`. */
  #storage(type: Node, depth: number): Layout | null {
    let held = type.children.length === 0 ? null : bare(type.children[0]);
    if (held === null) return null;
    const payload = optionalPayload(held);
    if (payload !== null) held = payload;
    const layout = this.#of(held, depth + 1);
    if (layout === null) return null;
    const { shape } = layout;
    if (type.kind === "Unmanaged") return payload === null ? layout : this.#optional(held, depth);
    const how = type.kind === "Weak" ? "weak" : "unowned";
    if (shape.kind !== "reference" && !(shape.kind === "existential" && shape.how === "class")) {
      return null;
    }
    return {
      ...layout,
      ...(how === "weak"
        ? { extraInhabitants: 0, inhabitant: noInhabitant, spare: 0n, isAddressOnly: true }
        : {}),
      shape: { kind: "reference", how },
    };
  }

  #optional(payload: Node, depth: number): Layout | null {
    const layout = this.#of(payload, depth + 1);
    if (layout === null) return null;
    return this.#enum(
      [
        { name: "some", type: payload, layout, isIndirect: false },
        { name: "none", type: null, layout: null, isIndirect: false },
      ],
      [true, false],
      true,
    );
  }

  #nominal(type: Node, depth: number): Layout | null {
    const nominal = nominalOf(type);
    if (nominal === null) return null;
    const { declaration: tree, arguments: args } = nominal;
    if (tree.kind === "Class") return this.#isNative(tree) ? this.#native() : this.#unknown();
    const name = standardName(tree);
    if (name === "Optional") {
      return args[0]?.length === 1 ? this.#optional(args[0][0], depth) : null;
    }
    const known = name !== null && Object.hasOwn(standard, name) ? standard[name] : undefined;
    if (typeof known === "object" && this.#word === 8) {
      return this.#joined(known.map(([name, type]) => [name, this.#builtin(type)!]));
    }
    // Collections are other objects where there is no Objective-C.
    if (typeof known === "string" && !/Object$/.test(known)) return this.#builtin(known);
    const declaration = this.types.declaration(tree);
    if (declaration === null) {
      return typeof known === "string" ? this.#builtin(known) : this.#witnessed(type);
    }
    if (declaration.kind === "protocol") return null;
    return this.#declared(declaration, args, depth) ?? this.#witnessed(type);
  }

  /** Whether a class and all classes above it are Swift's. */
  #isNative(tree: Node): boolean {
    let at: Node | null = tree;
    for (let depth = 0; at !== null && depth < MAX_DEPTH; depth++) {
      const [context]: readonly Node[] = at.children;
      if (context?.kind === "Module" && context.text?.startsWith("__C")) return false;
      const declaration = this.types.declaration(at);
      const above = declaration?.kind === "class" ? this.types.superclassOf(declaration) : null;
      at = !above ? null : nominalOf(above)?.declaration ?? null;
    }
    return true;
  }

  /** What the value witnesses of a type without parameters say. */
  #witnessed(type: Node): Layout | null {
    const nominal = nominalOf(type);
    if (nominal === null || nominal.arguments.length > 0) return null;
    const table = this.types.witnessSymbol(nominal.declaration);
    if (table === null) return null;
    const { size, alignment, extraInhabitants } = this.types.witnessTable(table);
    if (size > MAX_SIZE) return null;
    // Which values are extra inhabitants is not said.
    return { ...plain(size, alignment), extraInhabitants, isAddressOnly: true };
  }

  /** Fields with arguments in place of parameters; a `null` type where it is not known. */
  #fieldTypes(
    declaration: SwiftDeclaration,
    args: readonly (readonly Node[])[],
  ): { name: string; type: Node | null }[] | null {
    const fields = this.types.fields(declaration);
    return fields?.map(({ name, type }) => ({
      name,
      type: type ? substituted(type, args) ?? null : null,
    })) ?? null;
  }

  #declared(
    declaration: SwiftDeclaration,
    args: readonly (readonly Node[])[],
    depth: number,
  ): Layout | null {
    const fields = this.types.fields(declaration);
    if (fields === null) return null;
    if (declaration.kind === "struct") {
      // A struct of C has fields of its own, and no records of them.
      if (fields.length === 0 && declaration.isForeign) return null;
      const typed = this.#fieldTypes(declaration, args)!;
      return this.#record(typed, 0, null, depth).layout;
    }
    const cases: Case[] = [];
    const generic: boolean[] = [];
    for (const { name, type, isIndirect } of fields) {
      if (type === undefined) return null;
      const held = type === null ? null : substituted(type, args);
      if (held === undefined) return null;
      const layout = held === null ? null : isIndirect ? this.#native() : this.#of(held, depth + 1);
      if (held !== null && layout === null) return null;
      cases.push({ name, type: held, layout, isIndirect });
      generic.push(type !== null && !isIndirect && isDependent(type));
    }
    // Two bits say whether the runtime completes the metadata: then it decides, as where a payload's size depends
    // on parameters.
    const isDynamic = declaration.isGeneric
      ? fields.some(({ type, isIndirect }) => type && !isIndirect && isSizeDependent(type))
      : (declaration.flags & 3) === 1;
    return this.#enum(cases, generic, isDynamic);
  }

  /** @param generic for each case, whether its payload depends on parameters
   * @param isDynamic whether the runtime lays it out, without what the compiler knows of bits */
  #enum(cases: readonly Case[], generic: readonly boolean[], isDynamic: boolean): Layout | null {
    const made: MakeEnum = (
      size,
      alignment,
      extraInhabitants,
      inhabitant,
      spare,
      tag,
      payload,
    ) => ({
      ...{ size, alignment, extraInhabitants: few(extraInhabitants), inhabitant, spare },
      isAddressOnly: cases.some(({ layout }) => layout?.isAddressOnly === true),
      shape: { kind: "enum", cases, tag, payload },
    });
    // Cases without bytes are as those that hold nothing, but those of parameters.
    const holding = cases.filter(({ layout }, index) =>
      layout !== null && (layout.size > 0 || generic[index])
    );
    const payloads = holding.length;
    const others = cases.length - payloads;
    if (cases.length === 0) return made(0, 1, 0, noInhabitant, 0n, () => -1, 0n);
    if (cases.length === 1) {
      const { layout } = cases[0];
      if (payloads === 0 || layout === null) return made(0, 1, 0, noInhabitant, 0n, () => 0, 0n);
      const { size, alignment, extraInhabitants, inhabitant, spare } = layout;
      return made(size, alignment, extraInhabitants, inhabitant, spare, () => 0, ones(8 * size));
    }
    if (payloads === 0) {
      const size = others <= 0x100 ? 1 : others <= 0x1_0000 ? 2 : 4;
      return made(
        size,
        size,
        2 ** (8 * size) - others,
        (bits) => bits < BigInt(others) ? -1 : few(bits - BigInt(others)),
        ones(8 * size) & ~ones(bitWidth(others - 1)),
        (bits) => bits < BigInt(others) ? Number(bits) : -1,
        0n,
      );
    }
    const payloadSize = Math.max(...holding.map(({ layout }) => layout!.size));
    const alignment = Math.max(...holding.map(({ layout }) => layout!.alignment));
    return payloads === 1
      ? this.#single(cases, holding[0].layout!, others, made)
      : this.#multi(cases, holding, payloadSize, alignment, others, isDynamic, made);
  }

  /** One case holds something: the others are values that it cannot have, then values beside a tag. */
  #single(cases: readonly Case[], payload: Layout, others: number, made: MakeEnum): Layout | null {
    const { size, alignment, extraInhabitants } = payload;
    // The index of the case that holds something is 0: it is first.
    if (cases[0].layout !== payload) return null;
    const beyond = others - extraInhabitants;
    const inhabitant = (bits: bigint) => payload.inhabitant(bits & ones(8 * size));
    if (beyond <= 0) {
      return made(
        size,
        alignment,
        extraInhabitants - others,
        (bits) => {
          const index = inhabitant(bits);
          return index < others ? -1 : index - others;
        },
        0n,
        (bits) => {
          const index = inhabitant(bits);
          return index < 0 ? 0 : index < others ? index + 1 : -1;
        },
        ones(8 * size),
      );
    }
    const { tags, bytes } = tagCounts(size, beyond, 1);
    const perTag = size >= 4 ? 2 ** 32 : 2 ** (8 * size);
    const tagBits = bitWidth(tags - 1);
    const whole = size + bytes;
    return made(
      whole,
      Math.max(alignment, bytes),
      0,
      noInhabitant,
      (ones(8 * bytes) & ~ones(tagBits)) << BigInt(8 * size),
      (bits) => {
        const tag = Number(bitsAt(bits, size, bytes));
        if (tag === 0) {
          const index = inhabitant(bits);
          return index < 0 ? 0 : index + 1;
        }
        const value = Number(bitsAt(bits, 0, Math.min(size, 4)));
        const index = 1 + extraInhabitants + (tag - 1) * perTag + value;
        return index < cases.length ? index : -1;
      },
      ones(8 * size),
    );
  }

  /** Several cases hold something: a tag, in bits that none of them uses and in bytes after them. */
  #multi(
    cases: readonly Case[],
    holding: readonly Case[],
    size: number,
    alignment: number,
    others: number,
    isDynamic: boolean,
    made: MakeEnum,
  ): Layout {
    const payloads = holding.length;
    const isAddressOnly = holding.some(({ layout }) => layout!.isAddressOnly);
    let spare = 0n;
    if (!isDynamic && !isAddressOnly) {
      spare = ones(8 * size);
      for (const { layout } of holding) spare &= ~(ones(8 * layout!.size) & ~layout!.spare);
    }
    const occupied = ones(8 * size) & ~spare;
    const occupiedBits = countBits(occupied);
    const perTag = occupiedBits >= 32 ? 2 ** 32 : 2 ** occupiedBits;
    const tags = payloads + Math.ceil(others / perTag);
    // As many of the uppermost spare bits as the tag needs; what they cannot hold is in bytes after the payload.
    const wanted = bitWidth(tags - 1);
    const used = uppermost(spare, wanted);
    const usedBits = countBits(used);
    const bytes = wanted <= usedBits ? 0 : tagBytes(2 ** (wanted - usedBits));
    const extraBits = wanted - usedBits;
    const whole = size + bytes;
    const all = spare | ones(8 * bytes) << BigInt(8 * size);
    const allBits = countBits(all);
    const tagOf = (bits: bigint) =>
      Number(gathered(bits, used) | bitsAt(bits, size, bytes) << BigInt(usedBits));
    const rest = spare & ~used;
    return made(
      whole,
      Math.max(alignment, bytes),
      allBits >= 32 ? MOST_EXTRA : 2 ** allBits - tags,
      (bits) => {
        // They are counted down from all ones, of 32 bits at most: from the lowest spare bits where there are as
        // many, else from those of the tag.
        if (countBits(spare) >= 32) {
          const index = Number(ones(32) - (gathered(bits, spare) & ones(32)));
          return index < MOST_EXTRA ? index : -1;
        }
        const tag = gathered(bits, used) | gathered(bits, rest) << BigInt(usedBits) |
          bitsAt(bits, size, bytes) << BigInt(countBits(spare));
        const width = Math.min(32, allBits);
        const held = tag & ones(width);
        return held < BigInt(tags) ? -1 : few(ones(width) - held);
      },
      isAddressOnly ? 0n : rest | (ones(8 * bytes) & ~ones(extraBits)) << BigInt(8 * size),
      (bits) => {
        const tag = tagOf(bits);
        if (tag < payloads) return tag;
        const value = Number(gathered(bits, occupied) & ones(32));
        const index = payloads + (tag - payloads) * perTag + value;
        return index < cases.length ? index : -1;
      },
      ones(8 * size) & ~used,
    );
  }
}

interface Protocols {
  readonly protocols: readonly Node[];
  readonly isClass: boolean;
  readonly isNative: boolean;
}

type MakeEnum = (
  size: number,
  alignment: number,
  extraInhabitants: number,
  inhabitant: Layout["inhabitant"],
  spare: bigint,
  tag: (bits: bigint) => number,
  payload: bigint,
) => Layout;

/** Whether the size of a type's values may depend on its parameters. */
function isSizeDependent(tree: Node, depth = 0): boolean {
  const type = bare(tree);
  if (depth > MAX_DEPTH || type.kind === "DependentGenericParamType") return true;
  if (!isDependent(type) || /Function|Metatype|^Protocol|Class$/.test(type.kind)) return false;
  const name = nominalOf(type) === null ? null : standardName(nominalOf(type)!.declaration);
  if (name !== null && typeof standard[name] === "string") return false;
  return type.children.some((child) => isSizeDependent(child, depth + 1));
}

/** What an optional may hold; `null` for other types. */
export function optionalPayload(tree: Node): Node | null {
  const type = bare(tree);
  const nominal = nominalOf(type);
  return nominal !== null && standardName(nominal.declaration) === "Optional"
    ? nominal.arguments[0]?.[0] ?? null
    : null;
}

/** The number of bits that a number takes. */
function bitWidth(value: number): number {
  return value <= 0 ? 0 : Math.floor(Math.log2(value)) + 1;
}

function tagBytes(tags: number): number {
  return tags <= 1 ? 0 : tags <= 0x100 ? 1 : tags <= 0x1_0000 ? 2 : 4;
}

/** `getEnumTagCounts` of `include/swift/ABI/Enum.h`. */
function tagCounts(size: number, empty: number, payloads: number): { tags: number; bytes: number } {
  const perTag = size >= 4 ? Infinity : 2 ** (8 * size);
  const tags = payloads + (empty === 0 ? 0 : perTag === Infinity ? 1 : Math.ceil(empty / perTag));
  return { tags, bytes: tags <= 1 ? 0 : tags < 0x100 ? 1 : tags < 0x1_0000 ? 2 : 4 };
}

/** What pointers are like in a process. The runtime publishes it: the value witnesses of its own references, and
 * the bits that enums use (`stdlib/public/runtime/Metadata.cpp`). Without a runtime it is Apple's. */
export function swiftPlatform(types: SwiftTypes, arch: string | undefined): SwiftPlatform {
  const table = types.symbol("$sBoWV");
  const extra = table === null ? MOST_EXTRA : types.witnessTable(table).extraInhabitants;
  const isApple = extra > 0x1000;
  if (types.pointerSize === 4) {
    return { leastPointer: 0x1000n, reservedLowBits: 0, spareBits: 3n, objcBits: 0n };
  }
  const isX86 = arch === "x86_64";
  return {
    leastPointer: isApple ? 1n << 32n : BigInt(extra),
    reservedLowBits: isApple && isX86 ? 1 : 0,
    spareBits: isX86 ? 0xff00_0000_0000_0007n : 0xf000_0000_0000_0007n,
    objcBits: isApple ? isX86 ? 1n : 1n << 63n : 0n,
  };
}
