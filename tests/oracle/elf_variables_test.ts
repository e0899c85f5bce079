/** Variables of programs that g++ compiled, in a running process: what the program itself says of them. */
import { assert, assertEquals } from "@std/assert";
import "../../lib/target/variables.ts";
import { attach } from "../../mod.ts";
import { noVariables } from "../../repl/commands/expressions.ts";
import { held } from "../../repl/prompt/open.ts";
import { Session } from "../../repl/prompt/session.ts";
import { plain } from "../../repl/view/style.ts";
import type { LiveTarget, Thread, Value } from "../../mod.ts";
import { contentText } from "../../lib/values/reading.ts";

async function run(folder: string, command: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args, cwd: folder }).output();
  assert(success, `${command}: ${new TextDecoder().decode(stderr)}`);
}

/** A library whose threads have variables of their own. */
const library = (name: string, more = "") => `
__thread int plain_${name} = 9;
__thread long zero_${name};
__thread char large_${name}[3000] = "x";
${more}
void touch_${name}(int n, void **places) {
  plain_${name} += n; zero_${name} = 10 * n; large_${name}[1] = n;
  places[0] = &plain_${name}; places[1] = &zero_${name}; places[2] = large_${name};
}
`;

const program = `
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string>
#include <tuple>
#include <unistd.h>
extern "C" void touch_first(int, void **);
static thread_local int own = 3;
namespace shapes {
enum Kind { kCircle, kSquare = 5 };
struct Shape {
  static constexpr int limit = 99;
  int id = 1;
  virtual ~Shape() {}
};
struct Named {
  long name = 7;
  virtual ~Named() {}
};
template <class T> struct Square final : Named, Shape {
  T side = 4;
};
struct Shared : virtual Shape {
  Kind kind = kSquare;
};
}
using namespace shapes;
static int counter() {
  static int calls = 3;
  return calls++;
}
static const char *const words[] = {"one", "two"};
static const char letters[] = "abc";
static pthread_barrier_t barrier;
static void say(long n, const char *name, void **places) {
  const char *kinds[] = {"plain", "zero", "large"};
  for (int i = 0; i < 3; i++) printf("%ld %s_%s %p\\n", n, kinds[i], name, places[i]);
}
static void touch(long n, const char *library, const char *name) {
  void *places[3];
  ((void (*)(int, void **))dlsym(dlopen(library, RTLD_NOW), name))(n, places);
  say(n, name + 6, places);
}
__attribute__((noinline)) static int deep(int n, const char *text) {
  Square<unsigned long> square;
  Shared shared;
  Shape *shape = n == 0 ? (Shape *)&square : &shared, &reference = square, plain, *same = &plain;
  square.side += counter();
  std::tuple<int, std::string, char> tuple(n, text, 'c');
  int counted[n + 2];
  for (int i = 0; i < n + 2; i++) counted[i] = i * i;
  asm volatile("" : : "m"(shape), "m"(same), "m"(tuple), "m"(counted[0]));
  pthread_barrier_wait(&barrier);
  if (n == 0) { puts("ready"); fflush(stdout); }
  pause();
  return counted[1];
}
static void *work(void *argument) {
  long n = (long)argument;
  own += n;
  printf("%ld own %p\\n", n, (void *)&own);
  void *places[3];
  touch_first(n, places);
  say(n, "first", places);
  if (n == 1) touch(n, "./libsecond.so", "touch_second");
  return (void *)(long)deep(n, "text");
}
int main() {
  pthread_barrier_init(&barrier, nullptr, 3);
  // The slot of a library that is closed is the next one's: this thread's vector still has the first.
  void *places[3];
  void *closed = dlopen("./libclosed.so", RTLD_NOW);
  ((void (*)(int, void **))dlsym(closed, "touch_closed"))(2, places);
  dlclose(closed);
  dlopen("./libsecond.so", RTLD_NOW);
  printf("0 own %p\\n", (void *)&own);
  touch_first(0, places);
  say(0, "first", places);
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], nullptr, work, (void *)(i + 1));
  touch(0, "./liblast.so", "touch_last");
  return deep(words[0][0] - 'o' + letters[0] - 'a', "main");
}
`;

/** The variable of a thread's frame. */
function local(thread: Thread, name: string): Value {
  for (const { variables } of thread.backtrace()) {
    const found = variables.find((variable) => variable.name === name);
    if (found !== undefined) return found;
  }
  throw new Error(`no ${name}`);
}

function check(target: LiveTarget, printed: string): void {
  using _pause = target.pause();
  // Threads are numbered as they were made.
  const threads = [...target.threads].sort((a, b) => Number(a.id - b.id));
  assertEquals(threads.length, 3);
  const wanted = new Map(
    printed.trim().split("\n").slice(0, -1).map((line) => {
      const [thread, name, address] = line.split(" ");
      return [`${thread} ${name}`, BigInt(address)];
    }),
  );
  assertEquals(wanted.size, 3 + 3 * 3 + 3 + 3);
  const names = [
    "own",
    ...["first", "second", "last"].flatMap((library) =>
      ["plain", "zero", "large"].map((kind) => `${kind}_${library}`)
    ),
  ];
  threads.forEach((thread, n) => {
    for (const name of names) {
      const [variable] = target.globals(undefined, name, thread);
      const address = wanted.get(`${n} ${name}`);
      assertEquals(variable?.address ?? null, address ?? null, `${n} ${name}: ${variable}`);
      if (address === undefined) {
        assertEquals(variable.unavailable, "this thread has not used it yet", `${n} ${name}`);
      } else if (name.startsWith("plain_")) assertEquals(variable.scalar, 9 + n, name);
      else if (name.startsWith("zero_")) assertEquals(variable.scalar, 10 * n, name);
    }
    const counted = local(thread, "counted");
    assertEquals(counted.children().map(({ scalar }) => scalar), [0, 1, 4, 9].slice(0, n + 2));
    const tuple = local(thread, "tuple");
    assertEquals(tuple.summary, "size=3");
    assertEquals(tuple.children().map(({ text, summary }) => text ?? summary), [
      `${n}`,
      n === 0 ? '"main"' : '"text"',
      "'c'",
    ]);
  });
  const [main] = threads;
  const shape = local(main, "shape");
  assertEquals(shape.type.name, "shapes::Shape *");
  assertEquals(shape.dynamic?.type.name, "shapes::Square<long unsigned int> *");
  assertEquals(shape.dynamic?.integer, local(main, "square").address);
  assertEquals(shape.child("side")?.scalar, local(main, "square").child("side")?.scalar);
  assertEquals(local(main, "reference").dynamic?.type.name, "shapes::Square<long unsigned int> &");
  assertEquals(local(main, "same").dynamic, null);
  const shared = local(threads[1], "shape").dynamic;
  assertEquals(shared?.type.name, "shapes::Shared *");
  assertEquals(shared?.deref()?.address, local(threads[1], "shared").address);
  assertEquals(shared?.child("kind")?.text, "kSquare");
  const { context } = shape;
  assertEquals(context.namespaces?.(), ["shapes"]);
  const constant = (name: string) => `${context.findConstant?.(name)}`;
  assertEquals(
    ["kSquare", "shapes::kSquare", "Shape::limit", "shapes::Kind::kCircle", "kNone"].map(constant),
    [
      ...["(shapes::Kind) kSquare = kSquare", "(shapes::Kind) kSquare = kSquare"],
      ...["(const int) shapes::Shape::limit = 99", "(shapes::Kind) kCircle = kCircle", "null"],
    ],
  );
  for (const name of ["calls", "counter::calls"]) {
    const [calls] = target.globals(target.images[0], name);
    assertEquals([calls?.scalar, calls?.kind], [6, "static"], name);
  }
  const type = (name: string) => [...target.globals(undefined, name)][0].type.name;
  assertEquals([type("words"), type("letters")], ["const char *const[2]", "const char[4]"]);
}

async function build(folder: string, name: string): Promise<void> {
  await Deno.writeTextFile(`${folder}/${name}.c`, library(name));
  await run(folder, "gcc", "-g", "-fPIC", "-shared", `${name}.c`, "-o", `lib${name}.so`);
}

/** Looks at a program when it has printed `ready`. */
async function running(
  folder: string,
  name: string,
  look: (target: LiveTarget, printed: string) => void,
): Promise<void> {
  const child = new Deno.Command(`${folder}/${name}`, { cwd: folder, stdout: "piped" }).spawn();
  try {
    let printed = "";
    const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    while (!printed.endsWith("ready\n")) {
      const { value, done } = await output.read();
      assert(!done, `it ended: ${printed}`);
      printed += value;
    }
    using target = attach(child.pid);
    look(target, printed);
    await output.cancel();
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
}

Deno.test({
  name:
    "threads' variables of libraries, lengths and tuples of g++'s programs are where the program says",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      for (const name of ["first", "second", "closed", "last"]) {
        await build(folder, name);
      }
      await Deno.writeTextFile(`${folder}/main.cpp`, program);
      const split = ["-gsplit-dwarf", "-fdebug-types-section"];
      for (const flags of [[], [...split, "-gdwarf-4"], [...split, "-gdwarf-5"]]) {
        await run(folder, "g++", "-g", ...flags, "-std=c++20", "-c", "main.cpp");
        await run(folder, "g++", "main.o", "-o", "main", "./libfirst.so");
        await running(folder, "main", check);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

const opaque = `
#include <stdio.h>
#include <unistd.h>
namespace box {
enum Mode { kOff, kOn = 4 };
#ifdef HERE
struct Opaque { int id = 5; Mode mode = kOn; virtual ~Opaque(); };
Opaque::~Opaque() {}
Opaque *make() { return new Opaque; }
#else
struct Opaque;
Opaque *make();
#endif
}
#ifndef HERE
int main() {
  box::Opaque *held = box::make();
  puts("ready"); fflush(stdout);
  pause();
  return held != nullptr;
}
#endif
`;

Deno.test({
  name: "a type that a split unit only declares is the one that another file defines",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${folder}/opaque.cpp`, opaque);
      for (const version of ["4", "5"]) {
        const flags = ["-g", `-gdwarf-${version}`, "-gsplit-dwarf", "-c", "opaque.cpp"];
        await run(folder, "clang++-19", ...flags, "-o", "main.o");
        await run(folder, "clang++-19", ...flags, "-DHERE", "-o", "here.o");
        await run(folder, "clang++-19", "main.o", "here.o", "-o", "opaque");
        await running(folder, "opaque", (target) => {
          using _pause = target.pause();
          const held = local(target.threads[0], "held");
          assertEquals(held.deref()?.children().map(({ name, text }) => [name, text]), [
            ["id", "5"],
            ["mode", "kOn"],
          ]);
          const { context } = held;
          assertEquals(context.findType?.("box::Opaque")?.size, 16);
          assertEquals(`${context.findConstant?.("kOn")}`, "(box::Mode) kOn = kOn");
        });
        await Deno.remove(`${folder}/main.dwo`);
        await running(folder, "opaque", (target) => {
          const session = new Session(plain);
          session.open(held(target));
          session.pause();
          const { frames } = session;
          session.selectFrame(frames.findIndex(({ image }) => image?.name === "opaque"));
          assertEquals(
            noVariables(session),
            "no debug information tells of any; of opaque, split debug information is missing, " +
              `and with it variables and inlined calls: ${folder}/main.dwo`,
          );
        });
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

const nested = `
#include <stdio.h>
#include <unistd.h>
namespace out {
struct Around { struct In; In *in; };
struct Around::In { int id = 4; struct Deep { int more = 9; } deep; };
}
int main() {
  out::Around::In in;
  out::Around around{&in};
  out::Around::In::Deep *deep = &in.deep;
  asm volatile("" : : "m"(around), "m"(deep));
  puts("ready"); fflush(stdout);
  pause();
}
`;

Deno.test({
  name: "types in units of their own have the names of what they are declared in",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${folder}/nested.cpp`, nested);
      for (const compiler of ["g++", "clang++-19"]) {
        const flags = ["-g", "-fdebug-types-section", "nested.cpp", "-o", "nested"];
        await run(folder, compiler, ...flags);
        await running(folder, "nested", (target) => {
          using _pause = target.pause();
          const [thread] = target.threads;
          assertEquals(["in", "around", "deep"].map((name) => local(thread, name).type.name), [
            ...["out::Around::In", "out::Around", "out::Around::In::Deep *"],
          ], compiler);
          assertEquals(local(thread, "deep").deref()?.child("more")?.scalar, 9);
        });
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** What GCC keeps of variables whose registers it needs: expressions with types, over the caller's registers. */
const wide = `
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) long hold(long a) { puts("ready"); fflush(stdout); pause(); return a; }
__attribute__((noinline)) long f(long a, unsigned b, double d, float g) {
  __int128 wide = a; wide = wide * 3 + 1;
  unsigned __int128 shifted = (unsigned __int128)b << 70, sum = (unsigned __int128)a + b;
  __int128 constant = ((__int128)7 << 64) + 5, negative = -3;
  long double extended = d, half = 2.5L, whole = a;
  double twice = d * 2, quarter = d / 4; float more = g + 1, narrow = d; int truncated = d;
  _Bool flag = a > 3; short low = a; int rest = (int)a % 7; unsigned third = b / 3;
  return hold(a) + a;
}
__attribute__((noinline)) long g(long a, unsigned b, double d, float g) {
  return f(a, b, d, g) + b + (long)d + (long)g;
}
void touch_first(int, void **);
int main() {
  void *places[3];
  ((void (*)(int, void **))dlsym(dlopen("./libsecond.so", RTLD_NOW), "touch_second"))(1, places);
  touch_first(1, places);
  printf("%p\\n", places[0]);
  volatile int x = 5;
  int y = x;
  return (int)g(x + 2, x + 4, x * 1.5, x * 0.5f) + y;
}
`;

const expected: Readonly<Record<string, string>> = {
  ...{ a: "7", b: "9", d: "7.5", g: "2.5", wide: "22", shifted: `${9n << 70n}`, sum: "16" },
  ...{ constant: `${(7n << 64n) + 5n}`, negative: "-3", extended: "7.5", half: "2.5", whole: "7" },
  ...{ twice: "15", quarter: "1.875", more: "3.5", narrow: "7.5", truncated: "7", flag: "true" },
  ...{ low: "7", rest: "0", third: "3" },
};

Deno.test({
  name: "expressions with types of GCC: what the source says, or why not",
  ignore: Deno.build.os !== "linux" || Deno.build.arch !== "x86_64",
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${folder}/wide.c`, wide);
      for (const name of ["first", "second"]) await build(folder, name);
      for (const version of ["4", "5", "4 -gsplit-dwarf", "5 -gsplit-dwarf"]) {
        const flags = ["-O2", ...`-gdwarf-${version}`.split(" ")];
        await run(folder, "gcc", ...flags, "-c", "wide.c");
        await run(folder, "gcc", "wide.o", "-o", "wide", "./libfirst.so");
        await running(folder, "wide", (target, printed) => {
          using _pause = target.pause();
          // A program without threads' variables of its own: its library is the first module.
          const [thread] = target.threads;
          const [plain] = target.globals(undefined, "plain_first", thread);
          assertEquals([plain.address, plain.scalar], [BigInt(printed.split("\n")[0]), 10]);
          const frames = thread.backtrace();
          const { variables } = frames.find((frame) => frame.function === "f")!;
          assertEquals(variables.map(({ name }) => name).sort(), Object.keys(expected).sort());
          for (const { name, text, unavailable } of variables) {
            assertEquals(text ?? unavailable, expected[name], `DWARF ${version}: ${name}`);
          }
        });
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** What GCC has within the function around it: a lambda's and a local class's functions. */
const inFunctions = `
#include <string>
#include <stdio.h>
#include <unistd.h>
struct Owner {
  int held = 5;
  void method(int arg) {
    int other = held + arg;
    struct Inner { int own = 3; void wait(int n) { int sum = n + own; puts("ready"); fflush(stdout); pause(); own = sum; } };
    auto lambda = [this, &other, text = std::string("captured")](int z) {
      int q = z + held + other;
      Inner inner;
      inner.wait(q);
    };
    lambda(3);
  }
};
int main() { Owner owner; owner.method(9); }
`;

Deno.test({
  name: "variables of g++'s lambdas, and of functions of local classes",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${folder}/local.cpp`, inFunctions);
      await run(folder, "g++", "-g", "-O0", "local.cpp", "-o", "local");
      await running(folder, "local", (target) => {
        using _pause = target.pause();
        const frames = target.threads[0].backtrace();
        const from = frames.findIndex((frame) => frame.function?.includes("wait"));
        const shown = frames.slice(from, from + 2).map(({ variables }) =>
          variables.filter(({ name }) => !["this", "__closure", "inner"].includes(name))
            .map((value) => `${value.name} = ${contentText(value, 1)}`).sort()
        );
        assertEquals(shown, [
          ["n = 22", "sum = 25"],
          ["other = 14", "q = 22", 'text = "captured"', "z = 3"],
        ]);
      });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** Lengths that optimized code has in variables without names. */
const lengths = `
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) static void hold(void) { puts("ready"); fflush(stdout); pause(); }
__attribute__((noinline)) int fill(int n) {
  int rows[n][n + 1];
  for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) rows[i][j] = 10 * i + j;
  hold();
  asm volatile("" : : "m"(rows[0][0]) : "memory");
  return rows[1][n - 1];
}
int main() { volatile int n = 2; return fill(n) + n; }
`;

Deno.test({
  name: "lengths of arrays in optimized code of GCC",
  ignore: Deno.build.os !== "linux" || Deno.build.arch !== "x86_64",
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${folder}/lengths.c`, lengths);
      await run(folder, "gcc", "-g", "-O2", "lengths.c", "-o", "lengths");
      await running(folder, "lengths", (target) => {
        using _pause = target.pause();
        const rows = local(target.threads[0], "rows");
        assertEquals(contentText(rows, 2), "{{0, 1, 2}, {10, 11, 12}}");
      });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
