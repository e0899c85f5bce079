/** Formatters over layouts made by hand: those of older libraries, which no compiler here has, and damaged
 * ones. The layouts are those of LLVM's `libcxx-simulators` tests and of the releases' headers. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { run } from "../../../lib/values/formatters/bytecode.ts";
import {
  builtInFormatters,
  DamagedValue,
  embeddedFormatters,
  FormatterTable,
  parsePrograms,
  parseSummaries,
  PlacedValue,
  shortTypeName,
  type Type,
  type Value,
  type ValueMemory,
} from "../../../lib/values/mod.ts";
import { contextOf } from "./fake_context.ts";
import { processorTime } from "../../processor_time.ts";

const base = (name: string, encoding: Type["encoding"], size: number): Type => ({
  ...{ kind: "base", name, encoding, size, language: "c++" },
});
const int = base("int", "signed", 4);
const char = base("char", "signed-char", 1);
const byte = base("unsigned char", "unsigned-char", 1);
const word = base("unsigned long", "unsigned", 8);
const pointer = (target: Type): Type => ({
  ...{ kind: "pointer", name: `${target.name} *`, size: 8, language: "c++", target },
});
const array = (target: Type, count: number): Type => ({
  ...{ kind: "array", name: `${target.name}[${count}]`, language: "c++", target, count },
  size: count * (target.size ?? 0),
});

type MemberPart = readonly [
  name: string,
  type: Type,
  offset: number,
  bits?: readonly [offset: number, size: number],
];

function struct(
  name: string,
  size: number,
  members: readonly MemberPart[],
  args: Type[] = [],
): Type {
  return {
    ...{ kind: "class", name, size, language: "c++" },
    members: members.map(([name, type, offset, bits]) => ({
      ...{ name: name.replace(/^base:/, ""), type, offset, artificial: false },
      isBase: name.startsWith("base:"),
      ...(bits === undefined ? {} : { bits: { offset: bits[0], size: bits[1] } }),
    })),
    templateArguments: args.map((type) => ({ name: "T", type, value: null })),
  };
}

/** Memory in one block at 0x10000. */
class Block implements ValueMemory {
  readonly pointerSize = 8;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly start = 0x10000n;
  reads = 0;

  constructor(size = 0x2000) {
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
  }

  readUpTo(address: bigint, length: number): Uint8Array {
    this.reads++;
    const at = address - this.start;
    if (at < 0n || at >= BigInt(this.bytes.length)) return new Uint8Array();
    return this.bytes.slice(Number(at), Number(at) + length);
  }

  words(offset: number, ...values: (bigint | number)[]): bigint {
    values.forEach((value, at) => this.view.setBigUint64(offset + 8 * at, BigInt(value), true));
    return this.start + BigInt(offset);
  }

  ints(offset: number, ...values: number[]): bigint {
    values.forEach((value, at) => this.view.setInt32(offset + 4 * at, value, true));
    return this.start + BigInt(offset);
  }

  text(offset: number, text: string): bigint {
    this.bytes.set(new TextEncoder().encode(text), offset);
    return this.start + BigInt(offset);
  }

  value(type: Type, address = this.start): PlacedValue {
    const context = { ...contextOf(this), formatters: new FormatterTable(builtInFormatters) };
    return new PlacedValue(context, "v", type, { kind: "memory", address });
  }
}

/** A compressed pair's first, under the names it has had. */
function pairOf(type: Type, member: "__value_" | "__first_"): Type {
  const element = struct("std::__1::__compressed_pair_elem<T, 0, false>", type.size!, [[
    member,
    type,
    0,
  ]]);
  return struct("std::__1::__compressed_pair<T, A>", type.size!, [[
    `base:${element.name}`,
    element,
    0,
  ]]);
}

const long: MemberPart[] = [["__cap_", word, 0], ["__size_", word, 8], [
  "__data_",
  pointer(char),
  16,
]];
const alternateLong: MemberPart[] = [
  ["__data_", pointer(char), 0],
  ["__size_", word, 8],
  ["__cap_", word, 16],
];

/** `basic_string` with its parts in a `__rep` under some name. */
function stringType(longMembers: MemberPart[], shortMembers: MemberPart[], holder: string): Type {
  const rep = struct("__rep", 24, [
    ["__l", struct("__long", 24, longMembers), 0],
    ["__s", struct("__short", 24, shortMembers), 0],
  ]);
  const held = holder === "__rep_" ? rep : pairOf(rep, holder as "__value_" | "__first_");
  const name =
    "std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> >";
  return struct(name, 24, [[holder === "__rep_" ? "__rep_" : "__r_", held, 0]], [char]);
}

const strings: [
  name: string,
  type: Type,
  short: number[],
  long: (at: bigint) => (bigint | number)[],
][] = [
  [
    "until LLVM 14",
    stringType(long, [["__size_", byte, 0], ["__data_", array(char, 23), 1]], "__first_"),
    [5 << 1, ...new TextEncoder().encode("hello")],
    (at) => [33, 30, at],
  ],
  [
    "until LLVM 14, alternate",
    stringType(alternateLong, [["__data_", array(char, 23), 0], ["__size_", byte, 23]], "__value_"),
    [...new TextEncoder().encode("hello"), ...new Array(18).fill(0), 5],
    (at) => [at, 30, 1n << 63n | 32n],
  ],
  [
    "from LLVM 15",
    stringType(
      [["__is_long_", byte, 0, [0, 1]], ...long],
      [
        ["__is_long_", byte, 0, [0, 1]],
        ["__size_", byte, 0, [1, 7]],
        ["__data_", array(char, 23), 1],
      ],
      "__value_",
    ),
    [5 << 1, ...new TextEncoder().encode("hello")],
    (at) => [33, 30, at],
  ],
  [
    "from LLVM 20, alternate",
    stringType(
      alternateLong,
      [
        ["__data_", array(char, 23), 0],
        ["__size_", byte, 23, [184, 7]],
        ["__is_long_", byte, 23, [191, 1]],
      ],
      "__rep_",
    ),
    [...new TextEncoder().encode("hello"), ...new Array(18).fill(0), 5],
    (at) => [at, 30, 1n << 63n | 32n],
  ],
];

for (const [name, type, short, long] of strings) {
  Deno.test(`libc++'s std::string ${name}: short, long, damaged`, () => {
    const block = new Block();
    block.bytes.set(short);
    assertEquals(block.value(type).summary, '"hello"');
    const at = block.text(0x100, "thirty characters of a string.");
    block.words(0, ...long(at));
    assertEquals(block.value(type).summary, '"thirty characters of a string."');
    block.words(0, ...long(0xdead_0000n));
    assertEquals(block.value(type).summary, "damaged: unreadable at 0xdead0000");
    // A core may not have what was there.
    const { context, name, place } = block.value(type);
    const memory = { ...block, readUpTo: block.readUpTo.bind(block), isPartial: true };
    const held = new PlacedValue({ ...context, memory }, name, type, place);
    assertEquals(held.summary, "unreadable at 0xdead0000");
    block.bytes.fill(0xff, 0, 24);
    assert(block.value(type).summary?.startsWith("damaged: "), `${block.value(type).summary}`);
  });
}

const vector = struct("std::__1::vector<int, std::__1::allocator<int> >", 24, [
  ["__begin_", pointer(int), 0],
  ["__end_", pointer(int), 8],
], [int]);

Deno.test("a vector: its elements, and what it cannot hold", () => {
  const block = new Block();
  const at = block.ints(0x100, 1, 2, 3);
  block.words(0, at, at + 12n);
  const value = block.value(vector);
  assertEquals([value.summary, value.children().map(({ text }) => text)], ["size=3", [
    "1",
    "2",
    "3",
  ]]);
  const cases: [start: bigint, end: bigint, summary: string][] = [
    [at + 12n, at, "damaged: it ends before it begins"],
    [at, at + 13n, "damaged: it ends before it begins"],
    [0x5000_0000n, 0x5000_0100n, "damaged: unreadable at 0x50000000"],
    [at, at + 0x4_0000_0000n, "damaged: unreadable at 0x4000100ff"],
    [0n, 0n, "size=0"],
  ];
  for (const [start, end, summary] of cases) {
    block.words(0, start, end);
    assertEquals(block.value(vector).summary, summary);
  }
});

/** A list of ints in the layouts of each release: the size in a compressed pair, or by itself. */
function listType(size: Type): Type {
  const node = struct("std::__1::__list_node_base<int, void *>", 16, [
    ["__prev_", pointer(word), 0],
    ["__next_", pointer(word), 8],
  ]);
  const name = size === word ? "__size_" : "__size_alloc_";
  return struct("std::__1::list<int, std::__1::allocator<int> >", 24, [
    ["__end_", node, 0],
    [name, size, 16],
  ], [int]);
}

Deno.test("a list: its nodes, with its size in a pair or not; loops, ends and wild sizes", () => {
  for (const size of [word, pairOf(word, "__first_"), pairOf(word, "__value_")]) {
    const block = new Block();
    const [first, second] = [0x10100n, 0x10200n];
    block.words(0, second, first, 2);
    block.words(0x100, 0x10000n, second, 41);
    block.words(0x200, first, 0x10000n, 42);
    const value = block.value(listType(size));
    assertEquals([value.summary, value.children().map(({ text }) => text)], ["size=2", [
      "41",
      "42",
    ]]);
    block.words(16, 5);
    const longer = block.value(listType(size)).children();
    assertEquals(longer.map(({ text, unavailable }) => text ?? unavailable), [
      "41",
      "42",
      "damaged: it ends after 2 of 5 elements",
    ]);
    block.words(0x208, first);
    assertEquals(
      block.value(listType(size)).children().at(-1)?.unavailable,
      "damaged: it loops after 2 of 5 elements",
    );
    block.words(16, 1n << 60n);
    assertEquals(block.value(listType(size)).summary, `damaged: ${1n << 60n} elements`);
  }
});

/** A set of ints: a tree whose size is in a pair or by itself. */
function setType(size: Type): Type {
  const tree = struct("std::__1::__tree<int>", 24, [
    ["__begin_node_", pointer(word), 0],
    [size === word ? "__size_" : "__pair3_", size, 16],
  ]);
  const name = "std::__1::set<int, std::__1::less<int>, std::__1::allocator<int> >";
  return struct(name, 24, [["__tree_", tree, 0]], [int]);
}

Deno.test("a set: in order, in each layout; a tree that is none ends", () => {
  for (const size of [word, pairOf(word, "__value_")]) {
    const block = new Block();
    // Nodes are left, right, parent, colour and value; the end node has the root at its left.
    const [root, left, right, end] = [0x10100n, 0x10200n, 0x10300n, 0x10008n];
    block.words(0, left, root, 3);
    block.words(0x100, left, right, end);
    block.ints(0x11c, 20);
    block.words(0x200, 0, 0, root);
    block.ints(0x21c, 10);
    block.words(0x300, 0, 0, root);
    block.ints(0x31c, 30);
    const value = block.value(setType(size));
    assertEquals(value.children().map(({ text }) => text), ["10", "20", "30"]);
    block.words(0x308, right);
    const bad = block.value(setType(size)).children();
    assert(bad.length <= 4);
  }
});

Deno.test("a unique_ptr in a pair and without", () => {
  for (
    const held of [pointer(int), pairOf(pointer(int), "__first_"), pairOf(pointer(int), "__value_")]
  ) {
    const type = struct("std::__1::unique_ptr<int, D>", 8, [["__ptr_", held, 0]], [int]);
    const block = new Block();
    block.words(0, block.ints(0x100, 17));
    const value = block.value(type);
    assertEquals([value.summary, value.child("object")?.text], ["17", "17"]);
    block.words(0, 0);
    assertEquals(block.value(type).summary, "nullptr");
    block.words(0, 0xdead_0000n);
    assertEquals(block.value(type).summary, "ptr = 0x00000000dead0000");
  }
});

Deno.test("C strings: cut at the limit, ended by unreadable memory, wild", () => {
  const block = new Block();
  block.words(0, block.text(0x100, `${"x".repeat(600)}\0`));
  assertEquals(block.value(pointer(char)).summary, `"${"x".repeat(512)}"...`);
  block.words(0, block.text(block.bytes.length - 3, "end"));
  assertEquals(block.value(pointer(char)).summary, '"end"...');
  block.words(0, 0xdead_0000n);
  assertEquals(block.value(pointer(char)).summary, null);
  block.text(0x40, 'a"\\\n\x01\x7f\u00e9\0');
  block.bytes.set([0xc3, 0x28, 0xff, 0], 0x60);
  assertEquals(block.value(array(char, 16), 0x10040n).summary, '"a\\"\\\\\\n\\x01\\x7fé"');
  assertEquals(block.value(array(char, 4), 0x10060n).summary, '"\\xc3(\\xff"');
  block.text(0x80, "ab\0\0c\0\0\0");
  assertEquals(block.value(array(char, 8), 0x10080n).summary, '"ab\\0\\0c"');
  assertEquals(block.value(array(char, 2), 0x10080n).summary, '"ab"');
  assertEquals(block.value(array(char, 3), 0x10085n).summary, '""');
});

Deno.test("wide characters: controls and what is not in Unicode are numbers, alone and in strings", () => {
  const block = new Block();
  const wide = base("wchar_t", "unsigned-char", 4);
  new Uint32Array(block.bytes.buffer, block.bytes.byteOffset).set([6, 0x20ac, 0x7a7a7a7a, 0xd800]);
  const codes = ["\\x06", "\u20ac", "\\U7a7a7a7a", "\\U0000d800"];
  assertEquals(
    codes.map((_, index) => block.value(wide, 0x10000n + BigInt(4 * index)).text),
    codes.map((code) => `L'${code}'`),
  );
  assertEquals(block.value(array(wide, 8), 0x10000n).summary, `L"${codes.join("")}"`);
});

Deno.test("libstdc++'s map as GCC describes it: the allocator's base alone tells what it is for", () => {
  const pair = struct("std::pair<const int, int>", 8, [["first", int, 0], ["second", int, 4]], [
    ...[int, int],
  ]);
  const base = struct("std::__new_allocator<T>", 1, [], [pair]);
  const allocator = struct("std::allocator<T>", 1, [[`base:${base.name}`, base, 0]]);
  const header = struct("std::_Rb_tree_node_base", 32, []);
  const impl = struct("impl", 48, [["_M_header", header, 8], ["_M_node_count", word, 40]]);
  const tree = struct("tree", 48, [["_M_impl", impl, 0]]);
  const map = struct("std::map<int, int, std::less<int>, std::allocator<T> >", 48, [
    ["_M_t", tree, 0],
  ], [int, int, int, allocator]);
  const block = new Block();
  // A node is colour, parent, left, right and value; the header's parent is the root, its left the first.
  const [end, root, left] = [0x10008n, 0x10100n, 0x10200n];
  block.words(8, 0, root, left, root, 2);
  block.words(0x100, 1, end, left, 0);
  block.ints(0x120, 2, 20);
  block.words(0x200, 0, root, 0, 0);
  block.ints(0x220, 1, 10);
  const value = block.value(map);
  assertEquals(value.summary, "size=2");
  const parts = value.children().map((child) => child.children().map(({ text }) => text));
  assertEquals(parts, [["1", "10"], ["2", "20"]]);
});

Deno.test("any bytes in any container: no error, few reads, bounded time", () => {
  const pair = struct("std::pair<const int, int>", 8, [["first", int, 0], ["second", int, 4]], [
    int,
    int,
  ]);
  const allocator = struct("std::allocator<T>", 1, [], [pair]);
  const nodePointer = struct("node", 16, [["__next_", pointer(word), 0]]);
  const table = struct("table", 40, [["__p1_", pairOf(nodePointer, "__value_"), 0], [
    "__p2_",
    pairOf(word, "__value_"),
    24,
  ]]);
  const types: Type[] = [
    ...strings.map(([, type]) => type),
    vector,
    listType(word),
    setType(word),
    struct(
      "std::__1::map<int, int, L, A>",
      24,
      setType(word).members!.map(({ name, type, offset }) => [name, type, offset] as const),
      [int, int, int, allocator],
    ),
    struct("std::__1::unordered_map<int, int, H, E, A>", 40, [["__table_", table, 0]], [
      ...[int, int, int, int, allocator],
    ]),
    struct("std::__1::deque<int, A>", 48, [
      ["__map_", struct("split", 32, [["__begin_", pointer(word), 0]]), 0],
      ["__start_", word, 32],
      ["__size_", word, 40],
    ], [int]),
    struct("std::__1::forward_list<int, A>", 8, [["__before_begin_", nodePointer, 0]], [int]),
    struct(
      "std::__1::vector<bool, A>",
      24,
      [["__begin_", pointer(word), 0], ["__size_", word, 8]],
      [
        base("bool", "boolean", 1),
      ],
    ),
    pointer(char),
    array(char, 64),
  ];
  let seed = 99;
  const random = (limit: number) => (seed = Math.imul(seed, 1664525) + 1013904223 >>> 0) % limit;
  const look = (value: Value, depth: number): void => {
    void value.summary;
    void value.childCount;
    if (depth > 0) { for (const child of value.children(0, 8)) look(child, depth - 1); }
  };
  const started = processorTime();
  for (let round = 0; round < 1500; round++) {
    const block = new Block(0x400);
    for (let at = 0; at < 0x400; at += 8) {
      // Pointers into the block, small numbers and noise.
      const kind = random(4);
      block.words(
        at,
        kind < 2 ? 0x10000 + 8 * random(128) : kind === 2 ? random(9) : random(2 ** 31),
      );
    }
    const type = types[random(types.length)];
    look(block.value(type), 2);
    assert(block.reads < 50_000, `${type.name}: ${block.reads} reads`);
  }
  assert(processorTime() - started < 30_000);
});

/** A type of Swift as its debug information has it: a mangled name and a size. */
function swift(name: string, size: number): Type {
  return { kind: "struct", name, size, language: "swift", members: [] };
}

Deno.test("Swift: numbers, strings in both forms, arrays, optionals, and their damage", () => {
  const block = new Block();
  block.words(0, -5n & 0xffff_ffff_ffff_ffffn);
  assertEquals(block.value(swift("$sSiD", 8)).summary, "-5");
  assertEquals(block.value(swift("Int", 8)).summary, "-5");
  block.words(0, 1);
  assertEquals(block.value(swift("$sSbD", 1)).summary, "true");
  block.view.setFloat64(0, 2.5, true);
  assertEquals(block.value(swift("$sSdD", 8)).summary, "2.5");
  // StringObject.swift: 0xE0 and the count in the last byte of a small ASCII string.
  const string = swift("$sSSD", 16);
  block.bytes.fill(0, 0, 16);
  block.text(0, "hello");
  block.bytes[15] = 0xe5;
  assertEquals(block.value(string).summary, '"hello"');
  const literal = "a literal that is longer than fifteen bytes";
  const at = block.text(0x100, literal);
  block.words(
    0,
    // ASCII, in normal form, and its characters are after the object.
    0xd000_0000_0000_0000n | BigInt(literal.length),
    0x8000_0000_0000_0000n | at - 32n,
  );
  assertEquals(block.value(string).summary, `"${literal}"`);
  block.words(0, 0x1000_0000_0000_000an, 0x8000_0000_dead_0000n);
  assertEquals(block.value(string).summary, "damaged: unreadable at 0xdead0020");
  // An object of Objective-C.
  block.words(0, 10, 0x4000_0000_dead_0000n);
  assertEquals(block.value(string).summary, "damaged: unreadable at 0xdead0000");
  // [Int]: metadata, reference count, count, capacity and a flag, elements.
  block.words(0, block.words(0x200, 0, 3, 2, 4, 7, 8));
  const numbers = block.value(swift("$sSaySiGD", 8));
  assertEquals([numbers.summary, numbers.children().map(({ text }) => text)], ["size=2", [
    "7",
    "8",
  ]]);
  block.words(0x210, 9);
  assertEquals(block.value(swift("$sSaySiGD", 8)).summary, "damaged: 9 elements in room for 2");
  block.words(0, 42, 0);
  assertEquals(block.value(swift("$sSiSgD", 9)).summary, "42");
  block.words(0, 0, 1);
  assertEquals(block.value(swift("$sSiSgD", 9)).summary, "nil");
  block.words(0, 0, 9);
  assertEquals(
    block.value(swift("$sSiSgD", 9)).summary,
    "damaged: it has no case 0x90000000000000000",
  );
  block.words(0, 0, 0);
  assertEquals(block.value(swift("$sSSSgD", 16)).summary, "nil");
  // A dictionary and a set, as DictionaryStorage.swift and SetStorage.swift lay them out: the header, count,
  // capacity, scale 2, age, seed, keys, values, and the used buckets 1 and 3.
  const heap = block.start + 0x200n;
  block.words(0, heap);
  block.words(
    0x200,
    0n,
    3n,
    2n,
    3n,
    2n,
    0x5eedn,
    block.start + 0x300n,
    block.start + 0x340n,
    0b1010n,
  );
  block.words(0x300, 0n, 10n, 0n, 30n);
  block.words(0x340, 0n, 11n, 0n, 33n);
  const dictionary = block.value(swift("$sSDyS2iGD", 8));
  assertEquals([dictionary.summary, dictionary.children().length], ["size=2", 2]);
  const mapped = block.value(swift("$sSDySiSuGD", 8));
  assertEquals(
    mapped.children().map((entry) =>
      ["key", "value"].map((name) => entry.child(name)?.text).join(": ")
    ),
    ["10: 11", "30: 33"],
  );
  block.words(0x238, 0b1010n);
  assertEquals(
    block.value(swift("$sShySiGD", 8)).children().map(({ text }) => text),
    ["10", "30"],
  );
  block.words(0x210, 9n);
  assertEquals(
    block.value(swift("$sShySiGD", 8)).summary,
    "damaged: 9 entries in 2^2 buckets",
  );
  assertEquals(block.value(swift("$s4main5PointVD", 16)).summary, null);
});

Deno.test("Swift: fields of structs, classes and enums by the reflection metadata", () => {
  // Swift include/swift/ABI/Metadata.h: a descriptor is flags (the kind in 5 bits), parent, name, access
  // function, fields. include/swift/RemoteInspection/Records.h: a field descriptor is the type's name, the
  // superclass's, kind and record size of 16 bits, count; a record is flags, the type's name, the name.
  const block = new Block(0x4000);
  const symbols = new Map<string, bigint>();
  let free = 0x1000;
  const place = (bytes: number) => {
    const at = free;
    free += Math.ceil(bytes / 16) * 16;
    return at;
  };
  const string = (text: string) => {
    const at = place(text.length + 1);
    block.text(at, text);
    return at;
  };
  const relativeTo = (at: number, to: number) => block.view.setInt32(at, to - at, true);
  /** Its fields: the name of the type, or another descriptor; null of a case without anything. */
  const describe = (
    code: string,
    kind: number,
    fields: [name: string, type: string | number | null][],
    superclass = false,
  ): number => {
    const descriptor = place(20);
    symbols.set(`_$s${code}Mn`, block.start + BigInt(descriptor));
    block.ints(descriptor, kind | 0x80000000 | 0);
    relativeTo(descriptor + 8, string(code));
    const records = place(16 + 12 * fields.length);
    relativeTo(descriptor + 16, records);
    relativeTo(records, string(code));
    if (superclass) relativeTo(records + 4, string("4main4BaseC"));
    block.view.setUint16(records + 10, 12, true);
    block.ints(records + 12, fields.length);
    fields.forEach(([name, type], index) => {
      const record = records + 16 + 12 * index;
      if (typeof type === "string") relativeTo(record + 4, string(type));
      else if (type !== null) {
        const reference = place(8);
        block.bytes[reference] = 1;
        relativeTo(reference + 1, type);
        relativeTo(record + 4, reference);
      }
      relativeTo(record + 8, string(name));
    });
    return descriptor;
  };
  const [STRUCT, CLASS, ENUM] = [17, 16, 18];
  const kind = describe("4main4KindO", ENUM, [["plain", null], ["fancy", null], ["none", null]]);
  const size = describe("4main4SizeV", STRUCT, [["width", "s5Int32V"], ["wide", "Sb"]]);
  describe("4main5PointV", STRUCT, [
    ...[["flag", "Sb"], ["x", "Si"], ["size", size], ["kind", kind]] as [string, string | number][],
    ["label", "SS"],
    ["list", "SaySiG"],
    ["unknown", "4main3BoxVySiG"],
    ["behind", "Si"],
  ]);
  describe("4main3AppC", CLASS, [["count", "Si"], ["name", "SS"]]);
  describe("4main3SubC", CLASS, [["more", "Si"]], true);
  describe("4main5ShapeO", ENUM, [["circle", "Sd"], ["empty", null]]);
  const context = {
    ...contextOf(block),
    formatters: new FormatterTable(builtInFormatters),
    addressesOf: (name: string) => symbols.has(name) ? [symbols.get(name)!] : [],
    symbolAt: (address: bigint) => {
      const found = [...symbols].find(([, at]) => at === address);
      return found === undefined ? null : { name: found[0], offset: 0 };
    },
  };
  const value = (code: string, size: number, linkageName?: string) => {
    const type = { ...swift(code, size), ...(linkageName === undefined ? {} : { linkageName }) };
    return new PlacedValue(context, "v", type, { kind: "memory", address: block.start });
  };
  // flag at 0, x at 8, size at 16 (8 bytes, of which 5 are used), kind at 21, label at 24, list at 40.
  block.bytes[0] = 1;
  block.words(8, 42);
  block.ints(16, 640);
  block.bytes[20] = 1;
  block.bytes[21] = 1;
  block.bytes.set(new TextEncoder().encode("hello"), 24);
  block.bytes[39] = 0xe5;
  block.words(40, block.words(0x800, 0, 3, 2, 4, 7, 8));
  const point = value("Point", 56, "$s4main5PointVD");
  assertEquals(
    point.children().map(({ name, summary, text, childCount }) =>
      `${name} ${summary ?? text ?? childCount}`
    ),
    ["flag true", "x 42", "size 2", "kind fancy", 'label "hello"', "list size=2"],
  );
  assertEquals(point.child("size")?.child("width")?.text, "640");
  assertEquals(point.child("size")?.child("wide")?.text, "true");
  block.bytes[21] = 3;
  assertEquals(point.child("kind")?.summary, "damaged: it has no case 3");
  // An object: metadata and reference counts, then the fields.
  block.words(0, block.words(0x900, 0, 3, 9, 0, 0xe0n << 56n));
  const app = value("$s4main3AppCD", 8);
  assertEquals([app.summary, app.children().map(({ summary, text }) => summary ?? text)], [
    ...["0x10900", ["9", '""']],
  ]);
  // Where a superclass's fields end is said by the metadata alone, which cannot be read here.
  assertEquals(value("$s4main3SubCD", 8).summary, null);
  // A number has no bits to spare: a byte after it tells the cases apart.
  block.view.setFloat64(0, 2.5, true);
  block.bytes[8] = 0;
  const circle = value("$s4main5ShapeOD", 9);
  assertEquals([circle.summary, circle.child("circle")?.text], ["circle", "2.5"]);
  block.words(0, 0, 1);
  assertEquals(value("$s4main5ShapeOD", 9).summary, "empty");
  block.words(0, 1, 1);
  assertEquals(value("$s4main5ShapeOD", 9).summary, "damaged: it has no case 0x10000000000000001");
  assertEquals(value("$s4main6NosuchVD", 8).childCount, 0);
  // Damage: a record size of zero, a wild count, distances to nowhere.
  for (let at = 0x1000; at < free; at += 11) {
    const held = block.bytes[at];
    block.bytes[at] ^= 0x5a;
    for (const code of ["4main5PointV", "4main3AppC", "4main4KindO"]) {
      const { summary, childCount } = value(`$s${code}D`, 56);
      assert(summary === null || summary.length < 300);
      assert(childCount < 1 << 12);
    }
    block.bytes[at] = held;
  }
});

/** A record of `__lldbsummaries`: version, size, and two strings with their lengths. */
function record(type: string, summary: string, version = 1): number[] {
  const text = (value: string) => {
    const bytes = [...new TextEncoder().encode(value), 0];
    return [bytes.length, ...bytes];
  };
  const body = [...text(type), ...text(summary)];
  const size = body.length < 128 ? [body.length] : [body.length & 0x7f | 0x80, body.length >> 7];
  return [version, ...size, ...body];
}

Deno.test("embedded summaries: records, patterns, strings, and what is not honoured", () => {
  const section = Uint8Array.from([
    ...record("Point", "(${var.x}, ${var.y%x}) \\{${var%#}\\}"),
    0,
    0,
    ...record("^Box<.+>$", "box of ${*var.held}{ and ${var.nosuch}}{ at ${var.held%x}}"),
    ...record("Later", "${var.x}", 2),
    ...record("Script", "${script.var:f}"),
    ...record("^(a+)+$", "${var}"),
    ...record("Count", "${var.x}".repeat(10)),
  ]);
  const records = parseSummaries(section);
  assertEquals(records.map(({ type }) => type), [
    "Point",
    "^Box<.+>$",
    "Script",
    "^(a+)+$",
    "Count",
  ]);
  const formatters = embeddedFormatters(records);
  assertEquals(formatters.map(({ name }) => name), [
    "embedded Point",
    "embedded ^Box<.+>$",
    "embedded Count",
  ]);
  const block = new Block();
  block.ints(0, 7, 255);
  block.words(8, 0x10000n);
  const summary = (type: Type) => {
    const context = { ...contextOf(block), formatters: new FormatterTable(formatters) };
    const place = { kind: "memory", address: block.start } as const;
    return new PlacedValue(context, "v", type, place).summary;
  };
  const members: MemberPart[] = [["x", int, 0], ["y", int, 4], ["held", pointer(int), 8]];
  assertEquals(summary(struct("Point", 16, members)), "(7, 0xff) {3}");
  assertEquals(summary(struct("Box<int>", 16, members)), "box of 7 at 0x10000");
  assertEquals(summary(struct("Box<", 16, members)), null);
  for (let length = 0; length < section.length; length++) {
    assert(parseSummaries(section.subarray(0, length)).length <= records.length);
  }
});

Deno.test("embedded programs: every stack, control, number and text operation of LLVM's own tests", () => {
  // llvm-project lldb/unittests/DataFormatter/FormatterBytecodeTest.cpp: code, and the top of the stack, the
  // top first; null where it is wrong. 0x20 is lit_uint, 0x21 lit_int, 0x22 lit_string, 0x23 lit_selector.
  const text = (value: string) => [0x22, value.length, ...new TextEncoder().encode(value)];
  const unsigned = (...values: number[]) => values.flatMap((value) => [0x20, value]);
  const cases: [code: number[], top: (bigint | string)[] | null][] = [
    [[0x20, 23, 0x01, 0x30], [46n]],
    [[0x20, 0, 0x02], []],
    ...[0, 1, 2].map((index): [number[], bigint[]] => [
      [...unsigned(0, 1, 2, index), 0x03],
      [BigInt(index)],
    ]),
    [[...unsigned(0, 1), 0x04], [0n]],
    [[...unsigned(0, 1), 0x05], [0n, 1n]],
    [[...unsigned(0, 1, 2), 0x06], [1n, 0n, 2n]],
    [[0x20, 0, 0x10, 2, 0x20, 42, 0x11], []],
    [[0x20, 1, 0x10, 2, 0x20, 42, 0x11], [42n]],
    [[0x20, 0, 0x10, 2, 0x20, 42, 0x10, 2, 0x20, 23, 0x12], [23n]],
    [[0x20, 1, 0x10, 2, 0x20, 42, 0x10, 2, 0x20, 23, 0x12], [42n]],
    [[0x20, 1, 0x10, 3, 0x20, 42, 0x13, 0x11, 0x20, 23], [42n]],
    [[0x20, 1, 0x2a], [1n]],
    [[0x21, 126, 0x2b], [2n ** 64n - 2n]],
    [[...unsigned(2, 3), 0x30], [5n]],
    [[...unsigned(3, 2), 0x31], [1n]],
    [[...unsigned(3, 2), 0x32], [6n]],
    [[...unsigned(6, 2), 0x33], [3n]],
    [[...unsigned(23, 0), 0x33], null],
    [[...unsigned(1, 2), 0x35], [4n]],
    [[0x21, 127, 0x20, 2, 0x35], null],
    [[0x21, 126, 0x20, 1, 0x36], [-1n]],
    [[...unsigned(1, 65), 0x35], null],
    [[...unsigned(1, 65), 0x36], null],
    [[...unsigned(1, 1), 0x40], [1n]],
    [[...unsigned(0, 1), 0x40], [0n]],
    [[...unsigned(0, 1), 0x41], [1n]],
    [[...unsigned(0, 0), 0x41], [0n]],
    [[...unsigned(1, 1), 0x42], [0n]],
    [[...unsigned(0, 1), 0x42], [1n]],
    [[0x20, 0, 0x43], [2n ** 64n - 1n]],
    [[...unsigned(0, 1), 0x50], [0n]],
    [[...unsigned(0, 0), 0x50], [1n]],
    [[...unsigned(0, 1), 0x51], [1n]],
    [[...unsigned(0, 1), 0x52], [1n]],
    [[...unsigned(1, 1), 0x52], [0n]],
    [[...unsigned(1, 0), 0x53], [1n]],
    [[...unsigned(1, 1), 0x54], [1n]],
    [[...unsigned(0, 1), 0x55], [0n]],
    [[...text("hello"), 0x23, 0x52, 0x60], [5n]],
    [[...text("A"), ...text("B"), ...text("{1}{0}"), 0x23, 0x50, 0x60], ["BA"]],
    [[...text("{0}"), 0x23, 0x50, 0x60], null],
    // Numbers of the newer kind, and what is refused.
    [[0x24, 0x7f, 0x20, 1, 0x36], [2n ** 63n - 1n]],
    [[0x24, 5, 0x20, 1, 0x30], null],
    [[0x20, 255, 1, ...text("<{0:x}|{0,5}|{{}>"), 0x23, 0x50, 0x60], ["<0xff|  255|{}>"]],
    [[0x01], null],
    [[0x99], null],
    [[0x22, 50, 65], null],
    [[0x20, 0x80], null],
    [[0x20], null],
    [[0x23, 0x7f, 0x60], null],
  ];
  const block = new Block();
  const owner = block.value(int);
  for (const [code, top] of cases) {
    const stack = () => run(Uint8Array.from(code), owner, []);
    if (top === null) assertThrows(stack, DamagedValue, undefined, `${code}`);
    else {
      const values = [...stack()].reverse().map(({ value }) => value);
      assertEquals<unknown>(values.slice(0, top.length), top, `${code}`);
    }
  }
  const isNull = run(Uint8Array.of(0x2c), owner, [{ kind: "object", value: null }]);
  assertEquals<unknown>(isNull.at(-1)?.value, 1n);
  // A program cannot loop, so a long one is cut: blocks in blocks double at each level.
  let long: number[] = [0x20, 0, 0x02];
  for (let level = 0; level < 15; level++) {
    const size = [long.length & 0x7f | 0x80, long.length >> 7 & 0x7f | 0x80, long.length >> 14];
    const block = [0x20, 1, 0x10, ...size, ...long, 0x11];
    long = long.length > 200_000 ? block : [...block, ...block];
  }
  assertThrows(() => run(Uint8Array.from(long), owner, []), DamagedValue, "too long");
});

Deno.test("embedded programs: records, summaries, children, and damage", () => {
  const name = (text: string) => [text.length, ...new TextEncoder().encode(text)];
  const program = (signature: number, ...code: number[]) => [signature, code.length, ...code];
  const formatterRecord = (type: string, flags: number, ...programs: number[][]) => {
    const body = [...name(type), flags, ...programs.flat()];
    return [1, body.length, ...body];
  };
  const member = (text: string) => [0x22, ...name(text), 0x23, 0x12, 0x60]; // get_child_with_name
  const section = Uint8Array.from([
    ...formatterRecord(
      "Account",
      8, // without children
      // x as unsigned, y's text, "{0} of {1}"
      program(
        0,
        ...[0x01, ...member("x"), 0x23, 0x21, 0x60, 0x05, ...member("y"), 0x23, 0x20, 0x60],
        ...[0x22, ...name("{0} of {1}"), 0x23, 0x50, 0x60],
      ),
    ),
    0,
    ...formatterRecord(
      "^List<.+>$",
      0,
      // init: the list, its pointer as an address; count: x; child: read_memory at the address
      program(1, 0x01, ...member("held"), 0x23, 0x23, 0x60),
      program(2, 0x02, ...member("x"), 0x23, 0x21, 0x60),
      program(
        4,
        // list address index -> (address + 4 * index) as the type of x
        ...[0x20, 4, 0x32, 0x30, 0x05, ...member("y"), 0x23, 0x15, 0x60, 0x23, 0x46, 0x60],
      ),
    ),
    ...formatterRecord("Broken", 0, program(0, 0x99)),
  ]);
  const records = parsePrograms(section);
  assertEquals(records.map(({ type, flags }) => [type, flags]), [
    ...[["Account", 8], ["^List<.+>$", 0], ["Broken", 0]],
  ]);
  const block = new Block();
  block.ints(0, 2, 50);
  block.words(8, block.start + 0x20n);
  block.ints(0x20, 11, 12);
  const context = {
    ...contextOf(block),
    formatters: new FormatterTable(embeddedFormatters([], records)),
  };
  const value = (type: string) => {
    const members: MemberPart[] = [["x", int, 0], ["y", int, 4], ["held", pointer(int), 8]];
    const place = { kind: "memory", address: block.start } as const;
    return new PlacedValue(context, "v", struct(type, 16, members), place);
  };
  assertEquals([value("Account").summary, value("Account").childCount], ["2 of 50", 0]);
  const list = value("List<int>");
  assertEquals([list.summary, list.children().map(({ scalar }) => scalar)], [null, [11, 12]]);
  assertEquals(list.child("[1]")?.scalar, 12);
  assertEquals(
    value("Broken").summary,
    "damaged: an embedded formatter has an unknown operation 0x99",
  );
  for (let length = 0; length < section.length; length++) {
    assert(parsePrograms(section.subarray(0, length)).length <= records.length);
  }
});

Deno.test("names of C++ types in short", () => {
  const names: [long: string, short: string][] = [
    ["std::__1::vector<int, std::__1::allocator<int> >", "std::vector<int>"],
    [
      "std::__1::map<std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> >, int, " +
      "std::__1::less<std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> > >, " +
      "std::__1::allocator<std::__1::pair<const std::__1::basic_string<char, std::__1::char_traits<char>, " +
      "std::__1::allocator<char> >, int> > >",
      "std::map<std::string, int>",
    ],
    ["std::__1::unique_ptr<Point, std::__1::default_delete<Point> > *", "std::unique_ptr<Point> *"],
    ["std::__1::function<int (int, char)>", "std::function<int (int, char)>"],
    ["std::__1::array<short, 3UL>", "std::array<short, 3UL>"],
    ["Mine<std::__1::allocator<int> >", "Mine<std::allocator<int>>"],
    ["std::vector<int, Pool<int> >", "std::vector<int, Pool<int>>"],
    ["std::__1::basic_string<char16_t, A>", "std::basic_string<char16_t, A>"],
    ["int", "int"],
    ["std::broken<", "std::broken<"],
  ];
  for (const [long, short] of names) assertEquals(shortTypeName(long), short);
});
