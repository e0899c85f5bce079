/** What keys and lines do at a real terminal: Ctrl-C, Ctrl-\ and Ctrl-Z in every state, lines that are not
 * complete, abbreviations, words too many. */
import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { helper, main, paused, running, start, startFake } from "./started.ts";
import { root, Terminal, untilGone, visible } from "../terminal.ts";
import { screenOf } from "../vt.ts";
import { hasX86Loader } from "../../machine.ts";

const ignore = !hasX86Loader;
const demo = new URL("examples/demo/x86_64/demo", root).pathname;

/** A demo process that is not machpause's child. */
async function startDemo(): Promise<{ pid: number; child: Deno.ChildProcess }> {
  const { launch } = await import("../../../mod.ts");
  // Resolves the loader; the process that is looked at is its own.
  const target = await launch(demo, [], { output: "null" });
  const line = await Deno.readTextFile(`/proc/${target.pid}/cmdline`);
  target.kill();
  const [loader, ...args] = line.split("\0").filter((text) => text !== "");
  const child = new Deno.Command(loader, { args, stdin: "null", stdout: "null" }).spawn();
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { pid: child.pid, child };
}

/** The state of a process, a letter of `ps`. */
async function stateOf(pid: number): Promise<string> {
  return /^State:\t(\w)/m.exec(await Deno.readTextFile(`/proc/${pid}/status`))![1];
}

async function untilState(pid: number, wanted: RegExp): Promise<void> {
  for (let tries = 0; !wanted.test(await stateOf(pid)); tries++) {
    assert(tries < 1000, `${pid} is ${await stateOf(pid)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Code that runs for ages in the engine, where no loop of its own is. */
const endless = "'x'.repeat(50).match(/(x+x+)+y/)";

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

Deno.test("TypeScript over several lines, typed: each asks for more, and runs when it is complete", async () => {
  await using terminal = await startFake();
  const pieces: readonly (readonly [lines: string[], shows: string])[] = [
    [["const aa = {", "b: 1 }", ""], ""],
    [["aa.b"], "\n1\n"],
    [["if (true) {", "'yes' }"], '"yes"'],
    [["const f = async () => {", "return 7 }"], ""],
    [["await f()"], "\n7\n"],
    [["const [x1, y1] = [", "1, 2]"], ""],
    [["y1"], "\n2\n"],
    [["let n1 = 0; do {", "n1++ } while (n1 < 3); n1"], "\n3\n"],
    [["do {", "n1++ } while (n1 < 5)", "", "n1"], "\n5\n"],
    [["class Point {", "x = 4 }", ""], ""],
    [["new Point().x"], "\n4\n"],
    [["target.name.length > 0 &&", "'both'"], '"both"'],
    [["p 1 +", "2"], "\n3\n"],
    [["print [4, 5].map((n) =>", "n * 2)[1]"], "\n10\n"],
  ];
  for (const [lines, shows] of pieces) {
    const typed = lines.filter((line) => line !== "");
    for (const [index, line] of typed.entries()) {
      const shown = await terminal.enter(line, index < typed.length - 1 ? /\| |> $/ : paused);
      assertFalse(shown.includes("machpause:"), shown);
      if (index === typed.length - 1 && shows !== "") assertStringIncludes(shown, shows, line);
    }
  }
});

Deno.test({
  name: "an abbreviation of a command that changes the target is asked about; one letter is none",
  ignore,
  async fn() {
    await using terminal = await start(["demo"]);
    await terminal.until(paused);
    await terminal.enter(
      "sel",
      "sel is short for `self`, which changes the target: run it? (y/n) ",
    );
    await terminal.enter("", paused);
    await terminal.enter("det", "`detach`, which changes the target: run it? (y/n) ");
    await terminal.enter("n", paused);
    assertStringIncludes(await terminal.enter("z", paused), "z is not defined");
    assertStringIncludes(await terminal.enter("regi", paused), "regi may be `");
    assertMatch(await terminal.enter("disas worker_spin", paused), /<\+\d+>/);
    assertStringIncludes(await terminal.enter("target.kind", paused), '"live"');
    await terminal.enter("resu", "(y/n) ");
    await terminal.enter("y", running);
  },
});

Deno.test("words too many are refused, expressions are one argument, what is no code is no command", async () => {
  await using terminal = await startFake();
  assertStringIncludes(await terminal.enter("thread 1 2", paused), "too many arguments: 2");
  assertStringIncludes(await terminal.enter("bt 1 2", paused), "too many arguments: 2");
  const at = async (text: string) =>
    /0x[\da-f]{16}/.exec((await terminal.enter(`x/gx ${text}`, paused)).replace(/^.*\n/, ""))?.[0];
  const sp = BigInt((await at("$sp"))!);
  assertEquals(BigInt((await at("$sp + 8"))!), sp + 8n);
  assertEquals(BigInt((await at("($sp * 2) / 2 + 16"))!), sp + 16n);
  const shown = await terminal.enter("expression foo bar", paused);
  assertFalse(shown.includes("did you mean"), shown);
  assertMatch(shown, /machpause: SyntaxError: [^\n]*\n {2}1 \| foo bar\n {10}\^/);
});

Deno.test("Ctrl-C ends a loop within a second, in a function, around `await`, inside `try`", async () => {
  await using terminal = await startFake();
  await terminal.enter("const spin = () => { do ; while (true) }", paused);
  const loops = [
    "for(;;) {}",
    "while (true) await 0",
    "for(;;) { try { for(;;); } catch {} }",
    "[1].map(() => spin())",
    "const fib = (n: number): number => n < 2 ? n : fib(n - 1) + fib(n - 2); fib(90)",
  ];
  for (const loop of loops) {
    await terminal.type(`${loop}\r`);
    await terminal.until(/\r+\n/);
    await pause(200);
    const began = performance.now();
    await terminal.type("'typed ahead'\r\x03");
    const shown = await terminal.until(paused);
    assert(performance.now() - began < 1000, loop);
    assertStringIncludes(shown, "machpause: interrupted", loop);
    assertFalse(shown.includes('"typed ahead"'), shown);
  }
  // The lines after it are not run; and what comes next is.
  await terminal.type("\x1b[200~for(;;) {}\nthread 1\n'after'\x1b[201~\r");
  await pause(300);
  await terminal.type("\x03");
  assertFalse((await terminal.until(paused)).includes('"after"'));
  assertStringIncludes(await terminal.enter("6 * 7", paused), "\n42\n");
  assertFalse(visible(terminal.raw).includes("no longer waited for"));
});

Deno.test("code that is no longer waited for stops at its next loop", async () => {
  await using terminal = await startFake();
  await terminal.enter("let ticks = 0", paused);
  await terminal.type("for (;;) { await new Promise((r) => setTimeout(r, 20)); ticks++ }\r");
  await pause(300);
  await terminal.type("\x03");
  await terminal.until(paused);
  await pause(100);
  const before = await terminal.enter("ticks", paused);
  await pause(200);
  assertEquals(await terminal.enter("ticks", paused), before);
});

/** Attaches to a demo process, pauses it, and runs `code`. */
async function busyAtDemo(
  code: string,
  body: (terminal: Terminal, pid: number) => Promise<void>,
): Promise<void> {
  const { pid, child } = await startDemo();
  try {
    await using terminal = await start(["attach", `${pid}`]);
    await terminal.until(running);
    await terminal.enter("pause", paused);
    await untilState(pid, /t/i);
    await terminal.type(`${code}\r`);
    await pause(500);
    await body(terminal, pid);
    await untilState(pid, /[RS]/);
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
}

Deno.test({
  name: "code of the engine's own is ended by a second Ctrl-C, and the paused target runs on",
  ignore,
  async fn() {
    await busyAtDemo(endless, async (terminal) => {
      await terminal.type("\x03");
      await terminal.until("still busy: Ctrl-C again ends machpause");
      const began = performance.now();
      await terminal.type("\x03");
      assertEquals(await terminal.end(), 137);
      assert(performance.now() - began < 1000);
    });
  },
});

Deno.test({
  name: "Ctrl-\\ ends the program, busy or not, and the paused target runs on",
  ignore,
  async fn() {
    await busyAtDemo(endless, async (terminal) => {
      await terminal.type("\x1c");
      const began = performance.now();
      assertEquals(await terminal.end(), 137);
      assert(performance.now() - began < 1000);
    });
    await busyAtDemo("1 + 1", async (terminal) => {
      await terminal.type("half a li\x1c");
      assertEquals(await terminal.end(), 131);
    });
  },
});

Deno.test("the demo ends with machpause, also where that is too busy", { ignore }, async () => {
  await using terminal = await start(["demo"]);
  await terminal.until(paused);
  const pid = Number(/\n(\d+)\n/.exec(await terminal.enter("target.pid", paused))![1]);
  await terminal.type(`${endless}\r`);
  await pause(500);
  await terminal.type("\x1c");
  assertEquals(await terminal.end(), 137);
  await untilGone(pid);
});

Deno.test("a Ctrl-C at an empty line is forgotten when something is typed, and erased", async () => {
  await using terminal = await startFake();
  await terminal.type("\x03");
  await terminal.until("(Ctrl-C again leaves");
  await terminal.until(paused);
  await terminal.type("abc\x15\x03");
  await terminal.until("(Ctrl-C again leaves");
  await terminal.until(paused);
  assertStringIncludes(await terminal.enter("1 + 1", paused), "\n2\n");
  await terminal.type("\x03");
  await terminal.until("(Ctrl-C again leaves");
  await terminal.type("\x03");
  assertEquals(await terminal.end(), 0);
});

Deno.test("progress leaves nothing behind on a terminal that became narrower", async () => {
  await using terminal = await startFake({ PTY_SIZE: "60x16", PTY_RESIZE: "20x16" });
  await terminal.enter("void (kernel.memory = new Uint8Array(1500 << 20))", paused);
  await terminal.enter("memory find --text nowhere", "Ctrl-C ends it");
  terminal.resize();
  await pause(200);
  await terminal.type("\x03");
  await terminal.until(/\(ended after \d+\s+\w+\)/);
  await terminal.until("… ");
  // The progress that the terminal wrapped is erased in both of its rows.
  assertStringIncludes(terminal.raw, "\x1b[1A\r\x1b[J");
});

Deno.test("a question is shown whole on 80 columns", async () => {
  await using terminal = await startFake({ PTY_SIZE: "80x24" });
  const before = terminal.raw.length;
  await terminal.enter("register write rax 0x1234", "(y/n) ");
  const { lines } = screenOf(terminal.raw.slice(before), 80, 24);
  assertStringIncludes(
    lines.join(""),
    "thread 0, rax: 0x0000000000000000 -> 0x0000000000001234: write it? (y/n)",
  );
  await terminal.enter("n", "nothing was written");
});

Deno.test({
  name: "a target that has ended is said to have, with its code or signal, and is never paused",
  ignore,
  async fn() {
    const run = async (...args: string[]) => {
      const { code, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", main, ...args],
        stdout: "null",
      }).output();
      return [code, new TextDecoder().decode(stderr)];
    };
    // Whether it ended before it could be attached to, or just after.
    const ended = (text: string) => text.replace(/ \(pid \d+, x86_64\)/, "");
    for (const [name, code] of [["true", 0], ["false", 1]] as const) {
      const [exit, text] = await run("launch", "-e", "status", `/bin/${name}`);
      assertEquals(exit, 1);
      assertEquals(ended(`${text}`), `machpause: ${name} has ended: it exited with code ${code}\n`);
    }
    await using terminal = await start(["launch", demo]);
    await terminal.until(running);
    await terminal.enter("pause", paused);
    const pid = Number(/\n(\d+)\n/.exec(await terminal.enter("target.pid", paused))![1]);
    Deno.kill(pid, "SIGKILL");
    await pause(200);
    assertStringIncludes(
      await terminal.enter("status", "gone) > "),
      "has ended: it was killed by SIGKILL",
    );
    await terminal.type("quit 4\r");
    assertEquals(await terminal.end(), 4);
  },
});

/** Waits until the shell reads the keyboard. It shows its prompt before that, and while it takes the terminal
 * back it may discard what was typed. */
async function shellReads(terminal: Terminal): Promise<void> {
  await terminal.type("\r");
  const again = setInterval(() => void terminal.type("\r"), 2000);
  try {
    await terminal.until("SHELL$ ");
  } finally {
    clearInterval(again);
  }
}

Deno.test({
  name: "Ctrl-Z stops the whole job, and `fg` brings it back",
  ignore,
  async fn() {
    const config = new URL("deno.json", root).pathname;
    const deno = Deno.execPath();
    const commands = [
      `${deno} run -A ${main} demo`,
      `${deno} task --config ${config} demo`,
      // As `npx` does: a parent that waits.
      `sh -c '${deno} run -A ${main} demo; true'`,
    ];
    await using terminal = await Terminal.start(helper, "bash", ["--norc", "--noprofile", "-i"], {
      PS1: "SHELL$ ",
      NO_COLOR: "1",
      PAGER: "less",
    });
    await terminal.until("SHELL$ ");
    for (const command of commands) {
      await terminal.enter(command, paused);
      if (command === commands[0]) {
        // In the pager too, which is there again afterwards.
        await terminal.enter("help all", /-- \d+ of \d+ lines/);
        await terminal.type("\x1a");
        await terminal.until("Stopped");
        await terminal.until("SHELL$ ");
        await shellReads(terminal);
        await terminal.enter("fg", /-- \d+ of \d+ lines/);
        await terminal.type("q");
        await terminal.until(paused);
      }
      await terminal.type("6 * ");
      await terminal.until("6 * ");
      await terminal.type("\x1a");
      await terminal.until("(demo stays paused while machpause is suspended)");
      await terminal.until("Stopped");
      await terminal.until("SHELL$ ");
      await shellReads(terminal);
      await terminal.enter("echo at the shell", "at the shell\r\n");
      await terminal.enter("fg", "> 6 * ");
      await terminal.enter("7", /\n42\r\n/);
      await terminal.until(paused);
      await terminal.type("quit\r");
      await terminal.until("SHELL$ ");
      await terminal.enter("stty -a | grep -o ' echo '; echo restored", /echo \r\nrestored/);
      await terminal.until("SHELL$ ");
    }
    await terminal.type("exit\r");
    await terminal.end();
  },
});
