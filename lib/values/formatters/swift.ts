/** Swift's values. Debug information has their types by a mangled name and a size; what they consist of is said by
 * reflection metadata (`swift_types.ts`), and how it lies in memory follows (`swift_layout.ts`). The standard
 * library's strings and collections have layouts that its ABI fixed (Swift 5 on Apple's systems:
 * `stdlib/public/core/StringObject.swift`, `ContiguousArrayBuffer.swift`, `DictionaryStorage.swift`). */

import type { SwiftNode as Node } from "../../symbols/demangle/mod.ts";
import { swiftTypeName, swiftTypeTree } from "../../symbols/walking.ts";
import {
  damaged,
  type Formatter,
  type Synthetic,
  type Type,
  type Value,
  type ValueMemory,
} from "../model.ts";
import { swiftNumber, unsignedOf } from "../scalars.ts";
import { canonical, swiftMangling } from "../types.ts";
import { objectType } from "./objc.ts";
import {
  bytesAt,
  countOf,
  named,
  noChildren,
  pointerAt,
  sizeSummary,
  textOf,
  unsignedAt,
} from "./reading.ts";
import { escapedText } from "./strings.ts";
import {
  type Layout,
  optionalPayload,
  type Part,
  standardName,
  strideOf,
  SwiftLayouts,
  swiftPlatform,
} from "./swift_layout.ts";
import { bare, nominalOf, standardTree, type SwiftClass, SwiftTypes } from "./swift_types.ts";

/** The standard library's types that formatters of their own show. */
const pointers = new Set([
  ...["UnsafePointer", "UnsafeMutablePointer", "UnsafeRawPointer", "UnsafeMutableRawPointer"],
  ...["OpaquePointer", "AutoreleasingUnsafeMutablePointer"],
]);
const arrays = new Set(["Array", "ContiguousArray", "ArraySlice"]);

/** Maximum nesting of superclasses. */
const MAX_CLASSES = 32;

/** The trees of types, by the types of debug information and by those that are made here. */
const trees = new WeakMap<Type, Node | null>();
const made = new WeakMap<Node, Type>();

/** The tree of a type; `null` of those that have none. */
function treeOf(type: Type): Node | null {
  const own = canonical(type);
  let tree = trees.get(own);
  if (tree === undefined) {
    const mangled = swiftMangling(own) ?? (own.name.startsWith("$s") ? own.name : undefined);
    const found = mangled === undefined ? null : swiftTypeTree(mangled);
    const name = own.name.replace(/^Swift\./, "");
    tree = found !== null
      ? bare(found)
      : mangled === undefined && (name === "String" || swiftNumber(name, 8) !== null)
      ? standardTree("Structure", name)
      : null;
    trees.set(own, tree);
  }
  return tree;
}

/** A type for values. */
function typeOf(node: Node, layout: Layout | null): Type {
  const tree = bare(node);
  let type = made.get(tree);
  if (type === undefined) {
    const size = layout?.size ?? null;
    const name = swiftTypeName(tree) ?? "unknown";
    const number = tree.kind === "Structure" && standardName(tree) === name
      ? swiftNumber(name, size ?? 8)
      : null;
    type = number ?? { kind: "struct", name, size, language: "swift", members: [] };
    if (layout !== null) made.set(tree, type);
    trees.set(type, tree);
  }
  return type;
}

/** Layouts by the memory that they were read from. */
const known = new WeakMap<ValueMemory, SwiftLayouts>();

function layoutsOf({ context }: Value): SwiftLayouts {
  let found = known.get(context.memory);
  if (found === undefined) {
    const types = new SwiftTypes(context);
    found = new SwiftLayouts(types, swiftPlatform(types, context.arch));
    known.set(context.memory, found);
  }
  return found;
}

/** The name of a struct of the standard library, and the arguments of its own parameters. */
function standardOf(
  type: Type,
): { readonly name: string; readonly arguments: readonly Node[] } | null {
  const tree = treeOf(type);
  const nominal = tree === null ? null : nominalOf(tree);
  const name = nominal === null ? null : standardName(nominal.declaration);
  return name === null ? null : { name, arguments: nominal!.arguments[0] ?? [] };
}

/** A word of a value's bytes. */
function wordOf(value: Value, index = 0): bigint {
  const { pointerSize } = value.context;
  const bytes = value.bytes((index + 1) * pointerSize).subarray(index * pointerSize);
  if (bytes.length < pointerSize) damaged(`it has no ${(index + 1) * pointerSize} bytes`);
  return unsignedOf(bytes.subarray(0, pointerSize));
}

function pointerOf(value: Value, index = 0): bigint {
  return wordOf(value, index) & value.context.addressMask;
}

/** Part of a value. */
function partOf(value: Value, name: string, tree: Node, layout: Layout, offset: number): Value {
  const type = typeOf(tree, layout);
  if (value.address !== null) return value.at(value.address + BigInt(offset), type, name);
  const bytes = value.bytes(offset + layout.size).slice(offset);
  return value.make(name, type, bytes);
}

/** Maximum length of a string in its two words. */
const MAX_SMALL = 15;
/** The characters of a native string are this far from its object. */
const NATIVE_BIAS = 32n;
/** Where the object of a string that shares its characters has their address. */
const SHARED_START = 24n;

/** UTF-8 that a string has: where, or in itself, and how much. */
interface StringParts {
  readonly count: bigint;
  readonly small: Uint8Array | null;
  readonly address: bigint;
}

/** The parts of a string in two words: in themselves, or a count with flags and an address with a discriminator.
 * `null` of Objective-C's. */
function stringParts(value: Value): StringParts | null {
  const bytes = value.bytes(16);
  if (bytes.length < 16) return damaged("it has no 16 bytes");
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  const object = view.getBigUint64(8, true);
  const discriminator = Number(object >> 56n);
  if ((discriminator & 0x20) !== 0) {
    const count = discriminator & 0x0f;
    if (count > MAX_SMALL) damaged(`${count} bytes in two words`);
    return { count: BigInt(count), small: bytes.subarray(0, count), address: 0n };
  }
  // A string of Objective-C, or one whose contents are elsewhere.
  if ((discriminator & 0x50) !== 0) return null;
  const flags = view.getBigUint64(0, true);
  const at = object & 0x0fff_ffff_ffff_ffffn;
  const isTailAllocated = (flags >> 60n & 1n) !== 0n;
  const address = isTailAllocated ? at + NATIVE_BIAS : pointerAt(value, at + SHARED_START);
  return { count: flags & 0xffff_ffff_ffffn, small: null, address };
}

/** The text of part of a string. */
function textOfParts(value: Value, parts: StringParts, start: bigint, end: bigint): string {
  if (start > end || end > parts.count) damaged(`characters ${start} to ${end} of ${parts.count}`);
  if (parts.small !== null) {
    return `"${escapedText(parts.small.subarray(Number(start), Number(end)), 1)}"`;
  }
  const count = countOf(end - start);
  const shown = Math.min(count, value.context.limits.stringLength);
  const bytes = shown === 0 ? new Uint8Array() : bytesAt(value, parts.address + start, shown);
  return `"${escapedText(bytes, 1)}"${count > shown ? "..." : ""}`;
}

function stringText(value: Value): string | null {
  if (value.context.pointerSize !== 8) return null;
  const parts = stringParts(value);
  if (parts !== null) return textOfParts(value, parts, 0n, parts.count);
  const object = value.make("", objectType(value), value.bytes(16).slice(8));
  return object.summary?.replace(/^@/, "") ?? null;
}

/** `Substring`: where it begins and ends, in 16 lower bits of flags each, and the string. */
function substringText(value: Value): string | null {
  if (value.context.pointerSize !== 8) return null;
  const string = standardTree("Structure", "String");
  const type = typeOf(string, layoutsOf(value).of(string));
  const whole = value.make("", type, value.bytes(32).slice(16));
  const parts = stringParts(whole);
  return parts === null
    ? null
    : textOfParts(value, parts, wordOf(value, 0) >> 16n, wordOf(value, 1) >> 16n);
}

/** The bit of a collection's pointer that says that the object is Objective-C's. */
const OBJC_BIT = 1n << 62n;

/** Where an array has its elements; `null` of Objective-C's. Its buffer is the metadata, the reference count, the
 * count, the capacity, and then the elements, at their alignment. A slice has their owner, where the element with
 * the index 0 is, the first index, and the last one with a flag. */
function arrayParts(
  value: Value,
  isSlice: boolean,
  alignment: number,
): { readonly count: bigint; readonly start: bigint; readonly first: bigint } | null {
  const { pointerSize } = value.context;
  if (isSlice) {
    const [start, first, end] = [pointerOf(value, 1), wordOf(value, 2), wordOf(value, 3) >> 1n];
    if (first > end) damaged(`elements ${first} to ${end}`);
    return { count: end - first, start, first };
  }
  const raw = wordOf(value);
  if (pointerSize === 8 && (raw & OBJC_BIT) !== 0n) return null;
  const word = BigInt(pointerSize);
  const buffer = raw & value.context.addressMask;
  const count = unsignedAt(value, buffer + 2n * word, pointerSize);
  const capacity = unsignedAt(value, buffer + 3n * word, pointerSize) >> 1n;
  if (count > capacity && count > 0n) damaged(`${count} elements in room for ${capacity}`);
  const step = BigInt(alignment);
  return { count, start: (buffer + 4n * word + step - 1n) / step * step, first: 0n };
}

function array(
  value: Value,
): { readonly count: number; readonly elements: Synthetic | null } | null {
  const { name, arguments: [element] } = standardOf(value.type)!;
  const layout = element === undefined ? null : layoutsOf(value).of(element);
  const parts = arrayParts(value, name === "ArraySlice", layout?.alignment ?? 1);
  if (parts === null) return null;
  const count = countOf(parts.count);
  if (layout === null) return { count, elements: null };
  const stride = BigInt(strideOf(layout));
  const start = parts.start + parts.first * stride;
  if (count > 0 && layout.size > 0) {
    bytesAt(value, start, 1);
    bytesAt(value, start + BigInt(count) * stride - (stride - BigInt(layout.size)) - 1n, 1);
  }
  const type = typeOf(element, layout);
  return {
    count,
    elements: {
      count,
      at: (index) => value.at(start + BigInt(index) * stride, type, `[${index}]`),
    },
  };
}

/** Maximum number of buckets that are looked through. */
const MAX_BUCKETS = 1 << 20;

/** The entries of a dictionary or a set. Its storage is an object's header, the count, the capacity, the logarithm of
 * the number of buckets in a byte, age, seed, the address of the keys, in a dictionary that of the values, and a
 * bit for each bucket. `null` of Objective-C's. */
function hashed(value: Value): Synthetic | null {
  const { pointerSize, limits } = value.context;
  const raw = wordOf(value);
  if (pointerSize !== 8 || (raw & OBJC_BIT) !== 0n) return null;
  const storage = raw & value.context.addressMask;
  const count = countOf(unsignedAt(value, storage + 16n, 8));
  const scale = Number(unsignedAt(value, storage + 32n, 1));
  const buckets = 2 ** scale;
  if (scale > 40 || count > buckets) damaged(`${count} entries in 2^${scale} buckets`);
  const held = standardOf(value.type)!.arguments;
  const layouts = held.map((type) => layoutsOf(value).of(type));
  const isSet = held.length === 1;
  if (layouts.some((layout) => layout === null)) {
    return { count, at: () => damaged("the type of its entries is not known") };
  }
  const [keys, values] = [48n, 56n].map((offset) => unsignedAt(value, storage + offset, 8));
  const bits = storage + (isSet ? 56n : 64n);
  const used: number[] = [];
  const wanted = Math.min(count, limits.arrayValues);
  for (let word = 0; word * 64 < Math.min(buckets, MAX_BUCKETS) && used.length < wanted; word++) {
    let left = unsignedAt(value, bits + BigInt(8 * word), 8);
    for (let bit = 0; left !== 0n && used.length < wanted; bit++, left >>= 1n) {
      if ((left & 1n) !== 0n && word * 64 + bit < buckets) used.push(word * 64 + bit);
    }
  }
  const entries = layouts as Layout[];
  const placeOf = (start: bigint, index: number, bucket: number) =>
    start + BigInt(bucket) * BigInt(strideOf(entries[index]));
  return {
    count,
    at(index) {
      const bucket = used[index] ?? damaged("it is not there");
      const key = placeOf(keys, 0, bucket);
      if (isSet) return value.at(key, typeOf(held[0], entries[0]), `[${index}]`);
      return entry(value, `[${index}]`, [
        value.at(key, typeOf(held[0], entries[0]), "key"),
        value.at(placeOf(values, 1, bucket), typeOf(held[1], entries[1]), "value"),
      ]);
    },
  };
}

/** A key and a value, together. */
function entry(value: Value, name: string, parts: readonly Value[]): Value {
  let size = 0;
  const members = parts.map(({ name, type }) => {
    const member = { name, type, offset: size, isBase: false, artificial: false };
    size += type.size ?? 0;
    return member;
  });
  const bytes = new Uint8Array(size);
  parts.forEach((part, index) => {
    bytes.set(bytesAt(value, part.address!, part.type.size ?? 0), members[index].offset);
  });
  return value.make(name, {
    ...{ kind: "struct", name: "entry", size, language: "swift" },
    members,
  }, bytes);
}

/** The children of another value in place of one's own. */
function childrenOf(value: Value): Synthetic {
  const count = value.childCount;
  return {
    count,
    names: value.children(0, Math.min(count, MAX_NAMES)).map(({ name }) => name),
    at: (index) => value.children(index, index + 1)[0] ?? damaged("it is not there"),
  };
}

/** Number of children of another value that are found by name. */
const MAX_NAMES = 64;

function bytesOf(bits: bigint, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => Number(bits >> BigInt(8 * at) & 0xffn));
}

/** The case of an enum that a value is of, and what it holds. */
function caseOf(
  value: Value,
  layout: Layout,
): { readonly name: string; readonly held: Value | null } | null {
  const { shape } = layout;
  if (shape.kind !== "enum") return null;
  const bytes = value.bytes(layout.size);
  if (bytes.length < layout.size) damaged(`it has no ${layout.size} bytes`);
  const bits = unsignedOf(bytes);
  const index = shape.tag(bits);
  const chosen = shape.cases[index];
  if (chosen === undefined) {
    return damaged(`it has no case ${bits < 256n ? bits : `0x${bits.toString(16)}`}`);
  }
  const { name, type, layout: held, isIndirect } = chosen;
  if (type === null || held === null) return { name, held: null };
  const own = bits & shape.payload;
  if (isIndirect) return { name, held: boxed(value, name, type, own & value.context.addressMask) };
  const payloadBits = (1n << BigInt(8 * held.size)) - 1n;
  // Where the case is in bits of the payload, the value is not in memory as such.
  const isInPlace = (payloadBits & ~shape.payload) === 0n;
  return {
    name,
    held: isInPlace
      ? partOf(value, name, type, held, 0)
      : value.make(name, typeOf(type, held), bytesOf(own & payloadBits, held.size)),
  };
}

/** Bytes of an object before what it holds: the metadata and the reference counts. */
function headerOf(value: Value): number {
  return 2 * value.context.pointerSize;
}

/** What an object holds that the runtime made for one value. */
function boxed(value: Value, name: string, tree: Node, object: bigint): Value {
  const layout = layoutsOf(value).of(tree);
  const step = layout?.alignment ?? 1;
  const offset = Math.ceil(headerOf(value) / step) * step;
  return value.at(object + BigInt(offset), typeOf(tree, layout), name);
}

/** The class of a Swift object; `null` of others and where it cannot be read. */
function classAt(value: Value, object: bigint): SwiftClass | null {
  const { types } = layoutsOf(value);
  const word = value.context.pointerSize;
  if (value.context.memory.readUpTo(object, word).length < word) return null;
  const metadata = types.pointer(object) & ~7n;
  return value.context.memory.readUpTo(metadata, word).length < word
    ? null
    : types.classOf(metadata);
}

/** The parts of a Swift object that each class of its own has. */
const instances = new WeakMap<Type, SwiftClass>();

/** The fields of a class in an object, after those of its superclass. */
function classFields(value: Value, object: bigint, own: SwiftClass, depth: number): Synthetic {
  const layouts = layoutsOf(value);
  const children: (readonly [string, Value])[] = [];
  const superclass = own.superclass === 0n || depth >= MAX_CLASSES
    ? null
    : layouts.types.classOf(own.superclass);
  if (superclass !== null && !isRoot(superclass)) {
    const name = swiftTypeName(superclass.tree) ?? "super";
    const type: Type = { kind: "class", name, size: null, language: "swift", members: [] };
    trees.set(type, superclass.tree);
    instances.set(type, superclass);
    children.push([name, value.at(object, type, name)]);
  }
  const found = layouts.partsOf(own.tree, headerOf(value), own.offsets);
  for (const part of found?.parts ?? []) children.push([part.name, partAt(value, object, part)]);
  return named(children);
}

/** The class that classes without a superclass have where there is Objective-C. */
function isRoot({ tree }: SwiftClass): boolean {
  return /^_?SwiftObject$/.test(tree.children[1]?.text ?? "");
}

function partAt(value: Value, base: bigint, { name, type, offset, layout }: Part): Value {
  return value.at(base + BigInt(offset), typeOf(type, layout), name);
}

/** What a reference leads to, and how it is shown. */
function referenced(
  value: Value,
  object: bigint,
): { readonly text: string; readonly children: Synthetic } | null {
  const text = `0x${object.toString(16)}`;
  if (object === 0n) return { text, children: noChildren() };
  const own = classAt(value, object);
  const declared = treeOf(value.type);
  if (own !== null) {
    const name = swiftTypeName(own.tree) ?? "";
    const isDeclared = declared !== null && swiftTypeName(declared) === name;
    return {
      text: isDeclared ? text : `${text} ${name}`,
      children: classFields(value, object, own, 0),
    };
  }
  // Without metadata, such as where it was not copied: what is declared, of a class without a superclass.
  const layouts = layoutsOf(value);
  const nominal = declared === null ? null : nominalOf(declared);
  const declaration = nominal && layouts.types.declaration(nominal.declaration);
  if (declaration?.kind === "class") {
    if (layouts.types.superclassOf(declaration) !== null) return null;
    const found = layouts.partsOf(declared!, headerOf(value), null);
    const parts = found?.parts ?? [];
    return {
      text,
      children: named(parts.map((part) => [part.name, partAt(value, object, part)] as const)),
    };
  }
  const foreign = value.make("", objectType(value), bytesOf(object, value.context.pointerSize));
  return {
    text: foreign.summary === null ? text : `${text} ${foreign.summary}`,
    children: childrenOf(foreign),
  };
}

/** The object that a weak reference leads to; 0 for none. The runtime keeps it in an entry beside the object; the
 * marks are those of System.h, `OBJC_WEAK_REFERENCE_MARKER`. */
function weakObject(value: Value): bigint {
  const raw = wordOf(value);
  const mask = raw & 0x8000_0000_0000_0003n;
  const entry = raw & ~3n & value.context.addressMask;
  if (entry === 0n) return 0n;
  const hasObjC = layoutsOf(value).platform.leastPointer > 0x1000n;
  // x86_64: 2, arm64: 1; all other bits are an object of Objective-C.
  if (hasObjC && mask !== 2n && mask !== 1n) return entry;
  return pointerAt(value, entry);
}

/** The value that an existential has: in its three words, or in a box. */
function existential(value: Value, how: "opaque" | "class" | "error"): Value | null {
  const layouts = layoutsOf(value);
  const { types } = layouts;
  const { pointerSize } = value.context;
  if (how === "class") return null;
  let metadata: bigint;
  let box: bigint | null = null;
  let header = headerOf(value);
  if (how === "opaque") {
    metadata = pointerOf(value, 3);
    if (metadata === 0n) return null;
  } else {
    box = pointerOf(value);
    if (box === 0n) return null;
    // Where there is Objective-C, the box is an NSError too: a code, a domain and more.
    const hasObjC = layouts.platform.leastPointer > 0x1000n;
    if (hasObjC) header += 3 * pointerSize;
    metadata = pointerAt(value, box + BigInt(header));
    header += (hasObjC ? 4 : 2) * pointerSize;
  }
  const tree = types.metadataTree(metadata);
  const witnesses = types.pointer(metadata) === 0n || types.pointer(metadata) > 0x7ffn
    ? null
    : types.witnesses(metadata);
  const type: Type = tree === null
    ? { kind: "struct", name: "unknown", size: 0, language: "swift", members: [] }
    : typeOf(tree, layouts.of(tree));
  if (how === "opaque" && (witnesses === null || witnesses.isInline)) {
    return value.address === null
      ? value.make(value.name, type, value.bytes(3 * pointerSize))
      : value.at(value.address, type, value.name);
  }
  const step = witnesses?.alignment ?? 1;
  if (how === "opaque") box = pointerOf(value);
  return value.at(box! + BigInt(Math.ceil(header / step) * step), type, value.name);
}

/** A value of a type with a layout. */
interface Laid {
  readonly tree: Node;
  readonly layout: Layout;
}

function laidOf(value: Value): Laid | null {
  const tree = treeOf(value.type);
  const layout = tree === null ? null : layoutsOf(value).of(tree);
  return layout === null ? null : { tree: tree!, layout };
}

/** The fields of a struct whose layout is not known to its end. */
function knownFields(value: Value): Synthetic | null {
  const tree = treeOf(value.type);
  const found = tree === null ? null : layoutsOf(value).partsOf(tree, 0, null);
  return found === null || found.parts.length === 0 ? null : named(found.parts.map((part) => [
    part.name,
    partOf(value, part.name, part.type, part.layout, part.offset),
  ]));
}

function summaryOf(value: Value): string | null {
  const laid = laidOf(value);
  if (laid === null) return null;
  const { shape } = laid.layout;
  switch (shape.kind) {
    case "enum":
      return caseOf(value, laid.layout)!.name;
    case "reference": {
      const object = shape.how === "weak" ? weakObject(value) : pointerOf(value);
      return object === 0n && shape.how === "weak"
        ? "nil"
        : referenced(value, object)?.text ?? null;
    }
    case "existential": {
      if (shape.how === "class") return referenced(value, pointerOf(value))?.text ?? null;
      const held = existential(value, shape.how);
      return held === null ? null : held.summary ?? held.text ?? held.type.name;
    }
    case "metatype": {
      const tree = layoutsOf(value).types.metadataTree(pointerOf(value));
      return tree === null ? null : swiftTypeName(tree);
    }
    case "function": {
      const address = pointerOf(value);
      return `0x${address.toString(16)}`;
    }
  }
  return null;
}

function children(value: Value): Synthetic | null {
  const laid = laidOf(value);
  if (laid === null) return knownFields(value);
  const { shape } = laid.layout;
  switch (shape.kind) {
    case "record":
      return named(shape.parts.map((part) => [
        part.name,
        partOf(value, part.name, part.type, part.layout, part.offset),
      ]));
    case "enum": {
      const { name, held } = caseOf(value, laid.layout)!;
      return held === null ? noChildren() : named([[name, held]]);
    }
    case "reference":
      return referenced(value, shape.how === "weak" ? weakObject(value) : pointerOf(value))
        ?.children ?? null;
    case "existential": {
      if (shape.how === "class") return referenced(value, pointerOf(value))?.children ?? null;
      const held = existential(value, shape.how);
      return held === null ? null : childrenOf(held);
    }
    case "metatype":
    case "function":
      return noChildren();
  }
  return null;
}

/** What an optional holds; `undefined` where its form is not known, `null` of `nil`. */
function payload(value: Value): Value | null | undefined {
  const laid = laidOf(value);
  if (laid === null) return undefined;
  return caseOf(value, laid.layout)?.held;
}

const languages = ["swift"] as const;

/** Whether a type is one of the standard library's of a set of names. */
const isStandard = (names: { has(name: string): boolean }) => (type: Type): boolean => {
  const found = type.kind === "struct" ? standardOf(type) : null;
  return found !== null && names.has(found.name);
};

/** The formatters of Swift's types. */
export const swiftFormatters: readonly Formatter[] = [
  {
    name: "Swift number",
    languages,
    type: isStandard({ has: (name) => swiftNumber(name, 8) !== null }),
    summary: (value) =>
      value.cast(swiftNumber(standardOf(value.type)!.name, value.context.pointerSize)!).text,
    children: noChildren,
  },
  {
    name: "Swift String",
    languages,
    type: isStandard(new Set(["String", "Character"])),
    summary: stringText,
    children: (value) => stringText(value) === null ? null : noChildren(),
  },
  {
    name: "Swift Substring",
    languages,
    type: isStandard(new Set(["Substring"])),
    summary: substringText,
    children: (value) => substringText(value) === null ? null : noChildren(),
  },
  {
    name: "Swift Array",
    languages,
    type: isStandard(arrays),
    summary(value) {
      const made = array(value);
      return made === null ? null : `size=${made.count}`;
    },
    children: (value) => array(value)?.elements ?? null,
  },
  {
    name: "Swift Dictionary and Set",
    languages,
    type: isStandard(new Set(["Dictionary", "Set"])),
    summary: (value) => sizeSummary(hashed(value)),
    children: hashed,
  },
  {
    name: "Swift pointer",
    languages,
    type: isStandard(pointers),
    summary: (value) => `0x${pointerOf(value).toString(16)}`,
    children(value) {
      const [pointee] = standardOf(value.type)!.arguments;
      const layout = pointee === undefined ? null : layoutsOf(value).of(pointee);
      const address = pointerOf(value);
      return layout === null || address === 0n
        ? noChildren()
        : named([["pointee", value.at(address, typeOf(pointee, layout), "pointee")]]);
    },
  },
  {
    name: "Swift Optional",
    languages,
    type: (type) => {
      const tree = type.kind === "struct" ? treeOf(type) : null;
      return tree !== null && optionalPayload(tree) !== null;
    },
    summary(value) {
      const held = payload(value);
      return held === undefined
        ? null
        : held === null
        ? "nil"
        : held.summary ?? held.text ?? (held.childCount === 0 ? textOf(held) : null);
    },
    children(value) {
      const held = payload(value);
      return held === undefined ? null : held === null ? noChildren() : childrenOf(held);
    },
  },
  {
    name: "Swift class",
    languages,
    type: (type) => instances.has(type),
    children: (value) =>
      value.address === null
        ? null
        : classFields(value, value.address, instances.get(value.type)!, 1),
  },
  {
    name: "Swift struct, class and enum",
    languages,
    type: (type) => type.kind === "struct" && treeOf(type) !== null,
    summary: summaryOf,
    children,
  },
];
