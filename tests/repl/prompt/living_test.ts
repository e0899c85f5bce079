/** The prompt as people live in it, at a real terminal: every command on a real process, completion,
 * history, pastes, sizes, Ctrl-C in each state. */
import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { commands } from "../../../repl/commands/mod.ts";
import { textWidth } from "../../../repl/edit/width.ts";
import { directory, paused, running, start, startFake } from "./started.ts";
import { root, visible } from "../terminal.ts";
import { screenOf } from "../vt.ts";
import { hasX86Loader, onLinux } from "../../machine.ts";

const ignore = !hasX86Loader;
const fixtures = new URL("examples/demo", root).pathname;

Deno.test({
  name: "every command, on a real process",
  ignore,
  async fn() {
    await using terminal = await start(["demo"]);
    assertMatch(
      await terminal.until(paused),
      /\n {2}2 {2}"demo\.spin" +running +\d+% .*spin_inner \+ \d+/,
    );
    const core = `${directory}/demo.core`;
    const lines: readonly [line: string, shows: RegExp, prompt?: string][] = [
      ["summary", /\n. 1 {2}"demo\.lock" +waiting +\d+% {2}lock_acquire \+ \d+/],
      ["status", /demo \(pid \d+, x86_64\): paused, 7 threads \(\d on a CPU\), \d images/],
      ["census", /1 thread: demo\.spin\n {2}spin_inner ← spin_outer ← worker_spin\n/],
      ["deadlock", /demo\.lock, in lock_acquire .*, waits for main\nno deadlock: /],
      ["threads", /\n\* thread 0 {2}"demo"[^]*\n {2}thread 6 /],
      ["thread 2", /thread 2 {2}"demo\.spin"[^]*spin_inner \+ \d+/],
      ["bt", /\n {2}1 {2}libworkers\.dylib {2}0x[\da-f]{16} {2}spin_outer \+ \d+/],
      ["bt all --unique --count 1", /thread 6 [^]*\(limit: more frames follow\)/],
      ["up", /\n1 {2}libworkers\.dylib .* spin_outer/],
      ["down", /\n0 {2}libworkers\.dylib .* spin_inner/],
      ["frame 2", /\n2 {2}demo .* worker_spin/],
      ["unwind", / found +[\w-]+: CFA = /],
      // The loader gives each thread its own data, to which gs leads as on a Mac.
      ["registers", /rip 0x[\da-f]{16}[^]*gs_base 0x(?!0{16})[\da-f]{16}/],
      ["register read gs_base", /\ngs_base 0x(?!0{16})[\da-f]{16}\n/],
      ["register read pc", /\nrip 0x[\da-f]{16} {2}worker_spin \+ \d+/],
      ["frame 0", /spin_inner/],
      ["source map ./demo " + fixtures, /\n\.\/demo -> /],
      ["source", /-> +\d+ {2}/],
      ["disassemble", /\nspin_inner:\n[^]*-> 0x[\da-f]+ {2}<\+\d+>/],
      ["x/2i $pc", /-> 0x/],
      ["x/2gx $sp", /\n0x[\da-f]{16} {2}0x[\da-f]{16} {2}0x[\da-f]{16}\n/],
      ["memory read demo_progress 2 --as u64", /\n0x[\da-f]{16} {2}\d+ {2}\d+\n/],
      // Where the machine is busy progress is shown before it, and taken away.
      ["memory find --text demo.spin", /[\r\n]0x[\da-f]{16} {2}\S/],
      ["regions", /rw- +rwx +\S+ \w+ +stack of thread 3\n/],
      ["struct Progress { u64 a; u64 b; }", /Progress: 16 bytes/],
      ["memory read demo_progress --as Progress", /\n {2}\+8 +u64 b = \d+/],
      ["target variable demo_argc", /\n\(volatile unsigned int\) demo_argc = 1\n/],
      ["images", /4C4C44[\dA-F-]+ {2}\/.*\/libworkers\.dylib/],
      ["symbols", /\n.*debug information/],
      ["lookup spin_outer", /libworkers\.dylib {2}spin_outer {2}\d+ bytes/],
      ["image lookup -r -n ^leaf", /leaf_count/],
      ["print threads.length", /\n7\n/],
      ["history 1", /history 1/],
      ["help", /Pausing and threads\n[^]*quit/],
      ["help bt", /example: bt all --unique/],
      ["theme none", /theme none/],
      ["version", /machpause \d/],
      ["ptype unsigned int", /\nunsigned int: 4 bytes\n/],
      ["clear", /\n/],
      [`savecore ${core}`, /demo\.core: stacks, 7 threads/],
      [`.save ${directory}/steps.txt`, /saved \d+ entries/],
      ["thread suspend demo.spin", /\nthread \d "demo\.spin" is suspended: it will not run with/],
      ["resume", /\n1 thread \(\d\) stays suspended: `thread resume \d` ends that\n/, running],
      ["hang 0.3", /\ndemo\.spin: is suspended in spin_inner ← .*1 thread suspended;/s, running],
      ["thread resume all", /\nthread \d "demo\.spin" runs\n/, running],
      ["top 0.3", /\n *\d+% {2}demo\.(?:leaf|spin) {2}/, running],
      ["hang 0.3", /demo\.deep: waits in deep_bottom ← descend ×\d+ ← worker_deep\n/, running],
      ["compare 0.2", /\n= demo\.lock +lock_acquire\n/, running],
      ["pause", /paused: 7 threads/],
      ["top", /the target is paused: `resume` it/],
      ["notes", /only cores have notes/],
      ["detach", /detached from demo/, "(machpause) > "],
      ["self", /deno \(pid \d+, x86_64\)/, "self) > "],
      [`core ${core}`, /7 threads, \d images/, "core) > "],
      ["notes", /LC_IDENT|process|all image infos|bytes at offset/, "core) > "],
      [`launch ${fixtures}/x86_64/demo`, /launched demo/, running],
    ];
    const seen = new Set<string>();
    for (const [line, shows, prompt = paused] of lines) {
      const shown = await terminal.enter(line, prompt);
      assertMatch(shown.slice(shown.indexOf("\n")), shows, line);
      seen.add(line);
    }
    await terminal.enter("register write rax 1", "machpause: the target is running");
    await terminal.until(running);
    await terminal.enter("pause", paused);
    const pid = Number(/\n(\d+)\n/.exec(await terminal.enter("target.pid", paused))![1]);
    // A change is asked about; anything but yes is no.
    await terminal.enter("register write rax 0x1234", "write it? (y/n) ");
    await terminal.enter("", "nothing was written");
    await terminal.until(paused);
    await terminal.enter("register write rax 0x1234", "write it? (y/n) ");
    await terminal.enter("y", /rax: 0x[\da-f]{16} -> 0x0000000000001234/);
    await terminal.until(paused);
    await terminal.enter(
      "memory write demo_progress 1 2 3",
      /\+ 0x[\da-f]{16} {2}01 02 03 [^]*\(y\/n\) /,
    );
    await terminal.enter("yes", "wrote 3 bytes");
    await terminal.until(paused);
    assertStringIncludes(await terminal.enter("memory read demo_progress 3", paused), "01 02 03");
    await terminal.enter("kill", "(y/n) ");
    await terminal.enter("y", "ended demo");
    await terminal.until("(machpause) > ");
    await terminal.enter(
      "attach nosuch-process",
      'machpause: no process is named "nosuch-process"',
    );
    await terminal.until("(machpause) > ");
    await terminal.enter("demo", paused);
    await terminal.enter(`.load ${directory}/nosuch`, "there is no file");
    await terminal.until(paused);
    await terminal.type("quit\r");
    assertEquals(await terminal.end(), 0);
    assert(pid > 0);
    const others = ["register write rax 1", "memory write x", "kill", "attach 1", "demo", "quit"];
    // Tests of variables, of remote targets and of launched programs run these.
    const variables = ["frame variable", "variable write", "watch", "gdb-remote", "crash"];
    const names = [...seen, ...others, ...variables, ".load x"];
    for (const { name, aliases = [] } of commands.commands) {
      const known = [
        name,
        ...aliases.map((alias) => typeof alias === "string" ? alias : alias.name),
      ];
      assert(names.some((line) => known.some((name) => line.startsWith(name))), name);
    }
  },
});

Deno.test({
  name: "Tab: functions of C++ and Swift by the names that people write",
  ignore: ignore || !onLinux,
  async fn() {
    const program = `${directory}/names`;
    await Deno.writeTextFile(
      `${program}.cpp`,
      `#include <unistd.h>
       #define KEPT __attribute__((noinline))
       namespace geometry { struct Shape { KEPT int area(int n); KEPT int border(int n); }; }
       int geometry::Shape::area(int n) { return n * 2; }
       int geometry::Shape::border(int n) { return n * 4; }
       extern "C" KEPT int swift_foo(int n);
       int swift_foo(int n) { return n + 1; }
       int main(int count, char **) {
         geometry::Shape shape;
         for (;;) usleep(1000 + shape.area(count) + shape.border(count) + swift_foo(count));
       }`,
    );
    // A name of Swift's compiler; the assembler does not take it.
    const steps = [
      ["g++", "-O1", "-c", "-o", `${program}.o`, `${program}.cpp`],
      ["objcopy", "--redefine-sym", "swift_foo=$s4main3fooyS2iF", `${program}.o`],
      ["g++", "-o", program, `${program}.o`],
    ];
    for (const [command, ...args] of steps) {
      assert((await new Deno.Command(command, { args }).output()).success, command);
    }
    await using terminal = await start(["launch", program]);
    await terminal.until("running) > ");
    await terminal.type("lookup geometry::Shape::ar\t");
    await terminal.until("geometry::Shape::area");
    await terminal.type("\r");
    await terminal.until("_ZN8geometry5Shape4areaEi");
    await terminal.type("lookup Shape::bo\t");
    await terminal.until("Shape::border");
    await terminal.type("\r");
    await terminal.until("_ZN8geometry5Shape6borderEi");
    await terminal.type("lookup fo\t");
    await terminal.until(/foo +fopen/);
    await terminal.type("\x15");
    await terminal.enter("lookup foo", "$s4main3fooyS2iF");
    await terminal.type("quit\r");
    await terminal.until("(y/n)");
    await terminal.type("y");
    await terminal.type("\r");
    assertEquals(await terminal.end(), 0);
  },
});

Deno.test({
  name: "Tab: commands, arguments, properties of live objects",
  ignore,
  async fn() {
    await using terminal = await start(["demo"]);
    await terminal.until(paused);
    const cases: readonly [typed: string, becomes: string][] = [
      ["disas\t", "disassemble "],
      ["thread sel\t", "thread select "],
      ["image l\to\t", "image lookup "],
      ["help disas\t", "help disassemble "],
      ["images libw\t", "images libworkers.dylib "],
      ["lookup spin_o\t", "lookup spin_outer "],
      ["register read r1\t0\t", "register read r10 "],
      ["memory read $rs\tp\t", "memory read $rsp "],
      ["bt al\t", "bt all "],
      ["bt all --uni\t", "bt all --unique "],
      [`core ${fixtures}/x86_64/libw\t`, `core ${fixtures}/x86_64/libworkers.dylib`],
      ["memory read sp --as cs\t", "memory read sp --as cstring "],
      ["target.images[1].na\t", "target.images[1].name"],
      ["threads[2].backtr\t", "threads[2].backtrace"],
      ["frame.registers.ge\t", "frame.registers.get"],
      ["thread.sta\t", "thread.state"],
      ["target.arch.pc.na\t", "target.arch.pc.name"],
      ["Math.max(threads.leng\t", "Math.max(threads.length"],
      ["openC\t", "openCore"],
    ];
    for (const [typed, becomes] of cases) {
      const before = terminal.raw.length;
      await terminal.type(typed);
      await terminal.until(becomes.slice(-3));
      await terminal.type("\x05");
      const screen = () => screenOf(terminal.raw.slice(before), 160, 50).lines.join("").trim();
      for (let tries = 0; !screen().includes(becomes.trim()) && tries < 200; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      assertStringIncludes(screen(), becomes.trim(), typed);
      await terminal.type("\x03");
      await terminal.until(paused);
    }
    await terminal.type("th\t");
    await terminal.until(/thread +threads/);
    await terminal.type("\x03");
    await terminal.until(paused);
  },
});

Deno.test("Tab runs none of the user's code, and stops no target", async () => {
  await using terminal = await startFake();
  await terminal.enter(
    "let boxes = { get open() { globalThis.ran = 1; return { a: 1 } }, shut: { b1: 2 } }",
    paused,
  );
  await terminal.type("boxes.open.\t");
  await terminal.type("\x03");
  await terminal.until(paused);
  await terminal.type("boxes.shut.b\t");
  await terminal.until("b1");
  await terminal.type("\x03");
  await terminal.until(paused);
  assertStringIncludes(await terminal.enter("typeof globalThis.ran", paused), '"undefined"');
  await terminal.enter("resume", running);
  await terminal.enter("let calls = kernel.log.length", running);
  for (
    const text of [
      "thread.inde\t",
      "threads.len\t",
      "frame.sy\t",
      "target.threads.len\t",
      "bt al\t",
    ]
  ) {
    await terminal.type(text);
    await terminal.type("\x03");
    // At an empty prompt it would pause.
    await terminal.until(running);
  }
  assertStringIncludes(
    await terminal.enter("kernel.log.slice(calls).filter((c) => c === 'snapshot').length", running),
    "\n0\n",
  );
});

Deno.test("the history outlives the session, and is searched", async () => {
  const env = { XDG_STATE_HOME: `${directory}/state` };
  {
    await using terminal = await startFake(env);
    await terminal.enter("'a line to find'", paused);
    await terminal.enter("'another'", paused);
    await terminal.type("\x04");
    await terminal.end();
  }
  await using terminal = await startFake(env);
  await terminal.type("\x12to f");
  await terminal.until("history: to f) 'a line to find'");
  await terminal.enter("", '"a line to find"\r\n');
  await terminal.until(paused);
  await terminal.type("\x1b[A\x1b[A");
  await terminal.enter("", '"another"\r\n');
});

Deno.test("pastes of 500 lines: code, commands, marked and not", async () => {
  await using terminal = await startFake({ PTY_SIZE: "70x24" });
  const body = Array.from({ length: 496 }, (_, index) => `  total += ${index}; // 漢字 ${index}`);
  const code = ["function sum() {", "  let total = 0;", ...body, "  return total;", "}"];
  await terminal.type(`\x1b[200~${code.join("\r")}\r\x1b[201~`);
  await terminal.until("return total;");
  await terminal.enter("", paused);
  assertStringIncludes(await terminal.enter("sum()", paused), "\n122760\n");
  await terminal.enter("void (sum = 0)", paused);
  await terminal.type(code.join("\r") + "\r");
  await terminal.until(paused);
  assertStringIncludes(await terminal.enter("sum()", paused), "\n122760\n");
  const commands = Array.from({ length: 499 }, (_, index) => `thread ${index % 2}`);
  await terminal.type(`\x1b[200~${[...commands, "'the end'"].join("\n")}\x1b[201~`);
  await terminal.type("\r");
  const shown = await terminal.until('"the end"\r\n');
  assertEquals(shown.match(/^thread \d(?: {2}|$)/gm)?.length, 499);
});

Deno.test("Ctrl-C: while it runs pauses, while something searches stops that, at a question says no", async () => {
  await using terminal = await startFake();
  await terminal.enter("resume", running);
  await terminal.type("\x03");
  assertStringIncludes(await terminal.until(paused), "paused: 2 threads");
  await terminal.enter("void (kernel.memory = new Uint8Array(1500 << 20))", paused);
  await terminal.enter("memory find --text nowhere", "Ctrl-C ends it");
  await terminal.type("\x03");
  await terminal.until(/\(ended after \d+ \w+\)/);
  await terminal.until(paused);
  await terminal.enter("memory write 0x100000 7", "(y/n) ");
  await terminal.type("\x03");
  await terminal.until("nothing was written");
  await terminal.until(paused);
  // Text that is typed is cleared first, and then it asks.
  await terminal.type("abc\x03");
  await terminal.until(paused);
  await terminal.type("\x03");
  await terminal.until("(Ctrl-C again leaves; the target runs on)");
  await terminal.until(paused);
  await terminal.enter("1 + 1", paused);
  await terminal.type("\x03");
  await terminal.until("again");
  await terminal.type("\x03");
  assertEquals(await terminal.end(), 0);
});

Deno.test("a narrow terminal, and one that becomes narrow", async () => {
  await using terminal = await startFake({ PTY_SIZE: "60x16", PTY_RESIZE: "34x12" });
  await terminal.type("'0123456789'.repeat(3) + 'abcdefghijklmnop' + 'qrstuvwxyz'");
  await terminal.until("wxyz'");
  terminal.resize();
  for (;;) {
    const shown = await terminal.enter("\x15'' + Deno.consoleSize().columns", /"(?:34|60)"/);
    if (shown.includes('"34"')) break;
  }
  await terminal.until("> ");
  const before = terminal.raw.length;
  await terminal.type("'0123456789'.repeat(3) + 'end'\x01 \x05");
  await terminal.until("end'");
  const { lines } = screenOf(terminal.raw.slice(before), 34, 12);
  assert(lines.every((line) => textWidth(line) <= 34), lines.join("\n"));
  await terminal.enter("", "end");
  await terminal.until("> ");
  const summary = await terminal.enter("summary", "> ");
  for (const line of summary.split("\n").slice(2, -1)) assert(textWidth(line) <= 34, line);
});

Deno.test("errors in code are shown with the line that has them", async () => {
  await using terminal = await startFake();
  const shown = await terminal.enter("[1].map((x: any) => x.foo.bar)", paused);
  assertMatch(
    shown,
    /machpause: TypeError: .*'bar'\)\n {2}1 \| \[1\]\.map\(\(x: any\) => x\.foo\.bar\)\n {28,32}\^\n/,
  );
  assertFalse(shown.includes("evaluate.ts"));
  await terminal.type("\x1b[200~let ok = 1;\nlet bad = nosuch.property;\n\x1b[201~\r");
  assertMatch(
    await terminal.until(paused),
    /nosuch is not defined\n {2}2 \| let bad = nosuch\.property;\n {16}\^/,
  );
  const error = await terminal.enter("_error.stack", paused);
  assertFalse(error.includes("file:"), error);
  await terminal.enter("40 + 2", paused);
  assertStringIncludes(await terminal.enter("_ / 2", paused), "\n21\n");
  assertStringIncludes(await terminal.enter("regsiters", paused), "did you mean `registers`?");
  assertStringIncludes(await terminal.enter("thraed 1", paused), "did you mean `thread`?");
  assertStringIncludes(await terminal.enter("Array(500).fill(0)", paused), "... 400 more items");
  assertStringIncludes(
    await terminal.enter("enum Colour { Red, Green }; Colour.Green", paused),
    "\n1\n",
  );
  await terminal.enter("import { basename } from 'node:path'", paused);
  assertStringIncludes(await terminal.enter("basename('/a/b')", paused), '"b"');
  assertEquals(visible(terminal.raw).includes("Uncaught"), false);
});
