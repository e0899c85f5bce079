/** Swift's numbers, strings, arrays, dictionaries, sets and optionals, by the layouts that its ABI fixed (Swift 5 on Apple's
 * systems: `stdlib/public/core/StringObject.swift`, `ContiguousArrayBuffer.swift`; manglings in
 * `docs/ABI/Mangling.rst`). Debug information describes these types by name and size alone. Other types are
 * shown by their members where it has them, else by their bytes. */

import {
  damaged,
  type Encoding,
  type Formatter,
  type Synthetic,
  type Type,
  type Value,
} from "../model.ts";
import { canonical } from "../types.ts";
import {
  bytesAt,
  countOf,
  elements,
  named,
  noChildren,
  pointerAt,
  sizeSummary,
  textOf,
  unsignedAt,
} from "./reading.ts";
import { escapedText, utf8At } from "./strings.ts";
import { fieldsOf, type SwiftFields } from "./swift_fields.ts";

/** The types of the standard library, by their mangling and their name. */
const scalars: readonly (readonly [
  mangled: string,
  name: string,
  encoding: Encoding,
  size: number | undefined,
])[] = [
  ["Si", "Int", "signed", undefined],
  ["Su", "UInt", "unsigned", undefined],
  ["s4Int8V", "Int8", "signed", 1],
  ["s5Int16V", "Int16", "signed", 2],
  ["s5Int32V", "Int32", "signed", 4],
  ["s5Int64V", "Int64", "signed", 8],
  ["s5UInt8V", "UInt8", "unsigned", 1],
  ["s6UInt16V", "UInt16", "unsigned", 2],
  ["s6UInt32V", "UInt32", "unsigned", 4],
  ["s6UInt64V", "UInt64", "unsigned", 8],
  ["Sb", "Bool", "boolean", 1],
  ["Sd", "Double", "float", 8],
  ["Sf", "Float", "float", 4],
];

/** The type's mangling without `$s` and the `D` of debug information; its name where it has none. */
function codeOf({ name, linkageName = name }: Type): string {
  return /^\$s(.*?)D?$/.exec(linkageName)?.[1] ?? name.replace(/^Swift\./, "");
}

/** The base type that a code stands for. */
function scalarType(code: string, pointerSize: number): Type | undefined {
  const row = scalars.find(([mangled, name]) => code === mangled || code === name);
  if (row === undefined) return undefined;
  const [, name, encoding, size = pointerSize] = row;
  return { kind: "base", name, encoding, size, language: "other" };
}

function isString(code: string): boolean {
  return code === "SS" || code === "String";
}

/** The type of a code, as far as formatters know it. */
function typeOf(code: string, pointerSize: number): Type | undefined {
  return scalarType(code, pointerSize) ??
    (isString(code)
      ? { kind: "struct", name: "String", size: 2 * pointerSize, language: "swift", members: [] }
      : undefined);
}

/** Maximum length of a string in its two words. */
const MAX_SMALL = 15;
/** The characters of a native string are this far from its object. */
const NATIVE_BIAS = 32n;

/** A string in two words: in themselves, or a count with flags and an address with a discriminator. */
function stringText(value: Value): string | null {
  const bytes = value.bytes(16);
  if (bytes.length < 16) return damaged("it has no 16 bytes");
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  const object = view.getBigUint64(8, true);
  const discriminator = Number(object >> 56n);
  if ((discriminator & 0x20) !== 0) {
    const count = discriminator & 0x0f;
    if (count > MAX_SMALL) damaged(`${count} bytes in two words`);
    return `"${escapedText(bytes.subarray(0, count), 1)}"`;
  }
  // A string of Objective-C, or one whose contents are elsewhere.
  if ((discriminator & 0x50) !== 0) return null;
  const address = (object & 0x0fff_ffff_ffff_ffffn) + NATIVE_BIAS;
  return utf8At(value, address, view.getBigUint64(0, true) & 0xffff_ffff_ffffn);
}

/** The code of an array's elements: `SaySiG` is `[Int]`. */
function elementCode(code: string): string | null {
  return /^Say(.+)G$/.exec(code)?.[1] ?? null;
}

/** Where an array has its elements. Its buffer is the metadata, the reference count, the count, the capacity, and
 * then the elements. */
function arrayParts(value: Value): { count: bigint; start: bigint } {
  const { pointerSize } = value.context;
  const word = BigInt(pointerSize);
  const buffer = value.address === null
    ? damaged("it is in no memory")
    : pointerAt(value, value.address);
  const count = unsignedAt(value, buffer + 2n * word, pointerSize);
  const capacity = unsignedAt(value, buffer + 3n * word, pointerSize) >> 1n;
  if (count > capacity && count > 0n) damaged(`${count} elements in room for ${capacity}`);
  return { count, start: buffer + 4n * word };
}

function array(value: Value) {
  const code = elementCode(codeOf(canonical(value.type)));
  const type = code === null ? undefined : typeOf(code, value.context.pointerSize);
  if (type === undefined) return null;
  const { count, start } = arrayParts(value);
  return elements(value, start, count, type);
}

/** The first type's code in a mangling, as far as {@linkcode typeOf} knows it. */
function firstCode(mangled: string): string | undefined {
  return ["SS", ...scalars.map(([code]) => code)].find((code) => mangled.startsWith(code));
}

/** The types of a dictionary's keys and values, or of a set's elements: `SDySSSiG` is `[String: Int]`, `ShySiG`
 * `Set<Int>`. */
function hashedTypes(code: string, pointerSize: number): Type[] | null {
  const match = /^S([Dh])y(.+)G$/.exec(code);
  if (match === null) return null;
  const types: Type[] = [];
  // `S2i` is `SiSi`.
  const spelled = match[2].replace(
    /S(\d)([a-zA-Z])/g,
    (_, count, letter) => `S${letter}`.repeat(Number(count)),
  );
  for (let rest = spelled; rest !== "";) {
    const first = firstCode(rest);
    const type = first === undefined ? undefined : typeOf(first, pointerSize);
    if (type === undefined) return null;
    types.push(type);
    rest = rest.slice(first!.length);
  }
  return types.length === (match[1] === "D" ? 2 : 1) ? types : null;
}

function isHashed(code: string): boolean {
  return /^S[Dh]y.+G$/.test(code);
}

/** Maximum number of buckets that are looked through. */
const MAX_BUCKETS = 1 << 20;
/** The bit of an object that is Objective-C's. */
const OBJC_BIT = 1n << 62n;

/** The entries of a dictionary or a set. Its storage is an object's header, the count, the capacity, the logarithm of
 * the number of buckets in a byte, age, seed, the address of the keys, in a dictionary that of the values, and a
 * bit for each bucket (`DictionaryStorage.swift`,
 * `SetStorage.swift`). `null` of Objective-C's. */
function hashed(value: Value, types: readonly Type[] | null): Synthetic | null {
  const { pointerSize, limits } = value.context;
  if (pointerSize !== 8 || value.address === null) return null;
  const object = unsignedAt(value, value.address, 8);
  if ((object & OBJC_BIT) !== 0n) return null;
  const storage = object & value.context.addressMask;
  const count = countOf(unsignedAt(value, storage + 16n, 8));
  const scale = Number(unsignedAt(value, storage + 32n, 1));
  const buckets = 2 ** scale;
  if (scale > 40 || count > buckets) damaged(`${count} entries in 2^${scale} buckets`);
  if (types === null) return { count, at: () => damaged("the type of its entries is not known") };
  const isSet = types.length === 1;
  const [keys, values] = [48n, 56n].map((offset) => unsignedAt(value, storage + offset, 8));
  const bits = storage + (isSet ? 56n : 64n);
  const held: number[] = [];
  const wanted = Math.min(count, limits.arrayValues);
  for (let word = 0; word * 64 < Math.min(buckets, MAX_BUCKETS) && held.length < wanted; word++) {
    let used = unsignedAt(value, bits + BigInt(8 * word), 8);
    for (let bit = 0; used !== 0n && held.length < wanted; bit++, used >>= 1n) {
      if ((used & 1n) !== 0n && word * 64 + bit < buckets) held.push(word * 64 + bit);
    }
  }
  const place = (start: bigint, type: Type, bucket: number) =>
    start + BigInt(bucket) * BigInt(type.size!);
  const [key, element] = types;
  return {
    count,
    at(index) {
      const bucket = held[index] ?? damaged("it is not there");
      const at = place(keys, key, bucket);
      if (isSet) return value.at(at, key, `[${index}]`);
      const bytes = new Uint8Array(key.size! + element.size!);
      bytes.set(bytesAt(value, at, key.size!));
      bytes.set(bytesAt(value, place(values, element, bucket), element.size!), key.size!);
      const member = (name: string, type: Type, offset: number) => ({
        ...{ name, type, offset, isBase: false, artificial: false },
      });
      return value.make(`[${index}]`, {
        ...{ kind: "struct", name: "entry", size: bytes.length, language: "swift" },
        members: [member("key", key, 0), member("value", element, key.size!)],
      }, bytes);
    },
  };
}

/** The payload of an optional; `undefined` where its form is not known, `null` of `nil`. */
function payload(value: Value): Value | null | undefined {
  const code = /^(.+)Sg$/.exec(codeOf(canonical(value.type)))?.[1];
  if (code === undefined || value.address === null) return undefined;
  const { pointerSize } = value.context;
  const type = typeOf(code, pointerSize);
  if (type === undefined) return undefined;
  const size = BigInt(type.size!);
  if (isString(code)) {
    const object = unsignedAt(value, value.address + BigInt(pointerSize), pointerSize);
    return object === 0n ? null : value.at(value.address, type, "some");
  }
  // A Bool has room for it in its own byte. A number has not: a byte after it says that there is none.
  const byte = type.encoding === "boolean"
    ? unsignedAt(value, value.address, 1) >> 1n
    : unsignedAt(value, value.address + size, 1);
  if (byte > 1n) damaged(`its tag is ${byte}`);
  return byte === 1n ? null : value.at(value.address, type, "some");
}

/** The type of a code in reflection metadata: what {@linkcode typeOf} knows, and what it is kept in. */
function fieldType(code: string, pointerSize: number): Type | undefined {
  const known = typeOf(code, pointerSize);
  if (known !== undefined) {
    // Numbers are shown by the formatter of their struct: so they keep their name.
    return isString(code)
      ? { ...known, name: "$sSSD" }
      : { kind: "struct", name: `$s${code}D`, size: known.size, language: "swift", members: [] };
  }
  const isReference = elementCode(code) !== null || isHashed(code);
  return isReference
    ? { kind: "struct", name: `$s${code}D`, size: pointerSize, language: "swift", members: [] }
    : undefined;
}

function nominal(value: Value): SwiftFields | null {
  const code = codeOf(canonical(value.type));
  // A struct, a class or an enum of a module, that is not generic.
  if (!/^\d.*[VCO]$/.test(code)) return null;
  return fieldsOf(value, code, (code) => fieldType(code, value.context.pointerSize));
}

function fields(value: Value): Synthetic | null {
  const found = nominal(value);
  if (found === null || found.kind === "enum" || value.address === null) return null;
  const start = found.kind === "class" ? pointerAt(value, value.address) : value.address;
  if (start === 0n) return noChildren();
  const { members } = found;
  return {
    ...named(members.map(({ name, type, offset }) => [
      name,
      value.at(start + BigInt(offset), type, name),
    ])),
  };
}

const languages = ["swift"] as const;

/** The formatters of Swift's types. */
export const swiftFormatters: readonly Formatter[] = [
  {
    name: "Swift number",
    languages,
    type: (type) => type.kind === "struct" && scalarType(codeOf(type), 8) !== undefined,
    summary(value) {
      const type = scalarType(codeOf(canonical(value.type)), value.context.pointerSize)!;
      return value.cast(type).text;
    },
    children: noChildren,
  },
  {
    name: "Swift String",
    languages,
    type: (type) => type.kind === "struct" && isString(codeOf(type)),
    summary: stringText,
    children: (value) => stringText(value) === null ? null : noChildren(),
  },
  {
    name: "Swift Array",
    languages,
    type: (type) => type.kind === "struct" && elementCode(codeOf(type)) !== null,
    summary(value) {
      const made = array(value);
      if (made !== null) return sizeSummary(made);
      return `size=${countOf(arrayParts(value).count)}`;
    },
    children: array,
  },
  {
    name: "Swift Dictionary and Set",
    languages,
    type: (type) => type.kind === "struct" && isHashed(codeOf(type)),
    summary(value) {
      return sizeSummary(hashed(value, null));
    },
    children(value) {
      const types = hashedTypes(codeOf(canonical(value.type)), value.context.pointerSize);
      return types === null ? null : hashed(value, types);
    },
  },
  {
    name: "Swift struct, class and enum",
    languages,
    type: (type) =>
      type.kind === "struct" && (type.members ?? []).length === 0 &&
      /^\d.*[VCO]$/.test(codeOf(type)),
    summary(value) {
      const found = nominal(value);
      if (found?.kind === "class" && value.address !== null) {
        return `0x${pointerAt(value, value.address).toString(16)}`;
      }
      if (found?.kind !== "enum" || !found.isPlain || found.cases.length === 0) return null;
      const at = found.cases.length === 1 ? 0 : value.bytes(1)[0];
      return found.cases[at] ?? damaged(`it has no case ${at}`);
    },
    children: fields,
  },
  {
    name: "Swift Optional",
    languages,
    type: (type) => /Sg$/.test(codeOf(type)),
    summary(value) {
      const held = payload(value);
      return held === undefined ? null : held === null ? "nil" : textOf(held);
    },
  },
];
