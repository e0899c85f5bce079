/** Variables at the prompt, over a live demo. */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { attach } from "../../../ffi/processes.ts";
import { UserError } from "../../../repl/errors.ts";
import { startDemo } from "../../lib/target/demo.ts";
import { runs } from "../../machine.ts";
import { run } from "./run.ts";
import { Session } from "../../../repl/prompt/session.ts";
import { held } from "../../../repl/prompt/open.ts";
import { plain } from "../../../repl/view/style.ts";
import { complete } from "../../../repl/prompt/completion.ts";
import { enclosing } from "../../../repl/commands/expressions.ts";
import { demangle } from "../../../lib/symbols/walking.ts";

Deno.test(
  { name: "variables: shown, named, written, and in backtraces", ignore: !runs("x86_64") },
  async () => {
    using target = await startDemo("x86_64");
    try {
      const session = new Session(plain);
      session.open(held(target));
      session.pause();
      const deep = target.threads.find(({ name }) => name === "demo.deep")!;
      session.selectThread(deep.index);
      const index = session.frames.findIndex((frame) => frame.function === "descend");
      session.selectFrame(index + 1);
      const shown = await run(session, "v");
      assertEquals(shown.slice(0, 3), [
        "(int) depth = 2",
        "(volatile int[4]) local = {",
        "  [0] = 2",
      ]);
      assertStringIncludes(shown.at(-1)!, "(int) below = <no location at this pc>");
      assertEquals(await run(session, "info args"), ["(int) depth = 2"]);
      assertEquals(await run(session, "v local[3]"), ["(volatile int) local[3] = 5"]);
      assertEquals(await run(session, "v local[1-2]"), [
        ...["(volatile int) local[1] = 3", "(volatile int) local[2] = 4"],
      ]);
      assertEquals(await run(session, "v -Z 2 local"), [
        ...["(volatile int[4]) local = {", "  [0] = 2", "  [1] = 3", "  … 2 more", "}"],
      ]);
      assertEquals(await run(session, "v -Z 2 &local[2]"), [
        ...["(volatile int[2]) &local[2] = {", "  [0] = 4", "  [1] = 5", "}"],
      ]);
      assertEquals(await run(session, "p local[2]@2"), [
        ...["(volatile int[2]) {", "  [0] = 4", "  [1] = 5", "}"],
      ]);
      for (
        const [line, candidates] of [
          ["p dep", ["depth"]],
          ["p/x *loc", ["local"]],
          ["print local[1] + bel", ["below"]],
          ["p ledger.sig", ["ledger.signature"]],
          ["p Number.MAX_V", ["MAX_VALUE"]],
        ] as const
      ) {
        const found = await complete(session, line, line.length);
        assertEquals(found.candidates, [...candidates], line);
      }
      assertEquals(
        await run(session, "source list -n descend"),
        await run(session, "source descend"),
      );
      assertEquals(await run(session, "variable write local[3] -9 --yes"), ["local[3]: 5 -> -9"]);
      assertEquals(await run(session, "v local[3]"), ["(volatile int) local[3] = -9"]);
      const json = JSON.parse((await run(session, "v depth --json")).join(""));
      assertEquals([json[0].name, json[0].type, json[0].value], ["depth", "int", 2]);
      await assertRejects(() => run(session, "v missing"), UserError, "it has depth, local, below");

      for (
        const [line, value, name = "depth"] of [
          ["p depth --json", 2],
          ["p --json depth", 2],
          ["p/x depth --json", "0x00000002"],
          ["p local[3] --json", -9, "local[3]"],
          ["p depth - 1 --json", 1, ""],
          ["watch depth --json", 2],
        ] as const
      ) {
        const printed = JSON.parse((await run(session, line)).join(""));
        assertEquals([printed.name, printed.value], [name, value], line);
      }
      // The main thread sleeps in the loader, which has no debug information.
      session.selectThread(0);
      const [nothing] = await run(session, "v");
      assertMatch(nothing, /^no debug .* `frame (\d+)`, wait_for_event, has some$/);
      await run(session, `frame ${/\d+/.exec(nothing)![0]}`);
      assertEquals((await run(session, "v"))[0], "(int) microseconds = 5000");
      session.selectThread(deep.index);
      session.selectFrame(index + 1);
      const [watched] = await run(session, "watch local[3]");
      assertStringIncludes(watched, "(volatile int) local[3] = -9");
      assertEquals(await run(session, "p (counter)5 + depth"), ["(unsigned long long) 7"]);
      assertEquals(await run(session, "p *(local + 1)"), ["(volatile int) 3"]);
      // What both languages know is C's: the same with a format and without.
      for (
        const [text, shown] of [
          ["10/4", "(int) 2"],
          ["'A' + 1", "(int) 66"],
          ["017", "(int) 15"],
          ["1LL << 40", "(long long) 1099511627776"],
          ["2.0f * depth", "(float) 4"],
          ["~0u & depth", "(unsigned int) 2"],
          ["~(long)depth", "(long) -3"],
          ["sizeof('A')", "(unsigned long) 1"],
          ["static_cast<long>(2.9)", "(long) 2"],
        ]
      ) {
        assertEquals(await run(session, `p ${text}`), [shown], text);
      }
      assertEquals(await run(session, "frame var depth"), ["(int) depth = 2"]);
      await assertRejects(() => run(session, "p $rax"), UserError, "no register $rax is known");
      await assertRejects(() => run(session, "p 1<<40"), UserError, "a shift by 40 is not defined");
      assertEquals(await run(session, "v &local[2]").then((lines) => lines.slice(1)), [
        ...["  *&local[2] = 4", "}"],
      ]);
      await assertRejects(() => run(session, 'p depth["a"]'), UserError, "frame.locals.depth");
      const stack = JSON.parse((await run(session, "bt --args --json")).join(""));
      const own = stack.threads[0].frames[session.frameIndex];
      assertEquals([stack.threads.length, stack.threads[0].index], [1, deep.index]);
      assertEquals([own.symbol, own.variables[0].name, own.variables[0].value], [
        ...["descend", "depth", 2],
      ]);
      assertEquals(JSON.parse((await run(session, "bt all --json")).join("")).threads.length, 7);
      await assertRejects(() => run(session, "v local[9]"), UserError, "local has no element 9");

      const [first] = await run(session, "up --args");
      assertStringIncludes(first, "descend(depth=3) + ");
      const bt = await run(session, "bt --args --locals");
      assert(bt.some((line) => line.includes("descend(depth=4) + ")));
      assert(bt.some((line) => line.trim() === "(volatile int[4]) local = {"));

      const frame = JSON.parse((await run(session, "frame --args --json")).join(""));
      assertEquals([frame.symbol, frame.variables[0].name, frame.variables[0].value], [
        ...["descend", "depth", 3],
      ]);
      const globals = await run(session, "target variable demo_initialised demo_argc");
      assertEquals(globals, [
        "(volatile unsigned int) demo_initialised = 21",
        "(volatile unsigned int) demo_argc = 1",
      ]);
      const [ready] = target.globals(target.images[0], "demo_ready");
      assertEquals([ready.kind, ready.scalar], ["global", 1]);
      assertEquals([...target.globals(undefined, "no such")], []);
      await assertRejects(() => run(session, "globals nosuch"), UserError, "variable nosuch");

      const { locals } = session.frame;
      assertEquals(session.frame.localsAs<{ depth: number }>().depth, 3);
      assertEquals(locals.depth + 1, 4);
      assertEquals([...locals.local], [3, 4, 5, 6]);
      assertEquals(locals.local[1], 4);
      assertEquals(locals.local.length, 4);
      assertEquals(locals.account?.id, undefined);
      locals.local[0] = 100;
      assertEquals(session.frame.locals.local[0], 100);
      assertEquals(Object.keys(locals), ["depth", "local", "below"]);

      // A variable in a register of the innermost frame is written there, and of no other.
      session.selectThread(target.threads.find(({ name }) => name === "demo.leaf")!.index);
      const [register] = session.frame.variables.filter(({ register }) => register !== null);
      const size = register.type.name === "unsigned int" ? 32 : 64;
      const whole = session.thread.registers.get(register.register!)!;
      const written = BigInt.asUintN(size, 0x1234n);
      session.frame.locals[register.name] = written;
      const now = target.threads[session.thread.index].registers.get(register.register!)!;
      assertEquals(now, (whole >> BigInt(size) << BigInt(size)) | written);
      session.thread.setRegister(register.register!, whole);
      const [caller] = session.frames[1].variables;
      assertThrows(() => caller.write(1), TypeError, "in the innermost frame");
    } finally {
      target.kill();
    }
  },
);

Deno.test({
  name: "a name is that of the variable which is compiled with the function, before all others",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir();
    // `glob` is also a function of libc; `counter` one of each file; a thread's own has no symbol.
    await Deno.writeTextFile(
      `${folder}/first.c`,
      "static int counter = 1;\nint other(void) { return counter; }\n",
    );
    await Deno.writeTextFile(
      `${folder}/second.c`,
      `#include <unistd.h>
      int other(void);
      static int counter = 100, glob = 17;
      static _Thread_local int own = 7;
      int main(void) {
        counter += glob + own + other();
        write(1, "x", 1);
        for (;;) pause();
      }`,
    );
    const args = ["-g", "-O0", "first.c", "second.c", "-o", "program"];
    const { success } = await new Deno.Command("cc", { args, cwd: folder }).output();
    assert(success);
    const child = new Deno.Command(`${folder}/program`, { stdout: "piped" }).spawn();
    try {
      await child.stdout.getReader().read();
      using target = attach(child.pid);
      const session = new Session(plain);
      session.open(held(target));
      session.pause();
      const main = session.frames.findIndex((frame) => frame.function === "main");
      // In the system's function, too, which a pause mostly finds.
      for (const index of [main, 0]) {
        session.selectFrame(index);
        assertEquals(await run(session, "p counter"), ["(int) counter = 125"]);
        assertEquals(await run(session, "p glob"), ["(int) glob = 17"]);
        assertEquals(await run(session, "p own + 1"), ["(int) 8"]);
        assertMatch((await run(session, "p malloc"))[0], /^0x[\da-f]{16} malloc$/);
      }
    } finally {
      child.kill("SIGKILL");
      await child.status;
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("a mangled name in an error is readable, too", async () => {
  const session = new Session(plain);
  const fail = () => {
    throw new UserError(`${demangle("_ZN3foo3barEv")} has none`);
  };
  await assertRejects(() => session.withNames(fail), UserError, "foo::bar() has none");
});

Deno.test("names of types are looked for in the namespaces that a function is in", () => {
  assertEquals(enclosing("_ZN4shop4Cart4walkEiRKNS_4ItemE"), ["shop::Cart", "shop"]);
  assertEquals(enclosing("_ZNK1a3BoxIN1b1CEE3getIiEET_v"), ["a::Box<b::C>", "a"]);
  assertEquals(enclosing("main"), []);
  assertEquals(enclosing("-[Foo bar:]"), []);
});
