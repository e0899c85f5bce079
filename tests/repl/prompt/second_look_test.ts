/** The prompt as a newcomer meets it at 80 columns: what fits, what Tab and Up do, what an answer says. */
import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { textWidth } from "../../../repl/edit/width.ts";
import { compileHelper, root, Terminal, visible } from "../terminal.ts";
import { screenOf } from "../vt.ts";
import { hasX86Loader } from "../../machine.ts";

const ignore = !hasX86Loader;
const directory = await Deno.makeTempDir();
const helper = await compileHelper(directory);
addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));

const program = new URL("repl/main.ts", root).pathname;
const paused = "paused) > ";
const size = { PTY_SIZE: "80x24" };

function start(args: string[], env: Record<string, string> = {}): Promise<Terminal> {
  return Terminal.start(helper, Deno.execPath(), ["run", "-A", program, ...args], {
    NO_COLOR: "1",
    ...size,
    ...env,
  });
}

async function startFake(env: Record<string, string> = {}): Promise<Terminal> {
  const fake = new URL("fake_prompt.ts", import.meta.url).pathname;
  const terminal = await Terminal.start(
    helper,
    Deno.execPath(),
    ["run", "-A", fake, `${directory}/resumes`],
    { ...size, ...env },
  );
  await terminal.until(paused);
  return terminal;
}

Deno.test({
  name: "80 columns: no line is wider, help fits the screen, recursion is shown once",
  ignore,
  async fn() {
    await using terminal = await start(["demo"]);
    await terminal.until(paused);
    const lines = [
      "bt 3",
      "threads",
      "bt all",
      "memory read sp",
      "x/8xw $sp",
      "registers",
      "disassemble",
      "help bt",
      "thread step-in",
      "images",
      "regions",
      "unwind",
    ];
    for (const line of lines) {
      const shown = (await terminal.enter(line, paused)).split("\n").slice(1, -1);
      assert(shown.length > 0, line);
      for (const text of shown) assert(textWidth(text) <= 80, `${line}: ${text}`);
    }
    const deep = await terminal.enter("bt 3", paused);
    assertMatch(
      deep,
      /\n {4}\d {2}libworkers\.dylib {2}0x[\da-f]{16} {2}descend \+ \d+ at workers\.c:\d+ {2}×200\n/,
    );
    assertEquals(deep.match(/descend/g)?.length, 1);
    assertEquals((await terminal.enter("bt 3 --full", paused)).match(/descend/g)?.length, 200);
    assertMatch(
      await terminal.enter("memory read sp 16", paused),
      /\n0x[\da-f]{16}(?: {1,2}[\da-f]{2}){8} {3}\|.{8}\|\n0x/,
    );
    const help = (await terminal.enter("help", paused)).split("\n");
    assert(help.length <= 24, help.join("\n"));
    assertStringIncludes(help.join("\n"), "help all");
    assert((await terminal.enter("help all", paused)).includes("stop every thread"));
  },
});

Deno.test({
  name: "40 columns: stacks have the functions' names, lines are broken at words",
  ignore,
  async fn() {
    await using terminal = await start(["demo"], { PTY_SIZE: "40x24" });
    const first = await terminal.until("paused:");
    assertMatch(first, /`help` lists\n {2}the commands\./);
    await terminal.until(paused);
    for (const line of ["bt 3", "bt 3 -2", "frame 2", "registers"]) {
      const shown = (await terminal.enter(line, paused)).split("\n").slice(1, -1);
      for (const text of shown) assert(textWidth(text) <= 40, `${line}: ${text}`);
      if (line !== "bt 3") continue;
      assertMatch(shown.join("\n"), /\n +1 {2}libworkers\.… {2}deep_bottom\b/);
      assertMatch(shown.join("\n"), /\n +2 {2}libworkers\.… {2}descend .*×200\n/);
    }
  },
});

Deno.test({
  name:
    "sources by the names that bt prints, the demo's by themselves, and around the selected frame",
  ignore,
  async fn() {
    await using terminal = await start(["demo"]);
    await terminal.until(paused);
    const source = await Deno.readTextFile(new URL("examples/demo/demo.c", root));
    const line = source.split("\n").findIndex((text) => text.includes("usleep((unsigned")) + 1;
    const shown = await terminal.enter(`l demo.c:${line}`, paused);
    assertStringIncludes(shown, `\n./demo/demo.c:${line}\n`);
    assertMatch(shown, new RegExp(`\\n +${line} {2} *int result = usleep`));
    assertStringIncludes(await terminal.enter("l workers.c:40", paused), "\n./demo/workers.c:40\n");
    await terminal.enter("thread 1", paused);
    for (const command of ["up", "frame 3", "down"]) {
      const shown = await terminal.enter(command, paused);
      const [, number] = /\w+ \+ \d+ at \w+\.c:(\d+)/.exec(shown)!;
      assertMatch(shown, new RegExp(`\\n-> +${number} {2}`), command);
    }
  },
});

Deno.test({
  name: "names: near ones of commands, symbols and properties; undefined is shown",
  ignore,
  async fn() {
    await using terminal = await start(["demo"]);
    await terminal.until(paused);
    const cases: [line: string, shows: string | RegExp][] = [
      ["thread.nmae", "undefined: Thread has no `nmae`: did you mean `name`?"],
      ["threads.lenght", "did you mean `length`?"],
      ["thread.backtrce()", "Thread has no `backtrce`: did you mean `backtrace`?"],
      ["[][0]", /\nundefined\n/],
      ["lookup spin_iner", "did you mean `spin_inner`?"],
      ["disassemble spn_outer", "did you mean `spin_outer`?"],
      ["$pc === frame.address", "\ntrue\n"],
      ["$x0", "x86_64 has no register x0"],
      ["typeof $rax", /bigint/],
      ["help breakpoint", "There are no breakpoints and no watchpoints"],
      ["help step", "There are no single steps"],
      ["help threads", "list the threads"],
      ["help memory", "memory read"],
      ["thread step-in", "there are no breakpoints and no steps here"],
      ["bt 77", "`bt --limit 77` shows so many frames"],
      ["bt demo", /thread 0 {2}"demo"[^]*thread 6 /],
      ["bt demo.spin", /thread 2 {2}"demo\.spin"/],
      // The words of LLDB, gdb and shells.
      ["!ls", "Ctrl-Z suspends it"],
      ["shell make", "Ctrl-Z suspends it"],
      ["q!", "`quit` leaves"],
      [":q", "`quit` leaves"],
      ["machpause bt demo", "subcommands in the shell"],
      ["symbolicate x", "a subcommand for the shell"],
      ["how do I attach", "neither a command nor TypeScript: `help`"],
      ["const a b", "SyntaxError"],
      ["process info", "there is no `process info`: there are `process attach`"],
      ["process", "there are `process attach`"],
      ["image dump sections", "`machpause image FILE`"],
      ["crash x.ips", "`machpause crash x.ips`"],
      ["finish", "there are no breakpoints and no steps here"],
      ["info breakpoints", "there are no breakpoints"],
      ["info source", "`frame` shows the file"],
      ["set var count = 3", "`variable write counter 3`"],
      ["ptype Item", "no debug information tells of a type Item"],
      ["call main()", "nothing is called in the target"],
      ["i threads", '* thread 0  "demo"'],
      ["t a a bt", 'thread 6  "demo.relay"'],
      ["info sharedlibrary", "libworkers.dylib"],
      ["version", /\nmachpause \d+\.\d+\.\d+\n/],
      ["x $sp", /\n0x[\da-f]{16}(?: {1,2}[\da-f]{2}){8}/],
      ["memory read -s4 -fx -c2 $sp", /\n0x[\da-f]{16}(?: {2}0x[\da-f]{8}){2}\n/],
      ["l spin_inner", /\n\.\/demo\/workers\.c:\d+\n/],
      ["lookup spin_inner", /bytes(?:, local)? {2}at \.\/demo\/workers\.c:\d+/],
    ];
    for (const [line, shows] of cases) {
      const shown = (await terminal.enter(line, paused)).replace(/\n {2}(?=\S)/g, " ");
      if (typeof shows === "string") assertStringIncludes(shown, shows, line);
      else assertMatch(shown, shows, line);
    }
    await terminal.enter("clear", paused);
    assertEquals(screenOf(terminal.raw, 80, 24).lines.join("\n"), "(machpause demo paused) >");
  },
});

Deno.test({
  name:
    "Tab: after a dot in any expression, registers, subjects of the help; again, through the candidates",
  ignore,
  async fn() {
    await using terminal = await start(["demo"], { PTY_SIZE: "160x50" });
    await terminal.until(paused);
    const cases: [typed: string, becomes: string][] = [
      ["threads[2].backtrace()[0].sour\t", "threads[2].backtrace()[0].source"],
      ["threads.filter((t) => t.sta\t", "threads.filter((t) => t.state"],
      ["threads.find((t) => t.id > 0n)?.na\t", "threads.find((t) => t.id > 0n)?.name"],
      ["(await target).snaps\t", "(await target).snapshot"],
      ["'abc'.toUpp\t", "'abc'.toUpperCase"],
      ["threads.map((t) => t.name).joi\t", "threads.map((t) => t.name).join"],
      ["target.snapshot().mainThr\t", "target.snapshot().mainThread"],
      ["register write ra\t", "register write rax "],
      ["help breakp\t", "help breakpoint "],
      ["help typ\t", "help typescript "],
      ["th\t\t", "theme"],
      ["th\t\t\t", "thread"],
      ["th\t\t\t\t", "threads"],
      ["th\t\t\t\t\t", "theme"],
      ["th\t\t\x1b[Z", "threads"],
    ];
    for (const [typed, becomes] of cases) {
      const before = terminal.raw.length;
      await terminal.type(typed);
      const screen = () => screenOf(terminal.raw.slice(before), 160, 50).lines.join("\n");
      const wanted = `${becomes.trimEnd()}`;
      for (let tries = 0; tries < 400; tries++) {
        if (screen().endsWith(wanted)) break;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      assert(screen().endsWith(wanted), `${typed}: ${screen()}`);
      await terminal.type("\x03");
      await terminal.until(paused);
    }
  },
});

Deno.test("Up after typed text goes through what begins so", async () => {
  await using terminal = await startFake();
  for (const line of ["'one'", "thread 0", "'two'", "thread 1"]) await terminal.enter(line, paused);
  await terminal.type("'\x1b[A\x1b[A");
  await terminal.enter("", /"one"\r\n/);
  await terminal.until(paused);
  await terminal.type("thr\x1b[A\x1b[A\x1b[B");
  assertMatch(await terminal.enter("", paused), /thread 1/);
});

Deno.test("Enter at an empty prompt goes on with `up` and `down`, and with nothing else", async () => {
  await using terminal = await startFake();
  assertMatch(await terminal.enter("up", paused), /\n1 {2}/);
  assertMatch(await terminal.enter("", paused), /\n2 {2}/);
  await terminal.enter("", "the outermost is 2");
  await terminal.until(paused);
  assertMatch(await terminal.enter("down", paused), /\n1 {2}/);
  assertMatch(await terminal.enter("", paused), /\n0 {2}/);
  await terminal.enter("thread", paused);
  assertFalse((await terminal.enter("", paused)).includes("thread 0"));
});

Deno.test("started as it is installed, quietly, Deno clears no line of the prompt's", async () => {
  const args = ["run", "--quiet", "-A", program, "--no-init"];
  await using terminal = await Terminal.start(helper, Deno.execPath(), args, {
    NO_COLOR: "1",
    ...size,
  });
  await terminal.until("(machpause) > ");
  await terminal.enter("1 + 1", /\n2\r\n/);
  await terminal.until("(machpause) > ");
  const { lines } = screenOf(terminal.raw, 80, 24);
  assertEquals(lines.slice(-3), ["(machpause) > 1 + 1", "2", "(machpause) >"]);
});

Deno.test("what is typed is coloured; the background decides the colours", async () => {
  const colours = { NO_COLOR: "", MACHPAUSE_THEME: undefined as never };
  const child = await Terminal.start(helper, Deno.execPath(), ["run", "-A", program], {
    ...size,
    ...clean(colours),
  });
  await using terminal = child;
  await terminal.until("\x1b]11;?\x07");
  await terminal.until("(machpause) > ");
  await terminal.type("\x1b]11;rgb:ffff/ffff/eeee\x07");
  await terminal.enter("1", "(machpause) > ");
  // Of the light theme: keywords bold on black, strings green, numbers brown.
  await terminal.type("const a = 'x'");
  await untilScreen(terminal, /const a = 'x'$/);
  // deno-lint-ignore no-control-regex
  assertMatch(terminal.raw, /\x1b\[1;30m\w*t\x1b\[0m[^]*\x1b\[32m[^\x1b]*'\x1b\[0m/);
  const { lines } = screenOf(terminal.raw, 80, 24);
  assertEquals(lines.at(-1), "(machpause) > const a = 'x'");
  assertFalse(visible(terminal.raw).includes("11;rgb"));
});

/** Waits until the screen looks so. */
async function untilScreen(terminal: Terminal, wanted: RegExp): Promise<void> {
  const screen = () => screenOf(terminal.raw, 80, 24).lines.join("\n");
  for (let tries = 0; tries < 1000 && !wanted.test(screen()); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assertMatch(screen(), wanted);
}

function clean(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry) => entry[1] !== undefined),
  ) as Record<string, string>;
}

Deno.test({
  name: "attach lists processes; typing filters, Enter attaches, Ctrl-C does not",
  ignore,
  async fn() {
    const child = new Deno.Command("sleep", { args: ["987654"] }).spawn();
    try {
      await using terminal = await start(["attach"]);
      await terminal.until("attach to: ");
      await terminal.type("slp98765");
      await untilScreen(terminal, new RegExp(`\\nattach to: slp98765\\n> +${child.pid} +sleep `));
      await terminal.type("\r");
      await terminal.until("attached to sleep");
      await terminal.until("running) > ");
      await terminal.enter("detach", "(machpause) > ");
      await terminal.enter("attach", "attach to: ");
      await terminal.type("\x03");
      await terminal.until("no process was chosen");
      await terminal.enter(
        "process attach --name no-such-program --waitfor",
        "waiting for no-such-program to be started; Ctrl-C ends the wait",
      );
      await terminal.type("\x03");
      await terminal.until("the wait was ended: nothing was attached to");
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
  },
});

Deno.test({
  name: "long output a screenful at a time at the prompt; q leaves it; none with --no-pager",
  ignore,
  async fn() {
    await using terminal = await start(["demo"], { PAGER: "less", NO_COLOR: "" });
    await terminal.until(paused);
    // Colours are not escaped a second time.
    assertFalse((await terminal.enter("watch demo_progress", paused)).includes("\\x1b"));
    await terminal.enter("help all", /-- 23 of \d+ lines: Space, Enter, q --/);
    assertMatch(
      screenOf(terminal.raw, 80, 24).lines.at(-1)!,
      /^-- 23 of \d+ lines: Space, Enter, q --$/,
    );
    await terminal.type(" ");
    await terminal.until(/-- 46 of \d+ lines/);
    await terminal.type("\r");
    await terminal.until(/-- 47 of \d+ lines/);
    await terminal.type("q");
    await terminal.until(paused);
    assertFalse(screenOf(terminal.raw, 80, 24).lines.join("\n").includes("-- 47"));
    // What is neither for the pager is a command, and none of its letters is lost.
    await terminal.enter("help all", /-- 23 of /);
    await terminal.enter("frame 0", /\n.*0x[\da-f]{16}.*\r\n.*paused\) > /);
    // Keys that are pressed faster than screens are shown; those that are too many are dropped.
    await terminal.enter("help all", /-- 23 of /);
    await terminal.type("  ");
    await terminal.until(/-- 69 of \d+ lines/);
    await terminal.type("          ");
    await terminal.until(paused);
    assertEquals((await terminal.enter("'x'", paused)).split("\n")[0].trimEnd(), "'x'");
    await terminal.enter("help all", /-- 23 of /);
    await terminal.type("G");
    const shown = await terminal.until(paused);
    assertStringIncludes(shown, "leave, with an exit code");
    await using plain = await start(["demo", "--no-pager"], { PAGER: "less" });
    await plain.until(paused);
    assertFalse((await plain.enter("help all", paused)).includes("-- 23"));
  },
});

Deno.test({
  name: "bt demo beside a demo that runs says which is which",
  ignore,
  async fn() {
    await using first = await start(["demo", "--no-init"]);
    await first.until("paused) > ");
    const pid = /\n(\d+)\n/.exec(await first.enter("target.pid", /[\nJ]\d+\r\n/))![1];
    await using second = await start(["bt", "demo", "--no-pager"]);
    await second.until(/this demo was started for it[^]*shows\s+it/);
    assertEquals(await second.end(), 0);
    // Beside the demos of other tests the message takes several lines.
    assertMatch(second.raw.replace(/\s+/g, " "), new RegExp(`pid [\\d, ]*\\b${pid}\\b`));
    await first.type("quit\r");
    assertEquals(await first.end(), 0);
  },
});

Deno.test("a screenful is that of the terminal's size now, and lines that are wrapped are rows", async () => {
  await using terminal = await startFake({ PAGER: "less", PTY_SIZE: "80x24", PTY_RESIZE: "40x12" });
  await terminal.enter("help all", /-- 23 of \d+ lines: Space, Enter, q --/);
  terminal.resize();
  // The line of the pager is drawn again.
  await terminal.until("-- 23 of");
  await terminal.until("q --");
  const before = terminal.raw.length;
  await terminal.type(" ");
  const shown = await terminal.until(/-- \d+ of \d+ lines: Space, Enter, q --/);
  assert(shown.includes("\n"), shown);
  const { lines } = screenOf(terminal.raw.slice(before), 40, 100);
  assert(lines.length <= 12, lines.join("\n"));
});

Deno.test({
  name: "image and stackshot go through $PAGER on a terminal, not what fits on the screen",
  ignore,
  async fn() {
    const PAGER = "sed s/^/PAGED:/";
    const demo = new URL("../../../examples/demo/x86_64/demo", import.meta.url).pathname;
    await using all = await start(["image", demo, "--symbols", "--sections"], { PAGER });
    await all.until(/PAGED:.*_ledger_open/);
    assertEquals(await all.end(), 0);
    await using some = await start(["image", demo], { PAGER, PTY_SIZE: "200x90" });
    await some.until("x86_64");
    assertEquals(await some.end(), 0);
    assertFalse(some.raw.includes("PAGED:"));
    await using plain = await start(["image", demo, "--all", "--no-pager"], { PAGER });
    await plain.until("_ledger_open");
    assertEquals(await plain.end(), 0);
    assertFalse(plain.raw.includes("PAGED:"));
  },
});

Deno.test({
  name: "bt of the command line goes through $PAGER on a terminal, and nowhere else",
  ignore,
  async fn() {
    await using terminal = await start(["bt", "demo", "--full"], { PAGER: "sed s/^/PAGED:/" });
    await terminal.until("PAGED:thread 6");
    assertEquals(await terminal.end(), 0);
    await using plain = await start(["bt", "demo", "--full", "--no-pager"], {
      PAGER: "sed s/^/PAGED:/",
    });
    await plain.until("thread 6");
    assertEquals(await plain.end(), 0);
    assertFalse(plain.raw.includes("PAGED:"));
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", program, "bt", "demo", "--full"],
      env: { PAGER: "sed s/^/PAGED:/" },
    }).output();
    assertFalse(new TextDecoder().decode(stdout).includes("PAGED:"));
  },
});
