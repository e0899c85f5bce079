import { assert, assertEquals } from "@std/assert";
import { textWidth } from "../../../repl/edit/width.ts";
import { elide, shortName } from "../../../repl/view/short_name.ts";

Deno.test("arguments of templates, then parameters; operators and scopes stay", () => {
  // Names as llvm-cxxfilt, swift-demangle and rustfilt print them.
  const cases: readonly [name: string, templates: string, bare: string][] = [
    [
      "std::__1::vector<int, std::__1::allocator<int>>::push_back(int const&)",
      "std::__1::vector<…>::push_back(int const&)",
      "std::__1::vector<…>::push_back(…)",
    ],
    [
      "void std::sort<int*, bool (*)(int, int)>(int*, int*, bool (*)(int, int))",
      "void std::sort<…>(int*, int*, bool (*)(int, int))",
      "void std::sort<…>(…)",
    ],
    ["Foo::operator<<(int)", "Foo::operator<<(int)", "Foo::operator<<(…)"],
    [
      "Foo<int>::operator()(int) const",
      "Foo<…>::operator()(int) const",
      "Foo<…>::operator()(…) const",
    ],
    ["Box<int>::operator->() const", "Box<…>::operator->() const", "Box<…>::operator->() const"],
    [
      "(anonymous namespace)::helper(int)",
      "(anonymous namespace)::helper(int)",
      "(anonymous namespace)::helper(…)",
    ],
    ["main", "main", "main"],
    [
      "-[NSArray<Thing> objectAtIndex:]",
      "-[NSArray<Thing> objectAtIndex:]",
      "-[NSArray<Thing> objectAtIndex:]",
    ],
    [
      "<alloc::vec::Vec<T> as core::ops::Drop>::drop",
      "<alloc::vec::Vec<…> as core::ops::Drop>::drop",
      "<alloc::vec::Vec<…> as core::ops::Drop>::drop",
    ],
    [
      "closure #1 (Swift.Int) -> () in App.Model.load<A>(from: App.Source<A>) -> ()",
      "closure #1 (Swift.Int) -> () in App.Model.load<…>(from: App.Source<…>) -> ()",
      "closure #1 (…) -> () in App.Model.load<…>(…) -> ()",
    ],
    ["broken<(name", "broken<(name", "broken<(name"],
  ];
  for (const [name, templates, bare] of cases) {
    assertEquals(elide(name, "<"), templates);
    assertEquals(elide(elide(name, "<"), "("), bare);
  }
});

Deno.test("no more than fits, and never more than the screen", () => {
  const name = "std::__1::__function::__func<Worker::start(std::__1::function<void ()>)::$_0, " +
    "std::__1::allocator<Worker::start(std::__1::function<void ()>)::$_0>, void ()>::operator()()";
  assertEquals(shortName(name, 1000), name);
  assertEquals(shortName(name, 60), "std::__1::__function::__func<…>::operator()()");
  for (let columns = 3; columns < 200; columns++) {
    const short = shortName(name, columns);
    assert(textWidth(short) <= columns, `${columns}: ${short}`);
    if (columns >= 16) assert(short.endsWith("operator()()".slice(-8)), short);
  }
});

Deno.test("the function's own name stays when the rest has no room", () => {
  const wait =
    "std::condition_variable::wait<waiter(int)::'lambda'()>(std::unique_lock<std::mutex>&)";
  assertEquals(shortName(wait, 40), "std::condition_variable::wait<…>(…)");
  assertEquals(shortName(wait, 30), "std::condition_variable::wait");
  assertEquals(shortName(wait, 26), "…condition_variable::wait");
  assertEquals(shortName(wait, 10), "…wait");
});
