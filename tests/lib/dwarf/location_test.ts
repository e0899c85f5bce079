/** Location descriptions, with the bytes of DWARF 5's sections 2.5, 2.6 and D. */
import { assertEquals } from "@std/assert";
import { evaluateLocation, type LocationContext } from "../../../lib/dwarf/variables.ts";

const context: LocationContext = {
  registers: (number) => number === 3 ? 0x1234n : undefined,
  readMemory: (address, size) => address === 0x2000n ? BigInt(size) : undefined,
  pointerSize: 8,
  offsetSize: 4,
  frameBase: () => 0x1000n,
  frameAddress: () => 0x1100n,
  entryValue: (register) => register === 5 ? 77n : undefined,
  address: (linked) => linked + 0x10n,
  indexedAddress: (index) => BigInt(index * 0x100),
  indexedConstant: (index) => BigInt(index),
  threadAddress: () => "no thread",
  operandType: (offset) =>
    offset === 0x2a
      ? { size: 8, isSigned: true, isFloat: false }
      : offset === 0x2b
      ? { size: 64, isSigned: false, isFloat: true }
      : offset === 0x2c
      ? { size: 128, isSigned: true, isFloat: false }
      : offset === 0x2d
      ? { size: 128, isSigned: false, isFloat: true, isExtended: true }
      : offset === 0x2e
      ? { size: 128, isSigned: false, isFloat: true }
      : offset === 0x2f
      ? { size: 128, isSigned: false, isFloat: false }
      : undefined,
  called: (offset, isInUnit) =>
    offset === 0x10 && isInUnit
      ? Uint8Array.of(0x23, 5) // plus_uconst 5
      : offset === 0x20
      ? Uint8Array.of(isInUnit ? 0x98 : 0x99, 0x10, 0, ...isInUnit ? [] : [0, 0])
      : offset === 0x30
      ? Uint8Array.of(0x98, 0x30, 0) // itself
      : undefined,
};

const at = (...bytes: number[]) => evaluateLocation(Uint8Array.from(bytes), context);
const narrow = (...bytes: number[]) =>
  evaluateLocation(Uint8Array.from(bytes), { ...context, pointerSize: 4 });

Deno.test("registers, frame offsets, addresses and values", () => {
  assertEquals(at(0x53), { kind: "register", register: 3 }); // DW_OP_reg3
  assertEquals(at(0x90, 54), { kind: "register", register: 54 }); // DW_OP_regx 54
  assertEquals(at(0x73, 0), { kind: "memory", address: 0x1234n }); // DW_OP_breg3 0
  assertEquals(at(0x91, 0x50), { kind: "memory", address: 0x1000n - 48n }); // DW_OP_fbreg -48
  assertEquals(at(0x9c, 0x38, 0x1c), { kind: "memory", address: 0x1100n - 8n }); // call_frame_cfa 8 minus
  assertEquals(at(0x03, 0, 1, 0, 0, 0, 0, 0, 0), { kind: "memory", address: 0x110n }); // DW_OP_addr
  assertEquals(at(0xa1, 2), { kind: "memory", address: 0x200n }); // DW_OP_addrx 2
  assertEquals(at(0x35, 0x9f), { kind: "value", value: 5n }); // lit5 stack_value
  assertEquals(at(0x9e, 2, 7, 8), { kind: "bytes", bytes: Uint8Array.of(7, 8) }); // implicit_value
  assertEquals(at(), { kind: "empty" });
});

Deno.test("a vector register that was saved whole, as Clang describes it", () => {
  const readMemory = (address: bigint, size: number) =>
    size === 1 && address < 0x1244n ? address - 0x1234n : undefined;
  const read = (...bytes: number[]) =>
    evaluateLocation(Uint8Array.from(bytes), { ...context, readMemory });
  // DW_OP_breg3 0, DW_OP_deref_size 16, DW_OP_stack_value
  assertEquals(read(0x73, 0, 0x94, 16, 0x9f), {
    kind: "bytes",
    bytes: Uint8Array.from({ length: 16 }, (_, at) => at),
  });
  assertEquals(read(0x73, 0, 0x94, 32, 0x9f).kind, "unknown");
  assertEquals(read(0x73, 0, 0x94, 16).kind, "unknown");
  assertEquals(read(0x73, 0, 0x94, 255, 0x9f).kind, "unknown");
});

Deno.test("pieces, of which one was optimized away", () => {
  assertEquals(at(0x53, 0x93, 4, 0x93, 8, 0x91, 0, 0x93, 4), {
    kind: "pieces",
    pieces: [
      { bits: 32, offset: 0, location: { kind: "register", register: 3 } },
      { bits: 64, offset: 0, location: { kind: "empty" } },
      { bits: 32, offset: 0, location: { kind: "memory", address: 0x1000n } },
    ],
  });
  assertEquals(at(0x53, 0x9d, 8, 8), {
    kind: "pieces",
    pieces: [{ bits: 8, offset: 8, location: { kind: "register", register: 3 } }],
  });
});

Deno.test("values at the function's entry, and pointers without a value", () => {
  assertEquals(at(0xa3, 1, 0x55, 0x9f), { kind: "value", value: 77n }); // entry_value(reg5) stack_value
  assertEquals(at(0xf3, 1, 0x55, 0x31, 0x22, 0x9f), { kind: "value", value: 78n }); // GNU's, plus 1
  assertEquals(at(0xa3, 1, 0x51, 0x9f), {
    kind: "unknown",
    reason: "its value at the function's entry is not known",
  });
  assertEquals(at(0xa0, 0x40, 0, 0, 0, 0x7c), {
    kind: "implicit-pointer",
    place: 0x40,
    offset: -4,
  });
});

Deno.test("conversions: a signed byte of a register, widened", () => {
  // DW_OP_const1u 0xfe, DW_OP_convert <int8>, DW_OP_convert 0 (the generic type), DW_OP_stack_value
  assertEquals(at(0x08, 0xfe, 0xa8, 0x2a, 0xa8, 0, 0x9f), {
    kind: "value",
    value: 0xffff_ffff_ffff_fffen,
  });
});

Deno.test("in 32 bits a constant may be wider than an address; an address is not", () => {
  const bytes = [0x10, 0xbc, 0xb5, 0xe2, 0xb3, 0xc5, 0xc6, 0x04]; // DW_OP_constu 0x123456789abc
  assertEquals(narrow(...bytes, 0x9f), { kind: "value", value: 0x123456789abcn });
  assertEquals(narrow(...bytes), { kind: "memory", address: 0x56789abcn });
});

Deno.test("what is unknown or damaged says so", () => {
  assertEquals(at(0x74, 0), { kind: "unknown", reason: "register 4 is not known in this frame" });
  assertEquals(at(0x0a), { kind: "unknown", reason: "its location is damaged" });
  assertEquals(at(0x30, 0x30, 0x1b), { kind: "unknown", reason: "its location is damaged" });
  assertEquals(at(0x2f, 0xfd, 0xff).kind, "unknown"); // skip -3: for ever
});

Deno.test("other entries' descriptions work on the same stack", () => {
  assertEquals(at(0x31, 0x98, 0x10, 0, 0x9f), { kind: "value", value: 6n }); // lit1 call2
  assertEquals(at(0x31, 0x99, 0x20, 0, 0, 0, 0x9f), { kind: "value", value: 6n }); // call4, a call in it
  assertEquals(at(0x31, 0x9a, 0x20, 0, 0, 0, 0x9f), { kind: "value", value: 6n }); // call_ref
  assertEquals(at(0x31, 0x98, 0x77, 0, 0x9f), { kind: "value", value: 1n }); // no location: nothing
  assertEquals(at(0x98, 0x30, 0), {
    kind: "unknown",
    reason: "descriptions that call each other",
  });
});

Deno.test("floating-point numbers: conversions, arithmetic, comparisons", () => {
  const convert = [0xa8, 0x2b];
  const bits = (value: number) => new DataView(Float64Array.of(value).buffer).getBigUint64(0, true);
  // lit7 lit2, each converted; div
  assertEquals(at(0x37, ...convert, 0x32, ...convert, 0x1b, 0x9f), {
    kind: "value",
    value: bits(3.5),
  });
  assertEquals(at(0x37, ...convert, 0x1f, 0x9f), { kind: "value", value: bits(-7) }); // neg
  // 7.0 < 2.0, and back to an integer
  assertEquals(at(0x37, ...convert, 0x32, ...convert, 0x2d, 0x9f), { kind: "value", value: 0n });
  assertEquals(at(0x37, ...convert, 0xa8, 0, 0x9f), { kind: "value", value: 7n });
  // const_type double 0.5; minus
  const half = [0xa4, 0x2b, 8, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f];
  assertEquals(at(0x31, ...convert, ...half, 0x1c, 0x9f), { kind: "value", value: bits(0.5) });
  assertEquals(at(0x31, ...half, 0x1c, 0x9f), {
    kind: "unknown",
    reason: "its location mixes types",
  });
});

Deno.test("integers of 128 bits keep their width, their sign and their type", () => {
  const [int, unsigned] = [[0xa8, 0x2c], [0xa8, 0x2f]];
  const value = (value: bigint) =>
    ({ kind: "value", value: BigInt.asUintN(128, value), size: 128 }) as const;
  // lit9 convert; const1u 70 convert; shl
  assertEquals(at(0x39, ...unsigned, 0x08, 70, ...unsigned, 0x24, 0x9f), value(9n << 70n));
  assertEquals(at(0x39, ...int, 0x1f, 0x9f), value(-9n)); // neg
  assertEquals(at(0x39, ...int, 0x20, 0x9f), value(-10n)); // not
  assertEquals(at(0x39, ...int, 0x1f, 0x34, ...int, 0x1b, 0x9f), value(-2n)); // div by 4
  assertEquals(at(0x39, ...int, 0x1f, 0x34, ...int, 0x1d, 0x9f), value(-1n)); // mod 4
  assertEquals(at(0x39, ...int, 0x1f, 0x32, 0x26, 0x9f), value(-3n)); // shra 2
  assertEquals(at(0x39, ...int, 0x1f, 0x23, 0x0b, 0x9f), value(2n)); // plus_uconst 11
  // lit1 lit2 convert swap: the number with a type is below; drop is what is left.
  assertEquals(at(0x31, 0x39, ...int, 0x16, 0x13, 0x1f, 0x9f), value(-9n));
  // lit7 convert lit1 lit2 rot rot neg: the number with a type has become the top.
  assertEquals(at(0x37, ...int, 0x31, 0x32, 0x17, 0x17, 0x1f, 0x9f), value(-7n));
  // deref_type 16 of memory, whose words here have their size as their value
  const wide = {
    ...context,
    readMemory: (address: bigint, size: number) => address + BigInt(size),
  };
  assertEquals(
    evaluateLocation(Uint8Array.of(0x30, 0xa6, 16, 0x2c, 0x9f), wide),
    value(8n | 16n << 64n),
  );
  assertEquals(at(0x30, 0xa6, 17, 0x2c), {
    kind: "unknown",
    reason: "a value of 17 bytes in memory",
  });
  assertEquals(at(0xa5, 3, 0x2c), {
    kind: "unknown",
    reason: "a register with a value of 128 bits",
  });
  // entry_value(regval_type reg5 int128)
  assertEquals(at(0xa3, 3, 0xa5, 5, 0x2c, 0x9f), value(77n));
});

Deno.test("the type of addresses is signed in a division, and unsigned in its remainder", () => {
  const value = (value: bigint) => ({ kind: "value", value: BigInt.asUintN(64, value) }) as const;
  assertEquals(at(0x11, 0x76, 0x34, 0x1b, 0x9f), value(-2n)); // consts -10, lit4, div
  const large = 0xffff_ffff_ffff_fff6n;
  assertEquals(at(0x11, 0x76, 0x37, 0x1d, 0x9f), value(large % 7n)); // mod
});

Deno.test("floating-point numbers of 80 and of 128 bits are converted exactly", () => {
  const value = (value: bigint) => ({ kind: "value", value, size: 128 }) as const;
  // 7 is 1.75 times two to the 2: an explicit first digit in Intel's format, none in IEEE 754's.
  assertEquals(at(0x37, 0xa8, 0x2d, 0x9f), value(0x4001n << 64n | 0xen << 60n));
  assertEquals(at(0x37, 0xa8, 0x2e, 0x9f), value(0x4001n << 112n | 0xcn << 108n));
  assertEquals(at(0x37, 0xa8, 0x2c, 0x1f, 0xa8, 0x2d, 0x9f), value(0xc001n << 64n | 0xen << 60n));
  for (const long of [0x2d, 0x2e]) {
    // Through a double and back.
    assertEquals(at(0x37, 0xa8, long, 0xa8, 0x2b, 0xa8, long, 0xa8, 0, 0x9f), {
      kind: "value",
      value: 7n,
    });
    assertEquals(at(0x30, 0xa8, long, 0x9f), value(0n));
    assertEquals(at(0x37, 0xa8, long, 0x37, 0xa8, long, 0x22, 0x9f), {
      kind: "unknown",
      reason: "an expression with floating-point numbers of 128 bits",
    });
  }
});
