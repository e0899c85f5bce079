/** C++ and Rust names. Those of C++ have the texts of llvm-cxxfilt, but for return types. */

import { assert, assertEquals } from "@std/assert";
import { demangle, loadDemangler } from "../../../mod.ts";
import { needsLibrary } from "../../../lib/symbols/mod.ts";
import { processorTime } from "../../processor_time.ts";

const cpp: readonly (readonly [name: string, text: string])[] = [
  ["_Z3foov", "foo()"],
  ["__Z3foov", "foo()"],
  ["_ZN3foo3barEi", "foo::bar(int)"],
  ["_ZNK3foo3barERKS_", "foo::bar(foo const&) const"],
  ["_ZN3fooC1Ev", "foo::foo()"],
  ["_ZN3fooD0Ev", "foo::~foo()"],
  ["_ZN3fooplERKS_", "foo::operator+(foo const&)"],
  ["_ZN3foocvbEv", "foo::operator bool()"],
  ["_Z3mapI3BoxIiEE1XT_", "map<Box<int>>(Box<int>)"],
  ["_ZN12_GLOBAL__N_13barEv", "(anonymous namespace)::bar()"],
  ["_Z1fSs", "f(std::string)"],
  ["_ZTV3Foo", "vtable for Foo"],
  ["_ZTT3Foo", "VTT for Foo"],
  ["_ZTI3Foo", "typeinfo for Foo"],
  ["_ZTS3Foo", "typeinfo name for Foo"],
  ["_ZGVZ3foovE1x", "guard variable for foo()::x"],
  ["_ZThn16_N3Foo3barEv", "non-virtual thunk to Foo::bar()"],
  ["_ZTv0_n24_N3Foo3barEv", "virtual thunk to Foo::bar()"],
  ["_Z3foov.cold.1", "foo() (.cold.1)"],
  ["_ZZ3foovENKUlvE_clEv", "foo()::'lambda'()::operator()() const"],
  ["_ZZ3foovENKUlvE0_clEv", "foo()::'lambda0'()::operator()() const"],
  ["_ZN1AILm32EE1fEv", "A<32ul>::f()"],
  ["_ZN1AILi32EE1fEv", "A<32>::f()"],
  ["_ZN1AILb1EE1fEv", "A<true>::f()"],
  ["_Z1fIJEEvDpOT_", "f<>()"],
  // A constructor template, whose first parameter is no return type.
  ["_ZN1AC1IiEEPKcOT_", "A::A<int>(char const*, int&&)"],
  ["_ZN1AC2IiEET_", "A::A<int>(int)"],
  // ABI tags, which are left out.
  ["_ZN1A4sortB8ne200100IPiEEvT_S2_", "A::sort<int*>(int*, int*)"],
  ["_Z3fooB5cxx11v", "foo()"],
  ["____ZN3foo3barEv_block_invoke", "invocation function for block in foo::bar()"],
  ["____ZN3foo3barEv_block_invoke_2", "invocation function for block in foo::bar()"],
];

Deno.test("C++ names", async () => {
  await loadDemangler(["main", "_Z3foov"]);
  for (const [name, text] of cpp) {
    assert(needsLibrary(name), name);
    assertEquals(demangle(name), text, name);
    assertEquals(demangle(name, "full"), text, name);
  }
});

const rust: readonly (readonly [name: string, simplified: string, full: string])[] = [
  [
    "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
    "core::fmt::Formatter::pad",
    "core::fmt::Formatter::pad::h0123456789abcdef",
  ],
  [
    "__ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Debug$GT$3fmt17hfedcba9876543210E",
    "<alloc::string::String as core::fmt::Debug>::fmt",
    "<alloc::string::String as core::fmt::Debug>::fmt::hfedcba9876543210",
  ],
  // RFC 2603.
  ["_RNvCs1234_7mycrate3foo", "mycrate::foo", "mycrate::foo"],
  ["__RNvNtCs1234_7mycrate3bar3foo", "mycrate::bar::foo", "mycrate::bar::foo"],
  ["_RINvCs1234_7mycrate3foolE", "mycrate::foo::<i32>", "mycrate::foo::<i32>"],
  ["_RNCNvCs1234_7mycrate4main0", "mycrate::main::{closure#0}", "mycrate::main::{closure#0}"],
];

Deno.test("Rust names; in full with their hash", () => {
  for (const [name, simplified, full] of rust) {
    assert(needsLibrary(name), name);
    assertEquals(demangle(name), simplified, name);
    assertEquals(demangle(name, "full"), full, name);
  }
});

Deno.test("text that is not a C++ or Rust name is returned unchanged", () => {
  for (
    const name of [
      "_Z",
      "_ZN",
      "_Zzzz",
      "___Z",
      "_R",
      "_RX",
      "_RNv",
      "__RandomName",
      "_ZN3fooE\u0001",
    ]
  ) {
    assertEquals(demangle(name), name);
  }
  for (const name of ["main", "_main", "-[Foo bar]", "$s4main3fooyyF", "_TtC1a1b", "Z3foov"]) {
    assert(!needsLibrary(name), name);
  }
});

Deno.test("a name that expands without end is given up; the next one is demangled", () => {
  const start = processorTime();
  for (const count of [18, 25, 60, 1000]) {
    const place = (at: number) => `S${at === 0 ? "" : (at - 1).toString(36).toUpperCase()}_`;
    // Each pair is of the pair before, twice.
    const pairs = Array.from({ length: count }, (_, at) => `S_I${place(at + 2)}${place(at + 2)}E`);
    const name = `_Z1fSt4pairI1AS0_E${pairs.join("")}`;
    assertEquals(demangle(name), name);
    assertEquals(demangle(`_ZN1A${count}${"f".repeat(count)}Ev`), `A::${"f".repeat(count)}()`);
  }
  for (
    const name of [
      `_Z1f${"P".repeat(60000)}i`,
      `_Z1f${"N1aI".repeat(15000)}`,
      `_RNv${"N".repeat(60000)}`,
    ]
  ) {
    demangle(name);
    assertEquals(demangle("_ZN1A1gEv"), "A::g()");
  }
  assert(processorTime() - start < 10_000);
});

Deno.test("mutations of C++ and Rust names: no exception, bounded time", () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor(seed / 0x1_0000_0000 * below);
  };
  const names = [...cpp, ...rust].map(([name]) => name);
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.";
  let slowest = 0;
  for (let round = 0; round < 10_000; round++) {
    const name = names[random(names.length)], other = names[random(names.length)];
    const at = random(name.length);
    const mutated = round % 2 === 0
      ? name.slice(0, at) + letters[random(letters.length)] + name.slice(at + random(2))
      : name.slice(0, at) + other.slice(random(other.length));
    const start = processorTime();
    demangle(mutated);
    slowest = Math.max(slowest, processorTime() - start);
  }
  assert(slowest < 1000, `${slowest} ms`);
});
