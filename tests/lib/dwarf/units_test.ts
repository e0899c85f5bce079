import { assertEquals, assertThrows } from "@std/assert";
import { FormatError } from "../../../lib/errors.ts";
import type { DwarfInfo } from "../../../lib/dwarf/mod.ts";
import { abbreviation, open, type Parts, unit } from "./debug_sections.ts";
import { number, sleb, text, uleb } from "./section.ts";

// Tags, attributes and forms as the standard numbers them.
const COMPILE_UNIT = 0x11, SUBPROGRAM = 0x2e, INLINED = 0x1d, BLOCK = 0x0b, STRUCTURE = 0x13;
const NAME = 0x03, LOW = 0x11, HIGH = 0x12, RANGES = 0x55, LINKAGE = 0x6e, MIPS = 0x2007;
const SPECIFICATION = 0x47, ORIGIN = 0x31, CALL_FILE = 0x58, CALL_LINE = 0x59, CALL_COLUMN = 0x57;
const STR_BASE = 0x72, ADDR_BASE = 0x73, LISTS_BASE = 0x74, SIBLING = 0x01;
const ADDR = 0x01, DATA1 = 0x0b, DATA2 = 0x05, DATA4 = 0x06, DATA8 = 0x07, STRING = 0x08;
const UDATA = 0x0f, SDATA = 0x0d, STRP = 0x0e, REF4 = 0x13, REF_ADDR = 0x10, SEC_OFFSET = 0x17;
const INDIRECT = 0x16, IMPLICIT = 0x21, ADDRX = 0x1b, RNGLISTX = 0x23;

/** Every scope as `depth name linkage [ranges] call`. */
function scopes(info: DwarfInfo, index = 0): string[] {
  const table = info.table(info.units[index]);
  return Array.from({ length: table.scopeCount }, (_, scope) => {
    const number = table.scopeFunction[scope];
    let depth = 0;
    for (let at = table.scopeParent[scope]; at >= 0; at = table.scopeParent[at]) depth++;
    const ranges: string[] = [];
    for (let range = table.scopeRanges[scope]; range < table.scopeRanges[scope + 1]; range++) {
      ranges.push(`${table.rangeLow[range]}-${table.rangeHigh[range]}`);
    }
    const call = `${table.scopeCallFile[scope]}:${table.scopeCallLine[scope]}:${
      table.scopeCallColumn[scope]
    }`;
    return `${depth} ${table.functionName(number)} ${table.linkageName(number)} [${ranges}]${
      depth > 0 ? ` ${call}` : ""
    }`;
  });
}

Deno.test("every form is skipped, in every version and width", () => {
  for (const version of [2, 3, 4, 5]) {
    for (const addressSize of [4, 8] as const) {
      for (const offsetSize of [4, 8] as const) {
        const offset = new Array(offsetSize).fill(0x11);
        const reference = version === 2 ? new Array(addressSize).fill(0x11) : offset;
        const values: readonly (readonly [form: number, bytes: readonly number[]])[] = [
          [0x01, new Array(addressSize).fill(0x11)],
          [0x03, [2, 0, 1, 2]],
          [0x04, [1, 0, 0, 0, 9]],
          [0x05, [1, 2]],
          [0x06, [1, 2, 3, 4]],
          [0x07, [1, 2, 3, 4, 5, 6, 7, 8]],
          [0x08, text("text")],
          [0x09, [...uleb(130), ...new Array(130).fill(7)]],
          [0x0a, [3, 1, 2, 3]],
          [0x0b, [1]],
          [0x0c, [1]],
          [0x0d, [0x80, 0x80, 0x7f]],
          [0x0e, offset],
          [0x0f, [0xff, 0xff, 0x03]],
          [0x10, reference],
          [0x11, [1]],
          [0x12, [1, 2]],
          [0x13, [1, 2, 3, 4]],
          [0x14, [1, 2, 3, 4, 5, 6, 7, 8]],
          [0x15, [0x81, 1]],
          [0x16, [0x05, 1, 2]],
          [0x16, [0x0a, 1, 2]],
          [0x16, [0x0d, 0x80, 2]],
          [0x17, offset],
          [0x18, [2, 1, 2]],
          [0x19, []],
          [0x1a, [0x81, 1]],
          [0x1b, [0x81, 1]],
          [0x1c, [1, 2, 3, 4]],
          [0x1d, offset],
          [0x1e, new Array(16).fill(3)],
          [0x1f, offset],
          [0x20, [1, 2, 3, 4, 5, 6, 7, 8]],
          [0x21, []],
          [0x22, [1]],
          [0x23, [1]],
          [0x24, [1, 2, 3, 4, 5, 6, 7, 8]],
          ...[1, 2, 3, 4].map((size) => [0x24 + size, new Array(size).fill(1)] as const),
          ...[1, 2, 3, 4].map((size) => [0x28 + size, new Array(size).fill(1)] as const),
          [0x1f01, [0x81, 1]],
          [0x1f02, [0x81, 1]],
          [0x1f20, offset],
          [0x1f21, offset],
        ];
        for (const [form, bytes] of values) {
          const constant = form === IMPLICIT ? [-5] : [];
          const info = open({
            info: unit({ version, addressSize, offsetSize }, [
              // As an attribute of the unit, of something else, and of a function.
              ...[1, ...bytes, 2, ...bytes, ...bytes, 0],
              ...[3, ...bytes, ...text("f"), ...number(64, addressSize), 2, 0],
            ]),
            abbrev: [
              ...abbreviation(1, COMPILE_UNIT, true, [[0x3fff, form, ...constant]]),
              ...abbreviation(2, BLOCK, true, [[NAME, form, ...constant], [
                0x3fff,
                form,
                ...constant,
              ]]),
              ...abbreviation(3, SUBPROGRAM, false, [
                [CALL_LINE, form, ...constant],
                ...[[NAME, STRING], [LOW, ADDR], [HIGH, DATA1]],
              ]),
              0,
            ],
          });
          assertEquals(scopes(info), ["0 f null [64-66]"], `form 0x${form.toString(16)}`);
          assertEquals(info.warnings, []);
        }
      }
    }
  }
});

Deno.test("calls in calls, through blocks, with their functions' names", () => {
  const abstract = 11 + 1, other = abstract + 1 + 4 + 6;
  const info = open({
    info: unit({ version: 4 }, [
      1,
      ...[2, ...text("one"), ...text("_Zone")],
      ...[2, ...text("two"), ...text("_Ztwo")],
      ...[3, ...text("main"), ...number(0x100, 8), ...number(0x200, 8)], // until an address
      ...[4, ...number(abstract, 4), ...number(0x110, 8), ...uleb(0x70), 1, ...number(300, 2), 7],
      ...[5, ...number(0x110, 8), 0x60],
      ...[6, ...number(other, 4), ...number(0x120, 8), 0x40, ...sleb(77)],
      ...[0, 0],
      ...[4, ...number(other, 4), ...number(0x190, 8), 0x10, 2, ...number(9, 2), 0, 0],
      0,
      0,
    ]),
    abbrev: [
      ...abbreviation(1, COMPILE_UNIT, true, []),
      ...abbreviation(2, SUBPROGRAM, false, [[NAME, STRING], [LINKAGE, STRING]]),
      ...abbreviation(3, SUBPROGRAM, true, [[NAME, STRING], [LOW, ADDR], [HIGH, ADDR]]),
      ...abbreviation(4, INLINED, true, [
        ...[[ORIGIN, REF4], [LOW, ADDR], [HIGH, UDATA], [CALL_FILE, DATA1], [CALL_LINE, DATA2]],
        [CALL_COLUMN, UDATA],
      ]),
      ...abbreviation(5, BLOCK, true, [[LOW, ADDR], [HIGH, DATA1]]),
      ...abbreviation(6, INLINED, false, [
        ...[[ORIGIN, REF4], [LOW, ADDR], [HIGH, DATA1], [CALL_LINE, SDATA]],
      ]),
      0,
    ],
  });
  assertEquals(scopes(info), [
    "0 main null [256-512]",
    "1 one _Zone [272-384] 1:300:7",
    "2 two _Ztwo [288-352] 4294967295:77:0",
    "1 two _Ztwo [400-416] 2:9:0",
  ]);
  const { scopeFunction, functionCount } = info.table(info.units[0]);
  assertEquals([...scopeFunction], [0, 1, 2, 2]);
  assertEquals(functionCount, 3);
});

Deno.test("DWARF 5's indices: of strings, addresses and range lists", () => {
  for (const offsetSize of [4, 8] as const) {
    const header = offsetSize === 8 ? 16 : 8;
    const lists = offsetSize === 8 ? 20 : 12;
    const strings = ["unused", "unit", "first", "_Zfirst", "second", "third"];
    const places = strings.map((_, index) =>
      strings.slice(0, index).reduce((sum, string) => sum + string.length + 1, 0)
    );
    const list = [5, ...number(0x1000, 8), 4, 0x10, 0x20, 4, 0x30, 0x40, 0];
    const info = open({
      info: unit({ version: 5, offsetSize }, [
        ...[1, 1, ...number(header, offsetSize), ...number(8, offsetSize)],
        ...number(lists, offsetSize),
        ...[2, 2, 3, 0, 0, 1, 0x20],
        ...[3, 4, 0, 0, 0, 1, 0x30],
        ...[4, 5, 0, 0],
        0,
      ]),
      abbrev: [
        ...abbreviation(1, COMPILE_UNIT, true, [
          ...[[NAME, 0x25], [STR_BASE, SEC_OFFSET], [ADDR_BASE, SEC_OFFSET]],
          [LISTS_BASE, SEC_OFFSET],
        ]),
        ...abbreviation(2, SUBPROGRAM, false, [
          [NAME, 0x1a],
          [LINKAGE, 0x27],
          [LOW, ADDRX],
          [HIGH, DATA1],
        ]),
        ...abbreviation(3, SUBPROGRAM, false, [[NAME, 0x28], [LOW, 0x29], [HIGH, DATA1]]),
        ...abbreviation(4, SUBPROGRAM, false, [[NAME, 0x26], [RANGES, RNGLISTX]]),
        0,
      ],
      str_offsets: [
        ...new Array(header).fill(0),
        ...places.flatMap((place) => number(place, offsetSize)),
      ],
      str: strings.flatMap(text),
      addr: [...new Array(8).fill(0), ...number(0x500, 8), ...number(0x600, 8)],
      rnglists: [...new Array(lists).fill(0), ...number(offsetSize, offsetSize), ...list],
    });
    assertEquals(info.table(info.units[0]).name, "unit");
    assertEquals(scopes(info), [
      "0 first _Zfirst [1536-1568]",
      "0 second null [1536-1584]",
      "0 third null [4112-4128,4144-4160]",
    ]);
  }
});

/** The ranges of one function, by a list. */
function ranges(version: number, addressSize: 4 | 8, list: readonly number[], more: Parts = {}) {
  const info = open({
    info: unit({ version, addressSize }, [
      ...[1, ...number(0x400, addressSize), 2, ...text("f"), ...number(0, 4), 0],
    ]),
    abbrev: [
      ...abbreviation(1, COMPILE_UNIT, true, [[LOW, ADDR]]),
      ...abbreviation(2, SUBPROGRAM, false, [[NAME, STRING], [
        RANGES,
        version < 4 ? DATA4 : SEC_OFFSET,
      ]]),
      0,
    ],
    [version < 5 ? "ranges" : "rnglists"]: list,
    ...more,
  });
  return scopes(info);
}

Deno.test(".debug_ranges: bases, removed code and empty ranges", () => {
  for (const version of [3, 4]) {
    for (const size of [4, 8] as const) {
      const pair = (low: number, high: number) => [...number(low, size), ...number(high, size)];
      assertEquals(
        ranges(version, size, [
          ...pair(0x10, 0x20), // from the unit's base
          ...pair(-1, 0x1000), // another base
          ...[...pair(0x10, 0x20), ...pair(0x30, 0x30), ...pair(0x50, 0x40)],
          ...pair(-2, -2), // what a linker leaves of removed code
          ...pair(-2, 0x10),
          ...pair(-1, 0),
          ...pair(0x2000, 0x2010),
          ...pair(0, 0),
          ...pair(0x1, 0x2),
        ]),
        ["0 f null [1040-1056,4112-4128,8192-8208]"],
      );
    }
  }
});

Deno.test("range lists of a kernel, whose unit counts from 0", () => {
  const base = 0xfffffe0007004000n;
  const info = open(
    {
      info: unit({ version: 4 }, [...[1, ...number(0, 8), 2, ...text("f"), ...number(0, 4)], 0]),
      abbrev: [
        ...abbreviation(1, COMPILE_UNIT, true, [[LOW, ADDR]]),
        ...abbreviation(2, SUBPROGRAM, false, [[NAME, STRING], [RANGES, SEC_OFFSET]]),
        0,
      ],
      ranges: [base + 0x123n, base + 0x1_0000_0000n, 0n, 0n].flatMap((at) => number(at, 8)),
    },
    base,
  );
  assertEquals(scopes(info), [`0 f null [291-${2 ** 32}]`]);
});

Deno.test(".debug_rnglists: all kinds", () => {
  const addresses = [0x500, 0x600, 0x700];
  for (const size of [4, 8] as const) {
    const header = 8;
    const list = [
      ...[4, 0x10, 0x20], // offset_pair, from the unit's base
      ...[1, 1, 4, 1, 2], // base_addressx
      ...[2, 0, 1], // startx_endx
      ...[3, 2, ...uleb(200)], // startx_length
      ...[5, ...number(0x3000, size), 4, ...uleb(0x100), ...uleb(0x180)], // base_address
      ...[6, ...number(0x4000, size), ...number(0x4010, size)], // start_end
      ...[7, ...number(0x5000, size), ...uleb(0x20)], // start_length
      ...[7, ...number(-1, size), 4], // of removed code
      0,
    ];
    assertEquals(
      ranges(5, size, list, {
        addr: [...new Array(header).fill(0), ...addresses.flatMap((at) => number(at, size))],
      }),
      ["0 f null [1040-1056,1537-1538,1280-1536,1792-1992,12544-12672,16384-16400,20480-20512]"],
    );
    assertThrows(() => ranges(5, size, [9]), FormatError);
    assertThrows(() => ranges(5, size, [4, 1, 0x80]), FormatError);
    assertThrows(() => ranges(5, size, []), FormatError);
  }
});

Deno.test("functions of a class that is in a function, as GCC has those of lambdas", () => {
  const abbrev = [
    ...abbreviation(1, COMPILE_UNIT, true, []),
    ...abbreviation(2, SUBPROGRAM, true, [[NAME, STRING], [LOW, ADDR], [HIGH, DATA1]]),
    ...abbreviation(3, STRUCTURE, true, [[SIBLING, REF4]]),
    ...abbreviation(4, SUBPROGRAM, false, [[NAME, STRING], [LOW, ADDR], [HIGH, DATA1]]),
    ...abbreviation(5, SUBPROGRAM, true, [[NAME, STRING]]),
    0,
  ];
  const at = (low: number) => [...number(low, 8), 0x10];
  const structure = (place: number, low: number) => {
    const inside = [4, ...text("operator()"), ...at(low), 0];
    return [3, ...number(place + 5 + inside.length, 4), ...inside];
  };
  const outer = [2, ...text("outer"), ...at(0x40)];
  // In a function without code of its own, too.
  const inlined = [5, ...text("inlined")];
  const first = [...outer, ...structure(12 + outer.length, 0x60), 0];
  const second = [...inlined, ...structure(12 + first.length + inlined.length, 0x80), 0];
  const info = open({ info: unit({ version: 4 }, [1, ...first, ...second, 0]), abbrev });
  assertEquals(scopes(info), [
    "0 outer null [64-80]",
    "0 operator() null [96-112]",
    "0 operator() null [128-144]",
  ]);
});

Deno.test("names through specifications and origins, in other units too", () => {
  const abbrev = [
    ...abbreviation(1, COMPILE_UNIT, true, []),
    ...abbreviation(2, STRUCTURE, true, [[SIBLING, REF4], [NAME, STRING]]),
    ...abbreviation(3, SUBPROGRAM, false, [[NAME, STRING], [MIPS, STRING]]),
    ...abbreviation(4, SUBPROGRAM, false, [[SPECIFICATION, REF_ADDR]]),
    ...abbreviation(5, SUBPROGRAM, true, [[ORIGIN, REF4], [LOW, ADDR], [HIGH, DATA1]]),
    ...abbreviation(6, INLINED, false, [[ORIGIN, REF_ADDR], [LOW, ADDR], [HIGH, DATA1]]),
    ...abbreviation(7, SUBPROGRAM, false, [[NAME, STRP], [SPECIFICATION, REF_ADDR]]),
    0,
  ];
  // The first unit: a method that is declared in a structure, which is jumped over.
  // What follows the method in it is no entry.
  const inside = [3, ...text("method"), ...text("_ZN1S6methodEv"), 99, 0];
  const structure = [2, ...number(11 + 1 + 5 + 2 + inside.length, 4), ...text("S"), ...inside];
  const first = unit({ version: 4 }, [1, ...structure, 0]);
  const method = 11 + 1 + 1 + 4 + 2;
  const second = (at: number) => {
    const entries = [
      ...[1, 4, ...number(method, 4)],
      ...[5, ...number(12, 4), ...number(0x40, 8), 0x20],
      ...[6, ...number(method, 4), ...number(0x48, 8), 8, 0],
      ...[6, ...number(at + 12, 4), ...number(0x48, 8), 8],
    ];
    return unit({ version: 4 }, [...entries, 7, ...number(0, 4), ...number(at + 3, 4), 0]);
  };
  const info = open({
    info: [...first, ...second(first.length)],
    abbrev,
    str: text("unused"),
  });
  assertEquals(info.units.length, 2);
  assertEquals(scopes(info, 0), []);
  assertEquals(scopes(info, 1), [
    "0 method _ZN1S6methodEv [64-96]",
    "1 method _ZN1S6methodEv [72-80] 4294967295:0:0",
    // An inlined call outside of functions.
    "0 method _ZN1S6methodEv [72-80]",
  ]);
});

Deno.test("entries that lead to each other end without a name", () => {
  const info = open({
    info: unit({ version: 4 }, [
      1,
      ...[2, ...number(12 + 5, 4)],
      ...[2, ...number(12, 4)],
      ...[3, ...number(12, 4), ...number(0x40, 8), 0x20],
      ...[4, ...number(12 + 10 + 14, 4), ...number(0x80, 8), 0x20],
      0,
    ]),
    abbrev: [
      ...abbreviation(1, COMPILE_UNIT, true, []),
      ...abbreviation(2, SUBPROGRAM, false, [[ORIGIN, REF4]]),
      ...abbreviation(3, SUBPROGRAM, false, [[ORIGIN, REF4], [LOW, ADDR], [HIGH, DATA1]]),
      ...abbreviation(4, SUBPROGRAM, false, [[SPECIFICATION, REF_ADDR], [LOW, ADDR], [
        HIGH,
        DATA1,
      ]]),
      0,
    ],
  });
  assertEquals(scopes(info), ["0 null null [64-96]", "0 null null [128-160]"]);
  assertEquals(info.framesAt(64), []);
});

Deno.test("the last of several scopes at an offset counts; the first of several units", () => {
  const abbrev = [
    ...abbreviation(1, COMPILE_UNIT, true, [[LOW, ADDR], [HIGH, DATA2]]),
    ...abbreviation(2, SUBPROGRAM, true, [[NAME, STRING], [LOW, ADDR], [HIGH, DATA1]]),
    ...abbreviation(3, INLINED, true, [[NAME, STRING], [LOW, ADDR], [HIGH, DATA1]]),
    0,
  ];
  const entry = (code: number, name: string, low: number, size: number) => [
    ...[code, ...text(name), ...number(low, 8), size],
  ];
  const make = (prefix: string, low: number) =>
    unit({ version: 4 }, [
      ...[1, ...number(low, 8), ...number(0x200, 2)],
      ...[...entry(2, `${prefix}a`, low, 0x80), ...entry(3, "i", low + 0x10, 0x20), 0],
      ...[...entry(3, "j", low + 0x20, 0x20), 0, 0],
      ...[...entry(2, `${prefix}b`, low + 0x60, 0x40), 0],
      // Begins before the others.
      ...[...entry(2, `${prefix}c`, low - 0x10, 0x18), 0],
      0,
    ]);
  const info = open({ info: [...make("x", 0x100), ...make("y", 0x200)], abbrev });
  const names = (offset: number) => info.framesAt(offset).map((frame) => frame.function);
  assertEquals(names(0x108), ["xa"]);
  assertEquals(names(0x100), ["xc"]);
  assertEquals(names(0xf8), []); // no unit says that it has code there
  assertEquals(names(0x11f), ["i", "xa"]);
  assertEquals(names(0x120), ["j", "xa"]);
  assertEquals(names(0x170), ["xb"]);
  assertEquals(names(0x1a0), []);
  assertEquals(names(0x2a0), []);
  assertEquals(names(0x308), []);
  // Both units have it.
  assertEquals(names(0x208), []);
  assertEquals(info.unitAt(0x208)?.offset, 0);
  assertEquals(info.framesOf([0x308, 0x120, 0x11f, 0xf8]).map((list) => list.length), [0, 2, 2, 0]);
  for (let offset = 0xf0; offset < 0x310; offset++) {
    const inlined = info.framesAt(offset).filter((frame) => frame.inlined);
    assertEquals(info.inlineCountAt(offset), inlined.length, offset.toString(16));
  }
});

Deno.test(".debug_aranges give the unit of an offset, for the units that they list", () => {
  const abbrev = [
    ...abbreviation(1, COMPILE_UNIT, true, [[LOW, ADDR], [HIGH, DATA2]]),
    ...abbreviation(2, SUBPROGRAM, false, [[NAME, STRING], [LOW, ADDR], [HIGH, DATA1]]),
    0,
  ];
  const make = (name: string, low: number) =>
    unit({ version: 4 }, [
      ...[1, ...number(low, 8), ...number(0x100, 2)],
      ...[2, ...text(name), ...number(low, 8), 0x40, 0],
    ]);
  const first = make("a", 0x100);
  const set = [
    ...[...number(2, 2), ...number(0, 4), 8, 0, 0, 0, 0, 0],
    ...[...number(0x100, 8), ...number(0x20, 8), ...number(0, 16)],
  ];
  const aranges = [...number(set.length, 4), ...set];
  for (const more of [[], [9, 0, 0, 0], [...number(1000, 4), ...new Array(40).fill(1)]]) {
    const info = open({
      info: [...first, ...make("b", 0x200)],
      abbrev,
      aranges: [...aranges, ...more],
    });
    const names = (offset: number) => info.framesAt(offset).map((frame) => frame.function).join();
    assertEquals([0x110, 0x130, 0x210].map(names), ["a", "", "b"]);
  }
});

Deno.test("only a damaged unit is lost", () => {
  const abbrev = [
    ...abbreviation(1, COMPILE_UNIT, true, []),
    ...abbreviation(2, SUBPROGRAM, false, [[NAME, INDIRECT], [LOW, ADDR], [HIGH, DATA8]]),
    ...abbreviation(3, 0x34, false, [[0x02, 0x18]]),
    ...abbreviation(4, 0x34, false, [[0x02, DATA8]]),
    0,
  ];
  const good = unit({ version: 4 }, [
    ...[1, 2, STRING, ...text("good"), ...number(0x10, 8), ...number(0x10, 8), 0],
  ]);
  const damaged: readonly (readonly number[])[] = [
    unit({ version: 4 }, [1, 9]), // an abbreviation that is not there
    unit({ version: 4 }, [1, 3, 200, 1]), // a block that goes on beyond the unit
    unit({ version: 4 }, [1, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
    unit({ version: 4 }, [1, 4, 1, 2, 3]),
    unit({ version: 4 }, [1, 2, INDIRECT, INDIRECT]),
    unit({ version: 4 }, [1, 2, 0x70]),
    unit({ version: 4, abbreviations: 1000 }, [1]),
  ];
  for (const bytes of damaged) {
    const info = open({ info: [...good, ...bytes, ...good], abbrev });
    assertEquals(info.units.length, 3);
    assertThrows(() => info.table(info.units[1]), FormatError);
    assertEquals(scopes(info, 0), ["0 good null [16-32]"]);
    assertEquals(scopes(info, 2), ["0 good null [16-32]"]);
  }
  for (const bytes of [unit({ version: 1 }, [1]), unit({ version: 4, addressSize: 3 as 4 }, [1])]) {
    const warnings: string[] = [];
    const info = open(
      { info: [...good, ...bytes, ...good], abbrev },
      0n,
      (text) => warnings.push(text),
    );
    assertEquals(info.units.map(({ offset }) => offset), [0, good.length + bytes.length]);
    assertEquals(warnings.length, 1);
  }
  // A length beyond the section: nothing after it can be found.
  const info = open({ info: [...good, ...number(9999, 4), ...good], abbrev });
  assertEquals(info.units.length, 1);
  assertEquals(info.warnings.length, 1);
});

Deno.test("types of DWARF 5's own units, and skeletons", () => {
  const abbrev = [
    ...abbreviation(1, COMPILE_UNIT, false, [[NAME, STRING]]),
    ...abbreviation(2, 0x41, false, [[NAME, STRING]]),
    0,
  ];
  const sized = (content: readonly number[]) => [...number(content.length, 4), ...content];
  const info = open({
    info: [
      ...sized([
        5,
        0,
        2,
        8,
        0,
        0,
        0,
        0,
        ...new Array(8).fill(7),
        ...number(24, 4),
        2,
        ...text("t"),
      ]),
      ...sized([5, 0, 4, 8, 0, 0, 0, 0, ...new Array(8).fill(7), 1, ...text("skeleton")]),
      ...sized([5, 0, 1, 8, 0, 0, 0, 0, 1, ...text("unit")]),
    ],
    abbrev,
  });
  assertEquals(info.units.map((unit) => [unit.type, info.table(unit).name]), [
    ...[[2, "t"], [4, "skeleton"], [1, "unit"]],
  ]);
});
