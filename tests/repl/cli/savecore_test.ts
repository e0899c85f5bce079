/** `machpause savecore` as a person runs it, on processes of this system. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openCore } from "../../../mod.ts";
import { startDemo } from "../../lib/target/demo.ts";
import { compileHelper, root, Terminal } from "../terminal.ts";
import { hasX86Loader } from "../../machine.ts";

const ignore = !hasX86Loader;
const program = new URL("repl/main.ts", root).pathname;
const decoder = new TextDecoder();

async function machpause(...args: string[]): Promise<[number, string, string]> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, ...args],
  }).output();
  return [code, decoder.decode(stdout), decoder.decode(stderr)];
}

const names = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name);

Deno.test({
  name: "savecore: a line, a JSON object, and what can be wrong",
  ignore,
  async fn() {
    const folder = await Deno.makeTempDir();
    using target = await startDemo("x86_64");
    try {
      const path = `${folder}/demo.core`;
      const pid = `pid:${target.pid}`;
      const [code, stdout, stderr] = await machpause("savecore", pid, path);
      assertEquals([code, stderr], [0, ""]);
      assertMatch(stdout, /^\S+demo\.core: stacks, 7 threads, \d+ KiB; stopped for \d+ µs\n$/);
      using core = openCore(path);
      assertEquals(core.threads.map(({ id }) => id), target.threads.map(({ id }) => id));

      const [, json] = await machpause("savecore", pid, path, "--style", "dirty", "--json");
      const { pausedMicroseconds, ...rest } = JSON.parse(json);
      assert(pausedMicroseconds > 0);
      assertEquals(rest, {
        target: { kind: "live", pid: target.pid, name: target.name, arch: "x86_64" },
        path,
        style: "dirty",
        bytes: Deno.statSync(path).size,
        threads: 7,
        warnings: [],
      });

      // What pointers lead to is in the core, and in a report and backtraces when that is asked for.
      const follow = ["--style", "locals", "--follow", "1"];
      assertEquals((await machpause("savecore", pid, path, ...follow))[0], 0);
      const counted = /\(counter \*\) turns = 0x[\da-f]{16} \{\n +\*turns = \d+\n/;
      for (const spec of [`core:${path}`, pid]) {
        assertMatch((await machpause("bt", spec, "--locals", "--follow", "1"))[1], counted);
      }
      const [, report] = await machpause("crash", pid, "--args", "--text");
      assertMatch(
        report,
        /Application Specific Information:\nFrames of thread 0:\n[^]*run_loop\(workers=6\)/,
      );
      const [refused, , why] = await machpause("bt", pid, "--follow", "1");
      assertEquals([refused, why], [2, "machpause: --follow goes with --locals or --args\n"]);
      await machpause("savecore", pid, path);

      const wrong: [code: number, args: string[], reason: string][] = [
        [2, [pid], ""],
        [2, [pid, path, "--style", "huge"], "there is no style huge"],
        [1, ["self", path], "a live process"],
        [1, [pid, `${folder}/none/core`], "there is no such folder"],
        [1, [pid, `${folder}/\x1b[2J/core`], String.raw`\x1b[2J`],
        [1, [pid, folder], "it is a folder"],
      ];
      for (const [expected, args, reason] of wrong) {
        const [code, stdout, stderr] = await machpause("savecore", ...args);
        assertEquals([code, stdout], [expected, ""], args.join(" "));
        assertMatch(stderr, /^machpause: [^\n]+\n$/);
        assertStringIncludes(stderr, reason);
      }
      assertEquals(names(folder), ["demo.core"]);
    } finally {
      target.kill();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** A process whose memory takes a while to read, though there is nothing in it. */
const large = `
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	size_t size = (size_t)64 << 30;
	if (mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
		return 1;
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
`;

/** Runs `use` with a large process, a folder of its own, and the helper for terminals. */
async function withLarge(
  use: (pid: number, folder: string, helper: string) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir();
  const folder = `${directory}/cores`;
  await Deno.mkdir(folder);
  const source = `${directory}/large.c`;
  await Deno.writeTextFile(source, large);
  const { success, stderr } = await new Deno.Command("cc", {
    args: ["-o", `${directory}/large`, source],
  }).output();
  assert(success, decoder.decode(stderr));
  const child = new Deno.Command(`${directory}/large`, { stdout: "piped" }).spawn();
  const lines = child.stdout.getReader();
  try {
    await lines.read();
    await use(child.pid, folder, await compileHelper(directory));
    assertEquals(names(folder), []);
    // It waits by itself, and nobody holds it.
    const status = await Deno.readTextFile(`/proc/${child.pid}/status`);
    assertMatch(status, /^State:\t[RS]/m);
    assertMatch(status, /^TracerPid:\t0$/m);
  } finally {
    child.kill("SIGKILL");
    await lines.cancel();
    await child.status;
    await Deno.remove(directory, { recursive: true });
  }
}

for (
  const [what, interrupt] of [
    ["Ctrl-C", (terminal: Terminal) => terminal.type("\x03")],
    ["SIGTERM", (terminal: Terminal) => Promise.resolve(Deno.kill(terminal.pid, "SIGTERM"))],
  ] as const
) {
  Deno.test({
    name: `savecore at a terminal: a progress bar, and ${what} leaves nothing behind`,
    ignore,
    async fn() {
      await withLarge(async (pid, folder, helper) => {
        const args = ["savecore", `pid:${pid}`, `${folder}/large.core`, "--style", "full"];
        await using terminal = await Terminal.start(helper, Deno.execPath(), [
          ...["run", "-A", program],
          ...args,
        ]);
        await terminal.until(/ +\d+ % {2}\S+ [KMG]iB of 64 GiB/);
        // Without a name until it is whole, where the system has that.
        assertMatch(names(folder).join(), /^(large\.core\.\d+\.\w{8}\.partial)?$/);
        await interrupt(terminal);
        await terminal.until("machpause: interrupted: no core was written");
        assertEquals(await terminal.end(), 1);
      });
    },
  });
}

Deno.test({
  name: "savecore at the prompt: Ctrl-C gives it up, and the prompt goes on",
  ignore,
  async fn() {
    await withLarge(async (pid, folder, helper) => {
      await using terminal = await Terminal.start(helper, Deno.execPath(), [
        ...["run", "-A", program, "attach", `${pid}`],
      ]);
      await terminal.until("running) > ");
      await terminal.enter("savecore", "machpause: `savecore` needs <file>");
      await terminal.enter("pause", "paused) > ");
      await terminal.enter(`savecore ${folder}/large.core full`, / % {2}\S+ [KMG]iB of 64 GiB/);
      await terminal.type("\x03");
      await terminal.until("machpause: interrupted: no core was written");
      await terminal.until("paused) > ");
      assertEquals(names(folder), []);
      const shown = await terminal.enter(`savecore ${folder}/small.core`, "paused) > ");
      assertMatch(shown, /small\.core: stacks, 1 thread, \d+(\.\d)? KiB; stopped for \d+ µs/);
      await Deno.remove(`${folder}/small.core`);
      await terminal.type("quit\r");
      assertEquals(await terminal.end(), 0);
    });
  },
});

Deno.test({
  name: "savecore --style dirty costs what was used of memory, not what was reserved",
  ignore,
  async fn() {
    await withLarge(async (pid, folder) => {
      const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", program, "savecore", `${pid}`, `${folder}/core`, "--style", "dirty"],
      }).output();
      assert(success, decoder.decode(stderr));
      assertMatch(decoder.decode(stdout), /dirty, 1 thread, \d+(\.\d)? KiB; stopped for \d+ µs/);
      await Deno.remove(`${folder}/core`);
    });
  },
});
