/** Memory, registers, structs and code at the prompt, on a fake target and on a core. */
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { openCore } from "../../../mod.ts";
import { commands } from "../../../repl/commands/mod.ts";
import { safe } from "../../../lib/escape.ts";
import { UserError } from "../../../repl/errors.ts";
import { encode, Layouts } from "../../../repl/view/layout.ts";
import { held } from "../../../repl/prompt/open.ts";
import { Session } from "../../../repl/prompt/session.ts";
import { plain } from "../../../repl/view/style.ts";
import { buildCore, coreFile, recordedParts } from "../../lib/target/core_builder.ts";
import { fakeTarget, harmless, hostile } from "../fake_target.ts";
import { run } from "./run.ts";

function fake(): { session: Session } & ReturnType<typeof fakeTarget> {
  const { target, kernel } = fakeTarget();
  const session = new Session(plain);
  session.open(held(target));
  session.pause();
  return { session, target, kernel };
}

/** The values of lines, without their addresses. */
const values = (lines: string[]) => lines.map((line) => line.replace(/^\S+ {2}/, ""));

Deno.test("typed memory, in every format", async () => {
  const { session, kernel } = fake();
  const view = new DataView(kernel.memory.buffer);
  view.setBigUint64(0, 0xfedc_ba98_7654_3210n, true);
  view.setFloat32(8, 1.5, true);
  view.setFloat64(16, -0.25, true);
  view.setBigUint64(24, 0x4010n, true);
  kernel.memory.set(new TextEncoder().encode("first\0second\x1b[2J\0"), 0x40);
  const at = "0x100000";
  const cases: Readonly<Record<string, string[]>> = {
    [`memory read ${at} 2 --as u8`]: ["16  50"],
    [`memory read ${at} --as i8 -c 8`]: ["16  50  84  118  -104  -70  -36  -2"],
    [`memory read ${at} 2 --as u16`]: ["12816  30292"],
    [`memory read ${at} --as i32 --count 2`]: ["1985229328  -19088744"],
    [`memory read ${at} --as u64`]: ["18364758544493064720"],
    [`memory read ${at} --as i64`]: ["-81985529216486896"],
    ["memory read 0x100008 --as f32"]: ["1.5"],
    ["memory read 0x100010 --as f64"]: ["-0.25"],
    ["memory read 0x100018 --as pointer"]: [`0x0000000000004010  take${harmless} + 16`],
    ["memory read 0x100040 2 --as cstring"]: ['"first"', '"second\\u001b[2J"'],
    ["memory read 0x100040 --as char"]: ['102 "f"'],
    [`x/2gx ${at}`]: ["0xfedcba9876543210  0x000000003fc00000"],
    [`x/4bx ${at}`]: ["0x10  0x32  0x54  0x76"],
    [`x/2hd ${at}`]: ["12816  30292"],
    [`x/wo ${at}`]: ["016625031020"],
    [`x/bt ${at}`]: ["0b00010000"],
    ["x/wf 0x100008"]: ["1.5"],
    ["x/a 0x100018"]: [`0x0000000000004010  take${harmless} + 16`],
    ["x/s 0x100040"]: ['"first"'],
    [`memory read -f x -s 4 -c 2 ${at}`]: ["0x76543210  0xfedcba98"],
    [`memory read ${at} 0x100008 --as u32`]: ["1985229328  4275878552"],
  };
  for (const [line, expected] of Object.entries(cases)) {
    assertEquals(values(await run(session, line)), expected, line);
  }
  const dump = await run(session, `memory read ${at} 0x100010`);
  assertMatch(dump.join(), /^0x0000000000100000 {2}10 32 54 76 98 ba dc fe {2}00 00 c0 3f/);
  assertEquals(dump.length, 1);
  await assertRejects(() => run(session, `memory read ${at} --as u128`), UserError, "not a type");
  await assertRejects(() => run(session, `memory read ${at} --as f8`), UserError, "not a type");
  await assertRejects(() => run(session, "x/q 0x100000"), UserError, "no format q");
  await assertRejects(() => run(session, "memory read nosuch"), UserError, "no symbol");
  await assertRejects(
    () => run(session, `memory read ${at} 9999999 --as u64`),
    UserError,
    "at most",
  );
});

Deno.test("memory as JSON", async () => {
  const { session, kernel } = fake();
  new DataView(kernel.memory.buffer).setBigUint64(0, 0xfedc_ba98_7654_3210n, true);
  for (
    const [line, expected] of [
      ["memory read 0x100000 2 --as u8 --json", { type: "u8", values: ["16", "50"] }],
      ["memory read 0x100000 4 --json", { bytes: "10325476" }],
      ["x/2xh --json 0x100000", { type: "u16", values: ["0x3210", "0x7654"] }],
    ] as const
  ) {
    const { address, isWhole, ...printed } = JSON.parse((await run(session, line)).join(""));
    assertEquals([BigInt(address), isWhole], [0x100000n, true]);
    assertEquals(printed, expected);
  }
});

Deno.test("memory goes to a file as LLDB's --outfile has it: as text, or the bytes themselves", async () => {
  const { session, kernel } = fake();
  kernel.memory.set([1, 2, 3, 4, 0xfe]);
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/memory`;
    for (
      const [line, said, length] of [
        ["-o FILE -b -c 5 0x100000", "wrote 5 bytes to FILE", 5],
        ["--outfile FILE --binary 0x100000 0x100800", "wrote 2,048 bytes to FILE", 2048],
        ["0x100000 2 --as u32 --binary --outfile FILE", "wrote 8 bytes to FILE", 8],
        ["0x100000 -b -o FILE", "wrote 64 bytes to FILE", 64],
      ] as const
    ) {
      const read = `memory read ${line.replace("FILE", path)}`;
      assertEquals(await run(session, read), [said.replace("FILE", path)]);
      assertEquals(await Deno.readFile(path), kernel.memory.slice(0, length), line);
    }
    const shown = await run(session, "memory read 0x100000 32");
    assertEquals(await run(session, "memory read -o - 0x100000 32"), shown);
    session.style = (_, text) => safe`\x1b[1m${text}\x1b[0m`;
    assertEquals(await run(session, `x -o ${path} -c 32 0x100000`), [`wrote 2 lines to ${path}`]);
    assertEquals(await Deno.readTextFile(path), shown.map((line) => `${line}\n`).join(""));
    await assertRejects(
      () => run(session, `memory read -b 0x100000`),
      UserError,
      "--outfile <file> too",
    );
    await assertRejects(
      () => run(session, `memory read -o ${folder}/no/file 0x100000`),
      UserError,
      "cannot be written",
    );
    await Deno.remove(path);
    // Half of it is not readable: no file.
    await assertRejects(() => run(session, `memory read -b -o ${path} 0x100000 1000000`), Error);
    assertEquals([...Deno.readDirSync(folder)], []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("addresses: registers, symbols, and numbers added to them", async () => {
  const { session, kernel } = fake();
  kernel.memory[0x3010] = 7;
  for (const where of ["sp+0x10", "$sp+16", "rsp+0x10", "fp", "0x103010"]) {
    assertEquals(values(await run(session, `memory read ${where} --as u8`)), ["7"], where);
  }
  assertMatch((await run(session, "lookup take+0x10"))[0], /take.* \+ 16$/);
});

Deno.test("structs: offsets and sizes are those of C", async () => {
  const { session, kernel } = fake();
  const view = new DataView(kernel.memory.buffer);
  view.setUint8(0, 1);
  view.setUint32(4, 77, true);
  view.setBigUint64(8, 0x10_0040n, true);
  view.setUint16(16, 5, true);
  view.setUint16(18, 6, true);
  kernel.memory.set(new TextEncoder().encode(`na${"\x1b"}me`), 0x40);
  kernel.memory.set(new TextEncoder().encode("tag"), 20);
  assertEquals(
    await run(session, "struct Node { u8 kind; u32 count; char *name; u16 pair[2]; char tag[4]; }"),
    [
      ...["Node: 24 bytes", "  +0    u8 kind", "  +4    u32 count", "  +8    char * name"],
      ...["  +16   u16[2] pair", "  +20   char[4] tag"],
    ],
  );
  assertEquals((await run(session, "memory read 0x100000 --as Node")).slice(1), [
    ...["  +0    u8 kind = 1", "  +4    u32 count = 77"],
    '  +8    char * name = 0x0000000000100040  "na\\u001bme"',
    "  +16   u16[2] pair = [5, 6]",
    '  +20   char[4] tag = "tag"',
  ]);
  await run(session, "struct Pair { Node a; Node *b; }");
  assertEquals((await run(session, "struct")).filter((line) => /^\w/.test(line)), [
    "Node: 24 bytes",
    "Pair: 32 bytes",
  ]);
  const inline = await run(session, 'memory read 0x100004 --as "{ u32 a; u64 b; }"');
  assertEquals(inline.length, 3);
  for (
    const wrong of ["struct X { }", "struct X { u32 }", "struct X { { u8 a; } b; }", "struct 7"]
  ) {
    await assertRejects(() => run(session, wrong), UserError);
  }
  assert(commands.parse("struct A {")!.command.isIncomplete!("struct A {"));
});

Deno.test("layouts of the architectures differ where their ABIs do", () => {
  const offsets = (name: string, pointerSize: 4 | 8) =>
    new Layouts({ name, pointerSize }).parse("{ u8 a; u64 b; long c; void *d; double e; }").fields!
      .map(({ offset }) => offset);
  assertEquals(offsets("arm64", 8), [0, 8, 16, 24, 32]);
  assertEquals(offsets("armv7", 4), [0, 8, 16, 20, 24]);
  assertEquals(offsets("i386", 4), [0, 4, 12, 16, 20]);
});

Deno.test("values are checked before they are written", () => {
  const layouts = new Layouts({ name: "arm64", pointerSize: 8 });
  const bytes = (type: string, text: string) => [...encode(layouts.named(type), text)];
  assertEquals(bytes("u16", "0x1234"), [0x34, 0x12]);
  assertEquals(bytes("i16", "-2"), [0xfe, 0xff]);
  assertEquals(bytes("f32", "1.5"), [0, 0, 0xc0, 0x3f]);
  assertEquals(bytes("pointer", "1"), [1, 0, 0, 0, 0, 0, 0, 0]);
  for (
    const [type, text] of [["u8", "256"], ["i8", "-129"], ["u8", "x"], ["f64", ""], ["u8", "1.5"]]
  ) {
    assertThrows(() => encode(layouts.named(type), text), UserError, undefined, `${type} ${text}`);
  }
});

Deno.test("memory write: old and new, only with consent", async () => {
  const { session, kernel } = fake();
  await assertRejects(() => run(session, "memory write 0x100000 1"), UserError, "--yes");
  assertEquals(kernel.memory[0], 0);
  const lines = await run(session, "memory write 0x100000 1 0xff --as u16 --yes");
  assertMatch(
    lines.join("\n"),
    /^- 0x0000000000100000 {2}00 00 00 00 [^]*\+ 0x0000000000100000 {2}01 00 ff 00 /,
  );
  assertEquals([...kernel.memory.subarray(0, 4)], [1, 0, 0xff, 0]);
  assertEquals(values(await run(session, "memory read 0x100000 2 --as u16")), ["1  255"]);
  await run(session, 'memory write 0x100010 --text "hi" --yes');
  assertEquals([...kernel.memory.subarray(16, 19)], [104, 105, 0]);
  await assertRejects(() => run(session, "memory write 0x100000 300 --yes"), UserError, "fit");
  // Asked at a terminal.
  const asked: string[] = [];
  const answers = [false, true];
  session.ui = {
    interactive: true,
    size: () => ({ columns: 80, rows: 24 }),
    confirm: (question) => Promise.resolve((asked.push(question), answers.shift()!)),
    progress() {},
  };
  const said: string[] = [];
  session.say = (lines) => void said.push(...lines);
  assertEquals(await run(session, "memory write 0x100000 9"), ["nothing was written"]);
  assertEquals(await run(session, "memory write 0x100000 9"), ["wrote 1 byte"]);
  assertEquals(kernel.memory[0], 9);
  assertEquals(asked, Array(2).fill("write 1 byte at 0x0000000000100000?"));
  assertEquals(said.length, 4);
});

Deno.test("register write: old and new, only with consent, only where it means something", async () => {
  const { session } = fake();
  await assertRejects(() => run(session, "register write rax 5"), UserError, "--yes");
  assertEquals(await run(session, "register write rax 5 --yes"), [
    "rax: 0x0000000000000000 -> 0x0000000000000005",
  ]);
  assertEquals(await run(session, "register read rax $pc"), [
    "rax 0x0000000000000005",
    `rip 0x0000000000004010  take${harmless} + 16`,
  ]);
  await assertRejects(
    () => run(session, "register write nosuch 5 --yes"),
    UserError,
    "no register",
  );
  await run(session, "up");
  await assertRejects(() => run(session, "register write rax 5 --yes"), UserError, "innermost");
  await run(session, "resume");
  await assertRejects(() => run(session, "register write rax 5 --yes"), UserError, "running");
});

Deno.test("memory find: texts, numbers, bytes; across chunks; limits; given up", async () => {
  const { session, kernel } = fake();
  kernel.memory.set(new TextEncoder().encode(`needle${hostile}needle`), 0x100);
  new DataView(kernel.memory.buffer).setUint32(0x200, 0x1234_5678, true);
  const found = async (line: string) =>
    (await run(session, line)).map((line) => line.split("  ")[0]);
  const [first] = await found("memory find --text needle");
  assertEquals(first, "0x0000000000100100");
  assertEquals((await found("find needle")).length, 2);
  assertEquals(await found("memory find 0x12345678 --as u32"), ["0x0000000000100200"]);
  assertEquals(await found("memory find --bytes 78563412"), ["0x0000000000100200"]);
  assertEquals(await found("memory find --bytes 78563412 0x100201 0x100300"), [
    "not found in 255 bytes",
  ]);
  const limited = await run(session, "memory find 0 --as u8 --count 3");
  assertEquals(limited.length, 4);
  assertMatch(limited[3], /may be more/);
  await assertRejects(() => run(session, "memory find"), UserError, "find what");
  await assertRejects(() => run(session, "memory find --bytes 123"), UserError, "pairs");
  // A large memory, given up as soon as it has begun.
  kernel.memory = new Uint8Array(64 << 20);
  session.ui = { ...session.ui, progress: () => session.interrupt?.() };
  const lines = await run(session, "memory find --text needle");
  assertMatch(lines.at(-1)!, /^\(ended after \d+ MiB\)$/);
  // What begins in one chunk and ends in the next is found once.
  session.ui = { ...session.ui, progress() {} };
  kernel.memory.set(new TextEncoder().encode("needle"), (1 << 20) - 3);
  assertEquals(await found("memory find --text needle"), ["0x00000000001ffffd"]);
});

Deno.test("regions, and whose they are", async () => {
  const { session } = fake();
  const [, row] = await run(session, "regions");
  assertEquals(
    row.split(/ {2,}/),
    ["0x0000000000100000", "0x0000000000104000", "rw-", "rwx", "16 KiB", "stack of threads 0, 1"],
  );
  assertEquals((await run(session, "memory region sp")).length, 2);
  assertEquals(await run(session, "regions 0x10"), ["0x10 is in no region"]);
});

/** A session at a core of the recorded demo, with its binaries. */
async function atCore(name: "arm64" | "armv7"): Promise<{ session: Session } & Disposable> {
  const file = await coreFile(buildCore(recordedParts(name)));
  const symbols = new URL(`../../../examples/demo/${name}`, import.meta.url).pathname;
  const session = new Session(plain);
  session.open(held(openCore(file.path, { symbols: [symbols] })));
  return {
    session,
    [Symbol.dispose]() {
      session.close();
      file[Symbol.dispose]();
    },
  };
}

Deno.test("a core: what can be read is, and nothing is written", async () => {
  using core = await atCore("arm64");
  const { session } = core;
  for (const line of ["memory write sp 1 --yes", "register write x0 1 --yes"]) {
    await assertRejects(() => run(session, line), UserError, "a core is read-only");
  }
  for (const line of ["pause", "resume"]) {
    await assertRejects(() => run(session, line), UserError, "core");
  }
  await assertRejects(() => run(session, "kill --yes"), UserError, "launched");
  // Nobody is asked what cannot be done.
  await assertRejects(() => run(session, "kill"), UserError, "launched");
  assertMatch((await run(session, "status"))[0], /^demo \(pid 123, arm64\): 7 threads/);
  assertMatch((await run(session, "regions")).join("\n"), /r-x .* demo __TEXT\n/);
  assertMatch((await run(session, "regions sp")).join("\n"), /stack of thread 0$/);
  assertMatch(
    (await run(session, "image lookup -rn ^spin_")).join("\n"),
    /spin_outer.*\n.*spin_inner/,
  );
  assertMatch((await run(session, "memory find --text demo.lock"))[0], /^0x[\da-f]{16} {2}\S/);
  assertEquals((await run(session, "summary")).length, 8);
  for (const thread of [0, 2]) {
    await run(session, `thread ${thread}`);
    const [register] = await run(session, "registers pc");
    const shown = register.replace("pc ", "(void (*)()) $pc = ").replace(/ {2}(?=\S+ \+)/, " ");
    assertEquals(await run(session, "p $pc"), [shown]);
  }
  const demo = new URL("../../../examples/demo/arm64/demo", import.meta.url).pathname;
  await assertRejects(() => run(session, `core ${demo}`), UserError, "`machpause image ");
  assertEquals(await run(session, "detach"), ["closed the core of demo"]);
});

Deno.test("disassembly: the function around the pc, targets by name, the selected instruction", async () => {
  using core = await atCore("arm64");
  const { session } = core;
  await run(session, "thread 2");
  const lines = await run(session, "disassemble");
  assertEquals(lines[0], "spin_inner:");
  assertEquals(lines.filter((line) => line.startsWith("->")).length, 1);
  assertMatch(lines.join("\n"), /<\+0> .*\n[^]* b +#0x[\da-f]+ {2}; spin_inner \+ \d+/);
  assertMatch((await run(session, "dis worker_spin")).join("\n"), /bl +#0x[\da-f]+ {2}; \w+/);
  assertEquals((await run(session, "x/3i pc")).filter((line) => /<\+\d+>/.test(line)).length, 3);
  assertEquals((await run(session, "disassemble pc pc+8")).length, 3);
  assertMatch((await run(session, "disassemble pc --count 1 --bytes"))[1], /( [\da-f]{2}){4} /);
  await assertRejects(() => run(session, "disassemble 0x10"), UserError, "no function");
  using thumb = await atCore("armv7");
  await run(thumb.session, "thread 2");
  const code = await run(thumb.session, "disassemble");
  assertMatch(code.join("\n"), /^spin_inner:\n[^]*-> 0x[\da-f]{8} /);
  assertFalse(code.join().includes("??"));
});

Deno.test("source around a frame, of files that are here, there, or nowhere", async () => {
  using core = await atCore("arm64");
  const { session } = core;
  await assertRejects(() => run(session, "source nosuch.c:3"), UserError, "there is no nosuch.c");
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(path, `one\n\ttwo\nthree${hostile.replaceAll(/[\r\n]/g, "")}\n`);
    const lines = await run(session, `source ${path}:2`);
    assertEquals(lines[2], "   2      two");
    assertEquals(lines.length, 5);
    await assertRejects(() => run(session, `source ${path}:99`), UserError, "4 lines");
    await run(session, `source map /built ${path.slice(0, path.lastIndexOf("/"))}`);
    const moved = `/built/${path.split("/").at(-1)}`;
    assertEquals((await run(session, `source ${moved}:1`))[1], "   1  one");
  } finally {
    await Deno.remove(path);
  }
});
