/** Functions found by the names that people write. The mangled names were made by clang 19 and rustc 1.95 of
 * small sources, or are of the Swift project's list of manglings. */
import { assertEquals } from "@std/assert";
import type { ImageSymbol, LoadedImage } from "../../../mod.ts";
import { loadDemangler } from "../../../lib/symbols/demangle/mod.ts";
import { Symbolizer } from "../../../lib/symbols/mod.ts";

const names = [
  "main",
  "draw_all",
  "_ZN3app12_GLOBAL__N_16hiddenEi",
  "_ZN3app3useEv",
  "_ZN3app5Shape4drawERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
  "_ZN3app5ShapeD1Ev",
  "_ZN3app5ShapeclEi",
  "_ZN3app5twiceIiEET_S1_",
  "_ZNK3app3BoxISt6vectorIiSaIiEEE3getES3_",
  "_ZNK3app3BoxIiE3getEi",
  "_ZNK3app5Shape4drawEi",
  "_ZNK3app5ShapeltERKS0_",
  "_RNvMNtCsf6No1ZYbnpa_1n6workerINtB2_4PoollE4spinB4_",
  "_RNvNtCsf6No1ZYbnpa_1n6worker8park_all",
  "$s4main3fooyySiF",
  "$s4test10returnsInt1iS2i_tF",
  "-[View drawRect:]",
  "+[View(Extra) make]",
  "-[Other drawRect:]",
];

const symbols = names.map((name, index): ImageSymbol => ({
  name,
  rawName: `_${name}`,
  address: 0x1000n + BigInt(index) * 0x10n,
  size: 0x10,
  external: true,
  thumb: false,
}));

const image: LoadedImage & { symbols: ImageSymbol[] } = {
  name: "app",
  path: "/app",
  uuid: null,
  loadAddress: 0x1000n,
  slide: 0n,
  ranges: [{ start: 0x1000n, end: 0x2000n }],
  symbols,
  symbolAt: () => null,
  findSymbols: (name) => symbols.filter((symbol) => symbol.name === name),
};

await loadDemangler();

/** The numbers of what is found. */
function found(name: string): number[] {
  return new Symbolizer([image]).lookup(name).map(({ symbol }) => symbols.indexOf(symbol));
}

Deno.test("C++: base and qualified names, with parameters and template arguments and without", () => {
  assertEquals(found("draw"), [4, 10]);
  assertEquals(found("Shape::draw"), [4, 10]);
  assertEquals(found("app::Shape::draw"), [4, 10]);
  assertEquals(found("app::Shape::draw(int) const"), [10]);
  assertEquals(found("Shape::draw(int) const"), [10]);
  assertEquals(found("hidden"), [2]);
  assertEquals(found("app::hidden"), [2]);
  assertEquals(found("app::(anonymous namespace)::hidden(int)"), [2]);
  assertEquals(found("use()"), [3]);
  assertEquals(found("get"), [8, 9]);
  assertEquals(found("Box::get"), [8, 9]);
  assertEquals(found("Box<int>::get"), [9]);
  assertEquals(found("app::Box<int>::get(int) const"), [9]);
  assertEquals(found("twice"), [7]);
  assertEquals(found("app::twice<int>"), [7]);
  assertEquals(found("~Shape"), [5]);
  assertEquals(found("Shape::~Shape"), [5]);
  assertEquals(found("Shape::operator()"), [6]);
  assertEquals(found("operator<"), [11]);
  assertEquals(found("Shape::operator<(app::Shape const&) const"), [11]);
});

Deno.test("Rust, Swift and Objective-C", () => {
  assertEquals(found("spin"), [12]);
  assertEquals(found("Pool::spin"), [12]);
  assertEquals(found("worker::park_all"), [13]);
  assertEquals(found("n::worker::park_all"), [13]);
  assertEquals(found("foo"), [14]);
  assertEquals(found("foo(_:)"), [14]);
  assertEquals(found("returnsInt"), [15]);
  assertEquals(found("returnsInt(i:)"), [15]);
  assertEquals(found("drawRect:"), [16, 18]);
  assertEquals(found("View drawRect:"), [16]);
  assertEquals(found("[View drawRect:]"), [16]);
  assertEquals(found("[View make]"), [17]);
  assertEquals(found("-[View drawRect:]"), [16]);
});

Deno.test("exact names come first; parts of names do not match", () => {
  assertEquals(found("main"), [0]);
  assertEquals(found("raw"), []);
  assertEquals(found("Shape"), []);
  assertEquals(found("hape::draw"), []);
  assertEquals(found("draw_"), []);
  assertEquals(found("draw(double)"), []);
  assertEquals(found(""), []);
});
