/** A C++ program and one that calls `exec`, in the words of LLDB and gdb. The compiler checks the offsets and sizes
 * that are expected. */
import {
  assertEquals,
  assertFalse,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { launch, type LiveTarget, MemoryReadError, openCore } from "../../../mod.ts";
import { held } from "../../../repl/prompt/open.ts";
import { promptText } from "../../../repl/prompt/prompt.ts";
import { UserError } from "../../../repl/errors.ts";
import { Session } from "../../../repl/prompt/session.ts";
import { plain } from "../../../repl/view/style.ts";
import { hasX86Loader } from "../../machine.ts";
import { run } from "./run.ts";

const ignore = !hasX86Loader;
const directory = await Deno.makeTempDir();
addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));

const shapes = `extern "C" int pause(void);
namespace geo {
enum Colour { kRed, kGreen };
struct Point { int x, y; };
class Shape {
 public:
  virtual double area() const = 0;
  Colour colour = kGreen;
};
class Circle : public Shape {
 public:
  double radius = 2.5;
  Point centre{1, 2};
  int tag = 7;
  double area() const override;
};
double Circle::area() const {
  for (;;) pause();
}
union Either { int i; float f; };
struct Bits {
  unsigned a : 3;
  unsigned b : 5;
  bool c;
  Either u;
  char name[16];
  Point *next;
  int (*fn)(int, char);
};
typedef Bits Alias;
struct Tool {
  explicit Tool(int kind = 1);
  Tool(const Tool &) = delete;
  virtual ~Tool();
  static Tool *make(const char *name, ...);
  operator bool() const { return kind != 0; }
  template <class T> T as(T other) { return other; }
  static int made;
 private:
  void hide(int) &&;
  int kind;
};
Tool::Tool(int kind) : kind(kind) {}
Tool::~Tool() {}
int Tool::made = 1;
}
#define AT(type, member, offset) static_assert(__builtin_offsetof(geo::type, member) == offset)
AT(Bits, c, 1); AT(Bits, u, 4); AT(Bits, name, 8); AT(Bits, next, 24); AT(Bits, fn, 32);
AT(Circle, radius, 16); AT(Circle, centre, 24); AT(Circle, tag, 32);
static_assert(sizeof(geo::Bits) == 40 && sizeof(geo::Circle) == 40 && sizeof(geo::Shape) == 16);
int counter = 42;
int deep(int n, geo::Shape *shape) {
  return n == 0 ? (int)shape->area() : deep(n - 1, shape) + 1;
}
int main() {
  geo::Circle circle;
  geo::Tool tool;
  geo::Tool::made = tool.as(2) + (tool ? 1 : 0);
  geo::Alias bits{1, 2, true, {3}, "hello", nullptr, nullptr};
  return deep(6, &circle) + bits.a;
}
`;

async function compile(name: string, source: string, ...objects: string[]): Promise<string> {
  const path = `${directory}/${name}`;
  await Deno.writeTextFile(path, source);
  const program = path.replace(/\.\w+$/, "");
  const compiler = name.endsWith(".cc") ? "g++" : "cc";
  const { success, stderr } = await new Deno.Command(compiler, {
    args: ["-g", "-O0", "-Wno-invalid-offsetof", "-Wl,--build-id", "-o", program, path, ...objects],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return program;
}

/** Two units that mean different things by the same names. */
const units = {
  inner: `extern int pause(void);
typedef int pair;
typedef struct item { int only; } item;
item kept = {3};
pair plain = 5;
int inner(void) { for (;;) pause(); }
`,
  outer: `extern int inner(void);
struct pair { short x, y; };
typedef struct item { double first; char name[4]; } item;
struct pair both = {1, 2};
item other = {1.5, "abc"};
int grid[3][2] = {{1, 2}, {3, 4}, {5, 6}};
int main(void) {
  return inner();
}
`,
};

/** Runs something on a program that was launched, and ends it. */
async function withProgram(
  program: string,
  test: (session: Session, target: LiveTarget) => Promise<void>,
): Promise<void> {
  using target = await launch(program, [], { output: "null" });
  try {
    using session = new Session(plain);
    session.open({ ...held(target), [Symbol.dispose]() {} });
    await test(session, target);
  } finally {
    target.kill();
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 3000 && !holds(); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

Deno.test({
  name: "types, registers, sources and formats of a C++ program",
  ignore,
  async fn() {
    const program = await compile("shapes.cc", shapes);
    await withProgram(program, async (session, target) => {
      const isThere = () =>
        [...target.threads[0].backtrace()].some(({ function: name }) => name?.includes("area"));
      await until(isThere);
      session.pause();
      const own = session.frames.findIndex(({ function: name }) => name?.includes("area"));
      const bits = [
        "struct geo::Bits: 40 bytes",
        "  +0:0  :3  unsigned int a",
        "  +0:3  :5  unsigned int b",
        "  +1     1  bool c",
        "  +2     2  (unused)",
        "  +4     4  geo::Either u",
        "  +8    16  char name[16]",
        "  +24    8  geo::Point *next",
        "  +32    8  int (*fn)(int, char)",
      ];
      const circle = [
        "class geo::Circle: 40 bytes",
        "  +0   16  geo::Shape  (base)",
        "  +16   8  double radius",
        "  +24   8  geo::Point centre",
        "  +32   4  int tag",
        "  +36   4  (unused)",
        ...[" public:", "  virtual double area() const;"],
      ];
      // Declarations as LLDB's `type lookup` has them; `= delete` and templates, which it leaves out, as gdb.
      const tool = [
        "struct geo::Tool: 16 bytes",
        "  +0   8  __vtbl_ptr_type *_vptr.Tool",
        "  +8   4  int kind",
        "  +12  4  (unused)",
        "  static int made;",
        "  explicit Tool(int);",
        "  Tool(const geo::Tool &) = delete;",
        "  virtual ~Tool();",
        "  static geo::Tool *make(const char *, ...);",
        "  operator bool() const;",
        ...[" private:", "  void hide(int) &&;", " public:", "  int as<int>(int);"],
      ];
      // In the system's function, where nothing is known of the program's types.
      assertEquals(await run(session, "ptype Bits"), bits);
      assertEquals(await run(session, "image lookup -t geo::Bits"), bits);
      assertEquals(await run(session, "type lookup struct geo::Bits"), bits);
      assertEquals(await run(session, "ptype /o Alias"), [
        "typedef geo::Bits geo::Alias",
        "",
        ...bits,
      ]);
      assertEquals(await run(session, "ptype Circle"), circle);
      assertEquals(await run(session, "ptype Tool"), tool);
      const { types: [json] } = JSON.parse((await run(session, "ptype --json Tool")).join(""));
      assertEquals([json.name, json.kind, json.size], ["geo::Tool", "struct", 16]);
      assertEquals(json.members.map((member: Record<string, unknown>) => member.offset), [0, 8]);
      assertEquals(json.statics, [{ name: "made", type: "int", access: "public" }]);
      assertEquals(json.methods.find(({ name }: { name: string }) => name === "hide"), {
        ...{ name: "hide", declaration: "void hide(int) &&;", result: null, parameters: ["int"] },
        ...{ linkageName: "_ZNO3geo4Tool4hideEi", access: "private" },
      });
      assertEquals(await run(session, "whatis Circle *"), ["geo::Circle *: 8 bytes"]);
      assertEquals(await run(session, "ptype Colour"), [
        ...["enum geo::Colour: 4 bytes (unsigned int)", "  kRed = 0", "  kGreen = 1"],
      ]);
      assertEquals(await run(session, "ptype geo::Either"), [
        ...["union geo::Either: 4 bytes", "  +0  4  int i", "  +0  4  float f"],
      ]);
      assertEquals(await run(session, "whatis unsigned long"), ["unsigned long: 8 bytes"]);
      assertEquals(await run(session, "whatis counter + 1"), ["int: 4 bytes"]);
      for (
        const line of ["ptype Nothing", "whatis struct Nothing *", "ptype a::Box<int, b<c>> *"]
      ) {
        await assertRejects(() => run(session, line), UserError, "no debug information tells of a");
      }
      await assertRejects(() => run(session, "whatis deep"), UserError, "`lookup deep` says what");
      await assertRejects(() => run(session, "list nosuch:3"), UserError, "`source map <from> <f");
      for (const line of ["p this", "po self", "p shape", "p bits.a"]) {
        const { message } = await assertRejects(() => run(session, line), UserError);
        assertMatch(message, /^there is no variable .* in this frame: .*`frame \d`, /);
      }
      // A class's name is that of its constructors too.
      session.selectFrame(own + 1);
      assertEquals(await run(session, "ptype shape"), [
        ...["geo::Shape *: 8 bytes", "", "class geo::Shape: 16 bytes"],
        "  +0   8  __vtbl_ptr_type *_vptr.Shape",
        ...["  +8   4  geo::Colour colour", "  +12  4  (unused)"],
        ...[" public:", "  virtual double area() const;"],
      ]);
      assertMatch((await run(session, "p *(geo::Circle *)shape")).join("\n"), /\n {2}tag = 7\n}$/);
      assertEquals(await run(session, "p sizeof(Circle)"), ["(unsigned long) 40"]);
      assertEquals(await run(session, "ptype geo::Circle"), circle);
      session.selectFrame(own);
      assertMatch((await run(session, "po this"))[0], /^\(const geo::Circle \*const\) this = 0x/);

      const { registers, address } = session.frame;
      const pc = `0x${address.toString(16).padStart(16, "0")}`;
      const sp = registers.get("rsp")!;
      assertEquals(await run(session, "p $rip"), [
        `(void (*)()) $rip = ${pc} geo::Circle::area() const + ${
          address - session.frame.symbol!.address
        }`,
      ]);
      assertEquals(
        (await run(session, "p $pc"))[0].replace("$pc", "$rip"),
        (await run(session, "p $rip"))[0],
      );
      assertEquals(await run(session, "p $sp"), [
        `(void *) $sp = 0x${sp.toString(16).padStart(16, "0")}`,
      ]);
      assertEquals(await run(session, "p $rsp + 8"), [
        `(unsigned long) ${sp + 8n}  0x${(sp + 8n).toString(16)}`,
      ]);
      assertEquals(await run(session, "p ($rsp & 0xf) == 0 || 1"), ["(bool) true"]);
      assertEquals(await run(session, "p $rsp === frame.registers.get('rsp')"), ["true"]);

      assertEquals(await run(session, "v -f x radius"), [
        "(double) radius = 0x4004000000000000",
      ]);
      session.selectFrame(own + 1);
      assertEquals(await run(session, "frame variable --format hex n"), ["(int) n = 0x00000000"]);
      assertEquals(await run(session, "p -f x -- n"), ["(int) n = 0x00000000"]);
      assertEquals(await run(session, "expression -O -- n"), ["(int) n = 0"]);
      assertEquals(await run(session, "p/z n"), ["(int) n = 0x00000000"]);
      await assertRejects(() => run(session, "p/2x n"), UserError, "`x/2x <address>`");
      assertEquals(await run(session, "p/i $pc"), await run(session, "x/i $pc"));
      assertEquals(await run(session, "x -c 16 $sp"), await run(session, "memory read -c 16 $sp"));
      assertEquals(
        await run(session, "info registers rip"),
        await run(session, "registers pc"),
      );

      // gdb's outermost frames.
      const frames = (lines: readonly string[]) =>
        lines.slice(1).map((line) => line.trim().split(/ {2,}/).slice(0, 3));
      const whole = frames(await run(session, "bt"));
      assertEquals(frames(await run(session, "bt -3")), whole.slice(-3));
      assertEquals(frames(await run(session, "bt all -1")), whole.slice(-1));
      assertEquals(frames(await run(session, "thread apply all bt -2")), whole.slice(-2));
      assertEquals(
        JSON.parse((await run(session, "bt -2 --json")).join("")).threads[0].frames.length,
        2,
      );

      // Sources: a further `list` goes on, as in gdb.
      const lines = shapes.split("\n");
      const { line } = session.frame.source!;
      const first = await run(session, "list");
      assertEquals(first.length, 12);
      assertMatch(first[6], new RegExp(`^-> ${line} +return`));
      const next = await run(session, "list");
      assertEquals(next[1].trim(), `${line + 6}  ${lines[line + 5]}`.trim());
      assertEquals((await run(session, "list -")).slice(1), first.slice(1));
      assertEquals((await run(session, "list 2,3")).slice(1), [
        "   2  namespace geo {",
        "   3  enum Colour { kRed, kGreen };",
      ]);
      await run(session, `list ${lines.length - 3},${lines.length}`);
      await assertRejects(
        () => run(session, "list"),
        UserError,
        `ends with line ${lines.length - 1}`,
      );
      await run(session, "up");
      assertEquals((await run(session, "list"))[6].startsWith("->"), true);

      // Code: gdb's letters and ranges, LLDB's mixed listing. An instruction that begins in a range is whole.
      const code = async (text: string) =>
        (await run(session, text)).slice(1).map((line) => line.replace(/ {2,}/g, " ").trim());
      const start = await code("disassemble deep");
      assertEquals(await code("disas deep, +5"), start.slice(0, 3));
      assertEquals(await code("disas deep,deep+1"), start.slice(0, 1));
      assertMatch((await run(session, "disas /r deep"))[1], / 55 +push/);
      const mixed = await run(session, "disassemble -m -n deep");
      assertEquals(
        mixed.filter((text) => /^ +\d+ {2}\w/.test(text))[0].trim(),
        `${line - 1}  ${lines[line - 2]}`,
      );
      assertEquals(mixed, await run(session, "disas /s deep"));

      assertEquals(
        (await run(session, "info line"))[1].trim(),
        `deep(int, geo::Shape*) at ${program}.cc:${line}`,
      );
      assertEquals(await run(session, "info proc"), await run(session, "status"));
      assertEquals((await run(session, "info sharedlibrary libc")).length, 2);
      session.selectFrame(session.frames.findIndex((frame) => frame.function === "main"));
      assertEquals(await run(session, "p/s bits.name"), ['(char[16]) bits.name = "hello"']);
      assertEquals(await run(session, "p bits.b;"), ["(unsigned int) bits.b = 2"]);
      await assertRejects(
        () => run(session, 'p counter["one"]'),
        UserError,
        "counter is a variable of the program",
      );
      const found = await run(session, "find &circle, +40, 7");
      assertMatch(found.join("\n"), /^0x[\da-f]+ {2}stack of thread 0$/);
    });
  },
});

Deno.test({
  name: "after exec the target has the new program's name and images",
  ignore,
  async fn() {
    const source = `#include <signal.h>
      #include <string.h>
      #include <unistd.h>
      volatile int ready, told;
      static void tell(int number) { told = number; }
      int main(int count, char **words) {
        signal(SIGUSR1, tell);
        ready = 1;
        while (!told) usleep(1000);
        strcpy(strrchr(words[0], '/'), "/other");
        execl(words[0], words[0], (char *)0);
        return 1;
      }`;
    const program = await compile("first.c", source);
    await Deno.link(program, `${directory}/other`);
    await withProgram(program, async (session, target) => {
      // Until exec is over the program has no images, and no symbols.
      const isReady = () => {
        const [ready] = target.images.length > 0 ? target.lookup("ready") : [];
        return ready !== undefined && target.memory.readU32(ready.symbol.address) === 1;
      };
      await until(isReady);
      assertEquals(promptText(session), "(machpause first running) > ");
      Deno.kill(target.pid, "SIGUSR1");
      await until(() => target.images[0]?.name === "other");
      await until(isReady);
      assertEquals(promptText(session), "(machpause other running) > ");
      assertStringIncludes((await run(session, "pause")).join("\n"), "main + ");
      assertStringIncludes((await run(session, "status")).join("\n"), "other (pid");
      assertEquals((await run(session, "images"))[1].endsWith("/other"), true);
    });
  },
});

Deno.test({
  name: "a type's name means what it does in the frame's unit; sums of addresses are those of C",
  ignore,
  async fn() {
    await Deno.writeTextFile(`${directory}/inner.c`, units.inner);
    const program = await compile("outer.c", units.outer, `${directory}/inner.c`);
    await withProgram(program, async (session, target) => {
      const level = () =>
        [...target.threads[0].backtrace()].findIndex(({ function: name }) => name === "inner");
      await until(() => level() >= 0);
      using _pause = target.pause();
      const shown = async (line: string) => (await run(session, line)).join("\n");
      session.selectFrame(level());
      assertMatch(await shown("ptype item"), /^struct item: 4 bytes\n/);
      assertMatch(await shown("p *(item *)&kept"), /only = 3\n/);
      assertMatch(await shown("ptype pair"), /^typedef int pair\n/);
      assertMatch(await shown("ptype struct pair"), /^struct pair: 4 bytes\n/);
      assertMatch(await shown("p *(struct pair *)&both"), /y = 2\n/);
      session.selectFrame(level() + 1);
      assertMatch(await shown("ptype item"), /^struct item: 16 bytes\n/);
      assertMatch(await shown("image lookup -t item"), /^struct item: 16 bytes\n/);
      assertMatch(await shown("p *(item *)&other"), /name = "abc"\n/);

      for (const [address, value] of [["grid+1", 3], ["&grid[1]", 3], ["grid + 2", 5]]) {
        assertMatch(await shown(`x/1dw ${address}`), new RegExp(`  ${value}$`), `${address}`);
      }
      const [{ symbol }] = target.lookup("both");
      const end = (symbol.address + 4n).toString(16).padStart(16, "0");
      assertMatch(await shown("x/1dh &both+1"), new RegExp(`^0x${end}  `));
      const [main] = target.lookup("main");
      const inside = (main.symbol.address + 4n).toString(16).padStart(16, "0");
      assertMatch(await shown("p main+4"), new RegExp(`0x${inside}`));
      assertMatch(await shown("x/1bx main+4"), new RegExp(`^0x${inside}  `));
    });
  },
});

Deno.test({
  name: "a small core of an ELF program: code is read from its file, variables are not",
  ignore,
  async fn() {
    const program = await compile("shapes.cc", shapes);
    await withProgram(program, async (_session, target) => {
      await until(() =>
        [...target.threads[0].backtrace()].some(({ function: name }) => name?.includes("area"))
      );
      const file = `${directory}/shapes.core`;
      await target.saveCore(file);
      const [{ symbol: { address: code } }] = target.lookup("main");
      const [{ symbol: { address: variable } }] = target.lookup("counter");
      using core = openCore(file);
      assertFalse(
        core.regions().some(({ address, size }) => code >= address && code < address + size),
      );
      assertEquals(core.memory.read(code, 64), target.memory.read(code, 64));
      assertThrows(() => core.memory.read(variable, 4), MemoryReadError);
      using session = new Session(plain);
      session.open({ ...held(core), [Symbol.dispose]() {} });
      assertMatch((await run(session, "disassemble -n main")).join("\n"), /^main:\n.*<\+0> +push /);
    });
  },
});
