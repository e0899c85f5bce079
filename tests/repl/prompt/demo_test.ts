// The newcomer's first command, at a real terminal with a real process.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { compileHelper, root, Terminal, untilGone } from "../terminal.ts";
import { canLaunch } from "../../machine.ts";

const ignore = !canLaunch;
const program = new URL("repl/main.ts", root).pathname;
const paused = "(machpause demo paused) > ";

/** Runs `body` at the demo's prompt, with the demo's pid. */
async function atDemo(body: (terminal: Terminal, pid: number) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    const helper = await compileHelper(directory);
    await using terminal = await Terminal.start(helper, Deno.execPath(), [
      "run",
      "-A",
      program,
      "demo",
    ], { NO_COLOR: "1" });
    const begun = await terminal.until(paused);
    for (const name of ["lock_acquire", "spin_inner", "deep_bottom", "leaf_count", "queue_wait"]) {
      assertStringIncludes(begun, name);
    }
    const pid = Number(/demo \(pid (\d+), /.exec(begun)![1]);
    await body(terminal, pid);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test({
  name: "the demo at a terminal: paused, looked at, resumed; it ends with the prompt",
  ignore,
  async fn() {
    await atDemo(async (terminal, pid) => {
      await terminal.enter("thread 1", paused);
      assertStringIncludes(await terminal.enter("bt", paused), "account_update + ");
      const read = "target.memory.readU64(target.lookup('demo_progress')[0].symbol.address + 8n)";
      const progress = async () =>
        BigInt(/^(\d+)n {2}0x/m.exec(await terminal.enter(read, /\d+n {2}0x[\da-f]+\r\n/))![1]);
      const before = await progress();
      assertEquals(await progress(), before);
      await terminal.until(paused);
      await terminal.enter("resume", "(machpause demo running) > ");
      await terminal.enter("await new Promise((r) => setTimeout(r, 100))", "running) > ");
      await terminal.enter("pause", paused);
      assert(await progress() > before);
      await terminal.type("quit\r");
      assertEquals(await terminal.end(), 0);
      await untilGone(pid);
    });
  },
});

for (const signal of ["SIGTERM", "SIGHUP"] as const) {
  Deno.test({
    name: `the demo ends with a prompt that ${signal} ends`,
    ignore,
    async fn() {
      await atDemo(async (terminal, pid) => {
        Deno.kill(terminal.pid, signal);
        await terminal.end();
        await untilGone(pid);
      });
    },
  });
}

Deno.test({
  name: "the demo killed while it is paused: said, and the prompt goes on",
  ignore,
  async fn() {
    await atDemo(async (terminal, pid) => {
      Deno.kill(pid, "SIGKILL");
      // The prompt that was there already is redrawn in place.
      const shown = await terminal.enter("resume", "gone) > ");
      assertStringIncludes(shown, "has ended: it was killed by SIGKILL");
      await terminal.enter("bt all", "the target is gone: `attach");
      await terminal.until("gone) > ");
      assertStringIncludes(await terminal.enter("1 + 1", "gone) > "), "\n2\n");
      await terminal.type("\x04");
      assertEquals(await terminal.end(), 0);
    });
  },
});

Deno.test({
  name: "the demo where task_for_pid is as strict as XNU's: stacks with files and lines",
  ignore,
  async fn() {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", program, "demo"],
      env: { NO_COLOR: "1", MACHPAUSE_STRICT_TASK_FOR_PID: "1" },
    }).output();
    const text = new TextDecoder();
    assertEquals([code, text.decode(stderr)], [0, ""]);
    assertMatch(text.decode(stdout), /worker_spin \+ \d+ at demo\.c:\d+/);
    assertMatch(text.decode(stdout), /descend \+ \d+ at workers\.c:\d+/);
  },
});

Deno.test({
  name: "Ctrl-C that the demo has died of, and that is not heard yet, is no error",
  ignore,
  async fn() {
    const script = new URL("interrupted_demo.ts", import.meta.url).pathname;
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", script],
      env: { NO_COLOR: "1" },
    }).output();
    const text = new TextDecoder();
    assertEquals([code, text.decode(stdout), text.decode(stderr)], [130, "", ""]);
  },
});
