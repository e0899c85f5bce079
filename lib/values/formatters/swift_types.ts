/** Swift's types as the runtime and the reflection metadata of images describe them: declarations by their context
 * descriptors (`include/swift/ABI/Metadata.h`), their fields and cases (`include/swift/RemoteInspection/Records.h`),
 * and types as trees of their manglings, in which metadata refers to descriptors by distances
 * (`docs/ABI/Mangling.rst`). Everything is read from memory, and bounded. */

import type { SwiftNode as Node } from "../../symbols/demangle/mod.ts";
import { swiftDeclarationName, swiftTypeTree } from "../../symbols/walking.ts";
import type { ValueContext } from "../model.ts";
import { unreadable } from "./reading.ts";
import { unsignedOf } from "../scalars.ts";

/** Maximum number of fields of a type, of a generic's parameters, of types in each other. */
const MAX_FIELDS = 1 << 10;
const MAX_PARAMETERS = 64;
const MAX_DEPTH = 24;
/** Maximum length of a name, and of a mangled one. */
const MAX_NAME = 256;
const MAX_MANGLED = 1 << 12;
/** Maximum number of things that are remembered of each kind. */
const MAX_KNOWN = 1 << 14;

/** `ContextDescriptorKind`: the low five bits of a descriptor's flags. */
const CONTEXT = {
  module: 0,
  extension: 1,
  anonymous: 2,
  protocol: 3,
  class: 16,
  struct: 17,
  enum: 18,
} as const;
/** A descriptor's flag: the context is generic. */
const IS_GENERIC = 0x80;

/** `MetadataKind`; a class's is its `isa`, or 0 where there is no Objective-C. */
const METADATA = {
  struct: 0x200,
  enum: 0x201,
  optional: 0x202,
  foreignClass: 0x203,
  tuple: 0x301,
  function: 0x302,
  existential: 0x303,
  metatype: 0x304,
  objcWrapper: 0x305,
  existentialMetatype: 0x306,
  last: 0x7ff,
} as const;

/** `TargetFunctionTypeFlags` of `swift/ABI/MetadataValues.h`: the number of parameters, and what changes a type's name. */
const FUNCTION = {
  count: 0xffff,
  throws: 0x0100_0000,
  async: 0x2000_0000,
  /** Those and whether it escapes. */
  known: 0x2500_ffff,
} as const;

/** A field of a struct or class, or a case of an enum. */
export interface SwiftField {
  readonly name: string;
  /** Its type, with the parameters of the declaration; `null` of a case that holds nothing, `undefined` where
   * the type is not known. */
  readonly type: Node | null | undefined;
  /** Of a case: what it holds is in an object of its own. */
  readonly isIndirect: boolean;
}

/** A type's declaration: its descriptor. */
export interface SwiftDeclaration {
  readonly kind: "struct" | "class" | "enum" | "protocol";
  readonly descriptor: bigint;
  /** The flags of the descriptor's kind: the upper 16 bits. */
  readonly flags: number;
  readonly isGeneric: boolean;
  /** Whether it stands for a type of C or Objective-C. */
  readonly isForeign: boolean;
  readonly name: string;
}

/** What `include/swift/ABI/ValueWitness.def` has in a table, besides functions. */
export interface ValueWitnesses {
  readonly size: number;
  readonly alignment: number;
  readonly isInline: boolean;
  readonly extraInhabitants: number;
}

/** A class of an object: its declaration, and where it has its fields. */
export interface SwiftClass {
  readonly tree: Node;
  readonly declaration: SwiftDeclaration;
  /** Bytes from the object's start, of each field; `null` where the metadata has none. */
  readonly offsets: readonly number[] | null;
  readonly superclass: bigint;
}

function leaf(kind: string, text: string): Node {
  return { kind, text, index: null, children: [] };
}

function node(kind: string, ...children: Node[]): Node {
  return { kind, text: null, index: null, children };
}

/** What short spellings stand for, as debug information keeps them: `[Int]`, `Int?`. */
const sugar: Readonly<Record<string, readonly [kind: string, name: string]>> = {
  SugaredOptional: ["Enum", "Optional"],
  SugaredArray: ["Structure", "Array"],
  SugaredDictionary: ["Structure", "Dictionary"],
};
const desugared = new WeakMap<Node, Node>();

/** A type of the standard library by its name. */
export function standardTree(kind: string, name: string): Node {
  return node(kind, leaf("Module", "Swift"), leaf("Identifier", name));
}

/** A type without the node around it, and not in a short spelling. */
export function bare(tree: Node): Node {
  let at = tree;
  for (let depth = 0; depth < 8; depth++) {
    if ((at.kind !== "Type" && at.kind !== "SugaredParen") || at.children.length === 0) break;
    at = at.children[0];
  }
  if (!Object.hasOwn(sugar, at.kind)) return at;
  let made = desugared.get(at);
  if (made === undefined) {
    const [kind, name] = sugar[at.kind];
    const type = node("Type", standardTree(kind, name));
    made = node(`BoundGeneric${kind}`, type, node("TypeList", ...at.children));
    desugared.set(at, made);
  }
  return made;
}

const nominals: ReadonlySet<string> = new Set(["Structure", "Class", "Enum", "Protocol"]);
const bounds: ReadonlySet<string> = new Set([
  ...["BoundGenericStructure", "BoundGenericClass", "BoundGenericEnum"],
]);

/** The declaration of a nominal type, and the arguments of its parameters, by depth; `null` of other types. */
export function nominalOf(
  tree: Node,
): { readonly declaration: Node; readonly arguments: readonly (readonly Node[])[] } | null {
  let at = bare(tree);
  const lists: (readonly Node[])[] = [];
  let declaration: Node | null = null;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    if (bounds.has(at.kind) && at.children.length === 2) {
      lists.unshift(at.children[1].children.map(bare));
      at = bare(at.children[0]);
    }
    if (!nominals.has(at.kind)) break;
    declaration ??= at;
    const context = at.children[0];
    if (context === undefined) break;
    at = context.kind === "Extension" && context.children.length > 1
      ? bare(context.children[1])
      : bare(context);
  }
  return declaration === null ? null : { declaration, arguments: lists };
}

/** A type with arguments in place of its parameters; the same tree where it has none, `undefined` where an
 * argument is missing. */
export function substituted(
  tree: Node,
  args: readonly (readonly Node[])[],
  depth = 0,
): Node | undefined {
  if (depth > MAX_DEPTH * 2) return undefined;
  if (tree.kind === "DependentGenericParamType") {
    const [level, index] = tree.children.map(({ index }) => index ?? -1);
    return args[level]?.[index];
  }
  if (tree.kind === "DependentMemberType") return undefined;
  let changed = false;
  const children: Node[] = [];
  for (const child of tree.children) {
    const made = substituted(child, args, depth + 1);
    if (made === undefined) return undefined;
    changed ||= made !== child;
    children.push(made);
  }
  return changed ? { ...tree, children } : tree;
}

/** Whether a type has parameters. */
export function isDependent(tree: Node, depth = 0): boolean {
  return depth > MAX_DEPTH * 2 || tree.kind === "DependentGenericParamType" ||
    tree.children.some((child) => isDependent(child, depth + 1));
}

/** Reads what images and the runtime say about types. */
export class SwiftTypes {
  readonly #context: ValueContext;
  readonly #trees = new Map<bigint, Node | null>();
  readonly #contexts = new Map<bigint, Node | null>();
  readonly #fields = new Map<bigint, readonly SwiftField[] | null>();
  /** The descriptors of declarations, by their names' nodes, which are never copied. */
  readonly #descriptors = new WeakMap<Node, bigint | null>();
  readonly #declarations = new Map<bigint, SwiftDeclaration | null>();

  /** @param context whose memory has the images */
  constructor(context: ValueContext) {
    this.#context = context;
  }

  /** Bytes of a pointer. */
  get pointerSize(): 4 | 8 {
    return this.#context.pointerSize;
  }

  bytes(address: bigint, size: number): Uint8Array {
    const bytes = this.#context.memory.readUpTo(address, size);
    return bytes.length < size ? unreadable(address) : bytes;
  }

  unsigned(address: bigint, size: number): number {
    return Number(unsignedOf(this.bytes(address, size)));
  }

  pointer(address: bigint): bigint {
    return unsignedOf(this.bytes(address, this.pointerSize)) & this.#context.addressMask;
  }

  /** The pointer that is `words` after an address. */
  word(address: bigint, words: number): bigint {
    return this.pointer(address + BigInt(words * this.pointerSize));
  }

  /** The address that the 32-bit distance at an address leads to; `null` for none. */
  relative(at: bigint): bigint | null {
    const distance = this.unsigned(at, 4) | 0;
    return distance === 0 ? null : at + BigInt(distance);
  }

  /** As {@linkcode relative}, or what the pointer there leads to when the lowest bit is set. */
  #indirectable(at: bigint): bigint | null {
    const distance = this.unsigned(at, 4) | 0;
    if (distance === 0) return null;
    const target = at + BigInt(distance & ~1);
    return (distance & 1) === 0 ? target : this.pointer(target);
  }

  text(address: bigint): string {
    const bytes = this.#context.memory.readUpTo(address, MAX_NAME);
    const end = bytes.indexOf(0);
    return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
  }

  /** The address of a symbol, in Mach-O's and in ELF's spelling; `null` for none. */
  symbol(name: string): bigint | null {
    const { addressesOf } = this.#context;
    return addressesOf.call(this.#context, name)[0] ??
      addressesOf.call(this.#context, `_${name}`)[0] ?? null;
  }

  /** The type with a mangled name, as debug information has it. */
  tree(name: string): Node | null {
    const found = swiftTypeTree(name);
    return found === null ? null : bare(found);
  }

  /** The type whose mangled name is in memory; `null` where it cannot be told. */
  treeAt(address: bigint): Node | null {
    let found = this.#trees.get(address);
    if (found === undefined) {
      const name = this.#mangledAt(address);
      const tree = name === null
        ? null
        : swiftTypeTree(name, (kind, target) => this.#resolve(kind, target));
      found = tree === null ? null : bare(tree);
      if (this.#trees.size < MAX_KNOWN) this.#trees.set(address, found);
    }
    return found;
  }

  /** A mangled name whose references have digits of addresses. */
  #mangledAt(address: bigint): string | null {
    let name = "";
    let bytes = this.#context.memory.readUpTo(address, 64);
    for (let at = 0; at < MAX_MANGLED;) {
      if (at + 9 > bytes.length && bytes.length >= at) {
        const more = this.#context.memory.readUpTo(address, bytes.length * 4);
        if (more.length > bytes.length) bytes = more;
      }
      const byte = bytes[at];
      if (byte === undefined) return null;
      if (byte === 0) return name;
      if (byte >= 0x20) {
        name += String.fromCharCode(byte);
        at++;
        continue;
      }
      // Up to 0x17 a distance follows, then a pointer.
      const place = address + BigInt(at + 1);
      const target = byte < 0x18 ? this.relative(place) ?? 0n : this.pointer(place);
      name += String.fromCharCode(byte) + target.toString(16).padStart(16, "0").slice(-16);
      at += byte < 0x18 ? 5 : 1 + this.pointerSize;
    }
    return null;
  }

  /** What a reference in a name stands for: 1 leads to a context, 2 to a pointer to one. */
  #resolve(kind: number, address: bigint): Node | null {
    if (kind !== 1 && kind !== 2) return null;
    const found = this.context(kind === 1 ? address : this.pointer(address));
    return found === null ? null : node("Type", found);
  }

  /** The tree of a type's declaration, by its descriptor. */
  context(descriptor: bigint, depth = 0): Node | null {
    let found = this.#contexts.get(descriptor);
    if (found === undefined) {
      if (depth > MAX_DEPTH) return null;
      found = this.#readContext(descriptor, depth);
      if (this.#contexts.size < MAX_KNOWN) this.#contexts.set(descriptor, found);
    }
    return found;
  }

  #readContext(descriptor: bigint, depth: number): Node | null {
    if (!this.#isReadable(descriptor, 12)) return this.#named(descriptor);
    const kind = this.unsigned(descriptor, 4) & 31;
    if (kind === CONTEXT.module) {
      const name = this.relative(descriptor + 8n);
      return leaf("Module", name === null ? "" : this.text(name));
    }
    const parentAt = this.#indirectable(descriptor + 4n);
    const parent = parentAt === null ? null : this.context(parentAt, depth + 1);
    const kinds: Readonly<Record<number, string>> = {
      [CONTEXT.class]: "Class",
      [CONTEXT.struct]: "Structure",
      [CONTEXT.enum]: "Enum",
      [CONTEXT.protocol]: "Protocol",
    };
    const made = kinds[kind];
    if (made === undefined) {
      if (kind === CONTEXT.anonymous) return parent;
      const extended = kind === CONTEXT.extension ? this.relative(descriptor + 8n) : null;
      const type = extended === null ? null : this.treeAt(extended);
      return type === null ? null : node("Extension", parent ?? leaf("Module", ""), type);
    }
    const nameAt = this.relative(descriptor + 8n);
    if (nameAt === null) return null;
    const name = leaf("Identifier", this.text(nameAt));
    this.#descriptors.set(name, descriptor);
    return node(made, parent ?? leaf("Module", ""), name);
  }

  #isReadable(address: bigint, size: number): boolean {
    return this.#context.memory.readUpTo(address, size).length === size;
  }

  /** A declaration by the symbol of its descriptor, where that is not in memory, such as in a core. */
  #named(descriptor: bigint): Node | null {
    const symbol = this.#context.symbolAt(descriptor);
    const match = symbol?.offset === 0 ? /^_?(\$s.*)M([np])$/.exec(symbol.name) : null;
    const tree = match === null ? null : swiftTypeTree(match[1] + (match[2] === "p" ? "P" : ""));
    return tree === null ? null : bare(tree);
  }

  /** The descriptor of a declaration: where its tree came from one, or by its symbol. */
  declaration(tree: Node): SwiftDeclaration | null {
    const name = tree.children[1];
    if (name === undefined) return null;
    let descriptor = this.#descriptors.get(name);
    if (descriptor === undefined) {
      const mangled = swiftDeclarationName(tree);
      descriptor = mangled === null
        ? null
        // The names of protocols end in "P", which their descriptors' lack.
        : this.symbol(tree.kind === "Protocol" ? mangled.replace(/P$/, "Mp") : `${mangled}Mn`);
      this.#descriptors.set(name, descriptor);
    }
    return descriptor === null ? null : this.declarationAt(descriptor);
  }

  declarationAt(descriptor: bigint): SwiftDeclaration | null {
    let found = this.#declarations.get(descriptor);
    if (found === undefined) {
      if (!this.#isReadable(descriptor, 12)) return null;
      const flags = this.unsigned(descriptor, 4);
      const kinds: Readonly<Record<number, SwiftDeclaration["kind"]>> = {
        [CONTEXT.class]: "class",
        [CONTEXT.struct]: "struct",
        [CONTEXT.enum]: "enum",
        [CONTEXT.protocol]: "protocol",
      };
      const kind = kinds[flags & 31];
      const name = this.relative(descriptor + 8n);
      found = kind === undefined ? null : {
        ...{ kind, descriptor, flags: flags >>> 16, isGeneric: (flags & IS_GENERIC) !== 0 },
        // How metadata is completed is in two bits: 2 is that of foreign types.
        isForeign: (flags >>> 16 & 3) === 2,
        name: name === null ? "" : this.text(name),
      };
      if (this.#declarations.size < MAX_KNOWN) this.#declarations.set(descriptor, found);
    }
    return found;
  }

  /** The fields of a struct or class, or the cases of an enum; `null` where the image does not say. */
  fields({ descriptor }: SwiftDeclaration): readonly SwiftField[] | null {
    let found = this.#fields.get(descriptor);
    if (found === undefined) {
      found = this.#readFields(descriptor);
      if (this.#fields.size < MAX_KNOWN) this.#fields.set(descriptor, found);
    }
    return found;
  }

  #readFields(descriptor: bigint): readonly SwiftField[] | null {
    // Flags, parent, name, access function, fields.
    const at = this.relative(descriptor + 16n);
    if (at === null) return null;
    // The type's name, the superclass's, the kind and the size of a record in 16 bits each, their number.
    const recordSize = BigInt(this.unsigned(at + 10n, 2));
    const count = this.unsigned(at + 12n, 4);
    if (recordSize < 12n || count > MAX_FIELDS) return null;
    return Array.from({ length: count }, (_, index) => {
      const record = at + 16n + BigInt(index) * recordSize;
      const type = this.relative(record + 4n);
      const name = this.relative(record + 8n);
      return {
        name: name === null ? "" : this.text(name),
        type: type === null ? null : this.treeAt(type) ?? undefined,
        isIndirect: (this.unsigned(record, 4) & 1) !== 0,
      };
    });
  }

  /** The superclass of a class, by its fields' descriptor, with the class's parameters; `null` for none, `undefined`
   * where it is not known. */
  superclassOf({ descriptor }: SwiftDeclaration): Node | null | undefined {
    const fields = this.relative(descriptor + 16n);
    const name = fields === null ? undefined : this.relative(fields + 4n);
    return name === undefined || name === null ? name : this.treeAt(name) ?? undefined;
  }

  /** The value witnesses of a type: its table is before its metadata. */
  witnesses(metadata: bigint): ValueWitnesses {
    return this.witnessTable(this.word(metadata, -1));
  }

  /** The value witness table of a declaration without parameters; `null` where no symbol names it. */
  witnessSymbol(tree: Node): bigint | null {
    const mangled = swiftDeclarationName(tree);
    return mangled === null ? null : this.symbol(`${mangled}WV`);
  }

  /** What a value witness table says. */
  witnessTable(table: bigint): ValueWitnesses {
    const word = this.pointerSize;
    const at = table + BigInt(8 * word);
    const flags = this.unsigned(at + BigInt(2 * word), 4);
    return {
      size: this.unsigned(at, word),
      alignment: (flags & 0xff) + 1,
      isInline: (flags & 0x20000) === 0,
      extraInhabitants: this.unsigned(at + BigInt(2 * word + 4), 4),
    };
  }

  /** The type that metadata is of; `null` where it cannot be told. */
  metadataTree(metadata: bigint, depth = 0): Node | null {
    if (metadata === 0n || depth > MAX_DEPTH) return null;
    const kind = this.pointer(metadata);
    const inner = (at: bigint) => this.metadataTree(at, depth + 1);
    const wrapped = (kind: string, at: bigint): Node | null => {
      const type = inner(at);
      return type === null ? null : node(kind, node("Type", type));
    };
    switch (Number(kind)) {
      case METADATA.struct:
      case METADATA.enum:
      case METADATA.optional:
        return this.#boundTree(this.word(metadata, 1), metadata, 2, depth);
      case METADATA.foreignClass:
        return this.context(this.word(metadata, 1));
      case METADATA.metatype:
        return wrapped("Metatype", this.word(metadata, 1));
      case METADATA.existentialMetatype:
        return wrapped("ExistentialMetatype", this.word(metadata, 1));
      case METADATA.tuple:
        return this.#tupleTree(metadata, depth);
      case METADATA.existential:
        return this.#existentialTree(metadata);
      case METADATA.function:
        return this.#functionTree(metadata, depth);
      case METADATA.objcWrapper:
        return null;
    }
    if (kind !== 0n && kind <= BigInt(METADATA.last)) return null;
    return this.classOf(metadata, depth)?.tree ?? null;
  }

  /** A function's type: `TargetFunctionTypeMetadata`. One with conventions, parameters' flags or isolation, which are
   * behind the parameters, is not told. */
  #functionTree(metadata: bigint, depth: number): Node | null {
    const flags = this.unsigned(metadata + BigInt(this.pointerSize), 4);
    const count = flags & FUNCTION.count;
    if ((flags & ~FUNCTION.known) !== 0 || count > MAX_PARAMETERS) return null;
    const [result, ...parameters] = Array.from(
      { length: 1 + count },
      (_, index) => this.metadataTree(this.word(metadata, 2 + index), depth + 1),
    );
    const types = parameters.flatMap((type) => type === null ? [] : [node("Type", type)]);
    if (result === null || types.length < count) return null;
    const [only] = types;
    const isAlone = count === 1 && only.children[0].kind !== "Tuple";
    return node(
      "FunctionType",
      ...(flags & FUNCTION.async) !== 0 ? [node("AsyncAnnotation")] : [],
      ...(flags & FUNCTION.throws) !== 0 ? [node("ThrowsAnnotation")] : [],
      node(
        "ArgumentTuple",
        isAlone
          ? only
          : node("Type", node("Tuple", ...types.map((type) => node("TupleElement", type)))),
      ),
      node("ReturnType", node("Type", result)),
    );
  }

  #tupleTree(metadata: bigint, depth: number): Node | null {
    const count = Number(this.word(metadata, 1));
    if (count > MAX_PARAMETERS) return null;
    const labelsAt = this.word(metadata, 2);
    const labels = labelsAt === 0n ? [] : this.text(labelsAt).split(" ");
    const elements: Node[] = [];
    for (let index = 0; index < count; index++) {
      const type = this.metadataTree(this.word(metadata, 3 + 2 * index), depth + 1);
      if (type === null) return null;
      const label = labels[index] ? [leaf("TupleElementName", labels[index])] : [];
      elements.push(node("TupleElement", ...label, node("Type", type)));
    }
    return node("Tuple", ...elements);
  }

  #existentialTree(metadata: bigint): Node | null {
    const word = BigInt(this.pointerSize);
    const flags = this.unsigned(metadata + word, 4);
    const count = this.unsigned(metadata + word + 4n, 4);
    const hasSuperclass = (flags & 0x4000_0000) !== 0;
    if (count > MAX_PARAMETERS) return null;
    const protocols: Node[] = [];
    for (let index = 0; index < count; index++) {
      const at = this.word(metadata, 2 + (hasSuperclass ? 1 : 0) + index);
      // The lowest bit: a protocol of Objective-C.
      const protocol = (at & 1n) !== 0n ? null : this.context(at);
      if (protocol === null) return null;
      protocols.push(node("Type", protocol));
    }
    const list = node("ProtocolList", node("TypeList", ...protocols));
    return flags >>> 31 === 0 ? node("ProtocolListWithAnyObject", list) : list;
  }

  /** A declaration with the arguments that metadata has from `start` words on. */
  #boundTree(descriptor: bigint, metadata: bigint, start: number, depth: number): Node | null {
    const tree = this.context(descriptor);
    const declaration = this.declarationAt(descriptor);
    if (tree === null || declaration === null || !declaration.isGeneric) return tree;
    const parameters = this.#parameters(declaration);
    if (parameters === null) return null;
    let next = start;
    const held: Node[] = [];
    for (const hasArgument of parameters) {
      const type = hasArgument ? this.metadataTree(this.word(metadata, next++), depth + 1) : null;
      if (type === null) return null;
      held.push(node("Type", type));
    }
    return this.#bind(tree, held);
  }

  /** For each parameter of a generic declaration, those around it included, whether metadata has its argument; `null` where
   * one stands for something else than a type. */
  #parameters({ kind, descriptor }: SwiftDeclaration): boolean[] | null {
    // After the descriptor of its kind: the cache, the pattern, the numbers of parameters, of requirements and two
    // more, and a byte for each parameter.
    const header = descriptor + (kind === "class" ? 44n : 28n);
    const count = this.unsigned(header + 8n, 2);
    if (count > MAX_PARAMETERS) return null;
    const flags = this.bytes(header + 16n, count);
    // A pack of types has the number of its types in metadata too, and a value is itself there: `GenericParamKind`.
    if (flags.some((flag) => (flag & 0x3f) !== 0)) return null;
    return Array.from(flags, (flag) => (flag & 0x80) !== 0);
  }

  /** Binds arguments to a declaration and to those around it. */
  #bind(tree: Node, held: Node[]): Node | null {
    const [context, name] = tree.children;
    const outer = nominals.has(context?.kind) ? this.declaration(context) : null;
    const around = outer?.isGeneric ? this.#parameters(outer)?.length ?? 0 : 0;
    const parent = around > 0 ? this.#bind(context, held.slice(0, around)) : context;
    if (parent === null) return null;
    const own = held.slice(around);
    const made = parent === context ? tree : node(tree.kind, parent, name);
    return own.length === 0
      ? made
      : node(`BoundGeneric${tree.kind}`, node("Type", made), node("TypeList", ...own));
  }

  /** The class that metadata is of; `null` where it is none of Swift's. */
  classOf(metadata: bigint, depth = 0): SwiftClass | null {
    const isa = this.pointer(metadata);
    const word = this.pointerSize;
    if (isa !== 0n && isa <= BigInt(METADATA.last)) return null;
    // Where there is Objective-C, a cache of two words and its data are before Swift's part; the data's low
    // bits say that it is one of Swift's.
    const hasObjC = isa !== 0n;
    if (hasObjC && (this.unsigned(metadata + BigInt(4 * word), 1) & 3) === 0) return null;
    const part = metadata + BigInt((hasObjC ? 5 : 2) * word);
    // Flags, the address point and the size of an instance, alignment, the class's size and address point.
    const descriptor = this.pointer(part + 24n);
    const declaration = descriptor === 0n ? null : this.declarationAt(descriptor);
    if (declaration?.kind !== "class") return null;
    const start = this.#immediateMembers(declaration);
    const tree = this.#boundTree(descriptor, metadata, start ?? 0, depth);
    if (tree === null || start === null && declaration.isGeneric) return null;
    return {
      tree,
      declaration,
      offsets: this.#offsets(declaration, metadata, start),
      superclass: this.word(metadata, 1),
    };
  }

  /** Words from a class's metadata to what its own declaration adds; `null` where that is not known. */
  #immediateMembers({ descriptor, flags }: SwiftDeclaration): number | null {
    const count = this.unsigned(descriptor + 32n, 4);
    // Flag 13: a superclass of another library's decides; where it is was found when the program started.
    if ((flags & 0x2000) !== 0) {
      const bounds = this.relative(descriptor + 24n);
      const offset = bounds === null ? 0n : this.pointer(bounds);
      const words = Number(offset) / this.pointerSize;
      return offset === 0n || words > 1 << 16 ? null : words;
    }
    const isNegative = (flags & 0x1000) !== 0;
    return isNegative
      ? -this.unsigned(descriptor + 24n, 4)
      : this.unsigned(descriptor + 28n, 4) - count;
  }

  #offsets(
    declaration: SwiftDeclaration,
    metadata: bigint,
    start: number | null,
  ): number[] | null {
    const count = this.unsigned(declaration.descriptor + 36n, 4);
    const vector = this.unsigned(declaration.descriptor + 40n, 4);
    if (vector === 0 || count > MAX_FIELDS) return null;
    const isResilient = (declaration.flags & 0x2000) !== 0;
    if (isResilient && start === null || vector > 1 << 16) return null;
    const at = metadata + BigInt((vector + (isResilient ? start! : 0)) * this.pointerSize);
    return Array.from(
      { length: count },
      (_, index) => this.unsigned(at + BigInt(index * this.pointerSize), this.pointerSize),
    );
  }
}
