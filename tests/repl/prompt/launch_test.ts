/** Programs that are launched from the prompt: their end, machpause's end, their output, their options. */
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { directory, main, running, start } from "./started.ts";
import { type Terminal, untilGone, visible } from "../terminal.ts";
import { screenOf } from "../vt.ts";
import { launch, openCore } from "../../../mod.ts";
import { explainReport, reportOf } from "../../../lib/report/mod.ts";
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
await new Deno.Command("cc", { args: ["-g", "-o", talker, `${talker}.c`] }).output();

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
  name:
    "a launched program has the terminal of its output as stdout and stderr, and as nothing else",
  ignore: ignore || !onLinux,
  async fn() {
    await using terminal = await start(["launch", talker]);
    await terminal.until(running);
    const pid = await pidAt(terminal);
    const files = [...Deno.readDirSync(`/proc/${pid}/fd`)].map(({ name }) => {
      return [Number(name), Deno.readLinkSync(`/proc/${pid}/fd/${name}`)] as const;
    });
    const output = files.find(([descriptor]) => descriptor === 1)![1];
    assert(output.startsWith("/dev/pts/"), output);
    const with1 = files.flatMap(([descriptor, path]) => path === output ? [descriptor] : []);
    assertEquals(with1.sort(), [1, 2]);
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
  name:
    "a launched program that crashes is stopped there, can be looked at, and then dies of its signal",
  ignore,
  async fn() {
    await using terminal = await start(["launch", talker, "and", "crash"]);
    await terminal.until(running);
    await terminal.type("thre");
    const shown = await terminal.until(/crashed\) > .*thre/);
    assertMatch(
      shown,
      /talker \(pid \d+, \w+\) crashed in thread 0: EXC_BAD_ACCESS \(code=1, address=0x0\)/,
    );
    assertMatch(shown, /0 +talker +0x\w+ +main \+ \d+ at talker\.c:8/);
    assertStringIncludes(shown, "tick 5 tty");
    await terminal.type("\x15");
    const crashed = "crashed) > ";
    assertMatch(await terminal.enter("frame variable i", crashed), /i = 5/);
    assertMatch(await terminal.enter("registers", crashed), /rip|pc/);
    assertMatch(
      await terminal.enter("crash", crashed),
      /Exception Type: +EXC_BAD_ACCESS \(SIGSEGV\)/,
    );
    const brief = await terminal.enter("crash --brief", crashed);
    assertMatch(brief, /What happened/);
    assertNotMatch(brief, /Exception Type:/);
    const core = `${directory}/crashed.core`;
    await terminal.enter(`savecore ${core} dirty`, crashed);
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", main, "core", "-e", "status", "-e", "bt", core],
      env: { NO_COLOR: "1" },
    }).output();
    const opened = new TextDecoder().decode(stdout);
    assertMatch(opened, /main \+ \d+ at talker\.c:8/);
    assertMatch(
      opened,
      /thread 0 crashed: EXC_BAD_ACCESS \(code=1, address=0x0\): page fault, at 0x0\n/,
    );
    const ended = await terminal.enter("resume", "gone) > ");
    assertMatch(ended, /has ended: it crashed: SIGSEGV/);
    await terminal.type("quit\r");
    assertEquals(await terminal.end(), 0);
  },
});

Deno.test({
  name: "launch() with catchCrash: the crash of an abort(), in a core too; it dies with the target",
  ignore,
  async fn() {
    const aborter = `${directory}/aborter`;
    await Deno.writeTextFile(
      `${aborter}.c`,
      "#include <stdlib.h>\n#include <unistd.h>\nint main(void) { usleep(50000); abort(); }\n",
    );
    await new Deno.Command("cc", { args: ["-g", "-o", aborter, `${aborter}.c`] }).output();
    const target = await launch(aborter, [], { catchCrash: true });
    const core = `${directory}/aborted.core`;
    try {
      while (target.crash === null) await new Promise((resolve) => setTimeout(resolve, 10));
      const [thread] = target.threads;
      assertEquals(target.crash, { ...target.crash, threadId: thread.id, exception: 0, signal: 6 });
      const names = () => [...thread.backtrace()].map((frame) => frame.function);
      assert(names().includes("abort") && names().includes("main"));
      const report = reportOf(target, target.threads);
      assertEquals(
        [report.exception?.type, report.exception?.signal, report.exception?.note],
        ["EXC_CRASH", "SIGABRT", null],
      );
      assert(report.threads[0].crashed);
      assertStringIncludes(explainReport(report).happened[0], "abort()");
      await target.saveCore(core);
    } finally {
      target[Symbol.dispose]();
    }
    await untilGone(target.pid);
    using opened = openCore(core);
    assertEquals(opened.crash?.signal, 6);
    assertEquals(opened.crashedThread?.index, 0);
    await using terminal = await start(["launch", "--keep", aborter]);
    assertMatch(await terminal.until("crashed) > "), /crashed in thread 0: signal SIGABRT/);
    const [, pid] = /aborter \(pid (\d+)/.exec(terminal.raw)!;
    await terminal.type("quit\r");
    assertEquals(await terminal.end(), 0);
    await untilGone(Number(pid));
  },
});

Deno.test({
  name: "an address that is not canonical is told as a protection fault, not as null",
  ignore: ignore || !onLinux || Deno.build.arch !== "x86_64",
  async fn() {
    const wild = `${directory}/wild`;
    await Deno.writeTextFile(
      `${wild}.c`,
      "int main(void) { return *(volatile int *)0x6162636465666768; }\n",
    );
    await new Deno.Command("cc", { args: ["-g", "-o", wild, `${wild}.c`] }).output();
    using target = await launch(wild, [], { catchCrash: true });
    while (target.crash === null) await new Promise((resolve) => setTimeout(resolve, 10));
    const { exception, code } = target.crash;
    assertEquals([exception, code], [1, 13n]);
    const report = reportOf(target, target.threads);
    const words = explainReport(report).happened.join("\n");
    assertStringIncludes(words, "general protection fault");
    assert(!words.includes("null"), words);
    await target.saveCore(`${wild}.core`);
    using core = openCore(`${wild}.core`);
    assertStringIncludes(`${core.crashedThread?.exception}`, "general protection fault");
  },
});

Deno.test({
  name: "what a program that ends at once has printed is shown at the prompt",
  ignore,
  async fn() {
    await using terminal = await start(["--no-init"]);
    await terminal.until("(machpause) > ");
    await terminal.enter("launch /bin/echo was printed", "has ended: it exited with code 0");
    // It may have been attached to before its end.
    assertMatch(visible(terminal.raw), /\nwas printed\n(?:launched echo .*\n)?machpause: echo /);
  },
});

Deno.test({
  name: "without a terminal a launched program runs to its end, and a crash is reported",
  ignore,
  async fn() {
    const launched = async (...words: string[]) => {
      const { code, stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", main, "launch", ...words],
        env: { NO_COLOR: "1" },
        stdin: "null",
      }).output();
      return [code, new TextDecoder().decode(stdout)] as const;
    };
    const [code, report] = await launched(talker, "and", "crash");
    assertEquals(code, 1);
    assertMatch(report, /talker \(pid \d+, \w+\) crashed in thread 0: EXC_BAD_ACCESS/);
    assertMatch(report, /Exception Type: +EXC_BAD_ACCESS \(SIGSEGV\)[^]*What happened/);
    const [well, text] = await launched("/bin/sleep", "0.2");
    assertEquals(well, 0);
    assertStringIncludes(text, "it exited with code 0");
    // Also where it ends before it can be attached to.
    const [quick, said] = await launched("/bin/true");
    assertEquals(quick, 0);
    // It may have been looked at before it ended.
    assertMatch(said, /true (?:\(pid \d+, \w+\) )?has ended: it exited with code 0/);
    assertEquals((await launched("/bin/false"))[0], 1);
  },
});

Deno.test({
  name:
    "a signal that the launched program handles is its own; killed, machpause leaves it to its crash",
  ignore: ignore || !onLinux,
  async fn() {
    const handler = `${directory}/handler`;
    await Deno.writeTextFile(
      `${handler}.c`,
      `#include <pthread.h>
       #include <setjmp.h>
       #include <signal.h>
       #include <stdio.h>
       #include <unistd.h>
       static sigjmp_buf back;
       static volatile int users;
       static void fault(int signal) { (void)signal; siglongjmp(back, 1); }
       static void user(int signal) { (void)signal; users++; }
       static void *start(void *nothing) { return nothing; }
       int main(int count, char **words) {
         (void)words;
         signal(SIGSEGV, fault);
         signal(SIGUSR1, user);
         int faults = 0;
         for (int i = 0; i < 200; i++) {
           pthread_t thread;
           pthread_create(&thread, 0, start, 0);
           if (sigsetjmp(back, 1)) faults++; else *(volatile int *)0 = 1;
           kill(getpid(), SIGUSR1);
           pthread_join(thread, 0);
         }
         printf("%d faults, %d signals\\n", faults, users);
         fflush(stdout);
         if (count == 1) return 0;
         signal(SIGSEGV, SIG_DFL);
         *(volatile int *)0 = 1;
         return 0;
       }`,
    );
    const { success } = await new Deno.Command("cc", {
      args: ["-pthread", "-o", handler, `${handler}.c`],
    }).output();
    assert(success);
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", main, "launch", handler],
      stdin: "null",
    }).output();
    assertEquals(code, 0);
    assertStringIncludes(new TextDecoder().decode(stdout), "200 faults, 200 signals");

    await using terminal = await start(["launch", handler, "and crash"]);
    await terminal.until("crashed) > ");
    const [, pid] = /handler \(pid (\d+)/.exec(terminal.raw)!;
    assert(isAlive(Number(pid)));
    Deno.kill(terminal.pid, "SIGKILL");
    await untilGone(Number(pid));
  },
});
