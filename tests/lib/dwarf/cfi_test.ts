import { assert, assertEquals, assertMatch } from "@std/assert";
import { base, cieBody, type CieParts, number, onEntry, SectionBuilder, uleb } from "./section.ts";

/** The CFA at an address, as `register+offset`. */
function cfaAt(
  { info }: ReturnType<SectionBuilder["parse"]>,
  address: bigint,
): string | undefined {
  const cfa = info.rowAt(address)?.cfa;
  return cfa?.kind === "register" ? `${cfa.register}+${cfa.offset}` : cfa?.kind;
}

/** `DW_CFA_advance_loc: 1`, `DW_CFA_def_cfa_offset: +16`. */
const push = [0x41, 0x0e, 16];

Deno.test("rows hold from their address to the next one, and within the function", () => {
  const builder = new SectionBuilder();
  builder.function(builder.cie(), 0x1000, 0x10, push);
  const parsed = builder.parse();
  assertEquals(parsed.warnings, []);
  assertEquals(cfaAt(parsed, base + 0xfffn), undefined);
  assertEquals(cfaAt(parsed, base + 0x1000n), "7+8");
  assertEquals(cfaAt(parsed, base + 0x1001n), "7+16");
  assertEquals(cfaAt(parsed, base + 0x100fn), "7+16");
  assertEquals(cfaAt(parsed, base + 0x1010n), undefined);
  const row = parsed.info.rowAt(base + 0x1000n);
  assertEquals(row?.returnAddress, 16);
  assertEquals(row?.signalFrame, false);
  assertEquals([...row!.registers], [[16, { kind: "offset", offset: -8 }]]);
  const [fde] = parsed.info.fdes;
  assertEquals(fde, { start: base + 0x1000n, end: base + 0x1010n, offset: 22 });
  assertEquals(parsed.info.fdeAt(base + 0x100fn), fde);
  assertEquals(parsed.info.rows(fde).map(({ address }) => address), [
    base + 0x1000n,
    base + 0x1001n,
  ]);
});

/** Every way to store an address, with the bytes of that of 0x1000 past the section's, and of a size
 * of 0x10. The address stands at 24 where nothing pads it. */
const encodings: readonly [name: string, encoding: number, bytes: (at: number) => number[]][] = [
  ["absptr", 0x00, () => [...number(base + 0x1000n, 8), ...number(0x10, 8)]],
  ["udata8", 0x04, () => [...number(base + 0x1000n, 8), ...number(0x10, 8)]],
  ["sdata8", 0x0c, () => [...number(base + 0x1000n, 8), ...number(0x10, 8)]],
  ["uleb128", 0x01, () => [...uleb(Number(base) + 0x1000), 0x10]],
  ["pcrel absptr", 0x10, (at) => [...number(0x1000 - at, 8), ...number(0x10, 8)]],
  ["pcrel uleb128", 0x11, (at) => [...uleb(0x1000 - at), 0x10]],
  ["pcrel sleb128", 0x19, (at) => [...uleb(0x1000 - at), 0x10]],
  ["pcrel udata2", 0x12, (at) => [...number(0x1000 - at, 2), ...number(0x10, 2)]],
  ["pcrel sdata2", 0x1a, (at) => [...number(0x1000 - at, 2), ...number(0x10, 2)]],
  ["pcrel udata4", 0x13, (at) => [...number(0x1000 - at, 4), ...number(0x10, 4)]],
  ["pcrel sdata4", 0x1b, (at) => [...number(0x1000 - at, 4), ...number(0x10, 4)]],
  ["pcrel udata8", 0x14, (at) => [...number(0x1000 - at, 8), ...number(0x10, 8)]],
  ["pcrel sdata8", 0x1c, (at) => [...number(0x1000 - at, 8), ...number(0x10, 8)]],
  ["pcrel signed", 0x18, (at) => [...number(0x1000 - at, 8), ...number(0x10, 8)]],
  ["textrel sdata4", 0x2b, () => [...number(-0x1000, 4), ...number(0x10, 4)]],
  ["datarel udata4", 0x33, () => [...number(0x800, 4), ...number(0x10, 4)]],
  [
    "aligned",
    0x50,
    (at) => [...number(0, -at & 7), ...number(base + 0x1000n, 8), ...number(0x10, 8)],
  ],
];

for (const [name, encoding, bytes] of encodings) {
  Deno.test(`code addresses stored as ${name}`, () => {
    const builder = new SectionBuilder();
    const cie = builder.cie(cieBody({ data: [1, encoding] }));
    // Twice, for the loop that only reads plain ones.
    for (let count = 0; count < 2; count++) {
      builder.fde(cie, [...bytes(builder.nextBody), 0, ...push]);
    }
    const parsed = builder.parse({ textAddress: base + 0x2000n, dataAddress: base + 0x800n });
    assertEquals(parsed.warnings, []);
    assertEquals([...parsed.info.fdes].map(({ start, end }) => [start, end]), [
      [base + 0x1000n, base + 0x1010n],
      [base + 0x1000n, base + 0x1010n],
    ]);
    assertEquals(cfaAt(parsed, base + 0x1001n), "7+16");
  });
}

Deno.test("an FDE with a baseless or indirect address, or in an unknown format, is left out", () => {
  for (const encoding of [0x2b, 0x3b, 0x4b, 0x9b, 0x1f, 0x17, 0x7b, 0xff]) {
    const builder = new SectionBuilder();
    const cie = builder.cie(cieBody({ data: [1, encoding] }));
    builder.fde(cie, [...number(0, 16), 0, ...push]);
    builder.function(builder.cie(), 0x1000, 0x10, push);
    const parsed = builder.parse();
    assertEquals(parsed.info.size, 1, `0x${encoding.toString(16)}`);
    assertMatch(parsed.warnings.at(-1)!, /^FDE at 0x16 left out: __eh_frame: at offset 0x/);
  }
});

/** CIEs that all mean the same. */
const cies: readonly [name: string, parts: CieParts, fdeData: number[]][] = [
  ["version 3", { version: 3 }, [0]],
  ["version 4", { version: 4, after: [8, 0] }, [0]],
  ["no augmentation", { augmentation: "", data: [] }, []],
  ["GCC 2's eh", { augmentation: "eh", after: number(0x1234, 8), data: [] }, []],
  [
    "personality and LSDA",
    { augmentation: "zPLR", data: [7, 0x9b, 1, 2, 3, 4, 0x1b, 0x1b] },
    [4, 1, 2, 3, 4],
  ],
  ["B key", { augmentation: "zRB" }, [0]],
  ["an unknown letter", { augmentation: "zR?", data: [3, 0x1b, 9, 9] }, [0]],
  ["data of no letter", { augmentation: "zR", data: [3, 0x1b, 9, 9] }, [3, 1, 2, 3]],
  ["no letter for addresses", { augmentation: "z", data: [0] }, [0]],
];

for (const [name, parts, fdeData] of cies) {
  Deno.test(`a CIE with ${name}`, () => {
    const builder = new SectionBuilder();
    const cie = builder.cie(cieBody(parts));
    const relative = parts.augmentation?.includes("R") ?? true;
    builder.fde(cie, [
      ...relative
        ? [...number(0x1000 - builder.nextBody, 4), ...number(0x10, 4)]
        : [...number(base + 0x1000n, 8), ...number(0x10, 8)],
      ...fdeData,
      ...push,
    ]);
    const parsed = builder.parse();
    assertEquals(parsed.warnings, []);
    assertEquals(cfaAt(parsed, base + 0x1000n), "7+8");
    assertEquals(cfaAt(parsed, base + 0x1001n), "7+16");
  });
}

Deno.test("only the FDEs of an unknown augmentation are left out", () => {
  const builder = new SectionBuilder();
  const cie = builder.cie(cieBody({ augmentation: "?", data: [] }));
  builder.function(cie, 0x2000, 0x10, push);
  builder.function(builder.cie(), 0x1000, 0x10, push);
  const parsed = builder.parse();
  assertEquals(parsed.info.size, 1);
  assertEquals(parsed.warnings.length, 2);
  assertMatch(parsed.warnings[0], /CIE at 0x0 left out: .*expected a known augmentation, not "\?"/);
  assertEquals(cfaAt(parsed, base + 0x1001n), "7+16");
});

Deno.test("signal frames", () => {
  const builder = new SectionBuilder();
  builder.function(builder.cie(cieBody({ augmentation: "zRS" })), 0x1000, 0x10);
  assertEquals(builder.parse().info.rowAt(base + 0x1000n)?.signalFrame, true);
});

for (const wide of [false, true]) {
  for (const version of [1, 3, 4]) {
    Deno.test(`debug_frame of version ${version}, ${wide ? 64 : 32}-bit lengths`, () => {
      const builder = new SectionBuilder("debug_frame", wide);
      const sizes = version === 4 ? [8, 2] : [];
      const cie = builder.cie(
        cieBody({ version, augmentation: "", after: sizes, data: [] }),
      );
      const segment = version === 4 ? [0, 0] : [];
      const functionAt = (address: bigint): void => {
        builder.fde(cie, [...segment, ...number(address, 8), ...number(0x10, 8), ...push]);
      };
      functionAt(0x2000n);
      functionAt(0x1000n);
      // What a linker left out.
      functionAt(-1n);
      functionAt(-2n);
      const parsed = builder.parse({ slide: 0x50_0000n, address: 0x7fff_0000_0000n });
      assertEquals(parsed.warnings, []);
      assertEquals([...parsed.info.fdes].map(({ start }) => start), [0x50_1000n, 0x50_2000n]);
      assertEquals(cfaAt(parsed, 0x50_2001n), "7+16");
    });
  }
}

Deno.test("eh_frame with 64-bit lengths", () => {
  const builder = new SectionBuilder("eh_frame", true);
  builder.function(builder.cie(), 0x1000, 0x10, push);
  const parsed = builder.parse();
  assertEquals(parsed.warnings, []);
  assertEquals(cfaAt(parsed, base + 0x1001n), "7+16");
});

Deno.test("the address size of a DWARF 4 CIE is that of its FDEs", () => {
  const builder = new SectionBuilder("debug_frame");
  const cie = builder.cie(
    cieBody({ version: 4, augmentation: "", after: [4, 0], data: [] }),
  );
  builder.fde(cie, [...number(0x1000, 4), ...number(0x10, 4), ...push]);
  const parsed = builder.parse({ address: 0x8000n, pointerSize: 8 });
  assertEquals(cfaAt(parsed, 0x1001n), "7+16");
});

Deno.test("addresses of 32 bits wrap around", () => {
  const builder = new SectionBuilder();
  builder.function(builder.cie(), -0x2000, 0x10, push);
  builder.bytes.push(0, 0, 0, 0);
  const parsed = builder.parse({ address: 0x1000n, pointerSize: 4 });
  assertEquals(parsed.warnings, []);
  assertEquals(cfaAt(parsed, 0xffff_f001n), "7+16");
});

Deno.test("an empty entry does not hide those behind it", () => {
  const builder = new SectionBuilder();
  const cie = builder.cie();
  builder.function(cie, 0x1000, 0x10, push);
  builder.bytes.push(0, 0, 0, 0);
  builder.function(cie, 0x2000, 0x10, push);
  const parsed = builder.parse();
  assertEquals(parsed.warnings, []);
  assertEquals(cfaAt(parsed, base + 0x2001n), "7+16");
});

Deno.test("functions are found in any order, the section's first of those at one address", () => {
  for (const step of [0x10, 2 ** 34]) {
    const builder = new SectionBuilder("debug_frame");
    const cie = builder.cie(cieBody({ augmentation: "", data: [] }));
    const order = Array.from({ length: 101 }, (_, index) => (index * 37) % 101);
    for (const place of [...order, ...order]) {
      const offset = builder.bytes.length > 101 * 31 + 12 ? 24 : 16;
      builder.fde(cie, [
        ...number(0x1000 + place * step, 8),
        ...number(place === 0 ? 0 : 0x10, 8),
        ...[0x0e, offset, 0x0c, 7, place],
      ]);
    }
    const parsed = builder.parse({ address: 0n });
    assertEquals(parsed.warnings, []);
    // The one at place 0 is empty.
    assertEquals(parsed.info.size, 200);
    assertEquals(cfaAt(parsed, 0x1000n), undefined);
    for (let place = 1; place < 101; place++) {
      const start = BigInt(0x1000 + place * step);
      assertEquals(cfaAt(parsed, start), `7+${place}`);
      assertEquals(cfaAt(parsed, start + 0xfn), `7+${place}`);
      const [first] = [...parsed.info.fdes].filter((fde) => fde.start === start)
        .sort((a, b) => a.offset - b.offset);
      assertEquals(parsed.info.fdeAt(start)?.offset, first.offset);
    }
  }
});

Deno.test("Darwin's i386 takes ebp and esp for each other, also in expressions", () => {
  const program = [
    ...[0x0c, 5, 4, 0x84, 2], // def_cfa, offset
    ...[0x10, 6, 4, 0x74, 4, 0x75, 8], // expression: breg4 +4, breg5 +8
    ...[0x16, 3, 7, 0x92, 4, 1, 0x09, 0x75, 0x23, 5], // val_expression: bregx 4, const1s, plus_uconst
    ...[0x09, 1, 4], // register
    ...[0x42, 0x0d, 4, 0xc4], // advance_loc, def_cfa_register, restore
    ...[0x41, 0x0f, 2, 0x75, 0], // def_cfa_expression
  ];
  const builder = new SectionBuilder();
  const cie = builder.cie(cieBody({ dataAlignment: -4, returnAddress: 8, program: [] }));
  builder.function(cie, 0x1000, 0x10, program);
  const options = { address: 0x1000n, pointerSize: 4 } as const;
  const swapped = builder.parse({ ...options, swapEspEbp: true });
  assertEquals(cfaAt(swapped, 0x2000n), "4+4");
  const row = swapped.info.rowAt(0x2000n)!;
  assertEquals(row.registers.get(5), { kind: "offset", offset: -8 });
  assertEquals(row.registers.get(4), undefined);
  assertEquals(row.registers.get(1), { kind: "register", register: 5 });
  assertEquals(row.registers.get(6), {
    kind: "expression",
    bytes: new Uint8Array([0x75, 4, 0x74, 8]),
  });
  assertEquals(row.registers.get(3), {
    kind: "value-expression",
    bytes: new Uint8Array([0x92, 5, 1, 0x09, 0x75, 0x23, 5]),
  });
  assertEquals(cfaAt(swapped, 0x2002n), "5+4");
  assertEquals(swapped.info.rowAt(0x2003n)?.cfa, {
    kind: "expression",
    bytes: new Uint8Array([0x74, 0]),
  });
  assertEquals(cfaAt(builder.parse(options), 0x2000n), "5+4");
});

Deno.test("instructions that llvm-dwarfdump does not read", () => {
  const builder = new SectionBuilder();
  const cie = builder.cie(cieBody({ codeAlignment: 4 }));
  builder.function(cie, 0x1000, 0x100, [
    ...[0x2f, 3, 2], // GNU_negative_offset_extended
    ...[0x1d, ...number(2, 8)], // MIPS_advance_loc8
    ...[0x0e, 16],
    // set_loc: from where the address stands, behind the FDE's 9 bytes and the 15 before
    ...[0x01, ...number(0x1020 - (builder.nextBody + 9 + 15), 4)],
    ...[0x0e, 24],
  ]);
  const parsed = builder.parse();
  assertEquals(parsed.info.rowAt(base + 0x1000n)?.registers.get(3), { kind: "offset", offset: 16 });
  assertEquals(cfaAt(parsed, base + 0x1007n), "7+8");
  assertEquals(cfaAt(parsed, base + 0x1008n), "7+16");
  assertEquals(cfaAt(parsed, base + 0x1020n), "7+24");
  assertEquals(parsed.warnings, []);
});

/** Programs that are damaged after their first row. */
const damaged: readonly [name: string, program: number[], expected: RegExp][] = [
  ["an unknown instruction", [0x3f], /a known instruction, not 0x3f/],
  ["a state that was not remembered", [0x0b], /a remembered state/],
  ["endless remembering", Array(100).fill(0x0a), /at most 64 remembered states/],
  ["a location that moves back", [0x01, 0, 0, 0, 0], /a location that does not move back/],
  ["an instruction that is cut", [0x0c, 7], /1 bytes, and here are 0|a whole LEB128/],
  ["an expression that is too long", [0x0f, 100, 1, 2], /100 bytes, and here are 2/],
  ["a number that is too large", [0x0c, ...Array(9).fill(0xff), 1, 8], /below 2\^53/],
  ["an expression's CFA with an offset", [0x0f, 2, 0x77, 8, 0x0e, 8], /a CFA that is a register's/],
];

for (const [name, program, expected] of damaged) {
  Deno.test(`the rows before ${name} are kept`, () => {
    const builder = new SectionBuilder();
    const cie = builder.cie();
    builder.function(cie, 0x1000, 0x10, [...push, 0x41, ...program]);
    builder.function(cie, 0x2000, 0x10, push);
    const parsed = builder.parse();
    assertEquals(cfaAt(parsed, base + 0x1000n), "7+8");
    assertEquals(cfaAt(parsed, base + 0x1001n), "7+16");
    assertEquals(cfaAt(parsed, base + 0x1002n), undefined);
    assertEquals(cfaAt(parsed, base + 0x100fn), undefined);
    assertEquals(cfaAt(parsed, base + 0x2001n), "7+16");
    // Once, however often it was asked for.
    assertEquals(parsed.warnings.length, 1);
    assertMatch(parsed.warnings[0], /^FDE at 0x16 cut short: __eh_frame: at offset 0x/);
    assertMatch(parsed.warnings[0], expected);
  });
}

Deno.test("a function without a rule for the CFA has no rows", () => {
  const builder = new SectionBuilder();
  builder.function(builder.cie(cieBody({ program: [] })), 0x1000, 0x10, [0x86, 1]);
  const { info, warnings } = builder.parse();
  assertEquals(info.rowAt(base + 0x1000n), null);
  assertEquals(warnings, []);
});

Deno.test("remembered states have the CFA, and keep what later changes", () => {
  const builder = new SectionBuilder();
  builder.function(builder.cie(), 0x1000, 0x10, [
    ...[0x0a, 0x86, 2, 0x0c, 6, 32, 0x0a, 0x0e, 48, 0x83, 3], // remember twice
    ...[0x41, 0x0b, 0x41, 0x0b],
  ]);
  const parsed = builder.parse();
  const registers = (address: bigint): number[] => [
    ...parsed.info.rowAt(base + address)!.registers.keys(),
  ];
  assertEquals([cfaAt(parsed, base + 0x1000n), registers(0x1000n)], ["6+48", [16, 6, 3]]);
  assertEquals([cfaAt(parsed, base + 0x1001n), registers(0x1001n)], ["6+32", [16, 6]]);
  assertEquals([cfaAt(parsed, base + 0x1002n), registers(0x1002n)], ["7+8", [16]]);
});

Deno.test("a restored register has the rule that the CIE gave it, or none", () => {
  const builder = new SectionBuilder();
  builder.function(builder.cie(), 0x1000, 0x10, [0x90, 3, 0x86, 2, 0x41, 0xd0, 0x06, 6]);
  const { info } = builder.parse();
  assertEquals([...info.rowAt(base + 0x1000n)!.registers], [
    [16, { kind: "offset", offset: -24 }],
    [6, { kind: "offset", offset: -16 }],
  ]);
  assertEquals([...info.rowAt(base + 0x1001n)!.registers], [[16, { kind: "offset", offset: -8 }]]);
});

Deno.test("rows that would fill the memory end", () => {
  // 500 registers, and then as many copies of them as two bytes each can make.
  const registers = Array.from({ length: 500 }, (_, n) => [0x05, ...uleb(n), 1]).flat();
  const copies = Array.from({ length: 20000 }, () => [0x41, 0x86, 1]).flat();
  const builder = new SectionBuilder();
  const cie = builder.cie();
  for (let index = 0; index < 8; index++) {
    const body = [...registers, ...copies];
    const fde = builder.nextBody;
    builder.fde(
      cie,
      [...number(0x100000 * (index + 1) - fde, 4), ...number(0x100000, 4), 0]
        .concat(body),
    );
  }
  const { info, warnings } = builder.parse();
  for (const fde of info.fdes) {
    assert(info.rows(fde).length < 600);
    assert(info.rowAt(fde.start) !== null);
    assertEquals(info.rowAt(fde.end - 1n), null);
  }
  assertEquals(warnings.length, 8);
  assertMatch(warnings[0], /at most 262144 rules/);
});

Deno.test("warnings end, too", () => {
  const builder = new SectionBuilder();
  for (let index = 0; index < 1000; index++) builder.fde(0x10000, onEntry);
  const { info, warnings } = builder.parse();
  assertEquals(info.size, 0);
  assertEquals(warnings.length, 33);
});

Deno.test("an FDE at a given offset is read alone; without an offset it is searched", () => {
  const builder = new SectionBuilder();
  const cie = builder.cie();
  const fde = builder.function(cie, 0x1000, 0x10, push);
  builder.fde(0x10000, onEntry);
  const parsed = builder.parse();
  const address = base + 0x1001n;
  for (const [hint, warned] of [[fde, 0], [cie, 1], [fde + 1, 1], [-1, 1], [1 << 24, 1]]) {
    const { cfa } = parsed.info.rowAt(address, hint)!;
    assertEquals(cfa.kind === "register" && cfa.offset, 16);
    // The search comes upon the damage.
    assertEquals(parsed.warnings.length > 0, warned === 1, `${hint}`);
  }
  assertEquals(parsed.info.rowAt(base + 0x1010n, fde), null);
});
