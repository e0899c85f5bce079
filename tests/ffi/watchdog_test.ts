/** A debugger whose event loop hangs, and that is asked to end. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { buildHost } from "../../tools/build.ts";
import { compileHelper, Terminal } from "../repl/terminal.ts";
import { buildEmbedded } from "./darwin_dylib/build.ts";
import { buildDirectory, delay, Program, until } from "./program.ts";

const root = new URL("../../", import.meta.url).pathname;
const program = new URL("./programs/hang.ts", import.meta.url).pathname;

/** A hanging debugger, and the lines that it writes. */
async function hang(library: string, pid: number, signals: string, what: string) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, library, `${pid}`, signals, what],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const reading = (async () => {
    for (let part; (part = (await reader.read()).value) !== undefined;) text += part;
  })();
  await until(() => text.includes("hangs\n"), "the debugger");
  return { child, text: () => text, reading };
}

/** What `stty -a` says of the modes that matter to a shell. */
function flags(text: string): string[] {
  const names = ["icanon", "isig", "iexten", "echo", "opost", "icrnl", "ixon"];
  return [...text.matchAll(/-?\b[a-z]+\b/g)].map(([flag]) => flag)
    .filter((flag) => names.includes(flag.replace("-", "")));
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\t(\d+)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1]);
  } catch {
    return undefined; // not a process, or it has ended
  }
}

function counter(pid: number, address: bigint): bigint {
  using file = Deno.openSync(`/proc/${pid}/mem`);
  file.seekSync(address, Deno.SeekMode.Start);
  const word = new BigUint64Array(1);
  file.readSync(new Uint8Array(word.buffer));
  return word[0];
}

function tests(name: string, library: () => Promise<string>): void {
  const test = (what: string, body: () => Promise<void>) => Deno.test(`${name}: ${what}`, body);

  for (const what of ["pause", "thread"]) {
    for (const signal of ["SIGHUP", "SIGTERM"] as const) {
      test(`${signal} ends a debugger that hangs, and its ${what}, within a second`, async () => {
        await using target = await Program.start("target", "threads", "3");
        const count = () => counter(target.pid, target.numbers[0] + 8n);
        const { child, reading } = await hang(await library(), target.pid, signal, what);
        const before = count();
        await delay(50);
        assertEquals(count(), before);
        const asked = performance.now();
        child.kill(signal);
        assertEquals((await child.status).signal, signal);
        assert(performance.now() - asked < 1000, `${performance.now() - asked} ms`);
        await until(() => count() > before, "the target");
        assert(performance.now() - asked < 1500);
        await reading;
      });
    }
  }

  test("a second SIGINT ends it; the first is for the program to look at", async () => {
    await using target = await Program.start("target", "threads", "3");
    const { child, text, reading } = await hang(
      await library(),
      target.pid,
      "SIGTERM,SIGINT",
      "pause",
    );
    child.kill("SIGINT");
    await until(() => text() === "hangs\n1\n", "the count");
    await delay(800);
    child.kill("SIGINT");
    const asked = performance.now();
    assertEquals((await child.status).signal, "SIGINT");
    assert(performance.now() - asked < 1000);
    await reading;
  });

  test("the terminal has its modes again after a forced end", async () => {
    await using target = await Program.start("target", "threads", "1");
    const helper = await compileHelper(await buildDirectory());
    const command = [Deno.execPath(), "run", "-A", program, await library(), `${target.pid}`];
    await using terminal = await Terminal.start(helper, "sh", [
      "-c",
      'stty -a; "$@" SIGTERM pause; stty -a; echo end',
      ...["sh", ...command],
    ]);
    const before = flags(await terminal.until("hangs"));
    const hanging = [...Deno.readDirSync("/proc")].find(({ name }) =>
      parentOf(name) === terminal.pid
    );
    Deno.kill(Number(hanging!.name), "SIGTERM");
    const after = await terminal.until("end");
    assertEquals(flags(after), before);
    assertStringIncludes(terminal.raw, "\x1b[?2004l");
  });

  test("armed by itself, it ends a program that has nothing suspended", async () => {
    await using target = await Program.start("target", "threads", "1");
    const { child, reading } = await hang(await library(), target.pid, "SIGHUP", "arm");
    child.kill("SIGHUP");
    assertEquals((await child.status).signal, "SIGHUP");
    await reading;
  });

  test("a signal that is answered, or comes when nothing is held, is the program's own", async () => {
    await using target = await Program.start("target", "threads", "1");
    const source = `
      import { openKernel } from ${JSON.stringify(new URL("../../ffi/mod.ts", import.meta.url))};
      const kernel = openKernel({ library: Deno.args[0] });
      const task = kernel.taskForPid(Number(Deno.args[1]));
      const token = kernel.taskSuspend(task);
      let seen = 0;
      Deno.addSignalListener("SIGTERM", () => {
        seen++;
        kernel.watchdog.answer();
      });
      // The handler is there now.
      kernel.taskResume(kernel.taskSuspend(task));
      const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      Deno.kill(Deno.pid, "SIGTERM");
      await wait(1000);
      kernel.taskResume(token);
      Deno.kill(Deno.pid, "SIGTERM");
      await wait(1000);
      console.log(seen);
      Deno.exit(0);
    `;
    const file = `${await buildDirectory()}/answers.ts`;
    await Deno.writeTextFile(file, source);
    const { stdout, code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-lock", file, await library(), `${target.pid}`],
    }).output();
    assertEquals([new TextDecoder().decode(stdout), code], ["2\n", 0]);
  });
}

if (Deno.build.os === "linux") {
  Deno.test("code typed at the prompt loops, and the window is closed: the target runs on", async () => {
    await using target = await Program.start("target", "threads", "3");
    const count = () => counter(target.pid, target.numbers[0] + 8n);
    const prompt = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", `${root}repl/main.ts`, "attach", `${target.pid}`],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const input = prompt.stdin.getWriter();
    await input.write(
      new TextEncoder().encode("pause\n(console.log('loops'), (() => { for (;;); })())\n"),
    );
    const output = prompt.stdout.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; !text.includes("loops");) text += (await output.read()).value;
    const before = count();
    await delay(50);
    assertEquals(count(), before);
    const asked = performance.now();
    prompt.kill("SIGHUP");
    await until(() => count() > before, "the target");
    assert(performance.now() - asked < 1000, `${performance.now() - asked} ms`);
    assertEquals((await prompt.status).signal, "SIGHUP");
    await output.cancel();
    await input.abort().catch(() => {});
  });

  let host: Promise<string> | undefined;
  tests(
    "linux",
    () => host ??= buildDirectory().then((directory) => buildHost(`${directory}/host`)),
  );
  if (Deno.build.arch === "x86_64") {
    let darwin: Promise<string> | undefined;
    const build = async () => {
      const directory = `${await buildDirectory()}/watchdog-darwin`;
      await Deno.mkdir(directory, { recursive: true });
      return await buildEmbedded(directory);
    };
    tests("the Darwin dylib", () => darwin ??= build());
  }
}
