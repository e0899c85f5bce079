/** Names of a Swift 6 program (SwiftLint's, from npm), of Swift 3 libraries, and made by hand for what
 * those have not, each with the texts that Swift 6.3's own demangler gives. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { demangle } from "../../../lib/symbols/mod.ts";
import { demangleSwift } from "../../../lib/symbols/demangle/swift/swift.ts";
import { processorTime } from "../../processor_time.ts";

/** Tab-separated: the mangled name, the simplified text, the full text. */
const list = Deno.readTextFileSync(new URL("swift_names.txt", import.meta.url)).trimEnd()
  .split("\n").map((line) => line.split("\t"));

Deno.test("Swift names have the texts that Swift's demangler gives", () => {
  for (const [name, simplified, full] of list) {
    assertEquals(demangleSwift(name, "simplified"), simplified || null, name);
    assertEquals(demangleSwift(name, "full"), full, name);
  }
});

Deno.test("what is no Swift name, or a damaged one, comes back as it was", () => {
  const names = [
    "",
    "_",
    "$s",
    "_T",
    "_T0",
    "_Tt",
    "main",
    "_main",
    "-[View drawRect:]",
    "+[NSObject(Category) new]",
    "_TryAgain",
    "_TSize",
    "__TSize",
    "_TIFFOpen",
    "$s4main3fooyySi",
    "$s4main3fooyySiFF",
    "$s9999main3fooyySiF",
    "$s4main3fooyyA_F",
    "$s4main0a3fooyySiF",
    "$s4main3foo00zzzzyySiF",
    "_TFC4main3Foo3baz",
    "_TtGC4main3Box",
    "$s\u0001abcdC",
  ];
  for (const name of names) {
    assertEquals(demangle(name), name);
    assertEquals(demangle(name, "full"), name);
  }
});

Deno.test("Mach-O's underscore makes no difference", () => {
  assertEquals(demangle("_$s4main3fooyySiF"), "foo(_:)");
  assertEquals(demangle("__$s4main3fooyySiF"), "foo(_:)");
  assertEquals(demangle("$s4main3fooyySiF", "full"), "main.foo(Swift.Int) -> ()");
  assertEquals(demangle("__TtC4main3Foo", "full"), "main.Foo");
  assertEquals(demangle("__T04main3fooySiF", "full"), "main.foo(Swift.Int) -> ()");
});

Deno.test("identifiers that are not ASCII", () => {
  // RFC 3492, section 7.1 (A), with Swift's digits and delimiter.
  assertEquals(
    demangle("$s3app0022egbpdajGbuEbxfgehfvwxnyyF", "full"),
    "app.ليهمابتكلموشعربي؟() -> ()",
  );
  // Lengths count bytes.
  assertEquals(demangle("_TtC4main5naïf", "full"), "main.naïf");
});

Deno.test("names that stand for endless text are given up in bounded time", () => {
  const start = processorTime();
  const bombs = [
    "$s" + "Si_SitA".repeat(3) + Array.from({ length: 600 }, () => "_ADt").join("") + "D",
    // Each generic argument is the type before, twice.
    "$s3app3BoxV" + Array.from({ length: 200 }, (_, i) => `yA${subst(i)}_A${subst(i)}G`).join("") +
    "D",
    "$s" + "2048Si".replace("2048Si", "S2048i").repeat(400) + "D",
    "$s3app" + "0a".repeat(20000) + "0",
    "$s" + "x".repeat(60000),
    "$s" + "m".repeat(60000) + "D",
    "$s3app1fyyF" + "SgyyF".repeat(10000),
    "_Tt" + "M".repeat(60000) + "Si",
    "_Tt" + "T".repeat(60000),
    "_TtGSq".repeat(10000),
    "_Tu" + "9".repeat(60000) + "_r",
    "$s3app1fyyF" + `${"$s3app1fyyF".repeat(20)}`.replaceAll("$", "") + "Tf4pf_n",
    "$s0" + "0_a".repeat(20000),
    "$s00" + "60000" + "z".repeat(60000),
  ];
  for (const name of bombs) {
    assert(demangle(name, "full").length <= Math.max(1 << 18, name.length));
    assert(demangle(name).length <= Math.max(1 << 18, name.length));
  }
  assert(processorTime() - start < 5000);
});

function subst(index: number): string {
  return index === 0 ? "A" : index < 26 ? String.fromCharCode(0x41 + index) : `${index - 27 + 1}_`;
}

Deno.test("mutations of Swift names: no exception, bounded time", () => {
  let seed = 1;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor(seed / 0x1_0000_0000 * below);
  };
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.";
  const names = list.map(([name]) => name);
  const mutations: ((name: string) => string)[] = [
    (name) => name.slice(0, random(name.length)),
    (name) => {
      const at = random(name.length);
      return name.slice(0, at) + letters[random(letters.length)] + name.slice(at + 1);
    },
    (name) => {
      const at = random(name.length);
      return name.slice(0, at) + letters[random(letters.length)] + name.slice(at);
    },
    (name) => {
      const at = random(name.length);
      return name.slice(0, at) + name.slice(at + 1 + random(4));
    },
    (name) => {
      const other = names[random(names.length)];
      return name.slice(0, random(name.length)) + other.slice(random(other.length));
    },
    (name) => {
      const at = random(name.length), size = random(12);
      return name.slice(0, at) + name.slice(at, at + size).repeat(1 + random(20)) + name.slice(at);
    },
  ];
  let understood = 0, slowest = 0;
  const count = 15_000;
  for (let at = 0; at < count; at++) {
    const name = mutations[random(mutations.length)](names[random(names.length)]);
    const start = processorTime();
    const full = demangleSwift(name, "full");
    demangleSwift(name, "simplified");
    slowest = Math.max(slowest, processorTime() - start);
    if (full !== null) understood++;
  }
  assertNotEquals(understood, 0);
  assertNotEquals(understood, count);
  assert(slowest < 1000, `${slowest} ms`);
});
