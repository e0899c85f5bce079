/** Objective-C objects: their dynamic class, and what Foundation and Core Foundation keep in their own.
 *
 * The class is what `isa` points to without the bits that the runtime keeps beside it; a tagged pointer has
 * it in itself. The runtime publishes both encodings for debuggers: `objc_debug_isa_class_mask`,
 * `objc_debug_taggedpointer_*` (objc4 `runtime/objc-gdb.h`). Foundation's classes have no published layout:
 * these are LLDB's (`source/Plugins/Language/ObjC`) and Core Foundation's (`CFString.c`). */

import { damaged, type Formatter, type Synthetic, type Type, type Value } from "../model.ts";
import { unsignedOf } from "../scalars.ts";
import { canonical } from "../types.ts";
import { bytesAt, countOf, integer, named, noChildren, pointerAt, unsignedAt } from "./reading.ts";
import { escapedText } from "./strings.ts";

/** An object: its address, or the payload of a tagged pointer. */
interface ObjectFacts {
  /** Of the dynamic class; `null` when it cannot be found. */
  readonly className: string | null;
  readonly address: bigint;
  /** Of a tagged pointer, without its tag; `null` of others. */
  readonly payload: bigint | null;
}

/** Maximum length of a class's name. */
const MAX_NAME = 256;
/** A variable of the runtime's; `undefined` where there is no such symbol. */
function runtimeNumber(value: Value, name: string, size: number): bigint | undefined {
  const { context } = value;
  const address = context.addressesOf(`_${name}`)[0] ?? context.addressesOf(name)[0];
  if (address === undefined) return undefined;
  const bytes = context.memory.readUpTo(address, size);
  return bytes.length < size ? undefined : unsignedOf(bytes);
}

/** Foundation's version, by which its classes differ: `NSFoundationVersionNumber`, a double. Where it is not known, the
 * layouts of today. */
function foundationVersion(value: Value): number {
  const bits = runtimeNumber(value, "NSFoundationVersionNumber", 8);
  if (bits === undefined) return Infinity;
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  const version = view.getFloat64(0);
  return version > 0 ? version : Infinity;
}

/** The mask of the class in `isa`, where the runtime does not publish it: `ISA_MASK` of `isa.h`. */
function classMask(value: Value): bigint {
  const { pointerSize, addressMask } = value.context;
  if (pointerSize === 4) return 0xffff_ffffn;
  const published = runtimeNumber(value, "objc_debug_isa_class_mask", pointerSize);
  return published !== undefined && published !== 0n ? published : addressMask & ~7n;
}

/** The name of the class at an address. */
function classNameAt(value: Value, address: bigint): string | null {
  const symbol = value.context.symbolAt(address);
  const match = symbol?.offset === 0 ? /^_?OBJC_CLASS_\$_(.*)$/.exec(symbol.name) : null;
  if (match !== null) return match[1];
  const readOnly = classReadOnly(value, address);
  if (readOnly === null) return null;
  const { pointerSize, memory } = value.context;
  // class_ro_t: flags, instanceStart, instanceSize, (reserved,) ivarLayout, name.
  const name = pointerAt(value, readOnly + BigInt(pointerSize === 8 ? 24 : 16));
  const bytes = memory.readUpTo(name, MAX_NAME);
  const end = bytes.indexOf(0);
  const text = end <= 0 ? "" : new TextDecoder().decode(bytes.subarray(0, end));
  return /^[\w$.]+$/.test(text) ? text : null;
}

/** `class_ro_t` of a class, realized or not (objc4 `objc-runtime-new.h`); `null` where there is none. */
function classReadOnly(value: Value, address: bigint): bigint | null {
  const { pointerSize } = value.context;
  const word = BigInt(pointerSize);
  // isa, superclass, cache of two words, data with flags in its low bits.
  const bits = value.context.memory.readUpTo(address, 5 * pointerSize);
  if (bits.length < 5 * pointerSize) return null;
  const data = pointerAt(value, address + 4n * word) & ~7n & 0x7fff_ffff_ffffn;
  if (data === 0n) return null;
  const realized = 0x8000_0000n;
  if ((unsignedAt(value, data, 4) & realized) === 0n) return data;
  // class_rw_t: flags, witness, then class_ro_t, or class_rw_ext_t where the lowest bit is set.
  const either = pointerAt(value, data + 8n);
  return (either & 1n) === 0n ? either : pointerAt(value, either & ~1n);
}

/** What a pointer to an object says. */
function objectFacts(value: Value): ObjectFacts {
  const raw = integer(value);
  if (raw === 0n) return { className: null, address: 0n, payload: null };
  return taggedFacts(value, raw) ?? untaggedFacts(value, raw);
}

function untaggedFacts(value: Value, raw: bigint): ObjectFacts {
  const address = raw & value.context.addressMask;
  const { pointerSize } = value.context;
  const isa = unsignedAt(value, address, pointerSize) & classMask(value);
  return { className: classNameAt(value, isa), address, payload: null };
}

/** What a tagged pointer says; `null` for any other pointer, and where the runtime does not say how it tags. */
function taggedFacts(value: Value, raw: bigint): ObjectFacts | null {
  if (value.context.pointerSize === 4) return null;
  const number = (name: string, size = 8) =>
    runtimeNumber(value, `objc_debug_taggedpointer_${name}`, size);
  const mask = number("mask") ?? 0n;
  if (mask === 0n || (raw & mask) !== mask) return null;
  const clear = raw ^ ((number("obfuscator") ?? 0n) & ~mask);
  const slot = clear >> (number("slot_shift", 4) ?? 0n) & (number("slot_mask") ?? 0n);
  const classes = value.context.addressesOf("_objc_debug_taggedpointer_classes")[0] ??
    value.context.addressesOf("objc_debug_taggedpointer_classes")[0];
  const className = classes === undefined
    ? null
    : classNameAt(value, pointerAt(value, classes + slot * 8n));
  const left = number("payload_lshift", 4) ?? 0n;
  const right = number("payload_rshift", 4) ?? 0n;
  const payload = BigInt.asUintN(64, clear << left) >> right;
  return { className, address: 0n, payload };
}

/** `NSString` in a pointer: up to 7 characters of 8 bits, 9 of 6, or 11 of 5. */
const tinyCharacters = "eilotrm.apdnsIc ufkMShjTRxgC4013bDNvwyUL2O856P-B79AFKEWV_zGJ/HYX";

function taggedString(payload: bigint): string {
  const length = Number(payload & 15n);
  let data = payload >> 4n;
  if (length > 11) damaged(`${length} characters in a pointer`);
  const characters: string[] = [];
  for (let at = 0; at < length; at++) {
    if (length <= 7) {
      characters.push(String.fromCharCode(Number(data & 0xffn)));
      data >>= 8n;
    } else {
      const bits = length <= 9 ? 6n : 5n;
      characters.unshift(tinyCharacters[Number(data & (1n << bits) - 1n)]);
      data >>= bits;
    }
  }
  return characters.join("");
}

/** The text of a CFString by its information byte: `CFString.c`, `__kCF…Mask`. */
function stringText(value: Value, facts: ObjectFacts): string {
  if (facts.payload !== null) return `@"${escapedText(latin(taggedString(facts.payload)), 1)}"`;
  const { address } = facts;
  const { pointerSize, limits } = value.context;
  const base = address + BigInt(2 * pointerSize);
  const info = Number(unsignedAt(value, address + BigInt(pointerSize), 1));
  const [isMutable, hasLengthByte, isUnicode] = [1, 4, 0x10].map((bit) => (info & bit) !== 0);
  const isInline = (info & 0x60) === 0;
  const isExplicit = isMutable || !hasLengthByte;
  const word = BigInt(pointerSize);
  let contents = isInline ? base + (isExplicit ? word : 0n) : pointerAt(value, base);
  let length: bigint;
  if (isExplicit) {
    length = unsignedAt(value, isInline ? base : base + word, pointerSize);
  } else {
    length = unsignedAt(value, contents, 1);
  }
  if (hasLengthByte) contents += 1n;
  const count = countOf(length);
  const shown = Math.min(count, limits.stringLength);
  const width = isUnicode ? 2 : 1;
  const bytes = shown === 0 ? new Uint8Array() : bytesAt(value, contents, shown * width);
  return `@"${escapedText(bytes, width)}"${count > shown ? "..." : ""}`;
}

/** A path: a length above 20 bits of a reference count, and UTF-16 (LLDB's `NSString.cpp`). */
function pathText(value: Value, address: bigint): string {
  const { pointerSize, limits } = value.context;
  const at = address + BigInt(pointerSize);
  const count = Number(unsignedAt(value, at, 4) >> 20n);
  const shown = Math.min(count, limits.stringLength);
  const bytes = shown === 0 ? new Uint8Array() : bytesAt(value, at + 4n, 2 * shown);
  return `@"${escapedText(bytes, 2)}"${count > shown ? "..." : ""}`;
}

function latin(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** The number of an NSNumber: `CFNumber.c`. */
function numberText(value: Value, { payload, address }: ObjectFacts): string | null {
  if (payload !== null) {
    const kinds: Readonly<Record<string, string>> = {
      ...{ 0: "char", 1: "short", 4: "short", 2: "int", 8: "int", 3: "long", 12: "long" },
    };
    const kind = kinds[String(payload & 15n)];
    return kind === undefined ? null : `(${kind})${BigInt.asIntN(60, payload) >> 4n}`;
  }
  const { pointerSize } = value.context;
  const information = unsignedAt(value, address + BigInt(pointerSize), pointerSize);
  let at = address + BigInt(2 * pointerSize);
  const signed = (size: number) => BigInt.asIntN(8 * size, unsignedAt(value, at, size));
  let code: number | undefined;
  if (foundationVersion(value) >= 1400) {
    // The fourth bit: the type that it was made with is kept elsewhere.
    code = (information & 8n) !== 0n ? undefined : Number(information & 7n);
  } else {
    // CFNumberType; 17 are 128 bits, of which the lower 64 come last.
    const old = Number(information & 31n);
    if (old === 17) at += 8n;
    code = { 1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 17: 3 }[old];
  }
  switch (code) {
    case 0:
      return `(char)${signed(1)}`;
    case 1:
      return `(short)${signed(2)}`;
    case 2:
      return `(int)${signed(4)}`;
    case 3:
      return `(long)${signed(8)}`;
    case 4:
      return `(float)${float(bytesAt(value, at, 4))}`;
    case 5:
      return `(double)${float(bytesAt(value, at, 8))}`;
  }
  return null;
}

function float(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return bytes.length === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
}

/** Where an array has its objects. */
function arrayParts(
  value: Value,
  { className, address }: ObjectFacts,
): ArrayParts | null {
  const { pointerSize } = value.context;
  const word = BigInt(pointerSize);
  const place = (start: bigint) => (index: number) => start + BigInt(index) * word;
  switch (className) {
    case "__NSArray0":
      return { count: 0n, at: place(0n) };
    case "__NSSingleObjectArrayI":
      return { count: 1n, at: place(address + word) };
    case "__NSArrayI_Transfer":
      return {
        count: unsignedAt(value, address + word, pointerSize),
        at: place(pointerAt(value, address + 2n * word)),
      };
    case "__NSArrayM_Legacy":
      return oldRing(value, address, true);
    case "_NSCallStackArray":
      return {
        count: unsignedAt(value, address + 2n * word, pointerSize),
        at: place(
          pointerAt(value, address + word) +
            unsignedAt(value, address + 3n * word, pointerSize) * word,
        ),
      };
    case "__NSCFArray":
      return coreArray(value, address);
    case "__NSArrayI": {
      const version = foundationVersion(value);
      if (version >= 1430 && version < 1436) return oldRing(value, address, false);
      return {
        count: unsignedAt(value, address + word, pointerSize),
        at: place(address + 2n * word),
      };
    }
    case "NSConstantArray":
      return {
        count: unsignedAt(value, address + word, pointerSize),
        at: place(pointerAt(value, address + 2n * word)),
      };
    case "__NSArrayM":
    case "__NSFrozenArrayM": {
      const version = foundationVersion(value);
      if (className === "__NSArrayM" && version < 1437) {
        return oldRing(value, address, version < 1428);
      }
      // isa, cow, list, offset, size, muts, used: a ring.
      const list = pointerAt(value, address + 2n * word);
      const numbers = address + 3n * word;
      const offset = unsignedAt(value, numbers, 4);
      const size = unsignedAt(value, numbers + 4n, 4);
      const used = unsignedAt(value, numbers + (className === "__NSArrayM" ? 12n : 8n), 4);
      if (used > size) damaged(`${used} objects in room for ${size}`);
      return {
        count: used,
        at: (index) => list + (offset + BigInt(index)) % (size === 0n ? 1n : size) * word,
      };
    }
  }
  return null;
}

interface ArrayParts {
  readonly count: bigint;
  readonly at: (index: number) => bigint;
}

/** A mutable array before Foundation 1437: the count, the offset, the size of the ring, a word of flags before
 * Foundation 1428, and the ring (LLDB's `Foundation1010` and `Foundation1428`). */
function oldRing(value: Value, address: bigint, hasFlags: boolean): ArrayParts {
  const { pointerSize } = value.context;
  const word = BigInt(pointerSize);
  const [used, offset, sized] = [1n, 2n, 3n].map((index) =>
    unsignedAt(value, address + index * word, pointerSize)
  );
  // Four bits of the size are something else.
  const size = hasFlags ? sized & (1n << 8n * word - 4n) - 1n : sized;
  const list = pointerAt(value, address + (hasFlags ? 5n : 4n) * word);
  if (used > size) damaged(`${used} objects in room for ${size}`);
  return {
    count: used,
    at: (index) => list + (offset + BigInt(index)) % (size === 0n ? 1n : size) * word,
  };
}

/** Core Foundation's array: `struct __CFArray` and `__CFArrayGetBucketsPtr` of `CFArray.c`. Its objects follow it, or
 * are in a store with the first one's index. */
function coreArray(value: Value, address: bigint): ArrayParts {
  const { pointerSize } = value.context;
  const word = BigInt(pointerSize);
  const information = unsignedAt(value, address + word, 1);
  const count = unsignedAt(value, address + 2n * word, pointerSize);
  let start: bigint;
  if ((information & 3n) === 2n) {
    const store = pointerAt(value, address + 5n * word);
    start = store + 2n * word + unsignedAt(value, store, pointerSize) * word;
  } else {
    // Callbacks of the array's own are before the objects: a version and four functions.
    const hasCallbacks = (information >> 2n & 3n) === 3n;
    start = address + (hasCallbacks ? 11n : 6n) * word;
  }
  return { count, at: (index) => start + BigInt(index) * word };
}

/** Room of a dictionary and a set by the index in their second word. */
const capacities: readonly number[] = [
  ...[0, 3, 7, 13, 23, 41, 71, 127, 191, 251, 383, 631, 1087, 1723, 2803, 4523, 7351, 11959, 19447],
  ...[31231, 50683, 81919, 132607, 214519, 346607, 561109, 907759, 1468927, 2376191, 3845119],
];

/** A table of objects: how many it holds, and the places of its keys and, in a dictionary, of its values. */
interface Table {
  readonly count: bigint;
  readonly room: number;
  readonly keys: bigint;
  /** `null` in a set. */
  readonly values: bigint | null;
}

function roomOf(index: bigint): number {
  return capacities[Number(index)] ?? damaged("its room is not known");
}

/** A mutable dictionary or set before Foundation 1437: the count below six bits of flags, the room, and the places of
 * the values and the keys, or of the keys, which the values follow (LLDB's `Foundation1100`, `1300`, `1428`).
 *
 * @param words where they are
 */
function oldTable(value: Value, address: bigint, words: readonly bigint[]): Table {
  const { pointerSize } = value.context;
  const word = BigInt(pointerSize);
  const head = unsignedAt(value, address + word, pointerSize);
  const room = countOf(unsignedAt(value, address + 2n * word, pointerSize));
  if (room > capacities.at(-1)!) damaged("its room is not known");
  const [first, second] = words.map((index) => pointerAt(value, address + index * word));
  return {
    count: head & (1n << 8n * word - 6n) - 1n,
    room,
    keys: second ?? first,
    values: second === undefined ? first + BigInt(room) * word : first,
  };
}

/** The tables of mutable collections, since macOS 10.13 (LLDB's `Foundation1437`), and of Core Foundation's
 * (`CFBasicHash.c`); `null` of other classes. */
function tableOf(value: Value, { className, address }: ObjectFacts): Table | null {
  const { pointerSize } = value.context;
  const word = BigInt(pointerSize);
  switch (className) {
    case "__NSDictionaryM_Legacy":
      return oldTable(value, address, [4n, 5n]);
    case "__NSDictionaryM":
    case "__NSFrozenDictionaryM": {
      const version = foundationVersion(value);
      if (className === "__NSDictionaryM" && version < 1437) {
        return oldTable(value, address, version < 1428 ? [4n, 5n] : [3n]);
      }
      // isa, the keys and then the values, a count of mutations, and the count, a flag and the room in 32 bits.
      const keys = pointerAt(value, address + word);
      const bits = unsignedAt(value, address + 2n * word + 4n, 4);
      const room = roomOf(bits >> 26n);
      return { count: bits & 0x1ff_ffffn, room, keys, values: keys + BigInt(room) * word };
    }
    case "__NSSetM":
    case "__NSFrozenSetM": {
      const version = foundationVersion(value);
      if (className === "__NSSetM" && version < 1437) {
        const { count, room, keys } = oldTable(value, address, [version < 1428 ? 4n : 3n]);
        return { count, room, keys, values: null };
      }
      // isa, what it shares, the objects, a count of mutations, and the count and the room in 32 bits.
      const bits = unsignedAt(value, address + 3n * word + 4n, 4);
      const keys = pointerAt(value, address + 2n * word);
      return { count: bits & 0x3ff_ffffn, room: roomOf(bits >> 26n), keys, values: null };
    }
    case "__NSCFDictionary":
    case "__NSCFSet":
    case "__NSCFBag": {
      // isa, information, then 24 bytes of bits: flags at 2, the count at 4, the index of the room at 10.
      const at = address + 2n * word;
      const flags = unsignedAt(value, at + 2n, 2);
      const room = roomOf(unsignedAt(value, at + 10n, 1));
      const pointers = at + 24n;
      const keysOffset = flags >> 2n & 1n;
      const keys = room === 0 ? 0n : pointerAt(value, pointers + keysOffset * word);
      const values = keysOffset === 0n ? null : room === 0 ? 0n : pointerAt(value, pointers);
      // Bags count each object: there the number is that of different ones.
      return { count: unsignedAt(value, at + 4n, 4), room, keys, values };
    }
  }
  return null;
}

/** The objects of a table, in the order of their places. */
function tabled(value: Value, { count, room, keys, values }: Table, type: Type): Synthetic {
  if (count > BigInt(room)) damaged(`${count} entries in room for ${room}`);
  const { pointerSize, limits } = value.context;
  const word = BigInt(pointerSize);
  const held: bigint[] = [];
  const none = (1n << BigInt(8 * pointerSize)) - 1n;
  const wanted = Math.min(Number(count), limits.arrayValues);
  for (let index = 0n; index < BigInt(room) && held.length < wanted; index++) {
    const object = unsignedAt(value, keys + index * word, pointerSize);
    // An empty place and that of a removed object.
    if (object !== 0n && object !== none) held.push(index * word);
  }
  const entry = pairType(type);
  return {
    count: Number(count),
    at(index) {
      const offset = held[index] ?? damaged("it is not there");
      if (values === null) return value.at(keys + offset, type, `[${index}]`);
      const bytes = new Uint8Array(2 * pointerSize);
      bytes.set(bytesAt(value, keys + offset, pointerSize));
      bytes.set(bytesAt(value, values + offset, pointerSize), pointerSize);
      return value.make(`[${index}]`, entry, bytes);
    },
  };
}

/** The occupied places of a table with `width` words each. */
function tableParts(value: Value, address: bigint, width: number): { count: bigint; at: bigint[] } {
  const { pointerSize } = value.context;
  const head = unsignedAt(value, address + BigInt(pointerSize), pointerSize);
  const bits = BigInt(8 * pointerSize - 6);
  const count = head & (1n << bits) - 1n;
  const capacity = roomOf(head >> bits);
  if (count > BigInt(capacity)) damaged(`${count} entries in room for ${capacity}`);
  const at: bigint[] = [];
  const wanted = Math.min(Number(count), value.context.limits.arrayValues);
  const start = address + BigInt(2 * pointerSize);
  for (let index = 0; index < capacity && at.length < wanted; index++) {
    const place = start + BigInt(index * width * pointerSize);
    if (unsignedAt(value, place, pointerSize) !== 0n) at.push(place);
  }
  return { count, at };
}

/** The type `id`, for what containers hold. */
export function objectType(value: Value): Type {
  const { pointerSize } = value.context;
  const target: Type = {
    ...{ kind: "struct", name: "objc_object", size: pointerSize, language: "objc", members: [] },
    isObjC: true,
  };
  return { kind: "pointer", name: "id", size: pointerSize, language: "objc", target };
}

function collection(value: Value, facts: ObjectFacts): Synthetic | null {
  const type = objectType(value);
  const array = arrayParts(value, facts);
  if (array !== null) {
    const count = countOf(array.count);
    return { count, at: (index) => value.at(array.at(index), type, `[${index}]`) };
  }
  const table = tableOf(value, facts);
  if (table !== null) return tabled(value, table, type);
  const { className, address } = facts;
  const word = BigInt(value.context.pointerSize);
  switch (className) {
    case "__NSDictionary0":
      return named([]);
    case "__NSSingleEntryDictionaryI":
      return pairs(value, 1, [address + word], type);
    case "__NSDictionaryI": {
      const { count, at } = tableParts(value, address, 2);
      return pairs(value, Number(count), at, type);
    }
    case "__NSSetI":
    case "__NSOrderedSetI": {
      const { count, at } = tableParts(value, address, 1);
      return {
        count: Number(count),
        at: (index) => value.at(at[index] ?? damaged("it is not there"), type, `[${index}]`),
      };
    }
    case "__NSSingleObjectSetI":
      return { count: 1, at: () => value.at(address + word, type, "[0]") };
  }
  return null;
}

/** A key and a value. */
function pairType(id: Type): Type {
  const word = id.size!;
  const member = (name: string, offset: number) => ({
    ...{ name, offset, type: id, isBase: false, artificial: false },
  });
  return {
    ...{ kind: "struct", name: "entry", size: 2 * word, language: "objc" },
    members: [member("key", 0), member("value", word)],
  };
}

function pairs(value: Value, count: number, places: readonly bigint[], id: Type): Synthetic {
  const type = pairType(id);
  return {
    count,
    at: (index) => value.at(places[index] ?? damaged("it is not there"), type, `[${index}]`),
  };
}

/** The exponent of a date in a pointer is 7 bits wide, around this one. */
const DATE_EXPONENT = 0x3ef;

/** The seconds of a date in a pointer: a double whose exponent is cut (LLDB's `decodeTaggedTimeInterval`, since
 * Foundation 1600, macOS 10.15). */
function taggedSeconds(payload: bigint): number {
  const bits = BigInt.asUintN(60, payload);
  if (bits === 0n) return 0;
  const exponent = BigInt.asIntN(7, bits >> 52n) + BigInt(DATE_EXPONENT);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits >> 59n << 63n | exponent << 52n | fraction);
  return view.getFloat64(0);
}

/** The number of bytes of an NSData (LLDB's `NSDataSummaryProvider`); `null` of other classes. */
function dataLength(value: Value, { className, address }: ObjectFacts): bigint | null {
  const { pointerSize } = value.context;
  const word = BigInt(pointerSize);
  switch (className) {
    case "NSConcreteData":
      return unsignedAt(value, address + word, pointerSize);
    case "NSConcreteMutableData":
    case "__NSCFData":
      return unsignedAt(value, address + 2n * word, pointerSize);
    case "_NSInlineData":
      return unsignedAt(value, address + word, 2);
    case "_NSZeroData":
      return 0n;
  }
  return null;
}

/** Seconds from 1970 to 2001, where Foundation's dates begin. */
const EPOCH = 978307200;

/** What Foundation prints for the distant past, which is in the calendar of that time. */
const DISTANT_PAST = -63114076800;

function dateText(value: Value, { className, payload, address }: ObjectFacts): string | null {
  const { pointerSize } = value.context;
  const offset = BigInt(className === "NSCalendarDate" ? 2 * pointerSize : pointerSize);
  let seconds: number;
  if (payload === null) seconds = float(bytesAt(value, address + offset, 8));
  else if (foundationVersion(value) >= 1600) seconds = taggedSeconds(payload);
  else {
    // All but the lowest four bits of a double.
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt.asUintN(64, payload << 4n));
    seconds = view.getFloat64(0);
  }
  if (seconds === DISTANT_PAST) return "0001-12-30 00:00:00 +0000";
  const date = new Date((seconds + EPOCH) * 1000);
  return Number.isNaN(date.getTime())
    ? damaged(`${seconds} seconds from 2001`)
    : date.toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
}

function summaryOf(value: Value): string | null {
  const facts = objectFacts(value);
  const { className, address } = facts;
  if (facts.payload === null && address === 0n) return "nil";
  if (className === null) return null;
  if (/^(?:__NSCF(?:Constant)?String|NSTaggedPointerString|NSConstantString)$/.test(className)) {
    return stringText(value, facts);
  }
  if (className === "NSPathStore2") return pathText(value, address);
  if (/^(?:__NSCFNumber|NSConstant\w*Number)$/.test(className)) {
    return numberText(value, facts) ?? className;
  }
  if (className === "__NSCFBoolean") {
    const symbol = value.context.symbolAt(address)?.name ?? "";
    return /True$/.test(symbol) ? "YES" : /False$/.test(symbol) ? "NO" : className;
  }
  if (/^(?:__NSDate|__NSTaggedDate|NSDate|NSCalendarDate)$/.test(className)) {
    return dateText(value, facts) ?? className;
  }
  const length = dataLength(value, facts);
  if (length !== null) return `${length} ${length === 1n ? "byte" : "bytes"}`;
  const made = collection(value, facts);
  if (made !== null) {
    return /Dictionary/.test(className)
      ? `${made.count} key/value ${made.count === 1 ? "pair" : "pairs"}`
      : `@"${made.count} ${made.count === 1 ? "element" : "elements"}"`;
  }
  const declared = canonical(canonical(value.type).target ?? value.type).name;
  return className === declared ? null : className;
}

function isObject(type: Type): boolean {
  const { kind, target } = canonical(type);
  if (kind !== "pointer" || target == null) return false;
  const pointee = canonical(target);
  return pointee.isObjC === true || pointee.name === "objc_object" ||
    /^__CF(?:String|Array|Dictionary|Set|Number|Data|Date|Boolean)$/.test(pointee.name);
}

/** The formatters of Objective-C's objects, and of the types of Core Foundation that are the same objects. */
export const objcFormatters: readonly Formatter[] = [
  {
    name: "Objective-C object",
    type: (type) => type.kind === "pointer" && isObject(type),
    summary: summaryOf,
    children(value) {
      const facts = objectFacts(value);
      if (facts.payload !== null) return noChildren();
      return facts.address === 0n ? null : collection(value, facts);
    },
  },
  {
    name: "Objective-C class",
    type: "Class",
    summary: (value) => {
      const address = integer(value) & value.context.addressMask;
      return address === 0n ? "Nil" : classNameAt(value, address);
    },
  },
];
