/** Types from debugging information entries. DWARF 5, section 5. */

import { evaluateExpression } from "../dwarf/mod.ts";
import { AT, ATE, type Entry, type EntryReader, TAG } from "../dwarf/variables.ts";
import { FormatError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { type DeclaredType, MAX_NAME, nameOf } from "./declarators.ts";
import type {
  Access,
  Encoding,
  Enumerator,
  Language,
  Member,
  Method,
  StaticMember,
  TemplateArgument,
  Type,
  TypeKind,
  ValueMemory,
  VariantPart,
} from "./model.ts";
import { swiftNumber, unsignedOf } from "./scalars.ts";
import { canonical, damagedType, swiftMangling, voidType } from "./types.ts";

/** Maximum number of types kept for an image. */
const MAX_TYPES = 1 << 16;
/** Maximum number of members, enumerators and parameters of one type. */
const MAX_PARTS = 1 << 16;
/** Maximum rank of an array. */
const MAX_RANK = 32;
/** Maximum number of array elements that a count may say, so that products stay exact. */
const MAX_COUNT = 2 ** 48;

const kinds: ReadonlyMap<number, TypeKind> = new Map(
  [
    [TAG.base_type, "base"],
    [TAG.pointer_type, "pointer"],
    [TAG.reference_type, "reference"],
    [TAG.rvalue_reference_type, "rvalue-reference"],
    [TAG.ptr_to_member_type, "member-pointer"],
    [TAG.structure_type, "struct"],
    [TAG.interface_type, "class"],
    [TAG.class_type, "class"],
    [TAG.union_type, "union"],
    [TAG.array_type, "array"],
    [TAG.enumeration_type, "enum"],
    [TAG.typedef, "typedef"],
    [TAG.template_alias, "typedef"],
    [TAG.const_type, "const"],
    [TAG.immutable_type, "const"],
    [TAG.volatile_type, "volatile"],
    [TAG.restrict_type, "restrict"],
    [TAG.atomic_type, "atomic"],
    [TAG.subroutine_type, "function"],
    [TAG.unspecified_type, "unspecified"],
  ] as const,
);

const encodings: ReadonlyMap<number, Encoding> = new Map(
  [
    [ATE.address, "address"],
    [ATE.boolean, "boolean"],
    [ATE.complex_float, "complex-float"],
    [ATE.float, "float"],
    [ATE.signed, "signed"],
    [ATE.signed_char, "signed-char"],
    [ATE.unsigned, "unsigned"],
    [ATE.unsigned_char, "unsigned-char"],
    [ATE.UTF, "utf"],
  ] as const,
);

const languages: ReadonlyMap<number, Language> = new Map([
  ...[0x01, 0x02, 0x0c, 0x1d, 0x2c].map((number) => [number, "c"] as const),
  ...[0x04, 0x19, 0x1a, 0x21, 0x2a, 0x2b].map((number) => [number, "c++"] as const),
  [0x10, "objc"],
  [0x11, "objc++"],
  [0x16, "go"],
  [0x1c, "rust"],
  [0x1e, "swift"],
]);

/** The language of a unit: `DW_LANG_*`. */
export function languageOf(number: number): Language {
  return languages.get(number) ?? "other";
}

/** Languages whose arrays begin at 1 where nothing else is said (DWARF 5, table 7.17): Ada, Cobol, Fortran, Pascal,
 * Modula, PL/I and Julia. */
const countFromOne: ReadonlySet<number> = new Set([
  ...[
    0x03,
    0x05,
    0x06,
    0x07,
    0x08,
    0x09,
    0x0a,
    0x0d,
    0x0f,
    0x17,
    0x1f,
    0x22,
    0x23,
    0x2d,
    0x2e,
    0x2f,
  ],
]);

/** Fortran: the first dimension is that whose elements are beside each other. */
const columnMajor: ReadonlySet<number> = new Set([0x07, 0x08, 0x22, 0x23, 0x2d]);

/** The characters of Fortran's strings. */
const plainCharacter: Type = {
  kind: "base",
  name: "character",
  size: 1,
  encoding: "unsigned-char",
  language: "other",
};

/** What says how many elements an array has, when only the running program knows. */
export interface DynamicCount {
  /** The place of the entry of the variable that holds the count or the upper bound; -1 for none. */
  readonly variable: number;
  readonly expression: Uint8Array | null;
  /** Added to it: 1 for an upper bound. */
  readonly more: number;
}

/** Maximum number of types in each other that are declared elsewhere. */
const MAX_DECLARED = 8;

/** The types of one image. */
export class TypeReader {
  readonly entries: EntryReader;
  readonly #types = new Map<number, Type>();
  readonly #define: (name: RawText, tag: number) => DefinitionPlace | null;
  /** Definitions by the place of the declaration. */
  readonly #defined = new Map<number, Definition>();

  /** @param define finds the definition of a type with that qualified name, of which there is only a declaration */
  constructor(
    entries: EntryReader,
    define: (name: RawText, tag: number) => DefinitionPlace | null,
  ) {
    this.entries = entries;
    this.#define = define;
  }

  /** The type whose entry is at a place. */
  at(place: number): Type {
    let type = this.#types.get(place);
    if (type === undefined) {
      const entry = guarded(() => this.entries.at(place), null);
      if (this.#types.size >= MAX_TYPES) this.#types.clear();
      // For damage: a type that is made of itself.
      this.#types.set(place, damagedType);
      type = entry === null ? damagedType : this.#make(this.#signed(entry) ?? entry);
      this.#types.set(place, type);
    }
    return type;
  }

  /** The type that an attribute of an entry refers to; `void` where there is none. */
  of(entry: Entry, attribute: number = AT.type): Type {
    const place = guarded(() => entry.reference(attribute), -1);
    return place < 0 ? voidType : this.at(place);
  }

  #make(entry: Entry): Type {
    if (entry.tag === TAG.LLVM_ptrauth_type) return this.of(entry);
    if (entry.tag === TAG.string_type) {
      return guarded(() => fortranString(entry), damagedType);
    }
    if (entry.tag === TAG.subrange_type) return guarded(() => this.#subrange(entry), damagedType);
    const kind = kinds.get(entry.tag);
    if (kind === undefined) return damagedType;
    if (kind !== "array") {
      const type = new DwarfType(this, entry, kind);
      // What is a struct in Swift's library is a number to people.
      const mangled = kind === "struct" ? swiftMangling(type) : undefined;
      const number = mangled === undefined ? null : swiftNumber(mangled, entry.unit.addressSize);
      return number ?? type;
    }
    return guarded(() => this.#array(entry), damagedType);
  }

  /** A part of a type's values, as Ada's and Pascal's variables have: a number of that type. */
  #subrange(entry: Entry): Type {
    const target = this.of(entry);
    const { encoding, enumerators, kind } = canonical(target);
    const size = entry.number(AT.byte_size) ?? target.size;
    const name = entry.name ?? target.name;
    if (kind !== "base" && kind !== "enum" || size === null) return damagedType;
    const { language } = target;
    return size === target.size
      ? { kind: "typedef", name, size, language, target }
      : { kind, name, size, language, encoding, enumerators };
  }

  /** An array, of higher rank as arrays of arrays. */
  #array(entry: Entry): Type {
    const dimensions: (number | DynamicCount | null)[] = [];
    for (const child of this.entries.children(entry)) {
      if (child.tag !== TAG.subrange_type && child.tag !== TAG.generic_subrange) continue;
      if (dimensions.push(this.#dimension(child)) === MAX_RANK) break;
    }
    if (dimensions.length === 0) dimensions.push(null);
    const isByColumns = columnMajor.has(entry.unit.language) ? 1 : 0;
    if ((entry.number(AT.ordering) ?? isByColumns) === 1) dimensions.reverse();
    let type = this.of(entry);
    const language = languageOf(entry.unit.language);
    const isVector = entry.flag(AT.GNU_vector);
    while (dimensions.length > 0) {
      const dimension = dimensions.pop()!;
      type = typeof dimension === "object" && dimension !== null
        ? new ArrayType(type, null, language, isVector, dimension)
        : new ArrayType(type, dimension, language, isVector, null);
    }
    return type;
  }

  #dimension(entry: Entry): number | DynamicCount | null {
    const lower = entry.number(AT.lower_bound) ?? (countFromOne.has(entry.unit.language) ? 1 : 0);
    for (const attribute of [AT.count, AT.upper_bound]) {
      if (!entry.has(attribute)) continue;
      const more = attribute === AT.count ? 0 : 1 - lower;
      const expression = entry.block(attribute);
      if (expression !== undefined) return { variable: -1, expression, more };
      const variable = entry.reference(attribute);
      if (variable >= 0) return { variable, expression: null, more };
      const held = entry.integer(attribute);
      if (held === undefined) return null;
      // C's arrays of unknown length have an upper bound of -1 in some compilers' output.
      const bound = Number(held === 0xffff_ffffn || held === 0xffff_ffff_ffff_ffffn ? -1n : held);
      const count = bound + more;
      return count >= 0 && count <= MAX_COUNT ? count : null;
    }
    return null;
  }

  /** The type in a unit of its own that an entry stands for: it has nothing but the unit's signature. `null` for other
   * entries. */
  #signed(entry: Entry): Entry | null {
    return entry.has(AT.signature) && !entry.has(AT.name)
      ? guarded(() => entry.referenced(AT.signature), null)
      : null;
  }

  /** The name with those of what a type is declared in, as in `ns::Outer::Inner`. */
  qualified(entry: Entry, name: RawText, depth = 0): RawText {
    // C has no namespaces, and Go's and Swift's names are whole.
    const language = languageOf(entry.unit.language);
    if (language === "c" || language === "objc" || language === "go" || language === "swift") {
      return name;
    }
    // GCC defines the type of a unit of its own beside its declaration, which is in the namespaces.
    const declared = guarded(() => entry.reference(AT.specification), -1);
    const inside = declared < 0 ? entry.place : declared;
    let whole = name;
    for (const { place, tag } of guarded(() => this.entries.containers(inside), [])) {
      if (tag === TAG.subprogram || tag === TAG.inlined_subroutine || tag === TAG.lexical_block) {
        break;
      }
      const own = guarded(() => this.entries.at(place), null);
      const around = own === null ? null : this.#signed(own) ?? own;
      const held = around?.name ??
        (tag === TAG.namespace ? "(anonymous namespace)" : anonymousName(tag));
      const isDeclared = around !== null && depth < MAX_DECLARED &&
        (around !== own || around.has(AT.specification));
      whole = `${isDeclared ? this.qualified(around, held, depth + 1) : held}::${whole}`;
      if (isDeclared || whole.length > MAX_NAME) break;
    }
    return whole;
  }

  /** The definition of what an entry declares; the entry itself when it is one, or none is known. */
  definition(entry: Entry): Definition {
    const known = this.#defined.get(entry.place);
    if (known !== undefined) return known;
    let found: Definition | null = null;
    if (guarded(() => entry.flag(AT.declaration), false)) {
      const signed = guarded(() => entry.referenced(AT.signature), null);
      const name = signed === null ? guarded(() => entry.name, null) : null;
      if (signed !== null) found = { types: this, entry: signed };
      else if (name !== null) found = this.#find(this.qualified(entry, name), entry.tag);
    }
    found ??= { types: this, entry };
    if (this.#defined.size >= MAX_TYPES) this.#defined.clear();
    this.#defined.set(entry.place, found);
    return found;
  }

  #find(name: RawText, tag: number): Definition | null {
    return guarded(() => {
      const found = this.#define(name, tag);
      const entry = found === null ? null : found.types.entries.at(found.place);
      return found === null || entry === null ? null : { types: found.types, entry };
    }, null);
  }
}

/** Where the definition of a type is: its units may be in another file than the declaration's. */
export interface DefinitionPlace {
  readonly types: TypeReader;
  readonly place: number;
}

/** The entry of a definition, and what reads its types. */
interface Definition {
  readonly types: TypeReader;
  readonly entry: Entry;
}

/** What a function returns, or something else where the debug information is damaged. */
export function guarded<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return otherwise;
  }
}

function anonymousName(tag: number): RawText {
  const kind = tag === TAG.union_type
    ? "union"
    : tag === TAG.class_type
    ? "class"
    : tag === TAG.enumeration_type
    ? "enum"
    : "struct";
  return `(unnamed ${kind})`;
}

/** A string of Fortran, whose length may be that of a variable. */
function fortranString(entry: Entry): Type {
  const language = languageOf(entry.unit.language);
  if (!entry.has(AT.string_length)) {
    const size = entry.number(AT.byte_size) ?? null;
    return new ArrayType(plainCharacter, size, language, false, null);
  }
  const length = { variable: entry.reference(AT.string_length), expression: null, more: 0 };
  return new ArrayType(plainCharacter, null, language, false, length);
}

/** A type that is read from its entry when it is asked for. */
class DwarfType implements DeclaredType {
  readonly kind: TypeKind;
  readonly language: Language;
  readonly #reader: TypeReader;
  readonly #entry: Entry;
  #name: RawText | undefined;
  #target: Type | null | undefined;
  #parts: Parts | undefined;
  #declared: Declared | undefined;
  #enumerators: readonly Enumerator[] | undefined;

  constructor(reader: TypeReader, entry: Entry, kind: TypeKind) {
    this.kind = kind;
    this.language = languageOf(entry.unit.language);
    this.#reader = reader;
    this.#entry = entry;
  }

  get name(): RawText {
    return this.#name ??= nameOf(this);
  }

  /** The name of the entry, qualified; `null` when it has none. */
  get ownName(): RawText | null {
    const entry = this.#entry;
    const name = guarded(() => entry.name, null);
    if (name === "complex" && this.encoding === "complex-float") return complexName(this.size);
    return name === null ? null : this.kind === "base" ? name : this.#reader.qualified(entry, name);
  }

  get linkageName(): RawText | undefined {
    const own = guarded(() => this.#entry.string(AT.linkage_name), null);
    if (own !== null || this.language !== "swift") return own ?? undefined;
    // Types of Swift that no declaration names have the mangled name as theirs.
    const name = guarded(() => this.#entry.name, null);
    return name?.startsWith("$s") ? name : undefined;
  }

  get anonymousName(): RawText {
    return this.#reader.qualified(this.#entry, anonymousName(this.#entry.tag));
  }

  get #definition(): Definition {
    const isRecord = this.kind === "struct" || this.kind === "class" || this.kind === "union" ||
      this.kind === "enum";
    return isRecord
      ? this.#reader.definition(this.#entry)
      : { types: this.#reader, entry: this.#entry };
  }

  get isIncomplete(): boolean {
    return guarded(() => this.#definition.entry.flag(AT.declaration), true);
  }

  get size(): number | null {
    const { kind } = this;
    const own = guarded(() => this.#definition.entry.number(AT.byte_size), undefined);
    if (own !== undefined) return own <= MAX_COUNT ? own : null;
    switch (kind) {
      case "pointer":
      case "reference":
      case "rvalue-reference":
        return this.#entry.unit.addressSize;
      case "member-pointer": {
        // Itanium's C++ ABI, section 2.3: of a function it is two words.
        const pointer = this.#entry.unit.addressSize;
        return canonical(this.target ?? voidType).kind === "function" ? 2 * pointer : pointer;
      }
      case "unspecified":
        return this.ownName?.includes("nullptr") ? this.#entry.unit.addressSize : null;
      case "typedef":
      case "const":
      case "volatile":
      case "restrict":
      case "atomic": {
        const type = canonical(this);
        return type === this ? null : type.size;
      }
      case "base": {
        const bits = guarded(() => this.#entry.number(AT.bit_size), undefined);
        return bits === undefined ? null : Math.ceil(bits / 8);
      }
      case "enum":
        return this.target?.size ?? null;
    }
    return null;
  }

  get encoding(): Encoding | undefined {
    if (this.kind === "enum") return undefined;
    const number = guarded(() => this.#entry.number(AT.encoding), undefined);
    return number === undefined ? undefined : encodings.get(number) ?? "other";
  }

  get target(): Type | null {
    if (this.#target === undefined) {
      const { types, entry } = this.kind === "enum"
        ? this.#definition
        : { types: this.#reader, entry: this.#entry };
      const place = guarded(() => entry.reference(AT.type), -1);
      const target = place < 0 ? null : types.at(place);
      this.#target = target === null ? null : blockFunction(this.kind, target) ?? target;
    }
    return this.#target;
  }

  /** Whether it describes what a block of Objective-C is in memory. */
  get isBlockLiteral(): boolean {
    return guarded(() => this.#entry.flag(AT.APPLE_block), false);
  }

  /** Whether it points to a block of Objective-C. */
  get isBlock(): boolean {
    if (this.kind !== "pointer") return false;
    const place = guarded(() => this.#entry.reference(AT.type), -1);
    return place >= 0 && blockFunction("pointer", this.#reader.at(place)) !== null;
  }

  get containing(): Type | null {
    const place = guarded(() => this.#entry.reference(AT.containing_type), -1);
    return place < 0 ? null : this.#reader.at(place);
  }

  get isObjC(): boolean {
    return guarded(() => {
      const runtime = this.#entry.number(AT.APPLE_runtime_class);
      return runtime === 0x10 || runtime === 0x11;
    }, false);
  }

  get members(): readonly Member[] {
    return this.#partsOf().members;
  }

  get methods(): readonly Method[] {
    return this.#declaredIn().methods;
  }

  get statics(): readonly StaticMember[] {
    return this.#declaredIn().statics;
  }

  #declaredIn(): Declared {
    return this.#declared ??= guarded(
      () => {
        const { types, entry } = this.#definition;
        return readDeclared(types, entry);
      },
      { methods: [], statics: [] },
    );
  }

  get variantPart(): VariantPart | null {
    return this.#partsOf().variantPart;
  }

  get templateArguments(): readonly TemplateArgument[] {
    return this.#partsOf().templateArguments;
  }

  get parameters(): readonly Type[] {
    return this.#partsOf().parameters;
  }

  /** Whether a function takes more than its parameters. */
  get isVariadic(): boolean {
    return this.#partsOf().isVariadic;
  }

  get isConst(): boolean {
    return this.#partsOf().isConst;
  }

  get isPrototyped(): boolean {
    return this.language !== "c" && this.language !== "objc" ||
      guarded(() => this.#entry.flag(AT.prototyped), true);
  }

  get enumerators(): readonly Enumerator[] {
    return this.#enumerators ??= this.kind === "enum"
      ? guarded(() => this.#readEnumerators(), [])
      : [];
  }

  #readEnumerators(): Enumerator[] {
    const found: Enumerator[] = [];
    const { encoding, size } = canonical(this.target ?? voidType);
    const signed = encoding === "signed" || encoding === "signed-char";
    const { types, entry } = this.#definition;
    for (const child of types.entries.children(entry)) {
      if (child.tag !== TAG.enumerator) continue;
      const value = child.integer(AT.const_value) ?? 0n;
      const bits = (size ?? 8) * 8;
      const whole = encoding === undefined
        ? value
        : signed
        ? BigInt.asIntN(bits, value)
        : BigInt.asUintN(bits, value);
      if (found.push({ name: child.name ?? "", value: whole }) === MAX_PARTS) break;
    }
    return found;
  }

  #partsOf(): Parts {
    return this.#parts ??= guarded(() => {
      const { types, entry } = this.#definition;
      return readParts(types, entry);
    }, noParts);
  }
}

/** The name of C for a type that Clang calls `complex`. */
function complexName(size: number | null): RawText {
  return size === 8 ? "_Complex float" : size === 16 ? "_Complex double" : "_Complex long double";
}

/** What the children of a type's entry say. */
interface Parts {
  readonly members: readonly Member[];
  readonly templateArguments: readonly TemplateArgument[];
  readonly parameters: readonly Type[];
  readonly isVariadic: boolean;
  /** Of a method: whether its object is `const`. */
  readonly isConst: boolean;
  readonly variantPart: VariantPart | null;
}

const noParts: Parts = {
  members: [],
  templateArguments: [],
  parameters: [],
  isVariadic: false,
  isConst: false,
  variantPart: null,
};

function readParts(reader: TypeReader, entry: Entry): Parts {
  const bases: Member[] = [];
  const members: Member[] = [];
  const templateArguments: TemplateArgument[] = [];
  const parameters: Type[] = [];
  let isVariadic = false;
  let isConst = false;
  let variantPart: VariantPart | null = null;
  let count = 0;
  for (const child of reader.entries.children(entry)) {
    if (++count > MAX_PARTS) break;
    switch (child.tag) {
      case TAG.inheritance:
        bases.push(memberOf(reader, child, true));
        break;
      case TAG.member:
        if (!isStatic(child, entry)) members.push(memberOf(reader, child, false));
        break;
      case TAG.formal_parameter:
        // The object of a method.
        if (child.flag(AT.artificial)) isConst = isConstObject(reader.of(child));
        else parameters.push(reader.of(child));
        break;
      case TAG.unspecified_parameters:
        isVariadic = true;
        break;
      case TAG.variant_part:
        variantPart = readVariants(reader, child);
        break;
      case TAG.template_type_parameter:
      case TAG.template_value_parameter:
        templateArguments.push(argumentOf(reader, child));
        break;
      case TAG.GNU_template_parameter_pack:
        for (const inner of reader.entries.children(child)) {
          if (templateArguments.push(argumentOf(reader, inner)) >= MAX_PARTS) break;
        }
    }
  }
  return {
    members: [...bases, ...members],
    templateArguments,
    parameters,
    isVariadic,
    isConst,
    variantPart,
  };
}

/** What a class declares that is not in its objects. */
interface Declared {
  readonly methods: readonly Method[];
  readonly statics: readonly StaticMember[];
}

function readDeclared(reader: TypeReader, entry: Entry): Declared {
  const methods: Method[] = [];
  const statics: StaticMember[] = [];
  let count = 0;
  for (const child of reader.entries.children(entry)) {
    if (++count > MAX_PARTS) break;
    if (child.flag(AT.artificial) || child.name === null) continue;
    const access = accessOf(child, entry);
    if (child.tag === TAG.subprogram) methods.push(methodOf(reader, child, access));
    // DWARF 5 has static members as variables.
    else if (child.tag === TAG.variable || child.tag === TAG.member && isStatic(child, entry)) {
      statics.push({ name: child.name, type: reader.of(child), access });
    }
  }
  return { methods, statics };
}

/** `DW_ACCESS_*`. */
const accesses: readonly (Access | undefined)[] = [undefined, "public", "protected", "private"];

function accessOf(entry: Entry, record: Entry): Access | null {
  const language = languageOf(entry.unit.language);
  if (language !== "c++" && language !== "objc++") return null;
  // DWARF 5, section 5.7.6: the default of C++.
  return accesses[entry.number(AT.accessibility) ?? 0] ??
    (record.tag === TAG.class_type ? "private" : "public");
}

function methodOf(reader: TypeReader, entry: Entry, access: Access | null): Method {
  const type = new DwarfType(reader, entry, "function");
  const isCpp = access !== null;
  const virtuality = entry.number(AT.virtuality) ?? 0;
  const hasObject = !isCpp || hasObjectParameter(reader, entry);
  return {
    name: entry.name ?? "",
    type,
    linkageName: entry.string(AT.linkage_name) ?? null,
    access,
    before: [
      ...hasObject ? [] : ["static" as const],
      ...virtuality > 0 ? ["virtual" as const] : [],
      ...entry.flag(AT.explicit) ? ["explicit" as const] : [],
    ],
    after: [
      ...type.isConst ? ["const" as const] : [],
      ...entry.flag(AT.rvalue_reference) ? ["&&" as const] : [],
      ...entry.flag(AT.reference) ? ["&" as const] : [],
      ...virtuality === 2 ? ["= 0" as const] : [],
      ...entry.flag(AT.deleted) ? ["= delete" as const] : [],
    ],
    isVariadic: type.isVariadic,
  };
}

/** Whether a function of C++ is called with an object: its first parameter is the compiler's. */
function hasObjectParameter(reader: TypeReader, entry: Entry): boolean {
  for (const child of reader.entries.children(entry)) {
    if (child.tag === TAG.formal_parameter) return child.flag(AT.artificial);
  }
  return false;
}

function isConstObject(pointer: Type): boolean {
  return canonical(pointer).target?.kind === "const";
}

function isStatic(member: Entry, record: Entry): boolean {
  if (member.flag(AT.declaration) || member.has(AT.const_value)) return true;
  return member.flag(AT.external) && !member.has(AT.data_member_location) &&
    record.tag !== TAG.union_type;
}

function argumentOf(reader: TypeReader, entry: Entry): TemplateArgument {
  return {
    name: entry.name ?? "",
    type: reader.of(entry),
    value: entry.tag === TAG.template_value_parameter
      ? entry.integer(AT.const_value) ?? null
      : null,
  };
}

function readVariants(reader: TypeReader, entry: Entry): VariantPart {
  const place = entry.reference(AT.discr);
  const discriminant = place < 0 ? null : reader.entries.at(place);
  const variants: VariantPart["variants"][number][] = [];
  for (const child of reader.entries.children(entry)) {
    if (child.tag !== TAG.variant) continue;
    const members: Member[] = [];
    for (const member of reader.entries.children(child)) {
      if (member.tag === TAG.member) members.push(memberOf(reader, member, false));
      if (members.length >= MAX_PARTS) break;
    }
    if (variants.push({ value: child.integer(AT.discr_value) ?? null, members }) >= MAX_PARTS) {
      break;
    }
  }
  return {
    discriminant: discriminant === null ? null : memberOf(reader, discriminant, false),
    variants,
  };
}

/** Offset of a member that an expression adds; `undefined` for another expression. */
function addedOffset(bytes: Uint8Array): number | undefined {
  const value = evaluateExpression(bytes, {
    registers: () => undefined,
    readMemory: () => undefined,
    cfa: 0n,
    pointerSize: 8,
  });
  return value === undefined || value > BigInt(MAX_COUNT) ? undefined : Number(value);
}

function memberOf(reader: TypeReader, entry: Entry, isBase: boolean): Member {
  const type = reader.of(entry);
  const block = entry.block(AT.data_member_location);
  const added = block === undefined ? undefined : addedOffset(block);
  const offset = added ?? entry.number(AT.data_member_location) ?? 0;
  const isVirtual = block !== undefined && added === undefined;
  const { addressSize } = entry.unit;
  return {
    name: (isBase ? undefined : entry.name) ?? (isBase ? type.name : ""),
    type,
    offset: offset <= MAX_COUNT ? offset : 0,
    isBase,
    artificial: entry.flag(AT.artificial),
    ...bitsOf(entry, offset, type),
    ...(isVirtual
      ? {
        locate: (object: bigint, memory: ValueMemory): bigint | undefined =>
          evaluateExpression(block, {
            registers: () => undefined,
            readMemory: (address, size) => {
              const bytes = memory.readUpTo(address, size);
              return bytes.length < size ? undefined : unsignedOf(bytes);
            },
            cfa: object,
            pointerSize: addressSize,
          }),
      }
      : {}),
  };
}

/** The bits of a bit field. `DW_AT_bit_offset` of DWARF 2 and 3 counts from the highest bit of a storage
 * unit. */
function bitsOf(entry: Entry, offset: number, type: Type): Pick<Member, "bits"> {
  const size = entry.number(AT.bit_size);
  if (size === undefined || !(size > 0 && size <= 128)) return {};
  const first = entry.number(AT.data_bit_offset);
  if (first !== undefined && first >= 0) {
    return {
      bits: { offset: entry.has(AT.data_member_location) ? offset * 8 + first : first, size },
    };
  }
  const fromTop = entry.number(AT.bit_offset);
  if (fromTop === undefined) return { bits: { offset: offset * 8, size } };
  // A field that reaches over its storage unit has a negative offset, in a form without sign.
  const signed = Number(BigInt.asIntN(fromTop > 0xffff ? 64 : 16, BigInt(fromTop)));
  const storage = entry.number(AT.byte_size) ?? canonical(type).size ?? 4;
  const low = offset * 8 + storage * 8 - signed - size;
  return { bits: { offset: Math.max(0, low), size } };
}

/** An array. */
export class ArrayType implements Type {
  readonly kind = "array";
  readonly target: Type;
  readonly count: number | null;
  readonly language: Language;
  readonly isVector: boolean;
  /** What says the count, when only the running program knows it. */
  readonly dynamic: DynamicCount | null;
  #name: RawText | undefined;

  constructor(
    target: Type,
    count: number | null,
    language: Language,
    isVector: boolean,
    dynamic: DynamicCount | null,
  ) {
    this.target = target;
    this.count = count;
    this.language = language;
    this.isVector = isVector;
    this.dynamic = dynamic;
  }

  get name(): RawText {
    return this.#name ??= nameOf(this);
  }

  get size(): number | null {
    const element = canonical(this.target).size;
    if (this.count === null || element === null) return null;
    const size = this.count * element;
    return size <= MAX_COUNT ? size : null;
  }

  /** Whether its count was looked for, as the program knows it. */
  get isCounted(): boolean {
    return false;
  }

  /** The same with a count that was found out; `null` when it was not. */
  counted(count: number | null, target: Type = this.target): ArrayType {
    return new CountedArray(target, count, this.language, this.name);
  }
}

/** An array whose count was found out; it is named like the one without. */
class CountedArray extends ArrayType {
  readonly #known: RawText;

  constructor(target: Type, count: number | null, language: Language, name: RawText) {
    super(target, count, language, false, null);
    this.#known = name;
  }

  override get isCounted(): boolean {
    return true;
  }

  override get name(): RawText {
    return this.#known;
  }
}

/** What a pointer to a block's literal is shown as: the type of its function. Clang describes a block as a
 * pointer to a struct with the function's pointer in it. */
function blockFunction(kind: TypeKind, target: Type): Type | null {
  if (kind !== "pointer" || !(target instanceof DwarfType) || target.kind !== "struct") return null;
  if (!target.isBlockLiteral) return null;
  const pointer = target.members.find(({ name }) => name === "__FuncPtr")?.type;
  const called = pointer === undefined ? null : canonical(pointer).target ?? null;
  return called?.kind === "function" ? called : null;
}
