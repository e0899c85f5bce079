/** Objective-C objects and Foundation's own, in memory made by hand after LLDB's and Core Foundation's
 * layouts. */
import { assertEquals } from "@std/assert";
import {
  builtInFormatters,
  FormatterTable,
  PlacedValue,
  type Type,
} from "../../../lib/values/mod.ts";
import { bytesMemory, contextOf } from "./fake_context.ts";

/** Memory that is filled word by word. */
class Heap {
  readonly bytes = new Uint8Array(0x10000);
  readonly view = new DataView(this.bytes.buffer);
  readonly start = 0x1_0000_0000n;
  readonly symbols = new Map<bigint, string>();
  #next = 0x100;

  /** Addresses of words one after another; numbers are 32 bits wide, texts are bytes. */
  put(...parts: (bigint | number | string | Uint8Array)[]): bigint {
    this.#next = Math.ceil(this.#next / 16) * 16;
    const at = this.#next;
    for (const part of parts) {
      if (typeof part === "bigint") {
        this.view.setBigUint64(this.#next, BigInt.asUintN(64, part), true);
        this.#next += 8;
      } else if (typeof part === "number") {
        this.view.setUint32(this.#next, part, true);
        this.#next += 4;
      } else {
        const bytes = typeof part === "string" ? new TextEncoder().encode(part) : part;
        this.bytes.set(bytes, this.#next);
        this.#next += bytes.length;
      }
    }
    return this.start + BigInt(at);
  }

  /** A class that only its symbol names. */
  class(name: string): bigint {
    const at = this.put(0n, 0n, 0n, 0n, 0n);
    this.symbols.set(at, `_OBJC_CLASS_$_${name}`);
    return at;
  }

  /** A class that its `class_ro_t` names, realized or not; with or without `class_rw_ext_t`. */
  classByData(name: string, form: "unrealized" | "realized" | "extended"): bigint {
    const text = this.put(`${name}\0`);
    const readOnly = this.put(0, 8, 8, 0, 0n, text);
    const extension = this.put(readOnly);
    const data = form === "unrealized"
      ? readOnly
      : this.put(0x8000_0000, 0, form === "extended" ? extension | 1n : readOnly);
    return this.put(0n, 0n, 0n, 0n, data);
  }

  variable(name: string, value: bigint): void {
    this.symbols.set(this.put(value), `_${name}`);
  }

  summary(pointer: bigint, type: Type = id): unknown {
    const found = this.value(pointer, type);
    return found.summary;
  }

  value(pointer: bigint, type: Type = id): PlacedValue {
    const at = this.put(pointer);
    const memory = bytesMemory(this.start, []);
    const context = {
      ...contextOf({
        ...memory,
        readUpTo: (address: bigint, length: number) => {
          const offset = Number(address - this.start);
          return offset < 0 || offset >= this.bytes.length
            ? new Uint8Array()
            : this.bytes.slice(offset, offset + length);
        },
      }),
      formatters: new FormatterTable(builtInFormatters),
      symbolAt: (address: bigint) => {
        const name = this.symbols.get(address);
        return name === undefined ? null : { name, offset: 0 };
      },
      addressesOf: (name: string) =>
        [...this.symbols].filter((row) => row[1] === name).map(([at]) => at),
    };
    return new PlacedValue(context, "object", type, { kind: "memory", address: at });
  }
}

const object: Type = {
  ...{ kind: "struct", name: "objc_object", size: 8, language: "objc", members: [] },
  isObjC: true,
};
const id: Type = { kind: "pointer", name: "id", size: 8, language: "objc", target: object };
const view: Type = {
  ...id,
  name: "View *",
  target: { ...object, name: "View" },
};

Deno.test("the dynamic class: by symbol, by class_ro_t in each form, behind a mask", () => {
  const heap = new Heap();
  assertEquals(heap.summary(0n), "nil");
  assertEquals(heap.summary(heap.put(heap.class("Button"))), "Button");
  for (const form of ["unrealized", "realized", "extended"] as const) {
    assertEquals(heap.summary(heap.put(heap.classByData(`Made_${form}`, form))), `Made_${form}`);
  }
  // What the declaration says already is not said again.
  assertEquals(heap.summary(heap.put(heap.class("View")), view), null);
  assertEquals(heap.summary(heap.put(heap.class("Button")), view), "Button");
  heap.variable("objc_debug_isa_class_mask", 0x0000_000f_ffff_fff8n);
  assertEquals(heap.summary(heap.put(heap.class("Label") | 0x0100_0000_0000_0001n), view), "Label");
});

Deno.test("strings: constant, inline with and without a length, mutable, UTF-16", () => {
  const heap = new Heap();
  const constant = heap.class("__NSCFConstantString");
  const cf = heap.class("__NSCFString");
  // What clang emits for @"…": isa, flags 0x7c8 or 0x7d0, characters, length.
  assertEquals(heap.summary(heap.put(constant, 0x7c8n, heap.put("constant\0"), 8n)), '@"constant"');
  const wide = new Uint8Array(new Uint16Array([0x47, 0xfc, 0x20ac]).buffer);
  assertEquals(heap.summary(heap.put(constant, 0x7d0n, heap.put(wide), 3n)), '@"Gü€"');
  // Inline: a length byte and a null byte (0x8c); an explicit length (0x88), with UTF-16 (0x90).
  assertEquals(heap.summary(heap.put(cf, 0x8cn, "\x06inline\0")), '@"inline"');
  assertEquals(heap.summary(heap.put(cf, 0x88n, 4n, "text\0")), '@"text"');
  assertEquals(heap.summary(heap.put(cf, 0x90n, 3n, wide)), '@"Gü€"');
  // Mutable: contents, length, capacity.
  assertEquals(heap.summary(heap.put(cf, 0x21n, heap.put("mutable"), 7n, 16n)), '@"mutable"');
  assertEquals(
    heap.summary(heap.put(cf, 0x21n, 0xdead_0000n, 7n, 16n)),
    "damaged: unreadable at 0xdead0000",
  );
  const length = 1n << 60n;
  assertEquals(heap.summary(heap.put(cf, 0x88n, length)), `damaged: ${length} elements`);
});

Deno.test("numbers and dates", () => {
  const heap = new Heap();
  const number = heap.class("__NSCFNumber");
  assertEquals(heap.summary(heap.put(number, 2n, -5n)), "(int)-5");
  assertEquals(heap.summary(heap.put(number, 3n, 1n << 40n)), `(long)${1n << 40n}`);
  const double = new Uint8Array(new Float64Array([2.5]).buffer);
  assertEquals(heap.summary(heap.put(number, 5n, double)), "(double)2.5");
  const seconds = new Uint8Array(new Float64Array([0]).buffer);
  assertEquals(heap.summary(heap.put(heap.class("__NSDate"), seconds)), "2001-01-01 00:00:00 UTC");
});

Deno.test("collections: their count and their objects, in each form", () => {
  const heap = new Heap();
  const constant = heap.class("__NSCFConstantString");
  const text = (value: string) =>
    heap.put(constant, 0x7c8n, heap.put(`${value}\0`), BigInt(value.length));
  const [a, b, c] = [text("a"), text("b"), text("c")];
  const shown = (pointer: bigint) => {
    const value = heap.value(pointer);
    return [value.summary, value.children().map((child) => child.summary)];
  };
  assertEquals(shown(heap.put(heap.class("__NSArray0"))), ['@"0 elements"', []]);
  assertEquals(shown(heap.put(heap.class("__NSSingleObjectArrayI"), a)), ['@"1 element"', [
    '@"a"',
  ]]);
  assertEquals(
    shown(heap.put(heap.class("__NSArrayI"), 3n, a, b, c)),
    ['@"3 elements"', ['@"a"', '@"b"', '@"c"']],
  );
  // A ring: it begins at the third place.
  const list = heap.put(b, c, 0n, a);
  assertEquals(
    shown(heap.put(heap.class("__NSArrayM"), 0n, list, 3, 4, 0, 3)),
    ['@"3 elements"', ['@"a"', '@"b"', '@"c"']],
  );
  assertEquals(
    heap.summary(heap.put(heap.class("__NSArrayM"), 0n, list, 3, 4, 0, 5)),
    "damaged: 5 objects in room for 4",
  );
  const dictionary = heap.value(
    heap.put(heap.class("__NSDictionaryI"), 2n | 1n << 58n, 0n, 0n, a, b, c, a),
  );
  assertEquals(dictionary.summary, "2 key/value pairs");
  assertEquals(
    dictionary.children().map((entry) =>
      entry.children().map(({ name, summary }) => [name, summary])
    ),
    [[["key", '@"a"'], ["value", '@"b"']], [["key", '@"c"'], ["value", '@"a"']]],
  );
  assertEquals(shown(heap.put(heap.class("__NSSetI"), 1n | 1n << 58n, 0n, b, 0n)), [
    '@"1 element"',
    ['@"b"'],
  ]);
  assertEquals(
    heap.summary(heap.put(heap.class("__NSDictionaryI"), 60n << 58n)),
    "damaged: its room is not known",
  );
});

Deno.test("tagged pointers, by what the runtime publishes", () => {
  const heap = new Heap();
  const string = heap.class("NSTaggedPointerString");
  const number = heap.class("__NSCFNumber");
  heap.variable("objc_debug_taggedpointer_mask", 1n);
  heap.variable("objc_debug_taggedpointer_obfuscator", 0xab00_0000_0000_0000n);
  heap.variable("objc_debug_taggedpointer_slot_shift", 1n);
  heap.variable("objc_debug_taggedpointer_slot_mask", 7n);
  heap.variable("objc_debug_taggedpointer_payload_lshift", 0n);
  heap.variable("objc_debug_taggedpointer_payload_rshift", 4n);
  // OBJC_TAG_NSString 2 and OBJC_TAG_NSNumber 3 of objc-internal.h.
  const date = heap.class("__NSTaggedDate");
  const classes = heap.put(0n, 0n, string, number, 0n, 0n, date, 0n);
  heap.symbols.set(classes, "_objc_debug_taggedpointer_classes");
  const tagged = (slot: bigint, payload: bigint) =>
    (payload << 4n | slot << 1n | 1n) ^ 0xab00_0000_0000_0000n;
  const text = 0x63_62_61n << 4n | 3n;
  assertEquals(heap.summary(tagged(2n, text)), '@"abc"');
  // Six bits a character: "eilotrm." in the table's order is 0 to 7.
  const six = [0, 1, 2, 3, 4, 5, 6, 7].reduce((sum, code) => sum << 6n | BigInt(code), 0n);
  assertEquals(heap.summary(tagged(2n, six << 4n | 8n)), '@"eilotrm."');
  assertEquals(heap.summary(tagged(3n, 42n << 4n | 2n)), "(int)42");
  // OBJC_TAG_NSDate 6: a double with an exponent of 7 bits, 0x3ef less. 700000000.5 seconds from 2001.
  const double = new DataView(Float64Array.of(700000000.5).buffer).getBigUint64(0, true);
  const exponent = BigInt.asUintN(7, (double >> 52n & 0x7ffn) - 0x3efn);
  const compressed = exponent << 52n | double & 0xf_ffff_ffff_ffffn;
  assertEquals(heap.summary(tagged(6n, compressed)), "2023-03-08 20:26:40 UTC");
  assertEquals(heap.summary(tagged(6n, 0n)), "2001-01-01 00:00:00 UTC");
});

Deno.test("mutable collections, and Core Foundation's", () => {
  const heap = new Heap();
  const string = (text: string) => {
    const bytes = Uint8Array.of(text.length, ...new TextEncoder().encode(text), 0);
    return heap.put(heap.class("__NSCFString"), 0x8cn, bytes);
  };
  const [one, two, three] = ["one", "two", "three"].map(string);
  const isOf = (name: string) => heap.class(name);
  // Room 3: the second place is empty.
  const buffer = heap.put(one, 0n, two, three, 0n, one);
  const dictionary = heap.put(isOf("__NSDictionaryM"), buffer, 9, 2 | 1 << 25 | 1 << 26);
  assertEquals(heap.summary(dictionary), "2 key/value pairs");
  const shown = (pointer: bigint) =>
    heap.value(pointer).children().map((entry) =>
      entry.child("key")?.summary === undefined
        ? entry.summary
        : `${entry.child("key")!.summary}: ${entry.child("value")!.summary}`
    );
  assertEquals(shown(dictionary), ['@"one": @"three"', '@"two": @"one"']);
  const set = heap.put(isOf("__NSSetM"), 0n, heap.put(0n, three, one), 4, 2 | 1 << 26);
  assertEquals(heap.summary(set), '@"2 elements"');
  assertEquals(heap.value(set).children().map(({ summary }) => summary), ['@"three"', '@"one"']);
  // CFBasicHash: flags with keys_offset 1; the values come first, then the keys; a removed one between.
  const hash = (name: string, flags: number, count: number, ...pointers: bigint[]) =>
    heap.put(
      ...[isOf(name), 0n, flags << 16, count, 1n << 16n, 0n, ...pointers],
    );
  const values = heap.put(three, 0n, two);
  const keys = heap.put(one, 2n ** 64n - 1n, three);
  const cf = hash("__NSCFDictionary", 1 << 2, 2, values, keys);
  assertEquals(heap.summary(cf), "2 key/value pairs");
  assertEquals(shown(cf), ['@"one": @"three"', '@"three": @"two"']);
  const cfSet = hash("__NSCFSet", 0, 1, heap.put(0n, two, 0n));
  assertEquals(heap.value(cfSet).children().map(({ summary }) => summary), ['@"two"']);
  assertEquals(
    heap.summary(heap.put(isOf("__NSDictionaryM"), buffer, 9, 5 | 1 << 26)),
    "damaged: 5 entries in room for 3",
  );
  assertEquals(
    heap.summary(heap.put(isOf("__NSSetM"), 0n, buffer, 4, (1 | 63 << 26) >>> 0)),
    "damaged: its room is not known",
  );
});

Deno.test("Foundation's older layouts, by the version that it publishes", () => {
  const made = (version: number) => {
    const heap = new Heap();
    const bits = new DataView(new ArrayBuffer(8));
    bits.setFloat64(0, version);
    heap.variable("NSFoundationVersionNumber", bits.getBigUint64(0));
    const text = (text: string) =>
      heap.put(
        heap.class("__NSCFString"),
        0x8cn,
        Uint8Array.of(text.length, ...new TextEncoder().encode(text), 0),
      );
    return { heap, objects: ["one", "two", "three"].map(text) };
  };
  const shown = (heap: Heap, pointer: bigint) =>
    heap.value(pointer).children().map((child) => {
      const key = child.child("key")?.summary;
      return key === undefined ? child.summary : `${key}: ${child.child("value")!.summary}`;
    });
  const inOrder = ['@"two"', '@"three"', '@"one"'];
  // LLDB's NSArray.cpp, NSDictionary.cpp, NSSet.cpp: `Foundation1010`, `1100`, `1300`, `1428`, `1430`, `1437`.
  for (const version of [1151.16, 1299.9, 1430, 1437.15]) {
    const { heap, objects: [one, two, three] } = made(version);
    const ring = heap.put(one, two, three);
    const words = version < 1428
      ? [3n, 1n, 3n | 5n << 60n, 9n, ring]
      : version < 1437
      ? [3n, 1n, 3n, ring]
      : [0n, ring, 1n | 3n << 32n, 9n | 3n << 32n];
    const array = heap.put(heap.class("__NSArrayM"), ...words);
    assertEquals([heap.summary(array), shown(heap, array)], ['@"3 elements"', inOrder]);
    const buffer = heap.put(one, 0n, two, three, 0n, one);
    const dictionary = heap.put(
      heap.class("__NSDictionaryM"),
      ...(version < 1428
        ? [2n | 1n << 58n, 3n, 7n, buffer + 24n, buffer]
        : version < 1437
        ? [2n | 1n << 58n, 3n, buffer]
        : [buffer, 9n | (2n | 1n << 25n | 1n << 26n) << 32n]),
    );
    assertEquals(heap.summary(dictionary), "2 key/value pairs");
    assertEquals(shown(heap, dictionary), ['@"one": @"three"', '@"two": @"one"']);
    const held = heap.put(0n, three, one);
    const set = heap.put(
      heap.class("__NSSetM"),
      ...(version < 1428
        ? [2n, 3n, 5n, held]
        : version < 1437
        ? [2n, 3n, held, 5n]
        : [0n, held, 4n | (2n | 1n << 26n) << 32n]),
    );
    assertEquals(shown(heap, set), ['@"three"', '@"one"']);
    const fixed = heap.put(
      heap.class("__NSArrayI"),
      ...(version === 1430 ? [3n, 1n, 3n, ring] : [3n, two, three, one]),
    );
    assertEquals(shown(heap, fixed), inOrder);
    const number = heap.class("__NSCFNumber");
    assertEquals(heap.summary(heap.put(number, version < 1400 ? 3n : 2n, -5n)), "(int)-5");
    assertEquals(
      heap.summary(
        heap.put(number, version < 1400 ? 17n : 3n, ...(version < 1400 ? [0n] : []), 9n),
      ),
      "(long)9",
    );
    assertEquals(heap.summary(heap.put(number, 9n, 1n)), "__NSCFNumber");
    const wild = heap.put(heap.class("__NSDictionaryM"), 2n, 1n << 40n, buffer, buffer, buffer);
    if (version < 1437) assertEquals(heap.summary(wild), "damaged: its room is not known");
  }
  // Of no version: CFArray.c, and what LLDB reads by the class alone.
  const { heap, objects: [one, two, three] } = made(2000);
  const legacy = heap.put(heap.class("__NSArrayM_Legacy"), 2n, 0n, 4n, 0n, heap.put(one, two));
  assertEquals(shown(heap, legacy), ['@"one"', '@"two"']);
  const transfer = heap.put(heap.class("__NSArrayI_Transfer"), 2n, heap.put(three, two));
  assertEquals(shown(heap, transfer), ['@"three"', '@"two"']);
  const stack = heap.put(heap.class("_NSCallStackArray"), heap.put(0n, three, one), 2n, 1n);
  assertEquals(shown(heap, stack), ['@"three"', '@"one"']);
  const core = heap.class("__NSCFArray");
  assertEquals(shown(heap, heap.put(core, 4n, 2n, 0n, 0n, 0n, one, two)), ['@"one"', '@"two"']);
  const own = heap.put(core, 0xcn, 1n, 0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n, two);
  assertEquals(shown(heap, own), ['@"two"']);
  const deque = heap.put(core, 6n, 2n, 0n, 0n, heap.put(1n, 4n, 0n, three, one));
  assertEquals(shown(heap, deque), ['@"three"', '@"one"']);
  const ordered = heap.put(heap.class("__NSOrderedSetI"), 2n | 1n << 58n, two, one, 0n);
  assertEquals(shown(heap, ordered), ['@"two"', '@"one"']);
  // NSString.cpp: `_lengthAndRefCount`, then UTF-16. Cocoa.cpp: the lengths of data, and dates.
  const path = heap.put(heap.class("NSPathStore2"), 2 << 20 | 7, Uint8Array.of(0x2f, 0, 0xfc, 0));
  assertEquals(heap.summary(path), '@"/ü"');
  assertEquals(heap.summary(heap.put(heap.class("NSConcreteData"), 4n, 9n)), "4 bytes");
  assertEquals(heap.summary(heap.put(heap.class("NSConcreteMutableData"), 4n, 9n)), "9 bytes");
  assertEquals(heap.summary(heap.put(heap.class("__NSCFData"), 4n, 1n)), "1 byte");
  assertEquals(heap.summary(heap.put(heap.class("_NSInlineData"), 0x7_0003n)), "3 bytes");
  assertEquals(heap.summary(heap.put(heap.class("_NSZeroData"))), "0 bytes");
  const seconds = (value: number) => new BigUint64Array(Float64Array.of(value).buffer)[0];
  const calendar = heap.class("NSCalendarDate");
  assertEquals(heap.summary(heap.put(calendar, 0n, seconds(60))), "2001-01-01 00:01:00 UTC");
  const past = heap.put(heap.class("__NSDate"), seconds(-63114076800));
  assertEquals(heap.summary(past), "0001-12-30 00:00:00 +0000");
});
