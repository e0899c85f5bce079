import { assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { MemoryReadError } from "../../../mod.ts";
import { safe, safeJson } from "../../../lib/escape.ts";
import { threadsJson } from "../../../repl/view/json.ts";
import { explain } from "../../../repl/view/output.ts";
import {
  backtraceLines,
  backtracesLines,
  hexdump,
  threadHeader,
} from "../../../repl/view/render.ts";
import { coloured, plain } from "../../../repl/view/style.ts";
import { wrapped } from "../../../repl/view/text.ts";
import { fakeTarget, harmless, hostile, raw } from "../fake_target.ts";

Deno.test("every thread's backtrace, column under column", () => {
  const { target } = fakeTarget();
  using _pause = target.pause();
  const image = `lib${harmless}.dylib`;
  const none = "???".padEnd(image.length);
  assertEquals(backtracesLines(target.threads, 8, plain), [
    `thread 0  "main${harmless}"  id 0x64  waiting  cpu 50%`,
    `  0  ${image}  0x0000000000004010  take${harmless} + 16`,
    `  1  ${image}  0x0000000000004020  take${harmless} + 32`,
    `  2  ${none}  0x0000000000090000`,
    "",
    "thread 1  id 0x65  waiting  cpu 50%",
    `  0  ${image}  0x0000000000004001  take${harmless} + 1`,
    ...backtraceLines(target.threads[1], 8, plain).slice(2),
  ]);
});

Deno.test("why a walk ended is said when it is not the normal end", () => {
  const { target } = fakeTarget();
  using _pause = target.pause();
  const [, first, last] = backtraceLines(target.threads[0], 8, plain, 1);
  assertStringIncludes(first, " + 16");
  assertEquals(last, "  (limit: more frames follow)");
  const [thread] = target.threads;
  assertEquals(backtraceLines(thread, 8, plain).at(-1)!.trim().slice(0, 6), "2  ???");
  // What the walk tried last is said, and not that something were damaged.
  const shown = { frames: [...thread.backtrace()], stopped: "not-rising" } as const;
  assertEquals(
    backtraceLines(thread, 8, plain, undefined, shown).at(-1),
    "  (no caller is found: the frame pointer does not lead further up the stack)",
  );
});

Deno.test("a thread that is suspended by itself says so", () => {
  const { target } = fakeTarget();
  target.threads[0].suspend();
  assertMatch(threadHeader(target.threads[0], plain), /cpu 50% {2}suspended 1×$/);
});

Deno.test("colour is around escaped text, never in it", () => {
  const { target } = fakeTarget();
  const lines = backtracesLines(target.threads, 8, coloured).join("\n");
  // deno-lint-ignore no-control-regex
  const uncoloured = lines.replace(/\x1b\[[\d;]*m/g, "");
  assertEquals(uncoloured, backtracesLines(target.threads, 8, plain).join("\n"));
  assertFalse(raw.test(uncoloured));
});

Deno.test("JSON keeps the names, in letters that a terminal takes as such", () => {
  const { target } = fakeTarget();
  using _pause = target.pause();
  const json = safeJson(threadsJson(target, target.threads));
  assertFalse(/[^\x20-\x7e]/.test(json));
  const { target: { name }, threads: [main] } = JSON.parse(json);
  assertEquals(name, `fake${hostile}`);
  assertEquals(main.name, `main${hostile}`);
  assertEquals(main.frames[0].symbol, `take${hostile}`);
});

Deno.test("the JSON form has exactly the documented keys, null for what is not known", () => {
  const { target } = fakeTarget();
  using _pause = target.pause();
  const json = JSON.parse(safeJson(threadsJson(target, target.threads)));
  assertEquals(Object.keys(json), ["target", "pausedMicroseconds", "images", "threads"]);
  assertEquals(Object.keys(json.target), ["kind", "pid", "name", "arch"]);
  assertEquals(Object.keys(json.images[0]), ["name", "path", "uuid", "loadAddress", "slide"]);
  assertEquals(
    Object.keys(json.threads[0]),
    [
      ...["index", "id", "name", "state", "cpuUsage"],
      ...["queue", "queueSerial", "queueKind", "queueTargets", "qos", "frames", "stopped"],
    ],
  );
  assertEquals(json.threads[0].frames[2], {
    index: 2,
    address: "0x90000",
    image: null,
    symbol: null,
    offset: null,
    file: null,
    line: null,
    column: null,
    inlined: false,
    via: "frame-pointer",
  });
  assertEquals(json.threads[0].stopped, "null-record");
  assertEquals(json.threads[1].name, null);
  assertEquals(json.images[0].loadAddress, "0x4000");
});

Deno.test("a hexdump shows printable ASCII alone", () => {
  const bytes = new Uint8Array(20).map((_, index) => index + 0x1b);
  bytes.set([0x41, 0x7e, 0x7f, 0x80], 16);
  assertEquals(hexdump(bytes, 0x1000n, 4, plain), [
    `0x00001000  1b 1c 1d 1e 1f 20 21 22  23 24 25 26 27 28 29 2a  |..... !"#$%&'()*|`,
    "0x00001010  41 7e 7f 80                                       |A~..|",
  ]);
});

Deno.test("an error is one line, and safe", () => {
  assertEquals(explain(new Error(`no ${hostile}`)).includes("\x1b"), false);
  assertEquals(explain(new Error("one\n  two\n")), "one; two");
  assertEquals(explain(new TypeError("x is not a function")), "TypeError: x is not a function");
  assertEquals(
    explain(new MemoryReadError(16n, 4)),
    "cannot read 4 bytes at 0x10: not mapped, or not readable",
  );
  assertEquals(explain("thrown"), "thrown");
});

Deno.test("a line with tabs is as wide as the terminal shows it", () => {
  const line = safe`2   demo\t0x10 run_loop + 21`;
  assertEquals(wrapped(line, 80), [safe`2   demo        0x10 run_loop + 21`]);
  assertEquals(wrapped(line, 30), [safe`2   demo        0x10 run_loop`, safe`  + 21`]);
  assertEquals(wrapped(line, Infinity), [line]);
});
