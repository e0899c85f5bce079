import { assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { harmless, raw } from "../fake_target.ts";
import { directory, paused, running, startFake } from "./started.ts";
import { type Terminal, visible } from "../terminal.ts";

/** The prompt at the fake target, paused; and how often it has been resumed. */
async function start(): Promise<{ terminal: Terminal; resumes: () => number }> {
  const log = await Deno.makeTempFile({ dir: directory });
  const terminal = await startFake({}, log);
  return { terminal, resumes: () => Deno.readTextFileSync(log).split("\n").length - 1 };
}

Deno.test("a session at a terminal: commands, TypeScript, errors", async () => {
  const { terminal } = await start();
  await using _ended = terminal;
  assertStringIncludes(await terminal.enter("threads", paused), "* thread 0");
  assertStringIncludes(await terminal.enter("bt --full", paused), `take${harmless} + 16`);
  assertStringIncludes(await terminal.enter("1 + 1", paused), "\n2\n");
  await terminal.enter("const n: number = await Promise.resolve(20)", paused);
  assertStringIncludes(await terminal.enter("const n = 21; n * 2", paused), "\n42\n");
  assertStringIncludes(await terminal.enter("n + 1", paused), "\n22\n");
  assertStringIncludes(await terminal.enter("thread.index", paused), "\n0\n");
  assertStringIncludes(
    await terminal.enter("nosuch", paused),
    "\nmachpause: ReferenceError: nosuch is not defined\n",
  );
  assertStringIncludes(await terminal.enter("thread 7", paused), "\nmachpause: no thread 7:");
  await terminal.enter("resume", running);
  await terminal.enter("pause", paused);
  assertEquals((await terminal.type("quit\r"), await terminal.end()), 0);
});

Deno.test("lines that are not complete go on in the next one", async () => {
  const { terminal } = await start();
  await using _ended = terminal;
  await terminal.enter("function twice(n: number) {", "| ");
  await terminal.enter("return 2 * n }", paused);
  assertStringIncludes(await terminal.enter("twice(4)", paused), "\n8\n");
});

Deno.test("a paste of many lines", async () => {
  const { terminal } = await start();
  await using _ended = terminal;
  const lines = Array.from({ length: 100 }, (_, index) => `  total += ${index};`);
  await terminal.type(
    ["function sum() {", "  let total = 0;", ...lines, "  return total", "}"].join("\r"),
  );
  await terminal.enter("", paused);
  assertStringIncludes(await terminal.enter("sum()", paused), "\n4950\n");
});

Deno.test("Ctrl-C forgets the lines of code that is not complete", async () => {
  const { terminal } = await start();
  await using _ended = terminal;
  await terminal.enter("function f() {", "| ");
  await terminal.type("\x03");
  await terminal.until(paused);
  assertStringIncludes(await terminal.enter("6 * 7", paused), "\n42\n");
});

Deno.test("lines typed ahead run in order", async () => {
  const { terminal } = await start();
  await using _ended = terminal;
  await terminal.type(
    "await new Promise((r) => setTimeout(r, 200, 'first'))\r'second'\rthread.index\r",
  );
  await terminal.until("paused) > ");
  await terminal.until("paused) > ");
  const shown = visible(terminal.raw);
  const [first, second] = [shown.indexOf('"first"\n'), shown.indexOf('"second"\n')];
  assertEquals(first >= 0 && first < second, true, shown);
});

Deno.test("completion and history", async () => {
  const { terminal } = await start();
  await using _ended = terminal;
  await terminal.type("registe\t");
  await terminal.until("register");
  await terminal.type("s\t");
  await terminal.enter("", "rax");
  await terminal.until(paused);
  await terminal.type("target.images.len\t");
  await terminal.until("gth");
  await terminal.enter("", /\n1\r\n/);
  await terminal.until(paused);
  await terminal.type("\x1b[A");
  await terminal.until("target.images.length");
  await terminal.enter("", /\n1\r\n/);
});

Deno.test("Ctrl-C clears the line, stops a wait, and twice leaves", async () => {
  const { terminal, resumes } = await start();
  await using _ended = terminal;
  await terminal.type("nonsense(");
  await terminal.until("nonsense(");
  await terminal.type("\x03");
  await terminal.until(paused);
  assertStringIncludes(await terminal.enter("3 * 3", paused), "\n9\n");
  await terminal.type("await new Promise(() => {})\r");
  await terminal.until(/\{\}\)\r+\n/);
  // Until it waits, Ctrl-C stops it.
  await new Promise((resolve) => setTimeout(resolve, 500));
  await terminal.type("\x03");
  await terminal.until("(no longer waited for)");
  await terminal.until(paused);
  assertEquals(resumes(), 0);
  await terminal.type("\x03");
  await terminal.until("again");
  await terminal.type("\x03");
  assertEquals(await terminal.end(), 0);
  assertEquals(resumes(), 1);
});

Deno.test("what is printed later goes above the line that is being typed", async () => {
  const { terminal } = await start();
  await using _ended = terminal;
  await terminal.enter("void setTimeout(() => console.log('a\\tb\\nlater %d', 7), 50)", paused);
  await terminal.type("6 * ");
  await terminal.until("a\tb\r\nlater 7\r\n");
  await terminal.until("> 6 * ");
  await terminal.enter("7", /42\r\n/);
});

Deno.test("what fails later does not end the prompt", async () => {
  const { terminal } = await start();
  await using _ended = terminal;
  await terminal.enter(
    "void setTimeout(() => { throw new Error('late') }, 20)",
    "machpause: late\r\n",
  );
  await terminal.until(paused);
  await terminal.enter("void Promise.reject(new Error('rejected'))", "machpause: rejected\r\n");
  await terminal.enter("5 * 5", /25\r\n/);
  assertFalse(visible(terminal.raw).includes("Uncaught"));
});

Deno.test("a target that dies is said to be gone", async () => {
  const { terminal } = await start();
  await using _ended = terminal;
  // The prompt asks for a sign of life before it says that the target is paused, or runs.
  assertStringIncludes(
    await terminal.enter("void (kernel.diesAt = 0)", "gone) > "),
    "machpause: pid 7 is gone",
  );
  assertStringIncludes(await terminal.enter("bt", "gone) > "), "the target is gone: `attach");
  assertStringIncludes(
    await terminal.enter("p numbers", "gone) > "),
    "numbers is not defined, and the target is gone: `attach",
  );
  await terminal.type("\x04");
  assertEquals(await terminal.end(), 0);
});

Deno.test("nothing of the target's text reaches the terminal raw", async () => {
  const { terminal } = await start();
  await using _ended = terminal;
  for (
    const line of [
      "bt all",
      "bt all --unique",
      "summary",
      "status",
      "threads",
      "regions",
      "image lookup -r -n .",
      "memory find --text tak",
      "memory read sp 4 --as pointer",
      "memory read sp --as cstring",
      "memory write sp --text hi",
      "n",
      "register read rip",
      "disassemble pc --count 2",
      "source",
      "unwind",
      "images nosuch",
      "history",
      "symbols",
      "status",
      "help nosuch\x01",
      "images",
      "frame",
      "lookup pc",
      "lookup take",
      "target",
      "target.name",
      "threads",
      "[...threads].map(String)",
      "thread.backtrace()",
      "frame.symbol",
      "target.toJSON()",
      "throw new Error(target.name)",
      "void setTimeout(() => { throw new Error(target.name) })",
      "console.log(target.name, [target.name], { a: target.name })",
      "console.error('%s: %o', target.name, target.name)",
    ]
  ) await terminal.enter(line, line.startsWith("memory write") ? "(y/n) " : paused);
  // What is typed and pasted is drawn, too; and so is what may follow.
  await terminal.type("\x1b[200~'\x1b[2J\x9b31m\u202e'\x1b[201~\r");
  await terminal.until(paused);
  await terminal.type("\x1b[A\x03");
  await terminal.until(paused);
  await terminal.enter("let hostile = { [target.name]: 1, ok: 2 }", paused);
  await terminal.type("hostile.\t\x03");
  await terminal.until(paused);
  await terminal.type("lookup ta\t\x03");
  await terminal.until(paused);
  await terminal.type("images li\t\t\x03");
  await terminal.until(paused);
  await terminal.type("\x04");
  await terminal.end();
  const text = visible(terminal.raw).replaceAll("\r", "");
  assertFalse(raw.test(text), JSON.stringify(raw.exec(text)));
  assertFalse(terminal.raw.includes("\x1b[2J") || terminal.raw.includes("\x1b]"));
});

const waysOut: Readonly<Record<string, { leave(t: Terminal): unknown; code?: number }>> = {
  "quit": { leave: (terminal) => terminal.type("quit\r"), code: 0 },
  ".exit": { leave: (terminal) => terminal.type(".exit\r"), code: 0 },
  "Ctrl-D": { leave: (terminal) => terminal.type("\x04"), code: 0 },
  "Deno.exit": { leave: (terminal) => terminal.type("Deno.exit(5)\r"), code: 5 },
  "SIGTERM": { leave: (terminal) => Deno.kill(terminal.pid, "SIGTERM"), code: 143 },
  "SIGHUP": { leave: (terminal) => Deno.kill(terminal.pid, "SIGHUP"), code: 129 },
  "a closed window": { leave: (terminal) => terminal.hangUp() },
};

for (const [name, { leave, code }] of Object.entries(waysOut)) {
  Deno.test(`leaving by ${name} lets the target run`, async () => {
    const { terminal, resumes } = await start();
    await using _ended = terminal;
    await leave(terminal);
    const ended = await terminal.end();
    if (code !== undefined) assertEquals(ended, code);
    assertEquals(resumes(), 1);
  });
}

Deno.test("from a pipe: no prompt, a command a line, failures in the exit code", async () => {
  const log = await Deno.makeTempFile({ dir: directory });
  const run = async (input: string) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", new URL("fake_prompt.ts", import.meta.url).pathname, log],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: text(stdout), stderr: text(stderr) };
  };
  const begun = await run("");
  assertEquals([begun.code, begun.stdout.split("\n").length], [0, 4]);
  const summary = begun.stdout;
  assertEquals(await run("thread 1\nlet n = 1\nfunction f() {\n  return n + 1\n}\nf()"), {
    code: 0,
    stdout: `${summary}thread 1  id 0x65  waiting  cpu 50%\n` +
      `  0  lib${harmless}.dylib  0x0000000000004001  take${harmless} + 1\n2\n`,
    stderr: "",
  });
  assertEquals(await run("nosuch\n1 + 1\n"), {
    code: 1,
    stdout: `${summary}2\n`,
    stderr: "machpause: ReferenceError: nosuch is not defined\n",
  });
  assertEquals((await run("f(\n")).stderr, "machpause: the last lines are incomplete\n");
  assertEquals((await run("quit\nnosuch\n")).code, 0);
  assertEquals(Deno.readTextFileSync(log), "resumed\n".repeat(5));
});
