/** Values over hand-made types and memory. */
import { assertEquals, assertThrows } from "@std/assert";
import {
  builtInFormatters,
  damaged,
  defaultLimits,
  type Formatter,
  FormatterTable,
  PlacedValue,
  type Type,
  type ValueContext,
  type ValueMemory,
} from "../../../lib/values/mod.ts";
import { contentText } from "../../../lib/values/reading.ts";
import { TypeReader } from "../../../lib/values/dwarf_types.ts";
import { AT, ATE, EntryReader, TAG } from "../../../lib/dwarf/variables.ts";
import { abbreviation, open, unit } from "../dwarf/debug_sections.ts";
import { text } from "../dwarf/section.ts";
import { bytesMemory, contextOf } from "./fake_context.ts";

const int: Type = { kind: "base", name: "int", size: 4, language: "c", encoding: "signed" };
const unsigned: Type = { ...int, name: "unsigned int", encoding: "unsigned" };
const char: Type = { kind: "base", name: "char", size: 1, language: "c", encoding: "signed-char" };
const member = (name: string, type: Type, offset: number) => ({
  name,
  type,
  offset,
  isBase: false,
  artificial: false,
});

function value(type: Type, memory: ValueMemory, context: Partial<ValueContext> = {}) {
  return new PlacedValue({ ...contextOf(memory), ...context }, "it", type, {
    kind: "memory",
    address: 0x1000n,
  });
}

Deno.test("numbers are read as their type says", () => {
  const memory = bytesMemory(0x1000n, [0xff, 0xff, 0xff, 0xff, 0x41]);
  assertEquals(value(int, memory).scalar, -1);
  assertEquals(value(unsigned, memory).text, "4294967295");
  assertEquals(value(char, bytesMemory(0x1000n, [0x41])).text, "'A'");
  assertEquals(value(char, bytesMemory(0x1000n, [0xff])).text, "'\\xff'");
  const long: Type = { ...int, name: "long", size: 8 };
  assertEquals(value(long, bytesMemory(0x1000n, [1, 0, 0, 0, 0, 0, 0, 0])).scalar, 1);
  assertEquals(
    value(long, bytesMemory(0x1000n, [0, 0, 0, 0, 0, 0, 0, 0x70])).scalar,
    0x7000_0000_0000_0000n,
  );
});

Deno.test("floating-point numbers of 128 bits: of ARM, and those that are named so", () => {
  // <quadmath.h>'s FLT128_MAX and FLT128_DENORM_MIN, and numbers as gdb prints them.
  for (
    const [high, low, text, scalar] of [
      [
        0x3ffd_5555_5555_5555n,
        0x5555_5555_5555_5555n,
        "0.333333333333333333333333333333333317",
        1 / 3,
      ],
      [0x3fff_0000_0000_0000n, 0n, "1", 1],
      [0xc000_4000_0000_0000n, 0n, "-2.5", -2.5],
      [
        0x7ffe_ffff_ffff_ffffn,
        (1n << 64n) - 1n,
        "1.18973149535723176508575932662800702e+4932",
        Infinity,
      ],
      [0n, 1n, "6.47517511943802511092443895822764655e-4966", 0],
      [0x7fff_0000_0000_0000n, 0n, "+Inf", Infinity],
      [0x7fff_8000_0000_0000n, 0n, "NaN", NaN],
      [0x8000_0000_0000_0000n, 0n, "-0", -0],
    ] as const
  ) {
    const bytes = new Uint8Array(16);
    const view = new DataView(bytes.buffer);
    view.setBigUint64(0, low, true);
    view.setBigUint64(8, high, true);
    const memory = bytesMemory(0x1000n, [...bytes]);
    const type = (name: string): Type => ({ ...int, name, size: 16, encoding: "float" });
    for (
      const it of [
        value(type("__float128"), memory),
        value(type("long double"), memory, { arch: "arm64" }),
      ]
    ) {
      assertEquals([it.text, it.scalar], [text, scalar]);
    }
  }
  // The same bytes as Intel's 80 bits, of which the rest is padding.
  const one = [0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f, 0, 0, 0, 0, 0, 0];
  const extended: Type = { ...int, name: "long double", size: 16, encoding: "float" };
  const held = value(extended, bytesMemory(0x1000n, one), { arch: "x86_64" });
  assertEquals([held.text, held.scalar], ["1", 1]);
  const small = value(
    extended,
    bytesMemory(0x1000n, [...one.slice(0, 8), 0x00, 0x3c, 0, 0, 0, 0, 0, 0]),
  );
  assertEquals(small.scalar, 2 ** -1023);
});

Deno.test("a pointer to a function shows the function", () => {
  const type: Type = {
    ...{ kind: "pointer", name: "int (*)(void)", size: 8, language: "c" },
    target: { kind: "function", name: "int (void)", size: null, language: "c" },
  };
  const shown = (offset: number, image?: string) =>
    value(type, bytesMemory(0x1000n, [0x40, 0x20, 0, 0, 0, 0, 0, 0]), {
      formatters: new FormatterTable(builtInFormatters),
      symbolAt: (address) => ({
        name: `f${address}`,
        offset,
        ...image === undefined ? {} : { image },
      }),
    }).summary;
  assertEquals(shown(0, "demo"), "(demo`f8256)");
  assertEquals(shown(4), "(f8256 + 4)");
  const unknown = value(type, bytesMemory(0x1000n, [0, 0, 0, 0, 0, 0, 0, 0]), {
    formatters: new FormatterTable(builtInFormatters),
  });
  assertEquals(unknown.summary, null);
});

Deno.test("members, also of anonymous ones, are found by name; bit fields are cut out", () => {
  const inner: Type = {
    kind: "union",
    name: "",
    size: 4,
    language: "c",
    members: [member("whole", unsigned, 0), {
      ...member("low", unsigned, 0),
      bits: { offset: 4, size: 4 },
    }],
  };
  const outer: Type = {
    kind: "struct",
    name: "outer",
    size: 8,
    language: "c",
    members: [member("first", int, 0), member("", inner, 4)],
  };
  const it = value(outer, bytesMemory(0x1000n, [1, 0, 0, 0, 0xa5, 0, 0, 0]));
  assertEquals(it.childCount, 2);
  assertEquals(it.child("first")?.scalar, 1);
  assertEquals(it.child("low")?.scalar, 0xa);
  assertEquals(it.child("missing"), null);
});

Deno.test("what is unreadable says so, and has neither value nor children", () => {
  const it = value(int, bytesMemory(0x5000n, [1]));
  assertEquals(it.unavailable, "unreadable at 0x1000");
  assertEquals([it.scalar, it.text, it.childCount], [null, null, 0]);
});

Deno.test("an array shows as many elements as the limits say, and any by range", () => {
  const array: Type = {
    kind: "array",
    name: "char[1000]",
    size: 1000,
    language: "c",
    target: char,
    count: 1000,
  };
  const it = value(array, bytesMemory(0x1000n, new Uint8Array(1000).map((_, index) => index)));
  assertEquals(it.childCount, 1000);
  assertEquals(it.children().length, defaultLimits.arrayValues);
  assertEquals(it.children(998, 2000).map(({ scalar }) => scalar), [-26, -25]);
  assertEquals(it.child("[65]")?.text, "'A'");
});

Deno.test("a formatter gives the summary and the children; its damage is shown", () => {
  const pair: Type = {
    kind: "struct",
    name: "pair",
    size: 8,
    language: "c",
    members: [member("size", int, 0), member("first", int, 4)],
  };
  const formatter: Formatter = {
    name: "pair",
    type: /pa.r/,
    summary: (value) => `size=${value.child("size")?.text}`,
    children(value) {
      const size = Number(value.raw.child("size")?.integer);
      if (size > 2) damaged(`${size} elements`);
      return { count: size, at: (index) => value.make(`[${index}]`, int, new Uint8Array(4)) };
    },
  };
  const formatters = new FormatterTable([formatter]);
  const good = value(pair, bytesMemory(0x1000n, [2, 0, 0, 0, 7, 0, 0, 0]), { formatters });
  assertEquals([good.summary, good.childCount, good.raw.childCount], ["size=2", 2, 2]);
  assertEquals(good.children().map(({ name, scalar }) => [name, scalar]), [["[0]", 0], ["[1]", 0]]);
  const bad = value(pair, bytesMemory(0x1000n, [9, 0, 0, 0, 7, 0, 0, 0]), { formatters });
  assertEquals(bad.childCount, 2, "the members themselves");
  const bare = new FormatterTable([{ ...formatter, summary: undefined }]);
  const damagedOne = value(pair, bytesMemory(0x1000n, [9, 0, 0, 0, 7, 0, 0, 0]), {
    formatters: bare,
  });
  assertEquals(damagedOne.summary, "damaged: 9 elements");
});

Deno.test("a number is written in its size, a bit field among its neighbours", () => {
  const memory = bytesMemory(0x1000n, [0xff, 0xff, 0, 0]);
  const field = new PlacedValue(contextOf(memory), "field", unsigned, {
    kind: "memory",
    address: 0x1000n,
  }, { offset: 4, size: 4 });
  field.write(3);
  assertEquals([...memory.readUpTo(0x1000n, 4)], [0x3f, 0xff, 0, 0]);
  const whole = value(int, memory);
  whole.write(-2);
  assertEquals(whole.scalar, -2);
  assertThrows(() => field.write(16), RangeError);
});

Deno.test("a reference to what cannot be read has nothing to show, and is not empty", () => {
  const record: Type = { ...int, kind: "struct", name: "pair", members: [member("a", int, 0)] };
  const reference: Type = { ...int, kind: "reference", name: "pair &", size: 8, target: record };
  const of = (address: number) =>
    value(reference, bytesMemory(0x1000n, [0, address, 0, 0, 0, 0, 0, 0]));
  assertEquals(contentText(of(0x10), 1), "{a = 4096}");
  assertEquals(contentText(of(0x20), 1), "<unreadable at 0x2000>");
});

Deno.test("C's wide characters are typedefs of numbers", () => {
  const wide: Type = { ...int, kind: "typedef", name: "wchar_t", target: int };
  const constant: Type = { ...wide, kind: "const", name: "const wchar_t", target: wide };
  const narrow: Type = { ...unsigned, size: 2, name: "unsigned short" };
  const utf16: Type = { ...narrow, kind: "typedef", name: "char16_t", target: narrow };
  const bytes = [..."wide\0"].flatMap((letter) => [letter.charCodeAt(0), 0, 0, 0]);
  const of = (target: Type, count: number, content = bytes) =>
    value(
      { ...int, kind: "array", name: "it", size: count * target.size!, target, count },
      bytesMemory(0x1000n, content),
      {
        formatters: new FormatterTable(builtInFormatters),
      },
    ).summary;
  // As gdb shows them.
  assertEquals(of(wide, 5), 'L"wide"');
  assertEquals(of(constant, 5), 'L"wide"');
  assertEquals(of(utf16, 3, [0x41, 0, 0xe4, 0, 0, 0]), 'u"Aä"');
  assertEquals(of(int, 5), null);
  assertEquals(value(wide, bytesMemory(0x1000n, bytes)).text, "L'w'");
});

Deno.test("a class that is only declared is not shown as one without members", () => {
  const declared: Type = { ...int, kind: "struct", name: "Shape", size: null, isIncomplete: true };
  const outer: Type = {
    ...{ ...int, kind: "struct", name: "Circle" },
    members: [{ ...member("Shape", declared, 0), isBase: true }, member("radius", int, 0)],
  };
  const memory = bytesMemory(0x1000n, [3, 0, 0, 0]);
  assertEquals(contentText(value(outer, memory), 1), "{Shape = <incomplete type>, radius = 3}");
  const empty: Type = { ...declared, size: 1, isIncomplete: false, members: [] };
  assertEquals(contentText(value(empty, memory), 1), "{}");
});

Deno.test("what is written is what the type can hold", () => {
  const memory = bytesMemory(0x1000n, [1, 0, 0, 0, 0, 0, 0, 0]);
  const flag = value({ ...int, name: "bool", size: 1, encoding: "boolean" }, memory);
  assertThrows(() => flag.write(2), RangeError, "2 is neither true nor false");
  flag.write(false);
  assertEquals(flag.scalar, false);
  const complex = value({ ...int, size: 8, encoding: "complex-float" }, memory);
  assertThrows(() => complex.write(1), TypeError, "complex numbers cannot be written");
});

/** The type with an entry of a unit in a language: after one for `integer`, a number of four bytes. */
function typeIn(
  language: number,
  tag: number,
  attributes: readonly (readonly number[])[],
  values: readonly number[],
  children: readonly number[] = [],
): Type {
  const [DATA1, STRING] = [0x0b, 0x08];
  const sized = [[AT.byte_size, DATA1], [AT.encoding, DATA1], [AT.name, STRING]];
  const start = [1, language, 2, 4, ATE.signed, ...text("integer")];
  const info = open({
    info: unit({ version: 4 }, [...start, 3, ...values, ...children, 0]),
    abbrev: [
      ...abbreviation(1, TAG.compile_unit, true, [[AT.language, DATA1]]),
      ...abbreviation(2, TAG.base_type, false, sized),
      ...abbreviation(3, tag, children.length > 0, attributes),
      ...abbreviation(4, TAG.subrange_type, false, [[AT.upper_bound, DATA1]]),
      ...abbreviation(5, TAG.subrange_type, false, [[AT.lower_bound, DATA1], [
        AT.upper_bound,
        DATA1,
      ]]),
      0,
    ],
  });
  return new TypeReader(new EntryReader(info), () => null).at(11 + start.length);
}

Deno.test("arrays of languages that count from one, by columns, and parts of numbers", () => {
  const [C, ADA, FORTRAN] = [0x0c, 0x0d, 0x08];
  const [DATA1, REF1] = [0x0b, 0x11];
  const array = (language: number, ...children: readonly number[]) =>
    typeIn(language, TAG.array_type, [[AT.type, REF1]], [13], [...children, 0]);
  // As gdb counts them.
  assertEquals(array(C, 4, 2).count, 3);
  assertEquals(array(ADA, 4, 3).count, 3);
  assertEquals(array(ADA, 5, 0, 2).count, 3);
  // `b(2, 3)`: three columns of two.
  const columns = array(FORTRAN, 4, 2, 4, 3);
  assertEquals([columns.count, columns.target?.count, columns.size], [3, 2, 24]);
  const string = typeIn(FORTRAN, TAG.string_type, [[AT.byte_size, DATA1]], [3]);
  const memory = bytesMemory(0x1000n, [0x61, 0x62, 0x20, 0xff]);
  const formatters = new FormatterTable(builtInFormatters);
  assertEquals(value(string, memory, { formatters }).summary, '"ab "');
  const part = typeIn(ADA, TAG.subrange_type, [[AT.type, REF1]], [13]);
  assertEquals(value(part, bytesMemory(0x1000n, [3, 0, 0, 0])).scalar, 3);
  const small = typeIn(ADA, TAG.subrange_type, [[AT.type, REF1], [AT.byte_size, DATA1]], [13, 1]);
  assertEquals(value(small, memory).scalar, 0x61);
  // One of a tag that nobody knows has no value.
  const unknown = value(typeIn(ADA, 0x21f, [], []), memory);
  assertEquals([unknown.text, contentText(unknown, 1)], [null, "<its type is not known>"]);
});
