import { assert, assertEquals, assertFalse, assertRejects, assertThrows } from "@std/assert";
import { RemoteError } from "../../../lib/remote/mod.ts";
import { TargetGoneError } from "../../../mod.ts";
import { commands } from "../../../repl/commands/mod.ts";
import { UserError } from "../../../repl/errors.ts";
import { held } from "../../../repl/prompt/open.ts";
import { promptText } from "../../../repl/prompt/prompt.ts";
import { Session } from "../../../repl/prompt/session.ts";
import { plain } from "../../../repl/view/style.ts";
import { fakeTarget, harmless } from "../fake_target.ts";
import { run } from "./run.ts";

function open(): { session: Session } & ReturnType<typeof fakeTarget> {
  const { target, kernel } = fakeTarget();
  const session = new Session(plain);
  session.open(held(target));
  return { session, target, kernel };
}

Deno.test("a line is a command unless it reads like code", () => {
  assertEquals(commands.parse("bt all")?.args, ["all"]);
  assertEquals(commands.parse("  thread 1 ")?.args, ["1"]);
  assertEquals(commands.parse("threads")?.command.name, "threads");
  for (
    const code of ["thread.name", "threads.length", "frame = 1", "1 + 1", "thread ?? 1", "btx"]
  ) {
    assertEquals(commands.parse(code), undefined, code);
  }
});

Deno.test("pause and resume, and what the prompt says of it", async () => {
  const { session, target, kernel } = open();
  assertEquals(promptText(session), `(machpause fake${harmless} running) > `);
  const [head, ...lines] = await run(session, "pause");
  assertEquals(head, "paused: 2 threads");
  assertEquals(lines.length, 2);
  assert(lines[0].startsWith('* 0  "main') && lines[0].includes("waiting  50%  take"), lines[0]);
  assert(lines[0].includes(harmless), lines[0]);
  assertEquals(promptText(session), `(machpause fake${harmless} paused) > `);
  await run(session, "pause");
  await run(session, "resume");
  assertFalse(target.paused);
  assertEquals(kernel.tokens.size, 0);
  await assertRejects(() => run(session, "resume"), UserError, "running");
});

Deno.test("a thread is selected by its name, where no other has it", async () => {
  const { session, kernel } = open();
  kernel.threadNames = ["main", "worker", "pool", "pool"];
  assert((await run(session, "thread worker"))[0].startsWith('thread 1  "worker"'));
  await assertRejects(() => run(session, "thread pool"), UserError, "named pool: 2-3");
  await assertRejects(() => run(session, "thread nobody"), UserError, "nobody is no thread");
});

Deno.test("one thread is suspended while the others run, and nothing stays so when one leaves", async () => {
  const { session, kernel } = open();
  assertEquals(await run(session, "thread suspend 1"), [
    "thread 1 is suspended: the others run on",
  ]);
  await run(session, "thread suspend 1");
  assertEquals([...kernel.threadSuspensions], [[0x201, 2]]);
  await run(session, "pause");
  assert((await run(session, "threads"))[1].endsWith("suspended 2×"));
  assert((await run(session, "summary"))[2].includes("suspended"));
  // What is done in a pause is seen in it.
  assertEquals(await run(session, "thread suspend 0"), [
    `thread 0 "main${harmless}" is suspended: it will not run with the others`,
  ]);
  assert((await run(session, "threads"))[0].endsWith("suspended 1×"));
  assertEquals(await run(session, "resume"), [
    "2 threads (0-1) stay suspended: `thread resume all` ends that",
  ]);
  // However often it was suspended.
  assertEquals(await run(session, "thread resume 1"), ["thread 1 runs"]);
  await assertRejects(() => run(session, "thread resume 1"), UserError, "not suspended alone");
  await assertRejects(() => run(session, "thread suspend 9"), UserError, "no thread 9");
  await run(session, "thread resume all");
  assertEquals(kernel.threadSuspensions.size, 0);
  await run(session, "thread suspend 1");
  await run(session, "quit");
  session[Symbol.dispose]();
  assertEquals([kernel.threadSuspensions.size, kernel.tokens.size], [0, 0]);
});

Deno.test("leaving lets the target run", async () => {
  const { session, kernel } = open();
  await run(session, "pause");
  assertEquals(kernel.tokens.size, 1);
  await run(session, "quit");
  assert(session.ended);
  session[Symbol.dispose]();
  assertEquals(kernel.tokens.size, 0);
});

Deno.test("threads, the selected one marked", async () => {
  const { session } = open();
  await run(session, "pause");
  assertEquals(await run(session, "threads"), [
    `* thread 0  "main${harmless}"  id 0x64  waiting  cpu 50%`,
    "  thread 1  id 0x65  waiting  cpu 50%",
  ]);
  await run(session, "thread 1");
  assertEquals((await run(session, "threads"))[1], "* thread 1  id 0x65  waiting  cpu 50%");
  await assertRejects(() => run(session, "thread 2"), UserError, "no thread 2");
  await assertRejects(() => run(session, "thread x"), UserError, "x is no thread");
});

Deno.test("frames up and down", async () => {
  const { session } = open();
  await run(session, "pause");
  const image = `lib${harmless}.dylib`;
  const frame = (index: number) =>
    `${index}  ${image}  0x00000000000040${index + 1}0  take${harmless} + ${16 * (index + 1)}`;
  assertEquals(await run(session, "frame"), [frame(0)]);
  assertEquals(await run(session, "up"), [frame(1)]);
  assertEquals(await run(session, "down"), [frame(0)]);
  await assertRejects(() => run(session, "down"), UserError, "innermost");
  assertEquals(await run(session, "frame 1"), [frame(1)]);
  await assertRejects(() => run(session, "up 5"), UserError, "outermost is 2");
  assertEquals(
    (await run(session, "registers")).join(" ").match(/rip 0x\d+/)?.[0],
    [
      "rip 0x0000000000004020",
    ][0],
  );
});

Deno.test("bt of one thread, of another, of all", async () => {
  const { session } = open();
  await run(session, "pause");
  assertEquals((await run(session, "bt")).length, 4);
  assertEquals((await run(session, "bt 1"))[0], "thread 1  id 0x65  waiting  cpu 50%");
  assert((await run(session, "bt all")).length > 5);
  // A look at another thread does not select it.
  assertEquals(session.thread.index, 0);
});

Deno.test("the selected thread stays selected from one pause to the next", async () => {
  const { session } = open();
  await run(session, "pause");
  await run(session, "thread 1");
  await run(session, "resume");
  assertEquals(session.thread.index, 1);
  await run(session, "pause");
  assertEquals(session.thread.index, 1);
});

Deno.test("a target that runs is looked at in snapshots", async () => {
  const { session, kernel } = open();
  assertEquals((await run(session, "bt")).length, 4);
  const captures = () => kernel.log.filter((call) => call === "snapshot").length;
  assertEquals(captures(), 1);
  await run(session, "up");
  assertEquals(captures(), 1);
  await run(session, "bt");
  assertEquals(captures(), 2);
  assertEquals(kernel.tokens.size, 0);
});

Deno.test("lookup by address and by name", async () => {
  const { session } = open();
  const lines = [
    `0x0000000000004010  lib${harmless}.dylib  take${harmless} + 16`,
    `  /usr/lib${harmless}.dylib  01234567-89AB-CDEF-0123-456789ABCDEF  at 0x4000`,
  ];
  assertEquals(await run(session, "lookup 0x4010"), lines);
  assertEquals(await run(session, "lookup pc"), lines);
  assertEquals(await run(session, "lookup take"), [
    `0x0000000000004000  lib${harmless}.dylib  take${harmless}  256 bytes`,
  ]);
  assertEquals(await run(session, "lookup 16"), ["0x0000000000000010: in no image"]);
  await assertRejects(() => run(session, "lookup nosuch"), UserError, "nosuch");
  await assertRejects(
    () => run(session, "lookup take --image nosuch"),
    UserError,
    "no image is named nosuch",
  );
});

Deno.test("memory by address, register and symbol, up to where it is unreadable", async () => {
  const { session, kernel } = open();
  kernel.memory.set(new TextEncoder().encode("hello\x1b[2J"), 0x3000);
  const [line] = await run(session, "memory sp 16");
  assertEquals(
    line,
    "0x0000000000103000  68 65 6c 6c 6f 1b 5b 32  4a 00 00 00 00 00 00 00  |hello.[2J.......|",
  );
  assertEquals((await run(session, "memory 0x103000")).length, 4);
  const cut = await run(session, "memory 0x103ff0 64");
  assertEquals(cut.length, 2);
  assertEquals(cut[1], "(unreadable from 0x0000000000104000 on)");
  await assertRejects(() => run(session, "memory 0x10"), Error, "cannot read 64 bytes at 0x10");
  await assertRejects(() => run(session, "memory sp 99999999"), UserError, "at most");
});

Deno.test("images as a table", async () => {
  const { session } = open();
  assertEquals(await run(session, "images"), [
    "load address        UUID                                  path",
    `0x0000000000004000  01234567-89AB-CDEF-0123-456789ABCDEF  /usr/lib${harmless}.dylib`,
  ]);
});

Deno.test("help lists every command", async () => {
  const lines = (await run(new Session(plain), "help all")).join("\n");
  for (const { name, help } of commands.commands) {
    assert(lines.includes(name) && lines.includes(help), name);
  }
});

Deno.test("without a target the commands say how to get one", async () => {
  const session = new Session(plain);
  assertEquals(promptText(session), "(machpause) > ");
  for (
    const line of ["pause", "resume", "threads", "bt", "up", "registers", "images", "memory 1"]
  ) {
    await assertRejects(() => run(session, line), UserError, "no target");
  }
  await run(session, "help");
});

Deno.test("a target whose stub is gone is let go once its pause ends", async () => {
  const { session } = open();
  await run(session, "pause");
  const text = "stub closed the connection";
  const [refused, closed] = [new RemoteError("refused", "no"), new RemoteError("closed", text)];
  assertEquals(`${await session.notice(refused)}`, "no");
  assertEquals(`${await session.notice(closed)}`, text);
  // What was captured is still to be seen.
  assertEquals((await run(session, "threads")).length > 0, true);
  await run(session, "resume");
  await session.notice(refused);
  assertEquals(session.state, "running");
  const said = `${await session.notice(closed)}`;
  assert(said.endsWith(`cannot be asked any more: ${text}`), said);
  assertEquals(promptText(session), "(machpause gone) > ");
  await assertRejects(() => run(session, "bt"), UserError, "the target is gone");
});

Deno.test("what is gone may be another target, or the selected thread alone", async () => {
  const { session, kernel } = open();
  await session.notice(new TargetGoneError("another"));
  assertEquals(session.state, "running");
  await run(session, "thread 1");
  kernel.threadNames.pop();
  const said: string[] = [];
  session.out = (text) => said.push(text);
  for (let turn = 0; turn < 2; turn++) {
    const [head] = await run(session, "bt");
    assert(head.startsWith("thread 0"), head);
  }
  assertEquals(said, ["machpause: the selected thread has ended: thread 0 is selected\n"]);
});

Deno.test("a target that is gone is let go, and said to be", async () => {
  const { session, kernel } = open();
  await run(session, "pause");
  kernel.diesAt = 0;
  await run(session, "resume");
  const error = await assertRejects(() => run(session, "pause"), TargetGoneError);
  await session.notice(error);
  assertEquals(promptText(session), "(machpause gone) > ");
  await assertRejects(() => run(session, "bt"), UserError, "the target is gone");
  assertThrows(() => session.target, UserError);
});
