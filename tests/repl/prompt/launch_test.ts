/** Programs that are launched from the prompt: their end, machpause's end, their output, their options. */
import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { directory, main, running, start } from "./started.ts";
import { type Terminal, untilGone } from "../terminal.ts";
import { screenOf } from "../vt.ts";
import { canLaunch, onLinux } from "../../machine.ts";

const ignore = !canLaunch;
/** A program that prints a line with each tick, and whether it prints to a terminal. */
const talker = `${directory}/talker`;
await Deno.writeTextFile(
  `${talker}.c`,
  `#include <stdio.h>
   #include <unistd.h>
   int main(int count, char **words) {
     for (int i = 1; i < count; i++) printf("word %s\\n", words[i]);
     for (int i = 0; i < 600; i++) {
       printf("tick %d %s\\n", i, isatty(1) ? "tty" : "pipe");
       usleep(100000);
       if (i == 5 && count > 2) *(volatile int *)0 = 1;
     }
     return 0;
   }`,
);
await new Deno.Command("cc", { args: ["-o", talker, `${talker}.c`] }).output();

async function pidAt(terminal: Terminal): Promise<number> {
  return Number(/\n(\d+)\n/.exec(await terminal.enter("target.pid", /\n\d+\r\n/))![1]);
}

function isAlive(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGCONT");
    return true;
  } catch {
    return false;
  }
}

Deno.test({
  name: "a launched program ends with machpause: asked at a prompt; no, and it stays",
  ignore,
  async fn() {
    await using terminal = await start(["launch", talker]);
    await terminal.until(running);
    const pid = await pidAt(terminal);
    await terminal.enter("quit", "was launched from here: end it? (y/n) ");
    await terminal.enter("n", "`detach` lets it run on");
    assert(isAlive(pid));
    await terminal.until(running);
    await terminal.type("\x04");
    await terminal.until("end it? (y/n) ");
    await terminal.type("y\r");
    assertEquals(await terminal.end(), 0);
    await untilGone(pid);
  },
});

Deno.test({
  name: "a launched program ends when machpause is killed, hung up on, or runs -e to its end",
  ignore,
  async fn() {
    for (const how of ["SIGKILL", "SIGTERM", "window"] as const) {
      await using terminal = await start(["launch", talker]);
      await terminal.until(running);
      const pid = await pidAt(terminal);
      if (how === "window") await terminal.hangUp();
      else Deno.kill(terminal.pid, how);
      await untilGone(pid);
    }
    // `tail` ends when nobody has its input open.
    const { code, stdout } = await new Deno.Command("sh", {
      args: [
        "-c",
        '"$0" run -A "$1" launch -e target.pid -e bt "$2" | tail -n 100',
        Deno.execPath(),
        main,
        talker,
      ],
      env: { NO_COLOR: "1" },
    }).output();
    assertEquals(code, 0);
    await untilGone(Number(/^\d+$/m.exec(new TextDecoder().decode(stdout))![0]));
  },
});

Deno.test({
  name: "a launched program runs on with `detach`, and with --keep",
  ignore,
  async fn() {
    await using terminal = await start(["launch", talker]);
    await terminal.until(running);
    const pid = await pidAt(terminal);
    try {
      await terminal.enter("detach", /detached from talker .*; what it prints is shown until/);
      await terminal.until("(machpause) > ");
      await terminal.type("quit\r");
      assertEquals(await terminal.end(), 0);
      assert(isAlive(pid));
    } finally {
      Deno.kill(pid, "SIGKILL");
    }
    const { stdout } = await new Deno.Command("sh", {
      args: [
        "-c",
        '"$0" run -A "$1" launch --keep -e target.pid "$2" >"$3" && cat "$3"',
        ...[Deno.execPath(), main, talker, `${directory}/kept`],
      ],
      stderr: "null",
    }).output();
    const kept = Number(/^\d+$/m.exec(new TextDecoder().decode(stdout))![0]);
    assert(isAlive(kept));
    Deno.kill(kept, "SIGKILL");
  },
});

Deno.test({
  name: "what a launched program prints goes above the line being typed, as to a terminal",
  ignore,
  async fn() {
    await using terminal = await start(["launch", talker], { PTY_SIZE: "80x24" });
    await terminal.until(running);
    await terminal.type("threads.len");
    await terminal.until("tick 12 tty");
    await terminal.until("tick 14 tty");
    await terminal.until(/len/);
    const { lines } = screenOf(terminal.raw, 80, 24);
    assertEquals(lines.at(-1), "(machpause talker running) > threads.len");
    assertFalse(lines.slice(0, -1).some((line) => line.includes("threads.len")), lines.join("\n"));
    assertEquals(lines.filter((line) => line === "tick 14 tty").length, 1);
  },
});

Deno.test({
  name: "options after the program are its own, and that is said",
  ignore,
  async fn() {
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: [
        "-c",
        '"$0" run -A "$1" launch "$2" -e bt </dev/null | cat',
        Deno.execPath(),
        main,
        talker,
      ],
      env: { NO_COLOR: "1" },
    }).output();
    const text = new TextDecoder();
    assertEquals(code, 0, text.decode(stderr));
    assertEquals(
      text.decode(stderr),
      "machpause: -e was passed to the program: machpause's options go before its name\n",
    );
    assertEquals(text.decode(stdout), "");
  },
});

Deno.test({
  name: "the end of an attached process is said at once, above what is being typed",
  ignore: !onLinux,
  async fn() {
    const child = new Deno.Command("sleep", { args: ["100"] }).spawn();
    await using terminal = await start(["attach", `${child.pid}`]);
    await terminal.until(running);
    await terminal.type("thre");
    child.kill("SIGTERM");
    const shown = await terminal.until(/gone\) > .*thre/);
    assertMatch(
      shown,
      /sleep \(pid \d+, x86_64\) has ended: it (?:was killed|exited or was killed)/,
    );
    await child.status;
    await terminal.type("\x15");
    await terminal.enter("status", "the target is gone: `attach");
    await terminal.type("quit\r");
    assertEquals(await terminal.end(), 0);
  },
});

Deno.test({
  name: "another target is taken only when the launched program may end",
  ignore,
  async fn() {
    await using terminal = await start(["launch", talker]);
    await terminal.until(running);
    const pid = await pidAt(terminal);
    await terminal.enter("self", "end it? (y/n) ");
    assertStringIncludes(await terminal.enter("n", running), "nothing was done: `detach` first");
    assert(isAlive(pid));
    await terminal.enter("self", "end it? (y/n) ");
    await terminal.enter("y", "self) > ");
    await untilGone(pid);
  },
});

Deno.test({
  name: "a launched program that crashes is said to have, with its signal, at once",
  ignore,
  async fn() {
    await using terminal = await start(["launch", talker, "and", "crash"]);
    await terminal.until(running);
    await terminal.type("thre");
    const shown = await terminal.until(/gone\) > .*thre/);
    assertMatch(shown, /talker \(pid \d+, \w+\) has ended: it crashed: SIGSEGV/);
    assertStringIncludes(shown, "tick 5 tty");
    await terminal.type("\x15");
    await terminal.type("quit\r");
    assertEquals(await terminal.end(), 0);
  },
});
